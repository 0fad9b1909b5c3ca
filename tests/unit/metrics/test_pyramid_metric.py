"""Pyramid: units of references, whether a summary has them, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch
from judges import WordJudge
from scoring import parts
from tiny_checkpoints import CORPUS, TWO, Reference

from claimwise.errors import ClaimwiseError
from claimwise.judges import NLIModel
from claimwise.metrics import Pyramid, SummacZs
from claimwise.scores.pyramid import unit_presence

# WordJudge: a hypothesis is entailed as far as its words are the premise's.
SUMMARY = "The pool is warm. Parking is free."
REFERENCE = "The pool is warm. Breakfast is cold."  # of "Breakfast is cold." only "is" is in the summary


def pyramid(**options: Any) -> Pyramid:
    return Pyramid(judge=WordJudge(), **options)


def score(
    metric: Pyramid, reference: Any = REFERENCE, summary: str = SUMMARY, **columns: Any
) -> dict[str, Any]:
    given = {name: [cell] for name, cell in columns.items()}
    return metric.compute(predictions=[summary], references=[reference], details=True, **given)


def test_the_score_is_the_share_of_the_references_units_that_the_summary_has() -> None:
    result = score(pyramid())

    assert result["pyramid"] == pytest.approx((1 + 1 / 3) / 2)
    assert result["pyramid_recall"] == result["pyramid"]
    # The reference has all words of the first claim, and one of three of "Parking is free."
    assert result["pyramid_precision"] == pytest.approx((1 + 1 / 3) / 2)
    assert result["pyramid_f1"] == pytest.approx(2 / 3)


def test_the_evidence_tells_which_units_are_found_and_missing() -> None:
    (evidence,) = score(pyramid())["pyramid_details"]

    assert [(unit["unit"], unit["found"]) for unit in evidence["units"]] == [
        ("The pool is warm.", True),
        ("Breakfast is cold.", False),
    ]
    assert [claim["hypothesis"] for claim in evidence["claims"]] == ["The pool is warm.", "Parking is free."]
    assert evidence["units"][1]["probabilities"] == [0.3333, 0.6667, 0.0]


def test_what_several_references_say_is_one_unit_that_weighs_as_much_as_they_are() -> None:
    references = ["The pool is warm. Breakfast is cold.", "Warm is the pool!", "Cold is breakfast."]
    (evidence,) = score(pyramid(), references)["pyramid_details"]

    assert [(unit["unit"], unit["weight"], unit["references"]) for unit in evidence["units"]] == [
        ("The pool is warm.", 2.0, [0, 1]),
        ("Breakfast is cold.", 2.0, [0, 2]),
    ]
    assert evidence["units"][0]["wordings"] == ["Warm is the pool."]
    assert evidence["score"] == pytest.approx((2 * 1 + 2 / 3) / 4)


def test_one_way_entailment_makes_no_unit_of_two_claims() -> None:
    references = ["The pool is warm.", "The pool is warm, and also clean and very deep."]
    (evidence,) = score(pyramid(decomposer="sentences"), references)["pyramid_details"]

    assert [unit["weight"] for unit in evidence["units"]] == [1.0, 1.0]


def test_units_that_people_wrote_count_by_their_weights() -> None:
    units = ["The pool is warm", "Breakfast is cold", "Free parking"]
    result = score(pyramid(precision=False), units=units, unit_weights=[3, 2, 1])

    assert result["pyramid"] == pytest.approx((3 * 1 + 2 / 3 + 1) / 6)
    assert result["pyramid_signature"].endswith("|units:yes|unit_weights:yes")
    assert score(pyramid(precision=False), units=units)["pyramid"] == pytest.approx((1 + 1 / 3 + 1) / 3)


def test_given_units_leave_the_references_alone() -> None:
    judge = WordJudge()
    metric = Pyramid(judge=judge, precision=False)
    metric.compute(predictions=[SUMMARY], references=[[REFERENCE] * 3], units=[["Parking is free."]])

    assert judge.asked == 1


def test_without_precision_its_keys_and_comparisons_are_left_out() -> None:
    result = score(pyramid(precision=False))

    assert not {"pyramid_precision", "pyramid_f1"} & result.keys()
    assert result["pyramid_recall_scores"] == result["pyramid_scores"]
    assert "claims" not in result["pyramid_details"][0]


def test_attainable_goes_by_the_best_summary_of_as_many_units() -> None:
    units = ["The pool is warm.", "Breakfast is cold.", "The staff were rude."]
    columns = {"units": units, "unit_weights": [1, 3, 2]}
    metric = pyramid(presence="l3c", normalization="attainable")

    # One unit of weight 1 is found; the best summary with two claims has those of weights 3 and 2.
    assert score(metric, **columns)["pyramid"] == pytest.approx(1 / 5)
    assert score(metric, **columns)["pyramid_recall"] == pytest.approx(1 / 6)


def test_labels_count_found_or_not() -> None:
    result = score(pyramid(presence="l3c"))

    assert result["pyramid"] == 0.5
    assert result["pyramid_precision"] == 0.5


def test_a_unit_is_looked_for_in_the_whole_summary_its_best_sentence_or_the_best_ones_joined() -> None:
    summary = "The pool is old. Parking costs ten euros. We found it warm."
    unit = {"units": ["The pool is warm"]}

    def found(granularity: str, **options: Any) -> dict[str, Any]:
        metric = pyramid(premise_granularity=granularity, precision=False, **options)
        (evidence,) = score(metric, summary=summary, **unit)["pyramid_details"]
        (only,) = evidence["units"]
        return dict(only)

    assert found("document")["presence"] == 1
    assert found("sentence")["presence"] == pytest.approx(3 / 4)
    assert [part["premise"] for part in found("sentence")["premises"]] == ["The pool is old."]
    assert found("topk", k=1)["presence"] == pytest.approx(3 / 4)
    two = found("topk", k=2)
    assert (two["presence"], two["probabilities"]) == (1, [1.0, 0.0, 0.0])
    assert [part["position"] for part in two["premises"]] == [0, 2]


def test_a_summary_that_says_the_opposite_is_contradicted() -> None:
    from claimwise.evidence import UnitsEvidence, evidence_of

    (evidence,) = score(pyramid(), "The pool is warm.", "The pool is not warm.")["pyramid_details"]
    (unit,) = evidence_of(evidence, UnitsEvidence).units

    assert unit.verdict == "contradicted"
    assert evidence["score"] == 0


def test_a_row_does_not_depend_on_the_others() -> None:
    rows = {
        "predictions": [SUMMARY, "Breakfast is cold."],
        "references": [REFERENCE, [REFERENCE, "The pool is warm."]],
    }
    together = pyramid().compute(**rows, details=True)

    alone = [score(pyramid(), rows["references"][row], rows["predictions"][row]) for row in range(2)]  # type: ignore[arg-type]
    assert together["pyramid_details"] == [one["pyramid_details"][0] for one in alone]


def test_claims_that_say_nothing_can_be_dropped() -> None:
    class Credulous(WordJudge):
        """Finds everything entailed that speaks of a hotel."""

        def _predictions(self, pairs: list[tuple[str, str]]) -> Any:
            found = super()._predictions(pairs)
            found.probabilities[[("hotel" in h) for _, h in pairs]] = (1, 0, 0)
            return found

    reference = "The hotel has rooms. Breakfast is cold."
    metric = Pyramid(judge=Credulous(), vacuous_claims="drop")
    result = score(metric, reference)

    assert [unit["unit"] for unit in result["pyramid_details"][0]["units"]] == ["Breakfast is cold."]
    assert result["pyramid_vacuous"] == 1


def test_an_interval_of_the_mean() -> None:
    result = pyramid().compute(
        predictions=[SUMMARY, "Nothing at all."], references=[REFERENCE] * 2, confidence_level=0.9
    )

    low, high = result["pyramid_ci"]
    assert low <= result["pyramid"] <= high


# Judges with logits ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def two_classes(checkpoints: Path) -> Path:
    return checkpoints / "bert-two-labels"


def test_lite2_reads_a_checkpoint_of_two_classes_with_entailment_first(two_classes: Path) -> None:
    given = {"predictions": [CORPUS[0]], "references": [CORPUS[1]], "units": [CORPUS[2:]]}
    metric = Pyramid("lite2", judge=str(two_classes), label_order=TWO, dtype="float32", precision=False)

    # Softmax of the two logits, as transformers alone gives it.
    expected = Reference(two_classes, [0, 1]).predict([CORPUS[0]] * 2, CORPUS[2:])[:, 0]
    result = metric.compute(**given, details=True)
    assert [u["presence"] for u in result["pyramid_details"][0]["units"]] == pytest.approx(expected, abs=1e-5)
    assert parts(metric)["labels"] == "0,1"
    assert parts(metric)["presence"] == "p2c"


def test_lite2_names_its_model_and_its_labels() -> None:
    metric = Pyramid("lite2")

    assert metric.options.judge == "shiyue/roberta-large-tac08"
    assert metric.options.label_order == ("entailment", "not_entailment")
    assert Pyramid("lite2", judge="default").options.label_order is None


def test_a_checkpoint_of_two_classes_is_read_by_its_names_or_those_given(two_classes: Path) -> None:
    assert parts(Pyramid(judge=str(two_classes)))["labels"] == "0,1"
    assert parts(Pyramid(judge=str(two_classes), label_order=TWO[::-1]))["labels"] == "1,0"
    with pytest.raises(ClaimwiseError, match="does not name them"):
        Pyramid(judge=str(two_classes), label_order=["yes", "no"]).load()


def test_the_other_order_of_two_classes_gives_the_other_probabilities(two_classes: Path) -> None:
    pairs = [(CORPUS[0], CORPUS[1])]
    here, there = (
        NLIModel.from_pretrained(two_classes, label_order=order, dtype="float32", device="cpu")
        for order in (TWO, TWO[::-1])
    )

    (first,), (second,) = (judge.predict_pairs(pairs).probabilities for judge in (here, there))
    assert first[:2] == pytest.approx(second[1::-1], abs=1e-6)
    assert (first[2], second[2]) == (0, 0)
    assert here.fingerprint != there.fingerprint


@pytest.mark.parametrize("presence", ["p2c", "l2c"])
def test_two_classes_of_the_embedded_judge_come_from_its_logits(presence: Any) -> None:
    judge = NLIModel.from_pretrained(dtype="float32", device="cpu", show_progress=False)
    metric = Pyramid(judge=judge, presence=presence, precision=False)
    predictions = judge.predict_pairs([(SUMMARY, "Breakfast is cold."), (SUMMARY, "The pool is warm.")])
    assert predictions.logits is not None

    by_hand: npt.NDArray[np.float64] = unit_presence(predictions.probabilities, presence, predictions.logits)
    logits = torch.from_numpy(predictions.logits)
    two = torch.stack([logits[:, 0], logits[:, 1] + logits[:, 2]], dim=1).softmax(-1)[:, 0].numpy()
    assert by_hand == pytest.approx(two if presence == "p2c" else np.round(two), abs=1e-6)
    found = score(metric, units=["Breakfast is cold.", "The pool is warm."])["pyramid"]
    assert found == pytest.approx(by_hand.mean(), abs=1e-5)


@pytest.mark.parametrize("presence", ["p2c", "l2c"])
def test_two_classes_are_refused_where_a_judge_hands_on_no_logits(presence: Any, tmp_path: Path) -> None:
    judge = WordJudge()
    metric = Pyramid(judge=judge, presence=presence)
    for use in (metric.load, lambda: score(metric)):
        with pytest.raises(ClaimwiseError, match=f"{presence}.*logits.*words.*p3c"):
            use()
    assert judge.asked == 0
    with pytest.raises(ClaimwiseError, match="score cache does not store"):
        Pyramid(presence=presence, score_cache=str(tmp_path / "scores.sqlite"))
    with pytest.raises(ClaimwiseError, match="does not return"):
        Pyramid(presence=presence, judge=["default", WordJudge()]).load()


# Pairs that could not be judged ---------------------------------------------------------------------


def test_pairs_that_could_not_be_judged_are_counted() -> None:
    class Silent(WordJudge):
        """Says nothing of breakfast."""

        def _predictions(self, pairs: list[tuple[str, str]]) -> Any:
            from dataclasses import replace

            silent = np.array(["Breakfast" in hypothesis for _, hypothesis in pairs])
            return replace(super()._predictions(pairs), unjudged=silent)

    result = score(Pyramid(judge=Silent()))

    assert result["pyramid_unjudged"] == 1
    assert result["pyramid_details"][0]["unjudged"][0]["hypothesis"] == "Breakfast is cold."


# Bad input ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("columns", "column", "row"),
    [
        ({"references": None}, "references", None),
        ({"references": [[]]}, "references", 0),
        ({"references": [["Fine.", " "]]}, "references", 0),
        ({"references": ["4711 !"]}, "references", 0),
        ({"references": "a bare string"}, "references", None),
        ({"units": [[]]}, "units", 0),
        ({"units": [["Fine.", 7]]}, "units", 0),
        ({"units": [None]}, "units", 0),
        ({"units": [["a"], ["b"]]}, None, None),
        ({"unit_weights": [[1]]}, "unit_weights", None),
        ({"units": [["a"]], "unit_weights": [[1, 2]]}, "unit_weights", 0),
        *(
            ({"units": [["a"]], "unit_weights": [weights]}, "unit_weights", 0)
            for weights in ([-1], [None], None, ["2"], [True], [float("nan")], [0])
        ),
        ({"unit": [["a"]]}, None, None),
    ],
)
def test_bad_input_is_refused_with_its_column_and_row(
    columns: dict[str, Any], column: str | None, row: int | None
) -> None:
    given = {"predictions": [SUMMARY], "references": [REFERENCE], **columns}

    with pytest.raises(ClaimwiseError) as refused:
        pyramid().compute(**given)

    assert (refused.value.column, refused.value.row) == (column, row)
    assert refused.value.problem


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"presence": "p4c"}, "presence must be one of 'p3c'"),
        ({"premise_granularity": "paragraph"}, "premise_granularity must be one of 'document'"),
        ({"normalization": "max"}, "normalization must be one of 'all'"),
        ({"k": 0}, "k must be a whole number"),
        ({"precision": "no"}, "precision must be true or false"),
    ],
)
def test_an_unknown_option_is_refused_at_once(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ClaimwiseError, match=message):
        pyramid(**options)


def test_a_summary_in_another_script_scores_0_or_near() -> None:
    assert score(pyramid(), summary="部屋は清潔です。")["pyramid"] == 0
    assert score(Pyramid(), summary="部屋は清潔です。")["pyramid"] < 0.5


def test_a_long_summary_is_cut_and_counted() -> None:
    assert score(pyramid(), summary="The pool is warm. " * 4)["pyramid_truncated"] == 2


def test_sent_scu_and_topk_scu_of_glover_are_configurations_of_summac_zs() -> None:
    for name, granularity in (("sent_scu", "sentence"), ("topk_scu", "topk")):
        options = SummacZs(name).options
        assert (options.premise_granularity, options.hypothesis_granularity) == (granularity, "claim")
        assert options.scoring == "entailment"
