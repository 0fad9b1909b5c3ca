"""Write what documents take from the code: tables of metrics, shared options, the option tables of cards.

``python tools/generate.py`` rewrites them; a test fails if one is stale. A block is enclosed by two comments
with its name. What all metrics share is on one page, docs/options.md.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import Field, fields
from pathlib import Path
from typing import Any

from links import repository_url

from claimwise import ChatJudge, LLMDecomposer, TEIJudge
from claimwise.judges.options import JudgeOptions
from claimwise.metrics import METRICS, Metric
from claimwise.metrics.spec import CONDITIONAL, JUDGED
from claimwise.options import OptionGroup
from claimwise.report.lines import SIGNIFICANT, number, p_is
from claimwise.runners.on_ray import RayRunner
from claimwise.runners.processes import LocalRunner
from claimwise.text.options import DecomposerOptions, SplitterOptions
from claimwise_summarize.options import SummarizerOptions

sys.path.append(str(Path(__file__).parents[1]))
from benchmarks.papers.aggrefact import PUBLISHED as PUBLISHED_MEANS
from benchmarks.papers.cocotrip import PRINTED, SETS, cocotrip_table
from benchmarks.papers.experiment import table, with_interval
from benchmarks.papers.prevalence import prevalence_table
from benchmarks.papers.pyramid import PUBLISHED
from benchmarks.papers.summaries import contrast_table, topic_table
from benchmarks.quality.people.report import opinsummeval_table, rose_table
from benchmarks.quality.people.tables import DIMENSIONS

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"<!-- (\w+): written by tools/generate.py -->.*?<!-- end of \1 -->", re.DOTALL)
SHARED = {
    "The judge": (
        JudgeOptions,
        "The judge turns a premise and a hypothesis into probabilities. These options select the judge "
        "(an NLI model, a server, a chat model) and determine how it runs.",
    ),
    "The splitter": (SplitterOptions, "The splitter splits a text into sentences."),
    "The decomposer": (DecomposerOptions, "The decomposer splits a sentence into claims."),
}
COMPARED = {
    "synthetic_low_contrast": "a summary with its paraphrase",
    "reference_similar": "two annotators on the same hotel",
    "reference_contrastive": "two hotels",
    "synthetic_high_contrast": "a summary with its negation",
    "synthetic_contrast": "two hotels, paraphrased",
}
"""What the sets of CoCoTrip compare."""
BEST: dict[str, Callable[[list[float]], float]] = {
    "synthetic_low_contrast": min,
    "synthetic_high_contrast": max,
}
"""The better score of those sets whose contrast is known."""
LABELLED = {
    "qags_cnndm": "QAGS-CNN/DM, 235 summaries",
    "cliff_goyal21": "CLIFF and Goyal21, 750 summaries",
    "summedits": "SummEdits, 2,651 summaries",
}
"""Sets of summaries with consistency labels, and their numbers of summaries."""
SUMMARIES_RATED = (
    *("opinion_prevalence", "support_counts", "support_counts_top_score", "summac_zs", "summac_conv"),
    *("pyramid", "ssas", "abstractiveness", "complexity", "number of words", "ROUGE-1", "ROUGE-L"),
    *("BERTScore", "BLEURT", "QAFactEval", "QuestEval", "SummaC by document", "SummaC by sentence"),
    *("BARTScore", "ChatGPT", "G-Eval"),
)
"""Scores in the table of docs/people.md."""
RATED_IN_README = (
    *("opinion_prevalence", "support_counts", "summac_zs", "pyramid", "number of words", "ROUGE-L"),
    *("SummaC by document", "QuestEval", "BARTScore", "ChatGPT"),
)
"""Scores in the README's table of agreement with people."""
OPTION_TABLE = ["| option | values | default |", "|---|---|---|"]
SHOWN_SYSTEMS = ("q, lexrank", "acesum", "qg", "tcg", "fewsum-amazon", "gpt3-amazon", "qfsumm-amazon")
"""Summaries in the cards: an extract, and systems that the authors recorded."""
FITS = {
    "ssas_with_opposites": "pairwise, by examples, with opposites: `default`",
    "ssas": "listwise, by examples",
    "ssas_pairwise": "pairwise, by examples",
    "ssas_regression": "regression, by examples",
    "ssas_by_systems": "listwise, by systems",
    "ssas_without_entailment": "listwise, by examples, without entailment",
    "ssas_without_contradiction": "… without contradiction",
    "ssas_without_neutrality": "… without neutrality",
    "ssas_without_paraphrase": "… without paraphrase",
    "ssas_without_rouge_su4": "… without ROUGE-SU4",
    "ssas_out_of_box": "not fitted: `even`",
}
"""Ways to fit the weights of SSAS."""
SHARED_GROUPS = [group for group, _ in SHARED.values()]
ENDPOINTS: dict[str, tuple[Callable[..., object], str]] = {
    "Chat judge (`ChatJudge`)": (
        ChatJudge,
        '`claimwise.ChatJudge(model, url, …)`, or `"openai:MODEL@URL"` for its defaults; on the command line '
        "`--judge-option NAME=VALUE`.",
    ),
    "TEI server (`TEIJudge`)": (
        TEIJudge,
        '`claimwise.TEIJudge(url, …)`, or `"tei:URL"` for its defaults; on the command line '
        "`--judge-option NAME=VALUE`.",
    ),
    "LLM decomposer (`LLMDecomposer`)": (
        LLMDecomposer,
        '`claimwise.LLMDecomposer(model, url, …)`, or `"openai:MODEL@URL"` for its defaults; on the command '
        "line `--decomposer-option NAME=VALUE`.",
    ),
}
"""What asks a server, and how it is made."""
OF_COMPUTE = {
    "ids": "a unique id for each row, a string or an integer: rows of several systems are matched by their "
    "ids, and reports and maps show them",
    "details": "bool; add the evidence of every row",
    "confidence_level": "level of bootstrap confidence intervals of the mean and of each further score, for "
    "example 0.95; None = no intervals; needs two rows",
    "confidence_method": '`"percentile"` or `"bca"` (always within the range of the metric), or `"normal"` '
    "(mean ± z · standard error, as in the CASPR paper, Section 3.3; its bounds can lie outside the range)",
    "resamples": "number of bootstrap resamples, at least 2",
    "seed": "seed of the bootstrap; None = a random seed",
}
OF_RUNNERS = {
    "workers": "processes that score in parallel; `--workers`",
    "on_error": 'for a row that cannot be scored: `"stop"` the run, or `"row"`: record the error instead of '
    "a score; `--on-error`",
    "rows_in_part": "maximum number of rows per part; each part is saved as soon as it is scored",
}
OF_RAY = {
    "address": 'address of a Ray cluster: `"auto"` or `"host:port"`; None = start one on this machine; '
    "`--address`",
    "num_cpus": "number of CPUs, and of computing threads, per worker; `--num-cpus`",
    "num_gpus": "number of GPUs per worker; a fraction if several workers share a GPU; `--num-gpus`",
}
COLUMNS = (
    "Columns have the same length: one text or one source per row. A source is a list of strings (reviews), "
    "or a string, which counts as one review. Several references are a list of strings as well. In a `.csv` "
    "file, write a list as JSON in its cell ([files](files.md)). In Python, a column is a list, a tuple, a "
    "pandas Series, a NumPy array or a column of a dataset.",
    "",
    "- **Texts.** A text that is empty, missing, not a string or without a letter is refused, and the error "
    "names its row. It is never scored as 0.",
    '- **Blank reviews.** A review without content (`None`, `NaN`, `""`, `"N/A"`, `"…"`) is left out, and '
    "`NAME_blank_reviews` counts it. Evidence numbers reviews as you gave them. The row is refused only if "
    "no review is left.",
    "- **Reviews as objects** have the field `text`, or one of its usual names, with a warning.",
)
GIVEN = (
    "Claims that you already have can be scored directly: a cell of `predictions`, and for `caspr` of "
    "`references`, may be a list of claims instead of a text. The metrics that decompose summaries accept "
    "them: {metrics}.",
    "",
    "- The signature has `claims:given`, beside the decomposer if only one column contains claims.",
    '- The metric still loads its decomposer. `decomposer="sentences"` avoids one that needs a key.',
    "- A column holds texts in all rows, or lists of claims in all rows. Empty lists and blank claims are "
    "refused.",
    "- Each claim counts as a sentence. Where a metric needs the whole summary, the claims are joined by "
    "spaces.",
    "- In other columns, a list keeps its meaning: several reviews, several references, or the `units` of "
    "`pyramid`.",
)
COUNTS = JUDGED | CONDITIONAL
IN_EVERY_RESULT = (
    "A result is a flat dict of plain Python values. `NAME` stands for the name of the metric: for `caspr`, "
    "`NAME_scores` is `caspr_scores`. Each further score of a metric, such as `caspr_strongest`, has its own "
    "`_scores` and `_ci`.",
    "",
    "| key | meaning |",
    "|---|---|",
    "| `NAME` | mean of the scores, over rows, claims or sentences: see the card |",
    "| `NAME_scores` | score of each row, in order; None for a row that was not sampled |",
    "| `NAME_weights` | weight of each row in the mean, intervals and tests; omitted if all are 1 |",
    "| `NAME_ci` | confidence interval of the mean, with `confidence_level` |",
    "| `NAME_details` | evidence of each row, with `details=True`; `kind` tells what it contains |",
    "| `NAME_ids` | the `ids`, as strings, if they were given |",
    "| `NAME_input_hashes` | for each row the first 12 hexadecimal digits of the SHA-256 of its source or "
    "references, or of the `common` summary; omitted if there is none. They match the rows of systems |",
    "| `NAME_signature` | everything that the scores depend on: version, configuration and options; the "
    "judge's model, fingerprint of its weights, label order, maximum length, dtype and library versions; the "
    "splitter and the decomposer |",
    "| `NAME_truncated` | comparisons, or texts, that were truncated to the model's maximum length |",
    *(f"| `NAME_{name}` | {meaning} |" for name, meaning in COUNTS.items() if name != "truncated"),
    '| `NAME_errors` | a message or None for each row; only from a runner with `on_error="row"` |',
    "| `NAME_judge_used` | requests and tokens of this call, the test question too; only with a chat model |",
    "",
    "[What these numbers cannot tell you](limits.md) describes their limits.",
)


def options_page() -> str:
    """Return docs/options.md: everything that metrics share."""
    parameters = inspect.signature(Metric.compute).parameters
    compute = [
        f"| `{name}` | {OF_COMPUTE[name]} | `{_shown(parameters[name].default)}` |" for name in OF_COMPUTE
    ]
    parts = [
        "# Shared options",
        "",
        "A metric is configured when it is created, with `claimwise.load(name, config, **options)`, "
        "`evaluate.load(name, config, **options)` or its class, `Caspr(config, **options)`. Its `compute` "
        "method takes the data. The metric's card lists the configurations (`--config` on the command line); "
        "options override the settings of a configuration.",
        "",
        "On the command line, an option has a flag of its own (`--judge`) or is given as "
        "`--option name=value`. An option that would have no effect raises an error. Options of a "
        "single metric are listed in its card.",
        "",
        "## Columns",
        "",
        *COLUMNS,
        "",
        "## Claims as given",
        "",
        *(line.replace("{metrics}", _taking_claims()) for line in GIVEN),
        "",
        "## Options of `compute`",
        "",
        "These options are the same for all metrics.",
        "",
        *OPTION_TABLE,
        *compute,
    ]
    parts += [
        "",
        "## Options of runners",
        "",
        "`claimwise.runners.local(…)` scores [many rows](scale.md) on this machine, "
        "`claimwise.runners.ray(…)` on a [Ray cluster](scale.md#a-cluster).",
        "",
        *OPTION_TABLE,
    ]
    of_runners = inspect.signature(LocalRunner).parameters
    parts += [
        f"| `{name}` | {values} | `{_shown(of_runners[name].default)}` |"
        for name, values in OF_RUNNERS.items()
    ]
    of_ray = inspect.signature(RayRunner).parameters
    parts += [
        "",
        "Only for `ray`:",
        "",
        *OPTION_TABLE,
        *(f"| `{name}` | {values} | `{_shown(of_ray[name].default)}` |" for name, values in OF_RAY.items()),
    ]
    for title, (group, about) in SHARED.items():
        parts += ["", f"## {title}", "", about, "", *_table(fields(group))]
    rows = {made: _parameters(made) for made, _ in ENDPOINTS.values()}
    first, *others = rows.values()
    shared = [row for row in first if all(row in other for other in others)]
    parts += [
        "",
        "## Options of every server",
        "",
        "Chat judges, TEI servers and LLM decomposers share:",
    ]
    parts += ["", *OPTION_TABLE, *shared]
    for title, (made, about) in ENDPOINTS.items():
        own = [row for row in rows[made] if row not in shared]
        parts += ["", f"## {title}", "", about, "", *OPTION_TABLE, *own]
    parts += ["", "## In every result", "", *IN_EVERY_RESULT]
    return "\n".join(parts) + "\n"


def _taking_claims() -> str:
    """Return the metrics whose summaries may be given as claims."""
    *names, last = (f"`{name}`" for name, metric in sorted(METRICS.items()) if metric.spec.decomposed)
    return f"{', '.join(names)} and {last}"


def card_options(metric: type[Metric]) -> str:
    """Return what a metric's card says of the options it is made with."""
    options: type[OptionGroup] = metric.Options
    shared = [(title, group) for title, (group, _) in SHARED.items() if issubclass(options, group)]
    own = [one for one in fields(options) if not _is_shared(one, [group for _, group in shared])]
    lines = _table(own) if own else ["The metric has no options of its own."]
    if shared:
        names = ", ".join(
            f"`{name}`" for _, group in shared for name in group.names() if name not in _names(own)
        )
        lines += ["", f"[Shared options](../../docs/options.md): {names}."]
    return "\n".join(lines)


def table_of_metrics() -> str:
    """Return the table of metrics, by family, with links from metrics/README.md."""
    lines = ["| metric | evaluates | question | range | source |", "|---|---|---|---|---|"]
    for name, metric in sorted(METRICS.items(), key=lambda one: (one[1].spec.family, one[0])):
        spec, card = metric.spec, ROOT / "metrics" / name / "README.md"
        if card.is_file():
            low, high = (f"{bound:g}".replace("-", "−") for bound in spec.bounds)
            cells = (spec.takes, spec.question, f"{low} to {high} ({spec.ends[1]})")
            lines.append(f"| [`{name}`]({name}/README.md) | {' | '.join(cells)} | {spec.source} |")
    return "\n".join(lines)


def install() -> str:
    """Return how to install claimwise into an environment of one's own."""
    url = repository_url(ROOT)
    return "\n".join(
        [
            "```sh",
            f'pip install "claimwise @ git+{url}"' if url else "pip install .   # in the clone",
            "```",
        ]
    )


def times() -> str:
    """Return the measured times of the judge and of a first score, in words."""
    engine = measured("engine")
    judge, threads = engine["procedures"]["claimwise"], engine["machine"]["threads"]
    return (
        f"On {threads} threads, the embedded judge processes {judge['pairs_per_s']:.0f} pairs per second "
        "([measurements](../benchmarks/speed/engine.md)). The first score on the command line takes"
        f" {seconds()} of processor time "
        "([measurements](../benchmarks/speed/first_score.md))."
    )


def rose() -> str:
    """Return the agreement on RoSE, of abstractiveness only the score itself."""
    results = measured("people")["results"]
    scores = [line["metric"] for line in results["rose"]["acu"] if not line["metric"].endswith(("_4", "_5"))]
    return rose_table(results, scores=scores, with_interval=False)


def seconds() -> str:
    """Return the measured time of a first score."""
    runs = measured("first_score")["runs"]["`claimwise explain caspr …`"]
    return f"{min(of_processor for _, of_processor, _ in runs):.1f} s"


def ratio() -> str:
    """Return the processor time of a first score, relative to plain transformers."""
    runs = measured("first_score")["runs"]
    own, plain = (
        min(of_processor for _, of_processor, _ in runs[name])
        for name in ("`claimwise explain caspr …`", "the same checkpoint in plain transformers, one pair")
    )
    return f"{own / plain:.2f}"


def engine() -> str:
    """Return the speed of the judge beside its peers, as a table, and what the peers' arithmetic changes."""
    rows = [
        f"| {name} | {found['arithmetic']} | {found['pairs_per_s']:.0f} | "
        f"{found['claimwise_times_as_fast']:.2f} | {found['other_labels']:.2%} |"
        for name, found in measured("engine")["procedures"].items()
    ]
    header = "| procedure | arithmetic | pairs per second | claimwise is × as fast | other labels |"
    return "\n".join([header, "|---|---|---:|---:|---:|", *rows])


def measured(name: str) -> dict[str, Any]:
    """Return what a benchmark has measured."""
    (path,) = (ROOT / "benchmarks").glob(f"*/{name}.json")
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def cocotrip(page: Path) -> str:
    """Return scores on CoCoTrip beside the paper's: those of a card, the README's, or all of them."""
    results = measured("cocotrip")["results"]
    if page.parent.name in METRICS:
        return _cocotrip_of_card(page.parent.name, results)
    return _cocotrip_of_readme(results) if page.name == "README.md" else cocotrip_table(results)


def _cocotrip_of_card(name: str, results: Mapping[str, Any]) -> str:
    columns = {"claimwise": results["claimwise"][name], "recorded": results["recorded"][name]}
    if name == "caspr":
        columns = {
            "`caspr`": results["claimwise"]["caspr"],
            "`caspr_strongest`": results["claimwise"]["caspr_strongest"],
            "`caspr`, recorded claims": results["recorded_claims"]["caspr"],
            "recorded": results["recorded"]["caspr"],
        }
    printed = dict.fromkeys(SETS, "–") | {"spearman": "–"}
    printed |= zip((*SETS[2:], "pearson"), PRINTED[name], strict=True)
    rows = {one: f"`{one}`" for one in SETS}
    rows["pearson"] = "Pearson, `synthetic_contrast` with `reference_contrastive`"
    rows["spearman"] = "Spearman, the same sets"
    cells = [[row, *(_on_set(of, one) for of in columns.values()), printed[one]] for one, row in rows.items()]
    return "\n".join([*table(["set", *columns, "published"], cells), _machine(measured("cocotrip"))])


def _cocotrip_of_readme(results: Mapping[str, Any]) -> str:
    ours, recorded = results["claimwise"], results["recorded"]["caspr"]
    heads = ["claimwise, offline: `caspr`", "`caspr_strongest`", "paper: roberta-large-mnli, GPT-3.5"]
    columns = (ours["caspr"], ours["caspr_strongest"], recorded)
    cells = []
    for name, what in COMPARED.items():
        means = [column[name]["mean"] for column in columns]
        best = BEST[name](means) if name in BEST else None
        shown = [_on_set(column, name) for column in columns]
        scores = [f"**{one}**" if mean == best else one for one, mean in zip(shown, means, strict=True)]
        cells.append([f"`{name}`", what, *scores])
    return "\n".join(table(["set", "compares", *heads], cells)[:-1])


def _on_set(found: Mapping[str, Any], key: str) -> str:
    """Return the mean of a set with half its interval, or a correlation."""
    if key in found:
        return f"{found[key]['mean']:.1f} ± {found[key]['half_width']:.1f}"
    correlation = found.get("correlation", {}).get(key)
    return "–" if correlation is None else _short(correlation, 2)


def pyramid() -> str:
    """Return correlations with human scores on REALSumm, published and measured."""
    found = measured("pyramid")["results"]["realsumm"]
    rows = [
        [name, *(" / ".join(map(_short, of[level])) for level in ("system", "summary"))]
        for name, of in PUBLISHED.items()
    ]
    for name, what in {
        "pyramid_scus": "`default`, human-written units (measured here)",
        "pyramid_claims": "`default`, units from the reference (measured here)",
        "rouge1": "recall of ROUGE-1 (measured here, no NLI)",
        "word_overlap": "share of a unit's words that the summary contains (measured here, no NLI)",
    }.items():
        low, high = found[name]["summary"]["ci"]["pearson"]
        of_level = [
            " / ".join(_short(found[name][level][one]) for one in ("pearson", "spearman"))
            for level in ("system", "summary")
        ]
        rows.append([what, of_level[0], f"{of_level[1]} [{_short(low)}, {_short(high)}]"])
    head = ["score", "systems", "within an article [95% interval of Pearson's r]"]
    return "\n".join([*table(head, rows), _machine(measured("pyramid"))])


def ssas() -> str:
    """Return the correlations of SSAS and its weights with human scores, beside ROUGE-SU4."""
    found = {
        **_fit_of_ssas()["cross_validated"],
        "rouge_su4": measured("pyramid")["results"]["realsumm"]["rouge_su4"],
    }
    shown = {"ssas_with_opposites": "`default`", "ssas_out_of_box": "`even`", "rouge_su4": "ROUGE-SU4"}
    rows = [[title, *_correlations(found[name])] for name, title in shown.items()]
    shares = _fit_of_ssas()["paraphrase_above_opposite"]
    return "\n".join(
        [
            *table(["score", *CORRELATIONS], rows),
            f"A paraphrase scores above a contradiction in {shares['`default`']:.0%} of 100 held-out groups "
            f"of OpinionNLI with `default`, in {shares['`even`']:.0%} with `even`.",
        ]
    )


CORRELATIONS = ("summary: Pearson", "summary: Spearman", "system: Pearson", "system: Spearman")


def _fit_of_ssas() -> dict[str, Any]:
    """Return the weights of SSAS with how they were fitted and measured."""
    path = ROOT / "src" / "claimwise" / "metrics" / "ssas.json"
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def _correlations(found: Mapping[str, Any]) -> list[str]:
    """Return Pearson's and Spearman's correlation within a document, with intervals, and over systems."""
    summary, system = found["summary"], found["system"]
    names = ("pearson", "spearman")
    return [
        *(with_interval(summary[one], summary["ci"][one]) for one in names),
        *(_short(system[one]) for one in names),
    ]


def fit() -> str:
    """Return the weights of SSAS, and what other ways to fit them are worth."""
    content = _fit_of_ssas()
    of = content["fitted_on"]
    weights = [[name, f"{weight:.3f}"] for name, weight in content["weights"].items()]
    fits = [[title, *_correlations(content["cross_validated"][name])] for name, title in FITS.items()]
    pairs = "; ".join(f"`{config}` {b:.2f} and {c:.2f}" for config, (b, c) in content["table_1"].items())
    shares = "; ".join(f"{name} {share:.0%}" for name, share in content["paraphrase_above_opposite"].items())
    return "\n".join(
        [
            f'The `default` weights were learned with `ranking="{content["ranking"]}"` from '
            f"{of['summaries']:,} summaries of {of['documents']} references: {of['name']}.",
            "",
            *table(["feature", "weight"], weights),
            "Correlation with human scores on held-out documents (by examples) or held-out systems (by "
            "systems), within a document [95% interval] and over the systems' means:",
            "",
            *table(["fit", *CORRELATIONS], fits),
            f"Table 1 of the paper, B (the same) and C (the opposite): {pairs}.",
            "",
            f"Share of cases in which a paraphrase scores above a contradiction (100 held-out groups of "
            f"OpinionNLI): {shares}.",
        ]
    )


def conv() -> str:
    """Return the accuracy of the included weights of SummaC-Conv beside SummaC-ZS."""
    path = ROOT / "src" / "claimwise" / "metrics" / "summac_conv.json"
    test = json.loads(path.read_text(encoding="utf-8"))["test"]
    rows = [
        [f"`{name}`", f"{test[name]['accuracy']:.1%}", _short(test[name]["roc_auc"])]
        for name in ("summac_conv", "summac_zs")
    ]
    head = [f"{test['summaries']} summaries", "accuracy", "area under the ROC curve"]
    return "\n".join(table(head, rows)[:-1])


def systems_of(page: Path) -> str:
    """Return the mean score of extracts and recorded systems for the metric of a card."""
    found, name = measured("summaries"), page.parent.name
    rows = [
        [data, f"`{one['system']}`", number(name, one["mean"])]
        for data, dataset in (("SPACE", "space"), ("FewSum", "fewsum"))
        for one in found["results"][dataset]["lines"]
        if one["metric"] == name and one["system"] in SHOWN_SYSTEMS
    ]
    return "\n".join([*table(["data set", "summaries", f"`{name}`"], rows), _machine(found)])


def factuality(page: Path) -> str:
    """Return what SummaC-ZS is worth beside ROUGE-L; outside its card also its agreement with others."""
    found = measured("factuality")
    results = found["results"]

    def area(of: str, variant: str) -> str:
        found = results[of][variant]
        value, (low, high) = found["roc_auc"]["value"], found["roc_auc"]["ci"]
        against = f", {p_is(found['p_against_rouge_l'])}" if "p_against_rouge_l" in found else ""
        return f"{_short(value)} [{_short(low)}, {_short(high)}]{against}"

    scores = {"two sentences": "`default`", "ROUGE-L": "ROUGE-L precision"}
    areas = [[what, *(area(of, variant) for of in LABELLED)] for variant, what in scores.items()]
    lines = table(["score", *LABELLED.values()], areas)
    if page.parent.name in METRICS:
        return "\n".join([*lines, _machine(found)])
    human = results["agreement"]["human"]
    correlations = [
        *(
            (f"VitaminC, {name}", _short(of["spearman"]), of["pairs"])
            for name, of in results["agreement"]["vitaminc"].items()
        ),
        ("human support labels", _short(human["spearman"]), human["pairs"]),
    ]
    return "\n".join(
        [
            *lines,
            "The next table shows the Spearman correlation of the embedded model's p_e − p_c with the "
            "VitaminC scores and the human labels that Bhaskar et al. (2022) released:",
            "",
            *table(["with", "Spearman", "pairs"], correlations),
            f"VitaminC itself has {_short(human['vitaminc_spearman'])} with the human labels.",
            "",
            _machine(found),
            "",
            f"Signature: `{results['signature']}`",
        ]
    )


def speeds() -> str:
    """Return the time per row of every metric."""
    found = measured("metrics")
    rows = [
        [f"`{name}`", of["row"], f"{of['median']:.2g} s"] for name, of in found.items() if name in METRICS
    ]
    return "\n".join([*table(["metric", "row", "time per row"], rows), _machine(found)])


IN_PYTORCH = "ee10d01a14eb"
"""Fingerprint of the file that today's judge was exported from."""


def _machine(found: Mapping[str, Any]) -> str:
    """Return the machine of a measurement."""
    of = found["machine"]
    computed_by_torch = "onnxruntime" not in of["versions"]  # then in bfloat16 where the processor has it
    dtype = "bfloat16" if computed_by_torch and "avx512_bf16" in of["flags"] else "float32"
    cpu = f"{of['cpu']}, {dtype}, {of['threads']} thread{'s' * (of['threads'] > 1)}"
    weights = f", weights {of['weights']}" if "weights" in of else ""
    weights += " (the same network before its export to ONNX)" if of.get("weights") == IN_PYTORCH else ""
    return f"Measured with claimwise {of['versions']['claimwise']}{weights}, {of['date'][:10]}, on {cpu}."


def summaries(dataset: str) -> str:
    """Return scores of extracts beside recorded systems; ``*`` = differs from the first (Holm's p < .05)."""
    found = measured("summaries")["results"][dataset]
    of_system: dict[str, list[str]] = {}
    for one in found["lines"]:
        mark = "\\*" if one["p_holm"] is not None and one["p_holm"] < SIGNIFICANT else ""
        of_system.setdefault(one["system"], []).append(f"{number(one['metric'], one['mean'])}{mark}")
    rouge = {name: [f"{score:.1f}" for score in scores] for name, scores in found["rouge"].items()}
    heads = dict.fromkeys(f"`{one['metric']}`" for one in found["lines"])
    rows = [[f"`{name}`", *scores, *rouge.get(name, ())] for name, scores in of_system.items()]
    of_rouge = ("ROUGE-1", "ROUGE-2", "ROUGE-L") if rouge else ()
    return "\n".join(table(["summaries", *heads, *of_rouge], rows)[:-1])


def _short(value: float, digits: int = 3) -> str:
    """Return a correlation or an area."""
    return f"{value:.{digits}f}"


def options_of(page: Path) -> str:
    """Return the table of options of a card, or of the summarizers."""
    if page.parent.name in METRICS:
        return card_options(METRICS[page.parent.name])
    return "\n".join(_table([one for one in fields(SummarizerOptions) if not _is_shared(one, SHARED_GROUPS)]))


def people(page: Path) -> str:
    """Return the correlations with ratings of summaries: of all scores, or for the README of some."""
    results = measured("people")["results"]
    if page.name == "README.md":
        return _people_of_readme(results["opinsummeval"])
    return opinsummeval_table(results, scores=SUMMARIES_RATED, with_interval=False)


def _people_of_readme(results: Mapping[str, Any]) -> str:
    """Return a row for each dimension that people rated, and a column for each score."""
    rows = []
    for rated, lines in results.items():
        within = {line["metric"]: f"{line['spearman']:z.2f}" for line in lines if line["level"] == "ids"}
        scores = [within[score].replace("-", "−") for score in RATED_IN_README]
        rows.append([DIMENSIONS[rated].lower(), *scores])
    heads = [f"`{score}`" if score in METRICS else score for score in RATED_IN_README]
    return "\n".join(table(["people rated", *heads], rows)[:-1])


def aggrefact() -> str:
    """Return the published means on LLM-AggreFact."""
    rows = [f"| {system} | {mean} |" for system, mean in PUBLISHED_MEANS.items()]
    return "\n".join(["| system | published mean (%) |", "|---|---:|", *rows])


BLOCKS: dict[str, Callable[[Path], str]] = {
    "aggrefact": lambda _: aggrefact(),
    "cocotrip": cocotrip,
    "conv": lambda _: conv(),
    "contrasts": lambda _: "\n".join(contrast_table(measured("summaries")["results"]["contrasts"])[:-1]),
    "factuality": factuality,
    "fit": lambda _: fit(),
    "fewsum": lambda _: summaries("fewsum"),
    "install": lambda _: install(),
    "metrics": lambda _: table_of_metrics(),
    "options": options_of,
    "people": people,
    "rose": lambda _: rose(),
    "prevalence": lambda _: prevalence_table(measured("prevalence")["results"]),
    "pyramid": lambda _: pyramid(),
    "space": lambda _: summaries("space"),
    "ratio": lambda _: ratio(),
    "seconds": lambda _: seconds(),
    "speeds": lambda _: speeds(),
    "ssas": lambda _: ssas(),
    "systems": systems_of,
    "engine": lambda _: engine(),
    "times": lambda _: times(),
    "topics": lambda _: "\n".join(topic_table(measured("summaries")["results"]["topics"])[:-1]),
}
"""What the blocks of a name hold, on each page that has one."""


def written() -> dict[Path, str]:
    """Return what each file that is written should hold."""

    def block(page: Path, name: str) -> str:
        begin, end = f"<!-- {name}: written by tools/generate.py -->", f"<!-- end of {name} -->"
        around = "" if name in ("ratio", "seconds") else "\n\n"  # numbers within a sentence
        return f"{begin}{around}{BLOCKS[name](page)}{around}{end}"

    files = {ROOT / "docs" / "options.md": options_page()}
    pages = ("README.md", "*/*.md", "metrics/*/README.md", "packages/*/README.md", "benchmarks/*/*.md")
    for page in (page for pattern in pages for page in ROOT.glob(pattern)):
        if BLOCK.search(text := page.read_text(encoding="utf-8")):
            files[page] = BLOCK.sub(lambda found, page=page: block(page, found[1]), text)
    return files


def _parameters(made: type) -> list[str]:
    """Return the rows of the parameters of a class, in the words of its docstring."""
    meanings: dict[str, str] = {}
    for kind in made.__mro__:
        arguments = inspect.cleandoc(kind.__doc__ or "").partition("Args:\n")[2].partition("\n\n")[0]
        for name, words in re.findall(r"^    (\w+): (.*(?:\n {8}.*)*)", arguments, re.MULTILINE):
            meanings.setdefault(name, " ".join(words.split()).removesuffix("."))
    return [
        f"| `{one.name}` | {meanings[one.name]} | "
        f"{'' if one.default is one.empty else f'`{_shown(one.default)}`'} |"
        for one in inspect.signature(made).parameters.values()
    ]


def _table(options: Collection[Field]) -> list[str]:  # type: ignore[type-arg]
    return [*OPTION_TABLE, *map(_row, options)]


def _row(one: Field) -> str:  # type: ignore[type-arg]
    return f"| `{one.name}` | {one.metadata['values']} | `{_shown(one.default)}` |"


def _shown(default: object) -> str:
    return repr(default).replace("'", '"')


def _names(options: Collection[Field]) -> Iterator[str]:  # type: ignore[type-arg]
    return (one.name for one in options)


def _is_shared(one: Field, groups: Collection[type[OptionGroup]]) -> bool:  # type: ignore[type-arg]
    """Tell whether an option is that of a shared group, with the same default."""
    same = [field for group in groups for field in fields(group) if field.name == one.name]
    return bool(same) and same[0].default == one.default


if __name__ == "__main__":
    for path, text in written().items():
        path.write_text(text, encoding="utf-8")
