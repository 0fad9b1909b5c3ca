"""The words of summaries: how rare they are in a corpus, by their inverse document frequency."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from claimwise.errors import ClaimwiseError
from claimwise.evidence.kinds import RatedSentence
from claimwise.options import OptionGroup, choice, option
from claimwise.scores.lexical import Aggregation, InverseDocumentFrequency, average_idf
from claimwise.signature import parts_fingerprint
from claimwise.text.stopwords import Terms


@dataclass(frozen=True, kw_only=True)
class WordOptions(OptionGroup):
    """Options of the rarity of words."""

    idf_corpus: Sequence[str] | None = option(
        None,
        "sentences that serve as the documents for the inverse document frequency; None = the sentences of "
        "the scored summaries",
        secret=True,
    )
    idf_aggregation: Aggregation = choice(
        Aggregation, 'aggregation over the sentences of a summary: `"mean"` or `"sum"`'
    )
    tokenizer: str | Callable[[str], list[str]] = option(
        "words", '`"words"`, `"words_and_punctuation"`, `"treebank"`, or a function'
    )
    stopwords: str | Collection[str] = option(
        "english", 'a language such as `"english"`, `"all"`, `"none"`, or the words themselves'
    )
    stemmer: str = option("english", 'a Snowball language such as `"english"`, `"nltk_porter"`, or `"none"`')


class Words:
    """The terms of summaries and their inverse document frequency.

    Args:
        options: includes ``WordOptions``.
        split: returns the sentences of a text.
    """

    def __init__(self, options: WordOptions, split: Callable[[str], list[str]]) -> None:
        self._options, self._split = options, split
        self.terms = Terms(options.tokenizer, options.stopwords, options.stemmer)

    def sentences(self, text: str | Sequence[str]) -> list[str]:
        """Return the sentences of ``text``; unlike sentences for decomposition, all end before white space.

        The paper's numbers use such sentences. Given claims count as sentences.
        """
        if not isinstance(text, str):
            return list(text)
        parts: list[str] = []
        end = 0  # end of the previous sentence
        for sentence in self._split(text):
            start = text.find(sentence, end)
            if parts and start == end:
                parts[-1] += sentence
            else:
                parts.append(sentence)
            end = start + len(sentence) if start >= 0 else end
        return parts

    def terms_of(self, summaries: Iterable[str | Sequence[str]]) -> list[list[list[str]]]:
        """Return the terms of each sentence of each summary."""
        return [[self.terms(sentence) for sentence in self.sentences(text)] for text in summaries]

    def idf(self, summaries: Sequence[Sequence[Sequence[str]]]) -> InverseDocumentFrequency:
        """Return the frequency in the given corpus, or else in summaries, given by their terms."""
        return self.idf_of_corpus or InverseDocumentFrequency.of(chain.from_iterable(summaries))

    @cached_property
    def idf_of_corpus(self) -> InverseDocumentFrequency | None:
        """The frequency in the given corpus, if there is one."""
        corpus = self._options.idf_corpus
        if corpus is None:
            return None
        is_list = isinstance(corpus, Iterable) and not isinstance(corpus, str)
        if not is_list or not all(isinstance(sentence, str) for sentence in corpus):
            raise ClaimwiseError(
                "idf_corpus: expected a list of sentences, each a string.", option="idf_corpus"
            )
        return InverseDocumentFrequency.of(self.terms(sentence) for sentence in corpus)

    def average_idf(
        self,
        summaries: Sequence[Sequence[Sequence[str]]],
        idf: InverseDocumentFrequency,
        numbers: Sequence[int],
    ) -> list[float]:
        """Return the average IDF of each summary, given by its terms; errors name its row number."""
        averages = []
        for row, sentences in zip(numbers, summaries, strict=True):
            with naming(row):
                averages.append(average_idf(sentences, idf, self._options.idf_aggregation))
        return averages

    def rated(self, text: str | Sequence[str], idf: InverseDocumentFrequency) -> tuple[RatedSentence, ...]:
        """Return the sentences of a summary with the IDF of their terms."""
        return tuple(
            RatedSentence(sentence=sentence, idf={term: idf(term) for term in self.terms(sentence)})
            for sentence in self.sentences(text)
        )

    @property
    def signature(self) -> dict[str, object]:
        """The parts of the signature that the average IDF depends on."""
        corpus = self._options.idf_corpus
        return {
            "idf_corpus": "predictions" if corpus is None else parts_fingerprint(list(corpus)),
            "idf_aggregation": self._options.idf_aggregation,
            **self.terms.signature,
        }


@contextmanager
def naming(row: int) -> Iterator[None]:
    """Add the row number to errors of formulas."""
    try:
        yield
    except ClaimwiseError as error:
        raise error.at(column="predictions", row=row) from None
