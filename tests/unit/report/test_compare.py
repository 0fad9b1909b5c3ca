"""Rows of two systems are paired by what they are, never by chance of their order."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from command import Done, Run, check_refused
from hypothesis import given, settings
from hypothesis import strategies as st
from judges import WordJudge
from pages import Page
from tables import write_table

import claimwise
from claimwise.errors import ClaimwiseError, ClaimwiseWarning
from claimwise.metrics import Complexity, Result, SummacZs, SupportCounts
from claimwise.report.compare import paired_test
from claimwise.report.page import report_page
from claimwise.report.results import SystemResult, read_result
from claimwise.stats import mean_difference

REVIEWS = [
    ["The pool is warm.", "We swam every day."],
    ["The soup was cold."],
    ["The beds are soft. The room is quiet."],
    ["The staff are kind."],
    ["The lift is slow."],
]
FIRST = [
    "The pool is warm.",
    "The soup was cold.",
    "The beds are soft.",
    "The bar is loud.",
    "The lift is slow.",
]
SECOND = [
    "The pool is cold.",
    "The soup was hot. It was late.",
    "The beds creak.",
    "The staff are kind.",
    "Fine.",
]
IDS = ["h7", "h1", "h9", "h3", "h5"]


def scored(summaries: list[str], order: list[int] | None = None, **columns: list[Any]) -> dict[str, Any]:
    """Return what ``SupportCounts`` gives for summaries of ``REVIEWS``, in another order of the rows."""
    columns = {"predictions": summaries, "references": REVIEWS, **columns}
    order = order if order is not None else list(range(len(summaries)))
    in_order = {name: [cells[row] for row in order] for name, cells in columns.items()}
    metric = SupportCounts(judge=WordJudge(6), support="sentences")
    result: dict[str, Any] = metric.compute(**in_order, details=True)
    return result


def of_scores(scores: list[float], ids: list[Any] | None = None, **further: Any) -> dict[str, Any]:
    result = {"caspr": sum(scores) / len(scores), "caspr_scores": scores, "caspr_signature": "caspr|v:1"}
    named = {f"caspr_{name}": value for name, value in further.items()}
    return result | named | ({} if ids is None else {"caspr_ids": ids})


def test_results_hold_a_hash_of_each_input_and_the_ids() -> None:
    result = scored(FIRST, ids=[7, 1, 9, 3, 5])

    assert result["support_counts_ids"] == ["7", "1", "9", "3", "5"]
    inputs = result["support_counts_input_hashes"]
    assert len(set(inputs)) == len(REVIEWS)
    assert all(len(one) == 12 and int(one, 16) >= 0 for one in inputs)
    assert (
        inputs
        == scored(SECOND)["support_counts_input_hashes"]
        == scored(FIRST)["support_counts_input_hashes"]
    )
    as_text = SummacZs(judge=WordJudge(), decomposer="sentences").compute(
        predictions=FIRST[1:2], references=[REVIEWS[1][0]]
    )
    assert as_text["summac_zs_input_hashes"] == inputs[1:2]  # a text is a list of one
    assert "complexity_input_hashes" not in Complexity().compute(predictions=FIRST)


@settings(max_examples=15, deadline=None)
@given(st.permutations(range(5)), st.permutations(range(5)), st.sampled_from(["permutation", "bootstrap"]))
def test_rows_in_any_order_are_paired_by_their_ids(order: list[int], other: list[int], method: Any) -> None:
    expected = paired_test(scored(FIRST, ids=IDS), scored(SECOND, ids=IDS), method=method)

    found = paired_test(scored(FIRST, order, ids=IDS), scored(SECOND, other, ids=IDS), method=method)

    assert found == expected
    assert (found.rows, found.warnings) == (5, ())


def test_a_sampled_permutation_test_does_not_depend_on_the_order_either() -> None:
    noise = random.Random(2)
    ids = [f"row {number}" for number in range(60)]
    scores = [[noise.gauss(50 + shift, 10) for _ in ids] for shift in (0, 3)]
    places = noise.sample(range(60), 60)
    shuffled = [
        of_scores([one[place] for place in places], [ids[place] for place in places]) for one in scores
    ]

    expected = paired_test(of_scores(scores[0], ids), of_scores(scores[1], ids))

    assert 0 < expected.p_value < 1
    assert (
        paired_test(shuffled[0], shuffled[1])
        == paired_test(shuffled[0], of_scores(scores[1], ids))
        == expected
    )


def test_rows_of_other_inputs_are_refused_with_the_first_that_differs() -> None:
    with pytest.raises(
        ClaimwiseError, match=r"row 2: first and second have different inputs\. .*ids=COLUMN"
    ) as refused:
        paired_test(scored(FIRST), scored(SECOND, [0, 1, 3, 2, 4]))
    assert refused.value.row == 2

    with pytest.raises(ClaimwiseError, match=r"different inputs for the id `h9`"):
        paired_test(scored(FIRST, ids=IDS), scored(SECOND, [0, 1, 3, 2, 4]) | {"support_counts_ids": IDS})


def test_rows_that_only_one_has_are_named_counted_and_left_out() -> None:
    first = of_scores([1.0, 5.0, 2.0, 9.0], ["a", "b", "c", "d"])
    second = of_scores([8.0, 3.0, 1.0, 4.0], ["z", "c", "b", "a"])

    with pytest.warns(ClaimwiseWarning) as told:
        found = paired_test(first, second)

    assert [str(one.message) for one in told] == list(found.warnings)
    assert found.warnings == (
        "1 of the rows are only in first and are left out: d.",
        "1 of the rows are only in second and are left out: z.",
    )
    assert (found.left_out, found.rows) == ((("d",), ("z",)), 3)
    assert (found.difference, found.p_value) == mean_difference([1, 5, 2], [4, 1, 3])


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (
            of_scores([1.0, 2.0], ["a", "a"]),
            of_scores([1.0, 2.0], ["a", "b"]),
            "first: “a” is also the id of an earlier row",
        ),
        (
            of_scores([1.0, 2.0], ["a", "b"]),
            of_scores([1.0, 2.0], ["c", "d"]),
            "no ids in common; their first ids are `a` and `c`",
        ),
        (of_scores([1.0, 2.0], ["a", None]), of_scores([1.0, 2.0]), "a text or a whole number; got `None`"),
        (of_scores([1.0, 2.0], ["a", 2.0]), of_scores([1.0, 2.0]), "a text or a whole number; got 2.0"),
        (of_scores([1.0, 2.0], ["a"]), of_scores([1.0, 2.0]), "does not contain caspr_ids for each row"),
        (
            of_scores([1.0, 2.0], input_hashes=["x"]),
            of_scores([1.0, 2.0]),
            "does not contain caspr_input_hashes for each row",
        ),
        (of_scores([1.0, 2.0]), of_scores([1.0, 2.0, 3.0]), "different numbers of rows: 2 and 3"),
        (
            of_scores([1.0, 2.0]),
            [1.0, 2.0],
            "second is not the result of a metric. Pass a result of `compute`",
        ),
        (of_scores([1.0, 2.0]), {"caspr": 1.0}, "second is not the result of a metric"),
        (
            of_scores([1.0, 2.0]),
            Complexity().compute(predictions=FIRST),
            "with caspr, second with complexity",
        ),
    ],
)
def test_what_cannot_be_paired_is_refused(first: Any, second: Any, said: str) -> None:
    with pytest.raises(ClaimwiseError) as refused:
        paired_test(first, second)

    assert said in str(refused.value)


def test_rows_that_nothing_identifies_are_paired_by_position_with_a_warning() -> None:
    with pytest.warns(
        ClaimwiseWarning, match="paired by position, without a check that they belong together"
    ):
        found = paired_test(of_scores([1.0, 2.0], ["a", "b"]), of_scores([1.0, 4.0]))
    assert found.rows == 2


@pytest.mark.parametrize(
    ("ids", "said"),
    [
        (["a", "b"], "5 rows, 2 ids"),
        (["a", "b", "c", "b", "d"], "ids, row 3: “b” is also the id of an earlier row"),
        (["a", "b", "", "c", "d"], "ids, row 2: expected a text"),
        ([1, 2, True, 3, 4], "ids, row 2: expected a text"),
        ("abcde", "expected a list with the id of each row; got str"),
    ],
)
@pytest.mark.parametrize("through", ["compute", "runner"])
def test_ids_that_cannot_be_are_refused_before_anything_is_scored(ids: Any, said: str, through: str) -> None:
    metric = Complexity()
    compute = (
        metric.compute
        if through == "compute"
        else lambda **given: claimwise.runners.local().compute(metric, **given)
    )

    with pytest.raises(ClaimwiseError) as refused:
        compute(predictions=FIRST, ids=ids)

    assert said in str(refused.value)


def test_a_runner_gives_inputs_and_ids_of_every_row_also_of_one_that_failed() -> None:
    metric = SupportCounts(judge=WordJudge(6), support="sentences")
    broken = [*FIRST[:4], ""]
    runner = claimwise.runners.local(on_error="row", rows_in_part=2)

    found = runner.compute(metric, predictions=broken, references=REVIEWS, ids=IDS, details=True)

    whole = scored(FIRST, ids=IDS)
    for key in ("support_counts_input_hashes", "support_counts_ids"):
        assert found[key] == whole[key]
    assert found["support_counts_scores"] == [*whole["support_counts_scores"][:4], None]


# Rows alike in both scores, but not in their weights: they count in the weighted test alone.
SCORES = [[1.0, 0.75, 1.0, 1.0, 0.0, 1.0], [0.0, 0.25, 0.25, 0.25, 0.0, 0.0]]
WEIGHTS = [[3.0, 4.0, 2.0, 7.0, 1.0, 2.0], [8.0, 7.0, 8.0, 6.0, 5.0, 2.0]]


def test_python_and_the_command_line_agree_and_use_the_weights(run: Run) -> None:
    results: list[dict[str, Any]] = []
    for scores, weights in zip(SCORES, WEIGHTS, strict=True):
        mean = sum(s * w for s, w in zip(scores, weights, strict=True)) / sum(weights)
        results.append(
            {
                "support_counts": mean,
                "support_counts_scores": scores,
                "support_counts_weights": weights,
                "support_counts_ids": list("abcdef"),
                "support_counts_signature": "support_counts|v:1",
            }
        )
    for name, content in zip(("1.json", "2.json"), results, strict=True):
        Path(name).write_text(json.dumps(content), encoding="utf-8")

    done = run("compare", "support_counts", "1.json", "2.json")
    found = claimwise.paired_test(results[0], results[1])

    assert f"{found.difference:+.2f}, p = {found.p_value:.4f} (permutation, 6 summaries)" in done.out
    assert mean_difference(*SCORES).p_value == 0.0625
    assert found.p_value == mean_difference(*SCORES, *WEIGHTS).p_value == 0.03125


def test_a_typed_result_is_taken_and_a_further_score_by_its_name() -> None:
    metric = SupportCounts(judge=WordJudge(6), support="sentences")
    rows = metric.rows({"predictions": FIRST, "references": REVIEWS})
    result = metric.aggregate(metric.score_rows(rows))
    flat = scored(FIRST)

    assert isinstance(result, Result)
    with pytest.warns(ClaimwiseWarning, match="by position"):
        assert paired_test(result, flat).difference == 0
    assert paired_test(flat, scored(SECOND), "support_counts_top_score").difference == pytest.approx(
        flat["support_counts_top_score"] - scored(SECOND)["support_counts_top_score"]
    )


def test_ids_stand_in_reports_and_maps_in_place_of_numbers() -> None:
    result = scored(FIRST, ids=IDS)
    report = Page(report_page([SystemResult.of("one", None, result)], examples=1)).shown
    pages = {
        "maps": Page(claimwise.evidence.maps_html(result)).shown,
        "notebook": Page(result["support_counts_details"]._repr_html_()).shown,
    }

    assert "Row " not in report
    assert sum(f"{one} · support_counts" in report for one in IDS) == 2
    for shown in pages.values():
        assert [f"{one} · support_counts" in shown for one in IDS] == [True] * 5
        assert "Row " not in shown


def test_a_report_of_shuffled_files_tests_the_same_rows() -> None:
    plain, shuffled = scored(SECOND, ids=IDS), scored(SECOND, [4, 2, 0, 1, 3], ids=IDS)
    first = SystemResult.of("one", None, scored(FIRST, ids=IDS))

    pages = [
        report_page([first, SystemResult.of("two", None, other)], examples=0) for other in (plain, shuffled)
    ]
    refused = Page(
        report_page(
            [
                SystemResult.of("one", None, scored(FIRST)),
                SystemResult.of("two", None, scored(SECOND, [1, 0, 2, 3, 4])),
            ]
        )
    )

    assert pages[0] == pages[1]
    assert "two is not tested against one: one, row 1: one and two have different inputs." in refused.shown


@pytest.mark.parametrize(
    "suffix",
    ["json", *(pytest.param(suffix, marks=pytest.mark.slow) for suffix in ("jsonl", "parquet", "csv"))],
)
def test_every_format_that_score_writes_is_aligned_by_ids(run: Run, suffix: str) -> None:
    texts = {"one": FIRST, "two": SECOND, "shuffled": SECOND}
    for name, summaries in texts.items():
        order = [4, 2, 0, 1, 3] if name == "shuffled" else [0, 1, 2, 3, 4]
        columns = {"hotel": [7, 1, 9, 3, 5], "summary": summaries, "reviews": REVIEWS}
        file = write_table(
            Path(f"{name}.jsonl"), **{key: [cells[row] for row in order] for key, cells in columns.items()}
        )
        for ids in ([], ["--id", "hotel"]):
            output = Path("with" if ids else "without", f"{name}.{suffix}")
            done = run("score", "abstractiveness", file, *ids, "--ci", "--details", "--output", output)
            assert done.code == 0, done.err

    def compared(folder: str, *names: str) -> Done:
        return run("compare", "abstractiveness", *(Path(folder, f"{name}.{suffix}") for name in names))

    in_order, shuffled = compared("with", "one", "two"), compared("with", "one", "shuffled")
    assert (in_order.err, shuffled.err) == ("", "")
    assert in_order.out == compared("without", "one", "two").out == shuffled.out.replace("shuffled", "two")
    refused = compared("without", "one", "shuffled")
    check_refused(refused, f"one.{suffix}, row 1: ", "have different inputs", "--id COLUMN")
    read = read_result(Path("with", f"shuffled.{suffix}"))
    assert read.ids == ["5", "9", "7", "1", "3"]
    assert read.input_hashes is not None
    assert sorted(read.input_hashes) == sorted(
        read_result(Path("without", f"one.{suffix}")).input_hashes or ()
    )
    done = run("report", f"with/one.{suffix}", f"with/shuffled.{suffix}", "--output", "report.html")
    assert done.code == 0, done.err
    assert "not tested" not in Path("report.html").read_text("utf-8")
