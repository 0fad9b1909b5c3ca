"""Reading a prompt that a user gives as a file."""

from __future__ import annotations

import os
from pathlib import Path

from claimwise.errors import ClaimwiseError


def read_prompt_file(path: str | os.PathLike[str], if_empty: str, option: str) -> str:
    """Return the text of the file at ``path``, without a byte order mark.

    Args:
        path: of a UTF-8 file.
        if_empty: the remedy for a file without text.
        option: what the user calls the path.

    Raises:
        ClaimwiseError: if the file cannot be read or is empty.
    """
    try:
        text = Path(path).expanduser().read_bytes().decode("utf-8-sig")
    except (OSError, TypeError, ValueError) as error:
        raise ClaimwiseError(
            f"The prompt file {path} cannot be read: {error}.",
            f"Give the path of a UTF-8 text file as {option}=, or leave it out for the built-in prompt.",
            option=option,
        ) from error
    if not text.strip():
        raise ClaimwiseError(f"The prompt file {path} is empty.", if_empty, option=option)
    return text
