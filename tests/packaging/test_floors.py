"""Who imports whom: from floors below, or from beside, and never in a circle.

All imports are read, those inside functions and those under ``TYPE_CHECKING`` too; nothing is imported.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"
FLOORS = {
    "claimwise": 1,  # its version; its names are looked up when they are asked for
    **dict.fromkeys(
        [
            "errors",
            "labels",
            "signature",
            "stats",
            "tables",
            "http",
            "progress",
            "cache",
            "options",
            "plugins",
        ],
        1,
    ),
    **dict.fromkeys(["text", "judges", "llm", "data"], 2),
    **dict.fromkeys(["scores", "evidence"], 3),
    "metrics": 4,
    **dict.fromkeys(["runners", "report"], 5),
    **dict.fromkeys(["apps", "integrations", "__main__"], 6),
}


def modules(source: Path) -> dict[str, Path]:
    """Return the modules and packages under ``source`` by their dotted names."""
    found = {}
    for path in sorted(source.rglob("*.py")):
        parts = path.relative_to(source).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(name: str, path: Path, known: Mapping[str, Path]) -> Iterator[tuple[str, int]]:
    """Yield the ``known`` modules that a file imports anywhere in it, each with its line."""
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        targets: list[str] = []
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            targets = [f"{base}.{alias.name}" for alias in node.names]
            targets = [target if target in known else base for target in targets]
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            targets = [str(node.args[0].value)] if called == "import_module" else []
        for target in targets:
            if target in known and target != name:
                yield target, node.lineno


def arrows(source: Path) -> dict[str, dict[str, int]]:
    """Return for each module those that it imports, each with a line on which it does."""
    known = modules(source)
    return {name: dict(imported(name, path, known)) for name, path in known.items()}


def floor(module: str) -> int:
    return FLOORS[(module.split(".")[1:] or [module])[0]]


def upward(source: Path) -> list[str]:
    """Return the imports of a floor above."""
    return [
        f"{name}, line {line}: {target} is on floor {floor(target)}, above {floor(name)}"
        for name, targets in arrows(source).items()
        for target, line in targets.items()
        if floor(target) > floor(name)
    ]


def circle(source: Path) -> list[str]:
    """Return the modules of one circle of imports, in its order; none if there is no circle."""
    try:
        TopologicalSorter({name: set(targets) for name, targets in arrows(source).items()}).prepare()
    except CycleError as error:
        found: list[str] = error.args[1][::-1]  # each imports the next
        return found
    return []


def test_nothing_is_imported_from_a_floor_above() -> None:
    assert upward(SOURCE) == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circle(SOURCE) == []


def test_every_module_has_a_floor() -> None:
    assert {name for name in modules(SOURCE) if (name.split(".")[1:] or [name])[0] not in FLOORS} == set()


def tree(folder: Path, files: Mapping[str, str]) -> Path:
    """Write a package of some files."""
    for name, content in {"__init__": "", **files}.items():
        path = folder / "claimwise" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8")
        (path.parent / "__init__.py").touch()
    return folder


UPWARD = [
    "from claimwise.metrics.base import Metric",
    "from claimwise.metrics import base",
    "from claimwise import metrics",
    "import claimwise.metrics.base as b",
    "from ..metrics.base import Metric",
    "def late():\n    from claimwise.metrics.base import Metric",
    "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from claimwise.metrics.base import Metric",
    "import importlib\nimportlib.import_module('claimwise.metrics.base')",
    "try:\n    import claimwise.metrics\nexcept ImportError:\n    pass",
]


@pytest.mark.parametrize("statement", UPWARD)
def test_a_planted_upward_import_is_found(tmp_path: Path, statement: str) -> None:
    files = {"judges/local": statement, "metrics/base": "from claimwise.judges import local\n"}

    (found,) = upward(tree(tmp_path, files))

    assert found.startswith("claimwise.judges.local, line ")
    assert "claimwise.metrics" in found


@pytest.mark.parametrize(
    "statement",
    [
        "from claimwise.text.llm import LLMDecomposer",
        "def late():\n    from claimwise.text.llm import LLMDecomposer",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from . import llm",
    ],
)
def test_a_planted_circle_is_found(tmp_path: Path, statement: str) -> None:
    files = {
        "text/claims": statement,
        "text/llm": "from claimwise.text.words import words",
        "text/words": "from .claims import Decomposed",
    }

    found = circle(tree(tmp_path, files))

    assert set(found) == {"claimwise.text.claims", "claimwise.text.llm", "claimwise.text.words"}
    after = dict(itertools.pairwise(found))
    assert after["claimwise.text.claims"] == "claimwise.text.llm"
    assert upward(tmp_path) == []


def test_imports_from_below_and_names_that_a_package_looks_up_are_fine(tmp_path: Path) -> None:
    files = {
        "__init__": "_HOMES = {'Metric': 'metrics.base'}\n__version__ = '1'",
        "judges/__init__": "_HOMES = {'NLIModel': 'judges.local'}",
        "judges/local": "from claimwise import __version__\nfrom claimwise.errors import E\nimport numpy",
        "metrics/base": "from ..nli import local\nfrom claimwise.scores import caspr\nfrom . import spec",
        "metrics/spec": "",
        "scores/caspr": "",
        "errors": "",
    }

    assert upward(tree(tmp_path, files)) == []
    assert circle(tmp_path) == []
