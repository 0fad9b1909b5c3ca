"""Extracts and the recorded summaries of Bhaskar et al. 2022, offline topics, and CoCoSum's contrasts.

No chat model is used: Q and T run offline, and all other summaries were recorded by the authors.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import rich_click as click

from benchmarks.papers.command import RESULTS, data_flag, output_flag, paper_command, run, show
from benchmarks.papers.experiment import outputs, table, with_cache, with_interval
from benchmarks.papers.lines import read_json_lines
from benchmarks.papers.rouge_l import rouge_l
from benchmarks.papers.zs_summ import AGAIN, Reviews, read_reviews, read_system, systems
from claimwise.apps.cli.options import PATH
from claimwise.data.cocotrip import records
from claimwise.judges.options import JudgeOptions
from claimwise.metrics import Caspr, DistinctivenessScore, InvertedBertscore
from claimwise.report.study import study
from claimwise.report.study_files import HEADINGS, Study, cells_of
from claimwise.scores.rouge import rouge_n
from claimwise.stats import bootstrap_interval
from claimwise.text.options import DecomposerOptions, SplitterOptions
from claimwise.text.sentences import Splitter
from claimwise.text.tokens import load_stemmer, load_tokenizer
from claimwise_summarize import load
from claimwise_summarize.nearest import NearestAspect

ASPECTS = ("building", "cleanliness", "food", "location", "rooms", "service")
EXTRACTORS = ("lexrank", "keywords", "judge", "lead", "random")
MEASURES = (
    "support_counts_top_score",
    "support_counts",
    "genericity",
    "genericity_average_idf",
    "abstractiveness",
    "complexity",
)
Key = tuple[str, str | None]


def reproduce_summaries(
    data: Path, out: Path, summaries: int | None = None, vectors: Path | None = None, **options: Any
) -> dict[str, Any]:
    """Extract summaries for SPACE and Amazon, and score them and the recorded systems.

    Args:
        data: the folder with ``zs_summ`` and, for the contrasts, ``cocotrip``.
        out: folder for ``results.json``, ``results.md`` and the score cache ``scores.sqlite``.
        summaries: score at most this many summaries per system and data set; None = all.
        vectors: a file of word vectors in GloVe's format, for T; None = word vectors of the embedded judge.
        **options: options of the judge and the decomposer.

    Raises:
        ClaimwiseError: for missing or modified data, or an output that cannot be written.
    """
    folder, options = data / "zs_summ", with_cache(options, out)
    with outputs(out, "results.json", "results.md") as write:
        results: dict[str, Any] = {}
        lines: list[str] = []
        signatures: dict[str, None] = {}
        for dataset, title in (("space", "SPACE"), ("fewsum", "Amazon")):
            found, compared = _side_by_side(folder, dataset, summaries, options)
            results[dataset] = found | {"lines": [asdict(line) for line in compared.lines]}
            signatures |= dict.fromkeys(compared.signatures)
            lines += [f"## {title}: {found['summaries']} summaries of {found['entities']} entities", ""]
            lines += [f"Differences are from `{compared.lines[0].system}`.", ""]
            lines += table(HEADINGS, map(cells_of, compared.lines))
            if found["rouge"]:
                rows = [[name, *(f"{one:.1f}" for one in scores)] for name, scores in found["rouge"].items()]
                lines += table(["system", "ROUGE-1", "ROUGE-2", "ROUGE-L"], rows)
        results["topics"] = topics = _topics(folder, vectors)
        lines += ["## T offline against the recorded clusters of seven hotels", "", *topic_table(topics)]
        if (path := data / "cocotrip" / "reviews.jsonl.gz").is_file():
            contrasts, of_contrasts = _contrasts(data, path, options)
            results["contrasts"] = contrasts
            signatures |= dict.fromkeys(of_contrasts)
            lines += ["## CoCoSum's recorded summaries beside the references of the same 28 pairs", ""]
            lines += contrast_table(contrasts)
        results["signatures"] = list(signatures)
        write("results.json", results)
        write("results.md", "\n".join([*lines, *(f"- `{line}`" for line in signatures), ""]))
    return results


def _side_by_side(
    folder: Path, dataset: str, most: int | None, options: Mapping[str, Any]
) -> tuple[dict[str, Any], Study]:
    """Return ROUGE and counts of extracts and recorded summaries of the same inputs, and a study of them."""
    reviews = {name: one for name, one in read_reviews(folder, dataset).items() if one.complete}
    recorded: dict[str, dict[Key, str]] = {}
    for of_dataset, system in systems(folder):
        if of_dataset == dataset:
            found = read_system(folder, dataset, system)
            recorded[system] = {(one.entity, one.aspect): one.summary for one in found}
    shared = set.intersection(*(set(of_system) for of_system in recorded.values()))
    aspects = [aspect for aspect in ASPECTS if any(of == aspect for _, of in shared)]
    keys = sorted((key for key in shared if key[0] in reviews), key=lambda key: (key[0], key[1] or ""))[:most]
    made = _extracts([reviews[name] for name in dict.fromkeys(name for name, _ in keys)], aspects, options)
    everything = made | recorded
    keys = [key for key in keys if all(key in of_system for of_system in everything.values())]
    of_all = {
        "id": [f"{entity}, {aspect}" for entity, aspect in keys],
        "reviews": [reviews[entity].reviews for entity, _ in keys],
        "entities": [entity for entity, _ in keys],
    }
    systems_of = {name: {"summary": [of[key] for key in keys], **of_all} for name, of in everything.items()}
    by_sentences: dict[str, Any] = {"support": "sentences", "decomposer": "default"}  # the paper's rule
    compared = study(systems_of, id="id", metrics=MEASURES, examples=0, **{**by_sentences, **options})
    gold = _gold(folder) if dataset == "space" else {}
    rouge = {name: _rouge(of_system, keys, gold) for name, of_system in everything.items()} if gold else {}
    entities = len({entity for entity, _ in keys})
    return {"rouge": rouge, "summaries": len(keys), "entities": entities}, compared


def _extracts(
    reviews: Sequence[Reviews], aspects: Sequence[str], options: Mapping[str, Any]
) -> dict[str, dict[Key, str]]:
    """Return the extract of each extractor for each entity and aspect."""
    rows = [{"entity": one.entity, "reviews": one.reviews} for one in reviews]
    made: dict[str, dict[Key, str]] = {}
    kinds = [("q", extractor) for extractor in EXTRACTORS if aspects or extractor != "keywords"]
    for letters, extractor in [*kinds, *([("tq", "lexrank")] if aspects else [])]:
        given: dict[str, Any] = {"aspects": aspects, "extractor": extractor, "citations": False, **options}
        found = load(letters, **given).summarize(rows)
        made[f"{letters}, {extractor}"] = {
            (row["entity"], row["aspect"]): row["summary"] for row in found if row["summary"]
        }
    return made


def _gold(folder: Path) -> dict[Key, list[str]]:
    """Return the human-written summaries by entity and aspect."""
    return {
        (row["entity"], aspect): [" ".join(sentences) for sentences in of_aspect]
        for row in read_json_lines(folder / "space" / "gold.jsonl.gz", AGAIN)
        for aspect, of_aspect in row["gold"].items()
    }


def _rouge(
    summaries: Mapping[Key, str], keys: Sequence[Key], gold: Mapping[Key, Sequence[str]]
) -> list[float]:
    """Return ROUGE-1, -2 and -L (F1 of stems, %), the mean over references and summaries."""
    tokenize, stem = load_tokenizer("words"), load_stemmer("nltk_porter")
    scores = []
    for key in keys:
        own = stem(tokenize(summaries[key]))
        others = [stem(tokenize(text)) for text in gold.get(key, ())]
        of_each = [[rouge_n(own, o, 1).f1, rouge_n(own, o, 2).f1, rouge_l(own, o).f1] for o in others]
        if of_each:
            scores.append(np.mean(of_each, axis=0))
    return [100 * float(one) for one in np.mean(scores, axis=0)]


def _topics(folder: Path, vectors: Path | None) -> dict[str, tuple[float, float]]:
    """Return recall and precision of the recorded sentences per aspect."""
    reviews, splitter = read_reviews(folder, "space"), Splitter()
    nearest = NearestAspect({aspect: [aspect] for aspect in ASPECTS}, vectors)
    recorded: dict[Key, set[str]] = {}
    for row in read_json_lines(folder / "clusters.jsonl.gz", AGAIN):
        recorded[row["entity"], row["aspect"]] = set(map(_letters, row["sentences"]))
    found: dict[Key, set[str]] = {}
    for entity in sorted({entity for entity, _ in recorded}):
        texts = reviews[entity].reviews or reviews[entity].sentences
        sentences = [sentence for text in texts for sentence in splitter(text)]
        for sentence, of_sentence in zip(sentences, nearest(sentences), strict=True):
            for aspect in of_sentence:
                found.setdefault((entity, aspect), set()).add(_letters(sentence))
    shares = {}
    for aspect in ASPECTS:
        keys = [key for key in recorded if key[1] == aspect]
        both = sum(len(recorded[key] & found.get(key, set())) for key in keys)
        of_recorded, of_found = (sum(len(of.get(key, ())) for key in keys) for of in (recorded, found))
        shares[aspect] = (both / of_recorded, both / max(of_found, 1))
    return shares


def _contrasts(
    data: Path, path: Path, options: Mapping[str, Any]
) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """Return contrast scores of CoCoSum's summaries and the references of the same pairs, and signatures."""
    rows = [row for row in read_json_lines(path, AGAIN) if row["cocosum"]]
    references = {one["entity_a"] + one["entity_b"]: one for one in records(data / "cocotrip")}
    of_rows = [references[row["entity_a"] + row["entity_b"]] for row in rows]
    pairs = {
        "CoCoSum": [(row["cocosum"]["a"], row["cocosum"]["b"]) for row in rows],
        "reference (annotator 1)": [
            (one["entity_a_summary"][0], one["entity_b_summary"][0]) for one in of_rows
        ],
    }
    device = {"device": options["device"]} if "device" in options else {}
    metrics = Caspr(**options), DistinctivenessScore(), InvertedBertscore(**device)
    found: dict[str, dict[str, Any]] = {name: {} for name in pairs}
    for name, of_set in pairs.items():
        predictions, others = map(list, zip(*of_set, strict=True))
        for metric in metrics:
            result = metric.compute(predictions=predictions, references=others)
            for score in (metric.name, *metric.spec.further):
                found[name][score] = result[f"{score}_scores"]
    return found, [metric.signature() for metric in metrics]


def topic_table(topics: Mapping[str, Sequence[float]]) -> list[str]:
    """Return the lines of a table of recall and precision per aspect."""
    rows = [[aspect, *(f"{one:.2f}" for one in shares)] for aspect, shares in topics.items()]
    return table(["aspect", "recall of recorded sentences", "precision"], rows)


def contrast_table(contrasts: Mapping[str, Mapping[str, Sequence[float]]]) -> list[str]:
    """Return the lines of a table of mean contrast scores and their intervals."""
    rows = [
        [
            name,
            *(
                with_interval(float(np.mean(one)), bootstrap_interval(one, 0.95, method="percentile"), 1)
                for one in scores.values()
            ),
        ]
        for name, scores in contrasts.items()
    ]
    return table(["summaries", *next(iter(contrasts.values()))], rows)


def _letters(sentence: str) -> str:
    """Return a sentence without the characters that tokenizers change."""
    return re.sub(r"\W+", "", sentence.lower())


@paper_command(groups=(JudgeOptions, SplitterOptions, DecomposerOptions), leave_out=("score_cache",))
@output_flag(f"{RESULTS}, scores.sqlite")
@data_flag("with zs_summ/ and cocotrip/")
@click.option(
    "--summaries",
    type=click.IntRange(min=2),
    help="Score at most this number of summaries per system and data set.",
)
@click.option(
    "--vectors", type=PATH, help="Text file of word vectors (GloVe format) for topic assignment (T)."
)
def main(out: Path, data: Path, summaries: int | None, vectors: Path | None, options: dict[str, Any]) -> None:
    """Score extracts and recorded summaries, offline topic assignment, and CoCoSum's recorded contrasts."""
    reproduce_summaries(data, out, summaries, vectors, **options)
    show(out, RESULTS)


if __name__ == "__main__":
    run(main)
