"""Contrast maps: complete, self-contained, and safe whatever the texts hold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimwise.maps import contrast_map
from claimwise.pipeline import Caspr

SCRIPT = "<script>alert(1)</script>"
IMAGE = "<img src=x onerror=alert(1)>"
ENTITY = "Fish & chips cost < 5 \"quid\", 'really'"


def evidence(claim_a: str, claim_b: str) -> dict[str, Any]:
    """Return evidence of the form that the pipeline gives: one claim decided, two standing alone."""

    def reason(claim: str) -> dict[str, Any]:
        probabilities = [0.01, 0.04, 0.95]
        return {
            "index": 0,
            "claim": claim,
            "label": "contradiction",
            "as_premise": probabilities,
            "as_hypothesis": probabilities,
        }

    def claim(text: str, *reasons: dict[str, Any]) -> dict[str, Any]:
        verdict = "contradicts" if reasons else "stands alone"
        return {"claim": text, "sentence": text, "score": 1, "verdict": verdict, "decided_by": [*reasons]}

    return {
        "score": 100.0,
        "claims_a": [claim(claim_a, reason(claim_b)), claim("The pool is warm.")],
        "claims_b": [claim(claim_b, reason(claim_a)), claim("Parking is free.")],
        "labels": [["contradiction", "neutral"], ["neutral", "neutral"]],
    }


class Page(HTMLParser):
    """The tags, attributes and visible texts of a page, as a browser would see them."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.texts: list[str] = []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@pytest.mark.parametrize("hostile", [SCRIPT, IMAGE, ENTITY])
def test_texts_are_shown_and_never_interpreted(hostile: str) -> None:
    source = contrast_map(evidence(hostile, f"B says {hostile}"), title=hostile, signature=hostile)

    page = Page(source)
    assert not {"script", "img"} & page.tags
    assert not {name for name in page.attributes if name.startswith("on")}
    shown = "".join(page.texts)
    # title (head and heading), signature, each claim as itself and as the reason of the other
    assert shown.count(hostile) == 2 + 1 + 2 + 2
    assert f"B says {hostile}" in shown


def test_needs_no_network_and_no_script() -> None:
    source = contrast_map(evidence("The beds are soft.", "The beds are hard."), signature="caspr|version:1")

    assert "http" not in source
    assert "url(" not in source
    assert "@import" not in source
    assert not {"script", "link", "iframe", "object", "embed"} & Page(source).tags
    assert not {"src", "href"} & Page(source).attributes


def test_shows_score_every_claim_every_verdict_and_the_signature() -> None:
    page = Page(contrast_map(evidence("The beds are soft.", "The beds are hard."), signature="caspr|v:1"))

    shown = "".join(page.texts)
    for text in ("The beds are soft.", "The beds are hard.", "The pool is warm.", "Parking is free."):
        assert text in shown
    for text in ("CASPR 100.0", "contradicts", "stands alone", "caspr|v:1", "A1", "A2", "B1", "B2"):
        assert text in shown


def test_the_table_has_one_cell_per_comparison() -> None:
    source = contrast_map(evidence("The beds are soft.", "The beds are hard."))

    assert re.findall(r'<td class="(\w+)"', source) == ["contradiction", "neutral", "neutral", "neutral"]


@given(st.text(min_size=1).filter(lambda text: text.isprintable()))
def test_any_text_comes_out_as_it_went_in(text: str) -> None:
    source = contrast_map(evidence(text, text), title="T")

    assert f"<div>{'The pool is warm.'}</div>" in source
    (first, *_) = re.findall(r"<details><summary>(.*?)</summary>", source)
    assert unescape(first) == text
    assert Page(source).tags == Page(contrast_map(evidence("a", "b"), title="T")).tags


def test_the_evidence_of_a_real_pair_can_be_drawn(caspr: Caspr) -> None:
    texts = ["Rooms are clean & <b>bright</b>. The bar is cheap.", "The rooms are dirty. 😀 great!"]
    result = caspr.compute(predictions=texts[:1], references=texts[1:], details=True)
    (found,) = result["caspr_details"]

    shown = "".join(Page(contrast_map(found, signature=result["caspr_signature"])).texts)

    assert all(claim in shown for claim in _claims(found))
    assert result["caspr_signature"] in shown


def _claims(found: dict[str, Any]) -> Iterator[str]:
    return (claim["claim"] for side in ("claims_a", "claims_b") for claim in found[side])
