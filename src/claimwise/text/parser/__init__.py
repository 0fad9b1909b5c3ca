"""The embedded dependency parser: a small spaCy pipeline in the package, loaded when it is first needed."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from claimwise.signature import folder_fingerprint

if TYPE_CHECKING:
    from spacy.language import Language

WEIGHTS = Path(__file__).parent / "weights"
# Say how the weights may be used and came about; they change no parse.
_DOCUMENTS = {"LICENSE", "README.md", "meta.json"}

_loaded: Language | None = None
_loading = Lock()


def load_parser() -> Language:
    """Return the pipeline: Penn Treebank tags, universal parts of speech and universal dependencies.

    It is loaded once per process and shared; threads may call it at once, and nobody may change it. A text is
    taken for one sentence with one root.
    """
    global _loaded
    with _loading:
        if _loaded is None:
            import spacy
            from thinc.api import use_ops

            # Matrix products by numpy: those that thinc brings know few processors.
            with use_ops("numpy", use_blis=False):
                _loaded = spacy.load(WEIGHTS)
    return _loaded


@cache
def parser_fingerprint() -> str:
    """Return 12 hexadecimal digits of the sha256 over the files that decide a parse; nothing is loaded."""
    files = (path.relative_to(WEIGHTS).as_posix() for path in WEIGHTS.rglob("*") if path.is_file())
    return folder_fingerprint(WEIGHTS, [name for name in files if name not in _DOCUMENTS])
