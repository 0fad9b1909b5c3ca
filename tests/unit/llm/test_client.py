"""ChatModel against a real local server, asked as a judge would ask; the faults are in ``test_llm.py``."""

from __future__ import annotations

import json
import math
import pickle
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from chat_endpoint import Endpoint, Reply, Request, completion, failure

from claimwise.cache import AnswerCache
from claimwise.errors import ClaimwiseError
from claimwise.http.endpoint import Endpoint as Address
from claimwise.llm.client import ChatModel, Outcome, Question, model_and_url
from claimwise.llm.completion import Completion, UnusableAnswerError
from claimwise.text.llm import LLMDecomposer

KEY = "sk-secret-0123456789abcdef"
LOGPROBS = {"logprobs": True, "top_logprobs": 5}


def verdict(request: Request) -> Reply:
    """One token, cut off, with log probabilities: yes where the words are the same."""
    premise, hypothesis = request.text.split("|")
    is_yes = premise == hypothesis
    top = [
        {"token": "yes", "logprob": math.log(0.75 if is_yes else 0.25)},
        {"token": "no", "logprob": math.log(0.25 if is_yes else 0.75)},
    ]
    choice = {
        "finish_reason": "length",
        "message": {"role": "assistant", "content": "yes" if is_yes else "no"},
        "logprobs": {"content": [{"token": "yes", "top_logprobs": top}]},
    }
    return Reply(json.dumps({"choices": [choice]}).encode())


def probability_of_yes(answer: Completion) -> float:
    if answer.logprobs is None:
        raise UnusableAnswerError("without probabilities")
    weights = {token: math.exp(logprob) for token, logprob in answer.logprobs[0]}
    return weights["yes"] / sum(weights.values())


def ask_about(pair: tuple[str, str], **parameters: Any) -> Question[float]:
    return Question(
        about=f"the pair {pair!r}",
        messages=[{"role": "user", "content": "|".join(pair)}],
        key=("does it follow?", *pair),
        read=probability_of_yes,
        max_tokens=1,
        answer_tokens=1,
        parameters={**LOGPROBS, **parameters},
    )


def is_probability(value: object) -> bool:
    return isinstance(value, float) and 0 <= value <= 1


@pytest.fixture
def endpoint(endpoint: Endpoint) -> Endpoint:
    endpoint.respond = verdict
    return endpoint


def probability_cache(path: Path, **_: Any) -> AnswerCache[float]:
    return AnswerCache(path, is_probability, expected="a probability", table="verdicts")


class Model(ChatModel[float]):
    answers = staticmethod(probability_cache)


@pytest.fixture
def make(endpoint: Endpoint, tmp_path: Path) -> Callable[..., ChatModel[float]]:
    def make(is_kept: bool = False, **options: Any) -> ChatModel[float]:
        given = {"model": "m", "url": endpoint.url, "api_key": KEY, "show_progress": False}
        model = Model(**{**given, **options})
        return model.kept_in(tmp_path / "verdicts.sqlite") if is_kept else model

    return make


Make = Callable[..., ChatModel[float]]
SAME, OTHER = ("a", "a"), ("a", "b")


def test_a_judge_asks_for_probabilities_of_one_token(endpoint: Endpoint, make: Make) -> None:
    outcomes = make().ask_all([ask_about(SAME), ask_about(OTHER), ask_about(SAME)])

    assert [outcome.unusable for outcome in outcomes] == [None] * 3
    assert [outcome.answer for outcome in outcomes] == pytest.approx([0.75, 0.25, 0.75])
    assert len(endpoint.requests) == 2, "equal questions are asked once"
    body = endpoint.requests[0].body
    assert (body["max_tokens"], body["temperature"], body["model"]) == (1, 0, "m")
    assert (body["logprobs"], body["top_logprobs"]) == (True, 5)


def test_nothing_to_ask(endpoint: Endpoint, make: Make) -> None:
    assert make().ask_all([]) == []
    assert endpoint.requests == []


def test_answers_are_kept_and_those_that_cannot_be_used_are_not(endpoint: Endpoint, make: Make) -> None:
    endpoint.respond = lambda request: verdict(request) if request.text == "a|a" else completion("no")
    questions = [ask_about(OTHER), ask_about(SAME)]

    first = make(is_kept=True).ask_all(questions)
    endpoint.respond = verdict
    second = make(is_kept=True).ask_all(questions)

    assert first[0] == Outcome(None, "without probabilities")
    assert first[1] == second[1]
    assert second[0].answer == pytest.approx(0.25)
    assert [request.text for request in endpoint.requests[2:]] == ["a|b"]


def test_parameters_tell_questions_apart(endpoint: Endpoint, make: Make) -> None:
    client = make(is_kept=True)
    for seed in (1, 1, 2):
        client.ask_all([ask_about(SAME, seed=seed)])
    assert [request.body["seed"] for request in endpoint.requests] == [1, 2]


def test_two_kinds_of_answers_share_a_file(endpoint: Endpoint, make: Make, tmp_path: Path) -> None:
    make(is_kept=True).ask_all([ask_about(SAME)])
    texts: AnswerCache[str] = AnswerCache(
        tmp_path / "verdicts.sqlite", lambda value: isinstance(value, str), expected="a text", table="texts"
    )
    texts.put("key", "text")
    make(is_kept=True).ask_all([ask_about(SAME)])
    assert texts.get(["key", "other"]) == {"key": "text"}
    assert len(endpoint.requests) == 1


def test_an_error_says_who_asks_about_what(endpoint: Endpoint, make: Make) -> None:
    with pytest.raises(ClaimwiseError, match=r"needs an API key, but .* OPENAI_API_KEY is not set"):
        make(url=None, api_key=None)
    with pytest.raises(ClaimwiseError, match="`model` must be") as caught:
        make(model=" ")
    assert caught.value.option == "model"

    endpoint.respond = lambda _: failure(400, f"never {KEY}")
    with pytest.raises(ClaimwiseError) as caught:
        make(is_kept=True).ask_all([ask_about(SAME)])
    assert "rejected the request for the pair ('a', 'a') (400): “never ***”." in caught.value.problem
    assert "verdicts.sqlite: a second run resumes from there." in caught.value.remedy


def test_a_failure_after_the_other_name_of_max_tokens_quotes_no_key(endpoint: Endpoint, make: Make) -> None:
    def respond(request: Request) -> Reply:
        if "max_tokens" in request.body:
            return failure(400, KEY, code="unsupported_parameter", param="max_tokens")
        return failure(401, KEY)

    endpoint.respond = respond
    with pytest.raises(ClaimwiseError, match="401") as caught:
        make().ask_all([ask_about(SAME)])
    assert len(endpoint.requests) == 2
    assert KEY not in f"{caught.value} {caught.value.__context__}"
    assert is_all_ours(caught.value)


def is_all_ours(error: BaseException | None) -> bool:
    """Whether nothing of httpx or openai, which may quote an address, is shown or kept with an error."""
    return error is None or (isinstance(error, ClaimwiseError) and is_all_ours(error.__context__))


def test_threads_share_a_client_that_was_pickled(endpoint: Endpoint, make: Make) -> None:
    client = pickle.loads(pickle.dumps(make(is_kept=True)))
    questions = [ask_about((str(number), "1")) for number in range(8)]
    with ThreadPoolExecutor(3) as pool:
        for outcomes in pool.map(client.ask_all, [questions] * 3):
            assert [outcome.answer for outcome in outcomes] == pytest.approx([0.25, 0.75, *[0.25] * 6])
    assert KEY not in repr(client.endpoint)


# What several requests are refused, and who is sent a key ------------------------------------------


@pytest.mark.parametrize("refused", ["logprobs", "max_tokens"])
def test_several_requests_may_be_refused_the_same_parameter_at_once(
    endpoint: Endpoint, make: Make, refused: str
) -> None:
    together = threading.Barrier(4, timeout=10)

    def respond(request: Request) -> Reply:
        if refused in request.body:
            together.wait()  # each was sent before any refusal came back
            return failure(400, "no", code="unsupported_parameter", param=refused)
        return verdict(request)

    endpoint.respond = respond
    outcomes = make(concurrency=4).ask_all([ask_about((str(number), "1")) for number in range(4)])

    assert [outcome.answer for outcome in outcomes] == pytest.approx([0.25, 0.75, 0.25, 0.25])
    assert len(endpoint.requests) == 8


OPENAI_KEY, HF_KEY = "sk-of-openai-0123456789", "hf_of-hugging-face-0123"


@pytest.mark.parametrize(
    ("url", "base_url", "sent"),
    [
        (None, None, OPENAI_KEY),
        ("https://api.openai.com/v1", None, OPENAI_KEY),
        (None, "https://host/v1", OPENAI_KEY),
        ("https://host/v2", "https://host/v1", OPENAI_KEY),
        ("https://api.openai.com/v1", "https://host/v1", OPENAI_KEY),
        (None, "http://host/v1", None),
        ("http://host/v1", "http://host/v1", None),
        ("http://host/v1", "https://host/v1", None),
        ("https://host:8443/v1", "https://host/v1", None),
        ("https://other/v1", "https://host/v1", None),
        ("https://host/v1", None, None),
        ("http://api.openai.com/v1", None, None),
        ("https://api.openai.com.evil.example/v1", None, None),
        ("https://api.openai.com@evil.example/v1", None, None),
        ("https://host/v1", "http://[", None),
        ("http://localhost:8000/v1", None, None),
        ("https://router.huggingface.co/v1", None, HF_KEY),
        ("http://router.huggingface.co/v1", None, None),
    ],
)
def test_a_key_of_the_environment_goes_to_its_own_host_and_to_no_other(
    url: str | None, base_url: str | None, sent: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", OPENAI_KEY)
    monkeypatch.setenv("HF_TOKEN", HF_KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    if base_url is not None:
        monkeypatch.setenv("OPENAI_BASE_URL", base_url)

    assert Address.find(model_and_url("m", url)[1]).api_key == sent


def test_a_key_is_given_or_its_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTHER_KEY", f" {KEY}\n")
    monkeypatch.setenv("OPENAI_API_KEY", OPENAI_KEY)
    for url in ("http://host/v1", "https://api.openai.com/v1"):
        assert Address.find(url, api_key_env="OTHER_KEY").api_key == KEY
        assert Address.find(url, "given-key").api_key == "given-key"
    for options, said in (
        ({"api_key_env": "NO_SUCH_KEY"}, "the environment variable NO_SUCH_KEY is not set"),
        ({"api_key": KEY, "api_key_env": "OTHER_KEY"}, "Pass only one"),
        ({"api_key_env": 3}, "`api_key_env` must be a string"),
    ):
        with pytest.raises(ClaimwiseError, match=said) as caught:
            Address.find("http://host/v1", **options)  # type: ignore[arg-type]
        assert KEY not in str(caught.value)


@pytest.mark.parametrize("error", [UnicodeEncodeError("utf-8", "x", 0, 1, "no"), KeyError("x")])
def test_any_failure_stops_further_requests(endpoint: Endpoint, make: Make, error: Exception) -> None:
    def read(_: Completion) -> float:
        raise error

    questions = [replace(ask_about((str(number), "b")), read=read) for number in range(50)]

    with pytest.raises(type(error)):
        make(concurrency=2).ask_all(questions)

    assert len(endpoint.requests) <= 2, "those that were under way"


def test_half_of_an_emoji_is_read_as_an_unknown_character(endpoint: Endpoint, tmp_path: Path) -> None:
    endpoint.respond = lambda _: completion("The room was clean \ud83d.")
    path = tmp_path / "claims.sqlite"
    decomposer = LLMDecomposer("m", endpoint.url, cache=path, show_progress=False)

    claims = decomposer(["The room was clean."])
    again = LLMDecomposer("m", endpoint.url, cache=path)(["The room was clean."])

    assert claims == again == [["The room was clean \ufffd."]]
    assert len(endpoint.requests) == 1


def test_a_cache_keeps_any_text(tmp_path: Path) -> None:
    cache: AnswerCache[str] = AnswerCache(
        tmp_path / "kept.sqlite", lambda value: isinstance(value, str), expected="a text", table="texts"
    )

    cache.put("key", "half of an emoji: \ud83d, a whole one: 😀")

    assert cache.get(["key"]) == {"key": "half of an emoji: \ud83d, a whole one: 😀"}
