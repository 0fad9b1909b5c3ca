"""Abstractiveness: the share of a summary's n-grams that do not occur in its source (Bhaskar et al. 2022)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from typing import Any

from claimwise.evidence.kinds import NgramEvidence
from claimwise.metrics.base import Metric
from claimwise.metrics.rows import Row, RowScore
from claimwise.metrics.spec import REPAIRED, SOURCES, SUMMARIES, Choice, Further, MetricSpec, bibtex
from claimwise.options import OptionGroup, option
from claimwise.scores.novelty import SIZES, Ngram, abstractiveness, ngrams
from claimwise.text.sentences import Splitter
from claimwise.text.tokens import load_tokenizer, tokenizer_name


@dataclass(frozen=True, kw_only=True)
class AbstractivenessOptions(OptionGroup):
    """Options of abstractiveness."""

    splitter: str = option(
        "nltk:untrained", '`"nltk:untrained"`, `"sentencex"`, `"nltk"` or `"spacy:<model>"`'
    )
    tokenizer: str | Callable[[str], list[str]] = option(
        "treebank",
        '`"treebank"` (cased), `"words_and_punctuation"`, `"words"`, or a function from a sentence to its '
        "tokens",
    )


class Abstractiveness(Metric):
    """Abstractiveness (Bhaskar et al. 2022, Appendix C): the share of novel n-grams, in [0, 1].

    0 = every n-gram of the summary occurs in a sentence of its source, 1 = none does; the score is the share
    for n = 3.
    """

    Options = AbstractivenessOptions
    makes_sentences = True
    spec = MetricSpec(
        name="abstractiveness",
        title="Abstractiveness",
        family="style",
        question="how many n-grams are not in the source?",
        description=(
            "Abstractiveness measures how far a summary goes beyond copying: the share of its n-grams, for "
            "n = 3, 4 and 5, that occur in no sentence of its source. An extract scores near 0, a summary "
            "in its own words near 1. It says nothing about whether the new words are true."
        ),
        bounds=(0, 1),
        quality="abstractive",
        ends=("every n-gram is copied", "every n-gram is new"),
        columns=(SUMMARIES, SOURCES),
        further={f"abstractiveness_{n}": Further(title=f"novel {n}-grams", bounds=(0, 1)) for n in SIZES[1:]},
        counts=REPAIRED | {"too_short": "summaries without an n-gram of some size"},
        configurations={"default": {}, "paper": {}},
        choices=(
            Choice(
                title="Tokens",
                values={
                    "Treebank (cased)": {},
                    "words and punctuation, lower-cased": {"tokenizer": "words_and_punctuation"},
                    "words only, lower-cased": {"tokenizer": "words"},
                },
            ),
        ),
        source="Bhaskar et al. 2022, Appendix C",
        citation=bibtex("bhaskar2022zeroshot"),
        urls=("https://github.com/testzer0/ZS-Summ-GPT3",),
    )

    def load(self) -> None:
        """Load the splitter and the tokenizer."""
        _ = self._splitter, self._tokenize

    @cached_property
    def _splitter(self) -> Splitter:
        return Splitter(self.options.splitter, mend=False, lines=self.normalises)

    @cached_property
    def _tokenize(self) -> Callable[[str], list[str]]:
        return load_tokenizer(self.options.tokenizer)

    def ngrams(self, texts: Sequence[str]) -> dict[int, list[Ngram]]:
        """Return the n-grams of texts for n = 3, 4, 5; none crosses the end of a sentence."""
        sentences = [self._tokenize(sentence) for text in texts for sentence in self._splitter(text)]
        return {n: ngrams(sentences, n) for n in SIZES}

    def score_rows(self, rows: Sequence[Row], *, details: bool = False) -> list[RowScore]:
        """Return the score of each summary; with ``details`` also its novel and its copied n-grams."""
        summaries = [self.ngrams([row.text]) for row in rows]
        rows_of: dict[tuple[str, ...], list[int]] = {}  # so that each source is read only once and not kept
        for index, row in enumerate(rows):
            rows_of.setdefault(tuple(row.reference or ()), []).append(index)
        copied: list[dict[int, set[Ngram]]] = [{} for _ in rows]
        for reviews, indices in rows_of.items():
            for n, of_source in self.ngrams(reviews).items():
                distinct = set(of_source)
                for index in indices:
                    copied[index][n] = distinct.intersection(summaries[index][n])
        return [
            _row_score(row, summary, of_row, details)
            for row, summary, of_row in zip(rows, summaries, copied, strict=True)
        ]

    def _signature_parts(self) -> dict[str, object]:
        return {
            **self._splitter.signature,
            "tokenizer": tokenizer_name(self.options.tokenizer),
            "nltk": version("nltk"),
        }


def _row_score(
    row: Row, summary: dict[int, list[Ngram]], copied: dict[int, set[Ngram]], details: bool
) -> RowScore:
    scores = {n: abstractiveness(summary[n], copied[n]) for n in SIZES}
    first, *others = SIZES
    evidence = None
    if details:
        shown: dict[str, Any] = {
            f"{kind}_{n}": tuple(
                " ".join(ngram) for ngram in summary[n] if (ngram in copied[n]) == (kind == "copied")
            )
            for n in SIZES
            for kind in ("novel", "copied")
        }
        evidence = NgramEvidence(score=scores[first], **shown)
    return RowScore(
        score=scores[first],
        further={f"abstractiveness_{n}": scores[n] for n in others},
        counts={**row.counts, "too_short": int(not all(summary.values()))},
        evidence=evidence,
    )
