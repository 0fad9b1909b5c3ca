"""The page that summarizes: reviews in, a summary with citations out, with scores on request."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Sequence
from functools import cache
from typing import Any

import gradio as gr
from markupsafe import Markup

from claimwise.apps.spaces import drawing
from claimwise.apps.spaces.frame import html, messages
from claimwise.apps.spaces.models import load_metric, turn
from claimwise.errors import ClaimwiseError, TextError
from claimwise.llm.client import ChatModel
from claimwise.text.inputs import unreadable
from claimwise_summarize import load
from claimwise_summarize.base import BaseSummarizer
from claimwise_summarize.card import CARD
from claimwise_summarize.files import summary_map

VARIABLE = "CLAIMWISE_SPACE_MODEL"
"""Environment variable with the chat model of the Space's owner, as a value of ``--model``, or a JSON object
of options with ``model``; visitors choose it by a label."""
MOST_CHARACTERS = 60_000
MOST_ASPECTS = 6
OFFLINE, WRITTEN = "Extract sentences (offline)", "Write with this Space’s model"
BY_SENTENCES = {"support": "sentences", "decomposer": "default"}  # as citations, of any number of reviews
SCORED: dict[str, dict[str, Any]] = {"support_counts": BY_SENTENCES, "abstractiveness": {}, "complexity": {}}
EXAMPLE = """\
The beds were soft and the room was quiet at night. Breakfast was rich.
A quiet room with a soft bed. The lift is slow.
Breakfast had fresh fruit and good bread! The staff were kind to our children.
Kind staff, but the lift never came. We took the stairs.
We could sleep well: no noise at all, and comfortable beds.
The staff helped us with everything. Breakfast is served until eleven."""

logger = logging.getLogger(__name__)


def build_page() -> gr.Blocks:
    """Return the page as a Gradio app that is not yet launched."""
    opening, state_of_opening = summarized(EXAMPLE, "", 2, OFFLINE)
    app: gr.Blocks = gr.Blocks(title=CARD["title"], analytics_enabled=False)
    with app:
        html(drawing.part("header", CARD))
        reviews = gr.Textbox(EXAMPLE, label="Reviews, one per line", lines=9, max_lines=16, elem_id="reviews")
        with gr.Row():
            aspects = gr.Textbox("", label="Aspects, comma-separated (empty: everything)", elem_id="aspects")
            sentences = gr.Slider(1, 10, value=2, step=1, label="Sentences to extract", elem_id="sentences")
            ways = [OFFLINE, *([WRITTEN] if os.environ.get(VARIABLE) else [])]
            how = gr.Dropdown(ways, value=OFFLINE, label="How", elem_id="how", visible=len(ways) > 1)
        button = gr.Button("Summarize", variant="primary", elem_id="summarize")
        sent = "is neither stored nor sent anywhere"
        if len(ways) > 1:
            sent = "is not stored, and not sent anywhere unless you choose this Space’s model"
        html(
            drawing.part(
                "fine_print",
                "Limits and privacy",
                [
                    f"Up to {MOST_CHARACTERS:,} characters. Your input is processed in this Space’s memory; "
                    f"it {sent}. The number beside a sentence is the number of reviews that support it "
                    f"according to the embedded judge."
                ],
            )
        )
        result = html(opening, elem_id="result")
        state = gr.State(state_of_opening)
        score = gr.Button("Score the summary", elem_id="score")
        scores = html(elem_id="scores")

        def run(*inputs: Any) -> Sequence[Any]:
            try:
                drawn, rows = summarized(*inputs)
            except Exception as error:  # a visitor gets a sentence, whatever happens
                problem = messages(error, lambda e: f"{e.problem} {e.remedy}")
                return str(drawing.part("problem", problem)), [], ""
            return str(drawn), rows, ""

        options: dict[str, Any] = {"api_visibility": "private", "concurrency_limit": 2}
        button.click(run, [reviews, aspects, sentences, how], [result, state, scores], **options)
        score.click(scored, [state], [scores], **options)
    return app


def summarized(reviews: str, aspects: str, sentences: float, how: str) -> tuple[Markup, list[dict[str, Any]]]:
    """Return the drawing of the summary of reviews, one per line, and its rows.

    Raises:
        ClaimwiseError: for missing or too many reviews or aspects, or a model that does not answer.
    """
    texts = [line.strip() for line in reviews.splitlines() if line.strip()]
    names = list(dict.fromkeys(name.strip() for name in aspects.split(",") if name.strip()))
    if len(reviews) > MOST_CHARACTERS or len(names) > MOST_ASPECTS:
        problem = f"This page takes up to {MOST_CHARACTERS:,} characters and {MOST_ASPECTS} aspects."
        raise ClaimwiseError(problem, "Shorten the input, or use claimwise summarize on your own machine.")
    if not any(map(str.isalpha, reviews)):
        raise ClaimwiseError("There are no reviews yet.", "Write one review per line.")
    support = load_metric("support_counts", {})
    summarizer = _summarizer(names, int(sentences), how == WRITTEN, support.judge)
    try:  # a chat model may take minutes, and other visitors do not wait for it
        rows = summarizer.draft([{"entity": "", "reviews": texts}])
    except TextError:
        raise
    except ClaimwiseError as error:  # visitors do not see the model's address
        if how != WRITTEN:
            raise
        logger.error("The model of this Space failed: %s", error)
        problem = "The model of this Space has failed."
        raise ClaimwiseError(problem, f"Choose “{OFFLINE}”.") from None
    with turn({}):
        evidence = summarizer.cite(rows)
    drawn = [
        summary_map(row, own[0]) if own else drawing.part("note", f"{row['aspect']}: {row['reason']}")
        for row, own in zip(rows, evidence, strict=True)
    ]
    remarks = drawing.remarks(problem for problem, _ in support.remarks(unreadable([texts])))
    kept = [{name: row[name] for name in ("summary", "reviews")} for row in rows]
    return drawing.card(remarks, *drawn), kept


def scored(rows: Sequence[dict[str, Any]]) -> str:
    """Draw the scores of summaries."""
    known = [row for row in rows if row["summary"]]
    if not known:
        return ""
    columns = {
        "predictions": [row["summary"] for row in known],
        "references": [row["reviews"] for row in known],
    }
    lines = []
    for name, options in SCORED.items():
        with turn({}):
            metric = load_metric(name, options)
            result = metric.compute(**{c.name: columns[c.name] for c in metric.spec.columns if c.required})
        for score in (name, *metric.spec.further):
            if result.get(score) is not None:
                lines.append(f"{score}: {result[score]:.3g}")
    return str(drawing.card(*(drawing.part("note", line) for line in lines)))


def _summarizer(names: Sequence[str], sentences: int, is_written: bool, judge: Any) -> BaseSummarizer:
    options: dict[str, Any] = {"aspects": names, "sentences": sentences, "judge": judge}
    if is_written:
        options["model"] = _model(os.environ.get(VARIABLE, ""))
    return load("qg" if is_written else "q", show_progress=False, **options)


@cache
def _model(given: str) -> ChatModel[Any] | None:
    """Return the owner's model, shared by all visitors: ``max_requests`` limits their total requests."""
    options = json.loads(given) if given.startswith("{") else {"model": given}
    return load("g", model=options.pop("model", ""), model_options={"show_progress": False, **options}).model
