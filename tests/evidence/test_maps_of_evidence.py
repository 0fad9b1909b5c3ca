"""Maps: complete, self-contained, safe whatever the texts hold, and true to the evidence."""

from __future__ import annotations

import json
import pickle
import re
import shutil
import warnings
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimwise.errors import ClaimwiseError
from claimwise.maps import (
    STYLE,
    ContrastMap,
    contrast_fragment,
    contrast_map,
    details_html,
    evidence_fragment,
    support_fragment,
    support_map,
)
from claimwise.pipeline import Caspr, Metric, SummacZs, SupportCounts

SCRIPT = "<script>alert(1)</script>"
IMAGE = "<img src=x onerror=alert(1)>"
ENTITY = "Fish & chips cost < 5 \"quid\", 'really'"
HOSTILE = [SCRIPT, IMAGE, ENTITY]
ALLOWED = {"script", "img", "link", "iframe", "object", "embed", "form", "base"}
VOID = {"meta", "br"}


def contrast_evidence(claim_a: str, claim_b: str) -> dict[str, Any]:
    """Return evidence of the form that CASPR gives: one claim decided, two standing alone."""

    def reason(claim: str) -> dict[str, Any]:
        return {
            "index": 0,
            "claim": claim,
            "label": "contradiction",
            "as_premise": [0.01, 0.04, 0.95],
            "as_hypothesis": [0.02, 0.27, 0.71],
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
        self.tags: list[str] = []
        self.open: list[str] = []
        self.attributes: set[str] = set()
        self.texts: list[str] = []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] != "style":
            self.texts.append(data)

    @property
    def shown(self) -> str:
        return "".join(self.texts)


def check_is_safe_and_whole(source: str) -> Page:
    """Check that what was drawn can do nothing, loads nothing, and closes what it opens."""
    page = Page(source)
    assert not ALLOWED & set(page.tags)
    assert not {name for name in page.attributes if name.startswith("on")} | {"src", "href"} & page.attributes
    assert not re.search(r"https?:|url\(|@import", source)
    assert not page.open
    return page


# ---------------------------------------------------------------------------------------------
# what every drawing keeps
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hostile", HOSTILE)
def test_texts_of_a_contrast_map_are_shown_and_never_interpreted(hostile: str) -> None:
    drawn = ContrastMap(contrast_evidence(hostile, f"B says {hostile}"), signature=hostile)

    page = check_is_safe_and_whole(drawn.html(title=hostile))

    # title (head and heading), signature, each claim as itself, as a reason of the other, and in the matrix
    assert page.shown.count(hostile) == 2 + 1 + 2 + 2 + 2
    assert f"B says {hostile}" in page.shown


@pytest.mark.parametrize("hostile", HOSTILE)
def test_texts_of_a_support_map_are_shown_and_never_interpreted(
    support_counts: SupportCounts, summac_zs: SummacZs, hostile: str
) -> None:
    texts = {"predictions": [f"It says {hostile}."], "references": [[f"They say {hostile}.", "It rained."]]}
    for metric in (support_counts, summac_zs):
        result = metric.compute(**texts, details=True)

        page = check_is_safe_and_whole(support_map(result).html(title=hostile))

        for claim in _claims(result[f"{metric.name}_details"][0]):
            assert claim in page.shown


def test_evidence_of_every_metric_can_be_drawn_and_does_nothing(metrics: dict[str, Metric]) -> None:
    for name, metric in metrics.items():
        result = metric.compute(
            predictions=[f"The pool is warm but {IMAGE} small.", "The bar is cheap."],
            references=[f"The pool is cold. {SCRIPT}", "The bar is cheap."],
            details=True,
        )
        for evidence in result[f"{name}_details"]:
            check_is_safe_and_whole(evidence_fragment(name, evidence))


def test_words_and_sentences_of_other_metrics_are_shown(metrics: dict[str, Metric]) -> None:
    texts = {"predictions": ["The pool is warm but <small>.", "It rained."], "references": ["A pool.", "So."]}
    for name, expected in {
        "distinctiveness_score": "only a: warm",
        "complexity": "The pool is warm but <small>.",
        "genericity": "It rained.",
        "abstractiveness": "is warm but",
    }.items():
        evidence = metrics[name].compute(**texts, details=True)[f"{name}_details"][0]
        shown = Page(evidence_fragment(name, evidence)).shown
        for word in expected.split(": "):
            assert word in shown


@given(st.text(min_size=1).filter(lambda text: text.isprintable()))
def test_any_text_comes_out_as_it_went_in(text: str) -> None:
    source = contrast_fragment(contrast_evidence(text, text))

    (first, *_) = re.findall(r"<summary>.*?</span>(.*?)</summary>", source)
    assert unescape(first) == text
    assert Page(source).tags == Page(contrast_fragment(contrast_evidence("a", "b"))).tags


def test_the_style_touches_nothing_outside_the_drawing() -> None:
    rules = re.sub(r"/\*.*?\*/", "", STYLE, flags=re.DOTALL)
    rules = re.sub(r"@\w+ (\([^)]*\)|print) \{", "", rules)
    selectors = [selector.strip(" }\n") for selector in re.findall(r"([^{}]+)\{[^{}]*\}", rules)]

    assert len(selectors) > 50
    for selector in selectors:
        for part in re.split(r",(?![^(]*\))", selector):
            assert ".claimwise" in part, selector


# ---------------------------------------------------------------------------------------------
# contrast
# ---------------------------------------------------------------------------------------------


def test_a_contrast_map_shows_score_claims_verdicts_probabilities_both_ways_and_the_signature() -> None:
    evidence = contrast_evidence("The beds are soft.", "The beds are hard.")
    shown = Page(ContrastMap(evidence, "caspr|v:1").html()).shown

    for text in ("The beds are soft.", "The beds are hard.", "The pool is warm.", "Parking is free."):
        assert text in shown
    for text in ("CASPR 100.0", "≠ contradicts", "○ stands alone", "caspr|v:1", "A1 → B1", "B1 → A1"):
        assert text in shown
    for probability in ("0.01", "0.04", "0.95", "0.02", "0.27", "0.71"):
        assert probability in shown


def test_the_matrix_has_one_labelled_cell_per_comparison_with_the_higher_probability() -> None:
    source = contrast_fragment(contrast_evidence("The beds are soft.", "The beds are hard."))

    cells = re.findall(r'<td class="\w+"[^>]* title="(A\d and B\d: \w+)[^"]*">(.*?)</td>', source)
    assert cells == [
        ("A1 and B1: contradiction", "<b>≠</b> 0.95"),
        ("A1 and B2: neutral", "·"),
        ("A2 and B1: neutral", "·"),
        ("A2 and B2: neutral", "·"),
    ]


def test_claims_are_grouped_under_the_sentence_they_come_from_and_vacuous_ones_are_marked() -> None:
    evidence = contrast_evidence("The beds are soft.", "The beds are hard.")
    for claim in evidence["claims_a"]:
        claim["sentence"] = "The beds are soft and the pool is warm."
    shown = Page(contrast_fragment(evidence | {"vacuous_a": ["The pool is warm."], "vacuous_b": []})).shown

    assert shown.count("“The beds are soft and the pool is warm.”") == 1
    assert shown.count("says nothing") == 1


def test_the_evidence_of_a_real_pair_can_be_drawn_for_any_row(caspr: Caspr) -> None:
    texts = ["Rooms are clean & <b>bright</b>. The bar is cheap.", "The rooms are dirty. 😀 great!"]
    result = caspr.compute(
        predictions=["It rained.", texts[0]], references=["It snowed.", texts[1]], details=True
    )

    shown = Page(contrast_map(result, row=1).html()).shown

    assert all(claim in shown for claim in _claims(result["caspr_details"][1]))
    assert result["caspr_signature"] in shown
    assert "It rained." not in shown


def test_a_map_without_its_evidence_is_refused(caspr: Caspr) -> None:
    result = caspr.compute(predictions=["It rained."], references=["It snowed."], details=True)

    with pytest.raises(ClaimwiseError, match="row 1: the result has rows 0 to 0"):
        contrast_map(result, row=1)
    with pytest.raises(ClaimwiseError, match=r"support_counts .*details=True"):
        support_map(result)
    del result["caspr_details"]
    with pytest.raises(ClaimwiseError, match=r"caspr_details.*details=True"):
        contrast_map(result)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api")
    executable = shutil.which("chromium") or shutil.which("google-chrome")
    if executable is None:
        pytest.skip("no Chromium found")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_in_a_browser_pointing_tabbing_and_opening_show_what_decided_a_claim(
    browser: Any, scheme: str
) -> None:
    source = ContrastMap(contrast_evidence("The beds are soft.", "The beds are hard.")).html()
    page = browser.new_page(color_scheme=scheme)
    page.set_content(source)
    reasons = page.locator(".claim").nth(0).locator(".why")
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"

    assert dark == (scheme == "dark")
    assert not reasons.is_visible()
    page.locator(".claim").nth(0).hover()
    assert reasons.is_visible()
    assert "B1 → A1" in reasons.inner_text()
    page.mouse.move(0, 0)
    assert not reasons.is_visible()
    page.keyboard.press("Tab")
    assert reasons.is_visible()
    page.keyboard.press("Enter")
    page.locator("h1").click()  # focus elsewhere; what was opened stays
    assert reasons.is_visible()
    page.close()


@pytest.mark.slow
def test_in_a_browser_a_phone_needs_no_sideways_scrolling_and_long_texts_scroll_in_their_panel(
    browser: Any,
) -> None:
    evidence = contrast_evidence("The beds are soft. " * 400, "x" * 3000)
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.set_content(ContrastMap(evidence).html(title="y" * 500))

    for panel in page.locator(".panel").all():
        assert panel.bounding_box()["height"] <= 640
    page.locator(".claim").nth(0).click()
    assert page.locator(".why").nth(0).is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.close()


# ---------------------------------------------------------------------------------------------
# support
# ---------------------------------------------------------------------------------------------

POOL, BAR = "The pool is warm.", "The bar is open."
REVIEWS = [f"We came late. {POOL} It rained.", f"{POOL} {BAR}", "The pool is not warm.", POOL]


def test_a_support_map_shows_verdicts_sizes_and_sentences_in_their_context(
    support_counts: SupportCounts,
) -> None:
    result = support_counts.compute(
        predictions=[f"{POOL} {BAR} The soup was cold."], references=[REVIEWS], details=True
    )
    page = Page(support_fragment(result["support_counts_details"][0]))

    assert "1 · ✓ supported · 3 supporting sentences, 1 weakening sentence" in page.shown
    assert "~ thinly supported · 1 supporting sentence" in page.shown
    assert "○ unsupported · 0 supporting sentences" in page.shown
    assert "Review 1, sentence 2" in page.shown
    assert "We came late. The pool is warm. It rained." in page.shown
    assert "1 of 3 claims with 3 or more supporting sentences" in page.shown


@pytest.mark.parametrize("options", [{}, {"count_distinct_reviews": True}, {"drop_repeated_sentences": True}])
def test_another_threshold_gives_what_the_metric_gives_without_the_model(
    support_counts: SupportCounts, options: dict[str, bool]
) -> None:
    def computed(threshold: float) -> dict[str, Any]:
        metric = SupportCounts(nli_model=support_counts.spine.nli_model, threshold=threshold, **options)
        texts = {"predictions": [f"{POOL} {BAR} The soup was cold."], "references": [REVIEWS]}
        (evidence,) = metric.compute(**texts, details=True)["support_counts_details"]
        return dict(json.loads(json.dumps(evidence)))

    recorded = computed(0.75)
    for threshold in (0.0, 0.05, 0.7, 0.75, 1.0):
        assert support_fragment(recorded, threshold) == support_fragment(computed(threshold))
    assert support_fragment(recorded, 0.0) != support_fragment(recorded)


def test_a_threshold_that_cannot_be_is_refused(support_counts: SupportCounts) -> None:
    result = support_counts.compute(predictions=[POOL], references=[REVIEWS], details=True)
    evidence = result["support_counts_details"][0]

    with pytest.raises(ClaimwiseError, match="between 0 and 1; got 2"):
        support_fragment(evidence, 2)
    del evidence["premises"]
    with pytest.raises(ClaimwiseError, match=r"no scores of its premises.*details=True"):
        support_map(result, threshold=0.5).html()


def test_summac_claims_are_labelled_by_their_label_or_by_a_threshold(summac_zs: SummacZs) -> None:
    result = summac_zs.compute(
        predictions=[f"{BAR} The soup was cold. The bar is closed."], references=[BAR], details=True
    )
    (evidence,) = result["summac_zs_details"]

    assert re.findall(r"\d · . (\w+) · score", Page(support_fragment(evidence)).shown) == [
        "supported",
        "unsupported",
        "contradicted",
    ]
    everything = Page(support_fragment(evidence, 0.0)).shown
    assert re.findall(r"\d · . (\w+) · score", everything) == ["supported"] * 3


@pytest.mark.parametrize("granularity", ["two_sentences", "document", "topk"])
def test_context_is_never_repeated_where_premises_overlap(summac_zs: SummacZs, granularity: str) -> None:
    metric = SummacZs(nli_model=summac_zs.spine.nli_model, premise_granularity=granularity, k=1)
    source = "The sea is near. The pool is warm. The bar is open. A dog barked."
    result = metric.compute(predictions=[POOL], references=[source], details=True)

    shown = Page(support_fragment(result["summac_zs_details"][0])).shown

    assert shown.count(POOL) == 2  # the claim, and once in the source


# ---------------------------------------------------------------------------------------------
# figures, files, notebooks
# ---------------------------------------------------------------------------------------------

BEGINNINGS = {".pdf": b"%PDF", ".svg": b"<?xml", ".png": b"\x89PNG", ".html": b"<!DOCTYPE html>"}


@pytest.mark.parametrize("suffix", list(BEGINNINGS))
def test_maps_are_saved_as_what_their_name_says(
    caspr: Caspr, support_counts: SupportCounts, summac_zs: SummacZs, tmp_path: Path, suffix: str
) -> None:
    texts: dict[str, Any] = {
        "predictions": [f"{POOL} It costs $5 or $6."],
        "references": ["The pool is cold."],
    }
    maps = [contrast_map(caspr.compute(**texts, details=True))]
    maps += [support_map(metric.compute(**texts, details=True)) for metric in (support_counts, summac_zs)]
    for number, drawn in enumerate(maps):
        path = tmp_path / "new" / f"{number}{suffix}"
        drawn.save(path)

        assert path.read_bytes().startswith(BEGINNINGS[suffix])
        assert path.stat().st_size > 5000


def test_figures_show_every_claim_wrapped_inside_the_sheet() -> None:
    long = "The rooms that look out over the harbour are so quiet that nobody would believe it. " * 3
    figure = ContrastMap(contrast_evidence(f"{long}It is $5 & $6.", "x" * 200)).figure()

    figure.draw_without_rendering()
    texts = figure.axes[0].texts
    shown = re.sub(r"\s", "", "".join(text.get_text() for text in texts))
    assert re.sub(r"\s", "", long) in shown
    assert "$5&$6" in shown
    assert "x" * 200 in shown
    for text in texts:
        box, sheet = text.get_window_extent(), figure.bbox
        assert box.x0 >= 0
        assert box.y0 >= 0
        assert box.x1 <= sheet.x1
        assert box.y1 <= sheet.y1
    assert {"≠ 0.95", "·"} <= {text.get_text() for text in texts}  # readable without colours
    assert {patch.get_hatch() for patch in figure.axes[0].patches} == {"////", ""}


@pytest.mark.parametrize("name", ["map", "map.docx"])
def test_an_unknown_kind_of_file_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ClaimwiseError, match=r"unknown kind of map.*\.pdf"):
        ContrastMap(contrast_evidence("a", "b")).save(tmp_path / name)
    assert not [*tmp_path.iterdir()]


def test_a_place_that_cannot_be_written_to_is_an_error_of_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for suffix in (".pdf", ".html"):
        with pytest.raises(ClaimwiseError, match="cannot be written"):
            ContrastMap(contrast_evidence("a", "b")).save(tmp_path / "file" / f"map{suffix}")


def test_a_notebook_shows_maps_of_the_details_and_they_stay_plain_data(metrics: dict[str, Metric]) -> None:
    for name, metric in metrics.items():
        result = metric.compute(
            predictions=["The pool is warm.", IMAGE + " says hello."],
            references=["The bar is open."] * 2,
            details=True,
        )
        details = result[f"{name}_details"]

        page = check_is_safe_and_whole(details._repr_html_())
        assert page.shown.count("Row ") >= 2
        assert json.loads(json.dumps(result)) == result
        assert pickle.loads(pickle.dumps(result)) == result


def test_a_notebook_shows_the_first_rows_of_many() -> None:
    source = details_html("caspr", [contrast_evidence("a", "b")] * 25)

    assert source.count('class="example"') == 20
    assert "5 more rows" in source


def test_drawing_warns_of_nothing(caspr: Caspr, tmp_path: Path) -> None:
    result = caspr.compute(predictions=["≠ The café is € 5."], references=["○ ✓ Größe"], details=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        contrast_map(result).save(tmp_path / "map.pdf")


def _claims(found: dict[str, Any]) -> Iterator[str]:
    for key in ("claims", "claims_a", "claims_b", "hypotheses"):
        for claim in found.get(key, []):
            yield claim["claim"] if "claim" in claim else claim["hypothesis"]
