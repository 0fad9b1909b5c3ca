"""A chat model behind ``transformers serve``: the real protocol, without log probabilities."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from claimwise.errors import ClaimwiseError
from claimwise.judges import load_judge

pytestmark = pytest.mark.slow
pytest.importorskip("accelerate", reason="transformers serve needs it")
TEMPLATE = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant:"


def save_tiny_chat_model(folder: Path) -> None:
    """Save a chat model of two layers with seeded random weights, whose tokens are bytes."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({token: place for place, token in enumerate(["</s>", *alphabet])}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="</s>", pad_token="</s>")
    fast.chat_template = TEMPLATE
    fast.save_pretrained(folder)
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(alphabet) + 1,
        hidden_size=32,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=8192,
        bos_token_id=0,
        eos_token_id=0,
        pad_token_id=0,
    )
    LlamaForCausalLM(config).save_pretrained(folder)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The address of the server and the name of its model."""
    folder = tmp_path_factory.mktemp("chat") / "tiny"
    save_tiny_chat_model(folder)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = (folder / "log").open("w+")
    command = ["transformers", "serve", str(folder), "--device", "cpu", "--port", str(port)]
    server = subprocess.Popen(
        [str(Path(sys.executable).parent / command[0]), *command[1:]]
        if (Path(sys.executable).parent / command[0]).exists()
        else [sys.executable, "-m", "transformers.cli.transformers", *command[1:]],
        stdout=log,
        stderr=log,
        env={**os.environ, "OMP_NUM_THREADS": "1", "NO_PROXY": "127.0.0.1"},
    )
    try:
        for _ in range(600):
            assert server.poll() is None, (folder / "log").read_text()
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5):
                    break
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                try:
                    server.wait(0.2)
                except subprocess.TimeoutExpired:
                    continue
        yield f"http://127.0.0.1:{port}/v1", folder
    finally:
        server.terminate()
        server.wait(30)
        log.close()


def test_that_it_tells_no_log_probabilities_is_noticed_and_what_it_says_is_no_verdict(
    served: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    url, folder = served
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    options: dict[str, Any] = {"timeout": 300.0, "concurrency": 1, "show_progress": False}

    judge: Any = load_judge(f"openai:{folder}@{url}", **options)

    assert judge.mode == "block"
    judge = load_judge(f"openai:{folder}@{url}", ask="pairs", **options)
    with pytest.raises(ClaimwiseError, match=r"no readable verdict for 2 of 2 pairs"):
        judge.predict_pairs([("It rained.", "It was wet."), ("It rained.", "It was dry.")])
