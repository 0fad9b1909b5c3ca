"""From a trained pipeline to the folder in the package."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from tokens import treebank_tokenizer

REPOSITORY = Path(__file__).parents[2]
WEIGHTS = REPOSITORY / "src/claimwise/text/parser/weights"
META = {
    "name": "claimwise_parser",
    "version": "1.0.0",
    "description": "Tags, parts of speech and dependencies of English sentences; the parser of claimwise.",
    "author": "The claimwise authors",
    "license": "CC BY-SA 4.0",
    "sources": [
        {
            "name": "Universal Dependencies English Web Treebank",
            "url": "https://github.com/UniversalDependencies/UD_English-EWT",
            "license": "CC BY-SA 4.0",
        }
    ],
    "spacy_version": ">=3.8.7,<4.0.0",
    "performance": {},
}
# What the folder may hold besides the card and the licence, which are kept in git as they are.
PARTS = ["config.cfg", "meta.json", "tokenizer", "vocab", "tok2vec", "tagger", "morphologizer", "parser"]


def complete(trained: Any) -> Any:
    """Return a pipeline of the same weights with the tokenizer of ``tokens.py`` and few words."""
    from spacy.util import load_model_from_config

    left_out = ["config", "tokenizer", "vocab"]
    config = trained.config.copy()
    config["paths"] = dict.fromkeys(config["paths"])
    pipeline = load_model_from_config(config)
    pipeline.from_bytes(trained.to_bytes(exclude=left_out), exclude=left_out)
    for name in pipeline.pipe_names:
        for label in pipeline.pipe_labels[name]:
            pipeline.vocab.strings.add(label)
    pipeline.tokenizer = treebank_tokenizer(pipeline)
    return pipeline


def export(model: Path) -> None:
    """Write the pipeline of ``model`` into the package."""
    import spacy

    pipeline = complete(spacy.load(model))
    pipeline.meta.update(META)
    folder = WEIGHTS.with_name("weights.new")
    pipeline.to_disk(folder)
    WEIGHTS.mkdir(exist_ok=True)
    for part in PARTS:
        old = WEIGHTS / part
        if old.is_dir():
            shutil.rmtree(old)
        (folder / part).replace(old)
    shutil.rmtree(folder)
