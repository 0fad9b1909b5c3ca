"""Options: small frozen groups, declared once, from which the command line and the cards are made."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from numbers import Integral, Real
from typing import Any, Literal, get_args

from claimwise.errors import ClaimwiseError, did_you_mean, in_backticks, shown

SECRETS = frozenset(("api_key", "token"))
"""Options whose values are secrets; ``api_key_env`` only names the variable that holds one."""

Many = Literal["commas", "repeated"]
"""How a flag takes several values: comma-separated, or by being repeated (a single value stays as it is)."""


@dataclass(frozen=True, kw_only=True)
class OptionGroup:
    """Options that belong together. The group of a metric inherits the groups of all parts that it uses."""

    def __post_init__(self) -> None:
        """Reject invalid values; the error names the option."""
        for declared in fields(self):
            if (value := getattr(self, declared.name)) is not declared.default:
                limits = declared.metadata.get("limits", {})
                check(declared.name, value, **limits, is_bool=isinstance(declared.default, bool))

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the names of the options, inherited ones included."""
        return tuple(declared.name for declared in fields(cls))

    def changed(self, group: type[OptionGroup]) -> dict[str, Any]:
        """Return the options of ``group`` that differ from their defaults."""
        changed = {}
        for declared in fields(group):
            value, default = getattr(self, declared.name), declared.default
            is_equal = type(value) is type(default) and bool(value == default)  # 1 is not True
            if value is not default and not is_equal:
                changed[declared.name] = value
        return changed


def option(
    default: Any,
    values: str,
    *,
    flag: str | None = None,
    kind: type = str,
    many: Many | None = None,
    secret: bool = False,
    choices: Sequence[str] = (),
    or_function: bool = False,
    at_least: int | None = None,
    between: tuple[float, float] | None = None,
) -> Any:
    """Declare one option of a group.

    Args:
        default: the value of an option that is not set.
        values: allowed values and their meaning, as the cards print them (Markdown).
        flag: help on the command line, for an option with its own flag; other options are set with
            ``--option name=value``.
        kind: type of a value of the flag: str, int or Path.
        many: how the flag takes several values, if it does.
        secret: never shown in a repr, log or error.
        choices: allowed values besides the default.
        or_function: a function is allowed as well.
        at_least: the smallest allowed whole number.
        between: the smallest and the largest allowed number.
    """
    limits = {"choices": choices, "or_function": or_function, "at_least": at_least, "between": between}
    described = {"values": values, "flag": flag, "kind": kind, "many": many, "limits": limits}
    return field(default=default, repr=not secret, metadata=described)


def choice(literal: Any, values: str, *, flag: str | None = None) -> Any:
    """Declare an option whose values are those of a ``Literal``; the first is the default. See ``option``."""
    choices = get_args(literal)
    return option(choices[0], values, flag=flag, choices=choices)


def parsed(assignments: Iterable[str], typed: str) -> dict[str, Any]:
    """Parse ``name=value``; a value that is JSON (0.5, true, null) is decoded, any other value is text.

    Raises:
        ClaimwiseError: for anything else, or a key as a value, which other users of the machine could read.
            It begins with ``typed``, the flag that the assignments follow.
    """
    options: dict[str, Any] = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if name in SECRETS:
            raise ClaimwiseError(
                f"{typed} {name}: a key on the command line can be read by other users.",
                "Put it into an environment variable: HF_TOKEN for the Hub, OPENAI_API_KEY for OpenAI, any "
                "other NAME with --judge-option api_key_env=NAME or --decomposer-option api_key_env=NAME.",
            )
        if not equals:
            raise ClaimwiseError(f"{typed} {assignment} has no value.", "Write it as name=value.")
        try:
            options[name] = json.loads(value)
        except json.JSONDecodeError:
            options[name] = value
    return options


def check(
    name: str,
    value: Any,
    *,
    choices: Sequence[str] = (),
    or_function: bool = False,
    at_least: int | None = None,
    between: tuple[float, float] | None = None,
    is_bool: bool = False,
) -> None:
    """Reject an invalid value of the option ``name``; see ``option``."""
    wanted, is_number = "", isinstance(value, Real) and not isinstance(value, bool)
    if choices and value not in choices and not (or_function and callable(value)):
        wanted = f"be one of {in_backticks(choices)}" + (" or a function" if or_function else "")
    elif at_least is not None and not (is_number and isinstance(value, Integral) and int(value) >= at_least):
        wanted = f"be a whole number of at least {at_least}"
    elif between and not (is_number and between[0] <= value <= between[1]):
        wanted = f"be between {between[0]} and {between[1]}"
    elif is_bool and not isinstance(value, bool):
        wanted = "be true or false"
    if wanted:
        remedy = did_you_mean(value, choices).rstrip()
        raise ClaimwiseError(f"`{name}` must {wanted}; got {shown(value)}.", remedy, option=name)
