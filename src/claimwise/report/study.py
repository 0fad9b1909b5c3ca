"""A study: compare systems on the same inputs by all applicable metrics, with intervals and tests."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from claimwise.errors import ClaimwiseError, RowsError, TextError, at_place, did_you_mean, warn
from claimwise.metrics.base import CorpusMetric, Metric
from claimwise.metrics.registry import METRICS, load
from claimwise.options import check
from claimwise.report.aligned import NUMBERS, Aligned, align
from claimwise.report.human import HumanCorrelation, Key, human_correlations
from claimwise.report.lines import compared
from claimwise.report.results import SystemResult
from claimwise.report.study_files import Study
from claimwise.report.study_rows import ScoredRows, attribution_note, examples_of, metric_of
from claimwise.report.system_rows import RowSource
from claimwise.runners import local, ray
from claimwise.runners.results import Watch
from claimwise.signature import file_digest, parts_fingerprint, unsigned
from claimwise.tables import read_scored

if TYPE_CHECKING:
    from claimwise.runners.base import Runner


PARTS = ".parts"
"""Subfolder of a study's folder that holds the rows scored so far."""


def study(
    systems: Mapping[str, RowSource] | RowSource,
    *,
    id: str | None = None,  # noqa: A002
    summary: str | None = None,
    source: str | None = None,
    reference: str | None = None,
    other: str | None = None,
    columns: Mapping[str, str] | None = None,
    baseline: str | None = None,
    human: str | Sequence[str] = (),
    positive: str | None = None,
    metrics: Sequence[str] | None = None,
    reviews: RowSource | None = None,
    by: str | None = None,
    system: str | None = None,
    delimiter: str | None = None,
    output: str | Path | None = None,
    workers: int = 1,
    runner: Literal["local", "ray"] = "local",
    on_error: Literal["stop", "row"] = "stop",
    examples: int = 3,
    confidence_level: float = 0.95,
    seed: int | None = 0,
    **options: Any,
) -> Study:
    """Compare the summaries of several systems by every metric that the columns allow.

    Every difference from the baseline has an interval, the p-value of the paired permutation test and its
    Holm correction over all metrics and systems, and an effect size. Each distinct pair of claims is judged
    once.

    Args:
        systems: name → its rows: a .csv, .tsv, .json, .jsonl or .parquet file, a DataFrame, a mapping of
            columns, or a list of rows; with ``system`` one of these that holds all systems.
        id: the column of ids, by which rows are aligned (default: by equal sources or references).
        summary: the column of summaries (``summary``, ``summary_a`` or ``predictions``).
        source: the column of sources (``reviews``).
        reference: the column of reference summaries (``reference_summary`` or ``reference``).
        other: the column of the other summaries of contrast metrics (``summary_b``).
        columns: further columns of metrics → columns of the rows, such as ``{"entities": "hotel"}``.
        baseline: the system that the others are compared with (default: the first).
        human: the column of human ratings or labels, or a column for each annotator, with whose mean every
            score is correlated (see ``human_correlations``); empty cells are noted.
        positive: the label that counts as 1, if annotators gave labels in words; all others count as 0.
        metrics: names of metrics, and of further scores such as ``"caspr_strongest"`` (default: all that the
            columns allow).
        reviews: one review per row, in any of these forms; its reviews are joined to the rows by ``by``.
        by: the column that says what is reviewed; without ``reviews``, the rows have one review each.
        system: the column that says which system wrote a summary.
        delimiter: the delimiter of CSV files (default: it is found).
        output: a folder to save the study to; a killed run resumes from it.
        workers: number of processes that score in parallel.
        runner: ``"local"`` (this machine) or ``"ray"``.
        on_error: ``"row"`` reports a row that cannot be scored, and continues without its score.
        examples: number of example rows per metric and system: the rows with the largest differences.
        confidence_level: level of the intervals.
        seed: seed of resampling.
        **options: options of the metrics, such as ``judge``, ``pairs`` or ``decomposer``; each is passed
            to every metric that accepts it.

    Raises:
        ClaimwiseError: for fewer than two systems, a missing column, missing or repeated ids, rows with the
            same id and different sources, fewer than two rows in common with the baseline, fewer than three
            differing ratings, a row that cannot be scored, and an unknown option.
    """
    roles = {"summary": summary, "source": source, "reference": reference, "other": other}
    aligned = align(
        systems,
        id=id,
        baseline=baseline,
        metrics=metrics,
        columns={role: column for role, column in roles.items() if column is not None} | dict(columns or {}),
        human=human,
        positive=positive,
        reviews=reviews,
        by=by,
        system=system,
        delimiter=delimiter,
    )
    make = {"local": local, "ray": ray}
    check("runner", runner, choices=tuple(make))
    scoring = make[runner](workers, on_error=on_error)
    with Runs(aligned, options, output) as runs:
        try:
            result = runs.study(scoring, examples=examples, confidence_level=confidence_level, seed=seed)
        except (TextError, RowsError) as error:
            raise error.with_choice("Or pass on_error='row', which notes such a row.") from error
        if output is not None:
            result.save(output)
        runs.done = True
    return result


class Runs:
    """The runs of metrics over the rows of a study: a context manager that holds their files.

    A metric scores the rows of all systems in one run; a metric that compares rows with each other scores
    each system in a separate run. The scored rows are kept in the folder ``output``, from which a killed
    study resumes, until the study is done; without one, they are in a temporary folder.

    Attributes:
        all: (metric, its systems, the file of its rows).
        done: whether the scored rows may be removed.
    """

    def __init__(self, aligned: Aligned, options: Mapping[str, Any], output: str | Path | None) -> None:
        self.aligned, self.done = aligned, False
        self.all: list[tuple[Metric, list[str], Path]] = []
        self._output = None if output is None else Path(output)
        self._options = dict(options)
        self._opened = ExitStack()
        known = {option for name in aligned.columns for option in METRICS[name].Options.names()}
        for option in options:
            if option not in known:
                problem = f"No metric of the study has an option `{option}`."
                raise ClaimwiseError(problem, f"{did_you_mean(option, known)}Leave it out.", option=option)

    def __enter__(self) -> Runs:
        if self._output is None:
            self._folder = Path(self._opened.enter_context(tempfile.TemporaryDirectory(prefix="claimwise-")))
        else:
            self._folder = self._output / PARTS
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                problem = f"cannot be written ({error.strerror})."
                raise ClaimwiseError(problem, "Choose another folder.", path=self._output) from error
        systems = list(self.aligned.rows)
        written: set[Path] = set()
        for name in self.aligned.columns:
            metric = self._loaded(name)
            groups = [[system] for system in systems] if isinstance(metric, CorpusMetric) else [systems]
            for group in groups:
                number = f"-{systems.index(group[0])}" if len(group) == 1 else ""
                file = self._folder / f"rows{number}.jsonl"
                if file not in written:
                    self.aligned.write(file, group)
                    written.add(file)
                self.all.append((metric, group, file))
        return self

    def __exit__(self, *_: object) -> None:
        if self.done and self._output is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        self._opened.close()

    def _loaded(self, name: str) -> Metric:
        """Return a metric with the study's own score cache, or without it where its options exclude one."""
        known = METRICS[name].Options.names()
        options = {option: value for option, value in self._options.items() if option in known}
        if "score_cache" in known and "score_cache" not in options:
            try:
                return load(name, score_cache=self._folder / "scores.sqlite", **options)
            except ClaimwiseError as error:
                if error.option != "score_cache":
                    raise
        return load(name, **options)

    def study(
        self,
        runner: Runner,
        *,
        examples: int = 3,
        confidence_level: float = 0.95,
        seed: int | None = 0,
        watch: Callable[[Metric], Watch] | None = None,
    ) -> Study:
        """Score all rows and compare the systems; the error of a row names the system and the id."""
        notes = list(self.aligned.notes)
        results: dict[str, list[SystemResult]] = {score: [] for score in self.aligned.scores}
        scored_rows: list[ScoredRows] = []
        for metric, systems, file in self.all:
            path = self._scored(metric, file, systems, runner, watch and watch(metric))
            rows = ScoredRows(metric.name, path, self.aligned.keys(systems))
            scored_rows.append(rows)
            signature, cells = _cells(metric, path)
            for score in self.aligned.scores:
                if metric_of(score) == metric.name:
                    results[score] += _results(score, rows, signature, cells, systems)
            notes += [
                f"{metric.name} has no score for {self._in_users_place(message, file, row, rows.keys[row])}"
                for row, message in enumerate(cells[f"{metric.name}_error"])
                if message is not None
            ]
        if note := attribution_note(scored_rows):
            notes.append(note)
            warn(note)
        correlations = self._correlations(results, confidence_level, seed)
        notes += self.aligned.human.agreement
        if self.aligned.human.mean and all(line.level != "systems" for line in correlations):
            notes.append("Correlations over systems need at least three systems with different mean ratings.")
        return Study(
            results=results,
            lines=compared(results, confidence_level, seed=seed),
            notes=notes,
            examples=examples_of(results, scored_rows, examples),
            confidence_level=confidence_level,
            seed=seed,
            human=self.aligned.human.mean,
            correlations=correlations,
        )

    def _correlations(
        self, results: Mapping[str, Sequence[SystemResult]], confidence_level: float, seed: int | None
    ) -> list[HumanCorrelation]:
        ratings, words = self.aligned.human, self.aligned.words
        if not ratings.mean:
            return []
        return human_correlations(
            results, ratings.mean, confidence_level, words=words, labels=ratings.labels, seed=seed
        )

    def is_scored(self, metric: Metric, file: Path, on_error: str) -> bool:
        """Return whether an earlier run has scored the rows of a file; no model is downloaded."""
        is_begun = any(self._folder.glob(f"{metric.name}-*.jsonl")) and not unsigned(metric.options)
        return is_begun and self._path(metric, file, on_error).exists()

    def _path(self, metric: Metric, file: Path, on_error: str) -> Path:
        columns = sorted(self.aligned.columns[metric.name].items())
        identity = [metric.signature(), file_digest(file), columns, on_error]
        return self._folder / f"{metric.name}-{parts_fingerprint(identity)}.jsonl"

    def _scored(
        self, metric: Metric, file: Path, systems: Sequence[str], runner: Runner, watch: Watch | None
    ) -> Path:
        """Return the file of the scored rows, reusing the file of an earlier run."""
        columns, path = self.aligned.columns[metric.name], self._path(metric, file, runner.on_error)
        if not path.exists() or unsigned(metric.options):
            try:
                runner.score_file(metric, file, path, columns=columns, ids=NUMBERS, details=True, watch=watch)
            except ClaimwiseError as error:
                keys = self.aligned.keys(systems)
                if isinstance(error, RowsError):
                    located = [self._located(row_error, keys) for row_error in error.errors]
                    raise RowsError(located, error.count) from error
                raise self._located(error, keys) from error
        return path

    def _located(self, error: ClaimwiseError, keys: Sequence[Key]) -> ClaimwiseError:
        """Return an error about a row with its place in the user's file or table."""
        return error if error.row is None else error.at(**self.aligned.where(keys[error.row]))

    def _in_users_place(self, message: str, file: Path, row: int, key: Key) -> str:
        """Return the message of a row of a study's file with its place in the user's file or table."""
        where = ClaimwiseError(**self.aligned.where(key))
        if not message.startswith(f"{file.name}, "):
            return at_place(where.place, message)
        path = str(where.path)
        own_line = message.replace(f", line {row + 1}", where.place.removeprefix(path), 1)
        return own_line.replace(file.name, path, 1)


def _cells(metric: Metric, path: Path) -> tuple[str, dict[str, list[Any]]]:
    """Return the signature of scored rows, and their scores, weights and errors by column."""
    name = metric.name
    metadata, table = read_scored(path)
    columns = (name, *metric.spec.further, f"{name}_weight", f"{name}_error")
    cells: dict[str, list[Any]] = {column: [] for column in columns}
    for batch in table.batches():
        for column in cells:
            cells[column] += batch.cells(column)
    return str(metadata["result"][f"{name}_signature"]), cells


def _results(
    score: str, rows: ScoredRows, signature: str, cells: Mapping[str, Sequence[Any]], systems: Sequence[str]
) -> list[SystemResult]:
    """Return the result of each system for one score."""
    results = []
    for system in systems:
        own = [row for row, (_, name) in enumerate(rows.keys) if name == system]
        scores = [cells[score][row] for row in own]
        if sum(value is not None for value in scores) < 2:
            problem = f"{score}: fewer than two rows of {system} have a score."
            raise ClaimwiseError(problem, "Provide more rows, or leave the metric out.", option="metrics")
        weights = [cells[f"{rows.metric}_weight"][row] or 0.0 for row in own]
        result = {
            f"{score}_scores": scores,
            f"{rows.metric}_weights": None if set(weights) - {0.0} == {1.0} else weights,
            f"{rows.metric}_ids": [rows.keys[row][0] for row in own],
            f"{rows.metric}_signature": signature,
        }
        results.append(SystemResult.of(system, score, result))
    return results
