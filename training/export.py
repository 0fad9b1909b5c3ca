"""Write a trained checkpoint to ``src/claimwise/nli/weights`` as a Transformers folder in float16."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

HERE = Path(__file__).parent
WEIGHTS = HERE.parent / "src" / "claimwise" / "nli" / "weights"


def results_table(results: dict[str, dict[str, Any]]) -> str:
    """Return the results of evaluate.py as a Markdown table."""
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


def main() -> None:
    """Convert and save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path, help="folder written by train.py")
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    arguments = parser.parse_args()
    tokenizer = AutoTokenizer.from_pretrained(arguments.model)
    tokenizer.model_max_length = 512
    model = AutoModelForSequenceClassification.from_pretrained(arguments.model, dtype=torch.float16)
    model.config.name_or_path = ""
    model.save_pretrained(arguments.out)
    tokenizer.save_pretrained(arguments.out)
    card = (HERE / "MODEL_CARD.md").read_text(encoding="utf-8")
    results = json.loads((HERE / "results.json").read_text(encoding="utf-8"))
    card = card.replace("<!-- measured -->", results_table(results))
    (arguments.out / "README.md").write_text(card, encoding="utf-8")
    size = sum(path.stat().st_size for path in arguments.out.iterdir())
    print(f"{arguments.out}: {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
