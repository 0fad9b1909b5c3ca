"""Takes pictures of the pages, of a report and of a study.

``make screenshots`` writes into docs/screenshots those that the documents show. To be looked at, ``make
screenshots INTO=FOLDER`` writes all of them there, in light and dark and at the width of a phone.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import FloatRect, Page
from repositories import PAGES

import claimwise
from claimwise.apps.spaces.page import Page as OwnPage
from claimwise.metrics import METRICS
from claimwise.report.page import report_page
from claimwise.report.results import SystemResult

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "tests" / "apps"))  # the browser of the tests

from spaces_browser import PHONE, Servers, chromium, open_page  # noqa: E402

DESKTOP = {"width": 1100, "height": 800}
SIZES = {"evidence": {"width": 700, "height": 800}}
"""Desktop sizes other than ``DESKTOP``."""
LOOKS = {"": (DESKTOP, False), "-dark": (DESKTOP, True), "-phone": (PHONE, False)}
SHOWN = ("evidence", "claimwise", "caspr", "pyramid", "support_counts", "report", "systems")
"""The pictures that the documents show."""
FILES = {
    "evidence": "evidence.html",
    "report": "report.html",
    "systems": "report.html",
    "study": "study/index.html",
}
"""Pages that are files: ``evidence`` is the map of two summaries without its matrix; ``systems`` is the table
of the report."""


def main() -> None:
    """Take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "docs" / "screenshots")
    parser.add_argument("names", nargs="*", default=None)
    given = parser.parse_args()
    is_of_documents = given.folder == parser.get_default("folder")
    names = given.names or (SHOWN if is_of_documents else [*PAGES, *METRICS, *FILES])
    looks = {"": LOOKS[""]} if is_of_documents else LOOKS
    given.folder.mkdir(parents=True, exist_ok=True)
    servers = Servers()
    with tempfile.TemporaryDirectory() as files, chromium() as browser, browser.new_context() as context:
        if FILES.keys() & set(names):
            write_files(Path(files))
        for name in names:
            address = f"file://{files}/{FILES[name]}" if name in FILES else servers[name]
            for look, (size, is_dark) in looks.items():
                page = open_page(context, address, dark=is_dark)
                page.set_viewport_size(SIZES.get(name, size) if size is DESKTOP else size)  # type: ignore[arg-type]
                take(page, name, given.folder / f"{name}{look}.png")
                page.close()
    servers.close()


def write_files(folder: Path) -> None:
    """Write the map of two summaries, and the report and the study of two systems on the same reviews."""
    first, second = OwnPage("caspr").inputs.examples[0].texts
    scored = claimwise.load("caspr").compute(predictions=[first], references=[second], details=True)
    claimwise.contrast_map(scored).save(folder / "evidence.html")
    lines = (ROOT / "examples" / "two_systems.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    columns = {"hotel": [row["hotel"] for row in rows], "reviews": [row["reviews"] for row in rows]}
    systems = {name: {**columns, "summary": [row[name] for row in rows]} for name in ("plain", "particular")}
    metrics = ["summac_zs", "abstractiveness"]
    claimwise.study(systems, id="hotel", metrics=metrics, output=folder / "study")
    found = []
    for name in metrics:
        metric = claimwise.load(name)
        for system, given in systems.items():
            result = metric.compute(
                predictions=given["summary"],
                references=given["reviews"],
                ids=given["hotel"],
                details=True,
                confidence_level=0.95,
                confidence_method="percentile",
            )
            found.append(SystemResult.of(system, name, result))
    (folder / "report.html").write_text(report_page(found), encoding="utf-8")


def take(page: Page, name: str, path: Path) -> None:
    """Write a small PNG of a page, with evidence open, or of the table or the map."""
    if name == "systems":
        content = page.locator("table").first.screenshot(animations="disabled")
    elif name == "evidence":
        size, last = page.viewport_size, page.locator(".panel").first.bounding_box()
        assert size is not None
        assert last is not None
        clip: FloatRect = {"x": 0, "y": 0, "width": size["width"], "height": last["y"] + last["height"] + 16}
        content = page.screenshot(full_page=True, animations="disabled", clip=clip)
    else:
        closed = ["details.example"] if name in FILES else ["details.claim.red", "details.claim"]
        found = (page.locator(f"{one}:visible") for one in closed)
        if (first := next((of_kind.first for of_kind in found if of_kind.count()), None)) is not None:
            first.locator("summary").first.click()
        page.mouse.move(0, 0)
        content = page.screenshot(full_page=True, animations="disabled")
    # The palette that keeps rare colours: one claim of many may be the only one in its colour.
    image = Image.open(io.BytesIO(content)).convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, kmeans=1)
    image.save(path, optimize=True)
    print(f"{path.name}: {image.width} × {image.height}, {path.stat().st_size // 1024} KiB", flush=True)


if __name__ == "__main__":
    main()
