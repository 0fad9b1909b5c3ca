"""The one family of errors and warnings that claimwise raises.

An error is data first: problem, remedy and place. Its wording depends on the interface: ``str(error)``
addresses the caller of a Python function; the command line, the pages and the integrations use its parts and
the names that their users know. No code parses a message.
"""

from __future__ import annotations

import copy
import copyreg
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Self


def without_credentials(text: str) -> str:
    """Return ``text`` without user, password (anything before an @) and query in its URLs."""
    return re.sub(r"(://[^\s?]*)\?[^\s'\"]*", r"\1", re.sub(r"(?<=://)\S*@", "", text))


def did_you_mean(given: object, known: Iterable[str]) -> str:
    """Return a question that begins a remedy, ``"Did you mean 'caspr'? "``; empty if no name is similar.

    Case, hyphens and underscores make no difference.
    """
    from difflib import get_close_matches

    names = {name.lower().replace("-", "_"): name for name in known}
    near = get_close_matches(str(given).lower().replace("-", "_"), names, n=1)
    return f"Did you mean `{names[near[0]]}`? " if near else ""


def in_backticks(names: Iterable[object]) -> str:
    """Return names as messages list them, such as ``"`mean`, `sum`"``; invisible characters are escaped."""
    return ", ".join(f"`{_printable(str(name))}`" for name in names)


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def shown(value: object) -> str:
    """Return a value that a user passed as messages show it: texts in “…”, numbers, lists, else in backticks.

    A text is cut to 80 characters, and its invisible and invalid characters are escaped.
    """
    if isinstance(value, list | tuple) and value:
        return f"a list: {', '.join(map(shown, value))}"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        return f"`{value}`"
    text = _printable(value[:80])
    return f"“{text}…”" if len(value) > 80 else f"“{text}”"


def at_place(place: str, problem: str) -> str:
    """Return what is wrong and where: “a.csv is missing.”, “a.csv, row 2: the cell is empty.”."""
    between = " " if re.match(r"(already |is|has|does|contains|cannot|names|reads)\b", problem) else ": "
    return f"{place}{between}{problem}" if place else problem


class ClaimwiseError(ValueError):
    """Bad input or a request that cannot be met.

    URLs in the message are shown without user, password and query.

    Args:
        problem: what is wrong, as a sentence (or the predicate of a sentence that begins with the place).
        remedy: what to do about it, as one or more sentences.
        column: the column with the error, such as ``"predictions"``.
        row: the row, counted from 0; messages about a file count rows and reviews from 1.
        review: the review within the source of that row, counted from 0.
        option: the invalid option, by its name in Python.
        path: the invalid file.
        line: the line of the file, counted from 1.

    Attributes have the names of the arguments.
    """

    def __init__(
        self,
        problem: str = "",
        remedy: str = "",
        *,
        column: str | None = None,
        row: int | None = None,
        review: int | None = None,
        option: str | None = None,
        path: object | None = None,
        line: int | None = None,
    ) -> None:
        super().__init__(problem := without_credentials(problem))
        self.problem, self.remedy = problem, without_credentials(remedy)
        self.column, self.row, self.review, self.option = column, row, review, option
        self.path, self.line = None if path is None else str(path), line

    @property
    def place(self) -> str:
        """The place of the error, such as ``"references, row 0, review 2"``; empty if there is none."""
        first = 0 if self.path is None else 1
        review = None if self.review is None else self.review + first
        row = None if self.row is None or self.line is not None else self.row + first
        parts = [part for part in (self.path, self.column) if part is not None]
        numbered = (("line", self.line), ("row", row), ("review", review))
        parts += [f"{name} {number}" for name, number in numbered if number is not None]
        return ", ".join(parts)

    def __str__(self) -> str:
        counted = "Rows are counted from 0." if self.row is not None and self.path is None else ""
        return " ".join(filter(None, (at_place(self.place, self.problem), self.remedy, counted)))

    def at(self, **where: Any) -> Self:
        """Return a copy of the error with some arguments of the constructor changed."""
        error = copy.copy(self)
        words = {name: without_credentials(where[name]) for name in ("problem", "remedy") if name in where}
        error.__dict__.update(where | words)
        error.args = (error.problem,)
        return error

    def with_choice(self, sentence: str) -> Self:
        """Return a copy of the error whose remedy offers another choice."""
        return self.at(remedy=" ".join(filter(None, (self.remedy, sentence))))

    def __reduce__(self) -> tuple[Any, ...]:
        # Not by the constructor, whose arguments differ between subclasses.
        return copyreg.__newobj__, (type(self), self.problem), self.__dict__  # type: ignore[attr-defined]


class TextError(ClaimwiseError):
    """A text that cannot be scored: its place names the row; the remedy depends on its origin."""


class RowsError(ClaimwiseError):
    """Several rows that cannot be scored.

    Attributes:
        errors: the errors of the first ten rows.
        count: number of such rows.
    """

    def __init__(self, errors: Sequence[ClaimwiseError], count: int) -> None:
        self.errors, self.count = tuple(errors[:10]), count
        further = f"\n… and {count - len(self.errors)} more rows" if count > len(self.errors) else ""
        said = "".join(f"\n{at_place(error.place, error.problem)}" for error in self.errors)
        counted = "" if self.errors[0].path else "Rows are counted from 0."
        remedies = dict.fromkeys([*(error.remedy for error in self.errors), counted])
        super().__init__(f"{count} rows cannot be scored:{said}{further}", " ".join(filter(None, remedies)))

    def __str__(self) -> str:
        return f"{self.problem}\n{self.remedy}".rstrip()


class ClaimwiseWarning(UserWarning):
    """Something was worked around (and counted in the result) instead of failing."""


_collected: ContextVar[list[str] | None] = ContextVar("collected", default=None)


@contextmanager
def collected_warnings() -> Iterator[list[str]]:
    """Collect the messages of ``warn`` in this thread within the block, instead of issuing them.

    ``warnings.catch_warnings`` would change the whole process, and for good where two threads overlap.
    """
    messages: list[str] = []
    token = _collected.set(messages)
    try:
        yield messages
    finally:
        _collected.reset(token)


def warn(message: str) -> None:
    """Give a ClaimwiseWarning that points at the line outside of claimwise which led to it."""
    message = without_credentials(message)
    if (messages := _collected.get()) is not None:
        messages.append(message)
        return
    frame, level = sys._getframe(1), 2
    own = re.compile(r"claimwise(_\w+)?(\.|$)")  # and packages that add to it
    while frame.f_back and own.match(str(frame.f_globals.get("__name__"))):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, ClaimwiseWarning, stacklevel=level)


@contextmanager
def needs_extra(extra: str, what: str) -> Iterator[None]:
    """Turn a missing package into an error that names the extra of claimwise which has it.

    ``what`` needs the package, and is the subject of the error.
    """
    try:
        yield
    except ImportError as error:
        raise ClaimwiseError(
            f"{what} needs packages that are not installed ({error.name or error}).",
            f"Install them: pip install '.[{extra}]' in a clone.",
        ) from error
