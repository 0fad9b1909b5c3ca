"""Reading JSON and JSON lines of published data, optionally compressed by gzip."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from claimwise.errors import ClaimwiseError


def read_json(path: Path, remedy: str) -> Any:
    """Return the value of a JSON file.

    Raises:
        ClaimwiseError: with ``remedy``, if it cannot be read.
    """
    try:
        with _opened(path) as file:
            return json.load(file)
    except (OSError, ValueError, EOFError) as error:
        raise ClaimwiseError(f"cannot be read ({error}).", remedy, path=path) from error


def read_json_lines(
    path: Path, remedy: str, parse: Callable[[Any], Any] = lambda value: value
) -> Iterator[Any]:
    """Yield the parsed value of each line.

    Raises:
        ClaimwiseError: with ``remedy``, if the file cannot be read or a line cannot be parsed.
    """
    number = 0
    try:
        with _opened(path) as file:
            for number, line in enumerate(file, 1):  # noqa: B007
                yield parse(json.loads(line))
    except (OSError, ValueError, EOFError) as error:
        problem = f"cannot be read ({error})."
        raise ClaimwiseError(problem, remedy, path=path, line=number or None) from error
    except (AttributeError, KeyError, TypeError) as error:
        problem = f"differs from the released format ({type(error).__name__}: {error})."
        raise ClaimwiseError(problem, remedy, path=path, line=number) from error


def _opened(path: Path) -> IO[str]:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8")
    return path.open(encoding="utf-8")
