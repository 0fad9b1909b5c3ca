"""Asking a chat model many questions: several at once, failed requests again, every answer kept at once."""

from __future__ import annotations

import hashlib
import json
import random
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from claimwise.cache import AnswerCache
from claimwise.errors import ClaimwiseError
from claimwise.llm.completion import Completion, UnusableAnswerError, read_completion
from claimwise.llm.failures import describe
from claimwise.llm.settings import ChatSettings
from claimwise.progress import bar

if TYPE_CHECKING:
    import openai
    from openai.types.chat import ChatCompletionMessageParam

Answer = TypeVar("Answer")
USED = ("requests", "input_tokens", "output_tokens")
FIRST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 8.0


@dataclass(frozen=True)
class Question(Generic[Answer]):
    """One request and how its answer is read.

    Args:
        about: what it asks about, for errors, such as ``"the sentence 'It rained.'"``.
        messages: the chat so far.
        key: what tells it from other questions to the same model: its prompt and its texts, in JSON types.
        read: turns the completion into the answer; raises ``UnusableAnswerError`` where there is none.
        parameters: more of the request's body, such as ``{"logprobs": True, "top_logprobs": 5}``.
    """

    about: str
    messages: Sequence[ChatCompletionMessageParam]
    key: Sequence[object]
    read: Callable[[Completion], Answer]
    parameters: Mapping[str, object] = field(default_factory=dict)


class Outcome(NamedTuple, Generic[Answer]):
    """The answer to a question, or why there is none that can be used."""

    answer: Answer | None
    unusable: str | None = None


class ChatClient(Generic[Answer]):
    """Asks a chat model behind an OpenAI-compatible endpoint.

    Requests that fail (rate limits, server errors, time-outs, dropped connections, answers that are not
    JSON) are repeated with growing, jittered pauses; a server's Retry-After of up to two minutes is
    honoured. Threads may share a client, and it can be pickled.

    Args:
        settings: where and how to ask.
        cache: where every answer is kept before the next question is asked in its place, and looked up
            before it is asked for again; ``None`` keeps nothing.
        show_progress: show a progress bar on runs of more than two seconds.
        max_requests: the most requests, repetitions included; ``None`` sets no limit.

    Raises:
        ClaimwiseError: if the package ``openai`` is missing.
    """

    def __init__(
        self,
        settings: ChatSettings,
        *,
        cache: AnswerCache[Answer] | None = None,
        show_progress: bool = True,
        max_requests: int | None = None,
    ) -> None:
        self.settings = settings
        self._max_requests = max_requests
        self._used = dict.fromkeys(USED, 0)
        self._refused: frozenset[str] = frozenset()
        self._cache = cache
        self._show_progress = show_progress
        self._wants_max_completion_tokens = (
            False  # the endpoint says so once, and every request would ask again
        )
        self._lock = threading.Lock()
        _require_openai(settings.needed_by)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.Lock())

    @property
    def used(self) -> dict[str, int]:
        """Requests sent so far, repetitions included, and the tokens that the endpoint counted."""
        return dict(self._used)

    @property
    def cache_path(self) -> Path | None:
        """The file that keeps the answers."""
        return None if self._cache is None else self._cache.path

    def ask(
        self, questions: Sequence[Question[Answer]], *, doing: str = "asking", unit: str = " questions"
    ) -> list[Outcome[Answer]]:
        """Return the outcome of each question, in order; equal questions are asked once and share an answer.

        An answer that cannot be used is not kept: it is asked for again in the next run.

        Args:
            questions: any number of them.
            doing: what the progress bar calls it.
            unit: what it counts.

        Raises:
            ClaimwiseError: when the endpoint refuses the key or the model, rejects a request or cannot be
                reached, or the cache fails. Nothing more is asked then; what was answered until then is in
                the cache.
            KeyboardInterrupt: on Ctrl-C, after the requests under way have ended.
        """
        keys = [self._key(question) for question in questions]
        distinct = dict(zip(keys, questions, strict=True))
        known = self._cache.get(list(distinct)) if self._cache is not None else {}
        outcomes = {key: Outcome(answer) for key, answer in known.items()}
        missing = {key: question for key, question in distinct.items() if key not in outcomes}
        if missing:
            outcomes |= self._ask_all(missing, doing, unit)
        return [outcomes[key] for key in keys]

    def _key(self, question: Question[Answer]) -> str:
        """Return the digest of everything that the answer depends on."""
        settings = self.settings
        parts = [
            settings.model,
            settings.endpoint.url,
            sorted(settings.endpoint.query.items()),
            settings.temperature,
            settings.max_tokens,
            *question.key,
            *([dict(question.parameters)] if question.parameters else []),
        ]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def _ask_all(
        self, questions: Mapping[str, Question[Answer]], doing: str, unit: str
    ) -> dict[str, Outcome[Answer]]:
        outcomes: dict[str, Outcome[Answer]] = {}
        stop = threading.Event()
        progress = bar(doing, len(questions), unit, shown=self._show_progress)
        with self._connection(stop) as connection, progress:
            pool = ThreadPoolExecutor(min(self.settings.concurrency, len(questions)), "claimwise-llm")
            try:
                asked = {
                    pool.submit(self._ask, connection, key, question, stop): key
                    for key, question in questions.items()
                }
                for future in as_completed(asked):
                    try:
                        outcomes[asked[future]] = future.result()
                    except _StoppedError:
                        continue  # the failure that has stopped the run is yet to come
                    progress.update()
            finally:
                stop.set()
                pool.shutdown(wait=True, cancel_futures=True)
        return outcomes

    def _connection(self, stop: threading.Event) -> openai.OpenAI:
        """Return a connection that sends nothing more, not even a repetition, once ``stop`` is set."""
        import openai

        def refuse_when_stopped(_: object) -> None:
            if stop.is_set():
                raise _StoppedError
            with self._lock:
                if self._used["requests"] == self._max_requests:
                    raise _SpentError
                self._used["requests"] += 1

        endpoint = self.settings.endpoint
        return openai.OpenAI(
            api_key=endpoint.api_key,
            base_url=endpoint.url,
            default_query=endpoint.query,
            max_retries=self.settings.retries,
            timeout=self.settings.timeout,
            http_client=openai.DefaultHttpxClient(
                auth=endpoint.credentials, event_hooks={"request": [refuse_when_stopped]}
            ),
        )

    def _ask(
        self, connection: openai.OpenAI, key: str, question: Question[Answer], stop: threading.Event
    ) -> Outcome[Answer]:
        """Return the outcome of one question; an answer is in the cache by then.

        Raises:
            ClaimwiseError: if there is no use in asking other questions; ``stop`` is set.
        """
        try:
            reply = self._post(connection, question, stop)
            self._count(reply)
            completion = read_completion(reply)
            if self.settings.endpoint.hide(completion.text) != completion.text:
                raise UnusableAnswerError("quoting the API key")
            answer = question.read(completion)
            if self._cache is not None:
                self._cache.put(key, answer)
            return Outcome(answer)
        except UnusableAnswerError as reason:
            return Outcome(None, str(reason))
        except _SpentError:
            stop.set()
            raise self._failed(
                ClaimwiseError(
                    f"Stopped after {self._max_requests} requests, as "
                    f"{self.settings.names['max_requests']}= wants it.",
                    "Raise it to go on.",
                    option=self.settings.names["max_requests"],
                )
            ) from None
        except ClaimwiseError:
            stop.set()  # at once: the next question may start before anyone sees this one fail
            raise

    def _count(self, reply: object) -> None:
        """Add the tokens that a reply says it cost."""
        usage = reply.get("usage") if isinstance(reply, dict) else None
        for name, key in (("input_tokens", "prompt_tokens"), ("output_tokens", "completion_tokens")):
            tokens = usage.get(key) if isinstance(usage, dict) else None
            if isinstance(tokens, int) and tokens > 0:
                with self._lock:
                    self._used[name] += tokens

    def _post(self, connection: openai.OpenAI, question: Question[Answer], stop: threading.Event) -> object:
        """Return the decoded JSON that the endpoint answers.

        The connection itself repeats requests that fail; those that bring back something other than
        JSON are repeated here, twice at most.
        """
        pause = FIRST_PAUSE_SECONDS
        for remaining in reversed(range(min(self.settings.retries, 2) + 1)):
            body = self._send(connection, question)
            try:
                return json.loads(body)
            except (ValueError, RecursionError):
                if remaining and stop.wait(pause * random.uniform(0.75, 1)):
                    raise _StoppedError from None
                pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
        if body.lstrip().startswith(b"<"):  # a web page: every other question would get it too
            raise self._failed(
                ClaimwiseError(
                    f"{self.settings.endpoint.name} answers with something other than JSON.",
                    f"Check {self.settings.names['base_url']}, which usually ends in /v1.",
                )
            )
        raise UnusableAnswerError("not JSON")

    def _send(self, connection: openai.OpenAI, question: Question[Answer]) -> bytes:
        """Return the body of the answer to one request, or to one of its repetitions."""
        import openai

        by_old_name = not self._wants_max_completion_tokens
        failure: Exception | None = None
        try:
            response = connection.chat.completions.with_raw_response.create(
                model=self.settings.model,
                temperature=self.settings.temperature,
                max_tokens=self.settings.max_tokens if by_old_name else openai.omit,
                max_completion_tokens=openai.omit if by_old_name else self.settings.max_tokens,
                messages=question.messages,
                extra_body={k: v for k, v in question.parameters.items() if k not in self._refused} or None,
            )
            return response.content
        except openai.APIError as error:
            if by_old_name and (error.code, error.param) == ("unsupported_parameter", "max_tokens"):
                self._wants_max_completion_tokens = True
            elif refused := self._refused_parameters(error, question):
                self._refused |= refused
            elif error.code == "content_filter":
                failure = UnusableAnswerError("refused")
            else:
                failure = self._failed(describe(error, question.about, self.settings))
        # Outside of the except clause: the connection's own message may quote the key.
        if failure is None:
            return self._send(connection, question)
        raise failure

    def _refused_parameters(self, error: openai.APIError, question: Question[Answer]) -> set[str]:
        """Return those parameters that an endpoint names when it rejects a request, unless it did before."""
        if getattr(error, "status_code", None) not in (400, 422):
            return set()
        said = f"{error.param} {error.body}"
        return {name for name in question.parameters if name in said} - self._refused

    def _failed(self, failure: ClaimwiseError) -> ClaimwiseError:
        """Return ``failure`` with what a second run would find."""
        if self._cache is not None:
            kept = f"All answers so far are in {self._cache.path}: a second run resumes from there."
        else:
            kept = f"With {self.settings.names['cache']}=, a second run would resume from here."
        return failure.at(remedy=f"{failure.remedy} {kept}")


class _StoppedError(BaseException):
    """Another request has failed for good, or the user has pressed Ctrl-C.

    No ``Exception``, which older versions of openai take for a lost connection, and try again.
    """


class _SpentError(BaseException):
    """The limit of requests is reached."""


def _require_openai(needed_by: str) -> None:
    try:
        import openai  # noqa: F401
    except ImportError as error:
        raise ClaimwiseError(
            f"{needed_by} needs the package openai.", "Install it: pip install '.[openai]' in a clone"
        ) from error
