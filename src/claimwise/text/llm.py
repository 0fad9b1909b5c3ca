"""Decomposing sentences with a chat model behind any OpenAI-compatible endpoint.

The approach is that of the CASPR paper (Appendix A, Figure 3): a few-shot prompt, one new chat per
sentence, ``gpt-3.5-turbo`` at temperature 0.5 with at most 256 tokens. The examples are our own.
"""

from __future__ import annotations

import copy
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Self

from claimwise.cache import AnswerCache
from claimwise.errors import ClaimwiseError, warn
from claimwise.llm.client import CHARACTERS_PER_TOKEN, ChatClient, Question
from claimwise.llm.completion import Completion
from claimwise.llm.costs import Cost
from claimwise.llm.server import shorten
from claimwise.options import whole_number
from claimwise.text.answers import parse_answer
from claimwise.text.claims import BaseDecomposer, Decomposed
from claimwise.text.prompts import SplittingPrompt


class LLMDecomposer(BaseDecomposer):
    """Splits sentences into claims with a chat model, one request per distinct sentence.

    A sentence whose answer cannot be used (empty, refused, cut off, malformed, absurdly long) is left whole,
    with the reason, and asked again in the next run. Threads may share a decomposer, and it can be pickled
    (with its key: send it to nobody else).

    A prompt of one's own holds ``{sentence}`` (or, where that does not occur, the paper's ``{}``) in the
    place of the sentence, and is sent as one user message. One with neither is sent as the system message,
    followed by the user message ``sentence: <the sentence>``. Other braces are left alone. The model should
    answer with claims on lines of their own or set apart by ``" - "``.

    Args:
        model: the name of the model, as the endpoint knows it.
        url: of an OpenAI-compatible endpoint, usually ending in `/v1`; None = the environment variable
            `OPENAI_BASE_URL`, else OpenAI.
        api_key: sent to this endpoint only; None = `OPENAI_API_KEY` for OpenAI and an https host that
            `OPENAI_BASE_URL` names, else none.
        api_key_env: the environment variable that holds the key.
        temperature: from 0 to 2.
        max_tokens: the longest answer, in tokens.
        prompt: path of a UTF-8 text file that replaces the built-in prompt.
        cache: path of an SQLite file that keeps every answer at once; None = the `score_cache` of the
            metric. Several processes may share it.
        timeout: seconds to wait for an answer each time.
        concurrency: requests under way at once.
        retries: how often a failed request is repeated.
        max_requests: the most requests of this decomposer, repetitions included; then it stops, and a
            second run resumes from the cache.
        show_progress: show a bar for anything over about two seconds.

    Raises:
        ClaimwiseError: for a bad option, a missing key, a prompt file that cannot be read or a cache that
            cannot be used.
    """

    offline = False

    def __init__(
        self,
        model: str,
        url: str | None = None,
        *,
        api_key: str | None = None,
        api_key_env: str | None = None,
        temperature: float = 0.5,
        max_tokens: int = 256,
        prompt: str | os.PathLike[str] | None = None,
        cache: str | os.PathLike[str] | None = None,
        timeout: float = 60.0,
        concurrency: int = 8,
        retries: int = 5,
        max_requests: int | None = None,
        show_progress: bool = True,
    ) -> None:
        self.client: ChatClient[list[str]] = ChatClient(
            model,
            url,
            api_key=api_key,
            api_key_env=api_key_env,
            temperature=temperature,
            timeout=timeout,
            concurrency=concurrency,
            retries=retries,
            max_requests=max_requests,
        )
        self._max_tokens = whole_number("max_tokens", max_tokens, 1)
        self._prompt = SplittingPrompt.read(prompt)
        self._cache = None if cache is None else claim_cache(cache)
        self._show_progress = show_progress
        self.signature = {
            "decomposer": f"openai:{self.client.model}",
            "decomposer_url": self.client.server.endpoint.name,
            "decomposer_temperature": f"{self.client.temperature:g}",
            "decomposer_max_tokens": str(max_tokens),
            "decomposer_prompt": self._prompt.name,
        }

    def __repr__(self) -> str:
        return f"LLMDecomposer({self.client.model!r}, url={self.client.server.endpoint.name!r})"

    def kept_in(self, path: str | os.PathLike[str]) -> Self:
        """Return this decomposer with a file that keeps every answer at once, unless it has a cache already.

        Both count their requests together.
        """
        if self._cache is not None:
            return self
        kept = copy.copy(self)
        kept._cache = claim_cache(path, option="score_cache")
        return kept

    @property
    def max_requests(self) -> int | None:
        """The most requests that it may send; None = any number."""
        return self.client.server.max_requests

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
        outcomes = self.client.ask(
            [self._question(sentence) for sentence in asked],
            cache=self._cache,
            show_progress=self._show_progress,
            doing="decomposing",
            unit=" sentences",
        )
        if reasons := Counter(outcome.unusable for outcome in outcomes if outcome.unusable):
            listed = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
            warn(
                f"{reasons.total()} of {len(sentences)} sentences were left whole, because the model's "
                f"answer could not be used ({listed}). A second run asks for them again; if they stay many, "
                "try another model or prompt=, or a higher max_tokens=."
            )
        decomposed = iter(
            Decomposed(list(outcome.answer or [sentence]), outcome.unusable, outcome.unusable is not None)
            for sentence, outcome in zip(asked, outcomes, strict=True)
        )
        return [next(decomposed) if sentence.strip() else Decomposed([]) for sentence in sentences]

    def known(self, sentences: Sequence[str]) -> Mapping[str, Decomposed]:
        """Return the claims of those sentences that the cache knows; nothing is sent."""
        if self._cache is None:
            return {}
        answers = self.client.known([self._question(sentence) for sentence in sentences], self._cache)
        found = zip(sentences, answers, strict=True)
        return {sentence: Decomposed(list(claims)) for sentence, claims in found if claims is not None}

    def costs(self, sentences: Sequence[str]) -> list[Cost]:
        """Return what it would take to split sentences; nothing is sent."""
        questions = [self._question(sentence) for sentence in sentences]
        return [self.client.cost(self.signature["decomposer"], questions, self._cache)]

    def _question(self, sentence: str) -> Question[list[str]]:
        def read(completion: Completion) -> list[str]:
            return parse_answer(completion.whole_text, sentence)

        return Question(
            about=f"the sentence {shorten(sentence, 80)!r}",
            messages=self._prompt.messages(sentence),
            key=(self._prompt.system, self._prompt.user, sentence),
            read=read,
            max_tokens=self._max_tokens,
            answer_tokens=len(sentence) // CHARACTERS_PER_TOKEN,
        )


def claim_cache(path: str | os.PathLike[str], *, option: str = "cache") -> AnswerCache[list[str]]:
    """Return the SQLite file that keeps the claims of each question."""
    return AnswerCache(
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
