"""``claimwise score --estimate``: what would be asked, before anything is sent."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from chat_endpoint import Endpoint
from chat_judge import answer_by_words, answer_with_logprobs
from command import Run, check_refused
from scoring import NEEDED, A, B
from tables import write_table
from tei_server import TEIServer

from claimwise.metrics import METRICS

SPECS = {name: kind.spec for name, kind in METRICS.items()}


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
    flags = ["--judge", f"openai:tiny@{endpoint.url}", "--judge-option", f"ask={ask}"]
    if metric == "support_counts":
        flags += ["--option", "support=sentences"]

    said = run("score", metric, pairs, *flags, "--estimate", "--price-in", "2", "--price-out", "8")

    assert said.code == 0, said.err
    assert endpoint.requests == []
    asked, requests = numbers(said.out)[-2:]
    assert asked >= requests
    assert re.search(
        r"about [\d,]+ input and [\d,]+ output tokens, about \d+\.\d\d+ at these prices", said.out
    )
    done = run("score", metric, pairs, *flags)
    assert done.code == 0, done.err
    assert len(endpoint.requests) == requests
    assert f"used: {requests:,} requests, {100 * requests:,} input tokens" in done.out


def test_where_the_way_is_not_known_both_are_told(run: Run, endpoint: Endpoint, pairs: Path) -> None:
    said = run("score", "caspr", pairs, "--judge", f"openai:tiny@{endpoint.url}", "--estimate")

    assert "judge openai:tiny, asked in pairs: " in said.out
    assert "judge openai:tiny, asked in blocks: 9 requests" in said.out  # and the test question
    assert re.search(r"total, asked in pairs: .*\n.*total, asked in blocks: 9 requests", said.out)
    assert endpoint.url not in said.out
    assert endpoint.requests == []


def test_other_judges_and_decomposers_are_estimated_too(run: Run, pairs: Path) -> None:
    flags = [
        "--judge",
        "default",
        "--judge",
        "tei:http://user:secret@host:1",
        "--decomposer",
        "openai:m@http://user:secret@host:2",
    ]

    said = run("score", "caspr", pairs, *flags, "--estimate")

    assert said.code == 0, said.err
    assert re.search(
        r"- judge default: \d+ pairs, no requests, about (a|\d+) seconds? on this machine\n", said.out
    )
    assert re.search(r"- judge tei:http://host:1: \d+ requests\n", said.out)
    assert re.search(
        r"- decomposer openai:m: \d+ requests, about [\d,]+ input and [\d,]+ output tokens\n", said.out
    )
    assert "This estimate counts sentences as claims: " in said.out
    assert "secret" not in said.out


def test_a_metric_without_a_judge_sends_nothing(run: Run, pairs: Path) -> None:
    assert "nothing would be sent" in run("score", "distinctiveness_score", pairs, "--estimate").out


def test_weights_of_summac_conv_are_not_needed_to_count(run: Run, endpoint: Endpoint, pairs: Path) -> None:
    flags = ["--judge", f"openai:tiny@{endpoint.url}", "--judge-option", "ask=pairs", "--estimate"]

    said = run("score", "summac_conv", pairs, *flags)

    other = run("score", "support_counts", pairs, *flags, "--option", "support=sentences")
    assert said.code == 0, said.err
    assert numbers(said.out) == numbers(other.out)
    assert endpoint.requests == []


def test_what_is_in_the_score_cache_is_not_counted(
    run: Run, endpoint: Endpoint, tei: TEIServer, pairs: Path, tmp_path: Path
) -> None:
    other = Endpoint()
    endpoint.respond = answer_by_words
    judges = ("default", f"openai:j@{endpoint.url}", f"tei:{tei.url}")
    flags = [flag for judge in judges for flag in ("--judge", judge)]
    flags += ["--decomposer", f"openai:d@{other.url}", "--score-cache", str(tmp_path / "scores")]
    flags += ["--judge-option", "ask=block"]
    try:
        before = run("score", "caspr", pairs, *flags, "--estimate")
        assert (endpoint.requests, other.requests, tei.judged) == ([], [], [])
        assert run("score", "caspr", pairs, *flags).code == 0
        after = run("score", "caspr", pairs, *flags, "--estimate")
    finally:
        other.close()

    assert "This estimate counts sentences as claims" in before.out
    assert "This estimate counts sentences as claims" not in after.out
    assert not re.search(r"[1-9]\d* requests", after.out), after.out
    assert "- judge default: no requests\n" in after.out


def test_a_decomposer_of_another_package_that_is_offline_is_free(
    run: Run, pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, base in (("of_its_own", "BaseDecomposer"), ("asks", "")):
        (tmp_path / f"{name}_package.py").write_text(
            "from claimwise.text.claims import BaseDecomposer, Decomposed\n"
            f"class Whole({base}):\n"
            "    signature = {'decomposer': 'whole'}\n"
            "    def decompose(self, sentences):\n"
            "        return [Decomposed([sentence, 'And so on.']) for sentence in sentences]\n"
        )
        metadata = tmp_path / f"{name}_package-1.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}_package\nVersion: 1.0\n")
        entry = f"[claimwise.decomposers]\n{name} = {name}_package:Whole\n"
        (metadata / "entry_points.txt").write_text(entry)
    monkeypatch.syspath_prepend(tmp_path)
    flags = ["--judge", "tei:http://host:1", "--estimate"]

    free, asks, whole = (
        run("score", "caspr", pairs, *flags, "--decomposer", name).out
        for name in ("of_its_own", "asks", "sentences")
    )

    assert "This estimate counts sentences as claims" not in free
    assert numbers(free)[1] > numbers(whole)[1]
    assert "This estimate counts sentences as claims" in asks
    assert re.search(r"- decomposer asks: \d+ requests", asks)
    assert numbers(asks)[1] == numbers(whole)[1]


def test_a_password_in_the_address_of_another_packages_judge_is_not_shown(
    run: Run, pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "far_package.py").write_text(
        "from judges import WordJudge\n"
        "class Far(WordJudge):\n"
        "    def __init__(self, address):\n"
        "        super().__init__()\n"
        "        self.address = address\n"
        "    @property\n"
        "    def signature(self):\n"
        "        return {'judge': f'far:{self.address}'}\n"
        "    def predict_pairs(self, pairs):\n"
        "        if 'bad' in self.signature['judge']:\n"
        "            return None\n"
        "        return super().predict_pairs(pairs)\n"
    )
    metadata = tmp_path / "far_package-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: far_package\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[claimwise.judges]\nfar = far_package:Far\n")
    monkeypatch.syspath_prepend(tmp_path)
    judge = "far:http://user:p@ss-secret@host/v1?key=secret"

    table = write_table(tmp_path / "judged.csv", premise=A, hypothesis=B)
    done = [
        run("score", "caspr", pairs, "--judge", judge, "--judge", "default", "--details"),
        run("score", "caspr", pairs, "--judge", judge, "--estimate"),
        run("score", "caspr", pairs, "--judge", judge, "--device", "cpu"),
        run("score", "caspr", pairs, "--judge", judge.replace("v1", "bad")),
        run("judges", "test", judge),
        run("judges", "agree", table, "--judge", judge, "--judge", "default"),
        run("score", "caspr", pairs, "--judge", "tei:http://user:p@ss-secret@host:99999"),
        run(
            "score",
            "caspr",
            pairs,
            "--judge",
            "tei:http://user:p@ss-secret@127.0.0.1:1",
            "--device",
            "cpu",
        ),
    ]

    assert [one.code for one in done[:4] + done[5:]] == [0, 0, 1, 1, 0, 1, 1]
    for one in done:
        assert "secret" not in one.out + one.err
        assert "p@ss" not in one.out + one.err
    assert "far:http://host/v1" in done[0].out
    assert "far:http://host/v1" in done[2].err


@pytest.mark.parametrize(
    ("metric", "config"), [(name, config) for name, spec in SPECS.items() for config in spec.configurations]
)
def test_every_configuration_can_be_estimated(
    run: Run, pairs: Path, monkeypatch: pytest.MonkeyPatch, metric: str, config: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-sent-to-anybody")

    needed = [f"--option={option}={value}" for option, value in NEEDED.get(metric, {}).items()]

    said = run("score", metric, pairs, "--config", config, "--estimate", *needed)

    assert said.code == 0, said.err
    assert "pairs" in said.out or "nothing would be sent" in said.out


def test_truncated_premises_are_counted_where_the_judge_can_truncate_them(run: Run, pairs: Path) -> None:
    flags = ["--option", "premise_tokens=500", "--estimate"]

    default = run("score", "summac_zs", pairs, *flags)
    chat = run("score", "summac_zs", pairs, *flags, "--judge", "openai:m@http://host:1")

    assert default.code == 0, default.err
    assert numbers(default.out)[0] == numbers(run("score", "summac_zs", pairs, "--estimate").out)[0]
    check_refused(chat, "premise_tokens", "needs a judge that counts tokens")


def test_what_a_run_refuses_an_estimate_refuses_too(run: Run, pairs: Path) -> None:
    flags = ["--option", "presence=p2c", "--decomposer", "sentences", "--estimate"]

    assert run("score", "pyramid", pairs, *flags).code == 0
    chat = run("score", "pyramid", pairs, *flags, "--judge", "openai:m@http://host:1")
    check_refused(chat, "presence", "logits")


def test_judge_and_decomposer_are_told_apart_with_a_total_and_small_sums(
    run: Run, endpoint: Endpoint, tmp_path: Path
) -> None:
    endpoint.respond = answer_by_words
    table = write_table(tmp_path / "one.csv", predictions=["It is warm."], references=["It is cold."])
    model = f"openai:tiny@{endpoint.url}"
    flags = ["--judge", model, "--judge-option", "ask=block", "--decomposer", model]

    said = run("score", "caspr", table, *flags, "--estimate", "--price-in", "0.001")

    sums = re.findall(
        r"- (judge openai:tiny.*|decomposer openai:tiny|total): (\d+) requests.* about (0\.\d+) at", said.out
    )
    names, requests, prices = zip(*sums, strict=True)
    assert [name.partition(" ")[0] for name in names] == ["judge", "decomposer", "total"]
    assert int(requests[0]) + int(requests[1]) == int(requests[2]) == 4
    assert 0 < float(prices[0]) < float(prices[2]) < 0.01
    assert endpoint.requests == []
