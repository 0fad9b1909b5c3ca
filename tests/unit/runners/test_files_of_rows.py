"""Files in, files out: every row with its columns, what was found for it, and what is said of all."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas
import pyarrow
import pyarrow.parquet
import pytest
from command import Run, check_refused
from counting import Counting
from scoring import A, B
from tables import write_table

from claimwise.errors import ClaimwiseError
from claimwise.metrics import DistinctivenessScore
from claimwise.report.results import read_result
from claimwise.runners import local
from claimwise.tables import Table
from claimwise.tables.reader import CHARACTERS_IN_BATCH

DS = "distinctiveness_score"
WANTED = DistinctivenessScore().compute(
    predictions=A, references=B, details=True, confidence_level=0.9, resamples=50
)


def rows_of(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".parquet":
        rows: list[dict[str, Any]] = pyarrow.parquet.read_table(path).to_pylist()
        return rows
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("into", ["parquet", "jsonl"])
@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_every_row_keeps_its_columns_and_gets_its_score(tmp_path: Path, suffix: str, into: str) -> None:
    source = write_table(tmp_path / f"rows.{suffix}", name=list("abcd"), summary_a=A, summary_b=B)
    output = tmp_path / "folder" / f"scores.{into}"

    found = local(rows_in_part=3).score_file(
        DistinctivenessScore(), source, output, details=True, confidence_level=0.9, resamples=50
    )

    assert found.result == {key: value for key, value in WANTED.items() if key in found.result}
    assert (found.rows, found.scored, found.failures) == (4, 4, {})
    rows = rows_of(output)
    assert list(rows[0]) == [
        "name", "summary_a", "summary_b", DS, f"{DS}_weight", f"{DS}_error", f"{DS}_details"
    ]  # fmt: skip
    assert [row["name"] for row in rows] == list("abcd")
    assert [row["summary_a"] for row in rows] == A
    assert [row[DS] for row in rows] == WANTED[f"{DS}_scores"]
    assert {row[f"{DS}_weight"] for row in rows} == {1.0}
    assert {row[f"{DS}_error"] for row in rows} == {None}
    details = [row[f"{DS}_details"] for row in rows]
    assert [json.loads(one) if into == "parquet" else one for one in details] == WANTED[f"{DS}_details"]
    result = read_result(output)
    assert result.mean == WANTED[DS]
    assert result.scores == WANTED[f"{DS}_scores"]
    assert result.interval == tuple(WANTED[f"{DS}_ci"])
    assert result.signature == WANTED[f"{DS}_signature"]
    assert result.details == WANTED[f"{DS}_details"]


def test_columns_of_any_type_stay_as_they_are(tmp_path: Path) -> None:
    table = pyarrow.table(
        {
            "summary": ["One two.", "Three.", "Four five six."],
            "reviews": [["a", "b"], [], None],
            "when": pyarrow.array([datetime(2026, 1, 2, tzinfo=UTC)] * 3, pyarrow.timestamp("ns", "UTC")),
            "kind": pyarrow.array(["x", "y", "x"]).dictionary_encode(),
            "inner": [{"text": "u", "n": 1}, None, {"text": "v", "n": 2}],
            "bytes": [b"\x00\xff", None, b""],
        }
    ).replace_schema_metadata({"of": "mine"})
    pyarrow.parquet.write_table(table, tmp_path / "rows.parquet")
    output = tmp_path / "scores.parquet"

    local(rows_in_part=2).score_file(Counting(), tmp_path / "rows.parquet", output)

    found = pyarrow.parquet.read_table(output)
    same = pyarrow.parquet.read_table(tmp_path / "rows.parquet")
    assert found.select(same.column_names).to_pylist() == same.to_pylist()
    assert found.schema.types[: same.num_columns] == same.schema.types
    assert found.schema.metadata[b"of"] == b"mine"
    assert pandas.read_parquet(output)["counting"].tolist() == [2 / 3, 1 / 3, 1.0]


def test_json_of_any_form_stays_as_it_is_in_a_jsonl_file(tmp_path: Path) -> None:
    rows = [
        {"summary": "One two.", "more": {"deep": [1, "two", None]}, "n": 10**30},
        {"n": "a text", "summary": "Three \ud800 four."},
        {"summary": ["no", "text"]},
    ]
    source, output = tmp_path / "rows.jsonl", tmp_path / "scores.jsonl"
    source.write_text("".join(json.dumps(row) + "\n\n" for row in rows))

    found = local(on_error="row").score_file(Counting(), source, output)

    written = rows_of(output)
    assert [{key: row[key] for key in given} for row, given in zip(written, rows, strict=True)] == rows
    assert found.failures.keys() == {1, 2}
    assert [row["counting"] for row in written] == [2 / 3, None, None]
    assert "surrogates" in written[1]["counting_error"]
    with pytest.raises(ClaimwiseError, match=r"`(summary|n)` mixes types that Parquet.*\.jsonl"):
        local(on_error="row").score_file(Counting(), source, tmp_path / "scores.parquet")


def test_a_row_that_cannot_be_scored_stops_the_run_before_any_work(tmp_path: Path) -> None:
    source = write_table(tmp_path / "rows.csv", summary=["Fine."] * 9 + [" "] + ["Fine."])
    log = tmp_path / "log"

    with pytest.raises(ClaimwiseError, match=r"rows\.csv, summary, line 11: the text is empty"):
        local(rows_in_part=2).score_file(Counting(log=str(log)), source, tmp_path / "scores.parquet")

    assert not log.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["rows.csv"]


def test_rows_with_errors_are_written_and_counted(run: Run, tmp_path: Path) -> None:
    other = [*B[:3], ""]
    file = write_table(tmp_path / "rows.csv", summary_a=A, summary_b=other)
    check_refused(
        run("score", DS, file, "--output", "s.parquet"),
        "rows.csv, summary_b, line 5: the text is empty",
        "--on-error row",
    )

    done = run("score", DS, file, "--output", "s.parquet", "--on-error", "row")

    assert done.code == 0, done.err
    assert "(4 pairs, 3 of them scored)" in done.out
    assert "errors: 1. The first: rows.csv, summary_b, line 5: the text is empty" in done.out
    rows = rows_of(Path("s.parquet"))
    assert [row[DS] for row in rows] == [*WANTED[f"{DS}_scores"][:3], None]
    assert rows[3][f"{DS}_error"].startswith("rows.csv, summary_b, line 5: the text is empty")
    as_json = run("score", DS, file, "--output", "s.json", "--on-error", "row", "--workers", "1")
    assert as_json.out.replace("s.json", "s.parquet") == done.out
    assert json.loads(Path("s.json").read_text())[f"{DS}_errors"][:3] == [None] * 3
    compared = run("compare", DS, "s.json", "s.parquet")
    assert "s.json − s.parquet = 0.00, p = 1.0000 (permutation, 3 of 4 pairs scored in both)" in (
        compared.out.replace("+0.00", "0.00")
    )


@pytest.mark.parametrize("suffix", ["parquet", "jsonl"])
def test_compare_and_report_read_rows_as_they_read_json(run: Run, tmp_path: Path, suffix: str) -> None:
    for name, other in (("first", B), ("second", A)):
        file = write_table(tmp_path / f"{name}.csv", final=A, edited=[f"{text} More." for text in other])
        options = ("--summary", "final", "--other", "edited", "--ci", "--details")
        for kind in ("json", suffix):
            assert run("score", DS, file, *options, "--output", f"{kind}/{name}.{kind}").code == 0

    compared, pages = [], []
    for kind in ("json", suffix):
        files = f"{kind}/first.{kind}", f"{kind}/second.{kind}"
        compared.append(run("compare", DS, *files).out)
        assert run("report", *files, "--output", "report.html").code == 0
        pages.append(Path("report.html").read_text())

    assert compared[0] == compared[1].replace(f".{suffix}", ".json")
    assert "first.json − second.json" in compared[0]
    assert pages[0] == pages[1]


def test_weights_and_further_scores_are_those_of_the_json_file(run: Run, tmp_path: Path) -> None:
    texts = ["One. Two.", "But three.", "Four, but five. Six. But seven."]
    file = write_table(tmp_path / "rows.csv", summary=texts)
    for name in ("s.json", "s.parquet"):
        assert run("score", "complexity", file, "--output", name).code == 0

    first, second = read_result(Path("s.json")), read_result(Path("s.parquet"))

    assert first.weights == second.weights == [2.0, 1.0, 3.0]
    assert first.mean == second.mean == pytest.approx(50)
    file = write_table(tmp_path / "a.jsonl", summary=A, reviews=[[text] for text in B])
    for name in ("a.json", "a.jsonl.jsonl"):
        assert run("score", "abstractiveness", file, "--output", name).code == 0
    json_file, rows = (read_result(Path(name), "abstractiveness_4") for name in ("a.json", "a.jsonl.jsonl"))
    assert json_file.scores == rows.scores


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("s.parquet", b"nonsense", "is not a valid .parquet file"),
        ("s.jsonl", b"{}\n", "is not a result: there is no s.jsonl.meta.json beside it"),
        ("s.parquet", None, "cannot be read"),
    ],
)
def test_files_that_hold_no_result_are_refused(
    run: Run, tmp_path: Path, name: str, content: bytes | None, said: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)

    check_refused(run("compare", DS, name, name), name, said, "claimwise score")


def test_rows_that_were_changed_since_are_refused(run: Run, tmp_path: Path) -> None:
    file = write_table(tmp_path / "rows.csv", summary_a=A, summary_b=B)
    assert run("score", DS, file, "--output", "s.jsonl").code == 0
    Path("s.jsonl").write_text("\n".join(Path("s.jsonl").read_text().splitlines()[:2]))

    check_refused(run("compare", DS, "s.jsonl", "s.jsonl"), "has changed since claimwise wrote it")


def test_a_table_that_was_not_scored_is_refused(run: Run, tmp_path: Path) -> None:
    write_table(tmp_path / "s.parquet", **{DS: [1.0, 2.0]})

    check_refused(run("compare", DS, "s.parquet", "s.parquet"), "is not a result")


@pytest.mark.parametrize(
    ("columns", "options", "said"),
    [
        ({"summary_a": A}, [], "has no column `references` or `summary_b`"),
        ({"summary_a": A, "summary_b": B, DS: [1] * 4}, [], f"already has a column `{DS}`"),
        (
            {"summary_a": A, "summary_b": B},
            ["--entities", "x"],
            "distinctiveness_score does not read --entities",
        ),
        ({"summary_a": A, "summary_b": B}, ["--common", "x"], "has no column `x`"),
        ({"summary_a": [], "summary_b": []}, [], "has no rows to score"),
        ({"summary_a": A[:1], "summary_b": B[:1]}, ["--ci"], "at least two scores"),
    ],
)
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_file_that_cannot_be_scored_is_one_line(
    run: Run, tmp_path: Path, columns: dict[str, Any], options: list[str], said: str, suffix: str
) -> None:
    file = write_table(tmp_path / f"rows.{suffix}", **columns)

    check_refused(run("score", DS, file, *options, "--output", "s.parquet"), said)

    assert not Path("s.parquet").exists()


@pytest.mark.parametrize("size", [1, 7])
def test_rows_with_much_text_make_small_parts(tmp_path: Path, size: int) -> None:
    text = "word " * (CHARACTERS_IN_BATCH // 5)
    for suffix in ("jsonl", "parquet"):
        file = write_table(tmp_path / f"rows.{suffix}", summary=["a"] * size + [text] * 4 + ["b"] * size)

        parts = list(Table(file).batches())

        assert sum(map(len, parts)) == 4 + 2 * size
        assert max(map(len, parts)) <= size + 2
        assert [part.first_row for part in parts] == [
            sum(map(len, parts[:number])) for number in range(len(parts))
        ]


def test_a_small_file_that_repeats_a_long_text_is_read_in_parts_of_few_rows(tmp_path: Path) -> None:
    file = write_table(tmp_path / "rows.parquet", summary=["long " * 200_000] * 60)
    assert file.stat().st_size < 2**20

    parts = list(Table(file).batches())

    assert [len(part) for part in parts] == [1] * 60


def test_a_page_of_maps_is_written_with_invalid_rows_on_it(tmp_path: Path) -> None:
    source = write_table(tmp_path / "rows.jsonl", summary_a=["", "A warm pool."], summary_b=["A.", "A spa."])
    files = {"output": tmp_path / "scores.jsonl", "maps": tmp_path / "maps.html"}

    found = local(on_error="row").score_file(DistinctivenessScore(), source, **files)

    page = (tmp_path / "maps.html").read_text()
    assert found.failures[0].split(": ")[-1] in page
    assert "Row 1 · distinctiveness_score" in page
    assert len((tmp_path / "scores.jsonl").read_text().splitlines()) == 2
