"""A chat model as a judge, behind any OpenAI-compatible endpoint.

There are two modes. ``"pairs"``: one pair per request; if the endpoint returns log probabilities of tokens,
the probabilities are those of the label tokens. ``"block"``: all premises of an example against all its
hypotheses in one request, answered as JSON, for a fraction of the tokens.
"""

from __future__ import annotations

import itertools
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from claimwise.cache import AnswerCache
from claimwise.errors import ClaimwiseError, warn
from claimwise.http.remote import shorten
from claimwise.labels import LABELS, NEUTRAL
from claimwise.llm.client import ChatModel, Question
from claimwise.llm.completion import Completion
from claimwise.llm.costs import Cost
from claimwise.llm.prompts import PromptText, chat
from claimwise.nli.crossing import gather
from claimwise.nli.pairs import Ints, Pairs
from claimwise.nli.prompts import (
    DEFAULT_PROMPT,
    block_message,
    block_schema,
    pair_message,
    read_block,
    read_pair,
)
from claimwise.nli.protocol import Example, Judgements, Pair
from claimwise.options import check
from claimwise.signature import exact, parts_fingerprint

Way = Literal["pairs", "block"]
WAYS: tuple[Way, ...] = ("pairs", "block")
TOP_LOGPROBS = 10
TOKENS = {"pairs": 32, "block": 4096}
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

    Raises:
        ClaimwiseError: for an invalid option, a missing key, or an unreadable prompt file.
    """

    ask: Way | None = None
    samples: int = 1
    temperature: float | None = None
    prompt: str | os.PathLike[str] | None = None

    @staticmethod
    def answers(path: str | os.PathLike[str], option: str = "score_cache") -> AnswerCache[Answer]:
        """Return the SQLite cache of answers."""
        return AnswerCache(path, _is_answer, expected="a verdict", table="verdicts", option=option)

    def __post_init__(self) -> None:
        check("samples", self.samples, at_least=1)
        if self.ask is not None:
            check("ask", self.ask, choices=WAYS)
        if self.temperature is None:
            self.temperature = 0.0 if self.samples == 1 else SAMPLING_TEMPERATURE
        if self.samples > 1 and self.temperature == 0:
            raise ClaimwiseError(
                f"samples = {self.samples} at temperature 0 returns the same answer {self.samples} times.",
                "Omit samples, or raise the temperature.",
                option="samples",
            )
        super().__post_init__()
        self._prompt = PromptText.read(self.prompt, DEFAULT_PROMPT)

    @property
    def way(self) -> Way | None:
        """The mode; None = not yet known, see ``probe``."""
        if self.ask is not None or self.tells_logprobs is None:
            return self.ask
        return "pairs" if self.tells_logprobs else "block"

    def probe(self) -> Way:
        """Return the mode; unless it is known, a test question to the endpoint determines it.

        Called by ``claimwise.nli.load`` and before the first question: no property sends a request.

        Raises:
            ClaimwiseError: if the endpoint fails.
        """
        if (way := self.way) is not None:
            return way

        (outcome,) = self.ask_all([self._probe()])
        self.tells_logprobs = outcome.answer == [True]
        return self.probe()

    def _probe(self) -> Question[Answer]:
        def read(completion: Completion) -> Answer:
            return [completion.logprobs is not None]

        return replace(self._question(PROBE, "pairs"), key=("way", *map(list, PROBE)), read=read)

    @property
    def fingerprint(self) -> str:
        """Distinguishes this judge's answers from those of any other judge; final once ``way`` is known."""
        return f"chat-{parts_fingerprint([*self._depends_on, self._prompt.text, self.way, self.samples])}"

    @property
    def signature(self) -> dict[str, str]:
        """The judge's entries in a metric's signature; final once ``way`` is known."""
        return {
            "nli_model": self.name,
            "judge_url": self.endpoint.name,
            "judge_ask": self.way or "unknown",
            "judge_samples": str(self.samples),
            "judge_temperature": exact(self.temperature or 0),
            "judge_prompt": self._prompt.name,
        }

    def costs(self, examples: Sequence[Example], score_cache: str | os.PathLike[str] | None) -> list[Cost]:
        """Return the cost of judging examples, in the given mode or in both; nothing is sent.

        Args:
            examples: (premises, hypotheses) each.
            score_cache: a cache file whose answers cost nothing.
        """
        is_kept = score_cache is not None and Path(score_cache).is_file()
        judge = self.kept_in(score_cache) if is_kept else self  # type: ignore[arg-type]
        costs = []
        for way in WAYS if self.ask is None else (self.ask,):
            blocks: list[Example] = [([p], [h]) for p, h in Pairs.crossed(examples).distinct()[0]]
            if way == "block":
                blocks = [block for *_, block in block_parts(examples)]
            questions = [self._question(block, way, n) for block in blocks for n in range(self.samples)]
            asked_in = "pairs" if way == "pairs" else "blocks"
            cost = judge.cost(f"{self.name}, asked in {asked_in}", questions)
            costs.append(replace(cost, either=asked_in if self.ask is None else ""))
        return costs

    def probe_cost(self, score_cache: str | os.PathLike[str] | None) -> Cost:
        """Return the cost of the test question of ``probe``; nothing is sent."""
        is_kept = score_cache is not None and Path(score_cache).is_file()
        judge = self.kept_in(score_cache) if is_kept else self  # type: ignore[arg-type]
        return judge.cost(self.name, [] if self.way is not None else [self._probe()])

    def predict_pairs(self, pairs: Sequence[Pair]) -> Judgements:
        """Judge (premise, hypothesis) pairs, each distinct pair once."""
        return gather(self, pairs)

    def predict_batches(self, pairs: Pairs) -> Iterator[tuple[Ints, Judgements]]:
        """Yield the judgements in batches of rows.

        In blocks, the premises of one hypothesis are asked together.

        Raises:
            ClaimwiseError: if the endpoint fails permanently, or too many answers are unreadable.
            KeyboardInterrupt: on Ctrl-C, after pending requests have ended.
        """
        groups: Iterator[Ints] = (np.array([row]) for row in range(len(pairs)))
        if self.probe() == "block":
            order = np.argsort(pairs.hypotheses, kind="stable")
            of_hypotheses = np.split(order, np.flatnonzero(np.diff(pairs.hypotheses[order])) + 1)
            groups = (rows[part] for rows in of_hypotheses for part in _slices(len(rows), PREMISES_PER_BLOCK))

        def block(rows: Ints) -> Example:
            of_rows = list(pairs.at(rows))
            return [premise for premise, _ in of_rows], [of_rows[0][1]]

        for wave, scores in _Run(self, len(pairs)).waves(groups, block):
            found = np.concatenate([of_block[:, 0] for of_block in scores])
            yield np.concatenate(wave), _predictions(found)

    @property
    def predict_blocks(self) -> Callable[[Sequence[Example]], list[Judgements]]:
        """Judge all premises of an example against all its hypotheses; exists once the mode is blocks."""
        if "learned" not in self.__dict__ or self.way != "block":  # missing during unpickling
            raise AttributeError("predict_blocks")
        return self._judged_blocks

    def _question(self, block: Example, ask: Way, sample: int = 0, again: bool = False) -> Question[Answer]:
        premises, hypotheses = block
        key = (ask, self._prompt.text, list(premises), list(hypotheses), sample, again)
        if ask == "pairs":
            return Question(
                about=f"the hypothesis {shorten(hypotheses[0], 80)!r}",
                messages=chat(self._prompt.text, pair_message(premises[0], hypotheses[0])),
                key=key,
                read=read_pair,
                max_tokens=TOKENS["pairs"],
                answer_tokens=TOKENS_OF_LABEL,
                parameters={"logprobs": True, "top_logprobs": TOP_LOGPROBS},
            )

        def read(completion: Completion) -> Answer:
            return read_block(completion, len(premises), len(hypotheses))

        return Question(
            about=f"{len(premises)} premises and {len(hypotheses)} hypotheses",
            messages=chat(self._prompt.text, block_message(premises, hypotheses)),
            key=key,
            read=read,
            max_tokens=TOKENS["block"],
            answer_tokens=TOKENS_OF_LABEL * len(premises) * len(hypotheses),
            parameters={"response_format": block_schema()},
        )

    def ask_once(self, blocks: Sequence[Example], reasons: Counter[str], again: bool = False) -> list[Floats]:
        """Return ``[premises, hypotheses, 3]`` of each block, the mean of its samples; NaN = no verdict.

        Args:
            blocks: blocks, each a request, sent once per sample.
            reasons: receives the reasons why answers are unusable.
            again: whether the blocks were asked before.
        """
        way, samples = self.probe(), range(self.samples)
        questions = [self._question(block, way, sample, again) for block in blocks for sample in samples]
        outcomes = self.ask_all(questions, doing="judging", unit=" requests")
        reasons.update(outcome.unusable for outcome in outcomes if outcome.unusable)
        found = []
        for number, (premises, hypotheses) in enumerate(blocks):
            shape = len(premises), len(hypotheses), len(LABELS)
            of_block = outcomes[number * self.samples : (number + 1) * self.samples]
            scores = np.stack([_scores(outcome.answer, shape) for outcome in of_block])
            judged = ~np.isnan(scores)
            counts = judged.sum(axis=0)
            found.append(np.where(judged, scores, 0).sum(axis=0) / np.where(counts == 0, np.nan, counts))
        return found

    def _judged_blocks(self, examples: Sequence[Example]) -> list[Judgements]:
        """Return the judgements of examples, splitting large ones into several requests."""
        scores = [np.full((len(ps), len(hs), len(LABELS)), np.nan) for ps, hs in examples]
        run = _Run(self, sum(one[..., 0].size for one in scores))
        for wave, found in run.waves(block_parts(examples), lambda part: part[3]):
            for (number, rows, columns, _), of_block in zip(wave, found, strict=True):
                scores[number][rows, columns] = of_block
        return [_predictions(one) for one in scores]


class _Run:
    """One run of a judge: repeats questions without a readable answer, and stops if there are too many."""

    def __init__(self, judge: ChatJudge, total: int) -> None:
        self._judge, self._total = judge, total
        self._asked = self._unjudged = 0
        self._reasons: Counter[str] = Counter()

    def waves(
        self, parts: Iterable[Part], block: Callable[[Part], Example]
    ) -> Iterator[tuple[list[Part], list[Floats]]]:
        """Yield parts in groups, the first one small, with the scores of the blocks that they ask about.

        Warns of unjudged pairs at the end.
        """
        left, size = iter(parts), FIRST_LOOK
        while wave := list(itertools.islice(left, size)):
            yield wave, self.judge([block(part) for part in wave])
            size = WAVE
        if self._unjudged:
            warn(f"{self._said()} They count as neutral; a second run requests them again.")

    def judge(self, blocks: Sequence[Example]) -> list[Floats]:
        """Return the scores of blocks, ``[premises, hypotheses, 3]``; NaN = unjudged.

        Raises:
            ClaimwiseError: where no answer could be read so far, or the run is sure to have too many.
        """
        found = self._judge.ask_once(blocks, self._reasons)
        lacking = [
            (place, columns)
            for place, scores in enumerate(found)
            if (columns := np.flatnonzero(np.isnan(scores).any(axis=(0, 2))).tolist())
        ]
        if lacking:
            again = [(blocks[p][0], [blocks[p][1][column] for column in columns]) for p, columns in lacking]
            second = self._judge.ask_once(again, Counter(), again=True)
            for (place, columns), scores in zip(lacking, second, strict=True):
                first = found[place][:, columns]
                found[place][:, columns] = np.where(np.isnan(first), scores, first)
        self._asked += sum(scores[..., 0].size for scores in found)
        self._unjudged += sum(int(np.isnan(scores[..., 0]).sum()) for scores in found)
        none = self._asked and self._unjudged == self._asked
        if none or self._unjudged > MOST_UNJUDGED * self._total:
            other = "block" if self._judge.way == "pairs" else "pairs"
            kept = f" All answers so far are kept in {cache.path}." if (cache := self._judge._cache) else ""
            raise ClaimwiseError(self._said(), f"Try another model or prompt=, or ask={other!r}.{kept}")
        return found

    def _said(self) -> str:
        reasons = ", ".join(f"{count} {reason}" for reason, count in self._reasons.most_common(4))
        of_answers = f" (answers: {reasons})" if reasons else ""
        return (
            f"The judge {self._judge.name!r} gave no readable verdict for {self._unjudged} of "
            f"{self._asked} pairs{of_answers}."
        )


def _is_answer(value: object) -> bool:
    if not isinstance(value, list) or not value:
        return False
    if value in ([True], [False]):
        return True
    if all(type(one) is float for one in value):
        return len(value) == len(LABELS) and min(value) >= 0 and abs(sum(value) - 1) < 1e-6
    rows = all(isinstance(row, list) for row in value)
    return rows and all(label is None or label in LABELS for row in value for label in row)


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


def _predictions(scores: Floats) -> Judgements:
    """Return scores ``[…, 3]`` as judgements; pairs without a verdict are neutral and marked."""
    unjudged = np.isnan(scores[..., 0])
    scores = np.where(unjudged[..., np.newaxis], np.eye(len(LABELS))[NEUTRAL], scores)
    return Judgements(scores.astype(np.float32), np.zeros(unjudged.shape, dtype=np.bool_), unjudged=unjudged)


def block_parts(examples: Sequence[Example]) -> list[tuple[int, slice, slice, Example]]:
    """Return the requests for examples: example, slices of its premises and hypotheses, and their texts."""
    return [
        (number, rows, columns, (premises[rows], hypotheses[columns]))
        for number, (premises, hypotheses) in enumerate(examples)
        for rows in _slices(len(premises), PREMISES_PER_BLOCK)
        for columns in _slices(len(hypotheses), VERDICTS_PER_BLOCK // min(len(premises), PREMISES_PER_BLOCK))
    ]


def _slices(length: int, size: int) -> list[slice]:
    return [slice(start, start + size) for start in range(0, length, size)]
