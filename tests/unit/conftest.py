"""Tiny real checkpoints, built once per session; no model library is imported before one is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tiny_checkpoints import Reference

    from claimwise.judges import NLIModel


@pytest.fixture(scope="session")
def load(checkpoints: Path) -> Callable[..., Any]:
    """Return ``load(checkpoint_name_or_path, **options)``: on the CPU in float32 unless told otherwise."""

    from claimwise.judges import NLIModel, with_cache

    def load_model(name: str | Path, *, score_cache: Path | None = None, **options: Any) -> Any:
        options = {"device": "cpu", "dtype": "float32", "show_progress": False} | options
        model = NLIModel.from_pretrained(str(checkpoints / name), **options)
        return model if score_cache is None else with_cache(model, score_cache)

    return load_model


@pytest.fixture(scope="session")
def references(checkpoints: Path) -> dict[str, Reference]:
    from tiny_checkpoints import SHUFFLED, Reference

    order = [SHUFFLED.index(label) for label in ("Entailment", "neutral", "CONTRADICTION")]
    return {name: Reference(checkpoints / name, order) for name in ("bert", "roberta")}


@pytest.fixture(scope="session")
def forward_calls() -> Callable[[NLIModel], Any]:
    """Return a context manager that counts the real forward passes of a model."""

    @contextmanager
    def count(model: Any) -> Iterator[list[int]]:
        sizes: list[int] = []  # pairs of each forward pass

        network: Any = getattr(model, "judge", model)._checkpoint.network  # perhaps behind a cache
        logits = network.logits

        def noted(batch: Any) -> Any:
            sizes.append(len(batch.lengths))
            return logits(batch)

        network.logits = noted
        try:
            yield sizes
        finally:
            del network.logits

    return count
