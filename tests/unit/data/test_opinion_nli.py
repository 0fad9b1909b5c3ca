"""The claim clusters, the scales, and the pairs that follow from them."""

from __future__ import annotations

import itertools
import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pytest
import torch
from checkpoints import JUDGE
from opinion_nli import (
    FOLDER,
    SHAPES,
    TEST_DOMAINS,
    Checklist,
    Item,
    read_checklists,
    read_clusters,
    read_scales,
    read_truisms,
)
from opinion_nli.pairs import Pair, balanced_pairs, expand, expand_checklists, expand_scales
from own_data import build
from transformers import AutoModel, AutoTokenizer

from claimwise.errors import ClaimwiseError

CLUSTERS = read_clusters(FOLDER)
SCALES = read_scales(FOLDER)
CHECKLISTS = read_checklists(FOLDER)
TRUISMS = read_truisms(FOLDER)


def at(name: str, place: int) -> str:
    """Name the line of a row, for whoever has to mend it."""
    return f"{name}.jsonl, line {place + 1}"


@pytest.fixture(
    scope="module",
    params=[10, pytest.param(1, marks=pytest.mark.slow)],
    ids=["of one row in ten", "of every row"],
)
def pairs_of(request: pytest.FixtureRequest) -> Callable[[str], list[Pair]]:
    """The pairs of a split, forgotten after this file: a million of them would slow down every later test."""
    rows = CLUSTERS[:: request.param], SCALES[:: request.param], CHECKLISTS[:: request.param]
    return cache(lambda split: balanced_pairs(*rows, TRUISMS, split))


@pytest.mark.parametrize(
    ("name", "key"),
    [("clusters", "collection"), ("scales", "collection"), ("checklists", "domain"), ("truisms", "domain")],
)
def test_the_files_are_sorted_and_written_alike(name: str, key: str) -> None:
    lines = (FOLDER / f"{name}.jsonl").read_text("utf-8").split("\n")
    assert lines.pop() == "", f"{name}.jsonl: the last line has no end"
    last, seen = "", {}
    for place, line in enumerate(lines):
        row = json.loads(line)
        assert line == json.dumps(row, ensure_ascii=False), at(name, place)
        assert row[key] >= last, f"{at(name, place)}: {row[key]!r} stands behind {last!r}"
        assert seen.setdefault(line, place) == place, f"{at(name, place)}: as line {seen[line] + 1}"
        last = row[key]


def test_every_cluster_is_complete_and_no_two_are_alike() -> None:
    assert len(CLUSTERS) >= 1200
    first_claims: dict[tuple[str, str], int] = {}
    for place, cluster in enumerate(CLUSTERS):
        assert len(cluster.claims) >= 4, at("clusters", place)
        assert len(cluster.weaker) >= 2, at("clusters", place)
        assert len(cluster.contradictions) >= 3, at("clusters", place)
        assert len(cluster.neutral) >= 2, at("clusters", place)
        assert cluster.domain in TRUISMS, at("clusters", place)
        first = first_claims.setdefault((cluster.domain, cluster.claims[0].lower()), place)
        assert first == place, f"{at('clusters', place)}: the first claim is that of line {first + 1}"


def test_whole_domains_and_aspects_are_kept_for_testing() -> None:
    split_of = {}
    for place, cluster in enumerate(CLUSTERS):
        split = split_of.setdefault((cluster.domain, cluster.aspect), cluster.split)
        assert split == cluster.split, at("clusters", place)
        assert cluster.split == "test" or cluster.domain not in TEST_DOMAINS, at("clusters", place)
    assert {"train", "validation", "test"} == set(split_of.values())
    buckets = {"seating": "test", "announcements": "validation", "signs": "train"}  # CRC-32: 0, 1 and 3 of 12
    assert {aspect: split_of["airports", aspect] for aspect in buckets} == buckets


def test_the_label_of_a_pair_follows_from_its_claims() -> None:
    clusters = [cluster for cluster in CLUSTERS if cluster.domain == "laptops"]
    pairs = list(expand(clusters, TRUISMS, seed=1))
    assert pairs == list(expand(clusters, TRUISMS, seed=1))
    assert pairs != list(expand(clusters, TRUISMS, seed=2))
    labels = {(pair.premise, pair.hypothesis): pair.label for pair in pairs}
    cluster = clusters[0]
    assert labels[cluster.claims[0], cluster.claims[1]] == "entailment"
    opposed = [labels.get((cluster.claims[0], other)) for other in cluster.contradictions]
    assert set(opposed) <= {"contradiction", None}
    shares = Counter(pair.label for pair in pairs)
    assert min(shares.values()) > 0.25 * len(pairs)


@pytest.mark.slow
def test_no_two_clusters_of_a_domain_share_most_of_the_words_of_a_claim() -> None:
    """The nearest two stay below four fifths (Jaccard); measured on 2026-11-21: at most 0.74."""
    words = [[set(re.findall(r"\w+", claim.lower())) for claim in c.claims] for c in CLUSTERS]
    for domain in TRUISMS:
        places = [place for place, cluster in enumerate(CLUSTERS) if cluster.domain == domain]
        for first, second in itertools.combinations(places, 2):
            for left, right in itertools.product(words[first], words[second]):
                alike = f"{at('clusters', first)}, and line {second + 1}"
                assert len(left & right) < 0.8 * len(left | right), alike


@pytest.mark.slow
def test_no_two_clusters_of_a_domain_are_alike_in_meaning() -> None:
    """By the cosine of mean embeddings (the embedded encoder's third layer); measured: at most 0.953."""
    encoder = AutoModel.from_pretrained(JUDGE, num_hidden_layers=3, dtype=torch.float32)
    tokenizer = AutoTokenizer.from_pretrained(JUDGE)
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
    for domain in TRUISMS:
        places = [place for place, cluster in enumerate(CLUSTERS) if cluster.domain == domain]
        centres = np.stack(
            [np.mean([embedding[claim] for claim in CLUSTERS[place].claims], axis=0) for place in places]
        )
        centres /= np.linalg.norm(centres, axis=1, keepdims=True)
        similarity = np.triu(centres @ centres.T, 1)
        first, second = np.unravel_index(similarity.argmax(), similarity.shape)
        alike = f"{at('clusters', places[first])}, and line {places[second] + 1}"
        assert similarity.max() < 0.96, alike


def test_every_scale_is_complete() -> None:
    assert len(SCALES) >= 300
    for place, scale in enumerate(SCALES):
        assert len(scale.subjects) >= 2, at("scales", place)
        assert len(scale.neither) >= 3, at("scales", place)
        degrees = (scale.strong, scale.plain, scale.not_plain, scale.opposite)
        assert min(map(len, degrees)) >= 3, at("scales", place)
        assert len(set(scale.verb_phrases)) == len(scale.verb_phrases), at("scales", place)
        assert scale.domain not in TEST_DOMAINS, at("scales", place)


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
    weaker = {
        "strong": "plain not_opposite",
        "plain": "not_opposite",
        "not_opposite": "",
        "strong_opposite": "opposite not_plain",
        "opposite": "not_plain",
        "not_plain": "",
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
            elif label == "entailment":
                assert other_degree in {degree, *weaker[degree].split()}
            elif label == "contradiction":
                assert len({degree, other_degree} & {"strong", "plain", "not_opposite"}) == 1
            seen.add(label)
    assert seen == {"entailment", "neutral", "contradiction"}


def test_every_checklist_is_complete() -> None:
    assert len(CHECKLISTS) >= 300
    for place, checklist in enumerate(CHECKLISTS):
        points = [item.aspect for item in checklist.items if len(item.aspects) == 1]
        assert len(set(points)) == len(points) >= 3, at("checklists", place)
        for item in checklist.items:
            assert item.claims, at("checklists", place)
            assert item.denials, at("checklists", place)
            assert item.aspects <= set(points), at("checklists", place)
        assert checklist.domain not in TEST_DOMAINS, at("checklists", place)


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


def test_no_text_of_validation_or_test_is_written_for_training_too() -> None:
    """The same of all that the pairs are made of: every text, and every subject with every verb phrase."""
    texts: dict[str, set[str]] = {"train": set(), "validation": set(), "test": set()}
    for cluster in CLUSTERS:
        texts[cluster.split].update(cluster.claims, cluster.weaker, cluster.contradictions, cluster.neutral)
    for scale in SCALES:
        subjects = itertools.chain(*scale.subjects)
        phrases = scale.verb_phrases + scale.neither
        texts[scale.split].update(f"{who} {what}." for who, what in itertools.product(subjects, phrases))
    for checklist in CHECKLISTS:
        for item in checklist.items:
            texts[checklist.split].update(item.claims, item.denials)
    for held_out in ("validation", "test"):
        shared = texts["train"] & texts[held_out]
        assert len(shared) < 0.005 * len(texts[held_out]), sorted(shared)[:20]


def test_no_claim_of_validation_or_test_is_trained_on(pairs_of: Callable[[str], list[Pair]]) -> None:
    texts = {
        split: {text for pair in pairs_of(split) for text in (pair.premise, pair.hypothesis)}
        for split in ("train", "validation", "test")
    }
    truisms = {text for claims in TRUISMS.values() for text in claims}
    for held_out in ("validation", "test"):
        shared = (texts["train"] & texts[held_out]) - truisms
        assert len(shared) < 0.005 * len(texts[held_out]), sorted(shared)[:20]


@pytest.mark.slow
def test_the_builder_writes_what_load_dataset_reads(clone_with_few_claims: Path, tmp_path: Path) -> None:
    scripts = Path(shutil.copytree(clone_with_few_claims / "datasets_scripts", tmp_path / "scripts"))
    folder = scripts / "opinion_nli"
    subprocess.run([sys.executable, str(scripts / "own_data.py"), "build", "opinion_nli"], check=True)

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
    phenomena = load("phenomena")
    assert set(phenomena) == {"train", "validation", "test"}
    assert set(phenomena["test"].column_names) == {"premise", "hypothesis", "label", "kind", "domain"}


def test_texts_that_got_two_labels_are_left_out() -> None:
    agreeing = Item("lift", ("It goes up.", "It goes down."), ("It stands still.",))
    opposed = Item("ride", ("It goes up.",), ("It goes down.",))
    checklists = [Checklist("films", (item,)) for item in (agreeing, opposed)]

    pairs = balanced_pairs([], [], checklists, TRUISMS, "test")

    both = [
        pair.label for pair in pairs if {"It goes up.", "It goes down."} == {pair.premise, pair.hypothesis}
    ]
    assert both == ["entailment"]  # one way round: the other is a contradiction as well


def few_rows(folder: Path) -> dict[str, dict[str, Any]]:
    """Copy the first three lines of every file into ``folder`` and return the third of each."""
    rows = {}
    for name in SHAPES:
        lines = (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines(keepends=True)[:3]
        (folder / f"{name}.jsonl").write_text("".join(lines), "utf-8")
        rows[name] = json.loads(lines[2])
    return rows


READERS = {
    "clusters": read_clusters,
    "scales": read_scales,
    "checklists": read_checklists,
    "truisms": read_truisms,
}


@pytest.mark.parametrize(
    ("name", "change", "column", "problem"),
    [
        ("clusters", {"claims": []}, "claims", "expected a list that is not empty, got []."),
        (
            "clusters",
            {"claims": "It is loud."},
            "claims",
            "expected a list that is not empty, got 'It is loud.'.",
        ),
        (
            "clusters",
            {"neutral": ["It is loud.", " "]},
            "neutral[1]",
            "expected a text without blanks around it, got ' '.",
        ),
        ("clusters", {"domain": None}, "domain", "expected a text without blanks around it, got None."),
        (
            "truisms",
            {"text": "It is."},
            None,
            "expected an object with domain, claim, got domain, claim, text.",
        ),
        (
            "scales",
            {"subjects": [["The bar"], "The pub"]},
            "subjects[1]",
            "expected a list that is not empty, got 'The pub'.",
        ),
        (
            "checklists",
            {"items": [{"aspect": "bar", "claims": ["There is a bar."]}]},
            "items[0]",
            "expected an object with aspect, claims, denials, got aspect, claims.",
        ),
        (
            "checklists",
            {"items": ["bar"]},
            "items[0]",
            "expected an object with aspect, claims, denials, got str.",
        ),
        (
            "truisms",
            {"claim": "People come here. "},
            "claim",
            "expected a text without blanks around it, got 'People come here. '.",
        ),
    ],
)
def test_a_wrong_row_is_refused_with_its_line(
    tmp_path: Path, name: str, change: dict[str, object], column: str | None, problem: str
) -> None:
    row = few_rows(tmp_path)[name]
    path = tmp_path / f"{name}.jsonl"
    assert len(READERS[name](tmp_path)) >= 1
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row | change) + "\n")
    with pytest.raises(ClaimwiseError) as refused:
        READERS[name](tmp_path)
    error = refused.value
    assert (error.path, error.line, error.column, error.problem) == (str(path), 4, column, problem)
    assert error.remedy


@pytest.mark.parametrize("name", READERS)
def test_a_line_that_is_not_json_and_a_file_that_is_not_there_are_refused(tmp_path: Path, name: str) -> None:
    few_rows(tmp_path)
    path = tmp_path / f"{name}.jsonl"
    for line in ("", '{"domain": ', "[" * 100_000):
        path.write_text(f"{path.read_text('utf-8')}{line}\n", "utf-8")
        with pytest.raises(ClaimwiseError, match="is not valid JSON") as refused:
            READERS[name](tmp_path)
        assert (refused.value.path, refused.value.line) == (str(path), 4)
        few_rows(tmp_path)
    path.write_bytes(b"\xff\n")
    with pytest.raises(ClaimwiseError, match="cannot be read"):
        READERS[name](tmp_path)
    path.unlink()
    with pytest.raises(ClaimwiseError, match="cannot be read") as refused:
        READERS[name](tmp_path)
    assert refused.value.path == str(path)


def test_the_builder_refuses_a_folder_without_claims_and_a_domain_without_truisms(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    with pytest.raises(ClaimwiseError, match="cannot be read") as refused:
        build("opinion_nli", tmp_path / "out", source)
    assert refused.value.path == str(source / "clusters.jsonl")
    row = few_rows(source)["clusters"] | {"domain": "moons"}
    shutil.copy(FOLDER / "truisms.jsonl", source)
    with (source / "clusters.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")
    with pytest.raises(ClaimwiseError, match="'moons' has no truisms") as refused:
        build("opinion_nli", tmp_path / "out", source)
    assert (refused.value.path, refused.value.line) == (str(source / "clusters.jsonl"), 4)
    assert [path.name for path in tmp_path.iterdir()] == ["source"]


def test_the_builder_refuses_a_folder_with_a_foreign_card(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# My notes")
    with pytest.raises(ClaimwiseError, match=r"README\.md is not the card of this data set"):
        build("opinion_nli", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"]
