"""Make the judge: draw the pairs of every stage, train, calibrate, measure and export.

A step whose file is there is not repeated, and a killed stage goes on from its last checkpoint (an aimed pass
begins again): the same command always goes on. Nothing is written into the repository before the last step,
the export.
"""

from __future__ import annotations

import argparse
import collections
import io
import json
import os
import random
import subprocess
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from accuracy import evaluate, held_out, validation_sets
from aim import aim, aimed_at
from calibrate import calibrate
from claims import compared_claims
from export import export
from pairs import REPOSITORY, Pair, Sources, read_pairs, write_pairs
from recipe import (
    AIMED,
    BLEND,
    BUILDERS,
    CALIBRATED,
    COMPARED,
    FIRST_COMMIT,
    STAGES,
    TOWARDS_ENTAILMENT,
    Stage,
)
from train import average, train
from transformers import AutoModelForSequenceClassification

from claimwise.judges import NLIModel
from claimwise.labels import LABELS

FIRST_WEIGHTS = Path("src/claimwise/nli/weights")
VALIDATION = {
    "clusters_and_scales": 2_500,
    "checklists": 2_500,
    "denied": 400,
    "swapped": 400,
    "fever_neutrals": 500,
    "changed_facts": 500,
    "long_public": 800,
    "long_fever": 600,
    "long_reviews": 800,
    "taken_back": 300,
    "source_nli": 100_000,
    "source_nli_sentences": 100_000,
    "compared": 20_000,
}


def default_state() -> Path:
    """Return where the state lies: ``~/.cache/claimwise/training/judge``."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser()
    return cache / "claimwise" / "training" / "judge"


def first_weights(folder: Path) -> Path:
    """Take the weights that the first stage starts from out of the repository's history."""
    if not (folder / "config.json").exists():
        archive = subprocess.run(
            ["git", "archive", FIRST_COMMIT, FIRST_WEIGHTS], cwd=REPOSITORY, capture_output=True, check=True
        ).stdout
        folder.mkdir(parents=True, exist_ok=True)
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            for member in files.getmembers():
                content = files.extractfile(member)
                if content:
                    (folder / Path(member.name).name).write_bytes(content.read())
    return folder


def drawn(kind: str, count: int, sources: Sources, generator: random.Random) -> list[Pair]:
    """Return ``count`` pairs of a builder or of a public set, or all there are."""
    pool = [*BUILDERS[kind](sources, generator)] if kind in BUILDERS else sources.plain(kind)
    pool = [*dict.fromkeys(pool)]
    return generator.sample(pool, min(count, len(pool)))


def mixed(mixture: Mapping[str, int], sources: Sources, generator: random.Random) -> list[Pair]:
    """Return the pairs of a mixture."""
    return [pair for kind, count in mixture.items() for pair in drawn(kind, count, sources, generator)]


def draw(stage: Stage, sources: Sources, path: Path) -> None:
    """Write the pairs of a stage."""
    pairs = mixed(stage.mixture, sources, random.Random(stage.seed))
    for kind, count in collections.Counter(pair.kind for pair in pairs).items():
        labels = collections.Counter(pair.label for pair in pairs if pair.kind == kind)
        print(f"{stage.name} {kind}: {count} {dict(labels)}", flush=True)
    write_pairs(path, pairs)


def draw_validation(sources: Sources, path: Path) -> None:
    """Write the validation pairs: what was kept of every public set, and some of what is built."""
    generator = random.Random(13)
    pairs = [pair for kind in sources.public for pair in sources.plain(kind)]
    write_pairs(path, pairs + mixed(VALIDATION, sources, generator))


def averaged(state: Path, stages: Sequence[str]) -> Path:
    """Return the folder of the weights of some stages, averaged."""
    folder = state / "+".join(stages)
    if not (folder / "model.safetensors").exists():
        average([state / stage for stage in stages], folder)
    return folder


def aimed(state: Path, calibrated: Path, sources: Sources) -> Path:
    """Return the folder of the weights that ship: the calibrated ones and both aimed passes, averaged."""
    folders = {seed: state / f"aimed_{seed}" for seed in AIMED}
    missing = [seed for seed, folder in folders.items() if not (folder / "model.safetensors").exists()]
    if missing:
        claims = compared_claims(sources, random.Random(33))[:COMPARED]
        judge = NLIModel.from_pretrained(calibrated)
        found = judge.predict([one.premise for one in claims], [one.hypothesis for one in claims])
    for seed in missing:
        generator = random.Random(seed)
        replayed = mixed(AIMED[seed], sources, generator)
        aim(calibrated, aimed_at(claims, found, generator), replayed, folders[seed], seed)
    shipped = state / "shipped"
    average([calibrated, *folders.values()], shipped, BLEND)
    network = AutoModelForSequenceClassification.from_pretrained(shipped)
    network.classifier.bias.data[LABELS.index("entailment")] += TOWARDS_ENTAILMENT
    network.save_pretrained(shipped)
    return shipped


def main() -> None:
    """Run what is not done yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("CLAIMWISE_DATA"))
    parser.add_argument("--state", type=Path, default=default_state(), help="folder of all in between")
    parser.add_argument("--bf16", action="store_true", help="for CUDA, or a CPU with AMX / AVX512-BF16")
    arguments = parser.parse_args()
    if arguments.data is None:
        parser.error("pass --data or set CLAIMWISE_DATA to the folder that holds nli/")
    state = arguments.state
    state.mkdir(parents=True, exist_ok=True)

    validation = state / "validation.jsonl"
    if not validation.exists():
        draw_validation(Sources(Path(arguments.data), "validation"), validation)
    first = first_weights(state / "version-0.1.0")
    sources = Sources(Path(arguments.data), "train")
    for stage in STAGES:
        pairs, folder = state / f"{stage.name}.jsonl", state / stage.name
        if not pairs.exists():
            draw(stage, sources, pairs)
        if not (folder / "model.safetensors").exists():
            start = averaged(state, stage.start) if stage.start else first
            train(stage, pairs, start, folder, arguments.bf16)

    calibrated, results = state / "calibrated", state / "results.json"
    if not (calibrated / "model.safetensors").exists():
        calibrate(averaged(state, CALIBRATED), read_pairs(validation), calibrated)
    shipped = aimed(state, calibrated, sources)
    if not results.exists():
        sets = validation_sets(read_pairs(validation)) | held_out(Path(arguments.data))
        results.write_text(json.dumps(evaluate(shipped, sets), indent=1) + "\n", encoding="utf-8")
    export(shipped, json.loads(results.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()
