"""The pages in a real browser: typing, pointing, files, errors, keyboard, phone and dark mode."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

for _package in ("gradio", "playwright"):
    pytest.importorskip(_package, reason=f"{_package} is not installed (pip install '.[dev]')")

import spaces_browser  # noqa: E402
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect  # noqa: E402
from spaces_browser import DESKTOP, PHONE, Servers, open_page  # noqa: E402

from claimwise.apps.space_cards import FRONT  # noqa: E402
from claimwise.apps.spaces.page import Page as OwnPage  # noqa: E402
from claimwise.metrics import METRICS  # noqa: E402

HOSTILE = "<script>alert(1)</script> The pool is warm. <svg onload=alert(2)>"
NO_TEXT_SHOWN = {"abstractiveness", "distinctiveness_score", "inverted_bertscore"}

# Gradio's queue still passes pandas an argument that pandas 3 warns of.
pytestmark = pytest.mark.filterwarnings("ignore::pandas.errors.Pandas4Warning")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if spaces_browser.CHROMIUM is None:
        pytest.skip("no chromium is installed (make spaces-test installs it)")
    with spaces_browser.chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def visitor(browser: Browser) -> Iterator[BrowserContext]:
    """A visitor who opens one page after the other."""
    with browser.new_context() as context:
        yield context


@pytest.fixture(scope="module")
def servers(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRADIO_TEMP_DIR", str(tmp_path_factory.mktemp("gradio")))
        servers = Servers()
        yield servers
        servers.close()


@pytest.fixture(scope="module", params=sorted(METRICS))
def page(request: pytest.FixtureRequest, visitor: BrowserContext, servers: Servers) -> Iterator[Page]:
    """A visitor's page of each metric in turn, for all tests that take it."""
    page = open_page(visitor, servers[request.param])
    page.name = request.param  # type: ignore[attr-defined]
    yield page
    page.close()


def submit(page: Page, first: str, second: str) -> None:
    """Write into both boxes and press the button."""
    page.get_by_role("tab", name="Try it").click()
    page.locator("#text-0 textarea").fill(first)
    page.locator("#text-1 textarea").fill(second)
    page.locator("#score").click()


def code(page: Page) -> Locator:
    """Return the Python on the page."""
    if not page.locator("#python .cm-content").is_visible():
        page.get_by_role("button", name="Copy as Python").click()
    return page.locator("#python .cm-content")


def overflow(page: Page) -> int:
    """Return by how many pixels the page is wider than the window."""
    width: int = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    return width


class TestEveryPage:
    def test_opens_with_an_example_scored_and_asks_no_other_host(self, page: Page) -> None:
        shown = OwnPage(page.name).inputs.examples[0].texts[0]  # type: ignore[attr-defined]
        assert page.locator("#text-0 textarea").input_value() == shown
        assert page.locator("#result").inner_text().strip()
        assert page.foreign == []  # type: ignore[attr-defined]

    @pytest.mark.slow
    def test_scores_what_is_typed_and_escapes_it(self, page: Page) -> None:
        submit(page, f"{HOSTILE} It is nice.", f"{HOSTILE} Bring a towel.\nIt rained.\nIt snowed.")
        expect(code(page)).to_contain_text("Bring a towel.")
        result = page.locator("#result")
        if page.name not in NO_TEXT_SHOWN:  # type: ignore[attr-defined]
            expect(result).to_contain_text("<svg onload=alert(2)>")
        assert result.locator("img, script").count() == 0
        assert page.locator("img[src=x]").count() == 0
        assert page.problems == []  # type: ignore[attr-defined]

    @pytest.mark.slow
    def test_example_is_scored_when_chosen(self, page: Page) -> None:
        example = OwnPage(page.name).inputs.examples[1]  # type: ignore[attr-defined]
        page.get_by_text(example.title, exact=True).click()
        expect(page.locator("#text-0 textarea")).to_have_value(example.texts[0])
        scored = json.dumps(example.texts[0], ensure_ascii=False)[:40]
        expect(code(page)).to_contain_text(scored, timeout=60_000)

    def test_error_is_a_sentence_that_goes_when_mended(self, page: Page) -> None:
        label = OwnPage(page.name).inputs.boxes[0].label  # type: ignore[attr-defined]
        submit(page, "   ", "The bar is closed.")
        alert = page.locator("#problem [role=alert]")
        expect(alert).to_contain_text(f"{label} is empty. Write or paste a text, or choose an example.")
        assert page.locator("#result").inner_text().strip() == ""
        submit(page, "12345", "The bar is closed.")
        expect(alert).to_contain_text(f"{label}: the text contains no letters (“12345”)")
        assert "Traceback" not in page.content()
        submit(page, "The bar is closed.", "The bar is closed.\nIt rained.\nIt snowed.")
        expect(alert).to_have_count(0)
        assert page.locator("#result").inner_text().strip()

    @pytest.mark.slow
    def test_file_is_scored_and_the_result_downloaded(self, page: Page, tmp_path: Path) -> None:
        page.get_by_role("tab", name="Score a file").click()
        with page.expect_download() as example:
            page.locator("#example-file").click()
        path = tmp_path / "rows.jsonl"
        example.value.save_as(path)
        page.locator("#rows input[type=file]").set_input_files(path)
        page.locator("#rows").get_by_label("rows.jsonl").wait_for()  # uploaded
        page.locator("#score-file").click()
        page.locator("#file-result .space-table").wait_for()
        with page.expect_download() as results:
            page.locator("#file-download").click()
        name = page.name  # type: ignore[attr-defined]
        assert results.value.suggested_filename == f"rows-{name}.jsonl"
        scored = Path(results.value.path()).read_text(encoding="utf-8").splitlines()
        assert len(scored) == len(path.read_text(encoding="utf-8").splitlines())
        assert all(f"{name}_signature" in json.loads(line) for line in scored)

    @pytest.mark.slow
    def test_card_of_the_metric_is_shown(self, page: Page) -> None:
        page.get_by_role("tab", name="About the metric").click()
        page.get_by_role("heading", name="Limitations and Bias").wait_for()

    def test_fits_a_phone(self, page: Page) -> None:
        page.set_viewport_size(PHONE)
        try:
            for tab in ("Score a file", "About the metric", "Try it"):
                page.get_by_role("tab", name=tab).click()
                page.get_by_role("tab", name=tab, selected=True).wait_for()
                assert overflow(page) <= 0, tab
            first, second = (page.locator(f"#text-{n}").bounding_box() for n in (0, 1))
            assert first is not None
            assert second is not None
            assert second["y"] >= first["y"] + first["height"]  # below each other
        finally:
            page.set_viewport_size(DESKTOP)

    @pytest.mark.slow
    def test_is_dark_for_who_wants_it(self, page: Page) -> None:
        dark = open_page(page.context, page.url, dark=True)
        luminance = """element => { const c = document.createElement("canvas").getContext("2d");
            c.fillStyle = getComputedStyle(element)[%s]; c.fillRect(0, 0, 1, 1);
            const [r, g, b] = c.getImageData(0, 0, 1, 1).data; return r + g + b; }"""
        card = dark.locator("#result .space-card").first
        assert card.evaluate(luminance % "'backgroundColor'") < 200
        assert card.evaluate(luminance % "'color'") > 550
        dark.close()


@pytest.fixture(scope="module")
def front(visitor: BrowserContext, servers: Servers) -> Iterator[Page]:
    page = open_page(visitor, servers[FRONT["title"]])
    yield page
    page.close()


class TestFrontPage:
    def test_opens_with_all_contrast_metrics_and_the_list(self, front: Page) -> None:
        result = front.locator("#result")
        expect(result.locator(".scale")).to_have_count(3)
        expect(result.locator(".small-print p")).to_have_count(3)
        links = front.locator("#metrics a")
        expect(links).to_have_count(len(METRICS))
        addresses = {link.get_attribute("href") for link in links.all()}
        assert addresses == {f"https://huggingface.co/spaces/my-group/{name}" for name in METRICS}
        assert front.foreign == []  # type: ignore[attr-defined]

    @pytest.mark.slow
    def test_compares_what_is_typed_and_says_what_is_wrong(self, front: Page) -> None:
        front.locator("#text-0 textarea").fill(f"{HOSTILE} The soup was hot.")
        front.locator("#text-1 textarea").fill(f"{HOSTILE} The soup was hot.")
        front.locator("#score").click()
        expect(front.locator("#result .scale").first).to_contain_text("CASPR 0.0")
        expect(code(front)).to_contain_text("The soup was hot.")
        front.locator("#text-1 textarea").fill(" ")
        front.locator("#score").click()
        expect(front.locator("#problem [role=alert]")).to_contain_text("Summary B is empty.")
        assert front.problems == []  # type: ignore[attr-defined]

    def test_fits_a_phone(self, front: Page) -> None:
        front.set_viewport_size(PHONE)
        assert overflow(front) <= 0
        front.set_viewport_size(DESKTOP)

    def test_a_link_opens_the_page_of_its_metric_beside_it(self, front: Page) -> None:
        front.context.route("https://huggingface.co/**", lambda route: route.fulfill(body="the Space"))
        with front.context.expect_page() as opened:
            front.get_by_role("link", name="Support Counts").click()
        assert opened.value.url == "https://huggingface.co/spaces/my-group/support_counts"
        opened.value.close()


class TestCaspr:
    @pytest.mark.slow
    def test_pointing_at_a_claim_shows_what_decided_it(
        self, visitor: BrowserContext, servers: Servers
    ) -> None:
        page = open_page(visitor, servers["caspr"])
        submit(page, "The soup was hot. The bus was late.", "The soup was cold.")
        expect(page.locator("#result")).to_contain_text("The bus was late.")
        claim = page.locator("#result details", has_text="The soup was hot.").first
        why = claim.locator(".why")
        expect(why).not_to_be_visible()
        claim.locator("summary").hover()
        expect(why).to_be_visible()
        expect(why).to_contain_text("The soup was cold.")
        directions = why.locator("tr", has=page.locator("td.bar"))
        expect(directions).to_have_count(2)  # as premise and as hypothesis
        for direction in directions.all():
            probabilities = [float(cell) for cell in direction.locator("td.bar").all_inner_texts()]
            assert len(probabilities) == 3
            assert sum(probabilities) == pytest.approx(1, abs=0.02)
        beside = page.locator("#result details.example")
        expect(beside).to_have_count(2)
        beside.first.locator("summary").click()
        expect(beside.first).to_contain_text("In both: ")
        page.close()

    @pytest.mark.slow
    def test_can_be_used_by_keyboard_alone(self, visitor: BrowserContext, servers: Servers) -> None:
        page = open_page(visitor, servers["caspr"])
        tab_to(page, "#text-0 textarea")
        page.keyboard.press("Control+A")
        page.keyboard.type("The soup was hot.")
        page.keyboard.press("Tab")
        page.keyboard.press("Control+A")
        page.keyboard.type("The soup was cold.")
        tab_to(page, "#score")
        page.keyboard.press("Enter")
        expect(page.locator("#result")).to_contain_text("The soup was hot.")
        tab_to(page, "#result details summary")
        page.keyboard.press("Enter")
        expect(page.locator("#result details").first).to_have_attribute("open", "")
        tab_to(page, "#python-box button")
        page.keyboard.press("Enter")
        expect(page.locator("#python .cm-content")).to_contain_text("The soup was hot.")
        page.close()

    @pytest.mark.slow
    def test_model_out_of_reach_is_a_sentence(self, visitor: BrowserContext, servers: Servers) -> None:
        page = open_page(visitor, servers["caspr"])
        page.get_by_label("Judge", exact=True).first.click()
        page.get_by_role("option", name="mnli").click()
        page.locator("#score").click()
        alert = page.locator("#problem [role=alert]")
        expect(alert).to_contain_text("The judge `mnli`")
        expect(alert).not_to_contain_text("Traceback")
        page.close()

    @pytest.mark.slow
    def test_long_texts_scroll_inside_their_panels(self, visitor: BrowserContext, servers: Servers) -> None:
        page = open_page(visitor, servers["caspr"])
        claims = " ".join(f"Room {number} is quiet." for number in range(1, 26))
        submit(page, claims, "Supercalifragilistic" * 40 + " is a word.")
        expect(page.locator("#result")).to_contain_text("Room 25 is quiet.", timeout=30_000)
        for panel in ("#text-0 textarea", "#result .panel"):
            heights = page.locator(panel).first.evaluate("e => [e.scrollHeight, e.clientHeight]")
            assert heights[0] > heights[1] or panel.startswith("#text")
            assert heights[1] < 700
        assert overflow(page) <= 0
        page.close()


class TestThreshold:
    @pytest.mark.slow
    @pytest.mark.parametrize("name", ["summac_conv", "summac_zs", "support_counts"])
    def test_is_moved_by_keyboard_for_the_evidence_at_hand(
        self, name: str, visitor: BrowserContext, servers: Servers
    ) -> None:
        page = open_page(visitor, servers[name])
        submit(page, "The soup was hot.", "The soup was hot.\nHot soup was served.\nThe bar is closed.")
        expect(page.locator("#result")).to_contain_text("The soup was hot.")
        page.locator("#text-0 textarea").fill("This is written but not scored.")
        slider = page.locator("#threshold input[type=range]")
        slider.focus()
        page.keyboard.press("Home")
        expect(page.locator("#result")).to_contain_text("at least 0.05")
        expect(page.locator("#result")).not_to_contain_text("written but not scored")
        page.close()

    @pytest.mark.slow
    def test_two_visitors_do_not_see_each_others_texts(self, browser: Browser, servers: Servers) -> None:
        contexts = [browser.new_context() for _ in range(2)]
        first, second = (open_page(context, servers["support_counts"]) for context in contexts)
        submit(
            first, "The first visitor likes soup.", "The first visitor likes soup.\nIt rained.\nIt snowed."
        )
        submit(
            second, "The second visitor likes tea.", "The second visitor likes tea.\nIt rained.\nIt snowed."
        )
        for visitor, own, other in ((first, "soup", "tea"), (second, "tea", "soup")):
            expect(visitor.locator("#result")).to_contain_text(f"visitor likes {own}.")
            visitor.locator("#threshold input[type=range]").focus()
            visitor.keyboard.press("Home")
            expect(visitor.locator("#result")).to_contain_text("at least 0.05")
            expect(visitor.locator("#result")).to_contain_text(f"visitor likes {own}.")
            expect(visitor.locator("#result")).not_to_contain_text(f"visitor likes {other}.")
            expect(code(visitor)).to_contain_text(f"visitor likes {own}.")
            visitor.context.close()


class TestFiles:
    @pytest.mark.slow
    def test_a_file_of_another_kind_is_refused_with_the_kinds_that_are_read(
        self, visitor: BrowserContext, servers: Servers, tmp_path: Path
    ) -> None:
        path = tmp_path / "rows.txt"
        path.write_text("The pool is warm.")
        page = open_page(visitor, servers["distinctiveness_score"])
        page.get_by_role("tab", name="Score a file").click()
        page.locator("#rows input[type=file]").set_input_files(path)
        page.locator("#rows").get_by_label("rows.txt").wait_for()  # uploaded
        page.locator("#score-file").click()
        alert = page.locator("#file-problem [role=alert]")
        expect(alert).to_contain_text("rows.txt")
        expect(alert).to_contain_text(".jsonl")
        page.close()


class TestWeights:
    @pytest.mark.slow
    def test_unusable_weights_are_a_sentence(
        self, visitor: BrowserContext, servers: Servers, tmp_path: Path
    ) -> None:
        weights = tmp_path / "my.safetensors"
        weights.write_bytes(b"no weights")
        page = open_page(visitor, servers["summac_conv"])
        page.get_by_role("button", name="Weights").first.click()
        page.locator("#weights button").first.wait_for()  # the box is open, and takes files
        page.locator("#weights input[type=file]").first.set_input_files(weights)
        page.locator("#weights").get_by_label("my.safetensors").wait_for()  # uploaded
        page.locator("#score").click()
        expect(page.locator("#problem [role=alert]")).to_contain_text("are neither a safetensors file nor")
        page.close()


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until something that matches has the focus."""
    for _ in range(60):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{selector} cannot be reached by Tab.")
