"""Flags are made from the option groups, and errors name what the user typed for an option."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pytest
import rich_click as click
from chat_endpoint import Endpoint
from chat_judge import answer_by_words
from click.testing import CliRunner
from command import Run, check_refused
from tables import write_table

from claimwise import ChatJudge
from claimwise.apps.cli import app
from claimwise.apps.cli.options import Command, flags
from claimwise.errors import ClaimwiseError
from claimwise.judges import load_judge
from claimwise.judges.options import JudgeOptions
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
    command: Any = app
    for name in path:
        command = command.commands[name]
    return {parameter.name: parameter for parameter in command.params}


@pytest.mark.parametrize("path", [("score",), ("explain",), ("study",)], ids=" ".join)
def test_every_declared_option_is_a_flag_with_its_help(path: tuple[str, ...]) -> None:
    flags = flags_of(*path)

    assert {name: flags[name].help for name in DECLARED} == DECLARED
    assert all(flags[name].opts == [f"--{name.replace('_', '-')}"] for name in DECLARED)


def test_an_option_without_a_flag_has_none() -> None:
    undeclared = {name for group in GROUPS for name in group.names()} - DECLARED.keys()

    assert "token" in undeclared
    flags = {name for name, parameter in flags_of("score").items() if parameter.opts[0].startswith("--")}
    assert not undeclared & flags


@dataclass(frozen=True, kw_only=True)
class TeaOptions(OptionGroup):
    leaves: str = option("green", "the leaves", flag="Which leaves.")
    steps: Any = option(None, "not on the command line")
    pot: str | Path | None = option(None, "a path", flag="Which pot.", kind=Path)
    spices: Sequence[str] = option((), "spices", flag="Which spices.", many="commas")
    guests: str | Sequence[str] = option("Bo", "guests", flag="Further guests.", many="repeated")


def brew(*arguments: str) -> tuple[dict[str, Any] | None, Any]:
    """Return the options that a small command of its own got, and how it ended."""
    got: list[dict[str, Any]] = []

    @click.command(cls=Command, groups=(TeaOptions, JudgeOptions), leave_out=("device",), further=True)
    @click.argument("guest")
    @flags("Tea", ("--milk", "With milk.", bool))
    @flags("Tea", ("--cups", "How many.", int), into="options")
    def tea(guest: str, milk: bool, options: dict[str, Any]) -> None:
        got.append({"guest": guest, "milk": milk, **options})
        if "wrong" in options:
            raise ClaimwiseError("is wrong.", "Mend it.", option=options["wrong"])

    done = CliRunner().invoke(tea, arguments)
    return (got[0] if got else None), done


def test_a_command_gets_the_options_that_were_given() -> None:
    assert brew("Ann")[0] == {"guest": "Ann", "milk": False}
    given, _ = brew(
        *("Ann", "--leaves", "black", "--pot", "p.txt", "--cups", "2", "--label-order", "c,n,e", "--milk"),
        *("--spices", "mint,sage", "--guests", "Cy"),
    )
    assert given == {
        "guest": "Ann",
        "milk": True,
        "leaves": "black",
        "pot": Path("p.txt"),
        "cups": 2,
        "label_order": ["c", "n", "e"],
        "spices": ["mint", "sage"],
        "guests": "Cy",
    }
    assert brew("Ann", "--option", "steps=[1, 2]", "--option", "kind=oolong")[0] == {
        "guest": "Ann",
        "milk": False,
        "steps": [1, 2],
        "kind": "oolong",
    }
    assert brew("Ann", "--guests", "Cy", "--guests", "Di")[0] == {
        "guest": "Ann",
        "milk": False,
        "guests": ["Cy", "Di"],
    }
    assert brew("Ann", "--device", "cpu")[1].exit_code == 2


@pytest.mark.parametrize(
    ("option", "given", "typed"),
    [
        ("leaves", ["--leaves", "red"], "--leaves is wrong. Mend it."),
        ("label_order", [], "--label-order is wrong. Mend it."),
        ("cups", ["--cups", "3"], "--cups is wrong. Mend it."),
        ("leaves", ["--option", "leaves=red"], "--option leaves=… is wrong. Mend it."),
        ("steps", ["--option", "steps=0"], "--option steps=… is wrong. Mend it."),
        ("guest", [], "GUEST is wrong. Mend it."),
    ],
)
def test_an_error_names_what_was_typed(option: str, given: list[str], typed: str) -> None:
    _, done = brew("Ann", "--option", f"wrong={option}", *given)

    assert str(done.exception) == typed


def test_a_command_without_further_options_suggests_none() -> None:
    @click.command(cls=Command, groups=(TeaOptions,))
    def tea(options: dict[str, Any]) -> None:
        raise ClaimwiseError("is missing.", option="steps")

    assert str(CliRunner().invoke(tea, []).exception) == "is missing."


@pytest.mark.parametrize(
    ("arguments", "typed"),
    [
        (["caspr", "--option", "judge=5"], "--option judge"),
        (["complexity", "--pronouns", "keep"], "complexity has no option --pronouns"),
        (["caspr", "--option", "max_tokens_per_batch=0"], "--option max_tokens_per_batch must be"),
        (["caspr", "--option", "colour=red"], "--option colour=…: caspr has no option"),
        (["complexity", "--dtype", "float32"], "complexity has no option --dtype"),
        (["inverted_bertscore", "--option", "batch_size=0"], "--option batch_size must be"),
        (["complexity", "--layer", "2"], "complexity has no option --layer"),
        (["caspr", "--confidence-level", "95"], "--confidence-level must be"),
        (["caspr", "--confidence-method", "t"], "--confidence-method must be"),
    ],
)
def test_score_names_what_was_typed(run: Run, tmp_path: Path, arguments: list[str], typed: str) -> None:
    file = write_table(tmp_path / "t.csv", summary_a=["A pool.", "A bar."], summary_b=["A spa.", "A gym."])
    metric, *options = arguments

    check_refused(run("score", metric, file, *options), f"claimwise: {typed}")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["--judge-option", "ask=nicely", "--judge", "openai:m@http://127.0.0.1:9"],
            ["--judge-option ask must be"],
        ),
        (
            ["--judge-option", "colour=red", "--judge", "openai:m@http://127.0.0.1:9"],
            ["--judge-option colour=…: ", "Its options are `api_key_env`, `ask`, `concurrency`"],
        ),
        (
            ["--judge-option", "ask=pairs"],
            ["--judge-option ask=…: ", "Its options are `device`, `dtype`"],
        ),
        (
            ["--decomposer-option", "colour=red", "--decomposer", "openai:m@http://127.0.0.1:9"],
            ["--decomposer-option colour=…: ", "Its options are `api_key_env`, `cache`, `concurrency`"],
        ),
        (
            ["--decomposer-option", "colour=red"],
            ["--decomposer-option colour=…: ", "Its options are `attributions`, `folder`, `pronouns`."],
        ),
        (["--decomposer", "openai"], ["--decomposer: ", "Write openai:ADDRESS"]),
        (["--judge", "openai:m@host:1"], ["--judge: api.openai.com ", "--judge-option api_key_env=…"]),
        (
            ["--judge", "openai:m@http://127.0.0.1:9", "--judge-option", "api_key_env=NO_KEY"],
            ["--judge-option api_key_env=…", "the environment variable NO_KEY is not set"],
        ),
        (["--option", "token=hf_secret"], ["--option token: a key on the command line can be read"]),
        (
            ["--judge-option", "api_key=sk-secret"],
            ["--judge-option api_key: a key on the command line", "api_key_env"],
        ),
        (
            [
                *("--judge", "openai:a@http://h", "--judge", "openai:b@http://g"),
                *("--judge-option", "api_key_env=A_KEY"),
            ],
            ["--judge-option api_key_env would go to 2 judges"],
        ),
    ],
    ids=lambda given: " ".join(given[:4]),
)
def test_options_of_a_judge_or_decomposer_are_its_own(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: list[str]
) -> None:
    monkeypatch.setenv("A_KEY", "sk-secret")
    file = write_table(tmp_path / "t.csv", summary_a=["A pool."], summary_b=["A spa."])

    done = run("score", "caspr", file, *arguments)

    check_refused(done, *said)
    assert "secret" not in done.err


def test_a_judge_and_a_decomposer_get_their_own_keys_and_options(
    run: Run, endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Endpoint()
    endpoint.respond = answer_by_words
    for name in ("OPENAI_API_KEY", "JUDGE_KEY", "SPLIT_KEY"):
        monkeypatch.setenv(name, f"sk-{name}")
    file = write_table(tmp_path / "t.csv", summary_a=["A pool and a bar."], summary_b=["A spa."])
    try:
        done = run(
            *("score", "caspr", file, "--judge", f"openai:j@{endpoint.url}"),
            *("--judge-option", "api_key_env=JUDGE_KEY", "--judge-option", "ask=block"),
            *("--decomposer", f"openai:d@{other.url}", "--decomposer-option", "temperature=0"),
            *("--decomposer-option", "api_key_env=SPLIT_KEY"),
        )
    finally:
        other.close()

    assert done.code == 0, done.err
    assert {request.headers["authorization"] for request in endpoint.requests} == {"Bearer sk-JUDGE_KEY"}
    assert {request.headers["authorization"] for request in other.requests} == {"Bearer sk-SPLIT_KEY"}
    assert {request.body["temperature"] for request in other.requests} == {0}


def test_several_judges_are_each_given_their_own_key_or_none(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-environment")
    other = Endpoint()
    endpoint.respond = other.respond = answer_by_words
    try:
        judges = [
            ChatJudge("a", endpoint.url, api_key="sk-first"),
            ChatJudge("b", other.url, api_key="sk-second"),
        ]
        load_judge([*judges, f"openai:c@{other.url}"], show_progress=False).predict_pairs([("a", "b")])
    finally:
        other.close()

    assert {request.headers["authorization"] for request in endpoint.requests} == {"Bearer sk-first"}
    assert {(r.body["model"], r.headers.get("authorization")) for r in other.requests} == {
        ("b", "Bearer sk-second"),
        ("c", None),
    }
