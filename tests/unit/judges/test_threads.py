"""Batches that are computed in several threads at once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from claimwise.judges import NLIModel
from claimwise.judges.threads import compute_at_once, cores

WORDS = ["room", "pool", "was", "not", "clean", "noise", "hotel"]
TEXTS = [" ".join(WORDS[: 1 + length]) for length in range(7)]
PAIRS = [(f"{premise} {word}", hypothesis) for premise in TEXTS for word in WORDS[:3] for hypothesis in TEXTS]


@pytest.fixture(scope="module")
def model() -> NLIModel:
    return NLIModel.from_pretrained(show_progress=False, max_tokens_per_batch=300)


@pytest.mark.parametrize("most", [1, 3])
def test_results_come_in_order(most: int) -> None:
    assert list(compute_at_once(lambda number: number**2, range(20), most)) == [n**2 for n in range(20)]


def test_tasks_run_at_once() -> None:
    both = threading.Barrier(2, timeout=60)  # broken if one waits for the other
    assert len(list(compute_at_once(lambda _: both.wait(), range(4), 2))) == 4


def test_an_error_reaches_the_caller_and_leaves_no_thread() -> None:
    with pytest.raises(ZeroDivisionError):
        list(compute_at_once(lambda number: 1 // number, [1, 2, 0, 3], 2))
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("claimwise")]


def test_scores_are_the_same_on_any_number_of_threads(
    model: NLIModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for count in (1, 2, 3):
        monkeypatch.setenv("OMP_NUM_THREADS", str(count))
        assert cores() == count
        found.append(model.predict_pairs(PAIRS).probabilities)
    np.testing.assert_array_equal(found[1], found[0])
    np.testing.assert_array_equal(found[2], found[0])


def test_callers_in_several_threads_each_get_their_own(model: NLIModel) -> None:
    expected = model.predict_pairs(PAIRS).probabilities
    with ThreadPoolExecutor(4) as callers:
        parts = list(callers.map(lambda start: model.predict_pairs(PAIRS[start::4]).probabilities, range(4)))
    for start, part in enumerate(parts):
        np.testing.assert_allclose(part, expected[start::4], atol=1e-5)
