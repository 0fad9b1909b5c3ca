"""The trained claim writer, read from the checkpoint that ``run.py`` and ``critic.py`` write."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import NamedTuple

import torch
from claim_critic import Critic
from decoder import Decoder
from safetensors.torch import load_file
from torch import Tensor

sys.path.append(str(Path(__file__).parents[1]))
from bert import Encoder

WORDS = "embeddings.word_embeddings.weight"


class Trained(NamedTuple):
    """The parts of the network, without dropout; the critic may still be missing."""

    encoder: Encoder
    decoder: Decoder
    critic: Critic | None
    vocabulary: list[str]

    def states(self, pieces: Tensor) -> Tensor:
        """Return the encoder's states of the word pieces of one sentence ``[pieces, width]``."""
        states: Tensor = self.encoder(pieces[None], torch.ones_like(pieces)[None])[-1][0]
        return states


def read_trained(folder: Path, judge: Path) -> Trained:
    """Return the network of a folder.

    Args:
        folder: folder of its weights.
        judge: folder of the judge's checkpoint, which has the word embeddings.
    """
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    weights = {name: tensor.float() for name, tensor in load_file(folder / "model.safetensors").items()}
    of_encoder, of_decoder, of_critic = (
        {name.removeprefix(part): tensor for name, tensor in weights.items() if name.startswith(part)}
        for part in ("encoder.", "decoder.", "critic.")
    )
    of_encoder[WORDS] = load_file(judge / "model.safetensors")[f"bert.{WORDS}"].float()
    of_judge = json.loads((judge / "config.json").read_bytes())
    vocabulary: list[str] = config["vocabulary"]
    decoder = Decoder(config["width"], len(vocabulary), size=config["size"], layers=config["layers"])
    decoder.load_state_dict(of_decoder)
    critic = None
    if of_critic:
        critic = Critic(config["size"]).eval()
        critic.load_state_dict(of_critic)
    encoder = Encoder(of_judge, of_encoder, config["encoder_layers"])
    return Trained(encoder.eval(), decoder.eval(), critic, vocabulary)
