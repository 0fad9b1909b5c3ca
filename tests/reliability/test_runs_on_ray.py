"""Runs on Ray: workers that are killed, and nodes that are lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from counting import Counting
from ray_clusters import machine, nodes
from tables import write_table

from claimwise.errors import ClaimwiseError
from claimwise.runners import ray as on_ray
from claimwise.runners.parts import Job, split

pytestmark = pytest.mark.slow
TEXTS = [f"Room {number} is warm. " + "So it is. " * (number % 5) for number in range(40)]
DEADLY = [f"{text} DEADLY" if number in (9, 21, 22) else text for number, text in enumerate(TEXTS)]


@pytest.fixture
def ray() -> Iterator[Any]:
    with machine() as connected:
        yield connected


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
    with pytest.raises(ClaimwiseError, match=r"rows (8 to 11|20 to 23): 3 worker processes ended on them"):
        on_ray(2, rows_in_part=4).compute(Counting(log=str(log), deaths=99), predictions=DEADLY)


def test_a_node_that_is_lost_in_mid_run_loses_nothing(tmp_path: Path) -> None:
    texts = TEXTS * 50
    log = tmp_path / "log"
    job = Job(metric=Counting(log=str(log)))
    found: dict[int, float | None] = {}
    with nodes(2) as (cluster, added):
        lost = None
        for part in on_ray(2).scored(job, split({"predictions": texts}, 1)):
            (found[part.number],) = (row.score for row in part.rows)
            if lost is None and len({worker for _, worker in lines_of(log)}) == 2:
                lost = len(found)
                cluster.remove_node(added[0], allow_graceful=False)

    assert lost is not None, "both nodes had a worker when one was lost"
    assert lost < len(texts) - 100, "and there was work left"
    workers = [worker for _, worker in lines_of(log)]
    assert len(set(workers)) == 2
    expected = Counting().compute(predictions=texts)["counting_scores"]
    assert [found[number] for number in range(len(texts))] == expected
    times = Counter(int(row) for row, _ in lines_of(log))
    assert sum(times.values()) <= len(texts) + 2, "only what was under way is scored again"
