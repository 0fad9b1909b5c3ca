"""Make the pairs of a later stage out of what the model still gets wrong on the training split.

Most pairs of a fresh draw teach nothing: the model is right and sure of it. This script draws many pairs of
the OpinionNLI training split (crossings of the points of a checklist among them), asks the model, and
keeps those whose own label gets less than ``HARD`` of the probability, next to as much of the rest as
evens out the labels and a part of the NLI sets. Where the label gets almost nothing, it is as likely wrong
as the model: left out.
"""

from __future__ import annotations

import argparse
import collections
import itertools
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from calibrate import compared
from prepare import OPINION_NLI, from_opinion_nli, write
from train import read_pairs

from claimwise.data.opinion_nli import (
    Checklist,
    Pair,
    expand,
    expand_checklists,
    expand_scales,
    read_checklists,
    read_clusters,
    read_scales,
    read_truisms,
)
from claimwise.nli import LABELS, NLIModel

HARD = 0.75


def crossings(checklists: list[Checklist]) -> Iterator[Pair]:
    """Yield every pair of texts on two different points of a checklist: neutral."""
    for checklist in checklists:
        points = [item for item in checklist.items if len(item.aspects) == 1]
        for one, other in itertools.permutations(points, 2):
            if one.aspects.isdisjoint(other.aspects):
                texts = itertools.product(one.claims + one.denials, other.claims + other.denials)
                for premise, hypothesis in texts:
                    yield Pair(premise, hypothesis, "neutral", checklist.domain)


def texts_of(checklist: Checklist) -> set[str]:
    """Return every claim and denial of a checklist."""
    return {text for item in checklist.items for text in item.claims + item.denials}


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path, help="folder of the model whose mistakes are looked for")
    parser.add_argument("--nli", type=Path, required=True, help="file of a stage: its NLI pairs are sampled")
    parser.add_argument("--out", type=Path, required=True, help="file to write")
    parser.add_argument("--seeds", type=int, nargs="+", required=True, help="one draw of pairs each")
    parser.add_argument("--crossings", type=int, required=True, help="pairs of two points of one checklist")
    parser.add_argument(
        "--easy",
        type=int,
        required=True,
        help="that the model gets right, of the label with most hard ones; more of the others",
    )
    parser.add_argument("--nli-pairs", type=int, required=True)
    parser.add_argument(
        "--compared", type=int, default=0, help="pairs as summaries are compared, nine in ten neutral"
    )
    parser.add_argument(
        "--doubtful", type=float, default=0.02, help="leave out pairs whose label gets less probability"
    )
    parser.add_argument(
        "--after",
        type=Path,
        nargs="+",
        default=[],
        help="earlier files of this script: look only through checklists they have no text of, if any",
    )
    parser.add_argument("--again", type=int, default=0, help="pairs of those files to mix in")
    parser.add_argument(
        "--without-checklists", action="store_true", help="look only through clusters and scales"
    )
    arguments = parser.parse_args()

    truisms = read_truisms(OPINION_NLI)
    clusters = [cluster for cluster in read_clusters(OPINION_NLI) if cluster.split == "train"]
    scales = [scale for scale in read_scales(OPINION_NLI) if scale.split == "train"]
    checklists = [checklist for checklist in read_checklists(OPINION_NLI) if checklist.split == "train"]
    generator = random.Random(arguments.seeds[0])
    as_compared = generator.sample([*compared(checklists)], arguments.compared)
    earlier = [pair for file in arguments.after for pair in read_pairs(file)]
    if arguments.without_checklists:
        checklists = []
    elif arguments.after:
        seen = {pair[side] for pair in earlier for side in ("premise", "hypothesis")}
        new = [checklist for checklist in checklists if seen.isdisjoint(texts_of(checklist))]
        print(f"{len(new)} checklists that they do not hold")
        clusters, scales, checklists = [], [], new or checklists
    crossed = [*crossings(checklists)]
    pool = dict.fromkeys(generator.sample(crossed, min(arguments.crossings, len(crossed))))
    for seed in arguments.seeds:
        pool |= dict.fromkeys(expand(clusters, truisms, seed))
        pool |= dict.fromkeys(expand_scales(scales, seed))
        pool |= dict.fromkeys(expand_checklists(checklists, seed))
    pairs = list(pool)
    print(f"{len(pairs)} pairs drawn", flush=True)

    probabilities = NLIModel.from_pretrained(arguments.model).predict(
        [pair.premise for pair in pairs], [pair.hypothesis for pair in pairs]
    )
    of_label = probabilities[np.arange(len(pairs)), [LABELS.index(pair.label) for pair in pairs]]
    for bound in (arguments.doubtful, 0.25, 0.5, HARD, 0.9):
        print(f"the label gets less than {bound}: {(of_label < bound).mean():.4f} of the pairs")
    chosen = [pairs[row] for row in np.flatnonzero((of_label >= arguments.doubtful) & (of_label < HARD))]
    hard = collections.Counter(pair.label for pair in chosen)
    print("hard:", hard, flush=True)
    right = [pairs[row] for row in np.flatnonzero(of_label >= HARD)]
    for label in LABELS:
        of_this = [pair for pair in right if pair.label == label]
        count = arguments.easy + max(hard.values()) - hard[label]
        chosen += generator.sample(of_this, min(count, len(of_this)))
    nli = [pair for pair in read_pairs(arguments.nli) if pair["source"] != "opinion_nli"]
    rows = from_opinion_nli(chosen + as_compared) + generator.sample(nli, arguments.nli_pairs)
    rows += generator.sample([pair for pair in earlier if pair["source"] == "opinion_nli"], arguments.again)
    generator.shuffle(rows)
    write(arguments.out, rows)


if __name__ == "__main__":
    main()
