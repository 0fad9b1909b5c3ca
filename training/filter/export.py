"""Write the ONNX file of the embedded filter, beside the judge's file, whose word embeddings it shares.

python training/filter/export.py --output FOLDER    # after training/judge/export.py with the same folder
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safetensors import safe_open
from safetensors.torch import load_file
from torch import Tensor, nn

sys.path.append(str(Path(__file__).parents[1]))
from bert import Encoder, without_prefix
from checkpoints import FILTER, JUDGE
from onnx_files import text_inputs, write_network
from pooling import Pooling, Shape

from claimwise.judges.filter import FILE
from claimwise.judges.hub import JUDGE_FILES, checkpoint_fingerprint
from claimwise.signature import folder_fingerprint


class Filter(nn.Module):
    """Texts of equal length in, vectors of both sides out.

    Args:
        config: content of the judge's ``config.json``.
        weights: weights of the judge, with those of the trained layers above them.
        pooling: weights of the pooling.
        shape: shape of the network.
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        weights: Mapping[str, Tensor],
        pooling: Mapping[str, Tensor],
        shape: Shape,
    ) -> None:
        super().__init__()
        self.encoder = Encoder(config, weights, shape.frozen + shape.learned)
        self.pooling = Pooling(config["hidden_size"], shape)
        self.pooling.load_state_dict(pooling)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Return the vectors of texts ``[sides, texts, labels, queries · width]``."""
        vectors: Tensor = self.pooling(self.encoder(input_ids, attention_mask)[-1], attention_mask > 0)
        return vectors


def export_onnx(path: Path, judge: Path, out: Path) -> None:
    """Write the ONNX file of a filter.

    Args:
        path: its safetensors file.
        judge: folder of the judge's checkpoint.
        out: folder of the ONNX file.
    """
    with safe_open(path, framework="pt") as file:
        facts = json.loads(file.metadata()["facts"])
    if facts["judge"] != (fingerprint := checkpoint_fingerprint(str(judge))):
        raise ValueError(f"{path} was trained for the judge {facts['judge']}, not {fingerprint}.")
    facts["judge"] = folder_fingerprint(out, list(JUDGE_FILES))
    own = {name: tensor.float() for name, tensor in load_file(path).items()}
    learned = {
        name.removeprefix("encoder."): own.pop(name) for name in list(own) if name.startswith("encoder.")
    }
    weights = {**without_prefix(load_file(judge / "model.safetensors")), **learned}
    config = json.loads((judge / "config.json").read_bytes())
    write_network(
        Filter(config, weights, own, Shape(*facts["shape"])),
        out / FILE,
        inputs=text_inputs("texts", with_types=False),
        outputs={"vectors": [None, "texts", None, None]},
        facts={**facts, "label_biases": own["label_biases"].tolist()},
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Write the ONNX file of the embedded filter.")
    parser.add_argument("--output", type=Path, required=True, help="folder of the judge's ONNX file")
    export_onnx(FILTER, JUDGE, parser.parse_args().output)
