"""Write the claim writer's ONNX files: the encoder, one step of the decoder, and the critic.

python training/writer/export.py --output FOLDER    # after training/judge/export.py with the same folder
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, pad
from trained import read_trained

sys.path.append(str(Path(__file__).parents[1]))
from bert import Encoder
from checkpoints import JUDGE, WRITER
from claim_critic import Critic
from decoder import FAR, Decoder
from onnx_files import write_network

from claimwise.judges.hub import WORDS_FILE
from claimwise.signature import folder_fingerprint
from claimwise.text.writer.decomposer import BEAMS
from claimwise.text.writer.network import FILES, HINTS

ENDS = 2
"""Number of ends that are considered for each start of a span."""
ENCODED: dict[str, list[str | None]] = {
    "words": ["sentences", "words", None],
    "padding": ["sentences", None, None, "words"],
    "keys": ["sentences", "words", None],
    "keys_of_last": ["sentences", "words", None],
    "memories": [None, None, "sentences", None, "words", None],
}
"""Outputs of ``Sentences`` and their axes."""


class Sentences(nn.Module):
    """Sentences in, everything about them that the steps of the decoder need out.

    Args:
        encoder: the encoder of word pieces.
        decoder: the decoder, whose layers ask the words.
    """

    def __init__(self, encoder: Encoder, decoder: Decoder) -> None:
        super().__init__()
        self.encoder, self.decoder = encoder, decoder

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor,
        word_of_piece: Tensor,
        shapes: Tensor,
        in_context: Tensor,
        is_word: Tensor,
        strip: Tensor,
    ) -> tuple[Tensor, ...]:
        """Return the words' states, the padding for attention, two kinds of keys, and the layers' memories.

        Args:
            input_ids: word pieces ``[sentences, pieces]``.
            attention_mask: 0 for padding ``[sentences, pieces]``.
            word_of_piece: the word of each piece; −1 = none ``[sentences, pieces]``.
            shapes: shape of each word ``[sentences, words]``.
            in_context: 1 for words of the previous sentence ``[sentences, words]``.
            is_word: 0 for padding ``[sentences, words]``.
            strip: 1 where attributions are stripped ``[sentences]``.
        """
        decoder = self.decoder
        states = self.encoder(input_ids, attention_mask)[-1]
        places = torch.arange(shapes.shape[1])
        of_word = (word_of_piece[:, None] == places[:, None]).float()
        pooled = torch.matmul(of_word, states) / of_word.sum(-1, keepdim=True).clamp(min=1)
        words = decoder.source(torch.cat([pooled, decoder.shape(shapes)], -1)) * is_word[..., None]
        words = words + decoder.place(places) + decoder.part(in_context) + decoder.strip(strip)[:, None]
        padding = (1 - is_word[:, None, None].float()) * FAR
        memories = [torch.stack(layer.memory(words)) for layer in decoder.layers]
        return words, padding, decoder.key(words), decoder.key_of_last(words), torch.stack(memories)


class Step(nn.Module):
    """One step of the beam search: the previous choices in, the likeliest next choices out.

    Args:
        decoder: the decoder.
        beams: number of first words that are offered.
    """

    def __init__(self, decoder: Decoder, beams: int) -> None:
        super().__init__()
        self.decoder, self.beams = decoder, beams

    def forward(
        self,
        words: Tensor,
        padding: Tensor,
        keys: Tensor,
        keys_of_last: Tensor,
        memories: Tensor,
        strip: Tensor,
        firsts: Tensor,
        lasts: Tensor,
        in_claim: Tensor,
        claim: Tensor,
        last: Tensor,
        hints: Tensor,
        past: Tensor,
    ) -> tuple[Tensor, ...]:
        """Return the states, the offered first and last words with their log-probabilities, and the new past.

        Args:
            words: as ``Sentences`` returns them.
            padding: as ``Sentences`` returns them.
            keys: as ``Sentences`` returns them.
            keys_of_last: as ``Sentences`` returns them.
            memories: ``[layers, 2, sentences, heads, words, size of a head]``.
            strip: see ``Sentences``.
            firsts: first words of the previous choices; −1 = the start ``[sentences, beams]``.
            lasts: their last words ``[sentences, beams]``.
            in_claim: see ``Progress`` ``[sentences, beams]``.
            claim: see ``Progress`` ``[sentences, beams]``.
            last: see ``Progress`` ``[sentences, beams]``.
            hints: see ``Progress`` ``[sentences, beams, words, HINTS]``.
            past: ``[layers, 2, sentences, beams, heads, steps, size of a head]``.
        """
        decoder, own = self.decoder, self.decoder.own_words
        x = decoder.embed(words, strip, firsts, lasts, in_claim, claim, last)
        new_past = []
        for number, layer in enumerate(decoder.layers):
            x, of_layer = layer.step(  # type: ignore[operator]
                x, (memories[number, 0], memories[number, 1]), padding, (past[number, 0], past[number, 1])
            )
            new_past.append(torch.stack(of_layer))
        x = decoder.norm(x)
        is_word = padding[:, 0, 0] == 0
        of_first, first = decoder.scores(x, keys, is_word, hints).log_softmax(-1).topk(self.beams, -1)

        def repeated(one: Tensor) -> Tensor:
            return one[:, :, None].expand(-1, -1, self.beams, *one.shape[2:]).flatten(1, 2)

        ends = decoder.scores_of_last(
            repeated(x), words, keys_of_last, (first - own).clamp(min=0).flatten(1), is_word, repeated(hints)
        ).log_softmax(-1)
        # One more column, never chosen, for sentences of one word.
        of_last, end = pad(ends, (0, 1), value=2 * FAR).topk(ENDS, -1)
        end = torch.where(of_last > FAR / 2, end, 0)  # no word can end the span here
        shape = (*first.shape[:2], self.beams, ENDS)
        return x, of_first, first, of_last.view(shape), end.view(shape), torch.stack(new_past)


class Verdicts(nn.Module):
    """The critic: what it reads of claims in, the probability of a fault out."""

    def __init__(self, critic: Critic) -> None:
        super().__init__()
        self.critic = critic

    def forward(self, read: Tensor) -> Tensor:
        """Return the larger probability of both kinds of faults ``[claims]``.

        Args:
            read: mean state, last state, sum and minimum of the log-probabilities ``[claims, 2 · size + 2]``.
        """
        logits = self.critic.outer(gelu(self.critic.inner(read)))
        faults: Tensor = logits.sigmoid().amax(-1)
        return faults


def example(sentences: int, pieces: int, words: int) -> tuple[Tensor, ...]:
    """Return example inputs of ``Sentences``: the first sentence is whole, the others are shorter."""
    ids = torch.randint(5, 30, (sentences, pieces))
    lengths = torch.tensor([[pieces]] + [[max(3, pieces - 2)]] * (sentences - 1))
    mask = (torch.arange(pieces) < lengths).long()
    counts = torch.tensor([[words]] + [[max(1, words - 1)]] * (sentences - 1))
    is_word = (torch.arange(words) < counts).long()
    word_of_piece = torch.arange(-1, pieces - 1).expand(sentences, -1)
    word_of_piece = torch.where((word_of_piece < counts) & (mask > 0), word_of_piece, -1)
    shapes = torch.randint(0, 6, (sentences, words)) * is_word
    in_context = (torch.arange(words) < 1).long().expand(sentences, -1).contiguous()
    return ids * mask, mask, word_of_piece, shapes, in_context, is_word, torch.arange(sentences) % 2


def step_example(
    encoded: tuple[Tensor, ...], strip: Tensor, beams: int, steps: int, own: int
) -> tuple[Tensor, ...]:
    """Return example inputs of ``Step`` for encoded sentences, after some steps."""
    layers, _, sentences, heads, count, size = encoded[-1].shape
    shape = (sentences, beams)
    firsts = torch.randint(-1, own + count, shape) if steps else torch.full(shape, -1)
    lasts = torch.where(firsts >= own, firsts - own, -1)
    hints = torch.randint(0, 2, (*shape, count, HINTS)).float()
    past = torch.randn(layers, 2, *shape, heads, steps, size)
    return (*encoded, strip, firsts, lasts, *(torch.randint(0, 3, shape) for _ in range(3)), hints, past)


def export_onnx(weights: Path, judge: Path, out: Path) -> None:
    """Write the ONNX files of a claim writer.

    Args:
        weights: folder of its weights.
        judge: folder of the judge's checkpoint, which has the word embeddings.
        out: folder of the files.
    """
    network = read_trained(weights, judge)
    if network.critic is None:
        raise ValueError(f"{weights} has no critic: run training/writer/critic.py first.")
    decoder, own = network.decoder, len(network.vocabulary)
    sentences = Sentences(network.encoder, decoder).eval()
    torch.manual_seed(1)
    batch, other = example(3, 9, 6), example(1, 4, 1)
    write_network(
        sentences,
        out / FILES[0],
        inputs={
            "input_ids": (batch[0], ["sentences", "pieces"]),
            "attention_mask": (batch[1], ["sentences", "pieces"]),
            "word_of_piece": (batch[2], ["sentences", "pieces"]),
            "shapes": (batch[3], ["sentences", "words"]),
            "in_context": (batch[4], ["sentences", "words"]),
            "is_word": (batch[5], ["sentences", "words"]),
            "strip": (batch[6], ["sentences"]),
        },
        outputs=ENCODED,
        facts={"vocabulary": network.vocabulary, "words": folder_fingerprint(out, [WORDS_FILE])},
        others=[other],
    )
    with torch.inference_mode():
        first = step_example(sentences(*batch), batch[-1], BEAMS, 2, own)
        others = [
            step_example(sentences(*batch), batch[-1], 1, 0, own),
            step_example(sentences(*other), other[-1], 1, 5, own),
        ]
    of_beams: list[str | None] = ["sentences", "beams"]
    of_past = [None, None, "sentences", "beams", None, "steps", None]
    axes = {
        **ENCODED,
        "strip": ["sentences"],
        **dict.fromkeys(("firsts", "lasts", "in_claim", "claim", "last"), of_beams),
        "hints": [*of_beams, "words", None],
        "past": of_past,
    }
    write_network(
        Step(decoder, BEAMS),
        out / FILES[1],
        inputs={name: (one, axes[name]) for name, one in zip(axes, first, strict=True)},
        outputs={
            "states": [*of_beams, None],
            "of_first": [*of_beams, None],
            "first": [*of_beams, None],
            "of_last": [*of_beams, None, None],
            "end": [*of_beams, None, None],
            "new_past": [*of_past[:-2], "more_steps", None],
        },
        facts={"beams": BEAMS},
        others=others,
    )
    write_network(
        Verdicts(network.critic),
        out / FILES[2],
        inputs={"read": (torch.randn(3, 2 * decoder.size + 2), ["claims", None])},
        outputs={"faults": ["claims"]},
        facts={},
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Write the ONNX files of the embedded claim writer.")
    parser.add_argument("--output", type=Path, required=True, help="folder of the judge's ONNX file")
    export_onnx(WRITER, JUDGE, parser.parse_args().output)
