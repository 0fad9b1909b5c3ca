"""Finished parts on disk, so that a run that was stopped resumes; and the row scores of all of them."""

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
from claimwise.metrics.base import RowScore
from claimwise.runners.parts import Found, ScoredPart
from claimwise.tables import cannot_be_written

FORMAT = 2


class KeptParts:
    """A folder that holds what was found for each part; a context manager.

    A part is a text file with a line for each row, the digest of the others on the last: one that is cut
    short or damaged counts as not done. The folder stands beside the output, named by the digest of what the
    run depends on, so that parts of another input, metric or option are never taken for one's own.

    Args:
        output: the file that is being made; None = nothing is resumed: the folder is a temporary one.
        identity: what the run depends on.
        rows: how many rows there are.

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
                raise PermissionError(13, f"{self.folder.name} is another user's")
            self._lock = (self.folder / "lock").open("w")
            _lock(self._lock, self.folder)
        except OSError as error:
            raise cannot_be_written(self.output, error) from error
        for place in sorted(self.folder.glob("*.part")):
            first_row = int(place.stem)
            rows = len(self._read(first_row) or [])
            of_part = slice(first_row, first_row + rows)
            # One that is damaged is not done, nor one of rows that are done already.
            if rows and len(self.done[of_part]) == rows and not any(self.done[of_part]):
                self.done[of_part] = b"\1" * rows
                self._parts.add(first_row)
        beside = self.output.parent.glob(f".{glob.escape(self.output.name)}.*.parts")
        if others := sorted(folder for folder in beside if folder != self.folder)[:3]:
            warn(
                f"{', '.join(map(str, others))} hold parts of {self.output} with other options or another "
                f"input. Delete them if you no longer need them."
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
        """Keep a part; ``message`` words the error of a row.

        Raises:
            ClaimwiseError: if the disk does not take it.
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
                f"its parts cannot be written ({error.strerror or error}).",
                "Free some space and run the same command again: it resumes where it stopped.",
                path=self.output or self.folder,
            ) from error
        self._parts.add(part.first_row)

    def lines(self) -> Iterator[str]:
        """Yield the line of every row, in order.

        Raises:
            ClaimwiseError: if a part is not there any more.
        """
        for first_row in sorted(self._parts):
            if (lines := self._read(first_row)) is None:
                problem = f"the part of row {first_row} was lost."
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
    """Keep other processes from writing the same parts; the system lets go when this one ends."""
    try:
        import fcntl
    except ImportError:  # Windows: two runs would write the same parts twice
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise ClaimwiseError(
            "another process is writing its parts.",
            "Wait until it ends, or choose another output.",
            path=folder,
        ) from error


# Each row is a line of two JSON texts with a tab between them: what the mean needs, and the evidence, which
# is read only when the output is written. JSON writes a tab within a text as \t.


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
    """Return the plain numbers that a number or an array of NumPy stands for."""
    import numpy as np

    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"a {type(value).__name__} is not a number")


def read_row(line: str) -> Found:
    """Return the score of a row that was kept, without evidence, or what is wrong with the row."""
    read = json.loads(line.partition("\t")[0])
    return ClaimwiseError(read["error"]) if "error" in read else RowScore(**read)


def read_evidence(line: str) -> dict[str, Any] | None:
    """Return the evidence of a row that was kept, as a dict."""
    told = line.partition("\t")[2]
    found: dict[str, Any] | None = json.loads(told) if told else None
    return found


class KeptRows(Sequence[RowScore]):
    """The row scores of a file, without evidence and as text: about a hundred bytes each.

    Rows that could not be scored are left out.

    Args:
        lines: of all rows, as they were kept.

    Attributes:
        failures: what is wrong with the rows that could not be scored, by their numbers.
        rows: how many rows there are.
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
