"""Functions over any judge: cross texts, ask for each distinct pair once, put back in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np

from claimwise.errors import ClaimwiseError, TextError, shown
from claimwise.judges.pairs import Ints, Pairs
from claimwise.judges.protocol import THREE, TOLERANCE, Example, Judge, Judgements, Pair, name_of

MAY_OFFER = ("may_abstain", "shorten", "tells_contradictions", "used")
"""Optional attributes of a judge that ``JudgeInFront`` passes on."""

PAIRS_AT_ONCE = 1024
"""Pairs per call for a judge without ``predict_batches``; a killed run loses at most these."""

REMEDY = (
    "A judge must return arrays: the probabilities of entailment, neutral and contradiction, in this order, "
    "and whether each pair was truncated."
)


class JudgeInFront:
    """Base of wrappers around a judge, such as a cache; signature and options are those of the judge."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self.tolerance: float = getattr(judge, "tolerance", TOLERANCE)

    @property
    def fingerprint(self) -> str:
        """Distinguishes its probabilities from those of any other judge."""
        return self.judge.fingerprint

    @property
    def signature(self) -> Mapping[str, str]:
        """Its entries in a metric's signature."""
        return self.judge.signature

    def probe(self) -> Self:
        """Let the judge find out what its signature depends on."""
        if (probe := getattr(self.judge, "probe", None)) is not None:
            self.judge = probe() or self.judge
        return self

    def predict_pairs(self, pairs: Sequence[Pair]) -> Judgements:
        """Return the judgements of (premise, hypothesis) pairs, in their order."""
        return gather(self, pairs)

    def __getattr__(self, name: str) -> Any:
        if name in MAY_OFFER and "judge" in self.__dict__:
            return getattr(self.judge, name)
        raise AttributeError(name)


def cross(judge: Judge, examples: Sequence[Example]) -> list[Judgements]:
    """Judge every premise against every hypothesis of each example; shared pairs are judged once.

    Returns:
        Judgements of shape ``[premises, hypotheses]`` per example.

    Raises:
        ClaimwiseError: for a text that no judge can read, naming its example.
    """
    check_examples(examples)
    if (predict_blocks := getattr(judge, "predict_blocks", None)) is not None:
        blocks: list[Judgements] = list(predict_blocks(examples))
        if len(blocks) != len(examples):
            raise ClaimwiseError(
                f"The judge `{name_of(judge)}` returned {len(blocks)} blocks for {len(examples)} examples.",
                "A judge must return one block per example.",
            )
        for block, (premises, hypotheses) in zip(blocks, examples, strict=True):
            check_judgements(judge, block, len(premises), len(hypotheses))
        return blocks
    judgements = gather(judge, Pairs.crossed(examples))
    blocks, start = [], 0
    for premises, hypotheses in examples:
        end = start + len(premises) * len(hypotheses)
        blocks.append(judgements[start:end].reshape(len(premises), len(hypotheses)))
        start = end
    return blocks


def gather(judge: Judge, pairs: Sequence[Pair]) -> Judgements:
    """Judge each distinct pair once, batch by batch, and return the judgements in the order of ``pairs``.

    Raises:
        ClaimwiseError: for a judge that leaves pairs out, or does not return probabilities.
    """
    numbered = pairs if isinstance(pairs, Pairs) else Pairs.of(pairs)
    distinct, indices = numbered.distinct()
    gathered = Judgements.neutral(len(distinct))
    is_judged = np.zeros(len(distinct), dtype=np.bool_)
    for rows, judgements in batches(judge, distinct):
        gathered[rows] = judgements
        is_judged[rows] = True
    if not is_judged.all():
        left_out = f"{(~is_judged).sum()} of {len(distinct)} pairs"
        raise ClaimwiseError(f"The judge `{name_of(judge)}` left out {left_out}.", REMEDY)
    return gathered[indices]


def batches(judge: Judge, pairs: Pairs) -> Iterator[tuple[Ints, Judgements]]:
    """Yield the judgements of ``pairs`` in batches of rows, checked, until all are judged."""
    if (predict_batches := getattr(judge, "predict_batches", None)) is not None:
        for rows, judgements in predict_batches(pairs):
            check_judgements(judge, judgements, len(rows))
            yield rows, judgements
        return
    for start in range(0, len(pairs), PAIRS_AT_ONCE):
        part = pairs.at(slice(start, start + PAIRS_AT_ONCE))
        judgements = judge.predict_pairs(part)
        check_judgements(judge, judgements, len(part))
        yield np.arange(start, start + len(part)), judgements


def check_judgements(judge: Judge, judgements: Judgements, *shape: int) -> None:
    """Reject what a judge returned unless it has three probabilities for every pair.

    ``shape`` is the number of pairs, or the numbers of premises and hypotheses.
    """

    def refused(returned: str) -> ClaimwiseError:
        # Only here: the name of a local judge needs a slow look-up of package versions.
        return ClaimwiseError(f"The judge `{name_of(judge)}` returned {returned}", REMEDY)

    if not isinstance(judgements, Judgements):
        raise refused(f"a `{type(judgements).__name__}` instead of `Judgements`.")
    for name, array in judgements.arrays().items():
        is_mark = name not in THREE
        if np.shape(array) != (shape if is_mark else (*shape, 3)):
            wrong_shape = " × ".join(map(str, np.shape(array)))
            raise refused(f"`{name}` of shape {wrong_shape} for {' × '.join(map(str, shape))} pairs.")
        if np.asarray(array).dtype.kind not in ("b" if is_mark else "f"):
            raise refused(f"`{name}` of type `{np.asarray(array).dtype}`.")
    probabilities = judgements.probabilities.reshape(-1, 3)
    tolerance = max(getattr(judge, "tolerance", TOLERANCE), TOLERANCE)
    sums = probabilities.sum(axis=1, dtype=np.float64)
    wrong = ~((probabilities >= 0).all(axis=1) & (np.abs(sums - 1) <= tolerance))
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        numbers = ", ".join(f"{number:g}" for number in probabilities[row])
        raise refused(f"{numbers} for pair {row}, which are not probabilities.")


def check_examples(examples: Sequence[Example]) -> None:
    """Reject examples that are not two lists of texts that a judge can read, naming the first."""
    for row, example in enumerate(examples):
        if any(isinstance(texts, str) for texts in example):
            raise ClaimwiseError(
                f"Example {row} has a single string instead of a list.",
                "Pass premises and hypotheses as two lists of strings.",
            )
        for role, texts in zip(("premise", "hypothesis"), example, strict=True):
            for number, text in enumerate(texts):
                check_text(text, f"Example {row}, {role} {number}")


def check_text(text: object, where: str) -> None:
    """Reject anything but a string of valid characters, which no tokenizer could read."""
    if not isinstance(text, str):
        raise TextError(f"{where}: must be a string; got {shown(text)}.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise TextError(
            f"{where}: contains invalid Unicode (an unpaired surrogate); got {shown(text)}.",
            "Read the text as UTF-8.",
        ) from None
