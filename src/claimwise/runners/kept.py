"""Finished parts on disk, so that a stopped run resumes."""

from __future__ import annotations

import glob
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from claimwise.errors import ClaimwiseError, warn
from claimwise.metrics.rows import RowScore
from claimwise.runners.parts import Outcome, ScoredPart
from claimwise.tables import cannot_be_written

FORMAT = 3
SEPARATOR = "\t"
_NOTHING: Mapping[str, Any] = MappingProxyType({})


class KeptParts:
    """A folder with the scores of each finished part; a context manager.

    A part is a text file with one line per row and a digest of them on the last line: a truncated or damaged
    part counts as not done. The folder is beside the output, and its name contains a digest of everything
    that the run depends on (``identity``), so that parts of another input, metric or option are never reused.
    Without an output, it is a temporary folder, and nothing is resumed.

    Raises:
        ClaimwiseError: if the folder cannot be written, or another process writes to it.
    """

    def __init__(self, output: Path | None, identity: Mapping[str, Any], rows: int) -> None:
        self.output = output
        self.done = bytearray(rows)
        dependencies = json.dumps({"format": FORMAT, **identity}, sort_keys=True, default=str)
        digest = hashlib.sha256(dependencies.encode()).hexdigest()[:12]
        if output is not None:
            self.folder = output.with_name(f".{output.name}.{digest}.parts")
        self._parts: set[int] = set()
        self._lock: Any = None

    def __enter__(self) -> KeptParts:
        if self.output is None:
            self.folder = Path(tempfile.mkdtemp(prefix="claimwise-"))
            return self
        try:
            self.folder.mkdir(mode=0o700, exist_ok=True)
            if self.folder.is_symlink() or (
                hasattr(os, "getuid") and self.folder.stat().st_uid != os.getuid()
            ):
                raise PermissionError(13, f"{self.folder.name} belongs to another user")
            self._lock = (self.folder / "lock").open("w")
            _lock(self._lock, self.folder)
        except OSError as error:
            raise cannot_be_written(self.output, error) from error
        for path in sorted(self.folder.glob("*.part")):
            first_row = int(path.stem)
            rows = len(self._read(first_row) or [])
            own = slice(first_row, first_row + rows)
            # Damaged parts, and parts of rows that are already done, do not count.
            if rows and len(self.done[own]) == rows and not any(self.done[own]):
                self.done[own] = b"\1" * rows
                self._parts.add(first_row)
        beside = self.output.parent.glob(f".{glob.escape(self.output.name)}.*.parts")
        if others := sorted(folder for folder in beside if folder != self.folder)[:3]:
            warn(
                f"{', '.join(map(str, others))} contain partial results of {self.output} for other "
                f"options or another input. Delete them if you no longer need them."
            )
        return self

    def __exit__(self, *_: object) -> None:
        if self._lock is not None:
            self._lock.close()
        if self.output is None or not self._parts:
            self.remove()

    def remove(self) -> None:
        """Delete the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def write(self, part: ScoredPart, message: Callable[[ClaimwiseError], str]) -> None:
        """Store a part; ``message`` words the error of a row."""
        lines = [json.dumps({"first_row": part.first_row, "rows": len(part.rows)})]
        lines += [_line(outcome, message) for outcome in part.rows]
        content = "".join(f"{line}\n" for line in lines).encode()
        path = self._path(part.first_row)
        unfinished = path.with_suffix(f".{os.getpid()}")
        try:
            unfinished.write_bytes(content + hashlib.sha256(content).hexdigest().encode() + b"\n")
            unfinished.replace(path)
        except OSError as error:
            unfinished.unlink(missing_ok=True)
            raise ClaimwiseError(
                f"its partial results cannot be written ({error.strerror or error}).",
                "Free some space and run the same command again: it resumes where it stopped.",
                path=self.output or self.folder,
            ) from error
        self._parts.add(part.first_row)

    def outcomes(self) -> list[Outcome]:
        """Return the score, without evidence, or the error of every row, in order."""
        return [outcome for lines in self._lines() for outcome in _outcomes(lines)]

    def evidence(self) -> Iterator[dict[str, Any] | None]:
        """Yield the evidence of every row as a dict, in order; None = it was not asked for, or an error."""
        for lines in self._lines():
            for line in lines:
                text = line.partition(SEPARATOR)[2]
                yield json.loads(text) if text else None

    def _lines(self) -> Iterator[list[str]]:
        """Yield the lines of each part; a missing part is a ClaimwiseError."""
        for first_row in sorted(self._parts):
            if (lines := self._read(first_row)) is None:
                problem = f"the partial result that begins at row {first_row} is missing."
                raise ClaimwiseError(problem, "Run the same command again.", path=self.folder)
            yield lines

    def _read(self, first_row: int) -> list[str] | None:
        try:
            content = self._path(first_row).read_bytes()
        except OSError:
            return None
        content, digest = content[:-65], content[-65:]
        if digest.strip() != hashlib.sha256(content).hexdigest().encode():
            return None
        head, *lines = content.decode().splitlines()
        return lines if json.loads(head) == {"first_row": first_row, "rows": len(lines)} else None

    def _path(self, first_row: int) -> Path:
        return self.folder / f"{first_row:010}.part"


def _lock(file: Any, folder: Path) -> None:
    """Prevent other processes from writing the same parts; the lock ends with this process."""
    try:
        import fcntl
    except ImportError:  # Windows: two runs would write the same parts twice
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise ClaimwiseError(
            "another process is writing its partial results.",
            "Wait until that process ends, or choose another output.",
            path=folder,
        ) from error


# Each row is a line of two JSON texts separated by a tab: the score, and the evidence, which is read only
# when the output is written. JSON writes a tab within a text as \t.


def _line(outcome: Outcome, message: Callable[[ClaimwiseError], str]) -> str:
    if isinstance(outcome, ClaimwiseError):
        return json.dumps({"error": message(outcome)}) + SEPARATOR
    numbers: dict[str, Any] = {"score": outcome.score, "weight": outcome.weight}
    if outcome.further:
        numbers["further"] = dict(outcome.further)
    if outcome.sums:
        numbers["sums"] = json.dumps(dict(outcome.sums), default=_plain)
    if outcome.counts:
        numbers["counts"] = dict(outcome.counts)
    evidence = "" if outcome.evidence is None else json.dumps(outcome.evidence.as_dict(), default=_plain)
    return f"{json.dumps(numbers, default=_plain)}{SEPARATOR}{evidence}"


def _plain(value: Any) -> Any:
    """Return a number or an array of NumPy as plain numbers."""
    import numpy as np

    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"a {type(value).__name__} is not a number")


class _Sums(Mapping[str, Any]):
    """The sums of a stored row, which stay text until a metric adds them up: a text needs less memory."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __getitem__(self, name: str) -> Any:
        return _parsed(self._text)[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_parsed(self._text))

    def __len__(self) -> int:
        return len(_parsed(self._text))


@lru_cache(maxsize=1)  # a metric takes all sums of a row before it goes to the next
def _parsed(text: str) -> Any:
    return json.loads(text)


def _outcomes(lines: Sequence[str]) -> list[Outcome]:
    """Return the stored rows of a part, without evidence."""
    # Read as one text, so that all rows share the names of their scores, and without an empty dict each.
    read = json.loads(f"[{','.join(line.partition(SEPARATOR)[0] for line in lines)}]")
    equal: dict[tuple[Any, ...], Mapping[str, int]] = {}  # most rows have the counts of another
    for row in read:
        if "counts" in row:
            row["counts"] = equal.setdefault(tuple(row["counts"].items()), row["counts"])
    return [ClaimwiseError(row["error"]) if "error" in row else _row_score(**row) for row in read]


def _row_score(
    score: float | None,
    weight: float,
    further: Mapping[str, float | None] = _NOTHING,
    sums: str | None = None,
    counts: Mapping[str, int] = _NOTHING,
) -> RowScore:
    stored = _NOTHING if sums is None else _Sums(sums)
    return RowScore(score=score, weight=weight, further=further, sums=stored, counts=counts)
