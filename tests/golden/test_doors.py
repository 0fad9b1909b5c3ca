"""Whatever the door and the format of the files, a row has the score that `compute` gives it."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from command import Run
from scoring import A, B

from claimwise.metrics import METRICS, load
from claimwise.report.aligned import ROLES
from claimwise.runners import local

REVIEWS = [[text, "The pool is warm, said a guest; breakfast costs extra."] for text in B]
COLUMNS: dict[str, dict[str, list[Any]]] = {
    "abstractiveness": {"predictions": A, "references": REVIEWS},
    "caspr": {"predictions": A, "references": B},
    "complexity": {"predictions": A},
    "genericity": {"predictions": A, "entities": ["one", "two", "two", "three"]},
}
"""A metric of sources with further scores, one of claims, one of single texts, one of a whole corpus."""


@pytest.fixture(params=list(COLUMNS))
def metric(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def options(metric: str, tiny_encoder: Path) -> dict[str, Any]:
    if metric in ("caspr", "genericity"):
        return {"judge": str(tiny_encoder), "decomposer": "sentences"}
    return {}


@pytest.fixture
def wanted(metric: str, options: dict[str, Any]) -> dict[str, list[float | None]]:
    """The scores of each row, by name."""
    loaded = load(metric, **options)
    result = loaded.compute(**COLUMNS[metric])
    return {name: result[f"{name}_scores"] for name in (metric, *loaded.spec.further)}


def write(path: Path, columns: dict[str, list[Any]]) -> Path:
    """Write a table in the format that the name of ``path`` says; in a .csv file lists are JSON."""
    rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    if path.suffix == ".parquet":
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    elif path.suffix == ".csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(columns))
            writer.writeheader()
            for row in rows:
                writer.writerow(
                    {name: json.dumps(cell) if isinstance(cell, list) else cell for name, cell in row.items()}
                )
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def read(path: Path, names: list[str]) -> dict[str, list[float | None]]:
    """Return the scores of each row in a file, by name."""
    if path.suffix == ".json":
        result = json.loads(path.read_text("utf-8"))
        return {name: result[f"{name}_scores"] for name in names}
    rows: list[dict[str, Any]]
    if path.suffix == ".parquet":
        rows = pyarrow.parquet.read_table(path).to_pylist()
    elif path.suffix == ".csv":
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    else:
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return {name: [None if row[name] in (None, "") else float(row[name]) for row in rows] for name in names}


def near(wanted: dict[str, list[float | None]]) -> dict[str, Any]:
    """Return scores that equal those that differ by rounding alone: batches of another size do."""
    return {name: pytest.approx(scores, rel=1e-5, abs=1e-6) for name, scores in wanted.items()}


@pytest.mark.parametrize(
    ("given", "output"), [("csv", "json"), ("parquet", "jsonl"), ("csv", "parquet"), ("jsonl", "csv")]
)
def test_the_command_writes_the_scores_of_compute(
    metric: str,
    options: dict[str, Any],
    wanted: dict[str, list[float | None]],
    given: str,
    output: str,
    run: Run,
    tmp_path: Path,
) -> None:
    file, scores = write(tmp_path / f"rows.{given}", COLUMNS[metric]), tmp_path / f"scores.{output}"
    flags = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    references = ROLES.get(METRICS[metric].references_are, "")
    roles = {"predictions": "summary", "references": references}
    columns = [f"--{roles.get(name, name)}={name}" for name in COLUMNS[metric]]

    done = run("score", metric, file, "--output", scores, *flags, *columns)

    assert done.code == 0, done.err
    assert read(scores, list(wanted)) == near(wanted)


@pytest.mark.parametrize(("given", "output"), [("jsonl", "parquet"), ("csv", "jsonl"), ("parquet", "csv")])
def test_a_runner_writes_the_scores_of_compute(
    metric: str,
    options: dict[str, Any],
    wanted: dict[str, list[float | None]],
    given: str,
    output: str,
    tmp_path: Path,
) -> None:
    file, scores = write(tmp_path / f"rows.{given}", COLUMNS[metric]), tmp_path / f"scores.{output}"
    runner = local(rows_in_part=3)

    runner.score_file(load(metric, **options), file, scores, columns={name: name for name in COLUMNS[metric]})
    result = runner.compute(load(metric, **options), **COLUMNS[metric])

    assert read(scores, list(wanted)) == near(wanted)
    assert {name: result[f"{name}_scores"] for name in wanted} == near(wanted)
