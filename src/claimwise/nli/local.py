"""The local judge: a sequence-classification checkpoint that scores (premise, hypothesis) pairs."""

from __future__ import annotations

import threading
import warnings
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from claimwise.errors import ClaimwiseError, ClaimwiseWarning
from claimwise.labels import LABELS, resolve_label_order, resolve_two_labels
from claimwise.nli.cached import through_cache
from claimwise.nli.crossing import check_text, cross, gather
from claimwise.nli.hub import check_in_reach, checkpoint_fingerprint, checkpoint_stamp, loading
from claimwise.nli.pairs import FEWEST_TOKENS, Batch, Ints, PairEncoder, Pairs, batch_end
from claimwise.nli.protocol import TOLERANCE, Example, Judgements, Matrix, Pair

if TYPE_CHECKING:
    import torch

EMBEDDED_WEIGHTS = Path(__file__).parent / "weights"
ALIASES = {
    "mnli": "FacebookAI/roberta-large-mnli",
    "vitc": "tals/albert-xlarge-vitaminc-mnli",
    "anli": "ynie/roberta-large-snli_mnli_fever_anli_R1_R2_R3-nli",
}
INPUTS = ("input_ids", "attention_mask", "token_type_ids")


class Checkpoint:
    """What is loaded once per process, however many metrics use it: weights, tokenizer, fingerprint.

    Args:
        model: a sequence classifier of transformers.
        tokenizer: its fast tokenizer.
        name: for messages.
        fingerprint: of its files.
        device: where it runs.
    """

    def __init__(
        self, model: Any, tokenizer: Any, *, name: str, fingerprint: str, device: torch.device
    ) -> None:
        if getattr(tokenizer, "backend_tokenizer", None) is None:
            raise ClaimwiseError(
                f"The model {name!r} has no fast tokenizer (tokenizer.json); claimwise needs one."
            )
        self.model = model.to(device).eval()
        self.device = device
        self.fingerprint = fingerprint
        self.max_length: int = _max_length(model.config, tokenizer)
        self.padding_id: int = tokenizer.pad_token_id or 0
        self.encoder = PairEncoder(tokenizer.backend_tokenizer, self.max_length)
        self.inputs = [name for name in INPUTS if name in {"input_ids", *tokenizer.model_input_names}]

    @property
    def is_padded(self) -> bool:
        """Whether the model takes its pairs padded to one length."""
        from claimwise.nli.unpadded import Unpadded

        return not isinstance(self.model, Unpadded)

    def logits(self, batch: Batch) -> torch.Tensor:
        """Return what the model says of a batch of pairs ``[pairs, labels]``."""
        import torch

        logits: torch.Tensor
        if self.is_padded:
            padded = batch.padded(self.padding_id)
            inputs = {name: torch.from_numpy(padded[name]).to(self.device) for name in self.inputs}
            logits = self.model(**inputs).logits
        else:
            types = torch.from_numpy(batch.token_type_ids) if "token_type_ids" in self.inputs else None
            logits = self.model(
                input_ids=torch.from_numpy(batch.input_ids), token_type_ids=types, lengths=batch.lengths
            )
        return logits

    @property
    def dtype(self) -> str:
        """The name of the precision it computes in."""
        return str(self.model.dtype).removeprefix("torch.")


Key = tuple[object, ...]
_loaded: weakref.WeakValueDictionary[Key, Checkpoint] = weakref.WeakValueDictionary()
_loading = threading.Lock()
_weights_of_others: dict[Key, Path] = {}


class NLIModel:
    """Premises and hypotheses in, probabilities of entailment, neutral and contradiction out.

    Pairs are deduplicated over the whole call, sorted by length, batched by a token budget, and put back
    in order; the batching never changes a score beyond rounding. Make one with ``from_pretrained``: models
    made of the same checkpoint share its weights. Threads may share one, and it can be pickled: what is
    pickled is how it was loaded, not the weights.
    """

    tolerance = TOLERANCE
    offline = True

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
        checkpoint = Checkpoint(model, tokenizer, name=name, fingerprint=fingerprint, device=device)
        self._set_up(checkpoint, name, label_order, max_tokens_per_batch, score_cache, show_progress)

    def _set_up(
        self,
        checkpoint: Checkpoint,
        name: str,
        label_order: Sequence[str] | None,
        max_tokens_per_batch: int,
        score_cache: str | Path | None,
        show_progress: bool,
    ) -> None:
        if max_tokens_per_batch < 1:
            raise ClaimwiseError(
                f"max_tokens_per_batch must be at least 1; got {max_tokens_per_batch}.",
                option="max_tokens_per_batch",
            )
        self.name = name
        id2label = checkpoint.model.config.id2label
        if label_order is not None and len(label_order) == len(id2label) == 2:
            self.label_order = resolve_two_labels(label_order)
        else:
            self.label_order = resolve_label_order(id2label, label_order)
        self.max_tokens_per_batch = max_tokens_per_batch
        self.score_cache = score_cache
        self.show_progress = show_progress
        self.max_length = checkpoint.max_length
        self._checkpoint = checkpoint
        self._loaded_with: dict[str, Any] | None = None

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
        """Load a checkpoint, or share the weights of one that this process holds already.

        Args:
            name: ``"default"`` (embedded in the package, offline), an alias (``"mnli"``, ``"vitc"``,
                ``"anli"``), a hub id, or the path of a folder. Only safetensors weights are loaded.
            device: ``"auto"`` (CUDA if there is one, else the CPU), ``"cpu"``, ``"cuda"``, ``"cuda:1"`` …
            dtype: ``"auto"`` (CUDA: float16; CPU: bfloat16 where the processor computes in it, else
                float32), ``"float32"``, ``"bfloat16"`` or ``"float16"``.
            max_tokens_per_batch: tokens of one batch, with padding if there is any; on the CPU each of
                torch's threads computes one at a time.
            revision: branch, tag or commit of a hub model.
            token: access token of a private hub model.
            local_files_only: never ask the hub.
            label_order: names of the outputs, for a checkpoint that does not name its labels, or that has
                only entailment and not_entailment (which then counts as neutral).
            score_cache: path of an SQLite file that keeps every probability for later runs.
            show_progress: show a bar for anything over about two seconds.

        Raises:
            ClaimwiseError: for an unknown model, device or dtype, or labels that cannot be resolved.
        """
        name = str(name)
        loaded_with = {
            "name": name,
            "device": device,
            "dtype": dtype,
            "max_tokens_per_batch": max_tokens_per_batch,
            "revision": revision,
            "local_files_only": local_files_only,
            "label_order": label_order,
            "score_cache": score_cache,
            "show_progress": show_progress,
        }
        checkpoint = _checkpoint(name, device, dtype, revision, token, local_files_only)
        model = cls.__new__(cls)
        model._set_up(checkpoint, name, label_order, max_tokens_per_batch, score_cache, show_progress)
        model._loaded_with = loaded_with
        return model

    def __getstate__(self) -> dict[str, Any]:
        if self._loaded_with is None:
            return self.__dict__
        return {"loaded_with": self._loaded_with}  # never the token: a hub model is in the cache by now

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "loaded_with" in state:
            state = self.from_pretrained(**state["loaded_with"]).__dict__
        self.__dict__.update(state)

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
        return [judgements.probabilities for judgements in cross(self, examples)]

    def predict_examples(self, examples: Sequence[Example]) -> list[Judgements]:
        """Score every premise against every hypothesis of each example, and tell which were truncated.

        Pairs that examples share are scored once.

        Args:
            examples: (premises, hypotheses) each.

        Returns:
            Judgements of shape ``[premises, hypotheses]`` per example.
        """
        return cross(self, examples)

    def predict_pairs(self, pairs: Sequence[Pair]) -> Judgements:
        """Score (premise, hypothesis) pairs, each distinct pair once, and tell which were truncated.

        A pair longer than the model allows is cut at the end of its premise; only where the hypothesis
        alone takes more than half of the model's length is it cut to that half as well.
        """
        if not isinstance(pairs, Pairs):  # those have been checked
            for row, pair in enumerate(pairs):
                for role, text in zip(("premise", "hypothesis"), pair, strict=True):
                    check_text(text, f"Pair {row}, {role}")
        return gather(self, pairs)

    def predict_batches(self, pairs: Pairs) -> Iterator[tuple[Ints, Judgements]]:
        """Yield the judgements of some rows after the other, those of the score cache first."""
        if self.score_cache:
            return through_cache(self, self.score_cache, pairs, self._run)
        return self._run(pairs)

    @property
    def has_logits(self) -> bool:
        """Whether its judgements have logits; the score cache keeps none."""
        return not self.score_cache

    def shorten(self, texts: Sequence[str], tokens: int) -> list[str]:
        """Return the texts, each cut behind its first ``tokens`` tokens of this model."""
        return self._checkpoint.encoder.shorten(texts, tokens)

    @property
    def fingerprint(self) -> str:
        """What distinguishes this model's scores from any other's: weights, label order, length, dtype."""
        order = "".join(map(str, self.label_order))
        return f"{self._checkpoint.fingerprint}-{order}-{self.max_length}-{self._checkpoint.dtype}"

    @property
    def signature(self) -> dict[str, str]:
        """What a metric's signature says of the model."""
        return {
            "nli_model": self.name,
            "nli_fingerprint": self._checkpoint.fingerprint,
            "labels": ",".join(map(str, self.label_order)),
            "max_length": str(self.max_length),
            "truncation": "premise",
            "dtype": self._checkpoint.dtype,
            "transformers": version("transformers"),
            "torch": version("torch").split("+")[0],
        }

    def _run(self, pairs: Pairs) -> Iterator[tuple[Ints, Judgements]]:
        """Yield the rows of a batch with their judgements, longest pairs first."""
        from tqdm.auto import tqdm

        from claimwise.nli.workers import workers

        checkpoint = self._checkpoint
        encoder = checkpoint.encoder
        ids = encoder.token_ids(pairs)
        lengths = encoder.pair_lengths(pairs, ids)
        order = np.argsort(-lengths, kind="stable")
        lengths = lengths[order]
        progress = tqdm(
            total=len(pairs),
            desc="NLI",
            unit="pair",
            delay=2,
            disable=None if self.show_progress else True,  # None: only on a terminal
            leave=False,
        )
        tokens, max_tokens = int(lengths.sum()), self.max_tokens_per_batch
        enough_for = tokens // FEWEST_TOKENS if checkpoint.device.type == "cpu" else 1
        with progress, workers(enough_for) as threads:
            if (
                threads.count > 1
            ):  # as many batches of one size for each, so that they end at about the same time
                batches = threads.count * -(-tokens // (threads.count * max_tokens))
                max_tokens = min(max_tokens, tokens // batches + int(lengths[0]))
            start = end = 0
            running: deque[tuple[int, int, Callable[[], Judgements]]] = deque()
            while start < len(order):
                while end < len(order) and len(running) <= threads.count:
                    begin, end = end, batch_end(lengths, end, max_tokens, is_padded=checkpoint.is_padded)
                    rows = order[begin:end]
                    texts = zip(pairs.premises[rows], pairs.hypotheses[rows], strict=True)
                    joined = [(ids[p], ids[h]) for p, h in texts]
                    running.append((begin, end, threads.start(self._predict, joined)))
                _, behind, result = running.popleft()
                rows = order[start:behind]
                try:
                    judgements = result()
                except RuntimeError as error:
                    if not _is_out_of_memory(error):
                        raise
                    max_tokens = self._smaller(len(rows), int(lengths[start]), error)
                    running.clear()
                    end = start
                    continue
                yield rows, judgements
                progress.update(len(rows))
                start = behind

    def _predict(self, pairs: Sequence[tuple[Ints, Ints]]) -> Judgements:
        """Return the judgements of a batch of pairs of token ids."""
        import torch

        checkpoint = self._checkpoint
        batch = checkpoint.encoder.join(pairs)
        with torch.inference_mode():
            logits = checkpoint.logits(batch)[:, self.label_order].float()
            missing = len(LABELS) - len(self.label_order)  # two labels: nothing is a contradiction
            logits = torch.nn.functional.pad(logits, (0, missing), value=-torch.inf)
            probabilities = logits.softmax(-1)
        return Judgements(probabilities.cpu().numpy(), batch.truncated, logits=logits.cpu().numpy())

    def _smaller(self, pairs: int, length: int, error: RuntimeError) -> int:
        """Return the tokens of half a batch that the memory did not hold."""
        if pairs == 1:
            raise ClaimwiseError(
                f"The memory does not hold a single pair of {length} tokens.",
                "Shorten the texts, or choose a smaller nli_model.",
            ) from error
        tokens = pairs // 2 * length
        warnings.warn(
            f"The memory does not hold a batch of {pairs * length} tokens: going on with "
            f"max_tokens_per_batch={tokens}.",
            ClaimwiseWarning,
            stacklevel=2,
        )
        return tokens


def _checkpoint(
    name: str, device: str, dtype: str, revision: str | None, token: str | None, local_files_only: bool
) -> Checkpoint:
    """Return the checkpoint called ``name``: the one that this process holds, or a new one."""
    source = str(EMBEDDED_WEIGHTS) if name == "default" else ALIASES.get(name, name)
    chosen_device = choose_device(device)
    chosen_dtype = _choose_dtype(dtype, chosen_device)
    with _loading:  # so that threads that ask for one checkpoint at once load it once
        key = (source, checkpoint_stamp(source), revision, token, str(chosen_device), str(chosen_dtype))
        checkpoint = _loaded.get(key)
        if checkpoint is None:
            checkpoint = _load(name, source, chosen_device, chosen_dtype, revision, token, local_files_only)
            if key in _weights_of_others:
                _map_weights(checkpoint, _weights_of_others[key])
            _loaded[key] = checkpoint
    return checkpoint


def share_weights(folder: Path) -> list[tuple[Key, Path]]:
    """Write the weights of every checkpoint that this process holds on the CPU, and map them from there.

    Processes that ``take_weights`` map the same files: the system keeps one copy in memory for all.

    Args:
        folder: where the files go; they are needed as long as any process starts.

    Returns:
        What each file holds, and the file.
    """
    from safetensors.torch import save_file

    shared = []
    for number, (key, checkpoint) in enumerate(_loaded.items()):
        if checkpoint.device.type != "cpu":
            continue
        path = folder / f"{number}.safetensors"
        weights = {name: one.detach().contiguous() for name, one in checkpoint.model.named_parameters()}
        save_file(weights, path)
        _map_weights(checkpoint, path)
        shared.append((key, path))
    return shared


def take_weights(shared: Sequence[tuple[Key, Path]]) -> None:
    """Map the weights that another process has shared whenever one of these checkpoints is loaded here."""
    _weights_of_others.update(shared)


def _map_weights(checkpoint: Checkpoint, path: Path) -> None:
    """Let a model read its weights from a file that is mapped into memory instead of its own copy."""
    from safetensors import safe_open

    with safe_open(path, framework="pt") as weights:
        for name, parameter in checkpoint.model.named_parameters():
            parameter.data = weights.get_tensor(name)


def _load(
    name: str,
    source: str,
    device: torch.device,
    dtype: torch.dtype,
    revision: str | None,
    token: str | None,
    local_files_only: bool,
) -> Checkpoint:
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    from claimwise.nli.unpadded import Unpadded

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
            source, dtype=dtype, use_safetensors=True, output_loading_info=True, **options
        )
    if missing := sorted(report["missing_keys"]):
        raise ClaimwiseError(
            f"The NLI model {name!r} has no trained {', '.join(missing)}: it is no sequence classifier.",
            remedy,
            option="nli_model",
        )
    if len(tokenizer) <= len(tokenizer.all_special_tokens):
        raise ClaimwiseError(f"The NLI model {name!r} comes without a tokenizer.", remedy, option="nli_model")
    if device.type == "cpu" and Unpadded.can_run(model):
        model = Unpadded(model)
    else:
        _drop_unread_tokens(model)
    return Checkpoint(
        model, tokenizer, name=name, fingerprint=checkpoint_fingerprint(source, revision), device=device
    )


def _is_out_of_memory(error: RuntimeError) -> bool:
    """Tell whether torch (CUDA's or the CPU's allocator) ran out of memory."""
    import torch

    return isinstance(error, torch.OutOfMemoryError) or "not enough memory" in str(error)


def _max_length(config: Any, tokenizer: Any) -> int:
    """Return the longest input, in tokens, that both the tokenizer and the position embeddings allow."""
    positions = getattr(config, "max_position_embeddings", None) or tokenizer.model_max_length
    if "roberta" in config.model_type:  # its positions start behind the padding index
        positions -= config.pad_token_id + 1
    return int(min(positions, tokenizer.model_max_length))


def _drop_unread_tokens(model: Any) -> None:
    """Let the last layer go on with the first token alone, once that has attended to the others.

    The classifier of these models reads no other token, so the scores stay the same.
    """
    from claimwise.nli.unpadded import KINDS

    if type(model).__name__.removesuffix("ForSequenceClassification") in KINDS:
        behind_attention = model.base_model.encoder.layer[-1].attention.output
        behind_attention.register_forward_pre_hook(_first_tokens)


def _first_tokens(_: Any, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(x[:, :1] for x in inputs)


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
            f"The device {name!r} is not available here.",
            "Choose 'auto', 'cpu' or a CUDA device such as 'cuda:0'.",
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
        raise ClaimwiseError(f"Unknown dtype {name!r}.", f"Choose 'auto', {', '.join(map(repr, dtypes))}.")
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
