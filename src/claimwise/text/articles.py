"""A or an: the indefinite article, by how the word behind it begins."""

from __future__ import annotations

import re

_SOUNDED = re.compile(r"(?:hour|honest|honou?r|heir)", re.IGNORECASE)
_VOWEL = re.compile(r"[aeiou8]|11\b|18\b|mp3|lcd|led\b", re.IGNORECASE)
_NOT_VOWEL = re.compile(r"(?:uni(?!n|m)|use|usu|eu|one\b|once\b|ut[ei]|u\b)", re.IGNORECASE)


def article_before(word: str) -> str:
    """Return "a" or "an"."""
    if _SOUNDED.match(word):
        return "an"
    return "an" if _VOWEL.match(word) and not _NOT_VOWEL.match(word) else "a"
