"""Functions over any judge: cross premises with hypotheses, ask for each distinct pair once, put back in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from claimwise.errors import ClaimwiseError, TextError
from claimwise.nli.pairs import Ints, Pairs
from claimwise.nli.protocol import TOLERANCE, Example, Judge, Pair, Predictions

PAIRS_AT_ONCE = 1024
"""How many pairs go to a judge that takes them all or nothing, so that a killed run loses no more."""


def cross(judge: Judge, examples: Sequence[Example]) -> list[Predictions]:
    """Judge every premise against every hypothesis of each example; pairs that examples share once.

    Args:
        judge: any.
        examples: (premises, hypotheses) each.

    Returns:
        Predictions of shape ``[premises, hypotheses]`` per example.

    Raises:
        ClaimwiseError: for a text that no judge can read, naming its example.
    """
    for row, example in enumerate(examples):
        if any(isinstance(texts, str) for texts in example):
            raise ClaimwiseError(f"Example {row}: expected two lists of strings, got a bare string.")
        for role, texts in zip(("premise", "hypothesis"), example, strict=True):
            for number, text in enumerate(texts):
                check_text(text, f"Example {row}, {role} {number}")
    if (predict_blocks := getattr(judge, "predict_blocks", None)) is not None:
        of_blocks: list[Predictions] = predict_blocks(examples)
        return of_blocks
    everything = gather(judge, Pairs.crossed(examples))
    predictions, start = [], 0
    for premises, hypotheses in examples:
        shape = len(premises), len(hypotheses)
        end = start + shape[0] * shape[1]
        predictions.append(everything.at(slice(start, end)).reshaped(*shape))
        start = end
    return predictions


def gather(judge: Judge, pairs: Sequence[Pair]) -> Predictions:
    """Judge each distinct pair once, batch by batch, and return the predictions in the order of ``pairs``."""
    numbered = pairs if isinstance(pairs, Pairs) else Pairs.of(pairs)
    distinct, places = numbered.distinct()
    gathered: dict[str, npt.NDArray[Any]] = {}
    for rows, predictions in batches(judge, distinct):
        for name, array in predictions.arrays().items():
            if name not in gathered:
                gathered[name] = np.zeros((len(distinct), *array.shape[1:]), dtype=array.dtype)
            gathered[name][rows] = array
    if not gathered:
        return Predictions(np.empty((0, 3), dtype=np.float32), np.empty(0, dtype=np.bool_))
    return Predictions.of(gathered).at(places)


def batches(judge: Judge, pairs: Pairs) -> Iterator[tuple[Ints, Predictions]]:
    """Yield the predictions of some rows of ``pairs`` after the other, until all are judged.

    Raises:
        ClaimwiseError: for a judge that does not return three probabilities for every pair.
    """
    if (predict_batches := getattr(judge, "predict_batches", None)) is not None:
        yield from predict_batches(pairs)
        return
    for start in range(0, len(pairs), PAIRS_AT_ONCE):
        part = pairs.at(slice(start, start + PAIRS_AT_ONCE))
        predictions = judge.predict_pairs(part)
        check_predictions(judge, predictions, len(part))
        yield np.arange(start, start + len(part)), predictions


def check_predictions(judge: Judge, predictions: Predictions, count: int) -> None:
    """Refuse what no judge may return.

    Raises:
        ClaimwiseError: unless there are three probabilities for every pair.
    """
    probabilities = predictions.probabilities
    tolerance = getattr(judge, "tolerance", TOLERANCE)
    name = judge.signature.get("nli_model", type(judge).__name__)
    remedy = "A judge returns entailment, neutral and contradiction for every pair, in this order."
    if probabilities.shape != (count, 3):
        raise ClaimwiseError(
            f"The judge {name!r} returned an array {probabilities.shape} for {count} pairs.", remedy
        )
    sums = probabilities.sum(axis=1, dtype=np.float64)
    wrong = ~((probabilities >= 0).all(axis=1) & (np.abs(sums - 1) <= max(tolerance, TOLERANCE)))
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise ClaimwiseError(
            f"The judge {name!r} returned {probabilities[row].tolist()} for pair {row}, which are no "
            f"probabilities.",
            remedy,
        )


def check_text(text: object, where: str) -> None:
    """Refuse what no tokenizer can read.

    Raises:
        ClaimwiseError: for anything but a string of whole characters.
    """
    if not isinstance(text, str):
        raise TextError(f"{where}: must be a string; got {text!r}.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise TextError(
            f"{where}: holds half of a surrogate pair, which is no character; got {text!r}.",
            "Read the text as UTF-8.",
        ) from None
