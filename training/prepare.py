"""Make the files the stages train on, validation and OpinionNLI test.

Stage 1 is the NLI sets plus random neutrals. The later ones are the NLI sets again, mixed with pairs expanded
from OpinionNLI (its clusters, from stage 4 on its scales, from stage 10 on its checklists too) and with new
pairs made of the old (augment.py: from stage 5 on a denied hypothesis, from stage 6 on a swapped word). One
premise in fifty, every twelfth aspect and every twelfth checklist is kept for validation.
CoCoTrip, the CASPR synthetic set and zs_summ are never read here.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import zlib
from collections.abc import Iterable
from dataclasses import asdict
from itertools import chain
from pathlib import Path

from augment import CAPTION_SOURCES, Pair, denied_pairs, read_lexicon, swapped_pairs
from train import read_pairs

from claimwise.data.opinion_nli import Pair as OpinionPair
from claimwise.data.opinion_nli import (
    balanced_pairs,
    expand,
    expand_checklists,
    expand_scales,
    read_checklists,
    read_clusters,
    read_scales,
    read_truisms,
)

HERE = Path(__file__).parent
WORK = HERE / "work"
OPINION_NLI = HERE.parent / "datasets_scripts" / "opinion_nli"
SECOND_PASS = {
    "mnli_dev": 1.0,
    "taxinli_mnli_train": 1.0,
    "snli_dev": 1.0,
    "joci": 0.4,
    "conjnli": 0.4,
}
# Stages that take a part of the pairs only.
SAMPLES = {"stage7b": 150_000, "stage9": 120_000, "stage10": 300_000, "stage11": 130_000}


def number_of(stage: str) -> int:
    """Return 7 for "stage7b"."""
    return int(stage.removeprefix("stage").rstrip("b"))


def is_validation(key: str, one_in: int) -> bool:
    """Tell by a stable hash whether ``key`` (a premise) belongs to the validation part."""
    return zlib.crc32(key.encode()) % one_in == 0


def random_neutrals(pairs: list[Pair], count: int, generator: random.Random) -> list[Pair]:
    """Pair sentences of unrelated non-caption examples: neutral."""
    pool = [pair for pair in pairs if pair["source"] not in CAPTION_SOURCES]
    return [
        {
            "premise": generator.choice(pool)["premise"],
            "hypothesis": generator.choice(pool)["hypothesis"],
            "label": "neutral",
            "source": "random_neutral",
        }
        for _ in range(count)
    ]


def evened(pairs: Iterable[Pair], count: int, generator: random.Random) -> list[Pair]:
    """Return at most ``count`` pairs of each label, drawn at random."""
    by_label: dict[str, list[Pair]] = {}
    for pair in pairs:
        by_label.setdefault(pair["label"], []).append(pair)
    return [pair for some in by_label.values() for pair in generator.sample(some, min(count, len(some)))]


def sampled(count: int, seed: int, *expansions: Iterable[OpinionPair]) -> list[OpinionPair]:
    """Return ``count`` pairs of all expansions together."""
    return random.Random(seed).sample([*chain(*expansions)], count)


def from_opinion_nli(pairs: Iterable[OpinionPair]) -> list[Pair]:
    """Return the rows of a data file."""
    return [asdict(pair) | {"source": "opinion_nli"} for pair in pairs]


def write(path: Path, pairs: list[Pair]) -> None:
    """Write JSON lines, the whole file or none of it, and print how many."""
    part = path.with_suffix(".part")
    with part.open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(pair, ensure_ascii=False) + "\n" for pair in pairs)
    part.rename(path)
    print(f"{path}: {len(pairs)} pairs")


def main() -> None:
    """Write the files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("CLAIMWISE_DATA"))
    arguments = parser.parse_args()
    if arguments.data is None:
        parser.error("pass --data or set CLAIMWISE_DATA to the folder that holds nli/")
    generator = random.Random(13)
    WORK.mkdir(exist_ok=True)
    nli = read_pairs(Path(arguments.data) / "nli" / "train.jsonl.gz")
    short = [pair for pair in nli if len((pair["premise"] + pair["hypothesis"]).split()) <= 70]
    nli_train = [pair for pair in short if not is_validation(pair["premise"], 50)]
    nli_validation = [pair for pair in short if is_validation(pair["premise"], 50)]
    write(WORK / "stage1.jsonl", nli_train + random_neutrals(nli_train, 3000, generator))
    write(WORK / "validation_nli.jsonl", nli_validation)

    clusters, truisms = read_clusters(OPINION_NLI), read_truisms(OPINION_NLI)
    scales, checklists = read_scales(OPINION_NLI), read_checklists(OPINION_NLI)
    train_clusters = [cluster for cluster in clusters if cluster.split == "train"]
    train_scales = [scale for scale in scales if scale.split == "train"]
    train_checklists = [checklist for checklist in checklists if checklist.split == "train"]
    opinion = {
        "stage2": [expand(train_clusters, truisms, 13)],
        "stage3": [expand(train_clusters, truisms, 14)],
        "stage4": [
            expand(train_clusters, truisms, 15),
            expand_scales(train_scales, 15),
            expand_scales(train_scales, 16),
        ],
        "stage5": [
            expand(train_clusters, truisms, 17),
            *(expand_scales(train_scales, seed) for seed in (17, 18, 19)),
        ],
        "stage6": [
            expand(train_clusters, truisms, 20),
            *(expand_scales(train_scales, seed) for seed in (20, 21)),
        ],
        "stage7": [
            expand(train_clusters, truisms, 23),
            *(expand_scales(train_scales, seed) for seed in (23, 24)),
        ],
        "stage7b": [
            expand(train_clusters, truisms, 30),
            *(expand_scales(train_scales, seed) for seed in (30, 31)),
        ],
        "stage8": [
            expand(train_clusters, truisms, 26),
            *(expand_scales(train_scales, seed) for seed in (26, 27)),
        ],
        "stage9": [expand(train_clusters, truisms, 33), expand_scales(train_scales, 33)],
        "stage10": [
            sampled(90_000, 34, expand(train_clusters, truisms, 34), expand_scales(train_scales, 34)),
            *(expand_checklists(train_checklists, seed) for seed in (34, 35)),
        ],
        "stage11": [
            sampled(40_000, 36, expand(train_clusters, truisms, 36), expand_scales(train_scales, 36)),
            sampled(90_000, 36, expand_checklists(train_checklists, 36)),
        ],
    }
    sentences = sorted({pair[side] for pair in nli_train for side in ("premise", "hypothesis")})
    for stage, expansions in opinion.items():
        again = [pair for pair in nli_train if generator.random() < SECOND_PASS.get(pair["source"], 0.7)]
        again += random_neutrals(nli_train, 3000, generator)
        if number_of(stage) >= 5:
            again += evened(denied_pairs(nli_train, generator), 5000, generator)
        if number_of(stage) >= 6:
            again += evened(swapped_pairs(sentences, read_lexicon(), generator), 5000, generator)
        pairs = again + from_opinion_nli(chain(*expansions))
        if stage in SAMPLES:
            pairs = generator.sample(pairs, SAMPLES[stage])
        write(WORK / f"{stage}.jsonl", pairs)
    for split in ("validation", "test"):
        pairs = balanced_pairs(clusters, scales, [], truisms, split)
        write(WORK / f"{split}_opinion.jsonl", from_opinion_nli(pairs))
        pairs = balanced_pairs([], [], checklists, truisms, split)
        write(WORK / f"{split}_checklists.jsonl", from_opinion_nli(pairs))


if __name__ == "__main__":
    main()
