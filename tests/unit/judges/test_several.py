"""Several judges as one: the mean, the weights, and pairs without a verdict."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import Run, check_refused
from judges import BlockJudge, WordJudge
from scoring import NEEDED, A, B

from claimwise.errors import ClaimwiseError
from claimwise.evidence.html import fragment
from claimwise.judges import Judgements, NLIModel, load_judge
from claimwise.judges.protocol import Pair
from claimwise.metrics import METRICS
from claimwise.metrics.nli import NLIMetric

NLI_METRICS = [name for name in METRICS if issubclass(METRICS[name], NLIMetric) and name != "summac_conv"]
PAIRS = [("The pool is warm.", "The pool is not warm."), ("The pool is warm.", "It is warm."), ("a", "b")]


class Optimist(WordJudge):
    """Entailment, and unsure of what it is told to be unsure of."""

    may_abstain = True

    def __init__(self, unsure: str = "") -> None:
        super().__init__()
        self.unsure = unsure

    fingerprint, signature = "optimist", {"judge": "optimist", "mood": "good"}  # type: ignore[assignment]

    def predict_pairs(self, pairs: Sequence[Pair]) -> Judgements:
        self.asked += len(pairs)
        scores = np.tile(np.array([1, 0, 0], np.float32), (len(pairs), 1))
        unjudged = np.array(
            [bool(self.unsure) and self.unsure in hypothesis for _, hypothesis in pairs], bool
        )
        return Judgements(scores, np.zeros(len(pairs), bool), unjudged=unjudged)


def alone(judge: Any, pairs: list[Pair] = PAIRS) -> Any:
    return judge.predict_pairs(pairs).probabilities


def test_probabilities_are_averaged() -> None:
    found = load_judge([WordJudge(), Optimist()]).predict_pairs(PAIRS)

    np.testing.assert_allclose(found.probabilities, (alone(WordJudge()) + alone(Optimist())) / 2, atol=1e-6)


def test_weights_need_not_sum_to_one() -> None:
    found = load_judge([WordJudge(), Optimist()], judge_weights=[3, 1]).predict_pairs(PAIRS)

    mean = 0.75 * alone(WordJudge()) + 0.25 * alone(Optimist())
    np.testing.assert_allclose(found.probabilities, mean, atol=1e-6)


def test_a_judge_that_cannot_say_does_not_count_and_one_pair_is_left_if_none_can() -> None:
    some = load_judge([WordJudge(), Optimist(unsure="not")]).predict_pairs(PAIRS)
    none = load_judge([Optimist(unsure="not"), Grumbler(unsure="not")]).predict_pairs(PAIRS)

    np.testing.assert_allclose(some.probabilities[0], alone(WordJudge())[0])
    assert not some.unjudged.any()
    assert none.unjudged.tolist() == [True, False, False]
    assert none.probabilities[0].tolist() == [0, 1, 0]


class Grumbler(Optimist):
    fingerprint, signature = "grumbler", {"judge": "grumbler"}  # type: ignore[assignment]


def test_one_that_answers_blocks_is_asked_in_blocks_and_the_others_in_pairs() -> None:
    class Block(BlockJudge):
        fingerprint = "block"  # type: ignore[assignment]

    def score(judges: Any) -> dict[str, Any]:
        result = METRICS["caspr"](judge=judges).compute(predictions=A, references=B, details=True)
        return {key: value for key, value in result.items() if key != "caspr_signature"}

    class Pairs(WordJudge):
        fingerprint = "block"  # type: ignore[assignment]

    assert score([Block(), Optimist()]) == score([Pairs(), Optimist()])


def test_the_signature_names_all_judges_and_their_weights() -> None:
    one, other = (
        load_judge([WordJudge(), Optimist()]),
        load_judge([WordJudge(), Optimist()], judge_weights=[1, 2]),
    )

    assert dict(one.signature) == {
        "judge": "words + optimist",
        "longest": "12 + -",
        "mood": "- + good",
        "judge_weights": "0.5 + 0.5",
    }
    assert one.fingerprint != other.fingerprint


@pytest.mark.parametrize("name", NLI_METRICS)
def test_a_pair_is_judged_if_one_of_the_judges_gives_a_verdict(name: str) -> None:
    metric = METRICS[name](judge=[WordJudge(), Optimist(unsure="rooms")], **NEEDED.get(name, {}))

    result = metric.compute(predictions=A, references=B)

    assert result[f"{name}_unjudged"] == 0


def test_pairs_that_none_can_judge_are_counted_and_named() -> None:
    result = METRICS["caspr"](judge=Optimist(unsure="e"), decomposer="sentences").compute(
        predictions=["The room is small.", "It is big."],
        references=["A <bed> was there.", "Not so."],
        details=True,
    )

    unjudged = [evidence.get("unjudged") for evidence in result["caspr_details"]]
    assert result["caspr_unjudged"] == 2
    assert unjudged[0] == [
        {"premise": "The room is small.", "hypothesis": "A <bed> was there."},
        {"premise": "A <bed> was there.", "hypothesis": "The room is small."},
    ]
    assert unjudged[1] is None
    assert "could not be judged" not in fragment(result["caspr_details"][1])
    assert "A &lt;bed&gt; was" in fragment(result["caspr_details"][0]).partition("Not judged")[2]


def test_each_judge_keeps_its_own_answers_in_one_score_cache(nli_model: NLIModel, tmp_path: Path) -> None:
    words, optimist = WordJudge(), Optimist()
    path = tmp_path / "scores"
    load_judge([words, optimist], score_cache=path).predict_pairs(PAIRS)
    asked = words.asked, optimist.asked

    load_judge([words, optimist, nli_model], score_cache=path).predict_pairs(PAIRS)

    assert (words.asked, optimist.asked) == asked


def test_it_can_be_pickled() -> None:
    judge = load_judge([WordJudge(), Optimist()], judge_weights=[1, 2])

    there = pickle.loads(pickle.dumps(judge))

    np.testing.assert_array_equal(alone(there), alone(judge))
    assert there.fingerprint == judge.fingerprint


def test_a_list_of_one_is_that_judge() -> None:
    judge = WordJudge()

    assert load_judge([judge]) is judge


@pytest.mark.parametrize(
    ("judges", "options", "said"),
    [
        ([], {}, "at least two; got 0"),
        ([WordJudge(), WordJudge()], {}, "`words` is listed twice. .*judge_weights"),
        ([WordJudge(), Optimist()], {"judge_weights": [1]}, "must be 2 positive numbers"),
        ([WordJudge(), Optimist()], {"judge_weights": [1, 0]}, "positive"),
        ([WordJudge(), Optimist()], {"judge_weights": [1, float("nan")]}, "positive"),
        ([WordJudge(), Optimist()], {"judge_weights": "12"}, "must be 2 positive numbers"),
        (
            [WordJudge(), Optimist()],
            {"device": "cpu"},
            "a ready-made judge keeps its own",
        ),
        ([WordJudge(), 3], {}, "`int` is not a judge"),
        (WordJudge(), {"judge_weights": [1]}, "there is only one judge"),
    ],
)
def test_what_cannot_be_several_judges_is_refused(judges: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(ClaimwiseError, match=said):
        load_judge(judges, **options)


def test_on_the_command_line_the_flag_is_repeated(run: Run, tiny_encoder: Path) -> None:
    flags = ["--judge", "default", "--judge", tiny_encoder]

    done = run("explain", "caspr", "The pool is warm.", "The pool is cold.", *flags, "--option", "device=cpu")

    assert done.code == 0, done.err
    assert "|judge:default + " in done.out
    check_refused(run("explain", "caspr", "a", "b", *flags, "--option", "judge_weights=[1]"), "2 positive")
