"""What is not imported: a command line that answers at once loads no model library."""

from __future__ import annotations

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


def imported(statement: str, code: int = 0) -> set[str]:
    """Return the packages that are imported after ``statement`` in a new process."""
    script = f"""if True:
        import sys
        try:
            {statement}
        except SystemExit as stop:
            assert (stop.code or 0) == {code}
        print()
        print(" ".join(name for name in sys.modules if "." not in name))
        """
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize(
    "statement",
    [
        "import claimwise",
        "from claimwise import ClaimwiseError",
        "from claimwise.apps.cli import main; main(['--help'])",
        "from claimwise.apps.cli import main; main(['--version'])",
        "from claimwise.apps.cli import main; main(['score', '--help'])",
        "from claimwise.apps.cli import main; main(['explain', '--help'])",
        "from claimwise.apps.cli import main; main(['profile', '--help'])",
        "from claimwise.apps.cli import main; main(['reproduce', 'cocotrip', '--help'])",
        "from claimwise.tables import read_columns",
    ],
)
def test_nothing_heavy_is_imported_before_it_is_needed(statement: str) -> None:
    assert imported(statement) & HEAVY == set()


@pytest.mark.parametrize(
    "statement",
    [
        "from claimwise import Caspr; Caspr()",
        "import claimwise; claimwise.load('support_counts')",
        "from claimwise import Complexity; Complexity().compute(predictions=['The pool is warm.'])",
    ],
)
def test_a_metric_loads_no_model_library_before_it_scores_with_a_model(statement: str) -> None:
    assert imported(statement) & MODEL == set()


def test_a_command_that_is_refused_for_its_file_loads_no_model_library() -> None:
    statement = "from claimwise.apps.cli import main; main(['score', 'caspr', 'no-such.csv'])"

    assert imported(statement, code=1) & MODEL == set()
