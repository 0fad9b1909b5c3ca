"""Average the weights of checkpoints of one training, which generalizes better than any of them.

Wortsman et al. 2022, "Model soups", uniform soup. The checkpoints are stages of one training or branches of
it, so that they lie in one basin.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer


def main() -> None:
    """Average and save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", type=Path, nargs="+", help="folders written by train.py")
    parser.add_argument("--out", type=Path, required=True, help="folder for the averaged model")
    arguments = parser.parse_args()
    models = [
        AutoModelForSequenceClassification.from_pretrained(folder, dtype=torch.float32)
        for folder in arguments.models
    ]
    with torch.no_grad():
        for parameters in zip(*(model.parameters() for model in models), strict=True):
            parameters[0].copy_(torch.stack(parameters).mean(0))
    models[0].save_pretrained(arguments.out)
    AutoTokenizer.from_pretrained(arguments.models[0]).save_pretrained(arguments.out)


if __name__ == "__main__":
    main()
