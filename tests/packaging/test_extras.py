"""Every extra installs alone from the wheel; what it is for is imported, and a score comes out."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif("CLAIMWISE_TEST_EXTRAS" not in os.environ, reason="takes gigabytes: make test-extras"),
]
SCORE = """
import claimwise
result = claimwise.load("caspr").compute(
    predictions=["The rooms are clean."], references=["The rooms are not clean."]
)
assert result["caspr"] == 100, result
assert "site-packages" in claimwise.__file__, claimwise.__file__
"""
TEST = """
def test_agrees(assert_agrees):
    assert_agrees("The rooms are clean.", "The rooms are clean.")
"""
IMPORTS = {
    "": "",
    "all": "import bert_score, gradio, matplotlib, openai, torch, transformers",
    "bertscore": "import bert_score",
    "deepeval": "from claimwise.integrations.deepeval import ClaimwiseMetric; ClaimwiseMetric('caspr')",
    "inspect": "from claimwise.integrations.inspect_ai import SCORERS; SCORERS['caspr']()",
    "lighteval": "from claimwise.integrations.lighteval import *; lighteval_metric('caspr')",
    "mlflow": "from claimwise.integrations.mlflow import mlflow_scorer; mlflow_scorer('caspr')",
    "nltk": "import nltk",
    "openai": "import claimwise; claimwise.LLMDecomposer('m', 'http://127.0.0.1:9/v1')",
    "pandas": "import claimwise.integrations.pandas",
    "plots": "import matplotlib",
    "pytest": "import pytest; assert pytest.main(['test_agrees.py']) == 0",
    "ray": "import claimwise; claimwise.runners.ray()",
    "spaces": "from claimwise.apps import spaces; assert spaces.launch",
    "spacy": "import spacy",
    "torch": "import torch, transformers",
    "torchmetrics": "from claimwise.integrations.torchmetrics import *; ClaimwiseMetric('caspr')",
}
FOR_WORK_ON_CLAIMWISE = {"bench", "docs", "dev", "export"}


def test_every_extra_is_tried() -> None:
    config = ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    assert set(config["options.extras_require"]) == {*filter(None, IMPORTS)} | FOR_WORK_ON_CLAIMWISE


@pytest.mark.parametrize("extra", IMPORTS)
def test_an_extra_installs_alone(extra: str, wheel: Path, tmp_path: Path) -> None:
    environment = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    python = str(environment / "bin" / "python")
    (torch,) = (
        line for line in (ROOT / "constraints.txt").read_text().splitlines() if line.startswith("torch==")
    )
    asked = f"claimwise[{extra}] @ {wheel.as_uri()}" if extra else str(wheel)
    first = [torch] if extra in ("all", "bertscore", "torch", "torchmetrics") else []  # not CUDA's
    subprocess.run([python, "-m", "pip", "install", "--quiet", *first, asked], check=True)
    (tmp_path / "test_agrees.py").write_text(TEST, encoding="utf-8")
    script = tmp_path / "script.py"
    script.write_text(f"{IMPORTS[extra]}\n{SCORE}", encoding="utf-8")

    done = subprocess.run([python, str(script)], cwd=tmp_path, capture_output=True, text=True)

    assert done.returncode == 0, done.stdout + done.stderr
    subprocess.run([python, "-m", "pip", "check"], check=True)
    shutil.rmtree(environment)  # a gigabyte
