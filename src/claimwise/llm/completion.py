"""Reading the reply of a chat model: its text, or why it is unusable."""

from __future__ import annotations

from dataclasses import dataclass


class UnusableAnswerError(Exception):
    """An unusable answer; the message is the reason in a word or two, such as ``"refused"``."""


@dataclass(frozen=True)
class Completion:
    """The answer of a chat model.

    Args:
        text: the answer, not blank unless it was cut off.
        is_cut_off: whether it exceeded the requested length.
        logprobs: for each token of the answer, the likeliest tokens at its position with their log
            probabilities; ``None`` if the endpoint returns none (some ignore the request for them).
    """

    text: str
    is_cut_off: bool = False
    logprobs: list[list[tuple[str, float]]] | None = None

    @property
    def whole_text(self) -> str:
        """The text.

        Raises:
            UnusableAnswerError: if it was cut off.
        """
        if self.is_cut_off:
            raise UnusableAnswerError("cut off at max_tokens")
        return self.text


def read_completion(reply: object) -> Completion:
    """Return the answer in a decoded chat completion.

    Raises:
        UnusableAnswerError: if it is empty or a refusal.
    """
    match reply:
        case {"choices": [{"finish_reason": "content_filter"}, *_]}:
            raise UnusableAnswerError("refused")
        case {"choices": [{"finish_reason": "length"} as choice, *_]}:
            message = choice.get("message")
            text = message.get("content") if isinstance(message, dict) else None
            return Completion(_unicode(text if isinstance(text, str) else ""), True, _read_logprobs(choice))
        case {"choices": [{"message": {"content": str(content)}} as choice, *_]} if content.strip():
            return Completion(_unicode(content), False, _read_logprobs(choice))
        case {"choices": [{"message": {"refusal": str(refusal)}}, *_]} if refusal.strip():
            raise UnusableAnswerError("refused")
        case {"choices": []} | {"choices": [{"message": {"content": str() | None}}, *_]}:
            raise UnusableAnswerError("empty")
    raise UnusableAnswerError("malformed")


def _unicode(text: str) -> str:
    """Return ``text`` with U+FFFD for lone surrogates: half of an emoji that a server cut in two."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _read_logprobs(choice: dict[str, object]) -> list[list[tuple[str, float]]] | None:
    """Return the log probabilities of a choice, or None unless all of them are present and valid."""
    match choice.get("logprobs"):
        case {"content": [_, *_] as tokens}:
            read = [_read_alternatives(token) for token in tokens]
            return [alternatives for alternatives in read if alternatives] if all(read) else None
    return None


def _read_alternatives(token: object) -> list[tuple[str, float]] | None:
    match token:
        case {"top_logprobs": [_, *_] as alternatives}:
            read = []
            for alternative in alternatives:
                match alternative:
                    case {"token": str(text), "logprob": float() | int() as logprob} if logprob <= 1e-6:
                        read.append((text, float(logprob)))
                    case _:
                        return None
            return read
    return None
