"""The wrapper of torchmetrics: batches and two processes give what all rows give."""

from __future__ import annotations

import os
import pickle
import socket
from pathlib import Path

import pytest

torchmetrics = pytest.importorskip(
    "torchmetrics", reason="torchmetrics is not installed (the extra torchmetrics)"
)

import torch  # noqa: E402
from judges import WordJudge  # noqa: E402
from scoring import A, B  # noqa: E402

from claimwise.errors import ClaimwiseError  # noqa: E402
from claimwise.integrations.torchmetrics import ClaimwiseMetric  # noqa: E402
from claimwise.metrics import METRICS, load  # noqa: E402

pytestmark = pytest.mark.slow
SOURCES = [
    ["The pool is warm.", "Parking is free."],
    ["The bar is closed."],
    ["A dog barked."],
    ["It rained."],
]
SUMMARIES = [
    "The pool is warm and parking is free.",
    "The bar is open. It is warm. It is big.",
    "A dog.",
    "It rained.",
]


def test_batches_give_what_all_rows_give() -> None:
    metric = ClaimwiseMetric(
        "support_counts", further=True, judge=WordJudge(), support="sentences", threshold=0.5
    )
    for start in (0, 1, 3):
        stop = {0: 1, 1: 3, 3: 4}[start]
        metric.update(SUMMARIES[start:stop], SOURCES[start:stop])

    found = metric.compute()

    expected = load("support_counts", judge=WordJudge(), support="sentences", threshold=0.5).compute(
        predictions=SUMMARIES, references=SOURCES
    )
    assert set(expected["support_counts_weights"]) != {1.0}
    for name in ("support_counts", "support_counts_top_score", "support_counts_truncated"):
        assert float(found[name]) == pytest.approx(expected[name])


@pytest.mark.parametrize("name", sorted(METRICS))
def test_every_metric_is_wrapped_or_refused_by_its_kind(name: str) -> None:
    if name == "genericity":
        with pytest.raises(ClaimwiseError, match="batch by batch"):
            ClaimwiseMetric(name)
        return
    wrapped = ClaimwiseMetric(name)
    spec = METRICS[name].spec
    assert wrapped.higher_is_better == {"higher": True, "lower": False, None: None}[spec.better]
    assert (wrapped.plot_lower_bound, wrapped.plot_upper_bound) == spec.bounds


def test_forward_gives_the_batch_and_compute_gives_all() -> None:
    metric = ClaimwiseMetric("caspr", judge=WordJudge())
    caspr = load("caspr", judge=WordJudge())

    of_batches = [float(metric(A[i : i + 2], B[i : i + 2])) for i in (0, 2)]

    assert of_batches == [
        pytest.approx(caspr.compute(predictions=A[i : i + 2], references=B[i : i + 2])["caspr"])
        for i in (0, 2)
    ]
    assert float(metric.compute()) == pytest.approx(caspr.compute(predictions=A, references=B)["caspr"])
    assert metric.compute().ndim == 0


def test_a_batch_with_a_missing_text_is_refused_and_adds_nothing() -> None:
    metric = ClaimwiseMetric("caspr", judge=WordJudge())
    metric.update(A[:1], B[:1])
    before = float(metric.compute())

    with pytest.raises(ClaimwiseError, match=r"predictions, row 1: the text is missing \(None\)"):
        metric.update([A[1], None], B[:2])

    assert float(metric.compute()) == before
    metric.reset()
    with (
        pytest.raises(ClaimwiseError, match="No row of caspr has a score"),
        pytest.warns(UserWarning, match="before"),
    ):
        metric.compute()


def test_it_is_a_metric_like_others_of_torchmetrics() -> None:
    metric = ClaimwiseMetric("distinctiveness_score", of_torchmetrics={"sync_on_compute": False})
    collection = torchmetrics.MetricCollection(
        {"words": metric, "claims": ClaimwiseMetric("caspr", judge=WordJudge())}
    )

    collection.update(A, B)

    assert set(collection.compute()) == {"words", "claims"}
    copied = pickle.loads(pickle.dumps(collection["words"]))
    assert copied.compute() == collection["words"].compute()
    figure, axis = collection["words"].plot()
    assert axis.get_ylim()[0] <= 0
    assert axis.get_ylim()[1] >= 100
    figure.clear()


def _score_a_part(rank: int, port: int, folder: str) -> None:
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "GLOO_SOCKET_IFNAME": "lo"}
    torch.distributed.init_process_group("gloo", rank=rank, world_size=2)
    metric = ClaimwiseMetric(
        "support_counts", further=True, judge=WordJudge(), support="sentences", threshold=0.5
    )
    part = slice(0, 1) if rank == 0 else slice(1, None)  # parts of unequal lengths and weights
    metric.update(SUMMARIES[part], SOURCES[part])
    torch.save(metric.compute(), Path(folder) / f"{rank}.pt")
    torch.distributed.destroy_process_group()


def test_two_processes_give_what_one_gives(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    torch.multiprocessing.spawn(_score_a_part, args=(port, str(tmp_path)), nprocs=2)

    expected = load("support_counts", judge=WordJudge(), support="sentences", threshold=0.5).compute(
        predictions=SUMMARIES, references=SOURCES
    )
    for rank in (0, 1):
        found = torch.load(tmp_path / f"{rank}.pt", weights_only=True)
        assert float(found["support_counts"]) == pytest.approx(expected["support_counts"])
        assert float(found["support_counts_top_score"]) == pytest.approx(expected["support_counts_top_score"])
        assert int(found["support_counts_truncated"]) == expected["support_counts_truncated"]
