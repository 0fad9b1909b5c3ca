"""The pytest plugin: assertions over texts, as fixtures.

pytest imports this module wherever claimwise is installed, so it imports nothing heavy before a test uses a
fixture.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from claimwise.metrics import Metric

Assertion = Callable[..., None]
"""Takes two texts and a limit by keyword; fails, showing the decisive claims, if the score is beyond it."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options of pytest.ini."""
    contrast = "metric of assert_contrast and assert_agrees, in the family contrast (default: caspr)"
    support = "metric of assert_supported, in the family factuality (default: summac_zs)"
    options = "options of these metrics, one per line: option=value, or metric.option=value"
    parser.addini("claimwise_contrast", contrast, default="caspr")
    parser.addini("claimwise_support", support, default="summac_zs")
    parser.addini("claimwise_options", options, type="linelist", default=[])


@pytest.fixture(scope="session")
def assert_supported(pytestconfig: pytest.Config) -> Assertion:
    """Assert that a source supports a summary: ``assert_supported(summary, source, at_least=0.5)``."""
    return partial(_check, _metric(pytestconfig, "claimwise_support", "factuality"), at_least=0.5)


@pytest.fixture(scope="session")
def assert_contrast(pytestconfig: pytest.Config) -> Assertion:
    """Assert that two summaries contrast: ``assert_contrast(a, b, at_least=50)``."""
    return partial(_check, _metric(pytestconfig, "claimwise_contrast", "contrast"), at_least=50.0)


@pytest.fixture(scope="session")
def assert_agrees(pytestconfig: pytest.Config) -> Assertion:
    """Assert that two summaries make the same claims: ``assert_agrees(a, b)``."""
    return partial(_check, _metric(pytestconfig, "claimwise_contrast", "contrast"), at_most=0.0)


def _metric(config: pytest.Config, ini: str, family: str) -> Metric:
    """Return the metric named in pytest.ini, which must belong to the family."""
    from claimwise.errors import ClaimwiseError
    from claimwise.integrations.base import load_metric
    from claimwise.metrics import METRICS
    from claimwise.options import parsed

    name = config.getini(ini)
    lines = (re.sub(r"\s*=\s*", "=", line, count=1) for line in config.getini("claimwise_options"))
    try:
        known = [known for known, metric in METRICS.items() if metric.spec.family == family]
        if name not in known:
            raise ClaimwiseError(f"{name} is not a metric of {family}.", f"Choose one of {', '.join(known)}.")
        options: dict[str, Any] = {"hypothesis_granularity": "claim"} if name == "summac_zs" else {}
        assigned = parsed(lines, "claimwise_options")
        options |= {option: value for option, value in assigned.items() if "." not in option}
        own = (option for option in assigned if option.startswith(f"{name}."))
        options |= {option.removeprefix(f"{name}."): assigned[option] for option in own}
        return load_metric(name, options=options, part_by_part="an assertion is about one text")
    except ClaimwiseError as error:
        raise pytest.UsageError(f"{ini} in the configuration of pytest: {error}") from error


def _check(
    metric: Metric,
    prediction: str,
    reference: Any,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
) -> None:
    """Fail, showing the evidence, unless the score is within the limits; those must be within its range."""
    __tracebackhide__ = True
    from claimwise.errors import ClaimwiseError
    from claimwise.integrations.base import score_sample, shown

    spec, (low, high) = metric.spec, metric.spec.bounds
    for bound in (at_least, at_most):
        if bound is not None and not low <= bound <= high:
            problem = f"{bound} is outside the range of {metric.name}, {low} to {high}."
            raise ClaimwiseError(problem, "Use a limit within the range.")
    scored = score_sample(metric, {"predictions": prediction, "references": reference})
    if at_least is not None and scored.score < at_least:
        missed = f"not at least {at_least:g}"
    elif at_most is not None and scored.score > at_most:
        missed = f"not at most {at_most:g}"
    else:
        return
    verdict = f"{spec.title} is {shown(spec, scored.score)}, {missed}: {spec.question}"
    pytest.fail(f"{verdict}\n\n{scored.reason}", pytrace=False)
