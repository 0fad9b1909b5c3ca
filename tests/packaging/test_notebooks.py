"""The notebooks of examples/ run in a kernel of their own, and are stored without outputs."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed (pip install '.[dev]')")

EXAMPLES = Path(__file__).parents[2] / "examples"
NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))
each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


@each_notebook
def test_it_is_stored_without_outputs_and_its_links_lead_somewhere(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert cell.outputs == []
            assert cell.execution_count is None
        for link in re.findall(r"\]\((?!https?:)([^)#]+)", cell.source):
            assert (path.parent / link).exists(), link


@pytest.fixture(scope="module")
def two_systems(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The notebook of two systems, run by a kernel in a copy of its folder."""
    client = pytest.importorskip("nbclient", reason="nbclient is not installed (pip install '.[dev]')")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed (pip install '.[dev]')")
    folder = tmp_path_factory.mktemp("run") / "examples"
    shutil.copytree(EXAMPLES, folder)
    notebook = nbformat.read(folder / "two_systems.ipynb", as_version=4)
    with pytest.MonkeyPatch.context() as patch:
        for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR"):
            patch.setenv(name, str(folder.parent / name))
        resources = {"metadata": {"path": str(folder)}}
        client.NotebookClient(notebook, timeout=600, kernel_name="python3", resources=resources).execute()
    assert (folder / "report.html").stat().st_size > 10_000
    return notebook


def shown(notebook: Any, source: str) -> str:
    """Return what the cells that hold ``source`` show: HTML where there is any, and all that they print."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code" and source in cell.source]
    outputs = [output for cell in cells for output in cell.outputs]
    assert outputs, source
    texts = (
        output["text"] if output.output_type == "stream" else output["data"].get("text/html", "")
        for output in outputs
    )
    return "\n".join(texts)


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
    for html in maps:
        assert 'class="claimwise' in html
        assert "<style>" in html
    # The least supported summary is one with an invention, and the map shows the invention.
    assert re.search(r"The spa is free|rooftop bar", maps[1])
    report = shown(two_systems, "report_page")
    assert "<iframe srcdoc=" in report
    assert "plain" in report
    assert shown(two_systems, '_signature"').startswith("caspr|version:")
    errors = [o for cell in two_systems.cells for o in cell.get("outputs", []) if o.get("name") == "stderr"]
    assert all("IProgress not found" in error["text"] for error in errors)  # tqdm misses ipywidgets
