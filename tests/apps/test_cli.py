"""The ``claimwise`` command: results, files, and one line for everything that goes wrong."""

from __future__ import annotations

import array
import fcntl
import json
import os
import re
import signal
import subprocess
import sys
import termios
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

import pytest
from command import Done, Run, check_refused
from tables import write_table

import claimwise
from claimwise.apps.cli import app
from claimwise.apps.demo import EXPLAINED, PAIRS
from claimwise.metrics import METRICS, DistinctivenessScore, Pyramid
from claimwise.report.lines import signed

A = [pair.summary_a for pair in PAIRS]
B = [pair.summary_b for pair in PAIRS]
COMMANDS = [
    [],
    ["demo"],
    ["score"],
    ["explain"],
    ["compare"],
    ["data"],
    ["data", "build"],
    ["evaluate"],
    ["evaluate", "install"],
    ["evaluate", "list"],
    ["evaluate", "uninstall"],
    ["study"],
    ["report"],
    ["list"],
]
DS = "distinctiveness_score"


# ---------------------------------------------------------------------------------------------
# score
# ---------------------------------------------------------------------------------------------


def test_a_single_column_may_have_a_semicolon_in_its_name(run: Run, tmp_path: Path) -> None:
    file = raw("t.csv", b"final; edited\nIt is warm.\n")(tmp_path)

    assert run("score", "complexity", file, "--summary", "final; edited").code == 0


def test_every_file_format_gives_the_scores_of_the_library(
    run: Run, tmp_path: Path, distinctiveness: DistinctivenessScore
) -> None:
    expected = distinctiveness.compute(predictions=A, references=B)
    for name in ("pairs.csv", "pairs.jsonl", "pairs.parquet"):
        file = write_table(tmp_path / name, summary_a=A, summary_b=B)

        done = run("score", DS, file, "--output", f"{name}.json")

        assert done.code == 0, done.err
        assert json.loads(Path(f"{name}.json").read_text(encoding="utf-8")) == expected
        assert f"{DS} {expected[DS]:.2f}  ({len(A)} pairs)" in done.out
        assert expected[f"{DS}_signature"] in done.out.replace("\n", "")


def test_columns_can_be_named_and_have_default_names(run: Run, tmp_path: Path) -> None:
    file = write_table(tmp_path / "t.csv", left=A, predictions=B, summary_a=A, references=A, summary_b=B)

    def scores(*options: str) -> Any:
        assert run("score", DS, file, "--output", "out.json", *options).code == 0
        return json.loads(Path("out.json").read_text(encoding="utf-8"))[f"{DS}_scores"]

    same = [0.0] * len(A)
    assert scores("--summary", "left", "--other", "summary_a") == same
    assert scores("--summary", "left") == same  # with the default, references
    assert scores() == scores("--summary", "predictions", "--other", "references") != same


@pytest.mark.slow
@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.parquet"])
def test_references_units_and_weights_may_be_lists_and_the_map_shows_what_is_missing(
    run: Run, tmp_path: Path, name: str
) -> None:
    lists = {
        "reference": [["The pool is warm.", "Parking is free. [A warm pool]"], ["The bar is open."]],
        "scus": [["The pool is warm", "Parking is free"], ["The bar is open"]],
        "weights": [[3, 1], [2]],
    }
    summaries = ["The pool is warm.", "The <bar> is open."]
    as_text = {
        key: list(map(json.dumps, cells)) if name == "t.csv" else cells for key, cells in lists.items()
    }
    file = write_table(tmp_path / name, summary=summaries, **as_text)
    options = ("--option", "presence=l3c", "--output", "out.json")

    done = run("score", "pyramid", file, "--map", "units.html", *options)

    assert done.code == 0, done.err
    result = json.loads(Path("out.json").read_text("utf-8"))
    assert "pyramid_details" not in result
    expected = Pyramid(presence="l3c").compute(predictions=summaries, references=lists["reference"])
    assert result == expected
    page = Path("units.html").read_text("utf-8")
    for shown in ("Row 1 · pyramid", "○ missing", "Parking is free.", "The &lt;bar&gt; is open."):
        assert shown in page
    assert result["pyramid_signature"] in page

    done = run("score", "pyramid", file, "--units", "scus", "--unit-weights", "weights", *options)

    assert done.code == 0, done.err
    assert json.loads(Path("out.json").read_text("utf-8"))["pyramid_scores"] == [0.75, 1.0]


def test_a_map_that_cannot_be_written_is_refused_before_the_work(run: Run, tmp_path: Path) -> None:
    file = write_table(tmp_path / "t.csv", summary=["It is warm."], reference=["It is warm."])
    (tmp_path / "folder").mkdir()

    check_refused(run("score", "pyramid", file, "--map", "folder"), "folder", "cannot be written")


def test_common_gives_the_three_summary_form(run: Run, tmp_path: Path) -> None:
    file = write_table(
        tmp_path / "t.csv", predictions=["Pool bar."], references=["Pool gym."], both=["Pool gym spa."]
    )

    assert f"{DS} 50.00" in run("score", DS, file, "--config", "words", "--common", "both").out


def test_a_factuality_metric_reads_reviews_and_any_option(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    rows = [
        {"summary": "The pool is warm.", "reviews": ["The pool is warm.", "We swam."]},
        {"summary": "The bar is open.", "reviews": ["The bar is open."]},
    ]
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")

    plain = run("score", "summac_zs", file)
    assert plain.code == 0, plain.err
    assert "(2 summaries)" in plain.out
    options = ("--option", "scoring=entailment_minus_contradiction", "--option", "premise_tokens=100")
    done = run("score", "summac_zs", file, *options)
    assert "scoring:entailment_minus_contradiction" in done.out.replace("\n", "")
    assert "premise_tokens:100" in done.out.replace("\n", "")
    check_refused(
        run("score", "summac_zs", file, "--option", "k"), "--option k has no value", "Write it as name=value."
    )
    check_refused(run("score", "summac_zs", file, "--option", "colour=red"), "has no option `colour`")


def test_a_metric_without_sources_needs_only_summaries(run: Run, tmp_path: Path) -> None:
    file = write_table(tmp_path / "t.csv", summary=["It is small, but cosy.", "It is warm."])
    done = run("score", "complexity", file)
    assert done.code == 0, done.err
    assert "complexity 50.00  (2 summaries)" in done.out


def test_further_scores_are_printed_and_written_with_their_intervals(run: Run, tmp_path: Path) -> None:
    summaries = ["It is small, but cosy.", "It is warm and dry."]
    file = write_table(tmp_path / "t.csv", summary=summaries, reviews=[summaries[0], "It rained."])

    done = run("score", "abstractiveness", file, "--ci", "--output", "out.csv")

    assert [line.split("  ")[0] for line in done.out.splitlines()[:3]] == [
        f"{name} 0.50" for name in ("abstractiveness", "abstractiveness_4", "abstractiveness_5")
    ]
    assert done.out.count(" at 95%") == 3
    compared = run("compare", "abstractiveness_4", "out.csv", "out.csv")
    assert "abstractiveness_4: out.csv − out.csv = 0.00" in compared.out


def test_ci_adds_the_interval_to_line_and_file(run: Run, tmp_path: Path) -> None:
    file = write_table(tmp_path / "t.csv", summary_a=A, summary_b=B)

    done = run("score", DS, file, "--ci", "--confidence-level", "0.8", "--output", "out.json")

    result = json.loads(Path("out.json").read_text(encoding="utf-8"))
    low, high = result[f"{DS}_ci"]
    assert low < result[DS] < high
    assert f"{DS} {result[DS]:.2f}  [{low:.2f}, {high:.2f}] at 80%" in done.out


def test_the_interval_of_few_rows_stays_on_the_scale(run: Run, tmp_path: Path) -> None:
    file = write_table(tmp_path / "t.csv", summary_a=A[:3], summary_b=[A[0], A[1], B[2]])

    def interval(*options: str) -> list[float]:
        assert run("score", DS, file, "--ci", *options, "--output", "out.json").code == 0
        found: list[float] = json.loads(Path("out.json").read_text(encoding="utf-8"))[f"{DS}_ci"]
        return found

    assert interval()[0] >= 0
    assert interval() == interval("--confidence-method", "percentile")
    assert interval("--confidence-method", "normal")[0] < 0  # the CASPR paper's


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--confidence-level", "0.995"], " at 99.5%"),
        (["--confidence-method", "percentile"], " at 95%"),
        (["--seed", "7"], " at 95%"),
    ],
)
def test_every_option_of_the_interval_adds_it(
    run: Run, tmp_path: Path, options: list[str], said: str
) -> None:
    file = write_table(tmp_path / "t.csv", summary_a=A, summary_b=B)

    done = run("score", DS, file, *options)

    assert done.code == 0, done.err
    assert said in done.out


def test_the_interval_is_made_with_the_method_and_seed_given(
    run: Run, tmp_path: Path, distinctiveness: DistinctivenessScore
) -> None:
    file = write_table(tmp_path / "t.csv", summary_a=A, summary_b=B)
    columns = {"predictions": A, "references": B}
    options = ("--ci", "--confidence-method", "bca", "--seed", "7")

    assert run("score", DS, file, *options, "--output", "out.json").code == 0

    found = json.loads(Path("out.json").read_text(encoding="utf-8"))[f"{DS}_ci"]
    bca, normal = (
        distinctiveness.compute(**columns, confidence_level=0.95, confidence_method=method, seed=7)[
            f"{DS}_ci"
        ]
        for method in ("bca", "normal")
    )
    assert found == bca != normal


def test_a_mean_just_below_zero_is_printed_without_a_sign(run: Run, tmp_path: Path) -> None:
    file = write_table(tmp_path / "t.csv", summary=["The pool is warm.", "The waiter dropped our soup."])

    done = run("score", "genericity", file, "--output", "out.json")

    mean = json.loads(Path("out.json").read_text(encoding="utf-8"))["genericity"]
    assert abs(mean) < 0.1
    assert f"genericity {mean:z.2f}  (2 summaries)" in done.out


def test_a_difference_that_rounds_to_zero_is_printed_without_a_sign(run: Run, tmp_path: Path) -> None:
    first = result_file(tmp_path / "1.json", [1.0, 2.0])
    second = result_file(tmp_path / "2.json", [1.0, 2.004])

    assert "1.json − 2.json = 0.00," in run("compare", DS, first, second).out


def test_a_single_summary_is_counted_as_one(run: Run, tmp_path: Path) -> None:
    file = write_table(tmp_path / "t.csv", summary=["It is small, but cosy."])

    assert "complexity 100.00  (1 summary)" in run("score", "complexity", file).out


def test_details_go_to_the_file_or_as_json_to_stdout(run: Run, tmp_path: Path) -> None:
    file = write_table(tmp_path / "t.csv", summary_a=A, summary_b=B)

    printed = json.loads(run("score", DS, file, "--details").out)
    assert run("score", DS, file, "--details", "--output", "out.json").code == 0

    assert len(printed[f"{DS}_details"]) == len(A)
    assert json.loads(Path("out.json").read_text(encoding="utf-8")) == printed


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["caspr", "inverted_bertscore"])
def test_the_metrics_with_a_model_score_files_too(run: Run, tmp_path: Path, metric: str) -> None:
    file = write_table(tmp_path / "t.jsonl", summary_a=A[:1], summary_b=B[:1])

    done = run("score", metric, file, "--device", "cpu", "--output", "out.json")

    assert done.code == 0, done.err
    (found,) = json.loads(Path("out.json").read_text(encoding="utf-8"))[f"{metric}_scores"]
    assert 0 <= found <= 100
    assert f"{metric} {found:.2f}  (1 pair)" in done.out


def test_truncated_texts_are_reported(run: Run, tmp_path: Path) -> None:
    file = write_table(tmp_path / "t.jsonl", summary_a=["very " * 2000 + "clean."], summary_b=["Dirty."])

    assert "truncated: " in run("score", "caspr", file).out


def test_options_of_the_command_reach_the_metric(run: Run, tmp_path: Path) -> None:
    file = write_table(tmp_path / "t.csv", summary_a=A, summary_b=B)

    done = run("score", DS, file, "--tokenizer", "words", "--stemmer", "none")

    assert "|tokenizer:words|stemmer:none" in done.out.replace("\n", "")


def raw(name: str, content: bytes) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        path = folder / name
        path.write_bytes(content)
        return path

    return write


@pytest.mark.parametrize(
    ("file", "said"),
    [
        (raw("t.csv", b""), ["t.csv", "no rows"]),
        (raw("t.csv", b"left,right\nx,y\n"), ["`left`, `right`", "--summary"]),
        (raw("t.csv", b"summary_a;summary_b\nx;y;z\n"), ["t.csv", "3 cells", "contain semicolons"]),
        (raw("t.csv", "summary_a,summary_b\nCafé,Bar\n".encode("utf-16")), ["t.csv", "UTF-8"]),
        (raw("t.xlsx", b"PK"), ["t.xlsx", "Save the sheet as .csv"]),
        (raw("t.csv", b"summary_a,summary_b\nx,y\nx,y,z\n"), ["t.csv"]),
        (raw("t.csv", b'summary_a,summary_b\nx,y\n"",y\n'), ["t.csv, summary_a, line 3", "empty"]),
        (raw("t.csv", b"summary_a,summary_b\nx,y\nx\n"), ["t.csv, summary_b, line 3"]),
        (raw("t.jsonl", b'{"summary_a": "x", "summary_b": "y"}\n{"summary_a": "x",\n'), ["line 2"]),
        (
            raw("t.jsonl", b'{"summary_a": "x", "summary_b": "y"}\n{"summary_a": "x"}\n'),
            ["t.jsonl, summary_b, line 2"],
        ),
        (raw("t.jsonl", b'{"summary_a": "x", "summary_b": 5}\n'), ["t.jsonl, summary_b, line 1", "got int"]),
        (
            raw("t.jsonl", b'{"summary_a": "x\\ud83d", "summary_b": "y"}\n'),
            ["t.jsonl, summary_a, line 1", "surrogate"],
        ),
        (raw("t.parquet", b"PAR1 not really"), ["t.parquet"]),
        (raw("t.txt", b"x\ty\n"), [".csv", ".jsonl", ".parquet"]),
        (lambda folder: folder / "missing.csv", ["missing.csv", "cannot be read"]),
        (lambda folder: folder / "missing.parquet", ["missing.parquet", "cannot be read"]),
    ],
)
def test_a_file_that_cannot_be_scored_is_one_line_and_leaves_no_output(
    run: Run, tmp_path: Path, file: Callable[[Path], Path], said: list[str]
) -> None:
    path = file(tmp_path)
    before = {*tmp_path.rglob("*")}

    check_refused(run("score", DS, path, "--output", tmp_path / "out.json"), *said)

    assert {*tmp_path.rglob("*")} == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["rouge"], ["`rouge`", "caspr"]),
        ([DS, "--config", "x"], ["`x`", "words"]),
        ([DS, "--stemmer", "klingon"], ["`klingon`"]),
        ([DS, "--judge", "default"], ["judge", "stemmer"]),
        ([DS, "--ci", "--confidence-level", "95"], ["between 0 and 1"]),
        ([DS, "--confidence-level", "95"], ["between 0 and 1"]),
        ([DS, "--confidence-method", "t"], ["“t”", "`percentile`, `bca`"]),
        (
            ["summac_conv", "--source", "summary_b", "--option", "bins=even50"],
            ["claimwise: The included weights are for", "even50", "--option weights=…"],
        ),
        (["caspr", "--judge", "nobody/nothing"], ["nobody/nothing", "work offline with `default`"]),
        (["caspr", "--decomposer", "x"], ["`x`", "default"]),
        (["caspr", "--device", "warp"], ["--device cpu, not warp"]),
        (["caspr", "--common", "summary_a"], ["common"]),
        (["caspr", "--source", "summary_a"], ["--source", "--summary, --other"]),
        (["caspr", "--config", "paper"], ["OPENAI_API_KEY"]),
        (["inverted_bertscore", "--config", "paper"], ["roberta-large", "default"]),
    ],
)
def test_what_cannot_be_done_is_one_line_and_leaves_no_output(
    run: Run, tmp_path: Path, arguments: list[str], said: list[str]
) -> None:
    file = write_table(tmp_path / "t.csv", summary_a=A, summary_b=B)
    metric, *options = arguments

    check_refused(run("score", metric, file, *options, "--output", tmp_path / "out.json"), *said)

    assert [*tmp_path.iterdir()] == [file]


@pytest.mark.parametrize("place", ["t.csv/out.json", "t.csv/deeper/out.json", "folder"])
def test_an_output_that_cannot_be_written_is_one_line(run: Run, tmp_path: Path, place: str) -> None:
    file = write_table(tmp_path / "t.csv", summary_a=A, summary_b=B)
    (tmp_path / "folder").mkdir()

    check_refused(run("score", DS, file, "--output", tmp_path / place), "cannot be written")

    assert {*tmp_path.iterdir()} == {file, tmp_path / "folder"}


# ---------------------------------------------------------------------------------------------
# explain and demo
# ---------------------------------------------------------------------------------------------


def test_explain_prints_every_claim_without_colours_and_writes_the_map(run: Run) -> None:
    a, b = "The pool is warm. [bold]Nice[/bold] bar.", "The pool is cold. The <bed> is soft."

    done = run("explain", "caspr", a, b, "--decomposer", "sentences", "--output", "maps/map.html")

    assert done.code == 0, done.err
    for claim in (
        "A1 The pool is warm.",
        "A2 [bold]Nice[/bold] bar.",
        "B1 The pool is cold.",
        "B2 The <bed> is soft.",
    ):
        assert claim in done.out
    assert "CASPR " in done.out
    assert "caspr|version:" in done.out
    assert "\x1b" not in done.out
    page = Path("maps/map.html").read_text(encoding="utf-8")
    assert "The pool is warm." in page
    assert "The &lt;bed&gt; is soft." in page


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("support_counts", ["1 The pool is warm.", "[1.1] The pool is warm.", "~ thinly supported 1"]),
        ("summac_zs", ["1 The pool is warm.", "[1.1] The pool is warm.", "✓ supported"]),
        ("opinion_prevalence", ["1 The pool is warm.", "[1.1] The pool is warm.", "✓ shared 1 of 1"]),
        ("pyramid", ["1 of 2 units found", "2 [red]Bar.", "✓ found", "○ missing", "precision"]),
        ("ssas", ["entailment from reference", "The pool is warm. → The pool is warm.", "shared: "]),
        (DS, ["shared: . | [ | ] | is | pool | red | the | warm", "only a: nice", "only b: bar"]),
        ("inverted_bertscore", ["precision: ", "recall: "]),
        ("abstractiveness", ["copied 3: The pool is | pool is warm | is warm ."]),
        ("genericity", ["The pool is warm.", "closest"]),
        ("complexity", ["The pool is warm."]),
    ],
)
def test_every_metric_is_explained_without_colours_in_a_pipe(
    run: Run, metric: str, expected: list[str]
) -> None:
    a, b = "The pool is warm. [red]Nice.", "The pool is warm. [red]Bar."

    options = ["--option", "support=sentences"] if metric == "support_counts" else []
    done = run("explain", metric, a, b, *options, "--output", "map.html")

    assert done.code == 0, done.err
    for text in (metric, *expected):
        assert text in done.out
    assert f"{metric}|version:" in done.out
    assert "\x1b" not in done.out
    assert f"{metric}|version:" in Path("map.html").read_text(encoding="utf-8")


def test_explain_writes_a_figure_where_the_name_says_so(run: Run) -> None:
    for metric, name, *options in (
        ("caspr", "map.pdf"),
        ("support_counts", "map.svg", "--option", "support=sentences"),
    ):
        done = run("explain", metric, "The pool is warm.", "The pool is cold.", *options, "--output", name)

        assert done.code == 0, done.err
        assert Path(name).stat().st_size > 5000


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["rouge", "x", "y"], ["Unknown metric `rouge`", "caspr"]),
        (["caspr", "x"], ["a second summary"]),
        (["support_counts", "x"], ["its source text"]),
        (["pyramid", "x"], ["a reference summary"]),
        (["pyramid", "x", " "], ["claimwise: the reference (B): the text is empty"]),
        ([DS, "x", "y", "--output", "map.pdf"], ["has no figure", ".html"]),
        (["genericity", "x"], ["another summary", "last argument"]),
        (["caspr", "", "y"], ["claimwise: summary A: the text is empty or blank. Change the text."]),
        (["caspr", "x", "42"], ["claimwise: summary B: the text contains no letters", "Change the text."]),
        (["genericity", "x", ""], ["claimwise: summary B: the text is empty"]),
        (["summac_zs", "x", " "], ["claimwise: the source text (B): the text is empty"]),
        (
            ["summac_conv", "x", "y", "--option", "bins=even50"],
            ["claimwise: The included weights are for", "--option weights=…"],
        ),
    ],
)
def test_what_cannot_be_explained_is_one_line(run: Run, arguments: list[str], said: list[str]) -> None:
    check_refused(run("explain", *arguments), *said)


def test_the_path_of_a_file_is_not_explained_as_a_text(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "my a.txt"
    path.write_text("The pool is warm.")

    said = [f"{path} is a file", f"\"$(cat '{path}')\"", f"claimwise score caspr '{path}'"]
    check_refused(run("explain", "caspr", path, "The pool is cold."), *said)
    check_refused(run("explain", "caspr", "The pool is cold.", path), *said)
    assert run("explain", DS, "a.txt, which is missing", "b.txt " * 200).code == 0


def test_demo_scores_the_examples_with_every_metric_and_draws_the_map(run: Run) -> None:
    done = run("demo")

    assert done.code == 0, done.err
    for metric in ("caspr", "distinctiveness_score", "inverted_bertscore"):
        assert metric in done.out
    for pair in PAIRS:
        assert pair.title in done.out
    assert f"{EXPLAINED.title}: CASPR 50.0 " in done.out
    assert "strongest comparison" not in done.out  # which decides no claim of the example otherwise
    assert "\x1b" not in done.out
    page = Path("contrast_map.html").read_text(encoding="utf-8")
    assert EXPLAINED.title in page
    assert [path.name for path in Path().iterdir()] == ["contrast_map.html"]


# ---------------------------------------------------------------------------------------------
# compare
# ---------------------------------------------------------------------------------------------


def result_file(path: Path, scores: Any, metric: str = DS) -> Path:
    known = [score for score in scores if isinstance(score, float)] if isinstance(scores, list) else []
    content = {metric: sum(known) / max(1, len(known)), f"{metric}_scores": scores}
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


@pytest.mark.parametrize("method", ["permutation", "bootstrap"])
def test_compare_gives_the_difference_and_a_p_value(run: Run, tmp_path: Path, method: str) -> None:
    first = result_file(tmp_path / "1.json", [60.0, 70.0, 80.0, 75.0, 66.0, 71.0, 69.0, 80.0])
    second = result_file(tmp_path / "2.json", [20.0, 30.0, 41.0, 36.0, 25.0, 31.0, 29.0, 42.0])

    done = run("compare", DS, first, second, "--method", method)

    assert done.code == 0, done.err
    assert "1.json − 2.json = +39.62" in done.out
    assert float(done.out.split("p = ")[1].split()[0]) < 0.05
    same = run("compare", DS, first, first, "--method", method)
    assert "p = 1.0000" in same.out


@pytest.mark.parametrize(
    ("scores", "options", "said"),
    [
        ([1.0, 2.0, 3.0], [], ["2 and 3"]),
        ([1.0], [], ["2 and 1"]),
        ([1.0, None], [], []),
        ("ab", [], ["2.json"]),
        (5, [], ["2.json"]),
        ([1.0, 2.0], ["--method", "t-test"], ["t-test", "permutation", "bootstrap"]),
    ],
)
def test_results_that_cannot_be_compared_are_one_line(
    run: Run, tmp_path: Path, scores: Any, options: list[str], said: list[str]
) -> None:
    first = result_file(tmp_path / "1.json", [1.0, 2.0])

    check_refused(run("compare", DS, first, result_file(tmp_path / "2.json", scores), *options), *said)


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{}", b"not json", b"\xff\xfe", b'{"caspr_scores": [1, 2]}', None]
)
def test_a_file_without_scores_of_the_metric_is_one_line(
    run: Run, tmp_path: Path, content: bytes | None
) -> None:
    first = result_file(tmp_path / "1.json", [1.0, 2.0])
    second = tmp_path / "2.json"
    if content is not None:
        second.write_bytes(content)

    check_refused(run("compare", DS, first, second), "2.json", DS, "--output")


def test_what_score_writes_compare_reads(run: Run, tmp_path: Path) -> None:
    file = write_table(tmp_path / "t.csv", summary_a=A, summary_b=B, other=A)
    assert run("score", DS, file, "--output", "1.json").code == 0
    assert run("score", DS, file, "--other", "other", "--output", "2.json").code == 0

    done = run("compare", DS, "1.json", "2.json")

    assert "1.json − 2.json = +" in done.out
    assert f"{len(A)} pairs" in done.out


def test_compare_warns_where_the_signatures_differ_and_says_in_what(run: Run, tmp_path: Path) -> None:
    file = write_table(tmp_path / "t.csv", summary_a=A, summary_b=B)
    for name, options in (("1", []), ("2", ["--stemmer", "none", "--tokenizer", "words"])):
        assert run("score", DS, file, *options, "--output", f"{name}.json").code == 0

    alike = run("compare", DS, "1.json", "1.json")
    unlike = run("compare", DS, "1.json", "2.json")

    assert "signatures" not in alike.err
    assert unlike.code == 0
    assert "p = " in unlike.out
    assert all(line.startswith("claimwise: warning: ") for line in unlike.err.splitlines())
    assert "their signatures differ in tokenizer, stemmer." in unlike.err


def test_compare_weighs_rows_as_the_means_that_score_prints(run: Run, tmp_path: Path) -> None:
    long = "It is small, but cosy. It is warm. It is old. It is by the sea."
    means = []
    for name, summaries in (("1", [long, "It is cold, but dry."]), ("2", [long, "It is dull. It is dim."])):
        file = write_table(tmp_path / f"{name}.csv", summary=summaries)
        assert run("score", "complexity", file, "--output", f"{name}.json").code == 0
        means.append(json.loads(Path(f"{name}.json").read_text(encoding="utf-8"))["complexity"])

    done = run("compare", "complexity", "1.json", "2.json")

    assert means == [pytest.approx(100 * 2 / 5), pytest.approx(100 * 1 / 6)]
    assert "1.json − 2.json = +23.33, p = 1.0000 (permutation, 2 summaries)" in done.out


def test_compare_weighs_a_further_score_as_its_metric_says(run: Run) -> None:
    for name, scores in (("1.json", [1.0, 0.0]), ("2.json", [0.0, 0.0])):
        content = {
            "support_counts_weights": [3, 1],
            "support_counts_top_score_scores": scores,
            "support_counts_top_score": 0.75 * scores[0],
            "genericity_weights": [3, 1],
            "genericity_average_idf_scores": scores,
            "genericity_average_idf": scores[0] / 2,
        }
        Path(name).write_text(json.dumps(content), encoding="utf-8")

    assert "1.json − 2.json = +0.75" in run("compare", "support_counts_top_score", "1.json", "2.json").out
    assert "1.json − 2.json = +0.50" in run("compare", "genericity_average_idf", "1.json", "2.json").out


def test_compare_takes_the_rows_that_both_samples_hold(run: Run, tmp_path: Path) -> None:
    summaries = [
        "The pool is warm.",
        "The bar is loud.",
        "The beds are soft.",
        "Parking is free.",
        "The soup was cold.",
        "The staff are kind.",
    ]
    found = []
    for name, of_system in (("1", summaries), ("2", summaries[::-1])):
        file = write_table(tmp_path / f"{name}.csv", summary=of_system)
        done = run("score", "genericity", file, "--option", "max_pairs=15", "--output", f"{name}.json")
        assert done.code == 0, done.err
        found.append(json.loads(Path(f"{name}.json").read_text(encoding="utf-8")))
    scored = sum(score is not None for score in found[0]["genericity_scores"])
    assert 2 <= scored < 6
    assert f"(6 summaries, {scored} of them scored)" in done.out

    done = run("compare", "genericity", "1.json", "2.json")

    assert done.code == 0, done.err
    difference = found[0]["genericity"] - found[1]["genericity"]
    assert f"1.json − 2.json = {signed(difference)}" in done.out
    assert f"(permutation, {scored} of 6 summaries scored in both)" in done.out


def test_compare_refuses_samples_with_too_few_rows_in_common(run: Run, tmp_path: Path) -> None:
    first = result_file(tmp_path / "1.json", [1.0, 2.0, None])
    second = result_file(tmp_path / "2.json", [None, 2.0, 3.0])

    refused = run("compare", DS, first, second)
    check_refused(refused, "at least two rows with a score in both", "Of the 3 common rows, 1 has both")


def test_compare_refuses_a_mean_that_its_scores_and_weights_do_not_give(run: Run) -> None:
    content = {"complexity": 25.0, "complexity_scores": [0.0, 100.0]}
    Path("1.json").write_text(json.dumps(content), encoding="utf-8")

    done = run("compare", "complexity", "1.json", "1.json")

    check_refused(done, "1.json", "the mean of complexity is 25, but its scores and weights average to 50")


def test_compare_says_whose_scores_a_file_holds(run: Run, tmp_path: Path) -> None:
    file = result_file(tmp_path / "1.json", [1.0, 2.0], "caspr")

    check_refused(run("compare", DS, file, file), "1.json", f"no scores of {DS}, but scores of caspr.")


def test_compare_refuses_a_mistyped_metric_by_its_name(run: Run, tmp_path: Path) -> None:
    file = result_file(tmp_path / "1.json", [1.0, 2.0], "caspr")

    for path in (file, tmp_path / "missing.json"):
        check_refused(run("compare", "capsr", path, path), "Unknown metric `capsr`", "caspr")


def test_the_further_scores_of_a_metric_are_compared_under_its_signature(run: Run) -> None:
    for name, threshold in (("1.json", 0.5), ("2.json", 0.75)):
        signature = f"support_counts|threshold:{threshold}"
        content = {"support_counts_top_score_scores": [1.0, 2.0], "support_counts_signature": signature}
        Path(name).write_text(json.dumps(content), encoding="utf-8")

    done = run("compare", "support_counts_top_score", "1.json", "2.json")

    assert "top_score: 1.json − 2.json = 0.00" in done.out
    assert "their signatures differ in threshold." in done.err


# ---------------------------------------------------------------------------------------------
# evaluate, data, and the command itself
# ---------------------------------------------------------------------------------------------


def test_evaluate_installs_lists_and_uninstalls(run: Run) -> None:
    def states(done: Done) -> list[str]:
        assert done.code == 0, done.err
        return [word for word in done.out.split() if word in ("installed", "absent", "outdated")]

    try:
        assert states(run("evaluate", "install", "caspr")) == ["installed"]
        assert states(run("evaluate", "install")) == ["installed"] * len(METRICS)
        assert states(run("evaluate", "list")) == ["installed"] * len(METRICS)
    finally:
        done = run("evaluate", "uninstall")
    assert states(done) == ["absent"] * len(METRICS)


@pytest.mark.parametrize("command", ["install", "uninstall"])
def test_evaluate_refuses_an_unknown_metric(run: Run, command: str) -> None:
    check_refused(run("evaluate", command, "rouge"), "`rouge`", "caspr")


@pytest.mark.parametrize(
    ("arguments", "said", "code"),
    [
        (["nothing", "--output", "out"], ["'nothing'", "cocotrip"], 2),  # as every command line that is none
        (["cocotrip", "--output", "out", "--source", "no/such/folder"], ["no/such/folder", "--source"], 1),
    ],
)
def test_data_that_cannot_be_built_leaves_nothing(
    run: Run, arguments: list[str], said: list[str], code: int
) -> None:
    done = run("data", "build", *arguments)

    assert done.code == code
    assert "Traceback" not in done.err
    assert all(text in done.err for text in said)
    assert not [*Path().iterdir()]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_help(run: Run, command: list[str]) -> None:
    done = run(*command, "--help")

    assert done.code == 0
    assert "Usage" in done.out
    assert done.err == ""


def commands(command: Any, *path: str) -> list[tuple[list[str], Any]]:
    """Return every command below ``command``, itself included, with its path."""
    below = getattr(command, "commands", {})
    return [([*path], command)] + [found for name in below for found in commands(below[name], *path, name)]


@pytest.mark.parametrize(("path", "command"), commands(app), ids=repr)
def test_help_shows_every_text_in_full(
    run: Run, monkeypatch: pytest.MonkeyPatch, path: list[str], command: Any
) -> None:
    monkeypatch.setenv("COLUMNS", "300")

    shown = " ".join(run(*path, "--help").out.replace("│", " ").split())

    for parameter in command.params:
        assert (getattr(parameter, "help", None) or "") in shown, shown
    assert not re.search(r" \.(\s|$)|\(\s*\)", shown)


def test_the_help_of_score_names_the_usual_columns(run: Run) -> None:
    assert "summary_a" in run("score", "--help").out


def test_version(run: Run) -> None:
    assert run("--version").out.strip() == claimwise.__version__


@pytest.mark.parametrize(
    "arguments", [["score"], ["score", DS], ["scor"], ["score", DS, "x.csv", "--nonsense"]]
)
def test_a_mistyped_command_is_a_usage_error(run: Run, arguments: list[str]) -> None:
    done = run(*arguments)

    assert done.code == 2
    assert "Traceback" not in done.err
    assert done.out == ""


# ---------------------------------------------------------------------------------------------
# As a process of its own
# ---------------------------------------------------------------------------------------------

COMMAND = [sys.executable, "-c", "from claimwise.apps.cli import main; main()"]


def test_a_refusal_in_a_process_is_one_line_and_exit_code_1(tmp_path: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "score", DS, "missing.csv"], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )

    check_refused(Done(done.returncode, done.stdout, done.stderr), "missing.csv")


def test_a_terminal_that_lacks_our_signs_gets_the_help_all_the_same(tmp_path: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "score", "--help"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONIOENCODING": "cp1252"},
        capture_output=True,
        timeout=120,
    )

    assert done.returncode == 0, done.stderr.decode("cp1252")[-300:]
    assert b"Usage" in done.stdout


def unread_bytes(pipe: TextIO) -> int:
    """Return how many bytes nobody has taken out of ``pipe`` yet."""
    count = array.array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, count)
    return count[0]


def test_ctrl_c_is_one_line_exit_code_130_and_no_output(tmp_path: Path) -> None:
    pipe = tmp_path / "t.jsonl"
    os.mkfifo(pipe)
    process = subprocess.Popen(
        [*COMMAND, "score", DS, str(pipe), "--output", str(tmp_path / "out.json")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL) and None,
    )
    with pipe.open("w", encoding="utf-8") as writer:
        writer.write("\n")
        writer.flush()
        while unread_bytes(writer) and process.poll() is None:
            pass  # once the first line is taken, the command waits for the next: that is when to interrupt
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)

    assert process.returncode == 130
    assert out == ""
    assert "Traceback" not in err
    assert err.strip().startswith("claimwise: interrupted")
    assert [*tmp_path.iterdir()] == [pipe]
