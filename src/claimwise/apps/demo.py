"""The pairs of summaries that ``claimwise demo`` scores, written for this project."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import NamedTuple


class DemoPair(NamedTuple):
    """Two summaries and how they relate."""

    title: str
    summary_a: str
    summary_b: str


_LINES = (files(__package__) / "demo.jsonl").read_text(encoding="utf-8").splitlines()
PAIRS = [DemoPair(**json.loads(line)) for line in _LINES]
EXPLAINED = PAIRS[-1]
