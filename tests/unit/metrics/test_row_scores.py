"""A metric is a function of one row, and an aggregate: in parts, in threads, elsewhere, all the same."""

from __future__ import annotations

import itertools
import json
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judges import WordJudge
from scoring import NEEDED, SENTENCES

from claimwise.errors import ClaimwiseError
from claimwise.judges import NLIModel, by_torch
from claimwise.judges.hub import checkpoint_fingerprint
from claimwise.metrics import METRICS, Metric, Result, Row, RowScore
from claimwise.metrics.base import CorpusMetric
from claimwise.metrics.nli import NLIMetric

WORDS = [
    "running",
    "walked",
    "studies",
    "flies",
    "happily",
    "relational",
    "hopping",
    "skies",
    "generously",
    "arguing",
    "national",
]
TEXTS = [
    *SENTENCES,
    *(
        f"The {word} pool was {other}, but the {other} bar is not."
        for word, other in zip(WORDS, reversed(WORDS), strict=True)
    ),
    "The soup was cold. The soup was cold. Nobody slept well in the small hotel near the station.",
    "Guests liked the breakfast; they did not like the noise. The lift is slow.",
]
ROWS = [(TEXTS[5 * i % len(TEXTS)], TEXTS[(3 * i + 1) % len(TEXTS)], i % 5) for i in range(12)]
TOGETHER = {
    "predictions": [a for a, _, _ in ROWS],
    "references": [b for _, b, _ in ROWS],
}
NLI_METRICS = [name for name in METRICS if issubclass(METRICS[name], NLIMetric)]
every_metric = pytest.mark.parametrize("name", METRICS)
every_nli_metric = pytest.mark.parametrize("name", NLI_METRICS)
Make = Callable[..., Metric]


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Weights for SummaC-Conv of seeded random numbers."""
    import torch
    from safetensors.torch import save_file

    path = tmp_path_factory.mktemp("conv") / "weights.safetensors"
    generator = torch.Generator().manual_seed(1)
    shapes = {"mlp.weight": (1, 50), "mlp.bias": (1,), "layer_final.weight": (2, 3), "layer_final.bias": (2,)}
    save_file({key: torch.randn(shape, generator=generator) for key, shape in shapes.items()}, path)
    return path


@pytest.fixture(scope="module")
def make(checkpoints: Path, released: Path) -> Make:
    """Return ``make(name, **options)``: any metric, with a tiny checkpoint where it needs one."""

    def make_metric(name: str, **options: Any) -> Metric:
        if name in NLI_METRICS:
            usual = {"judge": str(checkpoints / "bert"), "device": "cpu", "dtype": "float32"}
            options = options if "judge" in options else usual | options
        if name == "summac_conv":
            options = {"weights": str(released), "bins": "even50"} | options
        if name == "inverted_bertscore":
            options = {"encoder": str(checkpoints / "bert"), "layer": 2, "device": "cpu"} | options
        return METRICS[name](**NEEDED.get(name, {}), **options)

    return make_metric


def close(found: Any, expected: Any) -> bool:
    """Tell whether two results are alike; numbers may differ by rounding."""
    if isinstance(expected, dict):
        return found.keys() == expected.keys() and all(close(found[key], expected[key]) for key in expected)
    if isinstance(expected, list | tuple):
        return len(found) == len(expected) and all(map(close, found, expected))
    if isinstance(expected, float):
        return bool(found == pytest.approx(expected, abs=2e-4))
    return bool(found == expected)


def columns(metric: Metric) -> dict[str, Any]:
    further = {"entities": [entity for _, _, entity in ROWS]}
    names = {column.name for column in metric.spec.columns}
    return {**TOGETHER, **{name: cells for name, cells in further.items() if name in names}}


def of_inputs(metric: Metric, given: dict[str, Any]) -> dict[str, list[str]]:
    found = metric.input_hashes(given)
    return {} if found is None else {f"{metric.name}_input_hashes": found}


def in_parts(metric: Metric, rows: list[Row], cuts: Iterable[int], details: bool = False) -> list[RowScore]:
    """Score parts of the rows one by one, as a runner does, and send what comes of each through a pickle."""
    places = [0, *sorted(cuts), len(rows)]
    state = pickle.loads(pickle.dumps(metric.prepare(rows))) if isinstance(metric, CorpusMetric) else None
    further = {} if state is None else {"state": state}
    scored: list[RowScore] = []
    for start, end in itertools.pairwise(places):
        if start < end:
            scored += metric.score_rows(rows[start:end], details=details, **further)
    found: list[RowScore] = pickle.loads(pickle.dumps(scored))
    return found


# ---------------------------------------------------------------------------------------------
# Rows and their aggregate
# ---------------------------------------------------------------------------------------------


@every_metric
def test_computing_is_scoring_rows_and_aggregating_them(make: Make, name: str) -> None:
    metric = make(name)
    given = columns(metric)
    further = [key for key in given if key not in TOGETHER]

    expected = metric.compute(**given, details=True, confidence_level=0.9)
    row_scores = metric.score_rows(metric.rows(given), details=True)
    result = metric.aggregate(row_scores, confidence_level=0.9, columns=further)

    assert isinstance(result, Result)
    assert {**result.as_dict(), **of_inputs(metric, given)} == expected
    assert [row.score for row in row_scores] == expected[f"{name}_scores"]
    assert json.loads(json.dumps(expected)) == expected


@every_metric
@settings(max_examples=5, deadline=None)
@given(cuts=st.sets(st.integers(1, len(ROWS) - 1), max_size=4))
def test_rows_in_parts_give_the_result_of_all(make: Make, name: str, cuts: set[int]) -> None:
    metric = make(name, **({"judge": WordJudge(6)} if name in NLI_METRICS else {}))
    given = columns(metric)
    further = [key for key in given if key not in TOGETHER]

    parts = metric.aggregate(in_parts(metric, metric.rows(given), cuts, details=True), columns=further)

    assert close(parts.as_dict() | of_inputs(metric, given), metric.compute(**given, details=True))


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(
    cuts=st.sets(st.integers(1, len(ROWS) - 1), max_size=4),
    pool=st.sampled_from(["pairs", "other_entities"]),
    max_pairs=st.sampled_from([None, 40]),
)
def test_a_corpus_in_parts_is_sampled_and_counted_as_a_whole(
    make: Make, cuts: set[int], pool: str, max_pairs: int | None
) -> None:
    metric = make("genericity", judge=WordJudge(3), pool=pool, max_pairs=max_pairs)
    given = columns(metric)

    parts = metric.aggregate(in_parts(metric, metric.rows(given), cuts), columns=["entities"]).as_dict()

    expected = metric.compute(**given)
    assert expected["genericity_truncated"] > 0
    assert ("genericity_sampling_ci" in expected) == (max_pairs is not None)
    assert close(parts | of_inputs(metric, given), expected)


@every_metric
def test_the_mean_is_that_of_the_scores_by_their_weights(make: Make, name: str) -> None:
    metric = make(name)
    result = metric.compute(**columns(metric))

    weights = result.get(f"{name}_weights")
    assert np.average(result[f"{name}_scores"], weights=weights) == result[name]
    for score, further in metric.spec.further.items():
        expected = np.average(result[f"{score}_scores"], weights=weights if further.weighted else None)
        assert expected == pytest.approx(result[score])
    assert (weights is not None) == (metric.spec.mean_over in ("claims", "sentences"))


def test_a_row_that_a_sample_left_out_has_no_score_and_no_weight(make: Make) -> None:
    metric = make("genericity", judge=WordJudge(), max_pairs=50)
    result = metric.compute(**columns(metric))

    scores, weights = result["genericity_scores"], result["genericity_weights"]
    assert [weight == 0 for weight in weights] == [score is None for score in scores]
    scored = [(s, w) for s, w in zip(scores, weights, strict=True) if s is not None]
    assert 0 < len(scored) < len(ROWS)
    assert np.average([s for s, _ in scored], weights=[w for _, w in scored]) == result["genericity"]


@every_metric
def test_rows_without_a_score_make_no_result(make: Make, name: str) -> None:
    with pytest.raises(ClaimwiseError, match="No row has a score"):
        make(name).aggregate([RowScore(score=None, weight=0.0)] * 2)


# ---------------------------------------------------------------------------------------------
# Metrics that travel
# ---------------------------------------------------------------------------------------------


@every_metric
def test_a_metric_is_the_same_after_a_pickle_loaded_or_not(make: Make, name: str) -> None:
    metric = make(name)
    fresh = pickle.dumps(metric)
    metric.load()
    expected = metric.compute(**columns(metric), details=True)
    used = pickle.dumps(metric)

    assert max(len(fresh), len(used)) < 20_000  # no weights
    for content in (fresh, used):
        again = pickle.loads(content)
        assert again.options == metric.options
        assert close(again.compute(**columns(metric), details=True), expected)


@every_nli_metric
def test_a_ready_made_model_travels_by_what_it_was_loaded_with(
    make: Make, name: str, checkpoints: Path
) -> None:
    model = NLIModel.from_pretrained(
        checkpoints / "bert", device="cpu", dtype="float32", token="hf_secret", show_progress=False
    )
    metric = make(name, judge=model)
    metric.load()

    content = pickle.dumps(metric)

    assert len(content) < 20_000
    assert b"hf_secret" not in content
    assert pickle.loads(content).signature() == metric.signature()


def test_fitted_weights_travel_with_the_metric(make: Make, tmp_path: Path) -> None:
    metric: Any = make("summac_conv", weights=None)
    metric.fit(**{k: v[:4] for k, v in TOGETHER.items()}, labels=[0, 1, 0, 1], output=tmp_path / "w", steps=5)

    again = pickle.loads(pickle.dumps(metric))

    assert again.signature() == metric.signature()
    assert close(again.compute(**TOGETHER), metric.compute(**TOGETHER))


@pytest.mark.slow
def test_another_process_gives_the_same(make: Make) -> None:
    metrics = [make(name) for name in METRICS]
    rows = [metric.rows(columns(metric)) for metric in metrics]
    script = (
        "import pickle, sys; metrics, rows = pickle.load(sys.stdin.buffer); "
        "found = [metric.score_rows(some) for metric, some in zip(metrics, rows)]; "
        "pickle.dump(found, sys.stdout.buffer)"
    )

    done = subprocess.run(
        [sys.executable, "-c", script], input=pickle.dumps((metrics, rows)), capture_output=True, check=True
    )

    for metric, some, found in zip(metrics, rows, pickle.loads(done.stdout), strict=True):
        assert close([row.score for row in found], [row.score for row in metric.score_rows(some)])


@pytest.mark.slow
@every_metric
def test_threads_that_share_a_metric_give_what_one_gives(make: Make, name: str) -> None:
    shared = make(name)  # not loaded: the threads meet there too
    alone = make(name)
    halves = [list(range(start, start + 3)) for start in (0, 3, 6, 9)] * 6
    of_rows = [{key: [cells[i] for i in half] for key, cells in TOGETHER.items()} for half in halves]

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda some: shared.compute(**some, details=True), of_rows))

    expected = [alone.compute(**some, details=True) for some in of_rows[:4]]
    for number, result in enumerate(found):
        assert close(result, expected[number % 4])


@pytest.mark.parametrize("stemmer", ["english", "nltk_porter"])
def test_threads_share_a_stemmer(stemmer: str) -> None:
    """A Snowball stemmer keeps the word at hand in itself."""
    metric = METRICS["distinctiveness_score"](stemmer=stemmer)
    text, other = " ".join(WORDS * 50), " ".join(WORDS[:5] * 50)

    def evidence(pair: tuple[str, str]) -> Any:
        (found,) = metric.compute(predictions=[pair[0]], references=[pair[1]], details=True)[
            "distinctiveness_score_details"
        ]
        return found

    pairs = [(text, other), (other, text)]
    alone = [evidence(pair) for pair in pairs]
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(evidence, pairs * 16))

    assert found == alone * 16


def test_threads_share_an_encoder_that_has_to_cut(make: Make) -> None:
    metric = make("inverted_bertscore")
    pairs = [(f"The {word} pool. " * 30, f"The {word} bar. " * 30) for word in WORDS[:4]]

    def score(pair: tuple[str, str]) -> Any:
        result = metric.compute(predictions=[pair[0]], references=[pair[1]])
        return result["inverted_bertscore"], result["inverted_bertscore_truncated"]

    alone = [score(pair) for pair in pairs]
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(score, pairs * 16))

    assert {cut for _, cut in alone} == {2}
    assert close(found, alone * 16)


# ---------------------------------------------------------------------------------------------
# One checkpoint
# ---------------------------------------------------------------------------------------------


def test_metrics_made_one_after_the_other_hold_one_checkpoint_and_hash_it_once(
    make: Make, checkpoints: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(checkpoints / "bert", tmp_path / "bert")
    hashed = []

    def noted(*arguments: Any) -> str:
        hashed.append(arguments)
        return checkpoint_fingerprint(*arguments)

    monkeypatch.setattr(by_torch, "checkpoint_fingerprint", noted)
    options = {"judge": str(tmp_path / "bert"), "device": "cpu", "dtype": "float32"}

    made: list[Any] = []
    for name in NLI_METRICS:
        made.append(make(name, **options))
        made[-1].load()
        made[-1].signature()

    assert len(made) >= 5
    assert len({id(metric.judge._checkpoint.network) for metric in made}) == 1
    assert len({metric.judge.fingerprint for metric in made}) == 1
    assert len(hashed) == 1
