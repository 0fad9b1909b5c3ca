"""The documentation site builds without a warning and asks no other server for anything."""

from __future__ import annotations

import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from claimwise.metrics import METRICS

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.slow


class Loaded(HTMLParser):
    """Addresses that a browser fetches by itself, which a link is not."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        fetched = values.get("src") or (values.get("href") if tag == "link" else None)
        if fetched:
            self.addresses.append(fetched)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return folder


def test_nothing_is_fetched_from_another_server(site: Path) -> None:
    fetched = set()
    for page in site.rglob("*.html"):
        parser = Loaded()
        parser.feed(page.read_text(encoding="utf-8"))
        fetched |= set(parser.addresses)
    assert fetched
    assert {address for address in fetched if address.startswith(("http:", "https:", "//"))} == set()


def test_every_card_is_a_page(site: Path) -> None:
    for name in METRICS:
        page = (site / "metrics" / f"{name}.html").read_text(encoding="utf-8")
        assert "Metric Card for" in page
        assert "Limitations and Bias" in page


def test_links_between_files_of_the_repository_are_links_between_pages(site: Path) -> None:
    page = (site / "index.html").read_text(encoding="utf-8")
    assert 'href="metrics/caspr.html"' in page
    assert "README.md" not in page


def test_examples_are_shown_without_the_marks_of_the_tests(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert "no-run" not in text, page.name
        assert "python needs-" not in text, page.name
