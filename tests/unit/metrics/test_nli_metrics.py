"""What NLI metrics share: claims, premises, the decomposer and the splitter of the user."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from chat_endpoint import Endpoint
from judges import WordJudge
from scoring import parts

from claimwise import LLMDecomposer
from claimwise.errors import ClaimwiseError, ClaimwiseWarning
from claimwise.judges import NLIModel
from claimwise.metrics import Caspr, Genericity, Ssas, SummacConv, SummacZs, SupportCounts
from claimwise.metrics.nli import NLIMetric
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
    metric = Caspr(judge=nli_model, decomposer=CommaDecomposer())

    first = metric.compute(
        predictions=["Clean rooms, warm pool. It was, well, cheap, right?"],
        references=["Fine."],
        details=True,
    )
    second = metric.compute(predictions=["Clean rooms, warm pool."], references=["Fine."])

    (found,) = first["caspr_details"]
    assert [claim["claim"] for claim in found["claims_a"]] == [
        "Clean rooms",
        "warm pool.",
        "It was, well, cheap, right?",
    ]
    assert (first["caspr_fallbacks"], second["caspr_fallbacks"]) == (1, 0)
    again = metric.compute(
        predictions=["Cheap, right? Beds creak. Cheap, right?"], references=["Cheap, right?"]
    )
    assert again["caspr_fallbacks"] == 2  # once in each text
    assert "|decomposer:commas" in first["caspr_signature"]


def test_claims_that_still_have_an_attribution_are_counted_where_attributions_are_stripped() -> None:
    text = "They praised the staff for being kind. Others mentioned the pool. The bar is loud."
    given = {"predictions": [text], "references": [["The bar is loud."]]}
    by_claims: dict[str, Any] = {"support": "sentences", "decomposer": "default"}
    metric = SupportCounts(show_progress=False, **by_claims)
    result = metric.compute(**given, details=True)
    assert [claim["claim"] for claim in result["support_counts_details"][0]["claims"]] == [
        "The staff were kind.",
        "Others mentioned the pool.",
        "The bar is loud.",
    ]
    assert result["support_counts_attributed"] == 1
    kept = SupportCounts(attributions="keep", show_progress=False, **by_claims).compute(**given)
    assert "support_counts_attributed" not in kept


def test_pronouns_are_explained_by_the_text_counted_and_those_that_stay_open_are_in_the_evidence(
    nli_model: NLIModel,
) -> None:
    texts = {
        "predictions": ["The bed was new. It was too firm. They ran out of milk."],
        "references": ["The bed was soft."],
    }
    result = Caspr(judge=nli_model).compute(**texts, details=True)
    kept = Caspr(judge=nli_model, pronouns="sentence").compute(**texts, details=True)

    (found,) = result["caspr_details"]
    claims = [claim["claim"] for claim in found["claims_a"]]
    assert claims == ["The bed was new.", "The bed was too firm.", "They ran out of milk."]
    assert (result["caspr_pronouns_resolved"], result["caspr_pronouns_open"]) == (1, 1)
    assert list(found["open_pronouns"]) == ["They ran out of milk."]
    assert "|pronouns:text" in result["caspr_signature"]
    assert "|pronouns:sentence" in kept["caspr_signature"]
    assert kept["caspr_pronouns_open"] == 2
    assert kept["caspr_details"][0]["claims_a"][1]["claim"] == "It was too firm."


def test_attributions_are_stripped_on_request_and_the_evidence_tells_which(nli_model: NLIModel) -> None:
    texts = {
        "predictions": ["Most guests found that the beds were comfortable."],
        "references": ["The beds were soft."],
    }

    def found(**options: Any) -> tuple[list[str], Any, str]:
        result = Caspr(judge=nli_model, **options).compute(**texts, details=True)
        (evidence,) = result["caspr_details"]
        claims = [claim["claim"] for claim in evidence["claims_a"]]
        return claims, evidence.get("stripped"), result["caspr_signature"]

    kept, stripped = found(), found(attributions="strip")
    assert kept[:2] == (["Most guests found that the beds were comfortable."], None)
    assert (stripped[0], list(stripped[1])) == (["The beds were comfortable."], ["Most guests found that"])
    assert "|attributions:keep|" in kept[2]
    assert "|attributions:strip|" in stripped[2]
    with pytest.raises(ClaimwiseError, match="`attributions` must be one of"):
        found(attributions="drop")


@pytest.mark.parametrize(
    ("decomposer", "said"),
    [
        ("openai:gpt-4", "`openai:gpt-4` has no option `pronouns`. Its options are `api_key_env`, `cache`"),
        ("sentences", "`sentences` has no option `pronouns`. It has no options."),
        (CommaDecomposer(), "A ready-made decomposer keeps its own options. Leave out `pronouns`."),
    ],
)
@pytest.mark.parametrize("metric", [Caspr, SupportCounts, SummacConv, Genericity])
def test_an_option_that_the_decomposer_does_not_take_is_refused_at_once(
    metric: type[NLIMetric], decomposer: Any, said: str
) -> None:
    with pytest.raises(ClaimwiseError, match=re.escape(said)) as caught:
        metric(judge="nobody/nothing", decomposer=decomposer, pronouns="sentence")
    assert caught.value.option == "pronouns"
    metric(judge="nobody/nothing", decomposer="default", pronouns="sentence", attributions="strip")
    metric(judge="nobody/nothing", decomposer="of_another_package")


@pytest.mark.parametrize("splitter", ["nltk", "spacy:en_core_web_sm"])
def test_the_signature_of_caspr_names_the_splitter(nli_model: NLIModel, splitter: str) -> None:
    metric = Caspr(judge=nli_model, splitter=splitter)
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
        caspr = Caspr(judge=nli_model, decomposer=decomposer, score_cache=tmp_path / "scores")
        return caspr.compute(
            predictions=["The pool is warm and the bar is cheap."], references=["Fine food."]
        )

    results = [
        compute(f"openai:tiny@{endpoint.url}"),
        compute(LLMDecomposer("tiny", endpoint.url, timeout=5)),
    ]

    assert [result.pop("caspr_judge_used")["requests"] for result in results] == [2, 0]
    assert results[0] == results[1]
    assert len(endpoint.requests) == 2
    assert "|decomposer:openai:tiny|decomposer_url:127.0.0.1" in results[0]["caspr_signature"]


# Texts that cannot be read, and judges that tell no contradictions ------------------------------------

GERMAN = "Das Frühstück war ausgezeichnet und das Personal sehr freundlich."


def test_texts_that_only_english_is_read_of_are_counted_and_warned_of_once_with_the_way_out(
    nli_model: NLIModel,
) -> None:
    texts = {
        "predictions": [GERMAN, "Clean.", "房间很干净。"],
        "references": ["<nav>Warm</nav> &amp; dry.", GERMAN, "Dry."],
    }

    with pytest.warns(ClaimwiseWarning) as caught:
        result = Caspr(judge=nli_model).compute(**texts)

    assert (result["caspr_not_english"], result["caspr_markup"]) == (3, 1)
    english, markup = (str(warning.message) for warning in caught)
    assert "3 of the texts" in english
    assert "decomposer='default' and judge='default'" in english
    assert "decomposer='sentences'" in english
    assert "1 of the texts contains HTML tags or entities" in markup


def test_nothing_is_said_of_texts_where_every_part_may_read_them() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = Caspr(judge=WordJudge(), decomposer="sentences").compute(
            predictions=[GERMAN], references=["<b>Sauber</b> und sehr ruhig gelegen."]
        )

    assert (result["caspr_not_english"], result["caspr_markup"]) == (0, 0)


@pytest.mark.parametrize("options", [{}, {"score_cache": "scores.sqlite"}, {"pairs": "likely"}])
@pytest.mark.parametrize("metric", [Caspr, Genericity, SupportCounts, Ssas])
def test_a_judge_of_two_labels_is_refused_where_contradictions_count(
    checkpoints: Path, tmp_path: Path, metric: type[NLIMetric], options: dict[str, str]
) -> None:
    if "score_cache" in options:
        options = {"score_cache": str(tmp_path / options["score_cache"])}
    made = metric(
        judge=str(checkpoints / "bert-two-labels"),
        label_order=["entailment", "not_entailment"],
        **options,
    )

    said = r"uses contradictions.*judge='default'.*pyramid"
    with pytest.raises(ClaimwiseError, match=said):
        made.load()


def test_a_judge_of_two_labels_is_refused_beside_others_and_by_summac_zs_as_it_scores(
    checkpoints: Path,
) -> None:
    two = NLIModel.from_pretrained(
        checkpoints / "bert-two-labels", device="cpu", label_order=["entailment", "not_entailment"]
    )

    with pytest.raises(ClaimwiseError, match="uses contradictions"):
        Caspr(judge=[two, WordJudge()]).load()
    with pytest.raises(ClaimwiseError, match="uses contradictions"):
        SummacZs(judge=two, scoring="entailment_minus_contradiction").load()
    SummacZs(judge=two, scoring="entailment").load()
