"""The filter: predicts which pairs are unlikely to be neutral, encoding each text separately.

It was trained on the embedded judge's verdicts (``training/filter``), and its lower layers are the embedded
judge's. It works with any judge.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from claimwise.errors import ClaimwiseError
from claimwise.judges.hub import EMBEDDED_WEIGHTS, JUDGE_FILES
from claimwise.judges.pairs import Bools, Floats, Ints, batches
from claimwise.judges.session import Session
from claimwise.judges.threads import compute_at_once
from claimwise.signature import folder_fingerprint

WEIGHTS = Path(__file__).parent / "weights"
FILE = "filter.onnx"

BestBy = Literal["entailment", "entailment_minus_contradiction"]
"""Scores of a premise: p_e, or p_e − p_c."""

TOKENS_AT_ONCE = 4096
TEXTS_AT_ONCE = 4096
"""Texts tokenized at a time; the tokenizer needs some kilobytes for each."""


@dataclass(frozen=True)
class Facts:
    """Metadata of the weights.

    Attributes:
        judge: fingerprint of the judge that provided the verdicts and the lower layers.
        shape: shape of the network.
        longest: maximum tokens of a text; pairs with longer texts are always judged.
        threshold: log odds of "not neutral" below which a pair is not judged.
        recall: share of the non-neutral validation pairs above the threshold.
        asked: share of all validation pairs above the threshold.
        edges: edges of the bins of the tables, in log odds, ascending.
        non_neutral: for each bin, the share of non-neutral pairs, and the upper end of its 95 % interval.
        bounds: for each score (p_e, and p_e − p_c) and each bin of the entailment logit, the quantile
            ``share_below`` of the score.
        share_below: the quantile of the bounds.
        label_biases: added to the logits of entailment and contradiction.
    """

    judge: str
    shape: Sequence[int]
    longest: int
    threshold: float
    recall: float
    asked: float
    edges: Sequence[float]
    non_neutral: Sequence[Sequence[float]]
    bounds: Mapping[BestBy, Sequence[float]]
    share_below: float
    label_biases: Sequence[float] = ()


class Vectors(NamedTuple):
    """Encoded texts.

    Attributes:
        premises: float32 ``[texts, labels, width]``.
        hypotheses: float32 ``[texts, labels, width]``.
        too_long: whether a text is longer than any training text.
    """

    premises: Floats
    hypotheses: Floats
    too_long: Bools

    def at(self, rows: Ints) -> Vectors:
        """Return the vectors of some texts."""
        return Vectors._make(array[rows] for array in self)

    def followed_by(self, others: Vectors) -> Vectors:
        """Return these vectors followed by ``others``."""
        return Vectors._make(map(np.concatenate, zip(self, others, strict=True)))


class PairFilter:
    """Predicts from the vectors of two texts the probability of a verdict other than neutral.

    It computes in float32 on the CPU, so that every machine selects the same pairs, up to rounding.
    """

    def __init__(self, session: Session, tokenizer: Any, facts: Facts) -> None:
        self._session, self._tokenizer, self.facts = session, tokenizer, facts
        self._label_biases: Floats = np.array(facts.label_biases, dtype=np.float32)

    def too_long(self, texts: Sequence[str]) -> Bools:
        """Return whether each text is longer than any training text."""
        return np.array([len(ids) - 2 > self.facts.longest for ids in self._token_ids(texts)], dtype=np.bool_)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts, each encoded once; zeros for texts that are too long."""
        ids = list(self._token_ids(texts))
        too_long = np.array([len(text_ids) - 2 > self.facts.longest for text_ids in ids], dtype=np.bool_)
        _, _, queries, width = self.facts.shape
        encoded = np.zeros((2, len(ids), 2, queries * width), dtype=np.float32)
        short = np.flatnonzero(~too_long)
        lengths = np.array([len(ids[text]) for text in short], dtype=np.int64)
        # Batches of equal length need no padding, so that a text's vectors do not depend on its batch.
        tasks = [short[rows] for rows in batches(lengths, TOKENS_AT_ONCE, padding="equal")]

        def encode(rows: Ints) -> Floats:
            batch = np.array([ids[text] for text in rows], dtype=np.int64)
            inputs = {"input_ids": batch, "attention_mask": np.ones_like(batch)}
            (vectors,) = self._session.run(inputs, ["vectors"])
            return vectors

        for rows, vectors in zip(tasks, compute_at_once(encode, tasks), strict=True):
            encoded[:, rows] = vectors
        return Vectors(encoded[0], encoded[1], too_long)

    def _token_ids(self, texts: Sequence[str]) -> Iterator[list[int]]:
        for start in range(0, len(texts), TEXTS_AT_ONCE):
            for encoding in self._tokenizer.encode_batch(list(texts[start : start + TEXTS_AT_ONCE])):
                yield encoding.ids

    def logits(self, premises: Floats, hypotheses: Floats) -> Floats:
        """Return the logits of entailment and contradiction, beside 0 for neutral, of pairs row by row.

        Both are ``[pairs, labels, width]``; the logits are ``[pairs, 2]``.
        """
        products: Floats = np.einsum("nlw,nlw->nl", premises, hypotheses) + self._label_biases
        return products

    def entailment(self, premises: Floats, hypotheses: Floats) -> Floats:
        """Return the logits ``[premises, hypotheses]`` of entailment of all premises with all hypotheses."""
        logits: Floats = (hypotheses[:, 0] @ premises[:, 0].T).T
        logits += self._label_biases[0]
        return logits  # contiguous by hypothesis

    def bound(self, entailment: Floats, by: BestBy) -> Floats:
        """Return the score that pairs with these entailment logits rarely exceed."""
        bins = np.searchsorted(np.array(self.facts.edges), entailment, side="right")
        bounds: Floats = np.array(self.facts.bounds[by], dtype=np.float32)[bins]
        return bounds


def odds(logits: Floats) -> Floats:
    """Return the log odds of "not neutral" of logits ``[…, 2]``."""
    log_odds: Floats = np.logaddexp(logits[..., 0], logits[..., 1])
    return log_odds


@cache
def load_filter() -> PairFilter:
    """Return the embedded filter, loaded once per process."""
    return read_filter(WEIGHTS / FILE)


def read_filter(path: Path, judge: Path = EMBEDDED_WEIGHTS) -> PairFilter:
    """Read a filter that shares the word embeddings in the folder ``judge``, for which it was trained."""
    from tokenizers import Tokenizer

    session = Session.load(path, inputs=["input_ids", "attention_mask"], outputs=["vectors"], words=judge)
    facts = Facts(**session.facts)
    if (fingerprint := folder_fingerprint(judge, list(JUDGE_FILES))) != facts.judge:
        raise ClaimwiseError(
            f"The filter was trained for the judge {facts.judge}, but the embedded judge is {fingerprint}.",
            "Use pairs=all, or retrain the filter: python training/filter/run.py.",
            option="pairs",
        )
    tokenizer = Tokenizer.from_file(str(judge / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return PairFilter(session, tokenizer, facts)


@cache
def filter_fingerprint() -> str:
    """Return 12 hexadecimal digits of the SHA-256 of the filter's file; nothing is loaded."""
    return folder_fingerprint(WEIGHTS, [FILE])
