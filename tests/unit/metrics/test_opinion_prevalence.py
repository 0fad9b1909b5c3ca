"""Opinion prevalence as a metric: what counts, what counts 0, its evidence, invariants and refusals.

The judge counts words, so that every value can be computed by hand: a text entails a sentence as far as it
has the sentence's words.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from command import Run
from hypothesis import given
from hypothesis import strategies as st
from judges import WordJudge

from claimwise.errors import ClaimwiseError, TextError
from claimwise.evidence import PrevalenceEvidence, evidence_of, fragment
from claimwise.metrics import OpinionPrevalence

WARM, OPEN, LOUD = "The pool is warm.", "The bar is open.", "The lift is loud."
REVIEWS = ["The pool is warm and the bar is open.", "Warm is the pool.", "It rained.", "The pool is nice."]


def computed(summary: str | list[str], reviews: Any, **options: Any) -> dict[str, Any]:
    columns = {name: [options.pop(name)] for name in ("entities",) if name in options}
    metric = OpinionPrevalence(judge=WordJudge(longest=300), **{"threshold": 0.9, **options})
    return metric.compute(predictions=[summary], references=[reviews], details=True, **columns)


def sentences(result: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = result["opinion_prevalence_details"][0]["sentences"]
    return found


def verdicts(result: dict[str, Any]) -> list[str]:
    return [sentence["verdict"] for sentence in sentences(result)]


def test_the_score_is_the_mean_share_of_the_reviews() -> None:
    result = computed(f"{WARM} {OPEN} {LOUD}", REVIEWS)

    assert [sentence["counts"] for sentence in sentences(result)] == [0.5, 0.25, 0]
    assert result["opinion_prevalence"] == 0.25
    assert [sorted(p["review"] for p in one["reviews"]) for one in sentences(result)] == [[0, 1], [0], []]
    assert verdicts(result) == ["shared", "shared", "in no review"]


def test_summaries_count_equally_whatever_their_length() -> None:
    metric = OpinionPrevalence(judge=WordJudge(), threshold=0.9)

    result = metric.compute(predictions=[WARM, f"{LOUD} {OPEN} It rained."], references=[[WARM], [LOUD]])

    assert result["opinion_prevalence_scores"] == [1, pytest.approx(1 / 3)]
    assert result["opinion_prevalence"] == pytest.approx(2 / 3)


def test_a_repeated_or_implied_sentence_counts_0_and_the_evidence_says_why() -> None:
    result = computed(
        f"The pool is warm and big. {OPEN} {WARM}", ["The pool is warm and big. The bar is open."]
    )

    assert verdicts(result) == ["shared", "shared", "redundant"]
    assert result["opinion_prevalence"] == pytest.approx(2 / 3)
    last = sentences(result)[-1]
    assert last["implied_by"] == {"text": "The pool is warm and big.", "entailment": 1}
    assert last["counts"] == 0
    assert len(last["reviews"]) == 1


@pytest.mark.parametrize(
    ("summary", "options", "expected"),
    [
        ("I bought this product.", {}, "trivial"),
        ("I bought the lamp.", {}, "shared"),
        ("I bought the lamp.", {"entities": "the lamp"}, "trivial"),
        ("I bought 7.", {"entities": 7}, "trivial"),
        ("I stayed here.", {"trivial": "Here I stayed."}, "trivial"),
        ("I stayed at Inn.", {"trivial": "I stayed at {entity}.", "entities": "Inn"}, "trivial"),
        ("I bought this product.", {"trivial": ""}, "shared"),
    ],
)
def test_what_is_true_of_any_buyer_is_trivial(summary: str, options: dict[str, Any], expected: str) -> None:
    result = computed(summary, [summary], **options)

    assert verdicts(result) == [expected]
    assert result["opinion_prevalence"] == (expected == "shared")


def test_a_trivial_text_that_needs_an_entity_is_refused_without_one() -> None:
    with pytest.raises(ClaimwiseError) as raised:
        computed(WARM, [WARM], trivial="I stayed at {entity}.")

    assert (raised.value.option, raised.value.row) == ("trivial", 0)


@pytest.mark.parametrize(
    ("summary", "review", "column"), [("\x1b[31m", WARM, "predictions"), (WARM, "\x1b[31m", "references")]
)
def test_a_text_without_sentences_is_refused_with_its_row(summary: str, review: str, column: str) -> None:
    with pytest.raises(TextError) as raised:
        computed(summary, review)

    assert (raised.value.column, raised.value.row) == (column, 0)


def test_only_reviews_with_content_count() -> None:
    result = computed(WARM, ["N/A", WARM, "", LOUD])

    assert result["opinion_prevalence"] == 0.5
    assert result["opinion_prevalence_blank_reviews"] == 2
    assert result["opinion_prevalence_details"][0]["number_of_reviews"] == 2
    assert [premise["review"] for premise in sentences(result)[0]["reviews"]] == [1]


def test_a_source_of_one_text_is_one_review() -> None:
    assert computed(f"{WARM} {LOUD}", f"{WARM} It rained.")["opinion_prevalence"] == 0.5


def test_a_long_review_is_read_to_its_end_and_counts_once() -> None:
    filler = " ".join(f"On day {number} it rained." for number in range(60))
    result = computed(WARM, [f"{WARM} {filler} {filler} {WARM}", LOUD])

    assert result["opinion_prevalence"] == 0.5
    assert result["opinion_prevalence_truncated"] == 0
    (premise,) = sentences(result)[0]["reviews"]
    assert premise["review"] == 0
    assert len(premise["premise"].split()) <= 200


def test_the_unit_may_be_given_or_made_by_a_decomposer() -> None:
    both = "The pool is warm and the bar is open."
    given = computed([WARM, OPEN], REVIEWS)
    made = computed(both, REVIEWS, decomposer=lambda texts: [[WARM, OPEN] for _ in texts])

    assert given["opinion_prevalence"] == made["opinion_prevalence"] == 0.375
    assert computed(both, REVIEWS)["opinion_prevalence"] == 0.25


def test_the_threshold_is_the_least_probability_that_counts() -> None:
    half = "The pool is cold."  # three of four words
    assert computed(half, [WARM], threshold=0.75)["opinion_prevalence"] == 1
    assert computed(half, [WARM], threshold=0.76)["opinion_prevalence"] == 0


few_words = st.sampled_from(["pool", "bar", "warm", "open", "not", "loud"])
texts = st.lists(few_words, min_size=1, max_size=4).map(lambda words: f"The {' '.join(words)}.")


@given(st.lists(texts, min_size=1, max_size=5), st.lists(texts, min_size=1, max_size=5), st.integers())
def test_invariants(summary: list[str], reviews: list[str], seed: int) -> None:
    def counts(summary: list[str], reviews: list[str]) -> list[float]:
        result = computed(summary, reviews, threshold=0.6)
        found = [sentence["counts"] for sentence in sentences(result)]
        assert result["opinion_prevalence"] == pytest.approx(sum(found) / len(found))
        return found

    before = counts(summary, reviews)
    shuffled = Random(seed).sample(reviews, len(reviews))

    assert all(0 <= share <= 1 for share in before)
    assert counts(summary, shuffled) == before
    assert counts(summary, reviews * 2) == before
    assert counts([*summary, summary[seed % len(summary)]], reviews) == [*before, 0]
    assert counts([*summary, "The pool is wet."], reviews)[:-1] == before  # what follows changes nothing


def test_evidence_is_read_back_and_drawn() -> None:
    summary = f"The pool & bar are warm. I bought this product. {LOUD}"
    (details,) = computed(summary, [WARM, *REVIEWS])["opinion_prevalence_details"]

    typed = evidence_of(json.loads(json.dumps(details)))

    assert isinstance(typed, PrevalenceEvidence)
    assert typed.as_dict() == details
    drawn = fragment(typed)
    assert "pool &amp; bar" in drawn
    assert "counts 0" in drawn
    assert "Closest" in drawn


def test_explain_reads_several_reviews_and_prints_them(run: Run) -> None:
    done = run("explain", "opinion_prevalence", f"{WARM} {WARM}", json.dumps([WARM, LOUD]))

    assert done.code == 0, done.err
    for text in ("✓ shared 1 of 2", "= redundant", f"implied by “{WARM}”", f"[1.1] {WARM}"):
        assert text in done.out
