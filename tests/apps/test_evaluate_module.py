"""The `evaluate` modules: loading by path and by name, adding rows, refusals, and the installation."""

from __future__ import annotations

import importlib.util
import inspect
import itertools
import json
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import evaluate
import pandas as pd
import pytest
from checkpoints import JUDGE
from scoring import NEEDED

from claimwise.apps.evaluate_module import MetricModule, install, installations, module_folder, uninstall
from claimwise.errors import ClaimwiseError, ClaimwiseWarning
from claimwise.judges import by_torch
from claimwise.judges.local import NLIModel
from claimwise.metrics import METRICS, Metric

METRICS_FOLDER = Path(__file__).parents[2] / "metrics"
A = ["The pool is warm. The bar is open late.", "The staff were kind."]
B = ["The pool is cold.", "The staff were friendly, and breakfast is free."]
every_metric = pytest.mark.parametrize("name", METRICS)


def script_class(name: str) -> type[MetricModule]:
    """Return the class that the module script of ``name`` defines."""
    path = METRICS_FOLDER / name / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"script_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    (found,) = [
        value
        for value in vars(script).values()
        if inspect.isclass(value) and issubclass(value, evaluate.EvaluationModule)
    ]
    assert issubclass(found, MetricModule)
    return found


@pytest.fixture(scope="session")
def loaded(nli_model: NLIModel, needed: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Every metric as a user of `evaluate` loads it, by its path."""
    options = {name: dict(needed.get(name, {})) for name in METRICS}
    for name, metric in METRICS.items():
        if "judge" in metric.Options.names():
            options[name]["judge"] = nli_model
    return {name: evaluate.load(str(METRICS_FOLDER / name), **options[name]) for name in METRICS}


# ---------------------------------------------------------------------------------------------
# Scripts
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["caspr", "abstractiveness"])
def test_a_frame_is_no_column(loaded: dict[str, Any], name: str) -> None:
    frame = pd.DataFrame({"summary": A, "other": B})

    for column in (frame[["summary"]], set(A), frame.to_dict("list").keys(), (c for c in A[0])):
        with pytest.raises(ClaimwiseError, match="predictions: expected a list of"):
            loaded[name].compute(predictions=column, references=frame["other"])
        with pytest.raises(ClaimwiseError, match="references: expected a list of"):
            loaded[name].compute(predictions=A, references=frame[["other"]])
    result = loaded[name].compute(predictions=frame["summary"], references=frame["other"])
    assert result == loaded[name].compute(predictions=A, references=B)


def test_blank_reviews_are_left_out_and_counted(loaded: dict[str, Any]) -> None:
    given = {"predictions": A[:1], "references": [["N/A", A[0], None]]}

    result = loaded["abstractiveness"].compute(**given)

    assert (result["abstractiveness"], result["abstractiveness_blank_reviews"]) == (0, 2)


def test_every_metric_has_a_folder_with_all_that_a_space_needs_and_every_folder_a_metric() -> None:
    folders = {path.name for path in METRICS_FOLDER.iterdir() if path.is_dir() and path.name != "__pycache__"}

    assert folders == set(METRICS)
    for name in METRICS:
        for file in (f"{name}.py", "README.md", "requirements.txt"):
            assert (METRICS_FOLDER / name / file).stat().st_size > 0, f"{name} lacks {file}"
        assert module_folder(name).resolve() == (METRICS_FOLDER / name).resolve()


@every_metric
def test_a_script_defines_one_module_that_is_described(name: str) -> None:
    found = script_class(name)

    assert found.metric_name == name
    module = found()
    assert module.name == name
    for text in (module.description, module.citation, module.inputs_description):
        assert len(text.strip()) > 50
    assert f"{name}_scores" in module.inputs_description


@every_metric
def test_the_class_works_without_load_and_loads_lazily(
    metrics: dict[str, Metric], needed: dict[str, dict[str, Any]], name: str
) -> None:
    taken = METRICS[name].Options.names()
    if remote := next((option for option in ("weights", "encoder", "judge") if option in taken), None):
        script_class(name)(**{remote: "nobody/nothing"})  # nothing is looked up yet
    options = {"device": "cpu", "dtype": "float32"}
    options = {option: value for option, value in options.items() if option in taken}
    module = script_class(name)(**options, **needed.get(name, {}))

    result = module.compute(predictions=A, references=B)

    assert result is not None
    expected = metrics[name].compute(predictions=A, references=B)[f"{name}_scores"]
    assert result[f"{name}_scores"] == pytest.approx(expected, abs=1e-3)


# ---------------------------------------------------------------------------------------------
# Computing
# ---------------------------------------------------------------------------------------------


@every_metric
def test_a_module_gives_what_the_metric_gives(
    loaded: dict[str, Any], metrics: dict[str, Metric], name: str
) -> None:
    options: dict[str, Any] = {"details": True, "confidence_level": 0.9, "resamples": 100, "seed": 5}

    result = loaded[name].compute(predictions=A, references=B, **options)

    assert result == metrics[name].compute(predictions=A, references=B, **options)


@every_metric
def test_adding_row_by_row_or_in_batches_is_computing_at_once(loaded: dict[str, Any], name: str) -> None:
    module = loaded[name]
    at_once = module.compute(predictions=A + B, references=B + A)

    module.add(prediction=A[0], reference=B[0])
    module.add_batch(predictions=A[1:] + B[:1], references=B[1:] + A[:1])
    module.add(prediction=B[1], reference=A[1])

    added = module.compute()
    assert added[f"{name}_scores"] == pytest.approx(at_once[f"{name}_scores"], abs=1e-3)
    assert len(module.compute(predictions=A, references=B)[f"{name}_scores"]) == len(A)


def test_in_memory_leaves_no_files_and_gives_the_same(tmp_path: Path, loaded: dict[str, Any]) -> None:
    name = "distinctiveness_score"
    path = str(METRICS_FOLDER / name)
    in_memory = evaluate.load(path, keep_in_memory=True, cache_dir=str(tmp_path))

    result = in_memory.compute(predictions=A, references=B)

    assert result == loaded[name].compute(predictions=A, references=B)
    assert not [file for file in tmp_path.rglob("*") if file.is_file()]


def test_options_and_configuration_at_load_reach_the_metric() -> None:
    path = str(METRICS_FOLDER / "distinctiveness_score")

    configured = evaluate.load(path, "words")
    overridden = evaluate.load(path, "words", stemmer="german")

    assert "|tokenizer:words|stemmer:none" in _signature(configured)
    assert "|tokenizer:words|stemmer:german" in _signature(overridden)


def _signature(module: Any) -> str:
    name = "distinctiveness_score"
    return str(module.compute(predictions=A, references=B)[f"{name}_signature"])


@pytest.mark.parametrize(
    ("arguments", "options", "said"),
    [
        (("no such",), {}, "default, words, paper"),
        ((), {"stemer": "none"}, "has no option `stemer`"),
        ((), {"stemmer": "klingon"}, "klingon"),
    ],
)
def test_what_cannot_be_loaded_fails_at_load(
    arguments: tuple[str, ...], options: dict[str, Any], said: str
) -> None:
    with pytest.raises(ClaimwiseError, match=said):
        evaluate.load(str(METRICS_FOLDER / "distinctiveness_score"), *arguments, **options)


def test_the_third_summary_of_distinctiveness_score(loaded: dict[str, Any]) -> None:
    module = loaded["distinctiveness_score"]

    columns = {"predictions": ["pool bar"], "references": ["pool gym"]}

    assert module.compute(**columns, common=["pool gym spa"])["distinctiveness_score"] == pytest.approx(50)


def test_ids_are_given_when_rows_are_computed(loaded: dict[str, Any]) -> None:
    module = loaded["distinctiveness_score"]
    module.add_batch(predictions=["pool bar", "warm pool"], references=["pool gym", "cold pool"])

    result = module.compute(ids=["h1", "h2"], common=["pool", "bar"])

    assert result["distinctiveness_score_ids"] == ["h1", "h2"]
    assert len(set(result["distinctiveness_score_input_hashes"])) == 2


def test_the_metrics_can_be_combined_and_the_result_saved(loaded: dict[str, Any], tmp_path: Path) -> None:
    combined = evaluate.combine([loaded[name] for name in METRICS])

    result = combined.compute(predictions=A, references=B)

    for name in METRICS:
        assert result[name] == loaded[name].compute(predictions=A, references=B)[name]
    saved = json.loads(Path(evaluate.save(tmp_path, **result)).read_text(encoding="utf-8"))
    assert {key: saved[key] for key in result} == result


def test_reviews_passed_to_a_contrast_metric_among_others_are_told(loaded: dict[str, Any]) -> None:
    combined = evaluate.combine([loaded["caspr"], loaded["support_counts"]])

    with pytest.warns(ClaimwiseWarning, match=r"caspr: the lists in references are read as claims"):
        combined.compute(predictions=A[:1], references=[["The pool is warm. We paid little.", "Nice staff."]])


def test_combined_metrics_hold_one_checkpoint_and_hash_it_once(
    tmp_path: Path, needed: dict[str, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoint = tmp_path / "checkpoint"  # of its own, which nothing else has loaded
    shutil.copytree(JUDGE, checkpoint)
    calls: list[str] = []

    def counted(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *given, **options: calls.append(name) or call(*given, **options)

    for name in ("checkpoint_of", "checkpoint_fingerprint"):
        monkeypatch.setattr(by_torch, name, counted(name, getattr(by_torch, name)))
    names = ["caspr", "genericity", "summac_zs", "support_counts"]
    options = {"judge": str(checkpoint), "device": "cpu", "dtype": "float32"}

    modules = [evaluate.load(str(METRICS_FOLDER / name), **options, **needed.get(name, {})) for name in names]
    result = evaluate.combine(modules).compute(
        predictions=A, references=B, details=True, confidence_level=0.9, resamples=100
    )

    assert sorted(calls) == ["checkpoint_fingerprint", "checkpoint_of"]
    for name in names:
        assert {name, f"{name}_details", f"{name}_ci"} <= set(result)
        assert f"|judge:{checkpoint}|" in result[f"{name}_signature"]


# ---------------------------------------------------------------------------------------------
# Pickling, and scripts of an older version
# ---------------------------------------------------------------------------------------------


@every_metric
def test_a_module_can_be_pickled_before_and_after_it_has_computed(
    needed: dict[str, dict[str, Any]], name: str
) -> None:
    module = evaluate.load(str(METRICS_FOLDER / name), **needed.get(name, {}))
    early = pickle.loads(pickle.dumps(module))
    result = module.compute(predictions=A, references=B)
    late = pickle.loads(pickle.dumps(module))

    assert early.compute(predictions=A, references=B) == result
    late.add(prediction=A[0], reference=B[0])
    late.add(prediction=A[1], reference=B[1])
    assert late.compute()[f"{name}_scores"] == pytest.approx(result[f"{name}_scores"], abs=1e-3)


def test_added_rows_wait_in_a_file_and_are_not_pickled() -> None:
    module = evaluate.load(str(METRICS_FOLDER / "distinctiveness_score"))
    module.add(prediction=A[0], reference=B[0])

    with pytest.raises(ClaimwiseError, match=r"1 added rows.*compute"):
        pickle.dumps(module)

    assert len(module.compute()["distinctiveness_score_scores"]) == 1


# ---------------------------------------------------------------------------------------------
# Refused input, by every route
# ---------------------------------------------------------------------------------------------

BAD_TEXTS = {
    "empty": "",
    "blank": " \n\t\u00a0",
    "None": None,
    "NaN": float("nan"),
    "number": 7,
    "bytes": b"The pool is warm.",
    "nested list": [["The pool is warm."]],  # a source may be a list
    "no letters": "123 ?!",
    "lone surrogate": "The pool is \ud83d warm.",
}
BAD_COLUMNS = {
    "a bare string": ("The pool is warm.", "The pool is cold."),
    "one bare string": (["The pool is warm."], "The pool is cold."),
    "bytes": (b"x", b"y"),
    "None": (None, ["The pool is cold."]),
    "a number": (5, ["The pool is cold."]),
    "a mapping": ({"a": "x"}, {"a": "y"}),
    "unequal lengths": (["x", "y"], ["x"]),
    "nothing": ([], []),
    "nothing on one side": (["x"], []),
}
BAD_IN_REFERENCES_ALONE = {"one bare string", "unequal lengths", "nothing on one side"}
Route = Callable[[MetricModule, Any, Any], object]
COLUMN_ROUTES: dict[str, Route] = {
    "metric": lambda module, a, b: module.metric.compute(predictions=a, references=b),
    "compute": lambda module, a, b: module.compute(predictions=a, references=b),
    "add_batch": lambda module, a, b: module.add_batch(predictions=a, references=b),
}


# Metrics whose references are checked alike stand together, so that those of sources meet each bad text on
# each of the four routes.
NAMES = sorted(METRICS, key=lambda name: METRICS[name].references_are)


def every_pair(first: list[str], second: list[str], third: list[str]) -> list[tuple[str, str, str]]:
    """Return variants in which any two values of different lists stand together at least once."""
    assert len(third) <= min(len(first), len(second))
    return [
        (a, b, third[(i + j) % len(third)])
        for (i, a), (j, b) in itertools.product(enumerate(first), enumerate(second))
    ]


REMEDIES = (
    "Drop the row",
    "Drop the reference",
    "Decode it",
    "Provide one",
    "Write every review as a text",
    "Read the file",
    "Use only texts or only lists",
)


def _add_each(module: MetricModule, predictions: Any, references: Any) -> None:
    for prediction, reference in zip(predictions, references, strict=True):
        module.add(prediction=prediction, reference=reference)


@pytest.mark.parametrize(("name", "bad", "route"), every_pair(NAMES, [*BAD_TEXTS], [*COLUMN_ROUTES, "add"]))
def test_a_bad_text_is_refused_with_its_row_and_a_remedy(name: str, bad: str, route: str) -> None:
    module = script_class(name)(**NEEDED.get(name, {}))
    refuse = COLUMN_ROUTES.get(route, _add_each)
    good, with_bad = ["The pool is warm."] * 2, ["The bar is open.", BAD_TEXTS[bad]]
    ignored = METRICS[name].references_are == "ignored"
    column = "predictions" if ignored else "references"

    with pytest.raises(ClaimwiseError, match=rf"{column}, row 1(, review 0)?: ") as caught:
        refuse(module, *((with_bad, good) if ignored else (good, with_bad)))

    assert isinstance(caught.value, ValueError)
    message = str(caught.value)
    assert any(remedy in message for remedy in REMEDIES)
    assert message.isprintable()


@pytest.mark.parametrize(("name", "bad", "route"), every_pair(NAMES, [*BAD_COLUMNS], [*COLUMN_ROUTES]))
def test_a_bad_column_is_refused(name: str, bad: str, route: str) -> None:
    if METRICS[name].references_are == "ignored" and bad in BAD_IN_REFERENCES_ALONE:
        pytest.skip("this metric ignores its references")
    module = script_class(name)(**NEEDED.get(name, {}))

    with pytest.raises(ClaimwiseError, match=r"predictions|references"):
        COLUMN_ROUTES[route](module, *BAD_COLUMNS[bad])


@every_metric
def test_computing_without_any_rows_is_refused(name: str) -> None:
    with pytest.raises(ClaimwiseError, match="No rows to score"):
        script_class(name)().compute()


@every_metric
def test_a_refused_row_adds_nothing_and_rows_are_counted_over_all_adds(
    loaded: dict[str, Any], name: str
) -> None:
    module = loaded[name]
    module.add(prediction=A[0], reference=B[0])

    with pytest.raises(ClaimwiseError, match="row 1"):
        module.add(prediction="", reference=B[1])
    with pytest.raises(ClaimwiseError, match="row 2: "):
        module.add_batch(predictions=[A[1], None], references=[B[1], B[1]])
    if METRICS[name].references_are != "ignored":
        with pytest.raises(ClaimwiseError, match="Row 2 is the first incomplete"):
            module.add_batch(predictions=[A[1], A[1]], references=[B[1]])
    module.add(prediction=A[1], reference=B[1])

    result = module.compute()
    assert len(result[f"{name}_scores"]) == 2
    with pytest.raises(ClaimwiseError, match="No rows"):
        module.compute()


def test_a_refused_compute_loses_no_rows_and_mixes_none_in() -> None:
    name = "distinctiveness_score"
    module = script_class(name)(**NEEDED.get(name, {}))
    module.add(prediction=A[0], reference=B[0])

    with pytest.raises(ClaimwiseError, match="row 1"):
        module.compute(predictions=[""], references=["x"])
    with pytest.raises(ClaimwiseError, match="row 1"):
        module.add(prediction="", reference="x")

    result = module.compute()
    assert result is not None
    assert len(result[f"{name}_scores"]) == 1


def test_rows_are_counted_over_batches() -> None:
    module = script_class("distinctiveness_score")()
    module.add_batch(predictions=A, references=B)
    module.add_batch(predictions=A[:1], references=B[:1])

    with pytest.raises(ClaimwiseError, match="predictions, row 4"):
        module.add_batch(predictions=[A[0], ""], references=B)


def test_a_compute_with_a_bad_option_can_be_repeated() -> None:
    name = "distinctiveness_score"
    module = script_class(name)(**NEEDED.get(name, {}))

    with pytest.raises(ClaimwiseError, match="between 0 and 1"):
        module.compute(predictions=A, references=B, confidence_level=95)

    result = module.compute(predictions=A, references=B)
    assert result is not None
    assert len(result[f"{name}_scores"]) == len(A)


@every_metric
def test_a_column_that_is_none_of_the_metrics_cannot_be_added(name: str) -> None:
    with pytest.raises(ValueError, match="sources"):
        script_class(name)(**NEEDED.get(name, {})).add_batch(predictions=A, references=B, sources=A)


# ---------------------------------------------------------------------------------------------
# Installation: what makes the bare name work offline
# ---------------------------------------------------------------------------------------------


@pytest.fixture
def lookup() -> Iterator[Path]:
    """The folder where bare names are looked up, with none of our names in it."""
    folder = Path(evaluate.loading.init_dynamic_modules()) / "metrics"

    def clean() -> None:
        for path in folder.glob("evaluate-metric--*"):
            shutil.rmtree(path)

    clean()
    yield folder
    clean()


def snapshot(folder: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
        if "__pycache__" not in path.parts and ".lock" not in path.name
    }


def foreign_script(lookup: Path, name: str) -> Path:
    """Put a script of the same name by somebody else where `evaluate` keeps it."""
    folder = lookup / f"evaluate-metric--{name}" / ("f" * 64)
    folder.mkdir(parents=True)
    (folder / f"{name}.py").write_text("raise RuntimeError('not ours')\n", encoding="utf-8")
    return folder / f"{name}.py"


def states() -> dict[str, str]:
    return {found.name: found.state for found in installations()}


def test_importing_claimwise_installs_nothing(lookup: Path) -> None:
    assert set(states().values()) == {"absent"}
    assert not [*lookup.glob("evaluate-metric--*")]


@pytest.mark.slow
def test_the_bare_name_works_in_a_new_process_without_a_network(lookup: Path, tmp_path: Path) -> None:
    install()
    code = (
        "import json, evaluate\n"
        "module = evaluate.load('caspr', decomposer='sentences')\n"
        f"print(json.dumps(module.compute(predictions={A!r}, references={A!r})))\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )

    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout.splitlines()[-1])
    assert result["caspr_scores"] == [0.0, 0.0]
    assert "|decomposer:sentences" in result["caspr_signature"]


def test_the_bare_name_works_only_while_installed(
    lookup: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name = "distinctiveness_score"
    with pytest.raises(FileNotFoundError):
        evaluate.load(name)

    install([name])
    assert len(evaluate.load(name).compute(predictions=A, references=B)[f"{name}_scores"]) == 2

    uninstall([name])
    with pytest.raises(FileNotFoundError):
        evaluate.load(name)


def test_install_twice_is_install_once(lookup: Path) -> None:
    install()
    once = snapshot(lookup)

    found = install()

    assert snapshot(lookup) == once
    assert [(item.name, item.state, item.shadowed) for item in found] == [
        (name, "installed", []) for name in METRICS
    ]
    assert states() == dict.fromkeys(METRICS, "installed")


def test_install_and_uninstall_touch_only_the_names_given(lookup: Path) -> None:
    assert [item.name for item in install(["caspr"])] == ["caspr"]
    assert states() == dict.fromkeys(METRICS, "absent") | {"caspr": "installed"}

    install()
    uninstall(["caspr"])

    assert states()["caspr"] == "absent"
    assert states()["inverted_bertscore"] == "installed"


def test_uninstall_leaves_nothing_of_ours_and_twice_is_once(lookup: Path) -> None:
    before = snapshot(lookup)
    install()

    uninstall()
    uninstall()

    assert snapshot(lookup) == before


def test_a_script_of_somebody_else_is_hidden_reported_and_left_untouched(
    lookup: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name = "distinctiveness_score"
    foreign = foreign_script(lookup, name)
    before = foreign.read_bytes()

    (installed,) = install([name])
    assert installed.shadowed == [foreign]
    assert evaluate.load(name).name == name  # ours

    (removed,) = uninstall([name])
    assert removed.state == "absent"
    assert foreign.read_bytes() == before
    assert [path for path in foreign.parents[1].iterdir() if len(path.name) == 64] == [foreign.parent]


def test_installing_again_hides_a_script_that_came_since(
    lookup: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name = "distinctiveness_score"
    (installed,) = install([name])
    foreign = foreign_script(lookup, name)
    for script in installed.folder.glob(f"*/{name}.py"):
        os.utime(script, (1, 1 + (script == foreign)))

    install([name])

    assert evaluate.load(name).name == name  # ours; the other raises an error


def test_an_installation_of_another_version_is_outdated_until_installed_again(lookup: Path) -> None:
    (installed,) = install(["caspr"])
    (current,) = [path.parent for path in installed.folder.glob("*/caspr.py")]
    old = current.rename(current.with_name("0" * 64))
    (old / "caspr.py").write_text("# of an older version\n", encoding="utf-8")

    assert states()["caspr"] == "outdated"
    assert states()["distinctiveness_score"] == "absent"

    install(["caspr"])

    assert states()["caspr"] == "installed"
    assert [path.parent for path in installed.folder.glob("*/caspr.py")] == [current]


@pytest.mark.parametrize("change", [install, uninstall])
def test_an_unknown_name_is_refused_before_anything_changes(
    lookup: Path, change: Callable[[list[str]], object]
) -> None:
    before = snapshot(lookup)

    with pytest.raises(ClaimwiseError, match=r"Unknown metric `rouge`.*caspr"):
        change(["caspr", "rouge"])

    assert snapshot(lookup) == before


def test_an_unknown_name_has_no_folder() -> None:
    with pytest.raises(ClaimwiseError, match="Unknown metric"):
        module_folder("../caspr")


THEIRS = """
from claimwise.metrics import Complexity, MetricSpec


class Shouting(Complexity):
    spec = MetricSpec(**{**vars(Complexity.spec), "name": "shouting"})
"""


@pytest.fixture
def _metric_of_another_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "their_metrics.py").write_text(THEIRS, encoding="utf-8")
    information = tmp_path / "their_metrics-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Name: their-metrics\nVersion: 1.0\n", encoding="utf-8")
    (information / "entry_points.txt").write_text(
        "[claimwise.metrics]\nshouting = their_metrics:Shouting\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.usefixtures("_metric_of_another_package")
def test_a_metric_of_another_package_has_no_script_and_is_left_out(lookup: Path) -> None:
    assert METRICS["shouting"]().compute(predictions=["It is warm, but loud."])["shouting"] == 100
    ours = [name for name in METRICS if name != "shouting"]

    assert [item.name for item in install()] == ours
    assert [item.name for item in installations()] == ours
    with pytest.raises(
        ClaimwiseError, match=r"shouting is a metric of another package.*claimwise.load\(.shouting.\)"
    ):
        install(["caspr", "shouting"])
    assert [item.name for item in uninstall()] == ours
    with pytest.raises(ClaimwiseError, match="Unknown metric") as caught:
        install(["rouge"])
    assert "shouting" not in caught.value.remedy
