"""Genericity: would a summary fit any other entity as well, judged by its claims and by its words?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from claimwise.evidence.kinds import GenericityEvidence
from claimwise.metrics.base import CorpusMetric
from claimwise.metrics.genericity_claims import Comparison, GenericityState, PoolOptions
from claimwise.metrics.genericity_words import WordOptions, Words, naming
from claimwise.metrics.nli import NLIMetric, NLIOptions
from claimwise.metrics.rows import Row, RowScore
from claimwise.metrics.spec import CLAIMS, JUDGE, JUDGED, SUMMARIES, Column, Further, MetricSpec, bibtex
from claimwise.scores.genericity import genericity_score, ordered_pairs, sampling_interval


@dataclass(frozen=True, kw_only=True)
class GenericityOptions(WordOptions, PoolOptions, NLIOptions):
    """Options of genericity: of its claims and of its words."""


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
            'staff were kind"). A judge compares every claim with the claims about all other entities; the '
            "score is how strongly the best of these entails it. Words are scored apart, by their rarity."
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
        _ = self._words.idf_of_corpus

    def average_idf(self, summaries: Sequence[str | Sequence[str]]) -> list[float]:
        """Return the average IDF of each summary, a text or its sentences; no model is needed.

        Raises:
            ClaimwiseError: for a summary with only stopwords, naming its row.
        """
        terms = self._words.terms_of(summaries)
        return self._words.average_idf(terms, self._words.idf(terms), range(len(terms)))

    @cached_property
    def _words(self) -> Words:
        return Words(self.options, self.splitter)

    def prepare(self, rows: Sequence[Row]) -> GenericityState:
        """Return the claims of all summaries, the pairs to compare, and the rarity of their words.

        Raises:
            ClaimwiseError: for fewer than two summaries, or two entities.
        """
        # Everything is checked before the decomposer and the judge start.
        options, entities = self.options, [row.further.get("entities", row.number) for row in rows]
        pairs = ordered_pairs(entities, options.pool, options.max_pairs, options.sampling_seed)
        texts = [row.prediction for row in rows]
        terms = self._words.terms_of(texts)
        idf = self._words.idf(terms)
        return GenericityState(
            average_idf=self._words.average_idf(terms, idf, [row.number for row in rows]),
            idf=idf,
            claims=self.claims(texts),
            pairs=pairs,
            indices={row.number: index for index, row in enumerate(rows)},
        )

    def score_rows(
        self, rows: Sequence[Row], *, details: bool = False, state: GenericityState | None = None
    ) -> list[RowScore]:
        """Return the score of each summary among all in the ``state``; None outside the sample."""
        state = self.prepare(rows) if state is None else state
        indices = [state.indices[row.number] for row in rows]
        comparison = Comparison(state, indices, self.options.pool, self.options.drop_identical)
        comparison.run(self.judge, self.options.show_progress)
        scored = []
        for row, index in zip(rows, indices, strict=True):
            score = self._score(row, index, state, comparison, details)
            scored.append(self.counted(score, row, [state.claims[index]], comparison.marks[index]))
        return scored

    def _score(
        self, row: Row, index: int, state: GenericityState, comparison: Comparison, details: bool
    ) -> RowScore:
        """Return the score of a summary; with ``details`` also its closest claims and the rarity of words."""
        similarity = fraction = None
        weight, sums = 0.0, {}
        if index in comparison.top_scores:
            with naming(row.number):
                result = genericity_score(comparison.top_scores[index], self.options.threshold)
            similarity, fraction = float(result.similarities.mean()), float(result.fractions.mean())
            weight = float(result.similarities.size if self.options.pool == "pairs" else result.claims)
            if state.is_sample(self.options.pool):
                sums = {"similarities": result.similarities.tolist(), "fractions": result.fractions.tolist()}
        evidence = None
        if details:
            evidence = GenericityEvidence(
                score=similarity,
                fraction=fraction,
                average_idf=state.average_idf[index],
                claims=() if similarity is None else comparison.evidence(index),
                sentences=self._words.rated(row.prediction, state.idf),
            )
        return RowScore(
            score=similarity,
            weight=weight,
            further={"genericity_fraction": fraction, "genericity_average_idf": state.average_idf[index]},
            sums=sums,
            evidence=evidence,
        )

    def _of_all(
        self, row_scores: Sequence[RowScore], confidence_level: float | None
    ) -> dict[str, list[float]]:
        """Return confidence intervals for the scores of all pairs, if only a sample was compared."""
        scored = [(row.weight, dict(row.sums)) for row in row_scores if row.sums]
        pool, weights = self.options.pool, [weight for weight, _ in scored]
        population = len(row_scores) - 1 if pool == "pairs" else len(row_scores)
        level = 0.95 if confidence_level is None else confidence_level
        return {
            f"{name}_sampling_ci": list(sampling_interval(values, weights, population, pool, level))
            for name, sums in (("genericity", "similarities"), ("genericity_fraction", "fractions"))
            if (values := [np.array(terms[sums]) for _, terms in scored])
        }

    def _signature_parts(self) -> dict[str, object]:
        options = self.options
        sample = {} if options.max_pairs is None else {"sampling_seed": options.sampling_seed}
        return {
            **super()._signature_parts(),
            "pool": options.pool,
            "identical": "dropped" if options.drop_identical else "kept",
            "threshold": options.threshold,
            "max_pairs": options.max_pairs or "all",
            **sample,
            **self._words.signature,
        }
