"""Runners score many rows: in this process, or in several.

``local(workers=2).compute(metric, predictions=…)`` gives what ``metric.compute`` gives;
``local(workers=2).score_file(metric, "rows.parquet", "scores.parquet")`` scores a file of any size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from claimwise.runners.processes import LocalRunner

__all__ = ["local"]


def local(workers: int = 1, **options: Any) -> LocalRunner:
    """Return a runner that scores on this machine; see ``LocalRunner`` for the options.

    Raises:
        ClaimwiseError: for an option that is wrong.
    """
    from claimwise.runners.processes import LocalRunner

    return LocalRunner(workers, **options)
