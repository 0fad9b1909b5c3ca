"""What is not imported: a command line that answers at once loads no model library."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = {
    "bert_score",
    "datasets",
    "evaluate",
    "gradio",
    "huggingface_hub",
    "matplotlib",
    "nltk",
    "numpy",
    "openai",
    "pandas",
    "pyarrow",
    "scipy",
    "spacy",
    "tokenizers",
    "torch",
    "transformers",
}
MODEL = {"bert_score", "datasets", "evaluate", "gradio", "matplotlib", "openai", "torch", "transformers"}


NOTHING_HEAVY = (
    "import claimwise",
    "from claimwise import ClaimwiseError",
    "from claimwise.apps.cli import main; main(['--help'])",
    "from claimwise.apps.cli import main; main(['--version'])",
    "from claimwise.apps.cli import main; main(['explain', '--help'])",
    "from claimwise.apps.cli import main; main(['study', '--help'])",
    "from claimwise.tables import read_columns",
)
NO_MODEL_LIBRARY = (
    "from claimwise.apps.cli import main; main(['score', '--help'])",  # whose flags the metrics tell
    "from claimwise import Caspr; Caspr()",
    "import claimwise; claimwise.load('support_counts')",
    "from claimwise import Complexity; Complexity().compute(predictions=['The pool is warm.'])",
    "from claimwise.apps.cli import main; main(['score', 'caspr', 'no-such.csv'])",  # which is refused
)
FIRST_SCORES = (
    "from claimwise.apps.cli import main; main(['explain', 'caspr', 'Clean rooms.', 'The rooms are dirty.'])",
    "from claimwise import Caspr; Caspr(decomposer='sentences', pairs='likely').compute("
    "predictions=['Clean rooms.'], references=['The rooms are dirty.'])",
)
SLOW = {"huggingface_hub", "nltk", "pandas", "pyarrow", "safetensors", "scipy", "spacy", "sympy"}
RUN = """
import json, sys
found = []
for statement in json.loads(sys.argv[1]):
    code = 0
    try:
        exec(statement, {})
    except SystemExit as stop:
        code = stop.code or 0
    found.append([code, [name for name in sys.modules if "." not in name]])
print()
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def imported() -> dict[str, tuple[int, set[str]]]:
    """The exit code of each statement, and the packages imported by then in a process that runs its group."""
    found = {}
    for statements in (NOTHING_HEAVY + NO_MODEL_LIBRARY, FIRST_SCORES):
        command = [sys.executable, "-c", RUN, json.dumps(statements)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        for statement, (code, names) in zip(
            statements, json.loads(done.stdout.splitlines()[-1]), strict=True
        ):
            found[statement] = code, set(names)
    return found


@pytest.mark.parametrize("statement", NOTHING_HEAVY)
def test_nothing_heavy_is_imported_before_it_is_needed(
    statement: str, imported: dict[str, tuple[int, set[str]]]
) -> None:
    code, packages = imported[statement]
    assert code == 0
    assert packages & HEAVY == set()


@pytest.mark.parametrize("statement", NO_MODEL_LIBRARY)
def test_no_model_library_is_imported_before_a_model_scores(
    statement: str, imported: dict[str, tuple[int, set[str]]]
) -> None:
    code, packages = imported[statement]
    assert code == ("no-such.csv" in statement)
    assert packages & MODEL == set()


@pytest.mark.parametrize("statement", FIRST_SCORES)
def test_a_first_score_imports_onnx_runtime_and_nothing_as_slow(
    statement: str, imported: dict[str, tuple[int, set[str]]]
) -> None:
    code, packages = imported[statement]
    assert code == 0
    assert "onnxruntime" in packages
    assert packages & (MODEL | SLOW) == set()
