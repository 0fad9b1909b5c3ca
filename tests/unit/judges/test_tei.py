"""The judge behind text-embeddings-inference, over real HTTP; see ``tei_server.py``."""

from __future__ import annotations

import asyncio
import json
import pickle
import re
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from judges import WordJudge
from scoring import A, B
from tei_server import EmbeddedModel, Refusal, Request, TEIServer, WordModel

from claimwise.errors import ClaimwiseError
from claimwise.http.endpoint import Endpoint
from claimwise.judges import NLIModel, load_judge
from claimwise.judges.pairs import Pairs
from claimwise.judges.protocol import Judge
from claimwise.judges.tei import TEIJudge
from claimwise.metrics import METRICS
from claimwise.metrics.nli import NLIMetric

NLI_METRICS = [name for name in METRICS if issubclass(METRICS[name], NLIMetric)]
SECRET = "hf_0123456789abcdefgh"
PAIRS = [(f"Room {n} is warm.", f"Room {n} is not warm and {n % 7} cold.") for n in range(100)]


def expected(pairs: list[tuple[str, str]]) -> Any:
    return WordJudge().predict_pairs(pairs).probabilities


def once(fault: Any) -> Callable[[Request], Any]:
    """Answer the first request with a fault."""
    left = [fault]
    return lambda _: left.pop() if left else ...


# What it is asked, and what it says -------------------------------------------------------------


def test_labels_are_read_by_name_from_answers_sorted_by_score(tei: TEIServer) -> None:
    found = load_judge(f"tei:{tei.url}").predict_pairs(PAIRS)

    np.testing.assert_allclose(found.probabilities, expected(PAIRS), atol=1e-6)
    assert not found.truncated.any()
    for request in tei.predictions():
        assert request.body["truncate"] is False
        assert request.body["raw_scores"] is False
        assert len(request.body["inputs"]) <= 32
    assert sorted(tei.judged) == sorted(PAIRS)


@pytest.mark.parametrize("pairs", [[], PAIRS[:1], PAIRS[:33]])
def test_any_number_of_pairs(tei: TEIServer, pairs: list[tuple[str, str]]) -> None:
    found = load_judge(f"tei:{tei.url}/").predict_pairs(pairs)

    np.testing.assert_allclose(found.probabilities, expected(pairs).reshape(-1, 3), atol=1e-6)


def test_requests_are_as_large_as_the_server_allows_and_as_many_at_once_as_wanted(tei: TEIServer) -> None:
    tei.max_client_batch_size = 5
    tei.fault = lambda _: (tei.released.wait(0.02) and ...) or ...

    load_judge(f"tei:{tei.url}", concurrency=3).predict_pairs(PAIRS)

    assert {len(request.body["inputs"]) for request in tei.predictions()} == {5}
    assert 1 < tei.most_under_way <= 4  # three, and one for /info


def test_the_signature_says_what_the_server_says_of_its_model(tei: TEIServer) -> None:
    signature = METRICS["caspr"](judge=f"tei:{tei.url}").signature()

    assert "|judge:tei:words/words|" in signature
    assert f"|judge_revision:{'0' * 40}|" in signature
    assert (
        "|labels:Entailment,neutral,CONTRADICTION|max_length:512|truncation:premise|dtype:float32|"
        "text-embeddings-inference:1.9.0|" in signature
    )
    assert "127.0.0.1" not in signature  # the same model elsewhere gives the same scores


def test_a_model_of_unknown_revision_goes_by_its_address(tei: TEIServer) -> None:
    known = load_judge(f"tei:{tei.url}")
    tei.model.sha = None  # type: ignore[assignment]

    unknown = load_judge(f"tei:{tei.url}")

    assert known.fingerprint != unknown.fingerprint
    assert unknown.signature["judge_server"] == tei.url.removeprefix("http://")


def test_unnamed_labels_are_named_by_the_user(tei: TEIServer) -> None:
    tei.model.labels = ("LABEL_0", "LABEL_1", "LABEL_2")

    with pytest.raises(ClaimwiseError, match=r"`LABEL_0`, .* do not tell .*label_order="):
        load_judge(f"tei:{tei.url}")
    judge = load_judge(f"tei:{tei.url}", label_order=["contradiction", "entailment", "neutral"])
    np.testing.assert_allclose(judge.predict_pairs(PAIRS).probabilities, expected(PAIRS), atol=1e-6)


@pytest.mark.slow
def test_every_metric_gives_the_scores_of_the_local_model(
    tei: TEIServer, nli_model: NLIModel, needed: dict[str, dict[str, Any]], tmp_path: Path
) -> None:
    from safetensors.torch import load_file, save_file

    tei.model = EmbeddedModel(nli_model)
    url = f"tei:{tei.url}"
    weights = tmp_path / "weights.safetensors"  # which do not say with what judge they were fitted
    save_file(load_file(needed["summac_conv"]["weights"]), weights)
    needed = {**needed, "summac_conv": {"weights": str(weights)}}

    for name in NLI_METRICS:
        rows = {"predictions": A[:2], "references": B[:2]}
        local = METRICS[name](judge=nli_model, **needed.get(name, {})).compute(**rows)
        far = METRICS[name](judge=url, show_progress=False, **needed.get(name, {})).compute(**rows)

        np.testing.assert_allclose(far[f"{name}_scores"], local[f"{name}_scores"], atol=1e-3)
        assert far.keys() == local.keys()


# Too long -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [413, 422])
@pytest.mark.parametrize("count", [1, 40])
def test_a_pair_that_is_too_long_is_cut_at_the_end_of_its_premise_and_counted(
    tei: TEIServer, status: int, count: int
) -> None:
    tei.model.max_length, tei.limit_status = 23, status
    pairs = [(" ".join(f"w{n}" for n in range(30)), f"w{n} yes x{n} Ünïcôde") for n in range(count)]
    short = [(f"w{n}", "w1 w2") for n in range(count)]

    found = load_judge(f"tei:{tei.url}").predict_pairs(pairs + short)

    np.testing.assert_array_equal(found.truncated, [True] * count + [False] * count)
    cut = [(" ".join(premise.split()[:16]), hypothesis) for premise, hypothesis in pairs]
    np.testing.assert_allclose(found.probabilities, expected(cut + short), atol=1e-6)


@pytest.mark.slow
def test_long_texts_are_cut_where_the_local_model_cuts_them(tei: TEIServer, nli_model: NLIModel) -> None:
    tei.model = EmbeddedModel(nli_model)
    premise = " ".join(f"The {n}th room was größer and très calme." for n in range(80))
    long_claim = " ".join(f"Room {n} was small." for n in range(120))
    pairs = [(premise, "The 1st room was calm."), (premise, long_claim), (A[0], long_claim), (A[0], B[0])]

    found = load_judge(f"tei:{tei.url}").predict_pairs(pairs)
    local = nli_model.predict_pairs(pairs)

    np.testing.assert_array_equal(found.truncated, local.truncated)
    np.testing.assert_allclose(found.probabilities, local.probabilities, atol=1e-3)


@pytest.mark.parametrize("unit", ["characters", "bytes"])
def test_premises_are_shortened_by_the_servers_tokens(
    tei: TEIServer, monkeypatch: pytest.MonkeyPatch, unit: str
) -> None:
    if unit == "bytes":
        text = "größer als très calme"

        def spans(text: str) -> list[tuple[int, int]]:
            return [(m.start(), m.end()) for m in re.finditer(rb"\S+", text.encode())]

        monkeypatch.setattr(tei.model, "spans", spans)
        monkeypatch.setattr(
            tei,
            "tokens",
            lambda text: [
                {"id": 1, "text": text.encode()[a:b].decode(), "special": False, "start": a, "stop": b}
                for a, b in spans(text)
            ],
        )
    text = "größer als très calme"

    judge = load_judge(f"tei:{tei.url}")

    assert judge.shorten([text, "calme"], 3) == ["größer als très", "calme"]  # type: ignore[attr-defined]


def test_a_request_of_too_many_bytes_is_halved(tei: TEIServer) -> None:
    tei.fault = lambda request: (
        Refusal(413, "length limit exceeded", "Validation") if len(request.body["inputs"]) > 7 else ...
    )

    found = load_judge(f"tei:{tei.url}").predict_pairs(PAIRS)

    np.testing.assert_allclose(found.probabilities, expected(PAIRS), atol=1e-6)


@pytest.mark.parametrize("place", [0, 13, 39])
def test_one_pair_that_is_too_long_costs_its_neighbours_nothing(tei: TEIServer, place: int) -> None:
    tei.model.max_length = 23
    pairs = [*PAIRS[:place], (" ".join(f"w{n}" for n in range(30)), "w1 yes"), *PAIRS[place:39]]

    found = load_judge(f"tei:{tei.url}").predict_pairs(pairs)

    assert np.flatnonzero(found.truncated).tolist() == [place]
    cut = [(" ".join(premise.split()[:18]), hypothesis) for premise, hypothesis in pairs]
    np.testing.assert_allclose(found.probabilities, expected(cut), atol=1e-6)
    truncating = [request.body["inputs"] for request in tei.predictions() if request.body["truncate"]]
    assert truncating == [[list(pairs[place])]], "what fits is never truncated by the server"


def test_looking_at_a_judge_sends_nothing(tei: TEIServer) -> None:
    judge = TEIJudge(tei.url)

    assert isinstance(judge, Judge)
    assert judge.signature["judge"] == "tei:unknown"
    assert judge.fingerprint
    assert tei.requests == []
    assert judge.probe().signature["judge"] == "tei:words/words"
    judge.probe()
    assert [request.path for request in tei.requests] == ["/info"]


# Faults that pass ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fault",
    [
        Refusal(429, "Model is overloaded", "Overloaded", {"Retry-After": "0.01"}),
        Refusal(429, "Model is overloaded", "Overloaded"),
        Refusal(429, "Model is overloaded", "Overloaded", {"Retry-After": "soon"}),
        Refusal(424, "backend error", "Backend"),
        Refusal(500, "oh", "Backend"),
        Refusal(503, "loading", "Unhealthy"),
        None,
        b"<html>",
        b"",
    ],
    ids=["429", "429 without a time", "429 with nonsense", "424", "500", "503", "dropped", "HTML", "empty"],
)
def test_a_fault_that_passes_is_waited_for(tei: TEIServer, fault: Any) -> None:
    tei.fault = once(fault)

    found = load_judge(f"tei:{tei.url}").predict_pairs(PAIRS)

    np.testing.assert_allclose(found.probabilities, expected(PAIRS), atol=1e-6)


def test_a_hang_is_given_up_and_asked_again(tei: TEIServer) -> None:
    hung = [True]

    def hang(_: Request) -> Any:
        if hung:
            hung.pop()
            tei.released.wait()
        return ...

    tei.fault = hang

    found = load_judge(f"tei:{tei.url}", timeout=0.5).predict_pairs(PAIRS[:3])

    np.testing.assert_allclose(found.probabilities, expected(PAIRS[:3]), atol=1e-6)


# Faults that stay ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (Refusal(429, f"slow down {SECRET}", "Overloaded"), r"still limits the rate.*429.*slow down \*\*\*"),
        (Refusal(424, "cuda", "Backend"), "keeps failing, .*424.*“cuda”"),
        (Refusal(400, "`inputs` cannot be empty", "Empty"), "rejected a request .400.*cannot be empty"),
        (Refusal(422, "unknown", "Validation"), "rejected a request .422.*“unknown”"),
        (Refusal(307, "", ""), "redirects"),
        (None, "cannot be reached"),
        (b"<html>", "something other than JSON"),
        ([], "did not answer with a score for each of Entailment"),
        ([[{"label": "neutral", "score": "high"}]], "did not answer with a score"),
        ([[{"label": "neutral", "score": 1.0}]], "did not answer with a score"),
        ([[{"label": "POSITIVE", "score": 1.0}]], "each of Entailment, neutral, CONTRADICTION, for 1 pairs"),
        (
            [[{"label": n, "score": 0.9} for n in WordModel.labels]],
            "which are not probabilities",
        ),
    ],
)
def test_a_fault_that_stays_is_one_message_without_the_token(tei: TEIServer, fault: Any, said: str) -> None:
    tei.token = SECRET
    judge = TEIJudge(tei.url, api_key=SECRET, retries=1).probe()
    tei.fault = lambda _: fault

    with pytest.raises(ClaimwiseError, match=said) as caught:
        judge.predict_pairs(PAIRS[:1])

    assert SECRET not in f"{caught.value} {judge!r} {judge.signature} {judge.fingerprint}"
    assert caught.value.remedy


def test_what_was_judged_before_a_failure_is_kept(tei: TEIServer, tmp_path: Path) -> None:
    tei.max_client_batch_size = 10
    tei.fault = lambda request: Refusal(400, "no", "Empty") if ["a", "b"] in request.body["inputs"] else ...
    judge = load_judge(f"tei:{tei.url}", concurrency=1, score_cache=tmp_path / "scores")
    with pytest.raises(ClaimwiseError, match="rejected a request"):
        judge.predict_pairs([*PAIRS[:50], ("a", "b")])
    before = len(tei.judged)
    tei.fault = lambda _: ...

    judge.predict_pairs([*PAIRS[:50], ("a", "b")])

    assert before == 50
    assert len(tei.judged) == 51


def test_another_model_in_mid_run_stops_it_and_nothing_of_that_is_kept(
    tei: TEIServer, tmp_path: Path
) -> None:
    tei.max_client_batch_size = 10

    def change(_: Request) -> Any:
        if len(tei.judged) >= 50:
            tei.model.sha = "2" * 40
        return ...

    judge = load_judge(f"tei:{tei.url}", concurrency=1, score_cache=tmp_path / "scores")
    tei.fault = change

    with pytest.raises(ClaimwiseError, match=r"now runs `words/words`.*Start the run again"):
        judge.predict_pairs(PAIRS)

    assert len(tei.judged) < len(PAIRS)
    tei.model.sha = "0" * 40
    tei.fault = lambda _: ...
    found = load_judge(f"tei:{tei.url}", score_cache=tmp_path / "scores").predict_pairs(PAIRS)
    np.testing.assert_allclose(found.probabilities, expected(PAIRS), atol=1e-6)


# Bad input ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model_type", "said"),
    [
        (
            {"embedding": {"pooling": "mean"}},
            "which is not a classifier .embedding.*natural language inference",
        ),
        ({"reranker": {"id2label": {"0": "LABEL_0"}}}, "which is not a classifier .reranker"),
        ({"classifier": {"id2label": {"0": "yes", "1": "no"}}}, r"127.*has 2 labels .`yes`, `no`"),
        ({"classifier": {}}, "not a classifier|which kind"),
    ],
)
def test_a_server_of_something_else_is_refused_when_it_is_loaded(
    tei: TEIServer, model_type: dict[str, Any], said: str
) -> None:
    tei.model_type = model_type

    with pytest.raises(ClaimwiseError, match=said) as caught:
        load_judge(f"tei:{tei.url}")

    assert caught.value.option in ("judge", "label_order")


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("tei:localhost:8080", "`url` must be an http"),
        ("tei:", "must be an http:// or https:// address.*http://localhost:8080"),
        (f"tei:ftp://user:{SECRET}@host", "must be an http"),
        ("teh:http://localhost:8080", "teh:http"),
    ],
)
def test_an_address_that_is_none_is_refused_unquoted(address: str, said: str) -> None:
    with pytest.raises(ClaimwiseError, match=said) as caught:
        load_judge(address)

    assert SECRET not in str(caught.value)


def test_an_unreachable_server_is_one_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")

    with pytest.raises(ClaimwiseError, match=r"127.0.0.1:9 cannot be reached, in a single attempt.*Check"):
        TEIJudge("http://127.0.0.1:9", retries=0).probe()


def test_another_kind_of_server_is_refused(tei: TEIServer) -> None:
    with pytest.raises(ClaimwiseError, match=r"does not name its model at /info .404"):
        load_judge(f"tei:{tei.url}/v1")


@pytest.mark.parametrize(
    "options",
    [{"concurrency": 0}, {"timeout": 0}, {"timeout": "long"}, {"api_key": 3}, {"api_key": "ä"}],
)
def test_a_bad_option_is_named_as_it_was_typed(tei: TEIServer, options: dict[str, Any]) -> None:
    name = next(iter(options))

    with pytest.raises(ClaimwiseError, match=name) as caught:
        load_judge(f"tei:{tei.url}", **options)

    assert caught.value.option == name


# Tokens -------------------------------------------------------------------------------------------


def test_a_token_is_sent_when_it_is_given_and_shown_nowhere(
    tei: TEIServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    tei.token = SECRET
    caplog.set_level("DEBUG")

    result = METRICS["caspr"](
        judge=TEIJudge(tei.url, api_key=SECRET), score_cache=tmp_path / "scores", show_progress=False
    ).compute(predictions=A[:1], references=B[:1], details=True)

    assert {request.headers["authorization"] for request in tei.requests} == {f"Bearer {SECRET}"}
    assert SECRET not in json.dumps(result) + caplog.text
    assert SECRET.encode() not in (tmp_path / "scores").read_bytes()


def test_a_wrong_token_is_told_apart_from_none(tei: TEIServer) -> None:
    tei.token = SECRET

    with pytest.raises(ClaimwiseError, match=r"requires an API key .401.*api_key="):
        load_judge(f"tei:{tei.url}")
    with pytest.raises(ClaimwiseError, match=r"refused the API key .401.*api_key="):
        load_judge(f"tei:{tei.url}", api_key="hf_wrong")


def test_the_environments_token_goes_to_hugging_face_over_https_alone(
    tei: TEIServer, monkeypatch: pytest.MonkeyPatch
) -> None:

    monkeypatch.setenv("HF_TOKEN", SECRET)
    load_judge(f"tei:{tei.url}").predict_pairs(PAIRS[:1])

    def sent(url: str) -> str:
        return Endpoint.find(url).api_key or ""

    assert all("authorization" not in request.headers for request in tei.requests)
    assert sent("https://x1.us-east-1.aws.endpoints.huggingface.cloud") == SECRET
    assert sent("https://huggingface.co/x") == SECRET
    for elsewhere in (
        "http://x1.us-east-1.aws.endpoints.huggingface.cloud",
        "https://nothuggingface.co",
        "https://huggingface.co.evil.example",
        "https://huggingface.co@evil.example",
        "https://someone-space.hf.space",
    ):
        assert sent(elsewhere) == ""


# Processes, threads, event loops ------------------------------------------------------------------


def test_it_can_be_pickled_and_shared_by_threads(tei: TEIServer) -> None:
    judge = pickle.loads(pickle.dumps(load_judge(f"tei:{tei.url}")))

    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(judge.predict_pairs, [PAIRS] * 3))

    for one in found:
        np.testing.assert_allclose(one.probabilities, expected(PAIRS), atol=1e-6)


def test_it_works_inside_a_running_event_loop(tei: TEIServer) -> None:
    async def score() -> Any:
        return load_judge(f"tei:{tei.url}").predict_pairs(PAIRS).probabilities

    np.testing.assert_allclose(asyncio.run(score()), expected(PAIRS), atol=1e-6)


@pytest.mark.slow
def test_processes_that_are_spawned_take_a_metric_with_them(tei: TEIServer) -> None:
    caspr = METRICS["caspr"](judge=f"tei:{tei.url}", show_progress=False)
    here = caspr.compute(predictions=A, references=B)

    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        there = pool.submit(caspr.compute, predictions=A, references=B).result()

    assert there == here


def test_leaving_in_the_middle_leaves_no_request_behind(tei: TEIServer) -> None:
    tei.max_client_batch_size = 1
    judge: Any = load_judge(f"tei:{tei.url}", concurrency=2)
    batches = judge.predict_batches(Pairs.of(PAIRS))
    next(batches)

    batches.close()

    asked = len(tei.judged)
    assert asked < len(PAIRS)
    assert tei.under_way == 0
