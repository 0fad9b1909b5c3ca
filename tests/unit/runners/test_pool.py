"""Workers that end while they have a part: another takes it, and three are taken for the part's fault."""

from __future__ import annotations

import pytest

from claimwise.errors import ClaimwiseError
from claimwise.runners.parts import Part, ScoredPart
from claimwise.runners.pool import WorkerEnded, score_parts

PARTS = [Part(first_row=2 * n, columns={"predictions": ["a", "b"]}) for n in range(5)]


class Mortal:
    """A worker of this process that ends on part 2 as long as there are deaths left."""

    deaths: list[int]

    def ask(self, part: Part | None) -> tuple[bool, ScoredPart | None]:
        if part is None:  # it is ready at once
            return True, None
        if part.first_row == 4 and self.deaths:
            raise WorkerEnded(f"exit code {self.deaths.pop()}")
        return True, ScoredPart(first_row=part.first_row, rows=[])

    def end(self) -> None:
        """There is nothing to end."""


def start(deaths: list[int]) -> Mortal:
    worker = Mortal()
    worker.deaths = deaths
    return worker


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("deaths", [0, 1, 2])
def test_a_part_whose_worker_ends_is_scored_by_another(workers: int, deaths: int) -> None:
    left = [9] * deaths

    found = score_parts(lambda: start(left), PARTS, workers)

    assert sorted(part.first_row for part in found) == [0, 2, 4, 6, 8]
    assert left == []


def test_a_part_on_which_three_workers_end_is_named() -> None:
    left = [9] * 5

    with pytest.raises(
        ClaimwiseError, match=r"rows 5 to 6 .counted from 1.: 3 successive worker processes died.*exit code 9"
    ):
        list(score_parts(lambda: start(left), PARTS, 1))

    assert len(left) == 5 - 3
