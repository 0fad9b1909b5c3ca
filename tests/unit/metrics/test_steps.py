"""What NLI metrics share: claims, premises, the decomposer and the splitter of the user."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from scoring import parts

from claimwise.errors import ClaimwiseError
from claimwise.metrics import Caspr
from claimwise.nli import NLIModel


class CommaDecomposer:
    """A decomposer as a user may write one: claims end at commas; "?" cannot be decomposed."""

    def __init__(self) -> None:
        self.signature = {"decomposer": "commas"}
        self.fallbacks = 0

    def __call__(self, sentences: Sequence[str]) -> list[list[str]]:
        self.fallbacks += sum("?" in sentence for sentence in sentences)
        return [[sentence] if "?" in sentence else sentence.split(", ") for sentence in sentences]


def test_a_decomposer_of_the_user_decomposes_is_counted_and_signs(nli_model: NLIModel) -> None:
    metric = Caspr(nli_model=nli_model, decomposer=CommaDecomposer())

    first = metric.compute(
        predictions=["Clean rooms, warm pool. Was it, well, cheap?"], references=["Fine."], details=True
    )
    second = metric.compute(predictions=["Clean rooms, warm pool."], references=["Fine."])

    (found,) = first["caspr_details"]
    assert [claim["claim"] for claim in found["claims_a"]] == [
        "Clean rooms",
        "warm pool.",
        "Was it, well, cheap?",
    ]
    assert (first["caspr_fallbacks"], second["caspr_fallbacks"]) == (1, 0)
    assert "|decomposer:commas" in first["caspr_signature"]


@pytest.mark.parametrize("splitter", ["nltk", "spacy:en_core_web_sm"])
def test_the_signature_of_caspr_names_the_splitter(nli_model: NLIModel, splitter: str) -> None:
    metric = Caspr(nli_model=nli_model, splitter=splitter)
    try:
        found = parts(metric)
    except ClaimwiseError as error:
        assert "pip install" in str(error)  # noqa: PT017 - the other half of the behaviour
        assert "sentencex" in str(error)  # noqa: PT017
    else:
        assert found["splitter"].startswith(f"{splitter}-")
