"""A client of a server: options, retries, limits, and one stop for all requests of a run.

All requests to judges, decomposers and summarizers on servers go through here and nowhere else, so that they
are repeated, counted, stopped and explained in the same way.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from time import time
from typing import Any, ClassVar, NamedTuple, TypeVar

import httpx

from claimwise.errors import ClaimwiseError
from claimwise.http.endpoint import Endpoint
from claimwise.options import check

FIRST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 8.0
LONGEST_RETRY_AFTER_SECONDS = 120.0
PASSING = frozenset({408, 409, 424, 429})
"""Temporary statuses below 500; 424 is a failure of the server's own backend."""
TRIES_FOR_JSON = 3
_usage_lock = threading.Lock()  # of the module, because a client and its usage can be pickled

Task = TypeVar("Task")
Answer = TypeVar("Answer")

Send = Callable[[str, str, object], httpx.Response]
"""Sends a request by method, path and body; only raises httpx's TimeoutException or TransportError."""


class StoppedError(BaseException):
    """Another request has failed permanently, or the user has pressed Ctrl-C."""


class Reply(NamedTuple):
    """A final answer of a server, which retries cannot change.

    Attributes:
        content: decoded JSON.
        is_json: False = the body is neither JSON nor HTML.
        said: the server's error message without secrets, as ``": “message”."``; else a full stop.
    """

    status: int
    content: Any
    is_json: bool
    said: str


class _Failure(NamedTuple):
    """A temporary failure, and the seconds that the server asks to wait (None = it does not say)."""

    error: ClaimwiseError
    seconds: float | None = None


@dataclass
class Usage:
    """Usage of a server so far; copies of a client share it.

    Attributes:
        requests: number sent, retries included.
        input_tokens: as a chat model counts them.
        output_tokens: likewise.
        refused: parameters that a chat model refuses.
    """

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    refused: frozenset[str] = frozenset()

    def count_request(self, limit: int | None) -> None:
        """Count a request that is about to be sent; raises a ClaimwiseError if it exceeds the limit."""
        with _usage_lock:
            if self.requests == limit:
                raise ClaimwiseError(
                    f"Stopped after {limit} requests, the limit that max_requests= sets.",
                    "Raise it to continue.",
                    option="max_requests",
                )
            self.requests += 1

    def count_tokens(self, sent: int, answered: int) -> None:
        """Add the tokens of a request and its answer."""
        with _usage_lock:
            self.input_tokens += sent
            self.output_tokens += answered

    def refuse(self, parameters: set[str]) -> None:
        """Add parameters that are not sent again."""
        with _usage_lock:
            self.refused |= parameters


@dataclass(kw_only=True, eq=False, repr=False)
class Remote:
    """A client of a server that exchanges JSON. Creating it sends nothing.

    Threads may share it, and it can be pickled (with its key, so keep the pickle private).

    Args:
        api_key: sent to this server only; None = `OPENAI_API_KEY` for OpenAI and an https host in
            `OPENAI_BASE_URL`, `HF_TOKEN` for https hosts of Hugging Face, else no key.
        api_key_env: the environment variable that holds the key.
        timeout: seconds to wait for each answer.
        concurrency: maximum number of simultaneous requests.
        retries: how often a failed request is repeated (rate limits, server errors, time-outs, dropped
            connections, answers that are not JSON), with growing, jittered pauses; a Retry-After of up to
            two minutes is honoured.
        max_requests: maximum number of requests, retries included; the run stops there, and a second run
            resumes from the cache.
        show_progress: show a progress bar for runs over about two seconds.

    Raises:
        ClaimwiseError: for an invalid option or a missing key.
    """

    api_key: str | None = None
    api_key_env: str | None = None
    timeout: float = 60.0
    concurrency: int = 8
    retries: int = 5
    max_requests: int | None = None
    show_progress: bool = True

    offline: ClassVar[bool] = False

    def set_up(self, url: str) -> None:
        """Set the address to ``url``, and check the options."""
        self.endpoint = Endpoint.find(url, self.api_key, self.api_key_env)
        check("retries", self.retries, at_least=0)
        check("timeout", self.timeout, between=(0.001, 86_400))
        check("concurrency", self.concurrency, at_least=1)
        if self.max_requests is not None:
            check("max_requests", self.max_requests, at_least=1)
        self.usage = Usage()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.endpoint.name!r})"

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """Open a connection, which threads may share, and close it at the end."""
        most = self.concurrency + 1  # beside the threads, a judge asks whether its model is still the same
        with httpx.Client(
            base_url=self.endpoint.url,
            params=dict(self.endpoint.query),
            auth=self.endpoint.sign,
            timeout=self.timeout,
            limits=httpx.Limits(max_connections=most, max_keepalive_connections=most),
            follow_redirects=False,
        ) as client:
            yield Connection(self, self.sender(client), threading.Event())

    def sender(self, client: httpx.Client) -> Send:
        """Return a function that sends one request, which threads may share."""
        return lambda method, path, body: client.request(method, path, json=body)

    def error(self, problem: str, remedy: str = "") -> ClaimwiseError:
        """Return an error about the server; ``problem`` completes the sentence that its name begins."""
        return ClaimwiseError(f"{self.endpoint.name} {problem}", remedy)


@dataclass(frozen=True)
class Connection:
    """A connection to a server, which sends nothing more once ``stop`` is set."""

    remote: Remote
    send: Send
    stop: threading.Event

    def each(
        self, ask: Callable[[Task], Answer], tasks: Iterable[Task], at_least: int = 1
    ) -> Iterator[list[tuple[Task, Answer]]]:
        """Call ``ask`` for each task concurrently, and yield groups of answers in any order.

        Tasks are consumed as needed: only as many are queued as keep all threads busy.

        Every group but the last has ``at_least`` answers. The first error of ``ask`` is raised after all
        answers that preceded it, and Ctrl-C after pending requests have ended; nothing more is sent then.
        """

        def asked(task: Task) -> Answer:
            try:
                return ask(task)
            except BaseException:  # whatever it is, further requests may cost money
                self.stop.set()  # at once, before the next task can start
                raise

        left = iter(tasks)
        under_way: dict[Future[Answer], Task] = {}
        answered: list[tuple[Task, Answer]] = []
        failure: BaseException | None = None
        pool = ThreadPoolExecutor(self.remote.concurrency, "claimwise-requests")
        try:
            while True:
                room = 0 if self.stop.is_set() else 2 * self.remote.concurrency - len(under_way)
                for _, task in zip(range(room), left, strict=False):
                    under_way[pool.submit(asked, task)] = task
                if not under_way:
                    break
                for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                    task = under_way.pop(future)
                    error = future.exception()
                    if error is None:
                        answered.append((task, future.result()))
                    elif not isinstance(error, StoppedError):  # a consequence of another task's failure
                        failure = failure or error
                if answered and (len(answered) >= at_least or not under_way):
                    yield answered
                    answered = []
            if answered:
                yield answered
            if failure is not None:
                raise failure
        finally:
            self.stop.set()
            pool.shutdown(wait=True, cancel_futures=True)

    def restarted(self) -> Connection:
        """Return a connection like this one that has not been stopped."""
        return replace(self, stop=threading.Event())

    def request(self, path: str, body: object = None, *, retries: int | None = None) -> Reply:
        """Return the answer to a POST request with a JSON body, or to a GET request without a body.

        Raises:
            ClaimwiseError: if the server is unreachable, keeps failing or refuses the key, or the request
                limit is reached.
            StoppedError: if the connection was stopped.
        """
        retries = self.remote.retries if retries is None else retries
        tries = {0: "in a single attempt", 1: "with one retry"}.get(retries, f"with up to {retries} retries")
        pause, tries_for_json = FIRST_PAUSE_SECONDS, TRIES_FOR_JSON
        for left in reversed(range(retries + 1)):
            if self.stop.is_set():
                raise StoppedError
            self.remote.usage.count_request(self.remote.max_requests)
            outcome = self._try(path, body, tries)
            seconds = None
            if isinstance(outcome, _Failure):
                seconds = outcome.seconds
            elif outcome.status != 200 or outcome.is_json:
                return outcome
            else:
                tries_for_json -= 1
            if not min(left, tries_for_json) or (seconds or 0) > LONGEST_RETRY_AFTER_SECONDS:
                break
            if self.stop.wait(seconds or pause * random.uniform(0.75, 1)):
                raise StoppedError
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
        if isinstance(outcome, _Failure):
            raise outcome.error
        return outcome

    def _try(self, path: str, body: object, tries: str) -> Reply | _Failure:
        """Return the answer, or a temporary failure.

        No error is raised from an exception of httpx, which may quote the address.
        """
        remote = self.remote
        try:
            response = self.send("GET" if body is None else "POST", path, body)
        except httpx.TimeoutException:
            problem = f"did not answer within {remote.timeout:g} seconds, {tries}."
            return _Failure(remote.error(problem, "Raise timeout=, lower concurrency=, or check the server."))
        except (httpx.TransportError, httpx.DecodingError):
            remedy = "Check its address, the network, and that it is running."
            return _Failure(remote.error(f"cannot be reached, {tries}.", remedy))
        try:
            content, is_json = response.json(), True
        except (ValueError, RecursionError):
            content, is_json = None, False
        status, said = response.status_code, _said(content, remote.endpoint)
        if status == 429:
            problem = f"still limits the rate, {tries} ({status}){said}"
            remedy = "Check the quota, lower concurrency=, or wait."
            return _Failure(remote.error(problem, remedy), _retry_after(response))
        if status in PASSING or status >= 500:
            remedy = "Check the server, lower concurrency=, or wait."
            return _Failure(
                remote.error(f"keeps failing, {tries} ({status}){said}", remedy), _retry_after(response)
            )
        if status in (401, 403):
            has_key = remote.endpoint.api_key or remote.endpoint.credentials
            raise remote.error(
                f"{'refused the API key' if has_key else 'requires an API key'} ({status}).",
                "Check the key and its access to the model. Pass the key with api_key=, or name the "
                "environment variable that contains it with api_key_env=. OPENAI_API_KEY is sent only to "
                "OpenAI and the host in OPENAI_BASE_URL, HF_TOKEN only to Hugging Face; both require https.",
            )
        if 300 <= status < 400:
            raise remote.error(f"redirects ({status}).", "Use the address that it redirects to.")
        if status == 200 and response.content.lstrip().startswith(b"<"):
            remedy = "Check its address; the address of a chat model usually ends in /v1."
            return _Failure(remote.error("answers with something other than JSON.", remedy))
        return Reply(status, content, is_json, said)


def shorten(text: str, length: int) -> str:
    """Return ``text`` on one line of at most ``length`` characters."""
    text = " ".join(text.split())
    return text if len(text) <= length else f"{text[: length - 1]}…"


def _said(content: object, endpoint: Endpoint) -> str:
    words = content.get("error") if isinstance(content, dict) else None
    if isinstance(words, dict):
        words = words.get("message")
    if not isinstance(words, str) or not words.strip():
        return "."
    return f": “{shorten(endpoint.hide(words), 200)}”."


def _retry_after(response: httpx.Response) -> float | None:
    """Return the seconds that a server asks to wait; None if it does not say."""
    value = response.headers.get("retry-after", "")
    with suppress(ValueError):
        return float(response.headers.get("retry-after-ms", "")) / 1000
    with suppress(ValueError):
        return max(float(value), 0) or None
    with suppress(ValueError, TypeError, OverflowError):
        return max(parsedate_to_datetime(value).timestamp() - time(), 0) or None
    return None
