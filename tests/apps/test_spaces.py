"""The pages without a browser: their folders, what they compute, and the Python they give."""

from __future__ import annotations

import ast
import csv
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pyarrow
import pytest
import torch
from chat_endpoint import Endpoint
from chat_judge import answer_by_words
from judges import WordJudge
from pages import SCRIPT, check_is_safe_and_whole
from pyarrow import parquet
from scoring import NEEDED
from tei_server import Refusal, TEIServer

from claimwise.errors import ClaimwiseError, RowsError

gradio = pytest.importorskip("gradio", reason="gradio is not installed (pip install '.[dev]')")

from huggingface_hub import metadata_load  # noqa: E402
from repositories import PAGES, space_files  # noqa: E402

from claimwise.apps import evaluate_module, spaces  # noqa: E402
from claimwise.apps.spaces import front  # noqa: E402
from claimwise.apps.spaces.batch import MAX_CHARACTERS, MAX_ROWS, score_file  # noqa: E402
from claimwise.apps.spaces.drawing import part  # noqa: E402
from claimwise.apps.spaces.frame import drawn_file, small_print  # noqa: E402
from claimwise.apps.spaces.front import FrontPage  # noqa: E402
from claimwise.apps.spaces.inputs import Example  # noqa: E402
from claimwise.apps.spaces.models import load_metric, temporary_folder  # noqa: E402
from claimwise.apps.spaces.own_judge import OWN  # noqa: E402
from claimwise.apps.spaces.page import OWN_JUDGE, Answer, Page  # noqa: E402
from claimwise.evidence import (  # noqa: E402
    ContrastEvidence,
    EntailmentEvidence,
    GenericityEvidence,
    SentenceEvidence,
    SupportEvidence,
    UnitsEvidence,
    fragment,
)
from claimwise.judges.options import JudgeOptions  # noqa: E402
from claimwise.metrics import METRICS, load  # noqa: E402

ROOT = Path(__file__).parents[2]
COLORS = {"red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"}
HOSTILE = (
    "<script>alert(1)</script> The pool is warm. <img src=x onerror=alert(2)> \"Quotes\" and \\n 'more'."
)

SUMMARIES = [
    "The staff were friendly. A steam train stops behind the garden.",
    "The staff were friendly. Breakfast is good, but the stairs are steep. The pool is heated by a spring.",
    "The rooms were clean.",
    "The rooms were clean. The location is good. The staff were friendly.",
    "The terrace is sunny, although it is small. Dogs are welcome.",
]

# The claim on the staff has no other claim to be compared with, unless with itself.
NOT_ALL_COMPARED = [
    "The staff were friendly. The garden is very quiet at night.",
    "The staff were friendly.",
    "The staff were friendly.",
]

every_page = pytest.mark.parametrize("name", sorted(METRICS))
every_folder = pytest.mark.parametrize("name", [*PAGES, *sorted(METRICS)])


def nothing(done: int, rows: int) -> None:
    """Report to nobody."""


class TestFolders:
    def test_every_metric_has_a_space_and_every_space_a_metric(self) -> None:
        folders = {path.name for path in (ROOT / "spaces").iterdir() if path.is_dir()}
        metrics = {path.parent.name for path in (ROOT / "metrics").glob("*/*.py")}
        assert folders - {"__pycache__"} == {*metrics, *PAGES}
        assert metrics == set(METRICS)

    @every_folder
    def test_front_matter_is_what_the_hub_asks_for(self, name: str) -> None:
        folder = ROOT / "spaces" / name
        front_matter = metadata_load(folder / "README.md")
        assert front_matter is not None
        assert front_matter["sdk"] == "gradio"
        pins = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
        assert f"gradio=={front_matter['sdk_version']}" in pins
        assert (folder / front_matter["app_file"]).is_file()
        assert {front_matter["colorFrom"], front_matter["colorTo"]} <= COLORS
        assert len(front_matter["short_description"]) <= 60  # the Hub refuses longer ones
        assert front_matter["title"]
        assert front_matter["emoji"]
        assert front_matter["license"] == "apache-2.0"
        assert "summarization" in front_matter["tags"]
        assert (name in METRICS) == ({"evaluate", "metric"} <= set(front_matter["tags"]))
        assert front_matter["pinned"] is False

    @every_folder
    def test_app_launches_its_page(self, name: str) -> None:
        tree = ast.parse((ROOT / "spaces" / name / "app.py").read_text(encoding="utf-8"))
        calls = [ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Call)]
        assert calls == [f"spaces.launch('{name}')"]

    @every_folder
    def test_files_are_what_the_cards_make_of_them(self, name: str) -> None:
        files = space_files(ROOT, name)
        for file, content in files.items():
            committed = (ROOT / "spaces" / name / file).read_text(encoding="utf-8")
            assert committed == content, "stale: give `make spaces`"
        assert {path.name for path in (ROOT / "spaces" / name).glob("*.*")} == set(files)

    @every_folder
    def test_requirements_ask_for_claimwise_with_its_pages(self, name: str) -> None:
        lines = (ROOT / "spaces" / name / "requirements.txt").read_text(encoding="utf-8").splitlines()
        further = ["claimwise-summarize"] if name == "summarize" else []
        assert [line for line in lines if not line.startswith("#")] == ["claimwise[spaces]", *further]

    def test_unknown_page_is_refused(self) -> None:
        with pytest.raises(ClaimwiseError, match="Unknown metric `rouge`"):
            spaces.build("rouge")


@pytest.fixture(scope="module")
def front_page() -> FrontPage:
    return FrontPage("https://example.org/spaces/us")


@pytest.fixture(scope="module")
def compared(front_page: FrontPage) -> Answer:
    return front_page.answer(
        front_page.read("The soup was hot. <b>Tea</b> is free.", "The soup was cold."), {}
    )


class TestFrontPage:
    def test_compares_by_every_contrast_metric(self, front_page: FrontPage, compared: Answer) -> None:
        contrast = {name for name, metric in METRICS.items() if metric.spec.family == "contrast"}
        assert set(compared.by_metric) == contrast
        for name, (_, result, *_) in compared.by_metric.items():
            expected = load(name).compute(**compared.columns)
            assert result.mean == pytest.approx(expected[name], abs=1e-4)
            assert str(result.signature) in front_page.draw(compared)

    def test_leads_to_the_page_of_every_metric(self, front_page: FrontPage, compared: Answer) -> None:
        for name in METRICS:
            assert f'href="https://example.org/spaces/us/{name}" target="_blank"' in front_page.draw_list()
            assert (f"/us/{name}" in front_page.draw(compared)) == (METRICS[name].spec.family == "contrast")

    def test_without_an_address_says_how_to_start_each(self, compared: Answer) -> None:
        on_this_machine = FrontPage()
        assert "href" not in on_this_machine.draw_list() + on_this_machine.draw(compared)
        assert all(f"python spaces/{name}/app.py" in on_this_machine.draw_list() for name in METRICS)

    def test_lists_a_metric_of_another_package(
        self, front_page: FrontPage, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        class Coverage(METRICS["complexity"]):  # type: ignore[misc]
            spec = replace(METRICS["complexity"].spec, name="coverage", title="Word <Coverage>")

        monkeypatch.setattr(front, "METRICS", {**METRICS, "coverage": Coverage})
        listed = front_page.draw_list()
        assert "Word &lt;Coverage&gt;" in listed
        assert "claimwise score coverage" in listed
        assert "/us/coverage" not in listed

    def test_gives_a_program_with_every_score(
        self, front_page: FrontPage, compared: Answer, capsys: pytest.CaptureFixture[str]
    ) -> None:
        evaluate_module.install()
        exec(front_page.python(compared), {})
        evaluate_module.uninstall()
        printed = [float(line) for line in capsys.readouterr().out.split()]
        assert printed == pytest.approx(
            [found.result.mean for found in compared.by_metric.values()], abs=1e-4
        )

    def test_an_empty_text_is_refused_by_the_name_of_its_box(self, front_page: FrontPage) -> None:
        with pytest.raises(ClaimwiseError, match="Summary B is empty"):
            front_page.read("The soup was hot.", " ")


def verdicts(page: Page, example: Example) -> str:
    """Return what a page says of each claim of an example."""
    answer = page.answer(page.read(*example.texts), {})
    at = page.threshold(answer)
    match answer.own.evidence[0]:
        case ContrastEvidence(claims_a=a, claims_b=b):
            found = [claim.verdict for claim in (*a, *b)]
        case SupportEvidence(claims=claims):
            found = [claim.verdict for claim in claims]
        case EntailmentEvidence(hypotheses=hypotheses):
            found = [hypothesis.verdict(at and at[0]) for hypothesis in hypotheses]
        case UnitsEvidence(units=units, claims=claims):
            found = [unit.verdict for unit in units] + [claim.verdict() for claim in claims or ()]
        case GenericityEvidence(claims=claims):
            found = [
                "generic" if claim.closest and claim.closest.score > 0.5 else "specific" for claim in claims
            ]
        case SentenceEvidence(sentences=sentences):
            found = [" ".join(sentence.words) or "no contrast" for sentence in sentences]
    return ", ".join(found)


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("caspr", ", ".join(["agrees, agrees, contradicts, stands alone"] * 2), ", ".join(["agrees"] * 4)),
        (
            "support_counts",
            "supported, thinly supported, contradicted, unsupported",
            "thinly supported, thinly supported",
        ),
        ("summac_zs", "supported, supported, contradicted, unsupported", "supported, supported"),
        ("summac_conv", "supported, supported, contradicted, unsupported", "supported, supported"),
        (
            "pyramid",
            "found, missing, found, found, contradicted, missing, supported, supported, contradicted",
            "contradicted, missing, contradicted, found, missing, missing, supported, supported",
        ),
        ("genericity", "generic, specific, specific", "generic, specific, specific, specific"),
        ("complexity", "but, no contrast", "no contrast, no contrast, no contrast, other"),
    ],
)
def test_the_first_example_is_judged_rightly_and_the_one_called_an_error_wrongly(
    name: str, right: str, wrong: str
) -> None:
    page = Page(name)
    first, *others = page.inputs.examples
    (error,) = (example for example in others if " · error" in example.title)
    assert verdicts(page, first) == right
    assert verdicts(page, error) == wrong


@every_page
def test_every_page_shows_an_error_and_calls_it_one(name: str) -> None:
    titles = [example.title for example in Page(name).inputs.examples]
    first, *others = titles
    assert "error" not in first
    assert sum("error" in title for title in others) == 1
    assert all(len(title) <= 60 for title in titles)  # Gradio cuts longer ones


def test_a_moved_threshold_is_of_the_metric_and_not_of_those_beside_it() -> None:
    page = Page("summac_zs")
    answer = page.answer(page.read("The pool is warm.", "The pool is warm."), {})
    own, beside = page.draw(answer, 0.4).split("Other metrics on the same texts")
    assert "at least 0.4." in own
    assert "at least 0.75," in beside


FRENCH = "Les chambres sont propres et le personnel est très aimable avec tout le monde."


@pytest.mark.parametrize("make", [lambda: Page("caspr"), lambda: Page("summac_zs"), FrontPage])
def test_a_page_says_that_it_cannot_read_french(make: Callable[[], Page]) -> None:
    page = make()
    english = page.answer(page.read("The rooms are clean.", "The rooms are dirty."), {})
    assert "do not look English" not in page.draw(english)
    assert "1 of the texts does not look English" in page.draw(
        page.answer(page.read(FRENCH, "The rooms are dirty."), {})
    )


def test_the_strongest_comparison_is_shown_only_where_it_differs() -> None:
    page = Page("caspr")
    alike = page.answer(page.read("The pool is warm.", "The pool is cold. The pool is not warm."), {})
    assert "strongest comparison" not in page.draw(alike)


class TestPython:
    """The program that a visitor copies."""

    @pytest.fixture
    def run(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], dict[str, Any]]]:
        """Run a program as somebody who has installed the metrics, in the folder with the weights."""

        def execute(program: str) -> dict[str, Any]:
            names: dict[str, Any] = {}
            exec(program, names)
            result: dict[str, Any] = names["result"]
            return result

        evaluate_module.install()
        monkeypatch.chdir(temporary_folder().name)
        yield execute
        evaluate_module.uninstall()

    @every_page
    def test_gives_the_score_and_signature_of_the_page(
        self, name: str, run: Callable[[str], dict[str, Any]]
    ) -> None:
        page = Page(name)
        example = page.inputs.examples[0]
        answer = page.answer(page.read(*example.texts), {})
        at = page.threshold(answer)
        program = page.python(answer, at and at[0])
        result = run(program)
        assert result[name] == pytest.approx(answer.own.result.mean, abs=1e-6)
        assert f"# {result[f'{name}_signature']}\n" in program

    def test_takes_options_and_any_text_along(self, run: Callable[[str], dict[str, Any]]) -> None:
        page = Page("distinctiveness_score")
        options = {"tokenizer": "words", "stemmer": "none"}
        answer = page.answer(page.read(HOSTILE, "Line one.\nLine two…\t“dash” – ☃ {x} %s"), options)
        program = page.python(answer)
        assert 'evaluate.load("distinctiveness_score", tokenizer="words", stemmer="none")' in program
        assert run(program)["distinctiveness_score"] == answer.own.result.mean

    def test_takes_the_moved_threshold_along(self, run: Callable[[str], dict[str, Any]]) -> None:
        page = Page("support_counts")
        example = page.inputs.examples[0]
        answer = page.answer(page.read(*example.texts), {})
        program = page.python(answer, 0.99)
        result = run(program)
        assert "threshold=0.99" in program
        assert f"# {result['support_counts']:.4g}\n" in program
        assert result["support_counts"] != answer.own.result.mean
        assert f"# {result['support_counts_signature']}\n" in program


class TestFiles:
    """Scoring the rows of a file."""

    @every_page
    def test_scores_are_those_of_compute(self, name: str, tmp_path: Path) -> None:
        page = Page(name)
        columns = [page.read(*example.texts) for example in page.inputs.examples[:2]]
        joined = {key: [text for part in columns for text in part[key]] for key in columns[0]}
        path = tmp_path / "rows.jsonl"
        rows = [dict(zip(joined, row, strict=True)) for row in zip(*joined.values(), strict=True)]
        path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        reports: list[tuple[int, int]] = []
        # In a coarser precision, batches of another make-up differ by more than this test allows.
        options = {"dtype": "float32"} if issubclass(METRICS[name].Options, JudgeOptions) else {}

        scored = score_file(page, path, options, lambda done, total: reports.append((done, total)))

        expected = page.metric(options).compute(**joined)
        assert scored.result.mean == pytest.approx(expected[name], abs=1e-4)
        assert scored.result.signature == expected[f"{name}_signature"]
        written = [json.loads(line) for line in scored.path.read_text(encoding="utf-8").splitlines()]
        assert [row[name] for row in written] == pytest.approx(expected[f"{name}_scores"], abs=1e-4)
        assert [row["predictions"] for row in written] == joined["predictions"]
        assert all(row[f"{name}_details"] for row in written)
        assert reports[0] == (0, len(rows))
        assert reports[-1] == (len(rows), len(rows))

    def test_as_many_rows_as_a_page_takes_are_scored(self, tmp_path: Path) -> None:
        path = tmp_path / "rows.csv"
        path.write_text("summary_a,summary_b\n" + "A pool.,A bar.\n" * MAX_ROWS, encoding="utf-8")

        scored = score_file(Page("distinctiveness_score"), path, {}, nothing)

        assert len(scored.result.scores) == MAX_ROWS

    @pytest.mark.parametrize(
        ("name", "summaries", "options"),
        [
            pytest.param("genericity", NOT_ALL_COMPARED, {"drop_identical": True}, marks=pytest.mark.slow),
            pytest.param("genericity", SUMMARIES, {"pool": "pairs", "max_pairs": 10}, marks=pytest.mark.slow),
            pytest.param("support_counts", SUMMARIES, NEEDED["support_counts"], marks=pytest.mark.slow),
            ("complexity", SUMMARIES, {}),
        ],
    )
    def test_mean_of_the_file_is_what_the_command_prints(
        self, name: str, summaries: list[str], options: dict[str, Any], tmp_path: Path
    ) -> None:
        page = Page(name)
        columns = {"predictions": summaries}
        if name == "support_counts":
            columns["references"] = summaries[::-1]
        path = tmp_path / "rows.jsonl"
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        given = [f"--option={option}={json.dumps(value)}" for option, value in options.items()]
        if issubclass(METRICS[name].Options, JudgeOptions):  # so that the parts of a file do not matter
            given, options = [*given, "--dtype=float32"], {**options, "dtype": "float32"}
        program = "import sys; from claimwise.apps.cli import main; main(sys.argv[1:])"
        output = tmp_path / "result.json"
        command = [sys.executable, "-c", program, "score", name, str(path), f"--output={output}", *given]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        expected = json.loads(output.read_text(encoding="utf-8"))[name]

        scored = score_file(page, path, options, nothing)

        written = [json.loads(line) for line in scored.path.read_text(encoding="utf-8").splitlines()]
        known = [row for row in written if row[name] is not None]
        weights = [row.get(f"{name}_weight", 1) for row in known]
        mean = np.average([row[name] for row in known], weights=weights)
        assert printed.startswith(f"{name} {mean:z.2f} ")
        assert mean == pytest.approx(expected, abs=1e-5)
        assert scored.result.mean == pytest.approx(expected, abs=1e-5)

    def test_row_that_a_sample_left_out_is_shown_as_a_dash(self, tmp_path: Path) -> None:
        path = tmp_path / "rows.jsonl"
        path.write_text("".join(json.dumps({"summary": text}) + "\n" for text in SUMMARIES), "utf-8")
        page = Page("genericity")
        scored = score_file(page, path, {"max_pairs": 8}, nothing)
        left_out = scored.result.scores.count(None)
        assert 0 < left_out < len(SUMMARIES)
        assert drawn_file(page, scored).count('<td class="number">–</td>') == left_out

    @pytest.mark.parametrize("suffix", ["csv", "jsonl"])
    def test_rows_open_to_their_evidence_below_what_cannot_be_read(self, suffix: str, tmp_path: Path) -> None:
        texts = {"summary_a": ["The pool is warm.", FRENCH], "summary_b": ["It is cold.", SCRIPT + " It is."]}
        frame = pandas.DataFrame(texts)
        path = tmp_path / f"pairs.{suffix}"
        if suffix == "csv":
            frame.to_csv(path, index=False)
        else:
            frame.to_json(path, orient="records", lines=True)
        page = Page("caspr")
        scored = score_file(page, path, {}, nothing)
        drawn = drawn_file(page, scored)
        shown = check_is_safe_and_whole(drawn).shown
        assert "1 of the texts does not look English" in shown
        assert drawn.count("<details><summary>") == 2
        assert shown.count("Summary B") == 2
        assert "pool" in shown
        expected = page.answer(page.read("The pool is warm.", "It is cold."), {}).own.evidence[0]
        assert fragment(expected) in drawn

    def test_csv_gives_csv_with_the_signature(self, tmp_path: Path) -> None:
        path = tmp_path / "pairs.csv"
        path.write_text("summary_a,summary_b\nThe pool is warm.,The pool is cold.\n", encoding="utf-8")
        scored = score_file(Page("caspr"), path, {}, nothing)
        assert scored.path.name == "pairs-caspr.csv"
        with scored.path.open(encoding="utf-8", newline="") as file:
            [row] = csv.DictReader(file)
        assert row == {
            "summary_a": "The pool is warm.",
            "summary_b": "The pool is cold.",
            "caspr": "100.0",
            "caspr_weight": "1.0",
            "caspr_strongest": "100.0",
            "caspr_error": "",
            "caspr_signature": scored.result.signature,
        }

    def test_json_and_parquet_give_their_own_kind(self, tmp_path: Path) -> None:
        rows = [{"summary_a": "The pool is warm.", "summary_b": "The pool is cold."}]
        (tmp_path / "a.json").write_text(json.dumps(rows), encoding="utf-8")
        parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "a.parquet")
        page = Page("distinctiveness_score")
        name = "a-distinctiveness_score"

        as_json, as_parquet = (
            score_file(page, tmp_path / file, {}, nothing).path for file in ("a.json", "a.parquet")
        )

        assert (as_json.name, as_parquet.name) == (f"{name}.json", f"{name}.parquet")
        [score] = json.loads(as_json.read_text(encoding="utf-8"))["distinctiveness_score_scores"]
        [row] = parquet.read_table(as_parquet).to_pylist()
        assert row["distinctiveness_score"] == score
        assert row["summary_b"] == rows[0]["summary_b"]

    def test_every_bad_row_is_named(self, tmp_path: Path) -> None:
        path = tmp_path / "pairs.csv"
        page, long = Page("caspr"), "word " * 1_001
        for rows, said in (
            (
                ",A bar.\nA pool.,12\n",
                ["summary_a, line 2: the text is empty", "summary_b, line 3: the text contains no"],
            ),
            (f"A,{long}\nB,{long}\n", [f"references, row {row} has 5,005 characters" for row in (1, 2)]),
        ):
            path.write_text(f"summary_a,summary_b\n{rows}", encoding="utf-8")
            with pytest.raises(RowsError) as raised:
                score_file(page, path, {}, nothing)
            messages = map(page.in_words_of_files, raised.value.errors)
            for message, start in zip(messages, said, strict=True):
                assert message.startswith(f"pairs.csv, {start}")

    @pytest.mark.parametrize(
        ("file", "content", "message"),
        [
            ("a.txt", "x", "a.txt: unknown file type. Use a .csv,"),
            ("a.csv", "summary_a\nA pool.\n", "^a.csv has no column `references` or `summary_b`"),
            ("a.jsonl", "{", "^a.jsonl, line 1 is not valid JSON"),
            (
                "a.csv",
                "summary_a,summary_b\n" + "A pool.,A bar.\n" * (MAX_ROWS + 1),
                f"has {MAX_ROWS + 1} rows; this page takes up to {MAX_ROWS}",
            ),
            (
                "a.csv",
                "summary_a,summary_b\n" + f"{'A pool. ' * 500},A bar.\n" * 80,
                f"has 320,480 characters; this page takes up to {MAX_CHARACTERS:,}",
            ),
        ],
    )
    def test_unusable_file_is_refused_without_its_folder(
        self, file: str, content: str, message: str, tmp_path: Path
    ) -> None:
        (tmp_path / file).write_text(content, encoding="utf-8")
        with pytest.raises(ClaimwiseError, match=message) as raised:
            score_file(Page("caspr"), tmp_path / file, {}, nothing)
        assert str(tmp_path) not in str(raised.value)
        assert "--summary" not in str(raised.value)

    @pytest.mark.parametrize("kind", ["texts", "list", "nulls", "compressed", "further column", "gzip"])
    def test_small_file_that_stands_for_much_memory_is_refused_before_it_is_read(
        self, kind: str, tmp_path: Path
    ) -> None:
        def repeated(count: int) -> Any:
            return pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * count, "int32"), ["a" * 2**20])

        text = pyarrow.array(["A pool."])
        notes = pyarrow.StructArray.from_arrays([repeated(1)] * 9, list("abcdefghi"))
        columns = {
            "texts": (repeated(200), repeated(200)),
            "list": (text, pyarrow.ListArray.from_arrays([0, 100_000], repeated(100_000))),
            "nulls": (pyarrow.nulls(300_000, "string"), pyarrow.nulls(300_000, "string")),
            "compressed": (text, pyarrow.array(["a" * 2**23])),
            "further column": (text, text, notes),
            "gzip": (text, text),
        }[kind]
        path = tmp_path / ("rows.csv.gz" if kind == "gzip" else "rows.parquet")
        names = ["summary_a", "summary_b", "notes"][: len(columns)]
        parquet.write_table(pyarrow.table(list(columns), names=names), path)
        assert path.stat().st_size < 2**20

        with pytest.raises(ClaimwiseError) as raised:
            score_file(Page("distinctiveness_score"), path, {}, nothing)

        assert "this page takes up to" in str(raised.value) or kind == "gzip"
        assert str(tmp_path) not in str(raised.value)


class TestInputs:
    @every_page
    def test_text_over_the_limit_is_refused_by_the_name_of_its_box(self, name: str) -> None:
        page = Page(name)
        for position, field in enumerate(page.inputs.boxes):
            texts = ["A pool.", "A bar."]
            texts[position] = "a" * (field.characters + 1)
            message = f"^{field.label} has {field.characters + 1:,} characters; this page takes up to"
            with pytest.raises(ClaimwiseError, match=message):
                page.read(*texts)

    @every_page
    def test_texts_at_the_limit_are_taken(self, name: str) -> None:
        page = Page(name)
        first, second = ("a" * field.characters for field in page.inputs.boxes)
        assert page.read(first, second)["predictions"][0] == first

    def test_error_names_the_box_and_the_line_as_written(self) -> None:
        page = Page("support_counts")
        texts = ("A pool.", "The pool is warm.\n\n['A pool.']\n")
        assert said_of(page, *texts) == (
            "Source, line 3: the text is a list of texts (“['A pool.']”). Change the text."
        )

    def test_error_in_a_line_of_other_summaries_names_it(self) -> None:
        page = Page("genericity")
        message = said_of(page, "A pool.", "The pool is warm.\n\n12345\n")
        assert message.startswith("Other summaries, line 3: the text contains no letters")
        assert said_of(page, "12345", "The pool is warm.").startswith("Summary: the text contains no letters")

    def test_remedy_of_a_choice_is_the_choice(self, tmp_path: Path) -> None:
        page = Page("distinctiveness_score")
        with pytest.raises(ClaimwiseError) as raised:
            page.metric({"tokenizer": "no such"})
        worded = page.in_words(raised.value.at(option="tokenizer"), ("", ""))
        assert worded.endswith("Choose another one under “Tokens”.")

    def test_brought_weights_that_are_no_weights_are_refused_by_their_name(self, tmp_path: Path) -> None:
        page = Page("summac_conv")
        assert page.spec.upload is not None
        assert page.spec.upload.suffixes == (".safetensors", ".json")
        pytorch = {"mlp.weight": torch.zeros(1, 23), "mlp.bias": torch.zeros(1)}
        torch.save(pytorch, tmp_path / "renamed.safetensors")
        (tmp_path / "my.json").write_bytes(b"{}")
        for path in tmp_path.iterdir():
            options = page.options(*(next(iter(choice.values)) for choice in page.choices), str(path))
            with pytest.raises(ClaimwiseError) as raised:
                page.metric(options)
            message = page.in_words(raised.value, ("", ""))
            assert f"{path.name} are neither a safetensors file nor" in message
            assert message.endswith("Upload another file under “Weights”, or remove it and use the defaults.")
            assert str(tmp_path) not in message

    def test_models_are_loaded_once_for_all_visitors(self) -> None:
        first, second = (load_metric(name, {}) for name in ("caspr", "support_counts"))
        assert first.judge is second.judge  # type: ignore[attr-defined]

    @pytest.mark.slow
    def test_model_that_takes_long_to_load_keeps_nobody_waiting(self, tmp_path: Path) -> None:
        environment = {name: value for name, value in os.environ.items() if name != "HF_HUB_OFFLINE"}
        environment |= {"HF_HUB_ETAG_TIMEOUT": "60", "HF_HOME": str(tmp_path)}
        command = [sys.executable, "-c", SLOW_HUB]
        run = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=200, check=False
        )
        assert run.returncode == 0, run.stderr
        assert run.stdout.splitlines() == [
            "caspr",
            "support_counts",
            "summac_conv",
            "still loading",
            "refused",
        ]


# Runs on its own, because huggingface_hub reads the address of the Hub when it is imported.
SLOW_HUB = """
import os, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

asked, answered = threading.Event(), threading.Event()

class SlowHub(BaseHTTPRequestHandler):
    def do_HEAD(self):
        asked.set()
        answered.wait()
        self.send_error(404)
    do_GET = do_HEAD

hub = ThreadingHTTPServer(("127.0.0.1", 0), SlowHub)
threading.Thread(target=hub.serve_forever, daemon=True).start()
os.environ["HF_ENDPOINT"] = f"http://127.0.0.1:{hub.server_address[1]}"

from claimwise.apps.spaces.models import load_metric
from claimwise.errors import ClaimwiseError

def visit():
    try:
        load_metric("caspr", {"judge": "somebody/slow"})
    except ClaimwiseError:
        print("refused")

load_metric("caspr", {})
visitor = threading.Thread(target=visit)
visitor.start()
asked.wait()
for name in ("caspr", "support_counts", "summac_conv"):
    print(load_metric(name, {"decomposer": "sentences"}).name)
if visitor.is_alive():
    print("still loading")
answered.set()
visitor.join()
"""


class TestOwnJudge:
    """The judge that the owner of a Space adds to its pages."""

    PAGES = tuple(name for name in sorted(METRICS) if issubclass(METRICS[name].Options, JudgeOptions))

    @pytest.mark.parametrize("name", [name for name in PAGES if name != "summac_conv"])
    def test_gives_its_scores_without_its_address(
        self, name: str, tei: TEIServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        tei.token, tei.model.sha = "a-token-of-the-owner", None  # type: ignore[assignment]
        given = {"judge": f"tei:{tei.url}", "api_key": tei.token}
        monkeypatch.setenv("CLAIMWISE_SPACE_JUDGE", json.dumps(given))
        page = Page(name)
        (choice,) = (choice for choice in page.choices if OWN_JUDGE in choice.values)
        columns = page.read(*page.inputs.examples[0].texts)

        answer = page.answer(columns, choice.values[OWN_JUDGE])

        assert next(iter(choice.values.values())) == {}  # nothing is sent unless a visitor chooses it
        expected = load(name, judge=WordJudge()).compute(**columns)
        assert answer.own.result.mean == pytest.approx(expected[name], abs=1e-6)
        assert "judge:tei:words/words|" in answer.own.result.signature
        at = page.threshold(answer)
        drawn = page.draw(answer, at and at[0])
        shown = f"{list(choice.values)} {drawn} {page.python(answer)} {small_print(page)}"
        assert "127.0.0.1" not in shown
        assert tei.token not in shown
        assert "to a server of the Space’s owner" in shown
        assert "from the Space’s own judge" in shown

    def test_a_chat_model_is_asked_in_blocks_and_a_file_is_scored(
        self, endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        endpoint.respond = answer_by_words
        monkeypatch.setenv("CLAIMWISE_SPACE_JUDGE", f"openai:tiny@{endpoint.url}")
        path = tmp_path / "rows.jsonl"
        path.write_text('{"summary_a": "It is warm.", "summary_b": "It is not warm."}\n')

        scored = score_file(Page("caspr"), path, {"judge": OWN}, nothing)

        assert scored.result.mean == 100
        assert "judge_url:of-this-space" in scored.path.read_text("utf-8")
        assert "127.0.0.1" not in scored.path.read_text("utf-8")

    def test_what_fails_is_told_to_the_log_and_not_to_visitors(
        self, tei: TEIServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        monkeypatch.setenv("CLAIMWISE_SPACE_JUDGE", f"tei:{tei.url}")
        page = Page("caspr")
        columns = page.read("It is warm.", "It is not warm.")
        page.answer(columns, {"judge": OWN})
        tei.fault = lambda _: Refusal(400, "no", "Empty")

        with pytest.raises(ClaimwiseError) as failed:
            page.answer(columns, {"judge": OWN})
        monkeypatch.setenv("CLAIMWISE_SPACE_JUDGE", "tei:http://127.0.0.1:9")
        with pytest.raises(ClaimwiseError) as unreachable:
            page.metric({"judge": OWN})

        for caught in (failed, unreachable):
            said = page.in_words(caught.value, ("", ""))
            assert said.endswith("has failed. Choose another one under “Judge”.")
            assert "127.0.0.1" not in said
        assert "rejected a request (400)" in caplog.text
        assert "cannot be reached" in caplog.text

    def test_is_offered_only_where_it_is_set_and_there_is_a_judge(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert Page("caspr").choices == METRICS["caspr"].spec.choices
        with pytest.raises(ClaimwiseError):
            load_metric("caspr", {"judge": OWN})
        monkeypatch.setenv("CLAIMWISE_SPACE_JUDGE", "default")
        assert Page("distinctiveness_score").choices == METRICS["distinctiveness_score"].spec.choices

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ('{"judge": "default"', "is not a JSON object"),
            ('{"api_key": "a-secret"}', "does not name a judge"),
            ('{"judge": "default", "model": "x"}', "has no option `model`"),
        ],
    )
    def test_a_slip_of_the_owner_shows_at_the_start(
        self, given: str, said: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("CLAIMWISE_SPACE_JUDGE", given)
        with pytest.raises(ClaimwiseError, match=f"CLAIMWISE_SPACE_JUDGE.*{said}") as caught:
            Page("caspr").choices  # noqa: B018 - what building the page asks for
        assert "a-secret" not in str(caught.value)


def test_every_text_of_a_page_is_escaped() -> None:
    card = dict.fromkeys(("emoji", "title", "short_description"), HOSTILE)
    for drawn in (
        part("header", card),
        part("problem", [HOSTILE]),
        part("problem", [HOSTILE, HOSTILE], HOSTILE),
        part("folded", HOSTILE, 1.0, ".1f", HOSTILE, part("paragraph", HOSTILE)),
        part("fine_print", HOSTILE, [HOSTILE]),
        part("table", HOSTILE, HOSTILE, [(HOSTILE, 1.0, part("paragraph", HOSTILE)), (HOSTILE, 1.0, None)]),
        part("metrics", [(HOSTILE, [(card, None, HOSTILE)])]),
    ):
        assert "<script" not in drawn
        assert "<img" not in drawn
        assert "&lt;" in drawn


def said_of(page: Page, *texts: str) -> str:
    """Return what a visitor who wrote these texts is told."""
    with pytest.raises(ClaimwiseError) as raised:
        page.answer(page.read(*texts), {})
    return page.in_words(raised.value, texts)
