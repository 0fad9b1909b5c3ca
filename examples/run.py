"""Store the notebooks of this folder with the outputs of a run: ``python examples/run.py``.

A test runs them too, and compares their outputs with those that are stored.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

EXAMPLES = Path(__file__).parent


def executed(path: Path, folder: Path) -> Any:
    """Return a notebook with the outputs of a run in ``folder``, a new copy of the examples.

    Addresses of objects, which differ from run to run, and the message that ipywidgets is missing go.
    """
    shutil.copytree(EXAMPLES, folder)
    notebook = nbformat.read(folder / path.name, as_version=4)
    for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR"):
        os.environ[name] = str(folder.parent / name)
    resources = {"metadata": {"path": str(folder)}}
    client = NotebookClient(
        notebook, timeout=600, kernel_name="python3", resources=resources, record_timing=False
    )
    client.execute()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [one for one in cell.outputs if "IProgress not found" not in one.get("text", "")]
        for output in cell.get("outputs", []):
            if " at 0x" in output.get("data", {}).get("text/plain", ""):
                del output["data"]["text/plain"]
    notebook.metadata = {"kernelspec": notebook.metadata.kernelspec}
    return notebook


if __name__ == "__main__":
    for path in sorted(EXAMPLES.glob("*.ipynb")):
        with tempfile.TemporaryDirectory() as temporary:
            notebook = executed(path, Path(temporary) / "examples")
        nbformat.write(notebook, path)
