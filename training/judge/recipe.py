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

FIRST = {
    "mnli_train": 55_450,
    "lingnli": 22_950,
    "wanli": 7_800,
    "newprotocols_base": 3_350,
    "newprotocols_edit_other": 2_950,
    "newprotocols_edit_premise": 3_150,
    "newprotocols_contrast": 4_400,
    "snli_train": 9_200,
    "monli": 1_300,
    "mnli_dev": 4_250,  # this and the next six sets version 0.1.0 has read many times
    "snli_dev": 2_650,
    "cad": 2_650,
    "sanli_sim_wiki": 1_300,
    "sanli_translate_wiki": 1_300,
    "sanli_base_wiki": 1_050,
    "conjnli": 2_100,
    "denied": 4_250,
    "swapped": 3_750,
    "random_neutrals": 1_050,
    "fever": 10_550,
    "fever_neutrals": 5_300,
    "changed_facts": 5_300,
    "long_public": 4_750,
    "long_fever": 2_650,
    "long_reviews": 3_200,
    "taken_back": 1_300,
    "clusters_and_scales": 15_850,
    "checklists": 13_800,
    "compared": 4_250,
    "source_nli_parts": 5_200,
}
SECOND = {  # at a falling rate: more of what the first stage forgets, whole passages, and all kinds again
    "mnli_train": 28_000,
    "lingnli": 7_000,
    "wanli": 6_000,
    "newprotocols_base": 3_500,
    "newprotocols_edit_other": 2_500,
    "newprotocols_edit_premise": 3_000,
    "snli_train": 18_000,
    "snli_dev": 5_000,
    "monli": 2_500,
    "cad": 3_000,
    "sanli_sim_wiki": 1_000,
    "conjnli": 2_000,
    "denied": 4_000,
    "swapped": 3_000,
    "random_neutrals": 1_000,
    "fever": 4_000,
    "fever_neutrals": 3_000,
    "changed_facts": 3_000,
    "long_public": 1_500,
    "long_fever": 500,
    "long_reviews": 1_500,
    "taken_back": 800,
    "clusters_and_scales": 24_000,
    "checklists": 12_000,
    "compared": 8_000,
    "source_nli": 10_000,
    "source_nli_parts": 3_000,
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
        mixture=FIRST,
        rate=1.5e-4,
        final_rate=1.13e-4,
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
