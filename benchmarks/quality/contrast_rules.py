"""Compare rules by which the comparisons of a claim decide CASPR, on OpinionNLI's validation checklists.

Each checklist gives pairs of summaries whose share of contrast is known: its points in two wordings (0 %),
against their denials (100 %), mixed (some points shared, some denied, the rest only in one summary; in two
wordings), and against the points of another checklist of its domain (most of them of other things). Nothing
else is looked at, so that CoCoTrip measures what is chosen here.

    python -m benchmarks.quality.contrast_rules   # a few minutes
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

sys.path.append(str(Path(__file__).parents[2] / "datasets_scripts"))

from benchmarks.machine import markdown_table, show, use_threads

REPORT = Path(__file__).with_suffix(".md")
Floats = npt.NDArray[np.floating]
HEADER = (
    "rule",
    "same",
    "denied",
    "other",
    "error",
    "Pearson of two wordings",
    "difference from chosen rule",
)
CHOSEN = "by strength, mean direction"
RESAMPLES = 2000


class Case(NamedTuple):
    """A pair of summaries as claims, the checklist it is made of, and its share of contrast in percent."""

    kind: str
    checklist: int
    wording: int
    a: list[str]
    b: list[str]
    contrast: float


def cases(seed: int = 33) -> list[Case]:
    """Return the pairs of summaries."""
    from opinion_nli import read_checklists

    checklists = [one for one in read_checklists() if one.split == "validation"]
    generator = random.Random(seed)
    found = []
    for number, checklist in enumerate(checklists):
        items = [item for item in checklist.items if "+" not in item.aspect and len(item.claims) >= 2]
        if len(items) < 4:
            continue
        generator.shuffle(items)
        wordings = [(one.claims[0], one.claims[1], one.denials[0], one.denials[-1]) for one in items[:10]]
        first, second, denied, denied_too = map(list, zip(*wordings, strict=True))
        found.append(Case("same", number, 0, first, second, 0))
        found.append(Case("denied", number, 0, first, denied, 100))
        found.append(Case("denied", number, 1, second, denied_too, 100))
        plan = [generator.choice(["same", "deny", "a", "b", "b", "a"]) for _ in wordings]
        for wording in (0, 1):
            points = list(zip(wordings, plan, strict=True))
            other = {"same": 1 - wording, "deny": 2 + wording, "b": wording}
            a = [one[wording] for one, is_in in points if is_in != "b"]
            b = [one[other[is_in]] for one, is_in in points if is_in != "a"]
            if a and b:
                contrast = 100 * (1 - 2 * plan.count("same") / (len(a) + len(b)))
                found.append(Case("mixed", number, wording, a, b, contrast))
    for number, checklist in enumerate(checklists):
        others = [n for n, one in enumerate(checklists) if n != number and one.domain == checklist.domain]
        if others:
            sides = [checklist, checklists[generator.choice(others)]]
            a, b = ([i.claims[0] for i in side.items if "+" not in i.aspect][:8] for side in sides)
            if a and b:
                found.append(Case("other", number, 0, a, b, 100))
    return found


# Rules: of the probabilities of one claim's entailments and contradictions ----------------------------


def larger(there: Floats, back: Floats) -> Floats:
    """Return the larger of both directions."""
    return np.maximum(there, back)


def mean(there: Floats, back: Floats) -> Floats:
    """Return the mean of both directions."""
    return (there + back) / 2


def majority(e: Floats, c: Floats) -> float:
    """Count (the paper's rule)."""
    return float(len(c) > len(e))


def strength(e: Floats, c: Floats) -> float:
    """Take the surest; a tie agrees."""
    return float(c.max(initial=0) > e.max(initial=0))


def graded(e: Floats, c: Floats) -> float:
    """Count 1 − p(entailment) where an entailment is the surest."""
    return 1.0 if strength(e, c) else 1 - float(e.max())


def graded_to_half(e: Floats, c: Floats) -> float:
    """Count 0 from p(entailment) = .5 on, else as ``graded``."""
    return 0.0 if not strength(e, c) and e.max() >= 0.5 else graded(e, c)


def from_half(e: Floats, c: Floats) -> float:
    """Let an entailment count from .5 on only."""
    return strength(e[e >= 0.5], c) if (e >= 0.5).any() else 1.0


def margin(e: Floats, c: Floats) -> float:
    """Weigh the surest of both: c / (c + e)."""
    sure, denied = e.max(initial=0), c.max(initial=0)
    return float(denied / (denied + sure))


RULES: dict[str, tuple[Callable[[Floats, Floats], float], Callable[[Floats, Floats], Floats]]] = {
    "majority (the paper's)": (majority, mean),
    "by strength, larger direction": (strength, larger),
    CHOSEN: (strength, mean),
    "entailment from .5, mean direction": (from_half, mean),
    "c / (c + e), mean direction": (margin, mean),
    "graded below .5, mean direction": (graded_to_half, mean),
    "graded, larger direction": (graded, larger),
    "graded, mean direction": (graded, mean),
}


def score(rule: str, forward: Floats, backward: Floats) -> float:
    """Return the score of a pair of summaries by a rule, from 0 to 100."""
    from claimwise.labels import CONTRADICTION, ENTAILMENT, NEUTRAL
    from claimwise.scores.caspr import pair_labels

    decide, directions = RULES[rule]
    labels, back = pair_labels(forward, backward), backward.transpose(1, 0, 2)
    e, c = (directions(forward[..., label], back[..., label]) for label in (ENTAILMENT, CONTRADICTION))
    found = []
    for of_labels, of_e, of_c in ((labels, e, c), (labels.T, e.T, c.T)):
        for label, sure, denied in zip(of_labels, of_e, of_c, strict=True):
            alone = (label == NEUTRAL).all()
            found.append(1.0 if alone else decide(sure[label == ENTAILMENT], denied[label == CONTRADICTION]))
    return 100 * float(np.mean(found))


# What is compared -------------------------------------------------------------------------------------


def measured(pairs: list[tuple[Case, Floats, Floats]], rule: str, resamples: int = RESAMPLES) -> Any:
    """Return the means of a rule and their bootstrap values, which are paired over rules."""
    generator = np.random.default_rng(0)
    scores = {case[:3]: (score(rule, *matrices), case.contrast) for case, *matrices in pairs}

    def of(kind: str, wording: int) -> dict[int, tuple[float, float]]:
        return {key[1]: found for key, found in scores.items() if (key[0], key[2]) == (kind, wording)}

    same = np.array([found for found, _ in of("same", 0).values()])
    denied = np.mean([found for wording in (0, 1) for found, _ in of("denied", wording).values()])
    other = np.mean([found for found, _ in of("other", 0).values()])
    first, second = of("mixed", 0), of("mixed", 1)
    mixed = np.array([(*first[one], second[one][0]) for one in first.keys() & second.keys()])
    x, known, y = mixed.T
    error = (np.abs(x - known) + np.abs(y - known)) / 2
    rows = [generator.integers(len(mixed), size=len(mixed)) for _ in range(resamples)]
    of_same = [generator.integers(len(same), size=len(same)) for _ in range(resamples)]
    return {
        "denied": denied,
        "other": other,
        "same": (same.mean(), np.array([same[one].mean() for one in of_same])),
        "error": (error.mean(), np.array([error[one].mean() for one in rows])),
        "Pearson": (
            np.corrcoef(x, y)[0, 1],
            np.array([np.corrcoef(x[one], y[one])[0, 1] for one in rows]),
        ),
    }


def row(rule: str, found: Any, chosen: Any) -> tuple[str, ...]:
    """Return a rule's row of the table: means, 95 % intervals, and those of the differences."""

    def ends(values: Floats, digits: int) -> str:
        low, high = np.quantile(values, (0.025, 0.975))
        return f"[{low:.{digits}f}, {high:.{digits}f}]".replace("-", "−")

    columns = (("same", 1), ("error", 1), ("Pearson", 3))
    same, error, pearson = (f"{found[n][0]:.{d}f} {ends(found[n][1], d)}" for n, d in columns)
    differences = ", ".join(f"{name} {ends(found[name][1] - chosen[name][1], d)}" for name, d in columns)
    return (
        rule,
        same,
        f"{found['denied']:.1f}",
        f"{found['other']:.1f}",
        error,
        pearson,
        "–" if rule == CHOSEN else differences,
    )


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--threads", type=int, default=2, help="of torch (default: 2)")
    use_threads(parser.parse_args().threads)

    from claimwise.judges import NLIModel
    from claimwise.judges.crossing import cross

    made = cases()
    judge = NLIModel.from_pretrained(device="cpu")
    matrices = [
        one.probabilities for one in cross(judge, [e for c in made for e in ((c.a, c.b), (c.b, c.a))])
    ]
    pairs = list(zip(made, matrices[::2], matrices[1::2], strict=True))
    results = {rule: measured(pairs, rule) for rule in RULES}
    table = [row(rule, found, results[CHOSEN]) for rule, found in results.items()]
    show("Rules of CASPR", HEADER, table)
    before, _, after = re.split(r"((?:^\|.*\n)+)", REPORT.read_text(encoding="utf-8"), flags=re.MULTILINE)
    REPORT.write_text(f"{before}{markdown_table(HEADER, table)}\n{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
