"""Reports: the right numbers, the right examples, warnings where they are due, and refusals of one line."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from command import Run, check_refused
from judges import WordJudge
from pages import IMAGE, SCRIPT, Page, check_is_safe_and_whole
from tables import write_table

from claimwise.apps.demo import PAIRS
from claimwise.errors import ClaimwiseError
from claimwise.metrics import METRICS, Caspr, DistinctivenessScore, Metric
from claimwise.report.page import report_page
from claimwise.report.results import SystemResult, read_results
from claimwise.stats import mean_difference

DS = "distinctiveness_score"
A = [pair.summary_a for pair in PAIRS]
B = [pair.summary_b for pair in PAIRS]
NO_CONTRAST = {"kind": "contrast", "score": 1.0, "claims_a": [{"claim": "x"}], "claims_b": [], "labels": [[]]}


def result(scores: list[float], metric: str = DS, **further: Any) -> dict[str, Any]:
    """Return a result of the form that ``compute`` gives."""
    named = {f"{metric}_{key}": value for key, value in further.items()}
    mean = sum(scores) / len(scores)
    return {metric: mean, f"{metric}_scores": scores, f"{metric}_signature": f"{metric}|v:1", **named}


def written(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def rows(source: str) -> list[list[str]]:
    """Return the cells of the tables of systems."""
    return [
        [Page(cell).shown for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)]
        for row in re.findall(r'<tr>(<th scope="row">.*?)</tr>', source)
    ]


def test_two_scored_systems_are_compared_with_mean_interval_and_p_value(run: Run, tmp_path: Path) -> None:
    for name, others in (("one", B), ("two", [*A[1:], A[0]])):
        file = write_table(tmp_path / f"{name}.csv", summary_a=A, summary_b=others)
        done = run("score", DS, file, "--ci", "--details", "--output", f"{name}.json")
        assert done.code == 0, done.err
    one, two = (json.loads(Path(f"{name}.json").read_text(encoding="utf-8")) for name in ("one", "two"))

    done = run("report", "one.json", "two.json", "--output", "pages/report.html")

    assert done.code == 0, done.err
    source = Path("pages/report.html").read_text(encoding="utf-8")
    page = check_is_safe_and_whole(source)
    test = mean_difference(one[f"{DS}_scores"], two[f"{DS}_scores"])
    assert test.p_value < 1
    (first, second, *_) = rows(source)
    assert first == ["one", "5", f"{one[DS]:.2f}", "[{:.2f}, {:.2f}]".format(*one[f"{DS}_ci"]), "–", "–"]
    assert second[:3] == ["two", "5", f"{two[DS]:.2f}"]
    assert second[4] == f"{-test.difference:+.2f}"
    assert second[5].rstrip("*") == f"{test.p_value:.4f}"
    assert page.shown.count(one[f"{DS}_signature"]) == 1
    assert "one, two" in page.shown
    assert "signatures differ" not in page.shown
    for word in one[f"{DS}_details"][0]["only_a"]:
        assert word in page.shown


def test_the_highest_and_lowest_examples_are_shown_with_their_evidence() -> None:
    scores = [50.0, 0.0, 100.0, 70.0, 20.0]
    details = [
        {"kind": "words", "score": score, "shared": [f"word{row}"]} for row, score in enumerate(scores)
    ]
    system = SystemResult.of("s", DS, result(scores, details=details))

    shown = Page(report_page([system], examples=2)).shown

    most, least = shown.index("the most contrasting"), shown.index("the least contrasting")
    order = [shown.index(f"word{row}") for row in (2, 3)], [shown.index(f"word{row}") for row in (1, 4)]
    assert most < order[0][0] < order[0][1] < least < order[1][0] < order[1][1]
    assert "word0" not in shown
    few = Page(report_page([SystemResult.of("s", DS, result(scores[:1], details=details[:1]))])).shown
    assert few.count("word0") == 1
    assert "the least contrasting" not in few


@pytest.mark.slow
def test_evidence_of_every_metric_can_be_reported(metrics: dict[str, Metric]) -> None:
    results = []
    for name, metric in metrics.items():
        found = metric.compute(predictions=A, references=B, details=True, confidence_level=0.95)
        for system in ("first", "second"):
            results.append(SystemResult.of(system, name, json.loads(json.dumps(found))))

    source = report_page(results)

    check_is_safe_and_whole(source)
    assert re.findall("<h2>(.*?)</h2>", source) == list(metrics)
    assert set(metrics) == set(METRICS)
    assert [row[5] for row in rows(source) if len(row) == 6 and row[0] == "second"] == ["1.0000"] * len(
        metrics
    )


def test_distributions_have_a_text_alternative() -> None:
    source = report_page([SystemResult.of("s", DS, result([10.0, 20.0, 30.0, 40.0, 90.0]))])

    said = "lowest 10.00, quartiles 20.00, 30.00 and 40.00, highest 90.00"
    assert f'aria-label="Histogram of s: {said}"' in source
    assert Page(source).shown.count(said) == 1


def test_the_page_warns_where_signatures_differ_and_says_in_what() -> None:
    first, second = (
        result([1.0, 2.0]) | {f"{DS}_signature": f"{DS}|v:1|stemmer:{s}"} for s in ("no", "<yes>")
    )

    shown = Page(report_page([SystemResult.of("a", DS, first), SystemResult.of("b", DS, second)])).shown

    assert "a and b are not comparable: their signatures differ in stemmer." in shown
    assert f"a: {DS}|v:1|stemmer:no" in shown
    assert f"b: {DS}|v:1|stemmer:<yes>" in shown


def test_systems_with_other_rows_are_shown_but_not_tested() -> None:
    source = report_page(systems(result([1.0, 2.0]), result([1.0, 2.0, 3.0])))

    assert rows(source)[1] == ["b", "3", "2.00", "none (score with --ci)", "–", "not tested"]
    assert "b is not tested against a: a and b have different numbers of rows: 2 and 3." in Page(source).shown


def systems(*results: dict[str, Any], metric: str = DS) -> list[SystemResult]:
    return [SystemResult.of(name, metric, found) for name, found in zip("abc", results, strict=False)]


def test_the_difference_is_that_of_the_two_means_shown_and_so_is_its_test() -> None:
    scores = [0.2, 0.4, 0.9, 0.5], [0.1, 0.5, 0.3, 0.2]
    weights = [1.0, 2.0, 6.0, 3.0], [4.0, 1.0, 2.0, 5.0]
    first, second = (
        result(one, "support_counts", weights=count)
        | {"support_counts": sum(s * w for s, w in zip(one, count, strict=True)) / sum(count)}
        for one, count in zip(scores, weights, strict=True)
    )

    source = report_page(systems(first, second, metric="support_counts"))

    test = mean_difference(*scores, *weights)
    _, row = rows(source)
    assert (
        row[4] == f"{second['support_counts'] - first['support_counts']:+.2f}" == f"{-test.difference:+.2f}"
    )
    assert row[5].rstrip("*") == f"{test.p_value:.4f}"
    assert test.p_value != mean_difference(*scores).p_value
    assert "The mean is taken over the claims." in Page(source).shown


def test_rows_without_a_score_are_left_out_and_counted() -> None:
    first = result([0.0, 10.0, 20.0]) | {f"{DS}_scores": [0.0, 10.0, None, 20.0]}
    second = result([5.0, 40.0]) | {f"{DS}_scores": [None, 40.0, 5.0, None]}
    third = result([40.0, 50.0]) | {f"{DS}_scores": [40.0, 50.0, None, None]}

    source = report_page(systems(first, second, third))
    table = rows(source)

    assert [row[1] for row in table] == ["3 of 4", "2 of 4", "2 of 4"]
    assert table[1][4:] == ["–", "not tested"]
    assert "Of the 4 common rows, 1 has both" in Page(source).shown
    assert table[2][4:] == ["+40.00", "0.5000 (2 rows scored in both)"]


def test_sampled_genericity_is_reported_with_its_evidence(run: Run, tmp_path: Path) -> None:
    summaries = ["The pool is warm.", "The bar is loud.", "The beds are soft.", "Parking is free."]
    for name, of_system in (("one", summaries), ("two", summaries[::-1])):
        file = write_table(tmp_path / f"{name}.csv", summary=of_system)
        options = ("--option", "max_pairs=6", "--details", "--ci", "--output", f"{name}.json")
        done = run("score", "genericity", file, *options)
        assert done.code == 0, done.err

    done = run("report", "one.json", "two.json", "--output", "report.html")

    assert done.code == 0, done.err
    source = Path("report.html").read_text(encoding="utf-8")
    check_is_safe_and_whole(source)
    assert [row[1] for row in rows(source)] == ["2 of 4", "2 of 4"]
    assert rows(source)[1][5].endswith("(2 rows scored in both)")


def test_an_interval_that_leaves_the_scale_is_explained() -> None:
    on, off = (result([50.0, 100.0, 50.0], ci=ci) for ci in ([50.0, 100.0], [13.0, 120.0]))

    assert "exceed the scale" not in Page(report_page(systems(on))).shown
    assert "Normal intervals can exceed the scale, 0 to 100;" in Page(report_page(systems(on, off))).shown


def test_a_metric_says_on_the_page_what_its_scores_mean() -> None:
    shown = Page(report_page(systems(result([1.0, 2.0])))).shown

    spec = METRICS[DS].spec
    assert f"{spec.title}, from “{spec.ends[0]}” to “{spec.ends[1]}”: {spec.question}" in shown


def test_a_further_score_is_reported_and_compared_in_place_of_the_metrics_own(
    run: Run, tmp_path: Path
) -> None:
    metric = Caspr(judge=WordJudge(), decomposer="sentences")
    texts = ["The pool is warm. The bar is open now.", "The bar is not open.", "The soup was very cold."]
    found = []
    for name, others in (("one", texts[1:] + texts[:1]), ("two", texts[::-1])):
        found.append(metric.compute(predictions=texts, references=others, details=True, confidence_level=0.9))
        written(tmp_path / f"{name}.json", found[-1])
    one, two = ([result["caspr_strongest"], *result["caspr_strongest_ci"]] for result in found)

    done = run("report", "one.json", "two.json", "--output", "report.html", "--score", "caspr_strongest")
    compared = run("compare", "caspr_strongest", "one.json", "two.json")

    assert done.code == 0, done.err
    source = Path("report.html").read_text(encoding="utf-8")
    shown = check_is_safe_and_whole(source).shown
    assert [row[2:4] for row in rows(source)[:2]] == [
        [f"{mean:.2f}", f"[{low:.2f}, {high:.2f}]"] for mean, low, high in (one, two)
    ]
    assert "CASPR by the strongest comparison, a further score of CASPR: do the claims contradict" in shown
    assert "The mean is taken over the rows." in shown
    highest = max(found[0]["caspr_strongest_scores"])
    assert f"caspr_strongest {highest:.2f}" in shown
    assert f"caspr_strongest: one.json − two.json = {one[0] - two[0]:+.2f}" in compared.out
    written(tmp_path / "old.json", result([1.0, 2.0], "caspr"))
    refused = run("report", "old.json", "--output", "old.html", "--score", "caspr_strongest")
    check_refused(refused, "old.json", "contains no scores of caspr_strongest, but scores of caspr.")


@pytest.mark.parametrize("hostile", [SCRIPT, IMAGE])
def test_nothing_from_a_file_is_interpreted(tmp_path: Path, hostile: str) -> None:
    name = hostile.replace("/", "")
    details = [{"kind": hostile, "score": 1.0, hostile: [hostile]}, {"kind": hostile, "score": 2.0}]
    paths = [
        written(
            tmp_path / folder / f"{name}.json",
            result([1.0, 2.0], f"m{hostile}", details=details) | {f"m{hostile}_signature": hostile},
        )
        for folder in ("a", "b")
    ]

    page = check_is_safe_and_whole(report_page(read_results(paths)))

    assert hostile in page.shown


def test_systems_are_called_as_their_files_and_by_folder_where_these_are_alike(tmp_path: Path) -> None:
    paths = [written(tmp_path / name / "caspr.json", result([1.0, 2.0])) for name in ("gpt", "copycat")]
    paths.append(written(tmp_path / "lead.json", result([1.0, 2.0])))

    names = [found.system for found in read_results(paths)]

    assert names == [str(tmp_path / "gpt" / "caspr"), str(tmp_path / "copycat" / "caspr"), "lead"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "not a JSON file"),
        ("[1, 2]", "not the result of a metric"),
        ('{"caspr": 1}', "not the result of a metric"),
        (json.dumps(result([1.0]) | {f"{DS}_scores": []}), "contains no scores"),
        (json.dumps(result([1.0]) | {f"{DS}_scores": [None, None]}), "contains no scores"),
        (json.dumps(result([1.0]) | {f"{DS}_scores": 3}), "contains no scores"),
        (json.dumps(result([1.0]) | {f"{DS}_scores": [1, "x"]}), '"x", not a finite number'),
        (json.dumps(result([1.0]) | {DS: None}), "the mean of distinctiveness_score is null"),
        (json.dumps(result([1.0], weights=[1, 2])), f"does not contain {DS}_weights for each row"),
        (json.dumps(result([1.0, 2.0], weights=[1, 0])), "the weight 0, which is not positive"),
        (json.dumps(result([1.0, 2.0], weights=[1, None])), "is null, not a finite number"),
        (json.dumps(result([1.0, float("nan")])), "NaN, not a finite number"),
        (json.dumps(result([1.0]) | {f"{DS}_ci": [1, 2, 3]}), f"{DS}_ci that is not an interval"),
        (json.dumps(result([1.0], details=[{"score": "x"}])), f"not evidence of {DS}"),
        (json.dumps(result([1.0], "caspr", details=[NO_CONTRAST])), "not evidence of caspr"),
        (None, "cannot be read"),
    ],
)
def test_what_is_no_result_is_refused_in_one_line(run: Run, tmp_path: Path, content: str, said: str) -> None:
    if content is not None:
        (tmp_path / "x.json").write_text(content, encoding="utf-8")

    check_refused(run("report", "x.json", "--output", "report.html"), "x", said)

    assert not Path("report.html").exists()


def test_a_report_of_nothing_is_refused() -> None:
    with pytest.raises(ClaimwiseError, match="at least one"):
        report_page([])


def test_the_library_gives_the_page_too(distinctiveness: DistinctivenessScore) -> None:
    found = distinctiveness.compute(predictions=A, references=B, details=True)

    source = report_page([SystemResult.of("mine", DS, found)], examples=0)

    assert rows(source)[0][:2] == ["mine", "5"]
    assert "Row " not in Page(source).shown
