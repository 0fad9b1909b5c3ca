"""The pages of the metrics that ask how a summary puts things: generically, in own words, with contrasts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from claimwise.apps.spaces import drawing
from claimwise.apps.spaces.examples import OPPOSING_VIEWS, OTHER_SUMMARIES, OWN_WORDS
from claimwise.apps.spaces.factuality import SOURCE
from claimwise.apps.spaces.page import (
    DECOMPOSER,
    NLI_MODEL,
    SOURCE_CHARACTERS,
    Answer,
    Choice,
    Columns,
    Field,
    Page,
    reviews,
)
from claimwise.scores.novelty import SIZES

SUMMARY = Field("Summary", "A summary", "predictions", ("predictions", "summary"))


class AbstractivenessPage(Page):
    """Abstractiveness."""

    name = "abstractiveness"
    fields = (SUMMARY, SOURCE)
    examples = OWN_WORDS
    choices = (
        Choice(
            "tokenizer",
            "Tokens",
            (
                ("Treebank (cased)", "treebank"),
                ("words and punctuation, lower-cased", "words_and_punctuation"),
                ("words only, lower-cased", "words"),
            ),
        ),
    )

    def columns(self, *texts: str) -> Columns:
        """Return the summary, and the lines of the source as its reviews."""
        summary, source = texts
        return {"predictions": [summary], "references": [reviews(source)]}

    def draw(self, answer: Answer, threshold: float | None = None) -> str:
        """Draw the shares of novel n-grams, and the summary with what is copied marked."""
        result, summary = answer["result"], answer["columns"]["predictions"][0]
        evidence, score = result["abstractiveness_details"][0], result["abstractiveness"]
        shares = {n: _share(len(evidence[f"novel_{n}"]), len(evidence[f"copied_{n}"])) for n in SIZES}
        return drawing.card(
            drawing.number("Abstractiveness", f"{score:.2f}", "of 1, by runs of three words"),
            drawing.scale(score, 0, 1, ("every run is copied", "every run is new"), "support"),
            drawing.heading("New runs of words, by their length"),
            drawing.bars((f"{n} words", share, f"{100 * share:.0f} %") for n, share in shares.items()),
            drawing.heading("The summary, with copied runs of three words and more marked"),
            drawing.marked_spans(summary, _places(evidence["copied_3"], summary)),
            drawing.signature(result["abstractiveness_signature"]),
        )


class ComplexityPage(Page):
    """Complexity, of one summary or of two beside each other."""

    name = "complexity"
    fields = (
        Field("Summary", "A summary", "predictions", ("predictions", "summary")),
        Field(
            "Another summary",
            "A summary to compare it with; may stay empty",
            "predictions",
            ("predictions", "summary"),
            required=False,
        ),
    )
    examples = OPPOSING_VIEWS
    choices = (
        Choice("case_sensitive", "Case", (("“However” counts", False), ("“However” does not count", True))),
    )

    def columns(self, *texts: str) -> Columns:
        """Return the summaries that are not empty as rows."""
        return {"predictions": [text for text in texts if text.strip()]}

    def draw(self, answer: Answer, threshold: float | None = None) -> str:
        """Draw the percentage and the sentences of each summary."""
        result = answer["result"]
        drawn = []
        for number, evidence in enumerate(result["complexity_details"], 1):
            sentences = evidence["sentences"]
            contrasting = sum(bool(sentence["words"]) for sentence in sentences)
            drawn.append(
                drawing.heading(f"Summary {number}")
                + drawing.number("Complexity", f"{evidence['score']:.0f} %", "of its sentences")
                + drawing.scale(evidence["score"], 0, 100, ("none contrasts", "all do"), "support")
                + drawing.paragraph(f"{contrasting} of {len(sentences)} sentences contrast opinions.")
                + drawing.claims(_sentence(sentence) for sentence in sentences)
            )
        return drawing.card(drawing.sides(*drawn), drawing.signature(result["complexity_signature"]))

    def weight(self, evidence: dict[str, Any]) -> float:
        """Return the number of sentences: the percentage is of sentences."""
        return float(len(evidence["sentences"]))


class GenericityPage(Page):
    """Genericity of one summary among those of other entities."""

    name = "genericity"
    fields = (
        SUMMARY,
        Field(
            "Summaries of other things",
            "What the same system writes of other hotels, films …: one summary per line",
            "predictions",
            ("predictions", "summary"),
            SOURCE_CHARACTERS,
        ),
    )
    examples = OTHER_SUMMARIES
    choices = (NLI_MODEL, DECOMPOSER)
    rows_at_once = None  # each summary is compared with all others

    def columns(self, *texts: str) -> Columns:
        """Return the summary as the first row, the others below it."""
        summary, others = texts
        return {"predictions": [summary, *reviews(others)]}

    def draw(self, answer: Answer, threshold: float | None = None) -> str:
        """Draw how generic the first summary is, and which claims make it so."""
        result = answer["result"]
        evidence, others = result["genericity_details"][0], len(result["genericity_details"]) - 1
        fraction = evidence["fraction"]
        return drawing.card(
            drawing.number("Genericity of the summary", f"{evidence['score']:.2f}", "from −1 to 1"),
            drawing.scale(evidence["score"], -1, 1, ("others deny it", "fits any other"), "contrast"),
            drawing.bars(
                [
                    ("claims that another summary entails", fraction, f"{100 * fraction:.0f} %"),
                    (
                        "rarity of its words (average IDF)",
                        min(evidence["average_idf"] / 3, 1),
                        f"{evidence['average_idf']:.2f}",
                    ),
                ]
            ),
            drawing.heading(f"Each claim beside the closest one of the {others} other summaries"),
            drawing.claims(_generic_claim(claim) for claim in evidence["claims"]),
            drawing.paragraph(
                f"All {others + 1} summaries together: genericity {result['genericity']:.2f}, average IDF "
                f"{result['average_idf']:.2f}."
            ),
            drawing.signature(result["genericity_signature"]),
        )

    def weight(self, evidence: dict[str, Any]) -> float:
        """Return the number of claims: the mean goes over claims."""
        return float(len(evidence["claims"]))


def _share(novel: int, copied: int) -> float:
    return novel / (novel + copied) if novel + copied else 0.0


def _places(ngrams: list[str], text: str) -> Iterator[tuple[int, int]]:
    """Yield where n-grams, tokens joined by spaces, stand in a text."""
    for ngram in dict.fromkeys(ngrams):
        pattern = r"\W*?".join(map(re.escape, ngram.split(" ")))
        yield from (match.span() for match in re.finditer(pattern, text, re.IGNORECASE))


def _sentence(sentence: dict[str, Any]) -> tuple[str, str, str, str]:
    if not sentence["words"]:
        return "grey", "○ no contrast", sentence["sentence"], ""
    return "blue", f"⇄ contrasts: {', '.join(sentence['words'])}", sentence["sentence"], ""


def _generic_claim(claim: dict[str, Any]) -> tuple[str, str, str, str]:
    closest = claim["closest"]
    if closest is None:
        return "grey", "○ nothing to compare with", claim["claim"], ""
    generic = closest["score"] > 0.5
    tone, tag = ("red", "≈ generic") if generic else ("blue", "★ specific")
    remark = f"{closest['score']:.2f} by summary {closest['row']}: “{closest['claim']}”"
    return tone, tag, claim["claim"], remark
