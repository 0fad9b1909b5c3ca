"""Running the ``claimwise`` command and the papers' experiments in this process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from benchmarks.papers.command import run as run_experiment
from claimwise.apps.cli import main


@dataclass
class Done:
    code: int
    out: str
    err: str


Run = Callable[..., Done]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run the command in this process, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    for name in ("CLAIMWISE_DATA", "OPENAI_API_KEY", "OPENAI_BASE_URL", "FORCE_COLOR", "PY_COLORS"):
        monkeypatch.delenv(name, raising=False)

    return lambda *arguments: _ran(main, arguments, capsys)


@pytest.fixture
def run_paper(run: Run, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a module of ``benchmarks.papers`` by its name in this process, in an empty folder."""

    def start(arguments: list[str]) -> None:
        run_experiment(import_module(f"benchmarks.papers.{arguments[0]}").main, arguments[1:])

    return lambda *arguments: _ran(start, arguments, capsys)


def _ran(
    command: Callable[[list[str]], None], arguments: tuple[object, ...], capsys: pytest.CaptureFixture[str]
) -> Done:
    code: Any = 0
    try:
        command([str(argument) for argument in arguments])
    except SystemExit as stop:
        code = stop.code
    captured = capsys.readouterr()
    return Done(code or 0, captured.out, captured.err)


def check_refused(done: Done, *said: str) -> None:
    """Check that a run failed the way a user can read: one line, no traceback, nothing on stdout."""
    assert done.code == 1
    assert len(done.err.splitlines()) == 1, done.err
    assert done.err.startswith("claimwise: ")
    assert all(text in done.err for text in said), done.err
    assert done.out == ""
