"""Keep a trained judge: as ``training/judge/checkpoint`` with its card, and as an ONNX file.

python training/judge/export.py --output FOLDER    # the ONNX file of the kept checkpoint
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent))
from bert import Classifier  # noqa: E402
from checkpoints import JUDGE  # noqa: E402
from onnx_files import text_inputs, write_network  # noqa: E402

CARD = HERE.parents[1] / "src" / "claimwise" / "judges" / "weights" / "README.md"
FILE = "model.onnx"
COMPARED_LAYER = 3
"""The layer that inverted BERTScore compares (see ``choose_layer.py``)."""


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


def export(model: Path, results: dict[str, dict[str, Any]], out: Path = JUDGE) -> None:
    """Write ``model`` and its tokenizer to ``out``, and its card with ``results`` into the package."""
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(model)
    tokenizer.model_max_length = 512
    network = AutoModelForSequenceClassification.from_pretrained(model, dtype=torch.float16)
    network.config.name_or_path = ""
    network.save_pretrained(out)
    tokenizer.save_pretrained(out)
    card = (HERE / "MODEL_CARD.md").read_text(encoding="utf-8")
    card = card.replace("<!-- measured -->", results_table(results))
    CARD.write_text(card, encoding="utf-8")
    size = sum(path.stat().st_size for path in out.iterdir())
    print(f"{out}: {size / 1e6:.1f} MB")


def export_onnx(checkpoint: Path, out: Path, layer: int = COMPARED_LAYER) -> None:
    """Write the ONNX file of a checkpoint, its word embeddings and its tokenizer to ``out``."""
    config = json.loads((checkpoint / "config.json").read_bytes())
    network = Classifier(config, load_file(checkpoint / "model.safetensors"), layer)
    write_network(
        network,
        out / FILE,
        inputs=text_inputs("pairs"),
        outputs={"logits": ["pairs", None], "states": ["pairs", "tokens", None]},
        facts={
            "labels": list(config["id2label"].values()),
            "max_length": config["max_position_embeddings"],
            "layer": layer,
        },
    )
    if out != checkpoint:
        shutil.copy(checkpoint / "tokenizer.json", out)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Write the ONNX file of a checkpoint.")
    parser.add_argument("--checkpoint", type=Path, default=JUDGE, help="default: the kept one")
    parser.add_argument("--output", type=Path, required=True, help="folder of the file")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    export_onnx(options.checkpoint, options.output)
