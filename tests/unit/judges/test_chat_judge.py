"""A chat model as a judge, against a real local server; see ``chat_judge.py`` for how it answers."""

from __future__ import annotations

import asyncio
import json
import math
import pickle
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chat_endpoint import Endpoint, Reply, Request, completion, failure
from chat_judge import (
    LABELS,
    RECORDED,
    answer_by_words,
    answer_with_logprobs,
    asked,
    is_block,
    sometimes,
    verdict,
)
from judges import WordJudge
from scoring import NEEDED, A, B

from claimwise.errors import ClaimwiseError, ClaimwiseWarning
from claimwise.judges import load_judge
from claimwise.judges.crossing import cross
from claimwise.judges.llm import ChatJudge
from claimwise.judges.prompts import read_block, read_pair
from claimwise.judges.protocol import Judge
from claimwise.llm.completion import Completion, UnusableAnswerError
from claimwise.metrics import METRICS
from claimwise.metrics.nli import NLIMetric
from claimwise.runners import local
from claimwise.text.llm import LLMDecomposer

NLI_METRICS = [name for name in METRICS if issubclass(METRICS[name], NLIMetric) and name != "summac_conv"]
KEY = "sk-secret-0123456789abcdef"
PAIRS = [(f"Room {n} is warm.", f"Room {n % 3} is not warm and {n % 7} cold.") for n in range(30)]


@pytest.fixture
def endpoint(endpoint: Endpoint) -> Endpoint:
    endpoint.respond = answer_by_words
    return endpoint


def judge_at(endpoint: Endpoint, **options: Any) -> Any:
    return load_judge(f"openai:tiny@{endpoint.url}", show_progress=False, **options)


def verdicts(pairs: list[tuple[str, str]]) -> list[int]:
    return [LABELS.index(verdict(*pair)) for pair in pairs]


# How it asks --------------------------------------------------------------------------------------


def test_with_log_probabilities_pairs_are_asked_and_the_label_tokens_are_the_probabilities(
    endpoint: Endpoint,
) -> None:
    endpoint.respond = answer_with_logprobs

    judge = judge_at(endpoint)
    found = judge.predict_pairs(PAIRS)

    assert judge.mode == "pairs"
    np.testing.assert_allclose(found.probabilities, WordJudge().predict_pairs(PAIRS).probabilities, atol=1e-5)
    assert len(endpoint.requests) == 1 + len(PAIRS)
    assert all(request.body["logprobs"] is True for request in endpoint.requests)


def test_without_them_that_is_noticed_and_blocks_are_asked(endpoint: Endpoint) -> None:
    judge = judge_at(endpoint)
    examples = [([p for p, _ in PAIRS[:4]], [h for _, h in PAIRS[:3]]), (["a b"], ["a"])]

    found = cross(judge, examples)

    assert judge.mode == "block"
    assert len(endpoint.requests) == 1 + 2
    assert endpoint.requests[-1].body["response_format"]["type"] == "json_schema"
    for (premises, hypotheses), predictions in zip(examples, found, strict=True):
        pairs = [(premise, hypothesis) for premise in premises for hypothesis in hypotheses]
        assert predictions.probabilities.reshape(-1, 3).argmax(1).tolist() == verdicts(pairs)
        assert predictions.probabilities.max() == 1


@pytest.mark.parametrize("ask", ["pairs", "block"])
def test_a_way_that_is_given_is_taken_without_asking(endpoint: Endpoint, ask: str) -> None:
    judge = judge_at(endpoint, ask=ask)
    assert endpoint.requests == []

    found = judge.predict_pairs(PAIRS)

    assert {is_block(request) for request in endpoint.requests} == {ask == "block"}
    assert found.probabilities.argmax(1).tolist() == verdicts(PAIRS)


def test_large_examples_go_in_several_requests(endpoint: Endpoint) -> None:
    premises, hypotheses = [f"Room {n} is warm." for n in range(60)], [f"{n} is warm." for n in range(20)]

    (found,) = cross(judge_at(endpoint, ask="block"), [(premises, hypotheses)])

    sizes = [tuple(map(len, asked(request))) for request in endpoint.requests]
    assert max(p for p, _ in sizes) == 25
    assert max(p * h for p, h in sizes) <= 150
    assert sum(p * h for p, h in sizes) == 1200
    expected = [[LABELS.index(verdict(p, h)) for h in hypotheses] for p in premises]
    assert found.probabilities.argmax(2).tolist() == expected


@pytest.mark.parametrize("refused", ["response_format", "logprobs"])
def test_an_endpoint_that_refuses_a_parameter_is_asked_without(endpoint: Endpoint, refused: str) -> None:
    endpoint.respond = sometimes(
        lambda request: failure(400, f"{refused} is not supported") if refused in request.body else None
    )

    judge = judge_at(endpoint, concurrency=1)

    assert judge.predict_pairs(PAIRS).probabilities.argmax(1).tolist() == verdicts(PAIRS)
    assert judge.mode == "block"
    assert sum(refused in request.body for request in endpoint.requests) == 1


def test_samples_are_averaged(endpoint: Endpoint) -> None:
    answers = ["entailment", "neutral", "entailment", "contradiction"]
    endpoint.respond = lambda _: completion(answers.pop())

    judge = judge_at(endpoint, ask="pairs", samples=4)
    found = judge.predict_pairs(PAIRS[:1])

    np.testing.assert_allclose(found.probabilities, [[0.5, 0.25, 0.25]])
    assert {request.body["temperature"] for request in endpoint.requests} == {0.7}


@pytest.mark.parametrize("ask", [pytest.param("pairs", marks=pytest.mark.slow), "block"])
@pytest.mark.parametrize("name", NLI_METRICS)
def test_every_metric_takes_it(endpoint: Endpoint, name: str, ask: str) -> None:
    options = {"decomposer": "sentences", "show_progress": False, **NEEDED.get(name, {})}
    metric = METRICS[name](judge=ChatJudge("tiny", endpoint.url, ask=ask), **options)
    result = metric.compute(predictions=A[:2], references=B[:2], details=True)

    class Sure(WordJudge):
        def predict_pairs(self, pairs: Any) -> Any:
            found = super().predict_pairs(pairs)
            found.probabilities[:] = np.eye(3)[verdicts(list(pairs))]
            return found

    expected = METRICS[name](judge=Sure(), **options).compute(predictions=A[:2], references=B[:2])
    assert result[f"{name}_scores"] == expected[f"{name}_scores"]
    assert result[f"{name}_unjudged"] == 0
    assert (
        f"|judge:openai:tiny|judge_url:127.0.0.1:{endpoint.server.server_port}/v1"
        in (result[f"{name}_signature"])
    )


# What it reads ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("entailment", 0),
        (" Neutral.", 1),
        ("**Contradiction**", 2),
        ("Answer: contradiction", 2),
        ("neutral, because the premise does not say", 1),
    ],
)
def test_a_verdict_is_read_from_text(answer: str, label: int) -> None:
    assert read_pair(Completion(answer)) == np.eye(3)[label].tolist()


@pytest.mark.parametrize("answer", ["", "I cannot", "not entailment", "neutral or contradiction", "yes", "e"])
def test_what_is_no_verdict_is_not_guessed_at(answer: str) -> None:
    with pytest.raises(UnusableAnswerError, match="without a verdict"):
        read_pair(Completion(answer))


def test_recorded_log_probabilities_are_summed_by_label_and_normalised() -> None:
    weights = [math.exp(p) for _, p in RECORDED]
    of_labels = [sum(weights[:3]), weights[3], weights[4]]

    found = read_pair(Completion("entailment", logprobs=[list(RECORDED)]))

    np.testing.assert_allclose(found, np.array(of_labels) / sum(of_labels))


@pytest.mark.parametrize(
    ("answer", "labels"),
    [
        (
            '{"verdicts": [{"hypothesis": 1, "labels": ["neutral", "Entailment "]}]}',
            ["neutral", "entailment"],
        ),
        (
            '```json\n{"verdicts": [{"hypothesis": 1, "labels": ["neutral", "maybe"]}]}\n```',
            ["neutral", None],
        ),
    ],
)
def test_a_block_is_read_as_far_as_it_can_be(answer: str, labels: list[str | None]) -> None:
    assert read_block(Completion(answer), 2, 2) == [labels, [None, None]]


@pytest.mark.parametrize(
    "answer",
    [
        *("", "no", "{", "[]", "{}", '{"verdicts": 3}', '{"verdicts": [[]]}', "[" * 100_000),
        '{"verdicts": [{"hypothesis": 3, "labels": ["neutral"]}]}',
        '{"verdicts": [{"hypothesis": 1, "labels": ["neutral"]}]}',
    ],
)
def test_a_block_without_any_verdict_is_none(answer: str) -> None:
    with pytest.raises(UnusableAnswerError):
        read_block(Completion(answer), 2, 2)


# What cannot be read ------------------------------------------------------------------------------


def test_a_verdict_that_is_missing_is_asked_for_again(endpoint: Endpoint) -> None:
    chatted: list[str] = []

    def chat(request: Request) -> Reply | None:
        _, hypotheses = asked(request)
        if hypotheses[0] in chatted:
            return None
        chatted.append(hypotheses[0])
        return completion("Well …")

    endpoint.respond = sometimes(chat)

    found = judge_at(endpoint, ask="block").predict_pairs(PAIRS)

    assert not found.unjudged.any()
    assert found.probabilities.argmax(1).tolist() == verdicts(PAIRS)


def test_part_of_a_block_that_is_missing_is_asked_for_again_alone(endpoint: Endpoint) -> None:
    def short(request: Request) -> Reply | None:
        premises, hypotheses = asked(request)
        if len(hypotheses) < 3:
            return None
        verdict = {"hypothesis": 2, "labels": ["neutral"] * len(premises)}
        return completion(json.dumps({"verdicts": [verdict]}))

    endpoint.respond = sometimes(short)

    cross(judge_at(endpoint, ask="block"), [(["a", "b"], ["a", "not b", "c"])])

    assert [asked(request)[1] for request in endpoint.requests] == [["a", "not b", "c"], ["a", "c"]]


@pytest.mark.parametrize("ask", ["pairs", "block"])
def test_a_few_that_cannot_be_read_are_neutral_counted_and_named(endpoint: Endpoint, ask: str) -> None:
    endpoint.respond = sometimes(
        lambda request: completion(None, refusal="no") if "Nobody" in str(asked(request)) else None
    )
    metric = METRICS["summac_zs"](
        judge=ChatJudge("tiny", endpoint.url, ask=ask), decomposer="sentences", show_progress=False
    )
    texts = [f"Room {n} is warm. Room {n} is cold." for n in range(4)]

    with pytest.warns(ClaimwiseWarning, match=r"no readable verdict for 1 of 9 pairs .answers: 1 ref"):
        result = metric.compute(
            predictions=[*texts, "Nobody slept."], references=["Warm rooms."] * 5, details=True
        )

    assert result["summac_zs_unjudged"] == 1
    (pair,) = result["summac_zs_details"][4]["unjudged"]
    assert pair == {"premise": "Warm rooms.", "hypothesis": "Nobody slept."}
    assert result["summac_zs_scores"][4] == 0


@pytest.mark.parametrize("ask", ["pairs", "block"])
@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (completion("As a model I like to chat."), r"16 (without a verdict|not JSON)"),
        (completion(None, refusal="no"), "16 refused"),
        (completion("…", finish_reason="length"), "cut off"),
    ],
)
def test_a_model_that_never_gives_a_verdict_is_stopped_at_once(
    endpoint: Endpoint, ask: str, reply: Reply, said: str
) -> None:
    endpoint.respond = lambda _: reply
    judge = judge_at(endpoint, ask=ask)
    pairs = [("a", f"b {n}") for n in range(500)]

    with pytest.raises(ClaimwiseError, match=f"for 16 of 16 pairs .answers: .*{said}.*prompt=, or ask="):
        judge.predict_pairs(pairs)

    assert len(endpoint.requests) == 32


def test_more_than_a_fifth_is_too_many_and_what_was_answered_is_kept(
    endpoint: Endpoint, tmp_path: Path
) -> None:
    endpoint.respond = sometimes(
        lambda request: completion("hm") if int(asked(request)[1][0][-1]) < 3 else None
    )
    options = {"ask": "pairs", "score_cache": tmp_path / "scores"}
    pairs = [("a", f"b {n}") for n in range(10)]

    with pytest.raises(ClaimwiseError, match=r"3 of 10 pairs.*All answers so far are kept in .*scores"):
        judge_at(endpoint, **options).predict_pairs(pairs)

    endpoint.requests.clear()
    endpoint.respond = answer_by_words
    judge_at(endpoint, **options).predict_pairs(pairs)
    assert len(endpoint.requests) == 3


# What it costs ------------------------------------------------------------------------------------


@pytest.mark.parametrize("ask", [None, "pairs", "block"])
def test_every_answer_is_kept_and_a_second_run_asks_nothing(
    endpoint: Endpoint, tmp_path: Path, ask: str | None
) -> None:
    options = {"ask": ask, "score_cache": tmp_path / "scores"}
    first = judge_at(endpoint, **options).predict_pairs(PAIRS)
    count = len(endpoint.requests)

    second = judge_at(endpoint, **options).predict_pairs(PAIRS)

    assert len(endpoint.requests) == count
    np.testing.assert_array_equal(first.probabilities, second.probabilities)


def test_a_capped_run_stops_says_so_and_resumes(endpoint: Endpoint, tmp_path: Path) -> None:
    options = {"ask": "pairs", "score_cache": tmp_path / "scores", "max_requests": 20}
    with pytest.raises(ClaimwiseError, match=r"Stopped after 20 requests.* a second run resumes") as caught:
        judge_at(endpoint, **options).predict_pairs(PAIRS)
    assert caught.value.option == "max_requests"
    assert len(endpoint.requests) == 20

    found = judge_at(endpoint, **options).predict_pairs(PAIRS)

    assert found.probabilities.argmax(1).tolist() == verdicts(PAIRS)
    assert len(endpoint.requests) == len(PAIRS)


def test_a_limit_of_requests_holds_over_all_runs_of_a_judge(endpoint: Endpoint) -> None:
    judge = ChatJudge("tiny", endpoint.url, ask="block", max_requests=3)
    caspr = METRICS["caspr"](judge=judge, decomposer="sentences")
    for number in range(4):
        with suppress(ClaimwiseError):
            local(1).compute(caspr, predictions=[f"Room {number} is warm."], references=["The pool is warm."])

    assert len(endpoint.requests) == 3


def test_a_result_carries_what_was_used_for_it(endpoint: Endpoint) -> None:
    caspr = METRICS["caspr"](
        judge=[WordJudge(), ChatJudge("tiny", endpoint.url, ask="block")],
        decomposer="sentences",
        show_progress=False,
    )

    results = [caspr.compute(predictions=[text], references=["The pool is warm."]) for text in A[:2]]

    for result in results:
        assert result["caspr_judge_used"] == {"requests": 2, "input_tokens": 200, "output_tokens": 10}
    caspr.score_rows(caspr.rows({"predictions": [A[2]], "references": ["The pool is warm."]}))
    assert caspr.judge_used == {"requests": 6, "input_tokens": 600, "output_tokens": 30}


def test_what_was_used_is_counted(endpoint: Endpoint) -> None:
    judge = judge_at(endpoint, ask="pairs")

    judge.predict_pairs(PAIRS[:7])

    assert judge.used == {"requests": 7, "input_tokens": 700, "output_tokens": 35}


# What it depends on, and what it tells ------------------------------------------------------------


def test_the_signature_has_the_prompt_and_the_way_and_so_has_the_fingerprint(
    endpoint: Endpoint, tmp_path: Path
) -> None:
    (tmp_path / "prompt.txt").write_text("Be strict.")
    plain = judge_at(endpoint, ask="pairs")
    others = [
        judge_at(endpoint, ask="block"),
        judge_at(endpoint, ask="pairs", prompt=tmp_path / "prompt.txt"),
        judge_at(endpoint, ask="pairs", samples=3),
        judge_at(endpoint, ask="pairs", temperature=0.1),
    ]

    assert len({str(judge.signature) for judge in (plain, *others)}) == 5
    assert len({judge.fingerprint for judge in (plain, *others)}) == 5
    others[1].predict_pairs(PAIRS[:1])
    assert endpoint.requests[-1].body["messages"][0] == {"role": "system", "content": "Be strict."}


def test_the_key_is_sent_and_shown_nowhere(
    endpoint: Endpoint, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    judge = judge_at(endpoint, api_key=KEY, score_cache=tmp_path / "scores")
    judge.predict_pairs(PAIRS)

    assert {request.headers["authorization"] for request in endpoint.requests} == {f"Bearer {KEY}"}
    assert KEY not in f"{judge!r} {judge.signature} {judge.fingerprint} {caplog.text}"
    assert KEY.encode() not in (tmp_path / "scores").read_bytes()
    endpoint.respond = lambda _: failure(401, f"wrong key {KEY}")
    with pytest.raises(ClaimwiseError, match=r"refused the API key .401.*api_key=") as caught:
        judge_at(endpoint, api_key=KEY, ask="pairs").predict_pairs(PAIRS)
    assert KEY not in str(caught.value)


def test_it_can_be_pickled_and_works_inside_a_running_event_loop(endpoint: Endpoint) -> None:
    judge = pickle.loads(pickle.dumps(judge_at(endpoint)))

    async def score() -> Any:
        return judge.predict_pairs(PAIRS).probabilities.argmax(1).tolist()

    assert asyncio.run(score()) == verdicts(PAIRS)
    assert judge.mode == "block"


@pytest.mark.parametrize(
    ("address", "model", "url"),
    [
        ("org/model@http://localhost:8000/v1", "org/model", "http://localhost:8000/v1"),
        ("m@2024@https://user:pw@host/v1", "m@2024", "https://host/v1"),
    ],
)
def test_an_address_is_a_model_and_perhaps_an_endpoint(address: str, model: str, url: str) -> None:
    judge = ChatJudge(address)
    assert (judge.model, judge.endpoint.url) == (model, url)


@pytest.mark.parametrize(
    ("address", "options", "said"),
    [
        ("openai:gpt-4o", {}, "api.openai.com needs an API key"),
        ("openai:", {"ask": "pairs", "api_key": KEY}, "must be the name of a model"),
        ("openai:m@http://", {}, "`url` must be an http"),
        ("openai:m@http://h/v1", {"ask": "nicely"}, "`ask` must be one of `pairs`, `block`"),
        ("openai:m@http://h/v1", {"samples": 0}, "`samples` must be a whole number"),
        ("openai:m@http://h/v1", {"samples": 2, "temperature": 0}, "same answer 2 times"),
        ("openai:m@http://h/v1", {"temperature": 3}, "`temperature` must be between 0 and 2"),
        ("openai:m@http://h/v1", {"max_requests": 0}, "`max_requests` must be a whole number"),
        ("openai:m@http://h/v1", {"prompt": "missing.txt"}, "prompt file missing.txt cannot be read"),
        ("openai:m@http://h/v1", {"device": "cpu"}, "has no option `device`"),
        ("default", {"ask": "pairs"}, "The judge `default` has no option `ask`"),
    ],
)
def test_bad_input_is_one_message_before_anything_is_sent(
    address: str, options: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)

    with pytest.raises(ClaimwiseError, match=said):
        load_judge(address, **options)


def test_looking_at_a_judge_sends_nothing(endpoint: Endpoint) -> None:
    judge = ChatJudge("tiny", endpoint.url, show_progress=False)

    assert isinstance(judge, Judge)
    assert not hasattr(judge, "predict_blocks")
    assert judge.mode is None
    assert judge.signature["judge_ask"] == "unknown"
    before = judge.fingerprint
    assert judge.used["requests"] == len(endpoint.requests) == 0

    probed = judge.probe()

    assert len(endpoint.requests) == 1
    assert (probed.mode, probed.signature["judge_ask"]) == ("block", "block")
    assert hasattr(probed, "predict_blocks")
    assert probed.fingerprint == judge.fingerprint != before
    assert type(judge.probe()) is type(probed)
    assert len(endpoint.requests) == judge.used["requests"] == probed.used["requests"] == 1


@pytest.mark.parametrize("ask", ["pairs", "block"])
def test_only_a_judge_that_answers_in_blocks_has_a_method_for_them(endpoint: Endpoint, ask: str) -> None:
    judge = load_judge(ChatJudge("tiny", endpoint.url, ask=ask))  # type: ignore[arg-type]

    assert isinstance(judge, ChatJudge)
    assert hasattr(judge, "predict_blocks") == (ask == "block")
    assert endpoint.requests == []


@pytest.mark.parametrize("loaded_before", [False, True])
@pytest.mark.parametrize("by_name", [False, True])
def test_every_request_of_judge_decomposer_and_test_question_is_counted_once(
    endpoint: Endpoint, loaded_before: bool, by_name: bool
) -> None:
    def respond(request: Request) -> Reply:
        asked_last = str(request.body["messages"][-1]["content"])
        sentence = asked_last.removeprefix("sentence: ")
        return answer_by_words(request) if sentence == asked_last else completion(sentence)

    endpoint.respond = respond
    chat: Any = f"openai:tiny@{endpoint.url}"
    decomposer: Any = chat
    if not by_name:
        chat, decomposer = ChatJudge("tiny", endpoint.url), LLMDecomposer("tiny", endpoint.url)
        chat.predict_pairs([("It is warm.", "It is cold.")])  # not for the metric
        endpoint.requests.clear()
    caspr = METRICS["caspr"](judge=chat, decomposer=decomposer, show_progress=False)
    if loaded_before:
        caspr.load()
    given = {"predictions": A[:2], "references": B[:2]}

    first = caspr.compute(**given)["caspr_judge_used"]
    asked = len(endpoint.requests)
    second = local().compute(caspr, **given)["caspr_judge_used"]

    assert first["requests"] == asked
    assert second["requests"] == len(endpoint.requests) - asked > 0
