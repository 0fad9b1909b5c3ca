"""Extracts beside recorded summaries, from a small recording of our own."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.papers.summaries import ASPECTS, reproduce_summaries

REVIEWS = {
    "a": ["The rooms are large. The food was cold.", "Clean rooms. Good food! We flew home."],
    "b": ["Small rooms. The food is rich.", "The rooms are quiet. They serve food at noon."],
}
GOLD = {"rooms": "The rooms are good.", "food": "The food was cold."}
CLUSTER = ["the rooms are large .", "Nobody wrote this."]


def write(path: Path, lines: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)


@pytest.mark.slow
def test_extracts_stand_beside_recorded_summaries_in_tables_whose_heads_fit(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "zs_summ"
    reviews = [{"entity": entity, "reviews": texts} for entity, texts in REVIEWS.items()]
    for dataset, of_aspect in (("space", GOLD), ("fewsum", {None: "It rained all day."})):
        write(folder / dataset / "reviews.jsonl.gz", reviews)
        summaries = [
            {"system": "own", "entity": entity, "aspect": aspect, "summary": text, "sentences": []}
            for entity in REVIEWS
            for aspect, text in of_aspect.items()
        ]
        write(folder / dataset / "own.jsonl.gz", summaries)
    gold = [{"entity": entity, "gold": {a: [[text]] for a, text in GOLD.items()}} for entity in REVIEWS]
    write(folder / "space" / "gold.jsonl.gz", gold)
    clusters = [{"entity": "a", "aspect": aspect, "sentences": CLUSTER} for aspect in ASPECTS]
    write(folder / "clusters.jsonl.gz", clusters)

    results = reproduce_summaries(tmp_path / "data", tmp_path)

    space = results["space"]
    assert (space["summaries"], space["entities"], results["fewsum"]["summaries"]) == (4, 2, 2)
    assert space["rouge"]["own"] == pytest.approx([100, 100, 100])
    assert {"q, judge", "q, keywords", "tq, lexrank"} < space["rouge"].keys()
    assert results["topics"]["rooms"][0] == 0.5  # one of two recorded sentences is in the reviews
    written = (tmp_path / "results.md").read_text("utf-8")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in written.splitlines() if "|" in line]
    head, own = rows[0], next(row for row in rows if row[:2] == ["abstractiveness", "own"])
    line = next(one for one in space["lines"] if (one["metric"], one["system"]) == tuple(own[:2]))
    shown = dict(zip(head, own, strict=True))
    assert float(shown["difference"]) == pytest.approx(line["difference"], abs=0.006)
    assert float(shown["p (Holm)"]) == pytest.approx(line["p_holm"], abs=0.0006)
    assert "Differences are from `q, lexrank`." in written
    assert all(f"- `{line}`" in written for line in results["signatures"])
    assert json.loads((tmp_path / "results.json").read_text("utf-8"))["space"] == space
