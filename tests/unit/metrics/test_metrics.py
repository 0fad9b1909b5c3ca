"""The contrast metrics as Python classes: invariants, evidence, intervals, options, signatures, refusals."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from claimwise.apps.demo import PAIRS
from claimwise.errors import ClaimwiseError
from claimwise.metrics import (
    CONTRAST_METRICS,
    METRICS,
    Caspr,
    DistinctivenessScore,
    InvertedBertscore,
    Metric,
    load,
)
from claimwise.nli.local import NLIModel

A = [pair.summary_a for pair in PAIRS[:4]]
B = [pair.summary_b for pair in PAIRS[:4]]
SENTENCES = [
    "The rooms are clean.",
    "The rooms are not clean.",
    "Breakfast costs extra, but the coffee is good.",
    "The staff were rude.",
    "😀 great!",
    "We loved the pool",
]
TEXTS = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=2).map(" ".join)
PAIRS_OF_TEXTS = st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=3)
few = settings(  # a model runs in each, so no shrinking either
    max_examples=4,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)
every_metric = pytest.mark.parametrize("name", CONTRAST_METRICS)


def scores(metric: Metric, predictions: Sequence[str], references: Sequence[str]) -> list[float]:
    result = metric.compute(predictions=predictions, references=references)
    found: list[float] = result[f"{metric.name}_scores"]
    return found


# ---------------------------------------------------------------------------------------------
# Invariants of every contrast metric
# ---------------------------------------------------------------------------------------------


@every_metric
@few
@given(pairs=PAIRS_OF_TEXTS)
def test_scores_lie_in_0_100_and_do_not_depend_on_sides_order_or_company(
    metrics: dict[str, Metric], name: str, pairs: list[tuple[str, str]]
) -> None:
    metric = metrics[name]
    predictions, references = [a for a, _ in pairs], [b for _, b in pairs]

    together = scores(metric, predictions, references)

    assert len(together) == len(pairs)
    assert all(0 <= score <= 100 for score in together)
    swapped_and_reversed = scores(metric, references[::-1], predictions[::-1])
    assert swapped_and_reversed[::-1] == pytest.approx(together, abs=1e-3)
    alone = [scores(metric, [a], [b])[0] for a, b in pairs]
    assert alone == pytest.approx(together, abs=1e-3)


@pytest.mark.parametrize("name", ["caspr_of_sentences", "distinctiveness", "bertscore"])
def test_a_summary_does_not_contrast_with_itself(request: pytest.FixtureRequest, name: str) -> None:
    texts = [*SENTENCES, *(f"{first} {second}" for first, second in pairwise(SENTENCES))]

    assert scores(request.getfixturevalue(name), texts, texts) == pytest.approx([0] * len(texts), abs=1e-3)


@every_metric
def test_the_mean_is_of_the_scores_and_everything_is_plain_python(
    metrics: dict[str, Metric], name: str
) -> None:
    result = metrics[name].compute(predictions=A, references=B, details=True, confidence_level=0.9)

    assert json.loads(json.dumps(result)) == result
    assert type(result[name]) is float
    assert all(type(score) is float for score in result[f"{name}_scores"])
    assert result[name] == pytest.approx(sum(result[f"{name}_scores"]) / len(A))
    assert all(key == name or key.startswith(f"{name}_") for key in result)
    assert [found["score"] for found in result[f"{name}_details"]] == result[f"{name}_scores"]


@every_metric
def test_any_iterable_of_texts_is_a_column(metrics: dict[str, Metric], name: str) -> None:
    metric = metrics[name]

    assert scores(metric, (text for text in A[:1]), tuple(B[:1])) == scores(metric, A[:1], B[:1])  # type: ignore[arg-type]


@every_metric
@pytest.mark.parametrize(
    "text",
    [
        "😀 great",
        "😀👍🏽",
        "הבריכה חמה והצוות נחמד.",
        "المسبح دافئ ولكن الغرف صغيرة.",
        "部屋は清潔です。朝食は別料金です。",
        "no full stop, no capital",
        "e\u0301 \u200b \ufeff\r\n\tx",
        "a",
    ],
)
def test_unusual_texts_get_a_valid_score(metrics: dict[str, Metric], name: str, text: str) -> None:
    (with_other, with_itself) = scores(metrics[name], [text, text], ["The pool is warm.", text])

    assert 0 <= with_other <= 100
    assert 0 <= with_itself <= 100


@every_metric
def test_a_very_long_text_is_scored_and_its_truncation_counted(metrics: dict[str, Metric], name: str) -> None:
    long = "very " * 20_000 + "clean."

    result = metrics[name].compute(predictions=[long, "Fine."], references=["The room is dirty.", "Fine."])

    assert all(0 <= score <= 100 for score in result[f"{name}_scores"])
    if name == "distinctiveness_score":  # reads whole texts
        assert f"{name}_truncated" not in result
    else:
        assert result[f"{name}_truncated"] > 0


@pytest.mark.parametrize("name", ["caspr", "inverted_bertscore"])
def test_nothing_is_counted_where_nothing_was_worked_around(metrics: dict[str, Metric], name: str) -> None:
    result = metrics[name].compute(predictions=A, references=B)

    assert result[f"{name}_truncated"] == 0
    assert result.get(f"{name}_fallbacks", 0) == 0


# ---------------------------------------------------------------------------------------------
# Refused input
# ---------------------------------------------------------------------------------------------


@every_metric
@pytest.mark.parametrize("name_of_column", ["predictions", "references"])
def test_a_refusal_names_column_and_row(metrics: dict[str, Metric], name: str, name_of_column: str) -> None:
    columns = {"predictions": ["Fine."] * 3, "references": ["Good."] * 3}
    columns[name_of_column] = ["Fine.", "Good.", " "]

    with pytest.raises(ClaimwiseError, match=f"{name_of_column}, row 2: .* blank. Drop the row or fill"):
        metrics[name].compute(**columns)


@every_metric
@pytest.mark.parametrize("arguments", [{"predictions": ["x"]}, {"references": ["x"]}])
def test_a_column_left_out_is_refused(name: str, arguments: dict[str, list[str]]) -> None:
    with pytest.raises((ClaimwiseError, TypeError), match=r"predictions|references"):
        METRICS[name]().compute(**arguments)


@pytest.mark.parametrize("name", ["caspr", "inverted_bertscore"])
def test_a_column_that_a_metric_does_not_know_is_refused(metrics: dict[str, Metric], name: str) -> None:
    with pytest.raises(ClaimwiseError, match=f"{name} does not know common"):
        metrics[name].compute(predictions=A, references=B, common=A)


@every_metric
def test_a_mistyped_keyword_is_refused_with_those_there_are(metrics: dict[str, Metric], name: str) -> None:
    taken = "takes details, confidence_level, confidence_method, resamples and seed"
    with pytest.raises(ClaimwiseError, match=f"{name} does not know detail: .* {taken}"):
        metrics[name].compute(predictions=A, references=B, detail=True)


# ---------------------------------------------------------------------------------------------
# Evidence of CASPR
# ---------------------------------------------------------------------------------------------


def test_details_hold_the_claims_of_both_sides_and_the_label_of_every_comparison(
    caspr_of_sentences: Caspr,
) -> None:
    result = caspr_of_sentences.compute(
        predictions=["The pool is warm. The bar is open."],
        references=["The pool is cold. The beds are soft. The bar is closed."],
        details=True,
    )
    (found,) = result["caspr_details"]

    assert [claim["claim"] for claim in found["claims_a"]] == ["The pool is warm.", "The bar is open."]
    assert [claim["claim"] for claim in found["claims_b"]] == [
        "The pool is cold.",
        "The beds are soft.",
        "The bar is closed.",
    ]
    assert [len(row) for row in found["labels"]] == [3, 3]
    assert {label for row in found["labels"] for label in row} <= {"entailment", "neutral", "contradiction"}


def test_table_1_of_the_caspr_paper(caspr: Caspr) -> None:
    """Section 3.1: a paraphrase has no contrast, a negation nothing but contrast."""
    found = scores(
        caspr,
        ["The hotel is sparkly clean.", "The hotel is clean."],
        ["The hotel was kept very tidy.", "The hotel is not clean"],
    )
    assert found == [0, 100]


def test_the_demo_tells_the_same_from_the_opposite(caspr: Caspr) -> None:
    """Pairs written for the project: said twice, opposite, other aspects, negated, partly the same."""
    same, opposite, different, negated, partly = scores(
        caspr, [pair.summary_a for pair in PAIRS], [pair.summary_b for pair in PAIRS]
    )
    assert same == 0
    assert opposite == different == negated == 100
    assert 0 < partly < 100


def test_every_claim_comes_from_a_sentence_of_its_summary(caspr: Caspr) -> None:
    result = caspr.compute(predictions=A, references=B, details=True)

    for a, b, found in zip(A, B, result["caspr_details"], strict=True):
        assert all(claim["sentence"] in a for claim in found["claims_a"])
        assert all(claim["sentence"] in b for claim in found["claims_b"])


def test_the_score_follows_from_the_evidence(caspr: Caspr) -> None:
    result = caspr.compute(predictions=A, references=B, details=True)

    for found in result["caspr_details"]:
        labels = found["labels"]
        sides = [
            (found["claims_a"], found["claims_b"], labels),
            (found["claims_b"], found["claims_a"], [list(column) for column in zip(*labels, strict=True)]),
        ]
        for own, other, rows in sides:
            for claim, row in zip(own, rows, strict=True):
                check_claim(claim, row, [of_other["claim"] for of_other in other])
        claim_scores = [claim["score"] for claim in found["claims_a"] + found["claims_b"]]
        mean = sum(claim_scores) / len(claim_scores)
        assert found["score"] == pytest.approx((mean + 1) / 2 * 100)


def check_claim(claim: dict[str, Any], labels: list[str], other: list[str]) -> None:
    """Check that the evidence of one claim names all that decided it and leads to its score."""
    decided_by = claim["decided_by"]
    named = {reason["index"]: reason["label"] for reason in decided_by}
    assert named == {index: label for index, label in enumerate(labels) if label != "neutral"}
    assert all(reason["claim"] == other[reason["index"]] for reason in decided_by)
    for reason in decided_by:
        for probabilities in (reason["as_premise"], reason["as_hypothesis"]):
            assert sum(probabilities) == pytest.approx(1, abs=1e-3)
    contradictions, entailments = labels.count("contradiction"), labels.count("entailment")
    if not decided_by:
        assert (claim["verdict"], claim["score"]) == ("stands alone", 1)
    elif contradictions > entailments:
        assert (claim["verdict"], claim["score"]) == ("contradicts", 1)
    else:
        assert (claim["verdict"], claim["score"]) == ("agrees", -1)


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


# ---------------------------------------------------------------------------------------------
# Confidence intervals
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["normal", "percentile", "bca"])
def test_the_interval_lies_around_the_mean_and_a_seed_repeats_it(
    distinctiveness: DistinctivenessScore, method: Any
) -> None:
    def interval(seed: int | None, level: float = 0.95) -> list[float]:
        result = distinctiveness.compute(
            predictions=A * 4,
            references=[*B, *B[1:], *B, *B[:1], *A],
            confidence_level=level,
            confidence_method=method,
            resamples=500,
            seed=seed,
        )
        low, high = result["distinctiveness_score_ci"]
        assert low < result["distinctiveness_score"] < high
        return [low, high]

    narrow, wide = interval(1, 0.5), interval(1, 0.99)

    assert interval(1) == interval(1) != interval(2)
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


def test_without_confidence_level_and_details_neither_is_there(
    distinctiveness: DistinctivenessScore,
) -> None:
    result = distinctiveness.compute(predictions=A, references=B)

    assert sorted(result) == [
        "distinctiveness_score",
        "distinctiveness_score_scores",
        "distinctiveness_score_signature",
    ]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"confidence_level": 1.0}, "between 0 and 1"),
        ({"confidence_level": 0.9, "confidence_method": "magic"}, "normal, percentile, bca"),
        ({"confidence_level": 0.9, "resamples": 1}, "at least 2"),
    ],
)
def test_an_interval_that_cannot_be_is_refused(
    distinctiveness: DistinctivenessScore, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(ClaimwiseError, match=said):
        distinctiveness.compute(predictions=A, references=B, **options)


# ---------------------------------------------------------------------------------------------
# Options and configurations
# ---------------------------------------------------------------------------------------------


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
        (lambda: load("caspr", model="x", nli="y"), ["model", "nli", "nli_model", "decomposer", "splitter"]),
        (lambda: load("distinctiveness_score", nli_model="x"), ["nli_model", "tokenizer", "stemmer"]),
        (lambda: load("inverted_bertscore", model="x"), ["encoder", "layer", "rescale_with_baseline"]),
    ],
)
def test_an_unknown_name_is_refused_at_once_with_the_choices(
    make: Callable[[], Metric], choices: list[str]
) -> None:
    with pytest.raises(ClaimwiseError) as caught:
        make()

    assert all(choice in str(caught.value) for choice in choices)


@pytest.mark.parametrize(
    ("name", "options", "choices"),
    [
        ("caspr", {"decomposer": "gpt"}, ["'gpt'", "rules", "sentences", "openai"]),
        ("caspr", {"decomposer": 5}, ["int", "rules", "sentences", "openai"]),
        ("caspr", {"decomposer_model": "gpt-4"}, ["rules", "model"]),
        ("caspr", {"splitter": "dots"}, ["'dots'", "sentencex", "nltk", "spacy"]),
        ("caspr", {"splitter": "spacy:no_such_model"}, ["no_such_model", "sentencex"]),
        ("caspr", {"device": "warp"}, ["'warp'", "auto", "cpu", "cuda"]),
        ("caspr", {"dtype": "float8"}, ["'float8'", "auto", "float32", "bfloat16", "float16"]),
        ("caspr", {"nli_model": "nobody/nothing"}, ["nobody/nothing", "nli_model='default'"]),
        ("distinctiveness_score", {"tokenizer": "bpe"}, ["'bpe'", "words_and_punctuation", "words"]),
        ("distinctiveness_score", {"stemmer": "klingon"}, ["'klingon'", "none", "english"]),
        ("inverted_bertscore", {"device": "warp"}, ["'warp'", "auto", "cpu", "cuda"]),
        ("inverted_bertscore", {"encoder": "nobody/nothing", "layer": 1}, ["nobody/nothing", "default"]),
        ("inverted_bertscore", {"encoder": "nobody/nothing"}, ["nobody/nothing", "layer="]),
        ("inverted_bertscore", {"layer": 99}, ["layer"]),
        ("inverted_bertscore", {"rescale_with_baseline": True}, ["aseline"]),
        ("inverted_bertscore", {"batch_size": 0}, ["batch_size", "0"]),
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


def test_the_paper_configuration_of_caspr_without_a_key_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)

    with pytest.raises(ClaimwiseError, match="OPENAI_API_KEY"):
        Caspr("paper").compute(predictions=A, references=B)


def test_the_paper_configuration_of_inverted_bertscore_offline_says_what_to_do() -> None:
    with pytest.raises(ClaimwiseError, match=r"roberta-large.*encoder='default'"):
        InvertedBertscore("paper").compute(predictions=A, references=B)


def test_keywords_override_a_configuration() -> None:
    metric = Caspr("paper", nli_model="default", decomposer="rules", device="cpu", dtype="float32")

    result = metric.compute(predictions=A[:1], references=B[:1])

    assert 0 <= result["caspr"] <= 100
    assert "|config:paper|nli_model:default|" in result["caspr_signature"]
    assert "|decomposer:rules|" in result["caspr_signature"]


def test_nothing_is_loaded_before_it_is_needed() -> None:
    assert Caspr(nli_model="nobody/nothing").options.nli_model == "nobody/nothing"
    assert InvertedBertscore(encoder="nobody/nothing").options.encoder == "nobody/nothing"


def test_a_metric_does_not_depend_on_where_its_encoder_lies(
    bertscore: InvertedBertscore, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The bert-score package takes any name with "t5" in it, folders included, for a T5 model."""
    from claimwise.nli.local import EMBEDDED_WEIGHTS

    folder = tmp_path_factory.mktemp("t5") / "encoder"
    folder.symlink_to(EMBEDDED_WEIGHTS)
    layer = dict(part.split(":", 1) for part in bertscore.signature().split("|")[1:])["layer"]

    elsewhere = InvertedBertscore(encoder=str(folder), layer=int(layer), device="cpu")

    assert scores(elsewhere, A, B) == pytest.approx(scores(bertscore, A, B), abs=1e-3)


# ---------------------------------------------------------------------------------------------
# Signatures
# ---------------------------------------------------------------------------------------------


def parts(metric: Metric) -> dict[str, str]:
    name, *fields = metric.signature().split("|")
    assert name == metric.name
    return dict(field.split(":", 1) for field in fields)


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        (
            "caspr",
            "version config nli_model nli_fingerprint labels max_length truncation dtype transformers torch "
            "splitter decomposer",
        ),
        ("distinctiveness_score", "version config tokenizer stemmer"),
        ("inverted_bertscore", "version config encoder layer idf rescaled max_length bert_score"),
    ],
)
def test_a_signature_names_everything_that_changes_a_score(
    metrics: dict[str, Metric], name: str, keys: str
) -> None:
    found = parts(metrics[name])

    assert set(keys.split()) <= set(found)
    assert all(found.values())
    result = metrics[name].compute(predictions=A[:1], references=B[:1])
    assert result[f"{name}_signature"] == metrics[name].signature()


def test_the_signature_of_caspr_changes_with_what_changes_its_scores(
    caspr: Caspr, nli_model: NLIModel
) -> None:
    base = parts(caspr)
    variants = {
        "decomposer": Caspr(nli_model=nli_model, decomposer="sentences"),
        "config": Caspr("paper", nli_model=nli_model, decomposer="rules"),
        "dtype": Caspr(device="cpu", dtype="bfloat16"),
    }

    for key, variant in variants.items():
        assert parts(variant)[key] != base[key]
    assert parts(Caspr(nli_model=nli_model)) == base


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


@pytest.mark.parametrize("layer", [0, 1])
def test_the_signature_of_inverted_bertscore_names_the_layer_asked_for(layer: int) -> None:
    assert parts(InvertedBertscore(layer=layer, device="cpu"))["layer"] == str(layer)


# ---------------------------------------------------------------------------------------------
# Distinctiveness Score
# ---------------------------------------------------------------------------------------------


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
    ("common", "said"), [([], "Unequal"), (["Fine.", ""], "common, row 1"), ("x", "bare")]
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
    metric = DistinctivenessScore("words")

    with pytest.raises(ClaimwiseError, match=r"row 1: No tokens.*tokenizer"):
        metric.compute(predictions=["Fine.", "😀"], references=["Good.", "👍"])


# ---------------------------------------------------------------------------------------------
# Inverted BERTScore
# ---------------------------------------------------------------------------------------------


def test_batching_does_not_change_inverted_bertscore(bertscore: InvertedBertscore) -> None:
    layer = int(parts(bertscore)["layer"])
    one_by_one = InvertedBertscore(batch_size=1, layer=layer, device="cpu")
    predictions, references = [*A, "Short.", "word " * 60], [*B, "😀 great", "The pool is warm."]

    assert scores(one_by_one, predictions, references) == pytest.approx(
        scores(bertscore, predictions, references), abs=1e-3
    )


def test_the_evidence_of_inverted_bertscore_gives_its_score(bertscore: InvertedBertscore) -> None:
    result = bertscore.compute(predictions=A, references=B, details=True)

    for found in result["inverted_bertscore_details"]:
        precision, recall = found["precision"], found["recall"]
        assert found["f1"] == pytest.approx(2 * precision * recall / (precision + recall), abs=1e-4)
        assert found["score"] == pytest.approx(100 * (1 - found["f1"]), abs=1e-3)
        assert math.isfinite(found["score"])


def test_another_wording_is_nearer_than_another_subject(bertscore: InvertedBertscore) -> None:
    text = "The rooms are spotless and the staff are very kind."
    near, far = scores(
        bertscore,
        [text] * 2,
        ["The rooms are very clean and the staff are kind.", "My train to Paris left an hour late."],
    )

    assert near < far
