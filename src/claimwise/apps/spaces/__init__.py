"""The Gradio Spaces: a page per metric, drawn from its specification, that shows why a score is what it is.

``build("caspr")`` makes the page, ``launch("caspr")`` makes and serves it. ``build_front`` and
``launch_front`` do so with the page that leads to all of them.
"""

from __future__ import annotations

from typing import Any

from claimwise.errors import ClaimwiseError

try:
    import gradio as gr
except ImportError as error:
    raise ClaimwiseError("The pages need Gradio.", "Give pip install '.[spaces]' in a clone.") from error

from claimwise.apps.spaces.frame import build_front_page, build_page, launch_options
from claimwise.apps.spaces.front import FrontPage
from claimwise.apps.spaces.page import Page

__all__ = ["build", "build_front", "launch", "launch_front"]


def build(name: str) -> gr.Blocks:
    """Return the page of metric ``name`` as a Gradio app that is not launched yet.

    Loads the metric and scores the first example, so that the page opens with a result.

    Raises:
        ClaimwiseError: for an unknown metric, or one that has no page.
    """
    return build_page(Page(name))


def build_front(spaces_at: str | None = None) -> gr.Blocks:
    """Return the front page as a Gradio app that is not launched yet, with the first example scored.

    Args:
        spaces_at: the address below which the Spaces of the metrics are, such as
            ``"https://huggingface.co/spaces/my-group"``; without it the page says how to start each.
    """
    return build_front_page(FrontPage(spaces_at))


def launch(name: str, **options: Any) -> tuple[gr.Blocks, str]:
    """Serve the page of metric ``name``.

    Args:
        name: of the metric.
        **options: of ``gradio.Blocks.launch``, such as ``server_port``.

    Returns:
        The app and its local address (once it is stopped, unless ``prevent_thread_lock=True``).

    Raises:
        ClaimwiseError: for an unknown metric, or one that has no page.
    """
    return _serve(build(name), options)


def launch_front(spaces_at: str | None = None, **options: Any) -> tuple[gr.Blocks, str]:
    """Serve the front page; see ``build_front`` and ``launch``."""
    return _serve(build_front(spaces_at), options)


def _serve(page: gr.Blocks, options: dict[str, Any]) -> tuple[gr.Blocks, str]:
    _, address, _ = page.launch(**{**launch_options(), **options})
    return page, address
