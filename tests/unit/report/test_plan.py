"""How many rows a comparison needs: the planned number has the power that it was planned for."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import Run

from claimwise.errors import ClaimwiseError
from claimwise.report.plan import rows_needed
from claimwise.report.results import SystemResult
from claimwise.stats import mean_difference


def system(name: str, scores: Sequence[float], **given: Any) -> SystemResult:
    ids = [str(row) for row in range(len(scores))]
    return SystemResult(system=name, score="complexity", mean=0.0, scores=list(scores), ids=ids, **given)


def pilot(rows: int, seed: int = 0) -> tuple[SystemResult, SystemResult]:
    """Return two systems whose differences have the standard deviation 1 and a mean of .1."""
    generator = np.random.default_rng(seed)
    differences, second = generator.normal(size=(2, rows))
    differences = (differences - differences.mean()) / differences.std(ddof=1)
    return system("a", (differences + second + 0.1).tolist()), system("b", second.tolist())


@pytest.mark.slow
def test_the_planned_number_of_rows_has_its_power_in_fresh_studies() -> None:
    plan = rows_needed(*pilot(300), 0.5)
    assert plan == rows_needed(*pilot(300), 0.5)
    generator = np.random.default_rng(1)
    found = 0
    for _ in range(1_000):
        second = generator.normal(size=plan.rows)
        first = second + generator.normal(0.5, 1, plan.rows)
        test = mean_difference(first, second, resamples=1_000, seed=7)
        found += test.p_value < 0.05
    # The plan was simulated 1,000 times as well: three standard errors of the difference of two shares.
    assert found / 1_000 == pytest.approx(0.8, abs=3 * math.sqrt(2 * 0.8 * 0.2 / 1_000))
    assert rows_needed(*pilot(300), -0.8).rows < plan.rows


def test_the_command_plans_from_two_scored_files(run: Run) -> None:
    for result in pilot(12):
        content = {
            "complexity": float(np.mean(result.scores)),
            "complexity_scores": result.scores,
            "complexity_ids": result.ids,
            "complexity_signature": "complexity|v:1",
        }
        Path(f"{result.system}.json").write_text(json.dumps(content), encoding="utf-8")
    done = run("compare", "complexity", "a.json", "b.json", "--plan", "-2", "--seed", "3")
    assert done.code == 0, done.err
    first, last = done.out.strip().splitlines()
    assert "a.json − b.json = +0.10" in first
    told = re.search(r"difference of -2.00 is detected with power .8 by (\d+) rows .* pilot of 12", last)
    assert told is not None
    assert int(told[1]) == 6  # below six, no permutation test of rows is significant at .05
    assert rows_needed(*pilot(12), -2, seed=3).rows == int(told[1])

    refused = run("compare", "complexity", "a.json", "b.json", "--plan", "0")
    assert refused.code != 0


@pytest.mark.parametrize(
    ("systems", "difference"),
    [
        (pilot(9), 0.5),
        (pilot(20), 0.0),
        (pilot(20), math.nan),
        (pilot(20), 0.001),
        ((system("a", [1.0] * 12), system("b", [0.5] * 12)), 0.5),
    ],
    ids=["a small pilot", "no difference", "not a number", "too many rows", "no variance"],
)
def test_what_cannot_be_planned_is_refused(
    systems: tuple[SystemResult, SystemResult], difference: float
) -> None:
    with pytest.raises(ClaimwiseError) as refused:
        rows_needed(*systems, difference)
    assert refused.value.option == "plan"
    assert refused.value.remedy


@pytest.mark.slow
def test_weights_count_in_a_plan() -> None:
    # The rows that count vary little, and the others much.
    zeros, scores = [0.0] * 20, [0.1, -5.0, -0.1, 5.0] * 5
    even = rows_needed(system("a", scores), system("b", zeros), 2.0).rows
    weights = [30.0, 1.0] * 10
    uneven = rows_needed(system("a", scores, weights=weights), system("b", zeros, weights=weights), 2.0).rows
    assert 6 <= uneven < even
