"""Judges in folders with an ONNX file, as exporters of transformers write them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import huggingface_hub.constants
import numpy as np
import onnx
import pytest
from onnxruntime.quantization import quantize_dynamic
from tiny_checkpoints import save_onnx

from claimwise.errors import ClaimwiseError
from claimwise.judges import NLIModel, load_judge

PREMISES = ["The room was clean and the bed was soft.", "Nobody slept well.", "The pool is closed in winter."]
HYPOTHESES = ["The bed was soft.", "Guests slept well.", "The pool is closed."]
Load = Callable[..., NLIModel]


@pytest.fixture(scope="module")
def exported(checkpoints: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders with an ONNX file in place of safetensors, where each family has its own place and inputs."""
    root = tmp_path_factory.mktemp("onnx")
    for name, file, inputs in [
        ("bert", "model.onnx", ["input_ids", "attention_mask", "token_type_ids"]),
        ("roberta", "onnx/model.onnx", ["input_ids", "attention_mask"]),
    ]:
        shutil.copytree(checkpoints / name, root / name, ignore=shutil.ignore_patterns("*.safetensors"))
        save_onnx(checkpoints / name, root / name / file, inputs)
    return root


@pytest.fixture
def folder(exported: Path, tmp_path: Path) -> Path:
    """A copy of a folder with model.onnx, to be broken."""
    return Path(shutil.copytree(exported / "bert", tmp_path / "bert"))


@pytest.mark.parametrize("name", ["bert", "roberta"])
def test_scores_are_those_of_transformers(exported: Path, references: dict[str, Any], name: str) -> None:
    judge = NLIModel.from_pretrained(exported / name, show_progress=False)

    found = judge.predict(PREMISES * 2, HYPOTHESES * 2)

    np.testing.assert_allclose(found[:3], references[name].predict(PREMISES, HYPOTHESES), atol=1e-5)
    np.testing.assert_array_equal(found[3:], found[:3])
    assert "onnxruntime" in judge.signature
    assert not {"torch", "transformers"} & set(judge.signature)


def test_safetensors_come_first_and_another_file_only_when_asked_for(
    exported: Path, checkpoints: Path, tmp_path: Path
) -> None:
    both = Path(shutil.copytree(exported / "bert", tmp_path / "both"))
    shutil.copy(checkpoints / "bert" / "model.safetensors", both)
    quantize_dynamic(both / "model.onnx", both / "model_int8.onnx")

    judges = [load_judge(str(both), **given) for given in ({}, {"file": "model_int8.onnx"})]

    assert ["torch" in judge.signature for judge in judges] == [True, False]
    assert judges[0].fingerprint != judges[1].fingerprint
    assert load_judge(str(both), file="model.onnx").fingerprint not in {j.fingerprint for j in judges}
    np.testing.assert_allclose(
        *(judge.predict_pairs([*zip(PREMISES, HYPOTHESES, strict=True)]).probabilities for judge in judges),
        atol=0.1,
    )


def test_a_quantized_file_alone_is_not_taken_for_the_model(folder: Path) -> None:
    (folder / "model.onnx").rename(folder / "model_int8.onnx")
    with pytest.raises(ClaimwiseError, match="safetensors"):
        NLIModel.from_pretrained(folder)


def test_a_file_that_is_not_there_is_named_with_those_that_are(folder: Path) -> None:
    with pytest.raises(ClaimwiseError, match=r"Choose one of `model\.onnx`") as refused:
        NLIModel.from_pretrained(folder, file="model_fp16.onnx")
    assert refused.value.option == "file"


def test_the_embedded_judge_has_no_other_file() -> None:
    with pytest.raises(ClaimwiseError) as refused:
        NLIModel.from_pretrained(file="model.onnx")
    assert refused.value.option == "file"


def test_a_repository_in_the_cache_of_the_hub_is_read(
    exported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    repository = tmp_path / "models--claimwise-tests--onnx"
    shutil.copytree(exported / "bert", repository / "snapshots" / ("0" * 40))
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("0" * 40)

    judge = NLIModel.from_pretrained("claimwise-tests/onnx", local_files_only=True)

    assert judge.fingerprint == NLIModel.from_pretrained(exported / "bert").fingerprint


@pytest.mark.parametrize("given", [{"device": "cuda"}, {"dtype": "bfloat16"}])
def test_a_device_or_precision_of_its_own_is_refused(folder: Path, given: dict[str, str]) -> None:
    with pytest.raises(ClaimwiseError) as refused:
        NLIModel.from_pretrained(folder, **given)
    assert [refused.value.option] == list(given)


def test_the_fingerprint_changes_with_weights_in_a_file_beside_it(folder: Path) -> None:
    before = NLIModel.from_pretrained(folder).fingerprint
    model = onnx.load(folder / "model.onnx")
    onnx.save(model, folder / "model.onnx", save_as_external_data=True, location="weights", size_threshold=0)
    outside = NLIModel.from_pretrained(folder)
    content = bytearray((folder / "weights").read_bytes())
    content[1000] ^= 1
    (folder / "weights").write_bytes(content)

    assert len({before, outside.fingerprint, NLIModel.from_pretrained(folder).fingerprint}) == 3


def break_opset(path: Path) -> None:
    model = onnx.load(path)
    model.opset_import[0].version = 99
    path.write_bytes(model.SerializeToString())


def use_unknown_operator(path: Path) -> None:
    model = onnx.load(path)
    model.graph.node[0].op_type, model.graph.node[0].domain = "Run", "another.library"
    model.opset_import.append(onnx.helper.make_opsetid("another.library", 1))
    path.write_bytes(model.SerializeToString())


def rename_output(path: Path) -> None:
    model = onnx.load(path)
    for node in model.graph.node:
        node.output[:] = ["scores" if name == "logits" else name for name in node.output]
    model.graph.output[0].name = "scores"
    path.write_bytes(model.SerializeToString())


def forget_labels(path: Path) -> None:
    config = json.loads((path.parent / "config.json").read_text())
    del config["id2label"]
    (path.parent / "config.json").write_text(json.dumps(config))


@pytest.mark.parametrize(
    ("damage", "file"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:500]), "model.onnx"),
        (lambda path: path.write_bytes(b"not an ONNX file"), "model.onnx"),
        (break_opset, "model.onnx"),
        (use_unknown_operator, "model.onnx"),
        (rename_output, "model.onnx"),
        (forget_labels, "config.json"),
        (lambda path: (path.parent / "config.json").unlink(), "config.json"),
        (lambda path: (path.parent / "tokenizer.json").write_text("{}"), "tokenizer.json"),
        (lambda path: (path.parent / "tokenizer.json").unlink(), "tokenizer.json"),
    ],
)
def test_a_broken_or_foreign_file_is_named_with_a_remedy(
    folder: Path, damage: Callable[[Path], Any], file: str
) -> None:
    damage(folder / "model.onnx")
    with pytest.raises(ClaimwiseError) as refused:
        NLIModel.from_pretrained(folder)
    assert refused.value.path == str(folder / file)
    assert refused.value.remedy
