"""Finished parts on disk, so that a stopped run resumes; and the row scores of all parts."""

from __future__ import annotations

import glob
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from claimwise.errors import ClaimwiseError, warn
from claimwise.metrics.rows import RowScore
from claimwise.runners.parts import Found, ScoredPart
from claimwise.tables import cannot_be_written

FORMAT = 2


class KeptParts:
    """A folder with the scores of each finished part; a context manager.

    A part is a text file with one line per row and a digest of them on the last line: a truncated or damaged
    part counts as not done. The folder is beside the output, and its name contains a digest of everything
    that the run depends on, so that parts of another input, metric or option are never reused.

    Args:
        output: the output file; None = a temporary folder, so that nothing is resumed.
        identity: everything that the run depends on.
        rows: number of rows.

    Raises:
        ClaimwiseError: if the folder cannot be written, or another process writes to it.
    """

    def __init__(self, output: Path | None, identity: Mapping[str, Any], rows: int) -> None:
        self.output = output
        self.done = bytearray(rows)
        told = json.dumps({"format": FORMAT, **identity}, sort_keys=True, default=str)
        digest = hashlib.sha256(told.encode()).hexdigest()[:12]
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
        for place in sorted(self.folder.glob("*.part")):
            first_row = int(place.stem)
            rows = len(self._read(first_row) or [])
            of_part = slice(first_row, first_row + rows)
            # Damaged parts, and parts of rows that are already done, do not count.
            if rows and len(self.done[of_part]) == rows and not any(self.done[of_part]):
                self.done[of_part] = b"\1" * rows
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
        """Store a part; ``message`` words the error of a row.

        Raises:
            ClaimwiseError: if writing fails.
        """
        lines = [json.dumps({"first_row": part.first_row, "rows": len(part.rows)})]
        lines += [_line(found, message) for found in part.rows]
        content = "".join(f"{line}\n" for line in lines).encode()
        place = self._place(part.first_row)
        unfinished = place.with_suffix(f".{os.getpid()}")
        try:
            unfinished.write_bytes(content + hashlib.sha256(content).hexdigest().encode() + b"\n")
            unfinished.replace(place)
        except OSError as error:
            unfinished.unlink(missing_ok=True)
            raise ClaimwiseError(
                f"its partial results cannot be written ({error.strerror or error}).",
                "Free some space and run the same command again: it resumes where it stopped.",
                path=self.output or self.folder,
            ) from error
        self._parts.add(part.first_row)

    def lines(self) -> Iterator[str]:
        """Yield the line of every row, in order.

        Raises:
            ClaimwiseError: if a part is missing.
        """
        for first_row in sorted(self._parts):
            if (lines := self._read(first_row)) is None:
                problem = f"the partial result that begins at row {first_row} is missing."
                raise ClaimwiseError(problem, "Run the same command again.", path=self.folder)
            yield from lines

    def _read(self, first_row: int) -> list[str] | None:
        try:
            content = self._place(first_row).read_bytes()
        except OSError:
            return None
        content, digest = content[:-65], content[-65:]
        if digest.strip() != hashlib.sha256(content).hexdigest().encode():
            return None
        head, *lines = content.decode().splitlines()
        return lines if json.loads(head) == {"first_row": first_row, "rows": len(lines)} else None

    def _place(self, first_row: int) -> Path:
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


def _line(found: Found, message: Callable[[ClaimwiseError], str]) -> str:
    if isinstance(found, ClaimwiseError):
        return json.dumps({"error": message(found)}) + "\t"
    numbers = {
        "score": found.score,
        "weight": found.weight,
        "further": dict(found.further),
        "sums": dict(found.sums),
        "counts": dict(found.counts),
    }
    numbers = {name: value for name, value in numbers.items() if value != {}}
    evidence = "" if found.evidence is None else json.dumps(found.evidence.as_dict(), default=_plain)
    return f"{json.dumps(numbers, default=_plain)}\t{evidence}"


def _plain(value: Any) -> Any:
    """Return a number or an array of NumPy as plain numbers."""
    import numpy as np

    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"a {type(value).__name__} is not a number")


def read_row(line: str) -> Found:
    """Return the score of a stored row, without evidence, or its error."""
    read = json.loads(line.partition("\t")[0])
    return ClaimwiseError(read["error"]) if "error" in read else RowScore(**read)


def read_evidence(line: str) -> dict[str, Any] | None:
    """Return the evidence of a stored row as a dict."""
    told = line.partition("\t")[2]
    found: dict[str, Any] | None = json.loads(told) if told else None
    return found


class KeptRows(Sequence[RowScore]):
    """The row scores of a file, as text and without evidence: about a hundred bytes each.

    Invalid rows are left out.

    Args:
        lines: stored lines of all rows.

    Attributes:
        failures: errors of invalid rows, by row number.
        rows: number of rows.
    """

    def __init__(self, lines: Iterator[str]) -> None:
        self._scored: list[str] = []
        self.failures: dict[int, str] = {}
        self.rows = 0
        for line in lines:
            numbers = line.partition("\t")[0]
            if numbers.startswith('{"error"'):
                self.failures[self.rows] = str(read_row(numbers))
            else:
                self._scored.append(numbers)
            self.rows += 1

    def __len__(self) -> int:
        return len(self._scored)

    def __getitem__(self, place: Any) -> Any:
        some = self._scored[place]
        return read_row(some) if isinstance(some, str) else list(map(read_row, some))
