"""What `evaluate` asks of its own modules (tests/test_metric_common.py there), asked of ours."""

from __future__ import annotations

import doctest
import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import evaluate
import pytest
import yaml
from scoring import NEEDED

from claimwise.apps.evaluate_module import install, uninstall
from claimwise.errors import ClaimwiseError
from claimwise.metrics import METRICS, Metric

ROOT = Path(__file__).parents[2]
COMPUTE_OPTIONS = {
    parameter.name: parameter.default
    for parameter in inspect.signature(Metric.compute).parameters.values()
    if parameter.kind is parameter.KEYWORD_ONLY and parameter.name not in ("predictions", "references")
}
every_metric = pytest.mark.parametrize("name", METRICS)


@pytest.fixture
def _in_the_clone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.fixture
def _installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    install()
    yield
    uninstall()


def script_module(place: str) -> Any:
    """Return the module script as `evaluate` imports it: a copy in its modules cache."""
    found = evaluate.loading.evaluation_module_factory(place, module_type="metric")
    return importlib.import_module(found.module_path)


def parameters_of_compute(script: Any) -> dict[str, inspect.Parameter]:
    main_class = evaluate.loading.import_main_class(script.__name__)
    return dict(inspect.signature(main_class._compute).parameters)


@every_metric
@pytest.mark.usefixtures("_in_the_clone")
def test_the_examples_of_a_script_run_as_in_the_suite_of_evaluate(name: str) -> None:
    script = script_module(f"metrics/{name}")
    load = evaluate.load

    parameters = parameters_of_compute(script).values()
    assert all(parameter.kind is not parameter.VAR_KEYWORD for parameter in parameters)
    with (
        patch("evaluate.load", side_effect=lambda bare, *given, **kw: load(f"metrics/{bare}", *given, **kw)),
        patch("doctest.ELLIPSIS_MARKER", "[...]"),
    ):
        results = doctest.testmod(script, raise_on_error=True)

    assert results.failed == 0
    assert results.attempted > 1


@every_metric
@pytest.mark.usefixtures("_installed")
def test_the_examples_of_a_script_run_anywhere_once_it_is_installed(name: str) -> None:
    results = doctest.testmod(script_module(name))

    assert results.failed == 0
    assert results.attempted > 1


@every_metric
@pytest.mark.usefixtures("_in_the_clone")
def test_compute_names_the_columns_and_the_options_of_the_metric(name: str) -> None:
    parameters = parameters_of_compute(script_module(f"metrics/{name}"))

    further = {column.name for column in METRICS[name].spec.columns} - {"predictions", "references"}
    assert set(parameters) == {"self", "predictions", "references", *further, *COMPUTE_OPTIONS}
    assert {option: parameters[option].default for option in COMPUTE_OPTIONS} == COMPUTE_OPTIONS
    assert all(parameters[column].default is None for column in further)


@every_metric
@pytest.mark.usefixtures("_in_the_clone")
def test_a_module_is_described_by_the_spec_of_its_metric_and_by_the_docstring(name: str) -> None:
    module = evaluate.loading.import_main_class(script_module(f"metrics/{name}").__name__)()
    spec = METRICS[name].spec
    _, front_matter, _ = (ROOT / "metrics" / name / "README.md").read_text("utf-8").split("---\n", 2)

    assert module.description == spec.description
    assert spec.description.split() == yaml.safe_load(front_matter)["description"].split()
    assert module.citation == spec.citation
    assert module.reference_urls == list(spec.urls)
    assert module.inputs_description.strip() == inspect.getdoc(type(module))
    for column in spec.columns:
        assert f"{column.name}:" in module.inputs_description
    assert f"{name}_scores" in module.compute.__doc__


@every_metric
@pytest.mark.usefixtures("_in_the_clone")
def test_a_keyword_that_the_metric_does_not_know_is_refused_and_loses_no_rows(name: str) -> None:
    module = evaluate.loading.import_main_class(script_module(f"metrics/{name}").__name__)(
        **NEEDED.get(name, {})
    )
    module.add(prediction="The pool is warm.", reference="The pool is cold.")

    for given in ({}, {"predictions": ["The bar is open."], "references": ["The bar is closed."]}):
        with pytest.raises(ClaimwiseError, match=f"{name} has no column or option `confidence_levle`"):
            module.compute(**given, confidence_levle=0.95)

    assert module._rows_added == 1
