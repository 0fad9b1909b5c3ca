"""Parsing of claims from the answer of a chat model."""

from __future__ import annotations

import re
from collections.abc import Sequence

from claimwise.llm.completion import UnusableAnswerError
from claimwise.text.inputs import has_content

MAX_CLAIMS = 20
REFUSAL = re.compile(
    r"\s*(i['’]m sorry|i am sorry|sorry,|i apologi[sz]e|i can['’]?t|i cannot|i['’]m unable"
    r"|i am unable|as an ai\b)",
    re.IGNORECASE,
)
BULLET = re.compile(r"^\s*(?:[-–—•*·](?:\s+|(?=[^\W\d]))|\(?\d{1,2}[.)]\s+)")
NUMBER = re.compile(r"\(?\d{1,2}[.)]\s")
LABEL = re.compile(r"sentence\s*:\s*", re.IGNORECASE)
SEPARATOR_AFTER_STOP = re.compile(r"(?<=[.!?…\"'”’)])\s+[-–—•*·](?:\s+|(?=[^\W\d]))")
SEPARATOR = re.compile(rf"\s[-–—•*·]\s+|{SEPARATOR_AFTER_STOP.pattern}")
NUMBER_AFTER_STOP = re.compile(r"(?<=[.!?…\"'”’)])\s+\(?\d{1,2}[.)]\s+")


def parse_answer(answer: str, sentence: str) -> list[str]:
    """Return the claims in a model's answer, each ending with a full stop (or ``!`` or ``?``).

    Claims are on separate lines, with or without bullets or numbers, or are separated by spaced dashes. If
    the sentence itself contains a spaced dash, only dashes after a full stop separate claims. An echo of the
    sentence, a label and an introduction are dropped.

    Raises:
        UnusableAnswerError: if the answer is empty, refused, malformed or too long.
    """
    answer = answer.rpartition("</think>")[2]
    longest_claim = 3 * len(sentence) + 100
    if len(answer) > 2 * MAX_CLAIMS * longest_claim:
        raise UnusableAnswerError("too long")
    refusal = REFUSAL.match(answer)
    if refusal and refusal[1].casefold() not in sentence.casefold():
        raise UnusableAnswerError("refused")

    whole = " ".join(sentence.split())
    echo = re.compile(rf"{re.escape(whole)}[.!?]*(?=\s[-–—•*·]\s|$)", re.IGNORECASE)
    separator = SEPARATOR_AFTER_STOP if SEPARATOR.search(whole) else SEPARATOR
    labelled: list[str] = []
    pieces: list[str] = []
    for line in answer.splitlines():
        line = " ".join(line.split())
        if line.startswith("```") or line.endswith(":"):
            continue
        is_numbered = NUMBER.match(line) is not None
        line = BULLET.sub("", line)
        label = LABEL.match(line)
        if label and pieces:
            break  # the model continues with an invented example
        line = line[label.end() :] if label else line
        start = echo.match(line)
        line = BULLET.sub("", line[start.end() :]) if start else line
        parts = [
            part
            for stretch in separator.split(line)
            for part in (NUMBER_AFTER_STOP.split(stretch) if is_numbered else [stretch])
        ]
        if start:
            labelled.append(start[0])
        elif label:
            labelled.append(parts.pop(0))
        pieces.extend(part for part in parts if has_content(part))

    claims = _finish_claims(pieces or labelled)
    if not claims:
        raise UnusableAnswerError("malformed" if answer.strip() else "empty")
    if len(claims) > MAX_CLAIMS or max(map(len, claims)) > longest_claim:
        raise UnusableAnswerError("too long")
    return claims


def _finish_claims(pieces: Sequence[str]) -> list[str]:
    """Return the distinct pieces with content, unquoted and with a full stop."""
    claims: dict[str, None] = {}
    for piece in pieces:
        claim = piece.strip()
        quoted = re.fullmatch(r"[\"“]([^\"“”]+)[\"”]", claim)
        claim = (quoted[1] if quoted else claim).rstrip(",;:-–— \t").lstrip()
        if has_content(claim):
            is_ended = claim.rstrip("\"'”’)").endswith((".", "!", "?", "…", "。"))
            claims[claim if is_ended else f"{claim}."] = None
    return list(claims)
