"""The class of all commands; their flags are click options, straight from the groups of options."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, fields
from pathlib import Path
from typing import Any

import rich_click as click

from claimwise.apps.cli.wording import PARTS, TYPED, error_in_flags, spelled
from claimwise.errors import ClaimwiseError
from claimwise.options import OptionGroup, parsed

INPUT, OUTPUT, CI, RUN, METRIC = "Input", "Output", "Confidence interval", "Run", "Metric"
"""Panels of ``--help``; options of a group have a panel with the name of the group."""

PATH = click.Path(path_type=Path)


class Commas(click.ParamType):  # type: ignore[type-arg]
    """A comma-separated list."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[str]:
        """Return the values."""
        return value.split(",") if isinstance(value, str) else value


class Flag(click.RichOption):
    """A flag whose value the command gets in the dict ``into``, if it was typed or has a default.

    The value of a flag that may be repeated is a list if there are several.
    """

    def __init__(self, declarations: Sequence[str], *, into: str, **settings: Any) -> None:
        super().__init__(declarations, **settings)
        self.into = into

    @classmethod
    def from_option(cls, field: Field[Any], panel: str) -> Flag:
        """Return the flag of an option; its group checks the value, as it does in Python."""
        declared = field.metadata
        kind = Commas() if declared["many"] == "commas" else PATH if declared["kind"] is Path else None
        return cls(
            [spelled(field.name)],
            into="options",
            help=declared["flag"],
            type=kind or declared["kind"],
            multiple=declared["many"] == "repeated",
            panel=panel,
        )


class Command(click.RichCommand):
    """A command whose errors name what the user typed.

    With option groups, the function gets the typed options as the dict ``options``. ``--judge-option`` and
    ``--decomposer-option NAME=VALUE`` configure the judge and the decomposer, which are made here. The
    options of a part without a flag, and always those of a model, are in ``options`` as ``judge_options`` or
    ``model_options``.

    Args:
        groups: option groups; each option gets the flag that it declares, unless it is in ``leave_out``.
        further: add ``--option name=value`` for any other option.
        late_flags: returns flags that take time to make, on first use.
    """

    def __init__(
        self,
        *,
        groups: Sequence[type[OptionGroup]] = (),
        leave_out: Sequence[str] = (),
        further: bool = False,
        late_flags: Callable[[], list[Flag]] | None = None,
        **settings: Any,
    ) -> None:
        panels: Any = [click.RichOptionPanel(name) for name in ("Arguments", "Options")]
        super().__init__(context_settings={"show_default": True}, panels=panels, **settings)
        self.groups, self._late_flags = groups, late_flags
        panel_of = {name: _panel(group, name) for group in groups for name in group.names()}
        self.params += [
            Flag.from_option(field, panel_of[field.name])
            for group in groups
            for field in fields(group)
            if field.metadata["flag"] and field.name not in leave_out
        ]
        own = {f"{part}_option": (part, panel_of[part]) for part in PARTS if part in panel_of}
        self._takes_options, self._assigning = bool(groups), [*own, *(["option"] if further else [])]
        for name in self._assigning:
            part, panel = own.get(name, ("", METRIC))
            which = f"An option of the {part}" if part else "Any other option"
            text = f"{which}, as name=value; may be repeated."
            self.params.append(click.RichOption([spelled(name)], multiple=True, help=text, panel=panel))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line, and say what two frequent mistakes are."""
        words = list(args)
        switches = {
            name for flag in self.get_params(ctx) if getattr(flag, "is_flag", False) for name in flag.opts
        }
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if not any(word.startswith("-") and " " in word.partition("=")[0] for word in words):
                error.ctx = ctx
                raise
            raise click.UsageError("A text that begins with a hyphen comes after --.", ctx) from error
        except click.UsageError as error:
            error.ctx = ctx
            for switch, word in itertools.pairwise(words):
                if switch in switches and f"({word})" in error.message:
                    level = " --confidence-level 0.95 sets the level." if switch == "--ci" else ""
                    raise click.UsageError(f"{switch} takes no value.{level}", ctx) from error
            raise

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return all parameters."""
        return [*super().get_params(ctx), *(self._late_flags() if self._late_flags else ())]

    def invoke(self, ctx: click.Context) -> Any:
        """Call the function with the flags in their dicts."""
        ctx.meta[TYPED] = dict(ctx.params)
        collected: dict[str, dict[str, Any]] = {"options": {}} if self._takes_options else {}
        for flag in self.get_params(ctx):
            if isinstance(flag, Flag):
                values, value = collected.setdefault(flag.into, {}), ctx.params.pop(str(flag.name))
                if flag.multiple:
                    value = list(value) if len(value) > 1 else next(iter(value), None)
                values |= {} if value is None else {flag.name: value}
        assigned = {name: parsed(ctx.params.pop(name), spelled(name)) for name in self._assigning}
        try:
            if self._takes_options:
                collected["options"] |= assigned.get("option", {})
                self._make_parts(collected["options"], assigned)
            ctx.params |= collected
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise SystemExit(INTERRUPTED) from None
        except ClaimwiseError as error:
            raise error_in_flags(error, ctx) from error

    def _make_parts(self, options: dict[str, Any], assigned: Mapping[str, Mapping[str, Any]]) -> None:
        """Put the parts that have options of their own into the options."""
        flags = {parameter.name for parameter in self.params}
        for part in PARTS:
            own = assigned.get(f"{part}_option")
            if own and (part not in flags or part == "model"):
                options[f"{part}_options"] = own
            elif own and part == "judge":
                from claimwise.judges.loading import make_judges

                judges = make_judges(options.get(part, "default"), own, {})
                options[part] = judges if len(judges) > 1 else judges[0]
            elif own:
                from claimwise.text.claims import load_decomposer

                options[part] = load_decomposer(*([options[part]] if part in options else []), **own)


class Group(click.RichGroup):
    """A group of commands, which are listed in the order of their definition."""

    command_class = Command

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(self.commands)


INTERRUPTED = 130
"""Exit code after Ctrl-C."""


def together(*decorators: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return several decorators of click as one, for flags that commands share."""

    def decorate(function: Any) -> Any:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


def flags(panel: str, *declared: tuple[Any, ...], into: str | None = None) -> Callable[[Any], Any]:
    """Return the decorator that gives a command flags, shown in a panel of the help.

    Each is declared by its name (or names, in a list), its help, its type if it is not a text (bool = a
    switch), and its default. The command gets them as the dict ``into``, or each as an argument.
    """

    def decorator(name: Any, text: str, kind: Any = None, default: Any = None) -> Callable[[Any], Any]:
        settings: dict[str, Any] = {"help": text, "panel": panel}
        settings |= {"is_flag": True} if kind is bool else {"type": kind, "default": default}
        settings |= {"cls": Flag, "into": into} if into else {}
        return click.option(*([name] if isinstance(name, str) else name), **settings)

    return together(*(decorator(*flag) for flag in declared))


column_flags = flags(
    INPUT,
    ("--summary", "Column of the summaries (default: summary_a or summary)."),
    ("--source", "Column of the sources (default: reviews)."),
    ("--reference", "Column of the reference summaries (default: reference_summary or reference)."),
    ("--other", "Column of the other summaries (default: summary_b)."),
    into="columns",
)
"""Columns by their role; which of them a metric reads depends on the metric."""

layout_flags = flags(
    INPUT,
    ("--reviews", "File with one review per row; --by names the column that joins reviews to rows.", PATH),
    ("--by", "Column that says what is reviewed; without --reviews, the file itself has one review per row."),
    ("--delimiter", "Delimiter of a CSV file, such as ';' or tab (default: found in the header)."),
    into="layout",
)
"""Arguments of ``Layout``."""

SYSTEM = ("--system", "Column that says which system wrote a summary, in a file of several systems.")
SEED = "Seed of random resampling"

COUNT = click.IntRange(min=1)
runner_flags = flags(
    RUN,
    ("--workers", "Number of parallel processes; local ones share one copy of the model.", COUNT, 1),
    ("--runner", "Where workers run: local (this machine) or ray (a Ray cluster).", str, "local"),
    ("--address", "Address of the Ray cluster: auto or host:port (default: start one on this machine)."),
    ("--num-cpus", "CPUs of each worker on Ray (default: 1).", COUNT),
    ("--num-gpus", "GPUs of each worker on Ray (default: 0).", click.FloatRange(min=0)),
    (
        "--on-error",
        "If a row cannot be scored: stop, or row (write the error in its row and go on).",
        str,
        "stop",
    ),
    into="running",
)
"""Arguments of ``score.make_runner``."""


def _panel(group: type[OptionGroup], option: str) -> str:
    """Return the panel of an option: the name of the group that declares it, such as ``"Judge"``."""
    declaring = next(base for base in group.__mro__ if option in vars(base).get("__annotations__", {}))
    return declaring.__name__.removesuffix("Options")
