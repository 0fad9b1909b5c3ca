"""CASPR as a metric: its evidence, its configurations, its signature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pytest
from scoring import A, B, parts, scores

from claimwise.apps.demo import PAIRS
from claimwise.errors import ClaimwiseError
from claimwise.judges import NLIModel
from claimwise.judges.protocol import Judgements
from claimwise.labels import LABELS
from claimwise.metrics import Caspr


def test_details_hold_the_claims_of_both_sides_and_the_label_of_every_comparison(
    nli_model: NLIModel,
) -> None:
    result = Caspr(judge=nli_model, decomposer="sentences").compute(
        predictions=["The pool is warm. The bar is open."],
        references=["The pool is cold. The beds are soft. The bar is closed."],
        details=True,
    )
    (found,) = result["caspr_details"]

    assert [claim["claim"] for claim in found["claims_a"]] == ["The pool is warm.", "The bar is open."]
    assert [claim["claim"] for claim in found["claims_b"]] == [
        "The pool is cold.",
        "The beds are soft.",
        "The bar is closed.",
    ]
    assert [len(row) for row in found["labels"]] == [3, 3]
    assert {label for row in found["labels"] for label in row} <= {"entailment", "neutral", "contradiction"}


def test_table_1_of_the_caspr_paper(caspr: Caspr) -> None:
    """Section 3.1: a paraphrase has no contrast, a negation nothing but contrast."""
    found = scores(
        caspr,
        ["The hotel is sparkly clean.", "The hotel is clean."],
        ["The hotel was kept very tidy.", "The hotel is not clean"],
    )
    assert found == [0, 100]


def test_the_demo_tells_the_same_from_the_opposite(caspr: Caspr) -> None:
    """Pairs written for the project: said twice, opposite, other aspects, negated, partly the same."""
    same, opposite, different, negated, partly = scores(
        caspr, [pair.summary_a for pair in PAIRS], [pair.summary_b for pair in PAIRS]
    )
    assert same == 0
    assert opposite == different == negated == 100
    assert 0 < partly < 100


def test_every_claim_comes_from_a_sentence_of_its_summary(caspr: Caspr) -> None:
    result = caspr.compute(predictions=A, references=B, details=True)

    for a, b, found in zip(A, B, result["caspr_details"], strict=True):
        assert all(claim["sentence"] in a for claim in found["claims_a"])
        assert all(claim["sentence"] in b for claim in found["claims_b"])


def test_the_score_follows_from_the_evidence(caspr: Caspr) -> None:
    result = caspr.compute(predictions=A, references=B, details=True)

    for found in result["caspr_details"]:
        labels = found["labels"]
        sides = [
            (found["claims_a"], found["claims_b"], labels),
            (found["claims_b"], found["claims_a"], [list(column) for column in zip(*labels, strict=True)]),
        ]
        for own, other, rows in sides:
            for claim, row in zip(own, rows, strict=True):
                check_claim(claim, row, [of_other["claim"] for of_other in other])
        claim_scores = [claim["score"] for claim in found["claims_a"] + found["claims_b"]]
        mean = sum(claim_scores) / len(claim_scores)
        assert found["score"] == pytest.approx((mean + 1) / 2 * 100)
    for found in result["caspr_details"]:
        claims = found["claims_a"] + found["claims_b"]
        contrasting = sum(decided_by_strength(claim) != "entailment" for claim in claims)
        assert found["strongest"] == pytest.approx(100 * contrasting / len(claims))
    assert result["caspr_strongest_scores"] == [found["strongest"] for found in result["caspr_details"]]


def decided_by_strength(claim: dict[str, Any]) -> str | None:
    """Return the label of the comparison with the highest confidence among those that decide a claim."""
    if "strongest" not in claim:
        assert not claim["related"]
        return None
    certainty = {
        reason["index"]: (reason["as_premise"][place] + reason["as_hypothesis"][place]) / 2
        for reason in claim["related"]
        for place in [LABELS.index(reason["label"])]
    }
    assert certainty[claim["strongest"]] == pytest.approx(max(certainty.values()), abs=1e-4)
    (label,) = (r["label"] for r in claim["related"] if r["index"] == claim["strongest"])
    return str(label)


def check_claim(claim: dict[str, Any], labels: list[str], other: list[str]) -> None:
    """Check that the evidence of one claim names all that decided it and leads to its score."""
    related = claim["related"]
    named = {reason["index"]: reason["label"] for reason in related}
    assert named == {index: label for index, label in enumerate(labels) if label != "neutral"}
    assert all(reason["claim"] == other[reason["index"]] for reason in related)
    for reason in related:
        for probabilities in (reason["as_premise"], reason["as_hypothesis"]):
            assert sum(probabilities) == pytest.approx(1, abs=1e-3)
    contradictions, entailments = labels.count("contradiction"), labels.count("entailment")
    if not related:
        assert (claim["verdict"], claim["score"]) == ("stands alone", 1)
    elif contradictions > entailments:
        assert (claim["verdict"], claim["score"]) == ("contradicts", 1)
    else:
        assert (claim["verdict"], claim["score"]) == ("agrees", -1)


def test_the_paper_configuration_of_caspr_without_a_key_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)

    with pytest.raises(ClaimwiseError, match="OPENAI_API_KEY"):
        Caspr("paper").compute(predictions=A, references=B)


def test_keywords_override_a_configuration() -> None:
    metric = Caspr("paper", judge="default", decomposer="sentences", device="cpu", dtype="float32")

    result = metric.compute(predictions=A[:1], references=B[:1])

    assert 0 <= result["caspr"] <= 100
    assert "|config:paper|judge:default|" in result["caspr_signature"]
    assert "|decomposer:sentences|" in result["caspr_signature"]


def test_the_signature_of_caspr_changes_with_what_changes_its_scores(
    caspr: Caspr, nli_model: NLIModel
) -> None:
    base = parts(caspr)
    variants = {
        "decomposer": Caspr(judge=nli_model, decomposer="sentences"),
        "config": Caspr("paper", judge=nli_model, decomposer="default"),
    }

    for key, variant in variants.items():
        assert parts(variant)[key] != base[key]
    assert parts(Caspr(judge=nli_model)) == base


def test_equal_claims_agree_whatever_the_judge_says() -> None:
    class Contrary:
        signature: ClassVar[dict[str, str]] = {"judge": "contrary"}
        fingerprint = "contrary"

        def predict_pairs(self, pairs: Sequence[tuple[str, str]]) -> Judgements:
            scores = np.tile(np.array([0.0, 0.1, 0.9], dtype=np.float32), (len(pairs), 1))
            return Judgements(scores, np.zeros(len(pairs), dtype=np.bool_))

    metric = Caspr(judge=Contrary(), decomposer="sentences")
    assert metric.compute(predictions=["Ja, sicher."], references=["Ja, sicher."])["caspr"] == 0
    assert metric.compute(predictions=["Ja, sicher."], references=["Nein."])["caspr"] == 100
