"""Options: small frozen groups, declared once, from which the command line and the cards are made."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import MISSING, dataclass, field, fields
from typing import Any

from claimwise.errors import ClaimwiseError


@dataclass(frozen=True, kw_only=True)
class OptionGroup:
    """Options that belong together. A metric's own group inherits those of everything that it uses."""

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the names of the options, those of inherited groups included."""
        return tuple(one.name for one in fields(cls))

    def changed(self, group: type[OptionGroup]) -> dict[str, Any]:
        """Return those options of ``group`` that differ from their defaults in it."""
        of_group = {one.name: one for one in fields(group)}
        return {
            name: value
            for name, value in ((name, getattr(self, name)) for name in of_group)
            if not _same(value, of_group[name].default)
        }


def option(default: Any, values: str, *, flag: str | None = None, secret: bool = False) -> Any:
    """Declare one option of a group.

    Args:
        default: its default.
        values: what it may be and what that means, as the cards print it (Markdown).
        flag: its help on the command line, if it has a flag of its own there; others are given with
            ``--option name=value``.
        secret: never shown in a repr, log or error.
    """
    return field(default=default, repr=not secret, metadata={"values": values, "flag": flag})


def parsed(assignments: Iterable[str], typed: str) -> dict[str, Any]:
    """Read ``name=value``; a value that is JSON (0.5, true, null) is read as such, others as text.

    Args:
        assignments: what was typed.
        typed: what it was typed after, for errors, such as ``"--option"``.

    Raises:
        ClaimwiseError: for anything else.
    """
    options: dict[str, Any] = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals:
            raise ClaimwiseError(f"{typed} {assignment}: write it as name=value.")
        try:
            options[name] = json.loads(value)
        except json.JSONDecodeError:
            options[name] = value
    return options


def _same(value: Any, default: Any) -> bool:
    if default is MISSING:
        return False
    return value is default or (type(value) is type(default) and bool(value == default))
