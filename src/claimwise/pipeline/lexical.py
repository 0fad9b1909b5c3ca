"""What the words of a summary tell without a model: abstractiveness and complexity (Bhaskar et al. 2022)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from typing import Any, ClassVar

import numpy as np

from claimwise.errors import ClaimwiseError
from claimwise.pipeline.metric import Metric, Options, Scored
from claimwise.scores.complexity import CONTRASTING_WORDS, complexity, contrasting_words
from claimwise.scores.novelty import SIZES, Ngram, abstractiveness, ngrams
from claimwise.text.sentences import Splitter
from claimwise.text.tokens import load_tokenizer


@dataclass(frozen=True, kw_only=True)
class AbstractivenessOptions(Options):
    """Options of abstractiveness.

    Attributes:
        splitter: ``"nltk:untrained"``, ``"sentencex"``, ``"nltk"`` or ``"spacy:<model>"``.
        tokenizer: ``"treebank"`` (cased), ``"words_and_punctuation"``, ``"words"``, or a function from a
            sentence to its tokens.
    """

    splitter: str = "nltk:untrained"
    tokenizer: str | Callable[[str], list[str]] = "treebank"


class Abstractiveness(Metric):
    """Abstractiveness (Bhaskar et al. 2022, Appendix C): the share of novel n-grams, in [0, 1].

    0 = every n-gram of the summary stands in a sentence of its source, 1 = none does; the score is that of
    n = 3.
    """

    name = "abstractiveness"
    Options = AbstractivenessOptions
    references_are = "sources"
    configurations: ClassVar[dict[str, dict[str, Any]]] = {"default": {}, "paper": {}}

    def load(self) -> None:
        """Load the splitter and the tokenizer."""
        _ = self._splitter, self._tokenize

    @cached_property
    def _splitter(self) -> Splitter:
        return Splitter(self.options.splitter, mend=False)

    @cached_property
    def _tokenize(self) -> Callable[[str], list[str]]:
        return load_tokenizer(self.options.tokenizer)

    def ngrams(self, texts: Sequence[str]) -> dict[int, list[Ngram]]:
        """Return the n-grams of texts for n = 3, 4, 5, none of which crosses the end of a sentence."""
        sentences = [self._tokenize(sentence) for text in texts for sentence in self._splitter(text)]
        return {n: ngrams(sentences, n) for n in SIZES}

    def _score(self, predictions: list[str], references: list[list[str]]) -> Scored:
        summaries = [self.ngrams([summary]) for summary in predictions]
        rows_of: dict[tuple[str, ...], list[int]] = {}  # so that each source is read once, and not kept
        for row, source in enumerate(references):
            rows_of.setdefault(tuple(source), []).append(row)
        copied: list[dict[int, set[Ngram]]] = [{} for _ in predictions]
        for reviews, rows in rows_of.items():
            for n, of_source in self.ngrams(reviews).items():
                distinct = set(of_source)
                for row in rows:
                    copied[row][n] = distinct.intersection(summaries[row][n])
        scores = {
            n: [
                abstractiveness(summary[n], of_row[n])
                for summary, of_row in zip(summaries, copied, strict=True)
            ]
            for n in SIZES
        }

        def evidence(row: int) -> dict[str, Any]:
            return {
                "score": scores[SIZES[0]][row],
                **{
                    f"{kind}_{n}": [
                        " ".join(ngram)
                        for ngram in summaries[row][n]
                        if (ngram in copied[row][n]) == (kind == "copied")
                    ]
                    for n in SIZES
                    for kind in ("novel", "copied")
                },
            }

        first, *others = SIZES
        return Scored(
            scores=scores[first],
            details=lambda: [evidence(row) for row in range(len(predictions))],
            counts={"too_short": sum(not all(summary.values()) for summary in summaries)},
            further={
                **{f"{self.name}_{n}": float(np.mean(scores[n])) for n in others},
                **{f"{self.name}_{n}_scores": scores[n] for n in others},
            },
        )

    def _signature_parts(self) -> dict[str, object]:
        tokenizer = self.options.tokenizer
        if not isinstance(tokenizer, str):
            tokenizer = f"function {getattr(tokenizer, '__qualname__', type(tokenizer).__name__)}"
        return {**self._splitter.signature, "tokenizer": tokenizer, "nltk": version("nltk")}


@dataclass(frozen=True, kw_only=True)
class ComplexityOptions(Options):
    """Options of complexity.

    Attributes:
        words: a sentence with one of them is a contrasting one; each must be a single token.
        case_sensitive: miss "However" at the start of a sentence, as the published numbers do.
        splitter: ``"nltk:untrained"``, ``"sentencex"``, ``"nltk"`` or ``"spacy:<model>"``.
    """

    words: Sequence[str] = CONTRASTING_WORDS
    case_sensitive: bool = False
    splitter: str = "nltk:untrained"


class Complexity(Metric):
    """Complexity (Bhaskar et al. 2022, Appendix B): the percentage of contrasting sentences, in [0, 100]."""

    name = "complexity"
    Options = ComplexityOptions
    references_are = "ignored"
    configurations: ClassVar[dict[str, dict[str, Any]]] = {
        "default": {},
        "paper": {"case_sensitive": True},
    }

    def __init__(self, config_name: str = "default", **options: Any) -> None:
        super().__init__(config_name, **options)
        self._tokenize = load_tokenizer("treebank")
        _check_words(self.options.words, self._tokenize)

    def load(self) -> None:
        """Load the splitter."""
        _ = self._splitter

    @cached_property
    def _splitter(self) -> Splitter:
        return Splitter(self.options.splitter, mend=False)

    def _score(self, predictions: list[str]) -> Scored:
        options = self.options
        summaries = [self._splitter(summary) for summary in predictions]
        tokens = [[self._tokenize(sentence) for sentence in summary] for summary in summaries]
        scores = [
            complexity(of_summary, options.words, case_sensitive=options.case_sensitive)
            for of_summary in tokens
        ]

        def evidence(row: int) -> dict[str, Any]:
            return {
                "score": scores[row],
                "sentences": [
                    {
                        "sentence": sentence,
                        "words": contrasting_words(
                            of_sentence, options.words, case_sensitive=options.case_sensitive
                        ),
                    }
                    for sentence, of_sentence in zip(summaries[row], tokens[row], strict=True)
                ],
            }

        return Scored(
            scores=scores,
            details=lambda: [evidence(row) for row in range(len(predictions))],
            counts={},
            weights=[len(summary) for summary in summaries],
        )

    def _signature_parts(self) -> dict[str, object]:
        return {
            **self._splitter.signature,
            "tokenizer": "treebank",
            "nltk": version("nltk"),
            "words": ",".join(sorted(self.options.words)),
            "case": "sensitive" if self.options.case_sensitive else "insensitive",
        }


def _check_words(words: Any, tokenize: Callable[[str], list[str]]) -> None:
    """Refuse words that no sentence can hold, so that no score is 0 for that reason."""
    if isinstance(words, (str, bytes)) or not isinstance(words, Sequence) or not words:
        raise ClaimwiseError(f"words: expected a list of at least one word; got {words!r}.")
    for word in words:
        if not isinstance(word, str) or tokenize(word) != [word]:
            raise ClaimwiseError(f"words: {word!r} is not a single token. Give single words.")
