"""The recipe of the judge: which stage learns what, from where it starts, and at which rate.

A mixture says how many pairs of each kind a stage reads, once each: all there are where the number is larger.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from augment import denied, swapped
from facts import (
    changed_facts,
    fever_neutrals,
    long_fever,
    source_nli,
    source_nli_parts,
    source_nli_sentences,
)
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
        source_nli_sentences,
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
THIRD = {  # pairs not read yet, all kinds again
    "mnli_train": 40_000,
    "lingnli": 12_000,
    "wanli": 6_000,
    "newprotocols_base": 4_000,
    "newprotocols_edit_other": 4_000,
    "newprotocols_edit_premise": 4_000,
    "newprotocols_contrast": 3_000,
    "snli_train": 16_000,
    "snli_dev": 4_000,
    "monli": 2_000,
    "cad": 4_000,
    "sanli_sim_wiki": 1_000,
    "sanli_base_wiki": 1_000,
    "conjnli": 2_000,
    "denied": 4_000,
    "swapped": 4_000,
    "random_neutrals": 1_000,
    "fever": 5_000,
    "fever_neutrals": 3_000,
    "changed_facts": 5_000,
    "long_public": 1_500,
    "long_fever": 600,
    "long_reviews": 2_000,
    "taken_back": 800,
    "clusters_and_scales": 20_000,
    "checklists": 26_000,
    "compared": 9_000,
    "source_nli": 7_000,
    "source_nli_parts": 3_000,
}
FOURTH = {  # in small steps, twice from another draw, and the average of both
    "mnli_train": 38_050,
    "lingnli": 12_700,
    "wanli": 7_600,
    "newprotocols_base": 3_500,
    "newprotocols_edit_other": 3_150,
    "newprotocols_edit_premise": 3_500,
    "newprotocols_contrast": 3_800,
    "snli_train": 10_750,
    "snli_dev": 3_800,
    "mnli_dev": 5_050,
    "cad": 3_150,
    "monli": 1_250,
    "conjnli": 1_600,
    "sanli_sim_wiki": 750,
    "sanli_translate_wiki": 650,
    "sanli_base_wiki": 650,
    "denied": 3_150,
    "swapped": 3_150,
    "random_neutrals": 650,
    "fever": 5_050,
    "fever_neutrals": 2_550,
    "changed_facts": 1_900,
    "long_public": 950,
    "long_fever": 400,
    "long_reviews": 1_900,
    "taken_back": 650,
    "clusters_and_scales": 12_700,
    "checklists": 13_950,
    "compared": 7_600,
    "source_nli": 2_850,
    "source_nli_parts": 3_800,
}
FIFTH = {  # the same with the sentences of SourceNLI
    "mnli_train": 22_700,
    "lingnli": 7_550,
    "wanli": 3_800,
    "newprotocols_base": 2_100,
    "newprotocols_edit_other": 1_850,
    "newprotocols_edit_premise": 2_100,
    "newprotocols_contrast": 1_700,
    "snli_train": 8_400,
    "snli_dev": 2_500,
    "mnli_dev": 2_500,
    "cad": 2_500,
    "monli": 1_250,
    "conjnli": 850,
    "sanli_sim_wiki": 400,
    "sanli_translate_wiki": 350,
    "sanli_base_wiki": 350,
    "denied": 2_100,
    "swapped": 1_700,
    "random_neutrals": 400,
    "fever": 3_350,
    "fever_neutrals": 1_700,
    "changed_facts": 1_100,
    "long_public": 500,
    "long_fever": 200,
    "long_reviews": 1_100,
    "taken_back": 400,
    "clusters_and_scales": 8_400,
    "checklists": 9_250,
    "compared": 5_050,
    "source_nli": 1_700,
    "source_nli_parts": 2_100,
    "source_nli_sentences": 100_000,
}


@dataclass(frozen=True)
class Stage:
    """One pass over a mixture.

    Attributes:
        name: also of its folder.
        start: the stages whose weights it starts from, averaged; none for the first weights.
        mixture: pairs to read of each kind.
        rate, final_rate: learning rates at the start, after the warm-up, and at the end; linear between.
        seed: of the draw and of the order.
        tokens: of a batch, padding counted.
        smoothing: of the labels of the public sets, which differ among annotators.
    """

    name: str
    start: tuple[str, ...]
    mixture: Mapping[str, int]
    rate: float
    final_rate: float
    seed: int
    tokens: int = 4096
    smoothing: float = 0.05


STAGES = (
    Stage(
        name="first",
        start=(),
        mixture=FIRST,
        rate=1.5e-4,
        final_rate=1.13e-4,
        seed=201,
    ),
    Stage(
        name="second",
        start=("first",),
        mixture=SECOND,
        rate=8e-5,
        final_rate=0.0,
        seed=202,
    ),
    Stage(
        name="third",
        start=("second",),
        mixture=THIRD,
        rate=1.2e-4,
        final_rate=0.0,
        seed=203,
    ),
    *(
        Stage(
            name=name,
            start=("third",),
            mixture=FOURTH,
            rate=8e-5,
            final_rate=2.9e-5,
            seed=seed,
            tokens=1024,
        )
        for name, seed in (("fourth", 204), ("fourth_again", 205))
    ),
    *(
        Stage(
            name=name,
            start=("fourth", "fourth_again"),
            mixture=FIFTH,
            rate=4e-5,
            final_rate=0.0,
            seed=seed,
            tokens=1024,
        )
        for name, seed in (("fifth", 206), ("fifth_again", 207))
    ),
)
CALIBRATED = ("second", "fifth", "fifth_again")  # the stages whose average is calibrated

AIMED: Mapping[int, Mapping[str, int]] = {
    7: {
        "mnli_train": 870,
        "snli_train": 720,
        "lingnli": 230,
        "wanli": 170,
        "newprotocols_base": 200,
        "newprotocols_edit_premise": 160,
        "newprotocols_edit_other": 150,
        "monli": 150,
        "cad": 150,
        "conjnli": 120,
        "clusters_and_scales": 690,
        "checklists": 670,
        "source_nli": 150,
        "source_nli_sentences": 590,
    },
    11: {
        "mnli_train": 1_700,
        "snli_train": 1_500,
        "lingnli": 300,
        "wanli": 230,
        "newprotocols_base": 450,
        "newprotocols_edit_premise": 390,
        "newprotocols_edit_other": 200,
        "monli": 200,
        "cad": 190,
        "conjnli": 150,
        "clusters_and_scales": 930,
        "checklists": 900,
        "source_nli": 1_600,
        "source_nli_sentences": 1_800,
    },
}
"""The passes of ``aim.py`` from the calibrated weights: seed, and pairs of earlier stages to repeat."""
COMPARED = 10_000  # pairs of claims among which the aimed passes look for wrong ones
BLEND = (0.4, 0.3, 0.3)  # of the calibrated weights and of each aimed pass
TOWARDS_ENTAILMENT = 0.15  # added to its bias: the aimed passes make the judge a little too cautious
