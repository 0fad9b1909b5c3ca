"""What the judge says of the pairs of blocks; kept in a score cache, so that a killed run goes on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
from texts import Block

from claimwise.judges import load_judge


def judged(blocks: list[Block], cache: Path, blocks_at_once: int = 10) -> list[npt.NDArray[np.float32]]:
    """Return for each block the judge's probabilities ``[pairs, 3]``."""
    judge = load_judge("default", score_cache=cache, show_progress=False)
    found: list[npt.NDArray[np.float32]] = []
    for start in range(0, len(blocks), blocks_at_once):
        some = blocks[start : start + blocks_at_once]
        probabilities = judge.predict_pairs([pair for block in some for pair in block.as_texts]).probabilities
        found += np.split(probabilities, np.cumsum([len(block.pairs) for block in some])[:-1])
        print(f"judged {start + len(some)} of {len(blocks)} blocks", flush=True)
    return found
