"""Write the filter into the package: what was learned, in float16, and what is known of it."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

import torch
from safetensors.torch import save_file
from towers import Towers

from claimwise.judges.filter import WEIGHTS, Facts

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent))
from checkpoints import FILTER, JUDGE  # noqa: E402, F401


def export(towers: Towers, facts: Facts, measured: str, path: Path = FILTER) -> None:
    """Write the file, and into the package the card with the table of what was ``measured``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    learned = {
        name: parameter.detach().to(torch.float32 if name == "label_biases" else torch.float16).contiguous()
        for name, parameter in towers.learned_parameters().items()
    }
    save_file(learned, path, metadata={"facts": json.dumps(asdict(facts))})
    card = (HERE / "MODEL_CARD.md").read_text(encoding="utf-8")
    (WEIGHTS / "README.md").write_text(card.replace("<!-- measured -->", measured), encoding="utf-8")
