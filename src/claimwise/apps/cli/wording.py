"""Messages in the words of the command line: Python's ``judge='default'`` is ``--judge default`` here."""

from __future__ import annotations

import ast
import json
import re
import shlex
from contextlib import suppress
from typing import Any

import rich_click as click

from claimwise.errors import ClaimwiseError, at_place

PARTS = ("judge", "decomposer", "model")
"""Options that name a part with options of its own."""

OF_SERVERS = {"api_key_env", "ask", "concurrency", "max_requests", "max_tokens", "prompt", "temperature"}
OF_SERVERS |= {"timeout", "url"}
"""Options that only judges, decomposers and models behind a server have."""

TYPED = "claimwise.typed"
"""Key of ``click.Context.meta``: the parameters as click parsed them."""

KEYWORD_ARGUMENT = re.compile(
    r"""(?<![\w.-])(?<!-option\ )(?<!\w\()  # neither a flag nor within a call
    (?P<name>[a-z]\w*)=
    (?P<value>'[^']*'|"[^"]*"|\[[^\]]*\]|-?\d+\.\d+|[-\w]+|…|)""",
    re.VERBOSE,
)

BARE_NAME = re.compile(r"(?<![\w`'\"./=-])(?<!, )(?<!-option )[a-z]+(?:_[a-z]+)+(?![\w`'\",:=(/])")
"""A name with an underscore in a sentence, but not in a list of names."""


def spelled(name: str) -> str:
    """Return the flag of an option, such as ``"--score-cache"``."""
    return f"--{name.replace('_', '-')}"


def error_in_flags(error: ClaimwiseError, context: click.Context) -> ClaimwiseError:
    """Return an error that names what the user typed."""
    problem, remedy = (in_flags(text, context, error.option) for text in (error.problem, error.remedy))
    flag = "" if error.option is None else _own_flag(error.option, context)
    if flag:
        problem, remedy = _naming(flag, error, problem, remedy)
    return error.at(problem=problem, remedy=remedy)


def _naming(flag: str, error: ClaimwiseError, problem: str, remedy: str) -> tuple[str, str]:
    """Return problem and remedy, at least one of which names the flag of the error's option."""
    option, name = error.option, flag.removesuffix("=")
    problem = re.sub(rf"^{option}(?=:? )|^The option `{option}`", name, problem)
    if " " not in name:
        problem = re.sub(rf"option [`'\"]{option}[`'\"]", f"option {name}", problem)
    if not error.place:  # else the name in backticks may be a column's
        in_backticks = rf"(?<!option )`{option}`"
        problem, remedy = (re.sub(in_backticks, name, text) for text in (problem, remedy))
        remedy = re.sub(rf"\b(leave|remove) {option}\b", rf"\1 {name}", remedy, flags=re.IGNORECASE)
    if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", f"{problem} {remedy}"):
        return problem, remedy
    shown = f"{name}=…" if flag.endswith("=") else name
    if error.place:  # which begins the message, so that the flag cannot
        return problem, f"{remedy} The flag is {shown}.".lstrip()
    return at_place(shown, problem), remedy


def in_flags(message: str, context: click.Context, option: str | None = None) -> str:
    """Return a message with flags in place of Python's keyword arguments.

    Args:
        message: the message.
        context: the command that runs.
        option: the option that the message is about; a part, such as the judge, has options of its own.
    """

    def as_flag(match: re.Match[str]) -> str:
        own = _own_flag(match["name"], context)
        flags = [own] if own else _other_flags(match["name"], context, option)
        return " or ".join(_with_value(flag, match["value"]) for flag in flags) or match[0]

    def as_name(match: re.Match[str]) -> str:
        own = _own_flag(match[0], context)
        flags = [own] if own else _other_flags(match[0], context, option)
        return " or ".join(flag.removesuffix("=") for flag in flags) or match[0]

    return BARE_NAME.sub(as_name, KEYWORD_ARGUMENT.sub(as_flag, message))


def _with_value(flag: str, written: str) -> str:
    """Return a flag with a value that was written as Python; nothing and ``…`` stand for any value."""
    is_assigned = flag.endswith("=")
    if written in ("", "…"):
        return f"{flag}…" if is_assigned else flag
    try:
        value: Any = ast.literal_eval(written)
    except (SyntaxError, ValueError):  # a placeholder, such as NAME
        value = written
    if is_assigned:
        return f"{flag}{shlex.quote(value) if isinstance(value, str) else json.dumps(value)}"
    if value is True:
        return flag
    typed = ",".join(shlex.quote(str(item)) for item in (value if isinstance(value, list) else [value]))
    return f"{typed} as {flag}" if flag.isupper() else f"{flag} {typed}"


def _own_flag(option: str, context: click.Context) -> str:
    """Return the flag or argument of an option in this command, or ``"--option NAME="`` if that was typed."""
    for parameter in context.command.get_params(context):
        typed = context.meta.get(TYPED, {}).get(parameter.name)
        if isinstance(typed, tuple) and any(str(value).startswith(f"{option}=") for value in typed):
            return f"{parameter.opts[0]} {option}="
    for parameter in context.command.get_params(context):
        if parameter.name == option:
            return option.upper() if isinstance(parameter, click.Argument) else parameter.opts[0]
    return ""


def _other_flags(option: str, context: click.Context, about: str | None) -> list[str]:
    """Return how else the command line sets an option: by an assignment, or by another command."""
    parameters = {parameter.name for parameter in context.command.get_params(context)}
    if "option" in parameters and option in _options_of(context.command):
        return [f"--option {option}="]
    if option in OF_SERVERS and (parts := [part for part in PARTS if f"{part}_option" in parameters]):
        typed = context.meta.get(TYPED, {})
        remote = [part for part in parts if ":" in str(typed.get(part))]
        chosen = [about] if about in parts else remote or parts
        return [f"--{part}-option {option}=" for part in chosen]
    for name, command in getattr(context.find_root().command, "commands", {}).items():
        for parameter in command.params:
            if parameter.name == option and isinstance(parameter, click.Option):
                return [f"claimwise {name} {parameter.opts[0]}"]
    return []


def _options_of(command: click.Command) -> set[str]:
    """Return the options of the groups of a command, and of all metrics."""
    from claimwise.metrics import METRICS

    names = {name for group in getattr(command, "groups", ()) for name in group.names()}
    for metric in METRICS:
        with suppress(ClaimwiseError):  # a metric of another package that cannot be imported
            names.update(METRICS[metric].Options.names())
    return names
