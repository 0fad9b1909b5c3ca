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

Pair = tuple[str, str]
"""A premise and a hypothesis."""

Example = tuple[Sequence[str], Sequence[str]]
"""Premises and hypotheses; every premise is judged against every hypothesis."""

Matrix = npt.NDArray[np.float32]
"""Probabilities ``[premises, hypotheses, 3]`` of entailment, neutral and contradiction."""

Bools = npt.NDArray[np.bool_]

TOLERANCE = 1e-5
"""Default maximum deviation of the sum of probabilities from 1; a judge's ``tolerance`` overrides it."""


@dataclass(frozen=True, slots=True)
class Judgements:
    """Judgements of pairs; all arrays have one leading shape, ``[n]`` or ``[premises, hypotheses]``.

    Attributes:
        probabilities: float32 ``[…, 3]``.
        truncated: whether a text of the pair was truncated.
        unjudged: whether the judge gave no verdict, so that the pair counts as neutral; None = never.
        not_asked: whether the pair was assumed to be neutral without asking; None = all were asked.
        logits: float32 ``[…, 3]``, before the softmax, −∞ for a label that the judge lacks; None = the judge
            has no logits.
        by_judge: probabilities ``[…, 3]`` of each judge by name, if there are several.
    """

    probabilities: npt.NDArray[np.float32]
    truncated: Bools
    unjudged: Bools | None = None
    not_asked: Bools | None = None
    logits: npt.NDArray[np.float32] | None = None
    by_judge: Mapping[str, npt.NDArray[np.float32]] | None = None

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the existing arrays by name; arrays of ``by_judge`` as ``by_judge:<name>``."""
        found = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "by_judge"}
        found |= {f"by_judge:{name}": array for name, array in (self.by_judge or {}).items()}
        return {name: array for name, array in found.items() if array is not None}

    @classmethod
    def of(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Judgements:
        """Return judgements from named arrays; the inverse of ``arrays``."""
        own = {name: array for name, array in arrays.items() if ":" not in name}
        by_judge = {n.partition(":")[2]: array for n, array in arrays.items() if ":" in n}
        return cls(**own, by_judge=by_judge or None)

    def at(self, rows: Any) -> Judgements:
        """Return the judgements of some rows."""
        return Judgements.of({name: array[rows] for name, array in self.arrays().items()})

    def reshaped(self, *shape: int) -> Judgements:
        """Return the judgements with another leading shape."""
        return Judgements.of(
            {
                name: array.reshape(*shape, 3) if array.dtype != np.bool_ else array.reshape(shape)
                for name, array in self.arrays().items()
            }
        )


def joined(parts: Sequence[Judgements]) -> Judgements:
    """Concatenate judgements ``[n]``; optional arrays that some parts lack are left out."""
    arrays = [part.arrays() for part in parts]
    names = [name for name in arrays[0] if all(name in others for others in arrays)]
    return Judgements.of({name: np.concatenate([of_part[name] for of_part in arrays]) for name in names})


def name_of(judge: Judge) -> str:
    """Return a judge's name in tables, evidence and messages, without the secret parts of URLs."""
    return without_credentials(str(judge.signature.get("nli_model", type(judge).__name__)))


@runtime_checkable
class Judge(Protocol):
    """Turns (premise, hypothesis) into three probabilities: a checkpoint, a server or a chat model.

    ``isinstance`` and ``hasattr`` read properties, so a property must not send a request that costs money. A
    judge may have further attributes, which are used if they exist:

    - ``probe()``: finds out what its signature depends on, with a request if need be; called on loading;
    - ``predict_batches(pairs)``: an iterator over (rows, judgements of these rows), so that a killed run
      loses at most one batch;
    - ``predict_blocks(examples)``: all premises of an example against all its hypotheses in one request; one
      ``Judgements`` of shape ``[premises, hypotheses]`` per example;
    - ``shorten(texts, tokens)``: the texts, each truncated to its first ``tokens`` tokens;
    - ``has_logits``: whether its judgements have logits;
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
