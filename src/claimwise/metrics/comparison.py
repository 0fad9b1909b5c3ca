"""Claims of many summaries against each other: the best premise of each claim among other summaries.

Each distinct pair of claims is judged once, in blocks, and only top scores are kept.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
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
from claimwise.progress import bar
from claimwise.scores.genericity import Floats, Indices, Pool, top_scores
from claimwise.scores.lexical import InverseDocumentFrequency

PAIRS_AT_ONCE = 16_384
"""Approximate number of pairs of claims per call of the judge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GenericityState:
    """The state of all summaries that scoring a summary needs.

    Attributes:
        claims: claims of each summary.
        pairs: each summary to be scored → the summaries to compare it with.
        idf: inverse document frequency of terms.
        average_idf: average IDF of each summary.
        places: index of each row in these lists, by row number; numbers of rows that were left out are
            missing.
    """

    claims: list[Claims]
    pairs: Mapping[int, Indices]
    idf: InverseDocumentFrequency
    average_idf: list[float]
    places: dict[int, int]


class Comparison:
    """Compares the claims of summaries, hypothesis by hypothesis.

    Args:
        state: all summaries, and the pairs to compare.
        scored: indices of the summaries to be scored.
        pool: ``"other_entities"`` or ``"pairs"``.
        drop_identical: never compare a claim with the same string.

    Attributes:
        top_scores: for each scored summary ``[claims, sets]``; NaN = nothing to compare with.
        marks: marks of the judgements of each summary to be scored.
    """

    def __init__(
        self, state: GenericityState, scored: Sequence[int], pool: Pool, drop_identical: bool
    ) -> None:
        self._numbers, self._pairs, self._state_claims = list(state.places), state.pairs, state.claims
        self._pool, self._drop_identical = pool, drop_identical
        claims = [of_summary.claims for of_summary in state.claims]
        self._distinct = list(dict.fromkeys(itertools.chain(*claims)))
        number = {claim: i for i, claim in enumerate(self._distinct)}
        self._claims = np.array([number[claim] for of_summary in claims for claim in of_summary])
        self._counts = np.array([len(of_summary) for of_summary in claims])
        self._first = np.cumsum(self._counts) - self._counts
        self.marks = dict.fromkeys(scored, Marks())
        scored = [row for row in scored if row in state.pairs]
        self._places: dict[int, list[tuple[int, int]]] = {}  # hypothesis → summaries and positions in them
        for row in scored:
            for position, claim in enumerate(claims[row]):
                self._places.setdefault(number[claim], []).append((row, position))
        sets = {row: len(state.pairs[row]) if pool == "pairs" else 1 for row in scored}
        self.top_scores: dict[int, Floats] = {
            row: np.full((len(claims[row]), sets[row]), np.nan, np.float32) for row in scored
        }
        self._closest: dict[tuple[int, int], ClosestClaim] = {}

    def run(self, judge: Judge, show_progress: bool = True) -> None:
        """Score all pairs; with a score cache, a repeated run resumes."""
        progress = bar(
            "Genericity",
            sum(len(self._rows(hypothesis)) for hypothesis in self._places),
            "claim",
            shown=show_progress,
        )
        # In a pool, only the best premise counts.
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
        targets = [(hypothesis, row) for hypothesis in self._places for row in sorted(self._rows(hypothesis))]
        wanted = (
            (hypothesis, np.flatnonzero(self._premises(hypothesis, {row}))) for hypothesis, row in targets
        )
        found = best_first(judge, self._distinct, wanted)
        for (_, row), (hypothesis, premises, judgements) in zip(targets, found, strict=True):
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
                yield hypothesis, self._rows(hypothesis), premises, judgements[start:end]

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
        """Return the summaries that contain a hypothesis."""
        return {row for row, _ in self._places[hypothesis]}

    def _premises(self, hypothesis: int, rows: set[int]) -> Bools:
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
        """Add the marks of the judgements of a hypothesis to those of the summaries that contain it.

        Args:
            hypothesis: index of the hypothesis.
            rows: summaries that contain it.
            premises: judged premises; all others were not asked.
            judgements: their judgements.
        """
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
        """Return the evidence of one summary: each claim with its score and the closest other claims."""
        claims, evidence = self._state_claims[row], []
        for position, (claim, sentence) in enumerate(zip(claims.claims, claims.sentences, strict=True)):
            closest = self._closest.get((row, position))
            score = None
            if closest is not None:
                score = float(np.nanmean(self.top_scores[row][position], dtype=np.float64))
            evidence.append(GenericClaim(claim=claim, sentence=sentence, score=score, closest=closest))
        return tuple(evidence)
