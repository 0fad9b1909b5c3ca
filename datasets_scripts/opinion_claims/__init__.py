"""OpinionClaims: sentences as in reviews and summaries of them, and the claims that a person writes of each.

A claim is a list of acceptable wordings, of which the first is the best. What makes a sentence hard to take
apart, or what keeps it whole, is named by tags of a closed list. The rows of a split are in the file
of its name, sorted by their writers, none of whom is in two splits.
"""

from __future__ import annotations

import difflib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from written import SENTENCE_END, SPLITS, WORD, Written, read_lines, runs

from claimwise.errors import ClaimwiseError
from claimwise.text.stopwords import load_stopwords

FOLDER = Path(__file__).parent

DOMAINS = (
    *("hotels", "restaurants", "films", "gadgets", "appliances", "clothes"),
    *("sights", "cities", "airlines", "books", "apps", "cars and tools"),
)
KINDS = ("plain", "messy")
SOURCES = ("review", "summary")
ONE_CLAIM = "one claim"
TAGS: dict[str, str] = {
    "coordinated clauses": "",
    "shared subject": "",
    "shared auxiliary": "",
    "shared preposition": "",
    "shared modifier": "",
    "shared object": "",
    "noun list": "",
    "adjective list": "",
    "phrase list": "",
    "ellipsis": "",
    "relative clause": r"who|whom|whose|which|that|where|when",
    "participle clause": r"\w+ing|\w+ed|\w+n",
    "with phrase": r"with|w/",
    "apposition": "",
    "contrast": "",
    "reason": "",
    "attribution": "",
    "negation": "",
    "not only": r"not|just|only|n't|dont|doesnt|isnt|wasnt",
    "such as": r"such|like|including|e\.?g\.?|especially|particularly|instance|example|from",
    "parentheses": r".*[(–—-].*",
    "comparison": "",
    "conditional": r"if|unless|should|had|otherwise|provided|long|in case|were|without|whether",
    "disjunction": r"or|either|whether",
    "collective": "",
    "fixed pair": "",
    "between": r"between|btw|from",
    "time clause": "",
    "question": r".*\?|wh\w+|how|is|are|does|do|did|can|anyone",
    "imperative": "",
    "fragment": "",
    "run-on": "",
    "pronoun": r"it|its|it's|they|them|their|this|that|these|those|he|she|his|her|him|theyre|thats|one|both",
    "quantifier": "",
    "hedge": "",
    "opener": "",
    ONE_CLAIM: "",
}
"""The phenomena, each with what its sentence must hold (a pattern of whole words) where there is such."""

MOST_CLAIMS = 14
MOST_WORDINGS = 16
MOST_WORDS = 90
WORDS_IN_A_ROW = 7
MOST_STARTS = 5
MOST_NEW_WORDS = 1
CONNECTIVES = frozenset(
    {"however", "although", "though", "while", "whereas", "despite", "yet", "overall", "still", "even"}
    | {"neither", "nor", "either", "pros", "cons", "honest", "honestly", "etc"}
)
SENTENCE_BREAK = re.compile(
    r"(?<!\bMr)(?<!\bMs)(?<!\bMrs)(?<!\bDr)(?<!\bSt)(?<!\bNo)(?<!\bvs)(?<!\b[A-Z])[.!?][\"”)]? +[\"“(]?[A-Z]"
)
CLAIM_START = re.compile(r"[\"'“‘]?(?:[A-Z0-9€$£]|[a-z]+[A-Z])")


@dataclass(frozen=True)
class Row(Written):
    """A sentence and its claims."""

    sentence: str
    context: str
    claims: tuple[tuple[str, ...], ...]
    tags: tuple[str, ...]
    kind: str
    source: str
    domain: str
    writer: str

    @property
    def split(self) -> str:
        """``train``, ``validation`` or ``test``: the name of the file."""
        return self.path.stem

    @property
    def group(self) -> str:
        """What the rows of a file are sorted by."""
        return self.writer

    def as_dict(self) -> dict[str, Any]:
        """Return the row of the data set."""
        columns = {name: getattr(self, name) for name in COLUMNS}
        return columns | {
            "claims": [list(wordings) for wordings in self.claims],
            "tags": list(self.tags),
        }


COLUMNS = ("sentence", "context", "claims", "tags", "kind", "source", "domain", "writer")


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


def lost(row: Row) -> list[str]:
    """Return the words with content of the sentence that are in no claim, which may be right or not."""
    return missing(
        row.sentence, {word for wordings in row.claims for text in wordings for word in words(text)}
    )


def parse(line: str, path: Path, number: int) -> Row:
    """Return the row of one line of a file.

    Raises:
        ClaimwiseError: if it is no JSON or not of the form that the card describes.
    """
    try:
        read: dict[str, Any] = json.loads(line)
        claims, tags = tuple(map(tuple, read.pop("claims"))), tuple(read.pop("tags"))
        texts = {name: read.pop(name) for name in COLUMNS if name not in ("claims", "tags")}
        row = Row(claims=claims, tags=tags, path=path, line=number, **texts)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ClaimwiseError(
            f"This is no row: {error!r}.", "The card describes the format.", path=path, line=number
        ) from error
    every = [*texts.values(), *tags, *(text for wordings in claims for text in wordings)]
    if read or not all(isinstance(text, str) for text in every):
        raise row.fault(f"This is no row: keys too many ({list(read)}), or a text of another type.")
    return row


def faults_of_blanks(row: Written, text: str) -> Iterator[ClaimwiseError]:
    """Yield a fault of a text of ``row`` that has other white space than single blanks."""
    if text != " ".join(text.split()) or not text.isprintable():
        yield row.fault(f"White space is not single blanks in {text!r}.")


def faults_of_ends(row: Written, text: str) -> Iterator[ClaimwiseError]:
    """Yield a fault of a claim of ``row`` that does not begin or end as a sentence does."""
    ends = SENTENCE_END.search(text)
    if not CLAIM_START.match(text) or not ends or ends[0].startswith("!"):
        yield row.fault(f"No capital letter begins {text!r}, or no full stop (or ?) ends it.")


def faults_of(row: Row) -> Iterator[ClaimwiseError]:
    """Yield the rules that a row breaks by itself."""
    for name, value, known in (
        ("split", row.split, SPLITS),
        ("domain", row.domain, DOMAINS),
        ("kind", row.kind, KINDS),
        ("source", row.source, SOURCES),
    ):
        if value not in known:
            yield row.fault(f"The {name} {value!r} is unknown.", f"Choose of: {', '.join(known)}.")
    for text in (row.sentence, row.context, *(text for wordings in row.claims for text in wordings)):
        yield from faults_of_blanks(row, text)
    if not 2 <= len(words(row.sentence)) <= MOST_WORDS:
        yield row.fault(f"The sentence has {len(words(row.sentence))} words.", f"Write 2 to {MOST_WORDS}.")
    if row.kind == "plain":
        if not CLAIM_START.match(row.sentence) or not SENTENCE_END.search(row.sentence):
            yield row.fault(
                f"No capital letter begins {row.sentence!r}, or no full stop (or ? or !) ends it.",
                "Mend it, or call it messy.",
            )
        if SENTENCE_BREAK.search(row.sentence):
            yield row.fault(
                f"There seem to be two sentences in {row.sentence!r}.", "Call it messy, or split it."
            )
    yield from _faults_of_tags(row)
    yield from _faults_of_claims(row)


def _faults_of_tags(row: Row) -> Iterator[ClaimwiseError]:
    if not row.tags or len(set(row.tags)) != len(row.tags):
        yield row.fault(f"The tags {list(row.tags)} are none, or one of them stands twice.")
    for tag in row.tags:
        if tag not in TAGS:
            yield row.fault(f"{tag!r} is no tag.", f"Choose of: {', '.join(TAGS)}.")
        elif TAGS[tag] and not re.search(rf"(?<!\w)(?:{TAGS[tag]})(?!\w)", row.sentence, re.IGNORECASE):
            yield row.fault(f"Nothing in {row.sentence!r} shows {tag!r}.", "Leave out the tag.")
    if (ONE_CLAIM in row.tags) != (len(row.claims) == 1):
        yield row.fault(f"There are {len(row.claims)} claims.", f"{ONE_CLAIM!r} is the tag of one.")


def _faults_of_claims(row: Row) -> Iterator[ClaimwiseError]:
    if not 1 <= len(row.claims) <= MOST_CLAIMS:
        yield row.fault(f"There are {len(row.claims)} claims.", f"Write 1 to {MOST_CLAIMS}.")
    source = words(f"{row.context} {row.sentence}")
    seen: dict[str, int] = {}
    for number, wordings in enumerate(row.claims):
        if not 1 <= len(wordings) <= MOST_WORDINGS:
            yield row.fault(f"A claim has {len(wordings)} wordings.", f"Write 1 to {MOST_WORDINGS}.")
        for text in wordings:
            if seen.setdefault(text.lower(), number) != number or wordings.count(text) > 1:
                yield row.fault(f"{text!r} stands twice.")
            yield from faults_of_ends(row, text)
            if SENTENCE_BREAK.search(text) or ";" in text:
                yield row.fault(f"There seem to be two claims in {text!r}.")
            if len(words(text)) < 2:
                yield row.fault(f"{text!r} is no sentence.")
            new = missing(text, source)
            if len(new) > MOST_NEW_WORDS:
                yield row.fault(
                    f"{text!r} brings in {', '.join(new)}.", "Say it with the words of the sentence."
                )


def faults_between(rows: Iterable[Row]) -> Iterator[ClaimwiseError]:
    """Yield the rules that rows break together; each fault is at the later of the two."""
    sentences: set[str] = set()
    starts: Counter[tuple[str, ...]] = Counter()
    seen: dict[tuple[str, ...], Row] = {}
    splits: dict[str, str] = {}
    last: dict[str, str] = {}
    for row in rows:
        if splits.setdefault(row.writer, row.split) != row.split:
            yield row.fault(f"The writer {row.writer!r} is in {splits[row.writer]} too.", "Move the row.")
        if row.writer < last.get(row.split, ""):
            yield row.fault(f"The rows of {row.split} are not sorted by writer.", "Move the row.")
        last[row.split] = row.writer
        found = words(row.sentence)
        if " ".join(found) in sentences:
            yield row.fault(f"{row.sentence!r} was written before.", "Write another.")
        sentences.add(" ".join(found))
        in_a_row = runs(found, WORDS_IN_A_ROW) | runs(words(row.context), WORDS_IN_A_ROW)
        before = sorted(in_a_row & seen.keys())
        if before:
            other = seen[before[0]]
            yield row.fault(
                f"{row.sentence!r} shares {' '.join(before[0])!r} "
                f"with line {other.line} of {other.path.name}.",
                "Reword it.",
            )
        seen |= dict.fromkeys(in_a_row, row)
        start = (row.writer, *found[:3])
        starts[start] += 1
        if starts[start] > MOST_STARTS:
            yield row.fault(
                f"{starts[start]} sentences of {row.writer} begin with {' '.join(start[1:])!r}.", "Vary them."
            )


def read_files(folder: Path = FOLDER) -> list[Row]:
    """Read ``*.jsonl`` of ``folder``, whatever rules the rows break."""
    return read_lines(folder, "*.jsonl", parse)


def checked(folder: Path) -> Iterator[tuple[list[Row], list[ClaimwiseError]]]:
    """Yield the rows of ``folder`` with the rules that they break."""
    rows = read_files(folder)
    yield rows, [*(fault for row in rows for fault in faults_of(row)), *faults_between(rows)]


def read_rows(folder: Path = FOLDER) -> list[Row]:
    """Read ``*.jsonl`` of ``folder`` and check every rule.

    Raises:
        ClaimwiseError: with the file and the line of the first row that breaks a rule.
    """
    ((rows, faults),) = checked(folder)
    for fault in faults:
        raise fault
    return rows


def tables(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of the data set by split.

    Raises:
        ClaimwiseError: if ``folder`` holds no rows, or one that breaks a rule.
    """
    rows = read_rows(folder)
    if not rows:
        raise ClaimwiseError("holds no rows.", "Give the folder of OpinionClaims.", path=folder)
    found = {split: [row.as_dict() for row in rows if row.split == split] for split in SPLITS}
    return {split: of_split for split, of_split in found.items() if of_split}
