"""Reading recorded evidence: files of the released form, written here."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.papers.zs_summ import read_idf_corpus, read_published, read_reviews, read_system, systems
from claimwise.errors import ClaimwiseError

CLAIM = {
    "claim": "The bar is open.",
    "score": 0.9,
    "support": [["The bar never closes.", 0.9], ["It is a bar.", 0.1]],
    "weaken": [["The bar was shut.", -0.8]],
}
SUMMARY = {
    "system": "mine",
    "entity": "7",
    "aspect": None,
    "summary": "The bar is open. It rains.",
    "sentences": [
        {"sentence": "The bar is open.", "claims": [CLAIM]},
        {"sentence": "It rains.", "claims": [CLAIM | {"claim": "It rains."}]},
    ],
}


def write(path: Path, *lines: Any) -> None:
    path.parent.mkdir(exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "towns" / "mine.jsonl.gz", SUMMARY)
    write(tmp_path / "towns" / "its-twin.jsonl.gz", SUMMARY, SUMMARY)
    write(tmp_path / "towns" / "idf_corpus.jsonl.gz", "The bar is open.", "It rains.")
    write(
        tmp_path / "towns" / "reviews.jsonl.gz",
        {"entity": "7", "complete": True, "reviews": ["The bar never closes.", "It is a bar."]},
        {"entity": "8", "complete": False, "sentences": ["The bar was shut."]},
    )
    published = {"towns": {"mine": {"top_score": 0.9}}, "notes": {}, "source": "here"}
    (tmp_path / "published.json").write_text(json.dumps(published), encoding="utf-8")
    return tmp_path


def test_whatever_systems_lie_in_the_folder_are_found(folder: Path) -> None:
    assert systems(folder) == [("towns", "its-twin"), ("towns", "mine")]


def test_a_summary_comes_with_its_claims_and_their_evidence(folder: Path) -> None:
    (summary,) = read_system(folder, "towns", "mine")

    assert (summary.entity, summary.aspect, summary.summary) == ("7", None, SUMMARY["summary"])
    assert [sentence.sentence for sentence in summary.sentences] == ["The bar is open.", "It rains."]
    assert [claim.claim for claim in summary.claims] == ["The bar is open.", "It rains."]
    assert [(s.sentence, s.score) for s in summary.claims[0].support] == [
        ("The bar never closes.", 0.9),
        ("It is a bar.", 0.1),
    ]
    assert [s.score for s in summary.claims[0].weaken] == [-0.8]


def test_reviews_corpus_and_published_numbers(folder: Path) -> None:
    reviews = read_reviews(folder, "towns")

    assert reviews["7"].reviews == ("The bar never closes.", "It is a bar.")
    assert (reviews["8"].complete, reviews["8"].reviews) == (False, ())
    assert reviews["8"].sentences == ("The bar was shut.",)
    assert read_idf_corpus(folder, "towns") == ["The bar is open.", "It rains."]
    assert read_published(folder) == {"towns": {"mine": {"top_score": 0.9}}}


def test_what_cannot_be_read_is_refused_with_its_place(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ClaimwiseError, match=r"nobody\.jsonl\.gz"):
        read_system(folder, "towns", "nobody")
    write(folder / "towns" / "broken.jsonl.gz", SUMMARY, {"summary": "x", "sentences": [{"sentence": "x"}]})
    with pytest.raises(ClaimwiseError, match=r"broken\.jsonl\.gz, line 2"):
        read_system(folder, "towns", "broken")
    (folder / "towns" / "cut.jsonl.gz").write_bytes((folder / "towns" / "mine.jsonl.gz").read_bytes()[:40])
    with pytest.raises(ClaimwiseError, match=r"cut\.jsonl\.gz"):
        systems(folder)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ClaimwiseError, match="No recorded system"):
        systems(tmp_path / "empty")
    with pytest.raises(ClaimwiseError, match=r"published\.json"):
        read_published(tmp_path / "empty")
