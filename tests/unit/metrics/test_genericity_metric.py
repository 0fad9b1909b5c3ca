"""Genericity as a metric: against plain loops, its evidence, entities, samples, cache, and refusals.

The embedded model runs on short sentences. Nothing here depends on how good it is, but for one thing: a
sentence entails itself.
"""

from __future__ import annotations

import itertools
import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from statistics import NormalDist
from typing import Any

import evaluate
import numpy as np
import pytest
from judges import WordJudge

from benchmarks.papers.zs_summ import read_idf_corpus, read_published, read_system
from claimwise.errors import ClaimwiseError
from claimwise.judges.local import NLIModel
from claimwise.metrics import Genericity
from claimwise.metrics import genericity_claims as module

POOL, COLD, BAR, BED, LIFT = (
    "The pool is warm.",
    "The pool is cold.",
    "The bar is open.",
    "The bed is soft.",
    "The lift is out of order.",
)
SUMMARIES = [f"{POOL} {BAR}", f"{BED} {BAR}", f"{COLD}", f"{BAR} {BAR} {LIFT}", f"{POOL} {LIFT}"]
ENTITIES = ["a", "a", "b", "c", "c"]
SETTINGS = pytest.mark.parametrize(
    ("pool", "drop_identical"),
    [
        pytest.param("other_entities", False, marks=pytest.mark.slow),
        ("other_entities", True),
        ("pairs", False),
        pytest.param("pairs", True, marks=pytest.mark.slow),
    ],
)


@pytest.fixture(scope="module")
def metric_with(nli_model: NLIModel) -> Callable[..., Genericity]:
    """Return ``metric_with(**options)``, whose claims are whole sentences, so that a test knows them."""
    return lambda **options: Genericity(
        **({"judge": nli_model, "decomposer": "sentences"} | options), show_progress=False
    )


def sentences_of(summary: str) -> list[str]:
    return [f"{sentence}." for sentence in summary.replace(". ", ".").split(".") if sentence]


def by_plain_loops(model: NLIModel, pool: str, drop_identical: bool) -> tuple[float, float]:
    """Return G and Fτ of SUMMARIES, written down as Section 5.5 of the paper says it."""

    def top_scores(z: list[str], others: list[str]) -> list[float]:
        tops = []
        for claim in z:
            premises = [p for p in others if not (drop_identical and p == claim)]
            if premises:
                probabilities = model.predict(premises, [claim] * len(premises))
                tops.append(float(np.max(probabilities[:, 0] - probabilities[:, 2])))
        return tops

    claims = [sentences_of(summary) for summary in SUMMARIES]
    if pool == "pairs":
        tops = [top_scores(z, other) for z, other in itertools.permutations(claims, 2)]
        tops = [of_pair for of_pair in tops if of_pair]
        return (
            float(np.mean([np.mean(of_pair) for of_pair in tops])),
            float(np.mean([np.mean(np.array(of_pair) > 0.5) for of_pair in tops])),
        )
    every = []
    for i, z in enumerate(claims):
        others = [c for j, o in enumerate(claims) if ENTITIES[j] != ENTITIES[i] for c in o]
        every += top_scores(z, others)
    return float(np.mean(every)), float(np.mean(np.array(every) > 0.5))


# What it computes ---------------------------------------------------------------------------------


@SETTINGS
def test_the_scores_are_those_of_the_paper(
    metric_with: Callable[..., Genericity], nli_model: NLIModel, pool: str, drop_identical: bool
) -> None:
    metric = metric_with(pool=pool, drop_identical=drop_identical)

    result = metric.compute(predictions=SUMMARIES, entities=ENTITIES)

    g, fraction = by_plain_loops(nli_model, pool, drop_identical)
    assert result["genericity"] == pytest.approx(g, abs=1e-4)
    assert result["genericity_fraction"] == pytest.approx(fraction)


@SETTINGS
def test_scoring_in_small_blocks_changes_nothing(
    metric_with: Callable[..., Genericity],
    monkeypatch: pytest.MonkeyPatch,
    pool: str,
    drop_identical: bool,
) -> None:
    metric = metric_with(pool=pool, drop_identical=drop_identical)
    at_once = metric.compute(predictions=SUMMARIES, entities=ENTITIES)

    monkeypatch.setattr(module, "PAIRS_AT_ONCE", 3)
    in_blocks = metric.compute(predictions=SUMMARIES, entities=ENTITIES)

    assert in_blocks["genericity_scores"] == pytest.approx(at_once["genericity_scores"], abs=1e-4)
    assert in_blocks["genericity_fraction"] == at_once["genericity_fraction"]


@pytest.mark.parametrize("pool", ["other_entities", "pairs"])
def test_the_order_of_the_rows_does_not_matter(metric_with: Callable[..., Genericity], pool: str) -> None:
    metric = metric_with(pool=pool)
    scores = metric.compute(predictions=SUMMARIES, entities=ENTITIES)["genericity_scores"]
    order = list(range(len(SUMMARIES)))
    Random(0).shuffle(order)

    shuffled = metric.compute(
        predictions=[SUMMARIES[row] for row in order], entities=[ENTITIES[row] for row in order]
    )

    assert shuffled["genericity_scores"] == pytest.approx([scores[row] for row in order], abs=1e-4)


def test_a_system_that_says_the_same_of_all_is_generic(metric_with: Callable[..., Genericity]) -> None:
    metric = metric_with()
    same = metric.compute(predictions=[POOL] * 3)
    different = metric.compute(predictions=[POOL, BED, LIFT])

    assert same["genericity_fraction"] == 1
    assert same["genericity"] > different["genericity"]
    assert same["genericity_average_idf"] < different["genericity_average_idf"]


def test_summaries_of_one_entity_are_not_compared_with_each_other(
    metric_with: Callable[..., Genericity],
) -> None:
    summaries = [POOL, POOL, BED]
    apart = metric_with().compute(predictions=summaries)
    together = metric_with().compute(predictions=summaries, entities=[7, 7, 8])

    assert apart["genericity_fraction_scores"][:2] == [1, 1]
    assert together["genericity_fraction_scores"][:2] == [0, 0]
    assert "|entities:yes" in together["genericity_signature"]


def test_references_are_ignored(metric_with: Callable[..., Genericity]) -> None:
    metric = metric_with()
    without = metric.compute(predictions=[POOL, BED])
    assert metric.compute(predictions=[POOL, BED], references=[["x"], []]) == without


def test_more_fit_a_larger_pool(metric_with: Callable[..., Genericity]) -> None:
    few = metric_with().compute(predictions=SUMMARIES[:3])["genericity_scores"]
    more = metric_with().compute(predictions=SUMMARIES)["genericity_scores"]
    assert all(b >= a - 1e-4 for a, b in zip(few, more[:3], strict=True))


def test_evidence_names_the_closest_claim_of_another_entity(metric_with: Callable[..., Genericity]) -> None:
    result = metric_with().compute(predictions=SUMMARIES, entities=ENTITIES, details=True)

    evidence = result["genericity_details"]
    json.dumps(evidence)
    bar = evidence[0]["claims"][1]
    assert (bar["claim"], bar["sentence"]) == (BAR, BAR)
    assert bar["closest"]["claim"] == BAR
    assert bar["closest"]["row"] == 3  # row 1 has it too, but is of the same entity
    assert bar["score"] == bar["closest"]["score"]
    for summary, score in zip(evidence, result["genericity_scores"], strict=True):
        assert np.mean([claim["score"] for claim in summary["claims"]]) == pytest.approx(score)
    assert evidence[2]["sentences"] == [
        {"sentence": COLD, "idf": {"pool": pytest.approx(np.log(10 / 4)), "cold": pytest.approx(np.log(5))}}
    ]


def test_a_claim_without_comparison_is_left_out(metric_with: Callable[..., Genericity]) -> None:
    metric = metric_with(drop_identical=True)
    result = metric.compute(predictions=[POOL, f"{POOL} {BED}"], details=True)
    alone, both = (summary["claims"] for summary in result["genericity_details"])

    assert alone[0]["closest"]["claim"] == BED
    assert (both[0]["score"], both[0]["closest"]) == (None, None)
    assert result["genericity_scores"][1] == both[1]["score"]
    with pytest.raises(
        ClaimwiseError, match=r"predictions, row 0: the summary has no claim.*drop_identical=False"
    ):
        metric.compute(predictions=[POOL, POOL])


# Scale: samples, cache ----------------------------------------------------------------------------


def test_a_sample_of_pairs_estimates_all_of_them(metric_with: Callable[..., Genericity]) -> None:
    every = metric_with(pool="pairs").compute(predictions=SUMMARIES)
    sampled = metric_with(pool="pairs", max_pairs=15, sampling_seed=1).compute(predictions=SUMMARIES)

    assert None not in sampled["genericity_scores"]
    low, high = sampled["genericity_sampling_ci"]
    assert low < sampled["genericity"] < high
    assert low - 0.2 < every["genericity"] < high + 0.2
    assert len(sampled["genericity_fraction_sampling_ci"]) == 2
    assert "genericity_sampling_ci" not in every
    assert "|max_pairs:15|sampling_seed:1|" in sampled["genericity_signature"]


@pytest.mark.slow
@pytest.mark.parametrize("pool", ["pairs", "other_entities"])
def test_the_interval_of_a_sample_is_of_the_level_asked_for(pool: str) -> None:
    metric = Genericity(judge=WordJudge(), pool=pool, max_pairs=15)

    def width(score: str, **level: float) -> float:
        low, high = metric.compute(predictions=SUMMARIES, **level)[f"{score}_sampling_ci"]
        return float(high - low)

    wider = NormalDist().inv_cdf(0.995) / NormalDist().inv_cdf(0.75)
    for score in ("genericity", "genericity_fraction"):
        narrow, wide = width(score, confidence_level=0.5), width(score, confidence_level=0.99)
        assert wide == pytest.approx(narrow * wider)
        assert width(score) == width(score, confidence_level=0.95)
    assert 0 < width("genericity", confidence_level=0.5) < width("genericity")


def test_a_sample_with_a_pool_is_of_summaries_each_scored_in_full(
    metric_with: Callable[..., Genericity],
) -> None:
    every = metric_with().compute(predictions=SUMMARIES)
    sampled = metric_with(max_pairs=12).compute(predictions=SUMMARIES, details=True)

    scored = [row for row, score in enumerate(sampled["genericity_scores"]) if score is not None]
    assert len(scored) == 3
    for row in scored:
        assert sampled["genericity_scores"][row] == pytest.approx(every["genericity_scores"][row], abs=1e-4)
    assert [bool(summary["claims"]) for summary in sampled["genericity_details"]] == [
        row in scored for row in range(5)
    ]
    assert sampled["genericity_average_idf_scores"] == every["genericity_average_idf_scores"]


def test_each_distinct_pair_is_scored_once_and_kept_for_the_next_run(
    metric_with: Callable[..., Genericity], tmp_path: Path
) -> None:
    cache = tmp_path / "scores.sqlite"

    def run(summaries: list[str]) -> tuple[dict[str, Any], int]:
        metric = metric_with(judge="default", device="cpu", dtype="float32", score_cache=cache)
        result = metric.compute(predictions=summaries)
        with closing(sqlite3.connect(cache)) as connection:
            (count,) = connection.execute("SELECT count(*) FROM score_1").fetchone()
        return result, count

    _, stopped_early = run([POOL, BED])
    first, after = run([POOL, BED, POOL, BED, BAR])
    again, after_again = run([POOL, BED, POOL, BED, BAR])

    assert stopped_early == 2
    assert after == after_again == 3 * 3 - 1  # the bar stands in one summary alone
    assert again == first


# Lexical ------------------------------------------------------------------------------------------


def test_average_idf_needs_no_model_and_takes_texts_or_sentences() -> None:
    metric = Genericity(judge="nobody/nothing", idf_corpus=[POOL, POOL, BAR])

    by_hand = (np.log(3 / 3) + np.log(3 / 1)) / 2  # "pool", "cold"
    assert metric.average_idf([COLD, [COLD, COLD]]) == pytest.approx([by_hand, by_hand])
    summed = Genericity(idf_corpus=[POOL, POOL, BAR], idf_aggregation="sum")
    assert summed.average_idf([COLD, [COLD, COLD]]) == pytest.approx([by_hand, 2 * by_hand])


@pytest.mark.parametrize("system", ["tcg", "qg", "acesum"])
def test_published_average_idf_on_space_from_whole_summaries(system: str) -> None:
    if "CLAIMWISE_DATA" not in os.environ:
        pytest.skip("CLAIMWISE_DATA is not set: the recorded summaries are not on this machine")
    folder = Path(os.environ["CLAIMWISE_DATA"]) / "zs_summ"
    metric = Genericity("paper", idf_corpus=read_idf_corpus(folder))

    averages = metric.average_idf([summary.summary for summary in read_system(folder, "space", system)])

    published = read_published(folder)["space"][system]["avg_idf"]
    assert float(np.mean(averages)) == pytest.approx(published, abs=0.01)


def test_a_corpus_changes_the_average_idf_and_the_signature(metric_with: Callable[..., Genericity]) -> None:
    own = metric_with().compute(predictions=[POOL, BED])
    other = metric_with(idf_corpus=[POOL] * 9).compute(predictions=[POOL, BED])

    assert other["genericity_average_idf_scores"][0] < own["genericity_average_idf_scores"][0]
    assert other["genericity_scores"] == own["genericity_scores"]
    assert "|idf_corpus:predictions|" in own["genericity_signature"]
    assert "|idf_corpus:predictions|" not in other["genericity_signature"]


# As an evaluate module ----------------------------------------------------------------------------


def test_entities_reach_the_metric_through_evaluate(
    metric_with: Callable[..., Genericity], nli_model: NLIModel
) -> None:
    path = Path(__file__).parents[3] / "metrics" / "genericity"
    loaded = evaluate.load(str(path), judge=nli_model, decomposer="sentences")
    loaded.add_batch(predictions=SUMMARIES[:2])
    loaded.add_batch(predictions=SUMMARIES[2:])

    result = loaded.compute(entities=ENTITIES)

    assert result == metric_with().compute(predictions=SUMMARIES, entities=ENTITIES)


# Refusals -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entities", "said"),
    [
        (["a"], r"Unequal lengths.*Row 1"),
        ("ab", "expected a list"),
        (["a", None], "entities, row 1.*None"),
        (["a", ""], "entities, row 1"),
        (["a", float("nan")], "entities, row 1"),
        (["a", ["b"]], "entities, row 1"),
        (["a", "a"], "All 2 summaries are of one entity, “a”"),
    ],
)
def test_entities_that_cannot_be_used_are_refused(
    metric_with: Callable[..., Genericity], entities: Any, said: str
) -> None:
    with pytest.raises(ClaimwiseError, match=said):
        metric_with().compute(predictions=[POOL, BED], entities=entities)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"pool": "all"}, "`pool` must be one of `other_entities`, `pairs`; got “all”"),
        ({"idf_aggregation": "max"}, "`idf_aggregation` must be one of `mean`, `sum`"),
        ({"threshold": 50}, "`threshold` must be between -1 and 1"),
        ({"max_pairs": 0}, "`max_pairs` must be a whole number of at least 1"),
    ],
)
def test_options_that_make_no_sense_are_refused_when_the_metric_is_made(
    options: dict[str, Any], said: str
) -> None:
    with pytest.raises(ClaimwiseError, match=said):
        Genericity(**options)


def test_what_cannot_be_scored_is_refused_before_the_model_is_loaded() -> None:
    metric = Genericity(judge="nobody/nothing")
    with pytest.raises(ClaimwiseError, match="at least two; got 1"):
        metric.compute(predictions=[POOL])
    with pytest.raises(ClaimwiseError, match="predictions, row 1: the summary has only stopwords"):
        metric.compute(predictions=[POOL, "It was what it was."])
    with pytest.raises(ClaimwiseError, match=r"max_pairs=3 is too small.*at least 8\."):
        Genericity(judge="nobody/nothing", max_pairs=3).compute(predictions=SUMMARIES)
    with pytest.raises(ClaimwiseError, match="idf_corpus: expected a list of sentences"):
        Genericity(idf_corpus=POOL).average_idf([POOL])
