"""The prompt that asks a chat model for the claims of a sentence.

The approach is that of the CASPR paper (Appendix A, Figure 3): a few-shot prompt, and one new chat per
sentence. The examples are our own.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from claimwise.llm.prompt_files import read_prompt_file
from claimwise.signature import text_fingerprint

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionMessageParam

DEFAULT_PROMPT_NAME = "default-v1"  # in every signature: rename when DEFAULT_SYSTEM_PROMPT changes
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


@dataclass(frozen=True)
class Prompt:
    """The messages to send, with the place where the sentence goes."""

    name: str
    system: str | None
    user: str
    place: str

    @classmethod
    def read(cls, path: str | os.PathLike[str] | None, *, option: str = "prompt") -> Prompt:
        """Return the prompt in the file at ``path``, or the built-in one.

        Raises:
            ClaimwiseError: if the file cannot be read or is empty; ``option`` is what the user calls it.
        """
        if path is None:
            return cls(DEFAULT_PROMPT_NAME, DEFAULT_SYSTEM_PROMPT, "sentence: {sentence}", "{sentence}")
        text = read_prompt_file(
            path, "Write a prompt into it, with {sentence} where the sentence goes.", option
        )
        name = text_fingerprint(text)
        for place in ("{sentence}", "{}"):
            if place in text:
                return cls(name, None, text, place)
        return cls(name, text, "sentence: {sentence}", "{sentence}")

    def messages(self, sentence: str) -> list[ChatCompletionMessageParam]:
        """Return the messages of a new chat about ``sentence``."""
        messages: list[ChatCompletionMessageParam] = []
        if self.system is not None:
            messages.append({"role": "system", "content": self.system})
        messages.append({"role": "user", "content": self.user.replace(self.place, sentence)})
        return messages
