"""``claimwise score --estimate``: what would be asked, before anything is sent."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from chat_endpoint import Endpoint
from chat_judge import answer_by_words, answer_with_logprobs
from command import Run
from scoring import A, B
from tables import write_table


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    return write_table(tmp_path / "pairs.csv", predictions=A, references=B)


def numbers(text: str) -> list[int]:
    return [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*(?= (?:requests|pairs))", text)]


@pytest.mark.parametrize("metric", ["caspr", "summac_zs", "support_counts", "genericity"])
@pytest.mark.parametrize("ask", [pytest.param("pairs", marks=pytest.mark.slow), "block"])
def test_the_requests_are_those_that_the_run_makes_and_nothing_is_sent(
    run: Run, endpoint: Endpoint, pairs: Path, metric: str, ask: str
) -> None:
    endpoint.respond = answer_with_logprobs if ask == "pairs" else answer_by_words
    flags = ["--nli-model", f"openai:tiny@{endpoint.url}", "--option", f"ask={ask}"]

    said = run("score", metric, pairs, *flags, "--estimate", "--price-in", "2", "--price-out", "8")

    assert said.code == 0, said.err
    assert endpoint.requests == []
    asked, requests = numbers(said.out)[-2:]
    assert asked >= requests
    assert re.search(
        r"about [\d,]+ input and [\d,]+ output tokens, about \d+\.\d\d at these prices", said.out
    )
    done = run("score", metric, pairs, *flags)
    assert done.code == 0, done.err
    assert len(endpoint.requests) == requests
    assert f"used: {requests:,} requests, {100 * requests:,} input tokens" in done.out


def test_where_the_way_is_not_known_both_are_told(run: Run, endpoint: Endpoint, pairs: Path) -> None:
    said = run("score", "caspr", pairs, "--nli-model", f"openai:tiny@{endpoint.url}", "--estimate")

    assert "openai:tiny, asked in pairs: " in said.out
    assert "openai:tiny, asked in blocks: 8 requests" in said.out
    assert endpoint.url not in said.out
    assert endpoint.requests == []


def test_other_judges_and_decomposers_are_estimated_too(run: Run, pairs: Path) -> None:
    flags = [
        "--nli-model",
        "default",
        "--nli-model",
        "tei:http://user:secret@host:1",
        "--decomposer",
        "openai",
    ]

    said = run("score", "caspr", pairs, *flags, "--estimate")

    assert said.code == 0, said.err
    assert "- default: no requests" in said.out
    assert re.search(r"- tei: \d+ requests\n", said.out)
    assert "An estimate from sentences: the decomposer 'openai'" in said.out
    assert "secret" not in said.out


def test_a_metric_without_a_judge_sends_nothing(run: Run, pairs: Path) -> None:
    assert "nothing is sent" in run("score", "distinctiveness_score", pairs, "--estimate").out


def test_weights_of_summac_conv_are_not_needed_to_count(run: Run, endpoint: Endpoint, pairs: Path) -> None:
    flags = ["--nli-model", f"openai:tiny@{endpoint.url}", "--option", "ask=pairs", "--estimate"]

    said = run("score", "summac_conv", pairs, *flags)

    other = run("score", "support_counts", pairs, *flags, "--decomposer", "sentences")
    assert said.code == 0, said.err
    assert numbers(said.out) == numbers(other.out)
    assert "weights that were fitted with this judge" in said.out
    assert "fitted" not in run("score", "summac_conv", pairs, "--estimate").out
    assert endpoint.requests == []
