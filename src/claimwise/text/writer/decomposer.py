"""The decomposer: which sentences the network is asked about, and which of its claims are taken."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, get_args

from claimwise.errors import ClaimwiseError
from claimwise.signature import folder_fingerprint
from claimwise.text.claims import BaseDecomposer, Decomposed
from claimwise.text.options import Attributions, Pronouns
from claimwise.text.stopwords import load_stopwords
from claimwise.text.writer.denials import is_changed
from claimwise.text.writer.words import Source, Written, sentence_of, words_of

if TYPE_CHECKING:
    from claimwise.text.writer.decoder import Choice

VERSION = "1"
WEIGHTS = Path(__file__).parent / "weights"
MOST_CHARACTERS = 2000
NEEDS_CONTEXT = re.compile(
    r"\b(?:it|its|they|them|their|this|these|those|he|she|him|his|her|one|ones)\b", re.IGNORECASE
)
_OPEN = re.compile(r"(?:it|its|they|their)\b", re.IGNORECASE)
_STANDS_FOR_NOTHING = re.compile(r"it(?:['’]s| \w+)\b.*\b(?:to|that|before|until|when|if)\b", re.IGNORECASE)
"""It is easy to park. It takes an hour to get there."""

_TAKES_S = re.compile(r"[aeiou]{2}[bdfklmnprt]$|[rlnm][dkmnpt]$", re.IGNORECASE)
_TAKES_ES = re.compile(r"(?:s|x|z|ch|sh)$", re.IGNORECASE)
"""Verbs whose ending is "s" or "es", whatever the network says: "keeps", "reaches"."""

_loading = Lock()


class ClaimWriter(BaseDecomposer):
    """Splits sentences into claims offline, with a small network that was trained on OpinionClaims.

    Args:
        pronouns: ``"text"`` = a sentence with a pronoun is read together with the previous sentence, whose
            words may take the pronoun's place; ``"sentence"`` = every sentence is read by itself.
        attributions: ``"keep"`` = a claim keeps the words that say who said it ("most guests found");
            ``"strip"`` = it does without them, unless they carry content ("only two guests").
        folder: folder of the weights; by default those of the package.

    Raises:
        ClaimwiseError: for other values.
    """

    may_be_kept = True
    english_only = True

    def __init__(
        self,
        pronouns: Pronouns = "text",
        attributions: Attributions = "keep",
        folder: str | Path = WEIGHTS,
    ) -> None:
        for name, value, values in (
            ("pronouns", pronouns, get_args(Pronouns)),
            ("attributions", attributions, get_args(Attributions)),
        ):
            if value not in values:
                raise ClaimwiseError(
                    f"{name} must be {' or '.join(map(repr, values))}; got {value!r}.", option=name
                )
        self.pronouns, self.attributions = pronouns, attributions
        self._folder = Path(folder)

    @property
    def signature(self) -> dict[str, str]:  # type: ignore[override]
        """The version of the rules around the network, the options, and the network's fingerprint."""
        return {
            "decomposer": "default",
            "writer": VERSION,
            "pronouns": self.pronouns,
            "attributions": self.attributions,
            "network": _fingerprint(self._folder),
        }

    def decompose(self, sentences: Sequence[str]) -> list[Decomposed]:
        """Return the claims of each sentence, and why a sentence was left whole.

        Questions and sentences of more than ``MOST_WORDS`` words or ``MOST_CHARACTERS`` characters are left
        whole, and, as failures, those whose claims have no end, lose a denial, make one, or are rejected by
        the critic. Each sentence is read by itself.
        """
        return [found for [found] in self.decompose_texts([[sentence] for sentence in sentences])]

    def decompose_texts(self, texts: Sequence[Sequence[str]]) -> list[list[Decomposed]]:
        """Return the claims of each sentence of each text, in which pronouns are resolved across sentences.

        "It was too firm." after "The mattress was new." becomes "The mattress was too firm.".
        """
        read = [self._read(sentences) for sentences in texts]
        sources = dict.fromkeys(one for of_text in read for one in of_text if isinstance(one, Source))
        written = self._written(list(sources))
        return [[written[one] if isinstance(one, Source) else one for one in of_text] for of_text in read]

    def _read(self, sentences: Sequence[str]) -> list[Source | Decomposed]:
        """Return for each sentence of a text what the network is asked about, or the sentence left whole."""
        from claimwise.text.writer.decoder import MOST_WORDS

        found: list[Source | Decomposed] = []
        before: Source | None = None
        for sentence in sentences:
            source = None
            if (reason := _refusal(sentence)) is None:
                source = words_of(sentence)
                if len(source.words) > MOST_WORDS:
                    source, reason = None, f"more than {MOST_WORDS} words"
            if source is None:
                found.append(_whole(sentence, reason) if sentence.strip() else Decomposed([]))
            else:
                is_open = self.pronouns == "text" and NEEDS_CONTEXT.search(sentence)
                together = source.behind(before) if before and is_open else source
                found.append(together if len(together.words) <= MOST_WORDS else source)
            before = source
        return found

    def _written(self, sources: Sequence[Source]) -> dict[Source, Decomposed]:
        """Return what the network writes of each source."""
        if not sources:
            return {}
        from claimwise.text.writer.network import load

        with _loading:
            network = load(self._folder)
        strip = self.attributions == "strip"
        return {
            source: _whole(source.sentence, "a claim was rejected", failed=True)
            if is_rejected
            else claims_of(choices, source, network.vocabulary, strip=strip)
            for source, choices, is_rejected in network.write(sources, strip=strip)
        }


@cache
def _fingerprint(folder: Path) -> str:
    return folder_fingerprint(folder, ["config.json", "model.safetensors"])


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


def _whole(sentence: str, reason: str | None, *, failed: bool = False) -> Decomposed:
    """Return a sentence as its only claim."""
    return Decomposed([" ".join(sentence.split())], reason, failed)


def claims_of(
    choices: Sequence[Choice], source: Source, vocabulary: Sequence[str], *, strip: bool = False
) -> Decomposed:
    """Return the claims that choices spell; the sentence where they spell none or change a denial.

    Args:
        choices: of the network.
        source: the sentence.
        vocabulary: words and endings of the network's own.
        strip: whether attributions were to be stripped, so that what was left out is told.
    """
    from claimwise.text.writer.beams import MOST_STEPS

    spelt = {sentence_of(claim, source): claim for claim in spell(choices, source, vocabulary)}
    claims = [claim for claim in spelt if claim]
    if not claims or len(choices) == MOST_STEPS:
        reason = "more claims than can be told apart" if claims else "no claim was found"
        return _whole(source.sentence, reason, failed=True)
    before = " ".join(source.words[: source.context])
    if any(is_changed(claim, source.sentence, before) for claim in claims):
        return _whole(source.sentence, "a denial might be lost or made", failed=True)
    return Decomposed(
        claims,
        resolved=sum(_names_context(spelt[claim], source) for claim in claims),
        open=tuple(claim for claim in claims if is_open(claim)),
        stripped=tuple(_left_out(spelt, source)) if strip else (),
    )


def _names_context(claim: Iterable[Written], source: Source) -> bool:
    """Tell whether a claim has a content word of the previous sentence."""
    return any(
        written.place is not None
        and written.place < source.context
        and written.word.lower() not in load_stopwords("english")
        for written in claim
    )


def is_open(claim: str) -> bool:
    """Tell whether a claim begins with a pronoun that stands for something named elsewhere."""
    return _OPEN.match(claim) is not None and _STANDS_FOR_NOTHING.match(claim) is None


def _left_out(spelt: Mapping[str, Iterable[Written]], source: Source) -> list[str]:
    """Return the stretches of a sentence, of several words, that no claim has a word of."""
    used = {written.place for claim in spelt.values() for written in claim}
    stretches: list[list[str]] = [[]]
    for place in range(source.context, len(source.words)):
        if place in used:
            stretches.append([])
        else:
            stretches[-1].append(source.words[place] + " " * source.spaces[place])
    little = load_stopwords("english")
    return [
        "".join(words).strip(" ,;:.!")
        for words in stretches
        if sum(map(str.isalpha, map(str.strip, words))) > 1
        and any(word.strip().isalpha() and word.strip().lower() not in little for word in words)
    ]


def spell(choices: Sequence[Choice], source: Source, vocabulary: Sequence[str]) -> list[list[Written]]:
    """Return the words of the claims that choices stand for."""
    from claimwise.text.writer.decoder import NEXT

    claims: list[list[Written]] = [[]]
    for first, last in choices:
        claim = claims[-1]
        if first == NEXT:
            claims.append([])
        elif first >= len(vocabulary):
            places = range(first - len(vocabulary), last + 1)
            claim += [Written(source.words[place], place) for place in places]
        elif (own := vocabulary[first]) in ("<lower>", "<title>") or (own[0] == "-" and "+" in own):
            if claim:
                claim[-1] = claim[-1]._replace(word=_changed(claim[-1].word, own))
        else:
            claim.append(Written("I" if own == "i" else own))
    return claims


def _changed(word: str, change: str) -> str:
    """Return a word after a change: of ``-y+ies`` y goes and ies comes."""
    if change in ("<lower>", "<title>"):
        return word.lower() if change == "<lower>" else word[:1].upper() + word[1:]
    gone, come = change[1:].split("+")
    if not word.endswith(gone):
        return word
    stem = word[: len(word) - len(gone)]
    if come == "es" and _TAKES_S.search(stem):
        come = "s"
    elif (gone, come) == ("", "s") and _TAKES_ES.search(stem):
        come = "es"
    return stem + come
