"""Finished parts on disk, so that a run that was stopped goes on; and the row scores of all of them."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import shutil
from array import array
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, overload

from claimwise.errors import ClaimwiseError, warn
from claimwise.files import cannot_be_written, check_place
from claimwise.metrics.base import RowScore
from claimwise.runners.parts import Found, RowFailure, ScoredPart

FORMAT = 1


class KeptParts:
    """A folder beside the output that holds what was found for each part; a context manager.

    A part is a text file with a line a row, the digest of the others on the last: one that is cut short or
    damaged counts as not done. The folder is named by the digest of what the run depends on, so that parts of
    another input, metric or option are never taken for one's own.

    Args:
        output: the file that is being made.
        identity: what the run depends on.

    Raises:
        ClaimwiseError: if the folder cannot be written, or another process writes to it.
    """

    def __init__(self, output: Path, identity: Mapping[str, Any]) -> None:
        self.output = output
        told = json.dumps({"format": FORMAT, **identity}, sort_keys=True, default=str)
        digest = hashlib.sha256(told.encode()).hexdigest()[:12]
        self.folder = output.with_name(f".{output.name}.{digest}.parts")
        self._lock: Any = None

    def __enter__(self) -> KeptParts:
        try:
            check_place(self.output)
            self.folder.mkdir(exist_ok=True)
            self._lock = (self.folder / "lock").open("w")
            _lock(self._lock, self.folder)
        except OSError as error:
            raise cannot_be_written(self.output, error) from error
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.close()

    @property
    def of_other_runs(self) -> list[Path]:
        """Folders with parts of the same output from other runs."""
        found = self.output.parent.glob(f".{self.output.name}.*.parts")
        return sorted(folder for folder in found if folder != self.folder)

    def write(self, part: ScoredPart) -> None:
        """Keep a part.

        Raises:
            ClaimwiseError: if the disk does not take it.
        """
        lines = [json.dumps({"first_row": part.first_row, "rows": len(part.rows)})]
        lines += [_line(found) for found in part.rows]
        content = "".join(f"{line}\n" for line in lines).encode()
        place = self._place(part.number)
        unfinished = place.with_suffix(f".{os.getpid()}")
        try:
            unfinished.write_bytes(content + hashlib.sha256(content).hexdigest().encode() + b"\n")
            unfinished.replace(place)
        except OSError as error:
            unfinished.unlink(missing_ok=True)
            raise ClaimwiseError(
                f"its parts cannot be written ({error.strerror or error}).",
                "Make room, and give the same command again: it goes on where it stopped.",
                path=self.output,
            ) from error

    def read(self, number: int, first_row: int, rows: int) -> list[str] | None:
        """Return the lines of a part, or None if it is not done (or damaged, or of other rows)."""
        try:
            content = self._place(number).read_bytes()
        except OSError:
            return None
        content, digest = content[:-65], content[-65:]
        if digest.strip() != hashlib.sha256(content).hexdigest().encode():
            return None
        head, *lines = content.decode().splitlines()
        if json.loads(head) != {"first_row": first_row, "rows": rows}:
            return None
        return lines

    def lines(self, number: int, first_row: int, rows: int) -> list[str]:
        """Return the lines of a part that is done.

        Raises:
            ClaimwiseError: if it is not there any more.
        """
        lines = self.read(number, first_row, rows)
        if lines is None:
            raise ClaimwiseError(
                f"the part {number} was lost.", "Give the same command again.", path=self.folder
            )
        return lines

    def place(self, name: str) -> Path:
        """Return where a file is made that is to stand beside the parts' folder in the end."""
        return self.folder / name

    def finish(self, *files: tuple[Path, Path]) -> None:
        """Put finished files in their places, and delete the folder.

        Raises:
            ClaimwiseError: if that cannot be done.
        """
        for made, target in files:
            try:
                made.replace(target)
            except OSError as error:
                raise cannot_be_written(target, error) from error
        shutil.rmtree(self.folder, ignore_errors=True)

    def _place(self, number: int) -> Path:
        return self.folder / f"{number:08}.part"


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
            "another process is writing its parts.", "Wait for it, or choose another output.", path=folder
        ) from error


# Each row is a line of two JSON texts with a tab between them: what the mean needs, and the evidence, which
# is read only when the output is written. JSON writes a tab within a text as \t.


def _line(found: Found) -> str:
    if isinstance(found, RowFailure):
        return json.dumps({"error": found.message}) + "\t"
    numbers = {
        "score": found.score,
        "weight": found.weight,
        "further": dict(found.further),
        "sums": _encoded(dict(found.sums)),
        "counts": dict(found.counts),
    }
    evidence = "" if found.evidence is None else json.dumps(found.evidence.as_dict(), default=_number_of)
    return f"{json.dumps(numbers, default=_number_of)}\t{evidence}"


def _number_of(value: Any) -> Any:
    """Return the plain number that a number of NumPy stands for."""
    import numpy as np

    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a {type(value).__name__} is no number")


def read_line(line: str, *, evidence: bool = False) -> tuple[Found, dict[str, Any] | None]:
    """Return a row that was kept, and its evidence as a dict if that is wanted."""
    numbers, _, told = line.partition("\t")
    read = json.loads(numbers)
    if "error" in read:
        return RowFailure(message=read["error"]), None
    score = RowScore(
        score=read["score"],
        weight=read["weight"],
        further=read["further"],
        sums=_decoded(read["sums"]),
        counts=read["counts"],
    )
    return score, json.loads(told) if evidence and told else None


def _encoded(value: Any) -> Any:
    """Return what JSON can hold of a value, from which ``_decoded`` makes it again."""
    import numpy as np

    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.ndarray):
        return {"array": value.tolist(), "dtype": str(value.dtype)}
    if isinstance(value, np.generic):
        return _encoded(value.item())
    if isinstance(value, Mapping):
        return {"dict": [[_encoded(key), _encoded(one)] for key, one in value.items()]}
    if isinstance(value, list | tuple):
        return {type(value).__name__: [_encoded(one) for one in value]}
    raise ClaimwiseError(
        f"A row score holds a {type(value).__name__} in its sums, which no file can keep.",
        "Make its sums of numbers, texts, lists, dicts and arrays.",
    )


def _decoded(value: Any) -> Any:
    import numpy as np

    if not isinstance(value, dict):
        return value
    if "array" in value:
        return np.array(value["array"], dtype=value["dtype"])
    if "dict" in value:
        return {_decoded(key): _decoded(one) for key, one in value["dict"]}
    ((kind, items),) = value.items()
    return {"list": list, "tuple": tuple}[kind](map(_decoded, items))


class NumbersOfRows(Sequence[RowScore]):
    """The row scores of a file, without evidence and as plain numbers: some dozens of bytes a row.

    They come in the order of the rows; rows that could not be scored are left out.
    """

    def __init__(self) -> None:
        self._scores = array("d")
        self._weights = array("d")
        self._further: dict[str, array[float]] = {}
        self._counts: dict[str, array[int]] = {}
        self._sums: list[str] = []  # as JSON, which is smaller than objects; empty while no row has any
        self.failures: dict[int, str] = {}
        self.rows = 0

    def add(self, line: str) -> None:
        """Take one more row, as it was kept."""
        found, _ = read_line(line)
        number, self.rows = self.rows, self.rows + 1
        if isinstance(found, RowFailure):
            self.failures[number] = found.message
            return
        before = len(self._scores)
        self._scores.append(_number(found.score))
        self._weights.append(found.weight)
        for name in found.further.keys() - self._further.keys():
            self._further[name] = array("d", [_number(None)] * before)
        for name, of_row in self._further.items():
            of_row.append(_number(found.further.get(name)))
        for name in found.counts.keys() - self._counts.keys():
            self._counts[name] = array("q", [0] * before)
        for name, of_name in self._counts.items():
            of_name.append(found.counts.get(name, 0))
        if found.sums and not self._sums:
            self._sums = [""] * before
        if found.sums or self._sums:
            self._sums.append(json.dumps(_encoded(dict(found.sums))) if found.sums else "")

    def __len__(self) -> int:
        return len(self._scores)

    def __iter__(self) -> Iterator[RowScore]:
        return map(self._row, range(len(self)))

    @overload
    def __getitem__(self, place: int) -> RowScore: ...
    @overload
    def __getitem__(self, place: slice) -> list[RowScore]: ...
    def __getitem__(self, place: int | slice) -> RowScore | list[RowScore]:
        places = range(len(self))[place]
        return self._row(places) if isinstance(places, int) else list(map(self._row, places))

    def _row(self, place: int) -> RowScore:
        sums = self._sums[place] if self._sums else ""
        return RowScore(
            score=_value(self._scores[place]),
            weight=self._weights[place],
            further={name: _value(of_row[place]) for name, of_row in self._further.items()},
            sums=_decoded(json.loads(sums)) if sums else {},
            counts={name: of_row[place] for name, of_row in self._counts.items()},
        )


def _number(score: float | None) -> float:
    return float("nan") if score is None else score


def _value(number: float) -> float | None:
    return None if number != number else number


def warn_of_other_runs(kept: KeptParts) -> None:
    """Say which folders hold parts that nobody goes on with."""
    others = list(itertools.islice(kept.of_other_runs, 3))
    if others:
        warn(
            f"{', '.join(map(str, others))} hold parts of {kept.output} with other options or another input. "
            f"Delete them if you no longer need them."
        )
