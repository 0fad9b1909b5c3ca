"""Reading tables of texts, and writing results all or nothing."""

from __future__ import annotations

import csv
import gzip
import json
import os
import resource
import signal
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tables import write_table

import claimwise
from claimwise.errors import ClaimwiseError, ClaimwiseWarning
from claimwise.tables import Table, as_list, lists_in, placing, read_columns, writing

COLUMNS = {
    "summary_a": ["The pool, they say, is warm.", 'It is "nice".\nReally.', "😀 great", "None"],
    "summary_b": ["The pool is cold.", "NA", "مكان رائع", "null"],
}
BOTH = [["predictions", "summary_a"], ["references", "summary_b"]]


def table(path: Path, columns: dict[str, list[Any]] | None = None) -> Path:
    """Write a table in the format that the name of ``path`` says."""
    return write_table(path, **(COLUMNS if columns is None else columns))


@pytest.mark.parametrize("name", ["t.csv", "t.json", "t.jsonl", "t.ndjson", "t.parquet", "T.CSV"])
def test_every_format_gives_the_same_texts(tmp_path: Path, name: str) -> None:
    written = table(tmp_path / name.lower()).rename(tmp_path / name)

    assert read_columns(written, BOTH) == [COLUMNS["summary_a"], COLUMNS["summary_b"]]


def test_a_cell_that_is_a_list_in_json_or_python_is_a_list_and_any_other_text_a_text() -> None:
    cells = ['["a", "b"]', " [1, 2.5] ", "[sic]", "[]", "a [b]", "[1", None, '{"a": 1}', ["c"]]

    expected = [["a", "b"], [1, 2.5], "[sic]", [], "a [b]", "[1", None, '{"a": 1}', ["c"]]
    assert lists_in(cells) == (expected, False)
    assert lists_in(["['The pool is warm.', \"It's nice\"]"]) == ([["The pool is warm.", "It's nice"]], True)


@pytest.mark.parametrize("text", ["['a' 'b']", "['a', nan]", "['a',\n 'b' 'c']"])
def test_what_seems_to_be_a_list_and_cannot_be_read_is_never_read_as_another_list(text: str) -> None:
    assert lists_in([text]) == ([text], False)
    with pytest.raises(ValueError, match="looks like a list"):
        as_list(text)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", "summary_a,summary_b,summary_a\nx,y,z\n"),
        ("t.jsonl", '{"summary_a": "x", "summary_b": "y", "summary_a": "z"}\n'),
        ("t.json", '[{"summary_a": "x", "summary_b": "y", "summary_a": "z"}]'),
    ],
)
def test_a_column_that_is_there_twice_is_refused_in_every_format(
    tmp_path: Path, name: str, content: str
) -> None:
    path = tmp_path / name
    path.write_text(content)

    with pytest.raises(ClaimwiseError, match="has two columns named `summary_a`"):
        read_columns(path, BOTH)


def test_lines_may_end_in_carriage_returns_only(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b'summary_a,summary_b\rHot,"Cold, wet"\rDry,Wet\r')

    assert read_columns(path, BOTH) == [["Hot", "Dry"], ["Cold, wet", "Wet"]]


def test_readers_of_long_cells_may_take_turns_and_change_nothing_for_others(tmp_path: Path) -> None:
    long = "word " * 60_000
    path = write_table(tmp_path / "t.csv", summary=[long] * 3)
    before = csv.field_size_limit()

    first, second = Table(path).batches(rows=1), Table(path).batches(rows=1)
    for one, other in zip(first, second, strict=True):
        assert one.cells("summary") == other.cells("summary") == [long]
        assert csv.field_size_limit() == before


def test_a_row_is_named_by_the_line_on_which_it_begins(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('summary,note\n"two\nlines",\n\nthird,\n')

    (batch,) = Table(path).batches()

    assert batch.cells("summary") == ["two\nlines", "third"]
    assert batch.lines == [2, 5]


def test_the_first_name_that_exists_is_read(tmp_path: Path) -> None:
    path = table(tmp_path / "t.csv", {"summary_a": ["no"], "predictions": ["yes"]})

    assert read_columns(path, [["predictions", "summary_a"], ["summary_a"]]) == [["yes"], ["no"]]


@pytest.mark.parametrize(
    ("name", "content"), [("t.csv", "summary_a,summary_b\nHot,Cold\n"), ("t.jsonl", '{"summary_a": "Hot"}\n')]
)
def test_a_byte_order_mark_is_no_part_of_the_texts(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8-sig")

    assert read_columns(path, [["summary_a"]]) == [["Hot"]]


def test_a_missing_json_key_gives_none_in_its_row(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"a": "x", "b": "y"}\n\n{"a": "z"}\n', encoding="utf-8")

    assert read_columns(path, [["a"], ["b"]]) == [["x", "z"], ["y", None]]


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.parquet"])
def test_a_missing_column_lists_those_there_are(tmp_path: Path, name: str) -> None:
    path = table(tmp_path / name, {"left": ["x"], "right": ["y"]})

    with pytest.raises(ClaimwiseError, match=r"no column `predictions` or `summary_a`.*`left`, `right`"):
        read_columns(path, BOTH)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", b""),
        ("t.csv", b"summary_a,summary_b\n"),
        ("t.jsonl", b""),
        ("t.jsonl", b"\n  \n"),
    ],
)
def test_a_table_without_rows_is_an_error(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)

    with pytest.raises(ClaimwiseError, match="no rows"):
        read_columns(path, BOTH)


def test_a_parquet_file_without_rows_is_an_error(tmp_path: Path) -> None:
    path = table(tmp_path / "t.parquet", {"summary_a": [], "summary_b": []})

    with pytest.raises(ClaimwiseError, match="no rows"):
        read_columns(path, BOTH)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("t.csv", "summary_a,summary_b\nCafé,Bar\n".encode("utf-16"), "is UTF-16. Save it as UTF-8"),
        (
            "t.csv",
            "summary_a,summary_b\nCafé,a\n".encode() + b"Caf\xe9,b\n",
            "neither UTF-8 nor Windows-1252",
        ),
        ("t.jsonl", b'{"summary_a": "\x81"}\n', "neither UTF-8 nor Windows-1252"),
        ("t.csv", b"summary_a,summary_b\nwarm,cold\none, two,three\n", "line 3"),
        ("t.jsonl", b'{"summary_a": "x"}\n{"summary_a": \n', "line 2"),
        ("t.jsonl", b'{"summary_a": "x"}\n["y"]\n', "line 2: expected a JSON object, got list"),
        ("t.parquet", b"not a parquet file", "not a valid .parquet"),
        ("t.jsonl", b"[" * 100_000, "is not valid JSON"),
        ("t.jsonl", b'[{"summary_a": "x"},\n{"summary_a": ]', "line 2 is not valid JSON.*JSON list"),
        ("t.jsonl", b'{\n "summary_a": "x"\n}\n{\n "summary_a": "y"\n}\n', "one JSON object per line"),
        ("t.jsonl", b"{'summary_a': 'x'}\n", "line 1 is a Python dict.*json.dumps"),
        ("t.json", b"[{'summary_a': 'x'}]", "is a Python dict.*json.dumps"),
        ("t.json", b'[{"summary_a": "x", "b": None}]', "is a Python dict.*json.dumps"),
        ("t.json", b'{"summary_a": ["x", "y"], "summary_b": ["z", "w"]}', "orient='records'"),
        ("t.json", b'{"columns": ["summary_a"], "index": [0], "data": [["x"]]}', "orient='records'"),
        ("t.json", b"summary_a,summary_b\nx,y\n", "is not valid JSON .*one JSON object per line"),
        ("t.xlsx", b"PK", "workbook.*Save the sheet as .csv"),
        ("t.csv", b"PK\x03\x04..[Content_Types].xml", "workbook.*Save the sheet as .csv"),
        ("t.csv", b"PK\x03\x04..rows.csv", "compressed.*Unpack it first"),
        ("t.jsonl.zst", b"", "compressed. Unpack it first"),
        ("t.csv.gz", b"\x1f\x8b\x08\x00", "not a valid .csv file.*complete"),
        ("t", b"", r"Use a \.csv, \.json, .*\.parquet"),
    ],
)
def test_a_broken_file_is_one_line_that_names_it(
    tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)

    with pytest.raises(ClaimwiseError, match=said) as caught:
        read_columns(path, BOTH)

    assert str(caught.value).startswith(str(path))
    assert len(str(caught.value).splitlines()) == 1


ROWS = [{"Summary A": "Hot; dry", "summary_b": "Cold|wet"}, {"Summary A": "Café’s", "summary_b": "Bar"}]
AS_LINES = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS)
BY_COLUMN = {name: {str(i): row[name] for i, row in enumerate(ROWS)} for name in ROWS[0]}
IN_QUOTES = '"Hot; dry"%"Cold|wet"\nCafé’s%Bar\n'


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.json", AS_LINES),
        ("t.jsonl", json.dumps(ROWS, indent=1)),
        ("t.ndjson", json.dumps(ROWS)),
        ("t.csv", AS_LINES),
        ("t.json", json.dumps(BY_COLUMN)),
        ("t.jsonl", json.dumps(BY_COLUMN)),
        ("t.json", json.dumps({str(i): row for i, row in enumerate(ROWS)})),
        ("t.csv", "Summary A%summary_b\n".replace("%", ";") + IN_QUOTES.replace("%", ";")),
        ("t.csv", "Summary A%summary_b\n".replace("%", "\t") + IN_QUOTES.replace("%", "\t")),
        ("t.tsv", "Summary A%summary_b\n".replace("%", ",") + IN_QUOTES.replace("%", ",")),
        ("t.csv", '"summary a"%SUMMARY_B\n'.replace("%", "|") + IN_QUOTES.replace("%", "|")),
        ("t.csv", "sep=;\n summary-a ; SummaryB\n" + IN_QUOTES.replace("%", ";")),
        ("t.csv", 'id, or name;summary a;summary b\n1;"Hot; dry";Cold|wet\n2;Café’s;Bar\n'),
    ],
)  # fmt: skip
@pytest.mark.parametrize("compressed", [False, True])
def test_the_content_decides_what_a_file_is(
    tmp_path: Path, name: str, content: str, compressed: bool
) -> None:
    path = tmp_path / f"{name}.gz" if compressed else tmp_path / name
    path.write_bytes(gzip.compress(content.encode()) if compressed else content.encode())

    assert read_columns(path, BOTH) == [["Hot; dry", "Café’s"], ["Cold|wet", "Bar"]]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", "summary_a;summary_b\r\nIt’s hot;Café\r\n"),
        ("t.json", '[{"summary_a": "It’s hot", "summary_b": "Café"}]'),
        ("t.jsonl", '{"summary_a": "It’s hot", "summary_b": "Café"}\n'),
    ],
)
def test_windows_1252_is_read_with_a_warning(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_bytes(content.encode("cp1252"))

    with pytest.warns(ClaimwiseWarning, match="is not UTF-8 and was read as Windows-1252") as caught:
        assert read_columns(tmp_path / name, BOTH) == [["It’s hot"], ["Café"]]
    assert [one.category for one in caught].count(ClaimwiseWarning) == 1


def test_a_pipe_is_read_like_a_file(tmp_path: Path) -> None:
    pipe, source = tmp_path / "t.csv", table(tmp_path / "source.csv")
    os.mkfifo(pipe)

    with subprocess.Popen(["sh", "-c", 'cat "$0" > "$1"', source, pipe]):
        assert read_columns(pipe, BOTH) == [COLUMNS["summary_a"], COLUMNS["summary_b"]]


def test_a_json_file_with_one_object_of_texts_is_one_row(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text('{\n"summary_a": "Hot",\n"summary_b": "Cold"\n}')

    assert read_columns(path, BOTH) == [["Hot"], ["Cold"]]


def test_a_given_delimiter_is_used(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("summary_a~summary_b, or c\nHot~Cold\n")

    assert read_columns(path, [["summary_a"]], delimiter="~") == [["Hot"]]
    with pytest.raises(ClaimwiseError, match="one character, or tab; got “;;”"):
        read_columns(path, [["summary_a"]], delimiter=";;")


def test_columns_that_differ_only_in_case_or_spaces_are_found_as_written_or_refused(tmp_path: Path) -> None:
    path = table(
        tmp_path / "t.csv", {"Summary": ["no"], "summary": ["yes"], "REVIEWS": ["a"], "Reviews": ["b"]}
    )

    assert read_columns(path, [["summary"]]) == [["yes"]]
    with pytest.raises(ClaimwiseError, match="several columns like `reviews`: `REVIEWS`, `Reviews`"):
        read_columns(path, [["reviews"]])


def test_texts_with_unquoted_commas_are_not_shifted_into_other_columns(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("summary_a,summary_b\nclean, bright,dirty\nsoft, wide,hard\n", encoding="utf-8")

    with pytest.raises(ClaimwiseError):
        read_columns(path, BOTH)


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.parquet"])
def test_a_missing_file_and_a_folder_cannot_be_read(tmp_path: Path, name: str) -> None:
    with pytest.raises(ClaimwiseError, match=r"cannot be read"):
        read_columns(tmp_path / name, BOTH)
    folder = tmp_path / "folder" / name
    folder.mkdir(parents=True)

    with pytest.raises(ClaimwiseError):
        read_columns(folder, BOTH)


def test_writing_appears_at_once_and_makes_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "new" / "result.json"

    with writing(path) as out:
        out.write('{"text": "é∖"}')
        out.flush()
        assert not path.exists()

    assert json.loads(path.read_text(encoding="utf-8")) == {"text": "é∖"}
    assert [*path.parent.iterdir()] == [path]


def test_a_result_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "ordinary").touch()

    with writing(tmp_path / "result") as out:
        out.write("text")

    modes = {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("ordinary", "result")}
    assert len(modes) == 1


@pytest.mark.parametrize("failure", [RuntimeError(), KeyboardInterrupt(), ClaimwiseError("No.")], ids=repr)
def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path, failure: BaseException) -> None:
    path = tmp_path / "result.json"
    path.write_text("old", encoding="utf-8")

    def fail() -> None:
        with writing(path) as out:
            out.write("half of the new")
            raise failure

    with pytest.raises(type(failure)):
        fail()

    assert path.read_text(encoding="utf-8") == "old"
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize("place", ["file/result.json", "file/deeper/result.json", "folder"])
def test_a_place_that_cannot_be_written_is_an_error_before_the_work(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    reached = []

    def write() -> None:
        with writing(tmp_path / place):
            reached.append(place)

    with pytest.raises(ClaimwiseError, match="cannot be written"):
        write()
    assert not reached


def test_a_full_disk_is_an_error_that_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)

    def write() -> None:
        with writing(path) as out:
            out.write("x" * 100_000)

    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))  # as if 1000 bytes were left
    try:
        with pytest.raises(ClaimwiseError, match="cannot be written"):
            write()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert not [*tmp_path.iterdir()]


def test_a_device_or_pipe_is_never_replaced_by_a_file(tmp_path: Path) -> None:
    """``--output /dev/null`` as root must not turn /dev/null into a file."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        try:
            with writing(pipe) as out:
                out.write("text")
        except ClaimwiseError:
            pass
        else:
            assert os.read(reader, 100) in (b"text", b"")
    finally:
        os.close(reader)

    assert pipe.is_fifo()


def test_a_link_stays_a_link_to_what_was_written(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    link, target = tmp_path / "link.json", tmp_path / "folder" / "result.json"
    link.symlink_to(target)

    for text in ("first", "second"):
        with writing(link) as out:
            out.write(text)
        assert link.is_symlink()
        assert target.read_text() == text


def test_the_name_of_a_temporary_file_cannot_be_foreseen(tmp_path: Path) -> None:
    names = set()
    for _ in range(3):
        with placing(tmp_path / "result.json") as part:
            names.add(part.name)
            assert part.parent == tmp_path

    assert len(names) == 3
    assert not any(str(os.getpid()) in name.split(".") for name in names)


def test_what_a_killed_process_left_is_removed_and_what_another_writes_is_not(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    program = (
        "import os, signal, sys; from pathlib import Path; from claimwise.tables import placing\n"
        "with placing(Path(sys.argv[1])): os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, path], env=os.environ | {"PYTHONPATH": ":".join(sys.path)}
    )
    assert done.returncode == -signal.SIGKILL
    assert len([*tmp_path.iterdir()]) == 1

    with placing(path) as other, placing(path) as part:
        assert {*tmp_path.iterdir()} == {other, part}
        part.write_text("done")
        other.write_text("done later")

    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize(
    "cell",
    [
        '["The pool is warm.","It rained.',
        "['a', 'b'",
        '[{"text": "It rained."}, {',
        '["The bus was late.",]]',
    ],
)
def test_a_broken_list_is_refused_with_its_row(cell: str, tmp_path: Path) -> None:
    path = tmp_path / "lists.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["summary", "reviews"], ["It rained.", cell]])
    with pytest.raises(ClaimwiseError, match="begins like a list, but is not a valid JSON list") as caught:
        claimwise.runners.local().score_file(claimwise.load("abstractiveness"), path)
    assert (caught.value.column, caught.value.row) == ("reviews", 0)


def test_an_output_never_replaces_an_input(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"summary": "Clean rooms, but no lift."}\n', encoding="utf-8")
    (tmp_path / "link.jsonl").symlink_to(path)
    before = path.read_bytes()
    for options in ({"output": path}, {"output": tmp_path / "link.jsonl"}, {"maps": path}):
        with pytest.raises(ClaimwiseError, match="is an input"):
            claimwise.runners.local().score_file(claimwise.load("complexity"), path, **options)
    assert path.read_bytes() == before
