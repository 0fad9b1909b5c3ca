"""The words for entailment matrices: every premise of an example against every hypothesis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float32]
"""Probabilities ``[premises, hypotheses, 3]`` of entailment, neutral and contradiction."""

Example = tuple[Sequence[str], Sequence[str]]
"""Premises and hypotheses."""


class Predictions(NamedTuple):
    """Probabilities ``[…, 3]`` of pairs, and whether a text of the pair had to be cut to fit the model."""

    probabilities: npt.NDArray[np.float32]
    truncated: npt.NDArray[np.bool_]
