"""Drawings of evidence: complete, self-contained, safe whatever the texts hold, and true to the evidence."""

from __future__ import annotations

import io
import json
import pickle
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from evidence_examples import KINDS, contrast_evidence, golden, golden_cases
from hypothesis import given
from hypothesis import strategies as st
from pages import HOSTILE, IMAGE, SCRIPT, Page, check_is_safe_and_whole
from rich.console import Console

import claimwise
from claimwise.errors import ClaimwiseError
from claimwise.evidence import (
    STYLE,
    Details,
    EvidenceMap,
    GenericityEvidence,
    contrast_map,
    evidence_of,
    example,
    fragment,
    maps_html,
    page,
    print_evidence,
    save_map,
    support_map,
)
from claimwise.evidence.marks import CONTRAST_MARKS, PREVALENCE_MARKS
from claimwise.labels import LABELS

if TYPE_CHECKING:
    from claimwise import Caspr, NLIModel, SummacZs, SupportCounts
    from claimwise.metrics import Metric

# ---------------------------------------------------------------------------------------------
# what every drawing keeps
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hostile", HOSTILE)
def test_texts_of_a_contrast_map_are_shown_and_never_interpreted(hostile: str) -> None:
    drawn = EvidenceMap(contrast_evidence(hostile, f"B says {hostile}"), signature=hostile)

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


@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize("metric", KINDS)
def test_texts_of_every_kind_are_shown_and_never_interpreted(metric: str, hostile: str) -> None:
    for evidence in _first_of_each_case(metric):
        for draw in (fragment, lambda found: example("x", 0, found), lambda found: EvidenceMap(found).html()):
            harmless = check_is_safe_and_whole(draw(_with_texts(evidence, "It rained")))
            drawn = check_is_safe_and_whole(draw(_with_texts(evidence, hostile)))

            assert drawn.tags == harmless.tags
            assert drawn.shown.count(hostile) == harmless.shown.count("It rained")
    assert metric == "inverted_bertscore" or "It rained" in harmless.shown


@pytest.mark.parametrize("metric", KINDS)
def test_texts_of_every_kind_are_printed_as_they_are(metric: str) -> None:
    hostile = "[bold]x[/bold]"
    for evidence in _first_of_each_case(metric):
        printed = _printed(_with_texts(evidence, hostile), hostile)

        assert printed.replace(hostile, "").count("bold") == 0
        assert printed.count(hostile) > (metric != "inverted_bertscore")


@pytest.mark.slow
@pytest.mark.parametrize("metric", KINDS)
def test_all_golden_evidence_is_drawn_and_printed_alike_from_dicts_and_typed(metric: str) -> None:
    for evidence in golden(metric):
        typed = evidence_of(evidence)
        drawn = fragment(evidence)

        check_is_safe_and_whole(drawn)
        assert fragment(typed) == drawn
        assert _printed(typed) == _printed(evidence)


def test_names_titles_and_signatures_are_shown_and_never_interpreted() -> None:
    for hostile in HOSTILE:
        drawn = page(
            hostile,
            example(hostile, 3, {"kind": "other", "score": None, hostile: [{hostile: hostile}]}),
            [hostile],
        )

        assert check_is_safe_and_whole(drawn).shown.count(hostile.replace("_", " ")) == 2 + 1 + 3 + 1


def test_evidence_without_a_score_is_drawn() -> None:
    for metric in KINDS:
        evidence = golden(metric)[0] | {"score": None}

        check_is_safe_and_whole(example(metric, 0, evidence))
        _printed(evidence)
        if metric in ("caspr", "support_counts", "summac_zs"):
            assert " none" in Page(fragment(evidence)).shown
            EvidenceMap(evidence).figure()


def test_evidence_without_claims_is_drawn() -> None:
    for metric, empty in {
        "caspr": {"claims_a": [], "claims_b": [], "labels": []},
        "support_counts": {"claims": []},
        "summac_zs": {"hypotheses": []},
    }.items():
        evidence = golden(metric)[0] | empty

        check_is_safe_and_whole(fragment(evidence))
        _printed(evidence)
        EvidenceMap(evidence).figure()


@pytest.mark.slow
def test_evidence_of_every_metric_can_be_drawn_and_does_nothing(metrics: dict[str, Metric]) -> None:
    for name, metric in metrics.items():
        result = metric.compute(
            predictions=[f"The pool is warm but {IMAGE} small.", "The bar is cheap."],
            references=[f"The pool is cold. {SCRIPT}", "The bar is cheap."],
            details=True,
        )
        for evidence in result[f"{name}_details"]:
            assert type(evidence_of(evidence)) is KINDS[name]
            check_is_safe_and_whole(fragment(evidence))


def test_each_kind_of_evidence_shows_what_decided(metrics: dict[str, Metric]) -> None:
    first = "The pool is warm but <smal>. The staff were kind."
    texts = {
        "predictions": [first, "It rained."],
        "references": ["A pool is warm. The staff were rude.", "So."],
    }
    for name, expected in {
        "distinctiveness_score": ("In both: 7", "Only in A: 5", "kind", "Only in B: 2", "rude"),
        "complexity": ("50.0", "1 of 2 sentences", "⇄ contrasts: but", "○ no contrast"),
        "genericity": ("The staff were kind.", "by summary 2: “It rained.”", "★ specific"),
        "abstractiveness": ("3 words 80 %", "pool is warm", "is warm but < smal > ."),
        "inverted_bertscore": ("precision", "F1"),
    }.items():
        evidence = metrics[name].compute(**texts, details=True)[f"{name}_details"][0]
        shown = " ".join(Page(fragment(evidence)).texts)
        for words in expected:
            assert words in shown


def test_a_summary_that_a_sample_left_out_has_no_mark_on_its_scale() -> None:
    evidence = GenericityEvidence(score=None, fraction=None, average_idf=1.5, claims=(), sentences=())
    assert 'aria-label="Genericity none on a scale from −1 to 1"></div>' in fragment(evidence)


@given(st.text(min_size=1).filter(lambda text: text.isprintable()))
def test_any_text_comes_out_as_it_went_in(text: str) -> None:
    source = fragment(contrast_evidence(text, text))

    (first, *_) = re.findall(r"<summary>.*?</span>(.*?)</summary>", source)
    assert unescape(first) == text
    assert Page(source).tags == Page(fragment(contrast_evidence("a", "b"))).tags


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
    shown = Page(EvidenceMap(evidence, "caspr|v:1").html()).shown

    for text in ("The beds are soft.", "The beds are hard.", "The pool is warm.", "Parking is free."):
        assert text in shown
    for text in ("Contrast 100.0", "≠ contradicts", "○ stands alone", "caspr|v:1", "A1 → B1", "B1 → A1"):
        assert text in shown
    for probability in ("0.01", "0.04", "0.95", "0.02", "0.27", "0.71"):
        assert probability in shown


def test_the_matrix_has_one_labelled_cell_per_comparison_with_the_higher_probability() -> None:
    source = fragment(contrast_evidence("The beds are soft.", "The beds are hard."))

    cells = re.findall(r'<td class="\w+"[^>]* title="(A\d and B\d: \w+)[^"]*">(.*?)</td>', source)
    assert cells == [
        ("A1 and B1: contradiction", "<b>≠</b> 0.95"),
        ("A1 and B2: neutral", "·"),
        ("A2 and B1: neutral", "·"),
        ("A2 and B2: neutral", "·"),
    ]


def test_a_contrast_map_says_what_decided_a_claim_by_strength_everywhere() -> None:
    evidence = contrast_evidence("The beds are soft.", "The beds are hard.") | {"strongest": 75.0}
    (claim, _), agreeing = evidence["claims_a"], {"as_premise": [0.96, 0.0, 0.04]}
    claim["related"].append(claim["related"][0] | {"index": 1, "label": "entailment"} | agreeing)
    evidence["labels"][0][1] = "entailment"
    console = Console(file=io.StringIO(), width=200)
    print_evidence(
        console, evidence | {"claims_a": [claim | {"strongest": 1}, *evidence["claims_a"][1:]]}, "T"
    )

    shown = Page(fragment(evidence | {"claims_a": [claim | {"strongest": 1}, evidence["claims_a"][1]]})).shown

    assert "By the strongest comparison 75.0" in shown
    assert "≠ contradicts B1, B2 · strongest comparison: = agrees B2" in shown
    assert shown.count("strongest comparison:") == 1  # only where several comparisons decide
    assert (
        "strongest comparison" not in Page(fragment(contrast_evidence("a", "b"))).shown.lower()
    )  # of an earlier version
    printed = console.file.getvalue()  # type: ignore[attr-defined]
    assert "T, by the strongest comparison 75.0" in printed
    assert "strongest comparison: agrees, B2" in printed
    title = EvidenceMap(evidence).figure().axes[0].texts[0].get_text()
    assert title == "Contrast 100.0, by the strongest comparison 75.0"


def test_a_map_of_one_of_several_rows_says_which_it_draws(support_counts: SupportCounts) -> None:
    summaries, reviews = ["The pool is warm.", "It rained."], [["The pool is warm."], ["It rained."]]
    result = support_counts.compute(
        predictions=summaries, references=reviews, ids=["one", "two"], details=True
    )
    drawn = support_map(result)
    for shown in (check_is_safe_and_whole(drawn.html()).shown, Page(drawn._repr_html_()).shown):
        assert "Row 0 (one) of rows 0 to 1" in shown
    assert "Row 1 (two) of rows 0 to 1" in repr(support_map(result, 1))
    only = support_counts.compute(predictions=summaries[:1], references=reviews[:1], details=True)
    assert "of rows" not in support_map(only).html()
    assert "of rows" not in support_map(result["support_counts_details"][1]).html()


def test_claims_are_grouped_under_the_sentence_they_come_from_and_vacuous_ones_are_marked() -> None:
    evidence = contrast_evidence("The beds are soft.", "The beds are hard.")
    for claim in evidence["claims_a"]:
        claim["sentence"] = "The beds are soft and the pool is warm."
    shown = Page(fragment(evidence | {"vacuous_a": ["The pool is warm."], "vacuous_b": []})).shown

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


def test_a_map_without_its_evidence_is_refused(caspr: Caspr, tmp_path: Path) -> None:
    result = caspr.compute(predictions=["It rained."], references=["It snowed."], details=True)

    with pytest.raises(ClaimwiseError, match="row 1: the result has rows 0 to 0"):
        contrast_map(result, row=1)
    with pytest.raises(ClaimwiseError, match=r"no support or entailment evidence.*details=True"):
        support_map(result)
    del result["caspr_details"]
    with pytest.raises(ClaimwiseError, match=r"no contrast evidence.*details=True"):
        contrast_map(result)
    with pytest.raises(ClaimwiseError, match=r"no evidence.*details=True"):
        save_map(result, tmp_path / "map.html")
    with pytest.raises(ClaimwiseError, match="This is contrast evidence, not support or entailment evidence"):
        support_map(contrast_evidence("a", "b"))


def test_a_map_is_drawn_of_the_evidence_itself(caspr: Caspr) -> None:
    result = caspr.compute(predictions=["It rained."], references=["It snowed."], details=True)
    (evidence,) = result["caspr_details"]

    for found in (evidence, evidence_of(evidence)):
        assert contrast_map(found).fragment() == contrast_map(result).fragment()


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
    source = EvidenceMap(contrast_evidence("The beds are soft.", "The beds are hard.")).html()
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
def test_in_a_browser_a_phone_needs_no_sideways_scrolling_and_cuts_no_claim_off(browser: Any) -> None:
    evidence = contrast_evidence("The beds are soft. " * 400, "x" * 3000)
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.set_content(EvidenceMap(evidence).html(title="y" * 500))

    assert _cut_off(page) == []
    page.locator(".claim").nth(0).click()
    assert page.locator(".why").nth(0).is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.close()


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1280])
def test_in_a_browser_a_list_of_claims_is_shown_whole(browser: Any, width: int) -> None:
    many = golden("support_counts")[0]
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.set_content(EvidenceMap(many | {"claims": many["claims"] * 30}).html())
    assert _cut_off(page) == []
    page.set_content(EvidenceMap(golden("ssas")[0]).html())
    assert _cut_off(page) == []
    page.close()


def _cut_off(page: Any) -> list[str]:
    """Return the texts of the panels that hide a part of what they hold."""
    found: list[str] = page.evaluate(
        "[...document.querySelectorAll('.panel')].filter(p => p.scrollHeight > p.clientHeight + 1)"
        ".map(p => p.textContent)"
    )
    return found


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
    page = Page(fragment(result["support_counts_details"][0]))

    assert "1 · ✓ supported · 3 supporting sentences, 1 weakening sentence" in page.shown
    assert "~ thinly supported · 1 supporting sentence" in page.shown
    assert "○ unsupported · 0 supporting sentences" in page.shown
    assert "Review 1, sentence 2" in page.shown
    assert "We came late. The pool is warm. It rained." in page.shown
    assert "1 of 3 claims with 3 or more supporting sentences" in page.shown


@pytest.mark.parametrize("case", golden_cases("support_counts")[:6], ids=lambda case: case.name)
def test_a_support_map_is_drawn_for_another_threshold_without_the_model(case: Any) -> None:
    for evidence in case.details:
        assert fragment(evidence, evidence["threshold"]) == fragment(evidence)
        assert f"at most −{0.05:g}." in Page(fragment(evidence, 0.05)).shown
    assert any(fragment(evidence, 0.0) != fragment(evidence) for evidence in case.details)


def test_a_threshold_that_cannot_be_is_refused() -> None:
    (case, *_) = golden_cases("support_counts")

    with pytest.raises(ClaimwiseError, match="between 0 and 1; got 2"):
        fragment(case.details[0], 2)
    evidence = {key: value for key, value in case.details[0].items() if key != "premises"}
    with pytest.raises(ClaimwiseError, match=r"no scores of its premises.*details=True"):
        EvidenceMap(evidence, threshold=0.5).html()
    assert "supporting" in EvidenceMap(evidence).html()


def test_summac_claims_are_labelled_by_their_label_or_by_a_threshold(summac_zs: SummacZs) -> None:
    result = summac_zs.compute(
        predictions=[f"{BAR} The soup was cold. The bar is closed."], references=[BAR], details=True
    )
    (evidence,) = result["summac_zs_details"]

    assert re.findall(r"\d · . (\w+) · score", Page(fragment(evidence)).shown) == [
        "supported",
        "unsupported",
        "contradicted",
    ]
    everything = Page(fragment(evidence, 0.0)).shown
    assert re.findall(r"\d · . (\w+) · score", everything) == ["supported"] * 3


@pytest.mark.parametrize("granularity", ["two_sentences", "document", "topk"])
def test_context_is_never_repeated_where_premises_overlap(nli_model: NLIModel, granularity: str) -> None:
    best_alone = {"k": 1} if granularity == "topk" else {}
    metric = claimwise.load("summac_zs", judge=nli_model, premise_granularity=granularity, **best_alone)
    source = "The sea is near. The pool is warm. The bar is open. A dog barked."
    result = metric.compute(predictions=[POOL], references=[source], details=True)

    shown = Page(fragment(result["summac_zs_details"][0])).shown

    assert shown.count(POOL) == 2  # the claim, and once in the source


# ---------------------------------------------------------------------------------------------
# figures, files, notebooks
# ---------------------------------------------------------------------------------------------

BEGINNINGS = {".pdf": b"%PDF", ".svg": b"<?xml", ".png": b"\x89PNG", ".html": b"<!DOCTYPE html>"}


@pytest.mark.slow
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


def test_bars_of_a_support_figure_stand_beside_the_claims() -> None:
    (evidence, *_) = (
        details
        for case in golden_cases("support_counts")
        for details in case.details
        if any(claim["weakening"] for claim in details["claims"])
    )

    axes = EvidenceMap(evidence).figure().axes[0]

    claims, (zero, _) = [text for text in axes.texts if text.get_ha() == "right"], axes.lines[0].get_xdata()
    ends = [(patch.get_x(), patch.get_x() + patch.get_width()) for patch in axes.patches]
    assert len(claims) == len(evidence["claims"])
    assert min(start for start, _ in ends) > max(text.get_position()[0] for text in claims)
    assert all(zero == pytest.approx(start) or zero == pytest.approx(end) for start, end in ends)


@pytest.mark.parametrize("width", [None, 3.3, 6.9])
def test_figures_show_every_claim_wrapped_inside_the_sheet(width: float | None) -> None:
    long = "The rooms that look out over the harbour are so quiet that nobody would believe it. " * 3
    figure = EvidenceMap(contrast_evidence(f"{long}It is $5 & $6.", "x" * 200)).figure(width)

    assert width in (None, figure.get_figwidth())
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
    with pytest.raises(ClaimwiseError, match=r"unknown file type for a map.*\.pdf"):
        EvidenceMap(contrast_evidence("a", "b")).save(tmp_path / name)
    assert not [*tmp_path.iterdir()]


def test_a_place_that_cannot_be_written_to_is_an_error_of_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for suffix in (".pdf", ".html"):
        with pytest.raises(ClaimwiseError, match="cannot be written"):
            EvidenceMap(contrast_evidence("a", "b")).save(tmp_path / "file" / f"map{suffix}")


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
    source = Details("caspr", [contrast_evidence("a", "b")] * 25)._repr_html_()

    assert source.count('class="example"') == 20
    assert "5 more rows" in source


def test_drawing_warns_of_nothing(caspr: Caspr, tmp_path: Path) -> None:
    result = caspr.compute(predictions=["≠ The café is € 5."], references=["○ ✓ Größe"], details=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        contrast_map(result).save(tmp_path / "map.pdf")


def test_any_result_can_be_saved_and_is_found_by_the_kind_of_its_evidence(tmp_path: Path) -> None:
    for metric in KINDS:
        result = golden_cases(metric)[0].result
        save_map(result, tmp_path / f"{metric}.html", row=1)

        shown = check_is_safe_and_whole((tmp_path / f"{metric}.html").read_text(encoding="utf-8")).shown
        assert result[f"{metric}_signature"] in shown
        renamed = {key.replace(metric, "mine"): value for key, value in result.items()}
        save_map(renamed, str(tmp_path / "mine.html"), row=1)
        assert (tmp_path / "mine.html").stat().st_size > 5000
    assert "Evidence: complexity" in (tmp_path / "complexity.html").read_text(encoding="utf-8")
    with pytest.raises(ClaimwiseError, match=r"map\.pdf: n-grams evidence has no figure\..*\.html"):
        save_map(golden_cases("abstractiveness")[0].result, tmp_path / "map.pdf")
    together = golden_cases("summac_zs")[0].result | golden_cases("support_counts")[0].result
    assert support_map(together).evidence.kind == "support"
    assert support_map(together).signature.startswith("support_counts")


def test_details_are_a_list_that_is_shown_under_its_name() -> None:
    details = Details("mine & yours", golden("complexity"))

    assert details == golden("complexity")
    assert pickle.loads(pickle.dumps(details)).name == "mine & yours"
    assert "Row 0 · mine & yours" in Page(details._repr_html_()).shown


def test_evidence_is_imported_without_what_draws_it() -> None:
    heavy = {"jinja2", "matplotlib", "rich", "torch"}
    script = f"import sys, claimwise.evidence; print(*{heavy} & {{*sys.modules}})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert not done.stdout.strip()


def _first_of_each_case(metric: str) -> list[dict[str, Any]]:
    return [case.details[0] for case in golden_cases(metric) if case.details]


KEPT = {*LABELS, *CONTRAST_MARKS, *PREVALENCE_MARKS, *(kind.kind for kind in KINDS.values())}


def _with_texts(value: Any, text: str) -> Any:
    """Return evidence whose texts, numbered so that they differ, all hold ``text``."""
    numbers = iter(range(100_000))

    def changed(value: Any) -> Any:
        if isinstance(value, dict):
            kept = value.keys() & {"idf"}
            return {key: inner if key in kept else changed(inner) for key, inner in value.items()} | {
                key: {f"{text} {next(numbers)}": number for number in value[key].values()} for key in kept
            }
        if isinstance(value, list):
            return [changed(inner) for inner in value]
        return f"{text} {next(numbers)}" if isinstance(value, str) and value not in KEPT else value

    return changed(value)


def _printed(evidence: Any, title: str = "x") -> str:
    console = Console(file=io.StringIO(), width=10_000, color_system=None)
    print_evidence(console, evidence, title)
    printed: str = console.file.getvalue()  # type: ignore[attr-defined]
    return printed


def _claims(found: dict[str, Any]) -> Iterator[str]:
    for key in ("claims", "claims_a", "claims_b", "hypotheses"):
        for claim in found.get(key, []):
            yield claim["claim"] if "claim" in claim else claim["hypothesis"]


def test_a_page_of_maps_has_the_evidence_of_every_row() -> None:
    result = {"pyramid": 0.5, "pyramid_details": golden("pyramid"), "pyramid_signature": "pyramid|x"}

    drawn = check_is_safe_and_whole(maps_html(result))

    for row in range(len(golden("pyramid"))):
        assert f"Row {row} · pyramid" in drawn.shown
    assert "pyramid|x" in drawn.shown
    with pytest.raises(ClaimwiseError, match="contains no evidence"):
        maps_html({"pyramid": 0.5})


def test_a_map_of_units_says_how_many_are_found_and_which_are_missing() -> None:
    (evidence, *_) = golden("pyramid")
    shown = Page(fragment(evidence)).shown
    printed = _printed(evidence)

    found = sum(unit["found"] for unit in evidence["units"])
    assert f"{found} of {len(evidence['units'])} units found" in shown
    assert f"{found} of {len(evidence['units'])} units found" in " ".join(printed.split())
    for unit in evidence["units"]:
        assert unit["unit"] in shown
    assert shown.count("missing") > 1  # one unit, and the legend


def test_rows_without_a_score_are_shown_with_the_reason_and_without_evidence() -> None:
    metric = claimwise.load("distinctiveness_score")
    columns = {"predictions": ["", "A warm pool.", "A bar."], "references": ["x", "A cold pool.", "A spa."]}
    result = claimwise.runners.local(on_error="row").compute(metric, **columns, details=True)
    details, problem = result["distinctiveness_score_details"], result["distinctiveness_score_errors"][0]

    drawn = [check_is_safe_and_whole(html) for html in (maps_html(result), details._repr_html_())]

    for one in drawn:
        assert "Row 0 · distinctiveness_score: no score" in one.shown
        assert "Row 2 · distinctiveness_score" in one.shown
    assert problem in drawn[0].shown
    with pytest.raises(ClaimwiseError, match="has no score, and so no evidence") as refused:
        save_map(result, "map.html", row=0)
    assert refused.value.row == 0
    with pytest.raises(ClaimwiseError, match="contains no evidence"):
        maps_html({"caspr": 0.5, "caspr_details": [None]})
