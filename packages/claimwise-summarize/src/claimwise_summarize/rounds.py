"""Tasks that ask a chat model in rounds: the next requests of all tasks are sent together."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
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

Outcome = TypeVar("Outcome")


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


Asking = Generator[list[Request], list[Answer], Outcome]
"""A task that yields requests, is sent their answers, and returns its result."""


Ask = Callable[[Sequence[Request]], list[Answer]]
"""A function that returns the answers to requests."""


def done(work: Asking[Outcome], ask: Ask) -> Outcome:
    """Run a task to its end, with the answers that ``ask`` returns."""
    try:
        requests = next(work)
        while True:
            requests = work.send(ask(requests))
    except StopIteration as stop:
        outcome: Outcome = stop.value
        return outcome


def together(works: Sequence[Asking[Outcome]]) -> Asking[list[Outcome]]:
    """Run tasks in step: the next requests of all of them are sent together."""
    outcomes: dict[int, Outcome] = {}
    requests: dict[int, list[Request]] = {}
    replies: dict[int, list[Answer]] = {}
    while len(outcomes) < len(works):
        for number, work in enumerate(works):
            if number not in outcomes:
                try:
                    requests[number] = work.send(replies[number]) if replies else next(work)
                except StopIteration as stop:
                    outcomes[number] = stop.value
                    requests.pop(number, None)
        if requests:
            answers = iter((yield list(chain.from_iterable(requests.values()))))
            replies = {number: list(islice(answers, len(own))) for number, own in requests.items()}
    return [outcomes[number] for number in range(len(works))]


def answers(model: ChatModel[Any], requests: Sequence[Request]) -> list[Answer]:
    """Return the answers of a chat model; see ``ChatModel.ask_all``."""
    outcomes = model.ask_all(list(map(_question, requests)), doing="writing", unit=" answers")
    return [
        Answer(None, unusable=outcome.unusable) if outcome.answer is None else Answer(**outcome.answer)
        for outcome in outcomes
    ]


class Counting:
    """Counts the requests that would be sent, assuming typical answers for those not yet in the cache."""

    def __init__(self, model: ChatModel[Any]) -> None:
        self._model, self._costs, self._typical = model, Costs(), dict[Request, str]()

    def __call__(self, requests: Sequence[Request]) -> list[Answer]:
        """Return cached answers, and typical ones in place of the others."""
        new = [request for request in dict.fromkeys(requests) if request not in self._typical]
        self._costs.add([self._model.cost(self._model.name, list(map(_question, new)))])
        for request in new:
            self._typical[request] = request.typical or TYPICAL_ANSWER.format(len(self._typical))
        cached = self._model.kept_answers(list(map(_question, requests)))
        return [
            Answer(self._typical[request]) if answer is None else Answer(**answer)
            for request, answer in zip(requests, cached, strict=True)
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
        about=f"the prompt “{textwrap.shorten(request.prompt, 80, placeholder='…')}”",
        messages=[{"role": "user", "content": request.prompt}],
        key=("text", request.prompt),
        read=read,
        max_tokens=request.max_tokens,
        answer_tokens=min(len(typical) // CHARACTERS_PER_TOKEN, request.max_tokens),
    )
