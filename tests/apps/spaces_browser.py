"""A real browser for the tests of the pages, and the pages in it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import gradio as gr
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from claimwise.apps import spaces

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1280, "height": 900}


@contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


class Servers:
    """The pages, each served on this machine from the first time it is asked for."""

    def __init__(self) -> None:
        self._apps: dict[str, tuple[gr.Blocks, str]] = {}

    def __getitem__(self, name: str) -> str:
        """Return the address of the page of metric ``name``, or of the front page."""
        if name not in self._apps:
            at = "https://huggingface.co/spaces/my-group"
            options = {"prevent_thread_lock": True, "server_name": "127.0.0.1", "quiet": True}
            self._apps[name] = spaces.launch(name, spaces_at=at, **options)
        return self._apps[name][1]

    def close(self) -> None:
        with ExitStack() as stack:
            for app, _ in self._apps.values():
                stack.callback(app.close, verbose=False)


def open_page(context: BrowserContext, address: str, *, dark: bool = False) -> Page:
    """Open a page, noting what goes wrong on it and what it asks of other hosts.

    Visitors who are not to know each other need contexts of their own.
    """
    page = context.new_page()
    page.set_viewport_size(DESKTOP)
    page.set_default_timeout(60_000)
    expect.set_options(timeout=20_000)
    page.emulate_media(color_scheme="dark" if dark else "light")
    foreign: list[str] = []
    problems: list[str] = []
    page.on("request", lambda request: foreign.append(request.url) if _is_foreign(request.url) else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("dialog", lambda dialog: (problems.append(f"dialog {dialog.message}"), dialog.dismiss()))
    page.foreign, page.problems = foreign, problems  # type: ignore[attr-defined]
    page.goto(address)
    page.locator("#result .claimwise, main > h1").first.wait_for()
    return page


def _is_foreign(address: str) -> bool:
    return address.startswith(("http:", "https:", "ws:", "wss:")) and "//127.0.0.1:" not in address
