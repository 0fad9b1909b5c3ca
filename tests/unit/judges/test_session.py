"""ONNX files: the same probabilities whatever the batch, and clear errors for files that cannot be used."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tiny_checkpoints import CORPUS, MAX_LENGTH, save_bert, wordpiece
from torch import nn

from claimwise.errors import ClaimwiseError
from claimwise.judges.local import NLIModel
from claimwise.judges.pairs import PairEncoder, Pairs
from claimwise.judges.session import Session
from claimwise.labels import LABELS

onnx = pytest.importorskip("onnx")
from export import export_onnx  # noqa: E402
from onnx_files import write_network  # noqa: E402

INPUTS = ["input_ids", "attention_mask", "token_type_ids"]
WORDS = sorted({word for text in CORPUS for word in text.split()})
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=30).map(" ".join)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("judge")
    save_bert(folder, LABELS)
    export_onnx(folder, folder, layer=1)
    return folder


@pytest.fixture(scope="module")
def judge(folder: Path) -> Session:
    return Session.load(folder / "model.onnx", inputs=INPUTS, outputs=["logits"])


@pytest.fixture(scope="module")
def encoder() -> PairEncoder:
    return PairEncoder(wordpiece().backend_tokenizer, MAX_LENGTH)


def probabilities(
    judge: Session, encoder: PairEncoder, pairs: list[tuple[str, str]], more: int
) -> np.ndarray:
    """Return the probabilities of pairs in one batch, each padded by ``more`` tokens than is needed."""
    indexed = Pairs.of(pairs)
    ids = encoder.token_ids(indexed)
    joined = zip(indexed.premises, indexed.hypotheses, strict=True)
    inputs = encoder.join([(ids[premise], ids[hypothesis]) for premise, hypothesis in joined]).padded(0)
    room = min(more, MAX_LENGTH - inputs["input_ids"].shape[1])
    inputs = {name: np.pad(array, ((0, 0), (0, room))) for name, array in inputs.items()}
    (logits,) = judge.run(inputs, ["logits"])
    return torch.from_numpy(logits).softmax(-1).numpy()


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=12), st.integers(0, 40))
def test_probabilities_do_not_depend_on_batch_and_padding(
    judge: Session, encoder: PairEncoder, pairs: list[tuple[str, str]], more: int
) -> None:
    together = probabilities(judge, encoder, pairs, more)
    alone = np.concatenate([probabilities(judge, encoder, [pair], 0) for pair in pairs])
    np.testing.assert_allclose(together, alone, atol=1e-5, rtol=0)


def test_file_tells_its_labels(judge: Session) -> None:
    assert judge.facts["labels"] == list(LABELS)


def test_states_are_those_of_transformers(folder: Path) -> None:
    from transformers import AutoModel

    session = Session.load(folder / "model.onnx", inputs=INPUTS, outputs=["states"])
    inputs = {name: np.ones((2, 6), dtype=np.int64) for name in INPUTS}
    model = AutoModel.from_pretrained(folder, output_hidden_states=True).eval()
    with torch.inference_mode():
        expected = model(**{name: torch.from_numpy(one) for name, one in inputs.items()}).hidden_states[1]
    np.testing.assert_allclose(session.run(inputs, ["states"])[0], expected.numpy(), atol=1e-4)


class Sum(nn.Module):
    def forward(self, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        return left + right


@pytest.fixture
def network(tmp_path: Path) -> Path:
    path = tmp_path / "sum.onnx"
    example = torch.ones(2, 3)
    write_network(
        Sum(),
        path,
        inputs={"left": (example, ["rows", None]), "right": (example, ["rows", None])},
        outputs={"total": ["rows", None]},
        facts={},
    )
    return path


def changed(path: Path, opset: int | None = None, operator: str | None = None) -> Path:
    """Change a file's opset, or its operator to one of another domain."""
    model = onnx.load(path)
    if opset is not None:
        model.opset_import[0].version = opset
    if operator is not None:
        model.graph.node[0].op_type, model.graph.node[0].domain = operator, "somebody.else"
        model.opset_import.append(onnx.helper.make_opsetid("somebody.else", 1))
    onnx.save(model, path)
    return path


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.unlink(),
        lambda path: path.write_bytes(b"version https://git-lfs.github.com/spec/v1"),
        lambda path: path.write_bytes(path.read_bytes()[:-20]),
        lambda path: changed(path, opset=999),
        lambda path: changed(path, operator="Ask"),
    ],
    ids=["missing", "not ONNX", "cut off", "opset", "custom operator"],
)
def test_unusable_file_is_refused(network: Path, spoil) -> None:
    spoil(network)
    with pytest.raises(ClaimwiseError) as refused:
        Session.load(network, inputs=["left", "right"], outputs=["total"])
    assert refused.value.path == str(network)
    assert refused.value.remedy


@pytest.mark.parametrize(
    ("inputs", "outputs"),
    [(["left"], ["total"]), (["left", "right", "mask"], ["total"]), (["left", "right"], ["logits"])],
    ids=["unknown input", "missing input", "missing output"],
)
def test_other_inputs_and_outputs_are_refused(network: Path, inputs: list[str], outputs: list[str]) -> None:
    with pytest.raises(ClaimwiseError) as refused:
        Session.load(network, inputs=inputs, outputs=outputs)
    assert refused.value.path == str(network)
    assert refused.value.remedy


def test_network_that_computes_something_else_is_not_written(tmp_path: Path) -> None:
    class Unlike(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x + 1 if torch.onnx.is_in_onnx_export() else x

    with pytest.raises(ValueError, match="differs"):
        write_network(
            Unlike(),
            tmp_path / "unlike.onnx",
            inputs={"x": (torch.ones(2, 3), ["rows", None])},
            outputs={"y": ["rows", None]},
            facts={},
        )


def test_embedded_judge_says_the_same_of_a_pair_alone_and_among_others(nli_model: NLIModel) -> None:
    texts = [" ".join(CORPUS[:count])[: 20 * count] for count in (1, 2, 3, 4)]
    pairs = [(premise, hypothesis) for premise in texts for hypothesis in texts]
    together = nli_model.predict_pairs(pairs * 3).probabilities
    alone = np.concatenate([nli_model.predict_pairs([pair]).probabilities for pair in pairs])
    np.testing.assert_allclose(together, np.tile(alone, (3, 1)), atol=1e-5, rtol=0)


def test_first_score_does_not_import_pytorch() -> None:
    script = (
        "import sys; from claimwise.metrics import Caspr, InvertedBertscore; texts = ['The bar is open.']\n"
        "for metric in Caspr(pairs='likely'), InvertedBertscore():\n"
        "    metric.compute(predictions=texts, references=texts)\n"
        "assert not {'torch', 'transformers', 'safetensors', 'bert_score'} & set(sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
