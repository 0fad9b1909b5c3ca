"""Results that the authors of CASPR recorded on CoCoTrip: verdicts on claims, and the score of every pair.

benchmarks/papers/recorded.md describes the files and where to find them. claimwise does not ship them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.papers.lines import read_json, read_json_lines
from claimwise.data.cocotrip import PAIR_CONFIGS, find
from claimwise.errors import ClaimwiseError

SCORES, VERDICTS = "recorded_scores.json", "recorded_nli.jsonl.gz"
METRICS = ("caspr", "distinctiveness_score", "inverted_bertscore")
REMEDY = "benchmarks/papers/recorded.md describes the recorded files and where to find them."
TOLERANCE = 1e-3
"""Maximum deviation of a sum of rounded probabilities from 1."""

Scores = dict[str, dict[str, npt.NDArray[np.float64]]]
"""Scores of all pairs of summaries, by metric and set."""


class Verdicts(NamedTuple):
    """Verdicts on the m distinct claims of A and the n distinct claims of B of one pair of summaries.

    ``forward``, float32 ``[m, n, 3]``, has probabilities with the claims of A as premises, ``backward``
    ``[n, m, 3]`` with the claims of B; ``sample`` is the index of the pair in CoCoTrip's order, ``name`` the
    set.
    """

    name: str
    sample: int
    claims_a: list[str]
    claims_b: list[str]
    forward: npt.NDArray[np.float32]
    backward: npt.NDArray[np.float32]


def read_verdicts(path: Path) -> list[Verdicts]:
    """Return the verdicts of a file like ``recorded_nli.jsonl.gz``.

    Raises:
        ClaimwiseError: for a file that cannot be read or has another format, with the line.
    """
    return [*read_json_lines(path, REMEDY, _verdicts)]


def read_recorded(source: Path, pairs: int) -> tuple[Scores, dict[str, list[Verdicts]]] | None:
    """Return the recorded scores, and the verdicts of the sets that have them; None if there are no files.

    Args:
        source: the folder of the files, directly or in a subfolder ``cocotrip``.
        pairs: number of pairs of summaries per set.

    Raises:
        ClaimwiseError: for one file without the other, or one that is incomplete.
    """
    paths = [find(source, name) for name in (SCORES, VERDICTS)]
    if not any(paths):
        return None
    found = read_json(paths[0] or source / SCORES, REMEDY)
    by_set: dict[str, dict[int, Verdicts]] = {}
    for one in read_verdicts(paths[1] or source / VERDICTS):
        by_set.setdefault(one.name, {})[one.sample] = one
    try:
        scores = {
            metric: {name: np.array(found[name][metric], np.float64).reshape(pairs) for name in PAIR_CONFIGS}
            for metric in METRICS
        }
        return scores, {name: [of_set[n] for n in range(pairs)] for name, of_set in by_set.items()}
    except (KeyError, TypeError, ValueError) as error:
        raise ClaimwiseError(
            f"{SCORES} or {VERDICTS} is incomplete ({error!r}): every set needs {pairs} scores of each "
            f"metric, and a set with verdicts needs them for samples 0 to {pairs - 1}.",
            REMEDY,
            path=source,
        ) from error


def _verdicts(row: dict[str, Any]) -> Verdicts:
    a, b = row["claims_a"], row["claims_b"]
    forward, backward = (np.array(row[name], np.float32) for name in ("a_to_b", "b_to_a"))
    for matrix, shape in ((forward, (len(a), len(b), 3)), (backward, (len(b), len(a), 3))):
        if matrix.shape != shape or (abs(matrix.sum(axis=2) - 1) > TOLERANCE).any():
            raise ValueError(f"{shape} probabilities are needed; got {matrix.shape}")
    if row["set"] not in PAIR_CONFIGS:
        raise ValueError(f"{row['set']!r} is not a set")
    return Verdicts(row["set"], row["sample"], a, b, forward, backward)
