"""What a run does with rows, parts, limits and messages, whatever the door."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from command import Run, check_refused
from counting import Counting, CountingOptions
from judges import WordJudge
from scoring import A, B
from tables import write_table

from claimwise.apps.cli.score import watching
from claimwise.errors import ClaimwiseError, ClaimwiseWarning, RowsError
from claimwise.metrics import Caspr, DistinctivenessScore, Row, RowScore, load
from claimwise.options import option
from claimwise.report.results import read_result
from claimwise.runners import local
from claimwise.runners.parts import FIRST_PAIRS, PAIRS_IN_PART, SECONDS_IN_PART, Pace, Part, ScoredPart
from claimwise.runners.results import Progress

DS = "distinctiveness_score"


def splitting(sign: str) -> Callable[[str], list[str]]:
    return lambda text: text.split(sign)


def stop(progress: Progress) -> None:
    if progress.done:
        raise KeyboardInterrupt


@pytest.mark.parametrize("has_signature", [False, True])
def test_a_run_resumes_with_a_function_only_if_that_has_a_signature(
    tmp_path: Path, has_signature: bool
) -> None:
    file = write_table(tmp_path / "rows.csv", summary_a=A, summary_b=B)
    first, second = splitting(" "), splitting("o")
    if has_signature:
        vars(first)["signature"], vars(second)["signature"] = "spaces-1", "letters-1"

    runner, output, seen = local(rows_in_part=2), tmp_path / "scores.jsonl", list[Progress]()
    with pytest.raises(KeyboardInterrupt):
        runner.score_file(DistinctivenessScore(tokenizer=first), file, output, watch=stop)
    if has_signature:
        runner.score_file(DistinctivenessScore(tokenizer=first), file, output, watch=seen.append)
        assert seen[0].resumed == 1
    found = runner.score_file(DistinctivenessScore(tokenizer=second), file, output)

    expected = DistinctivenessScore(tokenizer=second).compute(predictions=A, references=B)
    assert found.scores == expected[f"{DS}_scores"]
    assert {path.name for path in tmp_path.iterdir()} == {
        "rows.csv", "scores.jsonl", "scores.jsonl.meta.json"
    }  # fmt: skip


class Spent:
    """A judge that may be asked three times."""

    def __init__(self) -> None:
        self.requests = 0

    def ask(self) -> None:
        if self.requests == 3:
            raise ClaimwiseError("Stopped after 3 requests.")
        self.requests += 1


@dataclass(frozen=True, kw_only=True)
class LimitedOptions(CountingOptions):
    """With a bar."""

    show_progress: bool = option(True, "bool")


class Limited(Counting):
    """Asks its judge once for each row."""

    Options = LimitedOptions
    spec = Counting.spec

    @cached_property
    def judge(self) -> Spent:
        return Spent()

    def score_rows(self, rows: Sequence[Row], *, details: bool = False, **_: Any) -> list[RowScore]:
        for _ in rows:
            self.judge.ask()
        return super().score_rows(rows, details=details)


@pytest.mark.parametrize("show_progress", [True, False])
def test_a_limit_of_requests_belongs_to_the_run_with_and_without_a_bar(show_progress: bool) -> None:
    metric = Limited(show_progress=show_progress)

    for _ in range(3):
        local().compute(metric, predictions=["Fine."])
    with pytest.raises(ClaimwiseError, match="Stopped after 3"):
        local().compute(metric, predictions=["Fine."])

    assert metric.judge.requests == 3


def test_parts_go_by_what_they_cost_and_every_worker_gets_several() -> None:
    costs = [90.0] * 144
    batch = Part(first_row=0, columns={"predictions": ["text"] * 144})

    pace = Pace(costs, bytes(144), workers=2, has_judge=True)
    parts = list(pace.parts([batch], bytes(144)))

    assert sum(map(len, parts)) == 144
    assert len(parts) >= 8
    assert max(len(part) * 90 for part in parts) <= FIRST_PAIRS


@pytest.mark.parametrize(("seconds", "most"), [(0.1, PAIRS_IN_PART), (SECONDS_IN_PART, 160), (100.0, 32)])
def test_a_part_takes_no_more_than_about_so_many_seconds(seconds: float, most: float) -> None:
    pace = Pace([16.0] * 10_000, bytes(10_000), workers=1, has_judge=True)

    pace.note(ScoredPart(first_row=0, rows=[RowScore(score=1.0)] * 10, seconds=seconds))

    assert pace.limit == pytest.approx(most)


def test_a_long_run_says_so_once_with_what_would_shorten_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    watch = watching(Caspr(judge=WordJudge()), 1)
    for done, seconds, left in ((0, 0.0, None), (1, 2.0, 2_000.0), (2, 6.0, 2_000.0), (3, 9.0, 2_000.0)):
        watch(Progress(rows=100, done=done, resumed=0, seconds=seconds, seconds_left=left))
    long = capsys.readouterr()
    watching(load("complexity"), 2)(Progress(rows=9, done=3, resumed=0, seconds=6.0, seconds_left=12.0))

    assert long.out == ""
    assert long.err.splitlines() == [
        "claimwise: this will take about 33 minutes. Faster with --pairs likely and --workers 2 or more."
    ]
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("suffix", ["json", "jsonl", "csv", "parquet"])
def test_every_format_holds_ids_scores_and_evidence_that_are_read_again(
    run: Run, tmp_path: Path, suffix: str
) -> None:
    columns = {"hotel": list("abcd"), "summary": A, "reviews": [[text] for text in B]}
    file = write_table(tmp_path / "rows.json", **columns)

    done = run("score", "abstractiveness", file, "--output", f"s.{suffix}", "--id", "hotel", "--details")

    assert done.code == 0, done.err
    expected = load("abstractiveness").compute(
        predictions=A, references=columns["reviews"], ids=columns["hotel"], details=True
    )
    for name in ("abstractiveness", "abstractiveness_4"):
        found = read_result(Path(f"s.{suffix}"), name)
        assert found.scores == expected[f"{name}_scores"]
    found = read_result(Path(f"s.{suffix}"))
    assert found.ids == list("abcd")
    assert found.input_hashes == expected["abstractiveness_input_hashes"]
    assert found.details == json.loads(json.dumps(expected["abstractiveness_details"]))


def test_every_count_is_printed_and_a_map_goes_with_every_output(run: Run, tmp_path: Path) -> None:
    file = write_table(
        tmp_path / "t.csv", summary=["Warm.", "The pool is warm and wide."], reviews=["A pool."] * 2
    )

    done = run("score", "abstractiveness", file, "--output", "s.parquet", "--map", "map.html")

    assert done.code == 0, done.err
    assert "too_short: 1" in done.out
    assert "The pool is warm" in Path("map.html").read_text()
    assert "abstractiveness_details" not in read_result(Path("s.parquet")).signature


def test_lists_that_python_wrote_are_lists_and_told_of_once(run: Run, tmp_path: Path) -> None:
    columns = {
        "summary": ["The pool is warm.", "It's nice."],
        "reviews": [["The pool is warm.", "It's nice"], ["A bar."]],
    }
    found = []
    for name in ("t.csv", "t.jsonl"):  # pandas writes lists into .csv files as Python does
        done = run("score", "abstractiveness", write_table(tmp_path / name, **columns), "--output", "s.json")
        assert done.code == 0, done.err
        found.append(json.loads(Path("s.json").read_text()))
        assert done.err.count("cells in Python's list syntax") == (name == "t.csv")

    assert found[0] == found[1]
    file = write_table(tmp_path / "t.csv", summary=columns["reviews"][:1])
    check_refused(run("score", "complexity", file), "t.csv, summary, line 2: the text is a list of texts")


@pytest.mark.parametrize(("suffix", "place"), [("csv", "line 3"), ("parquet", "row 2"), ("json", "row 2")])
def test_ten_bad_rows_are_told_at_once_by_the_names_of_the_file(
    run: Run, tmp_path: Path, suffix: str, place: str
) -> None:
    file = write_table(tmp_path / f"t.{suffix}", text=["Fine.", *["12"] * 12])

    done = run("score", "complexity", file, "--summary", "text")

    assert done.code == 1
    first, *others = done.err.splitlines()
    assert first == "claimwise: 12 rows cannot be scored:"
    assert others[0] == f"{file}, text, {place}: the text contains no letters (“12”)."
    assert len(others) == 12
    assert others[-2] == "… and 2 more rows"
    assert "--on-error row" in others[-1]
    with pytest.raises(RowsError) as refused:
        local().score_file(load("complexity"), file, columns={"predictions": "text"})
    assert (len(refused.value.errors), refused.value.count) == (10, 12)


def test_an_output_of_an_unknown_type_is_refused(run: Run, tmp_path: Path) -> None:
    file = write_table(tmp_path / "t.csv", summary=["Fine."])

    check_refused(
        run("score", "complexity", file, "--output", "s.txt"), "s.txt", "Use a name that ends in .json, .csv"
    )


@pytest.mark.slow
def test_a_run_that_is_ended_by_sigterm_leaves_nothing(tmp_path: Path) -> None:
    pipe = tmp_path / "t.jsonl"
    os.mkfifo(pipe)
    command = "from claimwise.apps.cli import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", command, "score", DS, str(pipe), "--output", str(tmp_path / "out.json")]
    )
    with pipe.open("w", encoding="utf-8") as writer:  # opened once the command reads it
        writer.write("\n")
        writer.flush()
        assert len([*tmp_path.iterdir()]) == 2
        process.send_signal(signal.SIGTERM)

    assert process.wait(timeout=120) == 143
    assert [*tmp_path.iterdir()] == [pipe]


def test_what_workers_warn_of_is_told_once_a_run() -> None:
    with pytest.warns(ClaimwiseWarning, match="Something odd") as caught:
        local(rows_in_part=1).compute(Counting(), predictions=["ODD one.", "ODD two.", "Even."])

    assert len(caught) == 1
