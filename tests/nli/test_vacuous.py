"""The guard against vacuous claims, with the embedded model."""

from __future__ import annotations

import pytest

from claimwise.errors import ClaimwiseError
from claimwise.nli import NLIModel
from claimwise.nli.vacuous import THRESHOLD, UNRELATED_PREMISES, find_vacuous, vacuous_shares
from claimwise.pipeline import Caspr

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


def test_what_a_premise_of_the_bank_says_is_not_vacuous(nli_model: NLIModel) -> None:
    """Each premise entails itself, and hardly any other: far from the threshold."""
    assert max(vacuous_shares(nli_model, UNRELATED_PREMISES)) < THRESHOLD


@pytest.mark.parametrize("choice", ["keep", "drop", "flag"])
def test_summaries_without_vacuous_claims_score_alike(nli_model: NLIModel, choice: str) -> None:
    result = Caspr(nli_model=nli_model, vacuous_claims=choice).compute(predictions=[A], references=[B])
    assert result["caspr_vacuous"] == 0
    assert (
        result["caspr_scores"]
        == Caspr(nli_model=nli_model).compute(predictions=[A], references=[B])["caspr_scores"]
    )
    assert f"vacuous_claims:{choice}" in result["caspr_signature"]


def test_an_unknown_choice_is_refused() -> None:
    with pytest.raises(ClaimwiseError, match="'keep', 'drop', 'flag'"):
        Caspr(vacuous_claims="hide")
