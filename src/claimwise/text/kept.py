"""Claims stored in the file of the score cache, so that a repeated run need not generate them again.

They only save time: if the file is unusable, claims are generated again, and the score cache, which uses the
same file, reports the failure.
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
"""Number of texts that are decomposed before their claims are stored."""
_TABLE = Table(
    "claims_1",  # a changed layout needs a new number
    {"text": "BLOB PRIMARY KEY", "claims": "TEXT"},
    suffix="WITHOUT ROWID",
    versions="claims_*",
    synchronous="NORMAL",
)


def decompose_kept(
    decomposer: TextDecomposer, signature: str, texts: Sequence[Sequence[str]], path: str | Path
) -> list[list[Decomposed]]:
    """Return the claims of each sentence of each text, from an SQLite file or else from the decomposer.

    The signature covers everything that the claims depend on.

    Raises:
        ClaimwiseError: if ``path`` is not a path.
    """
    file = checked_path(path, "score_cache")
    keys = [_key(signature, sentences) for sentences in texts]
    known: dict[bytes, list[Decomposed]] = {}
    with suppress(CacheFailureError), OpenTable(file, _TABLE) as table:
        kept = list(table.read(list(dict.fromkeys(keys))))
        known = {key: decomposed for key, text in kept if (decomposed := _decoded(text)) is not None}
    missing = {key: sentences for key, sentences in zip(keys, texts, strict=True) if key not in known}
    for start in range(0, len(missing), TEXTS_AT_ONCE):
        some = list(missing)[start : start + TEXTS_AT_ONCE]
        made = decomposer.decompose_texts([missing[key] for key in some])
        new = dict(zip(some, made, strict=True))
        with suppress(CacheFailureError), OpenTable(file, _TABLE) as table:
            table.write([(key, json.dumps(decomposed)) for key, decomposed in new.items()], replace=True)
        known |= new
    return [known[key] for key in keys]


def _key(signature: str, sentences: Sequence[str]) -> bytes:
    return hashlib.sha256(json.dumps([signature, *sentences]).encode()).digest()


def _decoded(text: object) -> list[Decomposed] | None:
    """Return the stored claims; None if they are damaged."""
    try:
        rows = [Decomposed(*row) for row in json.loads(str(text))]
    except (ValueError, TypeError):
        return None
    if not all(isinstance(texts, list) for row in rows for texts in (row.claims, row.open, row.stripped)):
        return None
    return [row._replace(open=tuple(row.open), stripped=tuple(row.stripped)) for row in rows]
