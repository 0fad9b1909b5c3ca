"""Compare rules by which a review supports a sentence with the judgements of people (ReviewNLI's dev part).

People said whether a whole review supports a sentence of a summary. Every rule has a premise (sentences of
the review, windows of two or three, windows of a number of words, or the whole review), a hypothesis (the
whole sentence, or its claims, of which the worst or the mean counts), and a score (e or e − c); the best
premise counts. Thresholds and calibrations are chosen on all products but one and applied to that one.

    python -m benchmarks.quality.support_rules [--judge JUDGE]   # 5 to 10 minutes, $CLAIMWISE_DATA
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.machine import describe, machine_markdown, markdown_table, show, use_threads, write_report

REPORT = Path(__file__).with_suffix("")
FILE = "human/reviewnli_dev.jsonl.gz"
Floats = npt.NDArray[np.floating]
Bools = npt.NDArray[np.bool_]
GRID = np.arange(0.05, 1, 0.05)
RESAMPLES = 500
HEADER = (
    "rule",
    "AUC",
    "difference from chosen rule",
    "balanced accuracy",
    "τ",
    "counted: error, ρ",
    "expected: error, ρ",
    "expected from τ: error, ρ",
    "calibrated: error, ρ",
)


class Pairs(NamedTuple):
    """Judged pairs of a review and a sentence.

    Attributes:
        supported: ``[pairs]``, what most people said.
        products: ``[pairs]``, the product.
        sentences: ``[pairs]``, the number of the sentence.
        scores: rule → ``[pairs]``, clipped to 0 to 1.
    """

    supported: Bools
    products: npt.NDArray[np.str_]
    sentences: npt.NDArray[np.int64]
    scores: dict[str, Floats]

    def sizes(self, support: Floats | Bools) -> Floats:
        """Return the sum over the reviews of each sentence."""
        return np.bincount(self.sentences, weights=support)


# Premises and scores ----------------------------------------------------------------------------------


def windows(sentences: Sequence[str], size: int) -> list[str]:
    """Return the windows of a number of sentences."""
    return [" ".join(sentences[i : i + size]) for i in range(max(1, len(sentences) - size + 1))]


def windows_of_words(sentences: Sequence[str], words: int) -> list[str]:
    """Return windows of whole sentences, limited in words; each repeats one sentence of the last."""
    found, start = [], 0
    while True:
        end = start + 1
        while end < len(sentences) and len(" ".join(sentences[start : end + 1]).split()) <= words:
            end += 1
        found.append(" ".join(sentences[start:end]))
        if end >= len(sentences):
            return found
        start = max(start + 1, end - 1)


PREMISES: dict[str, Callable[[Sequence[str]], list[str]]] = {
    "sentences": partial(windows, size=1),
    "two sentences": partial(windows, size=2),
    "three sentences": partial(windows, size=3),
    "windows of 24 words": partial(windows_of_words, words=24),
    "windows of 40 words": partial(windows_of_words, words=40),
    "whole review": lambda sentences: [" ".join(sentences)],
}
CHOSEN = "whole review, sentence, e"
COMBINED = {
    "mean of whole review and best two sentences": (CHOSEN, "two sentences, sentence, e"),
    "mean of whole review and best three sentences": (CHOSEN, "three sentences, sentence, e"),
    "whole review, mean of sentence and worst claim": (CHOSEN, "whole review, worst claim, e"),
}


def read(data: Path) -> list[dict[str, Any]]:
    """Return the rows of people's judgements."""
    with gzip.open(data / FILE, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def judged(rows: Sequence[dict[str, Any]], **judge: Any) -> Pairs:
    """Return the pairs of people's judgements with the scores of all rules."""
    from claimwise import load
    from claimwise.judges.crossing import gather
    from claimwise.labels import CONTRADICTION, ENTAILMENT
    from claimwise.text.normalise import plain

    metric: Any = load("support_counts", decomposer="default", **judge)
    metric.load()
    texts = list(dict.fromkeys(row["sentence"] for row in rows))
    written = metric.claims(list(map(plain, texts)))
    hypotheses = {text: [plain(text), *of_text.claims] for text, of_text in zip(texts, written, strict=True)}
    reviews = {row["review"]: metric.sentences(plain(row["review"])) for row in rows}
    premises = {review: {name: cut(of) for name, cut in PREMISES.items()} for review, of in reviews.items()}
    pairs = {
        (premise, hypothesis): None
        for row in rows
        for of_name in premises[row["review"]].values()
        for premise in of_name
        for hypothesis in hypotheses[row["sentence"]]
    }
    found = gather(metric.judge, list(pairs)).probabilities
    e = dict(zip(pairs, found[:, ENTAILMENT].tolist(), strict=True))
    c = dict(zip(pairs, found[:, CONTRADICTION].tolist(), strict=True))
    ways = {"e": e, "e − c": {pair: e[pair] - c[pair] for pair in pairs}}
    scores: dict[str, list[float]] = {}
    for row in rows:
        for name, of_name in premises[row["review"]].items():
            for way, known in ways.items():
                whole, *of_claims = (
                    max(known[premise, hypothesis] for premise in of_name)
                    for hypothesis in hypotheses[row["sentence"]]
                )
                mean = float(np.mean(of_claims))
                for what, value in (
                    ("sentence", whole),
                    ("worst claim", min(of_claims)),
                    ("mean claim", mean),
                ):
                    scores.setdefault(f"{name}, {what}, {way}", []).append(value)
    return pairs_of(rows, {rule: np.array(values) for rule, values in scores.items()})


def of_others(rows: Sequence[dict[str, Any]], **judge: Any) -> Floats:
    """Return e of whole reviews for the sentences of another product, which they should not support."""
    from claimwise import load
    from claimwise.judges.crossing import gather
    from claimwise.labels import ENTAILMENT
    from claimwise.text.normalise import plain

    metric: Any = load("support_counts", **judge)
    products = list(dict.fromkeys(row["product"] for row in rows))
    reviews = {
        product: dict.fromkeys(
            " ".join(metric.sentences(plain(row["review"]))) for row in rows if row["product"] == product
        )
        for product in products
    }
    other = dict(zip(products, products[5:] + products[:5], strict=True))
    sentences = dict.fromkeys((row["product"], plain(row["sentence"])) for row in rows)
    pairs = [(review, text) for product, text in sentences for review in reviews[other[product]]]
    return np.asarray(gather(metric.judge, pairs).probabilities[:, ENTAILMENT])


def pairs_of(rows: Sequence[dict[str, Any]], scores: dict[str, Floats]) -> Pairs:
    """Return the rows with their scores, those of combined rules included."""
    combined = {rule: np.mean([scores[part] for part in parts], axis=0) for rule, parts in COMBINED.items()}
    keys = [(row["product"], row["sentence"]) for row in rows]
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    return Pairs(
        supported=np.array([row["supported"] for row in rows]),
        products=np.array([row["product"] for row in rows]),
        sentences=np.array([numbers[key] for key in keys]),
        scores={**scores, **combined},
    )


# Measures ---------------------------------------------------------------------------------------------


def auc(scores: Floats, supported: Bools) -> float:
    """Return the probability that a supported pair has the higher score than another."""
    from scipy.stats import mannwhitneyu

    yes, no = scores[supported], scores[~supported]
    return float(mannwhitneyu(yes, no).statistic / (len(yes) * len(no)))


def balanced_accuracy(said: Bools, supported: Bools) -> float:
    """Return the mean of the accuracies on supported and on other pairs."""
    return float((said[supported].mean() + (~said[~supported]).mean()) / 2)


def best_threshold(scores: Floats, supported: Bools) -> float:
    """Return the threshold of the highest balanced accuracy, in steps of .05."""
    found = [balanced_accuracy(scores >= threshold, supported) for threshold in GRID]
    return round(float(GRID[np.argmax(found)]), 2)


def calibrated(scores: Floats, known: Floats, supported: Bools) -> Floats:
    """Return σ(a·logit(score) + b) of ``scores``, with a and b fitted on known pairs."""
    from scipy.optimize import minimize

    def logit(values: Floats) -> Floats:
        clipped = values.clip(1e-4, 1 - 1e-4)
        return np.log(clipped / (1 - clipped))

    def loss(line: Floats) -> float:
        z = line[0] * logit(known) + line[1]
        return float(np.mean(np.logaddexp(0, z) - supported * z))

    a, b = minimize(loss, [1.0, 0.0]).x
    return 1 / (1 + np.exp(-(a * logit(scores) + b)))


def measured(pairs: Pairs, rule: str) -> dict[str, Any]:
    """Return everything about a rule; thresholds and calibrations never saw the product they decide."""
    from scipy.stats import spearmanr

    scores, supported = pairs.scores[rule], pairs.supported
    said, expected_from, fitted = np.zeros(len(scores), bool), np.zeros(len(scores)), np.zeros(len(scores))
    for product in np.unique(pairs.products):
        here = pairs.products == product
        threshold = best_threshold(scores[~here], supported[~here])
        said[here] = scores[here] >= threshold
        expected_from[here] = np.where(said[here], scores[here], 0)
        fitted[here] = calibrated(scores[here], scores[~here], supported[~here])
    people = pairs.sizes(supported)

    def of_sizes(support: Floats | Bools) -> dict[str, float]:
        sizes = pairs.sizes(support)
        enough, truly = np.floor(sizes + 0.5) >= 3, people >= 3
        return {
            "error": float(np.abs(sizes - people).mean()),
            "spearman": float(spearmanr(sizes, people).statistic),
            "mean": float(sizes.mean()),
            "three_or_more": float(enough.mean()),
            "balanced_accuracy_of_three": balanced_accuracy(enough, truly),
        }

    return {
        "auc": auc(scores, supported),
        "balanced_accuracy": balanced_accuracy(said, supported),
        "threshold": best_threshold(scores, supported),
        "sizes": {
            "counted": of_sizes(said),
            "expected": of_sizes(scores.clip(0)),
            "expected from τ": of_sizes(expected_from),
            "calibrated": of_sizes(fitted),
        },
    }


def differences(pairs: Pairs, rules: Sequence[str]) -> dict[str, list[float]]:
    """Return the 95 % interval of each rule's AUC minus the chosen rule's, from resampled products."""
    generator = np.random.default_rng(0)
    rows = {product: np.flatnonzero(pairs.products == product) for product in np.unique(pairs.products)}
    drawn = [
        np.concatenate([rows[product] for product in generator.choice(list(rows), len(rows))])
        for _ in range(RESAMPLES)
    ]
    aucs = {
        rule: np.array([auc(pairs.scores[rule][of], pairs.supported[of]) for of in drawn])
        for rule in {*rules, CHOSEN}
    }
    return {rule: np.quantile(aucs[rule] - aucs[CHOSEN], (0.025, 0.975)).tolist() for rule in rules}


def row(rule: str, found: dict[str, Any]) -> tuple[str, ...]:
    """Return a rule's row of the table."""
    low, high = found["auc_difference"]
    sizes = (f"{of['error']:.2f}, {of['spearman']:.2f}" for of in found["sizes"].values())
    return (
        rule,
        f"{found['auc']:.3f}",
        "–" if rule == CHOSEN else f"[{low:.3f}, {high:.3f}]".replace("-", "−"),
        f"{found['balanced_accuracy']:.3f}",
        f"{found['threshold']:.2f}",
        *(one.replace("-", "−") for one in sizes),
    )


def page(report: dict[str, Any], table: Sequence[Sequence[str]]) -> list[str]:
    """Return the paragraphs of the page."""
    people, rules, others = report["people"], report["rules"], report["others"]
    sizes = rules[CHOSEN]["sizes"]
    rounded, counted = (
        f"{sizes[name]['three_or_more']:.0%} of the sentences have three or more supports (balanced accuracy "
        f"{sizes[name]['balanced_accuracy_of_three']:.2f} against people)"
        for name in ("expected from τ", "counted")
    )
    return [
        "# Which reviews support a sentence",
        f"Written by `benchmarks/quality/support_rules.py` (judge `{report['judge']}`). Rules are compared "
        f"with what most of three people said of {people['pairs']} pairs of a review and a sentence of a "
        f"summary (ReviewNLI, dev: {people['products']} products, {people['sentences']} sentences, "
        f"eight reviews each). People found {people['supported']:.1%} of the pairs supported, which is "
        f"{people['mean_size']:.2f} of eight reviews a sentence, and three or more reviews for "
        f"{people['three_or_more']:.1%} of the sentences.",
        "A rule has a premise, of which the best in a review counts, a hypothesis and a score. Thresholds τ "
        "and calibrations were chosen on all products but one and applied to that one. The column τ shows "
        "the threshold chosen on all products. The last columns compare the number of supporting reviews of "
        "a sentence with people's: mean absolute error, Spearman's ρ. The number is counted by τ; or it "
        "is expected, as the sum of the scores of all reviews, of those from τ on, or of all reviews after "
        "calibration by σ(a·logit(score) + b). Intervals contain 95 % of the differences in AUC over "
        f"{RESAMPLES} samples of products.",
        report["verdict"],
        markdown_table(HEADER, table),
        f"The reviews of another product support a sentence by {others['expected']:.3f} a review if "
        f"all scores are summed, by {others['expected_from_threshold']:.3f} if only those from τ on "
        f"are, and by {others['counted']:.3f} if reviews are counted by τ. This adds up over many "
        "reviews, so the metric sums scores from τ on.",
        f"An answer that is the same for every sentence, people's median, has an error of "
        f"{people['error_of_the_median']:.2f} and no correlation. By the chosen rule, with τ chosen on other "
        f"products, {rounded} if the expected number from τ on is rounded, and {counted} if reviews are "
        "counted.",
        machine_markdown(report["machine"]),
    ]


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--judge", default="default", help="the judge (default: the embedded one)")
    parser.add_argument("--score-cache", type=Path, help="SQLite file that keeps judgements")
    parser.add_argument("--threads", type=int, default=2, help="of the judge (default: 2)")
    parser.add_argument("--data", type=Path, default=os.environ.get("CLAIMWISE_DATA"), help="$CLAIMWISE_DATA")
    parser.add_argument("--output", type=Path, default=REPORT, help="the report, without suffix")
    options = parser.parse_args()
    if options.data is None or not (Path(options.data) / FILE).is_file():
        parser.error(f"set CLAIMWISE_DATA (or --data) to the folder that holds {FILE}.")
    use_threads(options.threads)

    machine = describe(options.threads)
    rows = read(Path(options.data))
    pairs = judged(rows, judge=options.judge, score_cache=options.score_cache)
    rules = sorted(pairs.scores, key=lambda rule: -auc(pairs.scores[rule], pairs.supported))
    intervals = differences(pairs, rules)
    results = {rule: {**measured(pairs, rule), "auc_difference": intervals[rule]} for rule in rules}
    sizes = pairs.sizes(pairs.supported)
    table = [row(rule, found) for rule, found in results.items()]
    show("Rules of support", HEADER, table)
    threshold = results[CHOSEN]["threshold"]
    others = of_others(rows, judge=options.judge, score_cache=options.score_cache)
    verdict = f"Chosen rule: {CHOSEN}; threshold {threshold:.2f}. Highest AUC: {rules[0]}."
    print(verdict)
    report = {
        "machine": machine,
        "judge": options.judge,
        "verdict": verdict,
        "chosen": {"rule": CHOSEN, "threshold": threshold},
        "others": {
            "expected": float(others.mean()),
            "expected_from_threshold": float(np.where(others >= threshold, others, 0).mean()),
            "counted": float((others >= threshold).mean()),
        },
        "people": {
            "pairs": len(pairs.supported),
            "products": len(set(pairs.products)),
            "sentences": len(sizes),
            "supported": float(pairs.supported.mean()),
            "mean_size": float(sizes.mean()),
            "three_or_more": float((sizes >= 3).mean()),
            "error_of_the_median": float(np.abs(sizes - np.median(sizes)).mean()),
        },
        "rules": results,
    }
    write_report(options.output, report, page(report, table))


if __name__ == "__main__":
    main()
