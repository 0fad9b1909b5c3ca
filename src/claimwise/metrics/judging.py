"""What is to be told beside the score: where judges differ, what they could not judge, open pronouns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from claimwise.evidence.kinds import Agreement, DisputedPair, Probabilities, UnjudgedPair
from claimwise.metrics.base import RowScore
from claimwise.metrics.steps import Claims
from claimwise.nli.pairs import Pairs
from claimwise.nli.protocol import Example, Judgements, Pair


@dataclass
class Notes:
    """Gathers it for one row."""

    judges: tuple[str, ...] = ()
    pairs: int = 0
    disputed: list[DisputedPair] = field(default_factory=list)
    unjudged: list[Pair] = field(default_factory=list)
    counts_unjudged: bool = False
    not_asked: int | None = None
    resolved: int | None = None
    open: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, examples: Iterable[Example], predictions: Iterable[Judgements]) -> Notes:
        """Return the notes of examples and their predictions, ``[premises, hypotheses]`` each."""
        notes = cls()
        for (premises, hypotheses), found in zip(examples, predictions, strict=True):
            pairs = Pairs.crossed([(premises, hypotheses)])
            notes.add(pairs, found.reshaped(len(pairs)))
        return notes

    def add(self, pairs: Sequence[Pair], predictions: Judgements) -> None:
        """Note what is to be told of pairs and their predictions, ``[pairs]``."""
        if predictions.not_asked is not None:
            self.leave_out(int(predictions.not_asked.sum()))
        if predictions.unjudged is not None:
            self.counts_unjudged = True
            self.unjudged += [pairs[place] for place in np.flatnonzero(predictions.unjudged).tolist()]
        if predictions.by_judge is not None:
            self.judges = tuple(predictions.by_judge)
            self.pairs += len(pairs)
            labels = np.stack([given.argmax(-1) for given in predictions.by_judge.values()])
            self.disputed += [
                DisputedPair(
                    premise=pairs[place][0],
                    hypothesis=pairs[place][1],
                    by_judge={name: rounded(given[place]) for name, given in predictions.by_judge.items()},
                )
                for place in np.flatnonzero((labels != labels[0]).any(axis=0)).tolist()
            ]

    def leave_out(self, pairs: int) -> None:
        """Note that the judge was not asked about so many further pairs."""
        self.not_asked = (self.not_asked or 0) + pairs

    def of_claims(self, claims: Iterable[Claims]) -> Notes:
        """Note, and return the notes, what became of the pronouns in the claims of texts of the row."""
        for of_text in claims:
            if of_text.resolved is not None:
                self.resolved = (self.resolved or 0) + of_text.resolved
                self.open += of_text.open
        return self

    def extend(self, others: Notes) -> None:
        """Add the notes of further pairs of the row."""
        self.judges = self.judges or others.judges
        self.pairs += others.pairs
        self.disputed += others.disputed
        self.unjudged += others.unjudged
        self.counts_unjudged |= others.counts_unjudged
        if others.not_asked is not None:
            self.leave_out(others.not_asked)

    def on(self, row_score: RowScore) -> RowScore:
        """Return a row score with what was noted: counts, and in the evidence which pairs and claims."""
        counts, evidence = dict(row_score.counts), row_score.evidence
        if self.resolved is not None:
            counts |= {"pronouns_resolved": self.resolved, "pronouns_open": len(self.open)}
        if evidence is not None and self.open:
            evidence = replace(evidence, open_pronouns=tuple(self.open))
        if self.counts_unjudged:
            counts["unjudged"] = len(self.unjudged)
        if self.not_asked is not None:
            counts["not_asked"] = self.not_asked
        if evidence is not None and (self.judges or self.unjudged):
            evidence = replace(
                evidence,
                agreement=Agreement(judges=self.judges, pairs=self.pairs, disputed=tuple(self.disputed))
                if self.judges
                else None,
                unjudged=tuple(UnjudgedPair(premise=p, hypothesis=h) for p, h in self.unjudged) or None,
            )
        return replace(row_score, counts=counts, evidence=evidence)


def rounded(probabilities: npt.NDArray[np.float32]) -> Probabilities:
    """Return three probabilities as evidence holds them: plain numbers of four digits."""
    entailment, neutral, contradiction = (round(float(p), 4) for p in probabilities)
    return entailment, neutral, contradiction
