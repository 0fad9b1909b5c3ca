"""The local judge: a sequence-classification checkpoint that scores (premise, hypothesis) pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from claimwise.errors import ClaimwiseError, warn
from claimwise.judges.crossing import check_text, cross, gather
from claimwise.judges.pairs import Bools, Floats, Ints, Pairs, batches
from claimwise.judges.protocol import TOLERANCE, Example, Judgements, Matrix, Pair
from claimwise.judges.threads import compute_at_once
from claimwise.labels import LABELS, resolve_labels
from claimwise.options import check
from claimwise.progress import bar

if TYPE_CHECKING:
    from claimwise.judges.networks import Checkpoint


class NLIModel:
    """A checkpoint on this machine as a judge.

    Pairs are deduplicated over the whole call, sorted by length, batched by a token budget, and put back
    in order; batching changes scores only by rounding. Create a model with ``from_pretrained``: models of
    the same checkpoint share its weights. Threads may share a model. It can be pickled: the pickle contains
    its arguments, not the weights.
    """

    tolerance = TOLERANCE
    offline = True
    has_logits = True

    def __init__(
        self,
        checkpoint: Checkpoint,
        *,
        name: str,
        label_order: Sequence[str] | None = None,
        max_tokens_per_batch: int = 4096,
        show_progress: bool = True,
    ) -> None:
        check("max_tokens_per_batch", max_tokens_per_batch, at_least=1)
        self.name = name
        self.label_order = resolve_labels(checkpoint.labels, label_order)
        self.max_tokens_per_batch = max_tokens_per_batch
        self.show_progress = show_progress
        self.max_length = checkpoint.encoder.max_length
        self._checkpoint = checkpoint
        self._loaded_with: dict[str, Any] | None = None

    @classmethod
    def from_pretrained(
        cls,
        name: str | Path = "default",
        *,
        file: str | None = None,
        device: str = "auto",
        dtype: str = "auto",
        max_tokens_per_batch: int = 4096,
        revision: str | None = None,
        token: str | None = None,
        local_files_only: bool = False,
        label_order: Sequence[str] | None = None,
        show_progress: bool = True,
    ) -> NLIModel:
        """Load a local model: the embedded one, a folder, or a model of the Hub.

        The weights of a checkpoint that this process already holds are shared.

        Args:
            name: ``"default"`` (embedded in the package, offline), an alias (``"mnli"``, ``"vitc"``,
                ``"anli"``), a Hub id, or the path of a folder. Only safetensors weights and ONNX files are
                loaded, and no code of a model's author runs.
            file: an ONNX file in the folder or the repository, which ONNX Runtime computes on the CPU;
                None = the weights in safetensors, or without them model.onnx or onnx/model.onnx.
            device: ``"auto"`` (CUDA if there is one, else the CPU), ``"cpu"``, ``"cuda"``, ``"cuda:1"`` …
            dtype: ``"auto"`` (CUDA: float16; CPU: float32), ``"float32"``, ``"bfloat16"`` or ``"float16"``.
            max_tokens_per_batch: tokens per batch, padding included.
            revision: branch, tag or commit of a Hub model.
            token: access token of a private Hub model.
            local_files_only: never contact the Hub.
            label_order: names of the outputs, for a checkpoint that does not name its labels: the three, or
                only entailment and not_entailment (which then counts as neutral).
            show_progress: show a progress bar for runs over about two seconds.

        Raises:
            ClaimwiseError: for an unknown model, device or dtype, or labels that cannot be resolved.
        """
        from claimwise.judges.checkpoints import load_checkpoint

        name = str(name)
        own: dict[str, Any] = {
            "label_order": label_order,
            "max_tokens_per_batch": max_tokens_per_batch,
            "show_progress": show_progress,
        }
        where: dict[str, Any] = {
            "file": file,
            "device": device,
            "dtype": dtype,
            "revision": revision,
            "local_files_only": local_files_only,
        }
        model = cls(load_checkpoint(name, token=token, **where), name=name, **own)
        model._loaded_with = {"name": name, **where, **own}
        return model

    def __getstate__(self) -> dict[str, Any]:
        if self._loaded_with is None:
            return self.__dict__
        return {"loaded_with": self._loaded_with}  # never the token: a Hub model is already in the cache

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "loaded_with" in state:
            state = self.from_pretrained(**state["loaded_with"]).__dict__
        self.__dict__.update(state)

    def predict(self, premises: Sequence[str], hypotheses: Sequence[str]) -> npt.NDArray[np.float32]:
        """Judge premise i with hypothesis i; return their probabilities, float32 ``[n, 3]``.

        Raises:
            ClaimwiseError: for unequal lengths, or a single string instead of a list.
        """
        remedy = "Pass two lists of strings, one hypothesis for each premise."
        if isinstance(premises, str) or isinstance(hypotheses, str):
            raise ClaimwiseError("Premises or hypotheses are a single string instead of a list.", remedy)
        if len(premises) != len(hypotheses):
            problem = f"Unequal lengths: {len(premises)} premises, {len(hypotheses)} hypotheses."
            raise ClaimwiseError(problem, remedy)
        return self.predict_pairs(list(zip(premises, hypotheses, strict=True))).probabilities

    def matrices(self, examples: Sequence[Example]) -> list[Matrix]:
        """Return the probabilities of each example, float32 ``[premises, hypotheses, 3]``."""
        return [judgements.probabilities for judgements in cross(self, examples)]

    def predict_pairs(self, pairs: Sequence[Pair]) -> Judgements:
        """Judge (premise, hypothesis) pairs, each distinct pair once, and mark truncated pairs.

        A pair longer than the model allows loses the end of its premise; a hypothesis longer than half of
        the model's length is cut to that half as well.
        """
        if not isinstance(pairs, Pairs):  # which are already checked
            for row, pair in enumerate(pairs):
                for role, text in zip(("premise", "hypothesis"), pair, strict=True):
                    check_text(text, f"Pair {row}, {role}")
        return gather(self, pairs)

    def predict_batches(self, pairs: Pairs) -> Iterator[tuple[Ints, Judgements]]:
        """Yield the judgements in batches of rows, the longest pairs first."""
        network, encoder = self._checkpoint.network, self._checkpoint.encoder
        ids = encoder.token_ids(pairs)
        too_large: list[int] = []

        def judge(rows: Ints) -> Judgements:
            batch = [(ids[pairs.premises[row]], ids[pairs.hypotheses[row]]) for row in rows]
            return self._predict(batch, too_large)

        lengths = encoder.pair_lengths(pairs, ids)
        tasks = list(batches(lengths, self.max_tokens_per_batch, padding=network.padding))
        with bar("NLI", len(pairs), "pair", shown=self.show_progress) as progress:
            most = None if network.uses_one_core else 1
            for rows, judgements in zip(tasks, compute_at_once(judge, tasks, most), strict=True):
                yield rows, judgements
                progress.update(len(rows))
        if too_large:
            warn(
                f"There was not enough memory for a batch of {min(too_large)} tokens: it was computed in "
                f"halves. Pass max_tokens_per_batch={min(too_large) // 2}."
            )

    @property
    def tells_contradictions(self) -> bool:
        """Whether it has a label for contradiction."""
        return len(self.label_order) == len(LABELS)

    def shorten(self, texts: Sequence[str], tokens: int) -> list[str]:
        """Return the texts, each truncated to its first ``tokens`` tokens of this model."""
        return self._checkpoint.encoder.shorten(texts, tokens)

    @property
    def fingerprint(self) -> str:
        """Distinguishes this model's scores from any other's: weights, label order, length, dtype."""
        order = "".join(map(str, self.label_order))
        return f"{self._checkpoint.fingerprint}-{order}-{self.max_length}-{self._checkpoint.network.dtype}"

    @property
    def signature(self) -> dict[str, str]:
        """The model's entries in a metric's signature."""
        return {
            "judge": self.name,
            "judge_fingerprint": self._checkpoint.fingerprint,
            "labels": ",".join(map(str, self.label_order)),
            "max_length": str(self.max_length),
            "truncation": "premise",
            "dtype": self._checkpoint.network.dtype,
            **self._checkpoint.network.versions,
        }

    def _predict(self, pairs: Sequence[tuple[Ints, Ints]], too_large: list[int]) -> Judgements:
        """Return the judgements of a batch of pairs of token ids.

        The sizes of batches that do not fit into memory, in tokens, are added to ``too_large``.
        """
        logits, truncated = self._logits(pairs, too_large)
        logits = logits[:, self.label_order]
        missing = len(LABELS) - len(self.label_order)  # two labels: nothing is a contradiction
        logits = np.pad(logits, ((0, 0), (0, missing)), constant_values=-np.inf)
        odds = np.exp(logits - logits.max(1, keepdims=True))
        return Judgements(odds / odds.sum(1, keepdims=True), truncated, logits=logits)

    def _logits(self, pairs: Sequence[tuple[Ints, Ints]], too_large: list[int]) -> tuple[Floats, Bools]:
        """Return the logits of a batch, and whether each pair was truncated; in halves if memory is short."""
        batch = self._checkpoint.encoder.join(pairs)
        try:
            return self._checkpoint.network.logits(batch), batch.truncated
        except Exception as error:  # the allocators of CUDA, the CPU and ONNX Runtime have no common error
            if not _is_out_of_memory(error):
                raise
            if len(pairs) == 1:
                raise ClaimwiseError(
                    f"Not enough memory for a single pair of {batch.lengths[0]} tokens.",
                    "Shorten the texts, or choose a smaller judge.",
                ) from error
        too_large.append(len(pairs) * int(batch.lengths.max()))
        middle = len(pairs) // 2
        halves = [self._logits(half, too_large) for half in (pairs[:middle], pairs[middle:])]
        logits, truncated = zip(*halves, strict=True)
        return np.concatenate(logits), np.concatenate(truncated)


def _is_out_of_memory(error: Exception) -> bool:
    said = any(words in str(error) for words in ("not enough memory", "Failed to allocate memory"))
    return said or isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError"
