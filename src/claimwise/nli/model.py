"""The NLI engine: a sequence-classification checkpoint that scores (premise, hypothesis) pairs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from claimwise.errors import ClaimwiseError
from claimwise.nli.cache import CachedScore, Pair, ScoreCache
from claimwise.nli.hub import check_in_reach, checkpoint_fingerprint, loading
from claimwise.nli.labels import resolve_label_order
from claimwise.nli.matrix import Example, Matrix, Predictions, entailment_matrices

if TYPE_CHECKING:
    import torch
    from tokenizers import Encoding

EMBEDDED_WEIGHTS = Path(__file__).parent / "weights"
ALIASES = {
    "mnli": "FacebookAI/roberta-large-mnli",
    "vitc": "tals/albert-xlarge-vitaminc-mnli",
    "anli": "ynie/roberta-large-snli_mnli_fever_anli_R1_R2_R3-nli",
}
TokenIds = npt.NDArray[np.int64]


class NLIModel:
    """Premises and hypotheses in, probabilities of entailment, neutral and contradiction out.

    Pairs are deduplicated over the whole call, sorted by length, batched by a token budget, and put back
    in order; the batching never changes a score beyond rounding. Make one with ``from_pretrained``.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        *,
        name: str,
        fingerprint: str,
        device: torch.device,
        label_order: Sequence[str] | None = None,
        max_tokens_per_batch: int = 4096,
        score_cache: str | Path | None = None,
        show_progress: bool = True,
    ) -> None:
        if max_tokens_per_batch < 1:
            raise ClaimwiseError(f"max_tokens_per_batch must be at least 1; got {max_tokens_per_batch}.")
        self.name = name
        self._checkpoint_fingerprint = fingerprint
        self.score_cache = score_cache
        self.max_tokens_per_batch = max_tokens_per_batch
        self.show_progress = show_progress
        self.label_order = resolve_label_order(model.config.id2label, label_order)
        self._model = model.to(device).eval()
        self._device = device
        if getattr(tokenizer, "backend_tokenizer", None) is None:
            raise ClaimwiseError(
                f"The model {name!r} has no fast tokenizer (tokenizer.json); claimwise needs one."
            )
        self._tokenizer = tokenizer.backend_tokenizer
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._padding_id = tokenizer.pad_token_id or 0
        self._has_type_ids = "token_type_ids" in tokenizer.model_input_names
        self._special_tokens: int = self._tokenizer.num_special_tokens_to_add(is_pair=True)
        self.max_length: int = _max_length(model.config, tokenizer)

    @classmethod
    def from_pretrained(
        cls,
        name: str | Path = "default",
        *,
        device: str = "auto",
        dtype: str = "auto",
        max_tokens_per_batch: int = 4096,
        revision: str | None = None,
        token: str | None = None,
        local_files_only: bool = False,
        label_order: Sequence[str] | None = None,
        score_cache: str | Path | None = None,
        show_progress: bool = True,
    ) -> NLIModel:
        """Load a checkpoint.

        Args:
            name: ``"default"`` (embedded in the package, offline), an alias (``"mnli"``, ``"vitc"``,
                ``"anli"``), a hub id, or the path of a folder. Only safetensors weights are loaded.
            device: ``"auto"`` (CUDA if there is one, else the CPU), ``"cpu"``, ``"cuda"``, ``"cuda:1"`` …
            dtype: ``"auto"`` (CUDA: float16; CPU: bfloat16 where the processor computes in it, else
                float32), ``"float32"``, ``"bfloat16"`` or ``"float16"``.
            max_tokens_per_batch: padded tokens of one batch.
            revision: branch, tag or commit of a hub model.
            token: access token of a private hub model.
            local_files_only: never ask the hub.
            label_order: names of the outputs, for a checkpoint that does not name its labels.
            score_cache: path of an SQLite file that keeps every probability for later runs.
            show_progress: show a bar for anything over about two seconds.

        Raises:
            ClaimwiseError: for an unknown model, device or dtype, or labels that cannot be resolved.
        """
        from transformers import AutoModelForSequenceClassification, AutoTokenizer

        name = str(name)
        source = str(EMBEDDED_WEIGHTS) if name == "default" else ALIASES.get(name, name)
        chosen_device = choose_device(device)
        chosen_dtype = _choose_dtype(dtype, chosen_device)
        remedy = (
            "Check the name, or work offline with nli_model='default' (embedded in the package) or the path "
            "of a folder that holds config.json, model.safetensors and tokenizer.json."
        )
        from_cache = check_in_reach(
            source,
            f"The NLI model {name!r}",
            remedy,
            revision=revision,
            local_files_only=local_files_only,
        )
        options: dict[str, Any] = {}
        if not Path(source).is_dir():
            options = {
                "revision": revision,
                "token": token,
                "local_files_only": local_files_only or from_cache,
            }
        with loading(f"The NLI model {name!r}", remedy), quiet_transformers():
            tokenizer = AutoTokenizer.from_pretrained(source, **options)
            model, report = AutoModelForSequenceClassification.from_pretrained(
                source, dtype=chosen_dtype, use_safetensors=True, output_loading_info=True, **options
            )
        if missing := sorted(report["missing_keys"]):
            raise ClaimwiseError(
                f"The NLI model {name!r} has no trained {', '.join(missing)}: it is no sequence classifier. "
                f"{remedy}"
            )
        if len(tokenizer) <= len(tokenizer.all_special_tokens):
            raise ClaimwiseError(f"The NLI model {name!r} comes without a tokenizer. {remedy}")
        return cls(
            model,
            tokenizer,
            name=name,
            fingerprint=checkpoint_fingerprint(source, revision),
            device=chosen_device,
            label_order=label_order,
            max_tokens_per_batch=max_tokens_per_batch,
            score_cache=score_cache,
            show_progress=show_progress,
        )

    def predict(self, premises: Sequence[str], hypotheses: Sequence[str]) -> npt.NDArray[np.float32]:
        """Score premise i against hypothesis i.

        Args:
            premises: n texts.
            hypotheses: n texts.

        Returns:
            float32 ``[n, 3]``: probabilities of entailment, neutral, contradiction.

        Raises:
            ClaimwiseError: for unequal lengths or a bare string.
        """
        if isinstance(premises, str) or isinstance(hypotheses, str):
            raise ClaimwiseError("premises and hypotheses: expected two lists of strings, got a bare string.")
        if len(premises) != len(hypotheses):
            raise ClaimwiseError(f"Unequal lengths: {len(premises)} premises, {len(hypotheses)} hypotheses.")
        return self.predict_pairs(list(zip(premises, hypotheses, strict=True))).probabilities

    def matrices(self, examples: Sequence[Example]) -> list[Matrix]:
        """Score every premise against every hypothesis of each example.

        Args:
            examples: (premises, hypotheses) each.

        Returns:
            One float32 array ``[premises, hypotheses, 3]`` per example.
        """
        return entailment_matrices(self.predict_pairs, examples)[0]

    def predict_pairs(self, pairs: Sequence[Pair]) -> Predictions:
        """Score (premise, hypothesis) pairs, each distinct pair once, and tell which were truncated.

        A pair longer than the model allows is cut at the end of its premise; only where the hypothesis
        alone takes more than half of the model's length is it cut to that half as well.
        """
        for row, pair in enumerate(pairs):
            for role, text in zip(("premise", "hypothesis"), pair, strict=True):
                if not isinstance(text, str):
                    raise ClaimwiseError(f"Pair {row}: the {role} must be a string; got {text!r}.")
        rows = {pair: row for row, pair in enumerate(dict.fromkeys(pairs))}
        distinct = list(rows)
        probabilities = np.empty((len(distinct), 3), dtype=np.float32)
        truncated = np.zeros(len(distinct), dtype=np.bool_)
        cache = ScoreCache(self.score_cache, self.fingerprint) if self.score_cache else None
        with cache or nullcontext():
            known = cache.read(distinct) if cache else {}
            for pair, score in known.items():
                probabilities[rows[pair]] = score[:3]
                truncated[rows[pair]] = score.truncated
            missing = [pair for pair in distinct if pair not in known]
            for batch, batch_probabilities, batch_truncated in self._run(missing):
                batch_rows = [rows[pair] for pair in batch]
                probabilities[batch_rows] = batch_probabilities
                truncated[batch_rows] = batch_truncated
                if cache:
                    cache.write(
                        (pair, CachedScore(float(e), float(n), float(c), bool(cut)))
                        for pair, (e, n, c), cut in zip(
                            batch, batch_probabilities, batch_truncated, strict=True
                        )
                    )
        index = np.fromiter((rows[pair] for pair in pairs), dtype=np.intp, count=len(pairs))
        return Predictions(probabilities[index], truncated[index])

    @property
    def fingerprint(self) -> str:
        """What distinguishes this model's scores from any other's: weights, label order, length, dtype."""
        order = "".join(map(str, self.label_order))
        return f"{self._checkpoint_fingerprint}-{order}-{self.max_length}-{self._dtype_name}"

    @property
    def signature(self) -> dict[str, str]:
        """What a metric's signature says of the model."""
        return {
            "nli_model": self.name,
            "nli_fingerprint": self._checkpoint_fingerprint,
            "labels": ",".join(map(str, self.label_order)),
            "max_length": str(self.max_length),
            "truncation": "premise",
            "dtype": self._dtype_name,
            "transformers": version("transformers"),
            "torch": version("torch").split("+")[0],
        }

    @property
    def _dtype_name(self) -> str:
        return str(self._model.dtype).removeprefix("torch.")

    def _run(
        self, pairs: Sequence[Pair]
    ) -> Iterator[tuple[list[Pair], npt.NDArray[np.float32], npt.NDArray[np.bool_]]]:
        """Yield batches of pairs with their probabilities and truncation marks, longest first."""
        import torch
        from tqdm.auto import tqdm

        texts = list(dict.fromkeys(itertools.chain.from_iterable(pairs)))
        encodings = dict(
            zip(texts, self._tokenizer.encode_batch(texts, add_special_tokens=False), strict=True)
        )
        lengths: dict[str, int] = {text: len(encoding) for text, encoding in encodings.items()}

        def pair_length(pair: Pair) -> int:
            length = lengths[pair[0]] + lengths[pair[1]] + self._special_tokens
            return min(self.max_length, length)

        ordered = sorted(pairs, key=pair_length, reverse=True)
        progress = tqdm(
            total=len(pairs),
            desc="NLI",
            unit="pair",
            delay=2,
            disable=None if self.show_progress else True,  # None: only on a terminal
            leave=False,
        )
        with progress, torch.inference_mode():
            start = 0
            while start < len(ordered):
                size = max(1, self.max_tokens_per_batch // pair_length(ordered[start]))
                batch = ordered[start : start + size]
                joined = [
                    self._join(encodings[premise], encodings[hypothesis]) for premise, hypothesis in batch
                ]
                logits = self._model(**self._tensors(joined)).logits
                probabilities = logits[:, self.label_order].float().softmax(-1).cpu().numpy()
                yield batch, probabilities, np.array([cut for _, _, cut in joined])
                progress.update(len(batch))
                start += size

    def _join(self, premise: Encoding, hypothesis: Encoding) -> tuple[TokenIds, TokenIds, bool]:
        """Put the model's special tokens around the pair and cut it to the model's length.

        Returns:
            Token ids, type ids, and whether anything was cut.
        """
        joined = self._tokenizer.post_process(premise, hypothesis)
        ids, type_ids = np.array(joined.ids), np.array(joined.type_ids)
        room = self.max_length - self._special_tokens
        if len(premise) + len(hypothesis) <= room:
            return ids, type_ids, False
        hypothesis_length = min(len(hypothesis), max(room // 2, room - len(premise)))
        premise_length = min(len(premise), room - hypothesis_length)
        words = np.flatnonzero(np.array(joined.special_tokens_mask) == 0)
        of_premise, of_hypothesis = words[: len(premise)], words[len(premise) :]
        surplus = np.concatenate([of_premise[premise_length:], of_hypothesis[hypothesis_length:]])
        return np.delete(ids, surplus), np.delete(type_ids, surplus), True

    def _tensors(self, batch: list[tuple[TokenIds, TokenIds, bool]]) -> dict[str, torch.Tensor]:
        """Pad a batch to its longest pair."""
        import torch

        shape = len(batch), max(len(ids) for ids, _, _ in batch)
        input_ids = np.full(shape, self._padding_id, dtype=np.int64)
        attention_mask = np.zeros(shape, dtype=np.int64)
        token_type_ids = np.zeros(shape, dtype=np.int64)
        for row, (ids, type_ids, _) in enumerate(batch):
            input_ids[row, : len(ids)] = ids
            attention_mask[row, : len(ids)] = 1
            token_type_ids[row, : len(ids)] = type_ids
        arrays = {"input_ids": input_ids, "attention_mask": attention_mask}
        if self._has_type_ids:
            arrays["token_type_ids"] = token_type_ids
        return {name: torch.from_numpy(array).to(self._device) for name, array in arrays.items()}


def _max_length(config: Any, tokenizer: Any) -> int:
    """Return the longest input, in tokens, that both the tokenizer and the position embeddings allow."""
    positions = getattr(config, "max_position_embeddings", None) or tokenizer.model_max_length
    if "roberta" in config.model_type:  # its positions start behind the padding index
        positions -= config.pad_token_id + 1
    return int(min(positions, tokenizer.model_max_length))


def choose_device(name: str) -> torch.device:
    """Return the device called ``name``, or the best there is for ``"auto"``."""
    import torch

    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.empty(0, device=device).cpu()
    except (RuntimeError, AssertionError, TypeError, NotImplementedError) as error:
        raise ClaimwiseError(
            f"The device {name!r} is not available here. Choose 'auto', 'cpu' or a CUDA device "
            f"such as 'cuda:0'."
        ) from error
    return device


def _choose_dtype(name: str, device: torch.device) -> torch.dtype:
    import torch

    dtypes = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
    if name == "auto":
        if device.type == "cuda":
            return torch.float16
        capabilities = torch.cpu.get_capabilities()
        computes_bfloat16 = capabilities.get("avx512_bf16") or capabilities.get("amx_bf16")
        return torch.bfloat16 if computes_bfloat16 else torch.float32
    if name not in dtypes:
        raise ClaimwiseError(f"Unknown dtype {name!r}. Choose 'auto', {', '.join(map(repr, dtypes))}.")
    return dtypes[name]


@contextmanager
def quiet_transformers() -> Iterator[None]:
    """Switch off the loading bar of transformers, and leave its settings as they were."""
    from huggingface_hub.utils.tqdm import (
        are_progress_bars_disabled,
        disable_progress_bars,
        enable_progress_bars,
    )
    from transformers.utils import logging as transformers_logging

    logging: Any = transformers_logging
    bars_of_hub = disable_progress_bars if are_progress_bars_disabled() else enable_progress_bars
    bars = logging.enable_progress_bar if logging.is_progress_bar_enabled() else logging.disable_progress_bar
    verbosity = logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        bars()
        bars_of_hub()  # last, because transformers switches these along with its own
