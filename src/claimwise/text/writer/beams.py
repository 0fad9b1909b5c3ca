"""The search for the likeliest claims of sentences."""

from __future__ import annotations

import torch
from torch import Tensor

from claimwise.text.writer.batch import Batch
from claimwise.text.writer.decoder import END, Choice, Decoder, Past, Progress

MOST_STEPS = 90


@torch.inference_mode()
def write(decoder: Decoder, words: Tensor, padding: Tensor, batch: Batch, width: int) -> list[list[Choice]]:
    """Return the likeliest choices for each sentence.

    A beam search: at each step the likeliest ``width`` beginnings of the claims of a sentence are kept.
    ``END`` is left out; there are ``MOST_STEPS`` choices if it was not reached.

    Args:
        decoder: the network that makes the choices.
        words: see ``Decoder.words``.
        padding: likewise.
        batch: the sentences.
        width: beginnings kept; 1 = always the likeliest choice.
    """
    keys, keys_of_last = decoder.key(words), decoder.key_of_last(words)
    memories = [layer.memory(words) for layer in decoder.layers]
    count, own = len(words), decoder.own_words
    sentence = torch.arange(count)
    best: list[list[Choice]] = [[] for _ in range(count)]
    # One row for each beginning: those of a sentence stand together, and at first there is one.
    of_row = sentence
    likely, is_done = torch.zeros(count), torch.zeros(count, dtype=torch.bool)
    firsts = lasts = torch.full((count,), -1)
    written = torch.full((count, 0, 2), -1)
    progress = Progress(count, words.shape[1], own)
    past: list[Past | None] = [None] * len(decoder.layers)
    for step in range(MOST_STEPS):
        mask = batch.word_mask[of_row]
        x = decoder.embed(
            words[of_row],
            batch.strip[of_row],
            firsts[:, None],
            lasts[:, None],
            progress.in_claim[:, None],
            progress.claim[:, None],
            progress.last[:, None],
        )
        for number, layer in enumerate(decoder.layers):
            memory = memories[number][0][of_row], memories[number][1][of_row]
            x, past[number] = layer(x, memory, padding[of_row], past[number], is_step=True)
        x, hints = decoder.norm(x), progress.hints[:, None]
        scores = decoder.scores(x, keys[of_row], mask, hints)[:, 0].log_softmax(-1)
        of_first, first = scores.topk(width, -1)
        place = (first - own).clamp(min=0)
        ends = decoder.scores_of_last(
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
        # A finished beginning continues with END, at no cost.
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
        # A sentence is finished when its likeliest beginning is, for none becomes likelier.
        finished = is_done.view(rows, beams)[:, 0]
        if step == MOST_STEPS - 1:
            finished = torch.ones_like(finished)
        for row in finished.nonzero()[:, 0].tolist():
            steps = (Choice(*choice) for choice in written[row * beams].tolist())
            best[int(sentence[row])] = [choice for choice in steps if choice.first != END]
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
    return best
