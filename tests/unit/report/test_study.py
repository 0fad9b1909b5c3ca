"""Studies: alignment, tests and their calibration, resuming, files, and refusals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from chat_endpoint import Endpoint, Reply, Request, failure
from chat_judge import answer_by_words
from command import Run, check_refused
from pages import SCRIPT, check_is_safe_and_whole
from scipy.stats import rankdata
from tables import write_table

import claimwise
from claimwise.errors import ClaimwiseError
from claimwise.report.human import LENGTH, HumanCorrelation, human_correlations
from claimwise.report.lines import compared, number, shortened, signed
from claimwise.report.results import SystemResult
from claimwise.stats import correlations, holm, mean_difference, size_of_difference

THINGS = ("pool", "soup", "tram", "bed")
REVIEWS = [
    ["The pool is warm."],
    ["The soup was cold."],
    ["You can hear the tram at night."],
    ["Beds creak."],
]
SUMMARIES = {
    "copy": ["The pool is warm.", "The soup was cold.", "You can hear a tram at night.", "Beds creak."],
    "words": ["A warm pool awaits.", SCRIPT + " tepid soup.", "Trams run in dark hours.", "It may creak."],
    "mixed": ["The pool is warm.", "Tepid soup came.", "You can hear a tram at night.", "It may creak."],
}
METRICS = ["abstractiveness", "complexity"]


def rows(system: str) -> dict[str, Any]:
    return {"thing": list(THINGS), "reviews": REVIEWS, "summary": SUMMARIES[system]}


def simulated(generator: np.random.Generator, systems: int, count: int = 20) -> list[SystemResult]:
    """Return systems drawn from one, whose rows count differently."""
    of_rows = generator.normal(size=count)
    return [
        SystemResult(
            system=f"s{number}",
            score="support_counts",
            mean=0.0,
            scores=(of_rows + generator.normal(size=count)).tolist(),
            weights=generator.integers(1, 6, count).astype(float).tolist(),
            ids=[str(row) for row in range(count)],
        )
        for number in range(systems)
    ]


def test_the_order_of_rows_and_systems_in_files_changes_nothing_and_missing_rows_are_named() -> None:
    shuffled = pandas.DataFrame(rows("words")).sample(frac=1, random_state=3)
    systems = {"copy": rows("copy"), "words": rows("words"), "mixed": rows("mixed")}
    one = claimwise.study(systems, id="thing", metrics=METRICS)
    other = claimwise.study(
        {**systems, "words": shuffled, "mixed": pandas.DataFrame(rows("mixed")).to_dict("records")[::-1]},
        source="reviews",
        id="thing",
        metrics=METRICS,
    )
    assert one.lines == other.lines
    by_sources = claimwise.study(systems, metrics=METRICS)
    assert [line.mean for line in by_sources.lines] == pytest.approx([line.mean for line in one.lines])

    fewer = {name: cells[:3] for name, cells in rows("words").items()}
    found = claimwise.study({**systems, "words": fewer}, id="thing", metrics=METRICS, baseline="words")
    assert [line.compared for line in found.lines] == [None, 3, 3] * 2
    assert "Only in copy, excluded from tests against words: bed (1 row)." in found.notes


def test_every_number_is_that_of_the_metric_and_of_the_tests() -> None:
    found = claimwise.study({"copy": rows("copy"), "words": rows("words")}, id="thing", metrics=METRICS)
    metric = claimwise.load("abstractiveness")
    order = np.argsort(THINGS)
    scores = [
        np.array(metric.compute(predictions=SUMMARIES[name], references=REVIEWS)["abstractiveness_scores"])[
            order
        ]
        for name in ("words", "copy")
    ]
    line = found.lines[1]
    test, size = mean_difference(*scores), size_of_difference(*scores)
    assert (line.difference, line.p_value) == test
    assert (line.difference_low, line.difference_high, line.effect_size) == size
    assert line.p_holm == min(1, 2 * test.p_value)
    assert list(found.table["system"]) == ["copy", "words"] * 2
    assert found.sentences[1].startswith("No significant difference in Complexity between words and copy")


def test_holm_is_that_of_the_paper() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1, 1]
    assert holm([]) == []


def test_an_effect_size_is_the_mean_difference_by_its_spread() -> None:
    differences = np.subtract([3, 5, 4, 8], [1, 2, 3, 4])
    size = size_of_difference([3, 5, 4, 8], [1, 2, 3, 4])
    assert size.effect_size == pytest.approx(differences.mean() / differences.std(ddof=1))
    assert 1 <= size.low < differences.mean() < size.high <= 4
    weighted = size_of_difference([3, 5, 4, 8], [1, 2, 3, 4], np.ones(4), np.full(4, 2.0))
    assert weighted == pytest.approx(size)
    assert size_of_difference([2, 3], [1, 2]).effect_size is None


@pytest.mark.slow
def test_systems_drawn_from_one_differ_as_often_as_they_should() -> None:
    generator = np.random.default_rng(35)
    p_values, families = [], []
    for _ in range(1_000):
        lines = compared({"support_counts": simulated(generator, 4)}, resamples=400)
        p_values.append(lines[1].p_value or 0)
        families.append(min(line.p_holm for line in lines if line.p_holm is not None))
    assert 0.03 <= np.mean(np.array(p_values) < 0.05) <= 0.07
    assert np.mean(np.array(families) < 0.05) <= 0.065


def test_correlations_are_those_worked_out_by_hand() -> None:
    def of(scores: list[float], human: list[float]) -> Any:
        return pytest.approx(correlations(np.array(scores), np.array(human)), nan_ok=True)

    assert of([1, 2, 3, 4], [1, 9, 4, 16]) == (20 / np.sqrt(5 * 129), 0.8, 4 / 6)
    assert of([1, 1, 2], [1, 2, 3]) == (np.sqrt(3) / 2, np.sqrt(3) / 2, 2 / np.sqrt(2 * 3))
    assert of([5, 5, 5], [1, 2, 3]) == (0, 0, 0)
    assert of([1, 2, 3], [4, 4, 4]) == (np.nan, np.nan, np.nan)


def scored(score: str, scores: dict[str, list[float | None]], **given: Any) -> list[SystemResult]:
    return [
        SystemResult(system=name, score=score, mean=0.0, scores=of, ids=["x", "y"], **given)
        for name, of in scores.items()
    ]


@pytest.mark.slow
def test_agreement_over_rows_and_systems_resamples_ids_and_tests_against_the_best_score() -> None:
    # The first score follows the ratings of x and is their reverse on y; the second follows both, reversed.
    human = dict(zip([(one, name) for one in "xy" for name in "abc"], [1, 2, 3, 3, 2, 1], strict=True))
    results = {
        "complexity": scored("complexity", {"a": [1, 1], "b": [2, 2], "c": [3, 3]}),
        "genericity": scored("genericity", {"a": [-1, -3], "b": [-2, -2], "c": [-3, -1]}),
    }
    one, other = human_correlations(results, human)
    assert (one.level, one.count, one.pearson, one.spearman, one.kendall) == ("rows", 6, 0, 0, 0)
    assert (one.kendall_low, one.kendall_high, other.kendall_low, other.kendall_high) == (-1, 1, -1, -1)
    assert other.p_value is None
    # The difference vanishes where a resample has x alone, and is positive elsewhere.
    generator = np.random.default_rng(0)
    alone = sum(not generator.integers(2, size=2).any() for _ in range(1_000))
    assert one.p_value == one.p_holm == pytest.approx(2 * (1 + alone) / 1_001)


@pytest.mark.slow
def test_agreement_over_systems_is_that_of_weighted_means_over_rows_with_a_rating_and_every_score() -> None:
    human = dict(zip([(one, name) for one in "xy" for name in "abc"], [1, 4, 2, 3, 4, 6], strict=True))
    results = {
        "support_counts": scored("support_counts", {"a": [0, 4], "b": [4, 4], "c": [2, 0]}, weights=[3, 1]),
        "complexity": scored("complexity", {"a": [1, 2], "b": [3, 4], "c": [5, None]}),
    }
    lines = {(line.metric, line.level): line for line in human_correlations(results, human)}
    assert [line.count for line in lines.values()] == [5, 5, 3, 3]
    # Of c only x counts. Mean ratings are 2, 4 and 2, the scores 1, 4 and 2, and 1.5, 3.5 and 5.
    assert lines["support_counts", "systems"].kendall == pytest.approx(2 / np.sqrt(2 * 3))
    assert lines["complexity", "systems"].pearson == pytest.approx(correlations([1.5, 3.5, 5], [2, 4, 2])[0])
    assert lines["support_counts", "rows"].kendall == pytest.approx(7 / np.sqrt(7 * 9))


@pytest.mark.slow
def test_a_study_says_which_score_agrees_best_with_ratings(run: Run, tmp_path: Path) -> None:
    write_table(tmp_path / "copy.jsonl", **rows("copy"), stars=[1, 2.5, "3", 1])
    frame = pandas.DataFrame({**rows("words"), "stars": [5, 4, None, 5]})
    frame["reviews"] = frame["reviews"].map(json.dumps)
    frame.to_csv(tmp_path / "words.csv", index=False)
    metrics = "abstractiveness,abstractiveness_4,complexity"
    done = run(
        "study", "copy.jsonl", "words.csv", "--id", "thing", "--metrics", metrics, "--human", "stars",
        "--output", "s",
    )  # fmt: skip

    assert done.code == 0, done.err
    assert "No stars in words.csv: tram (1 row)." in done.out
    assert "Correlations over systems need at least three systems" in done.out
    table = pandas.read_csv("s/correlations.csv").set_index("metric")
    assert list(table["level"]) == ["rows"] * 4
    assert list(table["count"]) == [7] * 4
    assert list(table.index) == [*metrics.split(","), LENGTH]
    assert table["kendall"]["complexity"] == table["pearson"]["complexity"] == 0
    assert table["p_holm"].isna().sum() == 2  # the best score, and the number of words
    assert np.isfinite(table["partial"][metrics.split(",")[:2]]).all()
    latex = Path("s/correlations.tex").read_text(encoding="utf-8")
    assert latex.count(r"\\") == 5
    assert "Spearman given length" in latex
    said = "Over 7 rows, Abstractiveness correlates best with the human ratings (Kendall's τ_b "
    length = "Over 7 rows, the number of words alone has Spearman's ρ "
    page = check_is_safe_and_whole(Path("s/index.html").read_text(encoding="utf-8"))
    for text in (done.out, page.shown, Path("s/signature.txt").read_text(encoding="utf-8")):
        assert said in text
        assert length in text
    assert "Correlation with human ratings" in page.shown
    rated = pandas.read_parquet("s/rows.parquet").set_index(["id", "system"])["human"]
    assert rated["soup"].tolist() == [2.5, 4]
    assert np.isnan(rated["tram", "words"])


def agreement_of(
    ratings: list[list[float]], scores: list[list[float]], **given: Any
) -> dict[tuple[str, str], HumanCorrelation]:
    """Return the lines by score and level for ``[ids, systems]`` of ratings and scores."""
    ids, names = [str(row) for row in range(len(ratings))], [f"s{row}" for row in range(len(ratings[0]))]
    human = {(one, name): ratings[int(one)][int(name[1:])] for one in ids for name in names}
    results = [
        SystemResult(system=name, score="complexity", mean=0.0, scores=list(of), ids=ids)
        for name, of in zip(names, zip(*scores, strict=True), strict=True)
    ]
    lines = human_correlations({"complexity": results}, human, resamples=50, **given)
    return {(line.metric, line.level): line for line in lines}


def test_within_ids_is_the_mean_over_the_systems_of_each_id() -> None:
    ratings = [[1, 2, 3], [11, 12, 13], [23, 22, 21], [5, 5, 5]]
    lines = agreement_of(ratings, [[1, 2, 3]] * 4)
    line = lines["complexity", "ids"]
    assert (line.count, line.pearson, line.spearman, line.kendall) == (3, *[pytest.approx(1 / 3)] * 3)
    assert line.kendall_low <= line.kendall <= line.kendall_high


def test_length_is_a_baseline_and_what_it_explains_is_taken_out() -> None:
    # The score follows the length of the summary and nothing else; ratings follow length with noise.
    generator = np.random.default_rng(3)
    words = generator.permutation(60).reshape(15, 4) + 1
    ratings = words + generator.normal(0, 12, words.shape)
    scores = words + generator.normal(0, 12, words.shape)
    counts = {(str(row), f"s{column}"): int(words[row, column]) for row in range(15) for column in range(4)}
    lines = agreement_of(ratings.tolist(), scores.tolist(), words=counts)
    score, length = lines["complexity", "rows"], lines[LENGTH, "rows"]
    ranks = [rankdata(values) for values in (scores, ratings, words)]
    rest = [of - np.polyval(np.polyfit(ranks[2], of, 1), ranks[2]) for of in ranks[:2]]
    assert score.partial == pytest.approx(np.corrcoef(*rest)[0, 1])
    assert score.partial_low is not None
    assert score.partial_low < 0.3 < 0.5 < score.spearman
    assert length.spearman == pytest.approx(np.corrcoef(*ranks[1:])[0, 1])
    assert (length.partial, length.p_value, length.p_holm) == (None, None, None)
    assert lines["complexity", "systems"].count == 4


def test_what_cannot_be_told_from_length_has_no_partial_correlation() -> None:
    words = {(str(row), f"s{column}"): 3 * row + column for row in range(3) for column in range(3)}
    scores = [[3 * row + column for column in range(3)] for row in range(3)]
    assert (
        agreement_of([[1, 2, 2], [1, 3, 2], [2, 3, 2]], scores, words=words)["complexity", "rows"].partial
        is None
    )
    alike = dict.fromkeys(words, 5)
    line = agreement_of([[1, 2, 2], [1, 3, 2], [2, 3, 2]], scores, words=alike)["complexity", "rows"]
    assert line.partial == pytest.approx(line.spearman)


def test_kappa_compares_labels_with_verdicts_at_a_threshold_from_other_ids() -> None:
    labels = [[0, 1, 1], [0, 0, 1], [1, 0, 0], [1, 1, 0]]
    perfect = agreement_of(labels, [[9 - 5 * label for label in row] for row in labels], labels=(0, 1))
    assert perfect["complexity", "rows"].kappa == 1  # whichever direction the score has
    assert perfect["complexity", "rows"].kappa_low == 1
    # The score of the first id is on a scale of its own: a threshold chosen on it as well would be perfect.
    moved = [[5 * label - 20 * (row == 0) for label in of] for row, of in enumerate(labels)]
    kappa = agreement_of(labels, moved, labels=(0, 1))["complexity", "rows"].kappa
    assert kappa is not None
    assert kappa == pytest.approx(1 - (2 / 12) / (6 / 12 + 4 / 12 - 2 * (6 / 12) * (4 / 12)))
    assert agreement_of(labels, moved)["complexity", "rows"].kappa is None
    assert perfect["complexity", "ids"].kappa is None
    divided = [[0, 1, 0.5], *labels[1:]]
    assert (
        agreement_of(divided, [[5 * x for x in row] for row in labels], labels=(0, 1))[
            "complexity", "rows"
        ].kappa
        == 1
    )


def test_labels_of_two_annotators_are_compared_with_each_other_and_with_scores() -> None:
    verdicts = {"copy": ["yes", "yes", "yes", "no"], "words": ["no", "no", None, "yes"]}
    others = {"copy": ["yes", "yes", "no", "no"], "words": ["no", "no", "no", "yes"]}
    systems = {name: rows(name) | {"one": verdicts[name], "two": others[name]} for name in verdicts}
    study = claimwise.study(
        systems, id="thing", metrics=["abstractiveness"], human=["one", "two"], positive="yes"
    )
    # Both say yes 3 times, one alone once, both no 3 times: agreement 6/7, by chance (4·3 + 3·4)/49.
    assert "one and two agree with Cohen's kappa 0.72 (7 rows)." in study.notes
    assert sorted(study.human.values()) == [0] * 4 + [0.5] + [1] * 3
    assert study.correlations[0].kappa is not None
    with pytest.raises(ClaimwiseError) as refused:
        claimwise.study(systems, id="thing", metrics=["abstractiveness"], human="one", positive="maybe")
    assert refused.value.option == "positive"


@pytest.mark.parametrize(
    ("stars", "said"),
    [
        (
            ["4 stars", 1, 2, 3],
            "words, stars, row 1: the rating of the id pool is “4 stars”, not a number",
        ),
        ([1, True, 2, 3], "row 2: the rating of the id soup is “True”"),
        ([1, 2, float("inf"), 3], "row 3: the rating of the id tram is “inf”"),
        ([3, 3, 3, 3], "all 8 ratings are 3"),
        (None, "has no column `stars`"),
    ],
)
def test_bad_ratings_are_refused_before_anything_is_scored(stars: Any, said: str) -> None:
    words = rows("words") if stars is None else rows("words") | {"stars": stars}
    systems = {"copy": rows("copy") | {"stars": [3] * 4}, "words": words}
    with pytest.raises(ClaimwiseError, match=said):
        claimwise.study(systems, id="thing", metrics=METRICS, human="stars")


def test_differences_that_round_to_zero_have_no_sign() -> None:
    assert [signed(value) for value in (0.004, -0.004, 0.006, -0.006)] == ["0.00", "0.00", "+0.01", "-0.01"]
    assert number("caspr", 0.04, "+") == "0.0"


def test_shortened_names_stay_apart() -> None:
    names = ["short", "pointer_generator_pn", "ext_pnbert_out_bert_lstm_pn_rl", "ext_pnbert_out_lstm_pn_rl"]
    assert shortened(names[:3]) == ["short", "pointer_…erator_pn", "ext_pnbe…stm_pn_rl"]
    assert shortened(names)[2:] == ["ext_pnbe…rt_lstm_pn_rl", "ext_pnbe…ut_lstm_pn_rl"]


def test_a_command_leaves_a_page_tables_rows_and_figures(run: Run, tmp_path: Path) -> None:
    write_table(tmp_path / "copy.jsonl", **rows("copy"))
    frame = pandas.DataFrame(rows("words"))
    frame["reviews"] = frame["reviews"].map(json.dumps)
    frame.to_csv(tmp_path / "words.tsv", sep="\t", index=False)

    done = run(
        "study", "copy.jsonl", "words.tsv", "--id", "thing", "--metrics", ",".join(METRICS), "--output", "s"
    )

    assert done.code == 0, done.err
    assert "No significant difference in Complexity between" in done.out
    figures = {f"{name}.{suffix}" for name in ("differences", "distributions") for suffix in ("svg", "pdf")}
    written = {"index.html", "table.csv", "table.tex", "rows.parquet", "signature.txt"}
    assert {path.name for path in Path("s").iterdir()} == figures | written
    page = check_is_safe_and_whole(Path("s/index.html").read_text(encoding="utf-8"))
    assert "Rows with the largest differences" in page.shown
    assert all(thing in page.shown for thing in ("pool", "soup"))
    assert pandas.read_parquet("s/rows.parquet")["id"].tolist() == sorted(THINGS * 2)
    assert pandas.read_csv("s/table.csv").shape == (4, 13)
    assert r"\bottomrule" in Path("s/table.tex").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_study_that_is_killed_twice_resumes(tmp_path: Path) -> None:
    systems = {"copy": rows("copy"), "words": rows("words")}
    out = tmp_path / "s"
    splits: list[str] = []

    def words(sentence: str) -> list[str]:
        if len(splits) == limit:
            raise KeyboardInterrupt
        splits.append(sentence)
        return sentence.split()

    words.signature = "words by spaces"  # type: ignore[attr-defined]
    given: dict[str, Any] = {"id": "thing", "metrics": METRICS[::-1], "tokenizer": words}
    for stop in (2, 4):
        limit = stop
        splits.clear()
        with pytest.raises(KeyboardInterrupt):
            claimwise.study(systems, **given, output=out)
        assert list((out / ".parts").glob("complexity-*.jsonl"))
        assert not (out / "index.html").exists()
    limit = 1_000
    assert claimwise.study(systems, **given, output=out).lines == claimwise.study(systems, **given).lines
    assert not (out / ".parts").exists()


def test_an_estimate_leaves_out_what_a_stopped_run_has_asked(
    run: Run, endpoint: Endpoint, tmp_path: Path
) -> None:
    for name in ("copy", "words"):
        write_table(tmp_path / f"{name}.jsonl", **rows(name))
    study = ["study", "copy.jsonl", "words.jsonl", "--id", "thing", "--output", "s"]
    study += ["--metrics", "complexity,summac_zs", "--judge", f"openai:m@{endpoint.url}"]
    study += ["--judge-option", "ask=block", "--judge-option", "concurrency=1"]

    def left() -> int:
        said = run(*study, "--estimate")
        assert said.code == 0, said.err
        return int(said.out.split(" requests")[0].split()[-1])

    def answer(request: Request) -> Reply:
        return answer_by_words(request) if len(endpoint.requests) <= 3 else failure(401)

    endpoint.respond = answer
    before = left()
    assert not Path("s").exists()
    assert run(*study).code != 0
    sent = len(endpoint.requests)
    assert left() == before - 3
    assert "complexity: all rows are already scored" in run(*study, "--estimate").out
    assert len(endpoint.requests) == sent


@pytest.mark.parametrize(
    ("change", "options", "said"),
    [
        ({"thing": ["pool", "pool", "tram", "bed"]}, {"id": "thing"}, "is also the id of an earlier row"),
        ({"thing": ["pool", None, "tram", "bed"]}, {"id": "thing"}, "expected a text or a whole number"),
        ({"thing": ["pool", 1.5, "tram", "bed"]}, {"id": "thing"}, "expected a text or a whole number"),
        ({"thing": ["w", "x", "y", "z"]}, {"id": "thing"}, "have no rows in common"),
        ({"thing": ["w", "x", "y", "bed"]}, {"id": "thing"}, "have only one row in common"),
        ({"reviews": REVIEWS[::-1]}, {"id": "thing"}, "differ in this column for the id `bed`"),
        ({"reviews": [REVIEWS[0]] * 4}, {}, "two rows have the same source"),
        ({"summary": ["", "x", "y", "z"]}, {"id": "thing"}, "words, id pool"),
        ({}, {"id": "other"}, "has no column `other`; it has `thing`"),
        ({}, {"id": "thing", "baseline": "none"}, "is not one of the systems"),
        ({}, {"id": "thing", "metrics": ["caspr"]}, "Not every system has a column `summary_b`"),
        ({}, {"id": "thing", "metrics": ["nothing"]}, "Unknown metric"),
        ({}, {"id": "thing", "steps": 3}, "has an option `steps`"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    change: dict[str, Any], options: dict[str, Any], said: str
) -> None:
    with pytest.raises(ClaimwiseError, match=said):
        claimwise.study(
            {"copy": rows("copy"), "words": rows("words") | change}, **{"metrics": METRICS, **options}
        )


def test_a_summary_may_repeat_where_ids_tell_the_rows_apart() -> None:
    reviews = [" ".join(of_row) for of_row in REVIEWS]
    same = rows("copy") | {"summary": ["The same summary."] * 4, "reviews": reviews}
    systems = {"same": same, "words": rows("words") | {"reviews": reviews}}
    study = claimwise.study(systems, id="thing", metrics=["abstractiveness"])
    assert study.results["abstractiveness"][0].scores == [1.0] * 4


def test_a_command_refuses_a_single_system_in_one_line(run: Run, tmp_path: Path) -> None:
    write_table(tmp_path / "copy.jsonl", **rows("copy"))
    check_refused(run("study", "copy.jsonl", "--output", "s"), "at least two systems")


def test_a_study_is_a_table_to_print_and_short_in_a_notebook() -> None:
    found = claimwise.study({"copy": rows("copy"), "[b]w": rows("words")}, id="thing", metrics=METRICS)
    assert repr(found) == "<Study of copy, [b]w by abstractiveness, complexity; print it for its table>"
    printed = str(found)
    assert len(printed) < 5_000
    (line,) = (line for line in printed.splitlines() if "abstractiveness" in line and "[b]w" in line)
    assert [cell.strip() for cell in line.strip("│").split("│")][2:5] == ["4", "1.00", "[1.00, 1.00]"]
    assert found.sentences[0] in printed
    page = check_is_safe_and_whole(found._repr_html_())
    assert "p (Holm)" in page.shown
    assert len(found._repr_html_()) < 20_000


def test_a_row_without_a_score_is_noted_with_its_line_in_the_users_file(tmp_path: Path) -> None:
    write_table(tmp_path / "copy.jsonl", **rows("copy"))
    frame = pandas.DataFrame(rows("words"))
    frame["reviews"] = frame["reviews"].map(json.dumps)
    frame["summary"] = ["A warm\npool awaits.", "", "Trams run in dark hours.", "It may creak."]
    frame.to_csv(tmp_path / "words.csv", index=False)
    systems: dict[str, Any] = {"copy": tmp_path / "copy.jsonl", "words": tmp_path / "words.csv"}
    given: dict[str, Any] = {"id": "thing", "metrics": ["abstractiveness"]}

    with pytest.raises(ClaimwiseError) as caught:
        claimwise.study(systems, **given)
    assert caught.value.place == f"{tmp_path}/words.csv, id soup, summary, line 4"
    assert caught.value.remedy.endswith("Or pass on_error='row', which notes such a row.")

    (note,) = claimwise.study(systems, **given, on_error="row").notes
    place = f"{tmp_path}/words.csv, id soup, summary, line 4"
    assert note.startswith(f"abstractiveness has no score for {place}: the text is empty or blank.")
    by_sources = claimwise.study(
        {**systems, "words": frame.to_dict("list")}, metrics=given["metrics"], on_error="row"
    )
    assert by_sources.notes[0].startswith("abstractiveness has no score for words, summary, row 2: the text")


def test_the_p_value_of_a_finding_is_called_what_it_is() -> None:
    found = claimwise.study({"copy": rows("copy"), "words": rows("words")}, id="thing", metrics=METRICS)
    holm_p = found.lines[1].p_holm
    assert holm_p is not None
    assert f"Holm p = {holm_p:.3f}".replace("0.", ".") in found.sentences[0]


def test_a_metric_that_excludes_a_score_cache_is_studied_without_the_studys_own(nli_model: Any) -> None:
    table = {"id": ["a", "b", "c"], "summary": SUMMARIES["copy"][:3], "reference": SUMMARIES["copy"][:3]}
    options = {"presence": "p2c", "judge": nli_model, "decomposer": "sentences"}

    found = claimwise.study({"a": table, "b": table}, id="id", metrics=["pyramid"], **options)

    assert "|presence:p2c|" in found.results["pyramid"][0].signature
    with pytest.raises(ClaimwiseError, match="logits, which the score cache does not") as refused:
        claimwise.study({"a": table, "b": table}, id="id", metrics=["pyramid"], score_cache="x", **options)
    assert refused.value.option == "score_cache"


def test_a_study_warns_where_systems_differ_in_the_claims_that_say_who_holds_an_opinion() -> None:
    plain = {"thing": list(THINGS), "reviews": REVIEWS, "summary": SUMMARIES["copy"]}
    told = plain | {
        "summary": [f"Guests said that {text[0].lower()}{text[1:]}" for text in SUMMARIES["copy"]]
    }
    same = {
        "decomposer": "sentences",
        "support": "sentences",
        "metrics": ["support_counts"],
        "id": "thing",
        "columns": {},
    }
    with pytest.warns(UserWarning, match="still say who holds an opinion .*: 0% of plain, 100% of told"):
        found = claimwise.study({"plain": plain, "told": told}, **same)
    assert any("0% of plain, 100% of told" in note for note in found.notes)
    assert not claimwise.study({"plain": plain, "other": plain}, **same).notes
