"""The NLI engine: a sequence-classification checkpoint that scores (premise, hypothesis) pairs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from copy import copy
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from claimwise.errors import ClaimwiseError
from claimwise.nli.cache import CachedScore, Pair, ScoreCache
from claimwise.nli.labels import resolve_label_order
from claimwise.nli.matrix import Example, Matrix, Predictions, entailment_matrices
from claimwise.signature import folder_fingerprint

if TYPE_CHECKING:
    import torch
    from tokenizers import Encoding

EMBEDDED_WEIGHTS = Path(__file__).parent / "weights"
ALIASES = {
    "mnli": "FacebookAI/roberta-large-mnli",
    "vitc": "tals/albert-xlarge-vitaminc-mnli",
    "anli": "ynie/roberta-large-snli_mnli_fever_anli_R1_R2_R3-nli",
}
_MODEL_FILES = ["config.json", "tokenizer.json", "tokenizer_config.json"]


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
        device: torch.device,
        label_order: Sequence[str] | None = None,
        max_tokens_per_batch: int = 4096,
        score_cache: str | Path | None = None,
        show_progress: bool = True,
    ) -> None:
        if max_tokens_per_batch < 1:
            raise ClaimwiseError(f"max_tokens_per_batch must be at least 1; got {max_tokens_per_batch}.")
        self.name = name
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
        name: str = "default",
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

        source = str(EMBEDDED_WEIGHTS) if name == "default" else ALIASES.get(name, name)
        chosen_device = choose_device(device)
        chosen_dtype = _choose_dtype(dtype, chosen_device)
        options: dict[str, Any] = {}
        if not Path(source).is_dir():
            options = {"revision": revision, "token": token, "local_files_only": local_files_only}
        try:
            with quiet_transformers():
                tokenizer = AutoTokenizer.from_pretrained(source, **options)
                model = AutoModelForSequenceClassification.from_pretrained(
                    source, dtype=chosen_dtype, use_safetensors=True, **options
                )
        except (OSError, ValueError, ImportError, KeyError) as error:
            raise ClaimwiseError(
                f"The NLI model {name!r} cannot be loaded: {str(error).splitlines()[0]} "
                f"Check the name, or work offline with nli_model='default' (embedded in the package) or "
                f"the path of a folder that holds config.json, model.safetensors and tokenizer.json."
            ) from error
        torch_device: torch.device = chosen_device
        return cls(
            model,
            tokenizer,
            name=name,
            device=torch_device,
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
                for pair, values, cut in zip(batch, batch_probabilities, batch_truncated, strict=True):
                    probabilities[rows[pair]] = values
                    truncated[rows[pair]] = cut
                if cache:
                    cache.write(
                        (pair, CachedScore(float(e), float(n), float(c), bool(cut)))
                        for pair, (e, n, c), cut in zip(
                            batch, batch_probabilities, batch_truncated, strict=True
                        )
                    )
        index = np.fromiter((rows[pair] for pair in pairs), dtype=np.intp, count=len(pairs))
        return Predictions(probabilities[index], truncated[index])

    @cached_property
    def fingerprint(self) -> str:
        """What distinguishes this model's scores from any other's: weights, label order, length, dtype."""
        identity = checkpoint_fingerprint(self._model.config)
        order = "".join(map(str, self.label_order))
        return f"{identity}-{order}-{self.max_length}-{self._dtype_name}"

    @property
    def signature(self) -> dict[str, str]:
        """What a metric's signature says of the model."""
        return {
            "nli_model": self.name,
            "nli_fingerprint": self.fingerprint.split("-")[0],
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
            disable=not self.show_progress,
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
                logits = self._model(**self._tensors([encoding for encoding, _ in joined])).logits
                probabilities = logits[:, self.label_order].float().softmax(-1).cpu().numpy()
                yield batch, probabilities, np.array([cut for _, cut in joined])
                progress.update(len(batch))
                start += size

    def _join(self, premise: Encoding, hypothesis: Encoding) -> tuple[Encoding, bool]:
        """Put the model's special tokens around the pair; cut it to the model's length."""
        room = self.max_length - self._special_tokens
        cut = len(premise) + len(hypothesis) > room
        if cut:
            hypothesis_length = min(len(hypothesis), max(room // 2, room - len(premise)))
            premise_length = min(len(premise), room - hypothesis_length)
            premise, hypothesis = (
                _shortened(premise, premise_length),
                _shortened(hypothesis, hypothesis_length),
            )
        return self._tokenizer.post_process(premise, hypothesis), cut

    def _tensors(self, encodings: list[Encoding]) -> dict[str, torch.Tensor]:
        """Pad a batch to its longest pair."""
        import torch

        shape = len(encodings), max(map(len, encodings))
        input_ids = np.full(shape, self._padding_id, dtype=np.int64)
        attention_mask = np.zeros(shape, dtype=np.int64)
        token_type_ids = np.zeros(shape, dtype=np.int64)
        for row, encoding in enumerate(encodings):
            length = len(encoding)
            input_ids[row, :length] = encoding.ids
            attention_mask[row, :length] = 1
            token_type_ids[row, :length] = encoding.type_ids
        arrays = {"input_ids": input_ids, "attention_mask": attention_mask}
        if self._has_type_ids:
            arrays["token_type_ids"] = token_type_ids
        return {name: torch.from_numpy(array).to(self._device) for name, array in arrays.items()}


def checkpoint_fingerprint(config: Any) -> str:
    """Return the commit of a hub checkpoint, or 12 digits of the sha256 of a local one's files."""
    folder = Path(str(config.name_or_path))
    if folder.is_dir():
        return folder_fingerprint(
            folder, [*_MODEL_FILES, *(path.name for path in folder.glob("*.safetensors"))]
        )
    return str(getattr(config, "_commit_hash", None) or "unknown")


def _shortened(encoding: Encoding, length: int) -> Encoding:
    shortened = copy(encoding)  # the encoding itself is shared by other pairs
    shortened.truncate(length)
    return shortened


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
        torch.empty(0, device=device)
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
    from transformers.utils import logging as transformers_logging

    logging: Any = transformers_logging
    was_enabled = logging.is_progress_bar_enabled()
    verbosity = logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if was_enabled:
            logging.enable_progress_bar()
