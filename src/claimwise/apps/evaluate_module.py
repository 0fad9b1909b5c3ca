"""The adapter to Hugging Face `evaluate`, and what makes ``evaluate.load("caspr")`` work offline."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar

import datasets
import evaluate

from claimwise.errors import ClaimwiseError
from claimwise.metrics import METRICS, Metric, load

_EVALUATE_OPTIONS = {
    "keep_in_memory",
    "cache_dir",
    "num_process",
    "process_id",
    "seed",
    "experiment_id",
    "hash",
    "max_concurrent_cache_files",
    "timeout",
}


class MetricModule(evaluate.Metric):
    """A claimwise metric as an ``evaluate.Metric``: configured when loaded, given data when computed.

    A module script defines one subclass that names its metric and describes it.
    """

    metric_name: ClassVar[str]
    description: ClassVar[str]
    citation: ClassVar[str]
    inputs_description: ClassVar[str]
    reference_urls: ClassVar[list[str]] = []

    def __init__(self, config_name: str | None = None, **options: Any) -> None:
        own = {name: value for name, value in options.items() if name not in _EVALUATE_OPTIONS}
        self.metric: Metric = load(self.metric_name, config_name or "default", **own)
        self._rows_added = 0
        super().__init__(
            config_name=config_name,
            **{name: value for name, value in options.items() if name in _EVALUATE_OPTIONS},
        )

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=self.description,
            citation=self.citation,
            inputs_description=self.inputs_description,
            features=datasets.Features(
                {
                    "predictions": datasets.Value("string"),
                    "references": datasets.Value("string")
                    if self.metric.references_are == "summaries"
                    else [datasets.Value("string")],
                }
            ),
            reference_urls=self.reference_urls,
        )

    def _download_and_prepare(self, dl_manager: Any) -> None:
        self.metric.load()

    def compute(
        self, *, predictions: Any = None, references: Any = None, **options: Any
    ) -> dict[str, Any] | None:
        """Score the pairs given here, or those added before.

        Options: see ``claimwise.metrics.Metric.compute``.
        """
        if predictions is None and references is None and not self._rows_added:
            raise ClaimwiseError("No rows to score: give predictions and references, or add them first.")
        try:
            result: dict[str, Any] | None = super().compute(
                predictions=predictions, references=references, **options
            )
            return result
        finally:
            if self.writer is None:  # else the rows were refused and those added before still wait
                self._rows_added = 0

    def add_batch(self, *, predictions: Any = None, references: Any = None, **columns: Any) -> None:
        """Add rows.

        Raises:
            ClaimwiseError: for a text that cannot be scored, before anything is added.
        """
        checked = self._checked(predictions, references)
        super().add_batch(**checked, **columns)
        self._rows_added += len(checked["predictions"])

    def add(self, *, prediction: Any = None, reference: Any = None, **columns: Any) -> None:
        """Add one row.

        Raises:
            ClaimwiseError: for a text that cannot be scored, before anything is added.
        """
        # Never super().add(): older versions of datasets write such rows behind the batches added after them.
        self.add_batch(predictions=[prediction], references=[reference], **columns)

    def _checked(self, predictions: Any, references: Any) -> dict[str, list[Any]]:
        """Return both columns as ``_info`` declares them; references that are ignored are left empty."""
        checked = self.metric.check(
            {"predictions": predictions, "references": references}, first_row=self._rows_added
        )
        return {"references": [[] for _ in checked["predictions"]], **checked}

    def _compute(self, predictions: Any, references: Any, **options: Any) -> dict[str, Any]:
        return self.metric.compute(predictions=list(predictions), references=list(references), **options)


def module_folder(name: str) -> Path:
    """Return the folder of the module script and card of metric ``name``.

    Raises:
        ClaimwiseError: for an unknown metric.
    """
    if name not in METRICS:
        raise ClaimwiseError(f"Unknown metric {name!r}. Choose one of {', '.join(METRICS)}.")
    return Path(str(files("claimwise.apps.scripts"))) / name


@dataclass(frozen=True)
class Installation:
    """What stands behind ``evaluate.load(name)`` in the modules cache of this user.

    Attributes:
        name: of the metric.
        state: ``"installed"``, ``"outdated"`` (of another claimwise version) or ``"absent"``.
        folder: where the name is looked up.
        shadowed: scripts of the same name by somebody else, which claimwise's hides while it is newest.
    """

    name: str
    state: str
    folder: Path
    shadowed: list[Path]


_MARK = "installed_by_claimwise"


@contextmanager
def _modules_cache() -> Iterator[None]:
    """Turn a modules cache that cannot be used into a clear error."""
    try:
        yield
    except OSError as error:
        raise ClaimwiseError(
            f"The modules cache of evaluate cannot be used ({error}). Set HF_MODULES_CACHE to a folder "
            f"that can be written."
        ) from error


@_modules_cache()
def installations() -> list[Installation]:
    """Return the state of every metric's name."""
    return [_installation(name) for name in METRICS]


@_modules_cache()
def install(names: list[str] | None = None) -> list[Installation]:
    """Put the module scripts where ``evaluate.load(name)`` finds them without a network; idempotent."""
    for name in names or []:
        module_folder(name)
    for name in names or list(METRICS):
        script = module_folder(name) / f"{name}.py"
        folder = _cache_folder(name)
        target = folder / hashlib.sha256(script.read_bytes()).hexdigest()
        folder.mkdir(parents=True, exist_ok=True)
        for package in (folder.parent, folder):
            (package / "__init__.py").touch()
        for stale in _installed_folders(name):
            if stale != target:
                shutil.rmtree(stale)
        if not target.is_dir():
            # Prepared beside the cache and renamed: an empty folder of this name would break the metric.
            with tempfile.TemporaryDirectory(dir=folder.parent) as prepared:
                content = Path(prepared) / "content"
                content.mkdir()
                shutil.copyfile(script, content / script.name)
                (content / "__init__.py").touch()
                (content / _MARK).touch()
                content.rename(target)
        os.utime(target / script.name)  # the newest script of a name is the one that evaluate loads
    return [_installation(name) for name in names or METRICS]


@_modules_cache()
def uninstall(names: list[str] | None = None) -> list[Installation]:
    """Remove what ``install`` put there, and nothing else."""
    for name in names or []:
        module_folder(name)
    for name in names or list(METRICS):
        for folder in _installed_folders(name):
            shutil.rmtree(folder)
        folder = _cache_folder(name)
        if folder.is_dir() and not any(len(path.name) == 64 for path in folder.iterdir()):
            shutil.rmtree(folder)
    return [_installation(name) for name in names or METRICS]


def _cache_folder(name: str) -> Path:
    return Path(evaluate.loading.init_dynamic_modules()) / "metrics" / f"evaluate-metric--{name}"


def _installed_folders(name: str) -> list[Path]:
    return sorted(path.parent for path in _cache_folder(name).glob(f"*/{_MARK}"))


def _installation(name: str) -> Installation:
    folder = _cache_folder(name)
    ours = _installed_folders(name)
    current = hashlib.sha256((module_folder(name) / f"{name}.py").read_bytes()).hexdigest()
    state = "absent"
    if ours:
        state = "installed" if ours[0].name == current else "outdated"
    theirs = [path for path in folder.glob("*") if len(path.name) == 64 and path not in ours]
    shadowed = [path / f"{name}.py" for path in theirs if (path / f"{name}.py").is_file()]
    local = Path(name) / f"{name}.py"
    return Installation(name, state, folder, sorted(shadowed) + ([local] if local.is_file() else []))
