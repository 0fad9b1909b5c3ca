"""Opinion prevalence: the share of the reviews that imply each sentence of a summary (Malon 2023)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from claimwise.errors import ClaimwiseError
from claimwise.evidence.prevalence import prevalent
from claimwise.evidence.support import SourcePremise
from claimwise.judges.protocol import Matrix
from claimwise.labels import ENTAILMENT
from claimwise.metrics.nli import NLIMetric, NLIOptions
from claimwise.metrics.premises import WINDOW, reviews_of, texts_of
from claimwise.metrics.rows import Row, RowScore
from claimwise.metrics.spec import JUDGE, JUDGED, SOURCES, SUMMARIES, Column, MetricSpec, bibtex, claims_by
from claimwise.options import option
from claimwise.scores.opinion_prevalence import (
    PAPER_THRESHOLD,
    THRESHOLD,
    prevalence,
    redundant,
    sentence_scores,
    share_of_reviews,
)
from claimwise.signature import parts_fingerprint

TRIVIAL, TRIVIAL_WITHOUT_ENTITY = "I bought {entity}.", "I bought this product."


@dataclass(frozen=True, kw_only=True)
class OpinionPrevalenceOptions(NLIOptions):
    """Options of opinion prevalence."""

    threshold: float = option(
        THRESHOLD,
        "minimum probability of entailment of a text that implies a sentence, 0 to 1; depends on the judge",
        between=(0, 1),
    )
    trivial: str | None = option(
        None,
        'a text that says nothing, such as `"I stayed at {entity}."`: the sentences that it implies count '
        "0. `{entity}` stands for the name in the column `entities`. None = "
        f'`"{TRIVIAL}"`, or `"{TRIVIAL_WITHOUT_ENTITY}"` without that column; `""` = no sentence is trivial',
    )


class OpinionPrevalence(NLIMetric):
    """Opinion prevalence (Malon 2023), in [0, 1]: the mean share of the reviews that imply a sentence.

    The optional column ``entities`` of ``compute`` holds the name of the product of each summary.
    """

    Options = OpinionPrevalenceOptions
    counts_contradictions = False
    spec = MetricSpec(
        name="opinion_prevalence",
        title="Opinion prevalence",
        family="factuality",
        question="how many of the reviews share each opinion?",
        description=(
            "Opinion prevalence measures how widely the reviews share what an opinion summary says. A judge "
            "compares every sentence of the summary with every whole review. A sentence scores the share of "
            "the reviews that imply it, or 0 if it is trivial or repeats an earlier sentence; the score of a "
            "summary is the mean over its sentences."
        ),
        bounds=(0, 1),
        quality="widely shared",
        ends=("no review shares any opinion", "every review shares every opinion"),
        better="higher",
        columns=(
            SUMMARIES.or_claims,
            SOURCES,
            Column(name="entities", holds="names", meaning="the product of each summary", required=False),
        ),
        counts=JUDGED,
        configurations={
            "default": {"decomposer": "sentences"},
            "paper": {"decomposer": "sentences", "judge": "mnli", "threshold": PAPER_THRESHOLD},
        },
        choices=(JUDGE, claims_by(decomposer="default")),
        source="Malon 2023",
        citation=bibtex("malon2023prevalence"),
        urls=("https://github.com/cdmalon/opinion-prevalence",),
    )

    def score_rows(self, rows: Sequence[Row], *, details: bool = False) -> list[RowScore]:
        """Return the score of each summary; with ``details`` also the reviews behind its sentences."""
        trivial = [self._trivial(row) for row in rows]
        self.load()
        claims = self.claims([row.prediction for row in rows])
        reviews = reviews_of([row.reference or () for row in rows], self.sentences)
        examples = []
        for of_text, of_source, text in zip(claims, reviews, trivial, strict=True):
            within = [*of_text.claims, *filter(None, [text])]
            examples += [(texts_of(of_source), of_text.claims), (within, of_text.claims)]
        judged = self.cross(examples)
        scored = []
        for row, of_text, of_source, text, by_reviews, within in zip(
            rows, claims, reviews, trivial, judged[::2], judged[1::2], strict=True
        ):
            score = self._score(
                of_text.claims, of_source, text, by_reviews.probabilities, within.probabilities, details
            )
            scored.append(self.counted(score, row, [of_text], by_reviews.marks + within.marks))
        return scored

    def _trivial(self, row: Row) -> str:
        """Return the text whose implications are trivial in a row.

        Raises:
            ClaimwiseError: if the text needs the entity, and the row has none.
        """
        template, entity = self.options.trivial, row.further.get("entities")
        if template is None:
            template = TRIVIAL_WITHOUT_ENTITY if entity is None else TRIVIAL
        if entity is None and "{entity}" in template:
            raise ClaimwiseError(
                f"The trivial text “{template}” needs the entity of each summary.",
                "Provide the column entities, or a text without {entity}.",
                option="trivial",
                column="entities",
                row=row.number,
            )
        return str(template).replace("{entity}", str(entity))

    def _score(
        self,
        sentences: Sequence[str],
        premises: Sequence[SourcePremise],
        trivial: str,
        by_premises: Matrix,
        within: Matrix,
        details: bool,
    ) -> RowScore:
        """Return the score of a summary; with ``details`` also the reviews behind its sentences.

        ``by_premises`` is ``[premises, sentences, 3]``; ``within`` has the sentences and, unless it is empty,
        the trivial text as premises of the same sentences.
        """
        threshold, entailment = self.options.threshold, by_premises[..., ENTAILMENT]
        by_sentences, by_trivial = np.split(within[..., ENTAILMENT], [len(sentences)])
        counts = sentence_scores(
            share_of_reviews(entailment, [premise.review for premise in premises], threshold),
            is_trivial=np.any(by_trivial >= threshold, axis=0),
            is_redundant=redundant(by_sentences, threshold),
        )
        score, evidence = prevalence(counts), None
        if details:
            evidence = prevalent(
                sentences, premises, entailment, counts.tolist(), by_sentences, by_trivial, trivial, threshold
            )
        return RowScore(score=score, evidence=evidence)

    def _signature_parts(self) -> dict[str, object]:
        trivial = self.options.trivial
        return {
            **super()._signature_parts(),
            "premises": "reviews",
            "window": WINDOW,
            "threshold": self.options.threshold,
            "trivial": "default" if trivial is None else parts_fingerprint([trivial]),
        }
