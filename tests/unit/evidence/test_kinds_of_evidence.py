"""Kinds of evidence: the same as dicts and back, named in them, open to those of others."""

from __future__ import annotations

import json
import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from evidence_examples import KINDS, contrast_evidence, golden
from pages import Page, check_is_safe_and_whole

import claimwise.evidence
from claimwise.errors import ClaimwiseError
from claimwise.evidence import (
    ContrastEvidence,
    EmbeddingEvidence,
    Evidence,
    FeatureEvidence,
    OtherEvidence,
    SupportEvidence,
    TokenEvidence,
    evidence_of,
    fragment,
    kind_of,
)
from claimwise.evidence.kinds import WeightedFeature

TOKENS = {"kind": "tokens", "score": 50.0, "shared": ["pool"], "only_a": ["warm"], "only_b": ["cold"]}


@pytest.mark.parametrize("metric", KINDS)
def test_golden_evidence_is_found_by_its_kind_and_goes_to_and_fro_unchanged(metric: str) -> None:
    found = golden(metric)

    assert found
    for evidence in found:
        assert evidence["kind"] == KINDS[metric].kind
        assert kind_of(evidence) is KINDS[metric]
        typed = evidence_of(evidence)
        assert type(typed) is KINDS[metric]
        assert typed.as_dict() == evidence
        assert json.loads(json.dumps(typed.as_dict())) == evidence
        assert pickle.loads(pickle.dumps(typed)) == typed
        assert evidence_of(typed) is typed


def test_the_golden_cases_hold_every_kind() -> None:
    own = {kind for kind in Evidence.__subclasses__() if kind.__module__.startswith("claimwise.")}

    assert own == {*KINDS.values(), OtherEvidence}


@pytest.mark.parametrize(
    ("kind", "changed", "said"),
    [
        (ContrastEvidence, {"labels": [["neutral"]]}, "must form a matrix"),
        (
            ContrastEvidence,
            {"labels": [["maybe", "neutral"], ["neutral", "neutral"]]},
            "`maybe` is not a label",
        ),
        (ContrastEvidence, {"claims_a": "x"}, "“x” is not a list"),
        (ContrastEvidence, {"claims_a": ["x"]}, "“x” is not a dict"),
        (ContrastEvidence, {"score": "1"}, "“1” is not a number"),
        (ContrastEvidence, {"score": True}, "“True” is not a number"),
        (ContrastEvidence, {"further": 1}, "unknown key further"),
        (TokenEvidence, {"shared": [3]}, "“3” is not a text"),
    ],
)
def test_a_dict_of_another_form_is_refused(kind: type[Evidence], changed: dict[str, Any], said: str) -> None:
    evidence = (contrast_evidence("a", "b") if kind is ContrastEvidence else TOKENS) | changed

    with pytest.raises(ClaimwiseError, match=rf"This is not {kind.kind} evidence .*{said}.*details=True"):
        kind.from_dict(evidence)


def test_wrong_verdicts_and_probabilities_are_refused() -> None:
    evidence = contrast_evidence("a", "b")
    evidence["claims_a"][1]["verdict"] = "argues"
    with pytest.raises(ClaimwiseError, match="`argues` is not a verdict"):
        evidence_of(evidence)
    evidence = contrast_evidence("a", "b")
    evidence["claims_b"][0]["related"][0]["as_premise"] = [0.5, 0.5]
    with pytest.raises(ClaimwiseError, match="is not a list of 3"):
        evidence_of(evidence)


def test_where_a_certain_kind_is_needed_others_are_refused() -> None:
    assert isinstance(evidence_of(TOKENS, TokenEvidence, SupportEvidence), TokenEvidence)
    with pytest.raises(ClaimwiseError, match="tokens evidence, not support or contrast evidence"):
        evidence_of(TOKENS, SupportEvidence, ContrastEvidence)
    with pytest.raises(ClaimwiseError, match="other evidence, not support evidence"):
        evidence_of({"kind": "mine", "score": 1.0}, SupportEvidence)
    with pytest.raises(ClaimwiseError, match="A str is not evidence"):
        evidence_of("warm")  # type: ignore[arg-type]


def test_evidence_of_an_unknown_kind_keeps_its_content_and_is_drawn() -> None:
    near_misses = [{"a": 1.25, "b": None}]
    evidence = {
        "kind": "of someone else",
        "score": 1,
        "near_misses": near_misses,
        "on": True,
        "no": [],
        "why": "<b>",
    }

    typed = evidence_of(evidence)

    assert typed == OtherEvidence(score=1, content=evidence)
    assert typed.as_dict() == evidence
    assert evidence_of({"kind": "other", "score": "x"}).score is None
    shown = check_is_safe_and_whole(fragment(typed)).shown
    for text in ("near misses", "1.250", "none", "True", "<b>"):
        assert text in shown
    assert "of someone else" not in shown


def test_evidence_without_a_kind_is_refused_with_what_to_do() -> None:
    without = {key: value for key, value in TOKENS.items() if key != "kind"}

    for read in (evidence_of, fragment, kind_of):
        with pytest.raises(ClaimwiseError) as caught:
            read(without)
        assert "details=True" in caught.value.remedy


def test_a_feature_that_adds_next_to_nothing_takes_nothing_away() -> None:
    feature = WeightedFeature(name="contradiction", value=0.45, weight=-0.0004, adds=-0.0002)

    shown = check_is_safe_and_whole(fragment(FeatureEvidence(score=0.0, features=(feature,)))).shown

    assert "+0.00" in shown
    assert "−0.00" not in shown


def test_evidence_nested_too_deeply_is_refused() -> None:
    evidence: dict[str, Any] = {}
    for _ in range(600):
        evidence = {"kind": "other", "score": 1.0, "inner": evidence}

    with pytest.raises(ClaimwiseError, match="nested too deeply"):
        fragment(evidence)


def test_who_adds_a_subclass_adds_a_kind() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Readability(Evidence):
        kind = "readability"
        long_words: tuple[str, ...]
        grade: float | None = None

    @dataclass(frozen=True, kw_only=True)
    class Rounded(EmbeddingEvidence):
        kind = "rounded"

    own = {"kind": "readability", "score": 3.0, "long_words": ["<i>antidisestablishmentarianism</i>"]}
    assert kind_of(own) is Readability
    typed = evidence_of(own)
    assert typed.as_dict() == own
    assert "<i>antidis" in Page(fragment(typed)).shown
    values = {"score": 1.0, "precision": 0.1, "recall": 0.1, "f1": 0.1}
    for kind in (EmbeddingEvidence, Rounded):
        assert type(evidence_of(kind(**values).as_dict())) is kind
    assert fragment(Rounded(**values)) == fragment(EmbeddingEvidence(**values))


def test_evidence_knows_no_metric() -> None:
    folder = Path(claimwise.evidence.__file__).parent
    names = {*KINDS, "CASPR", "SummaC"}
    for path in (path for path in folder.rglob("*") if path.suffix in (".py", ".jinja", ".css")):
        words = path.read_text(encoding="utf-8").lower()
        # Genericity is a kind of evidence too.
        assert not [name for name in names - {"genericity"} if name.lower() in words], path
