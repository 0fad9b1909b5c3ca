"""Genericity: would a summary fit any other entity as well, judged by its claims and by its words?"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from claimwise.errors import ClaimwiseError
from claimwise.evidence.kinds import GenericityEvidence, RatedSentence
from claimwise.metrics.base import CorpusMetric
from claimwise.metrics.citations import bibtex
from claimwise.metrics.comparison import Comparison, GenericityState
from claimwise.metrics.nli import NLIMetric, NLIOptions
from claimwise.metrics.rows import Row, RowScore
from claimwise.metrics.spec import CLAIMS, JUDGE, JUDGED, SUMMARIES, Column, Further, MetricSpec
from claimwise.options import choice, option
from claimwise.scores.genericity import (
    Indices,
    Pool,
    genericity_score,
    ordered_pairs,
    sampling_interval,
)
from claimwise.scores.lexical import Aggregation, InverseDocumentFrequency, average_idf
from claimwise.signature import parts_fingerprint
from claimwise.text.stopwords import Terms

CONFIDENCE_LEVEL = 0.95
"""Confidence level of the interval of a sample, unless ``compute`` is given a level."""


@dataclass(frozen=True, kw_only=True)
class GenericityOptions(NLIOptions):
    """Options of genericity."""

    pool: Pool = choice(
        Pool,
        """`"other_entities"`: a claim's best score against the claims of all summaries of other entities; """
        '`"pairs"`: the mean over the ordered pairs of different summaries',
    )
    drop_identical: bool = option(
        False, "bool; True = never compare a claim with an identical claim in another summary"
    )
    threshold: float = option(0.5, "threshold τ of `genericity_fraction`, −1 to 1", between=(-1, 1))
    max_pairs: int | None = option(
        None,
        "compare a random sample of at most this many ordered pairs of summaries; None = all",
        at_least=1,
    )
    sampling_seed: int = option(0, "random seed of that sample")
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


class Genericity(NLIMetric, CorpusMetric):
    """Genericity (Bhaskar et al. 2022, Section 5.5): semantic, in [−1, 1], and lexical.

    Each prediction is one (entity, aspect) summary of the same system. The optional column ``entities`` of
    ``compute`` holds the entity of each summary; without it every summary has a different entity.
    """

    Options = GenericityOptions
    spec = MetricSpec(
        name="genericity",
        title="Genericity",
        family="style",
        question="would the summary fit any other entity?",
        description=(
            'Genericity measures whether the summaries of a system would fit any other entity as well ("The '
            'staff were kind"). Each summary is split into claims, an NLI model compares every claim with '
            "the claims of the summaries of all other entities, and the score is how strongly the best of "
            "these entails the claim. Words are scored separately, by their average inverse "
            "document frequency."
        ),
        bounds=(-1, 1),
        quality="generic",
        ends=("contradicts the others", "fits any entity"),
        better="lower",
        columns=(
            SUMMARIES.or_claims,
            Column(name="entities", holds="names", meaning="the entity of each summary", required=False),
        ),
        mean_over="claims",
        further={
            "genericity_fraction": Further(title="fraction of generic claims", bounds=(0, 1), weighted=True),
            "genericity_average_idf": Further(title="average IDF", bounds=(0, float("inf"))),
        },
        counts=JUDGED,
        configurations={
            "default": {},
            "paper": {
                "judge": "vitc",
                "drop_identical": True,
                "idf_aggregation": "sum",
                "tokenizer": "treebank",
                "stopwords": "all",
                "stemmer": "nltk_porter",
            },
        },
        choices=(JUDGE, CLAIMS),
        attributions="strip",
        source="Bhaskar et al. 2022, Section 5.5",
        citation=bibtex("bhaskar2022zeroshot"),
        urls=("https://github.com/testzer0/ZS-Summ-GPT3",),
    )

    def load(self) -> None:
        """Load the splitter, the decomposer, the judge and the word lists."""
        super().load()
        _ = self._terms, self._idf_of_corpus

    def average_idf(self, summaries: Sequence[str | Sequence[str]]) -> list[float]:
        """Return the average IDF of each summary, a text or its sentences; no model is needed.

        Raises:
            ClaimwiseError: for a summary with only stopwords, naming its row.
        """
        terms = [[self._terms(sentence) for sentence in self._sentences(text)] for text in summaries]
        return self._average_idf(terms, range(len(terms)))

    def _sentences(self, text: str | Sequence[str]) -> list[str]:
        """Return the sentences of ``text``; unlike sentences for decomposition, all end before white space.

        The paper's numbers use such sentences. Given claims count as sentences.
        """
        if not isinstance(text, str):
            return list(text)
        parts: list[list[str]] = []
        end = 0  # end of the previous sentence
        for sentence in self.splitter(text):
            start = text.find(sentence, end)
            if parts and start == end:
                parts[-1].append(sentence)
            else:
                parts.append([sentence])
            end = start + len(sentence) if start >= 0 else end
        return ["".join(of_one) for of_one in parts]

    @cached_property
    def _terms(self) -> Terms:
        options = self.options
        return Terms(options.tokenizer, options.stopwords, options.stemmer)

    @cached_property
    def _idf_of_corpus(self) -> InverseDocumentFrequency | None:
        corpus = self.options.idf_corpus
        if corpus is None:
            return None
        is_list = isinstance(corpus, Iterable) and not isinstance(corpus, str)
        if not is_list or not all(isinstance(sentence, str) for sentence in corpus):
            raise ClaimwiseError(
                "idf_corpus: expected a list of sentences, each a string.", option="idf_corpus"
            )
        return InverseDocumentFrequency.of(self._terms(sentence) for sentence in corpus)

    def _idf(self, summaries: Sequence[Sequence[Sequence[str]]]) -> InverseDocumentFrequency:
        return self._idf_of_corpus or InverseDocumentFrequency.of(itertools.chain(*summaries))

    def _average_idf(
        self, summaries: Sequence[Sequence[Sequence[str]]], numbers: Sequence[int]
    ) -> list[float]:
        """Return the average IDF of each summary, given as the terms of its sentences, with row numbers."""
        idf = self._idf(summaries)
        averages = []
        for row, sentences in zip(numbers, summaries, strict=True):
            with _naming(row):
                averages.append(average_idf(sentences, idf, self.options.idf_aggregation))
        return averages

    def prepare(self, rows: Sequence[Row]) -> GenericityState:
        """Return the claims of all summaries, the pairs to compare, and the rarity of their words.

        Raises:
            ClaimwiseError: for fewer than two summaries, or two entities.
        """
        options = self.options
        # Check everything before the decomposer and the judge start.
        entities = [row.further.get("entities", row.number) for row in rows]
        pairs = ordered_pairs(entities, options.pool, options.max_pairs, options.sampling_seed)
        texts = [row.prediction for row in rows]
        terms = [[self._terms(sentence) for sentence in self._sentences(text)] for text in texts]
        return GenericityState(
            average_idf=self._average_idf(terms, [row.number for row in rows]),
            idf=self._idf(terms),
            claims=self.claims(texts),
            pairs=pairs,
            places={row.number: place for place, row in enumerate(rows)},
        )

    def score_rows(
        self, rows: Sequence[Row], *, details: bool = False, state: GenericityState | None = None
    ) -> list[RowScore]:
        """Return the score of each summary among all in the ``state``; None outside the sample."""
        state = self.prepare(rows) if state is None else state
        places = [state.places[row.number] for row in rows]
        comparison = Comparison(state, places, self.options.pool, self.options.drop_identical)
        comparison.run(self.judge, self.options.show_progress)
        scored = []
        for row, place in zip(rows, places, strict=True):
            score = self._score(row, place, state, comparison, details)
            scored.append(self.counted(score, row, [state.claims[place]], comparison.marks[place]))
        return scored

    def _score(
        self, row: Row, place: int, state: GenericityState, comparison: Comparison, details: bool
    ) -> RowScore:
        """Return the score of a summary; with ``details`` also its closest claims and the rarity of words."""
        similarity = fraction = None
        weight, sums = 0.0, {}
        if place in comparison.top_scores:
            with _naming(row.number):
                result = genericity_score(comparison.top_scores[place], self.options.threshold)
            similarity, fraction = float(result.similarities.mean()), float(result.fractions.mean())
            weight = float(result.similarities.size if self.options.pool == "pairs" else result.claims)
            if self._is_sample(len(state.claims), state.pairs):
                sums = {"similarities": result.similarities.tolist(), "fractions": result.fractions.tolist()}
        evidence = None
        if details:
            evidence = GenericityEvidence(
                score=similarity,
                fraction=fraction,
                average_idf=state.average_idf[place],
                claims=() if similarity is None else comparison.evidence(place),
                sentences=tuple(
                    RatedSentence(
                        sentence=sentence, idf={term: state.idf(term) for term in self._terms(sentence)}
                    )
                    for sentence in self._sentences(row.prediction)
                ),
            )
        return RowScore(
            score=similarity,
            weight=weight,
            further={"genericity_fraction": fraction, "genericity_average_idf": state.average_idf[place]},
            sums=sums,
            evidence=evidence,
        )

    def _is_sample(self, count: int, pairs: Mapping[int, Indices]) -> bool:
        compared = next(iter(pairs.values()))
        return len(compared) < count - 1 if self.options.pool == "pairs" else len(pairs) < count

    def _of_all(
        self, row_scores: Sequence[RowScore], confidence_level: float | None
    ) -> dict[str, list[float]]:
        """Return confidence intervals for the scores of all pairs, if only a sample was compared."""
        scored = [(row.weight, dict(row.sums)) for row in row_scores if row.sums]
        pool = self.options.pool
        weights = [weight for weight, _ in scored]
        population = len(row_scores) - 1 if pool == "pairs" else len(row_scores)
        level = CONFIDENCE_LEVEL if confidence_level is None else confidence_level
        return {
            f"{name}_sampling_ci": list(sampling_interval(values, weights, population, pool, level))
            for name, sums in (("genericity", "similarities"), ("genericity_fraction", "fractions"))
            if (values := [np.array(terms[sums]) for _, terms in scored])
        }

    def _signature_parts(self) -> dict[str, object]:
        options = self.options
        sample = {} if options.max_pairs is None else {"sampling_seed": options.sampling_seed}
        corpus = options.idf_corpus
        return {
            **super()._signature_parts(),
            "pool": options.pool,
            "identical": "dropped" if options.drop_identical else "kept",
            "threshold": options.threshold,
            "max_pairs": options.max_pairs or "all",
            **sample,
            "idf_corpus": "predictions" if corpus is None else parts_fingerprint(list(corpus)),
            "idf_aggregation": options.idf_aggregation,
            **self._terms.signature,
        }


@contextmanager
def _naming(row: int) -> Iterator[None]:
    """Add the row number to errors of formulas."""
    try:
        yield
    except ClaimwiseError as error:
        raise error.at(column="predictions", row=row) from None
