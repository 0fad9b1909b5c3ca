"""Options that are varied one by one, each of which must change the signature."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field
from pathlib import Path
from typing import Any

from judges import WordJudge

from claimwise.metrics.ssas import DEFAULT_WEIGHTS

URL = "http://127.0.0.1:9/v1"
NEAR = 1 + 1e-9
"""Two numbers that differ by so little are different options, too."""


def write_named(folder: Path) -> Path:
    """Write what options name: checkpoints, weights, prompts and word vectors."""
    from tiny_checkpoints import save_bert, save_onnx

    labels = ["entailment", "neutral", "contradiction"]
    save_bert(folder / "tiny", labels)
    save_bert(folder / "other", labels, seed=2)
    save_bert(folder / "unnamed", ["LABEL_0", "LABEL_1", "LABEL_2"])
    for name in ("tiny", "other"):
        for judge in ("tiny", "unnamed"):
            save_onnx(folder / name, folder / judge / f"{name}.onnx", ["input_ids", "attention_mask"])
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

    from claimwise.scores.histogram import bin_edges, untrained

    parameters = dict(untrained(len(bin_edges(bins)) - 1))
    path = folder / f"{bins}-{bias}.safetensors"
    save_file(parameters | {"mlp.bias": np.array([bias], np.float32)}, path)
    return str(path)


def values(folder: Path) -> dict[str, list[Any]]:
    """Return the values of options that declare neither choices nor limits, by name or by owner and name."""
    ssas = json.loads(DEFAULT_WEIGHTS.read_text())["weights"]
    return {
        "judge": [str(folder / "tiny"), str(folder / "other"), WordJudge(12), WordJudge(13)],
        "decomposer": ["sentences", "default", f"openai:m@{URL}"],
        "file": [None, "tiny.onnx", "other.onnx"],
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
        "trivial": [None, "I bought it.", "I bought them."],
        "words": [["but"], ["but", "yet"]],
        "idf_corpus": [None, ["A.", "B."], ["A.\nB."]],
        "sampling_seed": [0, 1],
        "support_counts.threshold": [0.5, 0.5 * NEAR, 0.75],
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
    }


def needs(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the options without which an option has no effect."""
    topk, claim = {"premise_granularity": "topk"}, {"hypothesis_granularity": "claim"}
    sentences = {"support": "sentences"}
    return {
        "judge_weights": {"judge": [str(folder / "tiny"), WordJudge()]},
        "file": {"judge": str(folder / "tiny")},
        "label_order": {"judge": str(folder / "unnamed")},
        "pronouns": {"decomposer": "default"},
        "attributions": {"decomposer": "default"},
        "sampling_seed": {"max_pairs": 2},
        "pyramid.k": topk,
        **{
            f"support_counts.{name}": sentences
            for name in ("count_distinct_reviews", "drop_repeated_sentences")
        },
        **{f"summac_zs.{name}": topk for name in ("k", "retrieve_by", "topk_order")},
        **{f"summac_zs.{name}": claim for name in ("decomposer", "claims_by_sentence")},
        **{f"summac_zs.{name}": {**claim, "decomposer": "default"} for name in ("pronouns", "attributions")},
    }


def automatic(option: Field[Any]) -> list[Any]:
    """Return values of an option by its declared choices or limits."""
    limits, default = option.metadata.get("limits", {}), option.default
    if limits.get("choices"):
        return list(dict.fromkeys([default, *limits["choices"]]))
    if isinstance(default, bool):
        return [False, True]
    if (between := limits.get("between")) is not None and default is not None:
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
    of_options: Mapping[str, Sequence[Any]],
    needed: Mapping[str, Mapping[str, Any]],
    usual: Mapping[str, Any],
) -> None:
    """Check that every value of an option has a signature of its own.

    Args:
        signature: makes the signature from options.
        owner: name of the metric, judge, decomposer or summarizer.
        option: the option to vary.
        declared: its values by its declaration.
        of_options: values by option, or by owner and option; see ``values``.
        needed: options without which an option has no effect; see ``needs``.
        usual: the other options.
    """
    given = of_options.get(f"{owner}.{option}", of_options.get(option, declared))
    assert len(given) > 1, f"say in values() how {owner}'s {option} varies, or in NOT_SIGNED why it does not"
    beside = {**usual, **needed.get(f"{owner}.{option}", needed.get(option, {}))}
    signatures = {repr(value): signature(**{**beside, option: value}) for value in given}
    assert len(set(signatures.values())) == len(given), signatures
