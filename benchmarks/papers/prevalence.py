"""Opinion prevalence beside people's: its threshold and its scores, on the dev part of ReviewNLI.

For every review of a product and every sentence of the product's summary, three workers said whether the
review supports the sentence (Malon 2023). The score of people is the share of the reviews with a majority of
yes, averaged over the sentences. The chosen threshold is the one at which people and the judge find the same
share of all pairs supported. For the rows "left out", the threshold of each product is chosen on the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats

from benchmarks.papers.command import RESULTS, data_flag, output_flag, paper_command, run, show
from benchmarks.papers.experiment import Floats, outputs, table, with_cache, with_interval
from benchmarks.papers.factuality import balanced_accuracy, roc_auc
from benchmarks.papers.lines import read_json_lines
from claimwise.judges.options import JudgeOptions
from claimwise.labels import ENTAILMENT
from claimwise.metrics import OpinionPrevalence
from claimwise.scores.opinion_prevalence import redundant, sentence_scores, share_of_reviews
from claimwise.stats import bootstrap_interval

FILE = "human/reviewnli_dev.jsonl.gz"
THRESHOLDS = np.arange(1, 20) / 20


class Product(NamedTuple):
    """A summary as sentences, its reviews, and whether people find a sentence supported by a review."""

    sentences: list[str]
    reviews: list[str]
    supported: npt.NDArray[np.bool_]
    """``[reviews, sentences]``."""


class Entailment(NamedTuple):
    """Probabilities of entailment for a product."""

    by_reviews: Floats
    """``[reviews, sentences]``."""
    by_sentences: Floats
    """``[sentences, sentences]``, of the columns by the rows."""
    by_trivial: Floats
    """``[1, sentences]``."""


def read_products(folder: Path) -> list[Product]:
    """Read ReviewNLI from ``folder``/human.

    Raises:
        ClaimwiseError: if the file is missing or differs from the released format.
    """
    rows: dict[str, dict[tuple[int, str], dict[str, Any]]] = {}
    for row in read_json_lines(folder / FILE, f"Set --data to the folder that contains {FILE}."):
        rows.setdefault(row["product"], {})[row["review_number"], row["sentence"]] = row
    products = []
    for of_product in rows.values():
        numbers, sentences = (list(dict.fromkeys(keys)) for keys in zip(*of_product, strict=True))
        products.append(
            Product(
                sentences=sentences,
                reviews=[of_product[number, sentences[0]]["review"] for number in numbers],
                supported=np.array([[of_product[n, s]["supported"] for s in sentences] for n in numbers]),
            )
        )
    return products


def judged(metric: OpinionPrevalence, products: Sequence[Product]) -> list[Entailment]:
    """Return the entailment of all products, whose reviews are short enough to be read whole."""
    trivial = "I bought this product."
    found = metric.cross([([*p.reviews, *p.sentences, trivial], p.sentences) for p in products])
    return [
        Entailment(*np.split(of.probabilities[..., ENTAILMENT], [len(p.reviews), -1]))
        for of, p in zip(found, products, strict=True)
    ]


def chosen_threshold(products: Sequence[Product], entailment: Sequence[Entailment]) -> float:
    """Return the threshold at which the shares of the judge and of people differ least, over all pairs."""
    labels = np.concatenate([product.supported.ravel() for product in products])
    scores = np.concatenate([of.by_reviews.ravel() for of in entailment])
    differences = [abs(np.mean(scores >= threshold) - labels.mean()) for threshold in THRESHOLDS]
    return float(THRESHOLDS[int(np.argmin(differences))])


def score(entailment: Entailment, threshold: float, *, zeros: bool) -> float:
    """Return the prevalence; without ``zeros``, trivial and redundant sentences count like the others."""
    share = share_of_reviews(entailment.by_reviews, range(len(entailment.by_reviews)), threshold)
    if zeros:
        is_trivial = entailment.by_trivial[0] >= threshold
        share = sentence_scores(share, is_trivial, redundant(entailment.by_sentences, threshold))
    return float(share.mean())


def measure(
    products: Sequence[Product], entailment: Sequence[Entailment], thresholds: Sequence[float], *, zeros: bool
) -> dict[str, Any]:
    """Compare the scores of products, each with its threshold, with those of people.

    Returns:
        ``pearson`` and ``difference`` (ours − people's) with 95 % intervals, ``error`` (mean absolute
        difference), and ``balanced_accuracy`` over all pairs of a review and a sentence.
    """
    human = np.array([product.supported.mean() for product in products])
    pairs = list(zip(entailment, thresholds, strict=True))
    ours = np.array([score(of, threshold, zeros=zeros) for of, threshold in pairs])
    pearson = stats.pearsonr(ours, human)
    labels = np.concatenate([product.supported.ravel() for product in products]).astype(np.int64)
    margins = np.concatenate([(of.by_reviews - threshold).ravel() for of, threshold in pairs])
    return {
        "mean": float(ours.mean()),
        "pearson": {"value": float(pearson.statistic), "ci": list(pearson.confidence_interval(0.95))},
        "difference": {
            "value": float(np.mean(ours - human)),
            "ci": list(bootstrap_interval((ours - human).tolist())),
        },
        "error": float(np.mean(np.abs(ours - human))),
        "balanced_accuracy": balanced_accuracy(labels, margins, 0),
    }


def reproduce_prevalence(data: Path, out: Path, **options: Any) -> dict[str, Any]:
    """Choose the threshold of opinion prevalence, and compare its scores with people's.

    Args:
        data: the folder with ``human``.
        out: folder for ``results.json``, ``results.md`` and ``scores.sqlite`` (a killed run resumes from it).
        **options: options of the judge.

    Raises:
        ClaimwiseError: for missing data, or an output that cannot be written.
    """
    products = read_products(data)
    with outputs(out, "results.json", "results.md") as write:
        metric = OpinionPrevalence(**with_cache(options, out))
        entailment = judged(metric, products)
        threshold = chosen_threshold(products, entailment)
        left_out = [
            chosen_threshold(*([*of[:i], *of[i + 1 :]] for of in (products, entailment)))
            for i in range(len(products))
        ]
        everywhere = {f"{one:g}": [float(one)] * len(products) for one in THRESHOLDS}
        labels = np.concatenate([product.supported.ravel() for product in products]).astype(np.int64)
        results = {
            "products": len(products),
            "pairs": len(labels),
            "people": float(np.mean([product.supported.mean() for product in products])),
            "roc_auc": roc_auc(labels, np.concatenate([of.by_reviews.ravel() for of in entailment])),
            "threshold": threshold,
            "left_out_thresholds": left_out,
            "trivial": int(sum((of.by_trivial >= threshold).sum() for of in entailment)),
            "redundant": int(sum(redundant(of.by_sentences, threshold).sum() for of in entailment)),
            "sentences": sum(len(product.sentences) for product in products),
            "shares": {
                "left out": measure(products, entailment, left_out, zeros=False),
                **{name: measure(products, entailment, at, zeros=False) for name, at in everywhere.items()},
            },
            "scores": {"left out": measure(products, entailment, left_out, zeros=True)},
            "signature": metric.signature(),
        }
        write("results.json", results)
        write("results.md", prevalence_table(results) + "\n")
    return results


def prevalence_table(results: dict[str, Any]) -> str:
    """Return the results as a Markdown table, with a sentence about what it shows."""
    chosen = f"{results['threshold']:g}"
    rows = {
        "left out": results["shares"]["left out"],
        **{f"{name}{' (chosen)' * (name == chosen)}": results["shares"][name] for name in _shown(chosen)},
        "left out, trivial and redundant sentences count 0": results["scores"]["left out"],
    }
    cells = [
        [
            name,
            f"{of['mean']:.3f}",
            *(with_interval(of[key]["value"], of[key]["ci"]).replace("-", "−") for key in MEASURES),
            f"{of['error']:.3f}",
            f"{of['balanced_accuracy']:.3f}",
        ]
        for name, of in rows.items()
    ]
    head = ["threshold", "mean score", "Pearson's r", "difference from people", "mean error"]
    return "\n".join(
        [
            *table([*head, "balanced accuracy of pairs"], cells),
            f"{results['products']} products, {results['pairs']} pairs of a review and a sentence. The mean "
            f"score of people is {results['people']:.3f}. The area under the ROC curve is "
            f"{results['roc_auc']:.3f}. At the chosen threshold, {results['trivial']} of the "
            f"{results['sentences']} sentences are trivial and {results['redundant']} are redundant.",
            "",
            f"Signature: `{results['signature']}`",
        ]
    )


MEASURES = ("pearson", "difference")


def _shown(chosen: str) -> list[str]:
    """Return the thresholds of the table."""
    return sorted({"0.1", "0.2", "0.5", "0.75", chosen}, key=float)


@paper_command(groups=(JudgeOptions,), leave_out=("score_cache",))
@output_flag(f"{RESULTS}, scores.sqlite")
@data_flag("with human/reviewnli_dev.jsonl.gz")
def main(out: Path, data: Path, options: dict[str, Any]) -> None:
    """Choose the threshold of opinion_prevalence, and compare its scores with people's."""
    reproduce_prevalence(data, out, **options)
    show(out, RESULTS)


if __name__ == "__main__":
    run(main)
