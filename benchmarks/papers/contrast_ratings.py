"""Ratings of contrast by people: the sample of pairs, sheets for raters, and the analysis of filled sheets.

``contrast_ratings.md`` is the protocol. The sample holds ids only: the texts are in CoCoTrip's files.

    python -m benchmarks.papers.contrast_ratings sheet --data DATA --rater 1 --output rater-1.csv
    python -m benchmarks.papers.contrast_ratings analyse rater-1.csv rater-2.csv --data DATA --output OUT
"""

from __future__ import annotations

import csv
import hashlib
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import rich_click as click

from benchmarks.papers import experiment
from benchmarks.papers.cocotrip import SETS
from benchmarks.papers.command import RESULTS, data_flag, output_flag, paper_command, run, show
from claimwise.data import cocotrip
from claimwise.errors import ClaimwiseError
from claimwise.metrics import Caspr, DistinctivenessScore, InvertedBertscore
from claimwise.metrics.base import Metric
from claimwise.report.human import HumanCorrelation, Ratings, human_correlations
from claimwise.report.results import SystemResult
from claimwise.tables import writing

SAMPLE = Path(__file__).with_name("contrast_ratings_sample.csv")
PER_SET = 12
SCALE = ("1", "2", "3", "4", "5")
COLUMNS = ("pair", "summary_a", "summary_b", "contrast", "comment")


class Sampled(NamedTuple):
    """A pair of the sample: its name on the sheets, its set, and the ids of both hotels."""

    pair: str
    set: str
    entity_a: str
    entity_b: str

    @property
    def key(self) -> tuple[str, str]:
        """The pair of hotels, and the set: hotels that are in two sets are resampled together."""
        return f"{self.entity_a} {self.entity_b}", self.set


def sample(hotels: Sequence[tuple[str, str]], per_set: int = PER_SET) -> list[Sampled]:
    """Return the pairs to rate: ``per_set`` of each of the five sets, by a rule that looks at ids only.

    Pairs of hotels are put in the order of the SHA-256 of their ids. Each set takes the next ``per_set`` of
    them, from the start again after the last. The names p01, p02, … follow the SHA-256 of set and ids, so
    that they say nothing of the set.
    """
    ordered = sorted(hotels, key=lambda ids: _digest(*ids))
    chosen = [
        (name, *ordered[(number * per_set + place) % len(ordered)])
        for number, name in enumerate(SETS)
        for place in range(per_set)
    ]
    return [
        Sampled(f"p{number:02}", *of)
        for number, of in enumerate(sorted(chosen, key=lambda of: _digest(*of)), 1)
    ]


def read_sample(path: Path = SAMPLE) -> list[Sampled]:
    """Return the committed sample."""
    with path.open(encoding="utf-8", newline="") as file:
        return [Sampled(**row) for row in csv.DictReader(file)]


def texts_of(sampled: Sequence[Sampled], data: Path) -> dict[str, tuple[str, str]]:
    """Return pair → both summaries, from CoCoTrip's files."""
    records = cocotrip.records(data)
    of_sets = {
        (name, row["entity_a"], row["entity_b"]): (row["summary_a"], row["summary_b"])
        for name in SETS
        for row in cocotrip.rows(records, name)
    }
    return {one.pair: of_sets[one.set, one.entity_a, one.entity_b] for one in sampled}


def write_sheet(texts: Mapping[str, tuple[str, str]], path: Path, rater: int) -> None:
    """Write the empty sheet of a rater, whose number decides the order of the pairs."""
    pairs = sorted(texts)
    random.Random(rater).shuffle(pairs)
    with writing(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows([pair, *texts[pair], "", ""] for pair in pairs)


def read_sheet(path: Path, sampled: Sequence[Sampled]) -> dict[tuple[str, str], float]:
    """Return the ratings of a filled sheet by (pair of hotels, set); pairs without a rating are left out.

    Raises:
        ClaimwiseError: for an unknown or repeated pair, or a rating outside the scale.
    """
    keys = {one.pair: one.key for one in sampled}
    ratings: dict[tuple[str, str], float] = {}
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        if missing := {"pair", "contrast"} - set(reader.fieldnames or ()):
            raise ClaimwiseError(f"has no column {min(missing)!r}.", "Use the sheet as written.", path=path)
        for number, row in enumerate(reader):
            pair, rating = (row["pair"] or "").strip(), (row["contrast"] or "").strip()
            if pair not in keys or keys[pair] in ratings:
                problem = f"{pair!r} is {'repeated' if pair in keys else 'not a pair of the sample'}."
                raise ClaimwiseError(
                    problem, "Use the sheet as written.", path=path, column="pair", row=number
                )
            if rating and rating not in SCALE:
                problem = f"the rating of {pair} is {rating!r}, not one of {', '.join(SCALE)}."
                raise ClaimwiseError(problem, "Correct it.", path=path, column="contrast", row=number)
            if rating:
                ratings[keys[pair]] = float(rating)
    return ratings


def analysed(
    sheets: Mapping[str, Mapping[tuple[str, str], float]],
    sampled: Sequence[Sampled],
    texts: Mapping[str, tuple[str, str]],
    metrics: Sequence[Metric],
    resamples: int = 1_000,
) -> tuple[Ratings, list[HumanCorrelation]]:
    """Return the raters' ratings, and the correlations of metrics with the mean rating.

    They are over pairs (``rows``) and over the means of the five sets (``systems``).

    Args:
        sheets: rater → ratings, see ``read_sheet``.
        sampled: the sample.
        texts: pair → both summaries.
        metrics: contrast metrics.
        resamples: number of resamples of pairs of hotels.

    Raises:
        ClaimwiseError: for too few ratings, or ratings that are all equal.
    """
    ratings = Ratings(sheets)
    results: dict[str, list[SystemResult]] = {}
    for metric in metrics:
        first, second = (list(side) for side in zip(*(texts[one.pair] for one in sampled), strict=True))
        scores = metric.compute(predictions=first, references=second)[f"{metric.name}_scores"]
        for name in dict.fromkeys(one.set for one in sampled):
            own = [(one.key[0], score) for one, score in zip(sampled, scores, strict=True) if one.set == name]
            ids, of_set = (list(cells) for cells in zip(*own, strict=True))
            result = SystemResult(system=name, score=metric.name, mean=0.0, scores=of_set, ids=ids)
            results.setdefault(metric.name, []).append(result)
    words = {one.key: sum(len(text.split()) for text in texts[one.pair]) for one in sampled}
    return ratings, human_correlations(results, ratings.mean, words=words, resamples=resamples)


def report(ratings: Ratings, lines: Sequence[HumanCorrelation]) -> str:
    """Return agreement and correlations in Markdown."""
    rows = []
    for line in lines:
        values = asdict(line)
        cells = [
            "–"
            if values[name] is None
            else experiment.with_interval(values[name], (values[f"{name}_low"], values[f"{name}_high"]), 2)
            for name in ("pearson", "spearman", "kendall", "partial")
        ]
        rows.append(
            (
                line.metric,
                {"rows": "pairs", "systems": "sets"}.get(line.level, line.level),
                line.count,
                *cells,
            )
        )
    head = ("metric", "over", "n", "Pearson", "Spearman", "Kendall", "Spearman given length")
    means: dict[str, list[float]] = {}
    for (_, name), rating in ratings.mean.items():
        means.setdefault(name, []).append(rating)
    of_sets = [(name, len(of), f"{sum(of) / len(of):.2f}") for name, of in sorted(means.items())]
    return "\n".join(
        [
            "# Ratings of contrast",
            "",
            *(f"- {sentence}" for sentence in ratings.agreement),
            "",
            *experiment.table(("set", "pairs", "mean rating"), of_sets),
            *experiment.table(head, rows),
        ]
    )


def _digest(*parts: str) -> str:
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()


@click.group()
def main() -> None:
    """Sheets for raters of contrast, and their analysis."""


@main.command()
@data_flag("with CoCoTrip")
@click.option("--output", type=click.Path(path_type=Path), default=SAMPLE, help="CSV file for the sample.")
def choose(data: Path, output: Path) -> None:
    """Write the sample again, by the rule."""
    ids = [(record["entity_a"], record["entity_b"]) for record in cocotrip.records(data)]
    with writing(output) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Sampled._fields)
        writer.writerows(sample(ids))


@main.command()
@data_flag("with CoCoTrip")
@click.option("--rater", type=int, required=True, help="Number of the rater, which decides the order.")
@click.option("--output", type=click.Path(path_type=Path), required=True, help="CSV file for the sheet.")
def sheet(data: Path, rater: int, output: Path) -> None:
    """Write the empty sheet of a rater."""
    write_sheet(texts_of(read_sample(), data), output, rater)


@paper_command(name="analyse")
@click.argument("sheets", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
@data_flag("with CoCoTrip")
@output_flag(RESULTS)
def analyse(sheets: tuple[Path, ...], data: Path, out: Path) -> None:
    """Report how well raters agree with each other, and the three contrast metrics with them."""
    sampled = read_sample()
    filled = {path.stem: read_sheet(path, sampled) for path in sheets}
    with experiment.outputs(out, "results.json", "results.md") as write:
        metrics: list[Metric] = [Caspr(), DistinctivenessScore(), InvertedBertscore()]
        ratings, lines = analysed(filled, sampled, texts_of(sampled, data), metrics)
        content: dict[str, Any] = {
            "agreement": ratings.agreement,
            "correlations": [asdict(line) for line in lines],
            "signatures": [metric.signature() for metric in metrics],
        }
        write("results.json", json.loads(json.dumps(content)))
        write("results.md", report(ratings, lines))
    show(out, RESULTS)


main.add_command(analyse)

if __name__ == "__main__":
    run(main)
