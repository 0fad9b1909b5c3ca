"""The decomposer itself: what it asks the network about, which answers it takes, and its signature."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from claimwise.errors import ClaimwiseError
from claimwise.signature import folder_fingerprint
from claimwise.text.claims import BaseDecomposer, Decomposed
from claimwise.text.learned.words import Source, Written, sentence_of, words_of
from claimwise.text.options import Pronouns
from claimwise.text.stopwords import load_stopwords

if TYPE_CHECKING:
    from claimwise.text.learned.network import ClaimWriter, Encoding

WEIGHTS = Path(__file__).parent / "weights"
JUDGE = Path(__file__).parents[2] / "nli" / "weights"
"""The embedded judge, whose word embeddings and tokenizer the network shares."""
VERSION = "2"
MOST_CHARACTERS = 2000
WORDS_AT_ONCE = 3000
"""Sentences of about so many words are read together."""
NEEDS_CONTEXT = re.compile(
    r"\b(?:it|its|they|them|their|this|these|those|he|she|him|his|her|one|ones)\b", re.IGNORECASE
)
_OPEN = re.compile(r"(?:it|its|they|their)\b", re.IGNORECASE)
_STANDS_FOR_NOTHING = re.compile(r"it(?:['’]s| \w+)\b.*\b(?:to|that|before|until|when|if)\b", re.IGNORECASE)
"""It is easy to park. It takes an hour to get there."""

_loaded: dict[Path, tuple[ClaimWriter, Encoding]] = {}
_loading = Lock()


class LearnedDecomposer(BaseDecomposer):
    """Splits sentences into claims offline, with a small network that was trained on OpinionClaims.

    Args:
        pronouns: ``"text"`` = a sentence with a pronoun is read behind the sentence before, whose words may
            take the pronoun's place; ``"sentence"`` = every sentence is read by itself.
        folder: of its weights; by default those of the package.

    Raises:
        ClaimwiseError: for ``"keep"``, too: what the sentence itself names always takes its pronoun's place.
    """

    may_be_kept = True
    english_only = True

    def __init__(self, pronouns: Pronouns = "text", folder: str | Path = WEIGHTS) -> None:
        if pronouns not in ("text", "sentence"):
            raise ClaimwiseError(
                f"pronouns must be 'text' or 'sentence' for the decomposer 'learned'; got {pronouns!r}.",
                option="pronouns",
            )
        self.pronouns = pronouns
        self._folder = Path(folder)

    @property
    def signature(self) -> dict[str, str]:  # type: ignore[override]
        """The version of what is done with the network's answers, pronouns, and the network's fingerprint."""
        return {
            "decomposer": "learned",
            "learned": VERSION,
            "pronouns": self.pronouns,
            "network": _fingerprint(self._folder),
        }

    def decompose(self, sentences: Sequence[str]) -> list[Decomposed]:
        """Return the claims of each sentence, and why a sentence was left whole.

        Questions, sentences of more than ``MOST_WORDS`` words or ``MOST_CHARACTERS`` characters, and those to
        which the network finds no end, stay whole. Each sentence is taken by itself.
        """
        return [found for [found] in self.decompose_texts([[sentence] for sentence in sentences])]

    def decompose_texts(self, texts: Sequence[Sequence[str]]) -> list[list[Decomposed]]:
        """Return the claims of each sentence of each text, which may say what pronouns of the next stand for.

        "It was too firm." after "The mattress was new." becomes "The mattress was too firm.".
        """
        read = [self._read(sentences) for sentences in texts]
        sources = dict.fromkeys(one for of_text in read for one in of_text if isinstance(one, Source))
        written = dict(self._written(list(sources)))
        return [[written[one] if isinstance(one, Source) else one for one in of_text] for of_text in read]

    def _read(self, sentences: Sequence[str]) -> list[Source | Decomposed]:
        """Return for each sentence of a text what the network is asked about, or what becomes of it else."""
        from claimwise.text.learned.network import MOST_WORDS

        found: list[Source | Decomposed] = []
        before: Source | None = None
        for sentence in sentences:
            source = None
            if (reason := _refusal(sentence)) is None:
                source = self._words_of(sentence)
                if len(source.words) > MOST_WORDS:
                    source, reason = None, f"more than {MOST_WORDS} words"
            if source is None:
                found.append(whole(sentence, reason) if sentence.strip() else Decomposed([]))
            else:
                is_open = self.pronouns == "text" and NEEDS_CONTEXT.search(sentence)
                together = source.behind(before) if before and is_open else source
                found.append(together if len(together.words) <= MOST_WORDS else source)
            before = source
        return found

    @staticmethod
    def _words_of(sentence: str) -> Source:
        return words_of(sentence)

    def _written(self, sources: Sequence[Source]) -> Iterator[tuple[Source, Decomposed]]:
        """Yield each of the sources with what the network writes of it, in any order."""
        if not sources:
            return
        from claimwise.text.learned.network import groups

        writer, encoding = _load(self._folder)
        for group in groups([len(source.words) for source in sources], WORDS_AT_ONCE):
            some = [sources[number] for number in group]
            batch = encoding([source.words for source in some], [source.context for source in some])
            for source, choices in zip(some, writer.write(batch), strict=True):
                yield source, _decomposed(choices, source, writer.vocabulary)


@cache
def _fingerprint(folder: Path) -> str:
    return folder_fingerprint(folder, ["config.json", "model.safetensors"])


def _load(folder: Path) -> tuple[ClaimWriter, Encoding]:
    with _loading:
        if folder not in _loaded:
            from claimwise.text.learned.network import load_writer

            _loaded[folder] = load_writer(folder, JUDGE)
        return _loaded[folder]


def _refusal(sentence: str) -> str | None:
    """Return why the network is not asked about a sentence, or None."""
    if not any(character.isalpha() for character in sentence):
        return "no words"
    if len(sentence) > MOST_CHARACTERS:
        return f"more than {MOST_CHARACTERS} characters"
    try:
        sentence.encode()
    except UnicodeEncodeError:
        return "characters that are no text"
    return "a question" if sentence.rstrip().endswith("?") else None


def whole(sentence: str, reason: str | None) -> Decomposed:
    """Return a sentence as its only claim."""
    return Decomposed([" ".join(sentence.split())], reason)


def _decomposed(choices: Sequence[int], source: Source, vocabulary: Sequence[str]) -> Decomposed:
    """Return the claims that choices spell, or the sentence whole where they spell none."""
    from claimwise.text.learned.network import MOST_STEPS

    spelt = {sentence_of(claim, source): claim for claim in _spelt(choices, source, vocabulary)}
    return decomposed(spelt, source, has_end=len(choices) < MOST_STEPS)


def decomposed(spelt: Mapping[str, Sequence[Written]], source: Source, *, has_end: bool) -> Decomposed:
    """Return claims, or the sentence whole where there are none.

    Args:
        spelt: claim → its words; an empty claim does not count.
        source: the sentence.
        has_end: whether the network came to an end.
    """
    claims = [claim for claim in spelt if claim]
    if not claims or not has_end:
        reason = "more claims than can be told apart" if claims else "no claim was found"
        return whole(source.sentence, reason)
    little = load_stopwords("english")
    resolved = sum(
        any(
            written.place is not None
            and written.place < source.context
            and written.word.lower() not in little
            for written in spelt[claim]
        )
        for claim in claims
    )
    still_open = [claim for claim in claims if is_open(claim)]
    return Decomposed(claims, resolved=resolved, open=tuple(still_open))


def is_open(claim: str) -> bool:
    """Whether a claim begins with a pronoun that stands for something named elsewhere."""
    return _OPEN.match(claim) is not None and _STANDS_FOR_NOTHING.match(claim) is None


def _spelt(choices: Sequence[int], source: Source, vocabulary: Sequence[str]) -> list[list[Written]]:
    """Return the words of the claims that choices stand for."""
    from claimwise.text.learned.network import NEXT

    claims: list[list[Written]] = [[]]
    for choice in choices:
        if choice == NEXT:
            claims.append([])
        elif choice >= len(vocabulary):
            place = choice - len(vocabulary)
            claims[-1].append(Written(source.words[place], place))
        elif (own := vocabulary[choice]).startswith("-") and "+" in own:
            if claims[-1]:
                claims[-1][-1] = claims[-1][-1]._replace(word=_with_ending(claims[-1][-1].word, own))
        else:
            claims[-1].append(Written("I" if own == "i" else own))
    return claims


def _with_ending(word: str, ending: str) -> str:
    """Return a word with another ending: of ``-y+ies`` y goes and ies comes."""
    gone, come = ending[1:].split("+")
    return word[: len(word) - len(gone)] + come if word.endswith(gone) else word
