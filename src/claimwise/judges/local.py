"""The local judge: a sequence-classification checkpoint that scores (premise, hypothesis) pairs."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from claimwise.errors import ClaimwiseError, warn
from claimwise.judges.crossing import check_text, cross, gather
from claimwise.judges.pairs import FEWEST_TOKENS, Ints, Pairs, batch_end
from claimwise.judges.protocol import TOLERANCE, Example, Judgements, Matrix, Pair
from claimwise.labels import LABELS, resolve_labels
from claimwise.options import check
from claimwise.progress import bar

if TYPE_CHECKING:
    from claimwise.judges.checkpoints import Checkpoint


class NLIModel:
    """Premises and hypotheses in, probabilities of entailment, neutral and contradiction out.

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
                ``"anli"``), a Hub id, or the path of a folder. Only safetensors weights are loaded.
            device: ``"auto"`` (CUDA if there is one, else the CPU), ``"cpu"``, ``"cuda"``, ``"cuda:1"`` …
            dtype: ``"auto"`` (CUDA: float16; CPU: bfloat16 where the processor computes in it, else
                float32), ``"float32"``, ``"bfloat16"`` or ``"float16"``.
            max_tokens_per_batch: tokens per batch, padding included; on the CPU each of torch's threads
                computes one batch at a time.
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

    def predict_pairs(self, pairs: Sequence[Pair]) -> Judgements:
        """Score (premise, hypothesis) pairs, each distinct pair once, and mark truncated pairs.

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
        return self._run(pairs)

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
        return f"{self._checkpoint.fingerprint}-{order}-{self.max_length}-{self._checkpoint.dtype}"

    @property
    def signature(self) -> dict[str, str]:
        """The model's entries in a metric's signature."""
        return {
            "judge": self.name,
            "judge_fingerprint": self._checkpoint.fingerprint,
            "labels": ",".join(map(str, self.label_order)),
            "max_length": str(self.max_length),
            "truncation": "premise",
            "dtype": self._checkpoint.dtype,
            "transformers": version("transformers"),
            "torch": version("torch").split("+")[0],
        }

    def _run(self, pairs: Pairs) -> Iterator[tuple[Ints, Judgements]]:
        """Yield the rows of a batch with their judgements, longest pairs first."""
        import torch

        from claimwise.judges.workers import workers

        checkpoint = self._checkpoint
        encoder = checkpoint.encoder
        ids = encoder.token_ids(pairs)
        lengths = encoder.pair_lengths(pairs, ids)
        order = np.argsort(-lengths, kind="stable")
        lengths = lengths[order]
        progress = bar("NLI", len(pairs), "pair", shown=self.show_progress)
        tokens, max_tokens = int(lengths.sum()), self.max_tokens_per_batch
        enough_for = tokens // FEWEST_TOKENS if checkpoint.device.type == "cpu" else 1
        with progress, workers(enough_for) as threads:
            if threads.count > 1:  # as many batches of one size for each, to end at about the same time
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
                except RuntimeError as error:  # torch's, of CUDA's or the CPU's allocator
                    is_full = isinstance(error, torch.OutOfMemoryError) or "not enough memory" in str(error)
                    if not is_full:
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
            logits = checkpoint.model(batch)[:, self.label_order].float()
            missing = len(LABELS) - len(self.label_order)  # two labels: nothing is a contradiction
            logits = torch.nn.functional.pad(logits, (0, missing), value=-torch.inf)
            probabilities = logits.softmax(-1)
        return Judgements(probabilities.cpu().numpy(), batch.truncated, logits=logits.cpu().numpy())

    def _smaller(self, pairs: int, length: int, error: RuntimeError) -> int:
        """Return half the size of a batch that did not fit into memory, in tokens."""
        if pairs == 1:
            raise ClaimwiseError(
                f"Not enough memory for a single pair of {length} tokens.",
                "Shorten the texts, or choose a smaller judge.",
            ) from error
        tokens = pairs // 2 * length
        warn(
            f"Not enough memory for a batch of {pairs * length} tokens: continuing with "
            f"max_tokens_per_batch={tokens}."
        )
        return tokens
