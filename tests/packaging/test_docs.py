"""The documents are right: their examples run, and the metric cards agree with the code.

Blocks tagged ``python`` are doctests, run from the repository root; blocks tagged ``console`` are
``claimwise`` commands behind ``$``, run in a folder that holds ``pairs.csv``, ``first.csv``,
``second.csv``, the files of ``examples/tutorial`` and, of reviews, ``hotels.jsonl``; blocks tagged ``sh``
are for anything else and are not run.
A ``python`` or ``console`` block is left out where its tag goes on with ``no-run`` or its first line is
``# needs the network`` or ``# needs the data set``; one whose tag goes on with ``needs-PACKAGE`` is skipped
where that is not installed.
"""

from __future__ import annotations

import ast
import dataclasses
import doctest
import importlib
import importlib.util
import inspect
import io
import json
import re
import shlex
import shutil
import warnings
from ast import literal_eval
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
import yaml
from checkpoints import JUDGE

import claimwise
from claimwise.apps import cli, evaluate_module
from claimwise.apps.demo import PAIRS as PAIRS_OF_DEMO
from claimwise.judges.hub import EMBEDDED_WEIGHTS, checkpoint_fingerprint, embedded_fingerprint
from claimwise.metrics import METRICS, Metric, load
from claimwise.runners.on_ray import RayRunner
from claimwise.runners.processes import LocalRunner

ROOT = Path(__file__).parents[2]
DOCUMENTS = [
    path
    for pattern in (
        "README.md",
        "CONTRIBUTING.md",
        "docs/*.md",
        "metrics/*/README.md",
        "packages/*/README.md",
        "examples/*/README.md",
        "tools/README.md",
        "datasets_scripts/*/README.md",
    )
    for path in sorted(ROOT.glob(pattern))
]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
NOT_RUN = ("# needs the network", "# needs the data set")
FENCE = re.compile(
    r"^(?P<indent> *)```(?P<tag>[^\n`]*)\n(?P<text>.*?)^(?P=indent)```[ \t]*$", re.MULTILINE | re.DOTALL
)
PAIRS = """\
hotel,summary_a,summary_b,common
Sun,The tea is strong. Parking is free.,The tea is weak. Parking is free.,Both have parking.
Moon,The museum opens early.,The museum does not open early.,Both are museums.
Star,"The guide was patient, and the tour was long.",The bus broke down twice.,Both offer tours.
"""
HOTELS = """\
{"entity": "Sun", "reviews": ["We came by train. The pool is warm.", "A warm pool!", "Kind staff."]}
{"entity": "Moon", "reviews": [{"text": "The beds are soft.", "rating": 5}, "Soft beds!", "Quiet."]}
"""
PAIRS_OF_SECOND = PAIRS.replace("weak", "strong").replace("does not open", "opens")
CARD_SECTIONS = [
    "Metric Description",
    "How to Use",
    "Inputs",
    "Options at load time",
    "Configurations",
    "Output Values",
    "Values from Popular Papers",
    "Examples",
    "How it is computed",
    "Evidence",
    "Limitations and Bias",
    "Citation",
    "Further References",
]
SPACE_COLORS = {"red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"}


@dataclass(frozen=True)
class Block:
    """A fenced block of a document."""

    document: Path
    line: int
    kind: str
    is_run: bool
    text: str
    needs: str = ""

    @property
    def is_possible(self) -> bool:
        """Whether what it needs is installed."""
        return not self.needs or importlib.util.find_spec(self.needs) is not None

    def __str__(self) -> str:
        folder = self.document.parent
        name = folder.name if folder.parent.parent == ROOT else self.document.stem
        return f"{name}-{self.kind}-line{self.line}"


@cache
def blocks_of(document: Path) -> list[Block]:
    text = document.read_text(encoding="utf-8")
    blocks = []
    for match in FENCE.finditer(text):
        kind, _, mark = match["tag"].strip().partition(" ")
        content = re.sub(rf"^{match['indent']}", "", match["text"], flags=re.MULTILINE)
        blocks.append(
            Block(
                document,
                line=text.count("\n", 0, match.start()) + 1,
                kind=kind,
                is_run="no-run" not in mark and not content.startswith(NOT_RUN),
                text=content,
                needs=mark.removeprefix("needs-") if mark.startswith("needs-") else "",
            )
        )
    return blocks


def blocks_to_run(kind: str) -> list[Block]:
    return [b for document in DOCUMENTS for b in blocks_of(document) if b.kind == kind and b.is_run]


@dataclass
class Reader:
    """Somebody who tries one document from top to bottom."""

    folder: Path
    namespace: dict[str, Any] = field(default_factory=dict)
    tried: set[Block] = field(default_factory=set)

    def try_until(self, last: Block, run: Callable[[Block, Reader], None]) -> None:
        """Run ``last``, and first those of its kind before it that were deselected."""
        for block in blocks_of(last.document):
            is_due = block.kind == last.kind and block.is_run and block.line <= last.line
            if is_due and block.is_possible and block not in self.tried:
                self.tried.add(block)
                run(block, self)


@pytest.fixture(scope="module")
def readers(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Reader]:
    readers = {}
    for document in DOCUMENTS:
        folder = tmp_path_factory.mktemp("reader")
        for name, pairs in (("pairs", PAIRS), ("first", PAIRS), ("second", PAIRS_OF_SECOND)):
            (folder / f"{name}.csv").write_text(pairs, encoding="utf-8")
        (folder / "hotels.jsonl").write_text(HOTELS, encoding="utf-8")
        for file in (ROOT / "examples" / "tutorial").glob("*.csv"):
            shutil.copy(file, folder)
        readers[document] = Reader(folder)
    return readers


@pytest.fixture(scope="module")
def _bare_names_work() -> None:
    evaluate_module.install()


# Examples -----------------------------------------------------------------------------------------


def run_doctest(block: Block, reader: Reader) -> None:
    test = doctest.DocTestParser().get_doctest(block.text, {}, str(block), str(block.document), block.line)
    assert test.examples, f"{block}: nothing to run; write >>> examples, or tag the block 'python no-run'"
    test.globs = reader.namespace
    report = io.StringIO()
    results = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.write, clear_globs=False)
    assert not results.failed, report.getvalue()


@pytest.mark.usefixtures("_bare_names_work")
@pytest.mark.parametrize("block", blocks_to_run("python"), ids=str)
def test_python_example(block: Block, readers: dict[Path, Reader], monkeypatch: pytest.MonkeyPatch) -> None:
    if not block.is_possible:
        pytest.skip(f"{block.needs} is not installed")
    monkeypatch.chdir(ROOT)
    readers[block.document].try_until(block, run_doctest)


def commands_of(block: Block) -> Iterator[tuple[list[str], str]]:
    """Yield the words of each command and the output shown below it."""
    lines = block.text.replace("\\\n", " ")
    assert lines.startswith("$ "), f"{block}: must start with a command behind '$ '"
    for part in re.split(r"^\$ ", lines, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield shlex.split(command, comments=True), output


@pytest.mark.usefixtures("_bare_names_work")
@pytest.mark.parametrize("block", blocks_to_run("console"), ids=str)
def test_console_example(
    block: Block,
    readers: dict[Path, Reader],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def run(block: Block, reader: Reader) -> None:
        for words, expected in commands_of(block):
            assert words[:1] == ["claimwise"], f"{block}: {words} belongs into a block tagged sh"
            capsys.readouterr()
            # The command installs its own way of showing warnings.
            with warnings.catch_warnings(), pytest.raises(SystemExit) as stop:
                cli.main(words[1:])
            shown = capsys.readouterr()
            assert not stop.value.code, f"{shlex.join(words)}: {shown.err}"
            if expected.strip():
                assert doctest.OutputChecker().check_output(expected, shown.out, FLAGS), (
                    f"{shlex.join(words)} prints\n{shown.out}\nThe document says\n{expected}"
                )

    reader = readers[block.document]
    monkeypatch.chdir(reader.folder)
    reader.try_until(block, run)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_example_has_a_tag_that_is_run(document: Path) -> None:
    stray = [
        str(block)
        for block in blocks_of(document)
        if block.kind not in {"python", "console", "sh"}
        and re.search(r"^(>>> |\$ |claimwise )", block.text, re.MULTILINE)
    ]
    assert not stray, f"tag these blocks python, console or sh: {stray}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_make_targets_exist(document: Path) -> None:
    rules = re.findall(r"^([\w./-]+(?: [\w./-]+)*):(?!=)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    targets = {target for rule in rules for target in rule.split()}
    for block in blocks_of(document):
        if block.kind == "sh":
            words = " ; ".join(" ".join(shlex.split(line, comments=True)) for line in block.text.splitlines())
            named = set(re.findall(r"(?:^|[;&|$] ?)make ([a-z][\w-]*)", words))
            assert named <= targets, f"{block}: the Makefile has no {named - targets}"


# Metric cards -------------------------------------------------------------------------------------

each_metric = pytest.mark.parametrize("name", list(METRICS))


@cache
def sections_of(name: str) -> dict[str, str]:
    """Return the text below each heading of a metric's card, up to the next heading of any level."""
    text = (ROOT / "metrics" / name / "README.md").read_text(encoding="utf-8")
    fences = [match.span() for match in FENCE.finditer(text)]
    headings = [
        match
        for match in re.finditer(r"^#{1,4} (.+)$", text, re.MULTILINE)
        if not any(start < match.start() < end for start, end in fences)
    ]
    ends = [match.start() for match in headings[1:]] + [len(text)]
    return {match[1]: text[match.end() : end] for match, end in zip(headings, ends, strict=True)}


def table_of(name: str, section: str) -> dict[str, list[str]]:
    """Return the rows of the table in a section: the name in backticks → the other cells."""
    return table_in(sections_of(name)[section])


def table_in(text: str) -> dict[str, list[str]]:
    """Return the rows of all tables in a text: the name in backticks → the other cells."""
    lines = [line for line in text.splitlines() if line.startswith("| `")]
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
    return {row[0].strip("`"): row[1:] for row in rows}


def defaults_in(table: dict[str, list[str]]) -> dict[str, Any]:
    return {option: literal_eval(cells[-1].strip("`")) for option, cells in table.items()}


@each_metric
def test_card_has_the_sections_in_order(name: str) -> None:
    title, *found = sections_of(name)
    assert title.startswith("Metric Card for ")
    assert [heading for heading in found if heading in CARD_SECTIONS] == CARD_SECTIONS


@each_metric
def test_card_front_matter_is_that_of_a_space(name: str) -> None:
    text = (ROOT / "metrics" / name / "README.md").read_text(encoding="utf-8")
    _, front_matter, _ = text.split("---\n", 2)
    values = yaml.safe_load(front_matter)
    assert {"title", "emoji", "description"} <= set(values)
    assert {values["colorFrom"], values["colorTo"]} <= SPACE_COLORS
    assert (values["sdk"], values["app_file"], values["pinned"]) == ("gradio", "app.py", False)
    assert re.fullmatch(r"\d+\.\d+\.\d+", str(values["sdk_version"]))
    assert values["tags"] == ["evaluate", "metric"]
    assert values["license"] == "apache-2.0"
    assert len(values["short_description"]) <= 60  # longer ones are refused by the Hub


def test_what_is_written_from_the_code_is_not_stale() -> None:
    import generate

    stale = [path for path, text in generate.written().items() if path.read_text("utf-8") != text]
    assert not stale, "run python tools/generate.py"


@each_metric
def test_every_load_option_is_named_in_the_card_with_a_default_that_is_its_own(name: str) -> None:
    section = sections_of(name)["Options at load time"]
    own = defaults_in(table_of(name, "Options at load time"))
    fields = {field.name: field.default for field in dataclasses.fields(METRICS[name].Options)}
    shared = set(re.findall(r"`(\w+)`", section.partition("[Shared options]")[2]))
    assert own.keys() | shared == fields.keys()
    assert own == {option: fields[option] for option in own}
    page = (ROOT / "docs" / "options.md").read_text("utf-8").partition("## Options of every server")[0]
    of_page = defaults_in(table_in(page))
    assert {option: of_page[option] for option in shared} == {option: fields[option] for option in shared}


def test_the_page_of_options_names_every_option_of_compute_and_of_runners_with_its_default() -> None:
    page = (ROOT / "docs" / "options.md").read_text("utf-8").partition("## The judge")[0]
    of_compute, _, of_runners = page.partition("## Options of runners")
    parameters = inspect.signature(Metric.compute).parameters.values()
    defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
    del defaults["references"]  # a column
    assert defaults_in(table_in(of_compute)) == defaults
    of_all, _, of_ray = of_runners.partition("Only for `ray`:")
    local, ray = (inspect.signature(runner).parameters for runner in (LocalRunner, RayRunner))
    assert defaults_in(table_in(of_all)) == {name: option.default for name, option in local.items()}
    of_every_runner = defaults_in(table_in(of_all)) | defaults_in(table_in(of_ray))
    assert of_every_runner == {name: option.default for name, option in ray.items()}


@each_metric
def test_card_names_every_configuration(name: str) -> None:
    assert list(table_of(name, "Configurations")) == list(METRICS[name].configurations)


@each_metric
def test_card_names_every_output(needed: dict[str, dict[str, Any]], name: str) -> None:
    result = load(name, **needed.get(name, {})).compute(
        predictions=["The tea is strong. It is hot.", "The bus was late."],
        references=["The tea is weak.", "The guide was patient."],
        details=True,
        confidence_level=0.95,
    )
    page = (ROOT / "docs" / "options.md").read_text("utf-8").partition("## In every result")[2]
    shared = {key.replace("NAME", name) for key in table_in(page)}
    of_further = {f"{score}_{key}" for score in METRICS[name].spec.further for key in ("scores", "ci")}
    own = set(table_of(name, "Output Values"))
    assert own <= set(result) <= own | shared | of_further


MOST_WORDS = {"summac_zs": 2000, "caspr": 1900}


@each_metric
def test_card_is_short(name: str) -> None:
    card = (ROOT / "metrics" / name / "README.md").read_text(encoding="utf-8")
    words = [word for word in card.split() if any(map(str.isalnum, word))]  # not the lines of tables
    assert len(words) <= MOST_WORDS.get(name, 1500)


def benchmark(name: str) -> dict[str, Any]:
    (path,) = (ROOT / "benchmarks").glob(f"*/{name}.json")
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


@pytest.mark.parametrize("name", ["cocotrip", "factuality", "judge", "pyramid", "summaries"])
def test_measured_values_are_of_the_weights_that_ship(name: str) -> None:
    in_pytorch = checkpoint_fingerprint(str(JUDGE))  # from which the embedded file is exported
    assert benchmark(name)["machine"]["weights"] in (embedded_fingerprint(), in_pytorch)


def test_numbers_in_prose_are_those_of_the_benchmarks() -> None:
    judge = benchmark("judge")["results"]
    caspr = benchmark("cocotrip")["results"]["claimwise"]["caspr"]["reference_contrastive"]
    mean, half = caspr["mean"], caspr["half_width"]
    accuracy = {name: f"{100 * of['accuracy']:.0f}%" for name, of in judge.items()}
    runs = benchmark("first_score")["runs"]
    seconds = {step: min(cpu for _, cpu, _ in of_step) for step, of_step in runs.items()}
    plain = seconds["the same checkpoint in plain transformers, one pair"]
    explain = "`claimwise explain caspr …"
    expected = {
        "README.md": [
            f"[{accuracy['opinion_test']} of pairs of such claims]",
            f"only {accuracy['mnli_heldout']} of held-out pairs of MultiNLI",
            f"CASPR {mean:.1f} [{mean - half:.1f}, {mean + half:.1f}]",
        ],
        "docs/performance.md": [f"takes {seconds[f'{explain}`'] / plain:.2f} times"],
    }
    missing = [
        (page, text)
        for page, texts in expected.items()
        for text in texts
        if text not in re.sub("<!--.*?-->", "", (ROOT / page).read_text(encoding="utf-8"))
    ]
    assert missing == []


def test_the_card_of_the_judge_has_the_measured_accuracies() -> None:
    card = (EMBEDDED_WEIGHTS / "README.md").read_text(encoding="utf-8")
    for name, found in benchmark("judge")["results"].items():
        low, high = found["ci"]
        assert f"| {name} | {found['pairs']} | {found['accuracy']:.3f} [{low:.3f}, {high:.3f}] |" in card


def test_the_reference_holds_everything_public() -> None:
    """What claimwise exports, what it registers, and what documents import."""
    reference = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    entry = r"^::: ([\w.]+)(?:\n    options:\n      members: \[(.*)\])?"
    entries = re.findall(entry, reference, re.MULTILINE)
    in_part = {name for name, members in entries if members and name.rpartition(".")[2].islower()}  # modules
    shown = {_home(name) for name, _ in entries} - in_part
    shown |= {f"{name}.{member}" for name, members in entries for member in members.split(", ") if members}
    wanted = {f"claimwise.{name}" for name in claimwise._HOMES if name != "METRICS"}
    for group in ("metrics", "judges", "decomposers", "summarizers", "models"):
        for one in entry_points(group=f"claimwise.{group}"):
            wanted.add(f"{one.module}.{one.attr.partition('.')[0]}")
    for document in DOCUMENTS:
        code = "\n".join(block.text for block in blocks_of(document) if block.kind == "python")
        for module, names in re.findall(r"from (claimwise[\w.]*) import ([\w, ]+)", code):
            wanted |= {f"{module}.{name}" for name in names.split(", ")}
    homes = {_home(name) for name in wanted}
    missing = {name for name in homes if name not in shown and name.rpartition(".")[0] not in shown}
    assert missing == set()


def _home(name: str) -> str:
    """Return the name of a class or function in the module that defines it, of anything else ``name``."""
    module, _, attribute = name.rpartition(".")
    try:
        found = getattr(importlib.import_module(module), attribute)
        return f"{found.__module__}.{found.__qualname__}"
    except (ImportError, AttributeError):  # a tool that is not installed, or a constant
        return name


def test_the_page_of_installation_shows_what_the_demo_prints() -> None:
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    columns = {"predictions": [p.summary_a for p in PAIRS_OF_DEMO]}
    columns["references"] = [p.summary_b for p in PAIRS_OF_DEMO]
    caspr = load("caspr").compute(**columns)["caspr_scores"]
    words = load("distinctiveness_score").compute(**columns)["distinctiveness_score_scores"]
    for pair, *scores in zip(PAIRS_OF_DEMO, caspr, words, strict=True):
        shown = re.search(rf"│ {re.escape(pair.title)} +│ +([\d.]+) │ +([\d.]+) │", page)
        assert shown
        assert [*shown.groups()] == [f"{score:.1f}" for score in scores]


def test_the_messages_of_troubleshooting_are_those_of_the_code() -> None:
    page = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
    messages = re.findall(r"^\*\*(?:`` (.+?) ``|`(.+?)`)\*\*", page, re.MULTILINE)
    constants = [
        node.value
        for path in (ROOT / "src").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    stale = []
    for message in ("".join(groups) for groups in messages):
        # Names and numbers differ: three words in a row are enough.
        words = message.split()
        runs = [" ".join(words[start : start + 3]) for start in range(len(words) - 2)]
        if runs and not any(run in constant for run in runs for constant in constants):
            stale.append(message)

    assert len(messages) > 10
    assert stale == []
