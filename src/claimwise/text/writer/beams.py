"""Beam search for the likeliest claims of sentences, over all prefixes of a batch at once.

A prefix is the list of choices made so far. At each step, every prefix of a sentence offers its likeliest
continuations, and the likeliest of all offers are the next prefixes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from claimwise.text.writer.network import END, MOST_STEPS, OF_STEP, STEPPED, Array, Choice, Network, Progress

SHARE_TO_DROP = 0.2
"""Finished sentences are removed once they make up more than this share of the batch."""


@dataclass
class _Step:
    """What was chosen at one step, for each sentence that was unfinished then.

    Attributes:
        sentence: index of each sentence, ascending ``[sentences]``.
        origin: the prefix that was continued ``[sentences, beams]``.
        firsts: first of the choices ``[sentences, beams]``.
        lasts: last of the choices ``[sentences, beams]``.
        gain: log-probability of the choices ``[sentences, beams]``.
        states: states of the prefixes before ``[sentences, beams before, size]``.
        claim: number of complete claims before ``[sentences, beams before]``.
    """

    sentence: Array
    origin: Array
    firsts: Array
    lasts: Array
    gain: Array
    states: Array
    claim: Array


def search(network: Network, encoded: dict[str, Array], width: int) -> tuple[list[list[Choice]], list[Array]]:
    """Return the likeliest choices for each sentence, and what the critic reads of their claims.

    ``END`` is omitted; if it was not reached, there are ``MOST_STEPS`` choices. At each step, ``width``
    prefixes of each sentence are kept, as many as the network offers.
    """
    count, own = len(encoded["words"]), len(network.vocabulary)
    layers, _, _, heads, words, size = encoded["memories"].shape
    progress = Progress((count, 1), words, own)
    sentence, likely = np.arange(count), np.zeros((count, 1), np.float32)
    firsts = lasts = np.full((count, 1), -1)
    past = np.empty((layers, 2, count, 1, heads, 0, size), np.float32)
    steps: list[_Step] = []
    ends: dict[int, int] = {}  # sentence → the step after which its likeliest prefix was finished
    while len(sentence):
        beams = firsts, lasts, progress.in_claim, progress.claim, progress.last, progress.hints, past
        inputs: dict[str, Any] = {**encoded, **dict(zip(OF_STEP[-len(beams) :], beams, strict=True))}
        states, of_first, first, of_last, end, past = network.step.run(inputs, STEPPED)
        offers, last = _offers(likely, firsts, of_first, first, of_last, end, own)
        chosen = np.argsort(-offers, axis=1, kind="stable")[:, : min(width, offers.shape[1])]
        spans = last.shape[-1]  # the offers are in the order of prefixes, first words and last words
        origin = chosen // (spans * first.shape[-1])
        has_ended = np.take_along_axis(firsts == END, origin, 1)
        before = np.take_along_axis(likely, origin, 1)
        likely = np.take_along_axis(offers, chosen, 1)
        firsts = np.take_along_axis(first.reshape(len(first), -1), chosen // spans, 1)
        firsts = np.where(has_ended, END, firsts)
        lasts = np.take_along_axis(last.reshape(len(last), -1), chosen, 1)
        lasts = np.where(has_ended, -1, lasts)
        steps.append(_Step(sentence, origin, firsts, lasts, likely - before, states, progress.claim))
        rows = np.arange(len(sentence))[:, None]
        # The past is by far the largest array, so it is copied only if a prefix changes its place.
        if origin.shape[1] != past.shape[3] or (origin != np.arange(origin.shape[1])).any():
            past = past[:, :, rows, origin]
        progress.take(rows, origin)
        progress.go_on(firsts, lasts)

        # A sentence is finished when its likeliest prefix has ended: no other prefix can overtake it, because
        # a further choice never makes a prefix likelier.
        is_finished = firsts[:, 0] == END
        if len(steps) == MOST_STEPS:
            is_finished[:] = True
        elif not is_finished.all() and is_finished.mean() <= SHARE_TO_DROP:
            continue
        ends.update(dict.fromkeys(sentence[is_finished].tolist(), len(steps)))
        kept = np.flatnonzero(~is_finished)
        sentence, likely, firsts, lasts = sentence[kept], likely[kept], firsts[kept], lasts[kept]
        past = past[:, :, kept]
        progress.take(kept)
        encoded = {
            name: array[:, :, kept] if name == "memories" else array[kept] for name, array in encoded.items()
        }
    traced = [_traced(steps[: ends[number]], number) for number in range(count)]
    return [choices for choices, _ in traced], [read for _, read in traced]


def _offers(
    likely: Array, firsts: Array, of_first: Array, first: Array, of_last: Array, end: Array, own: int
) -> tuple[Array, Array]:
    """Return the log-probability of each continuation ``[sentences, continuations]``, and its last word."""
    is_span = (first >= own)[..., None]
    # A word of the network's own has no last word, so it is offered once.
    only_first = np.array([0.0, *[-np.inf] * (end.shape[-1] - 1)], np.float32)
    offers = likely[..., None, None] + of_first[..., None] + np.where(is_span, of_last, only_first)
    # A finished prefix continues with END at no cost.
    has_ended = firsts == END
    offers[has_ended] = -np.inf
    offers[..., 0, 0] = np.where(has_ended, likely, offers[..., 0, 0])
    return offers.reshape(len(offers), -1), np.where(is_span, end, -1)


def _traced(steps: list[_Step], sentence: int) -> tuple[list[Choice], Array]:
    """Return the choices of a sentence's likeliest prefix, and what the critic reads of its claims.

    See ``Network.faults``.
    """
    beam = 0
    choices, states, gains, claims = [], [], [], []
    for step in reversed(steps):
        row = int(np.searchsorted(step.sentence, sentence))
        origin = int(step.origin[row, beam])
        choices.append(Choice(int(step.firsts[row, beam]), int(step.lasts[row, beam])))
        gains.append(step.gain[row, beam])
        states.append(step.states[row, origin])
        claims.append(int(step.claim[row, origin]))
        beam = origin
    choices.reverse()
    firsts = [choice.first for choice in choices]
    used = firsts.index(END) + 1 if END in firsts else len(firsts)
    state, gain = np.stack(states[::-1])[:used], np.array(gains[::-1], np.float32)[:used]
    claim = np.array(claims[::-1])[:used]
    read = []
    for number in range(claim[-1] + 1):
        own, sure = state[claim == number], gain[claim == number]
        read.append(np.concatenate([own.mean(0), own[-1], [sure.sum(), sure.min()]]))
    return [choice for choice in choices if choice.first != END], np.array(read, np.float32)
