"""Runs over files: killed and resumed, on a full disk, with dying workers, and larger than memory."""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
import textwrap
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from counting import TEXTS, Counting, Ranking
from tables import write_table

from claimwise.errors import ClaimwiseError, ClaimwiseWarning
from claimwise.metrics import DistinctivenessScore
from claimwise.runners import local
from claimwise.runners.results import Progress

SCORE = """
    import json, sys
    sys.path[:0] = json.loads(sys.argv[1])
    from counting import *
    from claimwise.runners import local
    kind, workers, deaths, folder = sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
    metric = {"counting": Counting, "ranking": Ranking}[kind](log=f"{folder}/log", deaths=deaths)
    found = local(workers, rows_in_part=4).score_file(
        metric, f"{folder}/rows.parquet", f"{folder}/scores.parquet", watch=print
    )
    print(json.dumps(found.result))
    """


def score(folder: Path, kind: str = "counting", workers: int = 1, deaths: int = 0) -> Any:
    """Score the rows of a folder in a process of their own."""
    script = textwrap.dedent(SCORE)
    command = [sys.executable, "-c", script, json.dumps(sys.path), kind, workers, deaths, folder]
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=300)


def rows_scored(folder: Path) -> Counter[int]:
    return Counter(int(line.split()[0]) for line in (folder / "log").read_text().splitlines())


def read(path: Path) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = pyarrow.parquet.read_table(path).to_pydict()
    return columns


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    texts = [f"{text} DEADLY" if number in (9, 21, 22) else text for number, text in enumerate(TEXTS)]
    write_table(tmp_path / "rows.parquet", summary=texts, number=list(range(40)))
    return tmp_path


def expected(folder: Path) -> dict[str, Any]:
    return Counting().compute(predictions=read(folder / "rows.parquet")["summary"])


@pytest.mark.slow
def test_a_killed_run_goes_on_without_scoring_a_part_twice_that_was_done(folder: Path) -> None:
    killed = [score(folder, deaths=2) for _ in range(2)]
    done = score(folder, deaths=2)

    assert [one.returncode for one in killed] == [-9, -9]
    assert done.returncode == 0, done.stderr
    assert "resumed=8" in done.stdout
    wanted = expected(folder)
    found = json.loads(done.stdout.splitlines()[-1])
    assert found == {key: value for key, value in wanted.items() if key in found}
    assert read(folder / "scores.parquet")["counting"] == wanted["counting_scores"]
    again = {number for number, count in rows_scored(folder).items() if count > 1}
    assert again == {8, 9}, "the rows of the part under way alone, up to the one that killed it"
    assert sorted(path.name for path in folder.iterdir()) == [
        "log", "log.lives", "rows.parquet", "scores.parquet"
    ]  # fmt: skip


@pytest.mark.slow
def test_workers_that_are_killed_three_times_in_a_run_cost_nothing_but_their_parts(folder: Path) -> None:
    done = score(folder, workers=2, deaths=3)

    assert done.returncode == 0, done.stderr
    wanted = expected(folder)
    columns = read(folder / "scores.parquet")
    assert columns["counting"] == wanted["counting_scores"]
    assert columns["number"] == list(range(40))
    again = {number for number, count in rows_scored(folder).items() if count > 1}
    assert again <= {*range(8, 12), *range(20, 24)}
    assert len((folder / "log.lives").read_bytes()) == 3


@pytest.mark.slow
def test_a_part_that_kills_every_worker_is_named_and_the_others_are_kept(folder: Path) -> None:
    failed = score(folder, workers=2, deaths=99)

    assert failed.returncode == 1
    assert re.search(
        r"rows (9 to 12|21 to 24) \(counted from 1\): 3 successive worker processes died while scoring them",
        failed.stderr,
    )
    done = score(folder, workers=1, deaths=0)
    assert done.returncode == 0, done.stderr
    assert "resumed=" in done.stdout
    assert read(folder / "scores.parquet")["counting"] == expected(folder)["counting_scores"]


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    usual, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (usual, most))


def test_a_disk_that_takes_no_more_parts_stops_the_run_which_then_goes_on(tmp_path: Path) -> None:
    texts = [*TEXTS[:30], " ".join(f"word{number}" for number in range(2_000)), *TEXTS[30:]]
    source = write_table(tmp_path / "rows.csv", summary_a=texts, summary_b=texts[::-1])
    output = tmp_path / "scores.parquet"
    metric, told = DistinctivenessScore(), list[Progress]()

    def run() -> Any:
        return local(rows_in_part=4).score_file(metric, source, output, details=True, watch=told.append)

    with files_of_at_most(5_000), pytest.raises(ClaimwiseError) as stopped:
        run()
    kept = sorted(path.name for path in next(tmp_path.glob(".*.parts")).iterdir())
    found = run()

    assert stopped.value.path == str(output)
    assert "its partial results cannot be written" in str(stopped.value)
    assert "resumes where it stopped" in str(stopped.value)
    assert kept == ["0000000000.part", "0000000004.part", "0000000008.part", "lock"], (
        "and nothing that was half written"
    )
    assert (told[-1].rows, told[-1].resumed, told[-1].done) == (41, 10, 41)
    wanted = metric.compute(predictions=texts, references=texts[::-1], details=True)
    assert found.result["distinctiveness_score"] == wanted["distinctiveness_score"]
    columns = read(output)
    assert columns["distinctiveness_score"] == wanted["distinctiveness_score_scores"]
    assert (
        list(map(json.loads, columns["distinctiveness_score_details"]))
        == wanted["distinctiveness_score_details"]
    )


@pytest.mark.slow
def test_a_damaged_part_is_scored_again(folder: Path) -> None:
    assert score(folder, deaths=1).returncode == -9
    (parts,) = folder.glob(".scores.parquet.*.parts")
    kept = sorted(parts.glob("*.part"))
    content = kept[0].read_bytes()
    kept[0].write_bytes(content.replace(b"1", b"2", 1))

    done = score(folder, deaths=1)

    assert done.returncode == 0, done.stderr
    assert read(folder / "scores.parquet")["counting"] == expected(folder)["counting_scores"]
    assert {number for number, count in rows_scored(folder).items() if count > 1} == {0, 1, 2, 3, 8, 9}


@pytest.mark.slow
def test_parts_of_another_run_are_left_alone_and_named(folder: Path) -> None:
    assert score(folder, deaths=1).returncode == -9
    (parts,) = folder.glob(".scores.parquet.*.parts")

    with pytest.warns(ClaimwiseWarning, match=f"{parts.name}.*other options or another input"):
        local().score_file(Counting(), folder / "rows.parquet", folder / "scores.parquet", details=True)

    assert parts.exists()
    assert read(folder / "scores.parquet")["counting"] == expected(folder)["counting_scores"]


@pytest.mark.slow
def test_two_processes_do_not_write_the_same_parts(folder: Path) -> None:
    def run(**more: Any) -> Any:
        return local(rows_in_part=4).score_file(
            Counting(), folder / "rows.parquet", folder / "scores.parquet", **more
        )

    assert score(folder, deaths=1).returncode == -9

    with pytest.raises(ClaimwiseError, match="another process is writing its partial results"):
        run(watch=lambda _: run())

    run()


@pytest.mark.slow
def test_a_killed_run_of_a_corpus_metric_goes_on(folder: Path) -> None:
    killed = score(folder, kind="ranking", deaths=1)
    done = score(folder, kind="ranking", deaths=1)

    assert killed.returncode == -9
    assert done.returncode == 0, done.stderr
    assert "resumed=8" in done.stdout
    again = {number for number, count in rows_scored(folder).items() if count > 1}
    assert again == {8, 9}, "the rows of the part under way alone, up to the one that killed it"
    wanted = Ranking().compute(predictions=read(folder / "rows.parquet")["summary"])
    assert read(folder / "scores.parquet")["ranking"] == wanted["ranking_scores"]


def test_a_stopped_run_of_a_corpus_metric_goes_on_with_the_ranks_among_all_rows(folder: Path) -> None:
    class StoppedError(Exception):
        pass

    told: list[Progress] = []

    def stop(progress: Progress) -> None:
        if progress.done >= 8:
            raise StoppedError

    def run(watch: Any) -> Any:
        metric = Ranking(log=f"{folder}/log")
        files = folder / "rows.parquet", folder / "scores.parquet"
        return local(rows_in_part=4).score_file(metric, *files, watch=watch)

    with pytest.raises(StoppedError):
        run(stop)
    run(told.append)

    assert told[0].resumed == 8
    assert set(rows_scored(folder).values()) == {1}
    wanted = Ranking().compute(predictions=read(folder / "rows.parquet")["summary"])
    assert read(folder / "scores.parquet")["ranking"] == wanted["ranking_scores"]


PEAK = """
    import json, sys
    from pathlib import Path
    sys.path[:0] = json.loads(sys.argv[1])
    from counting import Counting
    from claimwise.runners import local
    found = local().score_file(Counting(), sys.argv[2], sys.argv[3])
    # Not ru_maxrss, which a process inherits from the one that started it.
    (peak,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line[:5] == "VmHWM")
    print(json.dumps([found.rows, int(peak.split()[1]) * 1024]))
    """


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="Linux tells the peak of a process")
@pytest.mark.parametrize("suffix", ["parquet", "jsonl", "csv"])
def test_memory_stays_flat_however_many_rows_a_file_has(tmp_path: Path, suffix: str) -> None:
    peaks, sizes = [], []
    for rows in (2_000, 32_000):
        texts = [f"Room {row} " + "is warm and wide and " * 100 for row in range(rows)]
        source = write_table(tmp_path / f"{rows}.{suffix}", summary=texts)
        sizes.append(sum(map(len, texts)))
        command = [sys.executable, "-c", textwrap.dedent(PEAK), json.dumps(sys.path), source]
        done = subprocess.run(
            [*map(str, command), str(tmp_path / f"scores.{rows}.parquet")], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        count, peak = json.loads(done.stdout)
        assert count == rows
        peaks.append(peak)

    more = sizes[1] - sizes[0]
    assert more > 50 * 2**20
    assert peaks[1] - peaks[0] < more / 2, "texts are not kept; numbers are"


def test_a_file_whose_row_is_too_long_for_memory_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    with path.open("wb") as file:
        file.write(b'{"summary_a": "Fine.", "summary_b": "Good."}\n{"summary_a": "')
        file.truncate(2**31)  # an endless line, sparse on the disk

    with pytest.raises(ClaimwiseError) as caught:
        local().score_file(DistinctivenessScore(), path, tmp_path / "scores.jsonl")

    assert (caught.value.path, caught.value.line) == (str(path), 2)
    assert [one.name for one in tmp_path.iterdir()] == ["rows.jsonl"]
