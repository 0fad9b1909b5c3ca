"""Pipelines against a real endpoint: what each letter asks, in which order, and what comes of the answers."""

from __future__ import annotations

import json
import pickle
import re
from pathlib import Path
from typing import Any

import pytest
from chat_endpoint import Endpoint, Reply, Request, completion, failure

from claimwise import ChatJudge
from claimwise.errors import ClaimwiseError
from claimwise.http import remote
from claimwise.llm.client import ChatModel
from claimwise_summarize import load
from claimwise_summarize.chunks import fitting, plan
from claimwise_summarize.rows import Line

REVIEWS = [
    {"text": "The rooms are large. Breakfast was cold.", "rating": 2},
    {"text": "Breakfast was rich. The beds are soft.", "rating": 5},
    {"text": "We flew home on Monday. The rooms were clean.", "rating": 5},
]
HOTEL = {"entity": "h1", "reviews": REVIEWS}


def prompt_of(request: Request) -> str:
    return str(request.body["messages"][0]["content"])


def lines_of(request: Request) -> list[str]:
    return prompt_of(request).split("\n\n")[1].split("\n")


def write(request: Request) -> Reply:
    """Name the number of lines and the first of them."""
    lines = lines_of(request)
    return completion(f"{len(lines)} lines begin with {lines[0].rstrip('.')}.")


def topics(request: Request) -> Reply:
    """Tell aspects by words; the sentence of the flight goes without an answer."""
    if "Which of these aspects" not in prompt_of(request):
        return write(request)
    words = {"room": "rooms", "bed": "rooms", "breakfast": "food"}
    said = []
    for line in lines_of(request):
        number, _, text = line.partition(". ")
        found = [aspect for word, aspect in words.items() if word in text.lower()]
        said += [f"{number}: {', '.join(found)}"] if found else []
    return completion("\n".join(said))


@pytest.fixture
def made(endpoint: Endpoint) -> Any:
    endpoint.respond = topics

    def make(letters: str, **options: Any) -> Any:
        model = ChatModel(
            "m", endpoint.url, show_progress=False, concurrency=1, **options.pop("of_model", {})
        )
        return load(letters, model=model, citations=False, **options)

    return make


@pytest.mark.parametrize(
    ("length", "remainder", "balanced"),
    [(30, [30], [30]), (33, [16, 16, 1], [17, 16]), (61, [20, 20, 20, 1], [21, 20, 20]), (1, [1], [1])],
)
def test_chunks_leave_a_remainder_or_are_balanced(
    length: int, remainder: list[int], balanced: list[int]
) -> None:
    assert plan(length, 30, "remainder") == remainder
    assert plan(length, 30, "balanced") == balanced


def test_an_input_is_cut_after_whole_lines_or_whole_reviews() -> None:
    lines = [Line("Aa bb.", 0, 0), Line("Cc dd.", 0, 1), Line("Ee ff.", 1, 0)]

    assert fitting(lines, 13, "characters") == lines[:2]
    assert fitting(lines, 3, "words") == lines[:2]
    assert fitting(lines, 1, "characters") == lines[:1]
    assert fitting(lines, None, "words") == lines


def test_topics_are_asked_in_blocks_and_each_aspect_is_written_of_its_sentences(
    endpoint: Endpoint, made: Any
) -> None:
    rows = made("tg", aspects=["rooms", "food", "pool"]).summarize([HOTEL])

    assert [row["aspect"] for row in rows] == ["rooms", "food", "pool"]
    assert [row["summary"] for row in rows] == [
        "3 lines begin with The rooms are large.",
        "2 lines begin with Breakfast was cold.",
        None,
    ]
    assert rows[2]["reason"] == "no sentence is about this aspect"
    assert len(endpoint.requests) == 3
    assert rows[0]["fallbacks"] == 1  # the sentence without an answer
    assert rows[0]["used"] == {"requests": 2}
    assert rows[0]["reviews"] == [review["text"] for review in REVIEWS]


def test_strata_are_written_by_ascending_rating_and_then_brought_together(made: Any) -> None:
    (row,) = made("rg").summarize([HOTEL])
    (first,) = made("first-rg").summarize([HOTEL])

    assert row["levels"] == [
        ["2 lines begin with The rooms are large.", "4 lines begin with Breakfast was rich."],
        ["2 lines begin with 2 lines begin with The rooms are large."],
    ]
    assert row["summary"] == row["levels"][-1][0]
    assert first["summary"] == "\n".join(row["levels"][0])
    assert first["levels"] == row["levels"][:1]


def test_chunks_are_written_level_by_level_over_all_rows(endpoint: Endpoint, made: Any) -> None:
    rows = [{"entity": n, "reviews": [f"Guest {n} said thing {k}." for k in range(9)]} for n in range(2)]
    options = {"chunk": 3, "merge_at": 2, "cache": None}
    found = made("cg", **options).summarize(rows)

    assert [list(map(len, row["levels"])) for row in found] == [[3, 1], [3, 1]]
    order = [re.findall(r"Guest (\d)", prompt_of(request))[0] for request in endpoint.requests]
    assert order == ["0", "0", "0", "1", "1", "1", "0", "1"]
    assert "accounts" in prompt_of(endpoint.requests[-1])
    (once,) = made("trcg", aspects=["food"], **options).summarize([HOTEL])
    assert once["levels"]


def test_the_topic_of_each_sentence_goes_to_the_nearest_aspect_by_the_users_vectors(
    endpoint: Endpoint, made: Any, tmp_path: Path
) -> None:
    vectors = tmp_path / "vectors.txt"
    vectors.write_text(
        "rooms 1 0 0\nfood 0 1 0\nnone 0 0 1\nbedroom 1 .1 0\nmeal 0 1 .1\nmonday 0 .1 1\nmeal for 2 1 0 0\n"
    )  # a word of several, as GloVe's files have some, is none of its first
    words = {"rooms": "Rooms.", "beds": "Bedrooms and none", "breakfast": "meal", "flew": "Monday"}

    def respond(request: Request) -> Reply:
        prompt = prompt_of(request)
        if "one word" not in prompt:
            return write(request)
        return completion(next(topic for word, topic in words.items() if word in prompt.lower()))

    endpoint.respond = respond
    options = {"preset": "space", "aspects": ["rooms", "food"], "vectors": vectors}
    rows = made("tg", **options).summarize([HOTEL])

    assert [row["levels"][0][0] for row in rows] == [
        "3 lines begin with The rooms are large.",
        "2 lines begin with Breakfast was cold.",
    ]
    with pytest.raises(ClaimwiseError, match="no vector for the aspect `spa`"):
        load("tq", aspects=["spa"], vectors=vectors, citations=False).summarize([HOTEL])


def test_answers_that_cannot_be_used_are_counted_and_the_other_rows_are_done(
    endpoint: Endpoint, made: Any
) -> None:
    said = {
        "refused": completion("I'm sorry, but I cannot do that."),
        "empty": completion(" "),
        "cut": completion("It is good. It is ch", "length"),
        "long": failure(400, "too long", code="context_length_exceeded"),
    }
    endpoint.respond = lambda request: next(
        (r for k, r in said.items() if k in prompt_of(request)), write(request)
    )
    rows = [{"entity": name, "reviews": [f"It is {name}.", "So."]} for name in [*said, "fine"]]

    found = {row["entity"]: row for row in made("g").summarize(rows)}

    assert found["fine"]["summary"] == "2 lines begin with It is fine."
    assert (found["cut"]["summary"], found["cut"]["truncated"]) == ("It is good.", 1)
    assert [found[name]["reason"] for name in ("refused", "empty", "long")] == [
        "unusable answers: refused",
        "unusable answers: empty",
        "unusable answers: the input is longer than the model's context",
    ]
    assert [found[name]["fallbacks"] for name in said] == [1, 1, 0, 1]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"entity": 1, "reviews": []}, "there are no reviews"),
        ({"entity": 1}, "there are no reviews"),
        ({"entity": 1, "reviews": [" ", None, "!!"]}, "all reviews are blank"),
        ({"entity": 1, "reviews": ["Good."]}, "needs ratings, but this review has none"),
        (
            {"entity": 1, "reviews": [{"text": "Good.", "rating": "five"}]},
            "the rating “five” is not a number",
        ),
        ({"entity": 1, "reviews": 7}, "expected a list, got int"),
    ],
)
def test_a_row_that_cannot_be_summarized_says_why_and_what_to_do(made: Any, row: Any, said: str) -> None:
    bad, good = made("rq").summarize([row, HOTEL])

    assert bad["summary"] is None
    assert said in bad["reason"]
    assert "row 0" in bad["reason"]
    assert good["summary"]


def test_one_sentence_is_taken_as_it_is_and_blank_reviews_are_counted(endpoint: Endpoint, made: Any) -> None:
    (row,) = made("cg").summarize([{"entity": 1, "reviews": ["The pool is warm.", " "]}])

    assert (row["summary"], row["reason"]) == ("The pool is warm.", "the only sentence, copied unchanged")
    assert (row["blank_reviews"], row["reviews"], endpoint.requests) == (1, ["The pool is warm."], [])


@pytest.mark.parametrize(
    ("letters", "options", "said"),
    [
        ("gq", {}, "Unknown pipeline"),
        ("c", {}, "Unknown pipeline"),
        ("first-q", {}, "Unknown pipeline"),
        ("tcg", {}, "needs a chat model"),
        ("tq", {}, "but there are none"),
        ("q", {"preset": "paper"}, "`preset` must be one of"),
        ("q", {"sentence": 1}, "no option `sentence`"),
        ("q", {"sentences": 0}, "`sentences` must be a whole number of at least 1"),
        ("q", {"aspects": "rooms"}, "must be a list"),
        ("q", {"extractor": "keywords"}, "needs keywords"),
        ("g", {"model": "gpt"}, "Unknown model `gpt`"),
        ("q", {"model_options": {"timeout": 1}}, "no model to configure"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_asked(letters: str, options: Any, said: str) -> None:
    with pytest.raises(ClaimwiseError, match=said):
        load(letters, **options)


def test_a_run_stopped_again_and_again_ends_on_the_same_rows_and_pays_for_no_answer_twice(
    endpoint: Endpoint, made: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "FIRST_PAUSE_SECONDS", 0.001)
    rows = [{"entity": n, "reviews": [f"Guest {n} said thing {k}." for k in range(12)]} for n in range(3)]
    whole = made("cg", chunk=3, merge_at=2).summarize(rows)
    wanted, count = [json.dumps(row) for row in whole], len(endpoint.requests)
    endpoint.requests.clear()
    options: Any = {"chunk": 3, "merge_at": 2, "cache": tmp_path / "answers.sqlite"}
    for stop in (1, 2, 3, 4, 4):
        with pytest.raises(ClaimwiseError, match="max_requests"):
            made("cg", of_model={"max_requests": stop}, **options).summarize(rows)

    found = pickle.loads(pickle.dumps(made("cg", **options))).summarize(rows)

    assert [json.dumps(row) for row in found] == wanted
    assert len(endpoint.requests) == count


def test_an_estimate_comes_close_to_what_a_run_uses(endpoint: Endpoint, made: Any) -> None:
    answer = "Most reviewers liked it. Some had complaints about the noise. Others would come again soon."
    endpoint.respond = lambda request: completion(f"{answer[:-1]} {hash(prompt_of(request))}.")
    rows = [{"entity": n, "reviews": [f"Guest {n} said thing {k}." for k in range(400)]} for n in range(3)]
    summarizer = made("cg")

    (cost,) = summarizer.estimate(rows)
    assert not endpoint.requests
    summarizer.summarize(rows)

    assert cost.requests == pytest.approx(len(endpoint.requests), rel=0.1)


def test_an_estimate_counts_what_the_judge_that_chooses_sentences_would_be_asked(endpoint: Endpoint) -> None:
    judge = ChatJudge("j", endpoint.url, ask="pairs", show_progress=False)
    summarizer = load("q", extractor="judge", judge=judge, sentences=1, citations=False)
    endpoint.respond = lambda _: completion("neutral")

    (cost,) = summarizer.estimate([HOTEL])

    assert endpoint.requests == []
    summarizer.summarize([HOTEL])
    assert len(endpoint.requests) == cost.requests > 0


def test_a_missing_judge_of_citations_is_an_error_before_anything_is_asked(endpoint: Endpoint) -> None:
    summarizer = load("g", model=ChatModel("m", endpoint.url), judge="no-such-folder/at-all")

    with pytest.raises(ClaimwiseError, match="no-such-folder"):
        summarizer.summarize([HOTEL])

    assert endpoint.requests == []
