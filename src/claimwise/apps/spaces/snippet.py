"""The Python calls that give the scores on a page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from claimwise.apps.spaces.drawing import shown
from claimwise.apps.spaces.own_judge import OWN


def python_call(
    name: str, options: dict[str, Any], columns: dict[str, Any], score: float | None, signature: str
) -> str:
    """Return a program that computes a score again.

    Args:
        name: of the metric.
        options: given to ``evaluate.load``.
        columns: given to ``compute``.
        score: what it gives, noted as a comment.
        signature: of the score, likewise.
    """
    note = ""
    if options.get("nli_model") == OWN:
        options = {**options, "nli_model": "…"}
        note = "# The score is of this Space’s own judge. Name one that you can reach.\n"
    given = "".join(f", {option}={_literal(value)}" for option, value in options.items())
    return (
        f"# Once, where claimwise is installed: claimwise evaluate install {name}\n"
        f"import evaluate\n\n{note}"
        f'metric = evaluate.load("{name}"{given})\n'
        f"result = metric.compute(\n{_arguments(columns)})\n"
        f'print(result["{name}"])  # {shown(score, ".4g")}\n\n'
        f"# {signature}\n"
    )


def python_calls(columns: dict[str, Any], found: Mapping[str, tuple[float | None, str]]) -> str:
    """Return a program that computes the scores of several metrics again.

    Args:
        columns: given to ``compute``.
        found: the score and the signature that each metric gives, by name, noted as comments.
    """
    return (
        "# Once, where claimwise is installed: claimwise evaluate install\n"
        "import evaluate\n\n"
        f"rows = dict(\n{_arguments(columns)})\n"
        + "".join(
            f'result = evaluate.load("{name}").compute(**rows)\n'
            f'print(result["{name}"])  # {shown(score, ".4g")}\n# {signature}\n'
            for name, (score, signature) in found.items()
        )
    )


def _arguments(columns: dict[str, Any]) -> str:
    """Return columns as keyword arguments, one a line."""
    return "".join(f"    {column}={_literal(texts, 1)},\n" for column, texts in columns.items())


def _literal(value: Any, depth: int = 0) -> str:
    """Return the value as Python, lists with one element a line."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)  # a JSON string is a Python string
    if not isinstance(value, list):
        return repr(value)
    inner = "    " * (depth + 1)
    elements = "".join(f"{inner}{_literal(element, depth + 1)},\n" for element in value)
    return f"[\n{elements}{'    ' * depth}]"
