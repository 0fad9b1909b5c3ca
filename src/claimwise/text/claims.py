"""Decomposers: a sentence in, its single-claim sentences out (CASPR paper, Section 2.2)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

from claimwise.errors import ClaimwiseError, shown
from claimwise.plugins import Named, load_registered, registered
from claimwise.signature import function_name
from claimwise.tables import listed

GROUP = "claimwise.decomposers"


class Decomposed(NamedTuple):
    """The claims of one sentence, and the reason if it was left whole.

    Attributes:
        claims: its claims.
        left_whole: the reason, in a few words; None for a sentence that was split or makes only one claim.
        failed: whether the reason is a failure (unusable output), which metrics count as a fallback.
        resolved: number of claims with a resolved pronoun; None if pronouns are not resolved.
        open: claims that begin with an unresolved pronoun.
        stripped: parts of the sentence that no claim contains, if attributions are stripped.
    """

    claims: list[str]
    left_whole: str | None = None
    failed: bool = False
    resolved: int | None = None
    open: tuple[str, ...] = ()
    stripped: tuple[str, ...] = ()


@runtime_checkable
class Decomposer(Protocol):
    """Splits sentences into claims. Calls do not change it, so threads may share one.

    A decomposer may have further attributes and methods, which are used if present:

    - ``offline``: whether it uses no service and costs only time; without it, cost is assumed;
    - ``english_only``: whether it reads only English;
    - ``decompose_texts``: see ``TextDecomposer``;
    - ``costs(sentences)``: the estimated cost of splitting sentences, and ``known(sentences)``: the claims
      that are already known (neither sends anything);
    - ``kept_in(path)``: the same decomposer with a file that stores every answer immediately.
    """

    @property
    def signature(self) -> Mapping[str, str]:
        """Everything that the claims depend on, by name."""
        ...

    def decompose(self, sentences: Sequence[str]) -> list[Decomposed]:
        """Return the claims of each sentence, at least one unless it is blank."""
        ...


@runtime_checkable
class TextDecomposer(Protocol):
    """A decomposer that reads the sentences of a text together, as context for each other."""

    def decompose_texts(self, texts: Sequence[Sequence[str]]) -> list[list[Decomposed]]:
        """Return the claims of each sentence of each text; see ``Decomposer.decompose``."""
        ...


ClaimsFunction = Callable[[Sequence[str]], Sequence[Sequence[str]]]


class BaseDecomposer(ABC):
    """A decomposer that can also be called, which returns only the claims.

    Attributes:
        signature: see ``Decomposer``.
        may_be_kept: whether the signature covers everything that the claims depend on, so that the score
            cache may store them.
        offline: whether it uses no service and costs only time.
        english_only: whether it reads only English.
    """

    signature: Mapping[str, str]
    may_be_kept: ClassVar[bool] = False
    offline: bool = True
    english_only: ClassVar[bool] = False

    @abstractmethod
    def decompose(self, sentences: Sequence[str]) -> list[Decomposed]:
        """Return the claims of each sentence, at least one unless it is blank."""

    def __call__(self, sentences: Sequence[str]) -> list[list[str]]:
        """Return one list of claims per sentence, not empty unless the sentence is blank."""
        return [decomposed.claims for decomposed in self.decompose(sentences)]


class SentencesDecomposer(BaseDecomposer):
    """Leaves every sentence whole: one sentence is one claim."""

    def __init__(self) -> None:
        self.signature = {"decomposer": "sentences"}

    def decompose(self, sentences: Sequence[str]) -> list[Decomposed]:
        """Return each sentence as its only claim; no sentence counts as left whole."""
        return [Decomposed([sentence]) for sentence in sentences]


class FunctionDecomposer(BaseDecomposer):
    """A function, or a callable object, from sentences to a list of claims for each.

    Its ``signature`` is the signature of the object, if it has one; otherwise it is the name of the function,
    under which nothing is cached or resumed.
    """

    def __init__(self, function: ClaimsFunction) -> None:
        self._function = function
        signature = getattr(function, "signature", None)
        named = {"decomposer": function_name(function)}
        self.signature = signature if isinstance(signature, Mapping) else named
        self.is_signed = signature is not None
        self.offline = bool(getattr(function, "offline", False))

    def __repr__(self) -> str:
        return f"FunctionDecomposer({self._function!r})"

    def decompose(self, sentences: Sequence[str]) -> list[Decomposed]:
        """Return the function's claims.

        Raises:
            ClaimwiseError: if a sentence has no claims, or its claims are not a list of texts.
        """
        claims = self._function(sentences)
        if not isinstance(claims, Sequence) or len(claims) != len(sentences):
            raise self._error("one list of claims for every sentence", claims)
        for texts, sentence in zip(claims, sentences, strict=True):
            is_list = isinstance(texts, Sequence) and not isinstance(texts, (str, bytes))
            if not is_list or not all(isinstance(claim, str) for claim in texts):
                raise self._error("a list of texts for every sentence", texts)
            if not texts and sentence.strip():
                raise self._error("at least one claim for every sentence", texts)
        return [Decomposed(list(texts)) for texts in claims]

    def _error(self, expected: str, got: object) -> ClaimwiseError:
        problem = f"The decomposer must return {expected}; got {shown(got)}."
        return ClaimwiseError(problem, option="decomposer")


def load_decomposer(
    name: str | Decomposer | ClaimsFunction = "default",
    *,
    perhaps: Mapping[str, Any] | None = None,
    **options: Any,
) -> Decomposer:
    """Return the decomposer called ``name``, or ``name`` itself if it is a decomposer.

    Args:
        name: ``"default"`` (the claim writer, a small network), ``"sentences"`` (no splitting),
            ``"openai:MODEL"`` or ``"openai:MODEL@URL"`` (any OpenAI-compatible endpoint), ``"NAME"`` or
            ``"NAME:ADDRESS"`` (a decomposer that another package registers in the entry point group
            ``claimwise.decomposers``), a ``Decomposer``, or a function.
        perhaps: further options, left out if the decomposer does not accept them.
        **options: options of the decomposer.

    Raises:
        ClaimwiseError: for an unknown name or option.
    """
    check_options(name, options)
    if isinstance(name, str):
        return _adapted(Named(GROUP, name, "decomposer").made(options, perhaps or {}), name)
    return _adapted(name)


def check_options(decomposer: str | Decomposer | ClaimsFunction, options: Iterable[str]) -> None:
    """Reject options that a decomposer does not accept, before it is created.

    Raises:
        ClaimwiseError: for such an option, listing the accepted options.
    """
    if isinstance(decomposer, str):
        Named(GROUP, decomposer, "decomposer").check(options)
    elif names := sorted(options):
        raise ClaimwiseError(
            "A ready-made decomposer keeps its own options.",
            f"Leave out {listed(names)}.",
            option=names[0],
        )


def reads_english_only(decomposer: str | Decomposer | ClaimsFunction) -> bool:
    """Return whether a decomposer, given as in ``load_decomposer``, reads only English; none is created.

    Raises:
        ClaimwiseError: for an unknown name.
    """
    if isinstance(decomposer, str):
        decomposer = load_registered(GROUP, decomposer.partition(":")[0])
    return bool(getattr(decomposer, "english_only", False))


def _adapted(candidate: Any, name: str | None = None) -> Decomposer:
    """Return an object as a decomposer; ``name`` is its registered name."""
    if not isinstance(candidate, type):
        if isinstance(candidate, Decomposer):
            return candidate
        if callable(candidate):
            return FunctionDecomposer(candidate)
    is_class = isinstance(candidate, type)
    got = f"the class {candidate.__name__}" if is_class else type(candidate).__name__
    if name is not None:
        raise ClaimwiseError(
            f"The object registered as `{name}` does not return a decomposer when called; got {got}.",
            "It must be a class with `signature` and `decompose`, or a function that returns such an object.",
            option="decomposer",
        )
    raise ClaimwiseError(
        f"The decomposer must be {listed(registered(GROUP))}, or a callable that takes sentences; got {got}.",
        "Pass an instance of the class." if is_class else "",
        option="decomposer",
    )
