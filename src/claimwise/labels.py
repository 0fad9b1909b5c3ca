"""Label names and their order: always entailment, neutral, contradiction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from claimwise.errors import ClaimwiseError

LABELS = ("entailment", "neutral", "contradiction")
ENTAILMENT, NEUTRAL, CONTRADICTION = range(3)

# Names that published NLI and fact-verification checkpoints give their labels, lower-cased.
_SYNONYMS = {
    "entailment": {"entailment", "entail", "entails", "entailed", "supports", "supported"},
    "neutral": {"neutral", "not enough info", "not_enough_info", "nei"},
    "contradiction": {"contradiction", "contradict", "contradicts", "refutes", "refuted"},
}


def resolve_label_order(id2label: Mapping[int, str], label_order: Sequence[str] | None = None) -> list[int]:
    """Return the checkpoint's output indices of entailment, neutral and contradiction, in this order.

    Args:
        id2label: the checkpoint's own names, in any order and case.
        label_order: the names of outputs 0, 1, 2, for a checkpoint that does not name them
            (``LABEL_0`` …); overrides ``id2label``.

    Raises:
        ClaimwiseError: if the names are not one of each label.
    """
    if len(id2label) != len(LABELS):
        raise ClaimwiseError(
            f"The checkpoint has {len(id2label)} labels {list(id2label.values())}; NLI needs exactly three.",
            "Choose a checkpoint trained for entailment, neutral and contradiction.",
        )
    names = dict(enumerate(label_order)) if label_order is not None else dict(id2label)
    order = []
    for label in LABELS:
        matches = [index for index, name in names.items() if str(name).lower().strip() in _SYNONYMS[label]]
        if len(matches) != 1 or len(names) != len(LABELS):
            raise ClaimwiseError(
                f"The checkpoint's labels {list(names.values())} cannot be resolved to {', '.join(LABELS)}.",
                "Pass label_order= with the names of its outputs in order, for example "
                "label_order=['contradiction', 'neutral', 'entailment'] (its model card tells).",
            )
        order.append(int(matches[0]))
    return order
