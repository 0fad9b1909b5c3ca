"""What people and chat models write, brought into plain form before anything reads it.

``repair`` mends characters, for every metric. ``plain`` also mends what only matters where sentences are
made: lists, headings, frames of chat models, emoji, citation markers. Both are idempotent.
"""

from __future__ import annotations

import html
import re
from functools import lru_cache
from importlib.metadata import version

import ftfy

from claimwise.text.layout import laid_out
from claimwise.text.marks import in_words, rated_items

VERSION = f"2-ftfy-{version('ftfy')}"
"""The version of both functions in signatures; a change of what they return needs a new number."""

_SETTINGS = ftfy.TextFixerConfig(unescape_html=False, explain=False)
_APOSTROPHES = str.maketrans(dict.fromkeys("ʹʻʼʽˈ‘’‚‛′´`＇ꞌ՚❛❜", "'") | dict.fromkeys("“”„‟″＂«»❝❞", '"'))
_PAIRED = re.compile(r"''(?!')")
_SPACES = re.compile(r"[^\S\n ]+")
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff]"
)
# Joiners matter between the letters of other scripts (Persian, Hindi), not between these.
_JOINERS = re.compile("(?<![^\u0000-\u024f])[\u200c\u200d]+|[\u200c\u200d]+(?![^\u0000-\u024f])")
_ESCAPED = re.compile(r"(?:\\r)?\\n|\\r|\\t")
_WINDOWS_PATH = re.compile(r"\b[A-Za-z]:\\\w")
_MOST_ROUNDS = 5
_IS_CLEAN = re.compile(r"[\n -%'-;=?-\[\]^_a-z{|}~]*")  # ASCII without & < > \ ` and control characters


@lru_cache(maxsize=4096)
def repair(text: str) -> str:
    r"""Return a text with mended characters; everything else is unchanged.

    Mojibake, HTML entities, ligatures and full-width letters become what they stand for; all apostrophes are
    ``'`` and all double quotation marks ``"``; no-break spaces, tabs and written ``\n`` become white space;
    invisible characters (zero-width, soft hyphens, directions) are removed. The text is valid Unicode.
    """
    if _IS_CLEAN.fullmatch(text):
        return text
    text = ftfy.fix_text(html.unescape(text), _SETTINGS)
    text = _JOINERS.sub("", _INVISIBLE.sub("", text)).translate(_APOSTROPHES)
    if not _WINDOWS_PATH.search(text):
        text = _ESCAPED.sub(lambda match: " " if match.group() == "\\t" else "\n", text)
    return _SPACES.sub(" ", _PAIRED.sub('"', text))


@lru_cache(maxsize=4096)
def plain(text: str) -> str:
    """Return a text whose line breaks are ends of sentences; a blank line is the end of a paragraph.

    The characters are repaired; wrapped lines are joined; items of lists are lines of their own without their
    markers; headings, labels, frames of chat models and tags are left out, unless nothing else is there;
    opinions in emoji and ratings are written in words. Ordinary prose is unchanged.
    """
    for _ in range(_MOST_ROUNDS):  # what is inside a frame or an item may be one again
        before, text = text, in_words(laid_out(rated_items(repair(text))))
        if text == before:
            break
    return text
