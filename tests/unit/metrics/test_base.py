"""Every metric: invariants, refusals, intervals, signatures."""

from __future__ import annotations

import json
from functools import partial
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from scoring import SENTENCES, TEXTS, A, B, parts, scores

from claimwise.errors import ClaimwiseError
from claimwise.metrics import METRICS, DistinctivenessScore, Metric, load
from claimwise.runners import local

PAIRS_OF_TEXTS = st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=3)
few = settings(  # a model runs in each, so no shrinking either
    max_examples=4,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)
CONTRAST_METRICS = [name for name, metric in METRICS.items() if metric.spec.family == "contrast"]
every_metric = pytest.mark.parametrize("name", CONTRAST_METRICS)


@every_metric
@few
@given(pairs=PAIRS_OF_TEXTS)
def test_scores_lie_in_0_100_and_do_not_depend_on_sides_order_or_company(
    metrics: dict[str, Metric], name: str, pairs: list[tuple[str, str]]
) -> None:
    metric = metrics[name]
    predictions, references = [a for a, _ in pairs], [b for _, b in pairs]

    together = scores(metric, predictions, references)

    assert len(together) == len(pairs)
    assert all(0 <= score <= 100 for score in together)
    swapped_and_reversed = scores(metric, references[::-1], predictions[::-1])
    assert swapped_and_reversed[::-1] == pytest.approx(together, abs=1e-3)
    alone = [scores(metric, [a], [b])[0] for a, b in pairs]
    assert alone == pytest.approx(together, abs=1e-3)


@pytest.mark.parametrize("name", ["caspr", "distinctiveness", "bertscore"])
def test_a_summary_does_not_contrast_with_itself(request: pytest.FixtureRequest, name: str) -> None:
    texts = [*SENTENCES, *(f"{first} {second}" for first, second in pairwise(SENTENCES))]

    assert scores(request.getfixturevalue(name), texts, texts) == pytest.approx([0] * len(texts), abs=1e-3)


@every_metric
def test_the_mean_is_of_the_scores_and_everything_is_plain_python(
    metrics: dict[str, Metric], name: str
) -> None:
    result = metrics[name].compute(predictions=A, references=B, details=True, confidence_level=0.9)

    assert json.loads(json.dumps(result)) == result
    assert type(result[name]) is float
    assert all(type(score) is float for score in result[f"{name}_scores"])
    assert result[name] == pytest.approx(sum(result[f"{name}_scores"]) / len(A))
    assert all(key == name or key.startswith(f"{name}_") for key in result)
    assert [found["score"] for found in result[f"{name}_details"]] == result[f"{name}_scores"]


@every_metric
def test_any_iterable_of_texts_is_a_column(metrics: dict[str, Metric], name: str) -> None:
    metric = metrics[name]

    assert scores(metric, (text for text in A[:1]), tuple(B[:1])) == scores(metric, A[:1], B[:1])  # type: ignore[arg-type]


@every_metric
@pytest.mark.parametrize(
    "text",
    [
        "😀 great",
        "הבריכה חמה והצוות נחמד.",
        "المسبح دافئ ولكن الغرف صغيرة.",
        "部屋は清潔です。朝食は別料金です。",
        "no full stop, no capital",
        "e\u0301 \u200b \ufeff\r\n\tx",
        "a",
    ],
)
def test_unusual_texts_get_a_valid_score(metrics: dict[str, Metric], name: str, text: str) -> None:
    (with_other, with_itself) = scores(metrics[name], [text, text], ["The pool is warm.", text])

    assert 0 <= with_other <= 100
    assert 0 <= with_itself <= 100


@every_metric
def test_a_very_long_text_is_scored_and_its_truncation_counted(metrics: dict[str, Metric], name: str) -> None:
    long = "very " * 20_000 + "clean."

    result = metrics[name].compute(predictions=[long, "Fine."], references=["The room is dirty.", "Fine."])

    assert all(0 <= score <= 100 for score in result[f"{name}_scores"])
    if name == "distinctiveness_score":  # reads whole texts
        assert f"{name}_truncated" not in result
    else:
        assert result[f"{name}_truncated"] > 0


@pytest.mark.parametrize("name", ["caspr", "inverted_bertscore"])
def test_nothing_is_counted_where_nothing_was_worked_around(metrics: dict[str, Metric], name: str) -> None:
    result = metrics[name].compute(predictions=A, references=B)

    assert result[f"{name}_truncated"] == 0
    assert result.get(f"{name}_fallbacks", 0) == 0


@every_metric
@pytest.mark.parametrize("name_of_column", ["predictions", "references"])
def test_a_refusal_names_column_and_row(metrics: dict[str, Metric], name: str, name_of_column: str) -> None:
    columns = {"predictions": ["Fine."] * 3, "references": ["Good."] * 3}
    columns[name_of_column] = ["Fine.", "Good.", " "]

    with pytest.raises(ClaimwiseError, match=f"{name_of_column}, row 2: .* blank. Drop the row or fill"):
        metrics[name].compute(**columns)


@every_metric
@pytest.mark.parametrize("arguments", [{"predictions": ["x"]}, {"references": ["x"]}])
def test_a_column_left_out_is_refused(name: str, arguments: dict[str, list[str]]) -> None:
    with pytest.raises((ClaimwiseError, TypeError), match=r"predictions|references"):
        METRICS[name]().compute(**arguments)


@pytest.mark.parametrize("name", ["caspr", "inverted_bertscore"])
def test_a_column_that_a_metric_does_not_know_is_refused(metrics: dict[str, Metric], name: str) -> None:
    with pytest.raises(ClaimwiseError, match=f"{name} has no column or option `common`"):
        metrics[name].compute(predictions=A, references=B, common=A)


@every_metric
def test_a_mistyped_keyword_is_refused_with_those_there_are(metrics: dict[str, Metric], name: str) -> None:
    taken = "options are ids, details, confidence_level, confidence_method, resamples and seed"
    with pytest.raises(ClaimwiseError, match=f"{name} has no column or option `detail` .* {taken}"):
        metrics[name].compute(predictions=A, references=B, detail=True)


@pytest.mark.parametrize("method", ["normal", "percentile", "bca"])
def test_the_interval_lies_around_the_mean_and_a_seed_repeats_it(
    distinctiveness: DistinctivenessScore, method: Any
) -> None:
    def interval(seed: int | None, level: float = 0.95) -> list[float]:
        result = distinctiveness.compute(
            predictions=A * 4,
            references=[*B, *B[1:], *B, *B[:1], *A],
            confidence_level=level,
            confidence_method=method,
            resamples=500,
            seed=seed,
        )
        low, high = result["distinctiveness_score_ci"]
        assert low < result["distinctiveness_score"] < high
        return [low, high]

    narrow, wide = interval(1, 0.5), interval(1, 0.99)

    assert interval(1) == interval(1) != interval(2)
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


def test_without_confidence_level_and_details_neither_is_there(
    distinctiveness: DistinctivenessScore,
) -> None:
    result = distinctiveness.compute(predictions=A, references=B)

    assert sorted(result) == [
        "distinctiveness_score",
        "distinctiveness_score_repaired",
        "distinctiveness_score_scores",
        "distinctiveness_score_signature",
    ]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"confidence_level": 1.0}, "between 0 and 1"),
        ({"confidence_level": 0.9, "confidence_method": "magic"}, "`percentile`, `bca`, `normal`"),
        ({"confidence_level": 0.9, "resamples": 1}, "at least 2"),
    ],
)
def test_an_interval_that_cannot_be_is_refused(
    distinctiveness: DistinctivenessScore, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(ClaimwiseError, match=said):
        distinctiveness.compute(predictions=A, references=B, **options)


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        (
            "caspr",
            "version config judge judge_fingerprint labels max_length truncation dtype onnxruntime "
            "splitter decomposer",
        ),
        ("distinctiveness_score", "version config tokenizer stemmer"),
        ("inverted_bertscore", "version config encoder layer idf rescaled max_length onnxruntime"),
    ],
)
def test_a_signature_names_everything_that_changes_a_score(
    metrics: dict[str, Metric], name: str, keys: str
) -> None:
    found = parts(metrics[name])

    assert set(keys.split()) <= set(found)
    assert all(found.values())
    result = metrics[name].compute(predictions=A[:1], references=B[:1])
    assert result[f"{name}_signature"] == metrics[name].signature()


def test_a_missing_text_names_the_way_to_score_the_other_rows() -> None:
    for compute in (load("complexity").compute, partial(local().compute, load("complexity"))):
        with pytest.raises(ClaimwiseError, match="the text is missing") as caught:
            compute(predictions=["Good, but small.", None])
        assert "on_error='row'" in caught.value.remedy
