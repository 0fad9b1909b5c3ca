"""Support counts as a metric: what it counts, its evidence, its invariants, options and refusals.

The embedded model runs on short texts. Nothing here depends on how good it is, but for two things: a sentence
supports itself, and it does not support the opposite of itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from judges import WordJudge

from claimwise.errors import ClaimwiseError, RowsError
from claimwise.evidence import at_threshold
from claimwise.judges.local import NLIModel
from claimwise.metrics import SupportCounts
from claimwise.runners import local
from claimwise.text.sentences import Splitter

POOL, NOT_POOL, BAR, BED = (
    "The pool is warm.",
    "The pool is not warm.",
    "The bar is open.",
    "The bed is soft.",
)
REVIEWS = [f"{POOL} {BAR}", f"{NOT_POOL} It rained.", f"{POOL} {POOL}"]
few = settings(  # a model runs in each, so no shrinking either
    max_examples=5,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


@pytest.fixture(scope="module")
def metric_with(nli_model: NLIModel) -> Callable[..., SupportCounts]:
    """Return ``metric_with(**options)``, which counts sentences as the paper does."""
    return lambda **options: SupportCounts(judge=nli_model, **{"support": "sentences", **options})


@pytest.fixture(scope="module")
def compute(metric_with: Callable[..., SupportCounts]) -> Callable[..., dict[str, Any]]:
    """Return ``compute(summary, reviews, **options)``, the result for one summary."""

    def of_one(summary: str, reviews: str | list[str], **options: Any) -> dict[str, Any]:
        return metric_with(**options).compute(predictions=[summary], references=[reviews], details=True)

    return of_one


def claims(result: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the evidence of every claim."""
    return [claim for summary in result["support_counts_details"] for claim in summary["claims"]]


def sizes(result: dict[str, Any]) -> list[int]:
    return [claim["support"] for claim in claims(result)]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, 3),
        ({"count_distinct_reviews": True}, 2),
        ({"drop_repeated_sentences": True}, 1),
        ({"count_distinct_reviews": True, "drop_repeated_sentences": True}, 1),
    ],
)
def test_what_is_counted(
    compute: Callable[..., dict[str, Any]], options: dict[str, bool], expected: int
) -> None:
    assert sizes(compute(POOL, [POOL, f"{POOL} {POOL}"], **options)) == [expected]


def test_a_claim_with_three_supports_counts_and_one_with_fewer_does_not(
    compute: Callable[..., dict[str, Any]],
) -> None:
    result = compute(f"{POOL} {BAR}", [POOL, BAR, POOL, POOL])

    assert sizes(result) == [3, 1]
    assert result["support_counts"] == 0.5
    assert result["support_counts_percent"] == {"0": 0, "1": 50, "2": 0, "3": 50, "4": 0, "5+": 0}
    assert result["support_counts_percent_table_6"] == {"0": 0, "1": 50, "2-4": 50, "5+": 0}


def test_means_go_over_claims_not_over_summaries(metric_with: Callable[..., SupportCounts]) -> None:
    result = metric_with().compute(
        predictions=[POOL, f"{NOT_POOL} {NOT_POOL} {NOT_POOL}"],
        references=[[POOL] * 3, [POOL] * 3],
        details=True,
        confidence_level=0.9,
    )

    assert result["support_counts_scores"] == [1, 0]
    assert result["support_counts"] == 0.25
    assert result["support_counts_ci"][0] < 0.25 < result["support_counts_ci"][1]
    tops = [claim["top_score"] for claim in claims(result)]
    assert result["support_counts_top_score"] == pytest.approx(sum(tops) / 4)
    assert result["support_counts_top_score_scores"] == pytest.approx([tops[0], sum(tops[1:]) / 3])
    assert json.loads(json.dumps(result)) == result


def test_the_evidence_shows_what_supports_and_what_weakens_and_where_it_stands(
    compute: Callable[..., dict[str, Any]],
) -> None:
    (pool,) = claims(compute(POOL, REVIEWS))

    assert (pool["claim"], pool["sentence"]) == (POOL, POOL)
    places = {(found["review"], found["position"]) for found in pool["supporting"]}
    assert {(0, 0), (2, 0), (2, 1)} <= places
    assert (1, 0) not in places
    for found in [*pool["supporting"], *pool["weakening"], pool["best_premise"]]:
        assert Splitter()(REVIEWS[found["review"]])[found["position"]] == found["premise"]
    supporting = [found["score"] for found in pool["supporting"]]
    weakening = [found["score"] for found in pool["weakening"]]
    assert supporting == sorted(supporting, reverse=True)
    assert weakening == sorted(weakening)
    assert pool["support"] == len(supporting)
    assert all(score >= 0.75 for score in supporting)
    assert all(score <= -0.75 for score in weakening)
    assert pool["top_score"] == pytest.approx(pool["best_premise"]["score"], abs=1e-4)


def test_a_claim_without_support_still_shows_its_best_sentence(
    compute: Callable[..., dict[str, Any]],
) -> None:
    (claim,) = claims(compute(NOT_POOL, POOL))

    assert (claim["support"], claim["supporting"]) == (0, [])
    assert claim["best_premise"]["premise"] == POOL


@few
@given(
    reviews=st.lists(st.sampled_from([*REVIEWS, BAR, BED]), min_size=1, max_size=4),
    random=st.randoms(use_true_random=False),
)
def test_duplicated_added_and_permuted_reviews(
    compute: Callable[..., dict[str, Any]], reviews: list[str], random: Random
) -> None:
    summary = f"{POOL} {BAR}"
    before = compute(summary, reviews)

    duplicated = compute(summary, [*reviews, reviews[0]])
    assert all(b >= a for a, b in zip(sizes(before), sizes(duplicated), strict=True))
    added = compute(summary, [*reviews, "A dog barked."])
    assert added["support_counts_top_score"] >= before["support_counts_top_score"] - 1e-5
    permuted = compute(summary, random.sample(reviews, len(reviews)))
    assert sizes(permuted) == sizes(before)
    assert permuted["support_counts_top_score"] == pytest.approx(before["support_counts_top_score"], abs=1e-5)


def test_a_higher_threshold_never_counts_more(compute: Callable[..., dict[str, Any]]) -> None:
    counted = [sizes(compute(f"{POOL} {BED}", REVIEWS, threshold=t)) for t in (0, 0.5, 0.75, 1)]

    for lower, higher in pairwise(counted):
        assert all(b <= a for a, b in zip(lower, higher, strict=True))


def test_every_row_is_scored_against_its_own_source(metric_with: Callable[..., SupportCounts]) -> None:
    metric = metric_with()
    rows = [(POOL, [POOL] * 3), (POOL, f"{NOT_POOL} {NOT_POOL}"), (BED, [BED, POOL, BED, BED])]

    together = metric.compute(predictions=[s for s, _ in rows], references=[r for _, r in rows])

    assert together["support_counts_scores"] == [1, 0, 1]
    alone = [metric.compute(predictions=[s], references=[r])["support_counts_top_score"] for s, r in rows]
    assert together["support_counts_top_score_scores"] == pytest.approx(alone, abs=1e-3)


def test_the_signature_tells_what_was_counted(metric_with: Callable[..., SupportCounts]) -> None:
    assert "|threshold:0.75|count:sentences|repeated_sentences:keep" in metric_with().signature()
    other = metric_with(threshold=0.5, count_distinct_reviews=True, drop_repeated_sentences=True)
    assert "|threshold:0.5|count:reviews|repeated_sentences:drop" in other.signature()


@pytest.mark.parametrize("threshold", [-0.1, 75, float("nan")])
def test_a_threshold_that_no_score_can_have_is_refused(threshold: float) -> None:
    with pytest.raises(ClaimwiseError, match="`threshold` must be between 0 and 1"):
        SupportCounts(threshold=threshold)


@pytest.mark.parametrize(
    ("references", "row", "review"),
    [
        ([[POOL], []], 1, None),
        ([[POOL], ""], 1, None),
        ([[POOL], [" ", "N/A"]], 1, None),
        ([[POOL], [None]], 1, None),
        ([[POOL], [POOL, 7]], 1, 1),
        ([[POOL], None], 1, None),
        (None, None, None),
    ],
)
def test_a_source_that_cannot_be_read_is_refused_with_its_row(
    references: Any, row: int | None, review: int | None
) -> None:
    with pytest.raises(ClaimwiseError) as refused:
        SupportCounts(support="sentences").compute(predictions=[POOL, BAR], references=references)

    assert (refused.value.column, refused.value.row, refused.value.review) == ("references", row, review)


REVIEWS_OF_POOL = [f"{POOL} {BAR}", f"It rained. {POOL}", f"{BED} {POOL}", f"{NOT_POOL} {BED}"]


class TestWholeReviews:
    """The default: how many reviews support each sentence of the summary."""

    def test_a_sentence_that_three_reviews_support_counts_and_one_with_fewer_does_not(
        self, nli_model: NLIModel
    ) -> None:
        result = SupportCounts(judge=nli_model).compute(
            predictions=[f"{POOL} {BED} A dog barked."], references=[REVIEWS_OF_POOL], details=True
        )

        assert sizes(result) == pytest.approx([3, 2, 0], abs=0.3)
        assert result["support_counts"] == pytest.approx(1 / 3)
        assert result["support_counts_percent_table_6"] == pytest.approx(
            {"0": 100 / 3, "1": 0, "2-4": 200 / 3, "5+": 0}
        )
        assert 0 <= result["support_counts_top_score"] <= 1

    def test_a_review_that_says_it_thrice_counts_once(self, nli_model: NLIModel) -> None:
        reviews = [f"{POOL} {POOL} {POOL}", "It rained.", "A dog barked."]

        result = SupportCounts(judge=nli_model).compute(
            predictions=[POOL], references=[reviews], details=True
        )

        assert sizes(result) == pytest.approx([1], abs=0.1)
        (claim,) = claims(result)
        assert [found["review"] for found in claim["supporting"]] == [0]

    def test_the_size_is_the_sum_of_the_entailment_of_supporting_reviews(self, nli_model: NLIModel) -> None:
        result = SupportCounts(judge=nli_model).compute(
            predictions=[f"{POOL} {BED}"], references=[REVIEWS_OF_POOL], details=True
        )

        for claim in claims(result):
            supporting = [score for score in claim["scores"] if score >= 0.2]
            assert claim["support"] == pytest.approx(sum(supporting), abs=1e-5)
            assert len(claim["supporting"]) == len(supporting)
        (pool, _) = claims(result)
        assert [(found["review"], found["score"] < -0.5) for found in pool["weakening"]] == [(3, True)]

    def test_another_threshold_needs_no_model(self, nli_model: NLIModel) -> None:
        texts = {"predictions": [f"{POOL} {BED}"], "references": [REVIEWS_OF_POOL]}
        (evidence,) = SupportCounts(judge=nli_model).compute(**texts, details=True)["support_counts_details"]

        computed = SupportCounts(judge=nli_model, threshold=0.9).compute(**texts, details=True)

        assert at_threshold(evidence, 0.9).as_dict() == computed["support_counts_details"][0]

    def test_a_long_review_is_read_to_its_end_in_windows(self, nli_model: NLIModel) -> None:
        long = " ".join(f"On day {number} we walked to the lake and back again." for number in range(60))
        reviews = [f"{long} {POOL}", "It rained.", "A dog barked."]

        result = SupportCounts(judge=nli_model).compute(
            predictions=[POOL], references=[reviews], details=True
        )

        assert sizes(result) == pytest.approx([1], abs=0.2)
        assert result["support_counts_truncated"] == 0
        premises = [p for p in result["support_counts_details"][0]["premises"] if p["review"] == 0]
        assert len(premises) > 1
        assert all(len(premise["premise"].split()) <= 200 for premise in premises)
        for premise in premises:
            first = Splitter()(premise["premise"])[0]
            assert Splitter()(reviews[0])[premise["position"]] == first

    @pytest.mark.parametrize(
        "source",
        [
            pytest.param(f"{POOL} {POOL} {POOL}", id="one text"),
            pytest.param([POOL, POOL], id="two reviews"),
            pytest.param([POOL, POOL, "N/A"], id="two reviews with content"),
        ],
    )
    def test_a_source_without_three_reviews_is_refused_with_its_row(self, source: Any) -> None:
        texts = {"predictions": [POOL, POOL], "references": [[POOL, POOL, POOL], source]}
        metric = SupportCounts(judge=WordJudge())

        with pytest.raises(ClaimwiseError) as caught:
            metric.compute(**texts)

        assert (caught.value.column, caught.value.row) == ("references", 1)
        assert "support='sentences'" in caught.value.remedy
        assert SupportCounts(judge=WordJudge(), support="sentences").compute(**texts)["support_counts"] >= 0

    def test_every_such_source_is_named_and_the_other_rows_can_be_scored(self) -> None:
        texts = {"predictions": [POOL] * 3, "references": [[POOL], [POOL] * 3, [BAR]]}
        metric = SupportCounts(judge=WordJudge())

        with pytest.raises(RowsError) as caught:
            metric.compute(**texts)

        assert [error.row for error in caught.value.errors] == [0, 2]
        scored = local(on_error="row").compute(metric, **texts)
        assert [score is None for score in scored["support_counts_scores"]] == [True, False, True]

    @pytest.mark.parametrize("option", ["count_distinct_reviews", "drop_repeated_sentences"])
    def test_options_of_sentences_are_refused(self, option: str) -> None:
        with pytest.raises(ClaimwiseError) as caught:
            SupportCounts(**{option: True})

        assert caught.value.option == option

    def test_the_configurations_say_what_supports(self) -> None:
        assert SupportCounts().options.support == "reviews"
        assert SupportCounts("paper").options.support == "sentences"
        assert "|support:reviews|score:entailment|threshold:0.2|count:reviews|" in SupportCounts().signature()
        of_sentences = SupportCounts(support="sentences").signature()
        assert (
            "|support:sentences|score:entailment-contradiction|threshold:0.75|count:sentences" in of_sentences
        )
