"""Requests to a judge's server: sent again where that helps, and secrets kept out of every message."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from time import time
from typing import Any

import httpx

from claimwise.errors import ClaimwiseError
from claimwise.llm.endpoint import Endpoint
from claimwise.llm.failures import shorten
from claimwise.llm.options import OptionNames

FIRST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 8.0
LONGEST_RETRY_AFTER_SECONDS = 120.0
PASSING = frozenset({408, 424, 429, 500, 502, 503, 504})
"""Statuses that may be over in a moment; 424 is a failure of the server's own backend."""


class StoppedError(BaseException):
    """Another request has failed for good, or the user has pressed Ctrl-C."""


@dataclass(frozen=True)
class Reply:
    """What a server answers that will not change when it is asked again.

    Args:
        status: of HTTP.
        content: decoded JSON; None where it is none.
        said: the server's own words on an error, without secrets.
    """

    status: int
    content: Any
    said: str


@dataclass(frozen=True)
class Server:
    """A server that takes and gives JSON.

    Args:
        endpoint: its address, and the token that it is sent.
        has_token: whether there is one.
        retries: how often a request that fails is repeated (rate limits, server errors, time-outs, dropped
            connections, answers that are not JSON), with growing, jittered pauses; a Retry-After of up to
            two minutes is honoured.
        timeout: seconds to wait for an answer each time.
        concurrency: requests under way at once.
        names: what the user calls the options.
    """

    endpoint: Endpoint
    has_token: bool
    retries: int
    timeout: float
    concurrency: int
    names: OptionNames

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """Give a connection, which threads may share, and close it."""
        endpoint = self.endpoint
        headers = {"Authorization": f"Bearer {endpoint.api_key}"} if self.has_token else {}
        with httpx.Client(
            base_url=endpoint.url,
            params=dict(endpoint.query),
            auth=endpoint.credentials if not self.has_token else None,
            headers=headers,
            timeout=self.timeout,
            limits=httpx.Limits(
                max_connections=self.concurrency + 1, max_keepalive_connections=self.concurrency + 1
            ),
        ) as client:
            yield Connection(self, client, threading.Event())

    def error(self, problem: str, remedy: str = "") -> ClaimwiseError:
        """Return an error about the server."""
        return ClaimwiseError(
            f"The server {self.endpoint.name} {problem}", remedy, option=self.names["nli_model"]
        )


@dataclass(frozen=True)
class Connection:
    """A connection to a server, which sends nothing more once ``stop`` is set."""

    server: Server
    client: httpx.Client
    stop: threading.Event

    def get(self, path: str, *, retries: int | None = None) -> Reply:
        """Return the answer to a GET request; see ``post``."""
        return self._send("GET", path, None, retries)

    def post(self, path: str, body: object) -> Reply:
        """Return the answer to a POST request of JSON.

        Raises:
            ClaimwiseError: where the server cannot be reached, keeps failing or refuses the token.
        """
        return self._send("POST", path, body, None)

    def _send(self, method: str, path: str, body: object, retries: int | None) -> Reply:
        pause = FIRST_PAUSE_SECONDS
        retries = self.server.retries if retries is None else retries
        for remaining in reversed(range(retries + 1)):
            if self.stop.is_set():
                raise StoppedError
            found = self._try(method, path, body, retries)
            if isinstance(found, Reply):
                return found
            failure, seconds = found
            if remaining:
                if self.stop.wait(seconds or pause * random.uniform(0.75, 1)):
                    raise StoppedError
                pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
        raise failure

    def _try(
        self, method: str, path: str, body: object, retries: int
    ) -> Reply | tuple[ClaimwiseError, float | None]:
        """Return the answer, or a failure that may pass with the seconds to wait as the server wants it.

        No failure is raised from httpx's own, which may quote the address.
        """
        server = self.server
        names = server.names
        tries = "at the only try" if retries == 0 else f"with up to {retries} retries"
        reason = ""
        try:
            response = self.client.request(method, path, json=body)
        except httpx.TimeoutException:
            reason = f"did not answer within {server.timeout:g} seconds, {tries}."
            remedy = (
                f"Raise {names['timeout']}=, lower {names['concurrency']}=, or check that the server is well."
            )
        except (httpx.TransportError, httpx.DecodingError):
            reason = f"cannot be reached, {tries}."
            remedy = "Check its address and the network, and that it runs."
        if reason:
            return server.error(reason, remedy), None
        status = response.status_code
        content = _json(response)
        said = self._said(content)
        if status in PASSING:
            limits = status == 429
            failure = server.error(
                f"{'still limits the rate' if limits else 'keeps failing'}, {tries} ({status}){said}",
                f"Lower {names['concurrency']}=, or wait." if limits else "Check the server's log, or wait.",
            )
            return failure, _retry_after(response)
        if status in (401, 403):
            has_token = server.has_token or server.endpoint.credentials
            raise server.error(
                f"refused the token ({status})." if has_token else f"wants a token ({status}).",
                f"Check {names['token']}=; HF_TOKEN is sent to Hugging Face over https only.",
            )
        if 300 <= status < 400:
            raise server.error(f"sends elsewhere ({status}).", "Give the address that it leads to.")
        if status == 200 and content is None:
            failure = server.error(
                "answers with something other than JSON.", "Check its address: is it the server itself?"
            )
            return failure, None
        return Reply(status, content, said)

    def _said(self, content: object) -> str:
        """Return the server's own words, without secrets, or a full stop."""
        words = content.get("error") if isinstance(content, dict) else None
        if isinstance(words, dict):
            words = words.get("message")
        if not isinstance(words, str) or not words.strip():
            return "."
        return f': "{shorten(self.server.endpoint.hide(words), 200)}"'


def _json(response: httpx.Response) -> Any:
    try:
        return response.json()
    except (ValueError, RecursionError):
        return None


def _retry_after(response: httpx.Response) -> float | None:
    """Return the seconds that a server asks to wait, up to two minutes; None where it says nothing."""
    value = response.headers.get("retry-after")
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - time()
        except (ValueError, TypeError, OverflowError):
            return None
    return seconds if 0 < seconds <= LONGEST_RETRY_AFTER_SECONDS else None
