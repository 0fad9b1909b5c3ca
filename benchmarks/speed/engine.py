"""Measure the judge's engine beside its peers: same weights, same pairs, same machine, one interleaved run.

The jobs are CASPR's comparisons of CoCoTrip summaries (both ways) and the claims of SPACE summaries against
the sentences of the hotel's reviews, half and half. Every repeat takes other hotels, so that no text comes
again but a few stock sentences, and every procedure gets the same job.

    python -m benchmarks.speed.engine [--data /path/to/data]   # default: $CLAIMWISE_DATA
        [--before PYTHON]   # the interpreter of an environment with claimwise of an earlier commit
"""

from __future__ import annotations

import argparse
import pickle
import shutil
import statistics
import subprocess
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.machine import describe, machine_markdown, markdown_table, parse, show, write_report

Probabilities = npt.NDArray[np.float32]
Pair = tuple[str, str]
Example = tuple[list[str], list[str]]

JUDGE = Path(__file__).parents[2] / "training" / "judge" / "checkpoint"
LABELS = ("entailment", "neutral", "contradiction")
OWN, EXACT = "claimwise", "transformers, sorted batches"
BATCH = 32
SUMMAC_BATCH = 20
WARM_UP = [(["The pool is heated.", "The staff was rude."], ["The pool is warm.", "Nobody helped us."])] * 8


class Job(NamedTuple):
    """What is to be scored: every premise of an example against every hypothesis of it."""

    examples: list[Example]

    @property
    def pairs(self) -> list[Pair]:
        """All pairs of all examples, in order."""
        return [(p, h) for premises, hypotheses in self.examples for p in premises for h in hypotheses]


Score = Callable[[Job], Probabilities]


@dataclass
class Procedure:
    """One way to score a job.

    Attributes:
        name: as the tables call it.
        arithmetic: in which it computes.
        score: returns the probabilities of all pairs of a job.
    """

    name: str
    arithmetic: str
    score: Score


# ---------------------------------------------------------------------------------------------
# The jobs
# ---------------------------------------------------------------------------------------------


def cocotrip_examples(data: Path, hotels: slice) -> Iterator[Example]:
    """Yield the comparisons that CASPR makes of the pairs of summaries in the five sets of its paper."""
    from claimwise.data import cocotrip
    from claimwise.metrics import Caspr

    caspr = Caspr()
    records = cocotrip.records(data)[hotels]
    sets = [cocotrip.rows(records, config) for config in cocotrip.PAIR_CONFIGS]
    for rows in zip(*sets, strict=True):
        for row in rows:
            a, b = (claims.claims for claims in caspr.claims([row["summary_a"], row["summary_b"]]))
            yield a, b
            yield b, a


def space_examples(data: Path, hotels: slice) -> Iterator[Example]:
    """Yield the claims of each summary of SPACE's hotels, with the sentences of the hotel's reviews."""
    from benchmarks.papers import zs_summ
    from claimwise.metrics import SupportCounts

    support = SupportCounts()
    reviews = [r for r in zs_summ.read_reviews(data / "zs_summ", "space").values() if r.complete]
    summaries = zs_summ.read_system(data / "zs_summ", "space", "tcg")
    for of_hotel in reviews[hotels]:
        sentences = [premise.premise for premise in support.premises([of_hotel.reviews])[0]]
        for summary in summaries:
            if summary.entity == of_hotel.entity and summary.claims:
                yield sentences, [claim.claim for claim in summary.claims]


def take(examples: Iterable[Example], count: int) -> list[Example]:
    """Return examples of about ``count`` pairs; the last one loses premises to get there."""
    taken: list[Example] = []
    for premises, hypotheses in examples:
        kept = premises[: -(-count // len(hypotheses))]
        taken.append((kept, hypotheses))
        count -= len(kept) * len(hypotheses)
        if count <= 0:
            return taken
    raise SystemExit("There are not enough texts for that many pairs: choose fewer --pairs or --repeats.")


def draw_jobs(data: Path, pairs: int, repeats: int) -> list[Job]:
    """Return one job per repeat; no two of them have a hotel in common."""
    jobs = []
    for repeat in range(repeats):
        hotels = slice(repeat, None, repeats)
        half = pairs // 2
        contrast = take(cocotrip_examples(data, hotels), half)
        jobs.append(Job([*contrast, *take(space_examples(data, hotels), pairs - half)]))
    return jobs


# ---------------------------------------------------------------------------------------------
# The procedures
# ---------------------------------------------------------------------------------------------


def by_claimwise() -> Score:
    """Return claimwise's own way: the whole job in one call."""
    from claimwise.judges import NLIModel

    judge = NLIModel.from_pretrained(show_progress=False)
    return lambda job: judge.predict_pairs(job.pairs).probabilities


def by_sorted_batches(logits: Callable[[list[Pair]], npt.NDArray[np.float32]]) -> Score:
    """Return the way of most libraries: all pairs sorted by length, in batches of 32, padded."""

    def score(job: Job) -> Probabilities:
        pairs = job.pairs
        order = sorted(range(len(pairs)), key=lambda row: -len(pairs[row][0]) - len(pairs[row][1]))
        found = np.empty((len(pairs), len(LABELS)), np.float32)
        for start in range(0, len(order), BATCH):
            rows = order[start : start + BATCH]
            found[rows] = logits([pairs[row] for row in rows])
        odds = np.exp(found - found.max(1, keepdims=True))
        return odds / odds.sum(1, keepdims=True)  # type: ignore[no-any-return]

    return score


def by_onnx_runtime(path: Path, threads: int) -> Score:
    """Return ONNX Runtime as a user writes it: sorted batches of 32, nothing tuned."""
    import onnxruntime
    from transformers import AutoTokenizer

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    tokenizer: Any = AutoTokenizer.from_pretrained(JUDGE, local_files_only=True)

    def logits(pairs: list[Pair]) -> npt.NDArray[np.float32]:
        inputs = tokenizer(pairs, padding=True, truncation="only_first", return_tensors="np")
        found: npt.NDArray[np.float32] = session.run(["logits"], dict(inputs))[0]
        return found

    return by_sorted_batches(logits)


def by_transformers() -> Score:
    """Return transformers in sorted batches of 32."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    model = AutoModelForSequenceClassification.from_pretrained(JUDGE, dtype=torch.float32).eval()
    tokenizer: Any = AutoTokenizer.from_pretrained(JUDGE, local_files_only=True)

    def logits(pairs: list[Pair]) -> npt.NDArray[np.float32]:
        inputs = tokenizer(pairs, padding=True, truncation="only_first", return_tensors="pt")
        with torch.inference_mode():
            found: npt.NDArray[np.float32] = model(**inputs).logits.numpy()
        return found

    return by_sorted_batches(logits)


def by_summac() -> Score:
    """Return SummaC's way: each document alone, batches of 20 pairs in input order, padded."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    model = AutoModelForSequenceClassification.from_pretrained(JUDGE, dtype=torch.float32).eval()
    tokenizer: Any = AutoTokenizer.from_pretrained(JUDGE, local_files_only=True)

    def score(job: Job) -> Probabilities:
        rows = []
        for example in job.examples:
            pairs = Job([example]).pairs
            for start in range(0, len(pairs), SUMMAC_BATCH):
                some = pairs[start : start + SUMMAC_BATCH]
                inputs = tokenizer(some, padding=True, truncation="only_first", return_tensors="pt")
                with torch.no_grad():
                    rows.extend(model(**inputs).logits.softmax(-1).tolist())
        return np.array(rows, dtype=np.float32)

    return score


def by_cross_encoder(folder: Path, backend: str) -> Score:
    """Return the way of ``sentence_transformers.CrossEncoder.predict``: sorted by length, batches of 32."""
    from sentence_transformers import CrossEncoder

    encoder: Any = CrossEncoder(str(folder), device="cpu", local_files_only=True, backend=backend)  # type: ignore[arg-type]

    def score(job: Job) -> Probabilities:
        probabilities: Probabilities = encoder.predict(
            job.pairs, batch_size=BATCH, apply_softmax=True, show_progress_bar=False
        )
        return probabilities

    return score


BEFORE = """
import pickle, sys
from claimwise.nli import NLIModel

judge = NLIModel.from_pretrained(dtype="float32", device="cpu", show_progress=False)
while True:
    pairs = pickle.load(sys.stdin.buffer)
    pickle.dump(judge.predict_pairs(pairs).probabilities, sys.stdout.buffer)
    sys.stdout.flush()
"""


def by_claimwise_before(python: str) -> Score:
    """Return claimwise of the commit that an environment has, in a process of its own, in float32."""
    process = subprocess.Popen([python, "-c", BEFORE], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    reading, writing = process.stdout, process.stdin

    def score(job: Job) -> Probabilities:
        pickle.dump(job.pairs, writing)
        writing.flush()
        probabilities: Probabilities = pickle.load(reading)
        return probabilities

    return score


def write_onnx(folder: Path) -> Path:
    """Write the judge in float32 to a folder, as exporters of transformers do, and return its file."""
    import torch
    from transformers import AutoModelForSequenceClassification

    class Logits(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = AutoModelForSequenceClassification.from_pretrained(
                JUDGE, dtype=torch.float32, attn_implementation="eager"
            )

        def forward(self, ids: torch.Tensor, mask: torch.Tensor, types: torch.Tensor) -> torch.Tensor:
            logits: torch.Tensor = self.model(ids, mask, types).logits
            return logits

    shutil.copytree(JUDGE, folder)
    names = ["input_ids", "attention_mask", "token_type_ids"]
    path = folder / "onnx" / "model.onnx"
    path.parent.mkdir()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            Logits().eval(),
            (torch.ones(2, 7, dtype=torch.int64),) * len(names),
            str(path),
            input_names=names,
            output_names=["logits"],
            dynamic_axes={"logits": {0: "batch"}} | {name: {0: "batch", 1: "tokens"} for name in names},
            opset_version=17,
            dynamo=False,
        )
    return path


def procedures(folder: Path, threads: int, before: str | None) -> tuple[list[Procedure], dict[str, str]]:
    """Return all procedures, and those left out with the reason.

    Args:
        folder: for the files that peers need.
        threads: of each procedure.
        before: interpreter of an environment with an earlier claimwise.
    """
    from onnxruntime.quantization import quantize_dynamic

    path = write_onnx(folder)
    int8 = path.with_name("model_int8.onnx")
    quantize_dynamic(path, int8, per_channel=True)
    found = [
        Procedure(OWN, "float32", by_claimwise()),
        Procedure("ONNX Runtime", "float32", by_onnx_runtime(path, threads)),
        Procedure("ONNX Runtime, dynamic int8", "int8", by_onnx_runtime(int8, threads)),
        Procedure(EXACT, "float32", by_transformers()),
        Procedure("SummaC's way", "float32", by_summac()),
    ]
    left_out = {}
    for backend in ("torch", "onnx"):
        try:
            score = by_cross_encoder(folder, backend)
        except ImportError as error:
            left_out[f"CrossEncoder, {backend}"] = str(error).partition(" (/")[
                0
            ]  # without the path on this machine
        else:
            found.append(Procedure(f"CrossEncoder, {backend}", "float32", score))
    if before is not None:
        found.append(Procedure("claimwise 0592e9a", "float32", by_claimwise_before(before)))
    return found, left_out


# ---------------------------------------------------------------------------------------------
# Measuring
# ---------------------------------------------------------------------------------------------


def run_rounds(found: list[Procedure], jobs: list[Job]) -> dict[str, Any]:
    """Score each job by every procedure, each round beginning with another one, and return all numbers.

    Probabilities are compared with those of transformers in float32.
    """
    for procedure in found:
        procedure.score(Job(WARM_UP))
    seconds: dict[str, list[float]] = {procedure.name: [] for procedure in found}
    changes: dict[str, list[npt.NDArray[np.float32]]] = {procedure.name: [] for procedure in found}
    labels = dict.fromkeys(seconds, 0)
    for number, job in enumerate(jobs):
        turn = number % len(found)
        of_job = {}
        for procedure in found[turn:] + found[:turn]:
            start = time.perf_counter()
            of_job[procedure.name] = procedure.score(job)
            seconds[procedure.name].append(time.perf_counter() - start)
            print(f"  round {number + 1}, {procedure.name}: {seconds[procedure.name][-1]:.2f} s", flush=True)
        exact = of_job[EXACT]
        for name, probabilities in of_job.items():
            changes[name].append(np.abs(probabilities - exact).ravel())
            labels[name] += int((probabilities.argmax(1) != exact.argmax(1)).sum())
    pairs = [len(job.pairs) for job in jobs]
    return {
        "pairs": pairs,
        "distinct_pairs": [len(set(job.pairs)) for job in jobs],
        "procedures": {
            procedure.name: {
                "arithmetic": procedure.arithmetic,
                "wall_s": statistics.median(seconds[procedure.name]),
                "pairs_per_s": _median_ratio(pairs, seconds[procedure.name]),
                "claimwise_times_as_fast": _median_ratio(seconds[procedure.name], seconds[OWN]),
                "other_labels": labels[procedure.name] / sum(pairs),
                "mean_change": float(np.concatenate(changes[procedure.name]).mean()),
                "largest_change": float(np.concatenate(changes[procedure.name]).max()),
            }
            for procedure in found
        },
    }


def _median_ratio(above: list[Any], below: list[float]) -> float:
    return statistics.median(a / b for a, b in zip(above, below, strict=True))


def caspr_changes(found: list[Procedure], data: Path) -> dict[str, Any]:
    """Return how far each procedure moves the CASPR scores of CoCoTrip's pairs of summaries."""
    from claimwise.scores.caspr import caspr_score

    job = Job(list(cocotrip_examples(data, slice(0, None, 8))))
    shapes = [(len(premises), len(hypotheses)) for premises, hypotheses in job.examples]
    ends = np.cumsum([rows * columns for rows, columns in shapes])[:-1]

    def scores(procedure: Procedure) -> npt.NDArray[np.float64]:
        parts = np.split(procedure.score(job), ends)
        matrices = [part.reshape(*shape, 3) for part, shape in zip(parts, shapes, strict=True)]
        both = zip(matrices[::2], matrices[1::2], strict=True)
        return np.array([caspr_score(forward, backward).score for forward, backward in both])

    exact = next(scores(procedure) for procedure in found if procedure.name == EXACT)
    changes = {procedure.name: np.abs(scores(procedure) - exact) for procedure in found}
    return {
        "pairs_of_summaries": len(exact),
        "changes": {
            name: {"mean": float(change.mean()), "largest": float(change.max())}
            for name, change in changes.items()
        },
    }


# ---------------------------------------------------------------------------------------------
# Reporting
# ---------------------------------------------------------------------------------------------

HEADER = (
    "procedure",
    "arithmetic",
    "job, s",
    "pairs/s",
    "claimwise is × as fast",
    "other labels",
    "mean change",
    "largest change",
    "CASPR: mean change",
    "largest",
)


def report(title: str, results: dict[str, Any], caspr: dict[str, Any]) -> list[str]:
    """Print the table, and return its paragraphs."""
    rows = []
    for name, of_it in results["procedures"].items():
        change = caspr["changes"][name]
        rows.append(
            [
                name,
                of_it["arithmetic"],
                f"{of_it['wall_s']:.1f}",
                f"{of_it['pairs_per_s']:.0f}",
                f"{of_it['claimwise_times_as_fast']:.2f}",
                f"{of_it['other_labels']:.2%}",
                f"{of_it['mean_change']:.5f}",
                f"{of_it['largest_change']:.4f}",
                f"{change['mean']:.2f}",
                f"{change['largest']:.1f}",
            ]
        )
    show(title, HEADER, rows)
    return [
        f"## {title}",
        markdown_table(HEADER, rows),
        f"Medians of {len(results['pairs'])} rounds in turns, each on different hotels, with "
        f"{results['pairs'][0]} pairs a round. Labels and probabilities (0 to 1) are compared with those of "
        f"transformers in float32; CASPR (0 to 100) of {caspr['pairs_of_summaries']} pairs of CoCoTrip "
        "summaries, too.",
    ]


def main() -> None:
    """Measure, print the tables, write the report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=5_000, help="of a round (default: %(default)s)")
    parser.add_argument("--repeats", type=int, default=3, help="rounds (default: %(default)s)")
    parser.add_argument("--before", help="interpreter of an environment with claimwise of commit 0592e9a")
    options = parse(parser, "engine")

    import torch
    from transformers.utils import logging

    from claimwise.errors import ClaimwiseError

    torch.set_num_threads(options.threads)
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    results: dict[str, Any] = {"machine": describe(options.threads)}
    try:
        jobs = draw_jobs(options.data, options.pairs, options.repeats)
    except ClaimwiseError as error:
        parser.error(str(error))
    with tempfile.TemporaryDirectory() as folder:
        found, left_out = procedures(Path(folder) / "judge", options.threads, options.before)
        results |= run_rounds(found, jobs) | {"left_out": left_out}
        results["caspr"] = caspr_changes(found, options.data)
    write_report(
        options.output,
        results,
        [
            "# The judge's engine compared with its peers",
            "Written by `benchmarks/speed/engine.py`: the embedded judge's weights, same pairs, same "
            "machine, one run. *job, s* is the wall time of the whole job, tokenization included. claimwise "
            "computes each distinct pair once.",
            machine_markdown(results["machine"]),
            *report("The embedded judge", results, results["caspr"]),
            *(f"Not measured: {name} ({reason})." for name, reason in left_out.items()),
        ],
    )


if __name__ == "__main__":
    main()
