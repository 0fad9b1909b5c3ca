"""The pages of the metrics that ask what stands behind a summary."""

from __future__ import annotations

import re
from abc import abstractmethod
from dataclasses import replace
from pathlib import Path

from markupsafe import Markup

from claimwise.apps.spaces import drawing
from claimwise.apps.spaces.examples import OPINION_SUMMARIES
from claimwise.apps.spaces.models import load_metric
from claimwise.apps.spaces.page import (
    DECOMPOSER,
    NLI_MODEL,
    SOURCE_CHARACTERS,
    Answer,
    Choice,
    Columns,
    Field,
    Options,
    Page,
    reviews,
)
from claimwise.apps.spaces.snippet import python_call
from claimwise.errors import ClaimwiseError
from claimwise.evidence import SupportEvidence, at_threshold, evidence_of
from claimwise.metrics import Metric
from claimwise.scores.support import THRESHOLD

SUMMARY = Field("Summary", "The summary to check, for example “The rooms are quiet.”", "predictions")
SOURCE = Field(
    "Source",
    "What it was made of: one review, or one paragraph, per line",
    "references",
    SOURCE_CHARACTERS,
)


class FactualityPage(Page):
    """A summary and its source, and a threshold that is moved without running the model again."""

    fields = (SUMMARY, SOURCE)
    examples = OPINION_SUMMARIES

    def columns(self, *texts: str) -> Columns:
        """Return the summary, and the lines of the source as its reviews."""
        summary, source = texts
        return {"predictions": [summary], "references": [reviews(source)]}


class SupportCountsPage(FactualityPage):
    """Support counts."""

    name = "support_counts"
    choices = (NLI_MODEL, DECOMPOSER)
    threshold = THRESHOLD
    threshold_label = "Threshold τ: the score (entailment − contradiction) from which on a sentence supports"

    def draw(self, answer: Answer, threshold: float | None = None) -> Markup:
        """Draw every claim with its support."""
        return drawing.card(
            drawing.evidence(answer.evidence[0], threshold),
            drawing.signature(self._signature(answer, threshold)),
        )

    def python(self, answer: Answer, threshold: float | None = None) -> str:
        """Return the program, with the threshold if it was moved."""
        threshold = THRESHOLD if threshold is None else threshold
        score = at_threshold(evidence_of(answer.evidence[0], SupportEvidence), threshold).score
        options = answer.options if threshold == THRESHOLD else {**answer.options, "threshold": threshold}
        return python_call(self.name, options, answer.columns, score, self._signature(answer, threshold))

    def _signature(self, answer: Answer, threshold: float | None) -> str:
        """Return the signature with the threshold as it was moved; no model is needed."""
        signature = answer.result.signature
        if threshold is None:
            return signature
        return re.sub(r"\|threshold:[^|]*", f"|threshold:{threshold}", signature)


class SummacPage(FactualityPage):
    """SummaC, with the support counts of the same claims beside it."""

    threshold = 0.5
    threshold_label = (
        "Threshold: the score from which on something counts as support (SummaC does not change)"
    )

    def answer(self, columns: Columns, options: Options) -> Answer:
        """Score, and count supports for the same claims."""
        counted = load_metric("support_counts", self.counting_options(options))
        [support] = counted.score_rows(counted.rows(columns), details=True)
        return replace(super().answer(columns, options), beside=support.evidence)

    @abstractmethod
    def counting_options(self, options: Options) -> Options:
        """Return the options with which support counts has the same claims."""

    def draw(self, answer: Answer, threshold: float | None = None) -> Markup:
        """Draw the claims by their own score, then all that supports or weakens them."""
        title = self.spec.title
        return drawing.card(
            drawing.heading(f"{title}: how firmly the source supports each claim"),
            drawing.evidence(answer.evidence[0], threshold),
            drawing.signature(answer.result.signature),
        ) + drawing.card(
            drawing.heading("Beside it: how many sentences stand behind each claim"),
            drawing.paragraph(
                f"{title} goes by how firmly the source supports a claim. Support counts ask how many "
                f"sentences of it do, and which speak against it."
            ),
            drawing.evidence(answer.beside, threshold),
        )


class SummacZsPage(SummacPage):
    """SummaC-ZS."""

    name = "summac_zs"
    choices = (
        NLI_MODEL,
        Choice(
            "hypothesis_granularity",
            "Claims",
            (("each sentence is one", "sentence"), ("clauses: a parser splits them", "claim")),
        ),
    )

    def counting_options(self, options: Options) -> Options:
        """Return the NLI model and the decomposer that makes the same claims."""
        by_claims = options.get("hypothesis_granularity") == "claim"
        model = {"nli_model": options["nli_model"]} if "nli_model" in options else {}
        return {**model, "decomposer": "clauses" if by_claims else "sentences"}


class SummacConvPage(SummacPage):
    """SummaC-Conv, on the weights that come with the package or on those that the visitor brings."""

    name = "summac_conv"
    choices = (NLI_MODEL, Choice("decomposer", "Claims", tuple(reversed(DECOMPOSER.values))))
    takes_weights = True

    def metric(self, options: Options) -> Metric:
        """Return the metric; who brings weights knows them by the name of their file alone."""
        try:
            return super().metric(options)
        except ClaimwiseError as error:
            if error.option == "weights" and "weights" in options:
                weights = Path(options["weights"])
                raise error.at(problem=error.problem.replace(str(weights), weights.name)) from error
            raise

    def remedy(self, error: ClaimwiseError) -> str:
        """Return what a visitor can do about an error, one of the weights included."""
        if error.option == "weights":
            return (
                "Bring weights that were fitted with these choices, or take the embedded NLI model and none."
            )
        return super().remedy(error)

    def counting_options(self, options: Options) -> Options:
        """Return the options without the weights; the default is whole sentences here."""
        return {"decomposer": "sentences"} | {k: v for k, v in options.items() if k != "weights"}

    def python(self, answer: Answer, threshold: float | None = None) -> str:
        """Return the program, with the name of the weights file if the visitor brought one."""
        options = dict(answer.options)
        if "weights" in options:
            options["weights"] = Path(options["weights"]).name
        return super().python(replace(answer, options=options), threshold)
