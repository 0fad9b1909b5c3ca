"""SummaC-ZS over texts: granularities, retrieval, evidence, truncation, configurations, refusals."""

from __future__ import annotations

import json
import random
import weakref
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from claimwise import LLMDecomposer
from claimwise.errors import ClaimwiseError
from claimwise.judges.local import NLIModel
from claimwise.metrics import SummacZs
from claimwise.text.sentences import Splitter

REVIEWS = [
    "The pool is warm. The bar closes early.\n\nThe staff were rude. Parking is free.",
    "Breakfast costs extra.",
    "The bar is open all night. Towels were changed daily.",
]
SENTENCES = [
    "The pool is warm.",
    "The bar closes early.",
    "The staff were rude.",
    "Parking is free.",
    "Breakfast costs extra.",
    "The bar is open all night.",
    "Towels were changed daily.",
]
TWO_SENTENCES = [
    "The pool is warm. The bar closes early.",
    "The bar closes early. The staff were rude.",
    "The staff were rude. Parking is free.",
    "Parking is free.",
    "Breakfast costs extra.",
    "The bar is open all night. Towels were changed daily.",
    "Towels were changed daily.",
]
SUMMARY = ["Parking costs nothing.", "The bar shuts early."]
UNRELATED = "The lecturer returned our homework after three weeks."
few = settings(  # a model runs in each, so no shrinking either
    max_examples=4,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)
some_reviews = st.lists(st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=2), min_size=1, max_size=3)
some_summary = st.lists(st.sampled_from([*SENTENCES, *SUMMARY]), min_size=1, max_size=2)


def compute(
    nli_model: NLIModel,
    summary: str,
    source: str | Sequence[str],
    config_name: str = "default",
    **options: Any,
) -> dict[str, Any]:
    """Score one summary, with its evidence."""
    metric = SummacZs(config_name, judge=nli_model, **options)
    return metric.compute(predictions=[summary], references=[source], details=True)


def score(*arguments: Any, **options: Any) -> float:
    return float(compute(*arguments, **options)["summac_zs"])


def entailments(nli_model: NLIModel, premises: Sequence[str], hypotheses: Sequence[str] = SUMMARY) -> Any:
    (matrix,) = nli_model.matrices([(premises, hypotheses)])
    return matrix[:, :, 0]


# ---------------------------------------------------------------------------------------------
# Scores
# ---------------------------------------------------------------------------------------------


def test_three_documents_give_three_scores_in_order_and_their_mean(nli_model: NLIModel) -> None:
    summaries = ["The pool is warm.", "The pool is warm.", "Parking is free. The pool is warm."]
    sources: list[str | list[str]] = ["The pool is warm.", UNRELATED, REVIEWS]
    metric = SummacZs(judge=nli_model)

    result = metric.compute(predictions=summaries, references=sources)

    same, unrelated, reviews = result["summac_zs_scores"]
    assert unrelated < 0.5 < min(same, reviews)
    assert result["summac_zs"] == pytest.approx((same + unrelated + reviews) / 3)
    alone = [score(nli_model, *row) for row in zip(summaries, sources, strict=True)]
    assert alone == pytest.approx([same, unrelated, reviews], abs=1e-3)


@pytest.mark.parametrize(
    ("granularity", "premises"),
    [
        ("sentence", SENTENCES),
        ("two_sentences", TWO_SENTENCES),
        (
            "paragraph",
            [
                "The pool is warm. The bar closes early.",
                "The staff were rude. Parking is free.",
                *REVIEWS[1:],
            ],
        ),
        ("document", [" ".join(REVIEWS)]),
    ],
)
def test_the_score_is_the_mean_over_sentences_of_the_best_premise(
    nli_model: NLIModel, granularity: str, premises: list[str]
) -> None:
    best = entailments(nli_model, premises).max(axis=0)

    found = score(nli_model, " ".join(SUMMARY), REVIEWS, premise_granularity=granularity)

    assert found == pytest.approx(best.mean(), abs=1e-3)


def test_paragraphs_end_at_line_breaks_where_there_is_no_blank_line(nli_model: NLIModel) -> None:
    source = "Parking is free.\n  \t\n***\nThe bar closes early. The pool is warm.\r\n"
    with_blank_line = entailments(nli_model, ["Parking is free.", "The bar closes early. The pool is warm."])
    without = entailments(nli_model, ["Parking is free.", "The bar closes early. The pool is warm."])

    for text, matrix in ((source, with_blank_line), (source.replace("\n  \t\n", "\n") + "\n\n", without)):
        found = score(nli_model, " ".join(SUMMARY), text, premise_granularity="paragraph")
        assert found == pytest.approx(matrix.max(axis=0).mean(), abs=1e-3)


def test_a_document_hypothesis_is_the_whole_summary(nli_model: NLIModel) -> None:
    summary = " ".join(SUMMARY)

    found = score(nli_model, summary, REVIEWS, hypothesis_granularity="document")

    assert found == pytest.approx(entailments(nli_model, TWO_SENTENCES, [summary]).max(), abs=1e-3)


def split_at_commas(sentences: Sequence[str]) -> list[list[str]]:
    return [sentence.split(", ") for sentence in sentences]


def test_claims_are_averaged_by_sentence_or_all_alike(nli_model: NLIModel) -> None:
    summary = "Parking is free, the pool is warm, the staff were rude. Breakfast costs extra."
    a, b, c, d = entailments(
        nli_model,
        TWO_SENTENCES,
        ["Parking is free", "the pool is warm", "the staff were rude.", "Breakfast costs extra."],
    ).max(axis=0)
    options: dict[str, Any] = {"hypothesis_granularity": "claim", "decomposer": split_at_commas}

    by_sentence = score(nli_model, summary, REVIEWS, **options)
    alike = score(nli_model, summary, REVIEWS, claims_by_sentence=False, **options)
    least = score(nli_model, summary, REVIEWS, aggregation="min", **options)

    assert by_sentence == pytest.approx(((a + b + c) / 3 + d) / 2, abs=1e-3)
    assert alike == pytest.approx((a + b + c + d) / 4, abs=1e-3)
    assert least == pytest.approx(min(a, b, c, d), abs=1e-3)


def test_a_sentence_that_stands_twice_counts_twice(nli_model: NLIModel) -> None:
    parking, bar = entailments(nli_model, TWO_SENTENCES, ["Parking is free.", UNRELATED]).max(axis=0)

    for granularity in ("sentence", "claim"):
        found = score(
            nli_model,
            f"Parking is free. {UNRELATED} Parking is free.",
            REVIEWS,
            hypothesis_granularity=granularity,
            decomposer="sentences",
        )
        assert found == pytest.approx((2 * parking + bar) / 3, abs=1e-3)


def test_a_function_can_score(nli_model: NLIModel) -> None:
    (matrix,) = nli_model.matrices([(TWO_SENTENCES, SUMMARY)])

    found = score(nli_model, " ".join(SUMMARY), REVIEWS, scoring=lambda p_e, p_n, p_c: 1 - p_c)

    assert found == pytest.approx((1 - matrix[:, :, 2]).max(axis=0).mean(), abs=1e-3)


# ---------------------------------------------------------------------------------------------
# Retrieval
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["score", "document"])
@pytest.mark.parametrize("config_name", ["topk", "sentli_rr"])
def test_the_best_sentences_are_joined_and_scored_again(
    nli_model: NLIModel, config_name: str, order: str
) -> None:
    (matrix,) = nli_model.matrices([(SENTENCES, SUMMARY)])
    labels = [0, 2] if config_name == "sentli_rr" else [0]
    expected = []
    for column, hypothesis in enumerate(SUMMARY):
        ranked = [
            i
            for label in labels
            for i in sorted(range(len(SENTENCES)), key=lambda i: -matrix[i, column, label])[:2]
        ]
        chosen = list(dict.fromkeys(ranked))
        premise = " ".join(SENTENCES[i] for i in (sorted(chosen) if order == "document" else chosen))
        expected.append(float(nli_model.predict([premise], [hypothesis])[0, 0]))

    result = compute(nli_model, " ".join(SUMMARY), REVIEWS, config_name, k=2, topk_order=order)

    assert result["summac_zs"] == pytest.approx(sum(expected) / 2, abs=1e-3)
    for found in result["summac_zs_details"][0]["hypotheses"]:
        assert 2 <= len(found["premises"]) <= 2 * len(labels)


def test_retrieving_as_many_sentences_as_there_are_is_scoring_the_whole_source(nli_model: NLIModel) -> None:
    retrieved = score(nli_model, SUMMARY[0], REVIEWS, "topk", k=99, topk_order="document")

    premise = " ".join(SENTENCES)
    assert retrieved == pytest.approx(entailments(nli_model, [premise], SUMMARY[:1]).max(), abs=1e-3)


# ---------------------------------------------------------------------------------------------
# Invariants
# ---------------------------------------------------------------------------------------------


@pytest.mark.slow
@few
@given(reviews=some_reviews, summary=some_summary, shuffle=st.randoms(use_true_random=False))
@pytest.mark.parametrize("scoring", ["entailment", "entailment_minus_contradiction"])
def test_order_and_unrelated_reviews_and_aggregation(
    nli_model: NLIModel,
    scoring: str,
    reviews: list[list[str]],
    summary: list[str],
    shuffle: random.Random,
) -> None:
    source = [" ".join(review) for review in reviews]
    text = " ".join(summary)

    base = score(nli_model, text, source, scoring=scoring)

    assert -1 <= base <= 1
    permuted = shuffle.sample(source, len(source))
    assert score(nli_model, text, permuted, scoring=scoring) == pytest.approx(base, abs=1e-3)
    assert score(nli_model, text, [*source, UNRELATED], scoring=scoring) >= base - 1e-3
    assert score(nli_model, text, [*source, source[0]], scoring=scoring) == pytest.approx(base, abs=1e-3)
    for granularity in ("sentence", "claim"):
        hard, soft = (
            score(
                nli_model,
                text,
                source,
                scoring=scoring,
                hypothesis_granularity=granularity,
                aggregation=aggregation,
            )
            for aggregation in ("min", "mean")
        )
        assert hard <= soft + 1e-6


# ---------------------------------------------------------------------------------------------
# Evidence
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("granularity", ["sentence", "two_sentences", "topk"])
def test_the_evidence_names_what_stands_where_in_the_source(nli_model: NLIModel, granularity: str) -> None:
    result = compute(nli_model, " ".join(SUMMARY), REVIEWS, premise_granularity=granularity)

    (found,) = result["summac_zs_details"]
    assert json.loads(json.dumps(result)) == result
    assert (
        found["score"]
        == result["summac_zs"]
        == pytest.approx(sum(hypothesis["score"] for hypothesis in found["hypotheses"]) / 2)
    )
    assert [hypothesis["hypothesis"] for hypothesis in found["hypotheses"]] == SUMMARY
    split = Splitter()
    for hypothesis in found["hypotheses"]:
        assert hypothesis["score"] == pytest.approx(hypothesis["probabilities"][0], abs=1e-3)
        for premise in hypothesis["premises"]:
            stands_there = split(REVIEWS[premise["review"]])[premise["position"] :]
            assert " ".join(stands_there).startswith(premise["premise"])
            assert sum(premise["probabilities"]) == pytest.approx(1, abs=1e-3)


def test_the_evidence_counts_sentences_over_the_paragraphs_of_a_review(nli_model: NLIModel) -> None:
    result = compute(nli_model, "Parking is free.", ["Fine.", REVIEWS[0]], premise_granularity="paragraph")

    ((premise,),) = [found["premises"] for found in result["summac_zs_details"][0]["hypotheses"]]
    assert premise["premise"] == "The staff were rude. Parking is free."
    assert (premise["review"], premise["position"]) == (1, 2)


def test_the_evidence_of_a_claim_names_its_sentence(nli_model: NLIModel) -> None:
    sentence = "Parking is free, the pool is warm."

    result = compute(nli_model, sentence, REVIEWS, hypothesis_granularity="claim", decomposer=split_at_commas)

    claims = result["summac_zs_details"][0]["hypotheses"]
    assert [(c["hypothesis"], c["sentence"]) for c in claims] == [
        ("Parking is free", sentence),
        ("the pool is warm.", sentence),
    ]


# ---------------------------------------------------------------------------------------------
# Length
# ---------------------------------------------------------------------------------------------


def test_a_source_longer_than_the_model_is_scored_and_said_so(nli_model: NLIModel) -> None:
    metric = SummacZs(judge=nli_model, premise_granularity="document")

    result = metric.compute(
        predictions=["Parking is free.", "Parking is free."],
        references=["Parking is free.", "The pool is warm. " * 300],
        details=True,
    )

    assert all(0 <= found <= 1 for found in result["summac_zs_scores"])
    assert result["summac_zs_truncated"] == 1
    assert [found["truncated"] for found in result["summac_zs_details"]] == [0, 1]


def test_a_premise_is_cut_at_its_token_limit(nli_model: NLIModel) -> None:
    """Each of the sentences has four or five tokens, so that the limit of five cuts behind the first."""
    source = "The pool is warm. Parking is free."
    options: dict[str, Any] = {"premise_tokens": 5}

    cut = compute(nli_model, "Parking is free.", source, "glover", **options)
    first = compute(nli_model, "Parking is free.", "The pool is warm.", "glover", **options)

    assert cut["summac_zs"] == pytest.approx(first["summac_zs"], abs=1e-4)
    assert (cut["summac_zs_truncated"], first["summac_zs_truncated"]) == (1, 0)
    whole = compute(nli_model, "Parking is free.", source, "glover")
    assert whole["summac_zs"] > cut["summac_zs"]
    assert whole["summac_zs_truncated"] == 0


def test_a_hundred_reviews_are_scored_with_one_batch_of_tensors_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """100 reviews of 9 sentences against 6 claims: 5,400 pairs, of few different ones to be quick."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")  # each thread holds a batch
    model = NLIModel.from_pretrained(
        device="cpu", dtype="float32", max_tokens_per_batch=128, show_progress=False
    )
    tensors: list[weakref.ref[Any]] = []
    held, sizes = [], []

    def noted(batch: Any) -> Any:
        held.append(sum(tensor() is not None for tensor in tensors))
        sizes.append(batch.input_ids.size)
        tensors.extend(map(weakref.ref, batch[:3]))
        return logits(batch)

    logits = model._checkpoint.network.logits
    monkeypatch.setattr(model._checkpoint.network, "logits", noted)
    chosen = random.Random(7)
    reviews = [" ".join(chosen.choices(SENTENCES, k=9)) for _ in range(100)]
    claims = [*SUMMARY, *SENTENCES[:4]]

    result = compute(
        model,
        " ".join(claims),
        reviews,
        premise_granularity="sentence",
        hypothesis_granularity="claim",
    )

    assert len(result["summac_zs_details"][0]["hypotheses"]) == 6
    assert len(sizes) > 2
    assert max(sizes) <= 128
    assert set(held) == {0}  # when a batch begins, nothing is left of those before


# ---------------------------------------------------------------------------------------------
# Configurations, signatures, refusals
# ---------------------------------------------------------------------------------------------


def test_the_configurations_are_those_of_the_papers(nli_model: NLIModel) -> None:
    text = " ".join(SUMMARY)
    (matrix,) = nli_model.matrices([(SENTENCES, SUMMARY)])
    largest = matrix.max(axis=0)

    found = {name: score(nli_model, text, REVIEWS, name) for name in SummacZs.configurations}

    assert list(found) == [
        *("default", "summac", "glover", "topk", "sent_scu", "topk_scu", "sentli", "sentli_rr")
    ]
    assert found["default"] == pytest.approx(
        entailments(nli_model, TWO_SENTENCES).max(axis=0).mean(), abs=1e-3
    )
    assert found["sentli"] == pytest.approx(largest[:, 0].mean(), abs=1e-3)
    assert found["summac"] == pytest.approx((largest[:, 0] - largest[:, 2]).mean(), abs=1e-3)
    document = entailments(nli_model, [" ".join(REVIEWS)])
    assert found["glover"] == pytest.approx(document.mean(), abs=1e-3)


def test_joint_maxima_take_entailment_and_contradiction_from_one_premise(nli_model: NLIModel) -> None:
    (matrix,) = nli_model.matrices([(SENTENCES, SUMMARY)])

    found = score(nli_model, " ".join(SUMMARY), REVIEWS, "summac", maxima="joint")

    assert found == pytest.approx((matrix[:, :, 0] - matrix[:, :, 2]).max(axis=0).mean(), abs=1e-3)


def test_the_signature_tells_apart_whatever_changes_a_score(nli_model: NLIModel) -> None:
    variants: list[dict[str, Any]] = [
        {},
        {"premise_granularity": "document"},
        {"premise_granularity": "document", "premise_tokens": 100},
        {"premise_granularity": "topk"},
        {"premise_granularity": "topk", "k": 7},
        {"premise_granularity": "topk", "topk_order": "document"},
        {"premise_granularity": "topk", "retrieve_by": "entailment_and_contradiction"},
        {"hypothesis_granularity": "claim"},
        {"hypothesis_granularity": "claim", "decomposer": "sentences"},
        {"hypothesis_granularity": "claim", "claims_by_sentence": False},
        {"scoring": "entailment_minus_contradiction"},
        {"scoring": "entailment_minus_contradiction", "maxima": "separate"},
        {"scoring": np.maximum},
        {"aggregation": "min"},
    ]

    signatures = [SummacZs(judge=nli_model, **options).signature() for options in variants]

    assert len(set(signatures)) == len(variants)
    assert all(shorter in signatures[0] for shorter in ("premises:two_sentences", "scoring:entailment|"))


@pytest.mark.parametrize("options", [{"k": 7}, {"topk_order": "document"}, {"retrieve_by": "entailment"}])
def test_options_of_topk_without_it_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ClaimwiseError, match="no effect with") as caught:
        SummacZs(**options)
    assert caught.value.option == next(iter(options))
    SummacZs("topk", **options)


@pytest.mark.parametrize("granularity", ["sentence", "document"])
def test_claims_are_made_only_where_they_are_asked_for(nli_model: NLIModel, granularity: str) -> None:
    text = "Parking is free, but the bar closes early."

    result = compute(nli_model, text, text, hypothesis_granularity=granularity)

    assert [found["hypothesis"] for found in result["summac_zs_details"][0]["hypotheses"]] == [text]


@pytest.mark.parametrize("granularity", ["sentence", "document"])
@pytest.mark.parametrize(
    "options",
    [
        {"decomposer": "openai:gpt-4"},
        {"pronouns": "sentence", "attributions": "strip"},
        {"decomposer": LLMDecomposer("m", "http://localhost:1", api_key="sk-secret")},
        {"decomposer": str.split},
        {"decomposer": "of_another_package"},
    ],
)
def test_a_decomposer_is_refused_where_nothing_is_decomposed(
    options: dict[str, Any], granularity: str
) -> None:
    with pytest.raises(ClaimwiseError) as caught:
        SummacZs(hypothesis_granularity=granularity, **options)

    said = str(caught.value)
    assert said.startswith(f"{', '.join(options)}: no effect with")
    assert f"hypothesis_granularity={granularity!r}" in said
    assert "Add hypothesis_granularity='claim'" in said
    assert "sk-secret" not in said
    assert caught.value.option == next(iter(options))
    SummacZs(hypothesis_granularity="claim", **options)


@pytest.mark.parametrize("config_name", [c for c in SummacZs.configurations if not c.endswith("_scu")])
def test_every_configuration_but_those_of_claims_leaves_whole_sentences_whole(config_name: str) -> None:
    for decomposer in ("openai:gpt-4", "default"):
        with pytest.raises(ClaimwiseError, match="decomposer: no effect with"):
            SummacZs(config_name, decomposer=decomposer)
    assert SummacZs(config_name, decomposer="sentences").options.decomposer == "sentences"


def test_a_configuration_is_checked_like_options() -> None:
    class Claims(SummacZs):
        spec = replace(SummacZs.spec, configurations={"default": {"decomposer": "openai:gpt-4"}})

    with pytest.raises(ClaimwiseError, match="decomposer: no effect with"):
        Claims()
    Claims(hypothesis_granularity="claim")


@pytest.mark.parametrize(
    ("options", "choices"),
    [
        ({"premise_granularity": "word"}, ["“word”", "two_sentences", "topk"]),
        ({"hypothesis_granularity": "topk"}, ["“topk”", "sentence", "claim", "document"]),
        ({"scoring": "p_e"}, ["“p_e”", "entailment_minus_contradiction", "function"]),
        ({"scoring": ["entailment"]}, ["a list", "function"]),
        ({"maxima": True}, ["True", "joint", "separate"]),
        ({"aggregation": "max"}, ["“max”", "mean", "min"]),
        ({"retrieve_by": "score"}, ["“score”", "entailment_and_contradiction"]),
        ({"topk_order": "random"}, ["“random”", "document", "score"]),
        ({"k": 0}, ["`k` must", "at least 1", "0"]),
        ({"k": 2.5}, ["`k` must", "whole number", "2.5"]),
        ({"premise_tokens": -1}, ["premise_tokens", "at least 1", "-1"]),
        ({"granularity": "sentence"}, ["granularity", "premise_granularity"]),
    ],
)
def test_an_option_that_cannot_be_is_refused_before_anything_is_loaded(
    options: dict[str, Any], choices: list[str]
) -> None:
    with pytest.raises(ClaimwiseError) as caught:
        SummacZs(judge="nobody/nothing", **options)

    assert all(choice in str(caught.value) for choice in choices), caught.value


@pytest.mark.parametrize("config_name", ["summac", "sentli"])
def test_the_models_of_the_papers_offline_say_what_to_do(config_name: str) -> None:
    with pytest.raises(ClaimwiseError, match="`default`"):
        SummacZs(config_name).compute(predictions=["Fine."], references=["Good."])


def test_unusual_texts_get_a_valid_score(nli_model: NLIModel) -> None:
    texts = ["😀 great", "הבריכה חמה והצוות נחמד.", "部屋は清潔です。朝食は別料金です。", "no full stop", "a"]
    metric = SummacZs(judge=nli_model, hypothesis_granularity="claim")

    for references in (texts, [[first, second] for first, second in pairwise([*texts, "Fine."])]):
        scores = metric.compute(predictions=texts, references=references)["summac_zs_scores"]
        assert all(0 <= found <= 1 for found in scores)
