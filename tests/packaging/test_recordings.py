"""The notebooks and the terminal of the README show what a run shows."""

from __future__ import annotations

import html
import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed (pip install '.[dev]')")

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))
each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?!\w)")
OF_THE_MACHINE = re.compile(r"\b(dtype|transformers|torch|sentencex)[:-][\w.+]+")


@each_notebook
def test_it_is_stored_with_outputs_and_its_links_lead_somewhere(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    counts = [cell.execution_count for cell in notebook.cells if cell.cell_type == "code"]
    assert counts == list(range(1, len(counts) + 1))  # one run, from top to bottom
    for cell in notebook.cells:
        for link in re.findall(r"\]\((?!https?:)([^)#]+)", cell.source):
            assert (path.parent / link).exists(), link


def script(path: Path) -> Any:
    """Return the module of a script."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def two_systems(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The notebook of two systems, run by a kernel in a copy of its folder."""
    pytest.importorskip("nbclient", reason="nbclient is not installed (pip install '.[dev]')")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed (pip install '.[dev]')")
    folder = tmp_path_factory.mktemp("run") / "examples"
    notebook = script(EXAMPLES / "run.py").executed(EXAMPLES / "two_systems.ipynb", folder)
    assert (folder / "report.html").stat().st_size > 10_000
    return notebook


@pytest.mark.slow
def test_two_systems_shows_what_it_is_stored_with(two_systems: Any) -> None:
    stored = nbformat.read(EXAMPLES / "two_systems.ipynb", as_version=4)
    for one, other in zip(two_systems.cells, stored.cells, strict=True):
        assert one.source == other.source
        check_same(outputs_of(one), outputs_of(other))


@pytest.mark.slow
def test_the_picture_of_the_terminal_shows_what_is_printed() -> None:
    terminal = script(ROOT / "tools" / "terminal.py")
    stored = terminal.PICTURE.read_text(encoding="utf-8")
    assert len(stored) < 1_000_000
    assert "url(http" not in stored
    check_same(text_of(terminal.recorded()), text_of(stored))


def text_of(picture: str) -> str:
    """Return the text of an SVG without blanks, so that it does not matter where lines end."""
    lines = re.findall(r"<text[^>]*>(.*?)</text>", picture)
    return re.sub(r"\s", "", html.unescape("".join(lines)))


def check_same(text: str, stored: str) -> None:
    """Check that texts agree but for what depends on the machine, numbers to a twentieth."""
    text, stored = (OF_THE_MACHINE.sub(r"\1", one) for one in (text, stored))
    assert NUMBER.split(text) == NUMBER.split(stored), "run make recordings"
    numbers = [[float(number) for number in NUMBER.findall(one)] for one in (text, stored)]
    assert numbers[0] == pytest.approx(numbers[1], rel=0.05, abs=0.05), "run make recordings"


def outputs_of(cell: Any) -> str:
    """Return what a cell shows, HTML where there is any, and prints."""
    texts = []
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        texts.append(output.get("text") or data.get("text/html") or data["text/plain"])
    return "\n".join(texts)


def shown(notebook: Any, source: str) -> str:
    """Return the outputs of the cells that hold ``source``."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code" and source in cell.source]
    text = "\n".join(map(outputs_of, cells))
    assert text, source
    return text


@pytest.mark.slow
def test_two_systems_shows_scores_intervals_and_the_paired_test(two_systems: Any) -> None:
    assert shown(two_systems, "groupby").count("<tr") == 1 + 1 + 6  # head, name of the index, cities
    assert shown(two_systems, "95 % interval").count("<td>[") == 4
    p_values = [
        float(p) for p in re.findall(r"<td>(\d\.\d+)</td>\s*</tr>", shown(two_systems, "paired_test"))
    ]
    assert len(p_values) == 2
    assert p_values[0] == pytest.approx(2 / 2**6, abs=0.001)  # contrast differs in every city the same way
    assert p_values[1] > 0.1  # as the text below the table says


@pytest.mark.slow
def test_two_systems_shows_maps_and_the_report_inline(two_systems: Any) -> None:
    maps = shown(two_systems, "contrast_map"), shown(two_systems, "support_map")
    for page in maps:
        assert 'class="claimwise' in page
        assert "<style>" in page
    # The least supported summary is one with an invention, and the map shows the invention.
    assert re.search(r"The spa is free|rooftop bar", maps[1])
    report = shown(two_systems, "report_page")
    assert "<iframe srcdoc=" in report
    assert "plain" in report
    assert shown(two_systems, '_signature"').startswith("caspr|version:")
    outputs = [output for cell in two_systems.cells for output in cell.get("outputs", [])]
    assert all(output.get("name") != "stderr" for output in outputs)
