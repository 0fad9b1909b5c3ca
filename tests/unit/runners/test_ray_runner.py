"""The Ray runner gives what the local one gives, for lists, files and datasets of Ray Data."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command import Run, check_refused
from counting import TEXTS, Counting, Ranking
from judges import WordJudge
from ray_clusters import machine
from scoring import A, B
from tables import write_table

from claimwise.apps.demo import PAIRS
from claimwise.errors import ClaimwiseError, ClaimwiseWarning
from claimwise.metrics import Caspr, DistinctivenessScore, Genericity, SummacZs
from claimwise.runners import local
from claimwise.runners import ray as on_ray
from claimwise.runners.results import Progress

DS = "distinctiveness_score"
NEEDS_RAY = "pip install '.[ray]' in a clone"


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    with machine() as connected:
        yield connected


def test_without_ray_one_message_names_the_extra(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_table(tmp_path / "rows.csv", summary_a=A, summary_b=B)
    monkeypatch.setitem(sys.modules, "ray", None)  # as if it were not installed, where it is

    with pytest.raises(ClaimwiseError, match=r"\.\[ray\]"):
        on_ray(2)
    check_refused(run("score", DS, file, "--runner", "ray", "--output", "s.parquet"), "pip install '.[ray]'")
    assert not (tmp_path / "s.parquet").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"workers": 0}, "`workers` must be a whole number of at least 1"),
        ({"num_cpus": 0}, "`num_cpus` must be a whole number of at least 1"),
        ({"num_gpus": -1}, "num_gpus must be"),
        ({"num_gpus": 1.5}, "num_gpus must be"),
        ({"on_error": "ignore"}, "`on_error` must be one of"),
    ],
)
def test_a_wrong_option_is_named(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ClaimwiseError, match=said) as refused:
        on_ray(**options)

    assert refused.value.option == next(iter(options))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--runner", "spark"], "--runner must be one of `local`, `ray`; got “spark”"),
        (["--address", "auto"], "--address works only with --runner ray"),
        (["--num-gpus", "1"], "--num-gpus works only with --runner ray"),
    ],
)
def test_a_wrong_flag_is_one_line(run: Run, tmp_path: Path, options: list[str], said: str) -> None:
    file = write_table(tmp_path / "rows.csv", summary_a=A, summary_b=B)

    check_refused(run("score", DS, file, *options), said)


@pytest.mark.slow
def test_without_an_address_a_cluster_starts_and_is_gone_afterwards(run: Run, tmp_path: Path) -> None:
    ray = pytest.importorskip("ray", reason=NEEDS_RAY)
    file = write_table(tmp_path / "rows.parquet", summary_a=[*A, *B], summary_b=[*B, *A], id=list(range(8)))

    done = run("score", DS, file, "--runner", "ray", "--workers", 2, "--details", "--output", "ray.jsonl")

    assert done.code == 0, done.err
    assert not ray.is_initialized()
    assert run("score", DS, file, "--details", "--output", "local.jsonl").code == 0
    for suffix in ("", ".meta.json"):
        found, expected = (tmp_path / f"{name}.jsonl{suffix}" for name in ("ray", "local"))
        assert found.read_text() == expected.read_text()


@pytest.mark.slow
def test_a_machine_without_the_gpus_that_are_asked_for_is_told_so() -> None:
    pytest.importorskip("ray", reason=NEEDS_RAY)

    with pytest.raises(ClaimwiseError, match="needs 1 CPU, 64 GPU, but this machine has") as refused:
        on_ray(num_gpus=64).compute(Counting(), predictions=["Fine."])

    assert refused.value.option == "num_gpus"


@pytest.mark.slow
@pytest.mark.parametrize("address", ["auto", "127.0.0.1:9"])
def test_a_cluster_that_is_not_there_is_named(address: str) -> None:
    pytest.importorskip("ray", reason=NEEDS_RAY)

    with pytest.raises(ClaimwiseError, match=f"'{address}' cannot be reached") as refused:
        on_ray(address=address).compute(Counting(), predictions=["Fine."])

    assert refused.value.option == "address"


@pytest.mark.slow
@pytest.mark.parametrize(
    "metric",
    [
        Caspr(judge=WordJudge(), decomposer="sentences"),
        Counting(),
        Genericity(judge=WordJudge(), decomposer="sentences"),
        Ranking(),
    ],
    ids=lambda metric: metric.name,
)
def test_parts_on_ray_give_what_compute_gives(ray: Any, metric: Any) -> None:
    rows = {"predictions": [*A, *B], "references": [*B, *A]}
    asked: dict[str, Any] = {
        column.name: rows[column.name] for column in metric.spec.columns if column.required
    }
    asked |= {"details": True, "confidence_level": 0.9, "resamples": 50}

    assert on_ray(2, rows_in_part=3).compute(metric, **asked) == metric.compute(**asked)


@pytest.mark.slow
def test_two_workers_share_a_gpu_and_a_third_waits_for_nothing(ray: Any) -> None:
    metric = Counting()

    result = on_ray(3, num_gpus=0.5, rows_in_part=4).compute(metric, predictions=TEXTS)

    assert result == metric.compute(predictions=TEXTS)
    with pytest.raises(ClaimwiseError, match="connected to a cluster other than"):
        on_ray(address="10.0.0.1:6379").compute(metric, predictions=TEXTS)


@pytest.mark.slow
def test_labels_are_those_of_the_local_runner_and_probabilities_within_a_hundred_thousandth(
    ray: Any,
) -> None:
    options: dict[str, Any] = {"device": "cpu", "dtype": "float32", "show_progress": False}
    given = {
        "predictions": [pair.summary_a for pair in PAIRS],
        "references": [pair.summary_b for pair in PAIRS],
    }
    caspr, summac = Caspr(decomposer="sentences", **options), SummacZs(**options)
    rows_in_part = {"rows_in_part": 2}

    verdicts = [
        runner.compute(caspr, **given, details=True)["caspr_details"]
        for runner in (local(**rows_in_part), on_ray(2, **rows_in_part))
    ]
    scores = [
        runner.compute(summac, **given)["summac_zs_scores"]
        for runner in (local(**rows_in_part), on_ray(2, **rows_in_part))
    ]

    for expected, found in zip(*verdicts, strict=True):
        assert found["labels"] == expected["labels"]
    assert scores[1] == pytest.approx(scores[0], abs=1e-5)


@pytest.mark.slow
def test_rows_that_cannot_be_scored_are_errors_as_in_the_local_runner(ray: Any) -> None:
    rows = ["One two three.", "", "A. B. C D E. f", "IMPOSSIBLE", None, "ONE more."]
    both = [
        runner(on_error="row", rows_in_part=4).compute(Counting(), predictions=rows)
        for runner in (local, on_ray)
    ]

    assert both[1] == both[0]
    assert [error is None for error in both[1]["counting_errors"]] == [True, False, True, False, False, True]
    with pytest.raises(ClaimwiseError) as refused:
        on_ray(rows_in_part=1).compute(Counting(), predictions=["Fine.", "IMPOSSIBLE"])
    assert (refused.value.row, refused.value.problem) == (1, "holds the impossible.")


@pytest.mark.slow
def test_a_worker_whose_scores_would_be_others_is_refused(
    ray: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    metric = DistinctivenessScore()
    monkeypatch.setattr("claimwise.metrics.base.__version__", "0.0.1")  # here, and not in the actors

    with pytest.raises(ClaimwiseError, match=r"it has version:.*started the run has version:0\.0\.1"):
        on_ray().compute(metric, predictions=A, references=B)


@pytest.mark.slow
def test_a_run_that_stopped_goes_on_whichever_runner_began_it(ray: Any, tmp_path: Path) -> None:
    file = write_table(tmp_path / "rows.parquet", summary=[*TEXTS[:21], "DEADLY one.", *TEXTS[22:]])
    output, log, told = tmp_path / "scores.parquet", tmp_path / "log", list[Progress]()
    with pytest.raises(
        ClaimwiseError,
        match=r"rows 21 to 24 .counted from 1.: 3 successive worker processes died while scoring them",
    ):
        on_ray(rows_in_part=4).score_file(Counting(log=str(log), deaths=3), file, output)

    found = local(rows_in_part=4).score_file(
        Counting(log=str(log), deaths=3), file, output, watch=told.append
    )

    assert told[0].resumed
    expected = Counting().compute(predictions=[*TEXTS[:21], "DEADLY one.", *TEXTS[22:]])
    assert found.result["counting"] == expected["counting"]
    rows = [line.split()[0] for line in log.read_text().splitlines()]
    assert rows.count("0") == 1, "a part that is done is not scored again"
    assert rows.count("20") == 4


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Counting, Ranking])
def test_a_dataset_gets_its_columns_in_its_order(ray: Any, kind: type[Counting]) -> None:
    import pyarrow

    table = pyarrow.table({"text": TEXTS, "id": list(range(40))})
    dataset = ray.data.from_arrow(table).repartition(4)

    scored = on_ray(2, rows_in_part=4).score_dataset(kind(), dataset, columns={"predictions": "text"})

    rows = scored.take_all()
    expected = kind().compute(predictions=TEXTS)
    assert list(rows[0]) == [
        "text", "id", kind.name, f"{kind.name}_weight", "letters", f"{kind.name}_error"
    ]  # fmt: skip
    assert [row["text"] for row in rows] == TEXTS
    assert [row["id"] for row in rows] == list(range(40))
    assert [row[kind.name] for row in rows] == expected[f"{kind.name}_scores"]
    assert not ray.data.DataContext.get_current().execution_options.preserve_order


@pytest.mark.slow
def test_a_dataset_that_comes_out_of_order_is_scored_in_the_order_of_its_source(
    ray: Any, tmp_path: Path
) -> None:
    ready = tmp_path / "ready"

    def first_comes_last(rows: Any) -> Any:
        while rows["id"][0] == 0 and not ready.exists():
            pass
        if rows["id"][-1] == 39:
            ready.touch()
        return {"summary": [f"Room {number} is warm." for number in rows["id"]], "id": rows["id"]}

    dataset = ray.data.range(40, override_num_blocks=2).map_batches(first_comes_last, batch_size=None)

    scored = on_ray(2).score_dataset(Counting(), dataset).take_all()

    assert [row["id"] for row in scored] == list(range(40))


@pytest.mark.slow
def test_a_dataset_with_bad_rows_stops_or_has_errors(ray: Any) -> None:
    rows = [{"summary": text} for text in ("Good one.", "Another.", "IMPOSSIBLE", "")]
    dataset = ray.data.from_items(rows, override_num_blocks=1)

    with pytest.raises(ClaimwiseError) as refused:
        on_ray().score_dataset(Counting(), dataset)
    found = on_ray(on_error="row").score_dataset(Counting(), dataset, details=True).take_all()

    assert refused.value.row in (2, 3)
    errors = [row["counting_error"] for row in found]
    assert errors[:2] == [None, None]
    assert errors[2].startswith("predictions, row 2: holds the impossible. Drop it.")
    assert errors[3].startswith("predictions, row 3: ")
    with pytest.raises(ClaimwiseError, match="the dataset has no column"):
        on_ray().score_dataset(DistinctivenessScore(), dataset)
    with pytest.raises(ClaimwiseError, match="already has a column `counting`"):
        on_ray().score_dataset(Counting(), ray.data.from_items([{"summary": "Fine.", "counting": 1.0}]))


@pytest.mark.slow
def test_a_dataset_keeps_its_evidence_as_json(ray: Any) -> None:
    pairs = [{"summary_a": a, "summary_b": b} for a, b in zip(A, B, strict=True)]

    scored = on_ray().score_dataset(DistinctivenessScore(), ray.data.from_items(pairs), details=True)

    expected = DistinctivenessScore().compute(predictions=A, references=B, details=True)
    evidence = [json.loads(row[f"{DS}_details"]) for row in scored.take_all()]
    assert evidence == expected[f"{DS}_details"]


@pytest.mark.slow
def test_claims_in_place_of_texts_are_scored_on_ray_and_hold_for_all_pieces(ray: Any) -> None:
    caspr = Caspr(judge=WordJudge())
    given = {"predictions": [[a, "It rains."] for a in A], "references": [[b] for b in B]}
    rows = [{"summary_a": a, "summary_b": b} for a, b in zip(*given.values(), strict=True)]
    mixed = [{"summary_a": text, "summary_b": "It rains."} for text in (json.dumps(A[:2]), A[2])]

    expected = caspr.compute(**given)
    assert on_ray(2, rows_in_part=1).compute(caspr, **given) == expected
    scored = on_ray(2, rows_in_part=1).score_dataset(caspr, ray.data.from_items(rows)).take_all()
    assert [row["caspr"] for row in scored] == expected["caspr_scores"]
    with pytest.raises(ClaimwiseError, match="predictions, row 1: expected a list of claims, got a text"):
        on_ray(rows_in_part=1).score_dataset(caspr, ray.data.from_items(mixed))


class Paid(WordJudge):
    """A judge that counts its requests."""

    @property
    def used(self) -> dict[str, int]:
        return {"requests": self.asked}


@pytest.mark.slow
def test_warnings_counts_and_usage_of_a_dataset_are_those_of_a_local_run(ray: Any) -> None:
    texts = ["The pool is warm. " * 9, "An ODD bar.", "Les chambres étaient sales et bruyantes."] * 4
    dataset = ray.data.from_items([{"summary_a": text, "summary_b": text} for text in texts])
    counting = ray.data.from_items([{"summary": text} for text in texts])
    counts, used, shouted = dict[str, int](), dict[str, int](), dict[str, int]()

    def caspr() -> Caspr:
        return Caspr(judge=Paid(longest=5), splitter="nltk:untrained", pairs="all")

    expected = local().compute(caspr(), predictions=texts, references=texts)
    with pytest.warns(ClaimwiseWarning, match="do not look English"):
        on_ray(2, rows_in_part=3).score_dataset(caspr(), dataset, counts=counts, used=used)
    with pytest.warns(ClaimwiseWarning) as heard:
        on_ray(2, rows_in_part=3).score_dataset(Counting(), counting, counts=shouted)

    assert {f"caspr_{name}": count for name, count in counts.items()}.items() <= expected.items()
    assert counts["truncated"] > 0
    assert used["requests"] > 0
    assert [str(one.message) for one in heard] == ["Something odd was left out."]
    assert shouted == {"shouted": 4}
