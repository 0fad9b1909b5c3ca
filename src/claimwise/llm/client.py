"""A chat model behind any OpenAI-compatible endpoint: concurrent questions, every answer cached at once."""

from __future__ import annotations

import copy
import hashlib
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, NamedTuple, Self, TypeVar, cast

import httpx

from claimwise.cache import AnswerCache
from claimwise.errors import ClaimwiseError, needs_extra, shown
from claimwise.http.endpoint import OPENAI
from claimwise.http.remote import Connection, Remote, Reply, Send
from claimwise.llm.completion import Completion, UnusableAnswerError, read_completion
from claimwise.llm.costs import Cost
from claimwise.llm.prompts import Message
from claimwise.options import check
from claimwise.progress import bar

Answer = TypeVar("Answer")
CHARACTERS_PER_TOKEN = 4
"""Approximate, for English text."""
TOKENS_AROUND = 12
"""Overhead of a message, and of an answer."""


@dataclass(frozen=True)
class Question(Generic[Answer]):
    """A request and how to read its answer.

    Args:
        about: the subject of the question, for errors, such as ``"the sentence “It rained.”"``.
        key: distinguishes questions to the same model: prompt and texts, in JSON types.
        read: turns the completion into the answer; raises ``UnusableAnswerError`` if it has none.
        answer_tokens: expected length of the answer; ``max_tokens`` is its maximum.
        parameters: further parameters of the request, such as ``{"logprobs": True, "top_logprobs": 5}``.
    """

    about: str
    messages: Sequence[Message]
    key: Sequence[object]
    read: Callable[[Completion], Answer]
    max_tokens: int
    answer_tokens: int
    parameters: Mapping[str, object] = field(default_factory=dict)


class Outcome(NamedTuple, Generic[Answer]):
    """The answer to a question, or the reason why it is unusable."""

    answer: Answer | None
    unusable: str | None = None


def text_cache(path: str | os.PathLike[str], *, option: str = "cache") -> AnswerCache[dict[str, Any]]:
    """Return an SQLite cache of answers ``{"text": str, "is_cut_off": bool}``."""
    return AnswerCache(path, _is_text, expected="a text", table="texts", column="text", option=option)


@dataclass(kw_only=True, eq=False, repr=False)
class ChatModel(Remote, Generic[Answer]):
    """A chat model that answers questions.

    Args:
        model: the name of the model, as the endpoint knows it.
        url: address of an OpenAI-compatible endpoint, usually ending in `/v1`; None = the environment
            variable `OPENAI_BASE_URL`, else OpenAI.
        temperature: from 0 to 2.

    Raises:
        ClaimwiseError: for an invalid option or a missing key.
    """

    model: str = field(kw_only=False)
    url: str | None = field(default=None, kw_only=False)
    temperature: float | None = 0.0

    answers: ClassVar[Callable[..., AnswerCache[Any]]] = staticmethod(text_cache)
    """Opens the cache of answers, given its path and ``option=``, the option that named it."""

    def __post_init__(self) -> None:
        self.model, url = model_and_url(self.model, self.url)
        self.set_up(url)
        with needs_extra("openai", "A chat model"):
            import openai  # noqa: F401
        check("temperature", self.temperature, between=(0, 2))
        self.temperature = float(self.temperature or 0)
        self._cache: AnswerCache[Answer] | None = None

    @property
    def name(self) -> str:
        """Its name in signatures and messages."""
        return f"openai:{self.model}"

    @property
    def used(self) -> dict[str, int]:
        """Number of requests sent so far, retries included, and of tokens that the endpoint counted."""
        return {
            "requests": self.usage.requests,
            "input_tokens": self.usage.input_tokens,
            "output_tokens": self.usage.output_tokens,
        }

    def kept_in(self, path: str | os.PathLike[str], option: str = "score_cache") -> Self:
        """Return this model with a cache file for its answers, unless it already has one.

        Both models count their requests together. An unusable file is an error of ``option``.
        """
        if self._cache is not None:
            return self
        kept = copy.copy(self)
        kept._cache = type(self).answers(path, option=option)
        return kept

    def ask_all(
        self, questions: Sequence[Question[Answer]], *, doing: str = "asking", unit: str = " questions"
    ) -> list[Outcome[Answer]]:
        """Return the outcome of each question, in order; equal questions are asked once.

        Unusable answers are not cached: the next run asks again. ``doing`` and ``unit`` label the progress
        bar.

        Raises:
            ClaimwiseError: when the endpoint refuses the key or the model, rejects a request or cannot be
                reached, the request limit is reached, or the cache fails. Nothing more is sent then; earlier
                answers are in the cache.
            KeyboardInterrupt: on Ctrl-C, after pending requests have ended.
        """
        keys, distinct, outcomes = self._known(questions)
        missing = [(key, question) for key, question in distinct.items() if key not in outcomes]
        if missing:
            progress = bar(doing, len(missing), unit, shown=self.show_progress)
            with self.connected() as connection, progress:

                def ask(keyed: tuple[str, Question[Answer]]) -> Outcome[Answer]:
                    return self._ask(connection, *keyed)

                for answered in connection.each(ask, missing):
                    outcomes.update((key, outcome) for (key, _), outcome in answered)
                    progress.update(len(answered))
        return [outcomes[key] for key in keys]

    def cost(self, name: str, questions: Sequence[Question[Answer]]) -> Cost:
        """Return the cost of asking the distinct questions that are not in the cache."""
        _, distinct, known = self._known(questions)
        missing = [question for key, question in distinct.items() if key not in known]
        characters = [sum(len(message["content"]) for message in question.messages) for question in missing]
        return Cost(
            name,
            requests=len(missing),
            input_tokens=sum(count // CHARACTERS_PER_TOKEN + TOKENS_AROUND for count in characters),
            output_tokens=sum(question.answer_tokens + TOKENS_AROUND for question in missing),
        )

    def kept_answers(self, questions: Sequence[Question[Answer]]) -> list[Answer | None]:
        """Return the cached answer to each question; None = not cached."""
        keys, _, known = self._known(questions)
        return [known[key].answer if key in known else None for key in keys]

    def sender(self, client: httpx.Client) -> Send:
        """Return a function that sends one request with the package openai, without retries."""
        import openai

        # The connection adds the real key, and removes what the package reads from the environment.
        api: Any = openai.OpenAI(
            api_key="unused",
            base_url=self.endpoint.url,
            max_retries=0,
            timeout=self.timeout,
            http_client=cast(Any, client),  # newer versions declare httpx2, and take both
        )

        def send(_method: str, path: str, body: object) -> httpx.Response:
            response: httpx.Response
            try:
                response = api.post(path, body=body, cast_to=httpx.Response)
            except openai.APIStatusError as error:
                response = cast(Any, error.response)
            except openai.APITimeoutError:
                raise httpx.TimeoutException("") from None
            except openai.APIConnectionError:
                raise httpx.TransportError("") from None
            return response

        return send

    @property
    def _depends_on(self) -> list[object]:
        """Settings on which all answers of the model depend, in JSON types."""
        endpoint = self.endpoint
        return [self.model, endpoint.url, sorted(endpoint.query.items()), self.temperature]

    def _known(
        self, questions: Sequence[Question[Answer]]
    ) -> tuple[list[str], dict[str, Question[Answer]], dict[str, Outcome[Answer]]]:
        """Return the key of each question, the distinct questions, and the outcomes in the cache."""
        keys = [self._key(question) for question in questions]
        distinct = dict(zip(keys, questions, strict=True))
        known = {} if self._cache is None else self._cache.get(list(distinct))
        return keys, distinct, {key: Outcome(answer) for key, answer in known.items()}

    def _key(self, question: Question[Answer]) -> str:
        parts = [*self._depends_on, question.max_tokens, *question.key, dict(question.parameters)]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def _ask(self, connection: Connection, key: str, question: Question[Answer]) -> Outcome[Answer]:
        """Return the outcome of one question; an answer is cached first."""
        try:
            completion = self._completed(connection, question)
            answer = question.read(completion)
        except UnusableAnswerError as reason:
            return Outcome(None, str(reason))
        except ClaimwiseError as error:
            resumption = "With a cache of answers, a second run would resume from here."
            if self._cache is not None:
                resumption = f"All answers so far are in {self._cache.path}: a second run resumes from there."
            raise error.with_choice(resumption) from None
        if self._cache is not None:
            self._cache.put(key, answer)
        return Outcome(answer)

    def _completed(self, connection: Connection, question: Question[Answer]) -> Completion:
        """Return the completion of one question, resent without any parameters that the endpoint refuses."""
        body: dict[str, Any] = {
            "model": self.model,
            "temperature": self.temperature,
            "max_tokens": question.max_tokens,
            "messages": question.messages,
            **question.parameters,
        }
        while True:
            refused = self.usage.refused  # other threads may add to it during this request
            sent = {name: value for name, value in body.items() if name not in refused}
            if "max_tokens" in refused:
                sent["max_completion_tokens"] = question.max_tokens
            reply = connection.request("/chat/completions", sent)
            if reply.status == 200:
                break
            names = _refused(reply, question.parameters) & sent.keys()
            if not names:
                raise self._rejected(reply, question)
            self.usage.refuse(names)
        if not reply.is_json:
            raise UnusableAnswerError("not JSON")
        self._count(reply.content)
        completion = read_completion(reply.content)
        if self.endpoint.hide(completion.text) != completion.text:
            raise UnusableAnswerError("quoting the API key")
        return completion

    def _count(self, content: object) -> None:
        """Add the token counts that a reply reports."""
        match content:
            case {"usage": dict(usage)}:
                counts = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")]
                sent, answered = (max(n, 0) if isinstance(n, int) else 0 for n in counts)
                self.usage.count_tokens(sent, answered)

    def _rejected(self, reply: Reply, question: Question[Answer]) -> Exception:
        """Return the error for a rejection that retries cannot change."""
        if _error(reply).get("code") == "content_filter":
            return UnusableAnswerError("refused")
        if reply.status in (400, 413) and (
            "context_length" in str(reply.content) or "context length" in reply.said
        ):
            return UnusableAnswerError("the input is longer than the model's context")
        if reply.status == 404:
            return self.error(
                f"does not offer the model `{self.model}` at this path (404){reply.said}",
                "Check the model's name and url=, which usually ends in /v1.",
            )
        return self.error(
            f"rejected the request for {question.about} ({reply.status}){reply.said}",
            "Check the model's name, temperature=, max_tokens= and the prompt.",
        )


def _is_text(value: object) -> bool:
    match value:
        case {"text": str(), "is_cut_off": bool()}:
            return True
    return False


def _error(reply: Reply) -> Mapping[str, Any]:
    error = reply.content.get("error") if isinstance(reply.content, dict) else None
    return error if isinstance(error, dict) else {}


def _refused(reply: Reply, parameters: Mapping[str, object]) -> set[str]:
    """Return the parameters that an endpoint names when it rejects a request."""
    error = _error(reply)
    if (error.get("code"), error.get("param")) == ("unsupported_parameter", "max_tokens"):
        return {"max_tokens"}
    said = f"{error.get('param')} {reply.content}"
    return {name for name in parameters if name in said} if reply.status in (400, 422) else set()


def model_and_url(model: str, url: str | None) -> tuple[str, str]:
    """Return a chat model's name and the URL of its endpoint.

    Args:
        model: ``"MODEL"`` or ``"MODEL@http://host:port/v1"``.
        url: None = the address in ``model``, else the environment variable ``OPENAI_BASE_URL``, else OpenAI.
    """
    name, *address = re.split(r"@(?=https?://)", model, maxsplit=1) if isinstance(model, str) else [""]
    if not name.strip():
        raise ClaimwiseError(
            f"`model` must be the name of a model, such as `gpt-4o-mini`; got {shown(model)}.",
            "Write openai:MODEL or openai:MODEL@http://host:port/v1.",
            option="model",
        )
    if url is None:
        url = address[0] if address else os.environ.get("OPENAI_BASE_URL") or OPENAI
    return name, url
