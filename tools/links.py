"""Links of the repository's documents, where a document is shown apart from the repository."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from configparser import ConfigParser
from pathlib import Path

LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!https?:|mailto:|#)([^)\s#]+)(#[^)\s]*)?\)")


def repository_url(clone: Path) -> str:
    """Return the address of the repository, ``url`` in ``setup.cfg``; empty while there is none."""
    config = ConfigParser()
    config.read(clone / "setup.cfg", encoding="utf-8")
    return config.get("metadata", "url", fallback="").rstrip("/")


def linked(text: str, document: str, shown: Mapping[str, str], clone: Path) -> str:
    """Return Markdown whose links to files of the repository lead to where these files are shown.

    A file that is shown nowhere is linked in the repository (``repository_url``); while that has no address,
    the link becomes its label and the path of the file. A link to no file is left as it is.

    Args:
        text: the document, in Markdown.
        document: its path in the repository, from which its links are relative.
        shown: path in the repository → address for the reader of the document.
        clone: the clone of the repository.
    """
    url = repository_url(clone)

    def turned(match: re.Match[str]) -> str:
        label, target, anchor = match[1], match[2], match[3] or ""
        path = posixpath.normpath(posixpath.join(posixpath.dirname(document), target))
        if path in shown:
            return f"[{label}]({shown[path]}{anchor})"
        if not (clone / path).exists():
            return match[0]
        if url:
            return f"[{label}]({url}/blob/HEAD/{path}{anchor})"
        return label if posixpath.basename(path) in label else f"{label} (`{path}`)"

    return LINK.sub(turned, text)
