"""The local runner gives what ``compute`` gives, in parts and in several processes."""

from __future__ import annotations

import threading
import warnings
from typing import Any

import pytest
from counting import Counting, Ranking
from hypothesis import given
from hypothesis import strategies as st
from judges import WordJudge
from scoring import TEXTS, A, B

from claimwise import ChatJudge
from claimwise.errors import ClaimwiseError, ClaimwiseWarning, warn
from claimwise.metrics import (
    Abstractiveness,
    Caspr,
    Complexity,
    DistinctivenessScore,
    Genericity,
    Metric,
    SummacZs,
    SupportCounts,
)
from claimwise.runners import local
from claimwise.runners.parts import Job, Part


def of_words(kind: type[Metric], **options: Any) -> Metric:
    return kind(judge=WordJudge(), decomposer="sentences", **options)


METRICS: dict[str, Metric] = {
    "abstractiveness": Abstractiveness(),
    "caspr": of_words(Caspr),
    "complexity": Complexity(),
    "counting": Counting(),
    "distinctiveness_score": DistinctivenessScore(),
    "genericity": of_words(Genericity),
    "genericity of a sample": of_words(Genericity, pool="pairs", max_pairs=24),
    "ranking": Ranking(),
    "summac_zs": of_words(SummacZs),
    "support_counts": of_words(SupportCounts, support="sentences"),
}
ROWS = {"predictions": [*A, *B], "references": [*B, *A]}


def columns_of(metric: Metric, rows: dict[str, list[str]] = ROWS) -> dict[str, Any]:
    return {column.name: rows[column.name] for column in metric.spec.columns if column.required}


@pytest.mark.parametrize("name", METRICS)
def test_parts_of_any_size_give_what_compute_gives(name: str) -> None:
    metric = METRICS[name]
    asked = {**columns_of(metric), "details": True, "confidence_level": 0.9, "resamples": 50}

    assert local(rows_in_part=3).compute(metric, **asked) == metric.compute(**asked)


@pytest.mark.slow
def test_several_processes_give_what_compute_gives() -> None:
    metric = METRICS["support_counts"]
    asked = {**columns_of(metric), "details": True, "confidence_level": 0.9, "resamples": 50}

    assert local(2, rows_in_part=3).compute(metric, **asked) == metric.compute(**asked)


@given(
    rows=st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=12),
    size=st.integers(1, 13),
    name=st.sampled_from(["caspr", "distinctiveness_score", "counting"]),
)
def test_any_rows_in_parts_of_any_size(rows: list[tuple[str, str]], size: int, name: str) -> None:
    metric = METRICS[name]
    given = columns_of(metric, {"predictions": [a for a, _ in rows], "references": [b for _, b in rows]})

    assert local(rows_in_part=size).compute(metric, **given) == metric.compute(**given)


@pytest.mark.parametrize(
    "columns",
    [
        {"predictions": "a bare string"},
        {"predictions": None},
        {"predictions": []},
        {"predictions": ["Fine.", ""]},
        {"predictions": ["Fine.", "IMPOSSIBLE"]},
        {"predictions": ["Fine.", "Good."], "entities": ["one"]},
        {"predictions": ["Fine.", "Good."], "entities": "ab"},
        {"predictions": ["Fine."], "colours": ["red"]},
        {"predictions": ["Fine."], "confidence_level": 0.9},
    ],
)
@pytest.mark.parametrize("on_error", ["stop", "row"])
def test_what_compute_refuses_is_refused_alike(columns: dict[str, Any], on_error: str) -> None:
    metric = Counting()
    with pytest.raises(ClaimwiseError) as expected:
        metric.compute(**columns)
    if on_error == "row" and expected.value.row is not None and "entities" not in columns:
        result = local(on_error="row").compute(metric, **columns)
        plain = expected.value.at(remedy=expected.value.remedy.partition(" Or score")[0])
        assert result["counting_errors"] == [None, str(plain)]
        return

    with pytest.raises(ClaimwiseError) as refused:
        local(on_error=on_error).compute(metric, **columns)

    assert (refused.value.place, refused.value.problem) == (expected.value.place, expected.value.problem)
    assert ("on_error='row'" in refused.value.remedy) == ("on_error='row'" in expected.value.remedy)


def test_rows_that_cannot_be_scored_are_errors_and_the_others_what_they_are_without_them() -> None:
    good = ["One two three.", "A. B. C D E. f", "ONE more."]
    rows = [good[0], "", good[1], "IMPOSSIBLE", None, good[2]]

    result = local(on_error="row", rows_in_part=4).compute(
        Counting(), predictions=rows, details=True, confidence_level=0.9, resamples=50
    )

    alone = Counting().compute(predictions=good, confidence_level=0.9, resamples=50)
    assert result["counting"] == alone["counting"]
    assert result["counting_ci"] == alone["counting_ci"]
    assert result["counting_shouted"] == alone["counting_shouted"] == 6
    for key, nothing in (("counting_scores", None), ("counting_weights", 0.0), ("letters_scores", None)):
        one, two, three = alone[key]
        assert result[key] == [one, nothing, two, nothing, nothing, three]
    errors = result["counting_errors"]
    assert [error is None for error in errors] == [True, False, True, False, False, True]
    assert errors[1].startswith("predictions, row 1: the text is empty")
    assert errors[3] == "predictions, row 3: holds the impossible. Drop it. Rows are counted from 0."
    assert "missing" in errors[4]


@pytest.mark.parametrize("name", ["ranking", "genericity"])
def test_a_corpus_metric_leaves_rows_out_that_it_cannot_take(name: str) -> None:
    texts = ["The pool is warm.", "The bar is closed.", "The pool is warm and the staff kind."]
    bad = {"ranking": "UNRANKED words here.", "genericity": "It was there."}[name]  # stopwords alone
    rows = [texts[0], bad, "", texts[1], texts[2]]
    metric = METRICS[name]

    result = local(on_error="row", rows_in_part=2).compute(metric, predictions=rows, details=True)

    alone = metric.compute(predictions=texts, details=True)
    one, two, three = alone[f"{name}_scores"]
    assert result[f"{name}_scores"] == [one, None, None, two, three]
    assert result[name] == alone[name]
    said = {"ranking": "row 1 has no rank", "genericity": "row 1: the summary has only stopwords"}
    assert said[name] in result[f"{name}_errors"][1]
    if name == "genericity":  # the closest claim is named by its row in what was given
        (claim,) = result["genericity_details"][0]["claims"]
        assert claim["closest"]["row"] == 4
        assert alone["genericity_details"][0]["claims"][0]["closest"]["row"] == 2
    with pytest.raises(ClaimwiseError) as refused:
        local(rows_in_part=2).compute(metric, predictions=[texts[0], bad, *texts])
    assert refused.value.row == 1


def test_rows_of_errors_alone_are_an_error_that_names_the_first() -> None:
    with pytest.raises(ClaimwiseError, match=r"No row has a score.*row 0: holds the impossible"):
        local(on_error="row").compute(Counting(), predictions=["IMPOSSIBLE", ""])


def test_what_workers_warn_of_is_told_once_a_part() -> None:
    with pytest.warns(ClaimwiseWarning, match="Something odd") as caught:
        local(rows_in_part=2).compute(Counting(), predictions=["ODD one.", "ODD two.", "Even."])

    assert len(caught) == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"workers": 0}, "`workers` must be a whole number of at least 1"),
        ({"on_error": "ignore"}, "`on_error` must be one of `stop`, `row`"),
        ({"rows_in_part": 0}, "`rows_in_part` must be a whole number of at least 1"),
    ],
)
def test_a_wrong_option_is_named(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ClaimwiseError, match=said) as refused:
        local(**options)

    assert refused.value.option == next(iter(options))


def test_what_processes_cannot_share_is_refused() -> None:
    def tokens(text: str) -> list[str]:
        return text.split()

    with pytest.raises(ClaimwiseError, match="cannot be sent to worker processes"):
        local(2).compute(DistinctivenessScore(tokenizer=tokens), predictions=A, references=B)
    with pytest.raises(ClaimwiseError, match="max_requests"):
        local(2).compute(
            Caspr(judge=ChatJudge("m", "http://127.0.0.1:9", max_requests=5)), predictions=A, references=B
        )


@pytest.mark.slow
def test_workers_share_the_weights_and_give_the_scores_of_one_process(tiny_encoder: Any) -> None:
    from claimwise.judges.local import NLIModel

    options = {"device": "cpu", "dtype": "float32", "show_progress": False}
    metric = Caspr(judge=str(tiny_encoder), decomposer="sentences", **options)
    expected = metric.compute(predictions=A, references=B, details=True)
    before = NLIModel.from_pretrained(tiny_encoder, **options).predict(A, B)

    result = local(2, rows_in_part=1).compute(metric, predictions=A, references=B, details=True)

    assert result["caspr_scores"] == expected["caspr_scores"]
    assert result["caspr_signature"] == expected["caspr_signature"]
    for found, wanted in zip(result["caspr_details"], expected["caspr_details"], strict=True):
        assert found["labels"] == wanted["labels"]
        for mine, others in zip(found["claims_a"], wanted["claims_a"], strict=True):
            for reason, same in zip(mine["related"], others["related"], strict=True):
                assert reason["as_premise"] == pytest.approx(same["as_premise"], abs=1e-4)  # four digits
    after = NLIModel.from_pretrained(tiny_encoder, **options).predict(A, B)  # of the mapped weights
    assert (before == after).all()


class WaitingJudge(WordJudge):
    """A judge that answers once another run has come so far."""

    def __init__(self, has_begun: threading.Event, may_end: threading.Event) -> None:
        super().__init__()
        self.has_begun, self.may_end = has_begun, may_end

    def predict_pairs(self, pairs: Any) -> Any:
        self.has_begun.set()
        assert self.may_end.wait(30)
        return super().predict_pairs(pairs)


def test_runs_that_overlap_in_threads_leave_later_warnings_of_the_program_alone() -> None:
    first_begins, second_begins, first_is_done = (threading.Event() for _ in range(3))

    def run(judge: WaitingJudge) -> None:
        metric = Caspr(judge=judge, decomposer="sentences")
        local().compute(metric, predictions=["The pool is warm."], references=["The pool is cold."])

    first, second = (
        threading.Thread(target=run, args=(WaitingJudge(*events),))
        for events in ((first_begins, second_begins), (second_begins, first_is_done))
    )
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        first.start()
        assert first_begins.wait(30)
        second.start()
        first.join()
        first_is_done.set()
        second.join()
        warnings.warn("The disk is nearly full.", stacklevel=1)

    assert [str(one.message) for one in heard] == ["The disk is nearly full."]


def test_warnings_of_runs_in_two_threads_stay_apart() -> None:
    heard: dict[str, list[str]] = {}
    both_begin = threading.Barrier(2)

    class WarningJudge(WordJudge):
        def __init__(self, said: str) -> None:
            super().__init__()
            self.said = said

        def predict_pairs(self, pairs: Any) -> Any:
            both_begin.wait(30)
            warn(self.said)
            both_begin.wait(30)
            return super().predict_pairs(pairs)

    def run(said: str) -> None:
        metric = Caspr(judge=WarningJudge(said), decomposer="sentences")
        rows = metric.rows({"predictions": ["The pool is warm."], "references": ["The pool is cold."]})
        columns = {"predictions": [rows[0].prediction], "references": [rows[0].reference]}
        heard[said] = list(Job(metric=metric).score(Part(first_row=0, columns=columns)).warnings)

    threads = [threading.Thread(target=run, args=(said,)) for said in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert heard == {"one": ["one"], "two": ["two"]}
