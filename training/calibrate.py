"""Make the probabilities of a checkpoint mean what they say: scale and shift its logits.

A temperature and a bias per label are fitted on the validation pairs by likelihood (Guo et al. 2017, Section
4.2) and put into the last layer, so that whoever loads the checkpoint gets calibrated probabilities;
config.json records them. The checklists come as summaries are compared, every claim with every claim, so
that most of their pairs are neutral: labels evened out would make the model see too many relations. They
count for a half, NLI and OpinionNLI, whose labels are as frequent, for a quarter each, however many pairs
each has.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from evaluate import WORK, expected_calibration_error
from prepare import OPINION_NLI
from scipy.optimize import minimize
from scipy.special import log_softmax
from train import read_pairs
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from claimwise.data.opinion_nli import Checklist, Pair, read_checklists
from claimwise.nli import LABELS, NLIModel

SHARES = (1 / 4, 1 / 4, 1 / 2)  # of NLI, OpinionNLI and checklists in the likelihood
FloatArray = npt.NDArray[np.float64]


def compared(checklists: list[Checklist]) -> Iterator[Pair]:
    """Yield every claim with every paraphrase and every denial of its checklist, in both directions."""
    for checklist in checklists:
        points = [item for item in checklist.items if len(item.aspects) == 1 and len(item.claims) > 1]
        for one, other in itertools.product(points, points):
            for text, same in ((other.claims[1], "entailment"), (other.denials[0], "contradiction")):
                label = same if one is other else "neutral"
                yield Pair(one.claims[0], text, label, checklist.domain)
                yield Pair(text, one.claims[0], label, checklist.domain)


def main() -> None:
    """Fit, report and save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path, help="folder written by train.py")
    parser.add_argument("--out", type=Path, required=True, help="folder for the calibrated model")
    arguments = parser.parse_args()
    kinds = [
        [Pair(row["premise"], row["hypothesis"], row["label"], row["source"]) for row in read_pairs(file)]
        for file in (WORK / "validation_nli.jsonl", WORK / "validation_opinion.jsonl")
    ]
    checklists = read_checklists(OPINION_NLI)
    kinds.append([*compared([checklist for checklist in checklists if checklist.split == "validation"])])
    pairs = [*itertools.chain(*kinds)]
    weights = np.concatenate(
        [np.full(len(kind), share / len(kind)) for kind, share in zip(kinds, SHARES, strict=True)]
    )
    probabilities = NLIModel.from_pretrained(arguments.model).predict(
        [pair.premise for pair in pairs], [pair.hypothesis for pair in pairs]
    )
    gold = np.array([LABELS.index(pair.label) for pair in pairs])
    logits = np.log(np.maximum(probabilities, 1e-12))  # up to a constant per row, which softmax ignores

    def log_probabilities(parameters: FloatArray) -> FloatArray:
        temperature, entailment, contradiction = parameters
        return log_softmax(logits / temperature + [entailment, 0, contradiction], axis=1)

    def negative_log_likelihood(parameters: FloatArray) -> float:
        return float(-weights @ log_probabilities(parameters)[np.arange(len(gold)), gold])

    fitted = minimize(negative_log_likelihood, x0=[1, 0, 0], bounds=[(0.2, 5), (-3, 3), (-3, 3)]).x
    temperature, bias = float(fitted[0]), [float(fitted[1]), 0.0, float(fitted[2])]
    calibrated = np.exp(log_probabilities(fitted))
    before, after = (expected_calibration_error(p, gold) for p in (probabilities, calibrated))
    print(f"temperature {temperature:.3f}, bias {np.round(bias, 3)}")
    print(f"expected calibration error {before:.4f} -> {after:.4f}")

    model = AutoModelForSequenceClassification.from_pretrained(arguments.model)
    for parameter in model.classifier.parameters():
        parameter.data /= temperature
    model.classifier.bias.data += torch.tensor(bias)
    model.config.temperature_of_calibration = round(temperature, 4)
    model.config.bias_of_calibration = [round(value, 4) for value in bias]
    model.save_pretrained(arguments.out)
    AutoTokenizer.from_pretrained(arguments.model).save_pretrained(arguments.out)


if __name__ == "__main__":
    main()
