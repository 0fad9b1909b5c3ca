"""The recipe of the judge: which stage learns what, from where it starts, and at which rate.

A mixture says how many pairs of each kind a stage reads, once each: all there are where the number is larger.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from augment import denied, swapped
from facts import changed_facts, fever_neutrals, long_fever, source_nli, source_nli_parts
from long_premises import long_public, long_reviews, taken_back
from pairs import Builder, checklists, clusters_and_scales, compared, random_neutrals

# The weights of version 0.1.0 in the history of the repository: MiniLM-L6, taught claims by OpinionNLI.
FIRST_COMMIT = "a06be78"

BUILDERS: Mapping[str, Builder] = {
    builder.__name__: builder
    for builder in (
        changed_facts,
        checklists,
        clusters_and_scales,
        compared,
        denied,
        fever_neutrals,
        long_fever,
        long_public,
        long_reviews,
        random_neutrals,
        source_nli,
        source_nli_parts,
        swapped,
        taken_back,
    )
}

PUBLIC = {
    "mnli_train": 200_000,
    "lingnli": 200_000,
    "wanli": 200_000,
    "newprotocols_base": 200_000,
    "newprotocols_edit_other": 200_000,
    "newprotocols_edit_premise": 200_000,
    "newprotocols_contrast": 200_000,
    "snli_train": 200_000,
    "monli": 200_000,
}
SEEN = {  # sets that version 0.1.0 has read many times
    "mnli_dev": 8_000,
    "snli_dev": 5_000,
    "cad": 5_000,
    "sanli_sim_wiki": 2_500,
    "sanli_translate_wiki": 2_500,
    "sanli_base_wiki": 2_000,
    "conjnli": 4_000,
}
AUGMENTED = {"denied": 8_000, "swapped": 7_000, "random_neutrals": 2_000}
FACTS = {"fever": 20_000, "fever_neutrals": 10_000, "changed_facts": 10_000}
LONG = {"long_public": 9_000, "long_fever": 5_000, "long_reviews": 6_000, "taken_back": 2_500}
OPINION = {"clusters_and_scales": 30_000, "checklists": 26_000, "compared": 8_000}
SECOND = {  # at a falling rate: what the first stage forgets or has not learned yet, and all kinds again
    "mnli_train": 45_000,
    "lingnli": 10_000,
    "wanli": 7_000,
    "newprotocols_base": 200_000,
    "newprotocols_edit_other": 200_000,
    "newprotocols_edit_premise": 200_000,
    "snli_train": 200_000,
    "snli_dev": 10_000,
    "monli": 200_000,
    "cad": 4_000,
    "sanli_sim_wiki": 1_500,
    "conjnli": 3_000,
    "denied": 5_000,
    "swapped": 4_000,
    "random_neutrals": 1_000,
    "fever": 6_000,
    "fever_neutrals": 4_000,
    "changed_facts": 6_000,
    "long_public": 3_000,
    "long_fever": 1_000,
    "long_reviews": 2_500,
    "taken_back": 1_000,
    "clusters_and_scales": 36_000,
    "checklists": 20_000,
    "compared": 8_000,
    "source_nli": 200_000,
    "source_nli_parts": 200_000,
}


@dataclass(frozen=True)
class Stage:
    """One pass over a mixture.

    Attributes:
        name: also of its folder.
        start: the stage whose averaged weights it starts from; None for the first weights.
        mixture: pairs to read of each kind.
        rate, final_rate: learning rates at the start, after the warm-up, and at the end; linear between.
        seed: of the draw and of the order.
        smoothing: of the labels of the public sets, which differ among annotators.
    """

    name: str
    start: str | None
    mixture: Mapping[str, int]
    rate: float
    final_rate: float
    seed: int
    smoothing: float = 0.05


STAGES = (
    Stage(
        name="first",
        start=None,
        mixture=PUBLIC | SEEN | AUGMENTED | FACTS | LONG | OPINION | {"source_nli_parts": 200_000},
        rate=1.5e-4,
        final_rate=8e-5,
        seed=201,
    ),
    Stage(
        name="second",
        start="first",
        mixture=SECOND,
        rate=8e-5,
        final_rate=0.0,
        seed=202,
    ),
)
