"""Takes the screenshots of the pages in docs/screenshots: ``make screenshots``."""

from __future__ import annotations

import io
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page
from spaces_browser import Servers, chromium, open_page

from claimwise.apps.hub import FRONT

FOLDER = Path(__file__).parents[2] / "docs" / "screenshots"
WIDTH = 1100
# Those that the documents show; of some a claim is open, so that the evidence is seen.
PAGES = {FRONT["title"]: False, "caspr": True, "pyramid": False, "support_counts": True}


def save(page: Page, name: str) -> None:
    """Write what the whole page shows as a small PNG."""
    page.mouse.move(0, 0)
    content = page.screenshot(full_page=True, animations="disabled")
    # The palette that keeps rare colours: one claim of many may be the only one in its colour.
    image = Image.open(io.BytesIO(content)).convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, kmeans=1)
    path = FOLDER / f"{name}.png"
    image.save(path, optimize=True)
    print(f"{path.name}: {image.width} × {image.height}, {path.stat().st_size // 1024} KiB")


def main() -> None:
    """Take those that the documents show."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    servers = Servers()
    with chromium() as browser, browser.new_context() as context:
        for name, is_open in PAGES.items():
            page = open_page(context, servers[name])
            page.set_viewport_size({"width": WIDTH, "height": 800})
            if is_open:
                page.locator("#result details", has_text="reakfast").first.locator("summary").click()
            save(page, name)
            page.close()
    servers.close()


if __name__ == "__main__":
    main()
