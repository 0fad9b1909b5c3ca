"""The Gradio Spaces: a page per metric, made from its specification, that shows the evidence of a score.

``build("caspr")`` makes the page, ``launch("caspr")`` makes and serves it; ``"claimwise"`` is the front page,
which links to all of them. Packages add further pages.
"""

from __future__ import annotations

from typing import Any

from claimwise.errors import needs_extra

with needs_extra("spaces", "A page"):
    import gradio as gr

from claimwise.apps.space_cards import FRONT
from claimwise.apps.spaces.frame import LAUNCH, build_page
from claimwise.apps.spaces.front import FrontPage
from claimwise.apps.spaces.page import Page
from claimwise.plugins import is_known, load_registered

__all__ = ["GROUP", "build", "launch"]

GROUP = "claimwise.pages"
"""Entry points through which packages add pages: functions that return a Gradio app."""


def build(name: str, spaces_at: str | None = None) -> gr.Blocks:
    """Return a page as a Gradio app that is not yet launched; it opens with the score of the first example.

    Args:
        name: a metric, ``"claimwise"`` for the front page, or a registered page.
        spaces_at: base address of the metrics' Spaces, such as ``"https://huggingface.co/spaces/my-group"``,
            for the links of the front page; without it the front page says how to start each page.

    Raises:
        ClaimwiseError: for an unknown metric, or one that has no page.
    """
    if name == FRONT["title"]:
        return build_page(FrontPage(spaces_at))
    if is_known(GROUP, name):
        page: gr.Blocks = load_registered(GROUP, name)()
        return page
    return build_page(Page(name))


def launch(name: str, spaces_at: str | None = None, **options: Any) -> tuple[gr.Blocks, str]:
    """Serve the page that ``build`` makes; options are those of ``gradio.Blocks.launch``.

    Returns:
        The app and its local address (once it is stopped, unless ``prevent_thread_lock=True``).
    """
    app = build(name, spaces_at)
    _, address, _ = app.launch(**{**LAUNCH, **options})
    return app, address
