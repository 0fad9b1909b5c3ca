"""The pages of the contrast metrics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from markupsafe import Markup

from claimwise.apps.spaces import drawing
from claimwise.apps.spaces.examples import CONTRAST_PAIRS
from claimwise.apps.spaces.models import load_metric
from claimwise.apps.spaces.page import (
    DECOMPOSER,
    NLI_MODEL,
    Answer,
    Choice,
    Columns,
    Field,
    Options,
    Page,
)
from claimwise.evidence import ContrastEvidence, EmbeddingEvidence, TokenEvidence, evidence_of
from claimwise.text.tokens import load_stemmer, load_tokenizer

SUMMARIES = (
    Field(
        "Summary A",
        "What is said of A: for example “The rooms are quiet. The staff were kind.”",
        "predictions",
    ),
    Field(
        "Summary B",
        "What is said of B: for example “The rooms are noisy. The staff were kind.”",
        "references",
    ),
)
SHORT_NAMES = {"distinctiveness_score": "DS", "inverted_bertscore": "BS⁻¹"}
# CASPR and DS within so many points count as agreeing.
CLOSE = 20


class CasprPage(Page):
    """CASPR, with the two metrics it was made to improve on."""

    name = "caspr"
    fields = SUMMARIES
    examples = CONTRAST_PAIRS
    choices = (NLI_MODEL, DECOMPOSER)

    def answer(self, columns: Columns, options: Options) -> Answer:
        """Score by all three contrast metrics."""
        others = {name: load_metric(name, {}).compute(**columns)[name] for name in SHORT_NAMES}
        return replace(super().answer(columns, options), beside=others)

    def draw(self, answer: Answer, threshold: float | None = None) -> Markup:
        """Draw the contrast map, then the other two scores and why they differ."""
        score, evidence = answer.result.mean, evidence_of(answer.evidence[0], ContrastEvidence)
        scores = [(self.spec.title, score)]
        scores += [(SHORT_NAMES[name], of_other) for name, of_other in answer.beside.items()]
        return drawing.card(drawing.evidence(evidence)) + drawing.card(
            drawing.heading("Beside it: what words and embeddings say"),
            drawing.bars((label, score / 100, f"{score:.1f}") for label, score in scores),
            drawing.paragraph(why_they_differ(score, answer.beside, evidence)),
            drawing.signature(answer.result.signature),
        )


class DistinctivenessPage(Page):
    """The Distinctiveness Score."""

    name = "distinctiveness_score"
    fields = SUMMARIES
    examples = CONTRAST_PAIRS
    choices = (
        Choice(
            "tokenizer",
            "Tokens",
            (("words and punctuation", "words_and_punctuation"), ("words only", "words")),
        ),
        Choice("stemmer", "Stemming", (("English (Snowball)", "english"), ("none", "none"))),
    )

    def draw(self, answer: Answer, threshold: float | None = None) -> Markup:
        """Draw the score, and both summaries with the shared words marked."""
        score, columns = answer.result.mean, answer.columns
        evidence = evidence_of(answer.evidence[0], TokenEvidence)
        shared, options = set(evidence.shared), self.metric(answer.options).options
        tokenize, stem = load_tokenizer(options.tokenizer), load_stemmer(options.stemmer)

        def is_shared(piece: str) -> bool:
            tokens = stem(tokenize(piece))
            return bool(tokens) and shared.issuperset(tokens)

        texts = [(field.label, columns[field.column][0]) for field in self.fields]
        return drawing.card(
            drawing.number("DS", f"{score:.1f}", "of 100"),
            drawing.scale(score, self.spec, "contrast"),
            drawing.paragraph(
                f"{len(shared)} distinct tokens stand in both summaries (underlined), "
                f"{len(evidence.only_a)} only in A, {len(evidence.only_b)} only in B. Whether the "
                f"summaries agree, words cannot tell: CASPR asks that."
            ),
            drawing.sides(
                *((drawing.heading(name), drawing.marked_words(text, is_shared)) for name, text in texts)
            ),
            drawing.signature(answer.result.signature),
        )


class InvertedBertscorePage(Page):
    """The inverted BERTScore."""

    name = "inverted_bertscore"
    fields = SUMMARIES
    examples = CONTRAST_PAIRS

    def draw(self, answer: Answer, threshold: float | None = None) -> Markup:
        """Draw the score and what it is made of."""
        evidence, score = evidence_of(answer.evidence[0], EmbeddingEvidence), answer.result.mean
        parts = [
            ("precision: how well B covers A", evidence.precision),
            ("recall: how well A covers B", evidence.recall),
            ("F1: their harmonic mean", evidence.f1),
        ]
        return drawing.card(
            drawing.number("BS⁻¹", f"{score:.1f}", "of 100"),
            drawing.scale(score, self.spec, "contrast"),
            drawing.heading("BERTScore of the pair"),
            drawing.bars((label, share, f"{share:.3f}") for label, share in parts),
            drawing.paragraph(
                "BS⁻¹ = 100 · (1 − F1). Embeddings of a claim and of its negation are close to each other, "
                "so a low value does not mean that the summaries agree: CASPR asks that."
            ),
            drawing.signature(answer.result.signature),
        )


def why_they_differ(caspr: float, others: Mapping[str, float], evidence: ContrastEvidence) -> str:
    """Return one sentence on how DS and BS⁻¹ stand to CASPR."""
    words, embeddings = others["distinctiveness_score"], others["inverted_bertscore"]
    verdicts = {claim.verdict for claim in (*evidence.claims_a, *evidence.claims_b)}
    if words - caspr > CLOSE:
        return (
            f"DS ({words:.0f}) is higher because it counts words, and much of what the summaries agree on is "
            f"said in different words; BS⁻¹ ({embeddings:.0f}) compares embeddings, which see likeness and "
            f"not agreement."
        )
    if caspr - words > CLOSE and "contradicts" in verdicts:
        return (
            f"DS ({words:.0f}) and BS⁻¹ ({embeddings:.0f}) are lower because the summaries use similar words "
            f"for opposite claims, and neither words nor embeddings tell a claim from its denial."
        )
    if caspr - words > CLOSE:
        return (
            f"DS ({words:.0f}) and BS⁻¹ ({embeddings:.0f}) are lower because the summaries share words, "
            f"while no claim of one follows from the other."
        )
    return (
        f"DS ({words:.0f}) comes close to CASPR here, by counting words; BS⁻¹ ({embeddings:.0f}) compares "
        f"embeddings and stays low for texts on one topic; neither knows which claims agree."
    )
