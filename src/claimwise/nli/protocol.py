"""What a judge is: whatever turns (premise, hypothesis) into three probabilities.

The last axis of every array is entailment, neutral, contradiction, whatever the judge's own order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from claimwise.errors import without_credentials

Pair = tuple[str, str]
"""A premise and a hypothesis."""

Example = tuple[Sequence[str], Sequence[str]]
"""Premises and hypotheses, each to be judged with each."""

Matrix = npt.NDArray[np.float32]
"""Probabilities ``[premises, hypotheses, 3]`` of entailment, neutral and contradiction."""

Bools = npt.NDArray[np.bool_]

TOLERANCE = 1e-5
"""How far probabilities may be from summing to 1, unless a judge says otherwise (``tolerance``)."""


@dataclass(frozen=True, slots=True)
class Judgements:
    """What a judge says of pairs; all arrays have one leading shape, ``[n]`` or ``[premises, hypotheses]``.

    Attributes:
        probabilities: float32 ``[…, 3]``.
        truncated: whether a text of the pair had to be cut to fit the judge.
        unjudged: whether the judge could not say, so that the pair counts as neutral; None = it always could.
        not_asked: whether the pair was taken for neutral without asking; None = all were asked.
        logits: float32 ``[…, 3]``, before the softmax, −∞ for a label that the judge does not have; None
            where a judge has none.
        by_judge: each judge's own probabilities ``[…, 3]`` by its name, where there are several.
    """

    probabilities: npt.NDArray[np.float32]
    truncated: Bools
    unjudged: Bools | None = None
    not_asked: Bools | None = None
    logits: npt.NDArray[np.float32] | None = None
    by_judge: Mapping[str, npt.NDArray[np.float32]] | None = None

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays that are there by name; those of ``by_judge`` as ``by_judge:<name>``."""
        found = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "by_judge"}
        found |= {f"by_judge:{name}": array for name, array in (self.by_judge or {}).items()}
        return {name: array for name, array in found.items() if array is not None}

    @classmethod
    def of(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Judgements:
        """Return judgements made of what ``arrays`` gives."""
        own = {name: array for name, array in arrays.items() if ":" not in name}
        by_judge = {n.partition(":")[2]: array for n, array in arrays.items() if ":" in n}
        return cls(**own, by_judge=by_judge or None)

    def at(self, rows: Any) -> Judgements:
        """Return the judgements of some rows."""
        return Judgements.of({name: array[rows] for name, array in self.arrays().items()})

    def reshaped(self, *shape: int) -> Judgements:
        """Return them with another leading shape."""
        return Judgements.of(
            {
                name: array.reshape(*shape, 3) if array.dtype != np.bool_ else array.reshape(shape)
                for name, array in self.arrays().items()
            }
        )


def joined(parts: Sequence[Judgements]) -> Judgements:
    """Return the judgements ``[n]`` of one or more parts as one; what not all of them have is left out."""
    arrays = [part.arrays() for part in parts]
    names = [name for name in arrays[0] if all(name in others for others in arrays)]
    return Judgements.of({name: np.concatenate([of_part[name] for of_part in arrays]) for name in names})


def name_of(judge: Judge) -> str:
    """Return what a judge is called in tables, evidence and messages, without what may be secret in a URL."""
    return without_credentials(str(judge.signature.get("nli_model", type(judge).__name__)))


@runtime_checkable
class Judge(Protocol):
    """Whatever turns (premise, hypothesis) into three probabilities: a checkpoint, a server, a chat model.

    A judge may offer more, and is asked for it where it is there:

    - ``predict_batches(pairs)``: an iterator over (rows, judgements of these rows), so that nothing is lost
      when a run is killed between two batches;
    - ``predict_blocks(examples)``: all premises of an example against all its hypotheses in one request; one
      ``Judgements`` of shape ``[premises, hypotheses]`` per example;
    - ``shorten(texts, tokens)``: the texts, each cut behind its first so many tokens;
    - ``has_logits``: whether its judgements have logits;
    - ``offline``: whether it asks nobody, and costs nothing but time;
    - ``costs(examples, score_cache)``: what it would take to judge examples (nothing is sent);
    - ``kept_in(path)``: the same judge with a file that keeps every answer at once;
    - ``max_requests``: the most requests that it may send, None = any number;
    - ``tells_contradictions``: False = it only tells entailment from all else;
    - ``used``: what its answers have cost so far, as counts by name (requests, tokens);
    - ``tolerance``: how far its probabilities may be from summing to 1 (a server that rounds needs more).
    """

    @property
    def fingerprint(self) -> str:
        """What distinguishes this judge's probabilities from any other's; the key of caches."""
        ...

    @property
    def signature(self) -> Mapping[str, str]:
        """What a metric's signature says of the judge."""
        ...

    def predict_pairs(self, pairs: Sequence[Pair]) -> Judgements:
        """Return the judgements of (premise, hypothesis) pairs, in their order, of shape ``[n]``."""
        ...
