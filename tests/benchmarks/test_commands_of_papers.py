"""The papers' experiments as commands: help, flags, and what happens without the data."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from command import Run

JUDGE = {"judge", "label_order", "device", "dtype", "pairs"}
CLAIMS = {"splitter", "decomposer"}
PAPERS = {
    "aggrefact": JUDGE,
    "cocotrip": JUDGE | CLAIMS | {"score_cache"},
    "factuality": JUDGE,
    "opinion_summaries": set(),
    "prevalence": JUDGE,
    "pyramid": JUDGE,
    "recorded_judge": {"judge", "label_order", "device", "dtype", "pairs", "score_cache"},  # pairs: how many
    "summaries": JUDGE | CLAIMS,
}
"""The flags of each for judge and claims; one without ``score_cache`` has its own cache in ``--output``."""


@pytest.mark.parametrize("paper", PAPERS)
def test_an_experiment_has_help_and_the_flags_of_its_parts(run_paper: Run, paper: str) -> None:
    command: Any = import_module(f"benchmarks.papers.{paper}").main

    done = run_paper(paper, "--help")

    assert done.code == 0
    assert "Usage" in done.out
    flags = {parameter.name for parameter in command.params}
    assert flags & (JUDGE | CLAIMS | {"score_cache"}) == PAPERS[paper]


def test_a_folder_without_the_data_leaves_nothing(run_paper: Run) -> None:
    done = run_paper("cocotrip", "--output", "out", "--data", "nowhere")

    assert done.code == 1
    assert done.err.startswith("claimwise: The source folder nowhere does not exist")
    assert not [*Path().iterdir()]
