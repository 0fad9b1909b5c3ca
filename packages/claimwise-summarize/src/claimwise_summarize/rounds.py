"""Tasks that ask a chat model in rounds: the next requests of all tasks are sent together."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from claimwise.llm.client import CHARACTERS_PER_TOKEN, ChatModel, Question
from claimwise.llm.completion import Completion, UnusableAnswerError
from claimwise.llm.costs import Cost, Costs
from claimwise.text.answers import REFUSAL

TYPICAL_ANSWER = (
    "Answer {}: most reviewers of it were content with what they got. "
    "Some of them had complaints about the price, the noise and the size. "
    "A few others would come again if these things were only mended soon."
)
"""The answer that an estimate assumes: 39 words in three sentences, the average of the recorded answers."""

Found = TypeVar("Found")


def read_text(answer: str) -> str:
    """Return the text of an answer, without the model's reasoning.

    Raises:
        UnusableAnswerError: for an empty answer or a refusal.
    """
    text = answer.rpartition("</think>")[2].strip()
    if not any(map(str.isalpha, text)):
        raise UnusableAnswerError("empty")
    if REFUSAL.match(text):
        raise UnusableAnswerError("refused")
    return text


@dataclass(frozen=True)
class Request:
    """A request to a chat model.

    Attributes:
        prompt: the only message.
        max_tokens: maximum length of the answer, in tokens.
        typical: the answer that an estimate assumes; None = ``TYPICAL_ANSWER``.
        check: raises ``UnusableAnswerError`` for an unusable answer; None = only empty answers and refusals
            are unusable.
    """

    prompt: str
    max_tokens: int
    typical: str | None = None
    check: Callable[[str], object] | None = None


class Answer(NamedTuple):
    """An answer of a model.

    Attributes:
        text: None if the answer is unusable.
        is_cut_off: whether the answer was cut off at ``max_tokens``.
        unusable: why it is unusable.
    """

    text: str | None
    is_cut_off: bool = False
    unusable: str | None = None


Asking = Generator[list[Request], list[Answer], Found]
"""A task that yields requests, is sent their answers, and returns its result."""


Ask = Callable[[Sequence[Request]], list[Answer]]
"""A function that returns the answers to requests."""


def done(work: Asking[Found], ask: Ask) -> Found:
    """Run a task to its end, with the answers that ``ask`` returns."""
    try:
        requests = next(work)
        while True:
            requests = work.send(ask(requests))
    except StopIteration as stop:
        found: Found = stop.value
        return found


def together(works: Sequence[Asking[Found]]) -> Asking[list[Found]]:
    """Run tasks in step: the next requests of all of them are sent together."""
    found: dict[int, Found] = {}
    asked: dict[int, list[Request]] = {}
    replies_to: dict[int, list[Answer]] = {}
    going = dict(enumerate(works))
    while going:
        for number, work in list(going.items()):
            try:
                asked[number] = work.send(replies_to[number]) if number in replies_to else next(work)
            except StopIteration as stop:
                found[number] = stop.value
                del going[number]
        if not going:
            break
        replies = iter((yield [request for number in going for request in asked[number]]))
        replies_to = {number: [next(replies) for _ in asked[number]] for number in going}
    return [found[number] for number in range(len(works))]


def answers(model: ChatModel[Any], requests: Sequence[Request]) -> list[Answer]:
    """Return the answers of a chat model; see ``ChatModel.ask_all``."""
    outcomes = model.ask_all([_question(one) for one in requests], doing="writing", unit=" answers")
    return [
        Answer(None, unusable=one.unusable) if one.answer is None else Answer(**one.answer)
        for one in outcomes
    ]


class Counting:
    """Counts the requests that would be sent, assuming typical answers for those not yet in the cache.

    Args:
        model: the model that would be asked.
    """

    def __init__(self, model: ChatModel[Any]) -> None:
        self._model, self._costs, self._typical = model, Costs(), dict[Request, str]()

    def __call__(self, requests: Sequence[Request]) -> list[Answer]:
        """Return cached answers, and typical ones in place of the others."""
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
        """Return the costs of what the model would be asked."""
        return list(self._costs.values())


def _question(request: Request) -> Question[Any]:
    def read(completion: Completion) -> dict[str, Any]:
        if completion.is_cut_off and not completion.text.strip():
            raise UnusableAnswerError("cut off at max_tokens")
        text = read_text(completion.text)
        if request.check is not None:
            request.check(text)
        return {"text": text, "is_cut_off": completion.is_cut_off}

    typical = TYPICAL_ANSWER if request.typical is None else request.typical
    return Question(
        about=f"the prompt {textwrap.shorten(request.prompt, 80, placeholder='…')!r}",
        messages=[{"role": "user", "content": request.prompt}],
        key=("text", request.prompt),
        read=read,
        max_tokens=request.max_tokens,
        answer_tokens=min(len(typical) // CHARACTERS_PER_TOKEN, request.max_tokens),
    )
