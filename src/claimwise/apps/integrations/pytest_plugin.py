"""The pytest plugin: assertions over texts, as fixtures.

pytest imports this module in every environment in which claimwise is installed: it imports nothing heavy
before a test asks for a fixture.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Protocol

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from claimwise.metrics import Metric, MetricSpec

INI = {
    "claimwise_contrast": "metric of assert_contrast and assert_agrees, in the family contrast",
    "claimwise_support": "metric of assert_supported, in the family factuality",
    "claimwise_options": "options of these metrics, one a line: option=value, or metric.option=value",
}
DEFAULTS = {"claimwise_contrast": "caspr", "claimwise_support": "summac_zs"}


class AssertSupported(Protocol):
    """What the fixture ``assert_supported`` is."""

    def __call__(self, summary: str, source: str | Sequence[str], *, at_least: float = 0.5) -> None:
        """Fail unless the source supports the summary; the claims that decided it are printed."""


class AssertContrast(Protocol):
    """What the fixture ``assert_contrast`` is."""

    def __call__(self, a: str, b: str, *, at_least: float = 50.0) -> None:
        """Fail unless two summaries contrast; the claims that decided it are printed."""


class AssertAgrees(Protocol):
    """What the fixture ``assert_agrees`` is."""

    def __call__(self, a: str, b: str, *, at_most: float = 0.0) -> None:
        """Fail if two summaries contrast; the claims that decided it are printed."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options of pytest.ini."""
    for name, about in INI.items():
        if name in DEFAULTS:
            parser.addini(name, f"{about} (default: {DEFAULTS[name]})", default=DEFAULTS[name])
        else:
            parser.addini(name, about, type="linelist", default=[])


@pytest.fixture(scope="session")
def assert_supported(pytestconfig: pytest.Config) -> AssertSupported:
    """Assert that a source supports a summary: ``assert_supported(summary, source, at_least=0.5)``."""
    metric = _metric(pytestconfig, "claimwise_support", "factuality")

    def check(summary: str, source: str | Sequence[str], *, at_least: float = 0.5) -> None:
        __tracebackhide__ = True
        score, because = _score(metric, summary, source, at_least)
        if score < at_least:
            pytest.fail(f"{_fell(metric.spec, score, 'at least', at_least)}\n\n{because}", pytrace=False)

    return check


@pytest.fixture(scope="session")
def assert_contrast(pytestconfig: pytest.Config) -> AssertContrast:
    """Assert that two summaries contrast: ``assert_contrast(a, b, at_least=50)``."""
    metric = _metric(pytestconfig, "claimwise_contrast", "contrast")

    def check(a: str, b: str, *, at_least: float = 50.0) -> None:
        __tracebackhide__ = True
        score, because = _score(metric, a, b, at_least)
        if score < at_least:
            pytest.fail(f"{_fell(metric.spec, score, 'at least', at_least)}\n\n{because}", pytrace=False)

    return check


@pytest.fixture(scope="session")
def assert_agrees(pytestconfig: pytest.Config) -> AssertAgrees:
    """Assert that two summaries say the same: ``assert_agrees(a, b)``."""
    metric = _metric(pytestconfig, "claimwise_contrast", "contrast")

    def check(a: str, b: str, *, at_most: float = 0.0) -> None:
        __tracebackhide__ = True
        score, because = _score(metric, a, b, at_most)
        if score > at_most:
            pytest.fail(f"{_fell(metric.spec, score, 'at most', at_most)}\n\n{because}", pytrace=False)

    return check


def _metric(config: pytest.Config, ini: str, family: str) -> Metric:
    """Return the metric that pytest.ini names, of the family that the assertion needs."""
    from claimwise.apps.integrations.rows import load_metric
    from claimwise.errors import ClaimwiseError
    from claimwise.metrics import METRICS

    name = config.getini(ini)
    try:
        of_family = [known for known, metric in METRICS.items() if metric.spec.family == family]
        if name not in of_family:
            raise ClaimwiseError(
                f"{name!r} is no metric of {family}.", f"Choose one of {', '.join(of_family)}."
            )
        options: dict[str, Any] = {}
        if name == "summac_zs":
            options["hypothesis_granularity"] = "claim"
        options |= _options(config.getini("claimwise_options"), name)
        return load_metric(name, options=options, part_by_part="an assertion is about one text")
    except ClaimwiseError as error:
        raise pytest.UsageError(f"{ini} in the configuration of pytest: {error}") from error


def _options(lines: Sequence[str], metric: str) -> dict[str, Any]:
    """Return the options that are for a metric: ``option=value``, or ``metric.option=value``."""
    from claimwise.options import parsed

    options = parsed((re.sub(r"\s*=\s*", "=", line, count=1) for line in lines), "claimwise_options")
    own = {name.partition(".")[2]: value for name, value in options.items() if name.startswith(f"{metric}.")}
    return {name: value for name, value in options.items() if "." not in name} | own


def _score(metric: Metric, prediction: str, reference: Any, limit: float) -> tuple[float, str]:
    """Return the score, and what decided it as text.

    Raises:
        ClaimwiseError: for a text that cannot be scored, or a limit that no score can reach.
    """
    from claimwise.apps.integrations.rows import explained, score_row, value_of
    from claimwise.errors import ClaimwiseError

    low, high = metric.spec.bounds
    if not low <= limit <= high:
        raise ClaimwiseError(
            f"{limit} is not between {low} and {high}, where {metric.name} lies.", "Give another limit."
        )
    scored = score_row(metric, {"predictions": prediction, "references": reference})
    return value_of(scored), explained(metric.spec, scored)


def _fell(spec: MetricSpec, score: float, how: str, limit: float) -> str:
    from claimwise.apps.integrations.rows import shown

    return f"{spec.title} is {shown(spec, score)}, not {how} {limit:g}: {spec.question}"
