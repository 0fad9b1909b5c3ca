"""Prompts for chat models, written for claimwise, and the parsing of their answers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from claimwise.llm.completion import UnusableAnswerError
from claimwise_summarize.rows import Line

WRITE = """\
Here are {source} of a {noun}, one per line:

{lines}

Write a short summary of what the reviewers say about {topic}. Say how widespread an opinion is only as far \
as the lines show it, keep opinions that contradict each other, and add nothing that the lines do not say. \
Answer with the summary only."""

SOURCES = ("sentences from reviews", "accounts of what reviewers said")
"""Descriptions of the lines: from reviews, or written by a model."""

TOPICS = """\
Here are numbered sentences from reviews of a {noun}:

{lines}

Which of these aspects does each sentence say something about: {aspects}? Answer with one line for each \
number: the number, a colon, and the aspect (several with commas between them), or "none"."""

TOPIC = """\
What is this sentence from a review of a {noun} about? Answer with one word.

{lines}"""

KEYWORDS = """\
Here are reviews of a {noun}, one per line:

{lines}

Name at most eight keywords for what the reviewers care about most. Answer with the keywords only, with \
commas between them."""

CONTRAST = """\
Here are reviews of {a}, one per line:

{lines}

Here are reviews of {b}, one per line:

{other}

Compare the two as their reviewers do. Answer with three parts, each under its heading:
ONLY A: what reviewers say of {a} that they do not say of {b}.
ONLY B: what reviewers say of {b} that they do not say of {a}.
BOTH: what reviewers say of both.
Write plain sentences, two or three in each part, and add nothing that the reviews do not say."""

HEADING = re.compile(r"^[\W_]*(only a|only b|both)\b[\W_]*?:?[\W_]*", re.IGNORECASE | re.MULTILINE)
NUMBERED = re.compile(r"^\W*(\d+)\s*[.:)\-–—]+\s*(.*)$", re.MULTILINE)


def text_block(lines: Sequence[Line], numbered: bool = False) -> str:
    """Return sentences one per line, optionally numbered from 1."""
    texts = [" ".join(line.text.split()) for line in lines]
    return "\n".join(f"{n}. {text}" if numbered else text for n, text in enumerate(texts, 1))


def filled(prompt: str, **values: str) -> str:
    """Fill the named placeholders of a prompt; other braces are left unchanged."""
    pattern = "|".join(re.escape(f"{{{name}}}") for name in values)
    return re.sub(pattern, lambda placeholder: values[placeholder[0][1:-1]], prompt)


def read_blocks(answer: str, count: int, aspects: Sequence[str]) -> list[list[str] | None]:
    """Return the aspects of each numbered sentence; None for a sentence that the answer omits."""
    named: list[list[str] | None] = [None] * count
    for number, text in NUMBERED.findall(answer):
        if 1 <= int(number) <= count:
            named[int(number) - 1] = [a for a in aspects if re.search(rf"\b{re.escape(a)}\b", text, re.I)]
    return named


def read_topics(answer: str) -> list[str]:
    """Return the topics in an answer, lower-cased; "and" counts as a comma."""
    parts = re.split(r",|\band\b", answer.lower())
    return [topic for part in parts if (topic := part.strip(" \n\t.\"'*:;-"))]


def read_contrast(answer: str) -> dict[str, str]:
    """Return the parts of an answer: ``summary_a``, ``summary_b`` and ``common``.

    Raises:
        UnusableAnswerError: if a part is missing.
    """
    pieces = HEADING.split(answer)
    names = {"only a": "summary_a", "only b": "summary_b", "both": "common"}
    pairs = zip(pieces[1::2], pieces[2::2], strict=True)
    parts = {names[heading.lower()]: " ".join(text.split()) for heading, text in pairs}
    if not all(any(map(str.isalpha, parts.get(name, ""))) for name in names.values()):
        raise UnusableAnswerError("malformed")
    return parts
