"""The claim clusters, the scales, and the pairs that follow from them."""

from __future__ import annotations

import itertools
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import datasets
import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from claimwise.data import build
from claimwise.data.opinion_nli import (
    TEST_DOMAINS,
    Pair,
    balanced_pairs,
    expand,
    expand_checklists,
    expand_scales,
    read_checklists,
    read_clusters,
    read_scales,
    read_universal,
)
from claimwise.errors import ClaimwiseError
from claimwise.nli.model import EMBEDDED_WEIGHTS

FOLDER = Path(__file__).parents[2] / "datasets_scripts" / "opinion_nli"
CLUSTERS = read_clusters(FOLDER)
SCALES = read_scales(FOLDER)
CHECKLISTS = read_checklists(FOLDER)
UNIVERSAL = read_universal(FOLDER)


@pytest.fixture(scope="module")
def pairs_of() -> Callable[[str], list[Pair]]:
    """A million pairs, forgotten after this file: they would slow down every later test."""
    return cache(lambda split: balanced_pairs(CLUSTERS, SCALES, CHECKLISTS, UNIVERSAL, split))


def test_every_cluster_is_complete_and_no_two_are_alike() -> None:
    assert len(CLUSTERS) >= 1200
    for cluster in CLUSTERS:
        assert len(cluster.claims) >= 4
        assert len(cluster.weaker) >= 2
        assert len(cluster.contradictions) >= 3
        assert len(cluster.neutral) >= 2
        assert cluster.domain in UNIVERSAL
    first_claims = Counter((cluster.domain, cluster.claims[0].lower()) for cluster in CLUSTERS)
    assert first_claims.most_common(1)[0][1] == 1


def test_whole_domains_and_aspects_are_kept_for_testing() -> None:
    split_of = {}
    for cluster in CLUSTERS:
        assert split_of.setdefault((cluster.domain, cluster.aspect), cluster.split) == cluster.split
        assert cluster.split == "test" or cluster.domain not in TEST_DOMAINS
    assert {"train", "validation", "test"} == set(split_of.values())


def test_the_label_of_a_pair_follows_from_its_claims() -> None:
    clusters = [cluster for cluster in CLUSTERS if cluster.domain == "laptops"]
    pairs = list(expand(clusters, UNIVERSAL, seed=1))
    assert pairs == list(expand(clusters, UNIVERSAL, seed=1))
    assert pairs != list(expand(clusters, UNIVERSAL, seed=2))
    labels = {(pair.premise, pair.hypothesis): pair.label for pair in pairs}
    cluster = clusters[0]
    assert labels[cluster.claims[0], cluster.claims[1]] == "entailment"
    opposed = [labels.get((cluster.claims[0], other)) for other in cluster.contradictions]
    assert set(opposed) <= {"contradiction", None}
    shares = Counter(pair.label for pair in pairs)
    assert min(shares.values()) > 0.25 * len(pairs)


def test_no_two_clusters_of_a_domain_share_most_of_the_words_of_a_claim() -> None:
    """The nearest two stay below four fifths (Jaccard); measured on 2026-11-21: at most 0.74."""
    for domain in UNIVERSAL:
        clusters = [cluster for cluster in CLUSTERS if cluster.domain == domain]
        words = [[set(re.findall(r"\w+", claim.lower())) for claim in c.claims] for c in clusters]
        for first, second in itertools.combinations(range(len(clusters)), 2):
            for left, right in itertools.product(words[first], words[second]):
                assert len(left & right) < 0.8 * len(left | right), (clusters[first], clusters[second])


@pytest.mark.slow
def test_no_two_clusters_of_a_domain_are_alike_in_meaning() -> None:
    """By the cosine of mean embeddings (the embedded encoder's third layer); measured: at most 0.953."""
    encoder = AutoModel.from_pretrained(EMBEDDED_WEIGHTS, num_hidden_layers=3, dtype=torch.float32)
    tokenizer = AutoTokenizer.from_pretrained(EMBEDDED_WEIGHTS)
    claims = sorted({claim for cluster in CLUSTERS for claim in cluster.claims}, key=len)
    embedding = {}
    for start in range(0, len(claims), 256):
        batch = claims[start : start + 256]
        inputs = tokenizer(batch, padding=True, return_tensors="pt")
        with torch.inference_mode():
            states = encoder(**inputs).last_hidden_state
        weights = inputs["attention_mask"].unsqueeze(2)
        means = (states * weights).sum(1) / weights.sum(1)
        embedding |= zip(batch, means.numpy(), strict=True)
    for domain in UNIVERSAL:
        clusters = [cluster for cluster in CLUSTERS if cluster.domain == domain]
        centres = np.stack([np.mean([embedding[claim] for claim in c.claims], axis=0) for c in clusters])
        centres /= np.linalg.norm(centres, axis=1, keepdims=True)
        similarity = np.triu(centres @ centres.T, 1)
        first, second = np.unravel_index(similarity.argmax(), similarity.shape)
        assert similarity.max() < 0.96, (clusters[first], clusters[second])


def test_every_scale_is_complete() -> None:
    assert len(SCALES) >= 300
    for scale in SCALES:
        assert len(scale.subjects) >= 2
        assert len(scale.neither) >= 3
        assert min(map(len, (scale.strong, scale.plain, scale.not_plain, scale.opposite))) >= 3
        assert len(set(scale.verb_phrases)) == len(scale.verb_phrases)
    assert not any(scale.domain in TEST_DOMAINS for scale in SCALES)


def test_a_scale_gives_pairs_by_degree_and_by_subject() -> None:
    scale = next(scale for scale in SCALES if scale.aspect == "quietness of the room")
    others = [other for other in SCALES if other.domain == "hotels"]
    pairs = list(expand_scales(others, seed=1))
    labels = {(pair.premise, pair.hypothesis): pair.label for pair in pairs}
    degree_of = {
        f"{subject} {phrase}.": (number, degree)
        for number, group in enumerate(scale.subjects)
        for subject in group
        for degree in ("strong", "plain", "not_plain", "opposite", "strong_opposite", "not_opposite")
        for phrase in getattr(scale, degree)
    }
    seen = set()
    for (premise, hypothesis), label in labels.items():
        if premise in degree_of and hypothesis in degree_of:
            (thing, degree), (other_thing, other_degree) = degree_of[premise], degree_of[hypothesis]
            if thing != other_thing:
                assert label == "neutral"
            elif (degree, other_degree) == ("strong", "plain"):
                assert label == "entailment"
            elif {degree, other_degree} == {"plain", "not_plain"}:
                assert label == "contradiction"
            seen.add(label)
    assert seen == {"entailment", "neutral", "contradiction"}


def test_every_checklist_is_complete() -> None:
    assert len(CHECKLISTS) >= 300
    for checklist in CHECKLISTS:
        points = [item.aspect for item in checklist.items if len(item.aspects) == 1]
        assert len(set(points)) == len(points) >= 3
        for item in checklist.items:
            assert item.claims
            assert item.denials
            assert item.aspects <= set(points)
    assert not any(checklist.domain in TEST_DOMAINS for checklist in CHECKLISTS)


def test_the_items_of_a_checklist_are_neutral_to_each_other_and_their_denials_contradict_them() -> None:
    checklist = next(c for c in CHECKLISTS if any(len(item.aspects) > 1 for item in c.items))
    place = {text: (item, item.claims) for item in checklist.items for text in item.claims}
    place |= {text: (item, item.denials) for item in checklist.items for text in item.denials}
    seen = Counter()
    for pair in expand_checklists([checklist], seed=1):
        if pair.premise in place and pair.hypothesis in place:
            (mine, my_side), (other, other_side) = place[pair.premise], place[pair.hypothesis]
            denied = (my_side is mine.denials) != (other_side is other.denials)
            if mine.aspects.isdisjoint(other.aspects) or (mine.aspects < other.aspects and not denied):
                assert pair.label == "neutral"
            else:
                assert pair.label == ("contradiction" if denied else "entailment")
            seen[pair.label] += 1
    assert min(seen[label] for label in ("entailment", "neutral", "contradiction")) >= 10


@pytest.mark.parametrize("split", ["train", "validation", "test"])
def test_the_pairs_are_balanced_distinct_and_of_one_label_each(
    pairs_of: Callable[[str], list[Pair]], split: str
) -> None:
    pairs = pairs_of(split)
    counts = Counter(pair.label for pair in pairs)
    assert len(set(counts.values())) == 1
    assert len({(pair.premise, pair.hypothesis) for pair in pairs}) == len(pairs) > 5000
    assert ({pair.domain for pair in pairs} >= TEST_DOMAINS) == (split == "test")


def test_no_claim_of_validation_or_test_is_trained_on(pairs_of: Callable[[str], list[Pair]]) -> None:
    texts = {
        split: {text for pair in pairs_of(split) for text in (pair.premise, pair.hypothesis)}
        for split in ("train", "validation", "test")
    }
    universal = {text for claims in UNIVERSAL.values() for text in claims}
    for held_out in ("validation", "test"):
        shared = (texts["train"] & texts[held_out]) - universal
        assert len(shared) < 0.005 * len(texts[held_out]), sorted(shared)[:20]


def test_the_builder_writes_what_load_dataset_reads(clone_with_few_claims: Path, tmp_path: Path) -> None:
    scripts = clone_with_few_claims / "datasets_scripts" / "opinion_nli"
    folder = Path(shutil.copytree(scripts, tmp_path / "opinion_nli"))
    subprocess.run([sys.executable, str(folder / "build.py")], check=True)

    def load(name: str) -> datasets.DatasetDict:
        return datasets.load_dataset(str(folder), name, cache_dir=str(tmp_path / "cache"))

    pairs = load("pairs")
    assert set(pairs) == {"train", "validation", "test"}
    assert set(pairs["train"].column_names) == {"premise", "hypothesis", "label", "domain"}
    assert set(pairs["test"].unique("label")) == {"entailment", "neutral", "contradiction"}
    clusters = load("clusters")
    assert sum(map(len, clusters.values())) == len(read_clusters(folder))
    assert "domain" in clusters["train"].column_names
    assert sum(map(len, load("scales").values())) == len(read_scales(folder))
    assert sum(map(len, load("checklists").values())) == len(read_checklists(folder))


def test_the_builder_refuses_a_folder_with_a_foreign_card(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# My notes")
    with pytest.raises(ClaimwiseError, match=r"README\.md is not the card of this data set"):
        build("opinion_nli", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"]
