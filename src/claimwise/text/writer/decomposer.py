"""The decomposer: which sentences the network reads, and which of its claims are taken."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from claimwise.errors import ClaimwiseError
from claimwise.signature import folder_fingerprint
from claimwise.text.claims import BaseDecomposer, Decomposed
from claimwise.text.options import Attributions, Pronouns
from claimwise.text.stopwords import load_stopwords
from claimwise.text.writer.denials import is_changed
from claimwise.text.writer.words import Source, Written, sentence_of, words_of

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from torch import Tensor

    from claimwise.nli.bert import Bert
    from claimwise.text.writer.batch import Batch
    from claimwise.text.writer.critic import Critic
    from claimwise.text.writer.network import Choice, Decoder

WEIGHTS = Path(__file__).parent / "weights"
JUDGE = Path(__file__).parents[2] / "nli" / "weights"
"""The embedded judge, whose word embeddings and tokenizer the network shares."""
VERSION = "1"
MOST_CHARACTERS = 2000
WORDS_AT_ONCE = 1500
"""Sentences of about this many words are read together."""
BEAMS = 4
"""Beginnings of the claims of a sentence that are kept at each step."""
REJECTED = 0.7
"""A claim whose chance to be at fault is higher is rejected."""
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
    """Splits English sentences into claims offline, with a small network trained on OpinionClaims.

    Args:
        pronouns: ``"text"`` = a sentence with a pronoun is read after the previous sentence, whose words may
            replace the pronoun; ``"sentence"`` = every sentence is read by itself.
        attributions: ``"keep"`` = a claim keeps the words that say whose opinion it is ("most guests found");
            ``"strip"`` = it drops them, unless they carry content ("only two guests").
        folder: of the weights; by default those of the package.

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
        for option, value, allowed in (
            ("pronouns", pronouns, ("text", "sentence")),
            ("attributions", attributions, ("keep", "strip")),
        ):
            if value not in allowed:
                choices = " or ".join(map(repr, allowed))
                raise ClaimwiseError(f"{option} must be {choices}; got {value!r}.", option=option)
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
        """Return the claims of each sentence, and why a sentence was left whole.

        Each sentence is read by itself. Questions, sentences of more than ``MOST_WORDS`` words or
        ``MOST_CHARACTERS`` characters, and those whose claims are rejected stay whole.
        """
        return [found for [found] in self.decompose_texts([[sentence] for sentence in sentences])]

    def decompose_texts(self, texts: Sequence[Sequence[str]]) -> list[list[Decomposed]]:
        """Return the claims of each sentence of each text, in which a sentence may explain the next.

        "It was too firm." after "The mattress was new." becomes "The mattress was too firm.".
        """
        read = [self._read(sentences) for sentences in texts]
        sources = dict.fromkeys(one for of_text in read for one in of_text if isinstance(one, Source))
        written = dict(self._written(list(sources))) if sources else {}
        return [[written[one] if isinstance(one, Source) else one for one in of_text] for of_text in read]

    def _read(self, sentences: Sequence[str]) -> list[Source | Decomposed]:
        """Return for each sentence of a text what the network reads, or its claims where it reads nothing."""
        from claimwise.text.writer.batch import MOST_WORDS

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

    def _written(self, sources: Sequence[Source]) -> Iterator[tuple[Source, Decomposed]]:
        """Yield each of the sources with what the network writes of it, in any order."""
        from claimwise.text.writer.batch import groups

        with _loading:
            network = load(self._folder)
        strip = self.attributions == "strip"
        for group in groups([len(source.words) for source in sources], WORDS_AT_ONCE):
            some = [sources[number] for number in group]
            written = network.write(some, strip=strip)
            for source, choices, faults in zip(some, *written, strict=True):
                found = claims_of(choices, source, network.vocabulary, strip=strip)
                if found.left_whole is None and max(faults, default=0.0) > REJECTED:
                    found = _whole(source.sentence, "a claim is likely to be at fault", failed=True)
                yield source, found


class Network(NamedTuple):
    """What is loaded from a folder of weights; the critic where the folder has one."""

    encoder: Bert
    decoder: Decoder
    critic: Critic | None
    vocabulary: list[str]
    tokenizer: Tokenizer

    def write(
        self, sources: Sequence[Source], *, strip: bool
    ) -> tuple[list[list[Choice]], list[list[float]]]:
        """Return the likeliest choices for each sentence, and the chance of a fault in each of its claims."""
        import torch

        from claimwise.text.writer.batch import batch_of
        from claimwise.text.writer.beams import search

        words, contexts = [source.words for source in sources], [source.context for source in sources]
        batch = batch_of(self.tokenizer, words, contexts, [strip] * len(sources))
        with torch.inference_mode():
            states, padding = self.decoder.words(self.states(batch), batch)
            written, _ = search(self.decoder, states, padding, batch, BEAMS)
            if self.critic is None:
                return written, [[] for _ in written]
            return written, self.critic.faults(*self.decoder.follow(states, padding, batch, written))

    def states(self, batch: Batch) -> Tensor:
        """Return the encoder's states of the word pieces ``[pieces, width]``."""
        return self.encoder.tokens(batch.pieces, None, batch.lengths)[: len(batch.pieces)]


@cache
def load(folder: Path) -> Network:
    """Return the network of a folder, which is read once.

    Raises:
        ClaimwiseError: if it was trained with word embeddings other than the judge's.
    """
    import torch
    from tokenizers import Tokenizer

    from claimwise.nli.bert import Bert, read_config, read_weights
    from claimwise.text.writer.critic import Critic
    from claimwise.text.writer.network import Decoder

    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    weights = read_weights(folder, torch.float32)
    of_encoder, of_decoder, of_critic = (
        {name.removeprefix(part): w for name, w in weights.items() if name.startswith(part)}
        for part in ("encoder.", "decoder.", "critic.")
    )
    words = "embeddings.word_embeddings.weight"
    embeddings = read_weights(JUDGE, torch.float32)[f"bert.{words}"]
    if (found := fingerprint_of(embeddings)) != config["word_embeddings"]:
        raise ClaimwiseError(
            f"{folder} was trained with the word embeddings {config['word_embeddings']}; those of the judge "
            f"in {JUDGE} are {found}.",
            "Use the weights that belong to this judge.",
        )
    encoder = Bert(
        read_config(JUDGE) | {"num_hidden_layers": config["encoder_layers"]},
        {**of_encoder, words: embeddings},
        has_classifier=False,
    )
    decoder = Decoder(
        config["width"], len(config["vocabulary"]), size=config["size"], layers=config["layers"]
    )
    decoder.load_state_dict(of_decoder)
    critic = None
    if of_critic:
        critic = Critic(config["size"])
        critic.load_state_dict(of_critic)
        critic.eval()
    tokenizer = Tokenizer.from_file(str(JUDGE / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(512)
    return Network(encoder, decoder.eval(), critic, config["vocabulary"], tokenizer)


def fingerprint_of(weights: Tensor) -> str:
    """Return 12 hexadecimal digits of the sha256 over weights, in float32."""
    return sha256(weights.contiguous().numpy().tobytes()).hexdigest()[:12]


@cache
def _fingerprint(folder: Path) -> str:
    return folder_fingerprint(folder, ["config.json", "model.safetensors"])


def _refusal(sentence: str) -> str | None:
    """Return why the network does not read a sentence, or None."""
    if not any(character.isalpha() for character in sentence):
        return "no words"
    if len(sentence) > MOST_CHARACTERS:
        return f"more than {MOST_CHARACTERS} characters"
    try:
        sentence.encode()
    except UnicodeEncodeError:
        return "characters that are not text"
    return "a question" if sentence.rstrip().endswith("?") else None


def _whole(sentence: str, reason: str | None, *, failed: bool = False) -> Decomposed:
    """Return a sentence as its only claim; ``failed`` where the network's claims cannot be used."""
    return Decomposed([" ".join(sentence.split())], reason, failed)


def claims_of(
    choices: Sequence[Choice], source: Source, vocabulary: Sequence[str], *, strip: bool = False
) -> Decomposed:
    """Return the claims that choices spell; the sentence where they spell none or change a denial.

    Args:
        choices: of the network.
        source: the sentence.
        vocabulary: the network's own words and endings.
        strip: whether attributions were stripped, so that words that no claim has are named.
    """
    from claimwise.text.writer.network import MOST_STEPS

    spelt = {sentence_of(claim, source): claim for claim in spell(choices, source, vocabulary)}
    claims = [claim for claim in spelt if claim]
    if not claims:
        return _whole(source.sentence, "no claim was found", failed=True)
    if len(choices) >= MOST_STEPS:
        return _whole(source.sentence, "more claims than can be told apart", failed=True)
    before = " ".join(source.words[: source.context])
    if any(is_changed(claim, source.sentence, before) for claim in claims):
        return _whole(source.sentence, "a denial might be lost or made", failed=True)
    return Decomposed(
        claims,
        resolved=_resolved(spelt, source),
        open=tuple(filter(is_open, claims)),
        stripped=tuple(_left_out(spelt, source)) if strip else (),
    )


def _resolved(spelt: Mapping[str, Sequence[Written]], source: Source) -> int:
    """Return how many claims have a word with content from the previous sentence."""
    function_words = load_stopwords("english")
    return sum(
        any(
            place is not None and place < source.context and word.lower() not in function_words
            for word, place in words
        )
        for claim, words in spelt.items()
        if claim
    )


def _left_out(spelt: Mapping[str, Sequence[Written]], source: Source) -> list[str]:
    """Return the parts of a sentence, of several words, that no claim has a word of."""
    used = {place for words in spelt.values() for _, place in words}
    parts: list[list[int]] = [[]]
    for place in range(source.context, len(source.words)):
        if place in used:
            parts.append([])
        else:
            parts[-1].append(place)
    function_words = load_stopwords("english")
    found = []
    for part in parts:
        words = [source.words[place] for place in part if source.words[place].isalpha()]
        if len(words) > 1 and any(word.lower() not in function_words for word in words):
            text = "".join(source.words[place] + " " * source.spaces[place] for place in part)
            found.append(text.strip(" ,;:.!"))
    return found


def is_open(claim: str) -> bool:
    """Tell whether a claim begins with a pronoun that stands for something named elsewhere."""
    return _OPEN.match(claim) is not None and _STANDS_FOR_NOTHING.match(claim) is None


def spell(choices: Sequence[Choice], source: Source, vocabulary: Sequence[str]) -> list[list[Written]]:
    """Return the words of the claims that choices stand for."""
    from claimwise.text.writer.network import NEXT

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
    """Return a word after a change: ``-y+ies`` replaces y by ies."""
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
