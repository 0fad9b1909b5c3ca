"""Pairs about facts: FEVER with evidence that says nothing, changed numbers and names, SourceNLI."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from long_premises import WORDS, amid, shortened
from pairs import FEVER, Pair, Sources

from claimwise.text.claims import load_decomposer
from claimwise.text.stopwords import load_stopwords

WORD = re.compile(r"[A-Za-z0-9]+")
NUMBER = re.compile(r"\b\d[\d,]*\b")
NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+(?: [A-Z][a-z]+)*")
WIKIPEDIA = ("newprotocols_base", "newprotocols_edit_premise", "newprotocols_edit_other")
SMALL_WORDS = load_stopwords("english")


def subject_of(claim: str) -> str:
    """Return the capitalised words that a claim about a page of Wikipedia begins with."""
    words = []
    for word in claim.rstrip(".").split():
        if not (word[0].isupper() or word[0].isdigit()):
            break
        words.append(word.removesuffix("'s"))
    return " ".join(words)


def stems(text: str) -> set[str]:
    """Return the content words of a text, in lower case and cut to six letters."""
    return {word[:6].lower() for word in WORD.findall(text) if word.lower() not in SMALL_WORDS}


def tells_of(evidence: str, claim: str, page: str) -> bool:
    """Tell whether evidence shares a content word with a claim, those of the page's name not counted."""
    return bool(stems(evidence) & (stems(claim) - stems(page)))


def fever_neutrals(sources: Sources, generator: random.Random) -> Iterator[Pair]:
    """Yield claims of FEVER with evidence that does not tell of them: of the same page, or of another."""
    pool = sources.public[FEVER]
    pages: dict[str, list[str]] = {}
    for pair in pool:
        pages.setdefault(subject_of(pair.hypothesis), []).append(pair.premise)
    for pair in generator.sample(pool, len(pool)):
        page = subject_of(pair.hypothesis)
        same = [text for text in pages[page] if page and not tells_of(text, pair.hypothesis, page)]
        if same:
            yield Pair(generator.choice(same), pair.hypothesis, "neutral", "fever_neutrals")
        if generator.random() < 0.5:
            yield Pair(generator.choice(pool).premise, pair.hypothesis, "neutral", "fever_neutrals")


def long_fever(sources: Sources, generator: random.Random) -> Iterator[Pair]:
    """Yield claims of FEVER with their evidence among that of other claims, of the same page and of others.

    A third of them without their evidence: neutral. Evidence of the same page counts as saying nothing about
    a claim if the two share no word but those of the page's name (``tells_of``).
    """
    pool = sources.public[FEVER]
    pages: dict[str, list[Pair]] = {}
    for pair in pool:
        pages.setdefault(subject_of(pair.hypothesis), []).append(pair)
    for pair in generator.sample(pool, len(pool)):
        page = subject_of(pair.hypothesis)
        same = {other.premise for other in pages[page] if other.premise != pair.premise}
        beside = sorted(text for text in same if page and not tells_of(text, pair.hypothesis, page))
        near = generator.sample(beside, min(len(beside), generator.randint(1, 5)))
        far = [other.premise for other in generator.sample(pool, generator.randint(0, 6))]
        others = [text for text in far if not tells_of(text, pair.hypothesis, "")] + near
        generator.shuffle(others)
        if generator.random() < 1 / 3:
            if near:
                yield Pair(" ".join(shortened(others, WORDS)), pair.hypothesis, "neutral", "long_fever")
            continue
        room = WORDS - len(pair.premise.split())
        premise = amid([pair.premise], shortened(others, room), generator)
        yield Pair(premise, pair.hypothesis, pair.label, "long_fever")


def changed_facts(sources: Sources, generator: random.Random) -> Iterator[Pair]:
    """Yield claims of a sentence of Wikipedia as it says them, and with a number or a name changed.

    The premise is the sentence, or a passage in which it stands. The new name is one of the passage, else of
    another sentence.
    """
    decomposer = load_decomposer()
    pool = sorted({p.premise for p in sources.plain(*WIKIPEDIA)} | {p.premise for p in sources.public[FEVER]})
    pool = [text for text in pool if len(text.split()) <= 60]
    for sentence in generator.sample(pool, len(pool)):
        others = generator.sample(pool, generator.choice([0, 0, 1, 2, 4, 8]))
        premise = amid([sentence], shortened(others, WORDS - len(sentence.split())), generator)
        claim = generator.choice(decomposer.decompose([sentence])[0].claims)
        if not 4 <= len(claim.split()) <= 30:
            continue
        yield Pair(premise, claim, "entailment", "changed_facts")
        numbers = NUMBER.findall(claim)
        if numbers and generator.random() < 0.6:
            number = generator.choice(numbers)
            other = _another_number(number, generator)
            yield Pair(premise, claim.replace(number, other, 1), "contradiction", "changed_facts")
            continue
        names = NAME.findall(claim)
        inside = [name for name in NAME.findall(premise) if name not in claim]
        candidates = inside or [n for text in generator.sample(pool, 3) for n in NAME.findall(text)]
        candidates = [name for name in candidates if name not in claim]
        if names and candidates:
            changed = claim.replace(generator.choice(names), generator.choice(candidates), 1)
            yield Pair(premise, changed, "contradiction", "changed_facts")


def _another_number(number: str, generator: random.Random) -> str:
    """Return a number of the same length that differs in one digit."""
    places = [place for place, character in enumerate(number) if character.isdigit()]
    place = generator.choice(places[-2:])
    digits = [digit for digit in "123456789" if digit != number[place]]
    return number[:place] + generator.choice(digits) + number[place + 1 :]


def source_nli(sources: Sources, generator: random.Random) -> Iterator[Pair]:
    """Yield every claim of SourceNLI with each of its three passages."""
    for triad in sources.triads:
        for row in triad.rows():
            yield Pair(row["premise"], row["hypothesis"], row["label"], "source_nli")


def source_nli_sentences(sources: Sources, generator: random.Random) -> Iterator[Pair]:
    """Yield every claim of SourceNLI's sentences with each of its three tellings."""
    for triad in sources.sentence_triads:
        for row in triad.rows():
            yield Pair(row["premise"], row["hypothesis"], row["label"], "source_nli_sentences")


def source_nli_parts(sources: Sources, generator: random.Random) -> Iterator[Pair]:
    """Yield the claims of SourceNLI with a part of a passage: the deciding sentences are kept, or left out.

    Without a sentence that decides, a claim is left open.
    """
    for triad in sources.triads:
        for claim in triad.claims:
            for passage, label, evidence in zip(triad.passages, claim.labels, claim.evidence, strict=True):
                kept = set(generator.sample(range(len(passage)), generator.randint(1, len(passage) - 1)))
                if generator.random() < 0.25 and evidence and label != "neutral":
                    others = set(range(len(passage))) - set(evidence)
                    label, kept = "neutral", kept & others or others
                else:
                    kept |= set(evidence)
                premise = " ".join(passage[index] for index in sorted(kept))
                if premise:
                    yield Pair(premise, claim.text, label, "source_nli_parts")
