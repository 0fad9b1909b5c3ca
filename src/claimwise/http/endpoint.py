"""Address and API key of a server, and which parts of them are secret."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit, urlunsplit

import httpx

from claimwise.errors import ClaimwiseError

OPENAI = "https://api.openai.com/v1"
HUGGING_FACE = (".huggingface.co", ".huggingface.cloud")
"""Hosts that HF_TOKEN is sent to; Spaces, on hf.space, run third-party code."""
SENT_TO_ALL = frozenset(
    ("accept", "accept-encoding", "connection", "content-length", "content-type", "host", "user-agent")
)
"""Headers that any server gets; the package openai adds others, some from the environment."""
SHORTEST_SECRET = 8  # shorter parts of an address, such as a version, may occur anywhere


@dataclass(frozen=True)
class Endpoint:
    """A URL and an API key, split so that secret parts are never shown.

    Attributes:
        name: host and path, for signatures and messages.
        url: the address without its secrets.
        credentials: user and password in the address.
        api_key: None = no key is sent.
    """

    name: str
    url: str
    query: Mapping[str, str] = field(repr=False)
    credentials: tuple[str, str] | None = field(repr=False)
    api_key: str | None = field(repr=False)

    @classmethod
    def find(cls, url: str, api_key: str | None = None, api_key_env: str | None = None) -> Endpoint:
        """Return the endpoint at an http or https address, with its API key.

        Without a key or the name of its variable, ``OPENAI_API_KEY`` is used for OpenAI's own host and an
        https host in ``OPENAI_BASE_URL``, ``HF_TOKEN`` for https hosts of Hugging Face, and no key for any
        other endpoint.

        Raises:
            ClaimwiseError: for an invalid address, which is not quoted, or a missing or invalid key.
        """
        parts = _parsed(url)
        host, path = parts.netloc.rpartition("@")[2], parts.path.rstrip("/")
        user = None if parts.username is None else (unquote(parts.username), unquote(parts.password or ""))
        return cls(
            f"{host}{path}",
            urlunsplit((parts.scheme, host, path, "", "")),
            dict(parse_qsl(parts.query, keep_blank_values=True)),
            user,
            _key(parts, api_key, api_key_env),
        )

    def sign(self, request: httpx.Request) -> httpx.Request:
        """Add the key, or else the credentials; settings of the environment are sent to OpenAI only."""
        if _usual_variable(urlsplit(self.url)) != "OPENAI_API_KEY":
            for name in {*request.headers} - SENT_TO_ALL:
                del request.headers[name]
        if self.api_key:
            request.headers["Authorization"] = f"Bearer {self.api_key}"
        elif self.credentials:
            encoded = b64encode(":".join(self.credentials).encode()).decode()
            request.headers["Authorization"] = f"Basic {encoded}"
        return request

    def hide(self, words: str) -> str:
        """Return ``words`` without the API key and the secret parts of the address."""
        for secret in (self.api_key or "", *(self.credentials or ()), *self.query.values()):
            if len(secret) >= SHORTEST_SECRET:
                words = words.replace(secret, "***")
        return words


def _parsed(url: object) -> SplitResult:
    try:
        parts = urlsplit(url.strip()) if isinstance(url, str) else urlsplit("")
        is_valid = parts.scheme in ("http", "https") and bool(parts.hostname)
        is_valid = is_valid and (parts.port is None or parts.port > 0)
    except ValueError:
        is_valid = False
    if not is_valid:
        raise ClaimwiseError(
            "`url` must be an http:// or https:// address.",
            "Use an address such as http://localhost:8080. For a chat model, use one such as "
            "http://localhost:8000/v1, or set the environment variable OPENAI_BASE_URL.",
            option="url",
        )
    return parts


def _key(parts: SplitResult, api_key: str | None, variable: str | None) -> str | None:
    """Return the key for an address; no error quotes it."""
    if api_key is not None and variable is not None:
        problem = "`api_key` and `api_key_env` exclude each other."
        raise ClaimwiseError(problem, "Pass only one.", option="api_key")
    option = "api_key" if variable is None else "api_key_env"
    if not isinstance(api_key, str | None) or not isinstance(variable, str | None):
        raise ClaimwiseError(f"`{option}` must be a string.", option=option)
    variable = variable or _usual_variable(parts)
    key = (api_key or (os.environ.get(variable, "") if variable else "")).strip()
    if not key:
        if option == "api_key_env" or _is_openai(parts):
            raise ClaimwiseError(
                f"{parts.hostname} needs an API key, but the environment variable {variable} is not set.",
                f"Set {variable}, or name the variable that contains the key with api_key_env=.",
                option=option,
            )
        return None
    if not key.isascii() or not key.isprintable() or " " in key:
        problem = f"{variable or 'api_key'} contains a space or a character that is invalid in a key."
        raise ClaimwiseError(problem, "Copy it again.", option=option)
    return key


def _origin(parts: SplitResult) -> tuple[str, str | None, int | None]:
    return parts.scheme, parts.hostname, parts.port


def _is_openai(parts: SplitResult) -> bool:
    return _origin(parts) == _origin(urlsplit(OPENAI))


def _usual_variable(parts: SplitResult) -> str | None:
    """Return the environment variable that holds the key for the host of an address."""
    if _is_openai(parts):
        return "OPENAI_API_KEY"
    if parts.scheme != "https":
        return None
    with suppress(ValueError):  # an invalid address names no host
        if _origin(parts) == _origin(urlsplit(os.environ.get("OPENAI_BASE_URL", ""))):
            return "OPENAI_API_KEY"
    return "HF_TOKEN" if f".{parts.hostname}".endswith(HUGGING_FACE) else None
