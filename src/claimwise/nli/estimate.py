"""What a run would ask of a judge, counted before anything is sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from claimwise.labels import NEUTRAL
from claimwise.nli.llm import WAYS, Way, block_parts
from claimwise.nli.options import JudgeOptions
from claimwise.nli.pairs import Pairs
from claimwise.nli.prompts import JudgePrompt
from claimwise.nli.protocol import Example, Judge, Judgements, Pair

CHARACTERS_PER_TOKEN = 4
"""Of English text, about."""

TOKENS_OF_LABEL = 3
TOKENS_AROUND = 12
"""Of a message's frame, and of an answer's."""

TEI_BATCH = 32
"""Pairs that a server takes in a request unless it was started with another limit."""


@dataclass
class Cost:
    """What one way of asking takes.

    Attributes:
        judge: which, and how it is asked.
        requests: to it.
        input_tokens: about; 0 where it does not count them.
        output_tokens: about.
    """

    judge: str
    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def money(self, price_in: float, price_out: float) -> float:
        """Return the price, given that of a million input and output tokens."""
        return (self.input_tokens * price_in + self.output_tokens * price_out) / 1e6


class CountingJudge:
    """Judges nothing: says neutral of everything, and counts what real judges would be asked.

    A pair that comes up in several calls is counted in each.

    Args:
        options: of the real judge, or of several.
    """

    fingerprint = "counting"
    has_logits = True

    def __init__(self, options: JudgeOptions) -> None:
        self.pairs = 0
        self.signature = {"nli_model": "counting"}
        self._samples = options.samples
        self._prompt = JudgePrompt.read(options.judge_prompt, option="judge_prompt")
        given = options.nli_model
        judges = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else [given]
        self.costs: list[Cost] = []
        self._chats: list[tuple[Way, Cost]] = []
        self._servers: list[Cost] = []
        for judge in judges:
            name = _name(judge)
            kind = name.partition(":")[0] if isinstance(judge, str) else ""
            if kind == "openai":
                for way in WAYS if options.ask is None else (options.ask,):
                    cost = Cost(f"{name}, asked in {'pairs' if way == 'pairs' else 'blocks'}")
                    self._chats.append((way, cost))  # type: ignore[arg-type]
                    self.costs.append(cost)
            else:
                self.costs.append(Cost(name))
                if kind == "tei":
                    self._servers.append(self.costs[-1])

    def predict_pairs(self, pairs: Sequence[Pair]) -> Judgements:
        """Count pairs that are asked on their own: in blocks, the premises of a hypothesis go together."""
        by_hypothesis: dict[str, list[str]] = {}
        for premise, hypothesis in pairs:
            by_hypothesis.setdefault(hypothesis, []).append(premise)
        self._count([(premises, [hypothesis]) for hypothesis, premises in by_hypothesis.items()])
        return _neutral(len(pairs))

    def predict_blocks(self, examples: Sequence[Example]) -> list[Judgements]:
        """Count examples."""
        distinct = {(tuple(premises), tuple(hypotheses)): None for premises, hypotheses in examples}
        self._count(list(distinct))
        return [_neutral(len(premises), len(hypotheses)) for premises, hypotheses in examples]

    def _count(self, examples: Sequence[Example]) -> None:
        pairs = list(Pairs.crossed(examples).distinct()[0])
        self.pairs += len(pairs)
        for cost in self._servers:
            cost.requests += -(-len(pairs) // TEI_BATCH)
        for way, cost in self._chats:
            if way == "pairs":
                for pair in pairs:
                    self._add(cost, self._prompt.of_pair(*pair), 1)
            else:
                for number, rows, columns in block_parts(examples):
                    premises, hypotheses = examples[number][0][rows], examples[number][1][columns]
                    messages = self._prompt.of_block(premises, hypotheses)
                    self._add(cost, messages, len(premises) * len(hypotheses))

    def _add(self, cost: Cost, messages: Sequence[Any], verdicts: int) -> None:
        characters = sum(len(message["content"]) for message in messages)
        cost.requests += self._samples
        cost.input_tokens += self._samples * (characters // CHARACTERS_PER_TOKEN + TOKENS_AROUND)
        cost.output_tokens += self._samples * (verdicts * TOKENS_OF_LABEL + TOKENS_AROUND)


def _name(judge: str | Judge) -> str:
    """Return the name of a judge without an address, which may hold secrets."""
    if not isinstance(judge, str):
        return str(judge.signature.get("nli_model", type(judge).__name__))
    if judge.startswith("tei:"):
        return "tei"
    return judge.partition("@http")[0]


def _neutral(*shape: int) -> Judgements:
    probabilities = np.zeros((*shape, 3), dtype=np.float32)
    probabilities[..., NEUTRAL] = 1
    return Judgements(probabilities, np.zeros(shape, dtype=np.bool_), logits=probabilities)
