"""The Ray runner gives what the local runner gives, on a real Ray of this machine."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from command import Run, check_refused
from counting import Counting, Ranking
from scoring import A, B
from tables import write_table

from claimwise.errors import ClaimwiseError
from claimwise.metrics import Caspr, DistinctivenessScore
from claimwise.runners import local, ray

HAS_RAY = importlib.util.find_spec("ray") is not None
needs_ray = pytest.mark.skipif(not HAS_RAY, reason="Ray is not installed: pip install 'claimwise[ray]'")
TEXTS = [f"Room {number} is warm. " + "So it is. " * (number % 5) for number in range(30)]


def test_without_ray_one_message_names_the_extra(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ray", "ray.data"):
        monkeypatch.setitem(sys.modules, name, None)  # as if it were not there
    file = write_table(tmp_path / "rows.csv", summary_a=A, summary_b=B)

    done = run("score", "distinctiveness_score", file, "--output", "s.parquet", "--runner", "ray")

    check_refused(done, "pip install 'claimwise[ray]'")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--address", "auto"), "--address: without effect. Add --runner ray"),
        (("--runner", "spark"), "--runner: There is no runner 'spark'. Choose local or ray."),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    run: Run, tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    file = write_table(tmp_path / "rows.csv", summary_a=A, summary_b=B)

    check_refused(run("score", "distinctiveness_score", file, *options), said)


@pytest.fixture(scope="module")
def cluster() -> Any:
    """A Ray of two processors for all tests here; a runner uses the one that it finds."""
    import ray as engine

    engine.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    engine.shutdown()


@needs_ray
@pytest.mark.slow
@pytest.mark.usefixtures("cluster")
class TestRay:
    def test_it_gives_what_compute_gives(self) -> None:
        for metric in (Counting(), Ranking()):
            found = ray(2, rows_in_part=4).compute(metric, predictions=TEXTS)

            assert found == metric.compute(predictions=TEXTS)

    def test_files_come_out_in_the_order_of_the_input(self, tmp_path: Path) -> None:
        file = write_table(tmp_path / "rows.parquet", summary=[*TEXTS, ""], number=list(range(31)))
        for name, runner in (("local", local), ("ray", ray)):
            runner(on_error="row", rows_in_part=4).score_file(Counting(), file, tmp_path / f"{name}.parquet")

        of_local, of_ray = (
            pyarrow.parquet.read_table(tmp_path / f"{name}.parquet") for name in ("local", "ray")
        )
        assert of_ray.equals(of_local, check_metadata=True)

    def test_labels_and_probabilities_are_those_of_the_local_runner(self, tiny_encoder: Path) -> None:
        metric = Caspr(nli_model=str(tiny_encoder), decomposer="sentences", device="cpu", dtype="float32")

        found, wanted = (
            runner(2, rows_in_part=1).compute(metric, predictions=A, references=B, details=True)
            for runner in (ray, local)
        )

        assert found["caspr_scores"] == wanted["caspr_scores"]
        for mine, others in zip(found["caspr_details"], wanted["caspr_details"], strict=True):
            assert mine["labels"] == others["labels"]

    def test_an_error_arrives_as_it_is(self) -> None:
        with pytest.raises(ClaimwiseError) as refused:
            ray(2, rows_in_part=2).compute(Counting(), predictions=[*TEXTS, "IMPOSSIBLE"])

        assert refused.value.row == 30
        assert "holds the impossible" in refused.value.problem

    def test_a_killed_worker_costs_nothing(self, tmp_path: Path) -> None:
        texts = [f"{text} DEADLY" if number == 9 else text for number, text in enumerate(TEXTS)]
        metric = Counting(log=str(tmp_path / "log"), deaths=1)

        found = ray(2, rows_in_part=4).compute(metric, predictions=texts)

        assert found == Counting().compute(predictions=texts)
        assert (tmp_path / "log.lives").read_bytes() == b"x"

    def test_a_dataset_gets_the_columns(self) -> None:
        import ray as engine

        rows = [{"id": i, "one": a, "two": b} for i, (a, b) in enumerate(zip(A, B, strict=True))]
        dataset = engine.data.from_items(rows)
        columns = {"predictions": "one", "references": "two"}
        metric = DistinctivenessScore()

        scored = ray(2, rows_in_part=2).score_dataset(metric, dataset, columns=columns, details=True)

        wanted = metric.compute(predictions=A, references=B, details=True)
        for row in scored.take_all():
            assert row["distinctiveness_score_score"] == wanted["distinctiveness_score_scores"][row["id"]]
            details = json.loads(row["distinctiveness_score_details"])
            assert details == wanted["distinctiveness_score_details"][row["id"]]
        with pytest.raises(ClaimwiseError, match="compares rows with each other"):
            ray().score_dataset(Ranking(), dataset, columns={"predictions": "one"})
