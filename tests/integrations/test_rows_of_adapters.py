"""What adapters share: a row has a score or a reason, whatever is wrong with its neighbours."""

from __future__ import annotations

import pytest
from judges import WordJudge

from claimwise.errors import ClaimwiseError
from claimwise.integrations.base import ScoredSample, load_metric, score_sample, score_samples
from claimwise.metrics import METRICS, Metric, load

MISSING = (None, "", "  ", "123", float("nan"), 7)
GOOD = {"predictions": "The pool is warm.", "references": "The pool is not warm."}


@pytest.fixture(scope="module")
def word_caspr() -> Metric:
    return load("caspr", judge=WordJudge())


@pytest.mark.parametrize("text", MISSING)
@pytest.mark.parametrize("column", ["predictions", "references"])
def test_a_text_that_cannot_be_scored_is_an_error_and_its_neighbours_have_their_scores(
    word_caspr: Metric, column: str, text: object
) -> None:
    outcomes = score_samples(word_caspr, [GOOD, GOOD | {column: text}, GOOD])

    assert isinstance(outcomes[1], ClaimwiseError)
    assert (outcomes[1].column, outcomes[1].row) == (column, 1)
    expected = word_caspr.compute(predictions=[GOOD["predictions"]], references=[GOOD["references"]])
    scores = [one.score for one in outcomes if isinstance(one, ScoredSample)]
    assert scores == [expected["caspr"], expected["caspr"]]


def test_a_row_alone_is_refused_without_a_row_number(word_caspr: Metric) -> None:
    with pytest.raises(ClaimwiseError) as refused:
        score_sample(word_caspr, {"predictions": "The pool is warm."})

    assert str(refused.value).startswith("references: the text is missing (None).")


def test_a_metric_of_all_rows_goes_by_those_that_can_be_scored() -> None:
    genericity = load("genericity", judge=WordJudge())
    texts = ["The pool is warm.", None, "The pool is warm. The bar is closed.", "", "A dog barked."]

    outcomes = score_samples(genericity, [{"predictions": text} for text in texts])

    expected = genericity.compute(predictions=[text for text in texts if text])["genericity_scores"]
    assert [one.score for one in outcomes if isinstance(one, ScoredSample)] == expected
    assert [one.row for one in outcomes if isinstance(one, ClaimwiseError)] == [1, 3]


def test_a_metric_of_all_rows_is_refused_where_rows_come_one_by_one() -> None:
    with pytest.raises(ClaimwiseError, match="compares all summaries with each other, but this is alone"):
        load_metric("genericity", part_by_part="this is alone")


def test_options_of_a_metric_that_is_made_already_are_refused(word_caspr: Metric) -> None:
    with pytest.raises(ClaimwiseError, match="already loaded"):
        load_metric(word_caspr, options={"judge": "mnli"})


@pytest.mark.parametrize("name", [name for name in METRICS if name not in ("genericity", "summac_conv")])
def test_every_metric_explains_a_row_in_plain_text(name: str) -> None:
    takes_a_judge = "judge" in METRICS[name].Options.names() and name != "inverted_bertscore"
    options = {"support": "sentences"} if name == "support_counts" else {}  # GOOD has one text as its source
    metric = load(name, **options, **({"judge": WordJudge()} if takes_a_judge else {}))

    text = score_sample(metric, GOOD).reason

    assert metric.spec.title in text
    assert "\x1b" not in text


def test_what_compute_refuses_is_refused_for_a_sample() -> None:
    metric = load("support_counts", judge=WordJudge())
    for refused in (
        lambda: metric.compute(predictions=[GOOD["predictions"]], references=[GOOD["references"]]),
        lambda: score_sample(metric, GOOD),
    ):
        with pytest.raises(ClaimwiseError) as error:
            refused()
        assert error.value.column == "references"
