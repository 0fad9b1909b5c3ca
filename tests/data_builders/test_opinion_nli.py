"""The claim clusters and the pairs that follow from them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from claimwise.data.opinion_nli import TEST_DOMAINS, expand, read_clusters, read_universal

FOLDER = Path(__file__).parents[2] / "datasets_scripts" / "opinion_nli"
CLUSTERS = read_clusters(FOLDER)
UNIVERSAL = read_universal(FOLDER)


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
