"""Every metric against people: a small set of our own is scored, resumed, reported, and read as a study."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from command import Run

from benchmarks.quality.people import __main__ as people
from benchmarks.quality.people.tables import DIMENSIONS, PROMPTED, RECORDED, opinsummeval, rose, write

REVIEWS = ["The pool is warm. We swam every day.", "The beds creak all night."]
SUMMARIES = {
    "copies": "The pool is warm. The beds creak all night.",
    "short": "Guests enjoy it.",
    "long": "Everybody who came here talks about a swimming pool of pleasant temperature, but beds are bad.",
}


def data(folder: Path) -> Path:
    """Write both sets in the form of the published ones."""
    (folder / "human").mkdir(parents=True)
    products, articles = [], []
    for number in range(28, 33):
        systems: dict[str, Any] = {}
        for place, (system, text) in enumerate(SUMMARIES.items()):
            rating = dict.fromkeys(DIMENSIONS, 1.0 + (place + number) % 3)
            metrics = dict.fromkeys(RECORDED, 0.1 * place + number)
            metrics |= {
                f"{prompt}_{asked}": place + 1 for prompt in PROMPTED for asked in DIMENSIONS.values()
            }
            second = rating | {"sent_con": 1.0 + place}
            systems[system] = {"summary": text, "annot1": rating, "annot2": second, "metrics": metrics}
        products.append(
            {"product": number, "reviews": REVIEWS, "reference": SUMMARIES["copies"], "systems": systems}
        )
        units = ["The pool is warm.", "The beds creak."]
        scored = {
            system: {"summary": text, "acu": 1 - place / 2, "normalized_acu": 1 - place / 2}
            for place, (system, text) in enumerate(SUMMARIES.items())
        }
        source, reference = " ".join(REVIEWS), " ".join(units)
        articles.append(
            {"id": f"a{number}", "source": source, "reference": reference, "units": units, "systems": scored}
        )
    for name, rows in (("opinsummeval", products), ("rose_cnndm", articles)):
        with gzip.open(folder / "human" / f"{name}.jsonl.gz", "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
    return folder


@pytest.mark.slow
def test_a_study_reads_the_tables_as_a_user_would_run_it(run: Run, tmp_path: Path) -> None:
    rows = opinsummeval(data(tmp_path))
    assert (rows[0]["ROUGE-1"], rows[1]["ROUGE-1"]) == (1, 0)
    write(rows, Path("opinsummeval.jsonl"))
    done = run(
        "study", "opinsummeval.jsonl", "--system", "system", "--id", "id",
        "--metrics", "abstractiveness,complexity", "--human", "sent_con_1,sent_con_2", "--output", "s",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert "sent_con_1 and sent_con_2 agree with Cohen's kappa" in done.out
    assert "Within 5 ids" in done.out
    assert [row["unigram recall"] for row in rose(tmp_path)[:2]] == pytest.approx([1, 0])


@pytest.mark.slow
def test_one_command_scores_and_reports_and_another_reports_what_has_been_scored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cheap = ("abstractiveness", "complexity")
    few = {name: {metric: of[metric] for metric in cheap} for name, of in people.MEASURED.items()}
    monkeypatch.setattr(people, "MEASURED", few)
    folder = data(tmp_path / "data")
    arguments = ["--data", str(folder), "--state", str(tmp_path / "state"), "--resamples", "5"]
    arguments += ["--output", str(tmp_path / "people")]
    monkeypatch.setattr("sys.argv", ["people", *arguments, "--report"])
    people.main()
    unscored = json.loads((tmp_path / "people.json").read_text(encoding="utf-8"))
    assert unscored["signatures"] == {"opinsummeval": [], "rose": []}
    assert "| QuestEval |" in (tmp_path / "people.md").read_text(encoding="utf-8")

    monkeypatch.setattr("sys.argv", ["people", *arguments])
    people.main()
    text = (tmp_path / "people.json").read_text(encoding="utf-8")
    assert not any(said in text for said in (*SUMMARIES.values(), *REVIEWS))  # no texts of others
    results = json.loads(text)["results"]
    measured = results["opinsummeval"]["sent_con"]
    within = {line["metric"]: line for line in measured if line["level"] == "ids"}
    assert within["abstractiveness"]["count"] == 3  # products 30 to 32
    assert {line["count"] for line in results["rose"]["acu"] if line["level"] == "ids"} == {5}
    assert {"complexity", "ROUGE-L", "ChatGPT", "number of words"} <= within.keys()
    page = (tmp_path / "people.md").read_text(encoding="utf-8")
    assert "| `abstractiveness` |" in page
    assert "within an article" in page

    written = {file: file.stat().st_mtime_ns for file in (tmp_path / "state").rglob("a*.jsonl")}
    people.main()  # nothing is scored again
    assert written == {file: file.stat().st_mtime_ns for file in (tmp_path / "state").rglob("a*.jsonl")}
    assert (tmp_path / "people.md").read_text(encoding="utf-8").splitlines()[6:] == page.splitlines()[6:]
