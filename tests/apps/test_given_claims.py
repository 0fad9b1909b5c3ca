"""Claims in the place of texts, through every door: taken as they are, signed, or refused with their rows."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from command import Run
from judges import WordJudge
from tables import write_table

import claimwise.integrations.pandas  # noqa: F401 - registers the accessor
from claimwise.errors import ClaimwiseError, RowsError
from claimwise.judges import NLIModel
from claimwise.metrics import METRICS, Caspr, SummacZs
from claimwise.metrics.nli import NLIMetric
from claimwise.runners import local
from claimwise.runners.results import Progress

METRICS_FOLDER = Path(__file__).parents[2] / "metrics"
DECOMPOSING = {name: metric for name, metric in METRICS.items() if metric.spec.decomposed}
SUMMARIES = [
    "The pool is warm, and the rooms are clean but small.",
    "The staff were kind. Parking is free, although the bus is late.",
    "The pool is cold.",
]
A = [["The pool is warm and the bar is open", "Parking is free."], ["A dog barked."], ["It rains."]]
B = [["The pool is not warm."], ["A dog barked.", "The bar is open."], ["It rains."]]
GIVEN = {"predictions": A, "references": B}
TEXTS = {name: [" ".join(claims) for claims in cells] for name, cells in GIVEN.items()}


@pytest.fixture
def caspr() -> Caspr:
    return Caspr(judge=WordJudge())


def test_every_metric_that_decomposes_takes_them() -> None:
    assert set(DECOMPOSING) == {name for name, metric in METRICS.items() if issubclass(metric, NLIMetric)}
    for name in METRICS:
        card = (METRICS_FOLDER / name / "README.md").read_text("utf-8")
        assert ("options.md#claims-as-given" in card) == (name in DECOMPOSING), name


@pytest.mark.parametrize("metric", DECOMPOSING.values(), ids=DECOMPOSING)
def test_they_score_as_the_same_claims_of_the_decomposer(
    metric: type[NLIMetric], nli_model: NLIModel, needed: dict[str, Any]
) -> None:
    made = metric(judge=nli_model, **needed.get(metric.name, {}))
    texts = [" ".join(of_text.claims) for of_text in made.claims(SUMMARIES)]
    claims = [of_text.claims for of_text in made.claims(texts)]
    assert any(len(of_row) > 1 for of_row in claims)
    both = made.references_are == "summaries"

    given = made.compute(predictions=claims, references=claims[::-1] if both else SUMMARIES, details=True)
    written = made.compute(predictions=texts, references=texts[::-1] if both else SUMMARIES, details=True)

    signed, decomposed = (one.pop(f"{metric.name}_signature").split("|") for one in (given, written))
    assert "claims:given" in signed
    assert "claims:given" not in decomposed
    still_decomposed = made.references_are == "references"  # several references keep their meaning
    assert any(part.startswith("decomposer:") for part in signed) == still_decomposed
    assert given == {name: written[name] for name in given}


def test_each_column_may_be_given_by_itself_and_nothing_is_split_or_warned_of(caspr: Caspr) -> None:
    result = caspr.compute(**GIVEN, details=True)

    (first, *_) = result["caspr_details"]
    assert [one["claim"] for one in first["claims_a"]] == A[0]
    assert [one["sentence"] for one in first["claims_a"]] == A[0]
    for column in GIVEN:
        half = caspr.compute(**{**TEXTS, column: GIVEN[column]})
        assert f"|claims:given as {column}" in half["caspr_signature"]
        assert "|decomposer:default" in half["caspr_signature"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the decomposer, which reads English only, reads none of it
        caspr.compute(
            predictions=[["Das Personal war freundlich und das Zimmer war sauber."]] * 2,
            references=[["Das Personal war unfreundlich."]] * 2,
        )


@pytest.mark.parametrize(
    ("predictions", "said"),
    [
        (
            [A[0], [], A[2]],
            ["predictions, row 1: the list of claims is empty.", "Drop the row or provide its claims"],
        ),
        (
            [A[0], A[1], ["Fine.", " "]],
            ["predictions, row 2: claim 1: the text is empty or blank.", "Drop the claim"],
        ),
        (
            [[7], [None], [A[1]]],
            [
                "3 rows",
                "row 0: claim 0: expected a string, got int.",
                "row 1: claim 0",
                "row 2: claim 0: expected a string, got list.",
                "Drop the claim",
                "from 0",
            ],
        ),
        (
            [A[0], "A text.", A[2]],
            [
                "predictions, row 1: expected a list of claims, got a text",
                "Use only texts or only lists of claims within a column",
            ],
        ),
        (
            ["A text.", A[1], A[2]],
            [
                "predictions, row 1: expected a text, got a list",
                "Use only texts or only lists of claims within a column",
            ],
        ),
        (A[:2], ["Unequal lengths: 2 predictions, 3 references.", "Row 2 is the first incomplete row"]),
        ([[]] * 12, ["12 rows cannot be scored", "row 9: the list", "… and 2 more rows"]),
    ],
)
def test_claims_that_cannot_be_scored_are_refused_with_their_rows(predictions: Any, said: list[str]) -> None:
    judge = WordJudge()
    references = B if len(predictions) < 12 else [B[0]] * 12

    for door in (Caspr(judge=judge), local(rows_in_part=1)):
        further = {} if isinstance(door, Caspr) else {"metric": Caspr(judge=judge)}
        with pytest.raises(ClaimwiseError) as refused:
            door.compute(**further, predictions=predictions, references=references)
        assert all(part in str(refused.value) for part in said), str(refused.value)
    assert judge.asked == 0


def test_elsewhere_a_list_is_refused_or_keeps_its_meaning() -> None:
    with pytest.raises(ClaimwiseError, match="predictions, row 0: expected a string, got list"):
        METRICS["complexity"]().compute(predictions=[["One.", "Two."]])
    sources = [["It rains.", "A dog barked."], ["It rains."]]
    mixed = SummacZs(judge=WordJudge()).compute(predictions=A[1:], references=[sources[0], "It rains."])
    assert mixed["summac_zs_scores"] == [1.0, 1.0]


def stop(progress: Progress) -> None:
    if progress.done:
        raise KeyboardInterrupt


@pytest.mark.parametrize("suffix", ["csv", "json", "jsonl", "parquet"])
def test_files_of_lists_are_scored_resumed_and_signed(tmp_path: Path, suffix: str, caspr: Caspr) -> None:
    written = {
        name: list(map(json.dumps, cells)) if suffix == "csv" else cells
        for name, cells in zip(("summary_a", "summary_b"), GIVEN.values(), strict=True)
    }
    file, output = write_table(tmp_path / f"rows.{suffix}", **written), tmp_path / "scores.jsonl"
    seen: list[Progress] = []

    runner = local(rows_in_part=1)
    with pytest.raises(KeyboardInterrupt):
        runner.score_file(caspr, file, output, details=True, watch=stop)
    found = runner.score_file(caspr, file, output, details=True, watch=seen.append)

    assert seen[0].resumed == 1
    expected = caspr.compute(**GIVEN, details=True)
    assert (found.scores, found.signature) == (expected["caspr_scores"], expected["caspr_signature"])
    rows = [json.loads(line) for line in output.read_text("utf-8").splitlines()]
    assert [row["caspr_details"] for row in rows] == json.loads(json.dumps(expected["caspr_details"]))


def test_one_kind_holds_for_all_rows_of_a_file_however_it_is_cut(tmp_path: Path, caspr: Caspr) -> None:
    mixed = [json.dumps(A[0]), *["A text."] * 12]
    file = write_table(tmp_path / "rows.csv", summary_a=mixed, summary_b=["It rains."] * 13)

    with pytest.raises(RowsError, match="summary_a, line 3: expected a list of claims") as refused:
        local(rows_in_part=1).score_file(caspr, file)
    found = local(rows_in_part=1, on_error="row").score_file(caspr, file)

    assert (len(refused.value.errors), refused.value.count, found.scored) == (10, 12, 1)
    assert "Use only texts or only lists of claims within a column" in str(refused.value)
    both = local(rows_in_part=1, on_error="row").compute(
        caspr, predictions=[A[0], "A text."], references=B[:2]
    )
    assert both["caspr_errors"][0] is None
    assert "row 1: expected a list of claims, got a text" in both["caspr_errors"][1]


@pytest.mark.slow
def test_processes_take_them(caspr: Caspr) -> None:
    assert local(2, rows_in_part=1).compute(caspr, **GIVEN) == caspr.compute(**GIVEN)


def test_tables_in_memory_and_the_score_cache_take_them(tmp_path: Path, caspr: Caspr) -> None:
    expected = caspr.compute(**GIVEN)
    kept = Caspr(judge=WordJudge(), score_cache=tmp_path / "scores")

    first = kept.compute(**GIVEN)
    asked = kept.judge.judge.asked  # type: ignore[attr-defined]
    assert kept.compute(**GIVEN) == first
    assert kept.judge.judge.asked == asked  # type: ignore[attr-defined]
    table = pd.DataFrame({"summary_a": map(json.dumps, A), "summary_b": B}).claimwise.score(caspr)
    assert table["caspr"].tolist() == expected["caspr_scores"]
    assert (table.attrs["mean"], table.attrs["signature"]) == (
        expected["caspr"],
        expected["caspr_signature"],
    )


def test_an_estimate_asks_no_decomposer(run: Run, tmp_path: Path) -> None:
    file = write_table(tmp_path / "rows.jsonl", summary_a=A, summary_b=B)

    said = run("score", "caspr", file, "--decomposer", "openai:m@http://host:2", "--estimate")

    assert said.code == 0, said.err
    assert "- openai:m" not in said.out
    assert "This estimate counts sentences as claims" not in said.out
    assert "caspr of 3 pairs: 8 pairs for the judge" in said.out


def test_modules_of_evaluate_take_them_at_once_and_row_by_row(caspr: Caspr) -> None:
    evaluate = pytest.importorskip("evaluate")
    module = evaluate.load(str(METRICS_FOLDER / "caspr"), judge=WordJudge())
    expected = caspr.compute(**GIVEN)

    assert module.compute(**GIVEN) == expected
    module.add(prediction=A[0], reference=B[0])
    with pytest.raises(ClaimwiseError, match="predictions, row 2: expected a list of claims, got a text"):
        module.add_batch(predictions=[A[1], "A text."], references=B[1:])
    with pytest.raises(ClaimwiseError, match="references, row 1: expected a list of claims, got a text"):
        module.add(prediction=A[1], reference="A text.")
    module.add_batch(predictions=A[1:], references=B[1:])
    assert module.compute() == expected
    for column in GIVEN:  # any mixture of kinds of columns, and texts after lists
        rows = {**TEXTS, column: GIVEN[column]}
        assert module.compute(**rows) == caspr.compute(**rows)
    assert module.compute(**TEXTS) == caspr.compute(**TEXTS)


def test_pages_take_them_in_boxes_and_files(tmp_path: Path, nli_model: NLIModel) -> None:
    pytest.importorskip("gradio", reason="the pages need the extra spaces")
    from claimwise.apps.spaces.batch import score_file
    from claimwise.apps.spaces.frame import drawn_file, small_print
    from claimwise.apps.spaces.front import FrontPage
    from claimwise.apps.spaces.page import Page

    page, front = Page("caspr"), FrontPage()
    boxes = (json.dumps(A[0]), "The pool is cold.")
    answer = page.answer(page.read(*boxes), {})
    lines = Page("genericity").read("It rains.", f"A dog barked.\n{json.dumps(A[0])}")

    assert answer.columns == {"predictions": [A[0]], "references": ["The pool is cold."]}
    assert "claims:given as predictions" in answer.own.result.signature
    assert f'"{A[0][0]}",' in page.python(answer)
    assert "A summary may be a JSON list of its claims" in small_print(page)
    assert lines == {"predictions": ["It rains.", "A dog barked.", A[0]]}
    assert "JSON list" not in small_print(Page("complexity")) + small_print(front)
    with pytest.raises(ClaimwiseError, match="the text is a list of texts"):
        front.answer(front.read(*boxes), {})
    file = write_table(tmp_path / "rows.jsonl", summary_a=A, summary_b=B)
    scored = score_file(page, file, {}, lambda done, rows: None)
    assert "claims:given" in scored.result.signature
    assert " ".join(A[0]) in drawn_file(page, scored)
