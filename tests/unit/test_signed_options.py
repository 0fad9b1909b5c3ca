"""Everything a score depends on is in the signature: every option is varied, and must change it.

The options are those that metrics, judges, decomposers and summarizers declare. An option is varied by its
declared choices or limits, or by the values in ``VALUES``; ``NEEDS`` has the options without which it has no
effect. What no signature contains is in ``claimwise.signature.NOT_SIGNED``.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, fields
from pathlib import Path
from typing import Any

import pytest
from judges import WordJudge
from tei_server import TEIServer, WordModel

from claimwise.errors import ClaimwiseError
from claimwise.llm.client import ChatModel
from claimwise.metrics import METRICS
from claimwise.metrics.ssas import DEFAULT_WEIGHTS
from claimwise.metrics.steps import NLIMetric, NLIOptions
from claimwise.nli import loading
from claimwise.plugins import load_registered, registered
from claimwise.signature import NOT_SIGNED, unsigned
from claimwise.summarizers import GROUP, load
from claimwise.summarizers.codecoding import CoDecoding
from claimwise.summarizers.options import SummarizerOptions
from claimwise.text import claims
from claimwise.text.claims import FunctionDecomposer, load_decomposer
from claimwise.text.sentences import Splitter

URL = "http://127.0.0.1:9/v1"
NEAR = 1 + 1e-9
"""Two numbers that differ by so little are different options, too."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what options name: checkpoints, weights, prompts and word vectors."""
    from tiny_checkpoints import save_bert

    folder = tmp_path_factory.mktemp("named")
    labels = ["entailment", "neutral", "contradiction"]
    save_bert(folder / "tiny", labels)
    save_bert(folder / "other", labels, seed=2)
    save_bert(folder / "unnamed", ["LABEL_0", "LABEL_1", "LABEL_2"])
    for number in (1, 2):
        (folder / f"prompt{number}").write_text(f"Prompt {number}: {{lines}} {{sentence}}")
        (folder / str(number)).mkdir()
        (folder / str(number) / "vectors.txt").write_text(f"rooms 1 0\nfood 0 1\nnone 1 {number}\n")
    (folder / "tiny.tsv").write_text("LAYER,P,R,F\n0,0.1,0.1,0.1\n1,0.2,0.2,0.2\n2,0.3,0.3,0.3\n")
    return folder


def conv_weights(folder: Path, bins: str = "percentile", bias: float = 0.0) -> str:
    """Write weights of SummaC-Conv that are for any judge."""
    import numpy as np
    from safetensors.numpy import save_file

    parameters = METRICS["summac_conv"](bins=bins)._untrained()
    path = folder / f"{bins}-{bias}.safetensors"
    save_file(parameters | {"mlp.bias": np.array([bias], np.float32)}, path)
    return str(path)


def values(folder: Path) -> dict[str, list[Any]]:
    """Return the values of options that declare neither choices nor limits, by name or by owner and name."""
    ssas = json.loads(DEFAULT_WEIGHTS.read_text())["weights"]
    return {
        "nli_model": [str(folder / "tiny"), str(folder / "other"), WordJudge(12), WordJudge(13)],
        "decomposer": ["sentences", "default", f"openai:m@{URL}"],
        "judge_weights": [None, [1, 2], [1, 2 * NEAR]],
        "label_order": [
            ["entailment", "neutral", "contradiction"],
            ["neutral", "contradiction", "entailment"],
        ],
        "dtype": ["float32", "bfloat16"],
        "pairs": ["all", "likely"],
        "splitter": ["sentencex", "nltk:untrained"],
        "pronouns": ["text", "sentence"],
        "attributions": ["keep", "strip"],
        "tokenizer": ["words", "treebank", str.split],
        "stemmer": ["none", "english", "nltk_porter"],
        "stopwords": ["none", "english", ["the"], ["the", "a"]],
        "words": [["but"], ["but", "yet"]],
        "idf_corpus": [None, ["A.", "B."], ["A.\nB."]],
        "sampling_seed": [0, 1],
        "summac_conv.weights": [conv_weights(folder), conv_weights(folder, bias=0.5)],
        "bins": ["percentile", "even50"],
        "ssas.weights": [None, "even", {**ssas, "rouge_su4": ssas["rouge_su4"] * NEAR}],
        "encoder": [str(folder / "tiny"), str(folder / "other")],
        "layer": [1, 2],
        # chat models
        "model": ["m", "n"],
        "url": [URL, "http://127.0.0.1:8/v1"],
        "temperature": [0.5, 0.5 * NEAR],
        "ask": ["pairs", "block"],
        "samples": [2, 3],
        "prompt": [None, folder / "prompt1", folder / "prompt2"],
        "max_tokens": [256, 512],
        # summarizers
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


def needs(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the options without which an option has no effect."""
    topk, claim = {"premise_granularity": "topk"}, {"hypothesis_granularity": "claim"}
    model = ChatModel("m", URL)
    return {
        "judge_weights": {"nli_model": [str(folder / "tiny"), WordJudge()]},
        "label_order": {"nli_model": str(folder / "unnamed")},
        "pronouns": {"decomposer": "default"},
        "attributions": {"decomposer": "default"},
        "sampling_seed": {"max_pairs": 2},
        "pyramid.k": topk,
        **{f"summac_zs.{name}": topk for name in ("k", "retrieve_by", "topk_order")},
        **{f"summac_zs.{name}": claim for name in ("decomposer", "claims_by_sentence")},
        **{f"summac_zs.{name}": {**claim, "decomposer": "default"} for name in ("pronouns", "attributions")},
        "pipeline.sentences": {"name": "q", "model": None},
        "pipeline.aspects": {"name": "qg"},
        "pipeline.vectors": {"topics": "vectors"},
        "input_unit": {"input_limit": 10},
        "pipeline.model": {"model": model},
    }


def automatic(option: Field[Any]) -> list[Any]:
    """Return values of an option by its declared choices or limits."""
    limits, default = option.metadata.get("limits", {}), option.default
    if limits.get("choices"):
        return list(dict.fromkeys([default, *limits["choices"]]))
    if isinstance(default, bool):
        return [False, True]
    if (between := limits.get("between")) is not None:
        middle = (default + between[0]) / 2
        return [default, middle, middle * NEAR]
    if (least := limits.get("at_least")) is not None:
        return list(dict.fromkeys([default, least + 1, least + 2]))
    return []


def check(
    signature: Callable[..., str],
    owner: str,
    option: str,
    declared: Sequence[Any],
    folder: Path,
    *,
    usual: Mapping[str, Any],
) -> None:
    """Check that every value of an option has a signature of its own."""
    of_options, needed = values(folder), needs(folder)
    given = of_options.get(f"{owner}.{option}", of_options.get(option, declared))
    assert len(given) > 1, f"say in values() how {owner}'s {option} varies, or in NOT_SIGNED why it does not"
    beside = {**usual, **needed.get(f"{owner}.{option}", needed.get(option, {}))}
    signatures = {repr(value): signature(**{**beside, option: value}) for value in given}
    assert len(set(signatures.values())) == len(given), signatures


# Metrics -----------------------------------------------------------------------------------------

OPTIONS_OF_METRICS = [
    (kind, option)
    for kind in METRICS.values()
    for option in fields(kind.Options)
    if option.name not in NOT_SIGNED
]


@pytest.mark.parametrize(
    ("kind", "option"), OPTIONS_OF_METRICS, ids=lambda one: getattr(one, "__name__", getattr(one, "name", ""))
)
def test_every_option_of_a_metric_is_in_its_signature(kind: Any, option: Field[Any], folder: Path) -> None:
    usual: dict[str, Any] = {}
    if issubclass(kind, NLIMetric):
        usual = {"nli_model": str(folder / "tiny"), "dtype": "float32", "device": "cpu"}
        usual |= {} if kind.name == "summac_zs" else {"decomposer": "sentences"}
    elif kind.name == "inverted_bertscore":
        usual = {"encoder": str(folder / "tiny"), "layer": 1, "device": "cpu"}

    def signature(**options: Any) -> str:
        if kind.name == "summac_conv" and "weights" not in options:
            options["weights"] = conv_weights(folder, options.get("bins", "percentile"))
        if isinstance(options.get("nli_model"), WordJudge):  # which has no such options
            options = {name: value for name, value in options.items() if name not in ("dtype", "device")}
        return str(kind(**options).signature())

    check(signature, kind.name, option.name, automatic(option), folder, usual=usual)


def test_what_is_not_signed_is_an_option_of_something() -> None:
    parts = [kind.Options for kind in METRICS.values()] + [SummarizerOptions]
    made = [load_registered(group, one) for group in PARTS for one in registered(group)]
    known = {name for group in parts for name in group.names()}
    known |= {name for one in made for name in inspect.signature(one).parameters}

    assert set(NOT_SIGNED) <= known
    assert all(NOT_SIGNED.values())


# Judges and decomposers --------------------------------------------------------------------------

PARTS = (loading.GROUP, claims.GROUP)
OWN = {(loading.GROUP, "local"): {"name"}, (claims.GROUP, "default"): {"folder"}}
"""Which model it is: "nli_model" above; and where its weights lie, whose content is below."""
OPTIONS_OF_PARTS = [
    (group, name, option)
    for group in PARTS
    for name in registered(group)
    for option in inspect.signature(load_registered(group, name)).parameters
    if option not in {*NOT_SIGNED, *OWN.get((group, name), ())} and (name, option) != ("tei", "url")
]


@pytest.mark.parametrize(("group", "name", "option"), OPTIONS_OF_PARTS)
def test_every_option_of_a_judge_or_decomposer_is_in_its_signature(
    group: str, name: str, option: str, folder: Path, tei: TEIServer
) -> None:
    factory = load_registered(group, name)
    tei.model.labels = ("LABEL_0", "LABEL_1", "LABEL_2")
    usual: dict[str, Any] = {
        "local": {"name": str(folder / "unnamed"), "label_order": ["entailment", "neutral", "contradiction"]},
        "openai": {"model": "m", "url": URL} | ({"ask": "pairs"} if group == loading.GROUP else {}),
        "tei": {"url": tei.url},
    }.get(name, {})
    if option == "samples":
        usual["temperature"] = 1.0

    taken = inspect.signature(factory).parameters

    def signature(**options: Any) -> str:
        made = factory(**{o: value for o, value in options.items() if o in taken})
        return json.dumps((made.probe() if hasattr(made, "probe") else made).signature)

    check(signature, name, option, [], folder, usual=usual)


def test_a_server_is_signed_by_its_model_and_by_its_address_where_it_does_not_know_the_commit(
    tei: TEIServer,
) -> None:
    from claimwise.nli.tei import TEIJudge

    class Other(WordModel):
        sha = "1" * 40

    class Unknown(WordModel):
        sha = None  # type: ignore[assignment]

    servers = [tei, *(TEIServer(model) for model in (Other(), Unknown(), Unknown()))]
    try:
        signatures = {json.dumps(TEIJudge(server.url).probe().signature) for server in servers}
    finally:
        for server in servers[1:]:
            server.close()

    assert len(signatures) == 4


def test_a_prompt_is_signed_by_its_content(folder: Path) -> None:
    path = folder / "prompt1"
    before = load_decomposer(f"openai:m@{URL}", prompt=path).signature
    path.write_text(path.read_text() + " Be brief. {lines}")

    assert load_decomposer(f"openai:m@{URL}", prompt=path).signature != before


def test_the_data_of_a_splitter_are_signed_by_their_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import nltk

    punkt = tmp_path / "tokenizers" / "punkt_tab" / "english"
    punkt.mkdir(parents=True)
    for name in ("collocations.tab", "sent_starters.txt", "abbrev_types.txt", "ortho_context.tab"):
        (punkt / name).touch()
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    before = Splitter("nltk").signature
    (punkt / "abbrev_types.txt").write_text("approx\n")

    assert Splitter("nltk").signature != before


def test_a_wrapped_function_has_no_more_signature_than_the_function() -> None:
    def whole(sentences: Sequence[str]) -> list[list[str]]:
        return [[sentence] for sentence in sentences]

    class Signed:
        signature = "whole-1"

        def __call__(self, sentences: Sequence[str]) -> list[list[str]]:
            return whole(sentences)

    def of(decomposer: Any) -> list[str]:
        return unsigned(METRICS["caspr"](decomposer=decomposer).options)

    assert of(whole) == of(FunctionDecomposer(whole)) == ["decomposer"]
    assert of(Signed()) == of(FunctionDecomposer(Signed())) == []


# Summarizers -------------------------------------------------------------------------------------


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
    usual: dict[str, Any] = {"nli_model": str(folder / "tiny"), "dtype": "float32", "device": "cpu"}
    usual |= {"decomposer": "sentences", "name": name, "model": ChatModel("m", URL)}
    if name == "pipeline":
        usual |= {"name": "tqcg", "aspects": ["rooms"]}
    elif name == "co-decoding":
        usual["model"] = encoder_decoder(0)

    def signature(**options: Any) -> str:
        if isinstance(options.get("nli_model"), WordJudge):  # which has no such options
            options = {name: value for name, value in options.items() if name not in ("dtype", "device")}
        return load(**options).signature

    check(signature, name, option, declared.get(option, []), folder, usual=usual)


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
        load("q", extractor="judge", nli_model=WordJudge(longest), citations=citations).signature
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
