"""Prompts: built in, or read from a user's file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from claimwise.errors import ClaimwiseError
from claimwise.signature import text_fingerprint


class Message(TypedDict):
    """One message of a chat."""

    role: str
    content: str


def chat(system: str | None, user: str) -> list[Message]:
    """Return the messages of a new chat."""
    first: list[Message] = [] if system is None else [{"role": "system", "content": system}]
    return [*first, {"role": "user", "content": user}]


@dataclass(frozen=True)
class PromptText:
    """A prompt, and its name in signatures, which is different for every text."""

    text: str
    name: str

    @classmethod
    def read(cls, path: str | os.PathLike[str] | None, default: str) -> PromptText:
        """Return the prompt in the UTF-8 file at ``path``, without a byte order mark; None = ``default``.

        Raises:
            ClaimwiseError: if the file cannot be read or is empty.
        """
        if path is None:
            return cls(default, f"default-{text_fingerprint(default)}")
        remedy = "Pass the path of a UTF-8 text file as prompt=, or omit it to use the built-in prompt."
        try:
            text = Path(path).expanduser().read_bytes().decode("utf-8-sig")
        except (OSError, TypeError, ValueError) as error:
            problem = f"The prompt file {path} cannot be read ({getattr(error, 'strerror', None) or error})."
            raise ClaimwiseError(problem, remedy, option="prompt") from error
        if not text.strip():
            raise ClaimwiseError(f"The prompt file {path} is empty.", remedy, option="prompt")
        return cls(text, text_fingerprint(text))
