"""Everything a summary depends on is in its signature: every option is varied, and must change it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from judges import WordJudge
from varied_options import NEAR, URL, automatic, check, needs, values, write_named

from claimwise.errors import ClaimwiseError
from claimwise.llm.client import ChatModel
from claimwise.metrics.nli import NLIOptions
from claimwise.plugins import load_registered, registered
from claimwise.signature import NOT_SIGNED
from claimwise_summarize import GROUP, load
from claimwise_summarize.codecoding import CoDecoding
from claimwise_summarize.options import SummarizerOptions


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what options name."""
    return write_named(tmp_path_factory.mktemp("named"))


def own_values(folder: Path) -> dict[str, list[Any]]:
    """Return the values of options that declare neither choices nor limits."""
    return {
        "aspects": [["rooms"], ["rooms", "food"], ["rooms,food"], {"rooms": ["food"]}, ["rooms/food"]],
        "noun": ["hotel", "inn"],
        "topics": ["blocks", "words", "vectors"],
        "vectors": [None, folder / "1" / "vectors.txt", folder / "2" / "vectors.txt"],
        "merge_at": [20, 30, "shrinking"],
        "input_limit": [None, 10, 20],
        "co-decoding.model": [],  # see below
        "common_model": [],
        "alpha": [0.2, 0.2 * NEAR],
        "alpha_common": [0.2, 0.2 * NEAR],
        "top_p": [0.9, 0.9 * NEAR],
        "combine": ["product", "mixture"],
        "generation": [None, {"num_beams": 1}],
    }


def own_needs() -> dict[str, dict[str, Any]]:
    """Return the options without which an option has no effect."""
    return {
        "pipeline.sentences": {"name": "q", "model": None},
        "pipeline.aspects": {"name": "qg"},
        "pipeline.vectors": {"topics": "vectors"},
        "input_unit": {"input_limit": 10},
        "pipeline.model": {"model": ChatModel("m", URL)},
    }


def own_options(name: str) -> list[str]:
    kind = load_registered(GROUP, name)
    own = [p for p in inspect.signature(kind).parameters if p not in ("letters", "options")]
    return [o for o in dict.fromkeys([*SummarizerOptions.names(), *own]) if o not in kind.unused]


OPTIONS_OF_SUMMARIZERS = [
    # Options of citations, which every summarizer signs by the same lines.
    pytest.param(
        name, option, marks=[pytest.mark.slow] * (name != "pipeline" and option in NLIOptions.names())
    )
    for name in registered(GROUP)
    for option in own_options(name)
    if option not in {*NOT_SIGNED, "model", "common_model"}
]


@pytest.mark.parametrize(("name", "option"), OPTIONS_OF_SUMMARIZERS)
def test_every_option_of_a_summarizer_is_in_its_signature(
    name: str, option: str, folder: Path, encoder_decoder: Callable[[int], str]
) -> None:
    declared = {one.name: automatic(one) for one in fields(SummarizerOptions)}
    usual: dict[str, Any] = {"judge": str(folder / "tiny"), "dtype": "float32", "device": "cpu"}
    usual |= {"decomposer": "sentences", "name": name, "model": ChatModel("m", URL)}
    if name == "pipeline":
        usual |= {"name": "tqcg", "aspects": ["rooms"]}
    elif name == "co-decoding":
        usual["model"] = encoder_decoder(0)

    def signature(**options: Any) -> str:
        if isinstance(options.get("judge"), WordJudge):  # which has no such options
            options = {name: value for name, value in options.items() if name not in ("dtype", "device")}
        return load(**options).signature

    of_options, needed = values(folder) | own_values(folder), needs(folder) | own_needs()
    check(signature, name, option, declared.get(option, []), of_options, needed, usual)


@pytest.fixture
def encoder_decoder(tmp_path: Path) -> Callable[[int], str]:
    """Writes a tiny encoder-decoder with seeded random weights into one folder, and returns its path."""
    import torch
    from tiny_checkpoints import wordpiece
    from transformers import BartConfig, BartForConditionalGeneration

    def make(seed: int) -> str:
        tokenizer = wordpiece()
        torch.manual_seed(seed)
        sizes = dict.fromkeys(("d_model", "encoder_ffn_dim", "decoder_ffn_dim"), 8)
        sizes |= dict.fromkeys(("encoder_layers", "decoder_layers"), 1)
        sizes |= dict.fromkeys(("encoder_attention_heads", "decoder_attention_heads"), 1)
        config = BartConfig(vocab_size=len(tokenizer), max_position_embeddings=32, **sizes)
        BartForConditionalGeneration(config).save_pretrained(tmp_path)
        tokenizer.save_pretrained(tmp_path)
        return str(tmp_path)

    return make


def test_an_encoder_decoder_is_signed_by_its_content(encoder_decoder: Callable[[int], str]) -> None:
    def signature(seed: int) -> str:
        return CoDecoding(model=encoder_decoder(seed), citations=False).signature

    assert signature(0) != signature(1)
    assert signature(0) == signature(0)


@pytest.mark.parametrize("citations", [False, True])
def test_the_judge_that_chooses_sentences_is_in_the_signature(citations: bool) -> None:
    first, second = (
        load("q", extractor="judge", judge=WordJudge(longest), citations=citations).signature
        for longest in (12, 13)
    )

    assert first != second


@pytest.mark.parametrize(("letters", "option"), [("tq", "noun"), ("q", "input_limit")])
def test_prompts_of_other_stages_than_the_writing_are_in_the_signature(letters: str, option: str) -> None:
    usual: dict[str, Any] = {"model": ChatModel("m", URL), "citations": False, "keywords": "all"}
    usual |= {"aspects": ["rooms"]} if letters == "tq" else {}

    first, second = (load(letters, **usual, **{option: value}).signature for value in values_of(option))

    assert first != second


def values_of(option: str) -> list[Any]:
    return {"noun": ["hotel", "inn"], "input_limit": [10, 20]}[option]


@pytest.mark.parametrize("name", ["contrast", "co-decoding"])
def test_an_option_without_effect_on_a_contrast_is_refused(name: str) -> None:
    with pytest.raises(ClaimwiseError, match="aspects has no effect") as refused:
        load(name, model=f"openai:m@{URL}", aspects=["rooms"])

    assert refused.value.option == "aspects"
