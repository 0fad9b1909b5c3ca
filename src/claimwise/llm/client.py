"""Asking a chat model many questions behind any OpenAI-compatible endpoint; every answer is kept at once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

from tqdm import tqdm

from claimwise.cache import AnswerCache
from claimwise.errors import ClaimwiseError
from claimwise.llm.completion import Completion, UnusableAnswerError, read_completion
from claimwise.llm.costs import Cost
from claimwise.llm.endpoint import Endpoint, model_and_url
from claimwise.llm.prompts import Message
from claimwise.llm.server import Connection, Reply, Server
from claimwise.options import number

Answer = TypeVar("Answer")
CHARACTERS_PER_TOKEN = 4
"""Of English text, about."""
TOKENS_AROUND = 12
"""Of a message's frame, and of an answer's."""


@dataclass(frozen=True)
class Question(Generic[Answer]):
    """One request and how its answer is read.

    Args:
        about: what it asks about, for errors, such as ``"the sentence 'It rained.'"``.
        messages: the chat so far.
        key: what tells it from other questions to the same model: its prompt and its texts, in JSON types.
        read: turns the completion into the answer; raises ``UnusableAnswerError`` where there is none.
        max_tokens: the longest answer.
        answer_tokens: how long the answer will be, about.
        parameters: more of the request's body, such as ``{"logprobs": True, "top_logprobs": 5}``.
    """

    about: str
    messages: Sequence[Message]
    key: Sequence[object]
    read: Callable[[Completion], Answer]
    max_tokens: int
    answer_tokens: int
    parameters: Mapping[str, object] = field(default_factory=dict)


class Outcome(NamedTuple, Generic[Answer]):
    """The answer to a question, or why there is none that can be used."""

    answer: Answer | None
    unusable: str | None = None


class ChatClient(Generic[Answer]):
    """Asks a chat model. Threads may share a client, and it can be pickled with its key.

    Args:
        model: its name, as the endpoint knows it; see ``model_and_url``.
        url: of the endpoint, usually ending in ``/v1``.
        api_key: see ``Endpoint.find``.
        api_key_env: see ``Endpoint.find``.
        temperature: from 0 to 2.
        **limits: see ``Server``.

    Raises:
        ClaimwiseError: for an option that cannot be used, or a key that is missing.

    Attributes:
        server: that is asked.
        tells_logprobs: whether it tells log probabilities; None until somebody has found out.
    """

    def __init__(
        self,
        model: str,
        url: str | None,
        *,
        api_key: str | None,
        api_key_env: str | None,
        temperature: float,
        **limits: Any,
    ) -> None:
        self.model, url = model_and_url(model, url)
        self.server = Server(Endpoint.find(url, api_key, api_key_env), **limits)
        self.temperature = number("temperature", temperature, 0, 2)
        self.tells_logprobs: bool | None = None
        self._tokens = {"input_tokens": 0, "output_tokens": 0}
        self._refused: frozenset[str] = frozenset()

    @property
    def used(self) -> dict[str, int]:
        """Requests sent so far, repetitions included, and the tokens that the endpoint counted."""
        return {"requests": self.server.requests, **self._tokens}

    @property
    def depends_on(self) -> list[object]:
        """What all answers of the model depend on, in JSON types."""
        endpoint = self.server.endpoint
        return [self.model, endpoint.url, sorted(endpoint.query.items()), self.temperature]

    def ask(
        self,
        questions: Sequence[Question[Answer]],
        *,
        cache: AnswerCache[Answer] | None = None,
        show_progress: bool = True,
        doing: str = "asking",
        unit: str = " questions",
    ) -> list[Outcome[Answer]]:
        """Return the outcome of each question, in order; equal questions are asked once and share an answer.

        An answer that cannot be used is not kept: it is asked for again in the next run.

        Args:
            questions: any number of them.
            cache: where every answer is kept before the next question is asked in its place, and looked up
                before it is asked for again; ``None`` keeps nothing.
            show_progress: show a progress bar on runs of more than two seconds.
            doing: what the progress bar calls it.
            unit: what it counts.

        Raises:
            ClaimwiseError: when the endpoint refuses the key or the model, rejects a request or cannot be
                reached, the limit of requests is reached, or the cache fails. Nothing more is asked then;
                what was answered until then is in the cache.
            KeyboardInterrupt: on Ctrl-C, after the requests under way have ended.
        """
        keys, distinct, outcomes = self._known(questions, cache)
        missing = [(key, question) for key, question in distinct.items() if key not in outcomes]
        if missing:
            progress = tqdm(
                total=len(missing),
                desc=doing,
                unit=unit,
                delay=2,
                disable=None if show_progress else True,  # None: only on a terminal
            )
            with self.server.connected() as connection, progress:

                def ask(asked: tuple[str, Question[Answer]]) -> Outcome[Answer]:
                    return self._ask(connection, *asked, cache)

                for answered in connection.each(ask, missing):
                    outcomes.update((key, outcome) for (key, _), outcome in answered)
                    progress.update(len(answered))
        return [outcomes[key] for key in keys]

    def cost(self, of: str, questions: Sequence[Question[Answer]], cache: AnswerCache[Answer] | None) -> Cost:
        """Return what it would take to ask the distinct questions that are not in the cache."""
        _, distinct, known = self._known(questions, cache)
        missing = [question for key, question in distinct.items() if key not in known]
        characters = [sum(len(message["content"]) for message in one.messages) for one in missing]
        return Cost(
            of,
            requests=len(missing),
            input_tokens=sum(count // CHARACTERS_PER_TOKEN + TOKENS_AROUND for count in characters),
            output_tokens=sum(question.answer_tokens + TOKENS_AROUND for question in missing),
        )

    def known(self, questions: Sequence[Question[Answer]], cache: AnswerCache[Answer]) -> list[Answer | None]:
        """Return the answer to each question that is in the cache."""
        keys, _, known = self._known(questions, cache)
        return [known[key].answer if key in known else None for key in keys]

    def _known(
        self, questions: Sequence[Question[Answer]], cache: AnswerCache[Answer] | None
    ) -> tuple[list[str], dict[str, Question[Answer]], dict[str, Outcome[Answer]]]:
        """Return the key of each question, the distinct questions, and the outcomes in the cache."""
        keys = [self._key(question) for question in questions]
        distinct = dict(zip(keys, questions, strict=True))
        known = {} if cache is None else cache.get(list(distinct))
        return keys, distinct, {key: Outcome(answer) for key, answer in known.items()}

    def _key(self, question: Question[Answer]) -> str:
        """Return the digest of everything that the answer depends on."""
        parts = [*self.depends_on, question.max_tokens, *question.key, dict(question.parameters)]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def _ask(
        self,
        connection: Connection,
        key: str,
        question: Question[Answer],
        cache: AnswerCache[Answer] | None,
    ) -> Outcome[Answer]:
        """Return the outcome of one question; an answer is in the cache by then."""
        failure = None
        try:
            reply = self._post(connection, question)
            self._count(reply.content)
            completion = read_completion(reply.content)
            if self.server.endpoint.hide(completion.text) != completion.text:
                raise UnusableAnswerError("quoting the API key")
            answer = question.read(completion)
        except UnusableAnswerError as reason:
            return Outcome(None, str(reason))
        except ClaimwiseError as error:
            kept = "With a cache of answers, a second run would resume from here."
            if cache is not None:
                kept = f"All answers so far are in {cache.path}: a second run resumes from there."
            failure = error.at(remedy=f"{error.remedy} {kept}")
        if failure is not None:
            raise failure
        if cache is not None:
            cache.put(key, answer)
        return Outcome(answer)

    def _count(self, content: object) -> None:
        """Add the tokens that a reply says it cost."""
        usage = content.get("usage") if isinstance(content, dict) else None
        for name, key in (("input_tokens", "prompt_tokens"), ("output_tokens", "completion_tokens")):
            tokens = usage.get(key) if isinstance(usage, dict) else None
            if isinstance(tokens, int) and tokens > 0:
                with self.server.lock:
                    self._tokens[name] += tokens

    def _post(self, connection: Connection, question: Question[Answer]) -> Reply:
        """Return the reply to one question, asked again without the parameters that the endpoint refuses."""
        body: dict[str, Any] = {
            "model": self.model,
            "temperature": self.temperature,
            "max_tokens": question.max_tokens,
            "messages": question.messages,
            **question.parameters,
        }
        while True:
            refused = self._refused  # as it is now: other threads may add to it while this request is sent
            sent = {name: value for name, value in body.items() if name not in refused}
            if "max_tokens" in refused:
                sent["max_completion_tokens"] = question.max_tokens
            reply = connection.post("/chat/completions", sent)
            if reply.status == 200:
                break
            names = _refused(reply, question.parameters) & sent.keys()
            if not names:
                raise self._rejected(reply, question)
            with self.server.lock:
                self._refused |= names
        if not reply.is_json:
            raise UnusableAnswerError("not JSON")
        return reply

    def _rejected(self, reply: Reply, question: Question[Answer]) -> Exception:
        """Return what an endpoint's answer means that will not change when it is asked again."""
        if _error(reply).get("code") == "content_filter":
            return UnusableAnswerError("refused")
        if reply.status == 404:
            return self.server.error(
                f"does not know the model {self.model!r} or the path (404){reply.said}",
                "Check the model's name and url=, which usually ends in /v1.",
            )
        return self.server.error(
            f"rejected the request for {question.about} ({reply.status}){reply.said}",
            "Check the model's name, temperature=, max_tokens= and the prompt.",
        )


def _error(reply: Reply) -> Mapping[str, Any]:
    error = reply.content.get("error") if isinstance(reply.content, dict) else None
    return error if isinstance(error, dict) else {}


def _refused(reply: Reply, parameters: Mapping[str, object]) -> set[str]:
    """Return those parameters of a request that an endpoint names when it rejects it."""
    error = _error(reply)
    if (error.get("code"), error.get("param")) == ("unsupported_parameter", "max_tokens"):
        return {"max_tokens"}
    said = f"{error.get('param')} {reply.content}"
    return {name for name in parameters if name in said} if reply.status in (400, 422) else set()
