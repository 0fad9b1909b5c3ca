"""Decomposing sentences with a chat model behind any OpenAI-compatible endpoint.

The approach follows the CASPR paper (Appendix A, Figure 3): a few-shot prompt, one new chat per sentence,
``gpt-3.5-turbo`` at temperature 0.5 with at most 256 tokens. The examples were written for claimwise.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from claimwise.cache import AnswerCache
from claimwise.errors import ClaimwiseError, warn
from claimwise.http.remote import shorten
from claimwise.llm.client import CHARACTERS_PER_TOKEN, ChatModel, Question
from claimwise.llm.completion import Completion
from claimwise.llm.costs import Cost
from claimwise.llm.prompts import PromptText, chat
from claimwise.options import check
from claimwise.signature import exact
from claimwise.text.answers import parse_answer
from claimwise.text.claims import BaseDecomposer, Decomposed
from claimwise.text.inputs import check_unicode

DEFAULT_SYSTEM_PROMPT = """\
Here are some examples of how a sentence is split into simple sentences that make one claim each:
sentence: The pool was closed for repairs during our whole stay, and nobody at the front desk had \
mentioned it when we booked. - The pool was closed for repairs during our whole stay. - Nobody at \
the front desk had mentioned the pool's closure when we booked.
sentence: Dinner on the roof terrace was the highlight of the trip. - Dinner on the roof terrace \
was the highlight of the trip.
sentence: Although it is only two stops from the airport, the guesthouse is quiet at night and has \
a well-kept garden where breakfast is served until eleven. - The guesthouse is only two stops from \
the airport. - The guesthouse is quiet at night. - The guesthouse has a well-kept garden. - \
Breakfast is served in the garden until eleven.
sentence: The headphones are light and comfortable but the battery hardly lasts an afternoon, so \
I would not buy them again. - The headphones are light. - The headphones are comfortable. - The \
battery hardly lasts an afternoon. - I would not buy the headphones again.
Split the sentence that you are given in the same manner, with nothing before or after. Keep its \
wording, and leave nothing out."""


def claim_cache(path: str | os.PathLike[str], *, option: str = "cache") -> AnswerCache[list[str]]:
    """Return the cache that stores the claims of each question in an SQLite file."""
    return AnswerCache(
        path, _are_claims, expected="a list of claims", table="answers", column="claims", option=option
    )


@dataclass(kw_only=True, eq=False, repr=False)
class LLMDecomposer(ChatModel[list[str]], BaseDecomposer):
    """Splits sentences into claims with a chat model, one request per distinct sentence.

    A sentence with an unusable answer (empty, refused, truncated, malformed or too long) is left whole, with
    the reason, and requested again in the next run.

    A custom prompt contains ``{sentence}`` (or else ``{}``, as in the paper) in the place of the sentence,
    and is sent as one user message. A prompt without a placeholder is sent as the system message, followed by
    the user message ``sentence: <the sentence>``. Other braces are left unchanged. The model should answer
    with claims on separate lines or separated by ``" - "``.

    Args:
        temperature: from 0 to 2.
        max_tokens: maximum length of an answer, in tokens.
        prompt: path of a UTF-8 text file that replaces the built-in prompt.
        cache: path of an SQLite file that stores every answer immediately; None = the `score_cache` of the
            metric. Several processes may share it.

    Raises:
        ClaimwiseError: for an invalid option, a missing key, an unreadable prompt file or an unusable cache.
    """

    temperature: float | None = 0.5
    max_tokens: int = 256
    prompt: str | os.PathLike[str] | None = None
    cache: str | os.PathLike[str] | None = None

    answers = staticmethod(claim_cache)

    def __post_init__(self) -> None:
        super().__post_init__()
        check("max_tokens", self.max_tokens, at_least=1)
        prompt = PromptText.read(self.prompt, DEFAULT_SYSTEM_PROMPT)
        self._system: str | None = prompt.text
        self._user, self._place = "sentence: {sentence}", "{sentence}"
        if place := next((place for place in ("{sentence}", "{}") if place in prompt.text), None):
            self._system, self._user, self._place = None, prompt.text, place
        self._cache = None if self.cache is None else claim_cache(self.cache)
        self.signature = {
            "decomposer": self.name,
            "decomposer_url": self.endpoint.name,
            "decomposer_temperature": exact(self.temperature or 0),
            "decomposer_max_tokens": str(self.max_tokens),
            "decomposer_prompt": prompt.name,
        }

    def decompose(self, sentences: Sequence[str]) -> list[Decomposed]:
        """Return the claims of each sentence, in order; a blank sentence has none.

        Raises:
            ClaimwiseError: for a row that is not a text, or if the endpoint rejects the key, the model or a
                request, or cannot be reached. Earlier answers are in the cache.
            KeyboardInterrupt: on Ctrl-C, after the pending requests have ended.

        Warns:
            ClaimwiseWarning: once, with the number of sentences that were left whole.
        """
        _check_sentences(sentences)
        asked = [sentence for sentence in sentences if sentence.strip()]
        questions = [self._question(sentence) for sentence in asked]
        outcomes = self.ask_all(questions, doing="decomposing", unit=" sentences")
        if reasons := Counter(outcome.unusable for outcome in outcomes if outcome.unusable):
            listed = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
            warn(
                f"{reasons.total()} of {len(sentences)} sentences were left whole, because the model's "
                f"answer could not be used ({listed}). A second run requests them again; if many remain, "
                "try another model or prompt=, or a higher max_tokens=."
            )
        decomposed = iter(
            Decomposed(list(outcome.answer or [sentence]), outcome.unusable, outcome.unusable is not None)
            for sentence, outcome in zip(asked, outcomes, strict=True)
        )
        return [next(decomposed) if sentence.strip() else Decomposed([]) for sentence in sentences]

    def known(self, sentences: Sequence[str]) -> Mapping[str, Decomposed]:
        """Return the cached claims of sentences; nothing is sent."""
        kept = self.kept_answers([self._question(sentence) for sentence in sentences])
        answers = zip(sentences, kept, strict=True)
        return {sentence: Decomposed(list(claims)) for sentence, claims in answers if claims is not None}

    def costs(self, sentences: Sequence[str]) -> list[Cost]:
        """Return the estimated cost of splitting sentences; nothing is sent."""
        return [self.cost(self.name, [self._question(sentence) for sentence in sentences])]

    def _question(self, sentence: str) -> Question[list[str]]:
        def read(completion: Completion) -> list[str]:
            return parse_answer(completion.whole_text, sentence)

        return Question(
            about=f"the sentence “{shorten(sentence, 80)}”",
            messages=chat(self._system, self._user.replace(self._place, sentence)),
            key=(self._system, self._user, sentence),
            read=read,
            max_tokens=self.max_tokens,
            answer_tokens=len(sentence) // CHARACTERS_PER_TOKEN,
        )


def _are_claims(value: object) -> bool:
    are_texts = isinstance(value, list) and all(isinstance(claim, str) and claim.strip() for claim in value)
    return bool(value) and are_texts


def _check_sentences(sentences: Sequence[str]) -> None:
    """Raise a ClaimwiseError unless all rows are text that can be sent."""
    if isinstance(sentences, (str, bytes)):
        raise ClaimwiseError(
            "Expected a list of sentences, got a single text.",
            "Write [sentence] to decompose one sentence.",
        )
    for row, sentence in enumerate(sentences):
        if not isinstance(sentence, str):
            problem = f"expected a string, got {type(sentence).__name__}."
            raise ClaimwiseError(problem, column="sentences", row=row)
        check_unicode(sentence, "sentences", row)
