"""The prompt that asks a chat model for the claims of a sentence.

The approach is that of the CASPR paper (Appendix A, Figure 3): a few-shot prompt, and one new chat per
sentence. The examples are our own.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from claimwise.llm.prompts import Message, PromptText, chat

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
class SplittingPrompt:
    """The messages to send, with the place where the sentence goes."""

    name: str
    system: str | None
    user: str
    place: str

    @classmethod
    def read(cls, path: str | os.PathLike[str] | None) -> SplittingPrompt:
        """Return the prompt in the file at ``path``, or the built-in one; see ``PromptText.read``."""
        prompt = PromptText.read(path, DEFAULT_SYSTEM_PROMPT)
        for place in ("{sentence}", "{}"):
            if place in prompt.text:
                return cls(prompt.name, None, prompt.text, place)
        return cls(prompt.name, prompt.text, "sentence: {sentence}", "{sentence}")

    def messages(self, sentence: str) -> list[Message]:
        """Return the messages of a new chat about ``sentence``."""
        return chat(self.system, self.user.replace(self.place, sentence))
