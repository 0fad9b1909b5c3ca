"""Numbers of a parser: on the treebank's tokens, on raw text, and how fast it is."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from export import WEIGHTS
from treebank import TREEBANK, Sentence, read_sentences

RESULTS = Path(__file__).with_name("results.json")
CARD = Path(__file__).with_name("MODEL_CARD.md")


def accuracy_on_tokens(pipeline: Any, sentences: Sequence[Sentence]) -> dict[str, float]:
    """Return tag accuracies, UAS and LAS on the treebank's tokens, punctuation left out of the latter two.

    ``whole`` is the share of sentences with one root, ``exact`` that of sentences without any mistake in
    heads and labels.
    """
    from spacy.tokens import Doc

    documents = pipeline.pipe(Doc(pipeline.vocab, words=s.words, spaces=s.spaces) for s in sentences)
    counts = dict.fromkeys(("tag", "pos", "uas", "las", "whole", "exact"), 0)
    tokens = words = 0
    for gold, document in zip(sentences, documents, strict=True):
        exact = True
        for token, head, label in zip(document, gold.heads, gold.labels, strict=True):
            tokens += 1
            counts["tag"] += token.tag_ == gold.tags[token.i]
            counts["pos"] += token.pos_ == gold.parts_of_speech[token.i]
            if label != "punct":
                attached, labelled = token.head.i == head, _label(token) == label
                words += 1
                counts["uas"] += attached
                counts["las"] += attached and labelled
                exact &= attached and labelled
        counts["whole"] += sum(token.head is token or token.head.i == token.i for token in document) == 1
        counts["exact"] += exact
    sizes = {"tag": tokens, "pos": tokens, "uas": words, "las": words}
    return {name: round(count / sizes.get(name, len(sentences)), 4) for name, count in counts.items()}


def accuracy_by_relation(pipeline: Any, sentences: Sequence[Sentence]) -> dict[str, float]:
    """Return the F1 of head and label by relation, for those seen 100 times, on the treebank's tokens."""
    from spacy.tokens import Doc

    counts: dict[str, Counter[str]] = defaultdict(Counter)
    documents = pipeline.pipe(Doc(pipeline.vocab, words=s.words, spaces=s.spaces) for s in sentences)
    for gold, document in zip(sentences, documents, strict=True):
        for token, head, label in zip(document, gold.heads, gold.labels, strict=True):
            counts[label]["gold"] += 1
            counts[_label(token)]["guessed"] += 1
            counts[label]["right"] += token.head.i == head and _label(token) == label
    return {
        label: round(2 * count["right"] / (count["gold"] + count["guessed"]), 3)
        for label, count in sorted(counts.items())
        if count["gold"] >= 100
    }


def accuracy_on_text(pipeline: Any, sentences: Sequence[Sentence]) -> dict[str, float]:
    """Return F1 of tokens, heads and labelled heads (punctuation left out) on the text of each sentence.

    Tokens are aligned by their characters; a dependency is right if both its ends are tokens of both sides.
    """
    counts = dict.fromkeys(("gold", "guessed", "tokens", "gold_words", "guessed_words", "uas", "las"), 0)
    for gold, document in zip(sentences, pipeline.pipe(s.text for s in sentences), strict=True):
        places = _places(gold.words)
        found, position = {}, 0
        for token in document:
            length = len("".join(token.text.split()))
            if length:
                found[position, position + length] = token
            position += length
        counts["gold"] += len(places)
        counts["guessed"] += len(found)
        counts["tokens"] += len(found.keys() & set(places))
        counts["gold_words"] += sum(label != "punct" for label in gold.labels)
        counts["guessed_words"] += sum(_label(token) != "punct" for token in found.values())
        place_of = {token.i: place for place, token in found.items()}
        for place, head, label in zip(places, gold.heads, gold.labels, strict=True):
            token = found.get(place)
            if token is not None and label != "punct" and place_of.get(token.head.i) == places[head]:
                counts["uas"] += 1
                counts["las"] += _label(token) == label
    words = counts["gold_words"] + counts["guessed_words"]
    return {
        "tokens": round(2 * counts["tokens"] / (counts["gold"] + counts["guessed"]), 4),
        "uas": round(2 * counts["uas"] / words, 4),
        "las": round(2 * counts["las"] / words, 4),
    }


def _label(token: Any) -> str:
    return "root" if token.dep_ == "ROOT" else str(token.dep_)


def _places(words: Sequence[str]) -> list[tuple[int, int]]:
    """Return where words begin and end, blanks not counted."""
    places, position = [], 0
    for word in words:
        length = len("".join(word.split()))
        places.append((position, position + length))
        position += length
    return places


def speed(pipeline: Any, texts: Sequence[str]) -> float:
    """Return sentences a second of processor time, tokenizer included: the best of three runs."""
    rates = []
    for _ in range(4):
        started = time.process_time()
        for _document in pipeline.pipe(texts):
            pass
        rates.append(len(texts) / (time.process_time() - started))
    return round(max(rates[1:]))


def load_seconds() -> float:
    """Return how long the shipped parser takes to load in a new process that has imported spaCy."""
    script = (
        "import time, spacy; from claimwise.text.parser import load_parser; start = time.perf_counter(); "
        "load_parser(); print(time.perf_counter() - start)"
    )
    times = [float(subprocess.check_output([sys.executable, "-c", script])) for _ in range(3)]
    return round(min(times), 3)


def measure(pipeline: Any, data: Path, parts: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return the accuracies on parts of the treebank, on tokens and on text."""
    results = {}
    for part in parts:
        sentences = list(read_sentences(data / TREEBANK / f"{part}.conllu.gz"))
        results[f"{part}, treebank's tokens"] = accuracy_on_tokens(pipeline, sentences)
        results[f"{part}, raw text"] = accuracy_on_text(pipeline, sentences)
    return results


def write_results(data: Path) -> None:
    """Measure the shipped parser on dev and test and write ``results.json``."""
    from claimwise.text.parser import load_parser

    pipeline = load_parser()
    results: dict[str, object] = dict(measure(pipeline, data, ["dev", "test"]))
    dev = list(read_sentences(data / TREEBANK / "dev.conllu.gz"))
    results["sentences a second"] = speed(pipeline, [sentence.text for sentence in dev])
    results["seconds to load"] = load_seconds()
    results["megabytes"] = round(
        sum(path.stat().st_size for path in WEIGHTS.rglob("*") if path.is_file()) / 1e6, 2
    )
    results["F1 by relation, dev"] = accuracy_by_relation(pipeline, dev)
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    print(RESULTS.read_text(encoding="utf-8"))
    card = CARD.read_text(encoding="utf-8").replace("<!-- measured -->", table(results))
    (WEIGHTS / "README.md").write_text(card, encoding="utf-8")


def table(results: Mapping[str, Any]) -> str:
    """Return the numbers as Markdown."""
    names = {
        "tokens": "tokens (F1)",
        "tag": "tags",
        "pos": "parts of speech",
        "uas": "UAS",
        "las": "LAS",
        "whole": "whole",
        "exact": "exact",
    }
    lines = ["| | " + " | ".join(names.values()) + " |", "|---" * (len(names) + 1) + "|"]
    rest = []
    for title, value in results.items():
        if title == "F1 by relation, dev":
            rest.append(title + ": " + ", ".join(f"{name} {_short(score)}" for name, score in value.items()))
        elif isinstance(value, dict):
            cells = [_short(value[name]) if name in value else "" for name in names]
            lines.append(f"| {title} | " + " | ".join(cells) + " |")
        else:
            rest.append(f"{title}: {value}")
    return "\n".join([*lines, *(f"\n{line[0].upper()}{line[1:]}." for line in rest)])


def _short(share: float) -> str:
    return f"{share:.3f}".removeprefix("0")


def main() -> None:
    """Measure a trained pipeline on dev."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--data", type=Path, default=os.environ.get("CLAIMWISE_DATA", "../shared/data"))
    options = parser.parse_args()
    import spacy
    from export import complete

    with_tokenizer = complete(spacy.load(options.model))
    print(json.dumps(measure(with_tokenizer, Path(options.data), ["dev"]), indent=1))


if __name__ == "__main__":
    main()
