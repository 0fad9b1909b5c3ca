"""The shipped parser from nothing: teacher, silver trees, training, export, numbers.

``CLAIMWISE_DATA=../shared/data python training/parser/run.py`` does all; a step whose result is there is not
repeated.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from collections.abc import Callable, Iterable
from pathlib import Path

import export
import measure
import silver
import teacher
from noise import messy
from treebank import TREEBANK, Sentence, read_sentences, to_document

CONFIG = Path(__file__).with_name("config.cfg")
GOLD_COPIES = 2  # as written, and as many messy ones
MESSY_SILVER = 0.25


def default_work() -> Path:
    """Return where all in between lies: ``~/.cache/claimwise/training/parser``."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser()
    return cache / "claimwise" / "training" / "parser"


def make_teacher(data: Path, work: Path) -> None:
    """Train the teacher."""
    train = [
        sentence
        for sentence in read_sentences(data / TREEBANK / "train.conllu.gz")
        if len(sentence.words) <= 120
    ]
    dev = list(read_sentences(data / TREEBANK / "dev.conllu.gz"))
    teacher.train(train, dev, work / "teacher", epochs=4, seed=1)


def make_corpus(data: Path, work: Path) -> None:
    """Write the training and dev documents: treebank, messy copies of it, silver."""
    generator = random.Random(1)
    gold = [
        sentence
        for sentence in read_sentences(data / TREEBANK / "train.conllu.gz")
        if len(sentence.words) <= 120
    ]
    sentences = GOLD_COPIES * gold
    sentences += [messy(sentence, generator) for sentence in gold]
    for sentence in silver.read_shards(work):
        sentences.append(messy(sentence, generator) if generator.random() < MESSY_SILVER else sentence)
    generator.shuffle(sentences)
    print(
        f"{len(sentences)} sentences, {sum(len(sentence.words) for sentence in sentences)} words", flush=True
    )
    _write_documents(read_sentences(data / TREEBANK / "dev.conllu.gz"), work / "dev.spacy")
    _write_documents(sentences, work / "train.spacy")


def _write_documents(sentences: Iterable[Sentence], path: Path) -> None:
    import spacy
    from spacy.tokens import DocBin

    vocabulary = spacy.blank("en").vocab
    documents = DocBin(attrs=["TAG", "POS", "HEAD", "DEP", "SENT_START"])
    for sentence in sentences:
        documents.add(to_document(sentence, vocabulary))
    unfinished = path.with_suffix(".unfinished")
    unfinished.write_bytes(documents.to_bytes())
    unfinished.rename(path)


def make_model(work: Path, overrides: dict[str, object]) -> None:
    """Train the pipeline of ``config.cfg``; the best on dev is ``model/model-best``."""
    from spacy.training.initialize import init_nlp
    from spacy.training.loop import train
    from spacy.util import load_config, load_model_from_config
    from thinc.api import NumpyOps, set_current_ops

    # numpy's matrix products, which are faster than the bundled ones where these do not know the processor
    set_current_ops(NumpyOps(use_blis=False))
    paths = {"paths.train": str(work / "train.spacy"), "paths.dev": str(work / "dev.spacy")}
    config = load_config(CONFIG, overrides={**paths, **overrides}, interpolate=False)
    filled = load_model_from_config(config, auto_fill=True, validate=False).config
    unfinished = work / "model.unfinished"
    unfinished.mkdir(exist_ok=True)
    train(init_nlp(filled), unfinished)
    unfinished.rename(work / "model")


def main() -> None:
    """Run all steps whose result is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("CLAIMWISE_DATA", "../shared/data"))
    parser.add_argument("--work", type=Path, default=default_work(), help="folder of all in between")
    parser.add_argument(
        "--set", nargs="*", default=[], metavar="KEY=VALUE", help="settings of config.cfg, in JSON"
    )
    parser.add_argument(
        "--until", choices=["teacher", "silver", "corpus", "model", "export"], default="export"
    )
    options = parser.parse_args()
    data, work = Path(options.data), Path(options.work)
    work.mkdir(parents=True, exist_ok=True)
    overrides = {key: json.loads(value) for key, _, value in (text.partition("=") for text in options.set)}
    steps: list[tuple[str, str, Callable[[], None]]] = [
        ("teacher", "teacher/weights.pt", lambda: make_teacher(data, work)),
        ("silver", "", lambda: silver.write_shards(data, work)),
        ("corpus", "train.spacy", lambda: make_corpus(data, work)),
        ("model", "model/model-best/config.cfg", lambda: make_model(work, overrides)),
        ("export", "", lambda: export.export(work / "model" / "model-best")),
        ("export", "", lambda: measure.write_results(data)),
    ]
    for name, result, step in steps:
        if not (result and (work / result).exists()):
            print(f"== {name}", flush=True)
            step()
        if name == options.until and name != "export":
            break


if __name__ == "__main__":
    main()
