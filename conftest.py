"""The metrics, loaded once for the whole session; nothing here touches the network or the user's caches."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

# A shell that runs the tests in the background makes them ignore Ctrl-C, which some of them test.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Where several processes share the tests, each computes on one thread.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ |= {"OMP_NUM_THREADS": "1", "RAYON_NUM_THREADS": "1"}

# Before anything is imported: evaluate, datasets and huggingface_hub read these once.
_CACHES = tempfile.TemporaryDirectory(prefix="claimwise-tests-")
for _name in ("HF_DATASETS_CACHE", "HF_EVALUATE_CACHE", "HF_METRICS_CACHE", "HF_HUB_CACHE", "HF_TOKEN"):
    os.environ.pop(_name, None)
os.environ |= {
    "HF_HUB_OFFLINE": "1",
    "HF_EVALUATE_OFFLINE": "1",
    "HF_HOME": os.path.join(_CACHES.name, "home"),  # noqa: PTH118 - before anything is imported
    "HF_MODULES_CACHE": os.path.join(_CACHES.name, "modules"),  # noqa: PTH118
}

from typing import TYPE_CHECKING, Any  # noqa: E402

import pytest  # noqa: E402
from command import run, run_paper  # noqa: E402, F401 - fixtures
from hypothesis import settings  # noqa: E402

# `make test` tries the same twenty examples every time, `make test-all` a thousand that nobody has seen.
settings.register_profile("small", deadline=None, max_examples=20, derandomize=True)
settings.register_profile("large", deadline=None, max_examples=1_000, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "small"))

if TYPE_CHECKING:
    from chat_endpoint import Endpoint
    from tei_server import TEIServer

    from claimwise.judges.local import NLIModel
    from claimwise.metrics import (
        Metric,
    )


ONE_OF_EACH = {"caspr", "complexity"}
"""Where a test goes through all metrics, `make test` takes one that asks a judge and one that does not …"""

OF_EVERY_METRIC = ("golden", "packaging")
"""… and in these folders all of them."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave to `make test-all` most metrics of the tests that go through all of them."""
    from claimwise.metrics import METRICS

    metrics = set(METRICS)
    tried: dict[tuple[Path, str], dict[str, list[pytest.Item]]] = {}
    for item in items:
        given = item.callspec.params.values() if hasattr(item, "callspec") else ()
        for name in metrics.intersection(one for one in given if isinstance(one, str)):
            test = item.path, item.nodeid.partition("[")[0]
            tried.setdefault(test, {}).setdefault(name, []).append(item)
    for (path, _), of_metrics in tried.items():
        if len(of_metrics) > len(metrics) / 2 and path.parent.name not in OF_EVERY_METRIC:
            for name in of_metrics.keys() - ONE_OF_EACH:
                for item in of_metrics[name]:
                    item.add_marker("slow")


def pytest_unconfigure() -> None:
    _CACHES.cleanup()


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    """A chat endpoint of the test's own, and no other one in the environment."""
    from chat_endpoint import ENVIRONMENT, Endpoint

    for name in ENVIRONMENT:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    server = Endpoint()
    yield server
    server.close()


@pytest.fixture
def tei(monkeypatch: pytest.MonkeyPatch) -> Iterator[TEIServer]:
    """A server of the test's own that judges by words; what fails is asked again at once."""
    from tei_server import TEIServer

    from claimwise.http import remote

    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(remote, "FIRST_PAUSE_SECONDS", 0.001)
    server = TEIServer()
    yield server
    server.close()


@pytest.fixture(scope="session")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel that was built from it."""
    folder = tmp_path_factory.mktemp("dist")
    root = Path(__file__).parent
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(root)]
    subprocess.run(command, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="session")
def wheel(distributions: Path) -> Path:
    return next(distributions.glob("*.whl"))


@pytest.fixture(scope="session")
def clone_with_few_claims(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What ``tools/hub.py build`` needs of a clone; all claims of OpinionNLI would take half a minute."""
    root, clone = Path(__file__).parent, tmp_path_factory.mktemp("clone")
    shutil.copy(root / "setup.cfg", clone)
    others = shutil.ignore_patterns("data", "__pycache__", "opinion_claims", "source_nli")
    for folder in ("metrics", "spaces", "datasets_scripts"):
        shutil.copytree(root / folder, clone / folder, ignore=others)
    for folder in ("benchmarks", "docs", "training"):  # which cards link to
        (clone / folder).symlink_to(root / folder)
    for name, group in (("clusters", "collection"), ("scales", "collection"), ("checklists", "domain")):
        path = clone / "datasets_scripts" / "opinion_nli" / f"{name}.jsonl"
        lines = path.read_text("utf-8").splitlines(keepends=True)
        groups = itertools.groupby(lines, key=lambda line, group=group: json.loads(line)[group])
        path.write_text("".join(line for _, some in groups for line in list(some)[:4]), "utf-8")
    return clone


@pytest.fixture(scope="session")
def nli_model() -> NLIModel:
    """The embedded model, in a precision that is the same on every machine."""
    from claimwise.judges.local import NLIModel

    return NLIModel.from_pretrained(device="cpu", dtype="float32", show_progress=False)


@pytest.fixture(scope="session")
def needed(nli_model: NLIModel, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """The options without which a metric cannot score texts, by its name; weights fitted on four pairs."""
    from claimwise.metrics import SummacConv

    weights = tmp_path_factory.mktemp("summac_conv") / "weights.safetensors"
    SummacConv(judge=nli_model).fit(
        predictions=["The pool is warm.", "The soup was hot.", "A dog barked.", "The lift is slow."],
        references=["The pool is warm. Parking is free.", "The bar is closed. The soup was hot."] * 2,
        labels=[1, 1, 0, 0],
        output=weights,
        steps=100,
    )
    return {
        "summac_conv": {"weights": str(weights)},
        "support_counts": {"support": "sentences", "decomposer": "default"},
    }


@pytest.fixture(scope="session")
def make_metric(request: pytest.FixtureRequest) -> Callable[[str], Metric]:
    """Return a metric in its default configuration by its name; each is made once, when it is asked for."""
    from claimwise.metrics import METRICS

    @cache
    def made(name: str) -> Metric:
        kind, options = METRICS[name], {}
        if "judge" in kind.Options.names():
            options["judge"] = request.getfixturevalue("nli_model")
        if name in ("summac_conv", "support_counts"):
            options |= request.getfixturevalue("needed")[name]
        metric = kind(**options, **({"device": "cpu"} if name == "inverted_bertscore" else {}))
        if name == "inverted_bertscore":
            metric.load()
        return metric

    return made


def _metric(name: str) -> Any:
    return pytest.fixture(scope="session")(lambda make_metric: make_metric(name))


caspr, summac_conv, summac_zs, support_counts = map(
    _metric, ("caspr", "summac_conv", "summac_zs", "support_counts")
)
distinctiveness, bertscore = map(_metric, ("distinctiveness_score", "inverted_bertscore"))


@pytest.fixture(scope="session")
def metrics(make_metric: Callable[[str], Metric]) -> dict[str, Metric]:
    """Every metric in its default configuration, by name."""
    from claimwise.metrics import METRICS

    return {name: make_metric(name) for name in METRICS}


@pytest.fixture(scope="session")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that holds every tiny checkpoint under its name. Tests must not change them: copy first."""
    from tiny_checkpoints import save_all

    root = tmp_path_factory.mktemp("checkpoints")
    save_all(root)
    return root


@pytest.fixture(scope="session")
def tiny_encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint of two layers with seeded random weights, whose outputs are named."""
    from tiny_checkpoints import save_bert

    folder = tmp_path_factory.mktemp("tiny") / "tiny"
    save_bert(folder, ["contradiction", "entailment", "neutral"])
    return folder
