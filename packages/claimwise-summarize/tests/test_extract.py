"""Q and T offline: deterministic, about an aspect where there is one, cited."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from judges import WordJudge

from claimwise.judges.local import NLIModel
from claimwise.metrics import SupportCounts
from claimwise_summarize import load
from claimwise_summarize.citations import cite
from claimwise_summarize.extract import choose
from claimwise_summarize.files import summary_map
from claimwise_summarize.lexrank import DAMPING, lexrank, tf_idf
from claimwise_summarize.rows import Line

SENTENCES = [
    "We came by train.",
    "The room was clean and quiet.",
    "Our room was clean.",
    "A clean and quiet room!",
    "The soup was cold.",
    "They serve cold soup at noon.",
    "My dog slept.",
]
ROW = {"entity": "h", "reviews": SENTENCES, "references": ["A dog slept.", "We came by a train."]}


def test_lexrank_is_the_stationary_distribution_of_its_matrix() -> None:
    documents = [text.lower().rstrip(".!").split() for text in SENTENCES]
    vectors = tf_idf(documents).toarray()
    similarity = vectors @ vectors.T
    walk = similarity / similarity.sum(axis=1, keepdims=True)
    walk = DAMPING / len(documents) + (1 - DAMPING) * walk
    values, left = np.linalg.eig(walk.T)
    wanted = np.real(left[:, np.argmax(np.real(values))])

    found = lexrank(documents)

    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1)
    assert found == pytest.approx(wanted / wanted.sum())


@pytest.mark.parametrize(
    ("how", "wanted"),
    [
        ("lexrank", {1, 2, 3}),
        ("lead", {0}),
        ("oracle", {0, 6}),
        ("judge", {1, 2, 3}),
    ],
)
def test_each_extractor_chooses_what_it_should(how: Any, wanted: set[int], nli_model: NLIModel) -> None:
    options = {"extractor": how, "sentences": 1, "judge": nli_model}
    (row,) = load("q", citations=False, **options).summarize([ROW])

    assert SENTENCES.index(row["extract"][0]["sentence"]) in wanted
    assert row["extract"][0]["review"] == SENTENCES.index(row["extract"][0]["sentence"])
    assert row["sentences"][0]["citations"] == row["extract"]
    assert row == load("q", citations=False, **options).summarize([ROW])[0]


def test_only_sentences_with_an_aspects_words_are_chosen_and_none_is_invented() -> None:
    aspects = {"food": ["soup", "breakfast"], "pool": []}
    rows = load("q", aspects=aspects, citations=False).summarize([ROW])

    assert {line["sentence"] for line in rows[0]["extract"]} <= set(SENTENCES[4:6])
    assert (rows[1]["summary"], rows[1]["reason"]) == (None, "no sentence is about this aspect")


def test_random_depends_on_its_seed_and_keywords_count() -> None:
    lines = [Line(text, n, 0) for n, text in enumerate(SENTENCES)]
    drawn = {choose(lines, 1, "random", seed=seed)[0].text for seed in range(20)}

    assert len(drawn) > 2
    assert choose(lines, 2, "keywords", words=["soup", "noon"]) == [lines[5], lines[4]]


def test_sentences_go_to_the_nearest_aspect_offline() -> None:
    rows = load("tq", aspects=["rooms", "food"], citations=False, sentences=9).summarize([ROW])

    rooms, food = ({line["sentence"] for line in row["extract"] or ()} for row in rows)
    assert SENTENCES[2] in rooms
    assert set(SENTENCES[4:6]) <= food
    assert not rooms & food


def test_a_sentence_cites_the_reviews_that_entail_it(nli_model: NLIModel) -> None:
    (row,) = load("q", sentences=1, judge=nli_model).summarize([ROW])

    (sentence,) = row["sentences"]
    assert sentence["reviews"] == min(claim["reviews"] for claim in sentence["claims"]) >= 2
    for claim in sentence["claims"]:
        cited = {one["review"] for one in sentence["citations"] if one["claim"] == claim["claim"]}
        assert claim["reviews"] == len(cited)
    assert sentence["citations"][0]["score"] >= 0.75


def test_every_claim_of_a_sentence_has_the_reviews_that_support_it() -> None:
    reviews = [
        "The room is big.",
        "A big room it is. Kind staff.",
        "The room is big, staff are kind.",
        "Noisy.",
    ]
    summary = "The room is big, and the bar is cheap."
    row: dict[str, Any] = {"summary": summary, "reviews": reviews, "sentences": [{"sentence": summary}]}
    metric = SupportCounts(judge=WordJudge(), support="sentences", decomposer="default")

    evidence = cite(metric, row)

    (sentence,) = row["sentences"]
    room, bar = [claim.claim for claim in evidence.claims]
    assert "room" in room
    assert sentence["claims"] == [{"claim": room, "reviews": 3}, {"claim": bar, "reviews": 0}]
    assert sentence["reviews"] == 0  # of its least supported claim
    assert {(one["claim"], one["review"]) for one in sentence["citations"]} == {(room, n) for n in range(3)}
    drawn = summary_map(row, evidence)
    assert f"{room.rstrip('.')}: 3 of 4 reviews · {bar.rstrip('.')}: no review supports it" in drawn
