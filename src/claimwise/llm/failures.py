"""What an endpoint's failure means, and what to check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claimwise.errors import ClaimwiseError
from claimwise.llm.endpoint import Endpoint
from claimwise.llm.settings import ChatSettings

if TYPE_CHECKING:
    import openai


def describe(error: openai.APIError, about: str, settings: ChatSettings) -> ClaimwiseError:
    """Return what went wrong for good, without secrets.

    Args:
        error: the failure of the last try.
        about: what was asked about, such as ``"the sentence 'It rained.'"``.
        settings: what was asked with.
    """
    import openai

    name, names = settings.endpoint.name, settings.names
    tries = "at the only try" if settings.retries == 0 else f"with up to {settings.retries} retries"
    if isinstance(error, openai.APITimeoutError):
        return ClaimwiseError(
            f"{name} did not answer within {settings.timeout:g} seconds, {tries}.",
            f"Raise {names['timeout']}=, lower {names['concurrency']}=, or check that the server is well.",
        )
    if isinstance(error, openai.APIConnectionError):
        return ClaimwiseError(
            f"{name} cannot be reached, {tries}.",
            f"Check {names['base_url']}=, the network, and that the server runs.",
        )
    status = error.status_code if isinstance(error, openai.APIStatusError) else 0
    if status == 401:
        return ClaimwiseError(
            f"{name} refused the API key (401).", f"Check OPENAI_API_KEY or {names['api_key']}=."
        )
    if status == 403:
        return ClaimwiseError(
            f"{name} denied access (403).", f"Check that the API key may use the model {settings.model!r}."
        )
    said = _quote(error, settings.endpoint)
    if status == 404:
        return ClaimwiseError(
            f"{name} does not know the model {settings.model!r} or the path (404){said}",
            f"Check {names['model']}= and {names['base_url']}=, which usually ends in /v1.",
        )
    if status == 429:
        return ClaimwiseError(
            f"{name} still limits the rate, {tries} (429){said}",
            f"Check the quota, lower {names['concurrency']}=, or wait.",
        )
    if status >= 500:
        return ClaimwiseError(f"{name} keeps failing, {tries} ({status}){said}", "Check the server, or wait.")
    return ClaimwiseError(
        f"{name} rejected the request for {about} ({status}){said}",
        f"Check {names['model']}=, {names['temperature']}=, {names['max_tokens']}= and the prompt.",
    )


def _quote(error: openai.APIError, endpoint: Endpoint) -> str:
    """Return the server's own words without secrets, or a full stop."""
    words = error.body.get("message") if isinstance(error.body, dict) else None
    if not isinstance(words, str) or not words.strip():
        return "."
    return f': "{shorten(endpoint.hide(words), 200)}"'


def shorten(text: str, length: int) -> str:
    """Return ``text`` on one line of at most ``length`` characters."""
    text = " ".join(text.split())
    return text if len(text) <= length else f"{text[: length - 1]}…"
