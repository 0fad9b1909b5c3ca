"""The network: an encoder reads the words of sentences, a decoder writes their claims one word at a time.

At each step the decoder chooses a word of the sentence, a word of its vocabulary, an ending for the word
before, the end of a claim or the end of all. It always takes the likeliest.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, scaled_dot_product_attention

from claimwise.errors import ClaimwiseError

WORD_EMBEDDINGS = "encoder.embeddings.word_embeddings.weight"
END, NEXT = 0, 1
"""Choices that are no word: the end of all claims, and of one."""
SHAPES = ("lower", "Title", "UPPER", "mixed", "digits", "other")
MOST_STEPS = 160
MOST_WORDS = 120
_MOST_IN_CLAIM, _MOST_CLAIMS = 48, 18
_FAR = -1e4
HINTS = 3
SHARE_TO_GO_ON = 0.8
"""Sentences that are done are left out once no more than this share of them is left."""

Past = tuple[Tensor, Tensor]


def shape_of(word: str) -> int:
    """Return the index of a word's shape, which the encoder, who reads lower case, does not see."""
    if word.islower():
        return 0
    if word[:1].isupper() and (len(word) == 1 or word[1:].islower()):
        return 1
    if word.isupper():
        return 2
    if any(character.isdigit() for character in word):
        return 4
    return 3 if any(character.isalpha() for character in word) else 5


@dataclass(frozen=True)
class Batch:
    """Sentences as tensors: word pieces, what these are pooled to words by, and which words are context."""

    pieces: Tensor
    piece_mask: Tensor
    pooling: Tensor
    shapes: Tensor
    word_mask: Tensor
    in_context: Tensor


class Encoding:
    """Makes batches of sentences."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer

    def __call__(self, sentences: Sequence[Sequence[str]], contexts: Sequence[int] | None = None) -> Batch:
        """Return the batch of sentences, each a list of words.

        Args:
            sentences: their words, those of the sentence before in front.
            contexts: how many words of each are of the sentence before; by default none.
        """
        encoded = self._tokenizer(
            [list(words) for words in sentences],
            is_split_into_words=True,
            padding=True,
            return_tensors="pt",
            truncation=True,
            max_length=512,
        )
        longest = max(map(len, sentences))
        pooling = torch.zeros(len(sentences), longest, encoded["input_ids"].shape[1])
        shapes = torch.zeros(len(sentences), longest, dtype=torch.long)
        word_mask = torch.zeros(len(sentences), longest, dtype=torch.bool)
        for row, words in enumerate(sentences):
            for piece, word in enumerate(encoded.word_ids(row)):
                if word is not None:
                    pooling[row, word, piece] = 1.0
            shapes[row, : len(words)] = torch.tensor([shape_of(word) for word in words])
            word_mask[row, : len(words)] = True
        firsts = torch.tensor(contexts or [0] * len(sentences))
        in_context = (torch.arange(longest) < firsts[:, None]).long()
        pooling /= pooling.sum(-1, keepdim=True).clamp(min=1.0)
        return Batch(encoded["input_ids"], encoded["attention_mask"], pooling, shapes, word_mask, in_context)


class Progress:
    """What has been written so far of the claims of sentences.

    Attributes:
        in_claim: words of the present claim ``[batch]``.
        claim: claims that are done ``[batch]``.
        last: place of the word of the sentence that the present claim took last; −1 = none ``[batch]``.
        hints: for each word of the sentence, whether it follows that one, whether a claim before has it, and
            whether the present one does ``[batch, words, 3]``.
    """

    def __init__(self, sentences: int, words: int, own_words: int) -> None:
        self._own = own_words
        self.in_claim = torch.zeros(sentences, dtype=torch.long)
        self.claim = torch.zeros(sentences, dtype=torch.long)
        self.last = torch.full((sentences,), -1)
        self._inside = torch.zeros(sentences, words)
        self._used = torch.zeros(sentences, words)
        self._places = torch.arange(words)

    @property
    def hints(self) -> Tensor:
        """See the class."""
        follows = (self._places == self.last[:, None] + 1) & (self.last[:, None] >= 0)
        return torch.stack([follows.float(), self._used, self._inside], -1)

    def go_on(self, choices: Tensor) -> None:
        """Take the next choices ``[batch]``."""
        is_next = choices == NEXT
        place = choices - self._own
        taken = (self._places == place[:, None]).float()
        self._inside = torch.maximum(self._inside, taken)
        self._used = torch.where(is_next[:, None], torch.maximum(self._used, self._inside), self._used)
        self._inside = self._inside.masked_fill(is_next[:, None], 0.0)
        self.last = torch.where(is_next, -1, torch.where(place >= 0, place, self.last))
        self.in_claim = torch.where(is_next, 0, self.in_claim + 1)
        self.claim = self.claim + is_next

    def keep(self, rows: Tensor) -> None:
        """Go on with some of the sentences alone."""
        for name in ("in_claim", "claim", "last", "_inside", "_used"):
            setattr(self, name, getattr(self, name)[rows])


class DecoderLayer(nn.Module):
    """Attention to the words written so far, attention to the sentence, and a perceptron, norms first."""

    def __init__(self, size: int, heads: int = 4, dropout: float = 0.15) -> None:
        super().__init__()
        self.heads = heads
        self.norm_of_own = nn.LayerNorm(size)
        self.own = nn.Linear(size, 3 * size)
        self.own_out = nn.Linear(size, size)
        self.norm_of_source = nn.LayerNorm(size)
        self.asking = nn.Linear(size, size)
        self.asked = nn.Linear(size, 2 * size)
        self.source_out = nn.Linear(size, size)
        self.norm_of_inner = nn.LayerNorm(size)
        self.inner = nn.Linear(size, 3 * size)
        self.outer = nn.Linear(3 * size, size)
        self.dropout = nn.Dropout(dropout)

    def _by_head(self, x: Tensor) -> Tensor:
        batch, steps, size = x.shape
        return x.view(batch, steps, self.heads, size // self.heads).transpose(1, 2)

    def memory(self, words: Tensor) -> Past:
        """Return keys and values of the sentence's words."""
        keys, values = self.asked(words).chunk(2, -1)
        return self._by_head(keys), self._by_head(values)

    def forward(
        self, x: Tensor, memory: Past, padding: Tensor, past: Past | None = None, *, is_step: bool = False
    ) -> tuple[Tensor, Past]:
        """Return the states, and keys and values of all steps so far.

        Args:
            x: ``[batch, steps, size]``; one step if ``is_step``.
            memory: of the sentence's words.
            padding: added to the scores of these ``[batch, 1, 1, words]``.
            past: keys and values of the steps before.
            is_step: whether all steps before are in ``past``.
        """
        batch, steps, size = x.shape
        query, key, value = (self._by_head(y) for y in self.own(self.norm_of_own(x)).chunk(3, -1))
        if past is not None:
            key, value = torch.cat([past[0], key], 2), torch.cat([past[1], value], 2)
        mixed = scaled_dot_product_attention(query, key, value, is_causal=not is_step)
        x = x + self.dropout(self.own_out(mixed.transpose(1, 2).reshape(batch, steps, size)))
        query = self._by_head(self.asking(self.norm_of_source(x)))
        mixed = scaled_dot_product_attention(query, *memory, attn_mask=padding)
        x = x + self.dropout(self.source_out(mixed.transpose(1, 2).reshape(batch, steps, size)))
        return x + self.dropout(self.outer(gelu(self.inner(self.norm_of_inner(x))))), (key, value)


class ClaimWriter(nn.Module):
    """Writes the claims of sentences.

    Args:
        encoder: of transformers' BERT, without a pooler.
        vocabulary: its own words and endings, by their numbers; the first are ``END`` and ``NEXT``.
        size: of the decoder's states.
        layers: of the decoder.
    """

    def __init__(self, encoder: Any, vocabulary: Sequence[str], *, size: int = 256, layers: int = 3) -> None:
        super().__init__()
        self.encoder = encoder
        self.vocabulary = list(vocabulary)
        self.size = size
        width = encoder.config.hidden_size + 32
        self.mix = nn.Parameter(torch.zeros(encoder.config.num_hidden_layers + 1))
        self.shape = nn.Embedding(len(SHAPES), 32)
        self.source = nn.Linear(width, size)
        self.place = nn.Embedding(MOST_WORDS, size)
        self.part = nn.Embedding(2, size)
        self.own_word = nn.Embedding(len(self.vocabulary), size)
        self.pointed = nn.Linear(size, size)
        self.following = nn.Linear(size, size)
        self.start = nn.Parameter(torch.randn(size) * 0.02)
        self.place_in_claim = nn.Embedding(_MOST_IN_CLAIM, size)
        self.number_of_claim = nn.Embedding(_MOST_CLAIMS, size)
        nn.init.normal_(self.own_word.weight, std=0.1)
        for embedding in (self.place, self.part, self.place_in_claim, self.number_of_claim):
            nn.init.normal_(embedding.weight, std=0.02)
        self.layers: Any = nn.ModuleList(DecoderLayer(size) for _ in range(layers))
        self.norm = nn.LayerNorm(size)
        self.own_scores = nn.Linear(size, len(self.vocabulary))
        self.query = nn.Linear(size, size)
        self.key = nn.Linear(size, size)
        self.hinted = nn.Linear(size, HINTS)
        self.dropout_of_words = nn.Dropout(0.3)
        self.dropout = nn.Dropout(0.15)

    def encode(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Return the states of words ``[batch, words, size]``, and what hides padding in attention."""
        states = self.encoder(
            input_ids=batch.pieces, attention_mask=batch.piece_mask, output_hidden_states=True
        ).hidden_states
        mixed = sum(weight * state for weight, state in zip(self.mix.softmax(0), states, strict=True))
        words = torch.cat([torch.bmm(batch.pooling, mixed), self.shape(batch.shapes)], -1)
        words = self.source(self.dropout_of_words(words)) + self.place(torch.arange(words.shape[1]))
        words = words + self.part(batch.in_context)
        padding = torch.zeros(len(words), 1, 1, words.shape[1], dtype=words.dtype)
        return words, padding.masked_fill(~batch.word_mask[:, None, None], _FAR)

    def embed(self, words: Tensor, choices: Tensor, in_claim: Tensor, claim: Tensor, last: Tensor) -> Tensor:
        """Return what the decoder reads of the choices before.

        Args:
            words: states of the sentence's words.
            choices: ``[batch, steps]``; −1 = the start.
            in_claim: see ``Progress`` ``[batch, steps]``.
            claim: likewise.
            last: likewise.
        """
        own = len(self.vocabulary)
        embedded = torch.where(
            (choices >= own)[..., None],
            self.pointed(states_at(words, choices - own)),
            self.own_word(choices.clamp(0, own - 1)),
        )
        embedded = torch.where((choices < 0)[..., None], self.start.to(embedded.dtype), embedded)
        follows = (last >= 0) & (last + 1 < words.shape[1])
        embedded = embedded + self.following(states_at(words, last + 1)) * follows[..., None]
        places = self.place_in_claim(in_claim.clamp(max=_MOST_IN_CLAIM - 1))
        numbers = self.number_of_claim(claim.clamp(max=_MOST_CLAIMS - 1))
        result: Tensor = self.dropout(embedded + places + numbers)
        return result

    def scores(self, x: Tensor, keys: Tensor, word_mask: Tensor, hints: Tensor) -> Tensor:
        """Return the scores of own words, and then of the sentence's ``[batch, steps, choices]``.

        Args:
            x: states of the decoder ``[batch, steps, size]``.
            keys: ``key`` of the sentence's words.
            word_mask: of the batch.
            hints: see ``Progress`` ``[batch, steps, words, HINTS]``.
        """
        x = self.norm(x)
        pointing = torch.bmm(self.query(x), keys.transpose(1, 2)).float() / self.size**0.5
        pointing = pointing + torch.einsum("bsk,bswk->bsw", self.hinted(x).float(), hints)
        return torch.cat([self.own_scores(x).float(), pointing.masked_fill(~word_mask[:, None], _FAR)], -1)

    @torch.inference_mode()
    def write(self, batch: Batch) -> list[list[int]]:
        """Return the choices for each sentence, ``END`` left out; ``MOST_STEPS`` if it was not reached."""
        words, padding = self.encode(batch)
        keys, word_mask = self.key(words), batch.word_mask
        memories = [layer.memory(words) for layer in self.layers]
        past: list[Past | None] = [None] * len(self.layers)
        progress = Progress(len(words), words.shape[1], len(self.vocabulary))
        chosen = torch.full((len(words),), -1)
        rows = torch.arange(len(words))
        is_done = torch.zeros(len(rows), dtype=torch.bool)
        written: list[list[int]] = [[] for _ in rows]
        for _ in range(MOST_STEPS):
            x = self.embed(
                words,
                chosen[:, None],
                progress.in_claim[:, None],
                progress.claim[:, None],
                progress.last[:, None],
            )
            for number, layer in enumerate(self.layers):
                x, past[number] = layer(x, memories[number], padding, past[number], is_step=True)
            chosen = self.scores(x, keys, word_mask, progress.hints[:, None])[:, 0].argmax(-1)
            is_done |= chosen == END
            for row, choice, ends in zip(rows.tolist(), chosen.tolist(), is_done.tolist(), strict=True):
                if not ends:
                    written[row].append(choice)
            progress.go_on(chosen)
            going_on = (~is_done).nonzero()[:, 0]
            if not len(going_on):
                break
            if len(going_on) <= SHARE_TO_GO_ON * len(rows):
                rows, chosen, words, keys = (one[going_on] for one in (rows, chosen, words, keys))
                padding, word_mask, is_done = (one[going_on] for one in (padding, word_mask, is_done))
                memories = [(of[going_on], to[going_on]) for of, to in memories]
                past = [None if one is None else (one[0][going_on], one[1][going_on]) for one in past]
                progress.keep(going_on)
        return written


def states_at(words: Tensor, places: Tensor) -> Tensor:
    """Return the states of words at places ``[batch, steps]``; of some word where a place is none."""
    places = places.clamp(0, words.shape[1] - 1)[..., None].expand(-1, -1, words.shape[2])
    return words.gather(1, places)


def load_writer(folder: Path, judge: Path) -> tuple[ClaimWriter, Encoding]:
    """Return the network that ``folder`` holds, with the word embeddings and tokenizer of the judge.

    Raises:
        ClaimwiseError: if it was trained with other word embeddings.
    """
    from safetensors.torch import load_file
    from transformers import AutoTokenizer, BertConfig, BertModel

    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    encoder = BertModel(BertConfig(**config["encoder"]), add_pooling_layer=False)
    writer = ClaimWriter(encoder, config["vocabulary"], size=config["size"], layers=config["layers"])
    state = {name: tensor.float() for name, tensor in load_file(folder / "model.safetensors").items()}
    embeddings = word_embeddings(judge)
    if (found := fingerprint_of(embeddings)) != config["word_embeddings"]:
        raise ClaimwiseError(
            f"{folder} was trained with the word embeddings {config['word_embeddings']}; those of the judge "
            f"in {judge} are {found}.",
            "Take the weights that belong to this judge.",
        )
    writer.load_state_dict(state | {WORD_EMBEDDINGS: embeddings.float()})
    return writer.eval(), Encoding(AutoTokenizer.from_pretrained(judge))


def word_embeddings(judge: Path) -> Tensor:
    """Return the word embeddings of a judge, as they are stored."""
    from safetensors import safe_open

    with safe_open(judge / "model.safetensors", "pt") as file:
        embeddings: Tensor = file.get_tensor("bert.embeddings.word_embeddings.weight")
    return embeddings


def fingerprint_of(weights: Tensor) -> str:
    """Return 12 hexadecimal digits of the sha256 over weights."""
    return hashlib.sha256(weights.contiguous().view(torch.uint8).numpy().tobytes()).hexdigest()[:12]


def groups(lengths: Sequence[int], words: int) -> Iterator[list[int]]:
    """Yield numbers of sentences of similar length, about ``words`` words together."""
    group: list[int] = []
    for number in sorted(range(len(lengths)), key=lambda number: lengths[number]):
        if group and (len(group) + 1) * lengths[number] > words:
            yield group
            group = []
        group.append(number)
    if group:
        yield group
