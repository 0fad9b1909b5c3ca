"""Claims with their acceptable wordings: how a row that has them is read, and which rules they keep.

The rows of the data set, of its attributions and of the treebank hold claims of the same form.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from written import SENTENCE_END, SPLITS, WORD, Written

from claimwise.errors import ClaimwiseError
from claimwise.text.stopwords import load_stopwords

MOST_CLAIMS = 14
MOST_WORDINGS = 16
MOST_NEW_WORDS = 1
MOST_NEW_WORDS_STRIPPED = 2
"""A plain statement says what a verb of praise or complaint means: "There were problems with …"."""

CONNECTIVES = frozenset(
    {"however", "although", "though", "while", "whereas", "despite", "yet", "overall", "still", "even"}
    | {"neither", "nor", "either", "pros", "cons", "honest", "honestly", "etc"}
)
SENTENCE_BREAK = re.compile(
    r"(?<!\bMr)(?<!\bMs)(?<!\bMrs)(?<!\bDr)(?<!\bSt)(?<!\bNo)(?<!\bvs)(?<!\b[A-Z])[.!?][\"”)]? +[\"“(]?[A-Z]"
)
CLAIM_START = re.compile(r"[\"'“‘]?(?:[A-Z0-9€$£]|[a-z]+[A-Z])")
DEPTHS = {"claims": 2, "stripped": 2, "tags": 1}
"""How deep the lists of a key are nested; every other key holds a string."""

Claims = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, kw_only=True)
class Claimed(Written):
    """A row with claims.

    Attributes:
        claims: each with its acceptable wordings, the best first.
        stripped: the same claims without attributions; None where attributions make no difference.
        writer: who wrote them.
    """

    claims: Claims
    stripped: Claims | None = None
    writer: str

    @property
    def split(self) -> str:
        """``train``, ``validation`` or ``test``: the name of the file."""
        return self.path.stem

    @property
    def group(self) -> str:
        """The rows that a report may be restricted to: those of a writer."""
        return self.writer


@dataclass(frozen=True, kw_only=True)
class Reread(Claimed):
    """A row with claims that somebody else read beside the sentence, and corrected.

    Attributes:
        reader: who read them; None if nobody has.
    """

    reader: str | None = None


Form = TypeVar("Form", bound=Claimed)


def parse(form: type[Form], line: str, path: Path, number: int) -> Form:
    """Return the row of one line of a file, of the class ``form``.

    Raises:
        ClaimwiseError: if it is no JSON or not of the form that the card describes.
    """
    try:
        read: dict[str, Any] = json.loads(line)
        values = {name: _frozen(value, DEPTHS.get(name, 0)) for name, value in read.items()}
        return form(**values, path=path, line=number)
    except (ValueError, TypeError, AttributeError) as error:
        raise ClaimwiseError(
            f"This is no row: {error!r}.", "The card describes the format.", path=path, line=number
        ) from error


def _frozen(value: Any, depth: int) -> Any:
    """Return lists of strings that are nested ``depth`` deep as tuples."""
    if not isinstance(value, list if depth else str):
        raise TypeError(f"{value!r} is no {'list' if depth else 'string'}")
    return tuple(_frozen(part, depth - 1) for part in value) if depth else value


def words(text: str) -> list[str]:
    """Return the words of ``text`` in lower case."""
    return [word.lower().replace("’", "'") for word in WORD.findall(text)]


@cache
def _light() -> frozenset[str]:
    """Return the words that may be in a claim or missing in it, wherever they come from."""
    return (
        load_stopwords("english") | {"also", "one", "us", "would", "could", "cannot", "people"} | CONNECTIVES
    )


def heavy(text: str) -> list[str]:
    """Return the words of ``text`` that carry content, in lower case, without a possessive ending."""
    found = (word.removesuffix("'s") for word in words(text))
    return [word for word in found if word not in _light() and "n't" not in word]


@cache
def alike(word: str, other: str) -> bool:
    """Tell whether two words in lower case are forms of one, or spellings of one."""
    if word == other:
        return True
    if any(character.isdigit() for character in word + other):
        return word.startswith(other) or other.startswith(word)
    shorter = min(len(word), len(other))
    if shorter >= 3 and word[: min(shorter, 4)] == other[: min(shorter, 4)]:
        return True
    return shorter >= 3 and difflib.SequenceMatcher(None, word, other).ratio() >= 0.7


def missing(text: str, elsewhere: Iterable[str]) -> list[str]:
    """Return the words with content of ``text`` that none of the words ``elsewhere`` is like."""
    there = frozenset(elsewhere)
    return [
        word for word in heavy(text) if word not in there and not any(alike(word, other) for other in there)
    ]


def faults_of_blanks(row: Written, text: str) -> Iterator[ClaimwiseError]:
    """Yield a fault of a text of ``row`` that has other white space than single blanks."""
    if text != " ".join(text.split()) or not text.isprintable():
        yield row.fault(f"White space is not single blanks in {text!r}.")


def faults_of_claims(row: Claimed, source: Sequence[str] | None) -> Iterator[ClaimwiseError]:
    """Yield the rules that the claims of a row break, those without attributions included.

    Args:
        row: the row.
        source: the words of the sentence and its context; None for the treebank, whose sentences are not at
            hand. They were not written for the data set, and may be two, or a single word.
    """
    if row.split not in SPLITS:
        yield row.fault(f"The split {row.split!r} is unknown.", f"Choose of: {', '.join(SPLITS)}.")
    if isinstance(row, Reread) and row.reader == row.writer:
        yield row.fault("The reader is the writer.", "Let somebody else read it.")
    if row.stripped is not None and (len(row.stripped) != len(row.claims) or row.stripped == row.claims):
        yield row.fault("The stripped claims are as many as the claims, and differ from them.")
    yield from _faults_of_wordings(row, row.claims, source, MOST_NEW_WORDS)
    if row.stripped is not None:
        yield from _faults_of_wordings(row, row.stripped, source, MOST_NEW_WORDS_STRIPPED)


def _faults_of_wordings(
    row: Claimed, claims: Claims, source: Sequence[str] | None, most_new_words: int
) -> Iterator[ClaimwiseError]:
    if not 1 <= len(claims) <= MOST_CLAIMS:
        yield row.fault(f"There are {len(claims)} claims.", f"Write 1 to {MOST_CLAIMS}.")
    seen: dict[str, int] = {}
    for number, wordings in enumerate(claims):
        if not 1 <= len(wordings) <= MOST_WORDINGS:
            yield row.fault(f"A claim has {len(wordings)} wordings.", f"Write 1 to {MOST_WORDINGS}.")
        for text in wordings:
            yield from faults_of_blanks(row, text)
            if seen.setdefault(text.lower(), number) != number or wordings.count(text) > 1:
                yield row.fault(f"{text!r} stands twice.")
            ends = SENTENCE_END.search(text)
            if not CLAIM_START.match(text) or not ends or ends[0].startswith("!"):
                yield row.fault(f"No capital letter begins {text!r}, or no full stop (or ?) ends it.")
            if source is None:
                continue
            if SENTENCE_BREAK.search(text) or ";" in text:
                yield row.fault(f"There seem to be two claims in {text!r}.")
            if len(words(text)) < 2:
                yield row.fault(f"{text!r} is no sentence.")
            new = missing(text, source)
            if len(new) > most_new_words:
                yield row.fault(
                    f"{text!r} brings in {', '.join(new)}.", "Say it with the words of the sentence."
                )
