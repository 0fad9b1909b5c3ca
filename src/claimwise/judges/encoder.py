"""The embedded judge's lower layers as an encoder of texts, which ONNX Runtime computes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from claimwise.judges.by_onnx import OnnxClassifier
from claimwise.judges.checkpoints import load_checkpoint
from claimwise.judges.pairs import Bools, Floats, Ints, batches
from claimwise.judges.threads import compute_at_once

TOKENS_AT_ONCE = 4096


class TextEncoder:
    """The lower layers of the embedded judge as an encoder of single texts; on the CPU only."""

    def __init__(self, device: str = "auto") -> None:
        checkpoint = load_checkpoint("default", device=device)
        network = checkpoint.network
        assert isinstance(network, OnnxClassifier)
        self._session, self._tokenizer = network.session, checkpoint.encoder.tokenizer
        self.layer: int = self._session.facts["layer"]
        self.max_length = checkpoint.encoder.max_length

    def states(self, texts: Sequence[str]) -> tuple[list[Floats], Bools]:
        """Return the states of each text's tokens, special ones included, and whether it was truncated.

        Each is float32 ``[tokens, hidden]``. A text gets the same states whatever its batch.
        """
        encodings = self._tokenizer.encode_batch([text.strip() for text in texts])
        truncated = np.array([len(encoding.ids) > self.max_length for encoding in encodings], np.bool_)
        ids = [
            [*encoding.ids[: self.max_length - 1], encoding.ids[-1]] if is_long else encoding.ids
            for encoding, is_long in zip(encodings, truncated, strict=True)
        ]
        encoded: list[Floats] = [np.empty(0, np.float32)] * len(ids)
        lengths = np.array(list(map(len, ids)), dtype=np.int64)
        tasks = list(batches(lengths, TOKENS_AT_ONCE, padding="equal"))

        def encode(rows: Ints) -> Floats:
            batch = np.array([ids[text] for text in rows], dtype=np.int64)
            types = np.zeros_like(batch)
            inputs = {"input_ids": batch, "attention_mask": types + 1, "token_type_ids": types}
            (states,) = self._session.run(inputs, ["states"])
            return states

        for rows, states in zip(tasks, compute_at_once(encode, tasks), strict=True):
            for row, text_states in zip(rows, states, strict=True):
                encoded[row] = text_states
        return encoded, truncated
