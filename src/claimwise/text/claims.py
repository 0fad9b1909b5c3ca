"""Decomposers: a sentence in, its single-claim sentences out (CASPR paper, Section 2.2)."""

from __future__ import annotations

import reprlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

from claimwise.errors import ClaimwiseError
from claimwise.plugins import Named, load_registered, registered
from claimwise.signature import function_name

GROUP = "claimwise.decomposers"


class Decomposed(NamedTuple):
    """The claims of one sentence, and why it was left whole.

    Attributes:
        claims: its claims.
        left_whole: the reason, in a few words; None for a sentence that was split, or that makes one claim.
        failed: whether the reason is a failure (an answer that cannot be used), which metrics count.
        resolved: how many claims name what a pronoun of the sentence stands for; None where no pronouns
            were looked at.
        open: the claims that begin with a pronoun whose meaning stands elsewhere.
        stripped: stretches of the sentence that stand in no claim, where claims do without attributions.
    """

    claims: list[str]
    left_whole: str | None = None
    failed: bool = False
    resolved: int | None = None
    open: tuple[str, ...] = ()
    stripped: tuple[str, ...] = ()


@runtime_checkable
class Decomposer(Protocol):
    """Splits sentences into claims. It changes with no call, so threads may share one.

    A decomposer may say more, and is asked for it where it is there:

    - ``offline``: whether it asks nobody, and costs nothing but time; without it, it may cost something;
    - ``english_only``: whether it reads English only;
    - ``decompose_texts``: see ``TextDecomposer``;
    - ``costs(sentences)``: what it would take to split sentences, and ``known(sentences)``: the claims of
      those that need not be asked about (both send nothing);
    - ``kept_in(path)``: the same decomposer with a file that keeps every answer at once.
    """

    @property
    def signature(self) -> Mapping[str, str]:
        """Everything that changes the claims, by name."""
        ...

    def decompose(self, sentences: Sequence[str]) -> list[Decomposed]:
        """Return the claims of each sentence, at least one unless it is blank."""
        ...


@runtime_checkable
class TextDecomposer(Protocol):
    """A decomposer that reads the sentences of a text together, so that one may explain the next."""

    def decompose_texts(self, texts: Sequence[Sequence[str]]) -> list[list[Decomposed]]:
        """Return the claims of each sentence of each text; see ``Decomposer.decompose``."""
        ...


ClaimsFunction = Callable[[Sequence[str]], Sequence[Sequence[str]]]


class BaseDecomposer(ABC):
    """A decomposer that can also be called, for the claims alone.

    Attributes:
        signature: see ``Decomposer``.
        may_be_kept: whether the signature says all that its claims depend on, so that the file of
            ``score_cache`` may keep them.
        offline: whether it asks nobody, and costs nothing but time.
        english_only: whether it reads English only.
    """

    signature: Mapping[str, str]
    may_be_kept: ClassVar[bool] = False
    offline: bool = True
    english_only: ClassVar[bool] = False

    @abstractmethod
    def decompose(self, sentences: Sequence[str]) -> list[Decomposed]:
        """Return the claims of each sentence, at least one unless it is blank."""

    def __call__(self, sentences: Sequence[str]) -> list[list[str]]:
        """Return one list of claims per sentence, never empty unless it is blank."""
        return [decomposed.claims for decomposed in self.decompose(sentences)]


class SentencesDecomposer(BaseDecomposer):
    """Leaves every sentence whole: one sentence is one claim."""

    def __init__(self) -> None:
        self.signature = {"decomposer": "sentences"}

    def decompose(self, sentences: Sequence[str]) -> list[Decomposed]:
        """Return each sentence as its only claim, which is what was asked for: none is left whole."""
        return [Decomposed([sentence]) for sentence in sentences]


class FunctionDecomposer(BaseDecomposer):
    """A function, or a callable object, from sentences to a list of claims for each.

    Its ``signature`` is the object's where it has one, else the function's name, by which nothing is kept
    or resumed.
    """

    def __init__(self, function: ClaimsFunction) -> None:
        self._function = function
        signature = getattr(function, "signature", None)
        named = {"decomposer": function_name(function)}
        self.signature = signature if isinstance(signature, Mapping) else named
        self.offline = bool(getattr(function, "offline", False))

    def __repr__(self) -> str:
        return f"FunctionDecomposer({self._function!r})"

    def decompose(self, sentences: Sequence[str]) -> list[Decomposed]:
        """Return the function's claims.

        Raises:
            ClaimwiseError: if a sentence goes without claims, or they are no list of texts.
        """
        claims = self._function(sentences)
        if not isinstance(claims, Sequence) or len(claims) != len(sentences):
            raise self._error("one list of claims for every sentence", claims)
        for of_sentence, sentence in zip(claims, sentences, strict=True):
            is_list = isinstance(of_sentence, Sequence) and not isinstance(of_sentence, (str, bytes))
            if not is_list or not all(isinstance(claim, str) for claim in of_sentence):
                raise self._error("a list of texts for every sentence", of_sentence)
            if not of_sentence and sentence.strip():
                raise self._error("at least one claim for every sentence", of_sentence)
        return [Decomposed(list(of_sentence)) for of_sentence in claims]

    def _error(self, expected: str, got: object) -> ClaimwiseError:
        shown = reprlib.repr(got)
        problem = f"The decomposer must return {expected}; got {shown}."
        return ClaimwiseError(problem, option="decomposer")


def load_decomposer(
    name: str | Decomposer | ClaimsFunction = "default",
    *,
    perhaps: Mapping[str, Any] | None = None,
    **options: Any,
) -> Decomposer:
    """Return the decomposer called ``name``, or ``name`` itself if it already is one.

    Args:
        name: ``"default"`` (the claim writer, a small network), ``"sentences"`` (no splitting),
            ``"openai:MODEL"`` or ``"openai:MODEL@URL"`` (any OpenAI-compatible endpoint), ``"NAME"`` or
            ``"NAME:ADDRESS"`` of one that another package registers in the entry point group
            ``claimwise.decomposers``, a ``Decomposer``, or a function.
        perhaps: options that it need not take.
        **options: of the decomposer.

    Raises:
        ClaimwiseError: for an unknown name or option.
    """
    check_options(name, options)
    if isinstance(name, str):
        return _adapted(Named(GROUP, name, "decomposer").made(options, perhaps or {}), name)
    return _adapted(name)


def check_options(decomposer: str | Decomposer | ClaimsFunction, options: Iterable[str]) -> None:
    """Refuse options that a decomposer does not take, before it is made.

    Raises:
        ClaimwiseError: naming the first, and listing those that it takes.
    """
    if isinstance(decomposer, str):
        Named(GROUP, decomposer, "decomposer").check(options)
    elif given := sorted(options):
        raise ClaimwiseError(
            f"{', '.join(given)} has no effect, because a ready-made decomposer keeps its own options.",
            "Leave it out.",
            option=given[0],
        )


def reads_english_only(decomposer: str | Decomposer | ClaimsFunction) -> bool:
    """Tell whether a decomposer, given as to ``load_decomposer``, says so; none is made to tell.

    Raises:
        ClaimwiseError: for an unknown name.
    """
    if isinstance(decomposer, str):
        decomposer = load_registered(GROUP, decomposer.partition(":")[0])
    return bool(getattr(decomposer, "english_only", False))


def _adapted(found: Any, name: str | None = None) -> Decomposer:
    """Return ``found`` as a decomposer; ``name`` is what it is registered under."""
    if not isinstance(found, type):
        if isinstance(found, Decomposer):
            return found
        if callable(found):
            return FunctionDecomposer(found)
    got = f"the class {found.__name__}" if isinstance(found, type) else type(found).__name__
    if name is not None:
        raise ClaimwiseError(
            f"What is registered as the decomposer {name!r} returns none when it is called; got {got}.",
            "It must be a class with `signature` and `decompose`, or a function that returns such an object.",
            option="decomposer",
        )
    listed = ", ".join(map(repr, registered(GROUP)))
    raise ClaimwiseError(
        f"The decomposer must be {listed}, or something that can be called with sentences; got {got}.",
        "Make an object of the class." if isinstance(found, type) else "",
        option="decomposer",
    )
