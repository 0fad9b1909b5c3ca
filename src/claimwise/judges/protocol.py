"""The protocol of judges: objects that turn (premise, hypothesis) into three probabilities.

The last axis of every array is entailment, neutral, contradiction, whatever the judge's own order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from claimwise.errors import without_credentials
from claimwise.judges.pairs import Bools, Floats
from claimwise.labels import NEUTRAL

Pair = tuple[str, str]
"""A premise and a hypothesis."""

Example = tuple[Sequence[str], Sequence[str]]
"""Premises and hypotheses; every premise is judged against every hypothesis."""

Matrix = npt.NDArray[np.float32]
"""Probabilities ``[premises, hypotheses, 3]`` of entailment, neutral and contradiction."""

THREE = ("probabilities", "logits")
"""Arrays of ``Judgements`` with a last axis of the three labels; the others are marks."""

TOLERANCE = 1e-5
"""Default maximum deviation of the sum of probabilities from 1; a judge's ``tolerance`` overrides it."""


@dataclass(frozen=True, slots=True, init=False, eq=False)
class Judgements:
    """Judgements of pairs; all arrays have one leading shape, ``[n]`` or ``[premises, hypotheses]``.

    ``judgements[rows]`` selects judgements, and ``judgements[rows] = others`` replaces them.

    Attributes:
        probabilities: float32 ``[…, 3]``.
        truncated: whether a text of the pair was truncated.
        unjudged: whether the judge gave no verdict, so that the pair counts as neutral (default: never).
        skipped: whether the pair was assumed to be neutral without asking (default: never).
        logits: float32 ``[…, 3]``, before the softmax, −∞ for a label that the judge lacks (default: NaN, the
            judge has no logits).
    """

    probabilities: Floats
    truncated: Bools
    unjudged: Bools
    skipped: Bools
    logits: Floats

    def __init__(
        self,
        probabilities: Floats,
        truncated: Bools | None = None,
        unjudged: Bools | None = None,
        skipped: Bools | None = None,
        logits: Floats | None = None,
    ) -> None:
        shape = np.shape(probabilities)
        if logits is None:
            logits = np.full(shape, np.nan, dtype=np.float32)
        set_field = object.__setattr__  # the dataclass is frozen
        set_field(self, "probabilities", probabilities)
        set_field(self, "logits", logits)
        for name, mark in (("truncated", truncated), ("unjudged", unjudged), ("skipped", skipped)):
            set_field(self, name, np.zeros(shape[:-1], dtype=np.bool_) if mark is None else mark)

    @classmethod
    def neutral(cls, *shape: int, asked: bool = True) -> Judgements:
        """Return neutral judgements of the given leading shape."""
        probabilities = np.zeros((*shape, 3), dtype=np.float32)
        probabilities[..., NEUTRAL] = 1
        return cls(probabilities, skipped=np.full(shape, not asked))

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def has_marks(self) -> bool:
        """Whether any pair was truncated, unjudged or not asked."""
        return bool(self.truncated.any() or self.unjudged.any() or self.skipped.any())

    def __len__(self) -> int:
        return len(self.probabilities)

    def __getitem__(self, rows: Any) -> Judgements:
        return Judgements(**{name: array[rows] for name, array in self.arrays().items()})

    def __setitem__(self, rows: Any, others: Judgements) -> None:
        for name, array in self.arrays().items():
            array[rows] = getattr(others, name)

    def reshape(self, *shape: int) -> Judgements:
        """Return the judgements with another leading shape."""
        arrays = self.arrays().items()
        return Judgements(
            **{name: array.reshape(*shape, *([3] if name in THREE else [])) for name, array in arrays}
        )


def concatenate(parts: Sequence[Judgements]) -> Judgements:
    """Return judgements ``[n]`` one after another."""
    names = parts[0].arrays()
    return Judgements(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})


def name_of(judge: Judge) -> str:
    """Return a judge's name in tables, evidence and messages, without the secret parts of URLs."""
    return without_credentials(str(judge.signature.get("judge", type(judge).__name__)))


@runtime_checkable
class Judge(Protocol):
    """Turns (premise, hypothesis) into three probabilities: a checkpoint, a server or a chat model.

    No property may send a request, because ``hasattr`` reads properties. A judge may have further attributes,
    which are used if they exist:

    - ``probe()``: finds out what its signature depends on, with a request if need be; called on loading. It
      may return another judge, which then takes its place;
    - ``predict_batches(pairs)``: an iterator over (rows, judgements of these rows), so that a killed run
      loses at most one batch;
    - ``predict_blocks(examples)``: all premises of an example against all its hypotheses in one request; one
      ``Judgements`` of shape ``[premises, hypotheses]`` per example;
    - ``shorten(texts, tokens)``: the texts, each truncated to its first ``tokens`` tokens;
    - ``has_logits``: whether its judgements have logits;
    - ``may_abstain``: whether it may leave a pair without a verdict, so that results always count these;
    - ``offline``: whether it runs without a network and costs only time;
    - ``costs(examples, score_cache)``: the cost of judging examples (nothing is sent);
    - ``kept_in(path)``: the same judge with a cache file for its answers;
    - ``max_requests``: maximum number of requests, None = no limit;
    - ``tells_contradictions``: False = its labels are only entailment and not_entailment;
    - ``used``: usage so far, as counts by name (requests, tokens);
    - ``tolerance``: maximum deviation of the sum of its probabilities from 1 (larger if a server rounds).
    """

    @property
    def fingerprint(self) -> str:
        """Distinguishes this judge's probabilities from those of any other judge; the key of caches."""
        ...

    @property
    def signature(self) -> Mapping[str, str]:
        """The judge's entries in a metric's signature."""
        ...

    def predict_pairs(self, pairs: Sequence[Pair]) -> Judgements:
        """Return the judgements of (premise, hypothesis) pairs, in their order, of shape ``[n]``."""
        ...
