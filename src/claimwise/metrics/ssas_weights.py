"""Files of the weights of SSAS: read, checked, and written."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from claimwise.errors import ClaimwiseError
from claimwise.scores.ssas import FEATURES, Floats, Ranking, checked_weights
from claimwise.text.inputs import check_lengths

DIGITS = 6
"""Digits of weights in a file."""


def read_weights(given: str | Path | Mapping[str, float]) -> Floats:
    """Return weights ``[9]`` from a mapping of names to numbers, or from a JSON file.

    Raises:
        ClaimwiseError: for a file that cannot be read, or invalid weights.
    """
    if isinstance(given, Mapping):
        return _check_weights(given)
    try:
        weights = json.loads(Path(given).read_text(encoding="utf-8"))["weights"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ClaimwiseError(
            f"The file of weights {given} {_failure(error)}.",
            "Use 'even', a JSON file that Ssas.fit wrote, or a dict with a number for each feature.",
            option="weights",
        ) from error
    return _check_weights(weights)


def _failure(error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return "does not exist"
    if isinstance(error, OSError):
        return f"cannot be read ({error.strerror})"
    return "has no weights in JSON"


def named_weights(weights: Floats) -> dict[str, float]:
    """Return the weight of each feature by its name."""
    return dict(zip(FEATURES, weights.tolist(), strict=True))


def weights_file(
    weights: Floats,
    human_scores: Sequence[float],
    documents: Sequence[Hashable],
    ranking: Ranking,
    name: str,
    features: Mapping[str, object],
) -> str:
    """Return the content of a file of weights, with the settings of the fit.

    ``name`` is that of the data; ``features`` is everything that the features depend on.
    """
    content = {
        "weights": named_weights(weights),
        "fitted_on": {
            "name": name,
            "summaries": len(human_scores),
            "documents": len(set(documents)),
            "human_scores": [float(min(human_scores)), float(max(human_scores))],
        },
        "ranking": ranking,
        "fitted_with": {key: str(value) for key, value in features.items()},
    }
    return json.dumps(content, indent=1) + "\n"


def checked_human_scores(
    predictions: Sequence[str], human_scores: Sequence[float], documents: Sequence[Hashable]
) -> list[float]:
    """Return human scores as numbers.

    Raises:
        ClaimwiseError: unless each summary has a document and a finite human score; names the row.
    """
    check_lengths({"predictions": predictions, "human_scores": human_scores})
    check_lengths({"predictions": predictions, "documents": documents})
    for row, score in enumerate(human_scores):
        is_number = isinstance(score, int | float | np.number) and not isinstance(score, bool)
        if not is_number or not np.isfinite(score):
            problem, remedy = f"expected a number; got {score!r}.", "Drop the row or provide its score."
            raise ClaimwiseError(problem, remedy, column="human_scores", row=row)
    return list(map(float, human_scores))


def _check_weights(weights: Any) -> Floats:
    """Return weights by their names.

    Raises:
        ClaimwiseError: unless each feature has a number, and the weights rank the best above the worst.
    """
    names = set(weights) if isinstance(weights, Mapping) else set()
    if names != set(FEATURES):
        raise ClaimwiseError(
            "The weights need a number for each feature, and no others.",
            f"The features are {', '.join(FEATURES)}.",
            option="weights",
        )
    values = [weights[name] for name in FEATURES]
    if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        raise ClaimwiseError("The weights must be numbers.", option="weights")
    try:
        return checked_weights(values)
    except ClaimwiseError as error:
        raise error.at(option="weights") from None
