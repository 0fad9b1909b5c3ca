"""Metrics by name, with configurations and options, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from scoring import A, B

from claimwise.errors import ClaimwiseError
from claimwise.metrics import METRICS, Caspr, DistinctivenessScore, InvertedBertscore, Metric, load


def test_load_gives_the_metric_in_the_configuration_with_the_options() -> None:
    metric = load("distinctiveness_score", "words", stemmer="english")

    assert isinstance(metric, DistinctivenessScore)
    assert (metric.options.tokenizer, metric.options.stemmer) == ("words", "english")


@pytest.mark.parametrize(
    ("make", "choices"),
    [
        (lambda: load("rouge"), ["rouge", *METRICS]),
        (lambda: load("caspr", "papers"), ["papers", "default", "paper"]),
        (lambda: load("distinctiveness_score", "x"), ["default", "words", "paper"]),
        (lambda: load("caspr", model="x", nli="y"), ["model", "nli", "judge", "decomposer", "splitter"]),
        (lambda: load("distinctiveness_score", judge="x"), ["judge", "tokenizer", "stemmer"]),
        (lambda: load("inverted_bertscore", model="x"), ["encoder", "layer", "rescale_with_baseline"]),
        (lambda: load("inverted_bertscore", batch_size=0), ["batch_size", "0"]),
    ],
)
def test_an_unknown_name_or_a_wrong_number_is_refused_at_once(
    make: Callable[[], Metric], choices: list[str]
) -> None:
    with pytest.raises(ClaimwiseError) as caught:
        make()

    assert all(choice in str(caught.value) for choice in choices)


@pytest.mark.parametrize(
    ("name", "options", "choices"),
    [
        ("caspr", {"decomposer": "gpt"}, ["`gpt`", "default", "sentences", "openai"]),
        ("caspr", {"decomposer": 5}, ["int", "default", "sentences", "openai"]),
        ("caspr", {"splitter": "dots"}, ["`dots`", "sentencex", "nltk", "spacy"]),
        ("caspr", {"splitter": "spacy:no_such_model"}, ["no_such_model", "sentencex"]),
        ("caspr", {"device": "warp"}, ["warp", "device=cpu"]),
        ("caspr", {"dtype": "float8"}, ["“float8”", "auto", "float32", "bfloat16", "float16"]),
        ("caspr", {"judge": "nobody/nothing"}, ["nobody/nothing", "`default`"]),
        ("distinctiveness_score", {"tokenizer": "bpe"}, ["`bpe`", "words_and_punctuation", "words"]),
        ("distinctiveness_score", {"stemmer": "klingon"}, ["`klingon`", "none", "english"]),
        ("inverted_bertscore", {"device": "warp"}, ["warp", "device=cpu"]),
        ("inverted_bertscore", {"encoder": "nobody/nothing", "layer": 1}, ["nobody/nothing", "default"]),
        ("inverted_bertscore", {"encoder": "nobody/nothing"}, ["nobody/nothing", "layer="]),
        ("inverted_bertscore", {"layer": 99}, ["layer"]),
        ("inverted_bertscore", {"rescale_with_baseline": True}, ["aseline"]),
    ],
)
def test_an_option_that_cannot_be_met_is_refused_by_load_and_compute(
    name: str, options: dict[str, Any], choices: list[str]
) -> None:
    for use in ("load", "compute"):
        metric = load(name, **options)
        with pytest.raises(ClaimwiseError) as caught:
            metric.load() if use == "load" else metric.compute(predictions=A, references=B)

        assert all(choice in str(caught.value) for choice in choices), caught.value


def test_nothing_is_loaded_before_it_is_needed() -> None:
    assert Caspr(judge="nobody/nothing").options.judge == "nobody/nothing"
    assert InvertedBertscore(encoder="nobody/nothing").options.encoder == "nobody/nothing"
