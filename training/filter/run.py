"""Make the filter: draw texts, judge them, train, look for hard pairs, train again, calibrate and export.

What the judge said is kept, and so is every trained network: the same command goes on where a run stopped.
Nothing is written into the repository before the last step, the export.
"""

from __future__ import annotations

import argparse
import os
import random
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

import numpy as np
import torch
from learning import Features, Floats, odds_of, report, scored, train
from packing import export
from texts import Block, Texts, draw_block, draw_compared, draw_pool
from thresholds import bounds, edges_of, non_neutral, threshold_of
from transformers import AutoConfig, AutoTokenizer
from verdicts import judged

from claimwise.labels import CONTRADICTION, ENTAILMENT
from claimwise.nli.filter import BestBy, Facts
from claimwise.nli.filter.towers import Shape, Towers
from claimwise.nli.hub import checkpoint_fingerprint
from claimwise.nli.local import EMBEDDED_WEIGHTS

SHAPE = Shape(frozen=3, learned=2, queries=4, width=64)
LONGEST = 48
"""Tokens of a text that the filter is asked about."""
TRAIN_BLOCKS, VALIDATION_BLOCKS = 60, 160
HARD_BLOCKS, HARD_PAIRS = 40, 500
LEAST_SURE = -2.5
"""The log odds of "not neutral" that the first threshold is near."""
POOL = {"hypotheses": 30, "premises": 400}
FIRST = {"epochs": 5, "rate": 3e-4, "weight": 3.0}
SECOND = {"epochs": 6, "rate": 2e-4, "weight": 3.0}
RECALL = 0.99
SHARE_BELOW = 0.98


def default_state() -> Path:
    """Return where the state lies: ``~/.cache/claimwise/training/filter``."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser()
    return cache / "claimwise" / "training" / "filter"


def new_towers() -> Towers:
    """Return the network with the judge's layers, those that are learned too."""
    from safetensors.torch import load_file

    torch.manual_seed(0)
    towers = Towers(AutoConfig.from_pretrained(EMBEDDED_WEIGHTS), SHAPE)
    of_judge = {
        name.removeprefix("bert."): value.float()
        for name, value in load_file(EMBEDDED_WEIGHTS / "model.safetensors").items()
        if name.startswith("bert.")
    }
    towers.encoder.load_state_dict({name: of_judge[name] for name in towers.encoder.state_dict()})
    return towers


def features_of(towers: Towers, blocks: list[Block]) -> Features:
    """Return all texts of blocks behind the frozen layers."""
    tokenizer = AutoTokenizer.from_pretrained(EMBEDDED_WEIGHTS)

    def tokenize(texts: list[str]) -> list[list[int]]:
        return tokenizer(texts, truncation=True, max_length=LONGEST + 2)["input_ids"]

    return Features(towers, list(dict.fromkeys(text for block in blocks for text in block.texts)), tokenize)


def trained(
    path: Path,
    towers: Towers,
    features: Features,
    blocks: list[Block],
    verdicts: list[Floats],
    recipe: dict[str, Any],
) -> None:
    """Train the network, or read it where that is done."""
    if path.exists():
        towers.load_state_dict(torch.load(path, weights_only=True), strict=False)
        return
    train(towers, features, blocks, verdicts, **recipe)
    torch.save({name: value.detach() for name, value in towers.learned_parameters().items()}, path)


def hard_blocks(
    towers: Towers, features: Features, blocks: list[Block], pairs: int, seed: int
) -> list[Block]:
    """Return of each block the pairs, drawn by chance, that the network is least sure of, and some others."""
    generator = np.random.default_rng(seed)
    found = []
    for block in blocks:
        every = [(p, h) for p in range(len(block.texts)) for h in range(len(block.texts)) if p != h]
        odds = odds_of(scored(towers, features, [Block(block.texts, every)])).astype(np.float64)
        # Highest near the threshold: what is surely neutral or surely not teaches little.
        weights = 0.05 + np.exp(-0.5 * ((odds - LEAST_SURE) / 1.5) ** 2)
        size = min(pairs, len(every))
        chosen = generator.choice(len(every), size, replace=False, p=weights / weights.sum())
        found.append(Block(block.texts, [every[place] for place in sorted(chosen)]))
    return found


def score_of(verdicts: Floats, by: BestBy) -> Floats:
    """Return the score of each pair that the best premise is the highest of."""
    entailment = verdicts[:, ENTAILMENT]
    return entailment if by == "entailment" else entailment - verdicts[:, CONTRADICTION]


def best_found(entailment: Floats, verdicts: Floats, hypotheses: int, bound: Any) -> dict[str, float]:
    """Return what judging the most likely premises first gives in a pool, beside judging all."""
    logits = entailment.reshape(hypotheses, -1)
    scores = (verdicts[:, ENTAILMENT] - verdicts[:, CONTRADICTION]).reshape(hypotheses, -1)
    errors, looked = [], []
    for of_one, true in zip(logits, scores, strict=True):
        best, count = -1.0, 0
        for place in np.argsort(-of_one):
            if bound(of_one[place]) <= best:
                break
            best, count = max(best, float(true[place])), count + 1
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
        judge=checkpoint_fingerprint(str(EMBEDDED_WEIGHTS)),
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
        f"threshold, recall {RECALL:.0%}": asdict(threshold),
    }
    for share in (0.8, 0.9, 0.95, 0.98, 0.99, 0.995):
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


def main() -> None:
    """Run what is not done yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--state", type=Path, default=default_state(), help="folder of all in between")
    state = parser.parse_args().state
    state.mkdir(parents=True, exist_ok=True)

    generator, texts = random.Random(1), Texts("train")
    blocks = [draw_block(texts, generator) for _ in range(TRAIN_BLOCKS)]
    generator, texts = random.Random(2), Texts("validation")
    validation = [draw_compared(texts, generator) for _ in range(VALIDATION_BLOCKS)]
    pool = draw_pool(texts, random.Random(3), **POOL)
    verdicts = judged(blocks, state / "train.sqlite")
    of_validation = judged(validation, state / "validation.sqlite")
    towers = new_towers()
    features = features_of(towers, blocks)
    trained(state / "first.pt", towers, features, blocks, verdicts, FIRST)
    (of_pool,) = judged([pool], state / "pool.sqlite")
    others = features_of(towers, [*validation, pool])
    print("first", report(scored(towers, others, validation), np.concatenate(of_validation)), flush=True)
    generator, texts = random.Random(4), Texts("train")
    fresh = [draw_block(texts, generator) for _ in range(HARD_BLOCKS)]
    of_fresh = features_of(towers, fresh)
    hard = hard_blocks(towers, of_fresh, fresh, HARD_PAIRS, 5)
    of_hard = judged(hard, state / "hard.sqlite")
    features.add(of_fresh)
    trained(state / "second.pt", towers, features, [*blocks, *hard], [*verdicts, *of_hard], SECOND)

    with torch.no_grad():  # as they are stored
        for name, parameter in towers.learned_parameters().items():
            if name != "label_biases":
                parameter.copy_(parameter.half().float())
    finish(
        towers,
        scored(towers, others, validation),
        np.concatenate(of_validation),
        scored(towers, others, [pool]),
        of_pool,
    )


if __name__ == "__main__":
    main()
