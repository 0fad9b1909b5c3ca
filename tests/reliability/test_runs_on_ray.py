"""Runs on Ray: workers that are killed, and nodes that are lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command import Run
from counting import HUNGER, TEXTS, Counting
from ray_clusters import machine, nodes
from tables import write_table

from claimwise.errors import ClaimwiseError
from claimwise.runners import ray as on_ray
from claimwise.runners.parts import Job, Part

pytestmark = pytest.mark.slow
DEADLY = [f"{text} DEADLY" if number in (9, 21, 22) else text for number, text in enumerate(TEXTS)]


@pytest.fixture
def ray() -> Iterator[Any]:
    with machine() as connected:
        yield connected


def mebibytes(name: str) -> int:
    lines = Path("/proc/meminfo").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:")) // 1024


def lines_of(log: Path) -> list[list[str]]:
    return [line.split() for line in log.read_text().splitlines()] if log.exists() else []


def test_workers_killed_three_times_cost_nothing_but_their_parts_and_a_deadly_part_is_named(
    ray: Any, tmp_path: Path
) -> None:
    file = write_table(tmp_path / "rows.jsonl", summary=DEADLY)
    log = tmp_path / "log"

    found = on_ray(2, rows_in_part=4).score_file(
        Counting(log=str(log), deaths=3), file, tmp_path / "scores.jsonl"
    )

    expected = Counting().compute(predictions=DEADLY)
    assert found.result == {key: value for key, value in expected.items() if key in found.result}
    assert found.scored == 40
    assert len(log.with_suffix(".lives").read_bytes()) == 3
    again = {int(row) for row, count in Counter(row for row, _ in lines_of(log)).items() if count > 1}
    assert again <= {*range(8, 12), *range(20, 24)}
    with pytest.raises(
        ClaimwiseError,
        match=r"rows (9 to 12|21 to 24) .counted from 1.: 3 successive worker processes died",
    ):
        on_ray(2, rows_in_part=4).compute(Counting(log=str(log), deaths=99), predictions=DEADLY)


def test_an_actor_that_takes_too_much_memory_is_ended_by_ray_and_costs_its_part_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    total, available = mebibytes("MemTotal"), mebibytes("MemAvailable")
    if available < 2 * HUNGER:
        pytest.skip(f"needs {2 * HUNGER} MiB of free memory")
    monkeypatch.setenv("RAY_memory_usage_threshold", f"{(total - available + HUNGER / 2) / total:.3f}")
    texts = [f"{text} HUNGRY" if number == 9 else text for number, text in enumerate(TEXTS)]
    log = tmp_path / "log"

    with machine():
        found = on_ray(2, rows_in_part=4).compute(Counting(log=str(log), deaths=1), predictions=texts)

    assert found == Counting().compute(predictions=texts)
    assert len(log.with_suffix(".lives").read_bytes()) == 1
    again = {int(row) for row, count in Counter(row for row, _ in lines_of(log)).items() if count > 1}
    assert {9} <= again <= set(range(8, 12))


def test_the_command_line_names_a_cluster_by_its_address(run: Run, tmp_path: Path) -> None:
    file = write_table(tmp_path / "rows.csv", summary_a=TEXTS, summary_b=TEXTS[::-1])
    scored = ("score", "distinctiveness_score", file, "--details", "--output")

    with nodes(2) as (cluster, _):
        done = run(*scored, "ray.jsonl", "--runner", "ray", "--address", cluster.address, "--workers", 2)
        assert cluster.head_node.any_processes_alive(), "it is not ours to shut down"

    assert done.code == 0, done.err
    assert run(*scored, "local.jsonl").code == 0
    for suffix in ("", ".meta.json"):
        found, expected = (tmp_path / f"{name}.jsonl{suffix}" for name in ("ray", "local"))
        assert found.read_text() == expected.read_text()


def test_a_node_that_is_lost_in_mid_run_loses_nothing(tmp_path: Path) -> None:
    log = tmp_path / "log"
    scores = Counting().compute(predictions=TEXTS)["counting_scores"]
    found: dict[int, float | None] = {}
    lost: list[int] = []

    parts = [Part(first_row=n, columns={"predictions": [TEXTS[n % 40]]}) for n in range(1_000)]

    with nodes(2) as (cluster, added):
        runner = on_ray(2, address=cluster.address)
        for scored in runner.scored(Job(metric=Counting(log=str(log))), parts):
            (found[scored.first_row],) = (row.score for row in scored.rows)
            if not lost and len({worker for _, worker in lines_of(log)}) == 2:
                lost.append(len(found))
                cluster.remove_node(added[0], allow_graceful=False)

    assert lost, "both nodes had a worker"
    assert found == {number: scores[number % 40] for number in range(len(parts))}
