"""The frame of all pages: boxes, choices, the result, a tab for files, and what the metric's card says."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import gradio as gr

from claimwise.apps.hub import FRONT
from claimwise.apps.spaces import drawing
from claimwise.apps.spaces.batch import MAX_CHARACTERS, MAX_ROWS, RowsError, ScoredFile, score_file
from claimwise.apps.spaces.front import FrontPage
from claimwise.apps.spaces.models import temporary_folder, turn
from claimwise.apps.spaces.page import SUMMARY_CHARACTERS, Answer, Options, Page
from claimwise.errors import ClaimwiseError
from claimwise.evidence import STYLE

FILE_SIZE = "5mb"
HOUR = 3600
VISITORS_AT_ONCE = 4
FAILED = (
    "Something went wrong on this page, and not with what you wrote. Try again; if it happens again, the "
    "same call in Python shows the cause."
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

logger = logging.getLogger(__name__)


def build_page(page: Page) -> gr.Blocks:
    """Return the page as a Gradio app that is not launched yet."""
    card = page.front_matter
    opening = _first_answer(page)
    with gr.Blocks(
        title=f"{card['title']} · claimwise", analytics_enabled=False, delete_cache=(HOUR, HOUR)
    ) as blocks:
        _html(drawing.header(card["emoji"], card["title"], card["short_description"]))
        with gr.Tabs():
            with gr.Tab("Try it"):
                _score_tab(page, opening)
            with gr.Tab("Score a file"):
                _file_tab(page)
            with gr.Tab("About the metric"):
                for heading in ("Metric Description", "Limitations and Bias", "Citation"):
                    gr.Markdown(page.section(heading), elem_classes="space-about")
    app: gr.Blocks = blocks
    return app


def build_front_page(page: FrontPage) -> gr.Blocks:
    """Return the front page as a Gradio app that is not launched yet."""
    opening = _first_answer(page)
    with gr.Blocks(title=FRONT["title"], analytics_enabled=False) as blocks:
        _html(drawing.header(FRONT["emoji"], FRONT["title"], FRONT["short_description"]))
        _score_tab(page, opening)
        _html(page.draw_list(), elem_id="metrics")
    app: gr.Blocks = blocks
    return app


def launch_options() -> dict[str, Any]:
    """Return what ``launch`` needs besides the page: the looks, and nothing recorded or sent anywhere."""
    return {
        "theme": THEME,
        "head": f"<style>{STYLE}{drawing.STYLE}</style>",
        "max_file_size": FILE_SIZE,
        "run_history": False,
        "footer_links": ["gradio", "settings"],
        "ssr_mode": False,
        "enable_monitoring": False,
    }


def _first_answer(page: Page) -> Answer:
    """Score the first example, so that the page opens with a result and the model is warm."""
    example = page.examples[0]
    return page.answer(page.read(example.first, example.second), {})


def _score_tab(page: Page, opening: Answer) -> None:
    example = page.examples[0]
    texts = (example.first, example.second)
    has_source = any(field.characters > SUMMARY_CHARACTERS for field in page.fields)
    state = gr.State(opening, time_to_live=HOUR)
    with gr.Row():
        boxes = [
            gr.Textbox(
                value=text,
                label=field.label,
                placeholder=field.hint,
                lines=9 if has_source else 5,
                max_lines=12,
                min_width=300,
                elem_id=f"text-{number}",
            )
            for number, (field, text) in enumerate(zip(page.fields, texts, strict=True))
        ]
    examples = gr.Examples(
        [[example.first, example.second] for example in page.examples],
        boxes,
        example_labels=[example.title for example in page.examples],
        label="Examples",
        cache_examples=False,
        api_visibility="private",
    )
    choices = _choices(page, "weights")
    verb = "Compare" if page.spec.rows == "pair" else "Score"
    button = gr.Button(verb, variant="primary", elem_id="score")
    _html(drawing.note(_small_print(page)))
    problem = _html(visible=False, elem_id="problem")
    threshold: list[gr.Slider] = []
    if page.threshold is not None:
        threshold = [
            gr.Slider(
                0.05, 0.99, value=page.threshold, step=0.01, label=page.threshold_label, elem_id="threshold"
            )
        ]
    result = _html(page.draw(opening, page.threshold), elem_id="result")
    with gr.Accordion("Copy as Python", open=False, elem_id="python-box"):
        code = gr.Code(
            page.python(opening, page.threshold),
            language="python",
            show_label=False,
            wrap_lines=True,
            max_lines=30,
            buttons=["copy"],
            elem_id="python",
        )

    def score(first: str, second: str, *chosen: Any) -> Sequence[Any]:
        at = chosen[-1] if threshold else None
        given = chosen[: len(choices)]
        try:
            columns, options = page.read(first, second), _options(page, given)
            page.metric(options)  # what takes long to load keeps no other visitor waiting
            with turn(options):
                answer = page.answer(columns, options)
            drawn, python = page.draw(answer, at), page.python(answer, at)
        except Exception as error:  # a visitor gets a sentence, whatever happens
            messages = _messages(error, lambda e: page.in_words(e, (first, second)))
            return gr.HTML(drawing.problem(messages), visible=True), "", NOTHING_SCORED, None
        return gr.HTML(visible=False), drawn, python, answer

    event = {
        "fn": score,
        "inputs": [*boxes, *choices, *threshold],
        "outputs": [problem, result, code, state],
        "api_visibility": "private",
        "concurrency_limit": VISITORS_AT_ONCE,
        "concurrency_id": "score",
    }
    gr.on([button.click, *(box.submit for box in boxes)], **event)
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


def _file_tab(page: Page) -> None:
    names = " and ".join(f"“{name}”" for name in page.usual_names)
    _html(
        drawing.note(
            f"A .csv or .jsonl file with the columns {names}, up to {MAX_ROWS} rows and {MAX_CHARACTERS:,} "
            f"characters. The result has the same rows with their scores and the signature, and from .jsonl "
            f"the evidence as well."
        )
    )
    with gr.Row():
        upload = gr.File(label="Rows to score", file_types=[".csv", ".jsonl"], height=140, elem_id="rows")
        with gr.Column():
            choices = _choices(page, "file-weights")
            button = gr.Button("Score the file", variant="primary", elem_id="score-file")
            gr.DownloadButton(
                "Download an example file", value=str(_example_file(page)), elem_id="example-file"
            )
    problem = _html(visible=False, elem_id="file-problem")
    result = _html(elem_id="file-result")
    download = gr.DownloadButton(
        "Download the results", visible=False, variant="primary", elem_id="file-download"
    )

    def score_rows(path: str | None, *chosen: Any, progress: gr.Progress = gr.Progress()) -> Sequence[Any]:  # noqa: B008 - how Gradio hands it over
        try:
            if path is None:
                raise ClaimwiseError("There is no file yet.", "Choose a .csv or .jsonl file.")
            scored = score_file(
                page,
                Path(path),
                _options(page, chosen),
                lambda done, rows: progress((done, rows), desc="Scoring", unit="rows"),
            )
        except Exception as error:  # a visitor gets a sentence, whatever happens
            shown = drawing.problem(
                _messages(error, page.in_words_of_files),
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


def _html(value: str = "", **options: Any) -> gr.HTML:
    return gr.HTML(str(value), apply_default_css=False, **options)


def _choices(page: Page, weights_id: str) -> list[Any]:
    """Make the widgets of the metric's options, and of its weights if it takes a file of them."""
    widgets: list[Any] = []
    if page.choices:
        with gr.Row():
            widgets = [
                gr.Dropdown(list(choice.values), value=choice.default, label=choice.label, min_width=300)
                for choice in page.offered
            ]
    if page.takes_weights:
        with gr.Accordion("Weights: those that come with claimwise, or your own", open=False):
            gr.Markdown(WEIGHTS_HELP)
            widgets.append(
                gr.File(
                    label="Your weights",
                    file_types=[".safetensors", ".json"],
                    height=120,
                    elem_id=weights_id,
                )
            )
    return widgets


def _options(page: Page, chosen: Sequence[Any]) -> Options:
    """Return the options that were changed from their defaults."""
    options = {
        choice.option: value
        for choice, value in zip(page.choices, chosen, strict=False)
        if value != choice.default
    }
    if page.takes_weights and chosen[-1] is not None:
        options["weights"] = chosen[-1]
    return options


def drawn_file(page: Page, scored: ScoredFile) -> str:
    """Draw the mean and the scores of a file."""
    result = scored.result
    return str(
        drawing.card(
            drawing.number(f"Mean of {len(result.scores)} rows", f"{result.mean:.4g}", page.name),
            drawing.table(
                ("row", page.fields[0].label, page.name),
                (
                    (str(row), text, score)
                    for row, (text, score) in enumerate(zip(scored.texts, result.scores, strict=True), 1)
                ),
            ),
            drawing.signature(result.signature),
        )
    )


def _messages(error: Exception, worded: Callable[[ClaimwiseError], str]) -> list[str]:
    """Return what to tell the visitor."""
    if isinstance(error, RowsError):
        return error.messages
    if isinstance(error, ClaimwiseError):
        return [worded(error)]
    logger.error("A page failed.", exc_info=error)
    return [FAILED]


def _small_print(page: Page) -> str:
    limits = ", ".join(f"{field.label}: up to {field.characters:,} characters" for field in page.fields)
    if len({field.characters for field in page.fields}) == 1:
        limits = f"Up to {page.fields[0].characters:,} characters each"
    remote = ""
    if any(choice.option == "decomposer" for choice in page.choices):
        remote = (
            " The openai decomposer needs a key of your own, which you should not type into somebody else’s "
            "page: use it in Python or on the command line."
        )
    sent = "it is not stored and sent nowhere"
    if page.offered != page.choices:
        sent = (
            "it is not stored, and sent nowhere unless you choose this Space’s own judge, which sends your "
            "claims, and the sentences they are compared with, to a server of the Space’s owner"
        )
    return (
        f"{limits}. What you write is scored in this Space’s memory; {sent}. "
        f"Files are removed after an hour.{remote}"
    )


def _example_file(page: Page) -> Path:
    """Write the examples as a .jsonl file that the file tab takes."""
    rows = [
        {name: values[row] for name, values in columns.items()}
        for columns in (page.read(example.first, example.second) for example in page.examples)
        for row in range(len(columns["predictions"]))
    ]
    path = Path(temporary_folder()) / f"{page.name}-example.jsonl"
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")
    return path


WEIGHTS_HELP = """\
SummaC-Conv reads with learned weights how firmly a source supports a summary. Those that come with claimwise
are for the embedded NLI model, fitted on pairs made from OpinionNLI. For another model, or another kind of
text, bring a file:

- **Fit your own** on summaries labelled 1 (consistent with the source) or 0 (not), hundreds of them:
  `SummacConv().fit(predictions=…, references=…, labels=…, output="weights.safetensors")`. Choose the NLI
  model that you fitted them with.
- **Bring the authors'** file, `summac_conv_vitc_sent_perc_e.bin` from
  [their repository](https://github.com/tingofurro/summac), converted to safetensors as the card says; choose
  *vitc* as the NLI model.
"""
