"""A chat model as a judge, behind any OpenAI-compatible endpoint.

There are two modes, each a class; ``ChatJudge.probe`` returns the one that suits the endpoint.

- ``ChatPairJudge``: one pair per request; if the endpoint returns log probabilities of tokens, the
  probabilities are those of the label tokens;
- ``ChatBlockJudge``: all premises of an example against all its hypotheses in one request, answered as JSON,
  for a fraction of the tokens.
"""

from __future__ import annotations

import itertools
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from claimwise.cache import AnswerCache
from claimwise.errors import ClaimwiseError, warn
from claimwise.http.remote import shorten
from claimwise.judges.crossing import gather
from claimwise.judges.pairs import Ints, Pairs
from claimwise.judges.prompts import (
    DEFAULT_PROMPT,
    block_message,
    block_schema,
    is_answer,
    pair_message,
    read_block,
    read_pair,
)
from claimwise.judges.protocol import Example, Judgements, Pair
from claimwise.labels import LABELS, NEUTRAL
from claimwise.llm.client import ChatModel, Question
from claimwise.llm.completion import Completion
from claimwise.llm.costs import Cost
from claimwise.llm.prompts import PromptText, chat
from claimwise.options import check
from claimwise.signature import exact, parts_fingerprint

Mode = Literal["pairs", "block"]
TOP_LOGPROBS = 10
TOKENS_OF_LABEL = 3
PREMISES_PER_BLOCK = 25
VERDICTS_PER_BLOCK = 150
"""Longer lists of labels make a model lose count."""

FIRST_LOOK = 16
"""The run stops after this many questions if none had a readable answer."""

MOST_UNJUDGED = 0.2
WAVE = 1024
SAMPLING_TEMPERATURE = 0.7
PROBE = (["The pool is heated all year."], ["The pool is warm."])

Answer = list[Any]
"""Three probabilities of a pair, or the labels of a block, ``[hypotheses, premises]``."""

Floats = npt.NDArray[np.float64]
Part = TypeVar("Part")
"""Which part of the results a request is about."""


@dataclass(kw_only=True, eq=False, repr=False)
class ChatJudge(ChatModel[Answer]):
    """Asks a chat model for verdicts.

    A pair without a readable answer is asked once more; if that fails, it counts as neutral and is marked as
    unjudged. The run stops if no answer is readable, or more than a fifth of its answers are not.

    Args:
        ask: `"pairs"` (one pair per request) or `"block"` (all claims of one text against all of another);
            None = pairs if the endpoint returns log probabilities, else blocks; a test question determines
            which.
        samples: number of times each question is asked; the probabilities are the mean of the answers.
        temperature: from 0 to 2; None = 0, or 0.7 for several samples.
        prompt: path of a UTF-8 text file that explains the labels, instead of the built-in prompt.

    Attributes:
        mode: None = not yet known, see ``probe``.

    Raises:
        ClaimwiseError: for an invalid option, a missing key, or an unreadable prompt file.
    """

    ask: Mode | None = None
    samples: int = 1
    temperature: float | None = None
    prompt: str | os.PathLike[str] | None = None

    may_abstain: ClassVar[bool] = True

    @staticmethod
    def answers(path: str | os.PathLike[str], option: str = "score_cache") -> AnswerCache[Answer]:
        """Return the SQLite cache of answers."""
        return AnswerCache(path, is_answer, expected="a verdict", table="verdicts", option=option)

    def __post_init__(self) -> None:
        check("samples", self.samples, at_least=1)
        if self.ask is not None:
            check("ask", self.ask, choices=list(MODES))
        if self.temperature is None:
            self.temperature = 0.0 if self.samples == 1 else SAMPLING_TEMPERATURE
        if self.samples > 1 and self.temperature == 0:
            raise ClaimwiseError(
                f"{self.samples} samples at temperature 0 are the same answer {self.samples} times.",
                "Leave out samples=, or raise temperature=.",
                option="samples",
            )
        super().__post_init__()
        self._prompt = PromptText.read(self.prompt, DEFAULT_PROMPT)
        self.mode = self.ask

    def probe(self) -> ModeJudge:
        """Return this judge in its mode; unless that is known, a test question determines it.

        Called by ``load_judge`` and before the first question: no property sends a request. Both
        judges count their requests together.
        """
        if self.mode is None:
            (outcome,) = self.ask_all([self._probe()])
            self.mode = "pairs" if outcome.answer == [True] else "block"
        return self._in_mode(self.mode)

    @property
    def fingerprint(self) -> str:
        """Distinguishes this judge's answers from those of any other; final once ``mode`` is known."""
        return f"chat-{parts_fingerprint([*self._depends_on, self._prompt.text, self.mode, self.samples])}"

    @property
    def signature(self) -> dict[str, str]:
        """The judge's entries in a metric's signature; final once ``mode`` is known."""
        return {
            "judge": self.name,
            "judge_url": self.endpoint.name,
            "judge_ask": self.mode or "unknown",
            "judge_samples": str(self.samples),
            "judge_temperature": exact(self.temperature or 0),
            "judge_prompt": self._prompt.name,
        }

    def costs(self, examples: Sequence[Example], score_cache: str | os.PathLike[str] | None) -> list[Cost]:
        """Return the cost of judging examples, in the known mode or in both; nothing is sent.

        The answers in the file ``score_cache`` cost nothing.
        """
        costs = []
        for mode in MODES if self.mode is None else (self.mode,):
            judge, asked_in = self._in_mode(mode), "blocks" if mode == "block" else "pairs"
            blocks = [block for _, block in judge.requests(examples)]
            questions = [judge.question(block, n) for block in blocks for n in range(self.samples)]
            cost = judge._with(score_cache).cost(f"{self.name}, asked in {asked_in}", questions)
            costs.append(replace(cost, either=asked_in if self.mode is None else ""))
        return costs

    def probe_cost(self, score_cache: str | os.PathLike[str] | None) -> Cost:
        """Return the cost of the test question of ``probe``; nothing is sent."""
        return self._with(score_cache).cost(self.name, [self._probe()] if self.mode is None else [])

    def predict_pairs(self, pairs: Sequence[Pair]) -> Judgements:
        """Judge (premise, hypothesis) pairs, each distinct pair once."""
        return gather(self, pairs)

    def predict_batches(self, pairs: Pairs) -> Iterator[tuple[Ints, Judgements]]:
        """Yield the judgements in batches of rows.

        In blocks, the premises of one hypothesis are asked together. It is an error if the endpoint fails
        permanently, or too many answers are unreadable.
        """
        judge = self.probe()
        for wave in _Run(judge, len(pairs)).waves(judge.requests_for(pairs)):
            scores = np.concatenate([block_scores[:, 0] for _, block_scores in wave])
            yield np.concatenate([rows for rows, _ in wave]), _judgements(scores)

    def _probe(self) -> Question[Answer]:
        def read(completion: Completion) -> Answer:
            return [completion.logprobs is not None]

        question = self._in_mode("pairs").question(PROBE)
        return replace(question, key=("way", *map(list, PROBE)), read=read)

    def _in_mode(self, mode: Mode) -> ModeJudge:
        # Not by the constructor: usage and cache are shared, so that both judges count and keep together.
        judge = object.__new__(MODES[mode])
        judge.__dict__ |= {**self.__dict__, "mode": mode}
        return judge

    def _with(self, score_cache: str | os.PathLike[str] | None) -> ChatJudge:
        """Return this judge with the answers of a cache file, if there is one."""
        return self if score_cache is None or not Path(score_cache).is_file() else self.kept_in(score_cache)


class ChatPairJudge(ChatJudge):
    """Asks for one pair per request."""

    def question(self, block: Example, sample: int = 0, again: bool = False) -> Question[Answer]:
        """Return the question about a block of one premise and one hypothesis.

        The number of the sample, and whether the answer before was unreadable, only distinguish questions in
        the cache.
        """
        (premise,), (hypothesis,) = block
        return Question(
            about=f"the hypothesis “{shorten(hypothesis, 80)}”",
            messages=chat(self._prompt.text, pair_message(premise, hypothesis)),
            key=("pairs", self._prompt.text, [premise], [hypothesis], sample, again),
            read=read_pair,
            max_tokens=32,
            answer_tokens=TOKENS_OF_LABEL,
            parameters={"logprobs": True, "top_logprobs": TOP_LOGPROBS},
        )

    def requests(self, examples: Sequence[Example]) -> Iterator[tuple[Ints, Example]]:
        """Yield the requests for examples; see ``requests_for``."""
        return self.requests_for(Pairs.crossed(examples).distinct()[0])

    def requests_for(self, pairs: Pairs) -> Iterator[tuple[Ints, Example]]:
        """Yield the requests for pairs: the rows of the pairs, and their texts."""
        return ((np.array([row]), ([p], [h])) for row, (p, h) in enumerate(pairs))


class ChatBlockJudge(ChatJudge):
    """Asks for all pairs of a block of premises and hypotheses in one request."""

    def question(self, block: Example, sample: int = 0, again: bool = False) -> Question[Answer]:
        """Return the question about a block; see ``ChatPairJudge.question``."""
        premises, hypotheses = block

        def read(completion: Completion) -> Answer:
            return read_block(completion, len(premises), len(hypotheses))

        return Question(
            about=f"{len(premises)} premises and {len(hypotheses)} hypotheses",
            messages=chat(self._prompt.text, block_message(premises, hypotheses)),
            key=("block", self._prompt.text, list(premises), list(hypotheses), sample, again),
            read=read,
            max_tokens=4096,
            answer_tokens=TOKENS_OF_LABEL * len(premises) * len(hypotheses),
            parameters={"response_format": block_schema()},
        )

    def requests(self, examples: Sequence[Example]) -> Iterator[tuple[tuple[int, slice, slice], Example]]:
        """Yield the requests for examples: the example, slices of its premises and hypotheses, the texts."""
        for number, (premises, hypotheses) in enumerate(examples):
            per_request = VERDICTS_PER_BLOCK // max(1, min(len(premises), PREMISES_PER_BLOCK))
            for rows in _slices(len(premises), PREMISES_PER_BLOCK):
                for columns in _slices(len(hypotheses), per_request):
                    yield (number, rows, columns), (premises[rows], hypotheses[columns])

    def requests_for(self, pairs: Pairs) -> Iterator[tuple[Ints, Example]]:
        """Yield the requests for pairs, those of one hypothesis together: rows of the pairs, and texts."""
        order = np.argsort(pairs.hypotheses, kind="stable")
        for rows in np.split(order, np.flatnonzero(np.diff(pairs.hypotheses[order])) + 1):
            for part in _slices(len(rows), PREMISES_PER_BLOCK):
                premises, hypotheses = zip(*pairs.at(rows[part]), strict=True)
                yield rows[part], (premises, hypotheses[:1])

    def predict_blocks(self, examples: Sequence[Example]) -> list[Judgements]:
        """Judge all premises of each example against all its hypotheses, in requests of limited size."""
        scores = [np.full((len(ps), len(hs), len(LABELS)), np.nan) for ps, hs in examples]
        run = _Run(self, sum(len(premises) * len(hypotheses) for premises, hypotheses in examples))
        for wave in run.waves(self.requests(examples)):
            for (number, rows, columns), block_scores in wave:
                scores[number][rows, columns] = block_scores
        return [_judgements(example_scores) for example_scores in scores]


ModeJudge = ChatPairJudge | ChatBlockJudge
MODES: dict[Mode, type[ModeJudge]] = {"pairs": ChatPairJudge, "block": ChatBlockJudge}


class _Run:
    """One run of a judge: repeats questions without a readable answer, and stops if there are too many.

    ``total`` is the number of its pairs.
    """

    def __init__(self, judge: ModeJudge, total: int) -> None:
        self._judge, self._total = judge, total
        self._asked = self._unjudged = 0
        self._reasons: Counter[str] = Counter()

    def waves(self, requests: Iterable[tuple[Part, Example]]) -> Iterator[list[tuple[Part, Floats]]]:
        """Yield the scores of blocks, ``[premises, hypotheses, 3]``, in groups, the first one small.

        NaN = unjudged; warns of unjudged pairs at the end.

        Raises:
            ClaimwiseError: where no answer could be read so far, or the run is sure to have too many such.
        """
        left, size = iter(requests), FIRST_LOOK
        while wave := list(itertools.islice(left, size)):
            scores = self._judged([block for _, block in wave])
            yield [(part, block_scores) for (part, _), block_scores in zip(wave, scores, strict=True)]
            size = WAVE
        if self._unjudged:
            warn(f"{self._summary()} They count as neutral; a second run requests them again.")

    def _judged(self, blocks: Sequence[Example]) -> list[Floats]:
        """Return the scores of blocks; hypotheses without a readable answer are asked about once more."""
        scores = self._ask(blocks, self._reasons)
        lacking = [
            (number, columns)
            for number, block_scores in enumerate(scores)
            if (columns := np.flatnonzero(np.isnan(block_scores).any(axis=(0, 2))).tolist())
        ]
        if lacking:
            again = [(blocks[n][0], [blocks[n][1][column] for column in columns]) for n, columns in lacking]
            second_scores = self._ask(again, Counter(), again=True)
            for (number, columns), second in zip(lacking, second_scores, strict=True):
                first = scores[number][:, columns]
                scores[number][:, columns] = np.where(np.isnan(first), second, first)
        self._asked += sum(block_scores[..., 0].size for block_scores in scores)
        self._unjudged += sum(int(np.isnan(block_scores[..., 0]).sum()) for block_scores in scores)
        has_no_answer = self._asked and self._unjudged == self._asked
        if has_no_answer or self._unjudged > MOST_UNJUDGED * self._total:
            other_mode = "block" if self._judge.mode == "pairs" else "pairs"
            kept = f" All answers so far are kept in {cache.path}." if (cache := self._judge._cache) else ""
            raise ClaimwiseError(self._summary(), f"Try another model or prompt=, or ask={other_mode}.{kept}")
        return scores

    def _ask(self, blocks: Sequence[Example], reasons: Counter[str], again: bool = False) -> list[Floats]:
        """Return the scores of each block, the mean of its samples; count why answers are unusable."""
        judge, samples = self._judge, self._judge.samples
        questions = [judge.question(block, n, again) for block in blocks for n in range(samples)]
        outcomes = judge.ask_all(questions, doing="judging", unit=" requests")
        reasons.update(outcome.unusable for outcome in outcomes if outcome.unusable)
        means = []
        for number, (premises, hypotheses) in enumerate(blocks):
            shape = len(premises), len(hypotheses), len(LABELS)
            block_outcomes = outcomes[number * samples : (number + 1) * samples]
            scores = np.stack([_scores(outcome.answer, shape) for outcome in block_outcomes])
            judged = ~np.isnan(scores)
            counts = judged.sum(axis=0)
            means.append(np.where(judged, scores, 0).sum(axis=0) / np.where(counts == 0, np.nan, counts))
        return means

    def _summary(self) -> str:
        reasons = ", ".join(f"{count} {reason}" for reason, count in self._reasons.most_common(4))
        answers = f" (answers: {reasons})" if reasons else ""
        return (
            f"The judge `{self._judge.name}` gave no readable verdict for {self._unjudged} of "
            f"{self._asked} pairs{answers}."
        )


def _scores(answer: Answer | None, shape: tuple[int, int, int]) -> Floats:
    """Return the answer about a block as scores of ``shape``: premises, hypotheses, labels."""
    scores = np.full(shape, np.nan)
    if answer is None:
        return scores
    if isinstance(answer[0], float):
        scores[0, 0] = answer
        return scores
    for hypothesis, labels in enumerate(answer):
        for premise, label in enumerate(labels):
            if label is not None:
                scores[premise, hypothesis] = np.eye(len(LABELS))[LABELS.index(label)]
    return scores


def _judgements(scores: Floats) -> Judgements:
    """Return scores ``[…, 3]`` as judgements; pairs without a verdict are neutral and marked."""
    unjudged = np.isnan(scores[..., 0])
    scores = np.where(unjudged[..., np.newaxis], np.eye(len(LABELS))[NEUTRAL], scores)
    return Judgements(scores.astype(np.float32), unjudged=unjudged)


def _slices(length: int, size: int) -> list[slice]:
    return [slice(start, start + size) for start in range(0, length, size)]
