"""The recorded files of the CASPR paper, on small ones written for this project."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.papers.recorded import METRICS, read_recorded, read_verdicts
from claimwise.data.cocotrip import PAIR_CONFIGS
from claimwise.errors import ClaimwiseError

ENTAILED, NEUTRAL, CONTRADICTED = [0.9, 0.05, 0.05], [0.1, 0.8002, 0.1], [0.05, 0.05, 0.9]
VERDICTS: list[dict[str, Any]] = [
    {
        "set": "reference_contrastive",
        "sample": sample,
        "claims_a": ["The lift is slow.", "The bar is loud."],
        "claims_b": ["The lift is fast."],
        "a_to_b": [[CONTRADICTED], [NEUTRAL]],
        "b_to_a": [[CONTRADICTED, ENTAILED]],
    }
    for sample in (1, 0)  # in any order
]
SCORES: dict[str, Any] = {name: {metric: [40.0, 60.0] for metric in METRICS} for name in PAIR_CONFIGS}


def write_recorded(folder: Path, verdicts: list[dict[str, Any]], scores: dict[str, Any]) -> Path:
    folder.mkdir()
    with gzip.open(folder / "recorded_nli.jsonl.gz", "wt", encoding="utf-8") as out:
        out.writelines(json.dumps(row) + "\n" for row in verdicts)
    (folder / "recorded_scores.json").write_text(json.dumps(scores), encoding="utf-8")
    return folder


def test_verdicts_and_scores_are_read_in_the_order_of_the_pairs(tmp_path: Path) -> None:
    write_recorded(tmp_path / "cocotrip", VERDICTS, SCORES)

    found = read_recorded(tmp_path, 2)

    assert found is not None
    scores, verdicts = found
    assert scores["caspr"]["synthetic_contrast"].tolist() == [40, 60]
    assert set(verdicts) == {"reference_contrastive"}
    first, second = verdicts["reference_contrastive"]
    assert (first.sample, second.sample) == (0, 1)
    assert first.forward == pytest.approx(np.array([[CONTRADICTED], [NEUTRAL]]))
    assert first.backward == pytest.approx(np.array([[CONTRADICTED, ENTAILED]]))


def test_no_recorded_files_are_none_and_one_without_the_other_is_refused(tmp_path: Path) -> None:
    assert read_recorded(tmp_path, 2) is None
    folder = write_recorded(tmp_path / "cocotrip", VERDICTS, SCORES)
    (folder / "recorded_scores.json").unlink()
    with pytest.raises(ClaimwiseError, match=r"recorded_scores\.json.*benchmarks/papers/recorded\.md"):
        read_recorded(tmp_path, 2)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"claims_b": ["One.", "Two."]},
            r"line 2 cannot be read \(\(2, 2, 3\) probabilities are needed; got \(2, 1, 3\)",
        ),
        ({"b_to_a": [[CONTRADICTED, [0.9, 0.9, 0.9]]]}, r"line 2 cannot be read .*probabilities are needed"),
        ({"a_to_b": [[CONTRADICTED], []]}, "line 2"),
        ({"set": "contrastive"}, r"line 2 cannot be read \('contrastive' is not a set"),
    ],
)
def test_verdicts_of_another_layout_are_refused_by_line(
    tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    folder = write_recorded(tmp_path / "recorded", [VERDICTS[0], VERDICTS[1] | change], SCORES)
    with pytest.raises(ClaimwiseError, match=said):
        read_verdicts(folder / "recorded_nli.jsonl.gz")


@pytest.mark.parametrize(
    ("verdicts", "scores"),
    [
        (VERDICTS[:1], SCORES),
        (VERDICTS, SCORES | {"synthetic_contrast": {}}),
        (VERDICTS, SCORES | {"synthetic_contrast": {metric: [1.0] for metric in METRICS}}),
    ],
    ids=["a sample without verdicts", "a set without a metric", "a pair without a score"],
)
def test_incomplete_files_are_refused(tmp_path: Path, verdicts: list[Any], scores: dict[str, Any]) -> None:
    folder = write_recorded(tmp_path / "recorded", verdicts, scores)
    with pytest.raises(ClaimwiseError, match=r"incomplete.*every set needs 2 scores"):
        read_recorded(folder, 2)
