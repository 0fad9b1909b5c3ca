"""Reading the reply of a chat model: log probabilities, and answers that were cut off."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimwise.llm.completion import Completion, UnusableAnswerError, read_completion


def reply(**choice: object) -> dict[str, Any]:
    return {"choices": [{"finish_reason": "stop", "message": {"content": "A"}, **choice}]}


def logprobs(*alternatives: object) -> dict[str, object]:
    return {"content": [{"token": "A", "top_logprobs": list(alternatives)}]}


A = {"token": "A", "bytes": [65], "logprob": -0.5}


def test_an_answer_that_was_cut_off_is_text_for_those_who_want_it() -> None:
    answer = read_completion(reply(finish_reason="length"))
    assert (answer.text, answer.is_cut_off) == ("A", True)
    with pytest.raises(UnusableAnswerError, match="cut off at max_tokens"):
        _ = answer.whole_text


@pytest.mark.parametrize("message", [None, {}, {"content": None}, {"content": ["x"]}])
def test_a_model_that_never_came_to_its_answer_was_cut_off(message: object) -> None:
    assert read_completion(reply(finish_reason="length", message=message)) == Completion("", True)


def test_log_probabilities_are_read_in_their_order() -> None:
    never = {"token": "B", "logprob": -9999}
    answer = read_completion(reply(logprobs=logprobs(A, never)))
    assert answer.logprobs == [[("A", -0.5), ("B", -9999.0)]]


@pytest.mark.parametrize(
    "odd",
    [
        None,
        {},
        {"content": None},
        {"content": []},
        {"content": [None]},
        {"content": [{"token": "A", "logprob": -0.5}]},
        logprobs(),
        logprobs(A, {"token": "B"}),
        logprobs(A, {"token": 5, "logprob": -1}),
        logprobs({"token": "A", "logprob": "high"}),
        logprobs({"token": "A", "logprob": float("nan")}),
        logprobs({"token": "A", "logprob": 0.7}),
    ],
    ids=str,
)
def test_log_probabilities_that_cannot_be_right_are_none(odd: object) -> None:
    assert read_completion(reply(logprobs=odd)) == Completion("A")


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["content", "top_logprobs", "token", "logprob", "finish_reason", "message"]),
            inner,
        )
    ),
    max_leaves=12,
)


@given(json_values, st.sampled_from(["stop", "length", None]))
def test_any_log_probabilities_are_read_or_none(value: object, finish_reason: str | None) -> None:
    answer = read_completion(reply(logprobs=value, finish_reason=finish_reason))
    assert answer.text == "A"
    assert answer.logprobs is None or all(answer.logprobs)
