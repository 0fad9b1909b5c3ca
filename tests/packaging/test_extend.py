"""Another package adds metrics, judges and a decomposer: examples/claimwise-words and its page."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest
from chat_endpoint import Endpoint, Reply, Request
from judges import WordJudge, probabilities

from claimwise.errors import ClaimwiseError
from claimwise.judges import load_judge

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "examples" / "claimwise-words" / "README.md").read_text(encoding="utf-8")
FOLDER = ROOT / "examples" / "claimwise-words"
FILES = {
    path.relative_to(FOLDER).as_posix(): path.read_text(encoding="utf-8")
    for path in FOLDER.rglob("*")
    if path.suffix in {".py", ".toml", ".jsonl"}
}


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the example, and nothing else."""
    folder = tmp_path_factory.mktemp("package")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def environment(package: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a machine on which the package is installed."""
    site = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]
    command += ["--no-build-isolation", "--target", str(site), str(package)]
    subprocess.run(command, check=True, timeout=300, cwd=site)
    return {**os.environ, "PYTHONPATH": str(site)}


def blocks(kind: str) -> list[str]:
    using = PAGE.partition("## Using them")[2]
    return re.findall(rf"^```{kind} no-run\n(.*?)^```$", using, re.MULTILINE | re.DOTALL)


@pytest.mark.slow
def test_its_python_examples_run(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "examples.txt").write_text("\n".join(blocks("python")), encoding="utf-8")
    run = "import doctest, sys; sys.exit(doctest.testfile('examples.txt', module_relative=False).failed)"
    done = subprocess.run(
        [sys.executable, "-c", run],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_its_metrics_have_pages(environment: dict[str, str]) -> None:
    run = (
        "from claimwise.apps.spaces.page import Page\n"
        "for name in ('coverage', 'length'):\n"
        "    page = Page(name)\n"
        "    print(page.draw(page.answer(page.read('It is warm.', 'It is warm.'), {})), *page.about)"
    )
    done = subprocess.run(
        [sys.executable, "-c", run], env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert "<dt>covered</dt>" in done.stdout
    assert "coverage|" in done.stdout
    assert "<dt>counted</dt>" in done.stdout


@pytest.mark.slow
def test_its_commands_run(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").write_text(FILES["pairs.jsonl"], encoding="utf-8")
    commands = [line for block in blocks("console") for line in block.splitlines()]
    assert len(commands) == 4
    shown = []
    for command in commands:
        start = f'{sys.executable} -c "from claimwise.apps.cli import main; main()"'
        done = subprocess.run(
            command.replace("$ claimwise", start, 1),
            shell=True,
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        shown.append(done.stdout)
    assert "coverage 0.40" in shown[0]
    assert "(3 pairs)" in shown[0]
    assert "the lift is slow" in shown[1]
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "coverage" in page
    assert "the lift is slow" in page
    result = json.loads((tmp_path / "coverage.json").read_text(encoding="utf-8"))
    assert result["coverage_scores"] == [0.5, 1.0, 0.0]
    assert result["coverage_weights"] == [2.0, 1.0, 2.0]
    assert result["coverage"] == pytest.approx(0.4)
    signature = result["coverage_signature"]
    assert "judge:words" in signature
    assert "decomposer:semicolons" in signature
    assert signature.endswith("at_least:0.5")
    lines = (tmp_path / "length.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["length"] for line in lines] == [7, 4, 3]


def test_its_judge_behind_a_server(package: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.syspath_prepend(str(package / "src"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    project = tomllib.loads(FILES["pyproject.toml"])["project"]
    named = project["entry-points"]["claimwise.judges"]["words-server"]
    make = EntryPoint("words-server", named, "claimwise.judges").load()
    asked: list[Request] = []
    model = ["1"]

    def respond(request: Request) -> Reply:
        asked.append(request)
        pairs = request.body["pairs"]
        scores = [probabilities(*pair) for pair in pairs]
        answer = {"model": model[0], "probabilities": scores, "truncated": [False] * len(pairs)}
        return Reply(json.dumps(answer).encode())

    server = Endpoint()
    server.respond = respond
    pairs = [(f"Room {n} is warm.", f"Room {n} is not warm.") for n in range(40)]
    try:
        judge = load_judge(make(server.url, api_key="a-secret"), score_cache=tmp_path / "scores")
        found = judge.predict_pairs(pairs).probabilities
        judge.predict_pairs(pairs)
        model[0] = "2"
        with pytest.raises(ClaimwiseError, match="different model"):
            judge.predict_pairs([("a", "b")])
    finally:
        server.close()
    with pytest.raises(ClaimwiseError, match="cannot be reached") as caught:
        make(server.url, api_key="a-secret")

    np.testing.assert_allclose(found, WordJudge().predict_pairs(pairs).probabilities, atol=1e-6)
    assert [len(request.body["pairs"]) for request in asked] == [0, 32, 8, 1]
    assert {request.headers["authorization"] for request in asked} == {"Bearer a-secret"}
    assert "a-secret" not in f"{caught.value} {judge.signature} {judge.fingerprint}"


@pytest.mark.slow
def test_a_conflict_of_names_names_both_packages(environment: dict[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "other-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text("[claimwise.metrics]\ncoverage = other:Coverage\n")
    paths = f"{environment['PYTHONPATH']}{os.pathsep}{tmp_path}"
    run = (
        "import claimwise\n"
        "assert claimwise.load('caspr', judge='words').name == 'caspr'\n"
        "try:\n    claimwise.load('coverage')\n"
        "except claimwise.ClaimwiseError as error:\n    print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", run],
        env={**environment, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert "claimwise-words" in done.stdout, done.stderr
    assert "other" in done.stdout
