"""The adapter to Hugging Face `evaluate`, and scripts for ``evaluate.load("caspr")`` without a network."""

from __future__ import annotations

import hashlib
import inspect
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar

import datasets
import evaluate

from claimwise.errors import ClaimwiseError
from claimwise.metrics.base import Metric
from claimwise.metrics.registry import METRICS, load, unknown_metric

_EVALUATE_OPTIONS = {
    *("keep_in_memory", "cache_dir", "num_process", "process_id", "seed", "experiment_id", "hash"),
    *("max_concurrent_cache_files", "timeout"),
}

_COMPUTE_OPTIONS = {
    parameter.name: parameter.replace(kind=parameter.POSITIONAL_OR_KEYWORD)
    for parameter in inspect.signature(Metric.compute).parameters.values()
    if parameter.kind is parameter.KEYWORD_ONLY and parameter.name not in ("predictions", "references")
}


class MetricModule(evaluate.Metric):
    """A claimwise metric as an ``evaluate.Metric``: configured when loaded, given data when computed.

    A module script defines one subclass. It names the metric, whose specification provides description,
    citation and addresses; its docstring describes the inputs, with runnable examples.
    """

    metric_name: ClassVar[str]

    def __init_subclass__(cls) -> None:
        """Give ``_compute`` the signature that `evaluate` expects: the columns and options of the metric."""

        def _compute(self: MetricModule, predictions: Any, references: Any, **further: Any) -> dict[str, Any]:
            texts: dict[str, Any] = {"predictions": list(predictions), "references": list(references)}
            return self.metric.compute(**texts, **further)

        column = partial(inspect.Parameter, kind=inspect.Parameter.POSITIONAL_OR_KEYWORD)
        further = {column.name for column in METRICS[cls.metric_name].spec.columns}
        further -= {"predictions", "references"}
        parameters = [column(name) for name in ("self", "predictions", "references")]
        parameters += [*(column(name, default=None) for name in sorted(further)), *_COMPUTE_OPTIONS.values()]
        vars(_compute)["__signature__"] = inspect.Signature(parameters)
        cls._compute = _compute

    def __init__(self, config_name: str | None = None, **options: Any) -> None:
        evaluates_own = {name: options.pop(name) for name in _EVALUATE_OPTIONS & options.keys()}
        self.metric: Metric = load(self.metric_name, config_name or "default", **options)
        self._rows_added = 0
        self._claims: frozenset[str] | None = None  # columns of added rows with lists of claims
        super().__init__(config_name=config_name, **evaluates_own)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out leftovers of ``evaluate``: locks, and copies of methods.

        Raises:
            ClaimwiseError: if added rows are not yet scored; they are in a file of this process.
        """
        if self.writer is not None:
            raise ClaimwiseError(
                f"{self.metric_name} keeps {self._rows_added} added rows in a file, so it cannot be pickled.",
                "Call compute() first.",
            )
        copied = {"compute", "add", "add_batch"}
        state = {name: value for name, value in self.__dict__.items() if name not in copied}
        return state | dict.fromkeys(("filelocks", "file_paths", "rendez_vous_lock"))

    def _info(self) -> evaluate.MetricInfo:
        spec, text, texts = self.metric.spec, datasets.Value("string"), [datasets.Value("string")]
        kinds = {"texts": [text], "summaries": [text, texts]}  # the first kind that fits a column is used
        holds = {column.name: column.holds for column in spec.columns}
        features = [
            datasets.Features({"predictions": predictions, "references": references})
            for predictions in kinds[holds["predictions"]]
            for references in kinds.get(holds.get("references", ""), [texts])
        ]
        return evaluate.MetricInfo(
            description=spec.description,
            citation=spec.citation,
            inputs_description=f"\n{inspect.cleandoc(type(self).__doc__ or spec.question)}\n",
            features=features if len(features) > 1 else features[0],
            reference_urls=list(spec.urls),
        )

    def _download_and_prepare(self, dl_manager: Any) -> None:
        self.metric.load()

    def compute(
        self, *, predictions: Any = None, references: Any = None, **options: Any
    ) -> dict[str, Any] | None:
        """Score the given pairs, or the added ones.

        Options: see ``claimwise.metrics.Metric.compute``.
        """
        if predictions is None and references is None and not self._rows_added:
            raise ClaimwiseError("No rows to score.", "Pass predictions and references, or add them first.")
        self.metric._check_known(options.keys() - _COMPUTE_OPTIONS.keys())
        try:
            result: dict[str, Any] | None = super().compute(
                predictions=predictions, references=references, **options
            )
            return result
        finally:
            if self.writer is None:  # else the rows were rejected and earlier ones are kept
                self._rows_added, self._claims = 0, None

    def add_batch(self, *, predictions: Any = None, references: Any = None, **columns: Any) -> None:
        """Add rows.

        Raises:
            ClaimwiseError: for an invalid text, before anything is added.
        """
        texts = {"predictions": predictions, "references": references}
        checked = self.metric.check(texts, self._rows_added, self._claims)
        # Ignored references are left empty, because every declared column is written.
        super().add_batch(**{"references": [[] for _ in checked["predictions"]], **checked}, **columns)
        self._rows_added += len(checked["predictions"])
        self._claims = self.metric.spec.claims_in(checked)

    def add(self, *, prediction: Any = None, reference: Any = None, **columns: Any) -> None:
        """Add one row.

        Raises:
            ClaimwiseError: for an invalid text, before anything is added.
        """
        # Never super().add(): older versions of datasets write such rows after later batches.
        self.add_batch(predictions=[prediction], references=[reference], **columns)


def module_folder(name: str) -> Path:
    """Return the folder of the module script and card of metric ``name``.

    Raises:
        ClaimwiseError: for an unknown metric, and for one of another package, which has its own script.
    """
    if name not in METRICS:
        raise unknown_metric(name, _with_script())
    if name not in _with_script():
        raise ClaimwiseError(
            f"{name} is a metric of another package, and claimwise has no module script for it.",
            f'Use claimwise.load("{name}"), or evaluate.load with the path of a script of that package.',
        )
    return _SCRIPTS / name


_SCRIPTS = Path(str(files("claimwise.apps.scripts")))


def _with_script() -> list[str]:
    """Return the metrics with a module script in claimwise."""
    return [name for name in METRICS if (_SCRIPTS / name / f"{name}.py").is_file()]


@dataclass(frozen=True)
class Installation:
    """The script that ``evaluate.load(name)`` finds in the module cache of this user.

    Attributes:
        state: ``"installed"``, ``"outdated"`` (from another claimwise version) or ``"absent"``.
        shadowed: other scripts of the same name, which are hidden while claimwise's is the newest.
    """

    name: str
    state: str
    folder: Path
    shadowed: list[Path]


_MARK = "installed_by_claimwise"


@contextmanager
def _modules_cache() -> Iterator[None]:
    """Turn an unusable module cache into a clear error."""
    try:
        yield
    except OSError as error:
        raise ClaimwiseError(
            f"The module cache of evaluate cannot be used ({error}).",
            "Set HF_MODULES_CACHE to a writable folder.",
        ) from error


@_modules_cache()
def installations(names: list[str] | None = None) -> list[Installation]:
    """Return the state of the given names, by default of every metric with a module script."""
    states = []
    for name in _checked_names(names):
        folder, ours = _cache_folder(name), _installed_folders(name)
        is_current = [path.name for path in ours[:1]] == [_digest(module_folder(name) / f"{name}.py")]
        state = "absent" if not ours else "installed" if is_current else "outdated"
        others = (path for path in folder.glob("*") if len(path.name) == 64 and path not in ours)
        scripts = [*sorted(path / f"{name}.py" for path in others), Path(name) / f"{name}.py"]
        states.append(Installation(name, state, folder, [script for script in scripts if script.is_file()]))
    return states


@_modules_cache()
def install(names: list[str] | None = None) -> list[Installation]:
    """Copy the module scripts to where ``evaluate.load(name)`` finds them without a network; idempotent.

    Raises:
        ClaimwiseError: for an unknown name, or one of another package, before anything changes.
    """
    for name in _checked_names(names):
        script, folder = module_folder(name) / f"{name}.py", _cache_folder(name)
        target = folder / _digest(script)
        folder.mkdir(parents=True, exist_ok=True)
        for package in (folder.parent, folder):
            (package / "__init__.py").touch()
        for stale in _installed_folders(name):
            if stale != target:
                shutil.rmtree(stale)
        if not target.is_dir():
            # Prepared beside the cache and renamed: an empty folder with this name would break the metric.
            with tempfile.TemporaryDirectory(dir=folder.parent) as prepared:
                content = Path(prepared) / "content"
                content.mkdir()
                shutil.copyfile(script, content / script.name)
                (content / "__init__.py").touch()
                (content / _MARK).touch()
                content.rename(target)
        os.utime(target / script.name)  # evaluate loads the newest script of a name
    return installations(names)


@_modules_cache()
def uninstall(names: list[str] | None = None) -> list[Installation]:
    """Remove the scripts that ``install`` copied, and nothing else."""
    for name in _checked_names(names):
        for folder in _installed_folders(name):
            shutil.rmtree(folder)
        folder = _cache_folder(name)
        if folder.is_dir() and not any(len(path.name) == 64 for path in folder.iterdir()):
            shutil.rmtree(folder)
    return installations(names)


def _checked_names(names: list[str] | None) -> list[str]:
    """Return the given names, if all have a script; by default all names with a script."""
    for name in names or []:
        module_folder(name)
    return names or _with_script()


def _cache_folder(name: str) -> Path:
    return Path(evaluate.loading.init_dynamic_modules()) / "metrics" / f"evaluate-metric--{name}"


def _installed_folders(name: str) -> list[Path]:
    return sorted(path.parent for path in _cache_folder(name).glob(f"*/{_MARK}"))


def _digest(script: Path) -> str:
    return hashlib.sha256(script.read_bytes()).hexdigest()
