"""The page of a metric, made from its specification and the kind of its evidence."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from huggingface_hub import metadata_load
from markupsafe import Markup

from claimwise.apps.spaces import drawing, own_judge
from claimwise.apps.spaces.inputs import Box, inputs_of
from claimwise.apps.spaces.models import load_metric
from claimwise.errors import ClaimwiseError, TextError, at_place
from claimwise.evidence import EntailmentEvidence, Evidence, SupportEvidence, at_threshold
from claimwise.metrics import METRICS, Metric
from claimwise.metrics.registry import metric_class
from claimwise.metrics.rows import Result
from claimwise.metrics.spec import Choice, MetricSpec
from claimwise.runners.parts import with_lists
from claimwise.scores.support import REVIEW_THRESHOLD
from claimwise.text.inputs import text_of

OWN_JUDGE = "this Space’s own judge: your texts are sent to it"
THRESHOLDS: dict[type[Evidence], tuple[float, str]] = {
    SupportEvidence: (
        REVIEW_THRESHOLD,
        "Threshold τ: minimum probability of entailment of a supporting review",
    ),
    EntailmentEvidence: (
        0.5,
        "Threshold: minimum score of a supported claim (the metric’s score is unchanged)",
    ),
}
"""Kinds of evidence that can be redrawn for another threshold without a model: initial value and meaning."""

Options = dict[str, Any]
Columns = dict[str, Any]


class Scored(NamedTuple):
    """The result of a metric with some options, the evidence of each row, and remarks on the texts."""

    options: Options
    result: Result
    evidence: tuple[Evidence, ...]
    remarks: tuple[str, ...] = ()


class Answer(NamedTuple):
    """The results for one visitor: the page's metric first, then those beside it. Drawing needs no model."""

    columns: Columns
    by_metric: Mapping[str, Scored]

    @property
    def own(self) -> Scored:
        """The result of the page's metric."""
        return next(iter(self.by_metric.values()))

    @property
    def remarks(self) -> list[str]:
        """What the page says about texts that a metric cannot read, each remark once."""
        return list(dict.fromkeys(remark for scored in self.by_metric.values() for remark in scored.remarks))


class Page:
    """The page of a metric, with the metrics ``beside`` it (default: those in its specification).

    Raises:
        ClaimwiseError: for an unknown metric, or a metric with inputs that pages do not support.
    """

    def __init__(self, name: str, beside: Mapping[str, Options] | None = None) -> None:
        metric = metric_class(name)
        self.name, self.spec = name, metric.spec
        self.inputs = inputs_of(metric)
        self.takes_claims = bool(self.spec.decomposed)
        self.beside = self.spec.beside if beside is None else beside

    # What the page offers

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The choices, including a judge added by the owner of the Space.

        Raises:
            ClaimwiseError: for an invalid judge of the owner.
        """
        if not own_judge.is_set():
            return self.spec.choices
        own_judge.check()
        own = {OWN_JUDGE: {"judge": own_judge.OWN}}
        return tuple(
            replace(choice, values={**choice.values, **own}) if _sets(choice, "judge") else choice
            for choice in self.spec.choices
        )

    @cached_property
    def names_in_files(self) -> dict[str, tuple[str, ...]]:
        """The columns that the boxes fill, each with its possible names in a file."""
        filled = {box.column for box in self.inputs.boxes}
        return {
            column.name: (column.name, *column.usual) for column in self.spec.columns if column.name in filled
        }

    @property
    def about(self) -> list[str]:
        """Sections of the metric's card, in Markdown."""
        path = card_of(self.name)
        if path is None:
            return [self.spec.description, self.spec.source, f"```bibtex\n{self.spec.citation}\n```"]
        sections = re.split(r"\n(?=## )", path.read_text(encoding="utf-8"))
        wanted = ("## Metric Description\n", "## Limitations and Bias\n", "## Citation\n")
        return [section for section in sections if section.startswith(wanted)]

    # From a visitor's input to an answer

    def options(self, *chosen: str | None) -> Options:
        """Return the options chosen by a visitor: a value of each choice, then the uploaded file or None."""
        options: Options = {}
        for choice, value in zip(self.choices, chosen, strict=False):
            options |= choice.values[str(value)]
        if self.spec.upload and chosen[-1] is not None:
            options[self.spec.upload.option] = chosen[-1]
        return options

    def metric(self, options: Options) -> Metric:
        """Return the loaded metric with these options; errors name an uploaded file without its folder."""
        try:
            return load_metric(self.name, options)
        except ClaimwiseError as error:
            if self.spec.upload and self.spec.upload.option in options:
                path = Path(options[self.spec.upload.option])
                raise error.at(problem=error.problem.replace(str(path), path.name)) from error
            raise

    def read(self, *texts: str | None) -> Columns:
        """Return the contents of the boxes as columns; a box by line gives a list of texts, or further rows.

        A summary may be written as a JSON list of its claims.

        Raises:
            ClaimwiseError: for a missing or too long text, naming its box.
        """
        columns: Columns = {}
        for box, text in zip(self.inputs.boxes, (text or "" for text in texts), strict=True):
            if box.required and not text.strip():
                raise ClaimwiseError(f"{box.label} is empty.", "Write or paste a text, or choose an example.")
            check_length(text, box, f"{box.label} ")
            cell = [line for _, line in _filled_lines(text)] if box.by_line else text
            columns[box.column] = columns[box.column] + cell if box.column in columns else [cell]
        return with_lists(self.spec, columns)[0] if self.takes_claims else columns

    def answer(self, columns: Columns, options: Options) -> Answer:
        """Compute everything that the page shows; other metrics get the options that they accept."""
        self.metric(options)  # its errors are more specific
        by_metric = {self.name: _scored(self.name, options, columns)}
        for name, own in self.beside.items():
            known = METRICS[name].Options.names()
            shared = {option: value for option, value in options.items() if option in known}
            by_metric[name] = _scored(name, {**own, **shared}, columns)
        return Answer(columns=columns, by_metric=by_metric)

    # Output for a visitor

    def threshold(self, answer: Answer) -> tuple[float, str] | None:
        """Return the initial threshold of the evidence and its meaning; None if there is none."""
        return THRESHOLDS.get(type(answer.own.evidence[0]))

    def draw(self, answer: Answer, threshold: float | None = None) -> Markup:
        """Draw the evidence of the first row, and collapsed the other rows and metrics."""
        _, result, (first, *others), _ = answer.own
        form = _form(self.spec.bounds)
        parts = [drawing.remarks(answer.remarks), drawing.evidence(first, threshold)]
        for number, evidence in enumerate(others, 2):
            title = f"{self.spec.rows.capitalize()} {number} · {self.spec.title}"
            body = drawing.evidence(evidence, threshold)
            parts.append(drawing.part("folded", title, evidence.score, form, "", body))
        if others:
            means = [(self.spec.title, drawing.shown(result.mean, form))]
            for name, score in self.spec.further.items():
                means.append((score.title, drawing.shown(result.further.get(name), _form(score.bounds))))
            listed = ", ".join(f"{title} {mean}" for title, mean in means)
            rows = self.spec.rows_are_called(len(result.scores))
            parts.append(drawing.part("paragraph", f"All {rows} together: {listed}."))
        signature = _at(answer.own, threshold).result.signature
        drawn = drawing.card(*parts, drawing.part("fine_print", "Signature", [signature]))
        if self.beside:
            parts = [drawing.part("heading", "Other metrics on the same texts")]
            for name in self.beside:
                spec, scored = METRICS[name].spec, answer.by_metric[name]
                body = drawing.part("paragraph", spec.description) + drawing.evidence(scored.evidence[0])
                title, mean, question = spec.title, scored.result.mean, drawing.sentence(spec.question)
                parts.append(drawing.part("folded", title, mean, _form(spec.bounds), question, body))
            drawn += drawing.card(*parts)
        return drawn

    def python(self, answer: Answer, threshold: float | None = None) -> str:
        """Return a Python program that reproduces the answer."""
        return program(answer.columns, {self.name: _at(answer.own, threshold)})

    # Error messages for a visitor

    def remedy(self, error: ClaimwiseError) -> str:
        """Return the remedy of an error for a visitor."""
        if isinstance(error, TextError):
            return "Change the text."
        if self.spec.upload and error.option == self.spec.upload.option:
            return f"Upload another file under “{self.spec.upload.title}”, or remove it and use the defaults."
        for choice in self.spec.choices:
            if _sets(choice, error.option):
                return f"Choose another one under “{choice.title}”."
        return error.remedy

    def in_words(self, error: ClaimwiseError, texts: Sequence[str | None]) -> str:
        """Word an error for a visitor who wrote ``texts`` into the boxes."""
        place, boxes = "", self.inputs.boxes
        if numbers := [number for number, box in enumerate(boxes) if box.column == error.column]:
            number, line = numbers[0], error.review
            if len(numbers) > 1 and error.row:  # of the rows of a box by line
                number, line = numbers[1], error.row - 1
            place = boxes[number].label
            if line is not None:
                place += f", line {_filled_lines(texts[number] or '')[line][0]}"
        return _sentences(place, error.problem, self.remedy(error))

    def in_words_of_files(self, error: ClaimwiseError) -> str:
        """Word an error for a visitor who uploaded a file: without its folder, rows counted from 1."""
        place = error.at(path=None if error.path is None else Path(error.path).name).place
        return _sentences(
            place, error.problem, error.remedy if isinstance(error, TextError) else self.remedy(error)
        )


def card_of(name: str) -> Path | None:
    """Return the card of a metric of claimwise; None for a metric of another package, which has no Space."""
    path = Path(str(files("claimwise.apps.scripts"))) / name / "README.md"
    return path if path.is_file() else None


def front_matter(spec: MetricSpec) -> Mapping[str, str]:
    """Return emoji, title and short description of a metric, from its card or else its specification."""
    path = card_of(spec.name)
    if path is None:
        return {"emoji": "🧩", "title": spec.title, "short_description": spec.question}
    return metadata_load(path) or {}


def program(columns: Columns, by_metric: Mapping[str, Scored]) -> str:
    """Return a Python program that reproduces scores, with each score and signature as a comment."""
    lines = [
        f"# Once, where claimwise is installed: claimwise evaluate install {' '.join(by_metric)}",
        "import evaluate",
        "",
        "rows = dict(",
        *(f"    {column}={_literal(cells, 1)}," for column, cells in columns.items()),
        ")",
    ]
    for name, (options, result, *_) in by_metric.items():
        shown, upload = dict(options), METRICS[name].spec.upload
        if upload and upload.option in shown:
            shown[upload.option] = Path(shown[upload.option]).name
        if shown.get("judge") == own_judge.OWN:
            shown["judge"] = "…"
            lines.append(
                "# This score is from the Space’s own judge. Replace it with a judge that you can reach."
            )
        written = "".join(f", {option}={_literal(value)}" for option, value in shown.items())
        lines += [
            f'result = evaluate.load("{name}"{written}).compute(**rows)',
            f'print(result["{name}"])  # {drawing.shown(result.mean, ".4g")}',
            f"# {result.signature}",
        ]
    return "\n".join(lines) + "\n"


def check_length(text: str, box: Box, subject: str = "", **where: Any) -> None:
    """Reject a text that is too long for its box; ``subject`` begins the sentence if there is no place.

    Raises:
        ClaimwiseError: with the place ``where``.
    """
    if len(text) > box.characters:
        raise ClaimwiseError(
            f"{subject}has {len(text):,} characters; this page takes up to {box.characters:,}.",
            "Shorten it, or score it in Python, where there is no limit.",
            **where,
        )


def _scored(name: str, options: Options, columns: Columns) -> Scored:
    metric = load_metric(name, options)
    texts = {column.name for column in metric.spec.columns if column.holds == "texts"}  # not claims
    columns = {
        column: list(map(text_of, cells)) if column in texts else cells for column, cells in columns.items()
    }
    row_scores = metric.score_rows(metric.rows(columns), details=True)
    evidence = tuple(row.evidence for row in row_scores if row.evidence is not None)
    named = metric.spec.named(columns)
    result = metric.aggregate(row_scores, columns=named)
    remarks = tuple(problem for problem, _ in metric.remarks(result.counts, named))
    return Scored(options, result, evidence, remarks)


def _at(scored: Scored, threshold: float | None) -> Scored:
    """Return a result for another threshold; no model is needed."""
    options, result, evidence, remarks = scored
    if threshold is None or not isinstance(evidence[0], SupportEvidence):
        return scored
    if threshold == evidence[0].threshold:
        return scored
    moved = at_threshold(evidence[0], threshold)
    signature = re.sub(r"\|threshold:[^|]*", f"|threshold:{threshold}", result.signature)
    result = replace(result, mean=moved.score or 0.0, signature=signature)
    return Scored({**options, "threshold": threshold}, result, (moved,), remarks)


def _form(bounds: tuple[float, float]) -> str:
    """Return the format of scores: one decimal on a scale up to 100, else two."""
    return ".1f" if bounds[1] == 100 else ".2f"


def _sets(choice: Choice, option: str | None) -> bool:
    return any(option in options for options in choice.values.values())


def _filled_lines(text: str) -> list[tuple[int, str]]:
    """Return the lines that are not blank, each with its number, counted from 1."""
    return [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]


def _sentences(place: str, problem: str, remedy: str) -> str:
    return " ".join(filter(None, (at_place(place, problem), remedy)))


def _literal(value: Any, depth: int = 0) -> str:
    """Return the value as Python code, with one list element per line."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)  # a JSON string is a Python string
    if not isinstance(value, list):
        return repr(value)
    inner = "    " * (depth + 1)
    elements = "".join(f"{inner}{_literal(element, depth + 1)},\n" for element in value)
    return f"[\n{elements}{'    ' * depth}]"
