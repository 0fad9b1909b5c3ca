"""The guard against vacuous claims, with the embedded model."""

from __future__ import annotations

import json
from typing import Any

import pytest

from claimwise.errors import ClaimwiseError
from claimwise.judges import NLIModel, vacuous
from claimwise.judges.vacuous import THRESHOLD, UNRELATED_PREMISES, find_vacuous, vacuous_shares
from claimwise.metrics import Caspr, Metric, SummacZs, SupportCounts

A = "The pool was closed. The staff were kind."
B = "Parking costs twenty euros a night."


def test_a_claim_is_vacuous_when_enough_unrelated_premises_entail_it(nli_model: NLIModel) -> None:
    claims = ["The hotel has a golf course.", "Things happened.", "The hotel has a golf course."]
    shares = vacuous_shares(nli_model, claims)
    assert all(0 <= share <= 1 for share in shares)
    assert shares[0] == shares[2] == 0
    assert find_vacuous(nli_model, claims) == {
        claim for claim, share in zip(claims, shares, strict=True) if share >= THRESHOLD
    }


@pytest.mark.slow
def test_what_a_premise_of_the_bank_says_is_not_vacuous(nli_model: NLIModel) -> None:
    """Each premise entails itself, and hardly any other: far from the threshold."""
    assert max(vacuous_shares(nli_model, UNRELATED_PREMISES)) < THRESHOLD


@pytest.mark.parametrize("choice", ["keep", "drop", "flag"])
def test_summaries_without_vacuous_claims_score_alike(nli_model: NLIModel, choice: str) -> None:
    result = Caspr(judge=nli_model, vacuous_claims=choice).compute(predictions=[A], references=[B])
    assert result["caspr_vacuous"] == 0
    assert (
        result["caspr_scores"]
        == Caspr(judge=nli_model).compute(predictions=[A], references=[B])["caspr_scores"]
    )
    assert f"vacuous_claims:{choice}" in result["caspr_signature"]


@pytest.fixture
def pool_is_vacuous(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bank in which every premise speaks of the pool, so that a claim about it is entailed by them all."""
    monkeypatch.setattr(vacuous, "UNRELATED_PREMISES", ("The pool was closed.", "The pool was shut."))


ALL = pytest.mark.parametrize("metric", [Caspr, SummacZs, SupportCounts])


def compute(metric: type[Metric], nli_model: NLIModel, choice: str, summary: str = A) -> dict[str, Any]:
    options = {"support": "sentences", "decomposer": "default"} if metric is SupportCounts else {}
    made = metric(judge=nli_model, vacuous_claims=choice, **options)
    return made.compute(predictions=[summary], references=[B], details=True)


@ALL
def test_dropped_claims_count_no_more(
    metric: type[Metric], nli_model: NLIModel, pool_is_vacuous: None
) -> None:
    dropped = compute(metric, nli_model, "drop")
    without = compute(metric, nli_model, "keep", "The staff were kind.")
    assert dropped[f"{metric.name}_scores"] == without[f"{metric.name}_scores"]
    assert dropped[f"{metric.name}_vacuous"] == 1
    assert "The pool was closed." in json.dumps(dropped[f"{metric.name}_details"])
    assert "vacuous_claims:drop" in dropped[f"{metric.name}_signature"]


@ALL
def test_flagged_claims_are_named_and_still_count(
    metric: type[Metric], nli_model: NLIModel, pool_is_vacuous: None
) -> None:
    flagged, kept = (compute(metric, nli_model, choice) for choice in ("flag", "keep"))
    assert flagged[f"{metric.name}_scores"] == kept[f"{metric.name}_scores"]
    assert flagged[f"{metric.name}_vacuous"] == 1
    assert kept[f"{metric.name}_vacuous"] == 0


@ALL
def test_a_summary_of_vacuous_claims_alone_keeps_them(
    metric: type[Metric], nli_model: NLIModel, pool_is_vacuous: None
) -> None:
    dropped = compute(metric, nli_model, "drop", "The pool was closed.")
    kept = compute(metric, nli_model, "keep", "The pool was closed.")
    assert dropped[f"{metric.name}_scores"] == kept[f"{metric.name}_scores"]


@ALL
def test_an_unknown_choice_is_refused(metric: type[Metric]) -> None:
    with pytest.raises(ClaimwiseError, match="`keep`, `drop`, `flag`"):
        metric(vacuous_claims="hide")
