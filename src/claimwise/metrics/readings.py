"""A row on its way to a score: its claims, its premises, what was judged, and what is told of it."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from claimwise.evidence.base import Agreement, DisputedPair, UnjudgedPair
from claimwise.evidence.support import SourcePremise, rounded
from claimwise.metrics.base import Row, RowScore
from claimwise.nli.pairs import Pairs
from claimwise.nli.protocol import Example, Judgements, Matrix, Pair


class Claims(NamedTuple):
    """The claims of one text.

    Attributes:
        claims: their texts.
        sentences: for each the sentence it was made of.
        numbers: for each the number of that sentence in the text.
        fallbacks: how many sentences were left whole because they could not be decomposed.
        resolved: how many claims name what a pronoun stood for; None where the decomposer looks at none.
        open: the claims that begin with a pronoun whose meaning stands elsewhere.
        stripped: stretches of sentences that stand in no claim, where claims do without attributions.
        vacuous: the claims that say nothing; None where nobody looked for them.
    """

    claims: list[str]
    sentences: list[str]
    numbers: list[int]
    fallbacks: int = 0
    resolved: int | None = None
    open: tuple[str, ...] = ()
    stripped: tuple[str, ...] = ()
    vacuous: tuple[str, ...] | None = None

    def without(self, dropped: Container[str]) -> Claims:
        """Return the claims that are not ``dropped``; all of them if none would be left."""
        kept = [place for place, claim in enumerate(self.claims) if claim not in dropped]
        return self.at(kept) if kept else self

    def at(self, places: Sequence[int]) -> Claims:
        """Return the claims at some places."""
        return self._replace(
            claims=[self.claims[place] for place in places],
            sentences=[self.sentences[place] for place in places],
            numbers=[self.numbers[place] for place in places],
        )


@dataclass(kw_only=True)
class Reading:
    """What is read and judged of one row.

    Attributes:
        row: the row.
        claims: of each of its texts that is cut into claims.
        premises: of its source, where it has one.
        judgements: of each of its examples, ``[premises, hypotheses]``.
        found: what a metric makes of them for its score, if that takes other rows as well.
        truncated: how many of its pairs were cut to fit the judge.
        not_asked: how many the judge was not asked about; None where it was asked about all.
        unjudged: those that it could not judge; None where it always can.
        agreement: how far several judges agree; None for one judge.
    """

    row: Row
    claims: tuple[Claims, ...] = ()
    premises: Sequence[SourcePremise] = ()
    judgements: list[Judgements] = field(default_factory=list)
    found: Any = None
    truncated: int = 0
    not_asked: int | None = None
    unjudged: list[Pair] | None = None
    agreement: Agreement | None = None

    @property
    def matrices(self) -> list[Matrix]:
        """The probabilities of each example, ``[premises, hypotheses, 3]``."""
        return [judgements.probabilities for judgements in self.judgements]

    @property
    def vacuous(self) -> tuple[str, ...]:
        """The claims of all texts that say nothing."""
        return tuple(claim for of_text in self.claims for claim in of_text.vacuous or ())

    def add(self, example: Example, judgements: Judgements) -> None:
        """Keep the judgements of an example, and note what is told of them."""
        self.judgements.append(judgements)
        pairs = Pairs.crossed([example])
        self.note(pairs, judgements.reshaped(len(pairs)))

    def note(self, pairs: Sequence[Pair], judgements: Judgements) -> None:
        """Note what is told of pairs and their judgements ``[pairs]``, which are not kept."""
        self.truncated += int(judgements.truncated.sum())
        if judgements.not_asked is not None:
            self.leave_out(int(judgements.not_asked.sum()))
        if judgements.unjudged is not None:
            self.unjudged = self.unjudged or []
            self.unjudged += [pairs[place] for place in np.flatnonzero(judgements.unjudged).tolist()]
        if judgements.by_judge is not None:
            labels = np.stack([given.argmax(-1) for given in judgements.by_judge.values()])
            disputed = tuple(
                DisputedPair(
                    premise=pairs[place][0],
                    hypothesis=pairs[place][1],
                    by_judge={name: rounded(given[place]) for name, given in judgements.by_judge.items()},
                )
                for place in np.flatnonzero((labels != labels[0]).any(axis=0)).tolist()
            )
            judges = tuple(judgements.by_judge)
            self._agree(Agreement(judges=judges, pairs=len(pairs), disputed=disputed))

    def _agree(self, found: Agreement | None) -> None:
        """Add to how far the judges agree."""
        if found is not None and (before := self.agreement) is not None:
            pairs, disputed = before.pairs + found.pairs, before.disputed + found.disputed
            found = replace(before, pairs=pairs, disputed=disputed)
        self.agreement = found or self.agreement

    def leave_out(self, pairs: int) -> None:
        """Note that the judge was not asked about some further pairs."""
        self.not_asked = (self.not_asked or 0) + pairs

    def note_all(self, other: Reading) -> None:
        """Note what another reading notes of its judgements."""
        self.truncated += other.truncated
        self._agree(other.agreement)
        if other.unjudged is not None:
            self.unjudged = (self.unjudged or []) + other.unjudged
        if other.not_asked is not None:
            self.leave_out(other.not_asked)

    def told_with(self, row_score: RowScore) -> RowScore:
        """Return a row score with what was noted: counts, and in the evidence which pairs and claims."""
        counts = {
            "truncated": self.truncated,
            "fallbacks": sum(of_text.fallbacks for of_text in self.claims),
            **self.row.counts,
        }
        evidence = row_score.evidence
        if any(of_text.vacuous is not None for of_text in self.claims):
            counts["vacuous"] = len(self.vacuous)
        resolved = [of_text for of_text in self.claims if of_text.resolved is not None]
        still_open = tuple(claim for of_text in resolved for claim in of_text.open)
        if resolved:
            counts["pronouns_resolved"] = sum(of_text.resolved or 0 for of_text in resolved)
            counts["pronouns_open"] = len(still_open)
        if self.unjudged is not None:
            counts["unjudged"] = len(self.unjudged)
        if self.not_asked is not None:
            counts["not_asked"] = self.not_asked
        if evidence is not None:
            unjudged = tuple(UnjudgedPair(premise=p, hypothesis=h) for p, h in self.unjudged or ())
            evidence = replace(
                evidence,
                agreement=self.agreement,
                unjudged=unjudged or None,
                open_pronouns=still_open or None,
                stripped=tuple(words for of_text in self.claims for words in of_text.stripped) or None,
            )
        return replace(row_score, counts={**row_score.counts, **counts}, evidence=evidence)
