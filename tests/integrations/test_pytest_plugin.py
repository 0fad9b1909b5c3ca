"""The pytest plugin, in test runs of its own: what passes, what fails, and what a failure shows."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from claimwise.text.claims import load_decomposer

if TYPE_CHECKING:
    from claimwise.judges.local import NLIModel

pytest_plugins = ["pytester"]
ROOT = Path(__file__).parents[2]
PASSING = """
def test_contrast(assert_contrast):
    assert_contrast("The rooms are clean.", "The rooms are not clean.", at_least=100)

def test_agrees(assert_agrees):
    assert_agrees("The rooms are clean.", "The rooms are clean.")

def test_supported(assert_supported):
    assert_supported("The pool is warm.", ["Parking is free.", "The pool is warm."], at_least=0.9)
"""
FAILING = """
def test_contrast(assert_contrast):
    assert_contrast("The rooms are clean.", "The rooms are clean.", at_least=80)

def test_agrees(assert_agrees):
    assert_agrees("The rooms are clean.", "The rooms are not clean.")

def test_supported(assert_supported):
    assert_supported("The bar is closed.", "The pool is warm.", at_least=0.9)

def test_missing(assert_supported):
    assert_supported("", "The pool is warm.", at_least=0.0)

def test_beyond_the_scale(assert_supported):
    assert_supported("The bar is closed.", "The bar is closed.", at_least=80)
"""


@pytest.fixture(autouse=True)
def _model_libraries_stay_imported(nli_model: NLIModel, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pytester forgets what a run imports, and torch and spaCy cannot be imported twice."""
    nli_model.predict(["The pool is warm."], ["The pool is warm."])
    load_decomposer().decompose(["The pool is warm."])
    monkeypatch.setenv("COLUMNS", "120")


def run(pytester: pytest.Pytester, tests: str, ini: str = "") -> str:
    """Run tests in a folder of their own, and return what is printed."""
    pytester.makepyfile(tests)
    pytester.makeini(f"[pytest]\n{ini}")
    return str(pytester.runpytest_inprocess("-p", "no:cacheprovider").stdout)


def test_what_holds_passes(pytester: pytest.Pytester) -> None:
    done = run(pytester, PASSING)

    assert "3 passed" in done


def test_a_failure_shows_the_claims_that_decided_it(pytester: pytest.Pytester) -> None:
    done = run(pytester, FAILING)

    assert "5 failed" in done
    assert "CASPR is 0.0, not at least 80" in done
    assert "A1 The rooms are clean." in done
    assert "CASPR is 100.0, not at most 0" in done
    assert "B1 The rooms are not clean." in done
    assert "not at least 0.9: does the source support each sentence (or claim)?" in done
    assert "[1.1] The pool is warm." in done
    assert "predictions: the text is empty or blank." in done
    assert "80 is outside the range of summac_zs, -1 to 1." in done


def test_options_of_pytest_ini_choose_metrics_and_their_options(pytester: pytest.Pytester) -> None:
    ini = (
        "claimwise_contrast = distinctiveness_score\n"
        "claimwise_support = support_counts\n"
        "claimwise_options =\n    distinctiveness_score.stemmer = english\n"
        "    support_counts.support = sentences\n"
    )
    tests = """
def test_words(assert_contrast):
    assert_contrast("pools", "pool", at_least=100)

def test_counts(assert_supported):
    assert_supported("The pool is warm.", ["The pool is warm."], at_least=1)
"""

    done = run(pytester, tests, ini)

    assert "Distinctiveness Score is 0.0, not at least 100" in done
    assert "Support counts is 0.000, not at least 1" in done


@pytest.mark.parametrize(
    ("ini", "said"),
    [
        (
            "claimwise_support = caspr",
            "caspr is not a metric of factuality. Choose one of opinion_prevalence,",
        ),
        (
            "claimwise_options = threshold",
            "claimwise_options threshold has no value. Write it as name=value.",
        ),
        ("claimwise_options = treshold=1", "summac_zs has no option `treshold`."),
    ],
)
def test_a_wrong_option_is_named(pytester: pytest.Pytester, ini: str, said: str) -> None:
    done = run(pytester, "def test_it(assert_supported):\n    pass\n", ini)

    assert said in done.replace("\nE ", "")


def test_the_example_of_the_documents_runs(pytester: pytest.Pytester) -> None:
    page = (ROOT / "docs" / "integrations.md").read_text(encoding="utf-8")
    section = page.partition("## pytest")[2]
    (example, ini) = re.findall(r"^```(?:python no-run|ini)\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)[
        :2
    ]

    assert "3 passed" in run(pytester, example)
    of_contrast = example[example.index("def test_the_summaries_contrast") :]
    assert "2 passed" in run(pytester, of_contrast, ini.partition("\n")[2])


def test_nothing_heavy_is_imported_before_a_test_asks_for_it() -> None:
    script = "import sys, claimwise.integrations.pytest_plugin; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert not {"numpy", "torch", "transformers", "datasets", "evaluate", "rich"} & set(done.stdout.split())
