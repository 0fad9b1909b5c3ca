"""Fit the default weights of SSAS on the human scores of REALSumm, and say what they are worth.

They are fitted on all 100 documents; what they are worth is measured on documents, or systems, that the
weights were not fitted on. ``claimwise reproduce pyramid`` measures the same beside other scores.
"""

from __future__ import annotations

import argparse
import json
import os
import re
from pathlib import Path
from typing import Any, get_args

import numpy as np

from claimwise.data.realsumm import read_realsumm
from claimwise.files import writing
from claimwise.metrics import Ssas
from claimwise.reproduce.pyramid import SsasScores, measure
from claimwise.scores.ssas import FEATURES, Ranking, fit_weights

REPOSITORY = Path(__file__).parents[2]
WEIGHTS = REPOSITORY / "src" / "claimwise" / "metrics" / "ssas.json"
CARD = REPOSITORY / "metrics" / "ssas" / "README.md"
BEGIN, END = "<!-- fit: written by training/judge/fit_ssas.py -->", "<!-- end of fit -->"
CACHE = Path.home() / ".cache" / "claimwise" / "training" / "ssas_scores.sqlite"
ROWS = {
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


def card_block(content: dict[str, Any]) -> str:
    """Return what the card says of the weights that come with the package."""
    of = content["fitted_on"]
    lines = [
        BEGIN,
        "",
        f"Weights of `default`, {content['ranking']}, fitted on {of['name']} ({of['summaries']:,} summaries "
        f"of {of['documents']} documents):",
        "",
        "| feature | weight |",
        "|---|---|",
        *(f"| {name} | {weight:.3f} |" for name, weight in content["weights"].items()),
        "",
        "What such weights are worth on documents, or systems, that they were not fitted on; correlation "
        "with human scores over the summaries of a document, mean of all documents [95 % interval], and "
        "over the systems' means:",
        "",
        "| fit | summary: Pearson | Spearman | system: Pearson | Spearman |",
        "|---|---|---|---|---|",
    ]
    for name, title in ROWS.items():
        summary, system = (content["cross_validated"][name][level] for level in ("summary", "system"))
        cells = [
            f"{summary[one]:.3f} [{summary['ci'][one][0]:.3f}, {summary['ci'][one][1]:.3f}]"
            for one in ("pearson", "spearman")
        ]
        cells += [f"{system[one]:.3f}" for one in ("pearson", "spearman")]
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    shown = "; ".join(f"`{config}` {b:.2f} and {c:.2f}" for config, (b, c) in content["table_1"].items())
    lines += ["", f"Table 1 of the paper, B (the same) and C (the opposite): {shown}."]
    return "\n".join([*lines, "", END])


def table_1(weights: dict[str, float]) -> dict[str, list[float]]:
    """Return the scores of B and C of Table 1, with the weights and with even ones."""
    a = "Mary lived through an era of liberating reform for women."
    b = "Mary's life spanned years of incredible change for women."
    c = "Mary lived through an era of suppression of women."
    return {
        config: Ssas(weights=chosen).compute(predictions=[b, c], references=[a, a])["ssas_scores"]
        for config, chosen in (("default", weights), ("even", "even"))
    }


def main() -> None:
    """Fit, measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("CLAIMWISE_DATA"), help="holds pyramid/")
    parser.add_argument("--out", type=Path, default=WEIGHTS, help="JSON file of the weights")
    parser.add_argument("--card", type=Path, default=CARD, help="card whose table of them is written anew")
    parser.add_argument("--score-cache", type=Path, default=CACHE, help="keeps what the judge says")
    parser.add_argument("--ranking", choices=get_args(Ranking), default="listwise")
    arguments = parser.parse_args()
    if arguments.data is None:
        parser.error("--data or CLAIMWISE_DATA: where is REALSumm?")
    dataset = read_realsumm(arguments.data)
    arguments.score_cache.parent.mkdir(parents=True, exist_ok=True)
    metric = Ssas("even", score_cache=arguments.score_cache)
    references = dataset.reference_texts

    def features(documents: Any, summaries: Any) -> Any:
        columns = {"predictions": summaries, "references": [references[number] for number in documents]}
        return metric.features(metric.rows(columns))

    scores = SsasScores(dataset, features, dataset.human)
    rows = scores.features.reshape(-1, len(FEATURES))
    documents = np.repeat(np.arange(len(dataset.documents)), len(dataset.systems)).tolist()
    weights = fit_weights(rows, dataset.human.ravel(), documents, arguments.ranking).round(6)
    by_name = dict(zip(FEATURES, weights.tolist(), strict=True))
    content = {
        "weights": by_name,
        "about": "SSAS (Vadapalli et al. 2017), fitted by training/judge/fit_ssas.py",
        **metric.fitted_with(dataset.human.ravel().tolist(), documents, arguments.ranking, "REALSumm"),
        "cross_validated": {name: measure(of_name, dataset.human) for name, of_name in scores.all().items()},
        "table_1": table_1(by_name),
    }
    with writing(arguments.out) as out:
        json.dump(content, out, indent=1)
        out.write("\n")
    block = card_block(content)
    if arguments.card.is_file():
        card = arguments.card.read_text(encoding="utf-8")
        written = re.sub(rf"{re.escape(BEGIN)}.*?{re.escape(END)}", lambda _: block, card, flags=re.DOTALL)
        arguments.card.write_text(written, encoding="utf-8")
    print(block)


if __name__ == "__main__":
    main()
