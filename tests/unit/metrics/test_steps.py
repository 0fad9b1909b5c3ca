"""What NLI metrics share: claims, premises, the decomposer and the splitter of the user."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from chat_endpoint import Endpoint
from scoring import parts

from claimwise import LLMDecomposer
from claimwise.errors import ClaimwiseError
from claimwise.metrics import Caspr, Genericity, SummacConv, SupportCounts
from claimwise.metrics.steps import NLIMetric
from claimwise.nli import NLIModel
from claimwise.text.claims import Decomposed


class CommaDecomposer:
    """A decomposer as a user may write one: claims end at commas; "?" cannot be decomposed."""

    def __init__(self) -> None:
        self.signature = {"decomposer": "commas"}

    def decompose(self, sentences: Sequence[str]) -> list[Decomposed]:
        return [
            Decomposed([sentence], "a question", failed=True)
            if "?" in sentence
            else Decomposed(sentence.split(", "))
            for sentence in sentences
        ]


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
    again = metric.compute(predictions=["Was it cheap? It was. Was it cheap?"], references=["Was it cheap?"])
    assert again["caspr_fallbacks"] == 2  # once in each text
    assert "|decomposer:commas" in first["caspr_signature"]


def test_pronouns_are_explained_by_the_text_counted_and_those_that_stay_open_are_in_the_evidence(
    nli_model: NLIModel,
) -> None:
    texts = {
        "predictions": ["The bed was new. It was too firm. They ran out of milk."],
        "references": ["The bed was soft."],
    }
    result = Caspr(nli_model=nli_model, decomposer="clauses").compute(**texts, details=True)
    kept = Caspr(nli_model=nli_model, decomposer="clauses", pronouns="keep").compute(**texts, details=True)

    (found,) = result["caspr_details"]
    claims = [claim["claim"] for claim in found["claims_a"]]
    assert claims == ["The bed was new.", "The bed was too firm.", "They ran out of milk."]
    assert (result["caspr_pronouns_resolved"], result["caspr_pronouns_open"]) == (1, 1)
    assert list(found["open_pronouns"]) == ["They ran out of milk."]
    assert "|pronouns:text" in result["caspr_signature"]
    assert "|pronouns:keep" in kept["caspr_signature"]
    assert "caspr_pronouns_open" not in kept
    assert kept["caspr_details"][0]["claims_a"][1]["claim"] == "It was too firm."


@pytest.mark.parametrize(
    ("decomposer", "said"),
    [
        ("openai:gpt-4", "'openai:gpt-4' takes no option pronouns. It takes api_key_env, cache, concurrency"),
        ("rules", "'rules' takes no option pronouns. It takes none."),
        (CommaDecomposer(), "pronouns: without effect, for a ready-made decomposer keeps its own options."),
    ],
)
@pytest.mark.parametrize("metric", [Caspr, SupportCounts, SummacConv, Genericity])
def test_an_option_that_the_decomposer_does_not_take_is_refused_at_once(
    metric: type[NLIMetric], decomposer: Any, said: str
) -> None:
    with pytest.raises(ClaimwiseError, match=re.escape(said)) as caught:
        metric(nli_model="nobody/nothing", decomposer=decomposer, pronouns="keep")
    assert caught.value.option == "pronouns"
    metric(nli_model="nobody/nothing", decomposer="clauses", pronouns="keep")
    metric(nli_model="nobody/nothing", decomposer="of_another_package")


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


def test_claims_of_a_chat_model_are_kept_in_the_score_cache(
    endpoint: Endpoint, nli_model: NLIModel, tmp_path: Path
) -> None:
    def compute(decomposer: Any) -> dict[str, Any]:
        caspr = Caspr(nli_model=nli_model, decomposer=decomposer, score_cache=tmp_path / "scores")
        return caspr.compute(
            predictions=["The pool is warm and the bar is cheap."], references=["Fine food."]
        )

    results = [
        compute(f"openai:tiny@{endpoint.url}"),
        compute(LLMDecomposer("tiny", endpoint.url, timeout=5)),
    ]

    assert results[0] == results[1]
    assert len(endpoint.requests) == 2
    assert "|decomposer:openai:tiny|decomposer_url:127.0.0.1" in results[0]["caspr_signature"]
