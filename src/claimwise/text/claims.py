"""Decomposers: a sentence in, its single-claim sentences out (CASPR paper, Section 2.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

from claimwise.errors import ClaimwiseError


class Decomposed(NamedTuple):
    claims: list[str]
    left_whole: str | None = None
    fallback: bool = False


@runtime_checkable
class Decomposer(Protocol):
    """Splits sentences into claims.

    ``signature`` holds everything that changes its output, ``fallbacks`` counts the sentences of all
    calls so far that were left whole because the decomposition failed.
    """

    signature: dict[str, str]
    fallbacks: int

    def __call__(self, sentences: Sequence[str]) -> list[list[str]]:
        """Return one list of claims per sentence, never empty for a non-empty sentence."""
        ...


class SentencesDecomposer:
    """Leaves every sentence whole: one sentence is one claim."""

    def __init__(self) -> None:
        self.signature = {"decomposer": "sentences"}
        self.fallbacks = 0

    def __call__(self, sentences: Sequence[str]) -> list[list[str]]:
        """Return each sentence as its only claim."""
        return [[sentence] for sentence in sentences]

    def decompose(self, sentences):
        return [Decomposed([sentence]) for sentence in sentences]


class FunctionDecomposer:
    """A plain function from sentences to lists of claims."""

    def __init__(self, function: Callable[[Sequence[str]], list[list[str]]]) -> None:
        self._function = function
        name = getattr(function, "__qualname__", type(function).__name__)
        self.signature = {"decomposer": f"function {name}"}
        self.fallbacks = 0

    def __call__(self, sentences: Sequence[str]) -> list[list[str]]:
        """Return the function's claims, after a check that no sentence went without."""
        claims = self._function(sentences)
        if len(claims) != len(sentences) or not all(claims):
            raise ClaimwiseError("The decomposer must return at least one claim for every sentence.")
        return claims


def load_decomposer(
    name: str | Decomposer | Callable[[Sequence[str]], list[list[str]]] = "rules",
    **options: Any,
) -> Decomposer:
    """Return the decomposer called ``name``, or ``name`` itself if it already is one.

    Args:
        name: ``"rules"`` (offline clause splitting), ``"sentences"`` (no splitting), ``"openai"``
            (any OpenAI-compatible endpoint), a ``Decomposer``, or a function.
        **options: passed to the decomposer; only ``"openai"`` has any.

    Raises:
        ClaimwiseError: for an unknown name or option.
    """
    if not isinstance(name, str):
        if options:
            raise ClaimwiseError(
                f"A ready-made decomposer takes no options; got {', '.join(sorted(options))}."
            )
        if isinstance(name, Decomposer):
            return name
        if callable(name):
            return FunctionDecomposer(name)
        raise ClaimwiseError(
            f"The decomposer must be 'rules', 'sentences', 'openai', or something that can be called with "
            f"sentences; got {type(name).__name__}."
        )
    if options and name != "openai":
        raise ClaimwiseError(f"The decomposer {name!r} takes no options; got {', '.join(sorted(options))}.")
    if name == "rules":
        from claimwise.text.rules import RulesDecomposer

        return RulesDecomposer()
    if name == "sentences":
        return SentencesDecomposer()
    if name == "openai":
        from claimwise.text.llm import OpenAIDecomposer

        try:
            return OpenAIDecomposer(**options)
        except TypeError as error:
            raise ClaimwiseError(f"The decomposer 'openai' cannot be made so: {error}.") from error
    raise ClaimwiseError(f"Unknown decomposer {name!r}. Choose 'rules', 'sentences' or 'openai'.")
