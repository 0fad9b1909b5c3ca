"""Genericity: would a summary fit any other entity as well, by its claims and by its words?"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, get_args

import numpy as np
from tqdm.auto import tqdm

from claimwise.errors import ClaimwiseError
from claimwise.labels import CONTRADICTION, ENTAILMENT
from claimwise.nli.matrix import Predictions
from claimwise.pipeline.metric import Metric, Scored
from claimwise.pipeline.spine import Claims, Spine, SpineOptions
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
from claimwise.text.inputs import check_lengths
from claimwise.text.stopwords import Terms

PAIRS_AT_ONCE = 16_384
"""About so many pairs of claims go to the NLI model in one call."""


@dataclass(frozen=True, kw_only=True)
class GenericityOptions(SpineOptions):
    """Options of genericity.

    Attributes:
        pool: ``"other_entities"``: a claim's best score against the claims of all summaries of other
            entities; ``"pairs"``: the mean over the ordered pairs of different summaries.
        drop_identical: never compare a claim with the same string in another summary.
        threshold: τ of the fraction.
        max_pairs: compare a random sample of at most so many ordered pairs of summaries; None = all.
        sampling_seed: of that sample.
        idf_corpus: sentences, the documents of the inverse document frequency; None = the sentences of the
            summaries that are scored.
        idf_aggregation: of the sentences of a summary: ``"mean"`` or ``"sum"``.
        tokenizer: ``"words"``, ``"words_and_punctuation"``, ``"treebank"``, or a function.
        stopwords: a language such as ``"english"``, ``"all"``, ``"none"``, or the words themselves.
        stemmer: a Snowball language such as ``"english"``, ``"nltk_porter"``, or ``"none"``.
    """

    pool: Pool = "other_entities"
    drop_identical: bool = False
    threshold: float = 0.5
    max_pairs: int | None = None
    sampling_seed: int = 0
    idf_corpus: Sequence[str] | None = field(default=None, repr=False)
    idf_aggregation: Aggregation = "mean"
    tokenizer: str | Callable[[str], list[str]] = "words"
    stopwords: str | Collection[str] = "english"
    stemmer: str = "english"


class Genericity(Metric):
    """Genericity (Bhaskar et al. 2022, Section 5.5): semantic, in [−1, 1], and lexical.

    Each prediction is one (entity, aspect) summary of the same system. The further column ``entities`` of
    ``compute`` holds the entity of each; without it every summary is of an entity of its own.
    """

    name = "genericity"
    Options = GenericityOptions
    references_are = "ignored"
    configurations: ClassVar[dict[str, dict[str, Any]]] = {
        "default": {},
        "paper": {
            "nli_model": "vitc",
            "drop_identical": True,
            "idf_aggregation": "sum",
            "tokenizer": "treebank",
            "stopwords": "all",
            "stemmer": "nltk_porter",
        },
    }

    def __init__(self, config_name: str = "default", **options: Any) -> None:
        super().__init__(config_name, **options)
        _check(self.options)
        self.spine = Spine(self.options)

    def load(self) -> None:
        """Load the splitter, the decomposer, the NLI model and the word lists."""
        self.spine.load()
        _ = self._terms, self._idf_of_corpus

    def check(self, columns: dict[str, Any], first_row: int = 0) -> dict[str, Any]:
        """Return the columns ready to be scored, ``entities`` among them if they are given."""
        checked = super().check(columns, first_row)
        if columns.get("entities") is not None:
            checked["entities"] = _check_entities(columns["entities"], first_row)
            check_lengths(checked, first_row)
        return checked

    def average_idf(self, summaries: Sequence[str | Sequence[str]]) -> list[float]:
        """Return the average IDF of each summary, a text or the list of its sentences; no model is needed.

        Raises:
            ClaimwiseError: for a summary of nothing but stopwords, naming its row.
        """
        sentences = [self._sentences(text) if isinstance(text, str) else text for text in summaries]
        return self._average_idf([[self._terms(s) for s in of_summary] for of_summary in sentences])

    def _sentences(self, text: str) -> list[str]:
        """Return the sentences of ``text``; unlike those that claims are made of, all end before white space.

        The paper's numbers are of such sentences.
        """
        parts: list[list[str]] = []
        end = 0  # of the sentence before
        for sentence in self.spine.splitter(text):
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
            raise ClaimwiseError("idf_corpus: expected a list of sentences, each a string.")
        return InverseDocumentFrequency.of(self._terms(sentence) for sentence in corpus)

    def _idf(self, summaries: Sequence[Sequence[Sequence[str]]]) -> InverseDocumentFrequency:
        return self._idf_of_corpus or InverseDocumentFrequency.of(itertools.chain(*summaries))

    def _average_idf(self, summaries: Sequence[Sequence[Sequence[str]]]) -> list[float]:
        """Return the average IDF of each summary, given as the terms of its sentences."""
        idf = self._idf(summaries)
        averages = []
        for row, sentences in enumerate(summaries):
            with _naming(row):
                averages.append(average_idf(sentences, idf, self.options.idf_aggregation))
        return averages

    def _check_columns(self, columns: dict[str, Any]) -> None:
        if columns.get("entities", ()) is None:
            del columns["entities"]
        super()._check_columns({name: texts for name, texts in columns.items() if name != "entities"})

    def _score(self, predictions: list[str], entities: list[Hashable] | None = None) -> Scored:
        options, spine = self.options, self.spine
        # What can be refused is refused before the model starts.
        pairs = ordered_pairs(
            entities or range(len(predictions)), options.pool, options.max_pairs, options.sampling_seed
        )
        sentences = [self._sentences(text) for text in predictions]
        terms = [[self._terms(sentence) for sentence in of_summary] for of_summary in sentences]
        idf_scores = self._average_idf(terms)

        fallbacks = spine.decomposer.fallbacks
        claims = spine.claims(predictions)
        comparison = _Comparison(
            [of_summary.claims for of_summary in claims], pairs, options.pool, options.drop_identical
        )
        comparison.run(spine.nli_model.predict_pairs, options.show_progress)
        scores = {}
        for row, of_claims in comparison.top_scores.items():
            with _naming(row):
                scores[row] = genericity_score(of_claims, options.threshold)

        by_pairs = options.pool == "pairs"
        weights = [float(score.similarities.size if by_pairs else score.claims) for score in scores.values()]
        similarities = {row: float(score.similarities.mean()) for row, score in scores.items()}
        fractions = {row: float(score.fractions.mean()) for row, score in scores.items()}
        rows = range(len(predictions))
        further: dict[str, Any] = {
            "genericity_fraction": float(np.average(list(fractions.values()), weights=weights)),
            "average_idf": float(np.mean(idf_scores)),
            # One value per summary; None for a summary that the sample leaves out.
            "genericity_scores": [similarities.get(row) for row in rows],
            "genericity_fraction_scores": [fractions.get(row) for row in rows],
            "average_idf_scores": idf_scores,
        }
        population = len(rows) - 1 if by_pairs else len(rows)
        if (len(pairs[0]) if by_pairs else len(pairs)) < population:
            further["genericity_sampling_ci"] = list(
                sampling_interval(
                    [score.similarities for score in scores.values()], weights, population, options.pool
                )
            )
            further["genericity_fraction_sampling_ci"] = list(
                sampling_interval(
                    [score.fractions for score in scores.values()], weights, population, options.pool
                )
            )

        def details() -> list[dict[str, Any]]:
            idf = self._idf(terms)
            return [
                {
                    "score": similarities.get(row),
                    "fraction": fractions.get(row),
                    "average_idf": idf_scores[row],
                    "claims": comparison.evidence(row, claims[row]) if row in scores else [],
                    "sentences": [
                        {"sentence": sentence, "idf": {term: idf(term) for term in of_sentence}}
                        for sentence, of_sentence in zip(sentences[row], terms[row], strict=True)
                    ],
                }
                for row in rows
            ]

        counts = {"truncated": comparison.truncated, "fallbacks": spine.decomposer.fallbacks - fallbacks}
        return Scored(list(similarities.values()), details, counts, weights, further)

    def _signature_parts(self) -> dict[str, object]:
        options = self.options
        sample = {} if options.max_pairs is None else {"sampling_seed": options.sampling_seed}
        corpus = options.idf_corpus
        return {
            **self.spine.signature_parts(),
            "pool": options.pool,
            "identical": "dropped" if options.drop_identical else "kept",
            "threshold": options.threshold,
            "max_pairs": options.max_pairs or "all",
            **sample,
            "idf_corpus": "predictions" if corpus is None else text_fingerprint("\n".join(corpus)),
            "idf_aggregation": options.idf_aggregation,
            **self._terms.signature,
        }


class _Closest(NamedTuple):
    """The claim of another summary that most entails a claim."""

    row: int
    claim: str
    score: float


class _Comparison:
    """Compares the claims of summaries, one hypothesis with all its premises after the other.

    Each distinct pair of claims is scored once, and only top scores are kept.

    Args:
        claims: of each summary.
        pairs: each summary to be scored → those that it is compared with.
        pool: see ``GenericityOptions``.
        drop_identical: likewise.

    Attributes:
        top_scores: for each scored summary ``[claims, sets]``; NaN = nothing to compare with.
        truncated: how many pairs of claims were cut to fit the model.
    """

    def __init__(
        self, claims: list[list[str]], pairs: dict[int, Indices], pool: Pool, drop_identical: bool
    ) -> None:
        self._pairs, self._pool, self._drop_identical = pairs, pool, drop_identical
        self._distinct = list(dict.fromkeys(itertools.chain(*claims)))
        number = {claim: i for i, claim in enumerate(self._distinct)}
        self._claims = np.array([number[claim] for of_summary in claims for claim in of_summary])
        self._counts = np.array([len(of_summary) for of_summary in claims])
        self._first = np.cumsum(self._counts) - self._counts
        self._places: dict[int, list[tuple[int, int]]] = {}  # of each hypothesis: summary and position in it
        for row in pairs:
            for position, claim in enumerate(claims[row]):
                self._places.setdefault(number[claim], []).append((row, position))
        self.top_scores: dict[int, Floats] = {
            row: np.full((len(claims[row]), len(others) if pool == "pairs" else 1), np.nan, dtype=np.float32)
            for row, others in pairs.items()
        }
        self._closest: dict[tuple[int, int], _Closest] = {}
        self.truncated = 0

    def run(
        self, predict_pairs: Callable[[list[tuple[str, str]]], Predictions], show_progress: bool = True
    ) -> None:
        """Score everything; the model's score cache, if it has one, makes a repeated run resume."""
        progress = tqdm(
            total=len(self._places),
            desc="Genericity",
            unit="claim",
            delay=2,
            disable=None if show_progress else True,  # None: only on a terminal
            leave=False,
        )
        with progress:
            for block in self._blocks():
                predictions = predict_pairs(
                    [(self._distinct[p], self._distinct[h]) for h, premises in block for p in premises]
                )
                self.truncated += int(predictions.truncated.sum())
                probabilities = predictions.probabilities
                scores = probabilities[:, ENTAILMENT] - probabilities[:, CONTRADICTION]
                ends = np.cumsum([len(premises) for _, premises in block])
                for (hypothesis, premises), of_premises in zip(
                    block, np.split(scores, ends[:-1]), strict=True
                ):
                    self._note(hypothesis, premises, of_premises)
                progress.update(len(block))

    def _blocks(self) -> Iterator[list[tuple[int, Indices]]]:
        """Yield hypotheses with their premises, in blocks of about ``PAIRS_AT_ONCE`` pairs."""
        block, size = [], 0
        for hypothesis, places in self._places.items():
            compared = np.zeros(len(self._counts), dtype=np.bool_)
            for row, _ in places:
                compared[self._pairs[row]] = True
            premises = np.unique(self._claims[np.repeat(compared, self._counts)])
            if self._drop_identical:
                premises = premises[premises != hypothesis]
            block.append((hypothesis, premises))
            size += len(premises)
            if size >= PAIRS_AT_ONCE:
                yield block
                block, size = [], 0
        if block:
            yield block

    def _note(self, hypothesis: int, premises: Indices, scores: Floats) -> None:
        """Keep the top scores of a hypothesis, wherever it stands."""
        of_distinct = np.full(len(self._distinct), -np.inf, dtype=np.float32)
        of_distinct[premises] = scores
        of_claims = of_distinct[self._claims]
        of_summaries = top_scores(of_claims, self._first)
        for row, position in self._places[hypothesis]:
            others = self._pairs[row]
            best = of_summaries[others]
            score = best.max()
            if score == -np.inf:
                continue
            closest = int(others[best.argmax()])
            claim = self._first[closest] + of_claims[self._first[closest] :][: self._counts[closest]].argmax()
            self._closest[row, position] = _Closest(
                closest, self._distinct[self._claims[claim]], float(score)
            )
            top = best if self._pool == "pairs" else score
            self.top_scores[row][position] = np.where(top == -np.inf, np.nan, top)

    def evidence(self, row: int, claims: Claims) -> list[dict[str, Any]]:
        """Return the evidence of one summary: each claim with its score and the closest of the others."""
        evidence = []
        for position, (claim, sentence) in enumerate(zip(claims.claims, claims.sentences, strict=True)):
            closest = self._closest.get((row, position))
            score = np.nanmean(self.top_scores[row][position], dtype=np.float64) if closest else None
            evidence.append(
                {
                    "claim": claim,
                    "sentence": sentence,
                    "score": None if score is None else float(score),
                    "closest": closest._asdict() if closest else None,
                }
            )
        return evidence


def _check(options: GenericityOptions) -> None:
    for name, choices in (("pool", get_args(Pool)), ("idf_aggregation", get_args(Aggregation))):
        if (choice := getattr(options, name)) not in choices:
            raise ClaimwiseError(f"{name} must be one of {', '.join(map(repr, choices))}; got {choice!r}.")
    if not -1 <= options.threshold <= 1:
        raise ClaimwiseError(f"threshold must lie between -1 and 1; got {options.threshold!r}.")
    if options.max_pairs is not None and options.max_pairs < 1:
        raise ClaimwiseError(f"max_pairs must be at least 1, or None for all; got {options.max_pairs!r}.")


def _check_entities(entities: Any, first_row: int) -> list[Hashable]:
    """Return the entities as a list of names or numbers."""
    if isinstance(entities, (str, bytes, dict)) or not isinstance(entities, Iterable):
        raise ClaimwiseError(
            f"entities: expected a list with the entity of each summary; got {type(entities).__name__}."
        )
    checked = list(entities)
    for row, entity in enumerate(checked, first_row):
        if not isinstance(entity, Hashable) or entity in (None, "") or entity != entity:
            raise ClaimwiseError(
                f"entities, row {row}: expected a name or a number; got {entity!r}. Give the entity that the "
                f"summary is of."
            )
    return checked


@contextmanager
def _naming(row: int) -> Iterator[None]:
    """Put the row in front of what a score says is wrong."""
    try:
        yield
    except ClaimwiseError as error:
        raise ClaimwiseError(f"predictions, row {row}: {error}") from None
