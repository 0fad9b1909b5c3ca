"""What the package imports is what setup.cfg declares, and the other way round."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable
from configparser import ConfigParser
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("src", "metrics", "spaces", "datasets_scripts")
PACKAGES = sorted(path.parent for path in ROOT.glob("packages/*/setup.cfg"))
TOOLS = ("deepeval", "inspect", "lighteval", "mlflow", "pandas", "pytest", "ray", "torchmetrics")
EXTRAS = (
    "bertscore",
    "nltk",
    "openai",
    "plots",
    "spaces",
    "spacy",
    "torch",
    *TOOLS,
)
NEVER_IMPORTED = {
    "xxhash": "lighteval 0.13 gives it strings, which version 4 refuses",
}
OWN_DATA = {path.stem for path in (ROOT / "datasets_scripts").iterdir()}  # scripts of a clone import them
OWN = {"claimwise", *sys.stdlib_module_names, *OWN_DATA}


def requirements(lines: str) -> set[str]:
    """Return the packages that some lines of setup.cfg name, as they are imported."""
    names = re.findall(r"^[\w-]+", lines.strip(), re.MULTILINE)
    return {name.lower().replace("-", "_") for name in names} - {"claimwise"}


def declared(root: Path = ROOT, extras: Iterable[str] = EXTRAS) -> dict[str, set[str]]:
    """Return the packages that setup.cfg asks for: of everyone (``""``), and by extra."""
    config = ConfigParser()
    config.read(root / "setup.cfg", encoding="utf-8")
    by_extra = {extra: requirements(config["options.extras_require"][extra]) for extra in extras}
    return {"": requirements(config["options"]["install_requires"]), **by_extra}


def imported(root: Path = ROOT, folders: Iterable[str] = FOLDERS) -> dict[str, str]:
    """Return the packages that the source imports, each with one file that does."""
    found = {}
    for folder in folders:
        for path in sorted((root / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Import):
                    names = [alias.name for alias in node.names]
                elif isinstance(node, ast.ImportFrom) and not node.level:
                    names = [node.module or ""]
                else:
                    continue
                found.update({name.partition(".")[0]: str(path.relative_to(ROOT)) for name in names})
    return {name: path for name, path in found.items() if name not in OWN}


def test_every_folder_of_the_source_is_in_the_wheel() -> None:
    config = ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    packages = set(config["options"]["packages"].split())
    folders = {path.parent.relative_to(ROOT / "src") for path in (ROOT / "src").rglob("*.py")}

    assert {".".join(folder.parts) for folder in folders} == packages - {
        "claimwise.apps.scripts",
        "claimwise.data.cards",
    }


@pytest.mark.parametrize("folder", ["benchmarks", "tools", "training"])
def test_scripts_import_what_the_package_has(folder: str) -> None:
    taken = {
        (str(path.relative_to(ROOT)), node.module, alias.name)
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").partition(".")[0] in ("benchmarks", "claimwise")
        for alias in node.names
    }

    def is_there(module: str, name: str) -> bool:
        return hasattr(import_module(module), name) or find_spec(f"{module}.{name}") is not None

    assert taken
    assert {one for one in taken if not is_there(*one[1:])} == set()


def test_whatever_is_imported_is_declared() -> None:
    allowed = set().union(*declared().values())

    assert {name: path for name, path in imported().items() if name not in allowed} == {}


def test_whatever_is_declared_is_imported() -> None:
    allowed = set().union(*declared().values())

    assert allowed - imported().keys() - NEVER_IMPORTED.keys() == set()


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.name)
def test_a_package_declares_what_it_imports(package: Path) -> None:
    config = ConfigParser()
    config.read(package / "setup.cfg", encoding="utf-8")
    extras = list(config["options.extras_require"])
    allowed = set().union(*declared(package, extras).values())
    used = set(imported(package, ["src"])) - {package.name.replace("-", "_")}

    assert used - {"claimwise"} == allowed


@pytest.mark.parametrize("name", NEVER_IMPORTED)
def test_an_exception_is_still_one(name: str) -> None:
    assert name in set().union(*declared().values())
    assert name not in imported()
