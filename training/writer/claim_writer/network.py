"""The network: an encoder reads the words of sentences, a decoder writes their claims.

At each step the decoder copies a span of the sentence, puts in a word of its own vocabulary, changes the
word before (its ending, its capital letter), ends a claim or ends. A span is chosen by its first word, and
then its last, so a claim takes three or four steps rather than one for each word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import gelu

from claimwise.text.learned.network import (
    END,
    HINTS,
    MOST_WORDS,
    NEXT,
    SHAPES,
    DecoderLayer,
    Past,
    shape_of,
    states_at,
)
from claimwise.text.learned.network import Progress as ProgressOfWords

MOST_STEPS = 90
_MOST_IN_CLAIM, _MOST_CLAIMS, _MOST_IN_SPAN = 48, 18, 32
_FAR = -1e4


class Choice(NamedTuple):
    """One step: an own word or ending (``last`` is then −1), or the first and last word of a span.

    ``first`` counts own words first, and then the words of the sentence.
    """

    first: int
    last: int


@dataclass(frozen=True)
class Batch:
    """Sentences as tensors.

    Attributes:
        pieces: word pieces of all sentences, one sentence after the other ``[pieces]``.
        lengths: pieces of each sentence ``[sentences]``.
        word_of_piece: number of the word that each piece is of, counted over all sentences; the number of all
            words for a piece of none ``[pieces]``.
        places: row and column of each word ``[2, all words]``.
        shapes: of each word ``[all words]``.
        word_mask: ``[sentences, words]``.
        in_context: whether a word is of the previous sentence ``[sentences, words]``.
        strip: whether attributions are stripped ``[sentences]``.
    """

    pieces: np.ndarray
    lengths: np.ndarray
    word_of_piece: Tensor
    places: Tensor
    shapes: Tensor
    word_mask: Tensor
    in_context: Tensor
    strip: Tensor


def batch_of(
    tokenizer: object,
    sentences: Sequence[Sequence[str]],
    contexts: Sequence[int],
    strip: Sequence[bool],
) -> Batch:
    """Return the batch of sentences, each a list of words, those of the previous sentence in front.

    Args:
        tokenizer: of the ``tokenizers`` library.
        sentences: their words.
        contexts: how many words of each belong to the previous sentence.
        strip: whether attributions are stripped.
    """
    encodings = tokenizer.encode_batch([list(words) for words in sentences], is_pretokenized=True)  # type: ignore[attr-defined]
    counts = [len(words) for words in sentences]
    total, longest = sum(counts), max(counts)
    pieces: list[int] = []
    word_of_piece: list[int] = []
    first = 0
    for encoding, count in zip(encodings, counts, strict=True):
        pieces += encoding.ids
        word_of_piece += [total if word is None else first + word for word in encoding.word_ids]
        first += count
    row = np.repeat(np.arange(len(counts)), counts)
    column = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
    columns = torch.arange(longest)
    return Batch(
        np.array(pieces),
        np.array([len(encoding.ids) for encoding in encodings]),
        torch.tensor(word_of_piece),
        torch.from_numpy(np.stack([row, column])),
        torch.tensor([shape_of(word) for words in sentences for word in words]),
        columns < torch.tensor(counts)[:, None],
        (columns < torch.tensor(contexts)[:, None]).long(),
        torch.tensor(strip).long(),
    )


class Progress(ProgressOfWords):
    """What has been written so far of the claims of sentences, span by span; see ``ProgressOfWords``."""

    def go_on(self, firsts: Tensor, lasts: Tensor) -> None:  # type: ignore[override]
        """Take the next choices ``[sentences]``."""
        is_next = firsts == NEXT
        place = firsts - self._own
        is_span = place >= 0
        taken = (self._places >= place[:, None]) & (self._places <= lasts[:, None]) & is_span[:, None]
        self._inside = torch.maximum(self._inside, taken.float())
        self._used = torch.where(is_next[:, None], torch.maximum(self._used, self._inside), self._used)
        self._inside = self._inside.masked_fill(is_next[:, None], 0.0)
        self.last = torch.where(is_next, -1, torch.where(is_span, lasts, self.last))
        added = torch.where(is_span, lasts - place + 1, 1)
        self.in_claim = torch.where(is_next, 0, self.in_claim + added)
        self.claim = self.claim + is_next


class Decoder(nn.Module):
    """Writes the claims of sentences whose word pieces are encoded.

    Args:
        width: of the encoder's states.
        own_words: the number of its own words and endings; the first are ``END`` and ``NEXT``.
        size: of the decoder's states.
        layers: of the decoder.
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
        """Return the states of words ``[sentences, words, size]``, and what hides padding in attention.

        Args:
            states: of the word pieces ``[pieces, width]``.
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
        return words, padding.masked_fill(~batch.word_mask[:, None, None], _FAR)

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
        """Return what the decoder reads of the choices before.

        Args:
            words: states of the sentence's words.
            strip: of the batch.
            firsts: ``[batch, steps]``; −1 = the start.
            lasts: likewise.
            in_claim: see ``Progress`` ``[batch, steps]``.
            claim: likewise.
            last: likewise.
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
        """Return scores ``[batch, steps, choices]``: of own words, and of the sentence's as first of a span.

        Args:
            x: normalized states of the decoder ``[batch, steps, size]``.
            keys: ``key`` of the sentence's words.
            word_mask: of the batch.
            hints: see ``Progress`` ``[batch, steps, words, HINTS]``.
        """
        pointing = torch.bmm(self.query(x), keys.transpose(1, 2)).float() / self.size**0.5
        pointing = pointing + torch.einsum("bsk,bswk->bsw", self.hinted(x).float(), hints)
        return torch.cat([self.own_scores(x).float(), pointing.masked_fill(~word_mask[:, None], _FAR)], -1)

    def scores_of_last(
        self, x: Tensor, words: Tensor, keys: Tensor, first: Tensor, word_mask: Tensor, hints: Tensor
    ) -> Tensor:
        """Return the scores of the sentence's words as last of a span ``[batch, steps, words]``.

        Args:
            x: normalized states of the decoder ``[batch, steps, size]``.
            words: states of the sentence's words.
            keys: ``key_of_last`` of these.
            first: the first word of each span ``[batch, steps]``.
            word_mask: of the batch.
            hints: see ``Progress`` ``[batch, steps, words, HINTS]``.
        """
        x = gelu(self.first_and_state(torch.cat([x, states_at(words, first)], -1)))
        scores = torch.bmm(self.query_of_last(x), keys.transpose(1, 2)).float() / self.size**0.5
        scores = scores + torch.einsum("bsk,bswk->bsw", self.hinted_last(x).float(), hints)
        length = torch.arange(words.shape[1]) - first[..., None]
        scores = scores + self.length_of_span(length.clamp(0, _MOST_IN_SPAN - 1))[..., 0].float()
        masked: Tensor = scores.masked_fill((length < 0) | ~word_mask[:, None], _FAR)
        return masked

    def read(
        self, words: Tensor, padding: Tensor, batch: Batch, firsts: Tensor, lasts: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return what the decoder makes of claims that are written already, all steps at once.

        Args:
            words: see ``words``.
            padding: likewise.
            batch: the sentences.
            firsts: of the choices, each ending with ``END``; −100 = none ``[sentences, steps]``.
            lasts: likewise; negative for an own word.

        Returns:
            The normalized states ``[sentences, steps, size]``, the scores of ``firsts`` and of ``lasts`` (see
            ``scores``, ``scores_of_last``), and the number of the claim that each step is of
            ``[sentences, steps]``.
        """
        before = nn.functional.pad(firsts, (1, -1), value=-1)
        before = before.masked_fill(before == -100, END)
        before_last = nn.functional.pad(lasts, (1, -1), value=-1).clamp(min=-1)
        progress = Progress(len(firsts), batch.word_mask.shape[1], self.own_words)
        of_steps = []
        for step in range(firsts.shape[1]):
            if step:
                progress.go_on(before[:, step], before_last[:, step])
            of_steps.append((progress.in_claim, progress.claim, progress.last, progress.hints))
        in_claim, claim, last, hints = (torch.stack(values, 1) for values in zip(*of_steps, strict=True))
        x = self.embed(words, batch.strip, before, before_last, in_claim, claim, last).to(words.dtype)
        for layer in self.layers:
            x, _ = layer(x, layer.memory(words), padding)  # type: ignore[operator]
        x = self.norm(x).to(words.dtype)
        scores = self.scores(x, self.key(words), batch.word_mask, hints)
        places = (firsts - self.own_words).clamp(min=0)
        ends = self.scores_of_last(x, words, self.key_of_last(words), places, batch.word_mask, hints)
        return x, scores, ends, claim

    def follow(
        self, words: Tensor, padding: Tensor, batch: Batch, chosen: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return what the critic reads of choices: see ``Critic.forward``.

        Args:
            words: see ``words``.
            padding: likewise.
            batch: the sentences.
            chosen: first and last of the choices, each list ending with ``END``; −100 = none
                ``[sentences, steps, 2]``.
        """
        firsts, lasts = chosen[..., 0], chosen[..., 1]
        x, scores, ends, claim = self.read(words, padding, batch, firsts, lasts)
        is_step = firsts >= 0
        likely = _gathered(scores.log_softmax(-1), firsts)
        likely = likely + torch.where(lasts >= 0, _gathered(ends.log_softmax(-1), lasts), 0.0)
        return x, likely.masked_fill(~is_step, 0.0), claim, is_step

    @torch.inference_mode()
    def write(self, states: Tensor, batch: Batch, width: int = 1) -> tuple[list[list[Choice]], list[float]]:
        """Return the likeliest choices for each sentence, and their log-probability.

        A beam search: at each step the likeliest ``width`` beginnings of a sentence's claims are kept.
        ``END`` is left out; there are ``MOST_STEPS`` choices if it was not reached.

        Args:
            states: of the word pieces ``[pieces, width of the encoder]``.
            batch: the sentences.
            width: beginnings kept; 1 = always the likeliest choice.
        """
        words, padding = self.words(states, batch)
        keys, keys_of_last = self.key(words), self.key_of_last(words)
        memories = [layer.memory(words) for layer in self.layers]  # type: ignore[operator]
        count, own = len(words), self.own_words
        sentence = torch.arange(count)
        best: list[list[Choice]] = [[] for _ in range(count)]
        sure = [0.0] * count
        # One row for each beginning; all of a sentence stand together, and there is one at first.
        of_row = sentence
        likely, is_done = torch.zeros(count), torch.zeros(count, dtype=torch.bool)
        firsts = lasts = torch.full((count,), -1)
        written = torch.full((count, 0, 2), -1)
        progress = Progress(count, words.shape[1], own)
        past: list[Past | None] = [None] * len(self.layers)
        for step in range(MOST_STEPS):
            mask = batch.word_mask[of_row]
            x = self.embed(
                words[of_row],
                batch.strip[of_row],
                firsts[:, None],
                lasts[:, None],
                progress.in_claim[:, None],
                progress.claim[:, None],
                progress.last[:, None],
            )
            for number, layer in enumerate(self.layers):
                memory = memories[number][0][of_row], memories[number][1][of_row]
                x, past[number] = layer(x, memory, padding[of_row], past[number], is_step=True)
            x, hints = self.norm(x), progress.hints[:, None]
            scores = self.scores(x, keys[of_row], mask, hints)[:, 0].log_softmax(-1)
            of_first, first = scores.topk(width, -1)
            place = (first - own).clamp(min=0)
            ends = self.scores_of_last(
                x.expand(-1, width, -1),
                words[of_row],
                keys_of_last[of_row],
                place,
                mask,
                hints.expand(-1, width, -1, -1),
            ).log_softmax(-1)
            of_last, last = ends.topk(min(width, 2, ends.shape[-1]), -1)
            is_span = (first >= own)[..., None]
            of_last = torch.where(is_span, of_last, torch.tensor([0.0, -torch.inf])[: of_last.shape[-1]])
            last = torch.where(is_span, last, -1)
            # What is done goes on with END, at no cost.
            offers = likely[:, None, None] + of_first[..., None] + of_last
            offers[is_done] = -torch.inf
            offers[is_done, 0, 0] = likely[is_done]
            first = first.masked_fill(is_done[:, None], END)
            last = last.masked_fill(is_done[:, None, None], -1)
            rows = len(sentence)
            per_row = offers[0].numel()
            offers = offers.reshape(rows, -1)
            kept, chosen = offers.topk(min(width, offers.shape[1]), -1)
            beams = kept.shape[1]
            origin = (torch.arange(rows)[:, None] * (len(of_row) // rows) + chosen // per_row).reshape(-1)
            within = (chosen % per_row).reshape(-1)
            firsts = first[origin, within // of_last.shape[-1]]
            lasts = last.reshape(len(last), -1)[origin, within]
            likely = kept.reshape(-1)
            written = torch.cat([written[origin], torch.stack([firsts, lasts], -1)[:, None]], 1)
            is_done = firsts == END
            past = [None if one is None else (one[0][origin], one[1][origin]) for one in past]
            of_row = of_row[origin]
            progress.keep(origin)
            progress.go_on(firsts, lasts)
            # A sentence is finished when its likeliest beginning is, for none grows likelier.
            finished = is_done.view(rows, beams)[:, 0]
            if step == MOST_STEPS - 1:
                finished = torch.ones_like(finished)
            for row in finished.nonzero()[:, 0].tolist():
                number = int(sentence[row])
                sure[number] = likely[row * beams].item()
                steps = (Choice(*choice) for choice in written[row * beams].tolist())
                best[number] = [choice for choice in steps if choice.first != END]
            if finished.all():
                break
            if finished.any():
                going_on = (~finished).repeat_interleave(beams)
                sentence, of_row, likely, is_done = (
                    sentence[~finished],
                    of_row[going_on],
                    likely[going_on],
                    is_done[going_on],
                )
                firsts, lasts, written = firsts[going_on], lasts[going_on], written[going_on]
                past = [None if one is None else (one[0][going_on], one[1][going_on]) for one in past]
                progress.keep(going_on)
        return best, sure


class Critic(nn.Module):
    """Says of written claims whether each is a sentence, and whether its sentence says it.

    It reads the decoder's states of the claim and how likely its steps are.

    Args:
        size: of the decoder's states.
    """

    def __init__(self, size: int) -> None:
        super().__init__()
        self.inner = nn.Linear(2 * size + 2, size)
        self.dropout = nn.Dropout(0.3)
        self.outer = nn.Linear(size, 2)

    def forward(self, x: Tensor, likely: Tensor, claim: Tensor, is_step: Tensor) -> Tensor:
        """Return the logits of being ungrammatical and of not being said ``[sentences, claims, 2]``.

        Args:
            x: states of the decoder ``[sentences, steps, size]``.
            likely: log-probabilities of the steps ``[sentences, steps]``.
            claim: the number of the claim that each step is of ``[sentences, steps]``.
            is_step: whether a step is more than padding ``[sentences, steps]``.
        """
        claims = int(claim.max()) + 1
        of_claim = (claim[..., None] == torch.arange(claims)) & is_step[..., None]
        weights = of_claim.float()
        mean = torch.einsum("bsc,bsx->bcx", weights, x) / weights.sum(1)[..., None].clamp(min=1)
        steps = torch.arange(claim.shape[1])[None, :, None]
        last = torch.where(of_claim, steps, 0).amax(1)
        at_end = x.gather(1, last[..., None].expand(-1, -1, x.shape[2]))
        likely = likely[..., None]
        total = (likely * weights).sum(1)
        least = torch.where(of_claim, likely, 0.0).amin(1)
        read = torch.cat([mean, at_end, total[..., None], least[..., None]], -1)
        result: Tensor = self.outer(self.dropout(gelu(self.inner(self.dropout(read)))))
        return result


def _gathered(scores: Tensor, places: Tensor) -> Tensor:
    return scores.gather(-1, places.clamp(min=0)[..., None])[..., 0]
