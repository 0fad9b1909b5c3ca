"""Do Pyramid and SSAS rank summaries as people do? REALSumm, beside ROUGE and published numbers.

Vadapalli et al. 2017 (SSAS, Tables 2 and 3), Zhang and Bansal 2021 (Lite2Pyramid, Lite3Pyramid) and the
split study of Glover et al. 2022 (Appendix A), on the summaries and human scores of Bhandari et al. 2020.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

from claimwise.data.realsumm import Folds, RealSumm, read_realsumm
from claimwise.errors import ClaimwiseError
from claimwise.metrics import InvertedBertscore, Pyramid, Ssas
from claimwise.nli.protocol import Judge
from claimwise.scores.rouge import Overlap, rouge_l, rouge_n, rouge_su
from claimwise.scores.ssas import FEATURES, GROUPS, SIGNS, Ranking, fit_weights, ssas
from claimwise.stats import bootstrap_interval, mean_difference
from claimwise.tables import writing
from claimwise.text.clauses.predicates import PredicatesDecomposer
from claimwise.text.sentences import Splitter
from claimwise.text.tokens import load_tokenizer

Floats = npt.NDArray[np.float64]
Scorer = Callable[[Sequence[int], Sequence[str]], Floats]
"""A function from numbers of documents and as many summaries of them to a score each."""

COEFFICIENTS = ("pearson", "spearman", "kendall")
DRAWS = 10
ABSTRACTIVE = "abs_"
"""What the name of an abstractive system begins with."""

ROUGE: Mapping[str, Callable[[Sequence[str], Sequence[str]], Overlap]] = {
    "rouge1": lambda summary, reference: rouge_n(summary, reference, 1),
    "rouge2": lambda summary, reference: rouge_n(summary, reference, 2),
    "rougeL": rouge_l,
    "rouge_su4": rouge_su,
}
"""Recall is taken: people counted how much of the reference a summary has."""

BASELINES = ("word_overlap", *ROUGE)
"""What the others are tested against."""

PUBLISHED: Mapping[str, Mapping[str, tuple[float, float]]] = {
    "Lite2Pyramid, p2c, five folds by examples": {"system": (0.885, 0.857), "summary": (0.642, 0.601)},
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
"""Table 3 of Vadapalli et al.: 30 documents of DUC 2002, summaries by people against random sentences."""


@dataclass(frozen=True)
class Split:
    """How the units of a reference are made, and what they are looked for in.

    Attributes:
        units: ``"given"`` (the sentences of the data), ``"predicates"`` or a decomposer.
        splitter: of sentences.
        premise: ``"document"`` (the whole summary) or ``"sentence"`` (its best one).
    """

    units: str
    splitter: str = "sentencex"
    premise: str = "document"


SPLITS = (
    Split("given"),
    Split("sentences"),
    Split("sentences", splitter="nltk:untrained"),
    Split("rules"),
    Split("rules", splitter="nltk:untrained"),
    Split("clauses"),
    Split("predicates"),
    Split("rules", premise="sentence"),
    Split("rules", splitter="nltk:untrained", premise="sentence"),
)


def reproduce_pyramid(data: Path, out: Path, **options: Any) -> dict[str, Any]:
    """Measure Pyramid, SSAS and the baselines on REALSumm.

    Args:
        data: the folder of REALSumm's files, or the one above.
        out: folder for ``results.json``, ``comparisons.json``, ``results.md``, ``summary_level.png`` and
            ``scores.sqlite`` (a killed run goes on with it).
        **options: of the judge, such as ``nli_model`` or ``device``.

    Returns:
        What ``results.json`` holds: ``{"realsumm": {name: {"system": {"pearson", "spearman", "kendall"},
        "summary": {the same, and "ci": {coefficient: [low, high]}}}}, "random_sentences": {metric:
        accuracy}}``. ``comparisons.json`` holds means over folds, paired tests, the split study, published
        numbers and signatures.

    Raises:
        ClaimwiseError: for data that is missing, or an output that cannot be written.
    """
    try:
        import matplotlib
    except ImportError as error:
        raise ClaimwiseError("Drawing needs matplotlib: pip install '.[plots]' in a clone") from error
    matplotlib.use("Agg")
    dataset = read_realsumm(data)
    options.setdefault("score_cache", out / "scores.sqlite")
    with (
        writing(out / "results.json") as results_json,
        writing(out / "comparisons.json") as comparisons_json,
        writing(out / "results.md") as results_md,
    ):
        pyramid, features = Pyramid(precision=False, **options), Ssas("even", **options)
        judge = pyramid.judge
        scorers = {
            **_pyramids(dataset, judge),
            **_lexical(dataset),
            "inverted_bertscore": _bertscore(dataset),
        }
        scores = {name: _of_grid(dataset, scorer) for name, scorer in scorers.items()}
        fitted = SsasScores(dataset, _of_features(dataset, judge), dataset.human)
        scores |= fitted.all()
        results = {
            "realsumm": {name: measure(of_name, dataset.human) for name, of_name in scores.items()},
            "random_sentences": _random_sentences(dataset, scorers, scores, fitted),
        }
        comparisons = {
            "folds": {name: over_folds(of_name, dataset) for name, of_name in scores.items()},
            "paired_bootstrap": _paired(scores, dataset.human),
            "splits": _splits(dataset, judge),
            "published": PUBLISHED,
            "published_random_sentences": PUBLISHED_RANDOM,
            "signature": {"pyramid": pyramid.signature(), "ssas": features.signature()},
        }
        json.dump(results, results_json, indent=1)
        json.dump(comparisons, comparisons_json, indent=1)
        results_md.write(pyramid_table(results, comparisons))
        try:
            _draw(results, out / "summary_level.png")
        except OSError as error:
            raise ClaimwiseError(f"{out / 'summary_level.png'}: cannot be written ({error}).") from error
    return results


# Correlations -------------------------------------------------------------------------------------


def by_document(scores: Floats, human: Floats) -> dict[str, Floats]:
    """Return the correlation of scores with human ones over the systems, for each document.

    Args:
        scores: ``[documents, systems]``.
        human: ``[documents, systems]``.

    Returns:
        Pearson, Spearman and Kendall (τ_b), ``[documents]`` each; 0 where all scores of a document are alike,
        NaN where all human ones are.
    """
    is_flat, is_unknown = np.ptp(scores, axis=1) == 0, np.ptp(human, axis=1) == 0
    found = {
        "pearson": _row_pearson(scores, human),
        "spearman": _row_pearson(stats.rankdata(scores, axis=1), stats.rankdata(human, axis=1)),
        "kendall": np.array(
            [stats.kendalltau(*rows).statistic for rows in zip(scores, human, strict=True)], dtype=np.float64
        ),
    }
    return {name: np.where(is_unknown, np.nan, np.where(is_flat, 0.0, of)) for name, of in found.items()}


def system_level(scores: Floats, human: Floats) -> dict[str, float]:
    """Return the correlations of the systems' mean scores over the documents."""
    found = by_document(scores.mean(axis=0, keepdims=True), human.mean(axis=0, keepdims=True))
    return {name: float(of[0]) for name, of in found.items()}


def measure(scores: Floats, human: Floats) -> dict[str, Any]:
    """Return correlations at the level of systems and of summaries; these are means over the documents.

    The 95 % percentile intervals are of a bootstrap over documents.
    """
    found = {name: of[np.isfinite(of)] for name, of in by_document(scores, human).items()}
    summary: dict[str, Any] = {name: float(of.mean()) for name, of in found.items()}
    summary["ci"] = {
        name: list(bootstrap_interval(of.tolist(), method="percentile")) for name, of in found.items()
    }
    return {"system": system_level(scores, human), "summary": summary}


def over_folds(scores: Floats, dataset: RealSumm) -> dict[str, dict[str, dict[str, float]]]:
    """Return the means over folds by examples and by systems, as the published numbers are."""
    found = {}
    for kind, folds, of_systems in (
        ("examples", dataset.folds_of_documents, False),
        ("systems", dataset.folds_of_systems, True),
    ):
        parts = [
            (scores[:, list(fold)], dataset.human[:, list(fold)])
            if of_systems
            else (scores[list(fold)], dataset.human[list(fold)])
            for fold in folds
        ]
        levels: dict[str, list[dict[str, float]]] = {
            "system": [system_level(*part) for part in parts],
            "summary": [
                {name: float(np.nanmean(of)) for name, of in by_document(*part).items()} for part in parts
            ],
        }
        found[kind] = {
            level: {name: float(np.nanmean([one[name] for one in of_folds])) for name in COEFFICIENTS}
            for level, of_folds in levels.items()
        }
    return found


def _row_pearson(first: Floats, second: Floats) -> Floats:
    a = first - first.mean(axis=1, keepdims=True)
    b = second - second.mean(axis=1, keepdims=True)
    norms = np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1))
    found: Floats = (a * b).sum(axis=1) / np.where(norms == 0, 1, norms)
    return found


def _paired(scores: Mapping[str, Floats], human: Floats) -> dict[str, dict[str, dict[str, float]]]:
    """Test the summary-level Pearson of every other score against those of the baselines."""
    pearson = {name: by_document(of_name, human)["pearson"] for name, of_name in scores.items()}
    known = np.ptp(human, axis=1) > 0
    found: dict[str, dict[str, dict[str, float]]] = {}
    for name in scores:
        if name in BASELINES:
            continue
        tests = {
            baseline: mean_difference(
                pearson[name][known].tolist(), pearson[baseline][known].tolist(), method="bootstrap"
            )
            for baseline in BASELINES
        }
        found[name] = {
            baseline: {"difference": test.difference, "p_value": test.p_value}
            for baseline, test in tests.items()
        }
    return found


# Scores -------------------------------------------------------------------------------------------


def _of_grid(dataset: RealSumm, scorer: Scorer) -> Floats:
    """Return the scores of all summaries, ``[documents, systems]``."""
    documents = np.repeat(np.arange(len(dataset.documents)), len(dataset.systems)).tolist()
    return scorer(documents, [text for row in dataset.summaries for text in row]).reshape(dataset.human.shape)


def _pyramids(dataset: RealSumm, judge: Judge) -> dict[str, Scorer]:
    made = {"pyramid_scus": _pyramid(dataset, judge, dataset.scus)}
    if dataset.stus:
        made["pyramid_stus"] = _pyramid(dataset, judge, dataset.stus)
    return made | {"pyramid_claims": _pyramid(dataset, judge)}


def _pyramid(
    dataset: RealSumm, judge: Judge, units: Sequence[Sequence[str]] | None = None, **options: Any
) -> Scorer:
    metric = Pyramid(nli_model=judge, precision=False, **options)
    references = dataset.reference_texts

    def scored(documents: Sequence[int], summaries: Sequence[str]) -> Floats:
        given = {} if units is None else {"units": [list(units[number]) for number in documents]}
        found = metric.compute(
            predictions=list(summaries), references=[references[number] for number in documents], **given
        )
        return np.array(found["pyramid_scores"])

    return scored


def _lexical(dataset: RealSumm) -> dict[str, Scorer]:
    tokenize = load_tokenizer("words")
    references = [tokenize(text) for text in dataset.reference_texts]
    units = [[set(tokenize(unit)) for unit in of_document] for of_document in dataset.scus]

    def of_rouge(rouge: Callable[[Sequence[str], Sequence[str]], Overlap]) -> Scorer:
        return lambda documents, summaries: np.array(
            [
                rouge(tokenize(summary), references[number]).recall
                for number, summary in zip(documents, summaries, strict=True)
            ]
        )

    def word_overlap(documents: Sequence[int], summaries: Sequence[str]) -> Floats:
        """Return the mean share of a unit's distinct words that the summary has."""
        words = [set(tokenize(summary)) for summary in summaries]
        return np.array(
            [
                np.mean([len(unit & of_summary) / max(len(unit), 1) for unit in units[number]])
                for number, of_summary in zip(documents, words, strict=True)
            ]
        )

    return {"word_overlap": word_overlap, **{name: of_rouge(rouge) for name, rouge in ROUGE.items()}}


def _bertscore(dataset: RealSumm) -> Scorer:
    metric = InvertedBertscore()
    references = dataset.reference_texts

    def scored(documents: Sequence[int], summaries: Sequence[str]) -> Floats:
        """Return the inverted BERTScore with its sign turned, so that higher is nearer."""
        found = metric.compute(
            predictions=list(summaries), references=[references[number] for number in documents]
        )
        return -np.array(found["inverted_bertscore_scores"])

    return scored


def _of_features(dataset: RealSumm, judge: Judge) -> Scorer:
    """Return the function that gives the features of SSAS, ``[summaries, 9]``."""
    metric = Ssas("even", nli_model=judge)
    references = dataset.reference_texts

    def of_summaries(documents: Sequence[int], summaries: Sequence[str]) -> Floats:
        columns = {
            "predictions": list(summaries),
            "references": [references[number] for number in documents],
        }
        found: Floats = metric.features(metric.rows(columns))
        return found

    return of_summaries


class SsasScores:
    """SSAS with weights that never saw what they score.

    Args:
        dataset: REALSumm.
        features: the function that gives features.
        human: ``[documents, systems]``, what the weights are fitted on.
    """

    def __init__(self, dataset: RealSumm, features: Scorer, human: Floats) -> None:
        self.dataset, self.features_of, self.human = dataset, features, human
        documents = np.repeat(np.arange(len(dataset.documents)), len(dataset.systems)).tolist()
        summaries = [text for row in dataset.summaries for text in row]
        self.features = features(documents, summaries).reshape(*human.shape, len(FEATURES))

    def all(self) -> dict[str, Floats]:
        """Return the scores ``[documents, systems]`` of every way of fitting, by its name."""
        by_systems = cross_validated(
            self.features.swapaxes(0, 1), self.human.T, self.dataset.folds_of_systems, in_rows=False
        )
        return {
            "ssas": self.by_examples(self.features),
            "ssas_by_systems": scores_of(self.features.swapaxes(0, 1), by_systems).T,
            "ssas_out_of_box": scores_of(self.features, np.tile(SIGNS, (len(self.features), 1))),
            **{
                f"ssas_without_{name}": self.by_examples(self.features, places)
                for name, places in GROUPS.items()
            },
            **{
                f"ssas_{ranking}": self.by_examples(self.features, ranking=ranking)
                for ranking in ("pairwise", "regression")
            },
        }

    def by_examples(
        self, features: Floats, leave_out: Sequence[int] = (), ranking: Ranking = "listwise"
    ) -> Floats:
        """Return scores of features ``[documents, any, 9]``, with weights fitted on other documents."""
        weights = cross_validated(
            self.features, self.human, self.dataset.folds_of_documents, leave_out, ranking
        )
        return scores_of(features, weights)


def cross_validated(
    features: Floats,
    human: Floats,
    folds: Folds,
    leave_out: Sequence[int] = (),
    ranking: Ranking = "listwise",
    *,
    in_rows: bool = True,
) -> Floats:
    """Return for each row the weights that were fitted on the rows of the other folds.

    Args:
        features: ``[rows, columns, 9]``.
        human: ``[rows, columns]``.
        folds: the numbers of the rows of each.
        leave_out: places of features that are not to be used.
        ranking: how the weights are fitted.
        in_rows: the summaries of a document are those of a row; else those of a column.

    Returns:
        ``[rows, 9]``.
    """
    weights = np.zeros((len(features), len(FEATURES)))
    for fold in folds:
        others = np.setdiff1d(np.arange(len(features)), fold)
        rows, columns = np.indices((len(others), features.shape[1]))
        weights[list(fold)] = fit_weights(
            features[others].reshape(-1, len(FEATURES)),
            human[others].ravel(),
            (rows if in_rows else columns).ravel().tolist(),
            ranking,
            leave_out,
        )
    return weights


def scores_of(features: Floats, weights: Floats) -> Floats:
    """Return SSAS of features ``[rows, columns, 9]`` with the weights ``[rows, 9]`` of their rows."""
    return np.stack([ssas(of_row, own) for of_row, own in zip(features, weights, strict=True)])


# Random sentences ---------------------------------------------------------------------------------


def random_summaries(dataset: RealSumm, draws: int = DRAWS, seed: int = 0) -> list[list[str]]:
    """Return ``[documents][draws]``: as many sentences of the document as its reference has, in order."""
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
    """Return how often a summary scores above random sentences of its document; a tie is half.

    Args:
        summaries: ``[documents, systems]``.
        random: ``[documents, draws]``.
    """
    differences = summaries[:, :, np.newaxis] - random[:, np.newaxis]
    return float((np.sign(differences) + 1).mean() / 2)


def _random_sentences(
    dataset: RealSumm,
    scorers: Mapping[str, Scorer],
    scores: Mapping[str, Floats],
    fitted: SsasScores,
) -> dict[str, float]:
    """Return the accuracies of the scores whose units do not cost much, and of SSAS with its ablations."""
    columns = [number for number, name in enumerate(dataset.systems) if name.startswith(ABSTRACTIVE)]
    if not columns:
        raise ClaimwiseError(
            f"No system is abstractive: no name begins with {ABSTRACTIVE!r}.", "Get the data again."
        )
    drawn = random_summaries(dataset)
    documents = np.repeat(np.arange(len(drawn)), DRAWS).tolist()
    summaries = [text for of_document in drawn for text in of_document]
    shape = (len(drawn), DRAWS)
    random = {
        name: scorer(documents, summaries).reshape(shape)
        for name, scorer in scorers.items()
        if name not in ("pyramid_scus", "pyramid_stus")
    }
    features = fitted.features_of(documents, summaries).reshape(*shape, len(FEATURES))
    random["ssas"] = fitted.by_examples(features)
    random["ssas_out_of_box"] = scores_of(features, np.tile(SIGNS, (len(features), 1)))
    for name, places in GROUPS.items():
        random[f"ssas_without_{name}"] = fitted.by_examples(features, places)
    return {name: accuracy(scores[name][:, columns], of_name) for name, of_name in random.items()}


# Splits -------------------------------------------------------------------------------------------


def _splits(dataset: RealSumm, judge: Judge) -> list[dict[str, Any]]:
    """Return what ``pyramid`` gives with units of the references made in different ways."""
    found = []
    for split in SPLITS:
        options: dict[str, Any] = {"splitter": split.splitter, "premise_granularity": split.premise}
        if split.units == "predicates":
            options["decomposer"] = PredicatesDecomposer()
        elif split.units != "given":
            options["decomposer"] = split.units
        metric = Pyramid(nli_model=judge, precision=False, **options)
        claims = metric.claims(dataset.reference_texts)
        units = dataset.references if split.units == "given" else [one.claims for one in claims]
        scores = _of_grid(dataset, _pyramid(dataset, judge, units, **options))
        found.append(
            {
                "units": split.units,
                "splitter": split.splitter,
                "premise": split.premise,
                "units_per_reference": float(np.mean([len(of_document) for of_document in units])),
                **measure(scores, dataset.human),
            }
        )
    return found


# Tables and figure --------------------------------------------------------------------------------


def pyramid_table(results: Mapping[str, Any], comparisons: Mapping[str, Any]) -> str:
    """Return the results as Markdown tables, the published values beside them."""
    ordered = sorted(results["realsumm"].items(), key=lambda one: -one[1]["summary"]["pearson"])
    lines = [
        "## REALSumm",
        "",
        "Correlation with human scores: over the summaries of a document, mean of all documents [95 % "
        "interval, bootstrap over documents]; and over the systems' means. `ssas` is cross-validated by "
        "examples, `ssas_out_of_box` has even weights. ROUGE is recall. With 25 systems the system "
        "level tells little.",
        "",
        "| score | summary: Pearson | Spearman | Kendall | system: Pearson | Spearman | Kendall |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, found in ordered:
        cells = [_with_interval(found["summary"], coefficient) for coefficient in COEFFICIENTS]
        cells += [f"{found['system'][coefficient]:.3f}" for coefficient in COEFFICIENTS]
        lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
    for name, of_levels in comparisons["published"].items():
        (of_summary, rank), (of_system, system_rank) = of_levels["summary"], of_levels["system"]
        published = [of_summary, rank, None, of_system, system_rank, None]
        shown = " | ".join("–" if cell is None else f"{cell:.3f}" for cell in published)
        lines.append(f"| {name} (published) | {shown} |")
    lines += [
        "",
        "The published numbers are means over folds. The same of these scores, Pearson:",
        "",
        "| score | by examples: summary | system | by systems: summary | system |",
        "|---|---|---|---|---|",
    ]
    for name, _ in ordered:
        of_folds = comparisons["folds"][name]
        cells = [
            f"{of_folds[kind][level]['pearson']:.3f}"
            for kind in ("examples", "systems")
            for level in ("summary", "system")
        ]
        lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
    lines += [
        "",
        "## Against words alone",
        "",
        "Difference of the summary-level Pearson (p, two-sided, paired bootstrap over documents):",
        "",
        "| score | " + " | ".join(f"`{baseline}`" for baseline in BASELINES) + " |",
        "|---|" + "---|" * len(BASELINES),
    ]
    for name, of_name in comparisons["paired_bootstrap"].items():
        cells = [
            f"{of_name[baseline]['difference']:+.3f} ({of_name[baseline]['p_value']:.4f})"
            for baseline in BASELINES
        ]
        lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
    lines += [
        "",
        "## Random sentences",
        "",
        "How often the summary of an abstractive system scores above random sentences of its document, "
        f"{DRAWS} draws, and what Vadapalli et al. (Table 3) report for summaries by people (DUC 2002):",
        "",
        "| score | accuracy | published |",
        "|---|---|---|",
    ]
    of_paper = comparisons["published_random_sentences"]
    for name, share in sorted(results["random_sentences"].items(), key=lambda one: -one[1]):
        lines.append(f"| `{name}` | {share:.3f} | {of_paper.get(name, '–')} |")
    lines += [
        "",
        "## Splitters and decomposers",
        "",
        "`pyramid` with units of the references made in different ways, looked for in the whole summary "
        "(`document`) or in its best sentence:",
        "",
        "| units | splitter | premise | units per reference | summary: Pearson | Spearman | system: Pearson "
        "|",
        "|---|---|---|---|---|---|---|",
    ]
    for split in comparisons["splits"]:
        cells = [split["units"], split["splitter"], split["premise"], f"{split['units_per_reference']:.1f}"]
        cells += [_with_interval(split["summary"], coefficient) for coefficient in ("pearson", "spearman")]
        cells.append(f"{split['system']['pearson']:.3f}")
        lines.append("| " + " | ".join(cells) + " |")
    signatures = "\n".join(f"- `{line}`" for line in comparisons["signature"].values())
    return "\n".join(lines) + f"\n\n{signatures}\n"


def _with_interval(summary: Mapping[str, Any], coefficient: str) -> str:
    low, high = summary["ci"][coefficient]
    return f"{summary[coefficient]:.3f} [{low:.3f}, {high:.3f}]"


def _draw(results: Mapping[str, Any], path: Path) -> None:
    """Draw the summary-level Pearson of every score with its interval, and the published ones as lines."""
    from matplotlib import pyplot as plt

    found = sorted(
        ((name, of["summary"]) for name, of in results["realsumm"].items()), key=lambda one: one[1]["pearson"]
    )
    figure, axes = plt.subplots(figsize=(7, 0.3 * len(found) + 1.5), layout="constrained")
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
    figure.savefig(path, dpi=150)
    plt.close(figure)
