"""Hypotheses judged against a text: each premise alone, shortened, or the best premises joined."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from claimwise.errors import ClaimwiseError
from claimwise.evidence.support import EntailedHypothesis, SourcePremise, entailed
from claimwise.judges.protocol import Example, Judge, Judgements, Matrix, concatenate
from claimwise.metrics.claims import Claims
from claimwise.metrics.judged import Cross, Judged, Marks
from claimwise.metrics.premises import PremiseGranularity, texts_of
from claimwise.options import OptionGroup, choice, option
from claimwise.scores.summac import RetrieveBy, TopkOrder, retrieve


@dataclass(frozen=True, kw_only=True)
class PremiseOptions(OptionGroup):
    """Which parts of a source are premises, and which of them are joined or shortened."""

    premise_granularity: PremiseGranularity = option(
        "two_sentences",
        '`"sentence"`, `"two_sentences"` (each sentence and the next), `"paragraph"`, `"document"`, or '
        '`"topk"`: the best sentences for a hypothesis, joined and scored again',
        choices=get_args(PremiseGranularity),
    )
    k: int = option(5, 'number of sentences that `"topk"` retrieves', at_least=1)
    retrieve_by: RetrieveBy = choice(
        RetrieveBy, '`"entailment"`, or `"entailment_and_contradiction"` (k sentences for each)'
    )
    topk_order: TopkOrder = option(
        "score",
        'order of the joined sentences: `"score"`, the best first, or `"document"`',
        choices=get_args(TopkOrder),
    )
    premise_tokens: int | None = option(
        None, "maximum tokens of a premise; longer premises are truncated at the end", at_least=1
    )

    @property
    def retrieve(self) -> Callable[[Matrix], list[list[int]]] | None:
        """A function that chooses the premises to be joined for each hypothesis; None = none are joined."""
        if self.premise_granularity != "topk":
            return None
        return partial(retrieve, k=self.k, by=self.retrieve_by, order=self.topk_order)

    @property
    def retrieval_signature(self) -> dict[str, object]:
        """The parts of the signature that only joined or shortened premises have."""
        names = ("k", "retrieve_by", "topk_order") if self.premise_granularity == "topk" else ()
        tokens = {} if self.premise_tokens is None else {"premise_tokens": self.premise_tokens}
        return {**{name: getattr(self, name) for name in names}, **tokens}


class JudgedText(NamedTuple):
    """Hypotheses judged against each premise of a text, and perhaps against their best premises joined.

    Attributes:
        matrix: ``[premises, hypotheses, 3]``, probabilities of each premise.
        deciding: what scores are computed from: ``[premises, hypotheses]``, or ``[1, hypotheses]`` if the
            best premises were joined.
        joined: for each hypothesis, the indices of its joined premises; None = none were joined.
        marks: marks of all judgements.
    """

    matrix: Matrix
    deciding: Judgements
    joined: list[list[int]] | None
    marks: Marks


def judge_texts(
    cross: Cross,
    premises: Sequence[Sequence[SourcePremise]],
    hypotheses: Sequence[Sequence[str]],
    retrieve: Callable[[Matrix], list[list[int]]] | None = None,
) -> list[JudgedText]:
    """Judge the hypotheses of each row against its premises.

    ``retrieve`` returns for each hypothesis of a matrix the premises that are joined, in this order, and
    judged again as one premise; None = none are joined.
    """
    texts = list(map(texts_of, premises))
    judged = cross(list(zip(texts, hypotheses, strict=True)))
    if retrieve is None:
        return [JudgedText(row.probabilities, row.judgements, None, row.marks) for row in judged]
    chosen = [retrieve(row.probabilities) for row in judged]
    examples: list[list[Example]] = [
        [
            ([" ".join(of_row[index] for index in indices)], [hypothesis])
            for hypothesis, indices in zip(of_text, of_choice, strict=True)
        ]
        for of_row, of_text, of_choice in zip(texts, hypotheses, chosen, strict=True)
    ]
    again = iter(cross(list(chain.from_iterable(examples))))
    judged_texts = []
    for row, joined in zip(judged, chosen, strict=True):
        blocks = [next(again) for _ in joined]
        deciding = concatenate([block.judgements for block in blocks]).reshape(1, len(blocks))
        marks = sum((block.marks for block in blocks), row.marks)
        judged_texts.append(JudgedText(row.probabilities, deciding, joined, marks))
    return judged_texts


def cross_short(cross: Cross, judge: Judge, tokens: int | None, examples: Sequence[Example]) -> list[Judged]:
    """Judge examples whose premises are truncated to a number of tokens first, if any, and marked so.

    Raises:
        ClaimwiseError: for a judge that does not count tokens.
    """
    if tokens is None:
        return cross(list(examples))
    if (shorten := getattr(judge, "shorten", None)) is None:
        raise ClaimwiseError(
            "The option `premise_tokens` needs a judge that counts tokens.",
            "Use a local judge, or leave premise_tokens out.",
            option="premise_tokens",
        )
    distinct = list(dict.fromkeys(chain.from_iterable(premises for premises, _ in examples)))
    short = dict(zip(distinct, shorten(distinct, tokens), strict=True))
    judged = cross([([short[premise] for premise in premises], texts) for premises, texts in examples])
    marked = []
    for (judgements, marks), (premises, _) in zip(judged, examples, strict=True):
        is_short = np.array([[short[premise] != premise] for premise in premises])
        judgements = replace(judgements, truncated=judgements.truncated | is_short)
        marked.append(Judged(judgements, replace(marks, truncated=int(judgements.truncated.sum()))))
    return marked


def entailed_claims(
    claims: Claims,
    scores: npt.NDArray[np.floating],
    premises: Sequence[SourcePremise],
    matrix: Matrix,
    best: Sequence[Sequence[int]],
    **further: Any,
) -> tuple[EntailedHypothesis, ...]:
    """Return claims with their scores and best premises as evidence; see ``entailed`` for the arguments."""
    texts, sentences = claims.claims[: len(scores)], claims.sentences[: len(scores)]
    return entailed(texts, sentences, scores.tolist(), premises, matrix, best, **further)
