"""The decomposer itself: what it asks the network about, which answers it takes, and its signature."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from claimwise.signature import folder_fingerprint
from claimwise.text.claims import BaseDecomposer, Decomposed
from claimwise.text.learned.words import Words, Written, sentence_of, words_of

if TYPE_CHECKING:
    from claimwise.text.learned.network import ClaimWriter, Encoding

WEIGHTS = Path(__file__).parent / "weights"
JUDGE = Path(__file__).parents[2] / "nli" / "weights"
"""The embedded judge, whose word embeddings and tokenizer the network shares."""
VERSION = "1"
MOST_CHARACTERS = 2000
WORDS_AT_ONCE = 1500
"""Sentences of about so many words are read together."""

_loaded: dict[Path, tuple[ClaimWriter, Encoding]] = {}
_loading = Lock()


class LearnedDecomposer(BaseDecomposer):
    """Splits sentences into claims offline, with a small network that was trained on OpinionClaims.

    Args:
        folder: of its weights; by default those of the package.
    """

    def __init__(self, folder: str | Path = WEIGHTS) -> None:
        self._folder = Path(folder)

    @property
    def signature(self) -> dict[str, str]:  # type: ignore[override]
        """The version of what is done with the network's answers, and the network's fingerprint."""
        fingerprint = folder_fingerprint(self._folder, ["config.json", "model.safetensors"])
        return {"decomposer": "learned", "learned": VERSION, "network": fingerprint}

    def decompose(self, sentences: Sequence[str]) -> list[Decomposed]:
        """Return the claims of each sentence, and why a sentence was left whole.

        Questions, sentences of more than ``MOST_WORDS`` words or ``MOST_CHARACTERS`` characters, and those to
        which the network finds no end, stay whole. Each sentence is taken by itself.
        """
        from claimwise.text.learned.network import MOST_STEPS, MOST_WORDS, groups

        found: list[Decomposed | None] = []
        sources: dict[int, Words] = {}
        for number, sentence in enumerate(sentences):
            if not sentence.strip():
                found.append(Decomposed([]))
            elif (reason := _refusal(sentence)) is not None:
                found.append(_whole(sentence, reason))
            elif len((words := words_of(sentence)).words) > MOST_WORDS:
                found.append(_whole(sentence, f"more than {MOST_WORDS} words"))
            else:
                sources[number] = words
                found.append(None)
        asked = list(sources)
        if asked:
            writer, encoding = _load(self._folder)
            for group in groups([len(sources[number].words) for number in asked], WORDS_AT_ONCE):
                numbers = [asked[place] for place in group]
                written = writer.write(encoding([sources[number].words for number in numbers]))
                for number, choices in zip(numbers, written, strict=True):
                    claims = _claims(choices, sources[number], writer.vocabulary)
                    if len(choices) == MOST_STEPS or not claims:
                        reason = "more claims than can be told apart" if claims else "no claim was found"
                        found[number] = _whole(sentences[number], reason)
                    else:
                        found[number] = Decomposed(claims)
        return [one for one in found if one is not None]


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


def _whole(sentence: str, reason: str) -> Decomposed:
    return Decomposed([" ".join(sentence.split())], reason)


def _claims(choices: Sequence[int], source: Words, vocabulary: Sequence[str]) -> list[str]:
    """Return the claims that choices spell, none twice."""
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
    return list(dict.fromkeys(filter(None, (sentence_of(claim, source) for claim in claims))))


def _with_ending(word: str, ending: str) -> str:
    """Return a word with another ending: of ``-y+ies`` y goes and ies comes."""
    gone, come = ending[1:].split("+")
    return word[: len(word) - len(gone)] + come if word.endswith(gone) else word
