"""How the filter is made: what it reads, what it learns from that, and what its threshold and tables keep."""

from __future__ import annotations

import random

import numpy as np
import opinion_nli
import pytest
import torch
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from learning import Features, odds_of, report, scored, train
from pooling import Shape
from texts import Block, Texts, draw_block, draw_compared, draw_pool
from thresholds import bounds, edges_of, threshold_of
from towers import Towers
from transformers import BertConfig

from claimwise.labels import ENTAILMENT, NEUTRAL

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def train_texts() -> Texts:
    return Texts("train")


def test_blocks_hold_texts_of_their_split_alone(train_texts: Texts) -> None:
    elsewhere = {
        claim
        for cluster in opinion_nli.read_clusters()
        if cluster.split != "train"
        for claim in cluster.claims
    } - {
        claim
        for found in train_texts.clusters.values()
        for one in found
        for claim in (*one.claims, *one.weaker)
    }
    generator = random.Random(5)
    drawn = [draw_block(train_texts, generator) for _ in range(20)]
    drawn += [draw_compared(train_texts, generator) for _ in range(20)]
    drawn.append(draw_pool(train_texts, generator, 5, 50))
    assert elsewhere.isdisjoint(text for block in drawn for text in block.texts)


def test_pairs_are_of_different_texts_and_compared_ones_go_both_ways(train_texts: Texts) -> None:
    block, compared = (draw(train_texts, random.Random(7)) for draw in (draw_block, draw_compared))
    for one in (block, compared):
        assert len(set(one.texts)) == len(one.texts)
        assert all(premise != hypothesis for premise, hypothesis in one.pairs)
    assert {(b, a) for a, b in compared.pairs} == set(compared.pairs)
    assert draw_block(train_texts, random.Random(7)) == block


verdicts_and_odds = st.lists(
    st.tuples(st.sampled_from([0, 1, 2]), st.integers(-8, 4).map(float)), min_size=30, max_size=200
)


@given(verdicts_and_odds, st.sampled_from([0.5, 0.9, 0.99]))
def test_a_threshold_keeps_the_share_of_pairs_that_it_says(
    drawn: list[tuple[int, float]], recall: float
) -> None:
    labels, odds = (np.array(column) for column in zip(*[*drawn, (0, 0.0)], strict=True))
    found = threshold_of(odds, np.eye(3)[labels], recall)
    kept = odds[labels != NEUTRAL] >= found.value
    assert found.recall == kept.mean() >= recall
    assert found.asked == (odds >= found.value).mean()


@settings(phases=[Phase.generate], max_examples=40)
@given(verdicts_and_odds)
def test_bounds_never_fall_and_hold_for_their_share_of_a_well_filled_bin(
    drawn: list[tuple[int, float]],
) -> None:
    labels, logits = (np.array(column) for column in zip(*drawn, strict=True))
    scores = (labels == ENTAILMENT).astype(float)
    edges = edges_of(logits)
    table = bounds(logits, scores, edges, 0.9)
    assert len(table) == len(edges) + 1
    assert table == sorted(table)
    bins = np.searchsorted(edges, logits, side="right")
    for number, bound in enumerate(table):
        if (bins == number).sum() >= 20:
            assert (scores[bins == number] <= bound + 1e-4).mean() >= 0.85


def test_training_finds_which_pairs_are_not_neutral() -> None:
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=40, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64
    )
    towers = Towers(config, Shape(frozen=1, learned=1, queries=2, width=8)).eval()
    generator = random.Random(1)
    texts = list(dict.fromkeys(f"{generator.randrange(8)} {generator.randrange(8, 40)}" for _ in range(80)))
    pairs = [(p, h) for p in range(len(texts)) for h in range(len(texts)) if p != h]
    block = Block(texts, pairs)
    about = [text.split()[0] for text in texts]  # texts about one thing entail each other
    verdicts = np.eye(3, dtype=np.float32)[
        [ENTAILMENT if about[p] == about[h] else NEUTRAL for p, h in pairs]
    ]
    features = Features(towers, texts, lambda some: [[int(word) for word in text.split()] for text in some])
    frozen = {name: value.clone() for name, value in towers.state_dict().items() if "layer.0." in name}
    before = report(scored(towers, features, [block]), verdicts)
    train(towers, features, [block], [verdicts], epochs=40, rate=5e-3, weight=3.0)
    logits = scored(towers, features, [block])
    after = report(logits, verdicts)
    assert after["changed_at_0.2"] < 0.3 * before["changed_at_0.2"]
    assert odds_of(logits)[verdicts.argmax(1) != NEUTRAL].mean() > odds_of(logits).mean() + 1
    assert all((towers.state_dict()[name] == value).all() for name, value in frozen.items())
