"""Judges made of what users have: functions, pipelines, and models of transformers with their tokenizers."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claimwise.errors import ClaimwiseError
from claimwise.judges import NLIModel, load_judge
from claimwise.metrics import Caspr, Pyramid

PAIRS = [("The pool is closed.", "The sauna is open."), ("Guests liked the noise.", "Nobody slept well.")]
TEXTS: dict[str, Any] = {"predictions": ["The bed was soft."], "references": ["The bed was soft."]}


def same_text(premises: Sequence[str], hypotheses: Sequence[str]) -> list[list[float]]:
    return [[float(p == h), float(p != h), 0.0] for p, h in zip(premises, hypotheses, strict=True)]


same_text.signature = "same-text-1"  # type: ignore[attr-defined]


def wrong_shape(premises: Sequence[str], hypotheses: Sequence[str]) -> list[float]:
    return [0.5] * len(premises)


wrong_shape.signature = {"judge": "wrong", "version": "2"}  # type: ignore[attr-defined]


@pytest.fixture
def loaded(checkpoints: Path) -> tuple[Any, Any]:
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    folder = checkpoints / "bert"
    model = AutoModelForSequenceClassification.from_pretrained(folder)
    return model, AutoTokenizer.from_pretrained(folder)


def test_a_function_with_a_signature_is_a_judge() -> None:
    result = Caspr(judge=same_text, decomposer="sentences").compute(**TEXTS)

    assert result["caspr"] == 0
    assert "|judge:same-text-1|" in result["caspr_signature"]


def test_functions_of_two_signatures_do_not_share_a_cache(tmp_path: Path) -> None:
    first = load_judge(same_text, score_cache=tmp_path / "scores")
    assert first.predict_pairs([("a", "a")]).probabilities.tolist() == [[1, 0, 0]]
    assert first.fingerprint == pickle.loads(pickle.dumps(first)).fingerprint

    def never(premises: Sequence[str], hypotheses: Sequence[str]) -> list[list[float]]:
        return [[0.0, 1.0, 0.0]] * len(premises)

    never.signature = "never"  # type: ignore[attr-defined]
    other = load_judge(never, score_cache=tmp_path / "scores")
    assert other.predict_pairs([("a", "a")]).probabilities.tolist() == [[0, 1, 0]]


def test_a_function_without_a_signature_or_with_other_answers_is_refused() -> None:
    with pytest.raises(ClaimwiseError, match=r"function `<lambda>` has no signature.*signature = ") as caught:
        Caspr(judge=lambda premises, hypotheses: []).load()
    assert caught.value.option == "judge"
    with pytest.raises(ClaimwiseError, match=r"`wrong` returned `probabilities` of shape 1 for 1 pairs"):
        load_judge(wrong_shape).predict_pairs([("a", "b")])


def test_a_model_with_its_tokenizer_judges_as_its_folder_does(
    loaded: tuple[Any, Any], checkpoints: Path
) -> None:
    of_folder = NLIModel.from_pretrained(checkpoints / "bert", device="cpu", dtype="float32")

    judge = load_judge(loaded)

    np.testing.assert_allclose(
        judge.predict_pairs(PAIRS).probabilities, of_folder.predict_pairs(PAIRS).probabilities, atol=1e-5
    )


def test_a_models_signature_changes_with_its_weights(loaded: tuple[Any, Any]) -> None:
    import torch

    before = load_judge(loaded).signature
    assert load_judge(loaded).signature == before
    with torch.no_grad():
        loaded[0].classifier.bias[0] += 1
    assert load_judge(loaded).signature["judge_fingerprint"] != before["judge_fingerprint"]


def test_a_pipeline_is_a_judge_alone_and_among_others(loaded: tuple[Any, Any]) -> None:
    from transformers import pipeline

    model, tokenizer = loaded
    made = pipeline("text-classification", model=model, tokenizer=tokenizer)

    alone = load_judge(made).predict_pairs(PAIRS)
    among_others = load_judge([made, same_text]).predict_pairs(PAIRS)

    np.testing.assert_array_equal(alone.probabilities, load_judge(loaded).predict_pairs(PAIRS).probabilities)
    mean = (alone.probabilities + load_judge(same_text).predict_pairs(PAIRS).probabilities) / 2
    np.testing.assert_allclose(among_others.probabilities, mean, atol=1e-6)


def test_a_model_that_is_no_classifier_is_refused(checkpoints: Path, loaded: tuple[Any, Any]) -> None:
    from transformers import AutoModel

    encoder = AutoModel.from_pretrained(checkpoints / "bert")
    with pytest.raises(ClaimwiseError, match="`BertModel` is not a sequence classifier"):
        Pyramid(judge=(encoder, loaded[1])).load()
