"""Claims that are kept in the file of the score cache, so that a repeated run need not make them again.

They save time: where the file cannot be used they are made again, and the score cache, which is the same
file, tells of it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from claimwise.cache import CacheFailureError, OpenTable, Table, checked_path
from claimwise.text.claims import Decomposed, TextDecomposer

TEXTS_AT_ONCE = 200
"""So many texts are decomposed before their claims are kept."""
_TABLE = Table(
    "claims_1",  # another layout gets another number
    {"text": "BLOB PRIMARY KEY", "claims": "TEXT"},
    suffix="WITHOUT ROWID",
    versions="claims_*",
    synchronous="NORMAL",
)


def decompose_kept(
    decomposer: TextDecomposer, signature: str, texts: Sequence[Sequence[str]], path: str | Path
) -> list[list[Decomposed]]:
    """Return the claims of each sentence of each text: those that are kept, else those that are made now.

    Args:
        decomposer: of texts.
        signature: says all that its claims depend on.
        texts: each as its sentences.
        path: of the SQLite file.

    Raises:
        ClaimwiseError: if ``path`` is no path.
    """
    file = checked_path(path, "score_cache")
    keys = [_key(signature, sentences) for sentences in texts]
    found: dict[bytes, list[Decomposed]] = {}
    with suppress(CacheFailureError), OpenTable(file, _TABLE) as table:
        kept = list(table.read(list(dict.fromkeys(keys))))
        found = {key: decomposed for key, text in kept if (decomposed := _decoded(text)) is not None}
    missing = {key: sentences for key, sentences in zip(keys, texts, strict=True) if key not in found}
    for start in range(0, len(missing), TEXTS_AT_ONCE):
        some = list(missing)[start : start + TEXTS_AT_ONCE]
        made = decomposer.decompose_texts([missing[key] for key in some])
        new = dict(zip(some, made, strict=True))
        with suppress(CacheFailureError), OpenTable(file, _TABLE) as table:
            table.write([(key, json.dumps(decomposed)) for key, decomposed in new.items()], replace=True)
        found |= new
    return [found[key] for key in keys]


def _key(signature: str, sentences: Sequence[str]) -> bytes:
    return hashlib.sha256(json.dumps([signature, *sentences]).encode()).digest()


def _decoded(text: object) -> list[Decomposed] | None:
    """Return what was kept; None if that was damaged since."""
    try:
        rows = [Decomposed(*row) for row in json.loads(str(text))]
    except (ValueError, TypeError):
        return None
    if not all(isinstance(of, list) for row in rows for of in (row.claims, row.open, row.stripped)):
        return None
    return [row._replace(open=tuple(row.open), stripped=tuple(row.stripped)) for row in rows]
