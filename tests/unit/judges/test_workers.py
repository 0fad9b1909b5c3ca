"""Batches that are computed in several threads at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import torch

from claimwise.judges import NLIModel
from claimwise.judges.pairs import FEWEST_TOKENS

Load = Callable[..., NLIModel]
WORDS = ["room", "pool", "was", "not", "clean", "noise", "hotel"]
TEXTS = [" ".join(WORDS[: 1 + length]) for length in range(7)] + [
    " ".join(WORDS[length:] * 2) for length in range(7)
]
PAIRS = [(f"{premise} {word}", hypothesis) for premise in TEXTS for word in WORDS[:3] for hypothesis in TEXTS]


@pytest.fixture
def set_threads() -> Iterator[Callable[[int], None]]:
    """Torch computes in so many threads until the test ends."""
    before = torch.get_num_threads()
    yield torch.set_num_threads
    torch.set_num_threads(before)


def threads_of_batches(model: NLIModel) -> list[int]:
    """Return a list that fills with the thread of every forward pass."""
    idents: list[int] = []
    model._checkpoint.model.register_forward_pre_hook(lambda *_: idents.append(threading.get_ident()))
    return idents


@pytest.mark.parametrize("name", ["bert", "bert-relu"])
def test_scores_are_the_same_on_any_number_of_threads(
    load: Load, set_threads: Callable[[int], None], name: str
) -> None:
    model = load(name, max_tokens_per_batch=3_000)
    set_threads(1)
    expected = model.predict_pairs(PAIRS)
    idents = threads_of_batches(model)

    for threads in (2, 3):
        set_threads(threads)
        found = model.predict_pairs(PAIRS)

        np.testing.assert_allclose(found.probabilities, expected.probabilities, atol=1e-5)
        np.testing.assert_array_equal(found.probabilities.argmax(1), expected.probabilities.argmax(1))
        assert idents
        assert threading.get_ident() not in idents


def test_what_is_too_little_for_several_runs_in_the_callers_thread(
    load: Load, set_threads: Callable[[int], None]
) -> None:
    model = load("bert")
    idents = threads_of_batches(model)
    set_threads(2)

    model.predict_pairs(PAIRS[: FEWEST_TOKENS // 64])

    assert idents == [threading.get_ident()]


def test_torch_has_as_many_threads_as_before_here_and_in_new_threads(
    load: Load, set_threads: Callable[[int], None]
) -> None:
    set_threads(3)

    load("bert").predict_pairs(PAIRS)

    with ThreadPoolExecutor(1) as new:
        assert (torch.get_num_threads(), new.submit(torch.get_num_threads).result()) == (3, 3)


def test_an_error_in_a_thread_reaches_the_caller_and_leaves_no_thread(
    load: Load, set_threads: Callable[[int], None]
) -> None:
    model = load("bert", max_tokens_per_batch=2_000)
    set_threads(2)

    def fail(*_: Any) -> None:
        raise LookupError("a broken weight")

    hook = model._checkpoint.model.register_forward_pre_hook(fail)
    with pytest.raises(LookupError, match="broken weight"):
        model.predict_pairs(PAIRS)
    hook.remove()

    assert not [thread for thread in threading.enumerate() if thread.name.startswith("claimwise")]
    assert model.predict_pairs(PAIRS).probabilities.shape == (len(PAIRS), 3)


def test_callers_in_several_threads_each_get_their_own(
    load: Load, set_threads: Callable[[int], None]
) -> None:
    model = load("bert", max_tokens_per_batch=2_000)
    expected = model.predict_pairs(PAIRS).probabilities
    set_threads(2)

    with ThreadPoolExecutor(4) as callers:
        parts = list(callers.map(lambda start: model.predict_pairs(PAIRS[start::4]).probabilities, range(4)))

    for start, part in enumerate(parts):
        np.testing.assert_allclose(part, expected[start::4], atol=1e-5)
