"""Make the filter: in rounds draw texts, look for hard pairs, judge, train; then calibrate and export.

What was drawn and what the judge said is kept, and so is every trained network: the same command goes on
where a run stopped. Nothing is written into the repository before the last step, the export.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple, get_args

import numpy as np
import torch
from decomposed import claims_of
from learning import Features, Floats, odds_of, report, scored, train
from packing import FILTER, JUDGE, export
from pooling import Shape
from safetensors.torch import load_file
from texts import Block, Texts, draw_block, draw_compared, draw_decomposed, draw_pool
from thresholds import bounds, edges_of, non_neutral, threshold_of
from towers import Towers
from transformers import AutoConfig, AutoTokenizer
from verdicts import judged

from claimwise.judges.filter import BestBy, Facts
from claimwise.judges.filter.best import LEAST_GAIN, LOOK, MOST_JUDGED
from claimwise.judges.hub import checkpoint_fingerprint
from claimwise.labels import CONTRADICTION, ENTAILMENT

SHAPE = Shape(frozen=3, learned=2, queries=4, width=64)
LONGEST = 48
"""Tokens of a text that the filter is asked about."""


class Round(NamedTuple):
    """What is learned in one go, beside all that was learned before.

    Attributes:
        blocks: how many are drawn.
        pairs: of a block, drawn by chance, those about one thing among them.
        hard: further pairs of a block, which the network of the round before is least sure of.
        epochs: over all blocks so far.
        rate: of the layers; that of the heads is ten times as high.
    """

    blocks: int
    pairs: int
    hard: int
    epochs: int
    rate: float


ROUNDS = (
    Round(blocks=60, pairs=900, hard=0, epochs=5, rate=3e-4),
    Round(blocks=40, pairs=0, hard=500, epochs=6, rate=2e-4),
    Round(blocks=150, pairs=450, hard=650, epochs=6, rate=2e-4),
    Round(blocks=150, pairs=450, hard=650, epochs=5, rate=2e-4),
)
WEIGHT = 3.0
"""Of a pair that is not neutral, beside one that is."""
LEAST_SURE = -2.5
"""The log odds of "not neutral" that the first threshold is near."""
VALIDATION_BLOCKS, DECOMPOSED_BLOCKS = 160, 30
POOL = {"hypotheses": 100, "premises": 400}
RECALL = 0.993
SHARE_BELOW = 0.998


def default_state() -> Path:
    """Return where the state lies: ``~/.cache/claimwise/training/filter``."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser()
    return cache / "claimwise" / "training" / "filter"


def new_towers() -> Towers:
    """Return the network with the judge's layers, those that are learned too."""
    torch.manual_seed(0)
    towers = Towers(AutoConfig.from_pretrained(JUDGE), SHAPE)
    of_judge = {
        name.removeprefix("bert."): value.float()
        for name, value in load_file(JUDGE / "model.safetensors").items()
        if name.startswith("bert.")
    }
    towers.encoder.load_state_dict({name: of_judge[name] for name in towers.encoder.state_dict()})
    return towers


def features_of(towers: Towers, blocks: list[Block]) -> Features:
    """Return all texts of blocks behind the frozen layers."""
    tokenizer = AutoTokenizer.from_pretrained(JUDGE)

    def tokenize(texts: list[str]) -> list[list[int]]:
        return tokenizer(texts, truncation=True, max_length=LONGEST + 2)["input_ids"]

    return Features(towers, list(dict.fromkeys(text for block in blocks for text in block.texts)), tokenize)


def write_blocks(path: Path, blocks: list[Block]) -> None:
    """Keep what was drawn, so that a run goes on with it even where texts have changed since."""
    path.write_text(json.dumps([block._asdict() for block in blocks]), encoding="utf-8")


def read_blocks(path: Path) -> list[Block]:
    """Return what was drawn."""
    read = json.loads(path.read_text(encoding="utf-8"))
    return [Block(block["texts"], [(p, h) for p, h in block["pairs"]]) for block in read]


def with_hard_pairs(towers: Towers, blocks: list[Block], pairs: int, seed: int) -> list[Block]:
    """Add to each block further pairs, drawn by chance: those that the network is least sure of, and some."""
    features, generator = features_of(towers, blocks), np.random.default_rng(seed)
    found = []
    for block in blocks:
        there = set(block.pairs)
        others = [
            (p, h)
            for p in range(len(block.texts))
            for h in range(len(block.texts))
            if p != h and (p, h) not in there
        ]
        if not others:
            found.append(block)
            continue
        odds = odds_of(scored(towers, features, [Block(block.texts, others)])).astype(np.float64)
        # Highest near the threshold: what is surely neutral or surely not teaches little.
        weights = 0.05 + np.exp(-0.5 * ((odds - LEAST_SURE) / 1.5) ** 2)
        size = min(pairs, len(others))
        chosen = generator.choice(len(others), size, replace=False, p=weights / weights.sum())
        found.append(Block(block.texts, [*block.pairs, *(others[place] for place in sorted(chosen))]))
    return found


def score_of(verdicts: Floats, by: BestBy) -> Floats:
    """Return the score of each pair that the best premise is the highest of."""
    entailment = verdicts[:, ENTAILMENT]
    return entailment if by == "entailment" else entailment - verdicts[:, CONTRADICTION]


def best_found(entailment: Floats, verdicts: Floats, hypotheses: int, bound: Any) -> dict[str, float]:
    """Return what judging the most likely premises first gives in a pool, beside judging all."""
    logits = entailment.reshape(hypotheses, -1)
    scores = score_of(verdicts, "entailment_minus_contradiction").reshape(hypotheses, -1)
    errors, looked = [], []
    for of_one, true in zip(logits, scores, strict=True):
        order = np.argsort(-of_one)[:MOST_JUDGED]
        bounds_of_one, best, count = bound(of_one[order]), -np.inf, 0
        while size := int((bounds_of_one[count : count + LOOK] > best + LEAST_GAIN).sum()):
            best, count = max(best, float(true[order[count : count + size]].max())), count + size
        errors.append(float(true.max()) - best)
        looked.append(count)
    return {
        "judged": float(np.mean(looked)),
        "most judged": max(looked),
        "mean error": float(np.mean(errors)),
        "largest error": max(errors),
    }


def finish(towers: Towers, logits: Floats, said: Floats, logits_of_pool: Floats, of_pool: Floats) -> None:
    """Choose the threshold, fill the tables, and write the filter into the package.

    Args:
        towers: trained.
        logits: of the validation pairs, ``[pairs, 2]``.
        said: by the judge of them, ``[pairs, 3]``.
        logits_of_pool: of the pairs of the pool.
        of_pool: what the judge said of those.
    """
    both, said_of_both = np.concatenate([logits, logits_of_pool]), np.concatenate([said, of_pool])
    threshold = threshold_of(odds_of(logits), said, RECALL)
    edges = edges_of(np.concatenate([odds_of(both), both[:, 0]]))

    def bounds_below(share: float, by: BestBy) -> list[float]:
        return bounds(both[:, 0], score_of(said_of_both, by), edges, share)

    facts = Facts(
        judge=checkpoint_fingerprint(str(JUDGE)),
        shape=tuple(SHAPE),
        longest=LONGEST,
        threshold=threshold.value,
        recall=round(threshold.recall, 4),
        asked=round(threshold.asked, 4),
        edges=tuple(edges),
        non_neutral=tuple(map(tuple, non_neutral(odds_of(both), said_of_both, edges))),
        bounds={by: tuple(bounds_below(SHARE_BELOW, by)) for by in get_args(BestBy)},
        share_below=SHARE_BELOW,
    )
    rows = {
        "validation": report(logits, said),
        "pool": report(logits_of_pool, of_pool),
        f"threshold, recall {RECALL:.1%}": asdict(threshold),
    }
    for share in (0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999):
        table = np.array(bounds_below(share, "entailment_minus_contradiction"))
        rows[f"best match, bound above {share:.1%}"] = best_found(
            logits_of_pool[:, 0],
            of_pool,
            POOL["hypotheses"],
            lambda logit, table=table: table[np.searchsorted(edges, logit, side="right")],
        )
    measured = "\n".join(
        f"| {name} | {what} | {value:.4g} |" for name, of in rows.items() for what, value in of.items()
    )
    print(measured, facts, sep="\n")
    export(towers, facts, f"| set | what | value |\n|---|---|---|\n{measured}")


def with_claims(split: str, state: Path) -> Texts:
    """Return the texts of a split, with the claims that the claim writer makes of its sentences."""
    texts = Texts(split)
    sentences = [row.sentence for rows in texts.rows.values() for row in rows]
    texts.made = claims_of(sentences, state / f"claims_{split}.json")
    return texts


def main() -> None:
    """Run what is not done yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--state", type=Path, default=default_state(), help="folder of all in between")
    parser.add_argument(
        "--keep-network",
        action="store_true",
        help="keep the shipped network, and set its threshold, tables and bounds: for a judge with the same "
        "lowest layers",
    )
    arguments = parser.parse_args()
    state: Path = arguments.state
    state.mkdir(parents=True, exist_ok=True)

    validation_texts = with_claims("validation", state)
    generator = random.Random(2)
    validation = [draw_compared(validation_texts, generator) for _ in range(VALIDATION_BLOCKS)]
    pool = draw_pool(validation_texts, random.Random(3), **POOL)
    decomposed = [draw_decomposed(validation_texts, generator) for _ in range(DECOMPOSED_BLOCKS)]
    of_validation = np.concatenate(judged(validation, state / "validation.sqlite"))
    (of_pool,) = judged([pool], state / "pool.sqlite")
    of_decomposed = np.concatenate(judged(decomposed, state / "decomposed.sqlite"))
    towers = new_towers()
    others = features_of(towers, [*validation, pool, *decomposed])
    if arguments.keep_network:
        shipped = {name: value.float() for name, value in load_file(FILTER).items()}
        towers.load_state_dict(shipped, strict=False)

    blocks: list[Block] = []
    verdicts: list[Floats] = []
    texts = None if arguments.keep_network else with_claims("train", state)
    for number, of_round in enumerate(ROUNDS if texts else (), 1):
        drawn, network = state / f"blocks_{number}.json", state / f"{number}.pt"
        if not drawn.exists():
            generator = random.Random(number)
            fresh = [draw_block(texts, generator, pairs=of_round.pairs) for _ in range(of_round.blocks)]
            if of_round.hard:
                fresh = with_hard_pairs(towers, fresh, of_round.hard, number)
            write_blocks(drawn, fresh)
        blocks += (of_this := read_blocks(drawn))
        verdicts += judged(of_this, state / f"train_{number}.sqlite")
        if network.exists():
            towers.load_state_dict(torch.load(network, weights_only=True), strict=False)
        else:
            features = features_of(towers, blocks)
            recipe = {"epochs": of_round.epochs, "rate": of_round.rate, "weight": WEIGHT}
            train(towers, features, blocks, verdicts, **recipe)
            torch.save({name: value.detach() for name, value in towers.learned_parameters().items()}, network)
        print(f"round {number}", report(scored(towers, others, validation), of_validation), flush=True)
    print("of decomposers", report(scored(towers, others, decomposed), of_decomposed), flush=True)

    with torch.no_grad():  # as they are stored
        for name, parameter in towers.learned_parameters().items():
            if name != "label_biases":
                parameter.copy_(parameter.half().float())
    finish(towers, scored(towers, others, validation), of_validation, scored(towers, others, [pool]), of_pool)


if __name__ == "__main__":
    main()
