"""Cost estimates: requests to judges and decomposer, counted before anything is sent.

Judges and decomposers that cost money report it themselves (``costs``); cached pairs are not counted. The
time of a judge in this process is measured on some of the pairs.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from claimwise.errors import ClaimwiseError, without_credentials
from claimwise.judges.cache import pairs_not_kept
from claimwise.judges.loading import RUN_OPTIONS, NamedJudge, as_judge, check_options, named_judges
from claimwise.judges.options import JudgeOptions
from claimwise.judges.pairs import Pairs
from claimwise.judges.protocol import Example, Judgements, Pair
from claimwise.llm.costs import Cost, Costs
from claimwise.text.claims import BaseDecomposer, Decomposed, Decomposer

TIMED_PAIRS = 128


class CountingJudge:
    """Returns neutral for every pair, and counts what the real judges would be asked.

    A pair that occurs in several calls is counted in each. No text is sent, and no model is downloaded.

    Args:
        options: of the real judge or judges.
    """

    fingerprint = "counting"
    signature: Mapping[str, str] = {"judge": "counting"}

    def __init__(self, options: JudgeOptions) -> None:
        self.pairs = 0
        self._score_cache = options.score_cache
        self._judges = _judges_on_this_machine(options)
        self._is_filtered = options.pairs != "all"
        self._costs = Costs()
        self._sample: list[Pair] = []
        self._random = random.Random(0)
        self._characters = 0

    @property
    def has_logits(self) -> bool:
        """Whether the run's judge has logits; a model that is not on this machine is assumed to have them."""
        return not self._is_filtered and self._has("has_logits")

    @property
    def shorten(self) -> Callable[[Sequence[str], int], Sequence[str]]:
        """Truncate texts as the run's judge does; exists only if it can.

        A model that is not on this machine leaves them whole: there are as many pairs, or a few more.
        """
        if not self._has("shorten"):
            raise AttributeError("shorten")
        (judge,) = self._judges.values()
        return (lambda texts, tokens: texts) if judge is None else judge.shorten

    def _has(self, attribute: str) -> bool:
        """Return whether there is one judge, and it has the attribute; several have none of their own."""
        (*judges,) = self._judges.values()
        return len(judges) == 1 and (judges[0] is None or bool(getattr(judges[0], attribute, False)))

    def predict_pairs(self, pairs: Sequence[Pair]) -> Judgements:
        """Count individual pairs: in blocks, the premises of a hypothesis are asked together."""
        by_hypothesis: dict[str, list[str]] = {}
        for premise, hypothesis in pairs:
            by_hypothesis.setdefault(hypothesis, []).append(premise)
        self._count([(premises, [hypothesis]) for hypothesis, premises in by_hypothesis.items()])
        return Judgements.neutral(len(pairs))

    def predict_blocks(self, examples: Sequence[Example]) -> list[Judgements]:
        """Count examples."""
        distinct = {(tuple(premises), tuple(hypotheses)): None for premises, hypotheses in examples}
        self._count(list(distinct))
        return [Judgements.neutral(len(premises), len(hypotheses)) for premises, hypotheses in examples]

    def costs(self) -> list[Cost]:
        """Return the cost of each judge, and the time of judges in this process."""
        for name, judge in self._judges.items():
            cost = self._costs.get(name)
            if cost is not None and cost.pairs and getattr(judge, "offline", False):
                timed = self._sample[:TIMED_PAIRS]
                judge.predict_pairs(timed[:1])
                started = time.perf_counter()
                judge.predict_pairs(timed)
                per_character = (time.perf_counter() - started) / sum(len(p) + len(h) for p, h in timed)
                cost.seconds = per_character * self._characters * cost.pairs / max(self.pairs, 1)
        return [self._with_probe(cost) for cost in self._costs.values()]

    def _with_probe(self, cost: Cost) -> Cost:
        """Return the cost of a judge, with its test question if the run has to choose a mode."""
        total = replace(cost)
        for judge in self._judges.values():
            if cost.either and cost.name.startswith(f"{judge.name}, "):
                total.add(judge.probe_cost(self._score_cache))
        return total

    def _count(self, examples: Sequence[Example]) -> None:
        pairs = list(Pairs.crossed(examples).distinct()[0])
        self.pairs += len(pairs)
        self._characters += sum(len(premise) + len(hypothesis) for premise, hypothesis in pairs)
        self._sample += self._random.sample(pairs, min(TIMED_PAIRS, len(pairs)))
        self._random.shuffle(self._sample)
        del self._sample[8 * TIMED_PAIRS :]
        for name, judge in self._judges.items():
            if (costs := getattr(judge, "costs", None)) is not None:
                self._costs.add(costs(examples, self._score_cache))
            else:
                missing = pairs if judge is None else pairs_not_kept(judge, pairs, self._score_cache)
                self._costs.add([Cost(name, pairs=len(missing))])


class CountingDecomposer(BaseDecomposer):
    """Sends nothing: returns cached claims or whole sentences, and counts what would be asked."""

    def __init__(self, decomposer: Decomposer, name: str) -> None:
        self.signature = {"decomposer": "counting"}
        self.unknown = 0
        self._decomposer, self._name = decomposer, name
        self._costs = Costs()

    def decompose(self, sentences: Sequence[str]) -> list[Decomposed]:
        """Return the cached claims, else the sentence."""
        known: Mapping[str, Decomposed] = {}
        if (find := getattr(self._decomposer, "known", None)) is not None:
            known = find(sentences)
        unknown = [sentence for sentence in dict.fromkeys(sentences) if sentence not in known]
        self.unknown += len(unknown)
        if (costs := getattr(self._decomposer, "costs", None)) is not None:
            self._costs.add(costs(unknown))
        else:
            self._costs.add([Cost(self._name, requests=len(unknown))])
        return [known.get(sentence, Decomposed([sentence])) for sentence in sentences]

    def costs(self) -> list[Cost]:
        """Return the cost of the decomposer."""
        return list(self._costs.values())


def _judges_on_this_machine(options: JudgeOptions) -> dict[str, Any]:
    """Return the judges by name without contacting a server or downloading a model; None = not here."""
    changed = options.changed(JudgeOptions)
    own_options = {name: changed[name] for name in changed if name not in ("judge", *RUN_OPTIONS)}
    named = named_judges(options.judge)
    check_options(named, own_options)
    judges: dict[str, Any] = {}
    for judge in named:
        if not isinstance(judge, NamedJudge):
            judge = as_judge(judge)
            judges[str(getattr(judge, "name", type(judge).__name__))] = judge
            continue
        name = without_credentials(judge.text)
        if not judge.is_local:
            judges[name] = judge.made_with(own_options, {})
            continue
        judges[name] = None
        with suppress(ClaimwiseError):
            judges[name] = judge.made_with({**own_options, "local_files_only": True}, {})
    return judges
