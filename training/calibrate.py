"""Make the probabilities of a checkpoint mean what they say: temperature scaling on the validation pairs.

One temperature is fitted on the validation parts (Guo et al. 2017, Section 4.2) and divides the weights of
the last layer, so that whoever loads the checkpoint gets calibrated probabilities; config.json records it.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from evaluate import WORK, expected_calibration_error
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax
from train import read_pairs
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from claimwise.nli import LABELS, NLIModel


def main() -> None:
    """Fit, report and save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path, help="folder written by train.py")
    parser.add_argument("--out", type=Path, required=True, help="folder for the calibrated model")
    arguments = parser.parse_args()
    names = ("nli", "opinion", "checklists")
    pairs = [pair for name in names for pair in read_pairs(WORK / f"validation_{name}.jsonl")]
    probabilities = NLIModel.from_pretrained(arguments.model).predict(
        [pair["premise"] for pair in pairs], [pair["hypothesis"] for pair in pairs]
    )
    gold = np.array([LABELS.index(pair["label"]) for pair in pairs])
    logits = np.log(np.maximum(probabilities, 1e-12))  # up to a constant per row, which softmax ignores

    def negative_log_likelihood(temperature: float) -> float:
        log_probabilities = log_softmax(logits / temperature, axis=1)
        return float(-log_probabilities[np.arange(len(gold)), gold].mean())

    temperature = float(minimize_scalar(negative_log_likelihood, bounds=(0.2, 5), method="bounded").x)
    calibrated = np.exp(log_softmax(logits / temperature, axis=1))
    before, after = (expected_calibration_error(p, gold) for p in (probabilities, calibrated))
    print(f"temperature {temperature:.3f}; expected calibration error {before:.4f} -> {after:.4f}")

    model = AutoModelForSequenceClassification.from_pretrained(arguments.model)
    for parameter in model.classifier.parameters():
        parameter.data /= temperature
    model.config.temperature_of_calibration = round(temperature, 4)
    model.save_pretrained(arguments.out)
    AutoTokenizer.from_pretrained(arguments.model).save_pretrained(arguments.out)


if __name__ == "__main__":
    main()
