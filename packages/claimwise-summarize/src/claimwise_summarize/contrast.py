"""Contrastive summaries by a chat model: opinions on only the first entity, only the second, and both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from claimwise.errors import ClaimwiseError
from claimwise.signature import text_fingerprint
from claimwise_summarize import prompts
from claimwise_summarize.base import BaseSummarizer
from claimwise_summarize.chunks import fitting
from claimwise_summarize.citations import sentences_of
from claimwise_summarize.options import NAME_A_MODEL
from claimwise_summarize.rounds import Asking, Request
from claimwise_summarize.rows import Draft, Entity, read_entity

PARTS = {"summary_a": ("reviews_a",), "summary_b": ("reviews_b",), "common": ("reviews_a", "reviews_b")}
"""The summaries of a pair, each with the columns of the reviews that it summarizes."""

OF_PIPELINES = frozenset(
    {"aspects", "chunk", "chunk_plan", "extractor", "keywords", "long", "merge_at", "noun", "prompt", "seed"}
    | {"sentences", "topics", "vectors"}
)
"""Options of the stages of pipelines."""

TYPICAL = "\n".join(
    f"{heading}: The rooms are small. The staff is friendly and helpful. Breakfast is good, and it is quiet."
    for heading in ("ONLY A", "ONLY B", "BOTH")
)


class PairSummarizer(BaseSummarizer):
    """A summarizer of pairs: rows with ``reviews_a`` and ``reviews_b``, and optionally names.

    A row gets ``summary_a``, ``summary_b`` and ``common``, which ``claimwise score caspr`` reads.
    """

    columns = ("reviews_a", "reviews_b")

    def entities(self, row: Mapping[str, Any], number: int) -> list[Entity]:
        """Return the two entities of a row; raise a ClaimwiseError if it cannot be read."""
        entities = []
        for side in "ab":
            name = row.get(f"name_{side}") or row.get(f"entity_{side}") or side.upper()
            entities.append(read_entity({**row, "entity": name}, number, f"reviews_{side}"))
        return entities

    def rows_of(self, entities: Sequence[Entity], drafts: Mapping[str | None, Draft]) -> list[dict[str, Any]]:
        """Return the row of a pair."""
        (a, b), whole = entities, Draft()
        texts = {name: drafts[name].text for name in PARTS}
        sentences = {name: sentences_of(self.sentences(text), ()) for name, text in texts.items()}
        for draft in drafts.values():
            whole.add(draft)
            whole.reason = whole.reason or draft.reason
        return [
            {
                "entity_a": a.name,
                "entity_b": b.name,
                **texts,
                "reason": whole.reason,
                "reviews_a": a.texts,
                "reviews_b": b.texts,
                "sentences": sentences,
                **whole.counts(entities),
            }
        ]

    def parts(self, row: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the three summaries of a row, each with its reviews."""
        names = f"{row.get('entity_a')} / {row.get('entity_b')}"
        return [
            {
                "entity": f"{names}: {name}",
                "summary": row[name],
                "reviews": [review for column in columns for review in row[column]],
                "sentences": row["sentences"][name],
            }
            for name, columns in PARTS.items()
            if row.get(name)
        ]


class Contrast(PairSummarizer):
    """Asks a chat model for the three summaries of a pair, in one request.

    Raises:
        ClaimwiseError: for an invalid option or a missing model.
    """

    unused = OF_PIPELINES

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        if self.model is None:
            raise ClaimwiseError(
                "Contrastive summaries need a chat model.", f"{NAME_A_MODEL}.", option="model"
            )

    def signature_parts(self) -> dict[str, object]:
        """Return everything besides the model that the summaries depend on."""
        options = self.options
        limit = f"{options.input_limit},{options.input_unit}" if options.input_limit else "none"
        parts = {"contrast": text_fingerprint(prompts.CONTRAST), "input_limit": limit}
        return {**parts, **self.splitter.signature}

    def works(self, entities: Sequence[Entity]) -> Asking[dict[str | None, Draft]]:
        """Ask for the three summaries."""
        options = self.options
        lines = [entity.lines(self.splitter) for entity in entities]
        kept = [fitting(own, options.input_limit, options.input_unit) for own in lines]
        a, b = (str(entity.name) for entity in entities)
        lines_of_a, lines_of_b = map(prompts.text_block, kept)
        prompt = prompts.filled(prompts.CONTRAST, a=a, b=b, lines=lines_of_a, other=lines_of_b)
        (answer,) = yield [Request(prompt, options.max_tokens, TYPICAL, prompts.read_contrast)]
        drafts: dict[str | None, Draft] = {name: Draft() for name in PARTS}
        first = drafts["summary_a"]
        first.truncated = sum(len(fits) < len(own) for fits, own in zip(kept, lines, strict=True))
        first.count([answer])
        if answer.text is not None:
            for name, text in prompts.read_contrast(answer.text).items():
                drafts[name].text = text
            first.truncated += answer.is_cut_off
        return drafts
