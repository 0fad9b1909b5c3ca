"""Contrasts: by prompt against a real endpoint, and co-decoding against a loop in probability space."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from chat_endpoint import Endpoint, completion

from claimwise.errors import ClaimwiseError
from claimwise_summarize import load

PAIR = {
    "name_a": "the Sun",
    "name_b": "the Moon",
    "reviews_a": ["The pool is warm.", "Staff are kind."],
    "reviews_b": ["There is no pool.", "Staff are kind."],
}
ANSWER = "**ONLY A:** There is a warm pool.\n\n## Only B\nIt has no pool.\n\nBOTH: The staff is kind."


def test_a_prompt_gives_the_three_parts_which_cite_their_own_reviews(
    endpoint: Endpoint, nli_model: Any
) -> None:
    endpoint.respond = lambda request: completion(ANSWER if "Sun" in str(request.body) else "No idea.")
    options = {"model": f"openai:m@{endpoint.url}", "judge": nli_model}
    nameless = {name: PAIR[name] for name in ("reviews_a", "reviews_b")}

    row, other = load("contrast", **options).summarize([PAIR, nameless])

    assert row["summary_a"] == "There is a warm pool."
    assert (row["summary_b"], row["common"]) == ("It has no pool.", "The staff is kind.")
    assert row["sentences"]["common"][0]["reviews"] == 2
    assert row["sentences"]["summary_a"][0]["reviews"] == 1
    assert (other["summary_a"], other["reason"]) == (None, "unusable answers: malformed")


VOCABULARY = 60


@pytest.fixture(scope="module")
def models() -> tuple[Any, Any]:
    from transformers import BartConfig, BartForConditionalGeneration

    def made(seed: int) -> Any:
        torch.manual_seed(seed)
        config = BartConfig(
            vocab_size=VOCABULARY,
            d_model=16,
            encoder_layers=1,
            decoder_layers=1,
            encoder_attention_heads=2,
            decoder_attention_heads=2,
            encoder_ffn_dim=16,
            decoder_ffn_dim=16,
            max_position_embeddings=64,
            init_std=1.0,
            forced_eos_token_id=None,
        )
        return BartForConditionalGeneration(config).eval()

    return made(0), made(1)


def generated(model: Any, source: Any, processor: Any, beams: int, **options: Any) -> list[int]:
    from transformers import LogitsProcessorList

    found = model.generate(
        input_ids=source,
        attention_mask=torch.ones_like(source),
        logits_processor=LogitsProcessorList([processor] if processor else []),
        num_beams=beams,
        do_sample=False,
        max_new_tokens=12,
        **options,
    )
    return list(found[0].tolist())


def probabilities(model: Any, source: Any, prefix: list[int]) -> Any:
    with torch.inference_mode():
        logits = model(input_ids=source, decoder_input_ids=torch.tensor([prefix])).logits[0, -1]
    return torch.softmax(logits.double(), -1).numpy()


def kept(p: Any, top_p: float) -> Any:
    order, total, mask = np.argsort(-p), 0.0, np.zeros(len(p))
    for token in order:
        mask[token] = 1
        total += p[token]
        if total >= top_p:
            break
    return mask


A, B = torch.tensor([[0, 5, 9, 13, 2]]), torch.tensor([[0, 7, 21, 33, 41, 2]])
AB, BA = torch.cat([A, B], 1), torch.cat([B, A], 1)


def loop(model: Any, of_prefix: Any) -> list[int]:
    """Take the likeliest token of p̂ at each step, which is computed by products and powers."""
    prefix = [model.config.decoder_start_token_id]
    for _ in range(12):
        prefix.append(int(np.argmax(of_prefix(prefix))))
        if prefix[-1] == model.config.eos_token_id:
            break
    return prefix


@pytest.mark.parametrize("alpha", [0.0, 0.2, 2.0])
def test_contrastive_co_decoding_is_the_loop_in_probability_space(models: Any, alpha: float) -> None:
    from claimwise_summarize.codecoding import CoDecodingProcessor, Reader

    model, _ = models

    def weighted(prefix: list[int]) -> Any:
        p_a, p_b = (probabilities(model, source, prefix) for source in (A, B))
        return kept(p_a, 0.9) * p_a * (p_a / p_b) ** alpha

    processor = CoDecodingProcessor(Reader(model, B), alpha=alpha)
    assert generated(model, A, processor, 1) == loop(model, weighted)
    same = CoDecodingProcessor(Reader(model, A), alpha=5.0)  # equal reviews: nothing to contrast
    alone = CoDecodingProcessor(Reader(model, B), alpha=0.0)
    for beams in (1, 4):
        assert generated(model, A, same, beams) == generated(model, A, alone, beams)
    whole = CoDecodingProcessor(Reader(model, B), alpha=0.0, top_p=1.0)  # everything is in the nucleus
    assert generated(model, A, whole, 4) == generated(model, A, None, 4)
    banned = {"no_repeat_ngram_size": 1, "min_new_tokens": 6}  # bans come before, and hold
    found = generated(model, A, processor, 1, **banned)[1:]
    assert len(set(found)) == len(found) >= 6


@pytest.mark.parametrize("combine", ["product", "mixture"])
def test_common_co_decoding_is_the_loop_in_probability_space(models: Any, combine: Any) -> None:
    from claimwise_summarize.codecoding import CoDecodingProcessor, Reader

    one, both = models
    alpha = 0.8

    def weighted(prefix: list[int]) -> Any:
        p_ab, p_ba = (probabilities(both, source, prefix) for source in (AB, BA))
        p_a, p_b = (probabilities(one, source, prefix) for source in (A, B))
        p = np.sqrt(p_ab * p_ba)
        shared = (p_a * p_b) ** (alpha / 2) if combine == "product" else None
        p_hat = p * shared if shared is not None else p + alpha * np.sqrt(p_a * p_b)
        return kept(p / p.sum(), 0.9) * p_hat

    processor = CoDecodingProcessor(
        other_order=Reader(both, BA),
        of_each=[Reader(one, A), Reader(one, B)],
        alpha=alpha,
        combine=combine,
    )

    assert generated(both, AB, processor, 1) == loop(both, weighted)


def test_a_pair_is_summarized_by_a_local_model_and_other_vocabularies_are_refused(
    models: Any, tmp_path: Path
) -> None:
    from tokenizers import Tokenizer, pre_tokenizers
    from tokenizers import models as kinds
    from transformers import PreTrainedTokenizerFast

    from claimwise_summarize.codecoding import Reader

    words = ["<s>", "<pad>", "</s>", "<unk>", *(f"word{n}" for n in range(VOCABULARY - 4))]
    tokenizer = Tokenizer(kinds.WordLevel({word: n for n, word in enumerate(words)}, "<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>")
    fast.save_pretrained(tmp_path)
    models[0].save_pretrained(tmp_path)
    row = {**PAIR, "reviews_a": ["word1 word5 word9."], "reviews_b": ["word2 word7."]}
    options: Any = {
        "model": str(tmp_path),
        "citations": False,
        "generation": {"min_new_tokens": 4, "max_new_tokens": 12},
    }

    (found,) = pickle.loads(pickle.dumps(load("co-decoding", **options))).summarize([row])

    assert all("word" in found[name] for name in ("summary_a", "summary_b", "common"))
    assert json.dumps(found)
    with pytest.raises(ClaimwiseError, match="share a vocabulary"):
        Reader(models[0], A)(A, VOCABULARY + 1)
    with pytest.raises(ClaimwiseError, match="chat models do not"):
        load("co-decoding", model="openai:m@http://localhost:1/v1")


def test_co_decoding_unpickles_nothing(models: Any, tmp_path: Path) -> None:
    models[0].config.save_pretrained(tmp_path)
    torch.save(models[0].state_dict(), tmp_path / "pytorch_model.bin")

    with pytest.raises(ClaimwiseError, match=r"no \.safetensors weights") as refused:
        load("co-decoding", model=str(tmp_path), citations=False).summarize([PAIR])

    assert refused.value.option == "model"


def test_co_decoding_asks_an_unreachable_hub_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr("httpx.Client.send", lambda *given, **_: asked.append(given))

    with pytest.raises(ClaimwiseError, match="not on this machine, and the Hub cannot be reached"):
        load("co-decoding", model="claimwise-tests/no-such-model", citations=False).summarize([PAIR])

    assert asked == []
