"""Every metric gives what it gave: texts, labels and order exactly, numbers within 5e-5 or a millionth."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

import pytest

from claimwise.metrics import METRICS, load

sys.path.insert(0, str(Path(__file__).parent))
from replay import cases, golden, without_versions


def differences(found: Any, expected: Any, place: str = "result") -> list[str]:
    """Return where two results differ; numbers may do so by 5e-5 or a millionth."""
    if isinstance(expected, dict) and isinstance(found, dict):
        keys = [f"{place}: {found.keys() ^ expected.keys()}"] if found.keys() != expected.keys() else []
        shared = found.keys() & expected.keys()
        return keys + [d for key in shared for d in differences(found[key], expected[key], f"{place}.{key}")]
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        pairs = enumerate(zip(found, expected, strict=True))
        return [d for i, (f, e) in pairs for d in differences(f, e, f"{place}[{i}]")]
    if type(found) is float and isinstance(expected, int | float):
        same = math.isclose(found, expected, rel_tol=1e-6, abs_tol=5e-5)  # float32 differs by processor
    else:
        same = type(found) is type(expected) and found == expected
    return [] if same else [f"{place}: {found!r}, not {expected!r}"]


def computed(
    metric: str, name: str, folder: Path, tiny_encoder: Path
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a golden case, and the result of computing it again."""
    content = golden(metric)
    (case,) = (case for case in content["cases"] if case["name"] == name)
    options = dict(case["options"])
    if isinstance(case["judge"], list):
        options["judge"] = [content["judges"][judge] for judge in case["judge"]]
    elif case["judge"]:
        options["judge"] = content["judges"][case["judge"]]
    if "decomposer" in case:
        options["decomposer"] = content["decomposers"][case["decomposer"]]
    if "weights" in content:
        import torch
        from safetensors.torch import save_file

        options["weights"] = str(folder / "weights.safetensors")
        weights = content["weights"][options.get("bins", "percentile")]
        save_file({key: torch.tensor(values) for key, values in weights.items()}, options["weights"])
    if options.get("encoder") == "tiny":
        options["encoder"] = str(tiny_encoder)
    result = load(metric, case["config"], **options).compute(**case["columns"], **case["compute"])
    return case, json.loads(json.dumps(result))


@pytest.mark.parametrize(("metric", "name"), cases())
def test_a_metric_gives_what_it_gave(metric: str, name: str, tmp_path: Path, tiny_encoder: Path) -> None:
    case, result = computed(metric, name, tmp_path, tiny_encoder)

    expected = dict(case["result"])
    key = f"{metric}_signature"
    signature = without_versions(result.pop(key).replace(str(tiny_encoder), "tiny"))
    assert signature == without_versions(expected.pop(key))
    weights_of_rows = result.get(f"{metric}_weights")
    for newer in {f"{metric}_weights", f"{metric}_input_hashes"} - expected.keys():  # than the recording
        result.pop(newer, None)
    assert differences(result, expected) == []
    if weights_of_rows is not None:
        scored = [
            (s, w) for s, w in zip(result[f"{metric}_scores"], weights_of_rows, strict=True) if s is not None
        ]
        mean = sum(s * w for s, w in scored) / sum(w for _, w in scored)
        assert mean == pytest.approx(result[metric], abs=1e-6)


def test_every_metric_has_golden_cases() -> None:
    assert {metric for metric, _ in cases()} == set(METRICS)
