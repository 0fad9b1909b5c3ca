"""SourceNLI: passages in sets of three, written for claimwise, and claims on which the three disagree.

A triad is one scene told three times with other facts and in other words. Every claim about it is entailed by
one of the passages, contradicted by another and left open by the third, so a claim alone says nothing about
its label. Which sentences decide, and what kind of support or error it is, stands beside every label.

``passages.jsonl`` holds them; ``sentences.jsonl``, the other configuration, holds triads whose passages are
one or two sentences, with labels only. The triads of both are sorted by kind.
"""

from __future__ import annotations

import json
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from written import SENTENCE_END, SPLITS, WORD, Written, read_lines, runs

from claimwise.errors import ClaimwiseError
from claimwise.labels import LABELS
from claimwise.text.stopwords import Terms, load_stopwords

FOLDER = Path(__file__).parent
TEST_KINDS = frozenset({"law", "sports"})
KINDS = TEST_KINDS | {
    *("news", "dialogue", "meeting_notes", "sales_calls", "emails", "abstracts"),
    *("product_pages", "manuals", "minutes", "travel", "finance", "health"),
}
SENTENCE_KINDS = frozenset(
    ("news", "encyclopedia", "science", "talk", "business", "guides", "stories", "notices")
)
TALK = frozenset({"dialogue", "sales_calls", "talk"})
HOW = {
    "entailment": ("one sentence", "two sentences", "paraphrase"),
    "contradiction": (
        *("number", "date", "name", "place", "role", "swapped agents", "wrong person"),
        *("quantifier", "negation", "order", "cause", "opposite"),
    ),
    "neutral": (
        *("not mentioned", "detail added", "cause added", "hedge dropped", "wrong person"),
        *("quantifier", "order"),
    ),
}
"""What makes a label so, by label."""

MOST_ROWS_OF_A_FRAME = 10
WORDS_IN_A_ROW = 8
NUMBERS = frozenset(
    re.findall(
        r"\w+",
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand "
        "million billion half third quarter once twice first second fourth fifth",
    )
)
SENTENCE_BREAK = re.compile(
    r"(?<!\bMr)(?<!\bMs)(?<!\bMrs)(?<!\bDr)(?<!\bSt)(?<!\bNo)(?<!\bProf)(?<!\b[A-Z])"
    r"(?:\.[\"”)]?|[!?]) +[\"“(]?[A-Z]"
)


@dataclass(frozen=True)
class Claim:
    """One claim about a scene; the tuples hold one entry per passage (none where only labels are given)."""

    text: str
    labels: tuple[str, ...]
    evidence: tuple[tuple[int, ...], ...] = ()
    how: tuple[str, ...] = ()


@dataclass(frozen=True)
class Triad(Written):
    """A scene in three passages, and the claims about it."""

    kind: str
    scene: str
    passages: tuple[tuple[str, ...], ...]
    claims: tuple[Claim, ...]

    @property
    def group(self) -> str:
        """What the triads of a file are sorted by."""
        return self.kind

    @property
    def split(self) -> str:
        """``train``, ``validation`` or ``test``: two kinds and one triad in twelve are for testing."""
        bucket = zlib.crc32(f"{self.kind}/{self.scene}".encode()) % 12
        if self.kind in TEST_KINDS or bucket == 0:
            return "test"
        return "validation" if bucket == 1 else "train"

    @cached_property
    def names(self) -> frozenset[str]:
        """Words, in lower case, that stand capitalised inside a sentence or, in talk, name a speaker."""
        texts = [text for passage in self.passages for text in passage] + [c.text for c in self.claims]
        found = set()
        for text in texts:
            speaker, colon, speech = text.partition(": ")
            if colon and self.kind in TALK:
                found |= set(WORD.findall(speaker))
                text = speech
            for match in WORD.finditer(text):
                starts = not text[: match.start()].strip(" \"'“‘(–-") or text[: match.start()].endswith('"')
                if match[0][0].isupper() and not starts:
                    found.add(match[0])
        return frozenset(word.lower().removesuffix("'s") for word in found) - load_stopwords("english")

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for every claim and passage; ``how`` and ``deciding`` only where the triad has them."""
        for claim in self.claims:
            for number, sentences in enumerate(self.passages):
                row: dict[str, Any] = {
                    "premise": " ".join(sentences),
                    "hypothesis": claim.text,
                    "label": claim.labels[number],
                }
                if claim.how:
                    row["how"] = claim.how[number]
                    row["deciding"] = [sentences[index] for index in claim.evidence[number]]
                yield row | {"kind": self.kind, "scene": self.scene, "passage": "ABC"[number]}


@cache
def _terms() -> Terms:
    return Terms()


def words(text: str) -> list[str]:
    """Return the words of ``text`` in lower case."""
    return [word.lower() for word in WORD.findall(text)]


def is_number(word: str) -> bool:
    """Tell whether a word in lower case is a number, in digits or spelled out."""
    return word in NUMBERS or any(character.isdigit() for character in word)


def content(text: str, names: frozenset[str]) -> set[str]:
    """Return the stems of ``text`` that are no stopwords, names or numbers."""
    kept = [word for word in words(text) if word.removesuffix("'s") not in names and not is_number(word)]
    return set(_terms()(" ".join(kept)))


def frame(text: str, names: frozenset[str]) -> str:
    """Return ``text`` in lower case with its names and numbers masked."""
    masked = (
        "#" if is_number(word) else "@" if word.removesuffix("'s") in names else word for word in words(text)
    )
    return re.sub(r"([@#])( \1)+", r"\1", " ".join(masked))


def parse(line: str, path: Path, number: int) -> Triad:
    """Return the triad of one line of a file.

    Raises:
        ClaimwiseError: if it is no JSON or not of the form that the card describes.
    """
    try:
        row: dict[str, Any] = json.loads(line)
        claims = tuple(
            Claim(
                c["claim"],
                tuple(c["labels"]),
                tuple(map(tuple, c.get("evidence", ()))),
                tuple(c.get("how", ())),
            )
            for c in row.pop("claims")
        )
        passages = tuple(map(tuple, row.pop("passages")))
        triad = Triad(row.pop("kind"), row.pop("scene"), passages, claims, path=path, line=number)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ClaimwiseError(
            f"This is no triad: {error!r}.", "The card describes the format.", path=path, line=number
        ) from error
    texts = [triad.kind, triad.scene, *(text for passage in triad.passages for text in passage)]
    texts += [text for claim in claims for text in (claim.text, *claim.labels, *claim.how)]
    indices = [index for claim in claims for numbers in claim.evidence for index in numbers]
    if row or not all(isinstance(text, str) for text in texts) or not all(type(i) is int for i in indices):
        raise triad.fault(
            f"This is no triad: keys too many ({list(row)}), or a text or number of another type."
        )
    return triad


def faults_of(triad: Triad) -> Iterator[ClaimwiseError]:
    """Yield the rules that a triad breaks by itself."""
    yield from _faults_of_kind(triad, KINDS)
    if len(triad.passages) != 3:
        yield triad.fault(f"There are {len(triad.passages)} passages.", "A triad has three.")
        return
    for letter, sentences in zip("ABC", triad.passages, strict=True):
        if not 4 <= len(sentences) <= 15:
            yield triad.fault(f"Passage {letter} has {len(sentences)} sentences.", "Write 4 to 15.")
        for sentence in sentences:
            yield from _faults_of_sentence(triad, sentence)
    if len(triad.claims) < 8:
        yield triad.fault(f"There are {len(triad.claims)} claims.", "A triad has at least eight.")
    whole = True
    for claim in triad.claims:
        yield from _faults_of_sentence(triad, claim.text)
        found = list(_faults_of_claim(triad, claim))
        yield from found
        whole = whole and not found
    if whole:
        yield from _faults_of_mix(triad)


def faults_of_sentences(triad: Triad) -> Iterator[ClaimwiseError]:
    """Yield the rules that a triad of the configuration ``sentences`` breaks by itself."""
    yield from _faults_of_kind(triad, SENTENCE_KINDS)
    if len(triad.passages) != 3 or not all(1 <= len(sentences) <= 2 for sentences in triad.passages):
        yield triad.fault("These are not three tellings of one or two sentences.", "Write three.")
        return
    if len(triad.claims) < 4:
        yield triad.fault(f"There are {len(triad.claims)} claims.", "A triad has at least four.")
        return
    texts = [text for sentences in triad.passages for text in sentences] + [c.text for c in triad.claims]
    for text in texts:
        yield from _faults_of_text(triad, text)
    for claim in triad.claims:
        if sorted(claim.labels) != sorted(LABELS) or claim.how or claim.evidence:
            yield triad.fault(
                f"{claim.text!r} has other than three labels, one per passage, each once.",
                "Only passages of more sentences have evidence and how.",
            )
            return
    for letter, labels in zip("ABC", zip(*(c.labels for c in triad.claims), strict=True), strict=True):
        if "entailment" not in labels:
            yield triad.fault(f"Passage {letter} entails no claim.", "Write one.")


def _faults_of_kind(triad: Triad, kinds: frozenset[str]) -> Iterator[ClaimwiseError]:
    if triad.kind not in kinds:
        yield triad.fault(f"The kind {triad.kind!r} is unknown.", f"Choose of: {', '.join(sorted(kinds))}.")


def _faults_of_text(triad: Triad, text: str) -> Iterator[ClaimwiseError]:
    if text != " ".join(text.split()) or not text.isprintable():
        yield triad.fault(f"White space is not single blanks in {text!r}.")
    if not SENTENCE_END.search(text):
        yield triad.fault(f"No full stop (or ? or !) ends {text!r}.")


def _faults_of_sentence(triad: Triad, text: str) -> Iterator[ClaimwiseError]:
    yield from _faults_of_text(triad, text)
    if SENTENCE_BREAK.search(re.sub(r"^\(?\w{1,3}[.)] ", "", text)):
        yield triad.fault(
            f"There seem to be two sentences in {text!r}.", "Put each into an entry of its own."
        )


def _faults_of_claim(triad: Triad, claim: Claim) -> Iterator[ClaimwiseError]:
    if sorted(claim.labels) != sorted(LABELS) or len(claim.how) != 3 or len(claim.evidence) != 3:
        yield triad.fault(
            f"Labels, evidence and how of {claim.text!r} are not one per passage, each label once."
        )
        return
    for letter, sentences, label, how, evidence in zip(
        "ABC", triad.passages, claim.labels, claim.how, claim.evidence, strict=True
    ):
        at = f"{claim.text!r} on passage {letter}"
        if how not in HOW[label]:
            yield triad.fault(f"{how!r} is no how of {label} ({at}).", f"Choose of: {', '.join(HOW[label])}.")
        if len(set(evidence)) != len(evidence) or not all(0 <= index < len(sentences) for index in evidence):
            yield triad.fault(f"The evidence {list(evidence)} is not of {len(sentences)} sentences ({at}).")
            continue
        if label == "entailment":
            low, high = {"one sentence": (1, 1), "two sentences": (2, 2)}.get(how, (1, 2))
        else:
            low, high = (0 if how == "not mentioned" else 1), 3
        if not low <= len(evidence) <= high:
            yield triad.fault(
                f"{len(evidence)} sentences decide {at}.", f"{how!r} takes {low} to {high} of them."
            )
        if how == "paraphrase":
            deciding = " ".join(sentences[index] for index in evidence)
            shared = content(claim.text, triad.names) & content(deciding, triad.names)
            if shared:
                yield triad.fault(
                    f"The paraphrase shares {', '.join(sorted(shared))} with what decides {at}.",
                    "Only names, numbers and function words may be the same.",
                )


def _faults_of_mix(triad: Triad) -> Iterator[ClaimwiseError]:
    """Yield what is wrong with the mixture of labels and kinds of error."""
    for number, letter in enumerate("ABC"):
        labels = Counter(claim.labels[number] for claim in triad.claims)
        for label in LABELS:
            if labels[label] < 2:
                yield triad.fault(f"Passage {letter} has {labels[label]} claims of {label}.", "It needs two.")
    how = {label: Counter[str]() for label in LABELS}
    for claim in triad.claims:
        for label, name in zip(claim.labels, claim.how, strict=True):
            how[label][name] += 1
    for name in HOW["entailment"]:
        if how["entailment"][name] < 2:
            yield triad.fault(f"{how['entailment'][name]} claims are entailed by {name!r}.", "Write two.")
    for label, fewest in (("contradiction", 4), ("neutral", 3)):
        if len(how[label]) < fewest:
            yield triad.fault(f"There are {len(how[label])} kinds of {label}.", f"Use at least {fewest}.")
    if how["neutral"]["not mentioned"] > 3:
        yield triad.fault(
            "More than three neutral pairs are 'not mentioned'.", "Make some of them near misses."
        )


def faults_between(triads: Iterable[Triad]) -> Iterator[ClaimwiseError]:
    """Yield the rules that triads break together; each fault is at the later of the two."""
    scenes: dict[tuple[str, str], Triad] = {}
    claims: dict[str, Triad] = {}
    frames: Counter[str] = Counter()
    seen: dict[tuple[str, ...], tuple[Triad, str]] = {}
    last = ""
    for triad in triads:
        if triad.kind < last:
            yield triad.fault(f"{triad.kind!r} follows {last!r}.", "Sort the triads by kind.")
        last = triad.kind
        if (triad.kind, triad.scene) in scenes:
            yield triad.fault(f"The scene {triad.scene!r} is a duplicate.", "Use another name.")
        scenes[triad.kind, triad.scene] = triad
        for letter, sentences in zip("ABC", triad.passages, strict=False):
            mine = f"passage {letter} of {triad.scene!r}"
            found = runs(words(" ".join(sentences)), WORDS_IN_A_ROW)
            before = sorted(found & seen.keys())
            if before:
                other, theirs = seen[before[0]]
                yield triad.fault(
                    f"{mine} shares {' '.join(before[0])!r} with {theirs} (line {other.line}).", "Reword it."
                )
            seen |= dict.fromkeys(found, (triad, mine))
        for claim in triad.claims:
            in_a_row = runs(words(claim.text), WORDS_IN_A_ROW)
            copied = [run for run in in_a_row if seen.get(run, (None,))[0] is triad]
            if copied:
                yield triad.fault(f"A claim copies {' '.join(copied[0])!r} from a passage.", "Reword it.")
            if claim.text.lower() in claims:
                yield triad.fault(f"{claim.text!r} was claimed before.", "Reword it.")
            claims[claim.text.lower()] = triad
            form = frame(claim.text, triad.names)
            frames[form] += len(LABELS)
            if frames[form] > MOST_ROWS_OF_A_FRAME:
                yield triad.fault(f"The frame {form!r} is in {frames[form]} rows.", "Vary the syntax.")


RULES = {"passages": faults_of, "sentences": faults_of_sentences}
"""What a triad of each configuration keeps by itself."""


def checked(folder: Path, *configs: str) -> Iterator[tuple[list[Triad], list[ClaimwiseError]]]:
    """Yield the triads of each configuration (by default of both) with the rules that they break."""
    for config in configs or RULES:
        triads = read_lines(folder, f"{config}.jsonl", parse)
        by_themselves = (fault for triad in triads for fault in RULES[config](triad))
        yield triads, [*by_themselves, *faults_between(triads)]


def read_triads(folder: Path = FOLDER, config: str = "passages") -> list[Triad]:
    """Read the triads of a configuration, ``"passages"`` or ``"sentences"``, and check every rule.

    Raises:
        ClaimwiseError: with the file and the line of the first triad that breaks a rule.
    """
    ((triads, faults),) = checked(folder, config)
    for fault in faults:
        raise fault
    return triads


def tables(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of the data set by configuration and split, such as ``passages/train``.

    Raises:
        ClaimwiseError: if ``folder`` holds no triads, or one that breaks a rule.
    """
    found: dict[str, list[dict[str, Any]]] = {}
    for config in RULES:
        triads = read_triads(folder, config)
        if not triads:
            raise ClaimwiseError(
                f"contains no triads ({config}).", "Use the folder of SourceNLI.", path=folder
            )
        for split in SPLITS:
            rows = [row for triad in triads if triad.split == split for row in triad.rows()]
            found |= {f"{config}/{split}": rows} if rows else {}
    return found
