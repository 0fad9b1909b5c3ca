"""OpinionClaims: sentences as in reviews and summaries of them, and the claims that a person writes of each.

A claim is a list of acceptable wordings, of which the first is the best. What makes a sentence hard to take
apart, or what keeps it whole, is named by tags of a closed list. The rows of a split are in the file
of its name, sorted by their writers, none of whom is in two splits. The configuration ``attributions`` holds
further sentences, which say who says so: their claims with these attributions, and without.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from written import SENTENCE_END, SPLITS, read_lines, runs

from claimwise.errors import ClaimwiseError
from opinion_claims.claims import (
    CLAIM_START,
    SENTENCE_BREAK,
    Claimed,
    Reread,
    faults_of_blanks,
    faults_of_claims,
    missing,
    parse,
    words,
)

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

MOST_WORDS = 90
WORDS_IN_A_ROW = 7
MOST_STARTS = 5


@dataclass(frozen=True, kw_only=True)
class Row(Claimed):
    """A sentence and its claims."""

    COLUMNS: ClassVar[tuple[str, ...]] = (
        *("sentence", "context", "claims", "stripped", "tags", "kind", "source", "domain", "writer"),
    )
    sentence: str
    context: str
    tags: tuple[str, ...]
    kind: str
    source: str
    domain: str


@dataclass(frozen=True, kw_only=True)
class Attributed(Reread):
    """A plain sentence as in summaries that says who says so, and its claims."""

    COLUMNS: ClassVar[tuple[str, ...]] = ("sentence", "claims", "stripped", "domain", "writer", "reader")
    context: ClassVar[str] = ""
    kind: ClassVar[str] = "plain"
    source: ClassVar[str] = "summary"
    sentence: str
    domain: str


AnyRow = Row | Attributed


def as_dict(row: AnyRow) -> dict[str, Any]:
    """Return the row of the data set, with no stripped claims where attributions make no difference."""

    def listed(value: Any) -> Any:
        return [listed(part) for part in value] if isinstance(value, tuple) else value

    columns = {name: listed(getattr(row, name)) for name in row.COLUMNS}
    return columns | {"stripped": columns["stripped"] or []}


def lost(row: AnyRow) -> list[str]:
    """Return the words with content of the sentence that are in no claim, which may be right or not."""
    return missing(
        row.sentence, {word for wordings in row.claims for text in wordings for word in words(text)}
    )


def faults_of(row: AnyRow) -> Iterator[ClaimwiseError]:
    """Yield the rules that a row breaks by itself."""
    for name, value, known in (
        ("domain", row.domain, DOMAINS),
        ("kind", row.kind, KINDS),
        ("source", row.source, SOURCES),
    ):
        if value not in known:
            yield row.fault(f"The {name} {value!r} is unknown.", f"Choose of: {', '.join(known)}.")
    for text in (row.sentence, row.context):
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
    if isinstance(row, Row):
        yield from _faults_of_tags(row)
    yield from faults_of_claims(row, words(f"{row.context} {row.sentence}"))


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


def faults_between(rows: Iterable[AnyRow]) -> Iterator[ClaimwiseError]:
    """Yield the rules that rows break together; each fault is at the later of the two."""
    sentences: set[str] = set()
    starts: Counter[tuple[str, ...]] = Counter()
    seen: dict[tuple[str, ...], AnyRow] = {}
    splits: dict[str, str] = {}
    last: dict[Path, str] = {}
    for row in rows:
        if isinstance(row, Row) and splits.setdefault(row.writer, row.split) != row.split:
            yield row.fault(f"The writer {row.writer!r} is in {splits[row.writer]} too.", "Move the row.")
        if row.writer < last.get(row.path, ""):
            yield row.fault(f"The rows of {row.split} are not sorted by writer.", "Move the row.")
        last[row.path] = row.writer
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
                f"with line {other.line} of {other.path.parent.name}/{other.path.name}.",
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
    return read_lines(folder, "*.jsonl", partial(parse, Row))


def read_attributions(folder: Path = FOLDER) -> list[Attributed]:
    """Read ``attributions/*.jsonl`` of ``folder``, whatever rules the rows break."""
    return read_lines(folder, "attributions/*.jsonl", partial(parse, Attributed))


def checked(folder: Path) -> Iterator[tuple[Sequence[AnyRow], list[ClaimwiseError]]]:
    """Yield the rows of ``folder``, then its attributions, with the rules that they break."""
    rows, attributed = read_files(folder), read_attributions(folder)
    between = list(faults_between([*rows, *attributed]))
    configs: tuple[Sequence[AnyRow], ...] = (rows, attributed)
    for of_config in configs:
        paths = {str(row.path) for row in of_config}
        by_themselves = (fault for row in of_config for fault in faults_of(row))
        yield of_config, [*by_themselves, *(fault for fault in between if fault.path in paths)]


def read_rows(folder: Path = FOLDER) -> list[Row]:
    """Read ``*.jsonl`` of ``folder``, and check every rule of these rows and of the attributions.

    Raises:
        ClaimwiseError: with the file and the line of the first row that breaks a rule.
    """
    for _, faults in checked(folder):
        for fault in faults:
            raise fault
    return read_files(folder)


def tables(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of the data set by split, and those of the attributions as ``attributions/train``.

    Raises:
        ClaimwiseError: if ``folder`` holds no rows of either, or one that breaks a rule.
    """
    configs: dict[str, Sequence[AnyRow]] = {
        "": read_rows(folder),
        "attributions/": read_attributions(folder),
    }
    found: dict[str, list[dict[str, Any]]] = {}
    for config, rows in configs.items():
        if not rows:
            raise ClaimwiseError(
                f"{config} contains no rows.", "Use the folder of OpinionClaims.", path=folder
            )
        for split in SPLITS:
            of_split = [as_dict(row) for row in rows if row.split == split]
            found |= {f"{config}{split}": of_split} if of_split else {}
    return found
