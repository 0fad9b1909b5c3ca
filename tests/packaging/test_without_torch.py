"""Without PyTorch, the defaults score, and what needs it names the command that installs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from claimwise.metrics import METRICS

ROOT = Path(__file__).parents[2]
HIDE = """
import sys
from importlib.machinery import PathFinder

HIDDEN = {"torch", "transformers", "safetensors", "bert_score"}


class Others(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] in HIDDEN else super().find_spec(name, path, target)


sys.meta_path[sys.meta_path.index(PathFinder)] = Others
"""
DEFAULTS = """
import evaluate
from claimwise.metrics import METRICS

summaries = ["The pool is warm. The staff is rude.", "Breakfast is good and the rooms are dark."]
columns = {
    "predictions": summaries,
    "references": ["The pool is cold. The staff is kind.", "Breakfast is bad and the rooms are dark."],
}
sources = [[text, "The pool is warm.", "We liked the rooms."] for text in summaries]
for name, metric in sorted(METRICS.items()):
    module = evaluate.load(f"{sys.argv[1]}/metrics/{name}")
    given = {column.name: columns[column.name] for column in metric.spec.columns if column.required}
    if any(column.holds == "sources" for column in metric.spec.columns):
        given["references"] = sources
    print(name, module.compute(**given)[name])
"""
COMMANDS = """
from claimwise.apps.cli import main

sys.exit(main(sys.argv[1:]))
"""


def run(script: str, *arguments: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", f"{HIDE}\n{script}", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


def test_every_metric_scores_by_default(tmp_path: Path) -> None:
    done = run(DEFAULTS, str(ROOT), folder=tmp_path)

    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == len(METRICS)


def test_the_demo_runs(tmp_path: Path) -> None:
    done = run(COMMANDS, "demo", folder=tmp_path)

    assert done.returncode == 0, done.stderr
    assert (tmp_path / "contrast_map.html").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("extra", "arguments"),
    [
        ("torch", ["caspr", "--judge", "mnli"]),
        ("torch", ["caspr", "--config", "paper", "--decomposer", "sentences"]),
        ("bertscore", ["inverted_bertscore", "--config", "paper"]),
    ],
)
def test_a_missing_extra_is_named_with_its_command(extra: str, arguments: list[str], tmp_path: Path) -> None:
    done = run(COMMANDS, "explain", *arguments, "Clean rooms.", "Dirty rooms.", folder=tmp_path)

    assert done.returncode == 1
    assert f"pip install '.[{extra}]'" in done.stderr
