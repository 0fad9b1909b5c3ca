"""Support evidence from scores: as recorded, and the same for any threshold."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from evidence_examples import golden_cases

from claimwise.errors import ClaimwiseError
from claimwise.evidence import SupportEvidence, at_threshold, counted, evidence_of
from claimwise.evidence.support import SourcePremise, support_sizes
from claimwise.scores.support import top_score

CASES = [case for case in golden_cases("support_counts") if not case.name.startswith("whole reviews")]
THRESHOLDS = (0.0, 0.05, 0.7, 0.75, 1.0)


def recounted(evidence: dict[str, Any], threshold: float) -> SupportEvidence:
    """Return what ``counted`` makes of the texts and scores of recorded evidence."""
    found = evidence_of(evidence, SupportEvidence)
    assert found.premises is not None
    counting = {
        "count_distinct_reviews": found.count_distinct_reviews,
        "drop_repeated_sentences": found.drop_repeated_sentences,
    }
    scores = np.array([claim["scores"] for claim in evidence["claims"]], dtype=np.float32)
    return counted(
        [claim.claim for claim in found.claims],
        [claim.sentence for claim in found.claims],
        found.premises,
        scores,
        support_sizes(scores, found.premises, threshold, **counting),
        [top_score(row) for row in scores],
        threshold=threshold,
        vacuous=found.vacuous,
        **counting,
    )


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_scores_give_the_golden_evidence_and_every_threshold_the_evidence_of_that_threshold(
    case: Any,
) -> None:
    for evidence in case.details:
        assert recounted(evidence, evidence["threshold"]).as_dict() == evidence
        for threshold in THRESHOLDS:
            expected = recounted(evidence, threshold)
            assert at_threshold(evidence, threshold) == expected
            assert at_threshold(expected, evidence["threshold"]).as_dict() == evidence


def test_a_score_at_the_threshold_supports_and_one_at_its_opposite_weakens() -> None:
    premises = [SourcePremise(premise=f"{n} rooms.", review=0, position=n) for n in range(4)]
    scores = np.array([[0.5, -0.5, 0.25, -0.25]], dtype=np.float32)
    sizes = support_sizes(scores, premises, 0.5)

    (claim,) = counted(["Rooms."], ["Rooms."], premises, scores, sizes, [0.5], threshold=0.5).claims

    assert claim.support == 1
    assert [found.position for found in claim.supporting] == [0]
    assert [found.position for found in claim.weakening] == [1]


def test_a_threshold_changes_nothing_that_it_need_not() -> None:
    found = evidence_of(CASES[0].details[0], SupportEvidence)
    assert found.threshold is not None

    assert at_threshold(found, found.threshold) is found
    assert at_threshold(found, 0.01) != found
    assert found.sizes == {**dict.fromkeys("01234", 0), "5+": 0} | {
        size: sum(min(claim.support, 5) == int(size[0]) for claim in found.claims) for size in found.sizes
    }


def test_a_threshold_or_evidence_that_cannot_be_is_refused() -> None:
    found = evidence_of(CASES[0].details[0], SupportEvidence)

    for threshold in (2, -0.1, float("nan")):
        with pytest.raises(ClaimwiseError, match="between 0 and 1") as caught:
            at_threshold(found, threshold)
        assert caught.value.option == "threshold"
    without = (
        replace(found, premises=None),
        replace(found, premises=()),
        replace(found, claims=tuple(replace(claim, scores=None) for claim in found.claims)),
        replace(found, claims=tuple(replace(claim, scores=(0.5,)) for claim in found.claims)),
    )
    for evidence in without:
        with pytest.raises(ClaimwiseError, match=r"no scores of its premises.*details=True"):
            at_threshold(evidence, 0.5)
    with pytest.raises(ClaimwiseError, match="support evidence"):
        at_threshold({"kind": "tokens"}, 0.5)
