"""Decomposing sentences with a chat model behind any OpenAI-compatible endpoint.

The approach is that of the CASPR paper (Appendix A, Figure 3): a few-shot prompt, one new chat per
sentence, ``gpt-3.5-turbo`` at temperature 0.5 with at most 256 tokens. The examples are our own.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence

from claimwise.cache import AnswerCache
from claimwise.errors import ClaimwiseError, warn
from claimwise.llm.client import ChatClient, Question
from claimwise.llm.completion import Completion
from claimwise.llm.failures import shorten
from claimwise.llm.settings import ChatSettings
from claimwise.text.answers import parse_answer
from claimwise.text.claims import BaseDecomposer, Decomposed
from claimwise.text.prompts import Prompt


class OpenAIDecomposer(BaseDecomposer):
    """Splits sentences into claims with a chat model, one request per distinct sentence.

    A sentence whose answer cannot be used (empty, refused, cut off, malformed, absurdly long) is
    left whole, with the reason, and asked again in the next run. Threads may share a decomposer, and
    it can be pickled (with its key: send it to nobody else).

    Args:
        model: the name of the model, as the endpoint knows it.
        base_url: the endpoint, usually ending in ``/v1``; ``None`` means the environment variable
            ``OPENAI_BASE_URL``, else OpenAI itself.
        api_key: ``None`` means the environment variable ``OPENAI_API_KEY``, else no key if a
            ``base_url`` is given (local servers need none). It is sent to the endpoint only.
        temperature: from 0 to 2.
        max_tokens: the longest answer, in tokens.
        prompt: a UTF-8 text file to use instead of the built-in prompt. The literal ``{sentence}``
            (or, where that does not occur, the paper's ``{}``) is replaced by the sentence and the
            whole is sent as one user message. A file with neither is sent as the system message,
            followed by the user message ``sentence: <the sentence>``. Other braces are left alone.
            The model should answer with claims on lines of their own or set apart by ``" - "``.
        cache: an SQLite file that keeps every answer, created if need be. Several processes may
            share it. ``None`` keeps nothing.
        concurrency: the number of requests under way at once.
        retries: how often a failed request is repeated (rate limits, server errors, time-outs,
            dropped connections, answers that are not JSON), with growing, jittered pauses; a
            server's Retry-After of up to two minutes is honoured.
        timeout: seconds to wait for the endpoint each time.
        show_progress: show a progress bar on runs of more than two seconds.
        option_names: what the user calls these options, for errors, where that is something else:
            ``{"model": "decomposer_model"}``.

    Raises:
        ClaimwiseError: for a bad option, a missing key or package, a prompt file that cannot be
            read or a cache that cannot be used.
    """

    def __init__(
        self,
        *,
        model: str = "gpt-3.5-turbo",
        base_url: str | None = None,
        api_key: str | None = None,
        temperature: float = 0.5,
        max_tokens: int = 256,
        prompt: str | os.PathLike[str] | None = None,
        cache: str | os.PathLike[str] | None = None,
        concurrency: int = 8,
        retries: int = 5,
        timeout: float = 30.0,
        show_progress: bool = True,
        option_names: Mapping[str, str] | None = None,
    ) -> None:
        settings = ChatSettings.checked(
            model=model,
            needed_by="The decomposer 'openai'",
            base_url=base_url,
            api_key=api_key,
            temperature=temperature,
            max_tokens=max_tokens,
            concurrency=concurrency,
            retries=retries,
            timeout=timeout,
            option_names=option_names,
        )
        self._prompt = Prompt.read(prompt, option=settings.names["prompt"])
        self._client = ChatClient(
            settings,
            cache=None if cache is None else ClaimCache(cache, option=settings.names["cache"]),
            show_progress=show_progress,
        )
        self.signature = {
            "decomposer": "openai",
            "decomposer_model": model,
            "decomposer_base_url": settings.endpoint.name,
            "decomposer_temperature": f"{settings.temperature:g}",
            "decomposer_max_tokens": str(settings.max_tokens),
            "decomposer_prompt": self._prompt.name,
        }

    def __repr__(self) -> str:
        settings = self._client.settings
        return f"OpenAIDecomposer(model={settings.model!r}, base_url={settings.endpoint.name!r})"

    def decompose(self, sentences: Sequence[str]) -> list[Decomposed]:
        """Return the claims of each sentence, in order; a blank sentence has none.

        Raises:
            ClaimwiseError: for a row that is not text, and when the endpoint refuses the key or the
                model, rejects a request or cannot be reached. What was answered until then is in
                the cache.
            KeyboardInterrupt: on Ctrl-C, after the requests under way have ended.

        Warns:
            ClaimwiseWarning: once, with the number of sentences that were left whole.
        """
        _check_sentences(sentences)
        asked = [sentence for sentence in sentences if sentence.strip()]
        outcomes = self._client.ask(
            [self._question(sentence) for sentence in asked], doing="decomposing", unit=" sentences"
        )
        if reasons := Counter(outcome.unusable for outcome in outcomes if outcome.unusable):
            warn(self._describe(reasons, len(sentences)))
        decomposed = iter(
            Decomposed(list(outcome.answer or [sentence]), outcome.unusable, outcome.unusable is not None)
            for sentence, outcome in zip(asked, outcomes, strict=True)
        )
        return [next(decomposed) if sentence.strip() else Decomposed([]) for sentence in sentences]

    def _question(self, sentence: str) -> Question[list[str]]:
        def read(completion: Completion) -> list[str]:
            return parse_answer(completion.whole_text, sentence)

        return Question(
            about=f"the sentence {shorten(sentence, 80)!r}",
            messages=self._prompt.messages(sentence),
            key=(self._prompt.system, self._prompt.user, sentence),
            read=read,
        )

    def _describe(self, reasons: Counter[str], total: int) -> str:
        names = self._client.settings.names
        listed = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
        return (
            f"{reasons.total()} of {total} sentences were left whole, because the model's answer could "
            f"not be used ({listed}). A second run asks for them again; if they stay many, try another "
            f"{names['model']}= or {names['prompt']}=, or a higher {names['max_tokens']}=."
        )


class ClaimCache(AnswerCache[list[str]]):
    """An SQLite file that keeps the claims of each question; see ``AnswerCache``."""

    def __init__(self, path: str | os.PathLike[str], *, option: str = "cache") -> None:
        super().__init__(
            path, _are_claims, expected="a list of claims", table="answers", column="claims", option=option
        )


def _are_claims(value: object) -> bool:
    are_texts = isinstance(value, list) and all(isinstance(claim, str) and claim.strip() for claim in value)
    return bool(value) and are_texts


def _check_sentences(sentences: Sequence[str]) -> None:
    """Raise a ClaimwiseError unless all rows are text that can be sent."""
    if isinstance(sentences, (str, bytes)):
        raise ClaimwiseError(
            f"Expected a list of sentences, got one bare {type(sentences).__name__}.",
            "Write [sentence] to decompose one sentence.",
        )
    for row, sentence in enumerate(sentences):
        if not isinstance(sentence, str):
            problem = f"expected a string, got {type(sentence).__name__}."
            raise ClaimwiseError(problem, column="sentences", row=row)
        if re.search(r"[\ud800-\udfff]", sentence):
            raise ClaimwiseError(
                "the text has half of a surrogate pair, which cannot be sent.",
                "Read it in its right encoding.",
                column="sentences",
                row=row,
            )
