"""Commands that packages add to ``claimwise``, and those of packages that are not installed."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import Run, check_refused

from claimwise.plugins import PACKAGES

MODULE = """
import rich_click as click

@click.command
@click.argument("file")
@click.option("--twice", is_flag=True)
def count(file, twice):
    \"\"\"Count the letters of a name.\"\"\"
    print(len(file) * (2 if twice else 1))

@click.group
def words():
    \"\"\"Work on words.\"\"\"

@words.command()
@click.argument("text")
def first(text):
    print(text.split()[0])

@words.command()
@click.argument("text")
def last(text):
    print(text.split()[-1])
"""
ENTRY_POINTS = """
[claimwise.commands]
count = words_of_claims:count
words = words_of_claims:words
score = words_of_claims:count
lost = words_of_claims:no_such_function
"""


@pytest.fixture
def _installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a package with commands."""
    (tmp_path / "words_of_claims.py").write_text(MODULE)
    folder = tmp_path / "words-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: words\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text(ENTRY_POINTS)
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.usefixtures("_installed")
def test_functions_and_groups_of_packages_are_commands(run: Run) -> None:
    assert run("count", "abc", "--twice").out == "6\n"
    assert run("words", "last", "a b").out == "b\n"
    assert "Count the letters of a name" in run("count", "--help").out
    assert run("count").code == 2  # its argument is missing


@pytest.mark.usefixtures("_installed")
def test_the_help_lists_them_and_warns_of_what_cannot_be_imported(run: Run) -> None:
    done = run("--help")

    assert done.code == 0
    assert "Count the letters of a name" in done.out
    assert "Work on words" in done.out
    assert "lost" not in done.out
    assert "`lost` of the package words cannot be imported" in done.err
    check_refused(run("lost", "--any", "option"), "`lost` of the package words cannot be imported")


@pytest.mark.usefixtures("_installed")
def test_a_command_of_claimwise_is_not_replaced(run: Run) -> None:
    assert "Count the letters" not in run("score", "--help").out


def test_a_command_of_a_package_that_is_not_installed_says_how_to_install_it(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PACKAGES, "claimwise.commands", {"translate": "claimwise-translate"})

    check_refused(
        run("translate", "file.jsonl", "--to", "de"),
        "claimwise-translate, which is not installed",
        "pip install -e packages/claimwise-translate",
    )
    assert "translate" not in run("--help").out


def test_an_unknown_command_is_a_mistake_of_usage(run: Run) -> None:
    assert run("scroe").code == 2
