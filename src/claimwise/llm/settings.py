"""How to ask a chat model, checked before anything is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from claimwise.llm.endpoint import Endpoint
from claimwise.llm.options import OptionNames


@dataclass(frozen=True)
class ChatSettings:
    """How to ask a chat model; make one with ``checked``."""

    model: str
    endpoint: Endpoint
    temperature: float
    max_tokens: int
    concurrency: int
    retries: int
    timeout: float
    needed_by: str
    names: OptionNames

    @classmethod
    def checked(
        cls,
        *,
        model: str,
        needed_by: str,
        base_url: str | None = None,
        api_key: str | None = None,
        temperature: float = 0.0,
        max_tokens: int = 256,
        concurrency: int = 8,
        retries: int = 5,
        timeout: float = 30.0,
        option_names: Mapping[str, str] | None = None,
    ) -> ChatSettings:
        """Return settings that can be used.

        Args:
            model: the name of the model, as the endpoint knows it.
            needed_by: what asks, as errors say it: ``"The decomposer 'openai'"``.
            base_url: see ``Endpoint.find``.
            api_key: see ``Endpoint.find``.
            temperature: from 0 to 2.
            max_tokens: the longest answer, in tokens.
            concurrency: the number of requests under way at once.
            retries: how often a failed request is repeated.
            timeout: seconds to wait for the endpoint each time.
            option_names: what the user calls these options, where that is something else.

        Raises:
            ClaimwiseError: for an option that cannot be used, or a key that is missing.
        """
        names = OptionNames(option_names or {})
        if not isinstance(model, str) or not model.strip():
            raise names.error(
                "model", f"must be the name of a model, such as 'gpt-3.5-turbo'; got {model!r}."
            )
        return cls(
            model=model,
            endpoint=Endpoint.find(base_url, api_key, needed_by=needed_by, option_names=names),
            temperature=names.number("temperature", temperature, 0, 2),
            max_tokens=names.whole_number("max_tokens", max_tokens, 1),
            concurrency=names.whole_number("concurrency", concurrency, 1),
            retries=names.whole_number("retries", retries, 0),
            timeout=names.number("timeout", timeout, 0.001, 86_400),
            needed_by=needed_by,
            names=names,
        )
