"""A judge beside recorded verdicts."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from command import Run
from scoring import A, B

from claimwise.judges import NLIModel


def test_a_judge_is_compared_with_recorded_verdicts(
    run_paper: Run, tmp_path: Path, nli_model: NLIModel
) -> None:
    there, back = (
        nli_model.predict_pairs([pair[::way] for pair in zip(A, B, strict=True)]).probabilities
        for way in (1, -1)
    )
    rows = [
        {"set": "reference_contrastive", "sample": number, "claims_a": [a], "claims_b": [b]}
        | {"a_to_b": there[[[number]]].tolist(), "b_to_a": back[[[number]]].tolist()}
        for number, (a, b) in enumerate(zip(A, B, strict=True))
    ]
    path = tmp_path / "recorded_nli.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))

    done = run_paper("recorded_judge", path, "--judge", "default", "--option", "device=cpu")
    drawn = run_paper("recorded_judge", path, "--option", "device=cpu", "--pairs", "2")

    assert done.code == 0, done.err
    assert f"default and recorded:{path.name} agree on 100.0% of {2 * len(A)} pairs" in done.out
    assert f"% of 2 of {2 * len(A)} pairs" in drawn.out
