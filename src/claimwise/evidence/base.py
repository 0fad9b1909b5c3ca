"""Evidence of scores, identified by its kind and never by a metric's name.

In Python a row score has a frozen type of evidence; in results and files it is a plain dict (``as_dict``),
which ``from_dict`` converts back. The dict names its kind under ``"kind"``. Fields that are None by default
are left out of the dict if they are None. Every subclass of ``Evidence`` that sets ``kind`` is a kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, ClassVar, Self, TypeVar, Union, get_args, get_origin, get_type_hints, overload

from claimwise.errors import ClaimwiseError

Probabilities = tuple[float, float, float]
"""Probabilities of entailment, neutral and contradiction."""


@dataclass(frozen=True, kw_only=True)
class UnjudgedPair:
    """A pair without a verdict, which counts as neutral."""

    premise: str
    hypothesis: str


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """The evidence of one row's score.

    Attributes:
        kind: its name in dicts; determines how it is drawn.
        title: title of the page of its map.
        score: score of the row; None = no score.
        unjudged: pairs without a verdict, if any.
        open_pronouns: claims that begin with an unresolved pronoun, if any.
        stripped: parts of sentences that no claim contains, if attributions are stripped.
    """

    kind: ClassVar[str] = "evidence"
    title: ClassVar[str] = "Evidence"
    _repr_html_: ClassVar[Callable[[Any], str]]
    score: float | None
    unjudged: tuple[UnjudgedPair, ...] | None = None
    open_pronouns: tuple[str, ...] | None = None
    stripped: tuple[str, ...] | None = None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "kind" in vars(cls):
            _KINDS[cls.kind] = cls
        if "__repr__" not in vars(cls):  # else @dataclass would write all texts into it
            cls.__repr__ = Evidence.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        values = ((field.name, getattr(self, field.name)) for field in fields(self))
        counts = "".join(
            f", {len(value)} {name}" for name, value in values if isinstance(value, tuple) and value
        )
        return f"<{type(self).__name__}: score {self.score}{counts}>"

    def as_dict(self) -> dict[str, Any]:
        """Return the evidence as dicts, lists, texts and numbers, with its kind."""
        return {"kind": self.kind, **_plain(self)}

    @classmethod
    def from_dict(cls, evidence: Mapping[str, Any]) -> Self:
        """Return evidence from a dict of ``as_dict``.

        Raises:
            ClaimwiseError: for any other dict.
        """
        values = {key: value for key, value in evidence.items() if key != "kind"}
        try:
            typed: Self = _typed(cls, values)
        except (TypeError, ValueError) as error:
            raise ClaimwiseError(f"This is not {cls.kind} evidence ({error}).", _AGAIN) from error
        return typed


_KINDS: dict[str, type[Evidence]] = {}
_AGAIN = "Compute it again with details=True."


@dataclass(frozen=True, kw_only=True)
class OtherEvidence(Evidence):
    """Evidence of an unknown kind, whose content is drawn unchanged."""

    kind = "other"
    content: Mapping[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """Return the content, with its kind."""
        return {"kind": self.kind, **self.content}

    @classmethod
    def from_dict(cls, evidence: Mapping[str, Any]) -> Self:
        """Return any dict as evidence."""
        score = evidence.get("score")
        is_number = isinstance(score, Real) and not isinstance(score, bool)
        return cls(score=score if is_number else None, content=evidence)


Kind = TypeVar("Kind", bound=Evidence)


def kind_of(evidence: Mapping[str, Any]) -> type[Evidence]:
    """Return the kind of an element of ``"<name>_details"``; ``OtherEvidence`` for a name of no known kind.

    Raises:
        ClaimwiseError: for a dict without a kind, such as evidence that an earlier version wrote.
    """
    if "kind" not in evidence:
        raise ClaimwiseError("This is not evidence, or an earlier version wrote it: it has no kind.", _AGAIN)
    return _KINDS.get(str(evidence["kind"]), OtherEvidence)


@overload
def evidence_of(evidence: Evidence | Mapping[str, Any]) -> Evidence: ...
@overload
def evidence_of(evidence: Evidence | Mapping[str, Any], *kinds: type[Kind]) -> Kind: ...
def evidence_of(evidence: Evidence | Mapping[str, Any], *kinds: type[Evidence]) -> Evidence:
    """Return typed evidence, from an element of ``"<name>_details"``.

    Raises:
        ClaimwiseError: for anything but evidence, and for evidence of none of the ``kinds`` (default: all).
    """
    if not isinstance(evidence, Evidence | Mapping):
        got = f"A {type(evidence).__name__} is not evidence."
        raise ClaimwiseError(got, "Pass one element of the details of a result.")
    kind = type(evidence) if isinstance(evidence, Evidence) else kind_of(evidence)
    if kinds and not issubclass(kind, kinds):
        wanted = " or ".join(wanted_kind.kind for wanted_kind in kinds)
        raise ClaimwiseError(
            f"This is {kind.kind} evidence, not {wanted} evidence.", f"Pass {wanted} evidence."
        )
    return evidence if isinstance(evidence, Evidence) else kind.from_dict(evidence)


def check_names(what: str, names: Iterable[str], allowed: Sequence[str]) -> None:
    """Reject a name of a label or verdict that is none of the ``allowed`` ones."""
    if unknown := set(names) - set(allowed):
        raise ClaimwiseError(f"`{min(unknown)}` is not a {what}.", f"Use {', '.join(allowed)}.")


# Dicts and back -----------------------------------------------------------------------------------

_JSON: dict[Any, tuple[Any, str]] = {
    tuple: (list | tuple, "a list"),
    dict: (Mapping, "a dict"),
    str: (str, "a text"),
    bool: (bool, "true or false"),
    int: (Integral, "a number"),
    float: (Real, "a number"),
}
"""Type in an annotation → the type in JSON, and what an error calls it."""


def _plain(value: Any) -> Any:
    """Return ``value`` with dicts for dataclasses and lists for tuples."""
    if is_dataclass(value):
        values = ((field, getattr(value, field.name)) for field in fields(value))
        return {
            field.name: _plain(inner)
            for field, inner in values
            if inner is not None or field.default is not None
        }
    if isinstance(value, tuple | list):
        return [_plain(inner) for inner in value]
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    return value


def _typed(annotation: Any, value: Any) -> Any:
    """Return ``value``, in JSON types, converted to an annotation; a TypeError if it does not match."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType):  # of one type and None
        return None if value is None else _typed(next(kind for kind in inner if kind is not NoneType), value)
    any_type = (Mapping, "a dict") if is_dataclass(annotation) else (object, "")
    wanted, name = _JSON.get(origin or annotation, any_type)
    if not isinstance(value, wanted) or (isinstance(value, bool) and name == "a number"):
        raise TypeError(f"“{str(value)[:80]}” is not {name}")
    if origin is tuple:
        if inner[-1] is not ... and len(value) != len(inner):
            raise TypeError(f"“{str(value)[:80]}” is not a list of {len(inner)}")
        return tuple(_typed(inner[0], element) for element in value)
    if origin is dict:
        return {key: _typed(inner[1], element) for key, element in value.items()}
    if is_dataclass(annotation):
        annotations = _annotations(annotation)  # type: ignore[arg-type]
        if unknown := sorted(map(str, value.keys() - annotations.keys())):
            raise TypeError(f"unknown key {', '.join(unknown)}")
        values = {key: _typed(annotations[key], element) for key, element in value.items()}
        return annotation(**values)  # type: ignore[operator]
    return value


@cache
def _annotations(kind: Any) -> dict[str, Any]:
    annotations = get_type_hints(kind)
    return {field.name: annotations[field.name] for field in fields(kind)}
