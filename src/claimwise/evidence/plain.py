"""Frozen dataclasses as plain dicts and lists, and back, checked against their annotations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from numbers import Integral, Real
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints


def plain(value: Any) -> Any:
    """Return ``value`` with dicts for dataclasses and lists for tuples.

    A field that is None, and is so by default, is left out.
    """
    if is_dataclass(value) and not isinstance(value, type):
        given = ((field, getattr(value, field.name)) for field in fields(value))
        return {
            field.name: plain(inner)
            for field, inner in given
            if inner is not None or field.default is not None
        }
    if isinstance(value, tuple | list):
        return [plain(inner) for inner in value]
    if isinstance(value, Mapping):
        return {key: plain(inner) for key, inner in value.items()}
    return value


def typed(kind: Any, value: Any) -> Any:
    """Return ``value``, plain as JSON has it, as what the annotation ``kind`` says.

    Raises:
        TypeError: if it is something else.
    """
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        if value is None:
            return None
        (kind,) = (option for option in inner if option is not type(None))
        return typed(kind, value)
    if origin is tuple:
        _check(isinstance(value, list | tuple), value, "a list")
        if inner[-1] is not ...:
            _check(len(value) == len(inner), value, f"a list of {len(inner)}")
        return tuple(typed(inner[0], element) for element in value)
    if origin is dict:
        _check(isinstance(value, Mapping), value, "a dict")
        return {key: typed(inner[1], element) for key, element in value.items()}
    if is_dataclass(kind):
        _check(isinstance(value, Mapping), value, "a dict")
        hints = _hints(kind)  # type: ignore[arg-type]
        if unknown := sorted(map(str, value.keys() - hints.keys())):
            raise TypeError(f"unknown key {', '.join(unknown)}")
        return kind(**{key: typed(hints[key], element) for key, element in value.items()})  # type: ignore[operator]
    if kind in (float, int):
        number = isinstance(value, Real if kind is float else Integral) and not isinstance(value, bool)
        _check(number, value, "a number")
    elif kind in (str, bool):
        _check(isinstance(value, kind), value, "a text" if kind is str else "true or false")
    return value


def _check(holds: bool, value: Any, wanted: str) -> None:
    if not holds:
        raise TypeError(f"{str(value)[:80]!r} is not {wanted}")


@cache
def _hints(kind: Any) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}
