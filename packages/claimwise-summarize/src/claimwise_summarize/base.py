"""The base of all summarizers: read rows, send the requests of a level together, return summaries."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import Any, ClassVar, cast

from claimwise import __version__
from claimwise.errors import ClaimwiseError
from claimwise.evidence.support import SupportEvidence
from claimwise.llm.client import ChatModel
from claimwise.llm.costs import Cost
from claimwise.metrics.nli import NLIOptions
from claimwise.metrics.support_counts import SupportCounts
from claimwise.plugins import Named
from claimwise.signature import exact, signature
from claimwise.tables import Repeated, joined
from claimwise.text.normalise import VERSION as NORMALISED
from claimwise.text.normalise import plain
from claimwise.text.questions import join_answers
from claimwise.text.sentences import Splitter
from claimwise_summarize.citations import cite, sentences_of
from claimwise_summarize.options import TEMPERATURES, preset_options
from claimwise_summarize.rounds import Ask, Asking, Counting, answers, done, together
from claimwise_summarize.rows import OF_REVIEW, REVIEWS, Draft, Entity, read_entity

MODELS = "claimwise.models"


class BaseSummarizer(ABC):
    """A summarizer of rows. Nothing is loaded or sent when it is created; it can be pickled.

    Args:
        preset: ``"default"``, or a paper's settings, ``"space"`` or ``"fewsum"``.
        model_options: options of a model that is given by name, such as ``{"timeout": 120}``.
        **options: see ``SummarizerOptions``.

    Attributes:
        unused: options that have no effect on this summarizer, and are refused.

    Raises:
        ClaimwiseError: for an invalid option or model.
    """

    unused: ClassVar[frozenset[str]] = frozenset()
    columns: ClassVar[tuple[str, ...]] = ("reviews",)
    """The columns of reviews."""

    def __init__(
        self, *, preset: str = "default", model_options: Mapping[str, Any] | None = None, **options: Any
    ) -> None:
        if ignored := sorted(self.unused.intersection(options)):
            problem = f"{', '.join(ignored)} has no effect on this summarizer."
            raise ClaimwiseError(problem, "Leave it out.", option=ignored[0])
        self.options = preset_options(preset, options)
        model, own = self.options.model, dict(model_options or {})
        if isinstance(model, str):
            named = Named(MODELS, model, "model")
            named.check(own)
            if_accepted = {"temperature": TEMPERATURES[preset], "show_progress": self.options.show_progress}
            model = cast(ChatModel[Any], named.made(own, if_accepted))
        elif own:
            problem = (
                "There is no model to configure." if model is None else "A model object has its options."
            )
            raise ClaimwiseError(problem, "Leave the model options out.", option="model_options")
        self.model: ChatModel[Any] | None = model
        if self.model is not None and self.options.cache is not None:
            self.model = self.model.kept_in(self.options.cache, "cache")

    @cached_property
    def splitter(self) -> Splitter:
        """The sentence splitter."""
        return Splitter(self.options.splitter, lines=True)

    def sentences(self, text: str | None) -> list[str]:
        """Return the sentences of a summary, as its citations name them."""
        return join_answers(self.splitter(plain(text or "")))

    @cached_property
    def support(self) -> SupportCounts:
        """The metric whose evidence provides the citations."""
        options = {name: getattr(self.options, name) for name in NLIOptions.names()}
        options["score_cache"] = options["score_cache"] or self.options.cache
        return SupportCounts(**options, support="sentences")

    @property
    def signature(self) -> str:
        """Everything that the summaries and their citations depend on, in one line; loads what it names."""
        texts = f"plain-{NORMALISED}"
        parts: dict[str, object] = {"version": __version__, "texts": texts, **self.signature_parts()}
        if (model := self.model) is not None:
            parts |= {"model": model.name, "url": model.endpoint.name}
            parts |= {"temperature": exact(model.temperature or 0), "max_tokens": self.options.max_tokens}
        if self.options.citations:
            parts |= {**self.support.judge.signature, **self.support.decomposer.signature}
        else:
            parts["citations"] = "no"
        return signature("summary", parts)

    @abstractmethod
    def signature_parts(self) -> dict[str, object]:
        """Return everything besides the model that the summaries depend on."""

    @abstractmethod
    def works(self, entities: Sequence[Entity]) -> Asking[dict[str | None, Draft]]:
        """Return drafts of the summaries of one row, by aspect or by output column."""

    def entities(self, row: Mapping[str, Any], number: int) -> list[Entity]:
        """Return the entities of a row; raise a ClaimwiseError if it cannot be read."""
        return [read_entity(row, number)]

    def summarize(
        self,
        rows: Sequence[Mapping[str, Any]],
        *,
        reviews: Sequence[Mapping[str, Any]] | None = None,
        by: str | None = None,
    ) -> list[dict[str, Any]]:
        """Return one row with a summary for each row, or for each aspect of each row.

        Args:
            rows: with ``entity`` and ``reviews`` (texts, or objects with ``text``, ``rating`` and ``id``).
            reviews: rows with one review each, which are joined to ``rows`` by ``by``.
            by: the column that says what is reviewed; without ``reviews``, ``rows`` have one review each.

        Returns:
            Rows with ``entity``, ``aspect``, ``summary`` (None if there is none or the row cannot be read;
            ``reason`` explains it), ``reviews``, ``sentences`` (each with its ``claims`` and ``citations``),
            ``levels``, ``extract``, ``truncated``, ``fallbacks``, ``used`` and ``signature``.

        Raises:
            ClaimwiseError: if the model rejects the key, cannot be reached, or reaches its limit of
                requests; a cache keeps all earlier answers. For an entity that repeats with one review each.
        """
        if by is not None:
            pairs = joined(
                rows, reviews, by=by, place="the rows", of_reviews="the reviews", further=OF_REVIEW
            )
            rows = [{"entity": row.get(by), **row} for _, row in pairs]
        elif self.columns == (REVIEWS,):
            entities, reviews_of = ([row.get(name) for row in rows] for name in ("entity", REVIEWS))
            Repeated("entity").add(entities, reviews_of)
        summaries = self.draft(rows)
        self.cite(summaries)
        return summaries

    def draft(self, rows: Sequence[Mapping[str, Any]], first_row: int = 0) -> list[dict[str, Any]]:
        """Return the rows of ``summarize`` without citations; errors number rows from ``first_row``."""
        line = self.signature  # before any request, so that a missing judge costs nothing
        drafted = self._drafted(rows, first_row, partial(answers, cast(ChatModel[Any], self.model)))
        return [{**row, "signature": line} for row in drafted]

    def cite(self, drafted: Sequence[dict[str, Any]]) -> list[list[SupportEvidence]]:
        """Add citations to the sentences of drafted rows; return the evidence of each of their summaries."""
        if not self.options.citations:
            return [[] for _ in drafted]
        return [[cite(self.support, part) for part in self.parts(row)] for row in drafted]

    def parts(self, row: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the summaries of a row, each with ``summary``, ``reviews`` and ``sentences``."""
        return [row] if row.get("summary") else []

    def estimate(self, rows: Sequence[Mapping[str, Any]]) -> list[Cost]:
        """Estimate the cost of a run, assuming answers of typical length; nothing is sent."""
        if self.model is None:
            return []
        counting = Counting(self.model)
        self._drafted(rows, 0, counting)
        return counting.costs()

    def rows_of(self, entities: Sequence[Entity], drafts: Mapping[str | None, Draft]) -> list[dict[str, Any]]:
        """Return the output rows of an input row."""
        (entity,) = entities
        return [
            {
                "entity": entity.name,
                "aspect": aspect,
                "summary": draft.text,
                "reason": draft.reason,
                "reviews": entity.texts,
                "review_ids": [review.id for review in entity.reviews],
                "sentences": sentences_of(self.sentences(draft.text), draft.extract or []),
                "levels": draft.levels,
                "extract": None if draft.extract is None else [line.as_dict() for line in draft.extract],
                **draft.counts(entities),
            }
            for aspect, draft in drafts.items()
        ]

    def _drafted(self, rows: Sequence[Mapping[str, Any]], first_row: int, ask: Ask) -> list[dict[str, Any]]:
        readable: dict[int, list[Entity]] = {}
        outputs: dict[int, list[dict[str, Any]]] = {}
        for number, row in enumerate(rows):
            try:
                readable[number] = self.entities(row, first_row + number)
            except ClaimwiseError as error:
                name = row.get("entity", first_row + number)
                outputs[number] = [{"entity": name, "summary": None, "reason": str(error)}]
        drafts = done(together([self.works(entities) for entities in readable.values()]), ask)
        for (number, entities), by_aspect in zip(readable.items(), drafts, strict=True):
            outputs[number] = self.rows_of(entities, by_aspect)
        return [output for number in sorted(outputs) for output in outputs[number]]
