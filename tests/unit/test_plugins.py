"""Decomposers of other packages, found by the entry points of really installed distributions."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from claimwise.errors import ClaimwiseError
from claimwise.plugins import load_registered, registered
from claimwise.text.claims import Decomposed, Decomposer, SentencesDecomposer, load_decomposer
from claimwise.text.llm import LLMDecomposer
from claimwise.text.writer import ClaimWriter

GROUP = "claimwise.decomposers"
MODULE = """
from claimwise.text.claims import Decomposed

class AtCommas:
    def __init__(self, mark=","):
        self.signature = {"decomposer": "commas", "mark": mark}
        self.mark = mark

    def decompose(self, sentences):
        return [Decomposed(sentence.split(self.mark)) for sentence in sentences]

def plain():
    return lambda sentences: [[sentence, sentence] for sentence in sentences]

def nothing():
    return 5
"""
Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Put a distribution with one module and its entry points on the path."""
    monkeypatch.syspath_prepend(tmp_path)

    def install(package: str, code: str = MODULE, group: str = GROUP, **entries: str) -> None:
        monkeypatch.delitem(sys.modules, package, raising=False)
        (tmp_path / f"{package}.py").write_text(code)
        folder = tmp_path / f"{package}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        lines = [f"{name} = {package}:{value}" for name, value in entries.items()]
        (folder / "entry_points.txt").write_text("\n".join([f"[{group}]", *lines]))

    return install


def test_claimwise_registers_its_own_in_the_same_way() -> None:
    assert registered(GROUP) == ["default", "openai", "sentences"]
    assert load_registered(GROUP, "openai") is LLMDecomposer
    assert isinstance(load_decomposer(), ClaimWriter)


def test_a_package_adds_a_decomposer_with_options(install: Install) -> None:
    install("commas", at_commas="AtCommas", twice="plain")

    decomposer = load_decomposer("at_commas", mark=";")

    assert isinstance(decomposer, Decomposer)
    assert decomposer.signature["mark"] == ";"
    assert decomposer.decompose(["a;b"]) == [Decomposed(["a", "b"])]
    assert load_decomposer("twice").decompose(["a"]) == [Decomposed(["a", "a"])]
    assert registered(GROUP) == ["at_commas", "default", "openai", "sentences", "twice"]


def test_an_unknown_name_is_told_all_names(install: Install) -> None:
    install("commas", at_commas="AtCommas")
    with pytest.raises(ClaimwiseError, match="Unknown decomposer 'comma'") as caught:
        load_decomposer("comma")
    remedy = "Did you mean 'at_commas'? Choose 'at_commas', 'default', 'openai' or 'sentences'."
    assert caught.value.remedy == remedy
    assert caught.value.option == "decomposer"


def test_two_packages_with_one_name_are_named_and_stop_no_other(install: Install) -> None:
    install("one", mine="AtCommas")
    install("two", mine="AtCommas")
    with pytest.raises(ClaimwiseError, match=r"'mine' .* by one and two\. Uninstall one of them"):
        load_decomposer("mine")
    assert "mine" in registered(GROUP)
    assert isinstance(load_decomposer("sentences"), SentencesDecomposer)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import no_such_package", "ModuleNotFoundError: No module named 'no_such_package'"),
        ("", "AttributeError: .*AtCommas"),
        ("1 / 0", "ZeroDivisionError"),
    ],
)
def test_one_that_cannot_be_imported_is_named_with_its_package(
    install: Install, code: str, said: str
) -> None:
    install("broken_package", code, broken="AtCommas")
    with pytest.raises(ClaimwiseError, match=rf"'broken' of the package broken_package .*{said}") as caught:
        load_decomposer("broken")
    assert "Update broken_package, uninstall it" in caught.value.remedy
    assert isinstance(load_decomposer("sentences"), SentencesDecomposer)
    assert "broken" in registered(GROUP), "nothing is imported to list the names"


def test_one_that_returns_no_decomposer_is_refused(install: Install) -> None:
    install("odd_package", odd="nothing")
    with pytest.raises(ClaimwiseError, match=r"registered as `odd` does not return a decomposer .*; got int"):
        load_decomposer("odd")


def test_options_that_it_does_not_have_are_named(install: Install) -> None:
    install("few_options", at_commas="AtCommas")
    with pytest.raises(ClaimwiseError, match=r"no option 'model'\. Its options are mark\.") as caught:
        load_decomposer("at_commas", model="m")
    assert caught.value.option == "model"
    with pytest.raises(ClaimwiseError, match=r"no option 'model'\. It has no options\."):
        load_decomposer("at_commas:;", model="m")
    assert load_decomposer("at_commas:;").decompose(["a;b"]) == [Decomposed(["a", "b"])]


def test_a_group_of_which_nothing_is_registered_says_to_install_again() -> None:
    assert registered("claimwise.nonsenses") == []
    with pytest.raises(ClaimwiseError, match=r"Unknown nonsense 'x'.*install claimwise again"):
        load_registered("claimwise.nonsenses", "x")
