"""Judges made of what users already have: a function, or a model of transformers with its tokenizer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from claimwise.errors import ClaimwiseError
from claimwise.judges.crossing import gather
from claimwise.judges.pairs import Pairs
from claimwise.judges.protocol import Judgements, Pair
from claimwise.signature import parts_fingerprint

NOT_CONTENT = ("_name_or_path", "transformers_version", "dtype", "torch_dtype")
"""Keys of a configuration that do not change what a model computes."""


class FunctionJudge:
    """A function as a judge.

    Args:
        function: takes n premises and n hypotheses, and returns an array ``[n, 3]`` of the probabilities of
            entailment, neutral and contradiction.
        signature: names the function in signatures; must change whenever its answers do.
    """

    def __init__(self, function: Callable[..., Any], signature: Mapping[str, str] | str) -> None:
        if isinstance(signature, str):
            signature = {"judge": signature}
        name = getattr(function, "__qualname__", type(function).__name__)
        self.signature: Mapping[str, str] = {"judge": name, **signature}
        self.fingerprint = f"function-{parts_fingerprint([sorted(map(list, self.signature.items()))])}"
        self._function = function

    def predict_pairs(self, pairs: Sequence[Pair]) -> Judgements:
        """Return the judgements of (premise, hypothesis) pairs, each distinct pair asked once."""
        if not isinstance(pairs, Pairs):
            return gather(self, pairs)
        found = self._function([premise for premise, _ in pairs], [hypothesis for _, hypothesis in pairs])
        return Judgements(np.asarray(found, dtype=np.float32))


def has_model_and_tokenizer(given: Any) -> bool:
    """Return whether this is a (model, tokenizer) of transformers."""
    return isinstance(given, tuple) and len(given) == 2 and hasattr(given[0], "config")


def as_judge(given: Any) -> Any:
    """Return a judge made of a function, a pipeline or a (model, tokenizer); other objects unchanged.

    Raises:
        ClaimwiseError: for a function without a signature, or a model that is not a sequence classifier with
            a fast tokenizer.
    """
    if has_model_and_tokenizer(given):
        return _of_transformers(*given)
    if isinstance(given, type) or not callable(given) or hasattr(given, "predict_pairs"):
        return given
    if hasattr(given, "model") and hasattr(given, "tokenizer"):
        return _of_transformers(given.model, given.tokenizer)
    if isinstance(signature := getattr(given, "signature", None), str | Mapping):
        return FunctionJudge(given, signature)
    name = getattr(given, "__name__", type(given).__name__)
    raise ClaimwiseError(
        f"judge: the function {name} has no signature, so results could not say which judge was used.",
        f"Set it first: {name}.signature = 'NAME', with a name that changes whenever its answers do.",
        option="judge",
    )


def _of_transformers(model: Any, tokenizer: Any) -> Any:
    """Return a local judge of a sequence classifier and its tokenizer, named by its content."""
    from claimwise.judges.by_torch import checkpoint_of
    from claimwise.judges.local import NLIModel

    problem = None
    if not hasattr(model.config, "id2label") or not hasattr(model, "num_labels"):
        problem = f"a {type(model).__name__} is not a sequence classifier of transformers"
    elif getattr(tokenizer, "backend_tokenizer", None) is None:
        problem = f"a {type(tokenizer).__name__} is not a fast tokenizer, the only supported kind"
    if problem is not None:
        raise ClaimwiseError(
            f"judge: {problem}.",
            "Pass a model of AutoModelForSequenceClassification with its tokenizer of AutoTokenizer.",
            option="judge",
        )
    checkpoint = checkpoint_of(model, tokenizer, fingerprint=_fingerprint(model, tokenizer))
    return NLIModel(checkpoint, name=model.config._name_or_path or type(model).__name__)


def _fingerprint(model: Any, tokenizer: Any) -> str:
    """Return 12 hexadecimal digits of the SHA-256 of weights, configuration and tokenizer."""
    import torch

    config = {key: value for key, value in model.config.to_dict().items() if key not in NOT_CONTENT}
    digest = hashlib.sha256(json.dumps(config, sort_keys=True, default=str).encode())
    digest.update(tokenizer.backend_tokenizer.to_str().encode())
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()[:12]
