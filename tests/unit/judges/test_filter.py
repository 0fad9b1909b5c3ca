"""The filter and what stands on it: which pairs a judge is asked about, and how a best premise is found."""

from __future__ import annotations

import itertools
import pickle
import random
import shutil
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from judges import BlockJudge, WordJudge
from texts import Texts, draw_compared

from claimwise.errors import ClaimwiseError
from claimwise.judges import load_judge
from claimwise.judges.crossing import cross
from claimwise.judges.filter import (
    FILE,
    WEIGHTS,
    Vectors,
    filter_fingerprint,
    load_filter,
    odds,
    read_filter,
)
from claimwise.judges.filter.best import (
    LEAST_GAIN,
    MOST_JUDGED,
    best_first,
    best_of_examples,
    likely_of_examples,
    rank,
)
from claimwise.judges.filter.judge import FilteredJudge
from claimwise.judges.hub import EMBEDDED_WEIGHTS, JUDGE_FILES, embedded_fingerprint
from claimwise.judges.local import NLIModel
from claimwise.labels import CONTRADICTION, ENTAILMENT, NEUTRAL
from claimwise.metrics import Caspr, Genericity, SummacZs, SupportCounts

POOL = ("The pool is warm.", "The pool is freezing cold.", "The water of the pool is warm.")
OTHERS = (
    "Breakfast was served until noon.",
    "The lift was out of order.",
    "Parking costs twenty euros a night.",
    "The receptionist spoke four languages.",
    "Our balcony looked onto a car park.",
    "The mattress was far too soft.",
    "The museum closes on Mondays.",
)
TEXTS = [*POOL, *OTHERS]


def likely_and_all(examples: list[tuple[list[str], list[str]]]) -> tuple[FilteredJudge, list, list]:
    judge = FilteredJudge(WordJudge())
    return judge, cross(judge, examples), cross(WordJudge(), examples)


def test_the_judge_is_asked_about_likely_pairs_alone_and_the_others_are_neutral() -> None:
    judge, (likely,), (every,) = likely_and_all([(TEXTS, TEXTS)])
    skipped = likely.skipped
    assert judge.judge.asked == (~skipped).sum() < 0.6 * len(TEXTS) ** 2
    assert (likely.probabilities[skipped] == np.eye(3)[NEUTRAL]).all()
    np.testing.assert_array_equal(likely.probabilities[~skipped], every.probabilities[~skipped])


def test_claims_about_one_thing_are_likely_whatever_they_say_of_it() -> None:
    _, (found,), _ = likely_and_all([(list(POOL), list(POOL))])
    assert not found.skipped.any()


def test_a_pair_with_a_text_longer_than_the_filter_knows_is_always_asked_about() -> None:
    long = " ".join(OTHERS) + " The bar was closed, and so was the garden behind it."
    _, (found,), _ = likely_and_all([([long, *OTHERS], [POOL[0]])])
    assert not found.skipped[0].any()
    assert found.skipped[1:].any()


def test_a_text_is_likely_or_not_whatever_stands_beside_it() -> None:
    among_many = load_filter().encode([*TEXTS, *TEXTS, "A"])
    for place, text in enumerate(TEXTS):
        alone = load_filter().encode([text])
        np.testing.assert_allclose(alone.premises[0], among_many.premises[place], atol=1e-4)
        np.testing.assert_allclose(alone.hypotheses[0], among_many.hypotheses[place], atol=1e-4)


def test_the_threshold_has_the_recall_and_the_tables_the_order_that_they_say() -> None:
    known = load_filter().facts
    assert 0 < known.asked < 1
    assert 0.9 < known.recall <= 1
    assert list(known.edges) == sorted(known.edges)
    for table in known.bounds.values():
        assert len(table) == len(known.edges) + 1
        assert list(table) == sorted(table)
    assert all(share <= upper for share, upper in known.non_neutral)


def test_the_filter_is_the_shipped_judges_and_small() -> None:
    assert load_filter().facts.judge == embedded_fingerprint()
    assert (WEIGHTS / FILE).stat().st_size < 20_000_000


def test_a_filter_is_refused_beside_a_judge_that_it_did_not_learn_from(tmp_path: Path) -> None:
    for name in JUDGE_FILES:
        shutil.copy(EMBEDDED_WEIGHTS / name, tmp_path)
    with (tmp_path / "model.onnx").open("ab") as file:
        file.write(b" ")
    with pytest.raises(ClaimwiseError, match=r"trained for the judge .*pairs=all"):
        read_filter(WEIGHTS / FILE, tmp_path)


def test_results_and_signatures_say_what_was_not_asked() -> None:
    given = {"predictions": [" ".join(TEXTS[:5])], "references": [" ".join(TEXTS[3:])]}
    options = {"decomposer": "sentences", "show_progress": False}
    judge = WordJudge()
    likely = Caspr(judge=judge, pairs="likely", **options).compute(**given)
    every = Caspr(judge=WordJudge(), **options).compute(**given)
    assert likely["caspr_skipped_pairs"] > 0
    assert judge.asked < 2 * 5 * 7
    assert filter_fingerprint() in likely["caspr_signature"]
    assert "pairs:likely" in likely["caspr_signature"]
    assert "caspr_skipped_pairs" not in every
    assert "pairs:" not in every["caspr_signature"]


def test_several_judges_are_asked_about_the_same_pairs() -> None:
    judges = [WordJudge(), WordJudge(longest=3)]
    (judged,) = cross(load_judge(judges, pairs="likely"), [(TEXTS, TEXTS)])
    assert (judged.probabilities[judged.skipped].argmax(-1) == NEUTRAL).all()
    assert judges[0].asked == judges[1].asked == (~judged.skipped).sum()


def test_what_was_not_asked_does_not_get_into_the_score_cache(tmp_path: Path) -> None:
    pairs = list(itertools.product(TEXTS, TEXTS))
    first, second = WordJudge(), WordJudge()
    load_judge(first, pairs="likely", score_cache=tmp_path / "scores.sqlite").predict_pairs(pairs)
    everything = load_judge(second, score_cache=tmp_path / "scores.sqlite").predict_pairs(pairs)
    assert first.asked + second.asked == len(pairs)
    np.testing.assert_allclose(
        everything.probabilities, WordJudge().predict_pairs(pairs).probabilities, atol=1e-6
    )


def test_a_judge_that_answers_in_blocks_and_an_unknown_choice_are_refused() -> None:
    with pytest.raises(ClaimwiseError, match=r"no effect.*ask=pairs"):
        Caspr(judge=BlockJudge(), pairs="likely").load()
    with pytest.raises(ClaimwiseError, match="`pairs` must be one of `all`, `likely`; got “some”"):
        Caspr(pairs="some").load()


def test_a_filtered_judge_can_be_pickled() -> None:
    judge = FilteredJudge(WordJudge())
    before = judge.predict_pairs([(POOL[0], POOL[2])])
    after = pickle.loads(pickle.dumps(judge)).predict_pairs([(POOL[0], POOL[2])])
    np.testing.assert_array_equal(before.probabilities, after.probabilities)


@pytest.mark.parametrize("by", ["entailment", "entailment_minus_contradiction"])
def test_premises_are_judged_from_the_most_likely_on_until_no_other_can_win(by: str) -> None:
    judge = FilteredJudge(WordJudge())
    premises = np.arange(1, len(TEXTS))
    ((hypothesis, judged, found),) = best_first(judge, TEXTS, [(0, premises)], by)
    vectors = judge.vectors(TEXTS)
    logits = judge.filter.entailment(vectors.premises, vectors.hypotheses[[hypothesis]])[:, 0]
    best = found.probabilities[:, ENTAILMENT].max()
    assert best == pytest.approx(WordJudge().predict_pairs([(POOL[2], POOL[0])]).probabilities[0, 0])
    others = np.setdiff1d(premises, judged)
    assert len(others) == len(premises) - len(judged) == len(premises) - judge.judge.asked > 0
    assert (judge.filter.bound(logits[others], by) <= best + LEAST_GAIN).all()
    assert logits[judged].min() >= logits[others].max()
    assert not found.skipped.any()


def test_a_hypothesis_has_no_more_premises_judged_than_said() -> None:
    judge = FilteredJudge(WordJudge())
    texts = ["Room seven was dark.", *(f"Room {number} was clean." for number in range(300, 620))]
    ((_, judged, _),) = best_first(judge, texts, [(0, np.arange(1, len(texts)))])
    assert judge.judge.asked == len(judged) <= MOST_JUDGED


def test_ranking_takes_memory_for_the_texts_and_not_for_their_pairs() -> None:
    known, peaks = load_filter(), []
    for count in (1000, 8000):
        generator = np.random.default_rng(0)
        premises, hypotheses = generator.normal(size=(2, count, 2, 256)).astype(np.float32)
        vectors = Vectors(premises, hypotheses, np.zeros(count, dtype=np.bool_))
        everything = np.arange(count)
        tracemalloc.start()
        found = rank(known, vectors, ((hypothesis, everything) for hypothesis in range(600)), "entailment")
        assert all(len(of_one.premises) == MOST_JUDGED for of_one in found)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 2**20 * 64
    assert peaks[1] < 8 * peaks[0]


def test_best_match_metrics_find_what_all_pairs_would() -> None:
    options = {"decomposer": "sentences", "show_progress": False}
    summaries = [" ".join([POOL[n], *OTHERS[2 * n : 2 * n + 2]]) for n in range(3)]
    results = {}
    for pairs in ("all", "likely"):
        judge = WordJudge()
        results[pairs] = Genericity(judge=judge, pairs=pairs, **options).compute(
            predictions=summaries, details=True
        )
        results[pairs]["asked"] = judge.asked
    likely, every = results["likely"], results["all"]
    assert likely["asked"] < every["asked"]
    assert likely["genericity_skipped_pairs"] == every["asked"] - likely["asked"]
    closest = [
        [claim["closest"] for claim in row["claims"] if claim["score"] > 0.9]
        for row in every["genericity_details"]
    ]
    assert any(closest)
    for row, wanted in zip(likely["genericity_details"], closest, strict=True):
        assert [claim["closest"] for claim in row["claims"] if claim["score"] > 0.9] == wanted


def test_a_claim_of_several_entities_finds_its_best_among_the_others_of_each() -> None:
    said = POOL[0]
    same = [f"Really, {said.lower()}", f"Truly, {said.lower()}", f"Yes, {said.lower()}", f"So {said.lower()}"]
    given = {
        "predictions": [" ".join([said, *same]), said, " ".join(OTHERS)],
        "entities": ["first", "second", "third"],
    }
    options = {"decomposer": "sentences", "show_progress": False}
    for drop_identical in (False, True):
        found, every = (
            Genericity(judge=WordJudge(), drop_identical=drop_identical, pairs=pairs, **options).compute(
                **given, details=True
            )["genericity_details"]
            for pairs in ("likely", "all")
        )
        for row, expected in zip(found, every, strict=True):
            for claim, wanted in zip(row["claims"], expected["claims"], strict=True):
                assert claim["score"] is not None
                if wanted["score"] > 0.5:
                    assert claim["score"] == pytest.approx(wanted["score"], abs=LEAST_GAIN)


def test_a_summary_about_other_things_is_neutral_to_a_claim_in_every_pair_of_summaries() -> None:
    options = {"decomposer": "sentences", "show_progress": False, "pool": "pairs", "judge": WordJudge()}
    result = Genericity(pairs="likely", **options).compute(
        predictions=[POOL[0], POOL[2], OTHERS[2]], details=True
    )
    assert result["genericity_skipped_pairs"] > 0
    every = Genericity(**options).compute(predictions=[POOL[0], POOL[2], OTHERS[2]])
    assert result["genericity_weights"] == every["genericity_weights"]
    assert result["genericity_scores"][0] == pytest.approx(
        WordJudge().predict_pairs([(POOL[2], POOL[0])]).probabilities[0, 0] / 2
    )


def test_of_a_long_source_only_premises_that_may_be_the_best_are_judged() -> None:
    rooms = [f"{text.removesuffix('.')} in room {room}." for room in range(10) for text in TEXTS]
    given = {"predictions": [" ".join(TEXTS)], "references": [[" ".join(TEXTS), " ".join(rooms)]]}
    for scoring in ("entailment", "entailment_minus_contradiction"):
        judge = WordJudge()
        likely = SummacZs(judge=judge, pairs="likely", scoring=scoring).compute(**given)
        every = SummacZs(judge=WordJudge(), scoring=scoring).compute(**given)
        assert likely["summac_zs"] == pytest.approx(every["summac_zs"])
        assert judge.asked < len({*TEXTS, *rooms}) * len(set(TEXTS))
        assert likely["summac_zs_skipped_pairs"] > 0


def test_support_without_evidence_is_that_with_it() -> None:
    given = {"predictions": [" ".join(TEXTS)], "references": [[" ".join(TEXTS), " ".join(POOL)]]}
    for options in ({}, {"count_distinct_reviews": True}, {"drop_repeated_sentences": True}):
        metric = SupportCounts(judge=WordJudge(), support="sentences", threshold=0.3, **options)
        bare, full = metric.compute(**given), metric.compute(**given, details=True)
        (evidence,) = full.pop("support_counts_details")
        assert bare == full
        assert bare["support_counts"] == evidence["score"]
        assert bare["support_counts_top_score"] == evidence["top_score"]


def test_likely_pairs_are_those_above_the_threshold() -> None:
    judge = FilteredJudge(WordJudge())
    vectors = judge.vectors(TEXTS)
    (found,) = cross(judge, [(TEXTS, TEXTS)])
    for row, column in itertools.product(range(len(TEXTS)), repeat=2):
        logits = judge.filter.logits(vectors.premises[[row]], vectors.hypotheses[[column]])
        assert found.skipped[row, column] == (odds(logits)[0] < load_filter().facts.threshold)


@pytest.mark.slow
def test_on_validation_texts_few_labels_change_and_the_best_claims_are_found() -> None:
    texts, generator = Texts("validation"), random.Random(11)
    examples = []
    for _ in range(12):
        block = draw_compared(texts, generator)
        examples.append((block.texts, block.texts))
    model = NLIModel.from_pretrained(show_progress=False)
    judge = FilteredJudge(model)
    every, likely = cross(model, examples), cross(judge, examples)
    best = best_of_examples(judge, examples, "entailment_minus_contradiction")
    asked, changed, errors = [], [], []
    for exact, found, of_best in zip(every, likely, best, strict=True):
        asked += (~found.skipped).ravel().tolist()
        changed += (exact.probabilities.argmax(-1) != found.probabilities.argmax(-1)).ravel().tolist()
        scores = exact.probabilities[..., ENTAILMENT] - exact.probabilities[..., CONTRADICTION]
        found_scores = np.where(of_best.skipped, -np.inf, scores)
        errors += (scores.max(axis=0) - found_scores.max(axis=0)).tolist()
    assert np.mean(asked) < load_filter().facts.asked + 0.1
    assert np.mean(changed) < 0.005
    assert np.mean(errors) < 0.005


@pytest.mark.parametrize("metric", [SupportCounts, Caspr])
def test_of_a_text_with_one_claim_all_pairs_are_judged(metric: type[SupportCounts | Caspr]) -> None:
    sources = [" ".join(TEXTS)] if metric is SupportCounts else " ".join(TEXTS)
    options: dict[str, Any] = {"decomposer": "sentences", "judge": WordJudge(), "pairs": "likely"}
    if metric is SupportCounts:
        options["support"] = "sentences"

    one = metric(**options).compute(predictions=[POOL[0]], references=[sources])
    several = metric(**options).compute(predictions=[" ".join(TEXTS[:4])], references=[sources])

    assert one[f"{metric.name}_skipped_pairs"] == 0
    assert several[f"{metric.name}_skipped_pairs"] > 0


def test_few_premises_are_all_judged_where_the_best_counts() -> None:
    judge = FilteredJudge(WordJudge())
    rooms = [f"{text.removesuffix('.')} in room {room}." for room in range(10) for text in TEXTS]
    few, many = likely_of_examples(
        judge, [(OTHERS[:3], [POOL[0]]), (rooms, TEXTS)], "entailment_minus_contradiction"
    )
    assert few.skipped is not None
    assert many.skipped is not None
    assert not few.skipped.any()
    assert many.skipped.any()
    assert few.probabilities.shape == (3, 1, 3)


def test_texts_that_are_paired_with_too_long_texts_alone_are_not_encoded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    encoded: list[str] = []
    known = load_filter()
    encode = known.encode

    def noting(texts: Sequence[str]) -> Vectors:
        encoded.extend(texts)
        return encode(texts)

    monkeypatch.setattr(known, "encode", noting)
    long = " ".join(OTHERS) + " The bar was closed, and so was the garden behind it."

    (found,) = cross(FilteredJudge(WordJudge()), [([long, f"So: {long}"], list(POOL))])

    assert not found.skipped.any()
    assert encoded == []


@pytest.mark.slow
def test_where_many_claims_are_near_the_best_is_still_found() -> None:
    things = ("beds", "carpets", "curtains", "showers")
    said = ("clean", "spotless", "rather clean", "old", "worn", "small but clean", "comfortable", "not clean")
    claims = [f"The {thing} in the rooms are {word}." for thing in things for word in said]
    model = NLIModel.from_pretrained(show_progress=False)
    given = {"predictions": [claims[start : start + 8] for start in range(0, len(claims), 8)]}

    every, likely = (
        Genericity(judge=model, pairs=pairs, drop_identical=True, show_progress=False).compute(**given)
        for pairs in ("all", "likely")
    )

    assert likely["genericity_skipped_pairs"] > 0
    assert 0 <= every["genericity"] - likely["genericity"] < 0.003
