"""Runners score many rows: in this process, in several, or on a cluster.

``local(workers=2).compute(metric, predictions=…)`` gives what ``metric.compute`` gives;
``local(workers=2).score_file(metric, "rows.parquet", "scores.parquet")`` scores a file of any size. ``ray``
does the same on Ray, and ``ray(workers=2).score_dataset(metric, dataset)`` scores a dataset of Ray Data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from claimwise.runners.on_ray import RayRunner
    from claimwise.runners.processes import LocalRunner

__all__ = ["local", "ray"]


def local(workers: int = 1, **options: Any) -> LocalRunner:
    """Return a runner that scores on this machine; see ``LocalRunner`` for the options.

    Raises:
        ClaimwiseError: for an invalid option.
    """
    from claimwise.runners.processes import LocalRunner

    return LocalRunner(workers, **options)


def ray(workers: int = 1, **options: Any) -> RayRunner:
    """Return a runner that scores on a Ray cluster; see ``RayRunner`` for the options.

    Raises:
        ClaimwiseError: for an invalid option, or if Ray is not installed.
    """
    from claimwise.runners.on_ray import RayRunner

    return RayRunner(workers, **options)
