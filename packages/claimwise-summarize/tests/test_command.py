"""``claimwise summarize``: files in, files out that ``claimwise score`` reads; stopped, killed, resumed."""

from __future__ import annotations

import datetime
import json
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from chat_endpoint import Endpoint, Reply, Request, completion, failure
from command import Run, check_refused
from pyarrow.parquet import write_table

from claimwise.http import remote

HOTELS = [
    {
        "entity": "Sun",
        "reviews": [
            f"{who} said the pool is warm. The staff are kind." for who in ("Ann", "Bob", "Cy", "Di")
        ],
    },
    {"entity": "Moon", "reviews": [" "]},
    {"entity": "Star", "reviews": [{"text": "The beds are soft.", "id": "r7"}, "Our beds were soft."]},
]


def rows_in(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def answer(request: Request) -> Reply:
    lines = request.text.split("\n\n")[1].split("\n")
    return completion(f"They write {len(lines)} lines. The first is {lines[0]}")


def test_a_file_is_summarized_with_a_map_of_its_citations(run: Run, tmp_path: Path) -> None:
    file = write(tmp_path / "hotels.jsonl", HOTELS)

    done = run("summarize", file, "--sentences", 2, "--output", "q.jsonl", "--map", "q.html")

    assert done.code == 0, done.err
    assert "2 of 3 rows have a summary" in done.out
    assert "Moon (row 2): reviews, row 1: all reviews are blank" in done.out
    sun, _, star = rows_in(tmp_path / "q.jsonl")
    for other in ("q.csv", "q.parquet"):
        assert run("summarize", file, "--sentences", 2, "--output", other).code == 0
        scored = [run("score", "abstractiveness", name, "--on-error", "row") for name in ("q.jsonl", other)]
        assert scored[0].out.splitlines()[0] == scored[1].out.splitlines()[0]
    assert star["review_ids"] == ["r7", None]
    assert all(sentence["reviews"] == 4 for sentence in sun["sentences"])
    page = (tmp_path / "q.html").read_text("utf-8")
    assert "4 of 4 reviews" in page
    assert "Di said the pool is warm." in page


def test_whatever_names_an_entity_is_written_as_json(run: Run, tmp_path: Path) -> None:
    days = pyarrow.array([datetime.date(2022, 12, 24)])
    table = pyarrow.table({"entity": days, "reviews": [["The pool is warm."]]})
    write_table(table, tmp_path / "days.parquet")
    half = write(tmp_path / "half.jsonl", [{"entity": "\ud83d", "reviews": ["The pool is warm."]}])

    for file in (tmp_path / "days.parquet", half):
        done = run("summarize", file, "--output", f"{file.stem}_out.jsonl", "--map", f"{file.stem}.html")
        assert done.code == 0, done.err
    assert rows_in(tmp_path / "days_out.jsonl")[0]["entity"] == "2022-12-24"
    assert rows_in(tmp_path / "half_out.jsonl")[0]["entity"] == "\ud83d"


def test_a_run_over_an_endpoint_with_faults_is_estimated_and_resumes_from_its_limit(
    run: Run, endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "FIRST_PAUSE_SECONDS", 0.001)
    file = write(tmp_path / "hotels.jsonl", HOTELS)
    faults = [failure(429), failure(500), Reply(b"<html>"), Reply(b"", is_dropped=True)]

    def respond(request: Request) -> Reply:
        return faults.pop() if faults else answer(request)

    endpoint.respond = respond
    command = ["summarize", file, "--pipeline", "cg", "--model", f"openai:m@{endpoint.url}"]
    command += ["--cache", "a.sqlite", "--no-citations", "--option", "chunk=3", "--option", "merge_at=3"]

    estimated = run(*command, "--estimate", "--price-in", 1)
    assert not endpoint.requests
    assert "requests, about" in estimated.out
    stopped = run(*command, "--output", "out.jsonl", "--max-requests", 6)
    check_refused(stopped, "--max-requests", "a second run resumes from there")
    assert not (tmp_path / "out.jsonl").exists()
    answered = len(endpoint.requests) - 4

    done = run(
        *command, "--output", "out.jsonl", "--model-option", "temperature=0", "--model-option", "retries=1"
    )

    assert done.code == 0, done.err
    sun, _, star = rows_in(tmp_path / "out.jsonl")
    asked = len({request.text for request in endpoint.requests})  # equal requests once
    assert asked == len(endpoint.requests) - 4 <= sun["used"]["requests"] + star["used"]["requests"]
    assert 0 < answered < len(endpoint.requests) - 4
    assert sun["levels"][-1] == [sun["summary"]]
    assert "temperature:0" in sun["signature"]


def test_pairs_are_contrasted_and_scored(run: Run, endpoint: Endpoint, tmp_path: Path) -> None:
    endpoint.respond = lambda _: completion(
        "ONLY A: The pool is warm.\nONLY B: The pool is cold.\nBOTH: Kind staff."
    )
    pair = {"reviews_a": HOTELS[0]["reviews"], "reviews_b": ["The pool is cold."], "name_b": "Mars"}
    file = write(tmp_path / "pairs.jsonl", [pair])

    done = run(
        *("summarize", file, "--contrast", "prompt", "--model", f"openai:m@{endpoint.url}"),
        *("--output", "c.jsonl", "--map", "c.html"),
    )

    assert done.code == 0, done.err
    assert "Mars" in endpoint.requests[0].text
    assert "1 of 1 rows have a summary" in done.out
    endpoint.respond = lambda _: completion("I cannot compare hotels.")
    refused = run(
        "summarize",
        file,
        *("--contrast", "prompt", "--model", f"openai:m@{endpoint.url}", "--output", "n.jsonl"),
    )
    assert refused.code == 1
    assert "no summary: A Mars (row 1): unusable answers: refused" in refused.out
    assert "caspr 100.00" in run("score", "caspr", "c.jsonl").out
    assert "common" in (tmp_path / "c.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--pipeline", "gq", "--output", "o.jsonl"], "--pipeline: Unknown pipeline"),
        (["--output", "o.txt"], "unknown file type"),
        ([], "--output is missing"),
        (["--contrast", "both", "--output", "o.jsonl"], "--contrast: Unknown method"),
        (["--no-citations", "--map", "m.html", "--output", "o.jsonl"], "citations are off"),
        (["--model", "openai:m@http://localhost:1", "--model-option", "top=1"], "has no option `top`"),
        (
            ["--model", "openai:m@http://localhost:1", "--model-option", "api_key=k"],
            "a key on the command line",
        ),
    ],
)
def test_what_cannot_be_is_refused(run: Run, tmp_path: Path, arguments: list[str], said: str) -> None:
    check_refused(run("summarize", write(tmp_path / "hotels.jsonl", HOTELS), *arguments), said)


@pytest.mark.slow
def test_a_run_that_is_killed_five_times_ends_on_the_same_file(endpoint: Endpoint, tmp_path: Path) -> None:
    rows = [{"entity": n, "reviews": [f"Guest {n} said thing {k}." for k in range(30)]} for n in range(8)]
    file = write(tmp_path / "rows.jsonl", rows)
    options = ["--pipeline", "cg", "--no-citations", "--option", "chunk=3", "--option", "merge_at=3"]
    options += ["--model", f"openai:m@{endpoint.url}", "--model-option", "concurrency=1"]
    main = "from claimwise.apps.cli import main; main()"
    command = [sys.executable, "-c", main, "summarize", str(file), *options]
    endpoint.respond = answer
    subprocess.run([*command, "--output", str(tmp_path / "whole.jsonl")], check=True)
    whole = len(endpoint.requests)
    endpoint.requests.clear()
    reached, count = threading.Event(), 0

    def respond(request: Request) -> Reply:
        nonlocal count
        count += 1
        if count % 12 == 0:
            reached.set()
            endpoint.released.wait(5)
        return answer(request)

    endpoint.respond = respond
    command += ["--cache", str(tmp_path / "answers.sqlite"), "--output", str(tmp_path / "killed.jsonl")]
    for _ in range(5):
        reached.clear()
        process = subprocess.Popen(command)
        assert reached.wait(60)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert not (tmp_path / "killed.jsonl").exists()
    endpoint.respond = answer
    subprocess.run(command, check=True)

    assert (tmp_path / "killed.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    assert len(endpoint.requests) <= whole + 5  # those under way when it was killed
    assert [path.name for path in tmp_path.glob(".*.part")] == []
