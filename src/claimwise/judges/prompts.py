"""Prompts for a chat model as a judge, and the parsing of its answers."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import Any

from claimwise.labels import LABELS
from claimwise.llm.completion import Completion, UnusableAnswerError

DEFAULT_PROMPT = """\
You judge whether a premise supports a hypothesis, from what the premise says and nothing else.
entailment: who believes the premise must believe the hypothesis.
contradiction: both cannot be true of the same thing. Two statements about the same aspect of it that \
exclude each other contradict, also where they are opinions.
neutral: neither; the premise says nothing about it, or leaves it open.
Do not use what you know of the world beyond the meaning of words. Take both to be about the same thing, \
place or person, at the same time.
premise: The pool is heated all year.
hypothesis: Guests can swim in warm water in winter.
entailment
premise: The pool is heated all year.
hypothesis: The pool is ice-cold.
contradiction
premise: The pool is heated all year.
hypothesis: The pool is large.
neutral"""
ONE_WORD = "Answer with one word: entailment, neutral or contradiction."
AS_JSON = (
    "Judge every premise with every hypothesis. Answer with JSON alone: for each hypothesis, in order, its "
    'number and a list with one label for each premise, in order: {"verdicts": [{"hypothesis": 1, '
    '"labels": ["neutral", "entailment"]}]}'
)

Labels = list[list[str | None]]
"""``[hypotheses, premises]``, names of labels; None = not readable."""


def pair_message(premise: str, hypothesis: str) -> str:
    """Return the message that asks for one verdict."""
    return f"premise: {premise}\nhypothesis: {hypothesis}\n\n{ONE_WORD}"


def block_message(premises: Sequence[str], hypotheses: Sequence[str]) -> str:
    """Return the message that asks for all verdicts of a block, as JSON."""
    lines = [f"premise {number}: {text}" for number, text in enumerate(premises, 1)]
    lines += [f"hypothesis {number}: {text}" for number, text in enumerate(hypotheses, 1)]
    return "\n".join([*lines, "", AS_JSON])


def block_schema() -> dict[str, Any]:
    """Return the request parameter for a block's verdicts as JSON."""
    labels = {"type": "array", "items": {"type": "string", "enum": list(LABELS)}}
    verdict = _object(hypothesis={"type": "integer"}, labels=labels)
    schema = _object(verdicts={"type": "array", "items": verdict})
    return {"type": "json_schema", "json_schema": {"name": "verdicts", "strict": True, "schema": schema}}


def _object(**properties: object) -> dict[str, object]:
    """Return the JSON schema of an object with exactly these properties."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def read_pair(completion: Completion) -> list[float]:
    """Return three probabilities: from the label tokens if the server returns them, else 1 for the verdict.

    Raises:
        UnusableAnswerError: if there is no verdict.
    """
    for alternatives in completion.logprobs or []:
        weights = [0.0] * len(LABELS)
        for token, logprob in alternatives:
            if (index := _label_begun(token)) is not None:
                weights[index] += math.exp(logprob)
        if sum(weights) > 0.5:  # the verdict; any tokens before it are white space or chat
            return [weight / sum(weights) for weight in weights]
    verdict = _verdict(completion.text)
    if verdict is None:
        raise UnusableAnswerError("cut off at max_tokens" if completion.is_cut_off else "without a verdict")
    return [float(label == verdict) for label in LABELS]


def read_block(completion: Completion, premises: int, hypotheses: int) -> Labels:
    """Return the labels of a block; missing or invalid labels are None.

    Raises:
        UnusableAnswerError: if there is no label.
    """
    text = completion.whole_text
    start, end = text.find("{"), text.rfind("}")
    try:
        answer = json.loads(text[start : end + 1])
    except (ValueError, RecursionError):
        raise UnusableAnswerError("not JSON") from None
    labels: Labels = [[None] * premises for _ in range(hypotheses)]
    verdicts = answer.get("verdicts") if isinstance(answer, dict) else None
    for verdict in verdicts if isinstance(verdicts, list) else []:
        match verdict:
            case {"hypothesis": int(number), "labels": list(names)} if 1 <= number <= hypotheses:
                if len(names) == premises:  # else they cannot be assigned
                    cleaned = [str(name).strip().lower() for name in names]
                    labels[number - 1] = [name if name in LABELS else None for name in cleaned]
    if not any(label for row in labels for label in row):
        raise UnusableAnswerError("without a verdict")
    return labels


def is_answer(value: object) -> bool:
    """Return whether a value can be a cached answer: of a test question, about a pair, or about a block."""
    if not isinstance(value, list) or not value:
        return False
    if value in ([True], [False]):
        return True
    if all(type(element) is float for element in value):
        return len(value) == len(LABELS) and min(value) >= 0 and abs(sum(value) - 1) < 1e-6
    rows = all(isinstance(row, list) for row in value)
    return rows and all(label is None or label in LABELS for row in value for label in row)


def _label_begun(token: str) -> int | None:
    """Return the index of the label that begins with a token; initial letters are distinct."""
    word = token.strip(" \t\n\"'*▁Ġ").lower()
    return next((index for index, label in enumerate(LABELS) if word and label.startswith(word)), None)


def _verdict(text: str) -> str | None:
    """Return the label at the beginning of an answer, if the answer names no other label."""
    words: list[str] = re.findall(r"[a-z]+", text.lower())
    if words[:1] and words[0] in ("answer", "label", "verdict"):
        words = words[1:]
    if words[:1] and words[0] in LABELS and not {*words} & {*LABELS} - {words[0]}:
        return words[0]
    return None
