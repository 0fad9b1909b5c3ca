"""Loading a judge: by name, by a URL-like string, or made of an object, such as a function or a pipeline."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import getattr_static
from pathlib import Path
from typing import Any, get_args

import numpy as np

from claimwise.errors import ClaimwiseError, in_backticks
from claimwise.judges.crossing import gather
from claimwise.judges.options import WhichPairs
from claimwise.judges.pairs import Pairs
from claimwise.judges.protocol import Judge, Judgements, Pair
from claimwise.options import SECRETS, check
from claimwise.plugins import Named, registered
from claimwise.signature import parts_fingerprint

GROUP = "claimwise.judges"
"""Entry points of judges: functions of an address and options that return a judge."""

RUN_OPTIONS = ("judge_weights", "pairs", "score_cache", "show_progress")
"""Options of ``load_judge`` itself; all others go to every judge that accepts them."""

NOT_CONTENT = ("_name_or_path", "transformers_version", "dtype", "torch_dtype")
"""Keys of a model's configuration that do not change what it computes."""

REMEDY = (
    "Pass a name, a folder, an NLIModel, a function with a signature, a pipeline or a (model, tokenizer) of "
    "transformers, or an object with fingerprint, signature and predict_pairs."
)

Judges = str | Path | Judge | Sequence[str | Path | Judge]


def load_judge(
    judge: Judges = "default",
    *,
    judge_weights: Sequence[float] | None = None,
    pairs: WhichPairs = "all",
    score_cache: str | Path | None = None,
    show_progress: bool = True,
    **options: Any,
) -> Judge:
    """Return a judge that is ready for use.

    Args:
        judge: an object, a name, or ``"NAME:ADDRESS"``, where an installed package registers NAME under
            ``claimwise.judges``; a list of several judges averages their probabilities.
        judge_weights: weights of several judges; None = equal weights.
        pairs: ``"likely"`` = judge only pairs that are probably not neutral.
        score_cache: see ``with_cache``.
        show_progress: show progress bars.
        **options: options of the judge, if it is given by name; see ``claimwise.judges.options``.

    Raises:
        ClaimwiseError: for a judge that is unknown or cannot be loaded, or an option that it does not accept.
    """
    check("pairs", pairs, choices=get_args(WhichPairs))
    judges = []
    for made in make_judges(judge, options, {"show_progress": show_progress}):
        check_is_judge(made)
        judges.append(_probed(made if score_cache is None else with_cache(made, score_cache)))
    if len(judges) != 1:
        from claimwise.judges.several import SeveralJudges

        loaded: Judge = SeveralJudges(judges, judge_weights)
    elif judge_weights is not None:
        raise ClaimwiseError(
            "`judge_weights` has no effect, because there is only one judge.",
            "Pass a list of several judges as judge=.",
            option="judge_weights",
        )
    else:
        (loaded,) = judges
    if pairs == "all":
        return loaded
    from claimwise.judges.filter.judge import FilteredJudge

    return FilteredJudge(loaded)


def with_cache(judge: Judge, path: str | Path) -> Judge:
    """Return the judge with an SQLite file that keeps its probabilities, or its answers, for later runs."""
    from claimwise.judges.cache import CachedJudge

    # A judge whose answers cost money stores each of them at once.
    kept_in = getattr(judge, "kept_in", None)
    return CachedJudge(judge, path) if kept_in is None else kept_in(path)


def make_judges(judges: Judges, options: Mapping[str, Any], optional: Mapping[str, Any]) -> list[Any]:
    """Return judges, those named by a text with the options that they accept; no server is contacted.

    At least one judge must accept each of ``options``, see ``check_options``; none needs to accept those of
    ``optional``.
    """
    named = named_judges(judges)
    check_options(named, options)
    return [
        judge.made_with(options, optional) if isinstance(judge, NamedJudge) else as_judge(judge)
        for judge in named
    ]


class NamedJudge(Named):
    """A judge given by name, before it is created."""

    def __init__(self, text: str) -> None:
        names = registered(GROUP)
        name = text.partition(":")[0]
        self.is_local = name == "local" or name not in names
        super().__init__(GROUP, text if name in names else f"local:{text}", "judge")
        self.text = text

    def made_with(self, options: Mapping[str, Any], optional: Mapping[str, Any]) -> Any:
        """Return the judge, created with the options that it accepts."""
        return self.made({name: value for name, value in options.items() if name in self}, optional)


def named_judges(judges: Judges) -> list[Any]:
    """Return one or several judges as a list, those given by name as ``NamedJudge``.

    A list that this function has returned stays as it is.
    """
    is_list = isinstance(judges, Sequence) and not isinstance(judges, str)
    several: list[Any] = list(judges) if is_list and not _is_model_and_tokenizer(judges) else [judges]  # type: ignore[arg-type]
    return [NamedJudge(str(judge)) if isinstance(judge, str | Path) else judge for judge in several]


def check_options(judges: Judges, options: Iterable[str]) -> None:
    """Reject an option that none of the judges accepts; no judge is created.

    Raises:
        ClaimwiseError: naming the option and the accepted ones; or for a key that would go to several judges.
    """
    named = [judge for judge in named_judges(judges) if isinstance(judge, NamedJudge)]
    for option in options:
        takers = [judge for judge in named if option in judge]
        if not takers:
            if len(named) == 1:
                named[0].check([option])
            what = "no judge has this option" if named else "a ready-made judge keeps its own options"
            raise ClaimwiseError(f"`{option}` has no effect, because {what}.", "Leave it out.", option=option)
        is_secret = option.removesuffix("_env") in SECRETS
        if is_secret and len(takers) > 1 and not all(judge.is_local for judge in takers):
            raise ClaimwiseError(
                f"`{option}` would go to {len(takers)} judges.",
                "Create each judge in Python with its own key, such as ChatJudge(model, url, api_key=…).",
                option=option,
            )


def check_is_judge(judge: Any) -> None:
    """Reject anything but a judge, saying what is missing; no property is read, and nothing is sent."""
    absent = object()
    needed = ("fingerprint", "signature", "predict_pairs")
    missing = [name for name in needed if getattr_static(judge, name, absent) is absent]
    if isinstance(judge, type):
        problem, remedy = f"`{judge.__name__}` is a class, not a judge.", "Call it to create a judge."
    elif missing:
        problem = (
            f"An object of type `{type(judge).__name__}` is not a judge: it has no {in_backticks(missing)}."
        )
        remedy = REMEDY
    else:
        return
    raise ClaimwiseError(problem, remedy, option="judge")


def _probed(judge: Judge) -> Judge:
    """Return the judge, after it has found out what its signature depends on."""
    try:
        if (probe := getattr(judge, "probe", None)) is not None:
            judge = probe() or judge  # one in the mode that suits the server
        signature = judge.signature
    except ClaimwiseError as error:  # of a server, say
        raise error.at(option=error.option or "judge") from None
    if not isinstance(signature, Mapping):
        problem = f"The signature of a `{type(judge).__name__}` is not a mapping of names to strings."
        raise ClaimwiseError(problem, REMEDY, option="judge")
    return judge


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
        premises, hypotheses = [premise for premise, _ in pairs], [hypothesis for _, hypothesis in pairs]
        return Judgements(np.asarray(self._function(premises, hypotheses), dtype=np.float32))


def _is_model_and_tokenizer(judge: Any) -> bool:
    """Return whether this is a (model, tokenizer) of transformers."""
    return isinstance(judge, tuple) and len(judge) == 2 and hasattr(judge[0], "config")


def as_judge(judge: Any) -> Any:
    """Return a judge made of a function, a pipeline or a (model, tokenizer); other objects unchanged.

    Raises:
        ClaimwiseError: for a function without a signature, or a model that is not a sequence classifier with
            a fast tokenizer.
    """
    if _is_model_and_tokenizer(judge):
        return _transformers_judge(*judge)
    if isinstance(judge, type) or not callable(judge) or hasattr(judge, "predict_pairs"):
        return judge
    if hasattr(judge, "model") and hasattr(judge, "tokenizer"):
        return _transformers_judge(judge.model, judge.tokenizer)
    if isinstance(signature := getattr(judge, "signature", None), str | Mapping):
        return FunctionJudge(judge, signature)
    name = getattr(judge, "__name__", type(judge).__name__)
    raise ClaimwiseError(
        f"The function `{name}` has no signature, so results could not say which judge was used.",
        f'Set it first: {name}.signature = "NAME", with a name that changes whenever its answers do.',
        option="judge",
    )


def _transformers_judge(model: Any, tokenizer: Any) -> Any:
    """Return a local judge of a sequence classifier and its tokenizer; its fingerprint is of its content."""
    from claimwise.judges.by_torch import checkpoint_of
    from claimwise.judges.local import NLIModel

    problem = None
    if not hasattr(model.config, "id2label") or not hasattr(model, "num_labels"):
        problem = f"A `{type(model).__name__}` is not a sequence classifier of transformers."
    elif getattr(tokenizer, "backend_tokenizer", None) is None:
        problem = f"A `{type(tokenizer).__name__}` is not a fast tokenizer, the only supported kind."
    if problem is not None:
        raise ClaimwiseError(
            problem,
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
