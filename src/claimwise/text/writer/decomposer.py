"""The decomposer itself: what it asks the network about, which answers it takes, and its signature."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import torch

from claimwise.errors import ClaimwiseError
from claimwise.signature import folder_fingerprint
from claimwise.text.claims import BaseDecomposer, Decomposed
from claimwise.text.options import Attributions, Pronouns
from claimwise.text.stopwords import load_stopwords
from claimwise.text.writer.denials import is_changed
from claimwise.text.writer.words import Source, Written, sentence_of, words_of

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from claimwise.nli.bert import Bert
    from claimwise.text.writer.network import Batch, Choice, Critic, Decoder

WEIGHTS = Path(__file__).parent / "weights"
JUDGE = Path(__file__).parents[2] / "nli" / "weights"
"""The embedded judge, whose word embeddings and tokenizer the network shares."""
VERSION = "1"
MOST_CHARACTERS = 2000
WORDS_AT_ONCE = 1500
"""Sentences of about so many words are read together."""
BEAMS = 4
"""Beginnings of the claims of a sentence that are kept at each step."""
NEEDS_CONTEXT = re.compile(
    r"\b(?:it|its|they|them|their|this|these|those|he|she|him|his|her|one|ones)\b", re.IGNORECASE
)
_OPEN = re.compile(r"(?:it|its|they|their)\b", re.IGNORECASE)
_STANDS_FOR_NOTHING = re.compile(r"it(?:['’]s| \w+)\b.*\b(?:to|that|before|until|when|if)\b", re.IGNORECASE)
"""It is easy to park. It takes an hour to get there."""

_TAKES_S = re.compile(r"[aeiou]{2}[bdfklmnprt]$|[rlnm][dkmnpt]$", re.IGNORECASE)
_TAKES_ES = re.compile(r"(?:s|x|z|ch|sh)$", re.IGNORECASE)
"""Verbs whose ending is "s" or "es", whatever the network says: "keeps", "reaches"."""

_loaded: dict[Path, Network] = {}
_loading = Lock()


class Network(NamedTuple):
    """What is loaded of a folder of weights."""

    encoder: Bert
    decoder: Decoder
    critic: Critic
    vocabulary: list[str]
    tokenizer: Tokenizer

    def write(self, sources: Sequence[Source], *, strip: bool) -> tuple[list[list[Choice]], list[float]]:
        """Return the choices for sentences, and their log-probabilities; see ``Decoder.write``."""
        from claimwise.text.writer.network import batch_of

        words = [source.words for source in sources]
        contexts = [source.context for source in sources]
        batch = batch_of(self.tokenizer, words, contexts, [strip] * len(sources))
        return self.decoder.write(self.states(batch), batch, BEAMS)

    def faults(self, source: Source, choices: Sequence[Choice], *, strip: bool) -> list[float]:
        """Return the critic's probability that each claim is ungrammatical or not said."""
        from claimwise.text.writer.network import batch_of

        batch = batch_of(self.tokenizer, [source.words], [source.context], [strip])
        with torch.inference_mode():
            words, padding = self.decoder.words(self.states(batch), batch)
            return self.critic.faults(self.decoder, words, padding, batch, [choices])[0]

    def states(self, batch: Batch) -> torch.Tensor:
        """Return the encoder's states of the word pieces ``[pieces, width]``."""
        with torch.inference_mode():
            return self.encoder.tokens(batch.pieces, None, batch.lengths)[: len(batch.pieces)]


class ClaimWriter(BaseDecomposer):
    """Splits sentences into claims offline, with a small network that was trained on OpinionClaims.

    Args:
        pronouns: ``"text"`` = a sentence with a pronoun is read after the previous sentence, whose words may
            take the pronoun's place; ``"sentence"`` = every sentence is read by itself.
        attributions: ``"keep"`` = a claim keeps the words that say who said it ("most guests found");
            ``"strip"`` = it does without them, unless they carry content ("only two guests").
        folder: of its weights; by default those of the package.

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
        for option, value, known in (
            ("pronouns", pronouns, ("text", "sentence")),
            ("attributions", attributions, ("keep", "strip")),
        ):
            if value not in known:
                raise ClaimwiseError(
                    f"{option} must be {known[0]!r} or {known[1]!r}; got {value!r}.", option=option
                )
        self.pronouns, self.attributions = pronouns, attributions
        self._folder = Path(folder)

    @property
    def signature(self) -> dict[str, str]:  # type: ignore[override]
        """The version of what is done with the network's answers, options, and the network's fingerprint."""
        return {
            "decomposer": "default",
            "writer": VERSION,
            "pronouns": self.pronouns,
            "attributions": self.attributions,
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
        from claimwise.text.writer.network import MOST_WORDS

        found: list[Source | Decomposed] = []
        previous: Source | None = None
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
                together = source.after(previous) if previous and is_open else source
                found.append(together if len(together.words) <= MOST_WORDS else source)
            previous = source
        return found

    def _written(self, sources: Sequence[Source]) -> Iterator[tuple[Source, Decomposed]]:
        """Yield each of the sources with what the network writes of it, in any order."""
        if not sources:
            return
        from claimwise.text.writer.network import groups

        network = load(self._folder)
        for group in groups([len(source.words) for source in sources], WORDS_AT_ONCE):
            some = [sources[number] for number in group]
            written, _ = network.write(some, strip=self.attributions == "strip")
            for source, choices in zip(some, written, strict=True):
                yield source, decomposed(choices, source, network.vocabulary)


@cache
def _fingerprint(folder: Path) -> str:
    return folder_fingerprint(folder, ["config.json", "model.safetensors"])


def load(folder: Path = WEIGHTS) -> Network:
    """Return the network of a folder, which is read once.

    Raises:
        ClaimwiseError: if it was trained with other word embeddings than the judge's.
    """
    with _loading:
        if folder not in _loaded:
            _loaded[folder] = _read_network(folder)
        return _loaded[folder]


def _read_network(folder: Path) -> Network:
    import torch
    from tokenizers import Tokenizer

    from claimwise.nli.bert import Bert, read_config, read_weights
    from claimwise.text.writer.network import Critic, Decoder

    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    weights = read_weights(folder, torch.float32)
    of_encoder, of_decoder, of_critic = (
        {name.removeprefix(part): w for name, w in weights.items() if name.startswith(part)}
        for part in ("encoder.", "decoder.", "critic.")
    )
    of_judge = read_weights(JUDGE, torch.float32)
    words = "embeddings.word_embeddings.weight"
    encoder = Bert(
        read_config(JUDGE) | {"num_hidden_layers": config["encoder_layers"]},
        {**of_encoder, words: of_judge[f"bert.{words}"]},
        has_classifier=False,
    )
    decoder = Decoder(
        config["width"], len(config["vocabulary"]), size=config["size"], layers=config["layers"]
    )
    decoder.load_state_dict(of_decoder)
    tokenizer = Tokenizer.from_file(str(JUDGE / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(512)
    critic = Critic(config["size"])
    if of_critic:
        critic.load_state_dict(of_critic)
    return Network(encoder, decoder.eval(), critic.eval(), config["vocabulary"], tokenizer)


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


def _whole(sentence: str, reason: str | None) -> Decomposed:
    return Decomposed([" ".join(sentence.split())], reason)


def decomposed(choices: Sequence[Choice], source: Source, vocabulary: Sequence[str]) -> Decomposed:
    """Return the claims that choices spell, or the sentence where they spell none or change a denial."""
    from claimwise.text.writer.network import MOST_STEPS

    spelt = {sentence_of(claim, source): claim for claim in spell(choices, source, vocabulary)}
    claims = [claim for claim in spelt if claim]
    if not claims or len(choices) == MOST_STEPS:
        reason = "more claims than can be told apart" if claims else "no claim was found"
        return _whole(source.sentence, reason)
    before = " ".join(source.words[: source.context])
    if any(is_changed(claim, source.sentence, before) for claim in claims):
        return _whole(source.sentence, "a denial might be lost or made")
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
        elif (own := vocabulary[first]) == "<lower>" or own == "<title>" or (own[0] == "-" and "+" in own):
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
