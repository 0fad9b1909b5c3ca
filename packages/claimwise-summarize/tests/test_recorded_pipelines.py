"""The pipelines end where the recorded ones end, when an endpoint answers as recorded (real HTTP)."""

from __future__ import annotations

import gzip
import json
import os
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from chat_endpoint import Endpoint, Reply, Request, completion, failure

from claimwise.text.normalise import plain
from claimwise_summarize import load
from claimwise_summarize.base import BaseSummarizer
from claimwise_summarize.chunks import plan

DATA = os.environ.get("CLAIMWISE_DATA")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not DATA, reason="CLAIMWISE_DATA names no folder with zs_summ"),
]
PART = re.compile(r"Part (\d+) of (\d+): ")
SYNTHETIC = re.compile(r"Case (\d+) part (\d+) line")


def recorded(name: str) -> list[dict[str, Any]]:
    assert DATA
    with gzip.open(Path(DATA) / "zs_summ" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def pipelines(dataset: str, name: str) -> list[dict[str, Any]]:
    return [one for one in recorded("pipelines") if (one["dataset"], one["pipeline"]) == (dataset, name)]


def lines_of(request: Request) -> list[str]:
    """Return the lines that a prompt of G or C holds."""
    return str(request.body["messages"][0]["content"]).split("\n\n")[1].split("\n")


def joined(texts: list[str]) -> str:
    """Return texts as one; those without letters are left out of what is summarized."""
    return " ".join(" ".join(text for text in texts if any(map(str.isalpha, text))).split())


def model_of(endpoint: Endpoint) -> dict[str, Any]:
    options = {"concurrency": 1, "show_progress": False}
    return {"model": f"openai:m@{endpoint.url}", "model_options": options, "citations": False}


def answering(respond: Callable[[Request], Reply]) -> Callable[[Request], Reply]:
    """Tell of a request that nobody recorded, instead of hanging up."""

    def answer(request: Request) -> Reply:
        try:
            return respond(request)
        except (KeyError, StopIteration, AssertionError, IndexError):
            return failure(400, f"not recorded: {lines_of(request)}"[:1000])

    return answer


class Whole:
    """Leaves recorded sentences, which are read in plain form, whole, and splits what was written."""

    def __init__(self, summarizer: BaseSummarizer, sentences: set[str]) -> None:
        self.split, self.sentences = summarizer.splitter, set(map(plain, sentences))
        self.signature = self.split.signature

    def __call__(self, text: str) -> list[str]:
        return [text] if text in self.sentences else self.split(text)


class Replay:
    """Answers the first level by the case and the part that a synthetic sentence names, then as recorded."""

    def __init__(self, first: list[list[str]], cases: list[dict[str, Any]]) -> None:
        self.first, self.cases = first, cases
        self.last = {joined(one["levels"][-2]): one["summary"] for one in cases if len(one["levels"]) > 1}
        self.last_requests = self.others = 0
        self.asked = Counter[tuple[int, int]]()

    def __call__(self, request: Request) -> Reply:
        lines = lines_of(request)
        if found := SYNTHETIC.match(lines[0]):
            return completion(self.first[int(found[1])][int(found[2])])
        text = joined(lines)
        if text in self.last:
            self.last_requests += 1
            return completion(self.last[text])
        self.others += 1
        for number, case in enumerate(self.cases):
            for level, answers in enumerate(case["levels"][:-1]):
                if all(line in joined(answers) for line in lines):
                    place = self.asked[number, level]
                    self.asked[number, level] += 1
                    written = case["levels"][level + 1]
                    return completion(written[min(place, len(written) - 1)])
        raise AssertionError(text)


def synthetic(first: list[list[str]], per_part: int, rated: bool = False) -> list[dict[str, Any]]:
    return [
        {
            "entity": case,
            "reviews": [
                {"text": f"Case {case} part {part} line {n}.", **({"rating": part} if rated else {})}
                for part in range(len(parts))
                for n in range(per_part)
            ],
        }
        for case, parts in enumerate(first)
    ]


def test_the_plan_of_chunks_is_the_recorded_one_and_requests_hold_the_recorded_sentences(
    endpoint: Endpoint,
) -> None:
    clusters = recorded("clusters")
    answers, held = {}, []
    for case, cluster in enumerate(clusters):
        parts = PART.findall(cluster["summary"])
        lengths = plan(len(cluster["sentences"]), 30, "remainder")
        assert len(lengths) == (int(parts[0][1]) if parts else 1)
        texts = re.split(r"\n?Part \d+ of \d+: |\n\*+[^\n]*\*+\n", cluster["summary"])
        answers[case] = [text for text in texts if text]
    of_sentence = {joined([plain(s)]): case for case, one in enumerate(clusters) for s in one["sentences"]}
    sentences = {sentence for one in clusters for sentence in one["sentences"]}
    left = {case: list(texts) for case, texts in answers.items()}

    def respond(request: Request) -> Reply:
        lines = lines_of(request)
        if "accounts" in request.body["messages"][0]["content"]:
            if found := re.match(r"Middle (\d+)", lines[0]):
                return completion(answers[int(found[1])][-1])
            case = next(
                c for c, texts in answers.items() if all(line in joined(texts[:-1]) for line in lines)
            )
            whole = joined(lines) == joined(answers[case][:-1])
            return completion(answers[case][-1] if whole else f"Middle {case}.")
        held.extend(lines)
        case = Counter(of_sentence[line] for line in lines).most_common(1)[0][0]
        return completion(left[case].pop(0))

    endpoint.respond = answering(respond)
    summarizer = load("cg", preset="space", **model_of(endpoint))
    summarizer.__dict__["splitter"] = Whole(summarizer, sentences)
    rows = [{"entity": case, "reviews": one["sentences"]} for case, one in enumerate(clusters)]

    found = summarizer.summarize(rows)

    wanted = [joined([plain(s)]) for one in clusters for s in one["sentences"]]
    assert sum(row["truncated"] for row in found) == 3  # chunks of more than 3,400 characters
    left_out = iter(wanted)
    assert all(line in left_out for line in held)  # in order
    assert len(wanted) - len(held) == 6
    assert [row["summary"] for row in found] == [texts[-1] for texts in answers.values()]


@pytest.mark.parametrize("name", ["tcg", "rg"])
def test_space_pipelines_end_on_the_recorded_summary(endpoint: Endpoint, name: str) -> None:
    cases = pipelines("space", name)
    first = [one["levels"][0] for one in cases]
    replay = Replay(first, cases)
    endpoint.respond = answering(replay)
    letters = {"tcg": "cg", "rg": "rg"}[name]
    rows = synthetic(first, 30 if name == "tcg" else 2, rated=name == "rg")

    found = load(letters, preset="space", **model_of(endpoint)).summarize(rows)
    levels = [list(map(len, row["levels"])) for row in found]
    as_recorded = [own == list(map(len, one["levels"])) for own, one in zip(levels, cases, strict=True)]
    first_only = load(f"first-{letters}", preset="space", **model_of(endpoint)).summarize(rows)
    assert [row["summary"] for row in first_only] == ["\n".join(parts) for parts in first]
    for row, one, is_same in zip(found, cases, as_recorded, strict=True):
        assert row["summary"] == one["summary"] or not is_same
    assert sum(as_recorded) == {"tcg": 232, "rg": 252}[name]  # its middle answers were split otherwise


def test_amazon_pipelines_end_on_the_recorded_summary(endpoint: Endpoint) -> None:
    cases = pipelines("amazon", "cg")
    cases = [one for one in cases if len(one["levels"]) > 1]
    first = []
    for one in cases:
        middle = len(one["levels"][0]) // 2
        first.append([" ".join(one["levels"][0][:middle]), " ".join(one["levels"][0][middle:])])
    replay = Replay(first, cases)
    endpoint.respond = answering(replay)

    found = load("cg", preset="fewsum", **model_of(endpoint)).summarize(synthetic(first, 30))

    assert [row["summary"] for row in found] == [one["summary"] for one in cases]
    assert (replay.last_requests, replay.others) == (len(cases), 0)


@pytest.mark.parametrize("dataset", ["space", "amazon"])
def test_writing_from_the_recorded_extract_gives_the_recorded_summary(
    endpoint: Endpoint, dataset: str
) -> None:
    cases = [one for one in pipelines(dataset, "qg") if joined(one["extract"])]
    written = {joined(list(map(plain, one["extract"]))): one["summary"] for one in cases}
    endpoint.respond = answering(lambda request: completion(written[joined(lines_of(request))]))
    rows = [{"entity": n, "reviews": one["extract"]} for n, one in enumerate(cases)]
    preset = {"amazon": "fewsum"}.get(dataset, dataset)
    summarizer = load("g", preset=preset, input_limit=None, **model_of(endpoint))
    summarizer.__dict__["splitter"] = Whole(summarizer, {s for one in cases for s in one["extract"]})

    found = summarizer.summarize(rows)

    assert [row["summary"] for row in found] == [one["summary"] for one in cases]
