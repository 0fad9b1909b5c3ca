"""A study: compare systems on the same inputs by all applicable metrics, with intervals and tests."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from claimwise.errors import ClaimwiseError, RowsError, TextError, did_you_mean, warn
from claimwise.metrics.base import CorpusMetric, Metric
from claimwise.metrics.registry import METRICS, load, spec_of
from claimwise.options import check
from claimwise.report.agreement import agreements
from claimwise.report.aligned import Aligned, Given, align
from claimwise.report.lines import Example, StudyResult, compared
from claimwise.report.results import SystemResult
from claimwise.report.study_files import study_as_text, study_in_notebook, write_study
from claimwise.runners import local, ray
from claimwise.runners.results import Watch
from claimwise.signature import file_digest, parts_fingerprint, unsigned
from claimwise.tables import read_scored
from claimwise.text.writer.attributions import is_attributed

if TYPE_CHECKING:
    from claimwise.runners.base import Runner


NOTABLE_DIFFERENCE = 0.1
"""Difference between systems' shares of claims with an attribution from which a study warns."""
PARTS = ".parts"
"""Subfolder of a study's folder that holds the rows scored so far."""


class Study(StudyResult):
    """The result of a study; see ``StudyResult``."""

    def save(self, folder: str | Path) -> None:
        """Write the page, tables, rows, figures and signatures into a folder: all files, or none.

        Raises:
            ClaimwiseError: for a file that cannot be written.
        """
        write_study(self, Path(folder))

    def __repr__(self) -> str:
        systems = ", ".join(dict.fromkeys(line.system for line in self.lines))
        return f"<Study of {systems} by {', '.join(self.results)}; print it for its table>"

    def __str__(self) -> str:
        return study_as_text(self)

    def _repr_html_(self) -> str:
        return study_in_notebook(self)


def study(
    systems: Mapping[str, Given] | Given,
    *,
    id: str | None = None,  # noqa: A002
    summary: str | None = None,
    source: str | None = None,
    reference: str | None = None,
    other: str | None = None,
    columns: Mapping[str, str] | None = None,
    baseline: str | None = None,
    human: str | None = None,
    metrics: Sequence[str] | None = None,
    reviews: Given | None = None,
    by: str | None = None,
    system: str | None = None,
    delimiter: str | None = None,
    out: str | Path | None = None,
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
        human: the column of human ratings, with which every score is correlated (see ``agreements``).
        metrics: names of metrics, and of further scores such as ``"top_score"`` (default: all that the
            columns allow).
        reviews: one review per row, in any of these forms; its reviews are joined to the rows by ``by``.
        by: the column that says what is reviewed; without ``reviews``, the rows have one review each.
        system: the column that says which system wrote a summary.
        delimiter: the delimiter of CSV files (default: it is found).
        out: a folder to save the study to; a killed run resumes from it.
        workers: number of processes that score in parallel.
        runner: ``"local"`` (this machine) or ``"ray"``.
        on_error: ``"row"`` reports a row that cannot be scored, and continues without its score.
        examples: number of example rows per metric and system: the rows with the largest differences.
        confidence_level: level of the intervals.
        seed: seed of resampling.
        **options: options of the metrics, such as ``nli_model``, ``pairs`` or ``decomposer``; each is passed
            to every metric that accepts it.

    Raises:
        ClaimwiseError: for rows that cannot be aligned (see ``align``) or scored, and for an unknown option.
    """
    named = {"summary": summary, "source": source, "reference": reference, "other": other}
    given = {name: column for name, column in named.items() if column is not None} | dict(columns or {})
    aligned = align(
        systems,
        id=id,
        baseline=baseline,
        metrics=metrics,
        columns=given,
        human=human,
        reviews=reviews,
        by=by,
        system=system,
        delimiter=delimiter,
    )
    make = {"local": local, "ray": ray}
    check("runner", runner, choices=tuple(make))
    with Runs(aligned, options, out) as runs:
        try:
            found = runs.study(
                make[runner](workers, on_error=on_error),
                examples=examples,
                confidence_level=confidence_level,
                seed=seed,
            )
        except (TextError, RowsError) as error:
            raise error.with_choice("Or pass on_error='row', which notes such a row.") from error
        if out is not None:
            found.save(out)
        runs.done = True
    return found


class Runs:
    """The runs of metrics over the rows of a study: a context manager that holds their files.

    A metric scores the rows of all systems in one run; a metric that compares rows with each other scores
    each system in a separate run. The scored rows are kept until the study is done.

    Args:
        aligned: the rows.
        options: options of the metrics.
        out: folder for the scored rows, from which a killed study resumes; None = a temporary folder.

    Attributes:
        all: (metric, its systems, the file of its rows).
        done: whether the scored rows may be removed.
    """

    def __init__(self, aligned: Aligned, options: Mapping[str, Any], out: str | Path | None) -> None:
        self.aligned, self.done, self._out = aligned, False, None if out is None else Path(out)
        self._opened = ExitStack()
        self._options = dict(options)
        known = {name: set(METRICS[name].Options.names()) for name in aligned.columns}
        for option in options:
            if not any(option in of_metric for of_metric in known.values()):
                problem = f"No metric in the study has an option {option!r}."
                near = did_you_mean(option, set[str]().union(*known.values()))
                raise ClaimwiseError(problem, f"{near}Leave it out.", option=option)
        self._known = known
        self.all: list[tuple[Metric, list[str], Path]] = []

    def __enter__(self) -> Runs:
        if self._out is None:
            self._folder = Path(self._opened.enter_context(tempfile.TemporaryDirectory(prefix="claimwise-")))
        else:
            self._folder = self._out / PARTS
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                problem = f"cannot be written ({error.strerror})."
                raise ClaimwiseError(problem, "Choose another folder.", path=self._out) from error
        files: dict[str, Path] = {}
        systems = list(self.aligned.rows)
        for name, known in self._known.items():
            metric = self._made(name, {o: value for o, value in self._options.items() if o in known})
            for group in [[one] for one in systems] if isinstance(metric, CorpusMetric) else [systems]:
                called = f"rows-{systems.index(group[0])}" if len(group) == 1 else "rows"
                if called not in files:
                    files[called] = self._folder / f"{called}.jsonl"
                    self.aligned.write(files[called], group)
                self.all.append((metric, group, files[called]))
        return self

    def __exit__(self, *_: object) -> None:
        if self.done and self._out is not None:
            import shutil

            shutil.rmtree(self._folder, ignore_errors=True)
        self._opened.close()

    def _made(self, name: str, options: Mapping[str, Any]) -> Metric:
        """Return a metric with the study's own score cache, or without it where its options exclude one."""
        if "score_cache" not in self._known[name] or "score_cache" in options:
            return load(name, **options)
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
        """Score all rows and compare the systems.

        Raises:
            ClaimwiseError: for a row that cannot be scored; it names the system and the id.
        """
        notes = list(self.aligned.notes)
        found: dict[str, dict[str, SystemResult]] = {score: {} for score in self.aligned.scores}
        kept: list[tuple[str, Path, list[tuple[str, str]]]] = []
        for metric, systems, file in self.all:
            path = self._scored(metric, file, systems, runner, watch and watch(metric))
            places = self.aligned.places(systems)
            kept.append((metric.name, path, places))
            signature, cells = _cells(metric, path)
            for score in self.aligned.scores:
                if _metric_of(score) == metric.name:
                    found[score] |= _results(score, metric, signature, cells, places, systems)
            notes += [
                f"{metric.name} has no score for {self._relocated(message, metric, file, row, places[row])}"
                for row, message in enumerate(cells[f"{metric.name}_error"])
                if message is not None
            ]
        if note := _attributed(kept):
            notes.append(note)
            warn(note)
        results = {score: list(of_systems.values()) for score, of_systems in found.items()}
        lines = compared(results, confidence_level, seed=seed)
        human = self.aligned.human
        agreed = agreements(results, human, confidence_level, seed=seed) if human else []
        if human and all(one.level == "rows" for one in agreed):
            notes.append("Agreement over systems needs at least three systems with different mean ratings.")
        shown = {
            score: [one for other in rest for one in _examples(first, other, examples)]
            for score, (first, *rest) in results.items()
        }
        return Study(
            results=results,
            lines=lines,
            notes=notes,
            examples=_with_evidence(shown, kept),
            confidence_level=confidence_level,
            seed=seed,
            human=human,
            agreements=agreed,
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
                runner.score_file(metric, file, path, columns=columns, details=True, watch=watch)
            except ClaimwiseError as error:
                places = self.aligned.places(systems)
                if isinstance(error, RowsError):
                    placed = [self._placed(one, places) for one in error.errors]
                    raise RowsError(placed, error.count) from error
                raise self._placed(error, places) from error
        return path

    def _placed(self, error: ClaimwiseError, places: Sequence[tuple[str, str]]) -> ClaimwiseError:
        """Return an error about a row with its place in the user's file or table."""
        return error if error.row is None else error.at(**self.aligned.where(*places[error.row]))

    def _relocated(self, message: str, metric: Metric, file: Path, row: int, place: tuple[str, str]) -> str:
        """Return the message of a row of a study's file with its place in the user's file or table."""
        of_metric = self.aligned.columns[metric.name]
        for column in (*of_metric.values(), *of_metric, None):
            ours = ClaimwiseError(path=file.name, column=column, line=row + 1).place
            if message.startswith((f"{ours}:", f"{ours},")):
                theirs = ClaimwiseError(column=column, **self.aligned.where(*place)).place
                return f"{theirs}{message.removeprefix(ours)}"
        return f"{ClaimwiseError(**self.aligned.where(*place)).place}: {message}"


def _cells(metric: Metric, path: Path) -> tuple[str, dict[str, list[Any]]]:
    """Return the signature of scored rows, and their scores, weights and errors by column."""
    name = metric.name
    metadata, table = read_scored(path)
    cells: dict[str, list[Any]]
    cells = {column: [] for column in (name, *metric.spec.further, f"{name}_weight", f"{name}_error")}
    for batch in table.batches():
        for column, of_column in cells.items():
            of_column += batch.cells(column)
    return str(metadata["result"][f"{name}_signature"]), cells


def _results(
    score: str,
    metric: Metric,
    signature: str,
    cells: Mapping[str, Sequence[Any]],
    places: Sequence[tuple[str, str]],
    systems: Sequence[str],
) -> dict[str, SystemResult]:
    """Return the result of each system for one score, from the scored rows."""
    name = metric.name
    found = {}
    for system in systems:
        own = [row for row, (_, of) in enumerate(places) if of == system]
        scores = [cells[score][row] for row in own]
        if sum(value is not None for value in scores) < 2:
            problem = f"{score}: fewer than two rows of {system} have a score."
            raise ClaimwiseError(problem, "Provide more rows, or leave the metric out.", option="metrics")
        weights = [cells[f"{name}_weight"][row] or 0.0 for row in own]
        result = {
            f"{score}_scores": scores,
            f"{name}_weights": None if set(weights) - {0.0} == {1.0} else weights,
            f"{name}_ids": [places[row][0] for row in own],
            f"{name}_signature": signature,
        }
        found[system] = SystemResult.of(system, score, result)
    return found


def _examples(first: SystemResult, other: SystemResult, count: int) -> list[Example]:
    """Return the rows with the largest differences, without evidence."""
    here, there = (dict(zip(of.ids or (), of.scores, strict=True)) for of in (other, first))
    pairs = ((one, here[one], there[one]) for one in here.keys() & there.keys())
    known = [(one, a, b) for one, a, b in pairs if a is not None and b is not None and a != b]
    known.sort(key=lambda row: (-abs(row[1] - row[2]), row[0]))
    systems = other.system, first.system
    return [Example(id=one, systems=systems, scores=(a, b)) for one, a, b in known[:count]]


def _with_evidence(
    examples: Mapping[str, Sequence[Example]], kept: Sequence[tuple[str, Path, Sequence[tuple[str, str]]]]
) -> dict[str, list[Example]]:
    """Return examples with the evidence of both systems, reading each file once."""
    wanted: dict[str, set[tuple[str, str]]] = {}
    for score, of_score in examples.items():
        rows = {(one.id, system) for one in of_score for system in one.systems}
        wanted[_metric_of(score)] = wanted.get(_metric_of(score), set()) | rows
    found: dict[tuple[str, str, str], Any] = {}
    for metric, path, places in kept:
        for batch in read_scored(path)[1].batches():
            of_batch = places[batch.first_row : batch.first_row + len(batch)]
            if wanted.get(metric, set()) & set(of_batch):
                cells = zip(of_batch, batch.cells(f"{metric}_details"), strict=True)
                found |= {(metric, *row): cell for row, cell in cells if row in wanted[metric]}
    return {
        score: [
            replace(one, evidence=tuple(found[_metric_of(score), one.id, system] for system in one.systems))
            for one in of_score
        ]
        for score, of_score in examples.items()
    }


def _attributed(kept: Sequence[tuple[str, Path, Sequence[tuple[str, str]]]]) -> str | None:
    """Return a note if the claims of one system say who holds the opinion more often than those of another.

    Reviews seldom entail such claims, so the systems may differ by their phrasing alone. The first metric
    that strips attributions decides.
    """
    metric = next((name for name, _, _ in kept if METRICS[name].spec.attributions == "strip"), None)
    found: dict[str, list[bool]] = {}
    for _, path, places in (one for one in kept if one[0] == metric):
        for batch in read_scored(path)[1].batches():
            of_batch = places[batch.first_row : batch.first_row + len(batch)]
            for (_, system), cell in zip(of_batch, batch.cells(f"{metric}_details"), strict=True):
                claims = (cell or {}).get("claims") or (cell or {}).get("hypotheses") or ()
                texts = [claim.get("claim") or claim.get("hypothesis") or "" for claim in claims]
                found.setdefault(system, []).extend(map(is_attributed, texts))
    shares = {system: sum(of_claims) / len(of_claims) for system, of_claims in found.items() if of_claims}
    if not shares or max(shares.values()) - min(shares.values()) < NOTABLE_DIFFERENCE:
        return None
    listed = ", ".join(f"{share:.0%} of {system}" for system, share in shares.items())
    return (
        f"{metric}: the systems differ in the share of claims that still say who holds an opinion (“guests "
        f"praised …”), which reviews seldom support: {listed}. Differences may be due to this phrasing alone."
    )


def _metric_of(score: str) -> str:
    spec, _ = spec_of(score)
    return score if spec is None else spec.name
