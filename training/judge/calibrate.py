"""Make the probabilities of a judge mean what they say: scale and shift its logits.

A temperature and a bias per label are fitted on the validation pairs by likelihood (Guo et al. 2017, Section
4.2) and put into the last layer, so that whoever loads the checkpoint gets calibrated probabilities;
config.json records them. Every kind of pair counts by its share, however many pairs it has: checklists as
summaries are compared, nine in ten neutral, count most, since labels evened out would make the judge see too
many relations.
"""

from __future__ import annotations

import collections
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from accuracy import group_of
from pairs import Pair
from scipy.optimize import minimize
from scipy.special import log_softmax
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from claimwise.judges import NLIModel
from claimwise.labels import LABELS
from claimwise.scores.judge_quality import calibration_error

SHARES: Mapping[str, float] = {
    "public": 0.3,
    "opinion": 0.15,
    "compared": 0.3,
    "long": 0.1,
    "facts": 0.05,
    "source_nli": 0.05,
    "source_nli_sentences": 0.05,
}
FloatArray = npt.NDArray[np.float64]


def calibrate(model: Path, validation: Sequence[Pair], out: Path) -> None:
    """Fit temperature and biases of ``model`` on ``validation`` and save the calibrated model to ``out``."""
    pairs = [pair for pair in validation if group_of(pair.kind) in SHARES]
    counts = collections.Counter(group_of(pair.kind) for pair in pairs)
    weights = np.array([SHARES[group_of(p.kind)] / counts[group_of(p.kind)] for p in pairs])
    probabilities = NLIModel.from_pretrained(model).predict(
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
    print(f"temperature {temperature:.3f}, bias {np.round(bias, 3)}")
    for group in SHARES:
        rows = np.array([group_of(pair.kind) == group for pair in pairs])
        before, after = (calibration_error(p[rows], gold[rows], bins=15) for p in (probabilities, calibrated))
        print(f"{group}: expected calibration error {before:.4f} -> {after:.4f}")

    network = AutoModelForSequenceClassification.from_pretrained(model)
    for parameter in network.classifier.parameters():
        parameter.data /= temperature
    network.classifier.bias.data += torch.tensor(bias)
    network.config.temperature_of_calibration = round(temperature, 4)
    network.config.bias_of_calibration = [round(value, 4) for value in bias]
    network.save_pretrained(out)
    AutoTokenizer.from_pretrained(model).save_pretrained(out)
