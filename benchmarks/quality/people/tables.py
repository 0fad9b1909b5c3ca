"""OpinSummEval and RoSE as tables that ``claimwise study --human`` reads: one row per summary.

    python -m benchmarks.quality.people.tables --data DATA --output TABLES
    claimwise study TABLES/opinsummeval.jsonl --system system --id id --human sent_con_1,sent_con_2 --output S

OpinSummEval (A-Chicharito-S/OpinSummEval; no licence stated) has 100 products, 14 systems, four ratings by
two annotators, and the values of other metrics. RoSE (Yale-LILY/ROSE, BSD-3) has 99 articles, 12
systems, and the share of human content units (ACUs) that each summary has. The texts are not copied here.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.papers.rouge_l import rouge_l
from claimwise.scores.rouge import rouge_n

Row = dict[str, Any]

DIMENSIONS = {
    "asp_rel": "Aspect Relevance",
    "self_coh": "Self-Coherence",
    "sent_con": "Sentiment Consistency",
    "readblty": "Readability",
}
RECORDED = {
    "summac_score_snt": "SummaC by sentence",
    "summac_score_doc": "SummaC by document",
    "questeval_score": "QuestEval",
    "qafacteval_score": "QAFactEval",
    "bart_score_arti2hypo": "BARTScore",
    "bert_score_f1": "BERTScore",
    "bleurt_score": "BLEURT",
}
"""Other metrics as recorded in OpinSummEval."""
PROMPTED = {"chatgpt_CoT": "ChatGPT", "geval_normalized": "G-Eval"}
"""Recorded metrics with a value for each dimension."""


def opinsummeval(data: Path) -> list[Row]:
    """Return a row per product and system, with both annotators' ratings and the recorded metrics."""
    rows = []
    for product in _read(data / "human" / "opinsummeval.jsonl.gz"):
        for system, of in product["systems"].items():
            row = {"id": str(product["product"]), "system": system, "summary": of["summary"]}
            row |= {"reviews": product["reviews"], "reference": product["reference"]}
            for annotator in (1, 2):
                row |= {f"{name}_{annotator}": of[f"annot{annotator}"][name] for name in DIMENSIONS}
            row |= {title: of["metrics"][name] for name, title in RECORDED.items()}
            for prompt, title in PROMPTED.items():
                for name, asked in DIMENSIONS.items():
                    row[f"{title} {name}"] = of["metrics"][f"{prompt}_{asked}"]
            summary, reference = _words(of["summary"]), _words(product["reference"])
            row |= {"ROUGE-1": rouge_n(summary, reference, 1).f1, "ROUGE-L": rouge_l(summary, reference).f1}
            rows.append(row)
    return rows


def rose(data: Path) -> list[Row]:
    """Return a row per article and system, with the units of the reference and the human scores."""
    rows = []
    for article in _read(data / "human" / "rose_cnndm.jsonl.gz"):
        for system, of in article["systems"].items():
            row = {"id": article["id"], "system": system, "summary": of["summary"], "units": article["units"]}
            row |= {"source": article["source"], "reference": article["reference"]}
            row |= {name: of[name] for name in ("acu", "normalized_acu")}
            overlap = rouge_n(_words(of["summary"]), _words(article["reference"]), 1)
            rows.append(row | {"unigram recall": overlap.recall})
    return rows


TABLES = {"opinsummeval": opinsummeval, "rose": rose}


def write(rows: list[Row], path: Path) -> Path:
    """Write rows as JSON lines, and return the path. A file that holds them is left as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
    return path


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _read(path: Path) -> Iterator[Row]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def main() -> None:
    """Write both tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=os.environ.get("CLAIMWISE_DATA"), help="$CLAIMWISE_DATA")
    parser.add_argument("--output", type=Path, required=True, help="folder for the tables")
    options = parser.parse_args()
    if options.data is None:
        parser.error("set CLAIMWISE_DATA, or pass --data: the folder that holds human/.")
    for name, table in TABLES.items():
        print(write(table(options.data), options.output / f"{name}.jsonl"))


if __name__ == "__main__":
    main()
