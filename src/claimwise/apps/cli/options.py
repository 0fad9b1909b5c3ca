"""Flags made from option groups: declared once, in the groups, and never again per command."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, fields
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from claimwise.errors import ClaimwiseError
from claimwise.options import OptionGroup, parsed

Command = Callable[..., None]

Workers = Annotated[
    int, typer.Option(help="Processes that score in parallel, with one copy of the model.", min=1)
]
RunnerName = Annotated[
    str,
    typer.Option(help="Where they run: local (this machine) or ray (a Ray cluster, one model per worker)."),
]
Address = Annotated[
    str | None,
    typer.Option(help="Address of the Ray cluster: auto or host:port (default: start one on this machine)."),
]
OnErrorName = Annotated[
    str, typer.Option(help="For a row that cannot be scored: stop, or row (record the error, no score).")
]


@dataclass(frozen=True)
class Flag:
    """A flag of the command line that is an option of a metric.

    Attributes:
        option: its name in Python; the flag is called alike.
        help: of the flag.
        kind: what typer reads it as.
        is_list: names divided by commas.
        is_repeated: may be given several times.
    """

    option: str
    help: str
    kind: type = str
    is_list: bool = False
    is_repeated: bool = False

    @classmethod
    def of(cls, field: Field[Any]) -> Flag:
        """Return the flag of an option that declares one."""
        declared = str(field.type)
        return cls(
            option=field.name,
            help=field.metadata["flag"],
            kind=Path if "Path" in declared else int if declared == "int" else str,
            is_list=declared.startswith("Sequence[str]"),
            is_repeated="| Sequence[" in declared,
        )

    def parameter(self) -> inspect.Parameter:
        """Return the parameter from which typer makes the flag."""
        info = typer.Option(_flag(self.option), help=self.help, show_default=False)
        kind: Any = list[self.kind] if self.is_repeated else self.kind  # type: ignore[name-defined]
        return _parameter(self.option, Annotated[kind | None, info])

    def value(self, given: Any) -> Any:
        """Return what was given as the option takes it; None if nothing was."""
        if self.is_repeated and given is not None:
            return (given[0] if len(given) == 1 else list(given)) if given else None
        return given.split(",") if self.is_list and given is not None else given


OWN = {"judge": "nli_model", "decomposer": "decomposer", "model": "model"}
"""What has options of its own, and the option that names it."""


def takes_options(
    *groups: type[OptionGroup],
    own: tuple[Flag, ...] = (),
    leave_out: tuple[str, ...] = (),
    further: bool = False,
) -> Callable[[Command], Command]:
    """Give a command the flags of option groups; it gets those that were given as the dict ``options``.

    A judge or a decomposer among the options has ``--judge-option`` or ``--decomposer-option NAME=VALUE``,
    with which it is made: the command gets the object. One that the command takes in another way gets
    these as ``judge_options``.

    Args:
        *groups: their options that declare a flag have one here.
        own: flags of the command's own.
        leave_out: options of the groups that the command does not take.
        further: ``--option name=value`` gives any other option.

    An error that names an option says what the user typed for it.
    """
    declared = [field for group in groups for field in fields(group) if field.metadata.get("flag")]
    flags = {flag.option: flag for flag in (*map(Flag.of, declared), *own) if flag.option not in leave_out}
    named = {kind: option for kind, option in OWN.items() if any(one.name == option for one in declared)}
    assigning = {f"{kind}_option": f"An option of the {kind}'s own, as name=value" for kind in named}
    if further:
        assigning["option"] = "Any further option of the metric, as name=value"

    def decorate(command: Command) -> Command:
        signature = inspect.signature(command, eval_str=True)
        own_parameters = (one for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD)
        parameters = [one for one in own_parameters if one.name != "options"]
        parameters += [flag.parameter() for flag in flags.values()]
        parameters.append(_parameter("context", typer.Context))
        for name, help_text in assigning.items():
            info = typer.Option(_flag(name), help=f"{help_text}; may be repeated.", show_default=False)
            parameters.append(_parameter(name, Annotated[list[str] | None, info]))

        @wraps(command)
        def run(context: typer.Context, **arguments: Any) -> None:
            arguments |= context.meta.get("arguments", {})
            assigned = {name: parsed(arguments.pop(name) or [], _flag(name)) for name in assigning}
            options = given({name: flag.value(arguments.pop(name)) for name, flag in flags.items()})
            options |= assigned.get("option", {})
            try:
                for kind, option in named.items():
                    of_it, chosen = assigned[f"{kind}_option"], options.get(option)
                    if of_it and (option not in flags or kind == "model"):
                        options[f"{kind}_options"] = of_it
                    elif of_it and kind == "judge":
                        from claimwise.nli.loading import make_judges

                        judges = make_judges("default" if chosen is None else chosen, of_it)
                        options[option] = judges if len(judges) > 1 else judges[0]
                    elif of_it:
                        from claimwise.text.claims import load_decomposer

                        options[option] = load_decomposer(*([] if chosen is None else [chosen]), **of_it)
                command(options=options, **arguments)
            except ClaimwiseError as error:
                typed = _typed(error.option, context, assigned)
                raise error.at(problem=f"{typed}{error.problem}") from error

        vars(run)["__signature__"] = signature.replace(parameters=parameters)
        run.__annotations__ = {one.name: one.annotation for one in parameters}
        return run

    return decorate


def given(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that were given; None stands for one that was not."""
    return {name: value for name, value in options.items() if value is not None}


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _parameter(name: str, annotation: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def _typed(option: str | None, context: typer.Context, assigned: Mapping[str, Mapping[str, Any]]) -> str:
    """Return what a user of the command types for an option, to begin a message; empty if that is nothing."""
    if option is None:
        return ""
    for name, options in assigned.items():
        if option in options:
            return f"{_flag(name)} {option}=…: "
    opts = {one.name: one.opts[0] for one in context.command.get_params(context)}
    if option in opts:
        return f"{opts[option] if opts[option].startswith('-') else option.upper()}: "
    return f"--option {option}=…: " if "option" in opts else ""
