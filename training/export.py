"""Write a trained checkpoint to ``src/claimwise/nli/weights`` as a Transformers folder in float16."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

WEIGHTS = Path(__file__).parent.parent / "src" / "claimwise" / "nli" / "weights"


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
    card = Path(__file__).parent / "MODEL_CARD.md"
    if card.exists():
        shutil.copyfile(card, arguments.out / "README.md")
    size = sum(path.stat().st_size for path in arguments.out.iterdir())
    print(f"{arguments.out}: {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
