"""Claims of many summaries against each other: the best premise of each claim among other summaries.

Each distinct pair of claims is judged once, in blocks, and only top scores are kept.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from claimwise.evidence.kinds import ClosestClaim, GenericClaim
from claimwise.judges.crossing import gather
from claimwise.judges.filter.best import best_first
from claimwise.judges.filter.judge import FilteredJudge
from claimwise.judges.pairs import Bools
from claimwise.judges.protocol import Judge, Judgements
from claimwise.labels import CONTRADICTION, ENTAILMENT
from claimwise.metrics.claims import Claims
from claimwise.metrics.judged import Marks
from claimwise.options import OptionGroup, choice, option
from claimwise.progress import bar
from claimwise.scores.genericity import Floats, Indices, Pool, top_scores
from claimwise.scores.lexical import InverseDocumentFrequency

PAIRS_AT_ONCE = 16_384
"""Approximate number of pairs of claims per call of the judge."""


@dataclass(frozen=True, kw_only=True)
class PoolOptions(OptionGroup):
    """Which summaries are compared, and what counts as generic."""

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
    sampling_seed: int = option(0, "random seed of that sample", at_least=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class GenericityState:
    """The state of all summaries that scoring a summary needs.

    Attributes:
        claims: claims of each summary.
        pairs: each summary to be scored → the summaries to compare it with.
        idf: inverse document frequency of terms.
        average_idf: average IDF of each summary.
        indices: index of each row in these lists, by row number; numbers of rows that were left out are
            missing.
    """

    claims: list[Claims]
    pairs: Mapping[int, Indices]
    idf: InverseDocumentFrequency
    average_idf: list[float]
    indices: dict[int, int]

    def is_sample(self, pool: Pool) -> bool:
        """Return whether a random sample of the pairs is compared, and not all of them."""
        if pool == "other_entities":
            return len(self.pairs) < len(self.claims)
        return len(next(iter(self.pairs.values()))) < len(self.claims) - 1


class Comparison:
    """Compares the claims of summaries, hypothesis by hypothesis.

    Hypotheses and premises are indices of distinct claims, because a claim that several summaries share is
    judged once; rows are indices of summaries in the state. Only the rows in ``scored`` are scored.

    Attributes:
        top_scores: for each scored row ``[claims, sets]``; NaN = nothing to compare with.
        marks: for each scored row, the marks of its judgements.
    """

    def __init__(
        self, state: GenericityState, scored: Sequence[int], pool: Pool, drop_identical: bool
    ) -> None:
        self._numbers, self._pairs, self._state_claims = list(state.indices), state.pairs, state.claims
        self._pool, self._drop_identical = pool, drop_identical
        claims = [of_summary.claims for of_summary in state.claims]
        self._distinct = list(dict.fromkeys(itertools.chain(*claims)))
        number = {claim: i for i, claim in enumerate(self._distinct)}
        # All claims of all summaries in a line: the distinct claim of each, and where a summary begins.
        self._claims = np.array([number[claim] for of_summary in claims for claim in of_summary])
        self._counts = np.array([len(of_summary) for of_summary in claims])
        self._first = np.cumsum(self._counts) - self._counts
        self.marks = dict.fromkeys(scored, Marks())
        self._positions: dict[int, dict[int, list[int]]] = {}  # hypothesis → row → positions in it
        self.top_scores: dict[int, Floats] = {}
        for row in (row for row in scored if row in state.pairs):  # the others are outside the sample
            for position, claim in enumerate(claims[row]):
                self._positions.setdefault(number[claim], {}).setdefault(row, []).append(position)
            sets = len(state.pairs[row]) if pool == "pairs" else 1
            self.top_scores[row] = np.full((len(claims[row]), sets), np.nan, np.float32)
        self._closest: dict[tuple[int, int], ClosestClaim] = {}

    def run(self, judge: Judge, show_progress: bool = True) -> None:
        """Score all pairs; with a score cache, a repeated run resumes."""
        progress = bar("Genericity", sum(map(len, self._positions.values())), "claim", shown=show_progress)
        # In a pool only the best premise counts, so a filter may leave out the others.
        if isinstance(judge, FilteredJudge) and self._pool == "other_entities":
            judged, leaves_out = self._best_judged(judge), True
        else:
            judged, leaves_out = self._all_judged(judge), False
        with progress:
            for hypothesis, rows, premises, judgements in judged:
                probabilities = judgements.probabilities
                scores = probabilities[:, ENTAILMENT] - probabilities[:, CONTRADICTION]
                self._keep(hypothesis, rows, premises, scores)
                if leaves_out or judgements.has_marks:
                    self._mark(hypothesis, rows, premises, judgements)
                progress.update(len(rows))

    def _best_judged(self, judge: FilteredJudge) -> Iterator[tuple[int, set[int], Indices, Judgements]]:
        """Yield hypotheses, summary by summary, with the judgements of their most likely premises.

        The best premise for one summary may be excluded for another.
        """
        targets = [(hypothesis, row) for hypothesis, rows in self._positions.items() for row in sorted(rows)]
        wanted = (
            (hypothesis, np.flatnonzero(self._premises(hypothesis, {row}))) for hypothesis, row in targets
        )
        judged = best_first(judge, self._distinct, wanted)
        for (_, row), (hypothesis, premises, judgements) in zip(targets, judged, strict=True):
            yield hypothesis, {row}, premises, judgements

    def _all_judged(self, judge: Judge) -> Iterator[tuple[int, set[int], Indices, Judgements]]:
        """Yield hypotheses, for all summaries at once, with the judgements of all their premises."""
        for block in self._blocks():
            judgements = gather(
                judge, [(self._distinct[p], self._distinct[h]) for h, premises in block for p in premises]
            )
            end = 0
            for hypothesis, premises in block:
                start, end = end, end + len(premises)
                yield hypothesis, set(self._positions[hypothesis]), premises, judgements[start:end]

    def _blocks(self) -> Iterator[list[tuple[int, Indices]]]:
        """Yield hypotheses with their premises, in blocks of about ``PAIRS_AT_ONCE`` pairs."""
        block, size = [], 0
        for hypothesis, rows in self._positions.items():
            premises = np.flatnonzero(self._premises(hypothesis, rows))
            block.append((hypothesis, premises))
            size += len(premises)
            if size >= PAIRS_AT_ONCE:
                yield block
                block, size = [], 0
        if block:
            yield block

    def _premises(self, hypothesis: int, rows: Iterable[int]) -> Bools:
        """Return for each distinct claim whether it is a premise for a hypothesis of these summaries."""
        compared = np.zeros(len(self._counts), dtype=np.bool_)
        for row in rows:
            compared[self._pairs[row]] = True
        premises = np.zeros(len(self._distinct), dtype=np.bool_)
        premises[self._claims[np.repeat(compared, self._counts)]] = True
        if self._drop_identical:
            premises[hypothesis] = False
        return premises

    def _mark(self, hypothesis: int, rows: set[int], premises: Indices, judgements: Judgements) -> None:
        """Add marks to those of the summaries that contain a hypothesis; other premises were not asked."""
        for row in rows:
            compared = self._premises(hypothesis, {row})
            here = compared[premises]
            texts = [self._distinct[premise] for premise in premises[here].tolist()]
            block = judgements[here].reshape(len(texts), 1)
            missing = Marks(skipped=int(compared.sum() - here.sum()))
            self.marks[row] += Marks.of(texts, [self._distinct[hypothesis]], block) + missing

    def _keep(self, hypothesis: int, rows: set[int], premises: Indices, scores: Floats) -> None:
        """Store the top scores of a hypothesis at all its positions in these summaries."""
        of_distinct = np.full(len(self._distinct), -np.inf, dtype=np.float32)
        of_distinct[premises] = scores
        of_claims = of_distinct[self._claims]
        of_summaries = top_scores(of_claims, self._first)
        for row in rows:
            others = self._pairs[row]
            best = of_summaries[others]
            score = best.max()
            if score == -np.inf:
                continue
            number = int(others[best.argmax()])
            claim = self._first[number] + of_claims[self._first[number] :][: self._counts[number]].argmax()
            text = self._distinct[self._claims[claim]]
            closest = ClosestClaim(row=self._numbers[number], claim=text, score=float(score))
            top = best if self._pool == "pairs" else score
            for position in self._positions[hypothesis][row]:
                self._closest[row, position] = closest
                self.top_scores[row][position] = np.where(top == -np.inf, np.nan, top)

    def evidence(self, row: int) -> tuple[GenericClaim, ...]:
        """Return the evidence of one summary: each claim with its score and the closest other claims."""
        claims, evidence = self._state_claims[row], []
        for position, (claim, sentence) in enumerate(zip(claims.claims, claims.sentences, strict=True)):
            closest = self._closest.get((row, position))
            score = None
            if closest is not None:
                score = float(np.nanmean(self.top_scores[row][position], dtype=np.float64))
            evidence.append(GenericClaim(claim=claim, sentence=sentence, score=score, closest=closest))
        return tuple(evidence)
