"""The Distinctiveness Score as a metric: the published numbers, its three-summary form, its signature."""

from __future__ import annotations

from typing import Any

import pytest
from scoring import A, B, parts, scores

from claimwise.errors import ClaimwiseError
from claimwise.metrics import DistinctivenessScore


def test_the_words_configuration_gives_table_1_of_the_caspr_paper() -> None:
    metric = DistinctivenessScore("words")

    found = scores(
        metric,
        ["The hotel is sparkly clean.", "The hotel is clean."],
        ["The hotel was kept very tidy.", "The hotel is not clean"],
    )

    assert found == pytest.approx([100 * 7 / 9, 20.0])
    assert round(found[0], 1) == 77.8


def test_common_gives_the_three_summary_form() -> None:
    """Of the four words, "pool" and "gym" are in two summaries or more, "bar" and "spa" in one."""
    columns = {"predictions": ["Pool bar."], "references": ["Pool gym."]}
    metric = DistinctivenessScore("words")

    assert metric.compute(**columns, common=["Pool gym spa."])["distinctiveness_score"] == pytest.approx(50)
    assert metric.compute(**columns)["distinctiveness_score"] == pytest.approx(100 * 2 / 3)
    assert metric.compute(**columns, common=None) == metric.compute(**columns)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("common", "said"), [([], "Unequal"), (["Fine.", ""], "common, row 1"), ("x", "a single text")]
)
def test_a_common_column_that_does_not_fit_is_refused(
    distinctiveness: DistinctivenessScore, common: Any, said: str
) -> None:
    with pytest.raises(ClaimwiseError, match=said):
        distinctiveness.compute(predictions=A[:2], references=B[:2], common=common)


def test_a_function_can_be_the_tokenizer() -> None:
    metric = DistinctivenessScore(tokenizer=lambda text: text.split("/"), stemmer="none")

    result = metric.compute(predictions=["a b/c"], references=["a b/d"], details=True)

    assert result["distinctiveness_score"] == pytest.approx(100 * 2 / 3)
    (found,) = result["distinctiveness_score_details"]
    assert (found["shared"], found["only_a"], found["only_b"]) == (["a b"], ["c"], ["d"])


def test_a_pair_without_tokens_is_refused_with_its_row() -> None:
    metric = DistinctivenessScore(tokenizer=lambda text: text.split()[1:])

    with pytest.raises(ClaimwiseError, match=r"row 1: No tokens.*tokenizer"):
        metric.compute(predictions=["Very fine.", "Fine."], references=["So good.", "Good."])


def test_the_signature_of_distinctiveness_changes_with_what_changes_its_scores() -> None:
    base = parts(DistinctivenessScore())
    variants = {
        "tokenizer": [DistinctivenessScore(tokenizer="words"), DistinctivenessScore(tokenizer=str.split)],
        "stemmer": [DistinctivenessScore(stemmer="none"), DistinctivenessScore(stemmer="german")],
        "config": [DistinctivenessScore("paper")],
    }

    for key, changed in variants.items():
        assert len({parts(metric)[key] for metric in changed} | {base[key]}) == len(changed) + 1


def test_the_signature_tells_the_three_summary_form_from_the_two_summary_form(
    distinctiveness: DistinctivenessScore,
) -> None:
    two = distinctiveness.compute(predictions=A, references=B)
    three = distinctiveness.compute(predictions=A, references=B, common=A)

    assert two["distinctiveness_score_signature"] != three["distinctiveness_score_signature"]
