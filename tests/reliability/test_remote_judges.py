"""Remote judges under kills, Ctrl-C, spawned processes and load, over real HTTP."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import textwrap
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chat_endpoint import Endpoint, Reply, Request
from chat_judge import answer_by_words, answer_with_logprobs, asked
from judges import WordJudge
from tei_server import TEIServer, WordModel

from claimwise.judges import load_judge
from claimwise.judges.pairs import Pairs
from claimwise.judges.tei import TEIJudge
from claimwise.metrics import METRICS

PAIRS = [(f"Room {n} is warm.", f"Room {n % 30} is not warm and {n % 7} cold.") for n in range(300)]
RUN = """
    import json, sys
    from claimwise.judges import load_judge
    judge, cache, options = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
    pairs = [tuple(pair) for pair in json.load(sys.stdin)]
    print("ready", flush=True)
    found = load_judge(judge, score_cache=cache, show_progress=False, **options).predict_pairs(pairs)
    print(json.dumps(found.probabilities.tolist()))
"""


class Gate:
    """Lets so many requests pass, then holds further ones until it is opened."""

    def __init__(self) -> None:
        self.left, self.lock = 0, threading.Lock()
        self.reached, self.opened = threading.Event(), threading.Event()

    def close_after(self, requests: int) -> None:
        self.left = requests
        self.reached, self.opened = threading.Event(), threading.Event()

    def __call__(self) -> None:
        with self.lock:
            self.left -= 1
            holds = self.left < 0
        if holds:
            self.reached.set()
            self.opened.wait()


def start(judge: str, cache: Path, options: dict[str, Any]) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(RUN), judge, str(cache), json.dumps(options)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert process.stdin is not None
    process.stdin.write(json.dumps(PAIRS))
    process.stdin.close()
    return process


def killed_and_resumed(
    judge: str, tmp_path: Path, options: dict[str, Any], gate: Gate, sent: signal.Signals = signal.SIGKILL
) -> Any:
    """Kill a run twice where a request is under way, let the third one end, and return what it gives."""
    for _ in range(2):
        gate.close_after(5)
        process = start(judge, tmp_path / "scores", options)
        assert gate.reached.wait(60)
        process.send_signal(sent)
        if sent == signal.SIGKILL:
            process.wait(60)
            gate.opened.set()
        else:
            gate.opened.set()
            process.wait(60)
        assert process.returncode != 0
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stderr.close()
    gate.close_after(10**9)
    process = start(judge, tmp_path / "scores", options)
    assert process.stdout is not None
    assert process.stderr is not None
    out, err = process.stdout.read(), process.stderr.read()
    assert process.wait(60) == 0, err
    process.stdout.close()
    process.stderr.close()
    return np.array(json.loads(out.splitlines()[-1]))


@pytest.mark.slow
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_run_over_a_server_resumes(tei: TEIServer, tmp_path: Path, sent: signal.Signals) -> None:
    gate = Gate()
    tei.max_client_batch_size = 10

    def hold(_: Any) -> Any:
        gate()
        return ...

    tei.fault = hold

    found = killed_and_resumed(f"tei:{tei.url}", tmp_path, {"concurrency": 1}, gate, sent)

    np.testing.assert_allclose(found, WordJudge().predict_pairs(PAIRS).probabilities, atol=1e-6)
    # Twice only what was under way when the run was killed: never more than a request and the one behind it.
    again = sum(count - 1 for count in Counter(tei.judged).values())
    assert again <= 2 * 2 * 10


@pytest.mark.slow
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT])
@pytest.mark.parametrize("ask", ["pairs", "block"])
def test_a_killed_run_over_a_chat_model_resumes_and_asks_nothing_twice(
    endpoint: Endpoint, tmp_path: Path, ask: str, sent: signal.Signals
) -> None:
    gate = Gate()
    answer: Callable[[Request], Reply] = answer_with_logprobs if ask == "pairs" else answer_by_words

    def hold(request: Request) -> Reply:
        gate()
        return answer(request)

    endpoint.respond = hold
    options = {"ask": ask, "concurrency": 2}

    found = killed_and_resumed(f"openai:m@{endpoint.url}", tmp_path, options, gate, sent)

    expected = WordJudge().predict_pairs(PAIRS).probabilities
    np.testing.assert_array_equal(found.argmax(1), expected.argmax(1))
    counts = Counter(str(asked(request)) for request in endpoint.requests)
    # Each kill cuts off the two requests under way, whose answers came too late; Ctrl-C waits for them.
    assert sum(count - 1 for count in counts.values()) <= (2 * 2 if sent == signal.SIGKILL else 0)


@pytest.mark.slow
def test_spawned_processes_share_a_cache_over_a_chat_model(endpoint: Endpoint, tmp_path: Path) -> None:
    endpoint.respond = answer_by_words
    caspr = METRICS["caspr"](
        judge=f"openai:m@{endpoint.url}", score_cache=tmp_path / "scores", show_progress=False
    )
    rows = {"predictions": ["The pool is warm."], "references": ["The pool is not warm."]}

    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        there = [pool.submit(caspr.compute, **rows) for _ in range(4)]
        scores = {one.result()["caspr"] for one in there}

    asked_so_far = len(endpoint.requests)
    assert scores == {caspr.compute(**rows)["caspr"]}
    assert len(endpoint.requests) == asked_so_far


@pytest.mark.slow
def test_a_server_gets_as_many_requests_at_once_as_it_was_promised_and_full_ones(tei: TEIServer) -> None:
    """What that gives in pairs a second, ``benchmarks/speed/remote.py`` measures."""
    tei.seconds = 0.05
    pairs = Pairs.of((f"p{n}", f"h{n}") for n in range(32 * 40))

    list(TEIJudge(tei.url, concurrency=8, show_progress=False).predict_batches(pairs))

    assert {len(request.body["inputs"]) for request in tei.predictions()} == {32}
    assert 8 <= tei.most_under_way <= 9  # one asks /info
    infos = sum(request.path == "/info" for request in tei.requests)
    assert infos <= 1 + 40 // 4 + 1  # at first, for every four answers, and for the last ones


@pytest.mark.slow
def test_memory_stays_flat_over_100_000_pairs(tei: TEIServer) -> None:
    class Instant(WordModel):
        def spans(self, text: str) -> list[tuple[int, int]]:
            return [(0, 1)]

        def scores(self, pairs: Any) -> Any:
            return np.tile(np.array([0.25, 0.5, 0.25], np.float32), (len(pairs), 1))

    tei.model, tei.max_client_batch_size = Instant(), 256
    tei.keeps = False
    judge: Any = load_judge(f"tei:{tei.url}", show_progress=False)
    pairs = Pairs.crossed([([f"p{n}" for n in range(1000)], [f"h{n}" for n in range(100)])])
    batches = judge.predict_batches(pairs)
    seen = 0
    while seen < 20_000:
        seen += len(next(batches)[0])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    seen += sum(len(rows) for rows, _ in batches)

    assert seen == 100_000
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert grown < 16, f"{grown:.0f} MiB"
