"""What opens or closes a sentence without saying anything: "However, ...", "..., though"."""

from __future__ import annotations

from claimwise.text.rules.tokens import Tokens, lower
from claimwise.text.rules.words import phrase_set

OPENERS = phrase_set(
    "however|overall|in addition|additionally|furthermore|moreover|also|generally|in general|"
    "besides|unfortunately|fortunately|finally|lastly|in conclusion|in summary|to summarize|"
    "in short|that said|nevertheless|nonetheless|still|on the other hand|on the one hand|"
    "on the downside|on the plus side|on the positive side|on the negative side|all in all|"
    "for the most part|as a result|meanwhile|on top of that|in fact|of course|sadly|luckily|"
    "conversely|in contrast|by contrast|and|but|so|plus|though|then again|in particular|notably|"
    "first|firstly|second|secondly|having said that|similarly"
)


def strip_openers(tokens: Tokens) -> Tokens:
    """Drop discourse openers ("However, ...", "According to guests, ...") and closers (", though").

    Args:
        tokens: one sentence or clause.

    Returns:
        The tokens without them; never empty if ``tokens`` is not.
    """
    words = lower(tokens)
    if words[:1] and words[0] in {"and", "but", "so"} and len(words) > 2:
        return strip_openers(tokens[2 if words[1] == "," else 1 :])
    if "," in words[1:7] and len(words) > words.index(",") + 1:
        comma = words.index(",")
        opener = " ".join(words[:comma])
        if opener in OPENERS or (opener.startswith("according to ") and comma <= 6):
            return strip_openers(tokens[comma + 1 :])
    if len(words) > 3 and words[-2] == "," and words[-1] in {"though", "however", "overall"}:
        return tokens[:-2]
    for i in range(max(2, len(words) - 7), len(words) - 1):
        if words[i : i + 3] == [",", "according", "to"]:
            return tokens[:i]
    return tokens
