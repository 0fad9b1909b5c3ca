"""Label names and their order: always entailment, neutral, contradiction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from claimwise.errors import ClaimwiseError, in_backticks, shown

LABELS = ("entailment", "neutral", "contradiction")
ENTAILMENT, NEUTRAL, CONTRADICTION = range(3)

# Names that published NLI and fact-verification checkpoints give their labels, lower-cased.
_SYNONYMS = {
    "entailment": {"entailment", "entail", "entails", "entailed", "supports", "supported"},
    "neutral": {"neutral", "not enough info", "not_enough_info", "nei"},
    "contradiction": {"contradiction", "contradict", "contradicts", "refutes", "refuted"},
}
_NOT_ENTAILMENT = {"not_entailment", "not entailment", "non_entailment", "non-entailment"}


def resolve_label_order(id2label: Mapping[int, str], label_order: Sequence[str] | None = None) -> list[int]:
    """Return the checkpoint's output indices of entailment, neutral and contradiction, in this order.

    Args:
        id2label: the checkpoint's own names, in any order and case.
        label_order: the names of outputs 0, 1, 2, for a checkpoint that does not name them
            (``LABEL_0`` …); overrides ``id2label``.

    Raises:
        ClaimwiseError: unless the names contain each label once.
    """
    if len(id2label) != len(LABELS):
        raise ClaimwiseError(
            f"The checkpoint has {len(id2label)} labels ({in_backticks(id2label.values())}); a judge needs "
            "three.",
            "Choose a checkpoint trained for entailment, neutral and contradiction. Where contradictions do "
            "not matter, a local checkpoint with the labels `entailment` and `not_entailment` works. If it "
            "names them differently, pass label_order= with these two names, in the checkpoint's order.",
        )
    names = dict(enumerate(label_order)) if label_order is not None else dict(id2label)
    outputs = [_outputs_called(_SYNONYMS[label], names) for label in LABELS]
    if len(names) != len(LABELS) or any(len(matches) != 1 for matches in outputs):
        raise ClaimwiseError(
            f"The checkpoint's labels ({in_backticks(names.values())}) do not tell which is entailment, "
            "neutral and contradiction.",
            "Pass label_order= with the names of its outputs in order, for example "
            'label_order=["contradiction", "neutral", "entailment"] (see its model card).',
        )
    return [output for (output,) in outputs]


def _outputs_called(synonyms: set[str], names: Mapping[int, str]) -> list[int]:
    """Return the outputs whose names are among ``synonyms``, in any case."""
    return [int(index) for index, name in names.items() if str(name).lower().strip() in synonyms]


def resolve_labels(id2label: Mapping[int, str], label_order: Sequence[str] | None = None) -> list[int]:
    """Return the output indices of the three labels, or of entailment and not_entailment.

    See ``resolve_label_order`` for arguments and errors.
    """
    if len(id2label) == 2:
        if label_order is not None and len(label_order) == 2:
            return resolve_two_labels(label_order)
        names = [str(id2label[index]) for index in sorted(id2label)]
        if label_order is None and _outputs_called(_NOT_ENTAILMENT, dict(enumerate(names))):
            return resolve_two_labels(names)
    return resolve_label_order(id2label, label_order)


def resolve_two_labels(label_order: Sequence[str]) -> list[int]:
    """Return the output indices of entailment and not_entailment, given the names of outputs 0 and 1.

    Raises:
        ClaimwiseError: unless both are named.
    """
    names = dict(enumerate([] if isinstance(label_order, str) else label_order))
    entailment = _outputs_called(_SYNONYMS["entailment"], names)
    others = _outputs_called(_NOT_ENTAILMENT, names)
    if len(names) != 2 or len(entailment) != 1 or len(others) != 1:
        raise ClaimwiseError(
            f"The checkpoint has two labels, and `label_order` does not name them; got {shown(label_order)}.",
            "Pass label_order= with entailment and not_entailment, in the checkpoint's order.",
            option="label_order",
        )
    return entailment + others
