"""SSAS as a metric: Table 1's order, several references, evidence, own weights, and what is refused."""

from __future__ import annotations

import json
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from judges import WordJudge

from claimwise.errors import ClaimwiseError
from claimwise.evidence import FeatureEvidence, evidence_of, fragment, save_map
from claimwise.judges import Judgements
from claimwise.judges.protocol import Pair
from claimwise.metrics import Ssas, load
from claimwise.scores.ssas import FEATURES, SIGNS, Ranking, ssas

# Table 1 of the paper: B says what A says, C the opposite.
A = "Mary lived through an era of liberating reform for women."
B = "Mary's life spanned years of incredible change for women."
C = "Mary lived through an era of suppression of women."
REFERENCE = "The pool is warm. Parking is free."


class Reader(WordJudge):
    """A judge that reads the sentences of Table 1 as a person does."""

    def predict_pairs(self, pairs: Sequence[Pair]) -> Judgements:
        rows = [(0.05, 0.05, 0.9) if C in pair and pair != (C, C) else (0.8, 0.15, 0.05) for pair in pairs]
        return Judgements(np.array(rows, dtype=np.float32), np.zeros(len(rows), dtype=np.bool_))


def of_words(**options: Any) -> Ssas:
    """Return SSAS with a judge that counts words and claims that are sentences."""
    return Ssas("even", **{"judge": WordJudge(), "decomposer": "sentences", **options})


def test_table_1_has_the_order_of_meaning_where_words_have_the_other() -> None:
    result = Ssas("even", judge=Reader()).compute(predictions=[B, C], references=[A, A], details=True)
    of_b, of_c = result["ssas_scores"]
    assert of_b > of_c
    words = [rows["features"][-1]["value"] for rows in result["ssas_details"]]
    assert words[0] < words[1]


def test_the_embedded_judge_keeps_the_order_of_table_1(nli_model: Any) -> None:
    for config in ("default", "even"):
        ssas = Ssas(config, judge=nli_model)
        of_b, of_c = ssas.compute(predictions=[B, C], references=[A, A])["ssas_scores"]
        assert of_b > of_c


def test_a_score_by_hand() -> None:
    """The first claim is the reference's; the second shares "is" of four, its best is the first's "is"."""
    result = of_words().compute(
        predictions=["The pool is warm. Tea is served."], references=["The pool is warm."]
    )
    # The reference entails a third of the tea ("is"); the tea entails a quarter of the reference.
    entailment = (1.0, (1.0 + 1 / 4) / 2)
    contradiction = (0.0, 0.0)
    neutrality = (2 / 3, (0.0 + 3 / 4) / 2)
    paraphrase = (1.0, (1.0 + 1 / 4) / 2)
    features = np.array([*entailment, *contradiction, *neutrality, *paraphrase, 1.0])
    assert result["ssas"] == pytest.approx(float(ssas(features, SIGNS)))


def test_of_several_references_the_score_is_the_mean() -> None:
    metric = of_words()
    summary, second = "The pool is warm. Breakfast is early.", "Nobody liked the cold pool. Parking is free."
    alone = metric.compute(predictions=[summary] * 2, references=[REFERENCE, second])["ssas_scores"]
    both = metric.compute(predictions=[summary], references=[[REFERENCE, second]], details=True)
    assert both["ssas"] == pytest.approx(np.mean(alone))
    (pairs,) = (
        f["pairs"] for f in both["ssas_details"][0]["features"] if f["name"] == "entailment_from_reference"
    )
    assert [pair["reference"] for pair in pairs] == [0, 0, 1, 1]


def test_a_score_does_not_depend_on_other_rows() -> None:
    summaries = ["The pool is warm.", "Parking costs a lot.", "A dog barked. Nobody slept."]
    metric = of_words()
    together = metric.compute(predictions=summaries, references=[REFERENCE] * 3)["ssas_scores"]
    assert together == [
        metric.compute(predictions=[one], references=[REFERENCE])["ssas"] for one in summaries
    ]


def test_the_evidence_has_each_feature_with_the_pairs_that_made_it(tmp_path: Path) -> None:
    summary = "Parking is free. The bar is closed."
    result = of_words().compute(predictions=[summary], references=[REFERENCE], details=True)
    (found,) = result["ssas_details"]
    evidence = evidence_of(found, FeatureEvidence)
    assert [feature.name for feature in evidence.features] == list(FEATURES)
    assert sum(feature.adds for feature in evidence.features) == pytest.approx(result["ssas"])
    for feature in evidence.features[:-1]:
        assert np.mean([pair.probability for pair in feature.pairs]) == pytest.approx(feature.value, abs=1e-4)
    first = evidence.features[0].pairs
    assert [pair.premise for pair in first] == ["The pool is warm.", "Parking is free."]
    assert first[1].hypothesis == "Parking is free."
    back = evidence.features[1].pairs
    assert [pair.premise for pair in back] == ["Parking is free.", "The bar is closed."]
    assert evidence.features[-1].shared is not None
    assert set(evidence.features[-1].shared) >= {"parking", "parking … free", "is"}
    save_map(result, tmp_path / "map.html")
    drawn = (tmp_path / "map.html").read_text("utf-8")
    assert "entailment from reference" in drawn
    assert "parking … free" in drawn
    assert fragment(found) in drawn


@pytest.mark.parametrize("paraphrase", ["minimum", "product", "geometric_mean"])
def test_paraphrases_are_made_of_both_entailments(paraphrase: str) -> None:
    """The reference entails three of the summary's four words, the summary three of the reference's three."""
    result = of_words(paraphrase=paraphrase).compute(
        predictions=["Parking is always free."], references=["Parking is free."], details=True
    )
    expected = {"minimum": 0.75, "product": 0.75, "geometric_mean": 0.75**0.5}[paraphrase]
    values = {f["name"]: f["value"] for f in result["ssas_details"][0]["features"]}
    assert values["paraphrase_from_reference"] == values["paraphrase_from_summary"] == pytest.approx(expected)
    assert f"|paraphrase:{paraphrase}|" in result["ssas_signature"]


def test_a_model_of_paraphrases_is_asked_for_each_pair_once() -> None:
    asked: list[Pair] = []

    def paraphrases(pairs: Sequence[Pair]) -> list[float]:
        asked.extend(pairs)
        return [float(a == b) for a, b in pairs]

    metric = of_words(paraphrase=paraphrases)
    result = metric.compute(
        predictions=["Parking is free.", "Parking is free."], references=[REFERENCE] * 2, details=True
    )
    assert sorted(asked) == [
        ("Parking is free.", "Parking is free."),
        ("The pool is warm.", "Parking is free."),
    ]
    values = {f["name"]: f["value"] for f in result["ssas_details"][0]["features"]}
    assert (values["paraphrase_from_reference"], values["paraphrase_from_summary"]) == (0.5, 1.0)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda pairs: [0.5],
        lambda pairs: [2.0] * len(pairs),
        lambda pairs: ["yes"] * len(pairs),
        lambda pairs: [float("nan")] * len(pairs),
        lambda pairs: None,
    ],
)
def test_a_function_that_gives_no_probabilities_is_refused(wrong: Any) -> None:
    with pytest.raises(ClaimwiseError, match="paraphrase") as caught:
        of_words(paraphrase=wrong).compute(predictions=["A. B is c."], references=[REFERENCE])
    assert caught.value.option == "paraphrase"


# Weights ------------------------------------------------------------------------------------------

SUMMARIES = [
    "The pool is warm. Parking is free.",
    "The pool is warm. A bus came.",
    "Parking is free and quick. The soup was hot.",
    "A bus came. The soup was hot.",
    "The pool is not warm.",
]
HUMAN = [5, 4, 4, 2, 1]


@pytest.mark.parametrize("ranking", get_args(Ranking))
def test_fitted_weights_are_used_written_and_read_again(ranking: Ranking, tmp_path: Path) -> None:
    path = tmp_path / "weights.json"
    metric = of_words()
    columns: dict[str, Any] = {"predictions": SUMMARIES, "references": [REFERENCE] * 5}
    before = metric.compute(**columns)

    weights = metric.fit(**columns, human_scores=HUMAN, ranking=ranking, fitted_on="a pool", output=path)
    after = metric.compute(**columns)

    assert list(weights) == list(FEATURES)
    assert all(weight * sign >= 0 for weight, sign in zip(weights.values(), SIGNS, strict=True))
    assert after["ssas_signature"] != before["ssas_signature"]
    assert np.corrcoef(after["ssas_scores"], HUMAN)[0, 1] > 0.8
    content = json.loads(path.read_text("utf-8"))
    assert content["weights"] == weights
    assert content["fitted_on"] == {
        "name": "a pool",
        "summaries": 5,
        "documents": 1,
        "human_scores": [1, 5],
    }
    assert content["fitted_with"]["judge"] == "words"
    for given in (path, str(path), weights):
        again = of_words(weights=given).compute(**columns)
        assert (again["ssas_scores"], again["ssas_signature"]) == (
            after["ssas_scores"],
            after["ssas_signature"],
        )
    assert pickle.loads(pickle.dumps(metric)).compute(**columns)["ssas_scores"] == after["ssas_scores"]


def test_documents_may_be_named_where_references_differ() -> None:
    references = [[REFERENCE], [REFERENCE, REFERENCE], [REFERENCE], [REFERENCE, REFERENCE], [REFERENCE]]
    alike = of_words().fit(
        predictions=SUMMARIES, references=references, human_scores=HUMAN, documents=[1] * 5
    )
    assert alike == of_words().fit(predictions=SUMMARIES, references=[REFERENCE] * 5, human_scores=HUMAN)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"human_scores": [1, 2]}, "Unequal lengths"),
        ({"human_scores": [1, 2, 3, 4, None]}, "human_scores, row 4: expected a number"),
        ({"human_scores": [1, 2, 3, 4, float("nan")]}, "human_scores, row 4"),
        ({"human_scores": [1] * 5}, "nothing to fit"),
        ({"documents": [1, 2, 3, 4, 5]}, "nothing to fit"),
        ({"ranking": "best"}, "listwise"),
        ({"output": Path("/proc/nowhere/weights.json")}, "weights.json"),
    ],
)
def test_what_cannot_be_fitted_is_refused(changed: dict[str, Any], said: str) -> None:
    given = {
        "predictions": SUMMARIES,
        "references": [REFERENCE] * 5,
        "human_scores": HUMAN,
        "documents": None,
    } | changed
    with pytest.raises(ClaimwiseError, match=said):
        of_words().fit(**given)


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ({"rouge_su4": 1.0}, "a number for each feature"),
        (dict.fromkeys(FEATURES, "1"), "must be numbers"),
        (dict(zip(FEATURES, -SIGNS, strict=True)), "perfect summary would not rank above"),
        (dict(zip(FEATURES, SIGNS * [1, 1, 1, 1, 4, 4, 1, 1, 1], strict=True)), "count neutrality more"),
        ("nowhere.json", "does not exist"),
        (Path(__file__), "has no weights"),
        (5, "weights"),
    ],
)
def test_weights_that_are_none_are_refused(weights: Any, said: str) -> None:
    with pytest.raises(ClaimwiseError, match=said) as caught:
        of_words(weights=weights).compute(predictions=["A pool."], references=[REFERENCE])
    assert caught.value.option == "weights"


def test_the_weights_of_the_package_say_what_they_were_fitted_on() -> None:
    from claimwise.metrics.ssas import DEFAULT_WEIGHTS

    content = json.loads(DEFAULT_WEIGHTS.read_text("utf-8"))
    assert set(content["weights"]) == set(FEATURES)
    assert content["fitted_on"]["name"] == "REALSumm and clusters of OpinionNLI"
    assert {"judge_fingerprint", "decomposer", "paraphrase"} <= set(content["fitted_with"])
    weights = np.array([content["weights"][name] for name in FEATURES])
    assert (weights * SIGNS >= 0).all()


def test_a_reference_that_is_missing_is_an_error_that_names_the_row() -> None:
    with pytest.raises(ClaimwiseError, match=r"references, row 1: the list of references is empty"):
        of_words().compute(predictions=["A pool.", "A bar."], references=[REFERENCE, []])


def test_an_unknown_paraphrase_is_refused_at_once() -> None:
    with pytest.raises(ClaimwiseError, match="geometric_mean"):
        load("ssas", paraphrase="maximum")
