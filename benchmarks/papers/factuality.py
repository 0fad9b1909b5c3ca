"""Evaluation of factuality scores: SummaC-ZS variants and simple baselines against human labels.

Three sets of summaries with labels (1 = consistent with its source): QAGS-CNN/DM (Wang et al. 2020), CLIFF
and Goyal21 as collected in AggreFact (Tang et al. 2023), SummEdits (Laban et al. 2023). Also measured: the
agreement with the VitaminC scores and the human support labels that Bhaskar et al. (2022) released.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import rich_click as click
from scipy import stats

from benchmarks.papers import zs_summ
from benchmarks.papers.command import RESULTS, data_flag, output_flag, paper_command, run, show
from benchmarks.papers.experiment import Floats, outputs, table, with_cache, with_interval
from benchmarks.papers.experiment import scores as scores_of
from benchmarks.papers.lines import read_json_lines
from benchmarks.papers.rouge_l import rouge_l as rouge_l_overlap
from claimwise.apps.cli.options import Commas
from claimwise.errors import ClaimwiseError
from claimwise.judges.crossing import gather
from claimwise.judges.options import JudgeOptions
from claimwise.judges.protocol import Judge
from claimwise.metrics import InvertedBertscore, SummacZs
from claimwise.options import check

VARIANTS: dict[str, dict[str, Any]] = {
    "two sentences": {},
    "two sentences, e − c": {"scoring": "entailment_minus_contradiction"},
    "two sentences, minimum": {"aggregation": "min"},
    "one sentence": {"premise_granularity": "sentence"},
    "document": {"premise_granularity": "document"},
    "best 5 sentences joined": {"premise_granularity": "topk"},
    "retrieve and rerank": {
        "premise_granularity": "topk",
        "retrieve_by": "entailment_and_contradiction",
    },
    "claims": {"hypothesis_granularity": "claim"},
}

Labels = npt.NDArray[np.int64]


class Labelled(NamedTuple):
    """Summaries, their sources, and whether each is consistent with its source (1) or not (0)."""

    summaries: list[str]
    sources: list[str]
    labels: Labels


def read_labelled(folder: Path) -> dict[str, Labelled]:
    """Read the labelled sets in ``folder``/factuality.

    Raises:
        ClaimwiseError: if a file is missing.
    """
    names = ("qags_cnndm", "cliff_goyal21", "summedits", "summedits_docs")
    qags, cliff, edits, documents = (_rows(folder / "factuality" / f"{name}.jsonl.gz") for name in names)
    text_of = {row["doc_id"]: row["doc"] for row in documents}
    of_qags = [" ".join(sentence["sentence"] for sentence in row["sentences"]) for row in qags]
    parts = {
        "qags_cnndm": (qags, of_qags, [row["article"] for row in qags]),
        "cliff_goyal21": (cliff, [row["summary"] for row in cliff], [row["doc"] for row in cliff]),
        "summedits": (edits, [row["summary"] for row in edits], [text_of[row["doc_id"]] for row in edits]),
    }
    return {
        name: Labelled(summaries, sources, np.array([row["label"] for row in rows]))
        for name, (rows, summaries, sources) in parts.items()
    }


def roc_auc(labels: Labels, scores: Floats) -> float:
    """Return the area under the ROC curve: the chance that a consistent summary outscores another."""
    positive, negative = scores[labels == 1], scores[labels == 0]
    return float(stats.mannwhitneyu(positive, negative).statistic / (len(positive) * len(negative)))


def balanced_accuracy(labels: Labels, scores: Floats, threshold: float) -> float:
    """Return the mean recall of both classes; scores at or above ``threshold`` count as consistent."""
    predicted = scores >= threshold
    return float((predicted[labels == 1].mean() + (~predicted)[labels == 0].mean()) / 2)


def best_threshold(labels: Labels, scores: Floats) -> float:
    """Return the (lowest) score with the best balanced accuracy as a threshold."""
    candidates = np.unique(scores)
    return float(max(candidates, key=lambda threshold: balanced_accuracy(labels, scores, threshold)))


def measure(labels: Labels, scores: Floats, seed: int = 0, resamples: int = 1000) -> dict[str, Any]:
    """Measure scores against labels; the threshold is tuned on one random half and used on the other.

    Returns:
        ``roc_auc`` (all rows), ``balanced_accuracy`` (second half) and ``tuned`` (the same on the first
        half), the first two with a 95 % percentile interval over ``resamples`` bootstrap resamples.
    """
    generator = np.random.default_rng(seed)
    order = generator.permutation(len(labels))
    tuning, held_out = order[: len(order) // 2], order[len(order) // 2 :]
    threshold = best_threshold(labels[tuning], scores[tuning])

    def interval(value: Callable[[Any, Any], float], rows: Labels) -> list[float]:
        values = []
        for _ in range(resamples):
            drawn = generator.choice(rows, len(rows))
            if 0 < labels[drawn].sum() < len(drawn):
                values.append(value(labels[drawn], scores[drawn]))
        return [float(bound) for bound in np.percentile(values, [2.5, 97.5])]

    def accuracy(labels: Any, scores: Any) -> float:
        return balanced_accuracy(labels, scores, threshold)

    return {
        "roc_auc": {"value": roc_auc(labels, scores), "ci": interval(roc_auc, order)},
        "balanced_accuracy": {
            "value": accuracy(labels[held_out], scores[held_out]),
            "ci": interval(accuracy, held_out),
        },
        "tuned": accuracy(labels[tuning], scores[tuning]),
    }


def share_not_better(
    labels: Labels,
    scores: Floats,
    baseline: Floats,
    sources: list[str],
    seed: int = 0,
    resamples: int = 1000,
) -> float:
    """Return the one-sided p-value for a greater ROC AUC of ``scores`` than of ``baseline``.

    The test is a paired bootstrap over documents: summaries of one source are resampled together, because
    they are not independent.
    """
    generator = np.random.default_rng(seed)
    numbers: dict[str, list[int]] = {}
    for row, source in enumerate(sources):
        numbers.setdefault(source, []).append(row)
    documents = [np.array(rows) for rows in numbers.values()]
    not_better = []
    for _ in range(resamples):
        drawn = np.concatenate(
            [documents[i] for i in generator.integers(len(documents), size=len(documents))]
        )
        if 0 < labels[drawn].sum() < len(drawn):
            ours, theirs = (roc_auc(labels[drawn], values[drawn]) for values in (scores, baseline))
            not_better.append(ours <= theirs)
    return float(np.mean(not_better))


def rouge_l(summary: str, source: str) -> float:
    """Return ROUGE-L precision: the longest common subsequence divided by the summary's words (Lin 2004).

    Precision, because a source is much longer than its summary and need not be covered.
    """
    return rouge_l_overlap(summary.lower().split(), source.lower().split()).precision


def agreement(folder: Path, judge: Judge, pairs_per_system: int = 3000) -> dict[str, Any]:
    """Compare e − c of a model with the scores and labels released by Bhaskar et al. (2022).

    Args:
        folder: the folder of ``zs_summ``.
        judge: the judge.
        pairs_per_system: maximum number of recorded (review sentence, claim) pairs per system, sampled with a
            fixed seed.

    Returns:
        ``vitaminc``: Spearman correlation with the recorded VitaminC scores per ``dataset/system``;
        ``human``: Spearman correlation of the model, and of VitaminC, with the mean human support label (0 to
        2).
    """
    generator = np.random.default_rng(0)

    def e_minus_c(pairs: list[tuple[str, str]]) -> npt.NDArray[np.float32]:
        probabilities = gather(judge, pairs).probabilities
        return probabilities[:, 0] - probabilities[:, 2]

    results: dict[str, Any] = {"vitaminc": {}}
    for dataset, system in zs_summ.systems(folder / "zs_summ"):
        recorded = {
            (scored.sentence, claim.claim): scored.score
            for summary in zs_summ.read_system(folder / "zs_summ", dataset, system)
            for claim in summary.claims
            for scored in (*claim.support, *claim.weaken)
        }
        keys = list(recorded)
        if len(keys) > pairs_per_system:
            keys = [keys[i] for i in sorted(generator.choice(len(keys), pairs_per_system, replace=False))]
        correlation = stats.spearmanr(e_minus_c(keys), [recorded[key] for key in keys])
        results["vitaminc"][f"{dataset}/{system}"] = {
            "spearman": float(correlation.statistic),
            "pairs": len(keys),
        }
    rows = _rows(folder / "zs_summ" / "entailment_validation.jsonl.gz")
    # Not every judge labelled every pair.
    human = [float(np.mean([label for label in row["labels"].values() if label is not None])) for row in rows]
    ours = e_minus_c([(row["reference"], row["claim"]) for row in rows])
    results["human"] = {
        "spearman": float(stats.spearmanr(ours, human).statistic),
        "vitaminc_spearman": float(stats.spearmanr([row["score"] for row in rows], human).statistic),
        "pairs": len(rows),
    }
    return results


def reproduce_factuality(
    data: Path,
    out: Path,
    datasets: Collection[str] | None = None,
    variants: Collection[str] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Measure SummaC-ZS variants and the baselines on the labelled sets.

    Args:
        data: the folder with ``factuality`` and ``zs_summ``.
        out: folder for ``results.json``, ``results.md`` and ``scores.sqlite`` (a killed run resumes from it).
        datasets: labelled sets to use (default: all three).
        variants: names of variants in ``VARIANTS`` (default: all).
        **options: options of the NLI model, such as ``judge`` or ``device``; the variants set all other
            options.

    Returns:
        ``{set: {variant: {"roc_auc", "balanced_accuracy", "tuned", "p_against_rouge_l"}}, "best": {set:
        variant}, "agreement": …, "signature": line}``; ``best`` is chosen on the tuning half.

    Raises:
        ClaimwiseError: for missing data, an unknown set or variant, or an output that cannot be written.
    """
    labelled = read_labelled(data)
    if unknown := sorted(set(datasets or []) - set(labelled)):
        raise ClaimwiseError(f"Unknown set {', '.join(unknown)}.", f"Choose from {', '.join(labelled)}.")
    variants = variants or list(VARIANTS)
    for variant in variants:
        check("variants", variant, choices=list(VARIANTS))
    results: dict[str, Any] = {}
    with outputs(out, "results.json", "results.md") as write:
        judge = SummacZs(**with_cache(options, out)).judge
        inverted_bertscore = InvertedBertscore()
        for name in datasets or labelled:
            summaries, sources, labels = labelled[name]
            rouge = np.array([rouge_l(*texts) for texts in zip(summaries, sources, strict=True)])
            scores = {
                variant: scores_of(SummacZs(judge=judge, **VARIANTS[variant]), summaries, sources)
                for variant in variants
            }
            scores["inverted_bertscore"] = -scores_of(inverted_bertscore, summaries, sources)
            results[name] = {
                variant: measure(labels, values)
                | {"p_against_rouge_l": share_not_better(labels, values, rouge, sources)}
                for variant, values in scores.items()
            }
            results[name]["ROUGE-L"] = measure(labels, rouge)
        results["best"] = {
            name: max(variants, key=lambda variant: results[name][variant]["tuned"])
            for name in datasets or labelled
        }
        results["agreement"] = agreement(data, judge)
        results["signature"] = SummacZs(judge=judge).signature()
        write("results.json", results)
        write("results.md", factuality_table(results))
    return results


def factuality_table(results: dict[str, Any]) -> str:
    """Return the results as Markdown tables."""
    head = ["score", "ROC AUC [95 % interval]", "p against ROUGE-L"]
    head.append("balanced accuracy, held-out half [95 % interval]")
    lines = []
    for name, best in results["best"].items():
        rows = []
        for variant, measured in results[name].items():
            area, accuracy = (
                with_interval(measured[key]["value"], measured[key]["ci"])
                for key in ("roc_auc", "balanced_accuracy")
            )
            p_value = f"{measured['p_against_rouge_l']:.3f}" if "p_against_rouge_l" in measured else "–"
            mark = " (best on the tuning half)" if variant == best else ""
            rows.append([f"{variant}{mark}", area, p_value, accuracy])
        lines += [f"### {name}", "", *table(head, rows)]
    agreement = {f"VitaminC, {name}": value for name, value in results["agreement"]["vitaminc"].items()}
    human = results["agreement"]["human"]
    agreement[f"human support labels (VitaminC: {human['vitaminc_spearman']:.3f})"] = human
    found = [(name, f"{value['spearman']:.3f}", value["pairs"]) for name, value in agreement.items()]
    lines += ["### Agreement", "", *table(["with", "Spearman", "pairs"], found)]
    return "\n".join(lines) + f"\n`{results['signature']}`\n"


def _rows(path: Path) -> list[dict[str, Any]]:
    return [*read_json_lines(path, "Set --data to the folder that contains factuality/ and zs_summ/.")]


@paper_command(groups=(JudgeOptions,), leave_out=("score_cache",))
@output_flag(f"{RESULTS}, scores.sqlite")
@data_flag("with factuality/ and zs_summ/")
@click.option(
    "--datasets",
    type=Commas(),
    help="Data sets, comma-separated: qags_cnndm, cliff_goyal21, summedits (default: all).",
)
@click.option(
    "--variant",
    multiple=True,
    help="Variant, such as 'two sentences' (the default of summac_zs); repeatable (default: all).",
)
def main(
    out: Path, data: Path, datasets: list[str] | None, variant: tuple[str, ...], options: dict[str, Any]
) -> None:
    """Measure summac_zs variants and baselines against human labels of consistency."""
    reproduce_factuality(data, out, datasets, variant or None, **options)
    show(out, RESULTS)


if __name__ == "__main__":
    run(main)
