"""How a chat endpoint answers the questions of a judge, in the shapes that real ones have; by words."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any

from chat_endpoint import Reply, Request, completion
from judges import probabilities

LABELS = ("entailment", "neutral", "contradiction")
RECORDED = ((" ent", -0.01), ("Ent", -0.5), ("E", -1.5), (" neutral", -2.0), ("contr", -3.0), ("The", -4.0))
"""Tokens in the place of a verdict, as servers tell them."""


def verdict(premise: str, hypothesis: str) -> str:
    scores = probabilities(premise, hypothesis)
    return LABELS[scores.index(max(scores))]


def asked(request: Request) -> tuple[list[str], list[str]]:
    """Return the premises and hypotheses of a question."""
    text = request.body["messages"][-1]["content"]

    def found(role: str) -> list[str]:
        return re.findall(rf"(?m)^{role}(?: \d+)?: (.*)$", text)

    return found("premise"), found("hypothesis")


def is_block(request: Request) -> bool:
    return "JSON" in request.body["messages"][-1]["content"]


def used(reply: Reply, prompt_tokens: int = 100, completion_tokens: int = 5) -> Reply:
    body = json.loads(reply.body)
    body["usage"] = {"prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens}
    return Reply(json.dumps(body).encode())


def answer_by_words(request: Request) -> Reply:
    """Answer blocks with JSON, and pairs with the verdict, without log probabilities."""
    premises, hypotheses = asked(request)
    if is_block(request):
        verdicts = [
            {"hypothesis": number, "labels": [verdict(premise, hypothesis) for premise in premises]}
            for number, hypothesis in enumerate(hypotheses, 1)
        ]
        return used(completion(json.dumps({"verdicts": verdicts})))
    return used(completion(verdict(premises[0], hypotheses[0])))


def answer_with_logprobs(request: Request) -> Reply:
    """Answer pairs with log probabilities; a token before the verdict says nothing."""
    premises, hypotheses = asked(request)
    scores = probabilities(premises[0], hypotheses[0])
    first = {"token": "\n", "top_logprobs": [{"token": "\n", "logprob": -0.01}]}
    tokens = {"token": "x", "top_logprobs": top_logprobs(scores)}
    message = {"role": "assistant", "content": f"\n{verdict(premises[0], hypotheses[0])}"}
    choice = {"finish_reason": "stop", "message": message, "logprobs": {"content": [first, tokens]}}
    return used(Reply(json.dumps({"choices": [choice]}).encode()))


def top_logprobs(scores: Any) -> list[dict[str, Any]]:
    begun = ((" Ent", "E"), (" neutral", "neu"), ("contr", " Contradiction"))
    return [
        {"token": token, "logprob": math.log(0.98 * share * score) if score else -9999.0}
        for tokens, score in zip(begun, scores, strict=True)
        for token, share in zip(tokens, (0.75, 0.25), strict=True)
    ] + [{"token": "The", "logprob": math.log(0.02)}]


def sometimes(wrong: Callable[[Request], Reply | None]) -> Callable[[Request], Reply]:
    """Answer by words, but where ``wrong`` says something."""
    return lambda request: wrong(request) or answer_by_words(request)
