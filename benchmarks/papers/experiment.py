"""Common parts of the experiments: scores, all-or-nothing output, tables in Markdown, figures."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from claimwise.errors import ClaimwiseError
from claimwise.evidence.figures import check_matplotlib
from claimwise.metrics.base import Metric
from claimwise.tables import writing

Floats = npt.NDArray[np.float64]


def with_cache(options: dict[str, Any], out: Path) -> dict[str, Any]:
    """Add a score cache in ``out`` to the options of a judge, so that a killed run resumes."""
    return {"score_cache": out / "scores.sqlite", **options}


def scores(metric: Metric, summaries: Sequence[str], references: Sequence[Any], **columns: Any) -> Floats:
    """Return the score of each summary, ``[summaries]``."""
    found = metric.compute(predictions=list(summaries), references=list(references), **columns)
    return np.array(found[f"{metric.name}_scores"], dtype=np.float64)


@contextmanager
def outputs(out: Path, *names: str) -> Iterator[Callable[[str, Any], None]]:
    """Open files in ``out`` before an experiment starts; they appear when it ends, all or none.

    Yields:
        A function that writes a text, or any other value (including arrays) as JSON, into the named file.

    Raises:
        ClaimwiseError: for a file that cannot be written.
    """
    with ExitStack() as stack:
        files = {name: stack.enter_context(writing(out / name)) for name in names}

        def write(name: str, value: Any) -> None:
            if not isinstance(value, str):
                value = json.dumps(value, indent=1, ensure_ascii=False, default=np.ndarray.tolist)
            files[name].write(value)

        yield write


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """Return the lines of a Markdown table, followed by an empty line."""
    first, *others = [f"| {' | '.join(map(str, cells))} |".replace("|  |", "| |") for cells in (head, *rows)]
    return [first, "|" + "---|" * len(head), *others, ""]


def with_interval(value: float, interval: Sequence[float], digits: int = 3) -> str:
    """Return a value and its interval, such as ``"0.812 [0.790, 0.833]"``."""
    low, high = interval
    return f"{value:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def pyplot() -> Any:
    """Return ``matplotlib.pyplot``, set up to draw into files.

    Raises:
        ClaimwiseError: if matplotlib is not installed.
    """
    check_matplotlib()
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot


def save(figure: Any, path: Path) -> None:
    """Write a figure to a PNG file, and close it.

    Raises:
        ClaimwiseError: if the file cannot be written.
    """
    try:
        figure.savefig(path, dpi=150)
    except OSError as error:
        raise ClaimwiseError(f"cannot be written ({error}).", path=path) from error
    finally:
        pyplot().close(figure)
