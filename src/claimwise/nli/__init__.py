"""Natural language inference: pairs of texts in, probabilities out.

The last axis of every array is entailment, neutral, contradiction, whatever the checkpoint's own order.
"""

from claimwise.labels import LABELS
from claimwise.nli.model import NLIModel

__all__ = ["LABELS", "NLIModel"]
