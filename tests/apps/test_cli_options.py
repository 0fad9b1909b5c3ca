"""Flags are made from the option groups, and errors name what the user typed for an option."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from command import Run, check_refused
from tables import write_table
from typer.testing import CliRunner

from claimwise.apps.cli import app
from claimwise.apps.cli.options import Flag, takes_options
from claimwise.errors import ClaimwiseError
from claimwise.nli.options import JudgeOptions
from claimwise.options import OptionGroup, option
from claimwise.text.options import DecomposerOptions, SplitterOptions

GROUPS = (JudgeOptions, SplitterOptions, DecomposerOptions)
DECLARED = {
    field.name: field.metadata["flag"]
    for group in GROUPS
    for field in fields(group)
    if field.metadata["flag"] is not None
}


def flags_of(*path: str) -> dict[str, Any]:
    """Return the parameters of a command by their names."""
    command: Any = typer.main.get_command(app)
    for name in path:
        command = command.commands[name]
    return {parameter.name: parameter for parameter in command.params}


@pytest.mark.parametrize(
    "path", [("score",), ("explain",), ("profile",), ("reproduce", "cocotrip")], ids=" ".join
)
def test_every_declared_option_is_a_flag_with_its_help(path: tuple[str, ...]) -> None:
    flags = flags_of(*path)

    assert {name: flags[name].help for name in DECLARED} == DECLARED
    assert all(flags[name].opts == [f"--{name.replace('_', '-')}"] for name in DECLARED)


def test_an_option_without_a_flag_has_none() -> None:
    undeclared = {name for group in GROUPS for name in group.names()} - DECLARED.keys()

    assert "api_key" in undeclared
    assert not undeclared & flags_of("score").keys()


@pytest.mark.parametrize("paper", ["factuality", "pyramid"])
def test_reproducing_takes_the_judge_and_keeps_a_cache_of_its_own(paper: str) -> None:
    flags = flags_of("reproduce", paper).keys()

    assert flags & DECLARED.keys() == {"nli_model", "label_order", "device", "dtype", "pairs"}


@dataclass(frozen=True, kw_only=True)
class TeaOptions(OptionGroup):
    leaves: str = option("green", "the leaves", flag="Which leaves.")
    steps: Any = option(None, "not on the command line")
    pot: str | Path | None = option(None, "a path", flag="Which pot.")


def brew(*arguments: str) -> tuple[dict[str, Any] | None, Any]:
    """Return the options that a small command of its own got, and how it ended."""
    found: list[dict[str, Any]] = []
    kitchen = typer.Typer()

    @kitchen.command()
    @takes_options(
        TeaOptions, JudgeOptions, leave_out=("device",), own=(Flag("cups", "How many.", int),), further=True
    )
    def tea(
        guest: str, milk: Annotated[bool, typer.Option("--milk")] = False, *, options: dict[str, Any]
    ) -> None:
        found.append({"guest": guest, "milk": milk, **options})
        if "wrong" in options:
            raise ClaimwiseError("is wrong.", "Mend it.", option=options["wrong"])

    done = CliRunner().invoke(kitchen, arguments)
    return (found[0] if found else None), done


def test_a_command_gets_the_options_that_were_given() -> None:
    assert brew("Ann")[0] == {"guest": "Ann", "milk": False}
    given, _ = brew(
        "Ann", "--leaves", "black", "--pot", "p.txt", "--cups", "2", "--label-order", "c,n,e", "--milk"
    )
    assert given == {
        "guest": "Ann",
        "milk": True,
        "leaves": "black",
        "pot": Path("p.txt"),
        "cups": 2,
        "label_order": ["c", "n", "e"],
    }
    assert brew("Ann", "--option", "steps=[1, 2]", "--option", "kind=oolong")[0] == {
        "guest": "Ann",
        "milk": False,
        "steps": [1, 2],
        "kind": "oolong",
    }
    assert brew("Ann", "--device", "cpu")[1].exit_code == 2


@pytest.mark.parametrize(
    ("option", "given", "typed"),
    [
        ("leaves", ["--leaves", "red"], "--leaves: is wrong. Mend it."),
        ("label_order", [], "--label-order: is wrong. Mend it."),
        ("cups", ["--cups", "3"], "--cups: is wrong. Mend it."),
        ("leaves", ["--option", "leaves=red"], "--option leaves=…: is wrong. Mend it."),
        ("steps", ["--option", "steps=0"], "--option steps=…: is wrong. Mend it."),
        ("guest", [], "GUEST: is wrong. Mend it."),
    ],
)
def test_an_error_names_what_was_typed(option: str, given: list[str], typed: str) -> None:
    _, done = brew("Ann", "--option", f"wrong={option}", *given)

    assert str(done.exception) == typed


def test_a_command_without_further_options_suggests_none() -> None:
    kitchen = typer.Typer()

    @kitchen.command()
    @takes_options(TeaOptions)
    def tea(*, options: dict[str, Any]) -> None:
        raise ClaimwiseError("is missing.", option="steps")

    assert str(CliRunner().invoke(kitchen, []).exception) == "is missing."


@pytest.mark.parametrize(
    ("arguments", "typed"),
    [
        (["caspr", "--option", "nli_model=5"], "--option nli_model=…: "),
        (["complexity", "--decomposer-model", "m"], "--decomposer-model: complexity takes no option"),
        (["caspr", "--option", "max_tokens_per_batch=0"], "--option max_tokens_per_batch=…: "),
        (["caspr", "--option", "colour=red"], "--option colour=…: caspr takes no option colour."),
        (["complexity", "--dtype", "float32"], "--dtype: complexity takes no option dtype."),
        (["inverted_bertscore", "--option", "batch_size=0"], "--option batch_size=…: "),
        (["complexity", "--layer", "2"], "--layer: complexity takes no option layer."),
        (["caspr", "--confidence-level", "95"], "--confidence-level: "),
        (["caspr", "--ci-method", "t"], "--ci-method: Unknown interval 't'."),
    ],
)
def test_score_names_what_was_typed(run: Run, tmp_path: Path, arguments: list[str], typed: str) -> None:
    file = write_table(tmp_path / "t.csv", summary_a=["A pool.", "A bar."], summary_b=["A spa.", "A gym."])
    metric, *options = arguments

    check_refused(run("score", metric, file, *options), f"claimwise: {typed}")
