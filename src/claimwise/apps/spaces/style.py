"""The pages of the metrics that ask how a summary puts things: generically, in own words, with contrasts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from markupsafe import Markup

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
from claimwise.errors import ClaimwiseError
from claimwise.evidence import GenericityEvidence, NgramEvidence, SentenceEvidence, evidence_of
from claimwise.evidence.kinds import ContrastingSentence, GenericClaim

SUMMARY = Field("Summary", "A summary", "predictions")


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

    def draw(self, answer: Answer, threshold: float | None = None) -> Markup:
        """Draw the shares of novel n-grams, and the summary with what is copied marked."""
        score, summary = answer.result.mean, answer.columns["predictions"][0]
        evidence = evidence_of(answer.evidence[0], NgramEvidence)
        shares = {
            3: _share(evidence.novel_3, evidence.copied_3),
            4: _share(evidence.novel_4, evidence.copied_4),
            5: _share(evidence.novel_5, evidence.copied_5),
        }
        return drawing.card(
            drawing.number(self.spec.title, f"{score:.2f}", "of 1, by runs of three words"),
            drawing.scale(score, self.spec, "support"),
            drawing.heading("New runs of words, by their length"),
            drawing.bars((f"{n} words", share, f"{100 * share:.0f} %") for n, share in shares.items()),
            drawing.heading("The summary, with copied runs of three words and more marked"),
            drawing.marked_spans(summary, _places(evidence.copied_3, summary)),
            drawing.signature(answer.result.signature),
        )


class ComplexityPage(Page):
    """Complexity, of one summary or of two beside each other."""

    name = "complexity"
    fields = (
        SUMMARY,
        Field(
            "Another summary", "A summary to compare it with; may stay empty", "predictions", required=False
        ),
    )
    examples = OPPOSING_VIEWS
    choices = (
        Choice("case_sensitive", "Case", (("“However” counts", False), ("“However” does not count", True))),
    )

    def columns(self, *texts: str) -> Columns:
        """Return the summaries that are not empty as rows."""
        return {"predictions": [text for text in texts if text.strip()]}

    def box_of(self, error: ClaimwiseError) -> tuple[int, int | None]:
        """Return the box of the row: each is one."""
        return error.row or 0, None

    def draw(self, answer: Answer, threshold: float | None = None) -> Markup:
        """Draw the percentage and the sentences of each summary."""
        drawn = []
        for number, found in enumerate(answer.evidence, 1):
            sentences, score = evidence_of(found, SentenceEvidence).sentences, found.score
            contrasting = sum(bool(sentence.words) for sentence in sentences)
            drawn.append(
                [
                    drawing.heading(f"Summary {number}"),
                    drawing.number(self.spec.title, f"{drawing.shown(score, '.0f')} %", "of its sentences"),
                    drawing.scale(score, self.spec, "support"),
                    drawing.paragraph(f"{contrasting} of {len(sentences)} sentences contrast opinions."),
                    drawing.claims(_sentence(sentence) for sentence in sentences),
                ]
            )
        return drawing.card(drawing.sides(*drawn), drawing.signature(answer.result.signature))


class GenericityPage(Page):
    """Genericity of one summary among those of other entities."""

    name = "genericity"
    fields = (
        SUMMARY,
        Field(
            "Summaries of other things",
            "What the same system writes of other hotels, films …: one summary per line",
            "predictions",
            SOURCE_CHARACTERS,
        ),
    )
    examples = OTHER_SUMMARIES
    choices = (NLI_MODEL, DECOMPOSER)

    def columns(self, *texts: str) -> Columns:
        """Return the summary as the first row, the others below it."""
        summary, others = texts
        return {"predictions": [summary, *reviews(others)]}

    def box_of(self, error: ClaimwiseError) -> tuple[int, int | None]:
        """Return the box of the row: the first is the summary, each further one a line of the others."""
        return (1, error.row - 1) if error.row else (0, None)

    def draw(self, answer: Answer, threshold: float | None = None) -> Markup:
        """Draw how generic the first summary is, and which claims make it so."""
        result, others = answer.result, len(answer.evidence) - 1
        evidence = evidence_of(answer.evidence[0], GenericityEvidence)
        fraction, rarity = evidence.fraction, evidence.average_idf
        percent = None if fraction is None else 100 * fraction
        return drawing.card(
            drawing.number(
                f"{self.spec.title} of the summary", drawing.shown(evidence.score, ".2f"), "from −1 to 1"
            ),
            drawing.scale(evidence.score, self.spec, "contrast"),
            drawing.bars(
                [
                    ("claims that another summary entails", fraction, f"{drawing.shown(percent, '.0f')} %"),
                    ("rarity of its words (average IDF)", min(rarity / 3, 1), f"{rarity:.2f}"),
                ]
            ),
            drawing.heading(f"Each claim beside the closest one of the {others} other summaries"),
            drawing.claims(_generic_claim(claim) for claim in evidence.claims),
            drawing.paragraph(
                f"All {others + 1} summaries together: genericity {result.mean:.2f}, average IDF "
                f"{result.further['average_idf']:.2f}."
            ),
            drawing.signature(result.signature),
        )


def _share(novel: Sequence[str], copied: Sequence[str]) -> float:
    return len(novel) / (len(novel) + len(copied)) if novel or copied else 0.0


def _places(ngrams: Sequence[str], text: str) -> Iterator[tuple[int, int]]:
    """Yield where n-grams, tokens joined by spaces, stand in a text."""
    for ngram in dict.fromkeys(ngrams):
        pattern = r"\W*?".join(map(re.escape, ngram.split(" ")))
        yield from (match.span() for match in re.finditer(pattern, text, re.IGNORECASE))


def _sentence(sentence: ContrastingSentence) -> tuple[str, str, str, str]:
    if not sentence.words:
        return "grey", "○ no contrast", sentence.sentence, ""
    return "blue", f"⇄ contrasts: {', '.join(sentence.words)}", sentence.sentence, ""


def _generic_claim(claim: GenericClaim) -> tuple[str, str, str, str]:
    closest = claim.closest
    if closest is None:
        return "grey", "○ nothing to compare with", claim.claim, ""
    tone, tag = ("red", "≈ generic") if closest.score > 0.5 else ("blue", "★ specific")
    remark = f"{closest.score:.2f} by summary {closest.row}: “{closest.claim}”"
    return tone, tag, claim.claim, remark
