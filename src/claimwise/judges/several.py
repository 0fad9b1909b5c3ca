"""Several judges as one: the weighted mean of their probabilities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from claimwise.errors import ClaimwiseError, shown
from claimwise.judges.crossing import cross, gather
from claimwise.judges.pairs import Ints, Pairs
from claimwise.judges.protocol import TOLERANCE, Example, Judge, Judgements, Pair, name_of
from claimwise.signature import exact, parts_fingerprint


class SeveralJudges:
    """Asks several judges and averages their probabilities.

    A judge without a verdict for a pair does not count for it; a pair without any verdict is neutral and
    marked as unjudged. Logits are not averaged.

    Args:
        judges: at least two, with different fingerprints.
        weights: weight of each judge; None = equal weights.

    Raises:
        ClaimwiseError: for a single judge, a repeated judge, or invalid weights.
    """

    def __init__(self, judges: Sequence[Judge], weights: Sequence[float] | None = None) -> None:
        if len(judges) < 2:
            raise ClaimwiseError(
                f"A list of judges needs at least two; got {len(judges)}.",
                "Pass a single judge by name, not as a list.",
                option="judge",
            )
        fingerprints = [judge.fingerprint for judge in judges]
        for number, fingerprint in enumerate(fingerprints):
            if fingerprint in fingerprints[:number]:
                raise ClaimwiseError(
                    f"The judge `{name_of(judges[number])}` is listed twice.",
                    "To give it more weight, use judge_weights.",
                    option="judge",
                )
        self.judges = tuple(judges)
        self.weights = _shares(weights, len(judges))
        self.tolerance: float = max(getattr(judge, "tolerance", TOLERANCE) for judge in judges)

    @property
    def fingerprint(self) -> str:
        """Fingerprint of all judges and their weights."""
        parts = [[judge.fingerprint for judge in self.judges], list(self.weights)]
        return f"several-{parts_fingerprint(parts)}"

    @property
    def signature(self) -> Mapping[str, str]:
        """Signatures of all judges; differing values of a key are joined in order."""
        signatures = [judge.signature for judge in self.judges]
        merged = {}
        for key in dict.fromkeys(key for signature in signatures for key in signature):
            values = [str(signature.get(key, "-")) for signature in signatures]
            is_shared = len(set(values)) == 1 and key != "judge"
            merged[key] = values[0] if is_shared else " + ".join(values)
        return {**merged, "judge_weights": " + ".join(map(exact, self.weights))}

    def predict_pairs(self, pairs: Sequence[Pair]) -> Judgements:
        """Return the mean judgements of pairs."""
        return self._averaged([gather(judge, pairs) for judge in self.judges])

    def predict_batches(self, pairs: Pairs) -> Iterator[tuple[Ints, Judgements]]:
        """Yield all pairs at once: each judge stores its own answers as they arrive."""
        if len(pairs):
            yield np.arange(len(pairs)), self.predict_pairs(pairs)

    @property
    def used(self) -> Mapping[str, int]:
        """Usage so far, as counts by name; empty if no judge counts its usage."""
        return sum((Counter(getattr(judge, "used", {})) for judge in self.judges), Counter())

    @property
    def may_abstain(self) -> bool:
        """Whether one of them may leave a pair without a verdict."""
        return any(getattr(judge, "may_abstain", False) for judge in self.judges)

    @property
    def tells_contradictions(self) -> bool:
        """Whether all of them have a label for contradiction."""
        return all(getattr(judge, "tells_contradictions", True) for judge in self.judges)

    @property
    def predict_blocks(self) -> Callable[[Sequence[Example]], list[Judgements]]:
        """Judge examples, each judge in its own mode; exists only if one judge answers in blocks."""
        if not any(hasattr(judge, "predict_blocks") for judge in self.judges):
            raise AttributeError("predict_blocks")
        return lambda examples: [
            self._averaged(blocks)
            for blocks in zip(*(cross(judge, examples) for judge in self.judges), strict=True)
        ]

    def _averaged(self, judged: Sequence[Judgements]) -> Judgements:
        """Return the weighted mean over the judges that gave a verdict, pair by pair."""
        unjudged = np.stack([judgements.unjudged for judgements in judged])
        weights = np.reshape(self.weights, (-1, *[1] * (unjudged.ndim - 1))) * ~unjudged
        is_judged = np.asarray(~unjudged.all(axis=0))
        probabilities = np.stack([judgements.probabilities for judgements in judged]).astype(np.float64)
        mean = Judgements.neutral(*is_judged.shape).probabilities
        sums = (probabilities * weights[..., np.newaxis]).sum(axis=0)[is_judged]
        mean[is_judged] = sums / weights.sum(axis=0)[is_judged, np.newaxis]
        return Judgements(
            mean,
            truncated=np.any([judgements.truncated for judgements in judged], axis=0),
            unjudged=np.logical_not(is_judged),
            skipped=np.any([judgements.skipped for judgements in judged], axis=0),
        )


def _shares(weights: Sequence[float] | None, count: int) -> tuple[float, ...]:
    """Return the weights divided by their sum; anything but ``count`` positive numbers is an error."""
    if weights is None:
        return (1 / count,) * count
    is_sequence = isinstance(weights, Sequence) and not isinstance(weights, str)
    if (
        not is_sequence
        or len(weights) != count
        or any(isinstance(weight, bool) or not isinstance(weight, int | float) for weight in weights)
        or not all(0 < weight < float("inf") for weight in weights)
    ):
        raise ClaimwiseError(
            f"`judge_weights` must be {count} positive numbers, one for each judge; got {shown(weights)}.",
            option="judge_weights",
        )
    total = float(sum(weights))
    return tuple(weight / total for weight in weights)
