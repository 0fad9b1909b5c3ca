"""The decomposer: the choice of sentences that the network reads and of its claims that are accepted."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from threading import Lock
from typing import get_args

import numpy as np

from claimwise.judges.threads import compute_at_once
from claimwise.options import check
from claimwise.signature import folder_fingerprint
from claimwise.text.claims import BaseDecomposer, Decomposed
from claimwise.text.options import Attributions, Pronouns
from claimwise.text.questions import is_answered
from claimwise.text.stopwords import load_stopwords
from claimwise.text.writer.attributions import Stripped, rephrase, strip
from claimwise.text.writer.beams import search
from claimwise.text.writer.denials import is_changed, loses_denial
from claimwise.text.writer.fragments import answers_of, complete, reason_of, without_nor
from claimwise.text.writer.network import FILES, MOST_STEPS, MOST_WORDS, NEXT, Choice, Network, groups
from claimwise.text.writer.scopes import has_doubt, put_back
from claimwise.text.writer.words import Source, Written, sentence_of, words_of

WEIGHTS = Path(__file__).parent / "weights"
JUDGE = Path(__file__).parents[2] / "judges" / "weights"
"""The embedded judge, whose word embeddings and tokenizer the network shares."""
VERSION = "4"
MOST_CHARACTERS = 2000
# Also a bracketed beginning, as in "[Sic] is a word", of which the network would lose the first sign, and
# brackets within brackets, of which it would make a claim of their own.
MARKUP = re.compile(r"[<>{}]|^\s*[(\[][^)\]]*[)\]]\W*\w|[(\[][^)\]]*[(\[]")
_ROUND = str.maketrans("[]", "()")
WORDS_AT_ONCE = 1500
"""Approximate number of words per batch."""
BEAMS = 4
"""Number of prefixes per sentence that are kept at each step."""
REJECTED = 0.7
"""A claim with a higher probability of a fault is rejected."""
NEEDS_CONTEXT = re.compile(
    r"\b(?:it|its|they|them|their|this|these|those|he|she|him|his|her|one|ones)\b", re.IGNORECASE
)
_OPEN = re.compile(r"(?:it|its|they|their)\b", re.IGNORECASE)
_STANDS_FOR_NOTHING = re.compile(r"it(?:['’]s| \w+)\b.*\b(?:to|that|before|until|when|if)\b", re.IGNORECASE)
"""An "it" without a referent: It is easy to park. It takes an hour to get there."""
_TAKES_S = re.compile(r"[aeiou]{2}[bdfklmnprt]$|[rlnm][dkmnpt]$", re.IGNORECASE)
_TAKES_ES = re.compile(r"(?:s|x|z|ch|sh)$", re.IGNORECASE)
"""Verbs with the ending "s" or "es", regardless of the network's choice: "keeps", "reaches"."""
_BROKEN = re.compile(
    r"\b(?:do|does|did|would|could|should|will|can)(?: not|n't) "
    r"(?!(?:n|f|succ|proc|exc|bl|br|sp|s|w|h)eed\b)\w+ed\b"
    r"|\b(?:do|does|did) not (?!(?:always|sometimes|perhaps|its|his|this)\b)\w+[^suia\W]s\b"
    r"|^Any(?:one|body|thing) (?:is|are|was|were|do|does|did|has|have|had|would|could|can|will) not\b"
)
"""Claims in which a negation was moved and the rest of the sentence was not: "They did not greeted us."."""
_ELLIPTICAL = re.compile(
    r"^(?!.*\b(?:as|than|that|what|how|who|which|all)\b)(?:\S+ ){1,4}"
    r"(?:am|is|are|was|were|do|does|did|has|have|had|can|could|would|will|should|may|might|ca|wo)"
    r"(?:n['’]t| not)?(?: (?:rarely|often|always|never|sometimes|too|also|so|either))?[.!]*$"
    r"|\banything but[.!]*$",
    re.IGNORECASE,
)
"""Claims that say nothing without the rest of their sentence: "The manager did.", "Others were not."."""
_loading = Lock()


class ClaimWriter(BaseDecomposer):
    """Splits English sentences into claims offline, with a small network trained on OpinionClaims.

    Args:
        pronouns: ``"text"`` = a sentence with a pronoun is read together with the previous sentence, whose
            words may replace the pronoun; ``"sentence"`` = every sentence is read separately.
        attributions: ``"keep"`` = claims keep attributions ("most guests found"); ``"strip"`` = claims drop
            them, unless they carry content ("only two guests").
        folder: folder of the weights; by default the weights of the package.

    Raises:
        ClaimwiseError: for an invalid option.
    """

    may_be_kept = True
    english_only = True

    def __init__(
        self,
        pronouns: Pronouns = "text",
        attributions: Attributions = "keep",
        folder: str | Path = WEIGHTS,
    ) -> None:
        check("pronouns", pronouns, choices=get_args(Pronouns))
        check("attributions", attributions, choices=get_args(Attributions))
        self.pronouns = pronouns
        self.attributions = attributions
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
        """Return the claims of each sentence, and the reason if a sentence was left whole.

        Each sentence is read separately. Questions with or without an answer, requests ("To improve: …"),
        exceptions ("nobody but …"), sentences with markup, of more than ``MOST_WORDS`` words or
        ``MOST_CHARACTERS`` characters, and with rejected claims are left whole.
        """
        return [decomposed for [decomposed] in self.decompose_texts([[sentence] for sentence in sentences])]

    def decompose_texts(self, texts: Sequence[Sequence[str]]) -> list[list[Decomposed]]:
        """Return the claims of each sentence of each text, with the previous sentence as context.

        "It was too firm." after "The mattress was new." becomes "The mattress was too firm.".
        """
        texts_read = [self._read(sentences) for sentences in texts]
        sources = dict.fromkeys(read for text in texts_read for read in text if isinstance(read, Source))
        written = dict(self._written(list(sources))) if sources else {}
        return [[written[read] if isinstance(read, Source) else read for read in text] for text in texts_read]

    def _read(self, sentences: Sequence[str]) -> list[Source | Decomposed]:
        """Return the network's input for each sentence of a text, or its claims if the network skips it."""
        read: list[Source | Decomposed] = []
        before: Source | None = None
        texts_before = ["", *sentences] if self.pronouns == "text" else itertools.repeat("")
        for sentence, text_before in zip(sentences, texts_before, strict=False):
            if claims := answers_of(sentence):
                read.append(Decomposed(claims))
                before = None
                continue
            source = None
            if (reason := _refusal(sentence, text_before)) is None:
                source = self._source(sentence, text_before)
                if len(source.words) > MOST_WORDS:
                    source, reason = None, f"more than {MOST_WORDS} words"
            if source is None:
                read.append(_whole(sentence, reason) if sentence.strip() else Decomposed([]))
            else:
                is_open = self.pronouns == "text" and NEEDS_CONTEXT.search(sentence)
                together = source.behind(before) if before and is_open else source
                read.append(together if len(together.words) <= MOST_WORDS else source)
            before = source
        return read

    def _source(self, sentence: str, before: str) -> Source:
        """Return a sentence for the network, without what the network is known to misread."""
        said = without_nor(sentence.translate(_ROUND), before)
        if self.attributions == "strip":
            said = rephrase(said).claim
        return words_of(said)._replace(sentence=sentence)

    def _written(self, sources: Sequence[Source]) -> Iterator[tuple[Source, Decomposed]]:
        """Yield each source with its claims, in any order."""
        with _loading:
            network = load(self._folder)
        strips = self.attributions == "strip"
        parts = groups([len(source.words) for source in sources], WORDS_AT_ONCE)
        tasks = [[sources[number] for number in group] for group in parts]

        def write_claims(some: list[Source]) -> tuple[list[list[Choice]], list[list[float]]]:
            # The network strips doubt like any attribution.
            return write(network, some, [strips and not has_doubt(source.sentence) for source in some])

        for some, written in zip(tasks, compute_at_once(write_claims, tasks), strict=True):
            for source, choices, faults in zip(some, *written, strict=True):
                decomposed = claims_of(choices, source, network.vocabulary, strips=strips)
                if decomposed.left_whole is None and max(faults, default=0.0) > REJECTED:
                    decomposed = _whole(source.sentence, "a claim is likely to be faulty", failed=True)
                claims = [complete(claim, source.sentence) for claim in decomposed.claims]
                yield source, decomposed._replace(claims=claims)


def write(
    network: Network, sources: Sequence[Source], strip: Sequence[bool]
) -> tuple[list[list[Choice]], list[list[float]]]:
    """Return the likeliest choices for each sentence, and the probability of a fault in each claim."""
    words, contexts = [source.words for source in sources], [source.context for source in sources]
    written, read = search(network, network.encode(network.inputs(words, contexts, strip)), BEAMS)
    faults = iter(network.faults(np.concatenate(read)))
    return written, [list(itertools.islice(faults, len(claims))) for claims in read]


@cache
def load(folder: Path) -> Network:
    """Return the network of a folder, which is read only once.

    Raises:
        ClaimwiseError: if it was trained with word embeddings other than the judge's.
    """
    return Network.load(folder, JUDGE)


@cache
def _fingerprint(folder: Path) -> str:
    return folder_fingerprint(folder, list(FILES))


def _refusal(sentence: str, before: str) -> str | None:
    """Return the reason why the network skips a sentence that follows another one, or None."""
    if not any(character.isalpha() for character in sentence):
        return "no words"
    if len(sentence) > MOST_CHARACTERS:
        return f"more than {MOST_CHARACTERS} characters"
    try:
        sentence.encode()
    except UnicodeEncodeError:
        return "characters that are not text"
    if MARKUP.search(sentence):
        return "markup"
    if sentence.rstrip().endswith("?") or is_answered(sentence):
        return "a question"
    return reason_of(sentence, before)


def _whole(sentence: str, reason: str | None, *, failed: bool = False) -> Decomposed:
    """Return a sentence as its only claim; ``failed`` = the network's claims are unusable."""
    return Decomposed([" ".join(sentence.split())], reason, failed)


def claims_of(
    choices: Sequence[Choice], source: Source, vocabulary: Sequence[str], *, strips: bool = False
) -> Decomposed:
    """Return the claims that a sentence's choices stand for; the whole sentence if any claim is unsafe.

    The ``vocabulary`` has the network's own words and endings. If attributions are stripped (``strips``), the
    stripped words are returned too.
    """
    words = put_back(spell(choices, source, vocabulary), source)
    spelt = {sentence_of(claim, source): claim for claim in words or ()}
    claims = [claim for claim in spelt if claim]
    problem = _problem(claims, source, is_cut=len(choices) >= MOST_STEPS)
    if words is None:
        problem = "a condition, wish or doubt might be lost"
    if problem:
        return _whole(source.sentence, problem, failed=True)
    left_out: tuple[str, ...] = ()
    if strips:
        plain = [strip(claim, source.sentence) or Stripped(claim, "") for claim in claims]
        removed = [rephrase(source.sentence).words, *(stripped.words for stripped in plain)]
        left_out = tuple(words for words in dict.fromkeys([*removed, *_left_out(spelt, source)]) if words)
        claims = list(dict.fromkeys(stripped.claim for stripped in plain))
    resolved = sum(_resolves(words, source) for claim, words in spelt.items() if claim)
    return Decomposed(claims, resolved=resolved, open=tuple(filter(is_open, claims)), stripped=left_out)


def _problem(claims: Sequence[str], source: Source, *, is_cut: bool) -> str | None:
    """Return what is wrong with the claims of a sentence, or None; ``is_cut`` = the network was stopped."""
    if not claims:
        return "no claim was found"
    if any(map(_BROKEN.search, claims)):
        return "a claim is no sentence"
    if len(claims) > 1 and any(map(_ELLIPTICAL.search, claims)):
        return "a claim says nothing by itself"
    if is_cut:
        return "too many claims"
    before = " ".join(source.words[: source.context])
    is_lost = loses_denial(claims, source.sentence)
    if is_lost or any(is_changed(claim, source.sentence, before) for claim in claims):
        return "a negation might be lost or added"
    return None


def _resolves(claim: Sequence[Written], source: Source) -> bool:
    """Return whether a claim has a word of content from the previous sentence."""
    return any(
        place is not None and place < source.context and word.lower() not in load_stopwords("english")
        for word, place in claim
    )


def _left_out(spelt: Mapping[str, Sequence[Written]], source: Source) -> list[str]:
    """Return the parts of a sentence, of several words each, that no claim uses."""
    used = {place for words in spelt.values() for _, place in words}
    left_out = []
    for is_used, places in itertools.groupby(range(source.context, len(source.words)), used.__contains__):
        part = list(places)
        words = [source.words[place].lower() for place in part if source.words[place].isalpha()]
        if not is_used and len(words) > 1 and not load_stopwords("english").issuperset(words):
            text = "".join(source.words[place] + " " * source.spaces[place] for place in part)
            left_out.append(text.strip(" ,;:.!"))
    return left_out


def is_open(claim: str) -> bool:
    """Return whether a claim begins with an unresolved pronoun."""
    return _OPEN.match(claim) is not None and _STANDS_FOR_NOTHING.match(claim) is None


def spell(choices: Sequence[Choice], source: Source, vocabulary: Sequence[str]) -> list[list[Written]]:
    """Return the words of each claim that choices spell."""
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
    """Return a word with a changed ending or case: ``-y+ies`` replaces y by ies."""
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
