"""Where a chat model is, and what must stay secret about it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit

from claimwise.errors import ClaimwiseError
from claimwise.llm.options import OptionNames

DEFAULT_BASE_URL = "https://api.openai.com/v1"
SHORTEST_SECRET = 8  # shorter parts of an address, such as a version, are words that anyone may say


@dataclass(frozen=True)
class Endpoint:
    """A base URL and an API key, taken apart so that what may be secret in them is never shown.

    ``name`` is host and path, for signatures and messages; ``url`` is the address without its secrets.
    """

    name: str
    url: str
    query: Mapping[str, str] = field(repr=False)
    credentials: tuple[str, str] | None = field(repr=False)
    api_key: str = field(repr=False)

    @classmethod
    def find(
        cls,
        base_url: str | None,
        api_key: str | None,
        *,
        needed_by: str,
        option_names: Mapping[str, str] | None = None,
    ) -> Endpoint:
        """Return the endpoint that the options or the environment name.

        Args:
            base_url: the address, usually ending in ``/v1``; ``None`` means the environment variable
                ``OPENAI_BASE_URL``, else OpenAI itself.
            api_key: ``None`` means the environment variable ``OPENAI_API_KEY``, else no key if an address is
                given (local servers need none).
            needed_by: what needs the key, as errors say it: ``"The decomposer 'openai'"``.
            option_names: see ``OptionNames``.

        Raises:
            ClaimwiseError: for an address that is none, or a key that is missing or that no header can hold.
        """
        names = OptionNames(option_names or {})
        address = base_url or os.environ.get("OPENAI_BASE_URL") or None
        where = names["base_url"] if base_url else "The environment variable OPENAI_BASE_URL"
        parsed = parse_address(DEFAULT_BASE_URL if address is None else address, where, names)
        return cls(*parsed, _find_api_key(api_key, needed_by, names, is_optional=address is not None))

    def hide(self, words: str) -> str:
        """Return ``words`` without the API key and whatever may be secret in the address."""
        for secret in (self.api_key, *(self.credentials or ()), *self.query.values()):
            if len(secret) >= SHORTEST_SECRET:
                words = words.replace(secret, "***")
        return words


def parse_address(
    address: str,
    where: str,
    names: OptionNames,
    remedy: str = "Give something like 'http://localhost:8000/v1'.",
) -> tuple[str, str, dict[str, str], tuple[str, str] | None]:
    """Return the name, the bare URL, the query and the credentials of an address.

    Raises:
        ClaimwiseError: for one that is none, as ``where`` names it; it may hold secrets and is not quoted.
    """
    if not isinstance(address, str):
        raise names.error("base_url", f"must be text; got {type(address).__name__}.", remedy)
    try:
        parts = urlsplit(address.strip())
        is_valid = parts.scheme in ("http", "https") and bool(parts.hostname)
        is_valid = is_valid and (parts.port is None or parts.port > 0)
    except ValueError:
        is_valid = False
    if not is_valid:
        problem = f"{where} is not an http:// or https:// address."
        raise ClaimwiseError(problem, remedy, option=names["base_url"])
    host = parts.netloc.rpartition("@")[2]
    path = parts.path.rstrip("/")
    credentials = None if parts.username is None else (unquote(parts.username), unquote(parts.password or ""))
    return (
        f"{host}{path}",
        urlunsplit((parts.scheme, host, path, "", "")),
        dict(parse_qsl(parts.query, keep_blank_values=True)),
        credentials,
    )


def _find_api_key(api_key: str | None, needed_by: str, names: OptionNames, *, is_optional: bool) -> str:
    """Return the key to send, never quoting it in an error."""
    if api_key is not None and not isinstance(api_key, str):
        raise names.error("api_key", f"must be text; got {type(api_key).__name__}.")
    key = (api_key or os.environ.get("OPENAI_API_KEY") or "").strip()
    if not key:
        if is_optional:
            return "no-key"
        raise ClaimwiseError(
            f"{needed_by} needs an API key.",
            f"Set the environment variable OPENAI_API_KEY, or give {names['base_url']}= of an endpoint that "
            f"needs none.",
            option=names["api_key"],
        )
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ClaimwiseError(
            "The API key has a blank or a character that no key can have.",
            "Copy it again.",
            option=names["api_key"],
        )
    return key
