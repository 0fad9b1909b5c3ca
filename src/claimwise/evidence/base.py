"""Evidence of scores, identified by its kind and never by a metric's name.

In Python a row score has a frozen type of evidence; in results and files it is a plain dict (``as_dict``),
which ``from_dict`` converts back. Fields that are None by default are left out of the dict if they are None.
``kind_of`` determines the kind of a dict; every subclass of ``Evidence`` is a kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from numbers import Integral, Real
from types import UnionType
from typing import Any, ClassVar, Self, TypeVar, Union, get_args, get_origin, get_type_hints, overload

from claimwise.errors import ClaimwiseError
from claimwise.labels import LABELS

Probabilities = tuple[float, float, float]
"""Probabilities of entailment, neutral and contradiction."""


@dataclass(frozen=True, kw_only=True)
class UnjudgedPair:
    """A pair without a verdict, which counts as neutral.

    Attributes:
        premise: its text.
        hypothesis: its text.
    """

    premise: str
    hypothesis: str


@dataclass(frozen=True, kw_only=True)
class DisputedPair:
    """A pair that several judges label differently.

    Attributes:
        premise: its text.
        hypothesis: its text.
        by_judge: probabilities of each judge by name.
    """

    premise: str
    hypothesis: str
    by_judge: dict[str, Probabilities]

    @property
    def verdicts(self) -> dict[str, str]:
        """The label that each judge finds most probable."""
        return {name: LABELS[given.index(max(given))] for name, given in self.by_judge.items()}


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """The agreement of several judges.

    Attributes:
        judges: their names.
        pairs: number of pairs that they judged.
        disputed: pairs with different labels.
    """

    judges: tuple[str, ...]
    pairs: int
    disputed: tuple[DisputedPair, ...]


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """The evidence of one row's score.

    Attributes:
        kind: determines how it is drawn.
        title: title of the page of its map.
        score: score of the row; None = no score.
        agreement: agreement of the judges, if there are several.
        unjudged: pairs without a verdict, if any.
        open_pronouns: claims that begin with an unresolved pronoun, if any.
        stripped: parts of sentences that no claim contains, if attributions are stripped.
    """

    kind: ClassVar[str] = "evidence"
    title: ClassVar[str] = "Evidence"
    _repr_html_: ClassVar[Callable[[Any], str]]
    score: float | None
    agreement: Agreement | None = None
    unjudged: tuple[UnjudgedPair, ...] | None = None
    open_pronouns: tuple[str, ...] | None = None
    stripped: tuple[str, ...] | None = None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "__repr__" not in vars(cls):  # else @dataclass would write all texts into it
            cls.__repr__ = Evidence.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        held = ((field.name, getattr(self, field.name)) for field in fields(self))
        counted = "".join(
            f", {len(value)} {name}" for name, value in held if isinstance(value, tuple) and value
        )
        return f"<{type(self).__name__}: score {self.score}{counted}>"

    def as_dict(self) -> dict[str, Any]:
        """Return the evidence as dicts, lists, texts and numbers."""
        return dict(_plain(self))

    @classmethod
    def from_dict(cls, evidence: Mapping[str, Any]) -> Self:
        """Return evidence from a dict of ``as_dict``.

        Raises:
            ClaimwiseError: for any other dict.
        """
        try:
            read: Self = _typed(cls, evidence)
        except (TypeError, ValueError) as error:
            raise ClaimwiseError(
                f"This is not {cls.kind} evidence ({error}).", "Compute it again with details=True."
            ) from error
        return read


# The kind of a dict -------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class OtherEvidence(Evidence):
    """Evidence of an unknown kind, whose content is drawn unchanged."""

    kind = "other"
    content: Mapping[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """Return the content."""
        return dict(self.content)

    @classmethod
    def from_dict(cls, evidence: Mapping[str, Any]) -> Self:
        """Return any dict as evidence."""
        score = evidence.get("score")
        number = isinstance(score, Real) and not isinstance(score, bool)
        return cls(score=score if number else None, content=evidence)


Kind = TypeVar("Kind", bound=Evidence)


def kind_of(evidence: Mapping[str, Any]) -> type[Evidence]:
    """Return the kind of the evidence in a dict.

    Args:
        evidence: one element of ``"<name>_details"``.

    Returns:
        The class that has all keys of the dict and whose required fields are present (if several match, the
        class with the most required fields, then the class defined first); else ``OtherEvidence``.
    """

    def needed(kind: type[Evidence]) -> set[str]:
        return {f.name for f in fields(kind) if f.default is MISSING and f.default_factory is MISSING}

    keys = set(evidence)
    fitting = (kind for kind in _kinds(Evidence) if needed(kind) <= keys <= {f.name for f in fields(kind)})
    return max(fitting, key=lambda kind: len(needed(kind)), default=OtherEvidence)


@overload
def evidence_of(evidence: Evidence | Mapping[str, Any]) -> Evidence: ...
@overload
def evidence_of(evidence: Evidence | Mapping[str, Any], *kinds: type[Kind]) -> Kind: ...
def evidence_of(evidence: Evidence | Mapping[str, Any], *kinds: type[Evidence]) -> Evidence:
    """Return typed evidence.

    Args:
        evidence: typed, or one element of ``"<name>_details"``.
        *kinds: accepted kinds; default: all.

    Raises:
        ClaimwiseError: for anything else.
    """
    if not isinstance(evidence, Evidence | Mapping):
        raise ClaimwiseError(f"{evidence!r} is not evidence.", "Pass one element of the details of a result.")
    kind = type(evidence) if isinstance(evidence, Evidence) else kind_of(evidence)
    if kinds and not issubclass(kind, kinds):
        wanted = " or ".join(of.kind for of in kinds)
        raise ClaimwiseError(
            f"This is {kind.kind} evidence, not {wanted} evidence.", f"Pass {wanted} evidence."
        )
    return evidence if isinstance(evidence, Evidence) else kind.from_dict(evidence)


def _kinds(of: type[Evidence]) -> Iterator[type[Evidence]]:
    for kind in of.__subclasses__():
        yield kind
        yield from _kinds(kind)


# Dicts and back -----------------------------------------------------------------------------------


def _plain(value: Any) -> Any:
    """Return ``value`` with dicts for dataclasses and lists for tuples.

    Fields that are None by default are left out if they are None.
    """
    if is_dataclass(value) and not isinstance(value, type):
        given = ((field, getattr(value, field.name)) for field in fields(value))
        return {
            field.name: _plain(inner)
            for field, inner in given
            if inner is not None or field.default is not None
        }
    if isinstance(value, tuple | list):
        return [_plain(inner) for inner in value]
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    return value


def _typed(kind: Any, value: Any) -> Any:
    """Return ``value``, in JSON types, converted to the annotation ``kind``.

    Raises:
        TypeError: if it does not match.
    """
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        if value is None:
            return None
        (kind,) = (option for option in inner if option is not type(None))
        return _typed(kind, value)
    if origin is tuple:
        _check(isinstance(value, list | tuple), value, "a list")
        if inner[-1] is not ...:
            _check(len(value) == len(inner), value, f"a list of {len(inner)}")
        return tuple(_typed(inner[0], element) for element in value)
    if origin is dict:
        _check(isinstance(value, Mapping), value, "a dict")
        return {key: _typed(inner[1], element) for key, element in value.items()}
    if is_dataclass(kind):
        _check(isinstance(value, Mapping), value, "a dict")
        hints = _hints(kind)  # type: ignore[arg-type]
        if unknown := sorted(map(str, value.keys() - hints.keys())):
            raise TypeError(f"unknown key {', '.join(unknown)}")
        return kind(**{key: _typed(hints[key], element) for key, element in value.items()})  # type: ignore[operator]
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
