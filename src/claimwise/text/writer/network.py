"""The network as it is loaded from a folder of weights: encoder, decoder and, where there is one, critic."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import torch
from tokenizers import Tokenizer

from claimwise.nli.bert import Bert, read_config, read_weights
from claimwise.text.writer.batch import Batch, batch_of, groups
from claimwise.text.writer.beams import write
from claimwise.text.writer.critic import Critic
from claimwise.text.writer.decoder import END, Choice, Decoder
from claimwise.text.writer.words import Source

JUDGE = Path(__file__).parents[2] / "nli" / "weights"
"""The embedded judge, whose word embeddings and tokenizer the network shares."""
WORDS_AT_ONCE = 1500
"""Sentences of about so many words are read together."""
BEAMS = 4
"""Beginnings of the claims of a sentence that are kept at each step."""
_NO_CHOICE = -100


class Network(NamedTuple):
    """The network of a folder of weights.

    Attributes:
        encoder: of word pieces.
        decoder: see ``Decoder``.
        critic: None where the weights hold none.
        rejected_above: a claim is rejected if the critic finds a fault with a higher probability.
        vocabulary: words and endings of its own.
        tokenizer: of word pieces.
    """

    encoder: Bert
    decoder: Decoder
    critic: Critic | None
    rejected_above: float
    vocabulary: list[str]
    tokenizer: Tokenizer

    def write(self, sources: Sequence[Source], *, strip: bool) -> Iterator[tuple[Source, list[Choice], bool]]:
        """Yield each source with its choices (see ``beams.write``) and whether the critic rejects a claim.

        Args:
            sources: in any order; they are yielded in another.
            strip: whether claims do without attributions.
        """
        for group in groups([len(source.words) for source in sources], WORDS_AT_ONCE):
            some = [sources[number] for number in group]
            contexts = [source.context for source in some]
            batch = batch_of(self.tokenizer, [source.words for source in some], contexts, [strip] * len(some))
            with torch.inference_mode():
                words, padding = self.decoder.words(self.states(batch), batch)
                written = write(self.decoder, words, padding, batch, BEAMS)
                rejected = self._rejected(words, padding, batch, written)
            yield from zip(some, written, rejected, strict=True)

    def states(self, batch: Batch) -> torch.Tensor:
        """Return the encoder's states of the word pieces ``[pieces, width]``."""
        with torch.inference_mode():
            return self.encoder.tokens(batch.pieces, None, batch.lengths)[: len(batch.pieces)]

    def _rejected(
        self, words: torch.Tensor, padding: torch.Tensor, batch: Batch, written: Sequence[Sequence[Choice]]
    ) -> list[bool]:
        """Tell of each sentence whether the critic rejects one of its claims."""
        if self.critic is None:
            return [False] * len(written)
        chosen = torch.full((len(written), 1 + max(map(len, written)), 2), _NO_CHOICE)
        for row, choices in enumerate(written):
            chosen[row, : len(choices) + 1] = torch.tensor([*choices, Choice(END, -1)])
        x, likely, claim, is_step = self.decoder.follow(words, padding, batch, chosen)
        faults = self.critic(x, likely, claim, is_step).sigmoid().amax(-1)
        is_claim = torch.arange(faults.shape[1]) <= claim.masked_fill(~is_step, 0).amax(1, keepdim=True)
        found: list[bool] = ((faults > self.rejected_above) & is_claim).any(1).tolist()
        return found


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
    critic = None
    if of_critic:
        critic = Critic(config["size"]).eval()
        critic.load_state_dict(of_critic)
    tokenizer = Tokenizer.from_file(str(JUDGE / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(512)
    return Network(
        encoder, decoder.eval(), critic, config.get("rejected_above", 1.0), config["vocabulary"], tokenizer
    )
