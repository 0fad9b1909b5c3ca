"""Pages as a browser would see them, and texts that must not be taken for markup."""

from __future__ import annotations

import re
from html.parser import HTMLParser

SCRIPT = "<script>alert(1)</script>"
IMAGE = "<img src=x onerror=alert(1)>"
ENTITY = "Fish & chips cost < 5 \"quid\", 'really'"
TEMPLATE = "{{ 7 * 7 }} {% raw %} {# no #}"
HOSTILE = [SCRIPT, IMAGE, ENTITY, TEMPLATE]
FORBIDDEN = {"script", "img", "link", "iframe", "object", "embed", "form", "base"}
VOID = {"meta", "br"}


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
    assert not FORBIDDEN & set(page.tags)
    assert not {name for name in page.attributes if name.startswith("on")} | {"src", "href"} & page.attributes
    assert not re.search(r"https?:|url\(|@import", source)
    assert not page.open
    return page
