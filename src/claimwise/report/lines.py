"""The lines of a study, one per score and system, with intervals and tests, and as sentences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from claimwise.errors import ClaimwiseError, at_place
from claimwise.metrics.registry import spec_of
from claimwise.report.compare import Comparison, compare
from claimwise.report.human import LENGTH, HumanCorrelation
from claimwise.report.results import SystemResult
from claimwise.stats import bootstrap_interval, holm

RESAMPLES = 10_000
SIGNIFICANT = 0.05


@dataclass(frozen=True, kw_only=True)
class Line:
    """The result of one system for one score; differences are from the baseline.

    Attributes:
        metric: the score.
        system: the system.
        rows: number of rows with a score.
        mean: weighted mean of the scores.
        low: lower end of the percentile interval of the mean.
        high: upper end of that interval.
        compared: number of rows scored in both systems; this and the following are None for the baseline.
        difference: mean of the system − mean of the baseline, over these rows.
        difference_low: lower end of the interval of the difference.
        difference_high: upper end of that interval.
        p_value: p-value of the two-sided paired permutation test.
        p_holm: p-value corrected for all tests of the study (Holm 1979).
        effect_size: Cohen's d_z.
    """

    metric: str
    system: str
    rows: int
    mean: float
    low: float
    high: float
    compared: int | None = None
    difference: float | None = None
    difference_low: float | None = None
    difference_high: float | None = None
    p_value: float | None = None
    p_holm: float | None = None
    effect_size: float | None = None


@dataclass(frozen=True, kw_only=True)
class Example:
    """A row with a large difference between a system and the baseline, with the evidence of both."""

    id: str
    systems: tuple[str, str]
    scores: tuple[float, float]
    evidence: tuple[Mapping[str, Any] | None, ...] = (None, None)


def compared(
    results: Mapping[str, Sequence[SystemResult]],
    confidence_level: float = 0.95,
    *,
    resamples: int = RESAMPLES,
    seed: int | None = 0,
) -> list[Line]:
    """Return a line for each score and system; p-values are corrected over all of them.

    The results of a score begin with that of the baseline. A system that shares fewer than two scored rows
    with it is a ClaimwiseError.
    """
    sampling: Any = {"confidence_level": confidence_level, "resamples": resamples, "seed": seed}
    lines: list[Line] = []
    for score, (baseline, *others) in results.items():
        for result in (baseline, *others):
            try:
                ends = bootstrap_interval(result.known_scores, weights=result.known_weights, **sampling)
                test = None if result is baseline else compare(result, baseline, **sampling)
            except ClaimwiseError as error:
                raise error.at(problem=at_place(f"{score}, {result.system}", error.problem)) from error
            line = Line(
                metric=score,
                system=result.system,
                rows=len(result.known_scores),
                mean=result.mean,
                low=ends[0],
                high=ends[1],
            )
            lines.append(line if test is None else _with_test(line, test))
    corrected = iter(holm([line.p_value for line in lines if line.p_value is not None]))
    return [line if line.p_value is None else replace(line, p_holm=next(corrected)) for line in lines]


def _with_test(line: Line, test: Comparison) -> Line:
    size = test.size
    return replace(
        line,
        compared=test.compared,
        difference=test.difference,
        difference_low=size and size.low,
        difference_high=size and size.high,
        p_value=test.p_value,
        effect_size=size and size.effect_size,
    )


def title_of(score: str) -> str:
    """Return the title of a score; its name, if no installed metric computes it."""
    spec, further = spec_of(score)
    return score if spec is None else (further or spec).title


def shortened(names: Sequence[str], most: int = 18) -> list[str]:
    """Return names shortened to ``most`` characters, or to more if they would not be distinct."""
    short = [name if len(name) <= most else f"{name[:8]}…{name[9 - most :]}" for name in names]
    return short if len(set(short)) == len(set(names)) else shortened(names, most + 1)


def number(score: str, value: float, sign: str = "") -> str:
    """Format a value of a score: one decimal if its upper bound exceeds 10, else two."""
    spec, further = spec_of(score)
    high = math.inf if spec is None else (further or spec).bounds[1]
    return signed(value, sign, 1 if math.isfinite(high) and high > 10 else 2)


def signed(value: float, sign: str = "+", decimals: int = 2) -> str:
    """Format a value with its sign; a value that rounds to zero has no sign."""
    shown = f"{value:{sign}z.{decimals}f}"
    return shown if float(shown) else shown.removeprefix("+")


def p_is(value: float) -> str:
    """Format a p-value, such as ``"p = .023"``."""
    return "p < .001" if value < 0.001 else f"p = {value:.3f}".replace("0.", ".", 1)


def sentence_of(line: Line, baseline: Line) -> str:
    """Return a sentence on the difference of a system from the baseline."""
    spec, further = spec_of(line.metric)
    title, p_holm = title_of(line.metric), line.p_holm or 0
    means = f"{number(line.metric, line.mean)} against {number(line.metric, baseline.mean)}"
    numbers = f"{means}, Holm {p_is(p_holm)}"
    if p_holm >= SIGNIFICANT:
        return f"No significant difference in {title} between {line.system} and {baseline.system}: {numbers}."
    is_more = (line.difference or 0) > 0
    if spec is not None and not further and spec.quality:
        more = "more" if is_more else "less"
        return f"{line.system} is {more} {spec.quality} than {baseline.system}: {numbers}."
    higher = "higher" if is_more else "lower"
    return f"{line.system} is {higher} than {baseline.system} in {title}: {numbers}."


def best_correlated(correlations: Sequence[HumanCorrelation]) -> str:
    """Return a sentence on the score that agrees best with human ratings over rows, or over systems."""
    best = _best(correlations)
    scores = sum(line.metric != LENGTH for line in correlations)
    correlates = "correlates best with" if scores > 1 else "correlates with"
    compared = []
    for is_better in (True, False):
        others = [
            f"{title_of(line.metric)} ({line.kendall:z.2f}, Holm {p_is(line.p_holm)})"
            for line in correlations
            if line.p_holm is not None and (line.p_holm < SIGNIFICANT) == is_better
        ]
        if others:
            compared.append(f"{'' if is_better else 'not '}significantly better than {', '.join(others)}")
    coefficient = f"{best.kendall:z.2f} [{best.kendall_low:z.2f}, {best.kendall_high:z.2f}]"
    said = (
        f"{_place(best)}, {title_of(best.metric)} {correlates} the human ratings "
        f"(Kendall's τ_b {coefficient}){': ' if compared else ''}{'; '.join(compared)}."
    )
    return f"{said} The interval includes 0." if best.kendall_low <= 0 <= best.kendall_high else said


def _best(correlations: Sequence[HumanCorrelation]) -> HumanCorrelation:
    """Return the line of the score that agrees best, which is compared with no other."""
    (best,) = (line for line in correlations if line.p_holm is None and line.metric != LENGTH)
    return best


def _place(line: HumanCorrelation) -> str:
    return f"{'Within' if line.level == 'ids' else 'Over'} {line.count:,} {line.level}"


def explained_by_length(correlations: Sequence[HumanCorrelation]) -> str:
    """Return a sentence on how much of the best agreement length explains; "" if unknown."""
    best = _best(correlations)
    length = next((line for line in correlations if line.metric == LENGTH), None)
    if length is None:
        return ""
    rest = (
        "is undefined" if best.partial is None else f"is {best.partial:z.2f} instead of {best.spearman:z.2f}"
    )
    return (
        f"{_place(best)}, the {LENGTH} alone has Spearman's ρ {length.spearman:z.2f} "
        f"with the human ratings; given the {LENGTH}, the ρ of {title_of(best.metric)} {rest}."
    )
