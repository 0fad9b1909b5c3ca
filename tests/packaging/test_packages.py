"""The further distributions: they use only what is public, and claimwise works without them."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = sorted(path.parent for path in ROOT.glob("packages/*/setup.cfg"))
ENTRY = re.compile(r"^::: ([\w.]+)(?:\n    options:\n      (?:inherited_)?members: \[(.*)\])?", re.MULTILINE)


def public() -> set[str]:
    """Return the names in the reference; ``module.*`` stands for all names of a module."""
    names = {"claimwise.__version__"}
    for name, members in ENTRY.findall((ROOT / "docs" / "api.md").read_text("utf-8")):
        names |= {name, *(f"{name}.{member}" for member in members.split(", "))}
        names |= set() if members else {f"{name}.*"}
    return names


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.name)
def test_a_package_imports_only_what_the_reference_lists(package: Path) -> None:
    known, hidden = public(), []
    for path in (package / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "claimwise":
                for alias in node.names:
                    name = f"{node.module}.{alias.name}"
                    if not {name, f"{name}.*", f"{node.module}.*"} & known:
                        hidden.append(f"{path.name}: {name}")

    assert hidden == []


WITHOUT = """
import json, sys
from importlib.metadata import entry_points
sys.argv[0] = "claimwise"
from claimwise.apps.cli import main
found = [[one.name for one in entry_points(group="claimwise.summarizers")]]
for arguments in json.loads(sys.argv[1]):
    try:
        main(arguments)
    except SystemExit as stop:
        found.append(stop.code)
print(json.dumps(found))
"""


def test_claimwise_works_without_its_packages_and_says_how_to_install_them(tmp_path: Path) -> None:
    ours = {package.name.replace("-", "_") for package in PACKAGES}
    for folder in map(Path, sys.path):
        if folder.name == "site-packages":
            for path in folder.iterdir():
                if not any(name in path.name for name in ours) and not (tmp_path / path.name).exists():
                    (tmp_path / path.name).symlink_to(path)
    commands = [["--help"], ["list", "summarizers"], ["summarize", "x.jsonl", "--sentences", "2"]]
    done = subprocess.run(
        [sys.executable, "-S", "-c", WITHOUT, json.dumps(commands)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{tmp_path}"},
        capture_output=True,
        text=True,
        timeout=300,
    )

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == [[], 0, 0, 1]
    assert "demo" in done.stdout
    assert "Summarize the reviews" not in done.stdout
    assert "claimwise-summarize, which is not installed" in done.stderr
    assert "pip install -e packages/claimwise-summarize" in done.stderr
