"""The decomposer: what the network is asked about, and which of its answers are taken."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

import torch
from tokenizers import Tokenizer

from claim_writer.denials import is_changed
from claim_writer.network import MOST_STEPS, NEXT, Batch, Choice, Critic, Decoder, batch_of
from claim_writer.words import sentence_of, words_of
from claimwise.errors import ClaimwiseError
from claimwise.nli.bert import Bert, read_config, read_weights
from claimwise.text.claims import Decomposed
from claimwise.text.learned.decomposer import JUDGE, LearnedDecomposer, decomposed, whole
from claimwise.text.learned.network import groups
from claimwise.text.learned.words import Source, Written
from claimwise.text.options import Pronouns

VERSION = "1"
WORDS_AT_ONCE = 1500
"""Sentences of about so many words are read together."""
BEAMS = 4
"""Beginnings of the claims of a sentence that are kept at each step."""

_TAKES_S = re.compile(r"[aeiou]{2}[bdfklmnprt]$|[rlnm][dkmnpt]$", re.IGNORECASE)
_TAKES_ES = re.compile(r"(?:s|x|z|ch|sh)$", re.IGNORECASE)
"""Verbs whose ending is "s" or "es", whatever the network says: "keeps", "reaches"."""


class Network(NamedTuple):
    """What is loaded of a folder of weights."""

    encoder: Bert
    decoder: Decoder
    critic: Critic
    vocabulary: list[str]
    tokenizer: Tokenizer

    def write(self, sources: Sequence[Source], *, strip: bool) -> tuple[list[list[Choice]], list[float]]:
        """Return the choices for sentences, and their log-probabilities; see ``Decoder.write``."""
        words, contexts = [source.words for source in sources], [source.context for source in sources]
        batch = batch_of(self.tokenizer, words, contexts, [strip] * len(sources))
        return self.decoder.write(self.states(batch), batch, BEAMS)

    def states(self, batch: Batch) -> torch.Tensor:
        """Return the encoder's states of the word pieces ``[pieces, width]``."""
        with torch.inference_mode():
            return self.encoder.tokens(batch.pieces, None, batch.lengths)[: len(batch.pieces)]


class ClaimWriter(LearnedDecomposer):
    """Splits sentences into claims offline, with the network that the weights in a folder make.

    Args:
        pronouns: see ``LearnedDecomposer``.
        attributions: ``"keep"`` = a claim keeps the words that say who said it ("most guests found");
            ``"strip"`` = it does without them, unless they carry content ("only two guests").
        folder: of the weights.

    Raises:
        ClaimwiseError: for other values.
    """

    def __init__(
        self, pronouns: Pronouns, attributions: Literal["keep", "strip"], folder: str | Path
    ) -> None:
        super().__init__(pronouns, folder)
        if attributions not in ("keep", "strip"):
            raise ClaimwiseError(f"attributions must be 'keep' or 'strip'; got {attributions!r}.")
        self.attributions = attributions

    @property
    def signature(self) -> dict[str, str]:  # type: ignore[override]
        """The signature of ``LearnedDecomposer`` with the version and the attributions."""
        own = {"decomposer": "default", "writer": VERSION, "attributions": self.attributions}
        return {name: value for name, value in super().signature.items() if name != "learned"} | own

    @staticmethod
    def _words_of(sentence: str) -> Source:
        return words_of(sentence)

    def _written(self, sources: Sequence[Source]) -> Iterator[tuple[Source, Decomposed]]:
        network = load(self._folder)
        for group in groups([len(source.words) for source in sources], WORDS_AT_ONCE):
            some = [sources[number] for number in group]
            written, _ = network.write(some, strip=self.attributions == "strip")
            for source, choices in zip(some, written, strict=True):
                yield source, claims_of(choices, source, network.vocabulary)


@cache
def load(folder: Path) -> Network:
    """Return the network of a folder, which is read once."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    weights = read_weights(folder, torch.float32)
    of_encoder, of_decoder, of_critic = (
        {name.removeprefix(part): w for name, w in weights.items() if name.startswith(part)}
        for part in ("encoder.", "decoder.", "critic.")
    )
    words = "embeddings.word_embeddings.weight"
    encoder = Bert(
        read_config(JUDGE) | {"num_hidden_layers": config["encoder_layers"]},
        {**of_encoder, words: read_weights(JUDGE, torch.float32)[f"bert.{words}"]},
        has_classifier=False,
    )
    decoder = Decoder(
        config["width"], len(config["vocabulary"]), size=config["size"], layers=config["layers"]
    )
    decoder.load_state_dict(of_decoder)
    critic = Critic(config["size"])
    if of_critic:
        critic.load_state_dict(of_critic)
    tokenizer = Tokenizer.from_file(str(JUDGE / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(512)
    return Network(encoder, decoder.eval(), critic.eval(), config["vocabulary"], tokenizer)


def claims_of(choices: Sequence[Choice], source: Source, vocabulary: Sequence[str]) -> Decomposed:
    """Return the claims that choices spell; the sentence where they spell none or change a denial."""
    spelt = {sentence_of(claim, source): claim for claim in spell(choices, source, vocabulary)}
    found = decomposed(spelt, source, has_end=len(choices) < MOST_STEPS)
    before = " ".join(source.words[: source.context])
    if found.left_whole is None and any(is_changed(claim, source.sentence, before) for claim in found.claims):
        return whole(source.sentence, "a denial might be lost or made")
    return found


def spell(choices: Sequence[Choice], source: Source, vocabulary: Sequence[str]) -> list[list[Written]]:
    """Return the words of the claims that choices stand for."""
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
