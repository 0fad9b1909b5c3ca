"""Write a trained checkpoint to ``src/claimwise/judges/weights`` as a Transformers folder in float16."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

HERE = Path(__file__).parent
WEIGHTS = HERE.parents[1] / "src" / "claimwise" / "judges" / "weights"


def results_table(results: dict[str, dict[str, Any]]) -> str:
    """Return the results of accuracy.py as a Markdown table."""
    lines = [
        "| set | pairs | accuracy [95 % interval] | recall of entailment / neutral / contradiction "
        "| calibration error |",
        "|---|---|---|---|---|",
    ]
    for name, result in results.items():
        accuracy = "{:.3f} [{:.3f}, {:.3f}]".format(result["accuracy"], *result["ci"])
        recall = " / ".join(f"{share:.3f}" for share in result.get("recall", {}).values())
        error = f"{result['calibration_error']:.3f}" if "calibration_error" in result else "–"
        lines.append(f"| {name} | {result['pairs']} | {accuracy} | {recall or '–'} | {error} |")
    return "\n".join(lines)


def export(model: Path, results: dict[str, dict[str, Any]], out: Path = WEIGHTS) -> None:
    """Write ``model``, its tokenizer and its card with ``results`` to ``out``."""
    tokenizer = AutoTokenizer.from_pretrained(model)
    tokenizer.model_max_length = 512
    network = AutoModelForSequenceClassification.from_pretrained(model, dtype=torch.float16)
    network.config.name_or_path = ""
    network.save_pretrained(out)
    tokenizer.save_pretrained(out)
    card = (HERE / "MODEL_CARD.md").read_text(encoding="utf-8")
    card = card.replace("<!-- measured -->", results_table(results))
    (out / "README.md").write_text(card, encoding="utf-8")
    size = sum(path.stat().st_size for path in out.iterdir())
    print(f"{out}: {size / 1e6:.1f} MB")
