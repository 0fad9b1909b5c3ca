"""Write networks to ONNX files for ``claimwise.judges.session``, and prove that both compute the same.

Weights are stored in float16, as the checkpoints have them, and computed with in float32. The table of word
embeddings, which all embedded networks share, lies in a file of its own (``words.f16``) beside the judge's.
"""

from __future__ import annotations

import io
import json
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from onnx.external_data_helper import set_external_data
from torch import Tensor, nn

from claimwise.judges.hub import WORDS_FILE
from claimwise.judges.session import Session

OPSET = 17
"""The first opset that has layer norms."""
LEAST_TO_HALVE = 4096
"""Smaller weights stay in float32."""
TOLERANCE = 1e-5
"""Difference allowed between the network and its file, as a share of the largest number of an output."""

Axes = Mapping[str, Sequence[str | int]]


def write_network(
    network: nn.Module,
    path: Path,
    *,
    inputs: Mapping[str, tuple[Tensor, Sequence[str | None]]],
    outputs: Mapping[str, Sequence[str | None]],
    facts: Mapping[str, Any],
    others: Sequence[tuple[Tensor, ...]] = (),
) -> None:
    """Write a network to an ONNX file, and check that the file computes the same on all examples.

    Args:
        network: a module whose ``forward`` takes the inputs in order and returns the outputs in order.
        path: the file.
        inputs: name of each input → an example, and the name of each axis (None = of fixed size).
        outputs: name of each output → the name of each axis.
        facts: what the file says about itself, stored as JSON.
        others: further examples, of other sizes.

    Raises:
        ValueError: if file and network differ by more than ``TOLERANCE``.
    """
    examples = tuple(example for example, _ in inputs.values())
    axes = {name: of for name, (_, of) in inputs.items()} | dict(outputs)
    buffer = io.BytesIO()
    network.eval()
    with warnings.catch_warnings(), torch.inference_mode():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            network,
            examples,
            buffer,
            dynamo=False,
            opset_version=OPSET,
            input_names=list(inputs),
            output_names=list(outputs),
            dynamic_axes={
                name: {axis: label for axis, label in enumerate(of) if label is not None}
                for name, of in axes.items()
            },
        )
    model = onnx.load_from_string(buffer.getvalue())
    name_axes(model, axes)
    halve(model)
    move_words_out(model, path.parent)
    model.producer_name = "claimwise"
    for name, value in facts.items():
        entry = model.metadata_props.add()
        entry.key, entry.value = name, json.dumps(value)
    path.write_bytes(model.SerializeToString())
    onnx.checker.check_model(str(path))
    for tensors in (examples, *others):
        check_same(network, path, dict(zip(inputs, tensors, strict=True)), list(outputs))
    print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")


def name_axes(model: onnx.ModelProto, axes: Mapping[str, Sequence[str | None]]) -> None:
    """Name the axes that the exporter numbered."""
    for value in model.graph.output:
        for label, dim in zip(axes[value.name], value.type.tensor_type.shape.dim, strict=True):
            if label is not None:
                dim.dim_param = label


def halve(model: onnx.ModelProto) -> None:
    """Store large weights in float16, and convert them to float32 where they are used.

    ONNX Runtime converts them once, when it loads the file. Only the rows that are looked up are converted
    of a table of embeddings.
    """
    graph = model.graph
    halved = {}
    for number, weight in enumerate(graph.initializer):
        if weight.data_type == TensorProto.FLOAT and np.prod(weight.dims) >= LEAST_TO_HALVE:
            values = numpy_helper.to_array(weight)
            if np.abs(values).max() > np.finfo(np.float16).max:
                raise ValueError(f"{weight.name} has numbers that float16 cannot hold.")
            graph.initializer[number].CopyFrom(
                numpy_helper.from_array(values.astype(np.float16), weight.name)
            )
            halved[weight.name] = f"{weight.name}.float32"
    looked_up = {node.input[0] for node in graph.node if node.op_type == "Gather"}
    nodes = [
        helper.make_node("Cast", [name], [whole], to=TensorProto.FLOAT)
        for name, whole in halved.items()
        if name not in looked_up
    ]
    for node in graph.node:
        is_lookup = node.op_type == "Gather" and node.input[0] in halved
        nodes.append(node)
        if is_lookup:
            rows = node.output[0]
            node.output[0] = f"{rows}.float16"
            nodes.append(helper.make_node("Cast", [node.output[0]], [rows], to=TensorProto.FLOAT))
        else:
            for place, name in enumerate(node.input):
                node.input[place] = halved.get(name, name)
    nodes = [type(node).FromString(node.SerializeToString()) for node in nodes]
    del graph.node[:]
    graph.node.extend(nodes)


def move_words_out(model: onnx.ModelProto, folder: Path) -> None:
    """Move the table of word embeddings into ``words.f16``, or check that it is the one already there."""
    for weight in model.graph.initializer:
        if weight.name.endswith(".word.weight") and weight.data_type == TensorProto.FLOAT16:
            table, path = weight.raw_data, folder / WORDS_FILE
            if not path.exists():
                path.write_bytes(table)
            elif path.read_bytes() != table:
                raise ValueError(f"{path} has other word embeddings than this network.")
            set_external_data(weight, location=WORDS_FILE, offset=0, length=len(table))
            weight.ClearField("raw_data")


def check_same(network: nn.Module, path: Path, inputs: Mapping[str, Tensor], outputs: Sequence[str]) -> None:
    """Check that a file computes what its network does.

    Raises:
        ValueError: if it does not.
    """
    session = Session.load(path, inputs=list(inputs), outputs=outputs)
    found = session.run({name: tensor.numpy() for name, tensor in inputs.items()}, outputs)
    with torch.inference_mode():
        computed = network(*inputs.values())
    of_network = [computed] if isinstance(computed, Tensor) else computed
    for name, one, other in zip(outputs, found, of_network, strict=True):
        expected = other.numpy()
        if one.shape != expected.shape:
            raise ValueError(f"{path}: {name} has shape {one.shape}, that of the network {expected.shape}.")
        if not one.size:
            continue
        difference = np.abs(one - expected).max()
        if difference > TOLERANCE * max(1.0, np.abs(expected).max()):
            raise ValueError(f"{path}: {name} differs by {difference:.1e} from the network's.")


def text_inputs(count: str, *, with_types: bool = True) -> dict[str, tuple[Tensor, list[str | None]]]:
    """Return example inputs of an encoder: two texts, the second one shorter.

    Args:
        count: name of the axis of texts (or pairs).
        with_types: whether the encoder reads token types.
    """
    ids = torch.tensor([[2, 19, 47, 20, 40, 3, 19, 3], [2, 34, 3, 23, 3, 0, 0, 0]])
    types = torch.tensor([[0] * 6 + [1] * 2, [0] * 3 + [1] * 2 + [0] * 3])
    names = ["input_ids", "attention_mask", "token_type_ids"][: 3 if with_types else 2]
    axes: list[str | None] = [count, "tokens"]
    return dict(zip(names, [(ids, axes), ((ids > 0).long(), axes), (types, axes)], strict=False))
