"""Evaluation of Pyramid and SSAS against human scores on REALSumm, beside ROUGE and published numbers.

Vadapalli et al. 2017 (SSAS, Tables 2 and 3), Zhang and Bansal 2021 (Lite2Pyramid, Lite3Pyramid) and the
split study of Glover et al. 2022 (Appendix A), on the summaries and human scores of Bhandari et al. 2020.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.papers.command import RESULTS, data_flag, output_flag, paper_command, run, show
from benchmarks.papers.correlation import against, measure, over_folds
from benchmarks.papers.experiment import Floats, outputs, pyplot, save, table, with_cache, with_interval
from benchmarks.papers.experiment import scores as metric_scores
from benchmarks.papers.realsumm import RealSumm, read_realsumm
from benchmarks.papers.rouge_l import rouge_l
from benchmarks.papers.ssas import SsasScores, features_of
from claimwise.errors import ClaimwiseError
from claimwise.judges.options import JudgeOptions
from claimwise.judges.protocol import Judge
from claimwise.metrics import InvertedBertscore, Metric, Pyramid, Ssas
from claimwise.scores.rouge import Overlap, rouge_n, rouge_su
from claimwise.stats import COEFFICIENTS
from claimwise.text.sentences import Splitter
from claimwise.text.tokens import load_tokenizer

Texts = Sequence[Sequence[str]]
"""``[documents][any]``, the same number for each document."""

Scorer = Callable[[Texts], Floats]
"""A function from texts to scores ``[documents, any]``."""

DRAWS = 10
ABSTRACTIVE = "abs_"
"""Prefix of the names of abstractive systems."""

ROUGE: Mapping[str, Callable[[Sequence[str], Sequence[str]], Overlap]] = {
    "rouge1": lambda summary, reference: rouge_n(summary, reference, 1),
    "rouge2": lambda summary, reference: rouge_n(summary, reference, 2),
    "rougeL": rouge_l,
    "rouge_su4": rouge_su,
}
"""Recall, because people counted how much of the reference a summary contains."""

COSTLY = ("pyramid_scus", "pyramid_stus")
"""Scores that are not computed for random sentences."""

BASELINES = ("word_overlap", *ROUGE)
"""Baselines of the tests."""

PUBLISHED: Mapping[str, Mapping[str, tuple[float, float]]] = {
    "Lite2Pyramid, p2c, five-fold over examples": {"system": (0.885, 0.857), "summary": (0.642, 0.601)},
    "Lite2Pyramid, p2c, trained on TAC 2008": {"system": (0.945, 0.949), "summary": (0.614, 0.572)},
    "Lite3Pyramid, p2c, trained on TAC 2008": {"system": (0.921, 0.935), "summary": (0.537, 0.503)},
}
"""Pearson and Spearman on REALSumm, as published (Zhang and Bansal 2021); means over folds."""

PUBLISHED_RANDOM: Mapping[str, float] = {
    "rouge1": 0.810,
    "rouge2": 0.782,
    "rougeL": 0.825,
    "rouge_su4": 0.839,
    "ssas_without_entailment": 0.854,
    "ssas_without_contradiction": 0.893,
    "ssas_without_neutrality": 0.862,
    "ssas_without_paraphrase": 0.845,
    "ssas_without_rouge_su4": 0.882,
    "ssas": 0.913,
}
"""Table 3 of Vadapalli et al.: human-written summaries of 30 DUC 2002 documents against random sentences."""


@dataclass(frozen=True)
class Split:
    """A way of splitting references into units, and the premise of the units.

    Attributes:
        units: ``"given"`` (the sentences of the data) or a decomposer.
        splitter: sentence splitter.
        premise: ``"document"`` (the whole summary) or ``"sentence"`` (its best sentence).
    """

    units: str
    splitter: str = "sentencex"
    premise: str = "document"


SPLITS = (
    Split("given"),
    Split("sentences"),
    Split("sentences", splitter="nltk:untrained"),
    Split("default"),
    Split("default", splitter="nltk:untrained"),
    Split("default", premise="sentence"),
    Split("default", splitter="nltk:untrained", premise="sentence"),
)


def reproduce_pyramid(data: Path, out: Path, **options: Any) -> dict[str, Any]:
    """Measure Pyramid, SSAS and the baselines on REALSumm.

    Args:
        data: the folder of REALSumm's files, or its parent folder.
        out: folder for ``results.json``, ``comparisons.json``, ``results.md``, ``summary_level.png`` and
            ``scores.sqlite`` (a killed run resumes from it).
        **options: options of the judge, such as ``judge`` or ``device``.

    Returns:
        The content of ``results.json``: ``{"realsumm": {name: {"system": {"pearson", "spearman", "kendall"},
        "summary": {the same, and "ci": {coefficient: [low, high]}}}}, "random_sentences": {metric:
        accuracy}}``. ``comparisons.json`` contains means over folds, paired tests, the split study, published
        numbers and signatures.

    Raises:
        ClaimwiseError: for missing data, or an output that cannot be written.
    """
    pyplot()
    dataset = read_realsumm(data)
    abstractive = [number for number, name in enumerate(dataset.systems) if name.startswith(ABSTRACTIVE)]
    if not abstractive:
        raise ClaimwiseError(
            f"No system is abstractive: no name begins with {ABSTRACTIVE!r}.", "Download the data again."
        )
    options = with_cache(options, out)
    with outputs(out, "results.json", "comparisons.json", "results.md") as write:
        pyramid, human = Pyramid(precision=False, **options), dataset.human
        judge, ssas = pyramid.judge, Ssas("even", judge=pyramid.judge)
        scorers = _scorers(dataset, judge)
        scores = {name: scorer(dataset.summaries) for name, scorer in scorers.items()}
        fitted = SsasScores(dataset, features_of(ssas, dataset, dataset.summaries))
        scores |= fitted.all()
        drawn = random_summaries(dataset)
        random = {name: scorer(drawn) for name, scorer in scorers.items() if name not in COSTLY}
        random |= fitted.with_ablations(features_of(ssas, dataset, drawn))
        results = {
            "realsumm": {name: measure(of_name, human) for name, of_name in scores.items()},
            "random_sentences": {
                name: accuracy(scores[name][:, abstractive], of_name) for name, of_name in random.items()
            },
        }
        comparisons = {
            "folds": {
                name: {
                    "examples": over_folds(of_name, human, dataset.folds_of_documents),
                    "systems": over_folds(of_name, human, dataset.folds_of_systems, of_systems=True),
                }
                for name, of_name in scores.items()
            },
            "paired_bootstrap": against(BASELINES, scores, human),
            "splits": [_measured(dataset, judge, split) for split in SPLITS],
            "published": PUBLISHED,
            "published_random_sentences": PUBLISHED_RANDOM,
            "signature": {"pyramid": pyramid.signature(), "ssas": Ssas("even", **options).signature()},
        }
        write("results.json", results)
        write("comparisons.json", comparisons)
        write("results.md", pyramid_table(results, comparisons))
        _draw(results, out / "summary_level.png")
    return results


def _scorers(dataset: RealSumm, judge: Judge) -> dict[str, Scorer]:
    """Return the scorers without fitted weights, by name."""
    pyramid, bertscore = Pyramid(judge=judge, precision=False), InvertedBertscore()
    tokenize = load_tokenizer("words")
    references = [tokenize(text) for text in dataset.reference_texts]
    units = [[set(tokenize(unit)) for unit in of_document] for of_document in dataset.scus]

    def lexical(score: Callable[[list[str], int], float]) -> Scorer:
        return lambda texts: np.array(
            [[score(tokenize(text), number) for text in row] for number, row in enumerate(texts)]
        )

    def word_overlap(words: list[str], number: int) -> float:
        """Return the mean share of a unit's distinct words that occur in the summary."""
        return float(np.mean([len(unit & set(words)) / max(len(unit), 1) for unit in units[number]]))

    def recall(rouge: Callable[[Sequence[str], Sequence[str]], Overlap]) -> Scorer:
        return lexical(lambda words, number: rouge(words, references[number]).recall)

    return {
        "pyramid_scus": _against_references(pyramid, dataset, dataset.scus),
        **({"pyramid_stus": _against_references(pyramid, dataset, dataset.stus)} if dataset.stus else {}),
        "pyramid_claims": _against_references(pyramid, dataset),
        "word_overlap": lexical(word_overlap),
        **{name: recall(rouge) for name, rouge in ROUGE.items()},
        # Its sign is inverted, so that higher is more similar.
        "inverted_bertscore": lambda texts: -_against_references(bertscore, dataset)(texts),
    }


def _against_references(
    metric: Metric, dataset: RealSumm, units: Sequence[Sequence[str]] | None = None
) -> Scorer:
    """Return a metric as a scorer, with the reference of a document or its ``units``."""
    all_references = dataset.reference_texts

    def scored(texts: Texts) -> Floats:
        documents = [number for number, row in enumerate(texts) for _ in row]
        references = [all_references[number] for number in documents]
        given = {} if units is None else {"units": [list(units[number]) for number in documents]}
        found = metric_scores(metric, [text for row in texts for text in row], references, **given)
        return found.reshape(len(texts), -1)

    return scored


def random_summaries(dataset: RealSumm, draws: int = DRAWS, seed: int = 0) -> list[list[str]]:
    """Return ``[documents][draws]``: random sentences in their order, as many as the reference has."""
    splitter = Splitter()
    made = []
    for number, (source, reference) in enumerate(zip(dataset.sources, dataset.references, strict=True)):
        generator = np.random.default_rng([seed, number])
        sentences = splitter(source)
        size = min(len(reference), len(sentences))
        made.append(
            [
                " ".join(sentences[place] for place in sorted(generator.permutation(len(sentences))[:size]))
                for _ in range(draws)
            ]
        )
    return made


def accuracy(summaries: Floats, random: Floats) -> float:
    """Return the share of comparisons in which a summary outscores random sentences; ties count half.

    Args:
        summaries: ``[documents, systems]``.
        random: ``[documents, draws]``.
    """
    differences = summaries[:, :, np.newaxis] - random[:, np.newaxis]
    return float((np.sign(differences) + 1).mean() / 2)


def _measured(dataset: RealSumm, judge: Judge, split: Split) -> dict[str, Any]:
    """Return the results of ``pyramid`` for one way of splitting references into units."""
    options: dict[str, Any] = {"splitter": split.splitter, "premise_granularity": split.premise}
    if split.units != "given":
        options["decomposer"] = split.units
    metric = Pyramid(judge=judge, precision=False, **options)
    claims = metric.claims(dataset.reference_texts)
    units = dataset.references if split.units == "given" else [one.claims for one in claims]
    scores = _against_references(metric, dataset, units)(dataset.summaries)
    return {
        **asdict(split),
        "units_per_reference": float(np.mean([len(of_document) for of_document in units])),
        **measure(scores, dataset.human),
    }


def pyramid_table(results: Mapping[str, Any], comparisons: Mapping[str, Any]) -> str:
    """Return the results as Markdown tables, beside published values."""
    ordered = sorted(results["realsumm"].items(), key=lambda one: -one[1]["summary"]["pearson"])
    correlations = [
        [
            f"`{name}`",
            *(_shown(found["summary"], coefficient) for coefficient in COEFFICIENTS),
            *(f"{found['system'][coefficient]:.3f}" for coefficient in COEFFICIENTS),
        ]
        for name, found in ordered
    ]
    for name, levels in comparisons["published"].items():
        published = (f"{value:.3f}" for value in (*levels["summary"], *levels["system"]))
        pearson, spearman, *of_system = published
        correlations.append([f"{name} (published)", pearson, spearman, "–", *of_system, "–"])
    over_folds = [
        [
            f"`{name}`",
            *(
                f"{comparisons['folds'][name][kind][level]['pearson']:.3f}"
                for kind in ("examples", "systems")
                for level in ("summary", "system")
            ),
        ]
        for name, _ in ordered
    ]
    differences = [
        [
            f"`{name}`",
            *(f"{one[other]['difference']:+.3f} ({one[other]['p_value']:.4f})" for other in BASELINES),
        ]
        for name, one in comparisons["paired_bootstrap"].items()
    ]
    accuracies = [
        [f"`{name}`", f"{share:.3f}", comparisons["published_random_sentences"].get(name, "–")]
        for name, share in sorted(results["random_sentences"].items(), key=lambda one: -one[1])
    ]
    splits = [
        [
            *(split["units"], split["splitter"], split["premise"], f"{split['units_per_reference']:.1f}"),
            *(_shown(split["summary"], coefficient) for coefficient in ("pearson", "spearman")),
            f"{split['system']['pearson']:.3f}",
        ]
        for split in comparisons["splits"]
    ]
    head_of_splits = ["units", "splitter", "premise", "units per reference"]
    head_of_splits += ["summary: Pearson", "Spearman", "system: Pearson"]
    lines = [
        "## REALSumm",
        "",
        "Correlation with human scores: over the summaries of a document, mean of all documents [95 % "
        "interval, bootstrap over documents]; and over the systems' means. `ssas` is cross-validated by "
        "examples, `ssas_out_of_box` has even weights. ROUGE is recall. With 25 systems the system "
        "level is not informative.",
        "",
        *table(
            ["score", "summary: Pearson", "Spearman", "Kendall", "system: Pearson", "Spearman", "Kendall"],
            correlations,
        ),
        "The published numbers are means over folds. For comparison, Pearson over folds of these scores:",
        "",
        *table(["score", "by examples: summary", "system", "by systems: summary", "system"], over_folds),
        "## Against word overlap",
        "",
        "Difference of the summary-level Pearson (p, two-sided, paired bootstrap over documents):",
        "",
        *table(["score", *(f"`{baseline}`" for baseline in BASELINES)], differences),
        "## Random sentences",
        "",
        "How often the summary of an abstractive system scores above random sentences of its document, "
        f"{DRAWS} draws, and what Vadapalli et al. (Table 3) report for summaries by people (DUC 2002):",
        "",
        *table(["score", "accuracy", "published"], accuracies),
        "## Splitters and decomposers",
        "",
        "`pyramid` with units of the references made in different ways, with the whole summary (`document`) "
        "or its best sentence as premise:",
        "",
        *table(head_of_splits, splits),
        *(f"- `{line}`" for line in comparisons["signature"].values()),
    ]
    return "\n".join(lines) + "\n"


def _shown(summary: Mapping[str, Any], coefficient: str) -> str:
    return with_interval(summary[coefficient], summary["ci"][coefficient])


def _draw(results: Mapping[str, Any], path: Path) -> None:
    """Draw the summary-level Pearson of every score with its interval, and published values as lines."""
    found = sorted(
        ((name, of["summary"]) for name, of in results["realsumm"].items()), key=lambda one: one[1]["pearson"]
    )
    figure, axes = pyplot().subplots(figsize=(7, 0.3 * len(found) + 1.5), layout="constrained")
    for place, (name, summary) in enumerate(found):
        low, high = summary["ci"]["pearson"]
        colour = "#0072b2" if name.startswith(("pyramid", "ssas")) else "#8c959f"
        axes.plot([low, high], [place, place], color=colour, linewidth=2)
        axes.plot(summary["pearson"], place, "o", color=colour)
    for (name, levels), style in zip(PUBLISHED.items(), ("--", "-.", ":"), strict=True):
        axes.axvline(levels["summary"][0], color="#d55e00", linestyle=style, linewidth=1, label=name)
    axes.set_yticks(range(len(found)), [name for name, _ in found], fontsize=8)
    axes.set_xlabel("Pearson with human scores, summary level, 95 % interval")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=7, loc="lower right", title="published", title_fontsize=7)
    save(figure, path)


FILES = f"{RESULTS}, comparisons.json, summary_level.png"


@paper_command(groups=(JudgeOptions,), leave_out=("score_cache",))
@output_flag(f"{FILES}, scores.sqlite")
@data_flag("of REALSumm, or its parent folder")
def main(out: Path, data: Path, options: dict[str, Any]) -> None:
    """Measure pyramid, ssas and ROUGE against the human scores of REALSumm."""
    reproduce_pyramid(data, out, **options)
    show(out, FILES)


if __name__ == "__main__":
    run(main)
