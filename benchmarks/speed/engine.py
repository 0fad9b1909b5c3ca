"""Measure the NLI engine beside its peers: same checkpoint, same pairs, same machine, one interleaved run.

The jobs are CASPR's comparisons of CoCoTrip summaries (both ways) and the claims of SPACE summaries against
the sentences of the hotel's reviews, half and half. Every repeat takes other hotels, so that no text comes
again but a few stock sentences, and every procedure gets the same job. Two checkpoints: the embedded one, and
a classifier of the size of roberta-large with random weights (its probabilities mean nothing).

    python -m benchmarks.speed.engine [--data /path/to/data]   # default: $CLAIMWISE_DATA
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.machine import describe, machine_markdown, markdown_table, parse, show, write_report

if TYPE_CHECKING:
    from claimwise.judges import NLIModel

Probabilities = npt.NDArray[np.float32]
Pair = tuple[str, str]
Example = tuple[list[str], list[str]]

LABELS = ("entailment", "neutral", "contradiction")
FAST, EXACT = "claimwise", "claimwise, float32"
SUMMAC_BATCH, PIPELINE_BATCH, CROSS_ENCODER_BATCH = 20, 32, 32
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
        dtype: in which it computes.
        score: returns the probabilities of all pairs of a job.
        sample: measured on so many pairs of the job only; None = on the whole of it.
        computes_repeats: whether a pair that comes twice is computed twice.
    """

    name: str
    dtype: str
    score: Score
    sample: int | None = None
    computes_repeats: bool = True


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


def by_claimwise(model: NLIModel) -> Score:
    """Return claimwise's own way: the whole job in one call."""
    return lambda job: model.predict_pairs(job.pairs).probabilities


def by_summac(model: Any, tokenizer: Any) -> Score:
    """Return SummaC's way: each document alone, batches of 20 pairs in input order, padded, float32."""
    import torch

    def score(job: Job) -> Probabilities:
        rows = []
        for example in job.examples:
            pairs = Job([example]).pairs
            for start in range(0, len(pairs), SUMMAC_BATCH):
                inputs = tokenizer(
                    pairs[start : start + SUMMAC_BATCH],
                    padding=True,
                    truncation="only_first",
                    return_tensors="pt",
                ).to(model.device)
                with torch.no_grad():
                    rows.extend(model(**inputs).logits.softmax(-1).tolist())
        return np.array(rows, dtype=np.float32)

    return score


def by_pipeline(model: Any, tokenizer: Any, batch_size: int | None) -> Score:
    """Return the way of a transformers text-classification pipeline: pair by pair, or in batches."""
    from transformers import pipeline

    classify: Any = pipeline("text-classification", model=model, tokenizer=tokenizer, device=model.device)

    def score(job: Job) -> Probabilities:
        inputs = [{"text": premise, "text_pair": hypothesis} for premise, hypothesis in job.pairs]
        if batch_size is None:
            answers = [classify(pair, top_k=None, truncation="only_first") for pair in inputs]
        else:
            answers = classify(inputs, top_k=None, truncation="only_first", batch_size=batch_size)
        by_label = [{label["label"]: label["score"] for label in answer} for answer in answers]
        return np.array([[of_pair[label] for label in LABELS] for of_pair in by_label], dtype=np.float32)

    return score


def by_cross_encoder(checkpoint: Path, device: str) -> Score:
    """Return the way of ``sentence_transformers.CrossEncoder.predict``: sorted by length, batches of 32."""
    from sentence_transformers import CrossEncoder

    encoder = CrossEncoder(
        str(checkpoint), device=device, local_files_only=True, model_kwargs={"dtype": "float32"}
    )

    def score(job: Job) -> Probabilities:
        probabilities: Probabilities = encoder.predict(
            job.pairs, batch_size=CROSS_ENCODER_BATCH, apply_softmax=True, show_progress_bar=False
        )
        return probabilities

    return score


def by_int8(model: Any, tokenizer: Any) -> Score:
    """Return SummaC's way with the linear layers quantized dynamically to int8, to see what int8 gives."""
    import torch
    from torch.ao.quantization import per_channel_dynamic_qconfig, quantize_dynamic

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecated in favour of a package that claimwise does not need
        return by_summac(quantize_dynamic(model, {torch.nn.Linear: per_channel_dynamic_qconfig}), tokenizer)


# ---------------------------------------------------------------------------------------------
# The large checkpoint
# ---------------------------------------------------------------------------------------------


def save_large(folder: Path, texts: list[str]) -> None:
    """Save a classifier of the size of roberta-large: random weights, byte-level BPE trained on ``texts``."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
    from transformers import RobertaConfig, RobertaForSequenceClassification, RobertaTokenizer

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=50_265,
        special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.RobertaProcessing(
        ("</s>", 2), ("<s>", 0), trim_offsets=True, add_prefix_space=False
    )
    RobertaTokenizer(tokenizer_object=tokenizer, model_max_length=512).save_pretrained(folder)
    config = RobertaConfig(
        vocab_size=50_265,
        hidden_size=1024,
        num_hidden_layers=24,
        num_attention_heads=16,
        intermediate_size=4096,
        max_position_embeddings=514,
        type_vocab_size=1,
        layer_norm_eps=1e-5,
        id2label=dict(enumerate(LABELS)),
        label2id={label: place for place, label in enumerate(LABELS)},
    )
    torch.manual_seed(1)
    RobertaForSequenceClassification(config).save_pretrained(folder)


# ---------------------------------------------------------------------------------------------
# The machine's limit
# ---------------------------------------------------------------------------------------------


def matrix_rates(config: Any, dtype: str, device: str, tokens: int) -> dict[str, float]:
    """Return the FLOP/s of the model's matrix products on batches of ``tokens`` and a quarter of that."""
    import torch

    kind = getattr(torch, dtype)
    hidden, inner = config.hidden_size, config.intermediate_size
    rates = {}
    for m in (tokens // 4, tokens):
        for k, n in ((hidden, hidden), (hidden, inner), (inner, hidden)):
            x, w = (torch.randn(size, dtype=kind, device=device) for size in ((m, k), (n, k)))
            best = float("inf")
            with torch.inference_mode():
                for _ in range(8):
                    _wait(device)
                    start = time.perf_counter()
                    torch.nn.functional.linear(x, w)
                    _wait(device)
                    best = min(best, time.perf_counter() - start)
            rates[f"{m}x{k}x{n}"] = 2 * m * k * n / best
    return rates


def flops(config: Any, tokenizer: Any, pairs: list[Pair]) -> float:
    """Return the FLOPs of all layers' matrix products for the tokens of ``pairs``, nothing padded.

    Of a layer: 8 h² + 4 h f for each token (h: hidden size, f: intermediate size), and 4 n² h for the
    attention of a pair of n tokens.
    """
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    ids = tokenizer(texts, add_special_tokens=False, return_attention_mask=False, verbose=False)["input_ids"]
    counts = {text: len(of_text) for text, of_text in zip(texts, ids, strict=True)}
    special = tokenizer.num_special_tokens_to_add(pair=True)
    lengths = np.array([counts[p] + counts[h] + special for p, h in pairs], dtype=np.float64)
    lengths = lengths.clip(max=tokenizer.model_max_length)
    hidden, inner = config.hidden_size, config.intermediate_size
    of_pairs = lengths * (8 * hidden**2 + 4 * hidden * inner) + 4 * lengths**2 * hidden
    return float(config.num_hidden_layers * of_pairs.sum())


def _wait(device: str) -> None:
    import torch

    if device.startswith("cuda"):
        torch.cuda.synchronize()


# ---------------------------------------------------------------------------------------------
# Measuring
# ---------------------------------------------------------------------------------------------


class Checkpoint:
    """A checkpoint, and all procedures on it."""

    def __init__(self, source: str, folder: Path, options: argparse.Namespace, sample: int) -> None:
        import torch
        from transformers import AutoModelForSequenceClassification, AutoTokenizer

        from claimwise.judges import NLIModel

        self.device: str = options.device
        given = {"device": self.device, "show_progress": False}
        self.fast = NLIModel.from_pretrained(source, dtype=options.dtype, **given)
        self.dtype = self.fast.signature["dtype"]
        tokenizer = self.tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        model = AutoModelForSequenceClassification.from_pretrained(
            folder, dtype=torch.float32, local_files_only=True
        )
        model = model.to(self.device).eval()
        self.config = model.config
        own = [Procedure(FAST, self.dtype, by_claimwise(self.fast), computes_repeats=False)]
        if self.dtype != "float32":
            exact = NLIModel.from_pretrained(source, dtype="float32", **given)
            own.append(Procedure(EXACT, "float32", by_claimwise(exact), computes_repeats=False))
        self.procedures = [
            *own,
            Procedure("SummaC's way", "float32", by_summac(model, tokenizer)),
            Procedure("pipeline, one at a time", "float32", by_pipeline(model, tokenizer, None), sample),
            Procedure("pipeline, batched", "float32", by_pipeline(model, tokenizer, PIPELINE_BATCH)),
        ]
        self.skipped: dict[str, str] = {}
        try:
            score = by_cross_encoder(folder, self.device)
        except ImportError as error:
            self.skipped["CrossEncoder"] = f"not measured: {error}"
        else:
            self.procedures.append(Procedure("CrossEncoder", "float32", score))
        if options.int8:
            self.procedures.append(Procedure("SummaC's way, int8", "int8", by_int8(model, tokenizer)))

    @property
    def exact(self) -> Procedure:
        """The procedure that the others' probabilities are compared with: claimwise in float32."""
        return self.procedures[0 if self.dtype == "float32" else 1]


def run_rounds(checkpoint: Checkpoint, jobs: list[Job]) -> dict[str, Any]:
    """Score each job by every procedure, each round beginning with another one, and return all numbers."""
    for procedure in checkpoint.procedures:
        procedure.score(Job(WARM_UP))
    rounds: list[dict[str, Any]] = []
    rates: dict[str, dict[str, float]] = {}
    names = [procedure.name for procedure in checkpoint.procedures]
    furthest = {name: {"probability": 0.0, "labels": 0, "pairs": 0} for name in names}
    for number, job in enumerate(jobs):
        pairs = job.pairs
        distinct = list(dict.fromkeys(pairs))
        work = {
            repeats: flops(checkpoint.config, checkpoint.tokenizer, pairs if repeats else distinct)
            for repeats in (True, False)
        }
        for dtype in {checkpoint.dtype, "float32"}:
            measured = matrix_rates(
                checkpoint.config, dtype, checkpoint.device, checkpoint.fast.max_tokens_per_batch
            )
            best = rates.setdefault(dtype, measured)
            rates[dtype] = {shape: max(rate, best[shape]) for shape, rate in measured.items()}
        turn = number % len(names)
        seconds: dict[str, float] = {}
        found: dict[str, tuple[list[int], Probabilities]] = {}
        for procedure in checkpoint.procedures[turn:] + checkpoint.procedures[:turn]:
            chosen = list(range(len(pairs)))
            part = job
            if procedure.sample is not None and procedure.sample < len(pairs):
                chosen = sorted(random.Random(number).sample(chosen, procedure.sample))
                part = Job([([pairs[row][0]], [pairs[row][1]]) for row in chosen])
            start = time.perf_counter()
            probabilities = procedure.score(part)
            seconds[procedure.name] = (time.perf_counter() - start) * len(pairs) / len(chosen)
            found[procedure.name] = chosen, probabilities
            print(f"  round {number + 1}, {procedure.name}: {seconds[procedure.name]:.2f} s", flush=True)
        expected = found[checkpoint.exact.name][1]
        for name, (chosen, probabilities) in found.items():
            seen = furthest[name]
            change = float(np.abs(probabilities - expected[chosen]).max())
            seen["probability"] = max(seen["probability"], change)
            seen["labels"] += int((probabilities.argmax(1) != expected[chosen].argmax(1)).sum())
            seen["pairs"] += len(chosen)
        rounds.append(
            {"pairs": len(pairs), "distinct_pairs": len(distinct), "flops": work, "wall_s": seconds}
        )
    return {
        "rounds": rounds,
        "matrix_rates": rates,
        "skipped": checkpoint.skipped,
        "change_against_float32": furthest,
        "procedures": {p.name: summarize(p, rounds, rates) for p in checkpoint.procedures},
    }


def summarize(
    procedure: Procedure, rounds: list[dict[str, Any]], rates: dict[str, dict[str, float]]
) -> dict[str, Any]:
    """Return the medians over the rounds of one procedure, and claimwise's ratios to it."""
    walls = [one["wall_s"] for one in rounds]
    own = [wall[procedure.name] for wall in walls]
    pairs = [one["pairs"] for one in rounds]
    distinct = [one["distinct_pairs"] for one in rounds]
    computed = pairs if procedure.computes_repeats else distinct
    summary: dict[str, Any] = {
        "dtype": procedure.dtype,
        "sample": procedure.sample,
        "wall_s": statistics.median(own),
        "pairs_per_s": _median_ratio(pairs, own),
        "computed_pairs_per_s": _median_ratio(computed, own),
    }
    if procedure.dtype in rates:
        best = max(rates[procedure.dtype].values())
        needed = [one["flops"][procedure.computes_repeats] / best for one in rounds]
        summary["share_of_matrix_rate"] = _median_ratio(needed, own)
    for name in (FAST, EXACT):
        if name in walls[0]:
            ours = [wall[name] for wall in walls]
            per_pair = [wall / count for wall, count in zip(own, computed, strict=True)]
            ours_per_pair = [wall / count for wall, count in zip(ours, distinct, strict=True)]
            summary[f"{name}: times as fast, whole job"] = _median_ratio(own, ours)
            summary[f"{name}: times as fast, computed pairs"] = _median_ratio(per_pair, ours_per_pair)
    return summary


def _median_ratio(above: list[float], below: list[float]) -> float:
    return statistics.median(a / b for a, b in zip(above, below, strict=True))


def caspr_changes(checkpoint: Checkpoint, data: Path, limit: int | None) -> dict[str, Any]:
    """Return how far each shortcut moves the CASPR scores of CoCoTrip's pairs of summaries."""
    from claimwise.scores.caspr import caspr_score

    job = Job(list(cocotrip_examples(data, slice(None)))[: None if limit is None else 2 * limit])
    shapes = [(len(premises), len(hypotheses)) for premises, hypotheses in job.examples]
    ends = np.cumsum([rows * columns for rows, columns in shapes])[:-1]

    def scores(procedure: Procedure) -> npt.NDArray[np.float64]:
        parts = np.split(procedure.score(job), ends)
        matrices = [part.reshape(*shape, 3) for part, shape in zip(parts, shapes, strict=True)]
        both = zip(matrices[::2], matrices[1::2], strict=True)
        return np.array([caspr_score(forward, backward).score for forward, backward in both])

    exact = scores(checkpoint.exact)
    changes = {}
    for procedure in checkpoint.procedures:
        if procedure.dtype != "float32":
            change = np.abs(scores(procedure) - exact)
            changes[procedure.name] = {"mean": float(change.mean()), "largest": float(change.max())}
    return {"pairs_of_summaries": len(exact), "pairs": len(job.pairs), "changes": changes}


# ---------------------------------------------------------------------------------------------
# Reporting
# ---------------------------------------------------------------------------------------------

HEADER = [
    "procedure",
    "dtype",
    "job, s",
    "pairs/s",
    "computed/s",
    "of matrix rate",
    "× job",
    "× computed",
    "× job, float32",
]


def report(title: str, results: dict[str, Any]) -> list[str]:
    """Print the table of one checkpoint, and return its paragraphs."""
    rows = []
    for name, of_it in results["procedures"].items():
        share = of_it.get("share_of_matrix_rate")
        ratios = [
            of_it.get(f"{own}: times as fast, {what}")
            for own, what in ((FAST, "whole job"), (FAST, "computed pairs"), (EXACT, "whole job"))
        ]
        rows.append(
            [
                name if of_it["sample"] is None else f"{name} ¹",
                of_it["dtype"],
                f"{of_it['wall_s']:.1f}",
                f"{of_it['pairs_per_s']:.1f}",
                f"{of_it['computed_pairs_per_s']:.1f}",
                "" if share is None else f"{share:.0%}",
                *("" if ratio is None else f"{ratio:.2f}" for ratio in ratios),
            ]
        )
    show(title, HEADER, rows)
    first = results["rounds"][0]
    samples = {of_it["sample"] for of_it in results["procedures"].values()} - {None}
    paragraphs = [
        f"## {title}",
        markdown_table(HEADER, rows),
        f"Medians of {len(results['rounds'])} interleaved rounds, each on different hotels; {first['pairs']} "
        f"pairs in the first, {first['distinct_pairs']} of them distinct. ¹ Measured on "
        f"{', '.join(map(str, samples))} pairs of the job, and extrapolated to the whole job.",
    ]
    paragraphs += [f"{name}: {reason}." for name, reason in results["skipped"].items()]
    for dtype, rates in sorted(results["matrix_rates"].items()):
        measured = ", ".join(f"{shape} {rate / 1e9:.0f}" for shape, rate in rates.items())
        paragraphs.append(
            f"Matrix rate in {dtype} (tokens × inputs × outputs, GFLOP/s, best of all rounds): {measured}."
        )
    return paragraphs


def report_accuracy(results: dict[str, Any], caspr: dict[str, Any]) -> list[str]:
    """Print what the shortcuts cost, and return the paragraphs."""
    header = [
        "procedure",
        "pairs",
        "largest change",
        "changed labels",
        "CASPR: mean change",
        "largest change",
    ]
    rows = []
    for name, seen in results["change_against_float32"].items():
        change = caspr["changes"].get(name)
        rows.append(
            [
                name,
                str(seen["pairs"]),
                f"{seen['probability']:.6f}",
                str(seen["labels"]),
                *([f"{change['mean']:.3f}", f"{change['largest']:.2f}"] if change else ["", ""]),
            ]
        )
    title = "Accuracy of the shortcuts, compared with claimwise in float32"
    show(title, header, rows)
    return [
        f"## {title}",
        markdown_table(header, rows),
        f"Probabilities (0 to 1): all rounds of the embedded checkpoint. CASPR (0 to 100): "
        f"{caspr['pairs_of_summaries']} pairs of CoCoTrip summaries, {caspr['pairs']} pairs of claims.",
    ]


def main() -> None:
    """Measure, print the tables, write the report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=20_000, help="of a round (default: %(default)s)")
    parser.add_argument("--large-pairs", type=int, default=300, help="for the large checkpoint; 0: leave out")
    parser.add_argument("--repeats", type=int, default=5, help="rounds (default: %(default)s)")
    parser.add_argument("--single-pairs", type=int, default=500, help="sample for one pair at a time")
    parser.add_argument("--large-single-pairs", type=int, default=50, help="the same, large checkpoint")
    parser.add_argument(
        "--caspr-pairs", type=int, help="pairs of summaries for the change of CASPR scores (default: all)"
    )
    parser.add_argument("--dtype", default="auto", help="of claimwise (default: auto)")
    parser.add_argument("--device", default="cpu", help="of everything (default: cpu)")
    parser.add_argument("--int8", action="store_true", help="measure dynamic int8 quantization too (CPU)")
    options = parse(parser, "engine")

    import torch
    from transformers.utils import logging

    from claimwise.errors import ClaimwiseError
    from claimwise.judges.hub import EMBEDDED_WEIGHTS

    torch.set_num_threads(options.threads)
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    results: dict[str, Any] = {"machine": describe(options.threads) | {"device": options.device}}
    try:
        jobs = draw_jobs(options.data, options.pairs, options.repeats)
        large_jobs = (
            draw_jobs(options.data, options.large_pairs, options.repeats) if options.large_pairs else []
        )
        print("Embedded checkpoint")
        checkpoint = Checkpoint("default", EMBEDDED_WEIGHTS, options, options.single_pairs)
        results["embedded"] = run_rounds(checkpoint, jobs)
        results["caspr"] = caspr_changes(checkpoint, options.data, options.caspr_pairs)
    except ClaimwiseError as error:
        parser.error(str(error))
    paragraphs = [
        "# The NLI engine compared with its peers",
        "Written by `benchmarks/speed/engine.py`: same checkpoint, same pairs, same machine, one run. The "
        "peers' procedures were reimplemented on current transformers.",
        "- *job, s*: wall time of the whole job, tokenization included.\n"
        "- *computed/s*: pairs computed per second: each distinct pair once for claimwise, every pair for "
        "the peers.\n"
        "- *of matrix rate*: FLOPs of the unpadded tokens of the computed pairs per second of the whole job, "
        "as a share of the machine's best matrix product at the model's shapes in the same dtype.\n"
        "- *× job*, *× computed*: speed of claimwise as a multiple of the procedure's speed, in wall time of "
        "the whole job and in computed pairs per second (which excludes the savings of deduplication); *× "
        "job, float32*: the same for claimwise in float32. Each value is the median of the rounds' ratios.",
        machine_markdown(results["machine"]),
        *report("Embedded checkpoint", results["embedded"]),
        *report_accuracy(results["embedded"], results["caspr"]),
    ]
    if large_jobs:
        print("Large checkpoint")
        with tempfile.TemporaryDirectory() as folder:
            save_large(
                Path(folder), [t for job in jobs for example in job.examples for ts in example for t in ts]
            )
            large = Checkpoint(folder, Path(folder), options, options.large_single_pairs)
            results["large"] = run_rounds(large, large_jobs)
        paragraphs += [
            *report("Classifier the size of roberta-large, random weights", results["large"]),
            "Its tokenizer is a byte-level BPE trained on the texts of the jobs.",
        ]
    write_report(options.out, results, paragraphs)


if __name__ == "__main__":
    main()
