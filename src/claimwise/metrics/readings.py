"""A row on its way to a score: claims, premises, judgements and notes on them."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from claimwise.evidence.base import UnjudgedPair
from claimwise.evidence.support import SourcePremise
from claimwise.metrics.base import Row, RowScore
from claimwise.nli.pairs import Pairs
from claimwise.nli.protocol import Example, Judgements, Matrix, Pair


class Claims(NamedTuple):
    """The claims of one text.

    Attributes:
        claims: texts of the claims.
        sentences: source sentence of each claim.
        numbers: index of that sentence in the text.
        fallbacks: number of sentences left whole because decomposition failed.
        resolved: number of claims with a resolved pronoun; None if the decomposer resolves none.
        open: claims that begin with an unresolved pronoun.
        stripped: parts of sentences that no claim contains, if attributions are stripped.
        attributed: claims that still have an attribution; None if attributions are kept.
        vacuous: vacuous claims; None = not checked.
    """

    claims: list[str]
    sentences: list[str]
    numbers: list[int]
    fallbacks: int = 0
    resolved: int | None = None
    open: tuple[str, ...] = ()
    stripped: tuple[str, ...] = ()
    attributed: tuple[str, ...] | None = None
    vacuous: tuple[str, ...] | None = None

    def without(self, dropped: Container[str]) -> Claims:
        """Return the claims without ``dropped``; all of them if none would be left."""
        kept = [place for place, claim in enumerate(self.claims) if claim not in dropped]
        return self.at(kept) if kept else self

    def at(self, places: Sequence[int]) -> Claims:
        """Return the claims at the given indices."""
        return self._replace(
            claims=[self.claims[place] for place in places],
            sentences=[self.sentences[place] for place in places],
            numbers=[self.numbers[place] for place in places],
        )


@dataclass(kw_only=True)
class Reading:
    """The claims and judgements of one row.

    Attributes:
        row: the row.
        claims: claims of each decomposed text.
        premises: premises of its source, if it has one.
        judgements: judgements of each example, ``[premises, hypotheses]``.
        found: intermediate result of a metric that reads other rows as well.
        truncated: number of truncated pairs.
        not_asked: number of pairs that were not asked; None = all were asked.
        unjudged: pairs without a verdict; None = the judge always gives one.
    """

    row: Row
    claims: tuple[Claims, ...] = ()
    premises: Sequence[SourcePremise] = ()
    judgements: list[Judgements] = field(default_factory=list)
    found: Any = None
    truncated: int = 0
    not_asked: int | None = None
    unjudged: list[Pair] | None = None

    @property
    def matrices(self) -> list[Matrix]:
        """The probabilities of each example, ``[premises, hypotheses, 3]``."""
        return [judgements.probabilities for judgements in self.judgements]

    @property
    def vacuous(self) -> tuple[str, ...]:
        """The vacuous claims of all texts."""
        return tuple(claim for of_text in self.claims for claim in of_text.vacuous or ())

    def add(self, example: Example, judgements: Judgements) -> None:
        """Store the judgements of an example, and add notes on them."""
        self.judgements.append(judgements)
        pairs = Pairs.crossed([example])
        self.note(pairs, judgements.reshaped(len(pairs)))

    def note(self, pairs: Sequence[Pair], judgements: Judgements) -> None:
        """Add notes on pairs and their judgements ``[pairs]``, which are not stored."""
        self.truncated += int(judgements.truncated.sum())
        if judgements.not_asked is not None:
            self.leave_out(int(judgements.not_asked.sum()))
        if judgements.unjudged is not None:
            self.unjudged = self.unjudged or []
            self.unjudged += [pairs[place] for place in np.flatnonzero(judgements.unjudged).tolist()]

    def leave_out(self, pairs: int) -> None:
        """Count further pairs that were not asked."""
        self.not_asked = (self.not_asked or 0) + pairs

    def note_all(self, other: Reading) -> None:
        """Add the notes of another reading."""
        self.truncated += other.truncated
        if other.unjudged is not None:
            self.unjudged = (self.unjudged or []) + other.unjudged
        if other.not_asked is not None:
            self.leave_out(other.not_asked)

    def told_with(self, row_score: RowScore) -> RowScore:
        """Return a row score with the notes: counts, and in the evidence the pairs and claims."""
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
        if (own := self.claims[:1]) and own[0].attributed is not None:
            counts["attributed"] = len(own[0].attributed)
        if self.unjudged is not None:
            counts["unjudged"] = len(self.unjudged)
        if self.not_asked is not None:
            counts["not_asked"] = self.not_asked
        if evidence is not None:
            unjudged = tuple(UnjudgedPair(premise=p, hypothesis=h) for p, h in self.unjudged or ())
            evidence = replace(
                evidence,
                unjudged=unjudged or None,
                open_pronouns=still_open or None,
                stripped=tuple(words for of_text in self.claims for words in of_text.stripped) or None,
            )
        return replace(row_score, counts={**row_score.counts, **counts}, evidence=evidence)
