"""The pages of the metrics that ask what stands behind a summary."""

from __future__ import annotations

import re
from abc import abstractmethod
from functools import cache
from pathlib import Path
from typing import Any

from claimwise.apps.spaces import drawing
from claimwise.apps.spaces.examples import CONSISTENT_PAIRS, OPINION_SUMMARIES
from claimwise.apps.spaces.models import load_metric, shared_nli_model, temporary_folder
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
from claimwise.evidence import at_threshold, fragment
from claimwise.metrics import SummacConv
from claimwise.scores.support import THRESHOLD

SUMMARY = Field(
    "Summary",
    "The summary to check, for example “The rooms are quiet.”",
    "predictions",
    ("predictions", "summary"),
)
SOURCE = Field(
    "Source",
    "What it was made of: one review, or one paragraph, per line",
    "references",
    ("references", "reviews"),
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

    def draw(self, answer: Answer, threshold: float | None = None) -> str:
        """Draw every claim with its support."""
        evidence = answer["result"]["support_counts_details"][0]
        return drawing.card(
            fragment(evidence, threshold), drawing.signature(self._signature(answer, threshold))
        )

    def python(self, answer: Answer, threshold: float | None = None) -> str:
        """Return the program, with the threshold if it was moved."""
        threshold = THRESHOLD if threshold is None else threshold
        evidence = at_threshold(answer["result"]["support_counts_details"][0], threshold)
        result = {
            "support_counts": evidence.score,
            "support_counts_signature": self._signature(answer, threshold),
        }
        return python_call(self.name, _with_threshold(answer, threshold), answer["columns"], result)

    def weight(self, evidence: dict[str, Any]) -> float:
        """Return the number of claims: the mean goes over claims."""
        return float(len(evidence["claims"]))

    def _signature(self, answer: Answer, threshold: float | None) -> str:
        """Return the signature with the threshold as it was moved; no model is needed."""
        signature: str = answer["result"]["support_counts_signature"]
        if threshold is None:
            return signature
        return re.sub(r"\|threshold:[^|]*", f"|threshold:{threshold}", signature)


class SummacPage(FactualityPage):
    """SummaC, with the support counts of the same claims beside it."""

    threshold = 0.5
    threshold_label = (
        "Threshold: the score from which on something counts as support (SummaC does not change)"
    )
    title: str

    def answer(self, columns: Columns, options: Options) -> Answer:
        """Score, and count supports for the same claims."""
        counted = load_metric("support_counts", self.counting_options(options))
        support = counted.compute(**columns, details=True)["support_counts_details"][0]
        return {**super().answer(columns, options), "support": support}

    @abstractmethod
    def counting_options(self, options: Options) -> Options:
        """Return the options with which support counts has the same claims."""

    def draw(self, answer: Answer, threshold: float | None = None) -> str:
        """Draw the claims by their own score, then all that supports or weakens them."""
        result = answer["result"]
        return drawing.card(
            drawing.heading(f"{self.title}: how firmly the source supports each claim"),
            fragment(result[f"{self.name}_details"][0], threshold),
            drawing.signature(result[f"{self.name}_signature"]),
        ) + drawing.card(
            drawing.heading("Beside it: how many sentences stand behind each claim"),
            drawing.paragraph(
                f"{self.title} goes by how firmly the source supports a claim. Support counts ask how many "
                f"sentences of it do, and which speak against it."
            ),
            fragment(answer["support"], threshold),
        )


class SummacZsPage(SummacPage):
    """SummaC-ZS."""

    name = "summac_zs"
    title = "SummaC-ZS"
    choices = (
        NLI_MODEL,
        Choice(
            "hypothesis_granularity",
            "Claims",
            (("each sentence is one", "sentence"), ("rules: split clauses and lists", "claim")),
        ),
    )

    def counting_options(self, options: Options) -> Options:
        """Return the NLI model and the decomposer that makes the same claims."""
        by_claims = options.get("hypothesis_granularity") == "claim"
        model = {"nli_model": options["nli_model"]} if "nli_model" in options else {}
        return {**model, "decomposer": "rules" if by_claims else "sentences"}


class SummacConvPage(SummacPage):
    """SummaC-Conv, on weights that the visitor brings or on those fitted here to show how it works."""

    name = "summac_conv"
    title = "SummaC-Conv"
    choices = (NLI_MODEL, Choice("decomposer", "Claims", tuple(reversed(DECOMPOSER.values))))
    takes_weights = True

    def metric(self, options: Options) -> Any:
        """Return the metric, on the demonstration weights if there are no others."""
        return super().metric({"weights": str(demonstration_weights()), **options})

    def counting_options(self, options: Options) -> Options:
        """Return the options without the weights; the default is whole sentences here."""
        return {"decomposer": "sentences"} | {k: v for k, v in options.items() if k != "weights"}

    def python(self, answer: Answer, threshold: float | None = None) -> str:
        """Return the program, with the name of the weights file."""
        weights = Path(answer["options"].get("weights", demonstration_weights())).name
        options = {**answer["options"], "weights": weights}
        return python_call(self.name, options, answer["columns"], answer["result"])


@cache
def demonstration_weights() -> Path:
    """Return the file of weights for SummaC-Conv fitted once per process on a few made-up pairs."""
    path = temporary_folder() / "demonstration.safetensors"
    SummacConv(nli_model=shared_nli_model("default")).fit(
        predictions=[pair.summary for pair in CONSISTENT_PAIRS],
        references=[reviews(pair.source) for pair in CONSISTENT_PAIRS],
        labels=[pair.label for pair in CONSISTENT_PAIRS],
        output=path,
        steps=60,
    )
    return path


def _with_threshold(answer: Answer, threshold: float | None) -> Options:
    if threshold is None or threshold == THRESHOLD:
        return dict(answer["options"])
    return {**answer["options"], "threshold": threshold}
