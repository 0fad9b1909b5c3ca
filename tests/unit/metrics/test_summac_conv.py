"""SummaC-Conv: the released weight file's format and score, fitting, evidence, and what is refused."""

from __future__ import annotations

import functools
import hashlib
import json
import math
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.torch import save_file

from claimwise.errors import ClaimwiseError
from claimwise.judges.local import NLIModel
from claimwise.metrics import SummacConv
from claimwise.scores.histogram import PERCENTILE_EDGES

SENTENCES = ["The pool is warm.", "Parking is free.", "The bus was late.", "The soup was hot.", "It snowed."]
SOURCE = " ".join(SENTENCES)
OTHERS = ["A dog barked all night.", "My phone has two cameras.", "The film was dull.", "The lift is slow."]
PAIRS: dict[str, Any] = {"predictions": [*SENTENCES[:4], *OTHERS], "references": [SOURCE] * 8}
LABELS = [1] * 4 + [0] * 4
BINS = len(PERCENTILE_EDGES) - 1


class ReleasedLayers(torch.nn.Module):
    """The two layers of the authors' model under the names in their file, and its way to a score: ten rows of
    histograms, of which those that a short summary does not fill are left out of the mean.
    """

    def __init__(self) -> None:
        super().__init__()
        self.mlp = torch.nn.Linear(BINS, 1)
        self.layer_final = torch.nn.Linear(3, 2)

    @torch.inference_mode()
    def score(self, entailment: np.ndarray) -> float:
        rows = np.zeros((10, BINS))
        for column in range(min(10, entailment.shape[1])):
            rows[column], _ = np.histogram(entailment[:, column], bins=PERCENTILE_EDGES)
        filled = int((rows.sum(axis=1) != 0).sum())
        values = self.mlp(torch.tensor(rows, dtype=torch.float32)).flatten()[:filled]
        mean = values.mean()
        return float(self.layer_final(torch.stack([mean, mean, mean])).softmax(-1)[1])


@pytest.fixture(scope="session")
def released() -> ReleasedLayers:
    with torch.random.fork_rng():
        torch.manual_seed(3)
        return ReleasedLayers()


@pytest.fixture
def released_file(released: ReleasedLayers, tmp_path: Path) -> Path:
    save_file(released.state_dict(), tmp_path / "released.safetensors")
    return tmp_path / "released.safetensors"


def scores(metric: SummacConv, predictions: list[str], references: list[Any]) -> list[float]:
    found: list[float] = metric.compute(predictions=predictions, references=references)["summac_conv_scores"]
    return found


# The released weights ---------------------------------------------------------------------------------


def test_the_released_parameters_give_the_released_models_scores(
    nli_model: NLIModel, released: ReleasedLayers, released_file: Path
) -> None:
    metric = SummacConv(judge=nli_model, weights=released_file)
    summaries = [[SENTENCES[0]], [SENTENCES[1], OTHERS[0], SENTENCES[3]], [OTHERS[1], OTHERS[2]]]

    found = scores(metric, [" ".join(summary) for summary in summaries], [SOURCE] * 3)

    matrices = nli_model.matrices([(SENTENCES, summary) for summary in summaries])
    assert found == pytest.approx([released.score(matrix[:, :, 0]) for matrix in matrices], abs=1e-5)
    assert len({round(score, 5) for score in found}) == 3


def test_the_first_sentences_only_are_read_on_request_and_the_others_counted(
    nli_model: NLIModel, released: ReleasedLayers, released_file: Path
) -> None:
    summary = [SENTENCES[row % 5] for row in range(9)] + OTHERS[:3]
    source = (SENTENCES + OTHERS) * 12
    columns: dict[str, Any] = {"predictions": [" ".join(summary)], "references": [[" ".join(source)]]}

    first = SummacConv(judge=nli_model, weights=released_file, first_sentences_only=True).compute(**columns)
    every = SummacConv(judge=nli_model, weights=released_file).compute(**columns, details=True)

    (matrix,) = nli_model.matrices([(source[:100], summary)])
    assert first["summac_conv"] == pytest.approx(released.score(matrix[:, :, 0]), abs=1e-5)
    assert first["summac_conv_left_out"] == 8 + 2
    assert every["summac_conv_left_out"] == 0
    hypotheses = every["summac_conv_details"][0]["hypotheses"]
    assert [hypothesis["hypothesis"] for hypothesis in hypotheses] == summary
    assert {sum(hypothesis["histogram"]) for hypothesis in hypotheses} == {len(source)}


def test_the_score_follows_by_hand_from_weights_and_histograms(nli_model: NLIModel, tmp_path: Path) -> None:
    # A source sentence with p_e >= 0.37 adds 1 to the value of a summary sentence, any other adds 0; the
    # logits are 0 and 3 · 0.5 · mean - 1.
    kernel = torch.tensor([[float(edge >= 0.37) for edge in PERCENTILE_EDGES[:-1]]])
    weights = {
        "mlp.weight": kernel,
        "mlp.bias": torch.zeros(1),
        "layer_final.weight": torch.tensor([[0.0] * 3, [0.5] * 3]),
        "layer_final.bias": torch.tensor([0.0, -1.0]),
    }
    save_file(weights, tmp_path / "w.safetensors")
    metric = SummacConv(judge=nli_model, weights=tmp_path / "w.safetensors")
    summary = SENTENCES[:2] + OTHERS[:1]

    (found,) = scores(metric, [" ".join(summary)], [SOURCE])

    (matrix,) = nli_model.matrices([(SENTENCES, summary)])
    mean = float((matrix[:, :, 0] >= 0.37).sum(axis=0).mean())
    assert found == pytest.approx(1 / (1 + math.exp(1 - 1.5 * mean)), abs=1e-5)


# Fitting ----------------------------------------------------------------------------------------------


def test_what_was_fitted_tells_its_pairs_apart_and_scores_alike_from_its_file(
    nli_model: NLIModel, tmp_path: Path
) -> None:
    metric = SummacConv(judge=nli_model)
    output = tmp_path / "new folder" / "w.safetensors"

    loss = metric.fit(**PAIRS, labels=LABELS, output=output, steps=300)

    fitted = scores(metric, **PAIRS)
    assert [score > 0.5 for score in fitted] == [label == 1 for label in LABELS]
    probabilities = [score if label else 1 - score for score, label in zip(fitted, LABELS, strict=True)]
    assert loss == pytest.approx(np.mean([-math.log(p) for p in probabilities]), abs=1e-4)
    assert scores(SummacConv(judge=nli_model, weights=output), **PAIRS) == fitted
    with safe_open(output, "pt") as file:
        names = set(file.keys())
    assert names == set(ReleasedLayers().state_dict())


def test_a_seed_repeats_the_weights_and_leaves_the_generator_of_torch_alone(
    nli_model: NLIModel, tmp_path: Path
) -> None:
    def fit(name: str, **options: Any) -> bytes:
        SummacConv(judge=nli_model).fit(**PAIRS, labels=LABELS, output=tmp_path / name, steps=20, **options)
        return (tmp_path / name).read_bytes()

    state = torch.random.get_rng_state()

    assert fit("a", seed=1) == fit("b", seed=1) != fit("c", seed=2)
    assert torch.equal(torch.random.get_rng_state(), state)


def test_without_a_step_every_summary_scores_one_half(nli_model: NLIModel, tmp_path: Path) -> None:
    metric = SummacConv(judge=nli_model, bins="even50")

    loss = metric.fit(**PAIRS, labels=np.array(LABELS), output=tmp_path / "w", steps=0)

    assert loss == pytest.approx(math.log(2))
    assert scores(metric, **PAIRS) == [0.5] * 8


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ([1] * 8, "All labels are 1.* both labels"),
        ([0] * 8, "All labels are 0.* both labels"),
        ([1, 0, 1, 0, 1, 0, 1], "8 predictions, 7 labels"),
        ([1, 0, 2, 0, 1, 0, 1, 0], "labels, row 2: expected 1 .* 0 .*; got 2"),
        ([1, 0, 1, 0, 1, None, 1, 0], "labels, row 5: .* got None"),
        (["1", "0"] * 4, "labels, row 0: .* got '1'"),
    ],
)
def test_labels_that_cannot_be_fitted_are_refused(tmp_path: Path, labels: Any, said: str) -> None:
    with pytest.raises(ClaimwiseError, match=said):
        SummacConv().fit(**PAIRS, labels=labels, output=tmp_path / "w")

    assert not any(tmp_path.iterdir())


def test_a_place_that_cannot_be_written_is_refused_before_any_model_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder", encoding="utf-8")
    metric = SummacConv(judge="nobody/nothing")

    for output in (tmp_path, tmp_path / "file" / "w"):
        with pytest.raises(ClaimwiseError, match=r"cannot be written .* Choose another path"):
            metric.fit(**PAIRS, labels=LABELS, output=output)


# Weights that are absent, wrong or far away -------------------------------------------------------------


def test_without_weights_load_and_compute_say_how_to_get_or_fit_them() -> None:
    for use in (SummacConv.load, lambda metric: metric.compute(predictions=["x"], references=["y"])):
        with pytest.raises(ClaimwiseError) as caught:
            use(SummacConv("summac"))

        for part in ("weights=", "SummacConv.fit", "summac_conv_vitc_sent_perc_e.bin", "'summac'"):
            assert part in str(caught.value)


class Malicious:
    """Unpickled carelessly, it would leave a file behind."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.trace,)


@pytest.mark.parametrize("is_zipped", [True, False])
def test_a_pytorch_file_is_refused_unopened_with_the_way_to_convert_it(
    released: ReleasedLayers, tmp_path: Path, is_zipped: bool
) -> None:
    trace = tmp_path / "trace"
    for content in (released.state_dict(), {"mlp.weight": Malicious(trace)}):
        torch.save(content, tmp_path / "w.bin", _use_new_zipfile_serialization=is_zipped)

        with pytest.raises(ClaimwiseError, match=r"neither a safetensors file nor JSON .*save_file"):
            SummacConv(weights=tmp_path / "w.bin").load()

    assert not trace.exists()


@pytest.mark.parametrize(
    "content", [b"", b"weights", b"\x08\x00\x00\x00\x00\x00\x00\x00{garbage", b"PK\x03\x04 cut off"]
)
def test_a_file_that_holds_no_weights_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "w").write_bytes(content)

    with pytest.raises(ClaimwiseError, match=r"w are neither a safetensors file nor"):
        SummacConv(weights=tmp_path / "w").load()


def test_weights_for_other_bins_or_another_model_are_refused(
    nli_model: NLIModel, released: ReleasedLayers, released_file: Path, tmp_path: Path
) -> None:
    with pytest.raises(ClaimwiseError, match=r"\(1, 23\).*50 bins need .*\(1, 50\)"):
        SummacConv(judge=nli_model, weights=released_file, bins="even50").load()

    fitted = tmp_path / "w.safetensors"
    note = json.dumps({"bins": "percentile", "judge_fingerprint": "0123456789ab"})
    save_file(released.state_dict(), fitted, metadata={"fitted_with": note})
    with pytest.raises(ClaimwiseError, match=r"fitted with .*0123456789ab.*, not .* fit it again"):
        SummacConv(judge=nli_model, weights=fitted).load()


def test_a_missing_file_and_unknown_bins_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ClaimwiseError, match=r"nothing cannot be read .* pass its path"):
        SummacConv(weights=tmp_path / "nothing").load()
    with pytest.raises(ClaimwiseError, match="percentile"):
        SummacConv(bins="quartile")


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """The address of a real server that serves the temporary folder."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    handler = functools.partial(Quiet, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_weights_come_from_a_url_with_its_checksum(
    nli_model: NLIModel, released_file: Path, address: str
) -> None:
    url = f"{address}/{released_file.name}"
    checksum = hashlib.sha256(released_file.read_bytes()).hexdigest()

    remote = SummacConv(judge=nli_model, weights=url, weights_sha256=checksum.upper()).compute(**PAIRS)

    local = SummacConv(judge=nli_model, weights=released_file).compute(**PAIRS)
    assert remote == local
    assert remote["summac_conv_signature"].endswith(f"|bins:percentile|sentences:all|weights:{checksum[:12]}")


def test_a_url_without_checksum_or_with_another_file_behind_it_is_refused(
    released_file: Path, address: str
) -> None:
    url = f"{address}/{released_file.name}"

    with pytest.raises(ClaimwiseError, match="Pass the SHA-256 checksum of the file as weights_sha256="):
        SummacConv(weights=url).load()
    for weights in (url, released_file):
        with pytest.raises(ClaimwiseError, match=r"not the expected file \(SHA-256 .* instead of 00"):
            SummacConv(weights=weights, weights_sha256="00").load()
    with pytest.raises(ClaimwiseError, match=r"cannot be read .*404"):
        SummacConv(weights=f"{address}/nothing", weights_sha256="00").load()


# Scores and evidence ------------------------------------------------------------------------------------


def test_evidence_names_for_each_sentence_its_score_alone_and_its_best_premise(
    summac_conv: SummacConv,
) -> None:
    reviews = [f"{SENTENCES[0]} {SENTENCES[1]}", f"{OTHERS[0]} {SENTENCES[2]} {SENTENCES[3]}"]

    result = summac_conv.compute(
        predictions=[f"{SENTENCES[3]} {SENTENCES[0]}"], references=[reviews], details=True
    )

    (found,) = result["summac_conv_details"]
    assert found["score"] == result["summac_conv"]
    soup, pool = found["hypotheses"]
    assert [soup["hypothesis"], pool["hypothesis"]] == [SENTENCES[3], SENTENCES[0]]
    places = [(p["premise"], p["review"], p["position"]) for h in (soup, pool) for p in h["premises"]]
    assert places == [(SENTENCES[3], 1, 2), (SENTENCES[0], 0, 0)]
    alone = scores(summac_conv, [SENTENCES[3], SENTENCES[0]], [reviews, reviews])
    assert [soup["score"], pool["score"]] == pytest.approx(alone, abs=1e-6)
    assert min(alone) <= found["score"] <= max(alone)


@settings(
    max_examples=8,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    summary=st.lists(st.sampled_from(SENTENCES + OTHERS), min_size=1, max_size=3),
    reviews=st.lists(st.sampled_from(SENTENCES + OTHERS), min_size=1, max_size=4),
)
def test_neither_the_order_of_reviews_nor_of_sentences_matters_and_the_score_is_a_probability(
    summac_conv: SummacConv, summary: list[str], reviews: list[str]
) -> None:
    score, turned, twice, joined = scores(
        summac_conv,
        [" ".join(summary), " ".join(summary[::-1]), " ".join(summary * 2), " ".join(summary)],
        [reviews, reviews[::-1], reviews, " ".join(reviews)],
    )

    assert 0 <= score <= 1
    assert [turned, twice, joined] == pytest.approx([score] * 3, abs=1e-4)


def test_a_claim_of_the_decomposer_can_take_the_place_of_a_sentence(
    nli_model: NLIModel, released_file: Path
) -> None:
    metric = SummacConv(judge=nli_model, weights=released_file, decomposer="default")

    result = metric.compute(
        predictions=["The pool is warm, but the bus was late."], references=[SOURCE], details=True
    )

    (found,) = result["summac_conv_details"]
    assert [hypothesis["hypothesis"] for hypothesis in found["hypotheses"]] == [SENTENCES[0], SENTENCES[2]]
    assert {hypothesis["sentence"] for hypothesis in found["hypotheses"]} == {
        "The pool is warm, but the bus was late."
    }


def test_an_empty_source_and_a_summary_without_words_are_refused(summac_conv: SummacConv) -> None:
    with pytest.raises(ClaimwiseError, match="references, row 1: the list of reviews is empty"):
        summac_conv.compute(predictions=SENTENCES[:2], references=[SOURCE, []])
    with pytest.raises(ClaimwiseError, match=r"predictions, row 1: .* no letters"):
        summac_conv.compute(predictions=[SENTENCES[0], "123 !"], references=[SOURCE, SOURCE])
