"""The network: an encoder reads the words of sentences, a decoder writes their claims.

At each step the decoder copies a span of the sentence, inserts a word of its own vocabulary, changes the
previous word (its ending or case), ends a claim, or stops. A span is chosen by its first word and then its
last word, so a claim takes three or four steps rather than one per word.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256

import torch
from batches import Batch
from torch import Tensor, nn
from torch.nn.functional import gelu, scaled_dot_product_attention

from claimwise.text.writer.network import END, HINTS, MOST_WORDS, NEXT, SHAPES, Choice

_MOST_IN_CLAIM, _MOST_CLAIMS, _MOST_IN_SPAN = 48, 18, 32
FAR = -1e4

Past = tuple[Tensor, Tensor]


class Progress:
    """The state of partly written claims of sentences.

    Attributes:
        in_claim: number of words of the current claim ``shape``.
        claim: number of complete claims ``shape``.
        last: index of the last word that the current claim copied; −1 = none ``shape``.
        hints: for each word of the sentence, whether it follows that word, whether an earlier claim contains
            it, and whether the current claim contains it ``[*shape, words, HINTS]``.

    Args:
        shape: ``(sentences,)``, or ``(sentences, beams)``.
        words: number of words of the longest sentence.
        own_words: number of the network's own words.
    """

    def __init__(self, shape: tuple[int, ...], words: int, own_words: int) -> None:
        self._own = own_words
        self.in_claim = torch.zeros(shape, dtype=torch.long)
        self.claim = torch.zeros(shape, dtype=torch.long)
        self.last = torch.full(shape, -1)
        self._inside = torch.zeros(*shape, words)
        self._used = torch.zeros(*shape, words)
        self._places = torch.arange(words)

    @property
    def hints(self) -> Tensor:
        """The hints for each word; see the class."""
        last = self.last[..., None]
        follows = (self._places == last + 1) & (last >= 0)
        return torch.stack([follows.float(), self._used, self._inside], -1)

    def go_on(self, firsts: Tensor, lasts: Tensor) -> None:
        """Add the next choices ``shape``."""
        is_next = firsts == NEXT
        place = firsts - self._own
        is_span = place >= 0
        taken = (self._places >= place[..., None]) & (self._places <= lasts[..., None]) & is_span[..., None]
        self._inside = torch.maximum(self._inside, taken.float())
        self._used = torch.where(is_next[..., None], torch.maximum(self._used, self._inside), self._used)
        self._inside = self._inside.masked_fill(is_next[..., None], 0.0)
        self.last = torch.where(is_next, -1, torch.where(is_span, lasts, self.last))
        added = torch.where(is_span, lasts - place + 1, 1)
        self.in_claim = torch.where(is_next, 0, self.in_claim + added)
        self.claim = self.claim + is_next

    def each(self, change: Callable[[Tensor], Tensor]) -> None:
        """Apply ``change`` to every tensor."""
        for name in ("in_claim", "claim", "last", "_inside", "_used"):
            setattr(self, name, change(getattr(self, name)))


class DecoderLayer(nn.Module):
    """Self-attention to the previous steps, cross-attention to the sentence, and a perceptron (pre-norm)."""

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

    def forward(self, x: Tensor, memory: Past, padding: Tensor) -> Tensor:
        """Return the states of all steps at once.

        Args:
            x: ``[sentences, steps, size]``.
            memory: keys and values of the sentence's words.
            padding: added to the attention scores of these words ``[sentences, 1, 1, words]``.
        """
        query, key, value = (self._by_head(y) for y in self.own(self.norm_of_own(x)).chunk(3, -1))
        mixed = scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.dropout(self.own_out(mixed.transpose(1, 2).reshape(x.shape)))
        return self._read(x, memory, padding)

    def step(self, x: Tensor, memory: Past, padding: Tensor, past: Past | None) -> tuple[Tensor, Past]:
        """Return the states of one step, and keys and values of all steps so far.

        Args:
            x: ``[sentences, beams, size]``.
            memory: keys and values of the sentence's words.
            padding: added to the attention scores of these words ``[sentences, 1, 1, words]``.
            past: keys and values of the previous steps ``[sentences, beams, heads, steps, size of a head]``.
        """
        shape = (*x.shape[:2], self.heads, 1, -1)
        query, key, value = (y.reshape(shape) for y in self.own(self.norm_of_own(x)).chunk(3, -1))
        if past is not None:
            key, value = torch.cat([past[0], key], 3), torch.cat([past[1], value], 3)
        mixed = scaled_dot_product_attention(*(y.flatten(0, 1) for y in (query, key, value)))
        return self._read(x + self.own_out(mixed.reshape(x.shape)), memory, padding), (key, value)

    def _read(self, x: Tensor, memory: Past, padding: Tensor) -> Tensor:
        """Return the states after attention to the sentence and the perceptron."""
        query = self._by_head(self.asking(self.norm_of_source(x)))
        mixed = scaled_dot_product_attention(query, *memory, attn_mask=padding)
        x = x + self.dropout(self.source_out(mixed.transpose(1, 2).reshape(x.shape)))
        result: Tensor = x + self.dropout(self.outer(gelu(self.inner(self.norm_of_inner(x)))))
        return result


class Decoder(nn.Module):
    """Writes the claims of sentences whose word pieces are encoded.

    Args:
        width: width of the encoder's states.
        own_words: number of its own words and endings; the first are ``END`` and ``NEXT``.
        size: size of the decoder's states.
        layers: number of layers.
    """

    def __init__(self, width: int, own_words: int, *, size: int = 256, layers: int = 3) -> None:
        super().__init__()
        self.own_words, self.size = own_words, size
        self.shape = nn.Embedding(len(SHAPES), 32)
        self.source = nn.Linear(width + 32, size)
        self.place = nn.Embedding(MOST_WORDS, size)
        self.part = nn.Embedding(2, size)
        self.strip, self.stripping = nn.Embedding(2, size), nn.Embedding(2, size)
        self.own_word = nn.Embedding(own_words, size)
        self.pointed = nn.Linear(size, size)
        self.pointed_last = nn.Linear(size, size)
        self.following = nn.Linear(size, size)
        self.start = nn.Parameter(torch.randn(size) * 0.02)
        self.place_in_claim = nn.Embedding(_MOST_IN_CLAIM, size)
        self.number_of_claim = nn.Embedding(_MOST_CLAIMS, size)
        nn.init.normal_(self.own_word.weight, std=0.1)
        for embedding in (self.place, self.part, self.place_in_claim, self.number_of_claim):
            nn.init.normal_(embedding.weight, std=0.02)
        for embedding in (self.strip, self.stripping):
            nn.init.normal_(embedding.weight, std=0.1)
        self.layers: nn.ModuleList = nn.ModuleList(DecoderLayer(size) for _ in range(layers))
        self.norm = nn.LayerNorm(size)
        self.own_scores = nn.Linear(size, own_words)
        self.query = nn.Linear(size, size)
        self.key = nn.Linear(size, size)
        self.hinted = nn.Linear(size, HINTS)
        self.first_and_state = nn.Linear(2 * size, size)
        self.query_of_last = nn.Linear(size, size)
        self.key_of_last = nn.Linear(size, size)
        self.hinted_last = nn.Linear(size, HINTS)
        self.length_of_span = nn.Embedding(_MOST_IN_SPAN, 1)
        nn.init.zeros_(self.length_of_span.weight)
        self.dropout_of_words = nn.Dropout(0.3)
        self.dropout = nn.Dropout(0.15)

    def words(self, states: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        """Return the states of words ``[sentences, words, size]``, and the attention mask of padding.

        Args:
            states: states of the word pieces ``[pieces, width]``.
            batch: the sentences.
        """
        total = batch.places.shape[1]
        pooled = states.new_zeros(total + 1, states.shape[1]).index_add(0, batch.word_of_piece, states)
        counts = torch.bincount(batch.word_of_piece, minlength=total + 1).clamp(min=1)
        pooled = (pooled / counts[:, None].to(pooled.dtype))[:total]
        read = torch.cat([pooled, self.shape(batch.shapes).to(pooled.dtype)], -1)
        read = self.source(self.dropout_of_words(read))
        words = read.new_zeros(*batch.word_mask.shape, self.size).index_put(tuple(batch.places), read)
        words = words + self.place(torch.arange(words.shape[1])) + self.part(batch.in_context)
        words = words + self.strip(batch.strip)[:, None]
        padding = torch.zeros(len(words), 1, 1, words.shape[1], dtype=words.dtype)
        return words, padding.masked_fill(~batch.word_mask[:, None, None], FAR)

    def embed(
        self,
        words: Tensor,
        strip: Tensor,
        firsts: Tensor,
        lasts: Tensor,
        in_claim: Tensor,
        claim: Tensor,
        last: Tensor,
    ) -> Tensor:
        """Return the embeddings of the previous choices.

        Args:
            words: states of the sentence's words.
            strip: see ``Batch``.
            firsts: first words of the choices ``[batch, steps]``; −1 = the start.
            lasts: last words of the choices ``[batch, steps]``.
            in_claim: see ``Progress`` ``[batch, steps]``.
            claim: see ``Progress`` ``[batch, steps]``.
            last: see ``Progress`` ``[batch, steps]``.
        """
        own = self.own_words
        embedded = torch.where(
            (firsts >= own)[..., None],
            self.pointed(states_at(words, firsts - own)) + self.pointed_last(states_at(words, lasts)),
            self.own_word(firsts.clamp(0, own - 1)),
        )
        embedded = torch.where((firsts < 0)[..., None], self.start.to(embedded.dtype), embedded)
        follows = (last >= 0) & (last + 1 < words.shape[1])
        embedded = embedded + self.following(states_at(words, last + 1)) * follows[..., None]
        places = self.place_in_claim(in_claim.clamp(max=_MOST_IN_CLAIM - 1))
        numbers = self.number_of_claim(claim.clamp(max=_MOST_CLAIMS - 1))
        result: Tensor = self.dropout(embedded + places + numbers) + self.stripping(strip)[:, None]
        return result

    def scores(self, x: Tensor, keys: Tensor, word_mask: Tensor, hints: Tensor) -> Tensor:
        """Return the scores of own words, and of the sentence's words as the first word of a span.

        The shape is ``[batch, steps, choices]``.

        Args:
            x: normalized states of the decoder ``[batch, steps, size]``.
            keys: ``key`` of the sentence's words.
            word_mask: see ``Batch``.
            hints: see ``Progress`` ``[batch, steps, words, HINTS]``.
        """
        pointing = torch.bmm(self.query(x), keys.transpose(1, 2)).float() / self.size**0.5
        pointing = pointing + torch.einsum("bsk,bswk->bsw", self.hinted(x).float(), hints)
        return torch.cat([self.own_scores(x).float(), pointing.masked_fill(~word_mask[:, None], FAR)], -1)

    def scores_of_last(
        self, x: Tensor, words: Tensor, keys: Tensor, first: Tensor, word_mask: Tensor, hints: Tensor
    ) -> Tensor:
        """Return the scores of the sentence's words as the last word of a span ``[batch, steps, words]``.

        Args:
            x: normalized states of the decoder ``[batch, steps, size]``.
            words: states of the sentence's words.
            keys: ``key_of_last`` of these words.
            first: the first word of each span ``[batch, steps]``.
            word_mask: see ``Batch``.
            hints: see ``Progress`` ``[batch, steps, words, HINTS]``.
        """
        x = gelu(self.first_and_state(torch.cat([x, states_at(words, first)], -1)))
        scores = torch.bmm(self.query_of_last(x), keys.transpose(1, 2)).float() / self.size**0.5
        scores = scores + torch.einsum("bsk,bswk->bsw", self.hinted_last(x).float(), hints)
        length = torch.arange(words.shape[1]) - first[..., None]
        scores = scores + self.length_of_span(length.clamp(0, _MOST_IN_SPAN - 1))[..., 0].float()
        masked: Tensor = scores.masked_fill((length < 0) | ~word_mask[:, None], FAR)
        return masked

    def read(
        self, words: Tensor, padding: Tensor, batch: Batch, firsts: Tensor, lasts: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Run the decoder on given claims, all steps at once (teacher forcing).

        Args:
            words: see ``words``.
            padding: see ``words``.
            batch: the sentences.
            firsts: first words of the choices, ending with ``END``; −100 = padding ``[sentences, steps]``.
            lasts: last words of the choices; negative for an own word ``[sentences, steps]``.

        Returns:
            The normalized states ``[sentences, steps, size]``, the scores of ``firsts`` and of ``lasts`` (see
            ``scores``, ``scores_of_last``), and the index of the claim of each step ``[sentences, steps]``.
        """
        before = nn.functional.pad(firsts, (1, -1), value=-1)
        before = before.masked_fill(before == -100, END)
        before_last = nn.functional.pad(lasts, (1, -1), value=-1).clamp(min=-1)
        progress = Progress((len(firsts),), batch.word_mask.shape[1], self.own_words)
        of_steps = []
        for step in range(firsts.shape[1]):
            if step:
                progress.go_on(before[:, step], before_last[:, step])
            of_steps.append((progress.in_claim, progress.claim, progress.last, progress.hints))
        in_claim, claim, last, hints = (torch.stack(values, 1) for values in zip(*of_steps, strict=True))
        x = self.embed(words, batch.strip, before, before_last, in_claim, claim, last).to(words.dtype)
        for layer in self.layers:
            x = layer(x, layer.memory(words), padding)  # type: ignore[operator]
        x = self.norm(x).to(words.dtype)
        scores = self.scores(x, self.key(words), batch.word_mask, hints)
        places = (firsts - self.own_words).clamp(min=0)
        ends = self.scores_of_last(x, words, self.key_of_last(words), places, batch.word_mask, hints)
        return x, scores, ends, claim

    def follow(
        self, words: Tensor, padding: Tensor, batch: Batch, written: Sequence[Sequence[Choice]]
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return the critic's inputs for choices; see ``Critic.forward``.

        Args:
            words: see ``words``.
            padding: see ``words``.
            batch: the sentences.
            written: the choices for each sentence, without ``END``.
        """
        ended = [torch.tensor([*choices, (END, -1)]) for choices in written]
        firsts, lasts = nn.utils.rnn.pad_sequence(ended, batch_first=True, padding_value=-100).unbind(-1)
        x, scores, ends, claim = self.read(words, padding, batch, firsts, lasts)
        likely = _gathered(scores.log_softmax(-1), firsts)
        likely = likely + torch.where(lasts >= 0, _gathered(ends.log_softmax(-1), lasts), 0.0)
        is_step = firsts >= 0
        return x, likely.masked_fill(~is_step, 0.0), claim, is_step


def states_at(words: Tensor, places: Tensor) -> Tensor:
    """Return the states of words at places ``[batch, steps]``; invalid places are clamped."""
    places = places.clamp(0, words.shape[1] - 1)[..., None].expand(-1, -1, words.shape[2])
    return words.gather(1, places)


def _gathered(scores: Tensor, places: Tensor) -> Tensor:
    return scores.gather(-1, places.clamp(min=0)[..., None])[..., 0]


def fingerprint_of(weights: Tensor) -> str:
    """Return the first 12 hexadecimal digits of the SHA-256 of weights in float32."""
    return sha256(weights.contiguous().numpy().tobytes()).hexdigest()[:12]
