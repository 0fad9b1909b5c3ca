"""What all summarizers do: rows in, what is asked at one level asked at once, rows with a summary out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeVar, cast

from claimwise.errors import ClaimwiseError
from claimwise.evidence.support import SupportEvidence
from claimwise.llm.client import CHARACTERS_PER_TOKEN, ChatModel, Question
from claimwise.llm.completion import Completion, UnusableAnswerError
from claimwise.llm.costs import Cost, Costs
from claimwise.llm.prompts import chat
from claimwise.llm.server import shorten
from claimwise.metrics import SupportCounts
from claimwise.metrics.steps import NLIOptions
from claimwise.plugins import Named
from claimwise.signature import signature
from claimwise.summarizers.citations import cite, sentences_of
from claimwise.summarizers.options import TEMPERATURES, preset_options
from claimwise.summarizers.prompts import read_text
from claimwise.summarizers.rows import Draft, Entity, read_entity
from claimwise.text.sentences import Splitter

MODELS = "claimwise.models"
TYPICAL_ANSWER = (
    "Answer {}: most reviewers of it were content with what they got. "
    "Some of them had complaints about the price, the noise and the size. "
    "A few others would come again if these things were only mended soon."
)
"""What an estimate takes for an answer: 39 words in three sentences, as the recorded ones on average."""

Found = TypeVar("Found")


@dataclass(frozen=True)
class Request:
    """A request to a chat model.

    Attributes:
        prompt: the only message.
        max_tokens: the longest answer.
        typical: what an estimate takes for the answer; None = ``TYPICAL_ANSWER``.
        check: raises ``UnusableAnswerError`` for a text that is no answer.
    """

    prompt: str
    max_tokens: int
    typical: str | None = None
    check: Callable[[str], object] = read_text


class Answer(NamedTuple):
    """What a model answered.

    Attributes:
        text: None where the answer cannot be used.
        is_cut_off: whether it is longer than the request allows.
        unusable: why it cannot be used.
    """

    text: str | None
    is_cut_off: bool = False
    unusable: str | None = None


Asking = Generator[list[Request], list[Answer], Found]
"""Work that yields requests, is sent their answers, and returns what it found."""


def done(work: Asking[Found], ask: Callable[[Sequence[Request]], list[Answer]]) -> Found:
    """Do work to its end, with the answers that ``ask`` gives."""
    try:
        requests = next(work)
        while True:
            requests = work.send(ask(requests))
    except StopIteration as stop:
        found: Found = stop.value
        return found


def together(works: Sequence[Asking[Found]]) -> Asking[list[Found]]:
    """Do works side by side: what all of them ask next is asked at once."""
    found: dict[int, Found] = {}
    asked: dict[int, list[Request]] = {}
    answers: dict[int, list[Answer]] = {}
    going = dict(enumerate(works))
    while going:
        for number, work in list(going.items()):
            try:
                asked[number] = work.send(answers[number]) if number in answers else next(work)
            except StopIteration as stop:
                found[number] = stop.value
                del going[number]
        if not going:
            break
        replies = iter((yield [request for number in going for request in asked[number]]))
        answers = {number: [next(replies) for _ in asked[number]] for number in going}
    return [found[number] for number in range(len(works))]


class Counting:
    """Takes typical answers in place of those that are still to be given, and counts what would be asked.

    Args:
        model: that would be asked.
    """

    def __init__(self, model: ChatModel[Any]) -> None:
        self._model, self._costs, self._typical = model, Costs(), dict[Request, str]()

    def __call__(self, requests: Sequence[Request]) -> list[Answer]:
        """Return kept answers, and typical ones."""
        new = [one for one in dict.fromkeys(requests) if one not in self._typical]
        self._costs.add([self._model.cost(self._model.name, [_question(one) for one in new])])
        for one in new:
            self._typical[one] = one.typical or TYPICAL_ANSWER.format(len(self._typical))
        kept = self._model.kept_answers([_question(one) for one in requests])
        return [
            Answer(self._typical[one]) if of_one is None else Answer(**of_one)
            for one, of_one in zip(requests, kept, strict=True)
        ]

    def costs(self) -> list[Cost]:
        """Return what the model would be asked."""
        return list(self._costs.values())


class BaseSummarizer(ABC):
    """A summarizer of rows. Nothing is loaded or sent when it is made; it can be pickled.

    Args:
        preset: ``"default"``, or one of the papers': ``"space"`` or ``"fewsum"``.
        model_options: of a model that is named, such as ``{"timeout": 120}``.
        **options: see ``SummarizerOptions``.

    Raises:
        ClaimwiseError: for an option or a model that is wrong.
    """

    def __init__(
        self,
        *,
        preset: str = "default",
        model_options: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        self.options = preset_options(preset, options)
        model = self.options.model
        own = dict(model_options or {})
        if isinstance(model, str):
            named = Named(MODELS, model, "model")
            named.check(own)
            own = {"temperature": TEMPERATURES[preset]} | own if "temperature" in named else own
            model = cast(ChatModel[Any], named.made(own, {"show_progress": self.options.show_progress}))
        elif own:
            problem = (
                "there is no model to give it to." if model is None else "a ready-made model keeps its own."
            )
            raise ClaimwiseError(f"model_options: {problem}", "Leave it out.", option="model_options")
        self.model: ChatModel[Any] | None = model
        if self.model is not None and self.options.cache is not None:
            self.model = self.model.kept_in(self.options.cache, "cache")

    @cached_property
    def splitter(self) -> Splitter:
        """The sentence splitter."""
        return Splitter(self.options.splitter)

    @cached_property
    def support(self) -> SupportCounts:
        """The metric whose evidence becomes citations."""
        given = {name: getattr(self.options, name) for name in NLIOptions.names()}
        if given["score_cache"] is None:
            given["score_cache"] = self.options.cache
        return SupportCounts(**given)

    @property
    def signature(self) -> str:
        """Everything that the summaries depend on, in one line."""
        parts = self.signature_parts()
        if self.model is not None:
            parts |= {"model": self.model.name, "url": self.model.endpoint.name}
            parts |= {"temperature": f"{self.model.temperature:g}", "max_tokens": self.options.max_tokens}
        return signature("summary", parts)

    @abstractmethod
    def signature_parts(self) -> dict[str, object]:
        """Return what the summaries depend on, besides the model."""

    @abstractmethod
    def works(self, entities: Sequence[Entity]) -> Asking[dict[str | None, Draft]]:
        """Summarize the entities of one row: drafts by aspect, or by the column that each fills."""

    def entities(self, row: Mapping[str, Any], number: int) -> list[Entity]:
        """Return what is to be summarized in a row.

        Raises:
            ClaimwiseError: for a row that cannot be read; it names the row.
        """
        return [read_entity(row, number)]

    def summarize(self, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Return rows with a summary each: one for each row, or one for each aspect of each row.

        Args:
            rows: with ``entity`` and ``reviews`` (texts, or objects with ``text``, ``rating`` and ``id``).

        Returns:
            Rows with ``entity``, ``aspect``, ``summary`` (None where there is none: ``reason`` says why, also
            for a row that cannot be read), ``reviews``, ``sentences`` (each with its ``citations``),
            ``levels``, ``extract``, ``truncated``, ``fallbacks``, ``used`` and ``signature``.

        Raises:
            ClaimwiseError: when the model refuses the key, cannot be reached, or reaches its limit of
                requests; what was answered until then is in the cache, if there is one.
        """
        made = self.draft(rows)
        self.cite(made)
        return made

    def draft(self, rows: Sequence[Mapping[str, Any]], first_row: int = 0) -> list[dict[str, Any]]:
        """Return what ``summarize`` returns, before the judge is asked for citations.

        Args:
            rows: see ``summarize``.
            first_row: the number of the first, for errors.
        """
        return self._drafted(rows, first_row, self._answers)

    def cite(self, made: Sequence[dict[str, Any]]) -> list[list[SupportEvidence]]:
        """Add citations to the sentences of drafted rows, and return the evidence of each of its parts."""
        if not self.options.citations:
            return [[] for _ in made]
        return [[cite(self.support, part) for part in self.parts(row)] for row in made]

    def parts(self, row: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the summaries of a row, each with ``summary``, ``reviews`` and ``sentences``."""
        return [row] if row.get("summary") else []

    def estimate(self, rows: Sequence[Mapping[str, Any]]) -> list[Cost]:
        """Return what a run would ask of the model, told from typical answers; nothing is sent."""
        if self.model is None:
            return []
        counting = Counting(self.model)
        self._drafted(rows, 0, counting)
        return counting.costs()

    def _drafted(
        self,
        rows: Sequence[Mapping[str, Any]],
        first_row: int,
        ask: Callable[[Sequence[Request]], list[Answer]],
    ) -> list[dict[str, Any]]:
        read: dict[int, list[Entity]] = {}
        found: dict[int, list[dict[str, Any]]] = {}
        for number, row in enumerate(rows):
            try:
                read[number] = self.entities(row, first_row + number)
            except ClaimwiseError as error:
                name = row.get("entity", first_row + number)
                found[number] = [{"entity": name, "summary": None, "reason": str(error)}]
        of_all = done(together([self.works(of_row) for of_row in read.values()]), ask)
        for (number, of_row), drafts in zip(read.items(), of_all, strict=True):
            found[number] = self.rows_of(of_row, drafts)
        return [{**one, "signature": self.signature} for number in sorted(found) for one in found[number]]

    def _answers(self, requests: Sequence[Request]) -> list[Answer]:
        assert self.model is not None
        outcomes = self.model.ask_all([_question(one) for one in requests], doing="writing", unit=" answers")
        return [
            Answer(None, unusable=of_one.unusable) if of_one.answer is None else Answer(**of_one.answer)
            for of_one in outcomes
        ]

    def rows_of(self, entities: Sequence[Entity], drafts: Mapping[str | None, Draft]) -> list[dict[str, Any]]:
        """Return the rows that are written for a row."""
        (entity,) = entities
        return [
            {
                "entity": entity.name,
                "aspect": aspect,
                "summary": draft.text,
                "reason": draft.reason,
                "reviews": entity.texts,
                "sentences": sentences_of(self.splitter(draft.text or ""), draft.extract or []),
                "levels": draft.levels,
                "extract": None if draft.extract is None else [line.as_dict() for line in draft.extract],
                **self.counts(entities, draft),
            }
            for aspect, draft in drafts.items()
        ]

    def counts(self, entities: Sequence[Entity], draft: Draft) -> dict[str, Any]:
        """Return what is counted of a summary."""
        return {
            "truncated": draft.truncated,
            "fallbacks": draft.fallbacks,
            "blank_reviews": sum(entity.blank for entity in entities),
            "used": {"requests": draft.requests},
        }

    def _count_in(self, draft: Draft, answers: Sequence[Answer]) -> None:
        draft.requests += len(answers)
        draft.fallbacks += sum(answer.text is None for answer in answers)
        unusable = dict.fromkeys(answer.unusable for answer in answers if answer.unusable)
        if unusable and draft.reason is None:
            draft.reason = f"answers that cannot be used: {', '.join(map(str, unusable))}"


def _question(request: Request) -> Question[Any]:
    def read(completion: Completion) -> dict[str, Any]:
        if completion.is_cut_off and not completion.text.strip():
            raise UnusableAnswerError("cut off at max_tokens")
        text = read_text(completion.text)
        request.check(text)
        return {"text": text, "is_cut_off": completion.is_cut_off}

    typical = TYPICAL_ANSWER if request.typical is None else request.typical
    return Question(
        about=f"the prompt {shorten(request.prompt, 80)!r}",
        messages=chat(None, request.prompt),
        key=("text", request.prompt),
        read=read,
        max_tokens=request.max_tokens,
        answer_tokens=min(len(typical) // CHARACTERS_PER_TOKEN, request.max_tokens),
    )
