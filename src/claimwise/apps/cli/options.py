"""Flags made from option groups, which declare each option once for all commands."""

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

INPUT, OUTPUT, CI, RUN, METRIC = "Input", "Output", "Confidence interval", "Run", "Metric"
"""Panels of ``--help``; options of a group have a panel with the name of the group."""

Workers = Annotated[
    int,
    typer.Option(
        help="Number of parallel worker processes; local workers share one copy of the model.",
        min=1,
        rich_help_panel=RUN,
    ),
]
RunnerName = Annotated[
    str,
    typer.Option(
        help="Where workers run: local (this machine) or ray (a Ray cluster, one model per worker).",
        rich_help_panel=RUN,
    ),
]
Address = Annotated[
    str | None,
    typer.Option(
        help="Address of the Ray cluster: auto or host:port (default: start one on this machine).",
        rich_help_panel=RUN,
    ),
]
Reviews = Annotated[
    Path | None,
    typer.Option(
        help="File with one review per row, whose reviews are joined to the rows by --by.",
        rich_help_panel=INPUT,
    ),
]
By = Annotated[
    str | None,
    typer.Option(
        help="Column that says what is reviewed, in the file and in --reviews; without --reviews, the file "
        "itself has one review per row.",
        rich_help_panel=INPUT,
    ),
]
System = Annotated[
    str | None,
    typer.Option(
        help="Column that says which system wrote a summary: the file holds those of several systems.",
        rich_help_panel=INPUT,
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        help="Delimiter of a CSV file, such as ';' or tab (default: it is found in the header).",
        rich_help_panel=INPUT,
    ),
]
OnErrorName = Annotated[
    str,
    typer.Option(
        help="If a row cannot be scored: stop, or row (write the error instead of a score).",
        rich_help_panel=RUN,
    ),
]


@dataclass(frozen=True)
class Flag:
    """A flag of the command line that sets an option of a metric.

    Attributes:
        option: name of the option in Python, from which the flag's name is made.
        help: help of the flag.
        kind: type of the value.
        is_list: the value is a comma-separated list of names.
        is_repeated: the flag may be repeated.
        panel: panel of the flag in the help.
    """

    option: str
    help: str
    kind: type = str
    is_list: bool = False
    is_repeated: bool = False
    panel: str = METRIC

    @classmethod
    def of(cls, field: Field[Any], panel: str) -> Flag:
        """Return the flag that an option declares."""
        declared = str(field.type)
        return cls(
            option=field.name,
            help=field.metadata["flag"],
            kind=Path if "Path" in declared else int if declared == "int" else str,
            is_list=declared.startswith("Sequence[str]"),
            is_repeated="| Sequence[" in declared,
            panel=panel,
        )

    def parameter(self) -> inspect.Parameter:
        """Return the parameter from which typer makes the flag."""
        info = typer.Option(
            _flag(self.option), help=self.help, show_default=False, rich_help_panel=self.panel
        )
        kind: Any = list[self.kind] if self.is_repeated else self.kind  # type: ignore[name-defined]
        return _parameter(self.option, Annotated[kind | None, info])

    def value(self, given: Any) -> Any:
        """Return the given value in the form of the option; None if the flag was not given."""
        if self.is_repeated and given is not None:
            return (given[0] if len(given) == 1 else list(given)) if given else None
        return given.split(",") if self.is_list and given is not None else given


OWN = {"judge": "nli_model", "decomposer": "decomposer", "model": "model"}
"""Parts with their own options → the option that names the part."""


def takes_options(
    *groups: type[OptionGroup],
    own: tuple[Flag, ...] = (),
    leave_out: tuple[str, ...] = (),
    further: bool = False,
) -> Callable[[Command], Command]:
    """Give a command the flags of option groups; the command gets the given options as the dict ``options``.

    ``--judge-option`` and ``--decomposer-option NAME=VALUE`` configure the judge and the decomposer: the
    command gets the object. If the command has no flag for the part, it gets them as ``judge_options``.

    Args:
        *groups: groups whose options get the flags that they declare.
        own: further flags of the command.
        leave_out: options of the groups without a flag here.
        further: add ``--option name=value`` for any other option.

    An error that names an option shows the flag as the user typed it.
    """
    declared = [
        Flag.of(field, _panel(group, field.name))
        for group in groups
        for field in fields(group)
        if field.metadata.get("flag")
    ]
    flags = {flag.option: flag for flag in (*declared, *own) if flag.option not in leave_out}
    panels = {flag.option: flag.panel for flag in declared}
    named = {kind: option for kind, option in OWN.items() if option in panels}
    assigning = {f"{kind}_option": (f"An option of the {kind}", panels[named[kind]]) for kind in named}
    if further:
        assigning["option"] = ("An option without its own flag", METRIC)

    def decorate(command: Command) -> Command:
        signature = inspect.signature(command, eval_str=True)
        own_parameters = (one for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD)
        parameters = [one for one in own_parameters if one.name != "options"]
        parameters += [flag.parameter() for flag in flags.values()]
        parameters.append(_parameter("context", typer.Context))
        for name, (option, panel) in assigning.items():
            help_text = f"{option}, as name=value; may be repeated."
            info = typer.Option(_flag(name), help=help_text, show_default=False, rich_help_panel=panel)
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

                        judges = make_judges("default" if chosen is None else chosen, of_it, {})
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
    """Return the given options, that is those other than None."""
    return {name: value for name, value in options.items() if value is not None}


def _panel(group: type[OptionGroup], option: str) -> str:
    """Return the panel of an option: the name of the group that declares it, such as ``"Judge"``."""
    declaring = next(one for one in group.__mro__ if option in vars(one).get("__annotations__", {}))
    return declaring.__name__.removesuffix("Options")


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _parameter(name: str, annotation: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def _typed(option: str | None, context: typer.Context, assigned: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the flag or argument of an option, as the beginning of a message; empty if there is none."""
    if option is None:
        return ""
    for name, options in assigned.items():
        if option in options:
            return f"{_flag(name)} {option}=…: "
    opts = {one.name: one.opts[0] for one in context.command.get_params(context)}
    if option in opts:
        return f"{opts[option] if opts[option].startswith('-') else option.upper()}: "
    return f"--option {option}=…: " if "option" in opts else ""
