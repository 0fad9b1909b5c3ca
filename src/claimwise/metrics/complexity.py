"""Complexity: the percentage of a summary's sentences that contrast opinions (Bhaskar et al. 2022)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from typing import Any

from claimwise.errors import ClaimwiseError
from claimwise.evidence.kinds import ContrastingSentence, SentenceEvidence
from claimwise.metrics.base import Metric
from claimwise.metrics.rows import Row, RowScore
from claimwise.metrics.spec import SUMMARIES, UNREADABLE, Choice, MetricSpec, bibtex
from claimwise.options import OptionGroup, option
from claimwise.scores.complexity import CONTRASTING_WORDS, complexity, contrasting_words
from claimwise.text.sentences import Splitter
from claimwise.text.tokens import load_tokenizer


@dataclass(frozen=True, kw_only=True)
class ComplexityOptions(OptionGroup):
    """Options of complexity."""

    words: Sequence[str] = option(
        CONTRASTING_WORDS, "list of single words; a sentence that contains one of them counts as contrasting"
    )
    case_sensitive: bool = option(
        False, 'bool; True = ignore "However" at the start of a sentence, as in the published numbers'
    )
    splitter: str = option(
        "nltk:untrained", '`"nltk:untrained"`, `"sentencex"`, `"nltk"` or `"spacy:<model>"`'
    )


class Complexity(Metric):
    """Complexity (Bhaskar et al. 2022, Appendix B): the percentage of contrasting sentences, in [0, 100]."""

    Options = ComplexityOptions
    makes_sentences = True
    spec = MetricSpec(
        name="complexity",
        title="Complexity",
        family="style",
        question="how many sentences contrast opinions?",
        description=(
            "Complexity is the percentage of summary sentences that contrast opinions, recognised by a "
            'word such as "but", "while" or "however". It shows how often a summary puts opposing views '
            "side by side, not whether the reviews do."
        ),
        bounds=(0, 100),
        quality="complex",
        ends=("none contrasts", "all do"),
        unit="%",
        columns=(SUMMARIES,),
        mean_over="sentences",
        counts=UNREADABLE,
        configurations={"default": {}, "paper": {"case_sensitive": True}},
        choices=(
            Choice(
                title="Case",
                values={"“However” counts": {}, "“However” does not count": {"case_sensitive": True}},
            ),
        ),
        source="Bhaskar et al. 2022, Appendix B",
        citation=bibtex("bhaskar2022zeroshot"),
        urls=("https://github.com/testzer0/ZS-Summ-GPT3",),
    )

    def __init__(self, config_name: str = "default", **options: Any) -> None:
        super().__init__(config_name, **options)
        _check_words(self.options.words, self._tokenize)

    def english_only(self, columns: Collection[str] = ()) -> tuple[str, ...]:
        """Return the option ``words`` if it has the paper's words, which are English."""
        return ("words",) if self.options.words == CONTRASTING_WORDS else ()

    def load(self) -> None:
        """Load the splitter."""
        _ = self._splitter

    @cached_property
    def _splitter(self) -> Splitter:
        return Splitter(self.options.splitter, mend=False, lines=self.normalises)

    @cached_property
    def _tokenize(self) -> Callable[[str], list[str]]:
        return load_tokenizer("treebank")

    def score_rows(self, rows: Sequence[Row], *, details: bool = False) -> list[RowScore]:
        """Return the score of each summary; with ``details`` also the contrasting words of its sentences."""
        return [self._row_score(row, details) for row in rows]

    def _row_score(self, row: Row, details: bool) -> RowScore:
        options = self.options
        sentences = self._splitter(row.text)
        tokens = [self._tokenize(sentence) for sentence in sentences]
        score = complexity(tokens, options.words, case_sensitive=options.case_sensitive)
        evidence = None
        if details:
            shown = []
            for sentence, of_sentence in zip(sentences, tokens, strict=True):
                words = contrasting_words(of_sentence, options.words, case_sensitive=options.case_sensitive)
                shown.append(ContrastingSentence(sentence=sentence, words=tuple(words)))
            evidence = SentenceEvidence(score=score, sentences=tuple(shown))
        return RowScore(score=score, weight=float(len(sentences)), counts=row.counts, evidence=evidence)

    def _signature_parts(self) -> dict[str, object]:
        return {
            **self._splitter.signature,
            "tokenizer": "treebank",
            "nltk": version("nltk"),
            "words": ",".join(sorted(self.options.words)),
            "case": "sensitive" if self.options.case_sensitive else "insensitive",
        }


def _check_words(words: Any, tokenize: Callable[[str], list[str]]) -> None:
    """Reject words that no tokenized sentence can contain."""
    if isinstance(words, (str, bytes)) or not isinstance(words, Sequence) or not words:
        raise ClaimwiseError("The option `words` needs a list of at least one word.", option="words")
    for word in words:
        if not isinstance(word, str) or tokenize(word) != [word]:
            problem = f"In the option `words`, “{word}” is not a single word."
            raise ClaimwiseError(problem, "Use words without spaces or punctuation.", option="words")
