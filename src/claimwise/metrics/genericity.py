"""Genericity: would a summary fit any other entity as well, by its claims and by its words?"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import get_args

import numpy as np
from tqdm.auto import tqdm

from claimwise.errors import ClaimwiseError
from claimwise.evidence.kinds import ClosestClaim, GenericClaim, GenericityEvidence, RatedSentence
from claimwise.labels import CONTRADICTION, ENTAILMENT
from claimwise.metrics.base import CorpusMetric, Row, RowScore
from claimwise.metrics.citations import BHASKAR_2022
from claimwise.metrics.readings import Claims, Reading
from claimwise.metrics.spec import (
    CLAIMS,
    FALLBACKS,
    NLI_MODEL,
    SUMMARIES,
    TRUNCATED,
    Column,
    Further,
    MetricSpec,
)
from claimwise.metrics.steps import NLIMetric, NLIOptions
from claimwise.nli.crossing import gather
from claimwise.nli.filter.best import best_first
from claimwise.nli.filter.judge import FilteredJudge
from claimwise.nli.pairs import Pairs
from claimwise.nli.protocol import Bools, Judge, Judgements
from claimwise.options import option
from claimwise.scores.genericity import (
    Floats,
    Indices,
    Pool,
    genericity_score,
    ordered_pairs,
    sampling_interval,
    top_scores,
)
from claimwise.scores.lexical import Aggregation, InverseDocumentFrequency, average_idf
from claimwise.signature import text_fingerprint
from claimwise.text.stopwords import Terms

PAIRS_AT_ONCE = 16_384
"""About so many pairs of claims go to the judge in one call."""

CONFIDENCE_LEVEL = 0.95
"""Of the interval of a sample, unless ``compute`` is given another."""


@dataclass(frozen=True, kw_only=True)
class GenericityOptions(NLIOptions):
    """Options of genericity."""

    pool: Pool = option(
        "other_entities",
        """`"other_entities"`: a claim's best score against the claims of all summaries of other entities; """
        '`"pairs"`: the mean over the ordered pairs of different summaries',
        choices=get_args(Pool),
    )
    drop_identical: bool = option(
        False, "bool; True = never compare a claim with the same string in another summary"
    )
    threshold: float = option(0.5, "τ of the fraction, −1 to 1", between=(-1, 1))
    max_pairs: int | None = option(
        None,
        "compare a random sample of at most so many ordered pairs of summaries; None = all",
        at_least=1,
    )
    sampling_seed: int = option(0, "of that sample")
    idf_corpus: Sequence[str] | None = option(
        None,
        "sentences, the documents of the inverse document frequency; None = the sentences of the summaries "
        "that are scored",
        secret=True,
    )
    idf_aggregation: Aggregation = option(
        "mean", 'of the sentences of a summary: `"mean"` or `"sum"`', choices=get_args(Aggregation)
    )
    tokenizer: str | Callable[[str], list[str]] = option(
        "words", '`"words"`, `"words_and_punctuation"`, `"treebank"`, or a function'
    )
    stopwords: str | Collection[str] = option(
        "english", 'a language such as `"english"`, `"all"`, `"none"`, or the words themselves'
    )
    stemmer: str = option("english", 'a Snowball language such as `"english"`, `"nltk_porter"`, or `"none"`')


@dataclass(frozen=True, slots=True, kw_only=True)
class GenericityState:
    """What scoring a summary needs to know of all summaries.

    Attributes:
        claims: of each summary.
        pairs: each summary to be scored → those that it is compared with.
        idf: the inverse document frequency of terms.
        average_idf: of each summary.
        places: of each row in these lists, by its number; numbers have gaps where rows were left out.
    """

    claims: list[Claims]
    pairs: Mapping[int, Indices]
    idf: InverseDocumentFrequency
    average_idf: list[float]
    places: dict[int, int]


class Genericity(NLIMetric, CorpusMetric):
    """Genericity (Bhaskar et al. 2022, Section 5.5): semantic, in [−1, 1], and lexical.

    Each prediction is one (entity, aspect) summary of the same system. The further column ``entities`` of
    ``compute`` holds the entity of each; without it every summary is of an entity of its own.
    """

    Options = GenericityOptions
    spec = MetricSpec(
        name="genericity",
        title="Genericity",
        family="style",
        question="would the summary fit any other hotel?",
        description=(
            'Genericity tells whether the summaries of a system would fit any other entity as well ("The '
            'staff were kind"). Each summary is split into claims, an NLI model compares every claim with '
            "the claims of the summaries of all other entities, and the score is how firmly the best of "
            "these entails the claim. The words are scored beside the claims, by their average inverse "
            "document frequency."
        ),
        bounds=(-1, 1),
        ends=("others deny it", "fits any other"),
        better="lower",
        columns=(
            SUMMARIES,
            Column(name="entities", holds="names", meaning="what each summary is of", required=False),
        ),
        rows="summary",
        mean_over="claims",
        further={
            "genericity_fraction": Further(title="fraction of generic claims", bounds=(0, 1), weighted=True),
            "average_idf": Further(title="average IDF", bounds=(0, float("inf"))),
        },
        counts={"truncated": TRUNCATED, "fallbacks": FALLBACKS},
        configurations={
            "default": {},
            "paper": {
                "nli_model": "vitc",
                "drop_identical": True,
                "idf_aggregation": "sum",
                "tokenizer": "treebank",
                "stopwords": "all",
                "stemmer": "nltk_porter",
            },
        },
        choices=(NLI_MODEL, CLAIMS),
        source="Bhaskar et al. 2022, Section 5.5",
        citation=BHASKAR_2022,
        urls=("https://github.com/testzer0/ZS-Summ-GPT3",),
    )

    def load(self) -> None:
        """Load the splitter, the decomposer, the judge and the word lists."""
        super().load()
        _ = self._terms, self._idf_of_corpus

    def average_idf(self, summaries: Sequence[str | Sequence[str]]) -> list[float]:
        """Return the average IDF of each summary, a text or the list of its sentences; no model is needed.

        Raises:
            ClaimwiseError: for a summary of nothing but stopwords, naming its row.
        """
        sentences = [self._sentences(text) if isinstance(text, str) else text for text in summaries]
        terms = [[self._terms(s) for s in of_summary] for of_summary in sentences]
        return self._average_idf(terms, range(len(terms)))

    def _sentences(self, text: str) -> list[str]:
        """Return the sentences of ``text``; unlike those that claims are made of, all end before white space.

        The paper's numbers are of such sentences.
        """
        parts: list[list[str]] = []
        end = 0  # of the sentence before
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
        """Return the average IDF of each summary, given as the terms of its sentences; numbers name rows."""
        idf = self._idf(summaries)
        averages = []
        for row, sentences in zip(numbers, summaries, strict=True):
            with _naming(row):
                averages.append(average_idf(sentences, idf, self.options.idf_aggregation))
        return averages

    def prepare(self, rows: Sequence[Row]) -> GenericityState:
        """Return the claims of all summaries, which of them are compared, and the rarity of their words.

        Raises:
            ClaimwiseError: for fewer than two summaries, or two entities.
        """
        options = self.options
        # What can be refused is refused before the decomposer and the judge start.
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
        """Return the score of each summary among all of the ``state``; None for one outside a sample."""
        state = self.prepare(rows) if state is None else state
        readings = {
            state.places[row.number]: Reading(row=row, claims=(state.claims[state.places[row.number]],))
            for row in rows
        }
        comparison = _Comparison(state, readings, self.options.pool, self.options.drop_identical)
        comparison.run(self.judge, self.options.show_progress)
        for place, reading in readings.items():
            reading.found = place, state, comparison
        return [reading.told_with(self.score_row(reading, details)) for reading in readings.values()]

    def score_row(self, reading: Reading, details: bool) -> RowScore:
        """Return the score of a summary; with ``details`` also its closest claims and the rarity of words."""
        place, state, comparison = reading.found
        similarity = fraction = None
        weight, sums = 0.0, {}
        if place in comparison.top_scores:
            with _naming(reading.row.number):
                found = genericity_score(comparison.top_scores[place], self.options.threshold)
            similarity, fraction = float(found.similarities.mean()), float(found.fractions.mean())
            weight = float(found.similarities.size if self.options.pool == "pairs" else found.claims)
            if self._is_sample(len(state.claims), state.pairs):
                sums = {"similarities": found.similarities, "fractions": found.fractions}
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
                    for sentence in self._sentences(reading.row.prediction)
                ),
            )
        return RowScore(
            score=similarity,
            weight=weight,
            further={"genericity_fraction": fraction, "average_idf": state.average_idf[place]},
            sums=sums,
            evidence=evidence,
        )

    def _is_sample(self, count: int, pairs: Mapping[int, Indices]) -> bool:
        compared = next(iter(pairs.values()))
        return len(compared) < count - 1 if self.options.pool == "pairs" else len(pairs) < count

    def _of_all(
        self, row_scores: Sequence[RowScore], confidence_level: float | None
    ) -> dict[str, list[float]]:
        """Return the intervals that tell what all pairs would give, where a sample was compared."""
        scored = [row for row in row_scores if row.sums]
        pool = self.options.pool
        weights = [row.weight for row in scored]
        population = len(row_scores) - 1 if pool == "pairs" else len(row_scores)
        level = CONFIDENCE_LEVEL if confidence_level is None else confidence_level
        return {
            f"{name}_sampling_ci": list(
                sampling_interval([row.sums[sums] for row in scored], weights, population, pool, level)
            )
            for name, sums in (("genericity", "similarities"), ("genericity_fraction", "fractions"))
            if scored
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
            "idf_corpus": "predictions" if corpus is None else text_fingerprint("\n".join(corpus)),
            "idf_aggregation": options.idf_aggregation,
            **self._terms.signature,
        }


class _Comparison:
    """Compares the claims of summaries, one hypothesis with all its premises after the other.

    Each distinct pair of claims is scored once, and only top scores are kept.

    Args:
        state: all summaries, and which of them are compared.
        readings: of the summaries to be scored, by their places; they note what is told of the judgements.
        pool: ``"other_entities"`` or ``"pairs"``.
        drop_identical: never compare a claim with the same string.

    Attributes:
        top_scores: for each scored summary ``[claims, sets]``; NaN = nothing to compare with.
    """

    def __init__(
        self, state: GenericityState, readings: Mapping[int, Reading], pool: Pool, drop_identical: bool
    ) -> None:
        self._numbers, self._pairs = list(state.places), state.pairs
        self._readings, self._pool, self._drop_identical = readings, pool, drop_identical
        claims = [of_summary.claims for of_summary in state.claims]
        self._distinct = list(dict.fromkeys(itertools.chain(*claims)))
        number = {claim: i for i, claim in enumerate(self._distinct)}
        self._claims = np.array([number[claim] for of_summary in claims for claim in of_summary])
        self._counts = np.array([len(of_summary) for of_summary in claims])
        self._first = np.cumsum(self._counts) - self._counts
        scored = [row for row in readings if row in state.pairs]
        self._places: dict[int, list[tuple[int, int]]] = {}  # of each hypothesis: summary and position in it
        for row in scored:
            for position, claim in enumerate(claims[row]):
                self._places.setdefault(number[claim], []).append((row, position))
        sets = {row: len(state.pairs[row]) if pool == "pairs" else 1 for row in scored}
        self.top_scores: dict[int, Floats] = {
            row: np.full((len(claims[row]), sets[row]), np.nan, np.float32) for row in scored
        }
        self._closest: dict[tuple[int, int], ClosestClaim] = {}

    def run(self, judge: Judge, show_progress: bool = True) -> None:
        """Score everything; the judge's score cache, if it has one, makes a repeated run resume."""
        progress = tqdm(
            total=sum(len(self._rows(hypothesis)) for hypothesis in self._places),
            desc="Genericity",
            unit="claim",
            delay=2,
            disable=None if show_progress else True,  # None: only on a terminal
            leave=False,
        )
        # Of a whole pool only the best premise counts.
        if isinstance(judge, FilteredJudge) and self._pool == "other_entities":
            judged = self._best_judged(judge)
        else:
            judged = self._all_judged(judge)
        with progress:
            for hypothesis, rows, premises, judgements in judged:
                probabilities = judgements.probabilities
                scores = probabilities[:, ENTAILMENT] - probabilities[:, CONTRADICTION]
                self._keep(hypothesis, rows, premises, scores)
                if len(judgements.arrays()) > 2 or judgements.truncated.any():
                    self._note(hypothesis, rows, premises, judgements)
                progress.update(len(rows))

    def _best_judged(self, judge: FilteredJudge) -> Iterator[tuple[int, set[int], Indices, Judgements]]:
        """Yield hypotheses, each summary on its own, with what the judge says of their most likely premises.

        What is the best premise for one summary may be no premise for another.
        """
        targets = [(hypothesis, row) for hypothesis in self._places for row in sorted(self._rows(hypothesis))]
        wanted = (
            (hypothesis, np.flatnonzero(self._premises(hypothesis, {row}))) for hypothesis, row in targets
        )
        found = best_first(judge, self._distinct, wanted)
        for (_, row), (hypothesis, premises, judgements) in zip(targets, found, strict=True):
            yield hypothesis, {row}, premises, judgements

    def _all_judged(self, judge: Judge) -> Iterator[tuple[int, set[int], Indices, Judgements]]:
        """Yield hypotheses, for all summaries at once, with what the judge says of all their premises."""
        for block in self._blocks():
            judgements = gather(
                judge, [(self._distinct[p], self._distinct[h]) for h, premises in block for p in premises]
            )
            end = 0
            for hypothesis, premises in block:
                start, end = end, end + len(premises)
                yield hypothesis, self._rows(hypothesis), premises, judgements.at(slice(start, end))

    def _blocks(self) -> Iterator[list[tuple[int, Indices]]]:
        """Yield hypotheses with their premises, in blocks of about ``PAIRS_AT_ONCE`` pairs."""
        block, size = [], 0
        for hypothesis in self._places:
            premises = np.flatnonzero(self._premises(hypothesis, self._rows(hypothesis)))
            block.append((hypothesis, premises))
            size += len(premises)
            if size >= PAIRS_AT_ONCE:
                yield block
                block, size = [], 0
        if block:
            yield block

    def _rows(self, hypothesis: int) -> set[int]:
        """Return the summaries that a hypothesis stands in."""
        return {row for row, _ in self._places[hypothesis]}

    def _premises(self, hypothesis: int, rows: set[int]) -> Bools:
        """Return for each distinct claim whether a hypothesis in these summaries is compared with it."""
        compared = np.zeros(len(self._counts), dtype=np.bool_)
        for row in rows:
            compared[self._pairs[row]] = True
        premises = np.zeros(len(self._distinct), dtype=np.bool_)
        premises[self._claims[np.repeat(compared, self._counts)]] = True
        if self._drop_identical:
            premises[hypothesis] = False
        return premises

    def _note(self, hypothesis: int, rows: set[int], premises: Indices, judgements: Judgements) -> None:
        """Note what is told of a hypothesis in these summaries.

        Args:
            hypothesis: any.
            rows: summaries that it stands in.
            premises: that were judged; those that are missing were not asked about.
            judgements: of them.
        """
        for row in rows:
            compared = self._premises(hypothesis, {row})
            here = compared[premises]
            pairs = Pairs(self._distinct, premises[here], np.full(here.sum(), hypothesis))
            self._readings[row].note(pairs, judgements.at(here))
            if missing := int(compared.sum() - here.sum()):
                self._readings[row].leave_out(missing)

    def _keep(self, hypothesis: int, rows: set[int], premises: Indices, scores: Floats) -> None:
        """Keep the top scores of a hypothesis, wherever it stands in these summaries."""
        of_distinct = np.full(len(self._distinct), -np.inf, dtype=np.float32)
        of_distinct[premises] = scores
        of_claims = of_distinct[self._claims]
        of_summaries = top_scores(of_claims, self._first)
        for row, position in self._places[hypothesis]:
            if row not in rows:
                continue
            others = self._pairs[row]
            best = of_summaries[others]
            score = best.max()
            if score == -np.inf:
                continue
            closest = int(others[best.argmax()])
            claim = self._first[closest] + of_claims[self._first[closest] :][: self._counts[closest]].argmax()
            self._closest[row, position] = ClosestClaim(
                row=self._numbers[closest], claim=self._distinct[self._claims[claim]], score=float(score)
            )
            top = best if self._pool == "pairs" else score
            self.top_scores[row][position] = np.where(top == -np.inf, np.nan, top)

    def evidence(self, row: int) -> tuple[GenericClaim, ...]:
        """Return the evidence of one summary: each claim with its score and the closest of the others."""
        (claims,), evidence = self._readings[row].claims, []
        for position, (claim, sentence) in enumerate(zip(claims.claims, claims.sentences, strict=True)):
            closest = self._closest.get((row, position))
            score = None
            if closest is not None:
                score = float(np.nanmean(self.top_scores[row][position], dtype=np.float64))
            evidence.append(GenericClaim(claim=claim, sentence=sentence, score=score, closest=closest))
        return tuple(evidence)


@contextmanager
def _naming(row: int) -> Iterator[None]:
    """Name the row in what a score says is wrong."""
    try:
        yield
    except ClaimwiseError as error:
        raise error.at(column="predictions", row=row) from None
