"""The frame of all pages: boxes, choices, the result, a tab for files, and the metric's card."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import gradio as gr
from markupsafe import Markup

from claimwise.apps.space_cards import FRONT
from claimwise.apps.spaces import drawing
from claimwise.apps.spaces.batch import MAX_CHARACTERS, MAX_ROWS, ScoredFile, score_file
from claimwise.apps.spaces.front import FrontPage
from claimwise.apps.spaces.models import temporary_folder, turn
from claimwise.apps.spaces.page import Answer, Page, front_matter
from claimwise.errors import ClaimwiseError, RowsError
from claimwise.evidence import STYLE

FILE_SIZE = "5mb"
KINDS = ".csv, .json, .jsonl or .parquet"
HOUR = 3600
VISITORS_AT_ONCE = 4
FAILED = (
    "This page has failed; your input is not the cause. Try again; if it fails again, the same call in "
    "Python shows the reason."
)
NOTHING_SCORED = "# Nothing was scored, so there is nothing to copy yet.\n"
SYSTEM_FONTS = ("system-ui", "sans-serif")
THEME = gr.themes.Default(
    primary_hue="blue",
    neutral_hue="slate",
    radius_size="md",
    font=SYSTEM_FONTS,
    font_mono=("ui-monospace", "monospace"),
).set(button_primary_background_fill="*primary_600", button_primary_background_fill_dark="*primary_600")

LAUNCH: dict[str, Any] = {
    "theme": THEME,
    "head": f"<style>{STYLE}{drawing.STYLE}</style>",
    "max_file_size": FILE_SIZE,
    "run_history": False,
    "footer_links": ["gradio", "settings"],
    "ssr_mode": False,
    "enable_monitoring": False,
}
"""Arguments of ``launch`` for all pages: the theme, and no telemetry."""

logger = logging.getLogger(__name__)


def build_page(page: Page) -> gr.Blocks:
    """Return the page as a Gradio app that is not yet launched; uploads are deleted after an hour."""
    is_front = isinstance(page, FrontPage)
    card = FRONT if is_front else front_matter(page.spec)
    title = card["title"] if is_front else f"{card['title']} · claimwise"
    app: gr.Blocks = gr.Blocks(title=title, analytics_enabled=False, delete_cache=(HOUR, HOUR))
    with app:
        html(drawing.part("header", card))
        if isinstance(page, FrontPage):
            _score_tab(page)
            html(page.draw_list(), elem_id="metrics")
            return app
        with gr.Tabs():
            with gr.Tab("Try it"):
                _score_tab(page)
            with gr.Tab("Score a file"):
                _file_tab(page)
            with gr.Tab("About the metric"):
                for section in page.about:
                    gr.Markdown(section, elem_classes="space-about")
    return app


def _score_tab(page: Page) -> None:
    """Lay out boxes, examples, choices, the result of the first example, and the program."""
    opening = page.answer(page.read(*page.inputs.examples[0].texts), {})
    start = page.threshold(opening)
    at = None if start is None else start[0]
    state = gr.State(opening, time_to_live=HOUR)
    texts, examples = _text_boxes(page)
    choices = _choices(page, "weights")
    verb = "Compare" if page.spec.rows == "pair" else "Score"
    button = gr.Button(verb, variant="primary", elem_id="score")
    html(drawing.part("fine_print", "Limits and privacy", [small_print(page)]))
    problem = html(visible=False, elem_id="problem")
    threshold = []
    if start is not None:
        threshold = [gr.Slider(0.05, 0.99, value=at, step=0.01, label=start[1], elem_id="threshold")]
    result = html(page.draw(opening, at), elem_id="result")
    with gr.Accordion("Copy as Python", open=False, elem_id="python-box"):
        code = gr.Code(
            page.python(opening, at),
            language="python",
            show_label=False,
            wrap_lines=True,
            max_lines=30,
            buttons=["copy"],
            elem_id="python",
        )

    def score(*given: Any) -> Sequence[Any]:
        written, chosen = given[: len(texts)], given[len(texts) : len(texts) + len(choices)]
        return _answered(page, written, chosen, given[-1] if threshold else None)

    event = {
        "fn": score,
        "inputs": [*texts, *choices, *threshold],
        "outputs": [problem, result, code, state],
        "api_visibility": "private",
        "concurrency_limit": VISITORS_AT_ONCE,
        "concurrency_id": "score",
    }
    gr.on([button.click, *(box.submit for box in texts)], **event)
    examples.load_input_event.then(**event)

    def redraw(answer: Answer | None, at: float) -> Sequence[Any]:
        if answer is None:
            return gr.skip(), gr.skip()
        return page.draw(answer, at), page.python(answer, at)

    for slider in threshold:
        slider.change(
            redraw,
            [state, slider],
            [result, code],
            api_visibility="private",
            show_progress="hidden",
            trigger_mode="always_last",
        )


def _text_boxes(page: Page) -> tuple[list[gr.Textbox], Any]:
    """Lay out the boxes, with the texts of the first example, and the examples."""
    boxes, examples = page.inputs.boxes, page.inputs.examples
    with gr.Row():
        texts = [
            gr.Textbox(
                value=text,
                label=box.label,
                placeholder=box.hint,
                lines=9 if any(box.by_line for box in boxes) else 5,
                max_lines=12,
                min_width=300,
                elem_id=f"text-{number}",
            )
            for number, (box, text) in enumerate(zip(boxes, examples[0].texts, strict=True))
        ]
    shown = gr.Examples(
        [list(example.texts) for example in examples],
        texts,
        example_labels=[example.title for example in examples],
        label="Examples",
        cache_examples=False,
        api_visibility="private",
    )
    return texts, shown


def _answered(
    page: Page, written: Sequence[str | None], chosen: Sequence[Any], threshold: float | None
) -> Sequence[Any]:
    """Return the problem, the result, the program and the answer for what a visitor wrote and chose."""
    try:
        columns, options = page.read(*written), page.options(*chosen)
        page.metric(options)  # loading first, so that it does not delay other visitors
        with turn(options):
            answer = page.answer(columns, options)
        drawn, python = page.draw(answer, threshold), page.python(answer, threshold)
    except Exception as error:  # a visitor gets a sentence, whatever happens
        told = messages(error, lambda e: page.in_words(e, written))
        return gr.HTML(drawing.part("problem", told), visible=True), "", NOTHING_SCORED, None
    return gr.HTML(visible=False), drawn, python, answer


def _file_tab(page: Page) -> None:
    usual = 1 if page.spec.rows == "pair" else -1
    names = " and ".join(f"“{names[usual]}”" for names in page.names_in_files.values())
    html(
        drawing.part(
            "note",
            f"A {KINDS} file with the columns {names}, up to {MAX_ROWS} rows and {MAX_CHARACTERS:,} "
            f"characters. The result is a file of the same kind with the scores and the signature and, "
            f"except in .csv, the evidence.",
        )
    )
    with gr.Row():
        upload = gr.File(label=f"Rows to score: {KINDS}", height=140, elem_id="rows")
        with gr.Column():
            choices = _choices(page, "file-weights")
            button = gr.Button("Score the file", variant="primary", elem_id="score-file")
            gr.DownloadButton(
                "Download an example file", value=str(_example_file(page)), elem_id="example-file"
            )
    problem = html(visible=False, elem_id="file-problem")
    result = html(elem_id="file-result")
    download = gr.DownloadButton(
        "Download the results", visible=False, variant="primary", elem_id="file-download"
    )

    def score_rows(path: str | None, *chosen: Any, progress: gr.Progress = gr.Progress()) -> Sequence[Any]:  # noqa: B008 - how Gradio hands it over
        try:
            if path is None:
                raise ClaimwiseError("There is no file yet.", f"Choose a {KINDS} file.")
            scored = score_file(
                page,
                Path(path),
                page.options(*chosen),
                lambda done, rows: progress((done, rows), desc="Scoring", unit="rows"),
            )
        except Exception as error:  # a visitor gets a sentence, whatever happens
            shown = drawing.part(
                "problem",
                messages(error, page.in_words_of_files),
                "This file cannot be scored yet. Rows are counted from 1.",
            )
            return gr.HTML(shown, visible=True), "", gr.DownloadButton(visible=False)
        drawn = drawn_file(page, scored)
        return gr.HTML(visible=False), drawn, gr.DownloadButton(value=str(scored.path), visible=True)

    button.click(
        score_rows,
        [upload, *choices],
        [problem, result, download],
        api_visibility="private",
        concurrency_limit=1,
    )


def html(value: str = "", **options: Any) -> gr.HTML:
    """Return HTML as a part of a page, styled by the page."""
    return gr.HTML(str(value), apply_default_css=False, **options)


def _choices(page: Page, upload_id: str) -> list[Any]:
    """Make the widgets for ``Page.options``: the choices, and a file if the metric accepts one."""
    widgets: list[Any] = []
    if page.choices:
        with gr.Row():
            widgets = [
                gr.Dropdown(
                    list(choice.values), value=next(iter(choice.values)), label=choice.title, min_width=300
                )
                for choice in page.choices
            ]
    if upload := page.spec.upload:
        with gr.Accordion(f"{upload.title}: included or your own", open=False):
            gr.Markdown(upload.meaning)
            widgets.append(
                gr.File(
                    label=f"Your {upload.title.lower()}",
                    file_types=list(upload.suffixes),
                    height=120,
                    elem_id=upload_id,
                )
            )
    return widgets


def drawn_file(page: Page, scored: ScoredFile) -> Markup:
    """Draw the mean of a file, and each row with its score and, on opening it, its evidence."""
    result = scored.result
    count = page.spec.rows_are_called(len(result.scores))
    drawn = (None if evidence is None else drawing.evidence(evidence) for evidence in scored.evidence)
    rows = zip(scored.texts, result.scores, drawn, strict=True)
    return drawing.card(
        drawing.remarks(scored.remarks),
        drawing.part("heading", f"{page.spec.title} {result.mean:.4g} over {count}"),
        drawing.part("paragraph", "Open a row to see its evidence."),
        drawing.part("table", page.inputs.boxes[0].label, page.name, rows),
        drawing.part("fine_print", "Signature", [result.signature]),
    )


def messages(error: Exception, worded: Callable[[ClaimwiseError], str]) -> list[str]:
    """Return the messages for the visitor."""
    if isinstance(error, RowsError):
        further = error.count - len(error.errors)
        return [*map(worded, error.errors), *([f"… and {further} more rows."] if further else [])]
    if isinstance(error, ClaimwiseError):
        return [worded(error)]
    logger.error("A page failed.", exc_info=error)
    return [FAILED]


def small_print(page: Page) -> str:
    """Return the limits and privacy notes."""
    limits = ", ".join(f"{box.label}: up to {box.characters:,} characters" for box in page.inputs.boxes)
    if page.takes_claims:
        limits += ". A summary may be a JSON list of its claims, which are scored as given"
    sent = "it is neither stored nor sent anywhere"
    if page.choices != page.spec.choices:
        sent = (
            "it is not stored, and not sent anywhere unless you choose this Space’s own judge, which sends "
            "your claims, and the sentences they are compared with, to a server of the Space’s owner"
        )
    return (
        f"{limits}. Your input is scored in this Space’s memory; {sent}. Files are removed after an hour. "
        f"Never type an API key into somebody else’s page: use chat models from Python or the command line."
    )


def _example_file(page: Page) -> Path:
    """Write the examples as a .jsonl file for the file tab."""
    path = Path(temporary_folder().name) / f"{page.name}-example.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for example in page.inputs.examples:
            columns = page.read(*example.texts)
            for cells in zip(*columns.values(), strict=True):
                file.write(json.dumps(dict(zip(columns, cells, strict=True)), ensure_ascii=False) + "\n")
    return path
