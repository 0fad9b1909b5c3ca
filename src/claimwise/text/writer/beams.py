"""Beam search for the likeliest claims of sentences, over all prefixes of a batch at once."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from claimwise.text.writer.batch import Batch
from claimwise.text.writer.network import END, MOST_STEPS, Choice, Decoder, Past, Progress

SHARE_TO_DROP = 0.2
"""Finished sentences are removed once they make up more than this share of the batch."""
_ENDS = 2
"""Number of ends that are considered for each start of a span."""


@dataclass
class _Beams:
    """The prefixes that are kept: ``beams`` for each unfinished sentence.

    Attributes:
        sentence: index of each sentence ``[sentences]``.
        likely: log-probability of each prefix ``[sentences, beams]``.
        written: first and last of the choices so far ``[sentences, beams, steps, 2]``.
        past: for each layer keys and values of the steps so far ``[sentences, beams, heads, steps, size]``.
        progress: progress of the prefixes.
    """

    sentence: Tensor
    likely: Tensor
    written: Tensor
    past: list[Past]
    progress: Progress

    def follow(self, origin: Tensor) -> None:
        """Replace the prefixes by the prefixes at ``origin`` ``[sentences, beams]``."""
        count, beams = self.likely.shape
        if origin.shape[1] == beams and bool((origin == torch.arange(beams)).all()):
            return
        flat = (torch.arange(count)[:, None] * beams + origin).flatten()

        def followed(one: Tensor) -> Tensor:
            return one.flatten(0, 1)[flat].view(*origin.shape, *one.shape[2:])

        self.written = followed(self.written)
        self.past = [(followed(keys), followed(values)) for keys, values in self.past]
        self.progress.each(followed)

    def keep(self, rows: Tensor) -> None:
        """Keep only the sentences at ``rows``."""
        self.sentence, self.likely, self.written = self.sentence[rows], self.likely[rows], self.written[rows]
        self.past = [(keys[rows], values[rows]) for keys, values in self.past]
        self.progress.each(lambda one: one[rows])


@torch.inference_mode()
def search(
    decoder: Decoder, words: Tensor, padding: Tensor, batch: Batch, width: int
) -> tuple[list[list[Choice]], list[float]]:
    """Return the likeliest choices for each sentence, and their log-probability.

    At each step the ``width`` likeliest prefixes of each sentence are kept. ``END`` is omitted; if it was not
    reached, there are ``MOST_STEPS`` choices.

    Args:
        decoder: the network.
        words: states of the sentences' words; see ``Decoder.words``.
        padding: see ``Decoder.words``.
        batch: the sentences.
        width: number of prefixes kept; 1 = greedy search.
    """
    count, own = len(words), decoder.own_words
    mask, strip = batch.word_mask, batch.strip
    keys, keys_of_last = decoder.key(words), decoder.key_of_last(words)
    memories = [layer.memory(words) for layer in decoder.layers]  # type: ignore[operator]
    best: list[list[Choice]] = [[] for _ in range(count)]
    sure = [0.0] * count
    beams = _Beams(
        torch.arange(count),
        torch.zeros(count, 1),
        torch.full((count, 1, 0, 2), -1),
        [(torch.empty(0), torch.empty(0)) for _ in memories],
        Progress((count, 1), words.shape[1], own),
    )
    firsts = lasts = torch.full((count, 1), -1)
    is_finished = torch.zeros(count, dtype=torch.bool)
    for step in range(MOST_STEPS):
        progress = beams.progress
        x = decoder.embed(words, strip, firsts, lasts, progress.in_claim, progress.claim, progress.last)
        for number, layer in enumerate(decoder.layers):
            x, beams.past[number] = layer.step(  # type: ignore[operator]
                x, memories[number], padding, beams.past[number] if step else None
            )
        x, hints = decoder.norm(x), progress.hints
        of_first, first = decoder.scores(x, keys, mask, hints).log_softmax(-1).topk(width, -1)
        place = (first - own).clamp(min=0)
        ends = decoder.scores_of_last(
            x.repeat_interleave(width, 1),
            words,
            keys_of_last,
            place.flatten(1),
            mask,
            hints.repeat_interleave(width, 1),
        ).log_softmax(-1)
        of_last, last = ends.topk(min(_ENDS, width, ends.shape[-1]), -1)
        of_last, last = of_last.view(*first.shape, -1), last.view(*first.shape, -1)
        is_span = (first >= own)[..., None]
        of_last = torch.where(is_span, of_last, torch.tensor([0.0, -torch.inf])[: of_last.shape[-1]])
        last = torch.where(is_span, last, -1)
        offers = beams.likely[..., None, None] + of_first[..., None] + of_last
        # A finished prefix continues with END at no cost.
        has_ended = firsts == END
        offers[has_ended] = -torch.inf
        offers[..., 0, 0] = torch.where(has_ended, beams.likely, offers[..., 0, 0])
        first = first.masked_fill(has_ended[..., None], END)
        last = last.masked_fill(has_ended[..., None, None], -1)

        likely, chosen = offers.flatten(1).topk(min(width, offers[0].numel()), -1)
        firsts = first.flatten(1).gather(1, chosen // last.shape[-1])
        lasts = last.flatten(1).gather(1, chosen)
        beams.follow(chosen // last[0, 0].numel())
        beams.likely = likely
        beams.written = torch.cat([beams.written, torch.stack([firsts, lasts], -1)[:, :, None]], 2)
        progress.go_on(firsts, lasts)

        # A sentence is finished when its likeliest prefix has ended: no other prefix can overtake it.
        is_finished = firsts[:, 0] == END
        if step == MOST_STEPS - 1 or is_finished.all():
            is_finished = torch.ones_like(is_finished)
        elif is_finished.float().mean() <= SHARE_TO_DROP:
            continue
        for number, sum_of_log, choices in zip(
            beams.sentence[is_finished].tolist(),
            beams.likely[is_finished, 0].tolist(),
            beams.written[is_finished, 0].tolist(),
            strict=True,
        ):
            sure[number] = sum_of_log
            best[number] = [Choice(*choice) for choice in choices if choice[0] != END]
        rows = (~is_finished).nonzero()[:, 0]
        if not len(rows):
            break
        beams.keep(rows)
        firsts, lasts, words, padding, mask, strip, keys, keys_of_last = (
            one[rows] for one in (firsts, lasts, words, padding, mask, strip, keys, keys_of_last)
        )
        memories = [(of[rows], to[rows]) for of, to in memories]
    return best, sure
