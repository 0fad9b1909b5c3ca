"""SummaC-Conv: from histograms of entailment to the probability that a summary is consistent.

Laban et al. 2022, "SummaC: Re-Visiting NLI-based Models for Inconsistency Detection in Summarization", on
SummaC-Conv; the bin edges are from the authors' released code (tingofurro/summac).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from claimwise.errors import ClaimwiseError
from claimwise.labels import ENTAILMENT

Parameters = Mapping[str, npt.NDArray[np.floating]]
"""Parameters by their names in the released file: ``mlp.weight`` ``[1, bins]``, ``mlp.bias`` ``[1]``,
``layer_final.weight`` ``[2, 3]``, ``layer_final.bias`` ``[2]``."""

# The authors' training: Adam with this learning rate and batch size.
LEARNING_RATE, BATCH_SIZE = 0.01, 32
# According to the released code, percentiles of the probabilities for a large number of summaries.
# fmt: off
PERCENTILE_EDGES = (
    0, 0.01, 0.02, 0.03, 0.04, 0.07, 0.13, 0.37, 0.9, 0.91, 0.92, 0.93, 0.94, 0.95,
    0.955, 0.96, 0.965, 0.97, 0.975, 0.98, 0.985, 0.99, 0.995, 1,
)
# fmt: on


def bin_edges(bins: str) -> npt.NDArray[np.float64]:
    """Return the edges of the bins called ``bins``.

    Args:
        bins: ``"percentile"`` (23 bins, as in the released weights) or ``"even<number>"`` such as
            ``"even50"`` (equally wide).

    Returns:
        float64 ``[bins + 1]``, increasing from 0 to 1.

    Raises:
        ClaimwiseError: for any other name.
    """
    if bins == "percentile":
        return np.array(PERCENTILE_EDGES)
    if (even := re.fullmatch(r"even([1-9]\d{0,3})", str(bins))) is None:
        raise ClaimwiseError(f"Unknown bins `{bins}`.", "Choose 'percentile', or 'even50' for 50 even bins.")
    number = int(even[1])
    return np.append(np.arange(number) * (1 / number), 1.0)


def entailment_histograms(
    matrix: npt.NDArray[np.floating], edges: npt.NDArray[np.float64]
) -> npt.NDArray[np.int64]:
    """Count, per hypothesis, the premises whose entailment probability falls into each bin.

    Bins include their lower edge and exclude their upper one; the last bin includes both. Counts are not
    normalised: the counts of one hypothesis sum to the number of premises.

    Args:
        matrix: ``[premises, hypotheses, 3]``, probabilities.
        edges: ``[bins + 1]``, increasing from 0 to 1; see ``bin_edges``.

    Returns:
        int64 ``[hypotheses, bins]``.

    Raises:
        ClaimwiseError: for another shape, an empty matrix, or a value that is not a probability.
    """
    if matrix.ndim != 3 or matrix.shape[2] != 3 or not matrix.size:
        raise ClaimwiseError(f"Expected a non-empty matrix [premises, hypotheses, 3]; got {matrix.shape}.")
    entailment = matrix[:, :, ENTAILMENT]
    if not ((entailment >= 0) & (entailment <= 1)).all():
        raise ClaimwiseError("The matrix contains values outside [0, 1]; expected probabilities.")
    return np.stack([np.histogram(of_hypothesis, bins=edges)[0] for of_hypothesis in entailment.T])


def consistency(means: npt.NDArray[np.number], parameters: Parameters) -> npt.NDArray[np.float64]:
    """Return the probability that each summary is consistent with its source, in [0, 1].

    The kernel of the convolution is as wide as a histogram, so it maps every hypothesis to one value; because
    it is linear, it maps the mean histogram to their mean. The last layer reads that mean three times (the
    released code can use the minimum, the mean and the maximum instead).

    Args:
        means: ``[…, bins]``, the mean histogram of the hypotheses of each summary.
        parameters: parameters of the convolution and the last layer.

    Returns:
        float64 ``[…]``.
    """
    values = means @ parameters["mlp.weight"][0] + parameters["mlp.bias"][0]
    logits = values[..., None] * parameters["layer_final.weight"].sum(axis=1) + parameters["layer_final.bias"]
    probabilities: npt.NDArray[np.float64] = np.exp(-np.logaddexp(0.0, logits[..., 0] - logits[..., 1]))
    return probabilities


def untrained(bins: int) -> Parameters:
    """Return the initial parameters of a fit to histograms with ``bins`` bins."""
    shapes = {
        "mlp.weight": (1, bins),
        "mlp.bias": (1,),
        "layer_final.weight": (2, 3),
        "layer_final.bias": (2,),
    }
    parameters = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
    parameters["layer_final.weight"][1] = 1
    return parameters


def fit(
    means: npt.NDArray[np.number], labels: Sequence[int], *, steps: int = 1500, seed: int = 0
) -> tuple[Parameters, float]:
    """Fit the parameters to labelled pairs, as Laban et al. do: cross-entropy, Adam, random batches.

    Args:
        means: ``[pairs, bins]``, the mean histogram of the hypotheses of each summary.
        labels: 1 for a summary that is consistent with its source, 0 for one that is not.
        steps: number of batches of ``BATCH_SIZE`` pairs.
        seed: random seed of the batches.

    Returns:
        The parameters, and the final cross-entropy over all pairs; guessing gives 0.69.
    """
    import torch
    from torch.nn.functional import cross_entropy, linear

    histograms = torch.tensor(means, dtype=torch.float32)
    targets = torch.tensor(list(map(int, labels)))
    parameters = {
        name: torch.tensor(values).requires_grad_() for name, values in untrained(means.shape[1]).items()
    }
    kernel, bias, last, last_bias = parameters.values()
    optimizer = torch.optim.Adam(list(parameters.values()), lr=LEARNING_RATE)
    generator = torch.Generator().manual_seed(seed)
    for _ in range(steps):
        batch = torch.randint(len(targets), (BATCH_SIZE,), generator=generator)
        values = linear(histograms[batch], kernel, bias).expand(-1, 3)
        optimizer.zero_grad()
        cross_entropy(linear(values, last, last_bias), targets[batch]).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    fitted = {name: tensor.detach().numpy() for name, tensor in parameters.items()}
    probabilities = consistency(means, fitted)
    loss = -np.log(np.where(targets.numpy() == 1, probabilities, 1 - probabilities)).mean()
    return fitted, float(loss)
