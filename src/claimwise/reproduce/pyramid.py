"""Do Pyramid and SSAS rank summaries as people do? REALSumm, beside ROUGE and published numbers.

Vadapalli et al. 2017 (SSAS, Tables 2 and 3), Zhang and Bansal 2021 (Lite2Pyramid, Lite3Pyramid) and the
split study of Glover et al. 2022 (Appendix A), on the summaries and human scores of Bhandari et al. 2020.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from claimwise.data.realsumm import RealSumm, read_realsumm
from claimwise.errors import ClaimwiseError
from claimwise.metrics import InvertedBertscore, Pyramid, Ssas
from claimwise.nli.protocol import Judge
from claimwise.reproduce.correlation import COEFFICIENTS, against, measure, over_folds
from claimwise.reproduce.experiment import Floats, outputs, pyplot, save, table, with_cache, with_interval
from claimwise.reproduce.experiment import scores as scores_of_metric
from claimwise.reproduce.ssas import Scorer, SsasScores, features_of, scores_of
from claimwise.scores.rouge import Overlap, rouge_l, rouge_n, rouge_su
from claimwise.scores.ssas import FEATURES, GROUPS, SIGNS
from claimwise.text.clauses.predicates import PredicatesDecomposer
from claimwise.text.sentences import Splitter
from claimwise.text.tokens import load_tokenizer

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
    pyplot()
    dataset = read_realsumm(data)
    options = with_cache(options, out)
    with outputs(out, "results.json", "comparisons.json", "results.md") as write:
        pyramid, features = Pyramid(precision=False, **options), Ssas("even", **options)
        judge, human = pyramid.judge, dataset.human
        scorers = {
            **_pyramids(dataset, judge),
            **_lexical(dataset),
            "inverted_bertscore": _bertscore(dataset),
        }
        scores = {
            name: scorer(*dataset.all_summaries).reshape(human.shape) for name, scorer in scorers.items()
        }
        fitted = SsasScores(dataset, features_of(dataset, judge), human)
        scores |= fitted.all()
        results = {
            "realsumm": {name: measure(of_name, human) for name, of_name in scores.items()},
            "random_sentences": _random_sentences(dataset, scorers, scores, fitted),
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
            "signature": {"pyramid": pyramid.signature(), "ssas": features.signature()},
        }
        write("results.json", results)
        write("comparisons.json", comparisons)
        write("results.md", pyramid_table(results, comparisons))
        _draw(results, out / "summary_level.png")
    return results


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
        return scores_of_metric(metric, summaries, [references[number] for number in documents], **given)

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
    """Return the inverted BERTScore with its sign turned, so that higher is nearer."""
    metric = InvertedBertscore()
    references = dataset.reference_texts
    return lambda documents, summaries: (
        -scores_of_metric(metric, summaries, [references[number] for number in documents])
    )


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


def _measured(dataset: RealSumm, judge: Judge, split: Split) -> dict[str, Any]:
    """Return what ``pyramid`` gives with units of the references made in one way."""
    options: dict[str, Any] = {"splitter": split.splitter, "premise_granularity": split.premise}
    if split.units == "predicates":
        options["decomposer"] = PredicatesDecomposer()
    elif split.units != "given":
        options["decomposer"] = split.units
    claims = Pyramid(nli_model=judge, precision=False, **options).claims(dataset.reference_texts)
    units = dataset.references if split.units == "given" else [one.claims for one in claims]
    scorer = _pyramid(dataset, judge, units, **options)
    return {
        "units": split.units,
        "splitter": split.splitter,
        "premise": split.premise,
        "units_per_reference": float(np.mean([len(of_document) for of_document in units])),
        **measure(scorer(*dataset.all_summaries).reshape(dataset.human.shape), dataset.human),
    }


def pyramid_table(results: Mapping[str, Any], comparisons: Mapping[str, Any]) -> str:
    """Return the results as Markdown tables, the published values beside them."""
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
    lines = [
        "## REALSumm",
        "",
        "Correlation with human scores: over the summaries of a document, mean of all documents [95 % "
        "interval, bootstrap over documents]; and over the systems' means. `ssas` is cross-validated by "
        "examples, `ssas_out_of_box` has even weights. ROUGE is recall. With 25 systems the system "
        "level tells little.",
        "",
        *table(
            ["score", "summary: Pearson", "Spearman", "Kendall", "system: Pearson", "Spearman", "Kendall"],
            correlations,
        ),
        "The published numbers are means over folds. The same of these scores, Pearson:",
        "",
        *table(
            ["score", "by examples: summary", "system", "by systems: summary", "system"],
            over_folds,
        ),
        "## Against words alone",
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
        "`pyramid` with units of the references made in different ways, looked for in the whole summary "
        "(`document`) or in its best sentence:",
        "",
        *table(
            [
                *("units", "splitter", "premise", "units per reference"),
                *("summary: Pearson", "Spearman", "system: Pearson"),
            ],
            splits,
        ),
        *(f"- `{line}`" for line in comparisons["signature"].values()),
    ]
    return "\n".join(lines) + "\n"


def _shown(summary: Mapping[str, Any], coefficient: str) -> str:
    return with_interval(summary[coefficient], summary["ci"][coefficient])


def _draw(results: Mapping[str, Any], path: Path) -> None:
    """Draw the summary-level Pearson of every score with its interval, and the published ones as lines."""
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
