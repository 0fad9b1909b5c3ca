"""The decomposer ``learned`` from nothing: examples, training, export.

``CLAIMWISE_DATA=../shared/data python training/claims/run.py`` does all, once the parser's teacher is there
(``training/parser/run.py --until teacher``); a step whose result is there is not repeated.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import random
import sys
import time
from collections.abc import Collection, Sequence
from itertools import chain
from pathlib import Path

import torch
from align import Item
from silver import rows as silver_rows
from torch import nn

from claimwise.text.learned.decomposer import JUDGE, WEIGHTS, LearnedDecomposer
from claimwise.text.learned.network import (
    END,
    MOST_STEPS,
    WORD_EMBEDDINGS,
    Batch,
    ClaimWriter,
    Progress,
    fingerprint_of,
    word_embeddings,
)
from examples import Augmentation, Example, example_of, vocabulary_of

PARSER = Path(__file__).parents[1] / "parser"
ROOT = Path(__file__).parents[2]
sys.path += [str(PARSER), str(ROOT / "benchmarks"), str(ROOT / "datasets_scripts")]
import opinion_claims  # noqa: E402
import teacher  # noqa: E402
from decomposition import claim_scores  # noqa: E402
from opinion_claims import KINDS, Row  # noqa: E402
from treebank import TREEBANK, Sentence, read_sentences  # noqa: E402

EPOCHS, SILVER_EPOCHS = 7, 1
HASTY, JOINED, JOINED_OF_SILVER, BEHIND = 0.3, 0.25, 0.5, 0.5
SILVER_OF_ONE_CLAIM, SILVER_LATER = 3000, 1500
WORDS_OF_BATCH = 450
HIDDEN = 0.12  # share of word pieces that the encoder does not see
RATE, RATE_OF_NEW, WARM_UP = 1e-4, 8e-4, 60
TREES_EVERY, WEIGHT_OF_TREES = 10, 2.0
AVERAGED = 0.995
MASK, FIRST_PIECE = 103, 1000


def make_examples(work: Path) -> tuple[list[Example], list[Example]]:
    """Return the examples of OpinionClaims' training split, and those of ``silver.py``."""
    path = work / "examples.pickle"
    if not path.exists():
        rows = rows_of("train")

        def gold_with(known: Collection[str] | None) -> list[Example]:
            found = (
                example_of(
                    row.sentence,
                    row.claims,
                    is_messy=row.kind == "messy",
                    context=row.context,
                    known=known,
                )
                for row in rows
            )
            return [example for example in found if example]

        gold = gold_with(frozenset(vocabulary_of(gold_with(None))))
        silver = [
            example_of(sentence, [[claim] for claim in claims], is_messy=False)
            for sentence, claims in silver_rows()
        ]
        path.write_bytes(pickle.dumps((gold, [one for one in silver if one])))
    gold, silver = pickle.loads(path.read_bytes())
    return gold, silver


def choices_of(claims: Sequence[Sequence[Item]], numbers: dict[str, int]) -> list[int]:
    """Return claims as the network's choices, its end included."""
    choices: list[int] = []
    for claim in claims:
        if choices:
            choices.append(numbers["<next>"])
        choices += [
            numbers[item] if isinstance(item, str) else len(numbers) + item
            for item in claim
            if isinstance(item, int) or item in numbers
        ]
    return [*choices[: MOST_STEPS - 1], numbers["<end>"]]


def loss_of(writer: ClaimWriter, batch: Batch, examples: Sequence[Example]) -> tuple[torch.Tensor, float]:
    """Return the mean cross-entropy of an example, and the share of choices that are right."""
    numbers = {word: number for number, word in enumerate(writer.vocabulary)}
    wanted = [choices_of(example.claims, numbers) for example in examples]
    longest = max(map(len, wanted))
    gold = torch.full((len(wanted), longest), -100)
    for row, choices in enumerate(wanted):
        gold[row, : len(choices)] = torch.tensor(choices)
    before = nn.functional.pad(gold, (1, -1), value=-1).where(gold >= 0, END)
    progress = Progress(len(wanted), batch.word_mask.shape[1], len(numbers))
    of_steps = []
    for step in range(longest):
        if step:
            progress.go_on(before[:, step])
        of_steps.append((progress.in_claim, progress.claim, progress.last, progress.hints))
    in_claim, claim, last, hints = (torch.stack(values, 1) for values in zip(*of_steps, strict=True))
    with torch.autocast("cpu", torch.bfloat16):
        states, padding = writer.encode(batch)
        x = writer.embed(states, before, in_claim, claim, last).to(torch.bfloat16)
        for layer in writer.layers:
            x, _ = layer(x, layer.memory(states), padding.to(torch.bfloat16))
        scores = writer.scores(x, writer.key(states), batch.word_mask, hints)
    loss = nn.functional.cross_entropy(scores.transpose(1, 2), gold, reduction="sum") / len(wanted)
    right = ((scores.argmax(-1) == gold) & (gold >= 0)).sum() / (gold >= 0).sum()
    return loss, right.item()


def without_some(batch: Batch) -> Batch:
    """Return the batch with some word pieces hidden."""
    hide = (torch.rand(batch.pieces.shape) < HIDDEN) & (batch.pieces >= FIRST_PIECE)
    return Batch(batch.pieces.masked_fill(hide, MASK), *list(vars(batch).values())[1:])


def rows_of(split: str) -> list[Row]:
    """Return the rows of a split of OpinionClaims."""
    return [row for row in opinion_claims.read_files() if row.split == split]


def claim_f1(decomposer: LearnedDecomposer, rows: Sequence[Row]) -> float:
    """Return the claim F1 on rows, each sentence by itself."""
    claims = [found.claims for found in decomposer.decompose([row.sentence for row in rows])]
    return round(claim_scores([row.claims for row in rows], claims).f1, 3)


def resolved_f1(decomposer: LearnedDecomposer, rows: Sequence[Row]) -> float:
    """Return the claim F1 on rows behind the sentence before, where only the best wording counts."""
    found = decomposer.decompose_texts([[row.context, row.sentence] for row in rows])
    best = [[wordings[:1] for wordings in row.claims] for row in rows]
    return round(claim_scores(best, [of_sentence.claims for _, of_sentence in found]).f1, 3)


def train(data: Path, work: Path, seed: int) -> None:
    """Train the network, keeping the average of its weights after each epoch."""
    torch.manual_seed(seed)
    generator = random.Random(seed)
    gold, silver = make_examples(work)
    validation = rows_of("validation")
    several = [example for example in silver if len(example.claims) > 1]
    one = [example for example in silver if len(example.claims) == 1]
    tree_reader = teacher.load(teacher_folder())
    writer = ClaimWriter(tree_reader.encoder, vocabulary_of(gold))
    writer.mix, writer.shape = tree_reader.mix, tree_reader.shape
    writer.encoder.embeddings.word_embeddings.requires_grad_(False)
    encoding = teacher.encoding()
    augmentation = Augmentation(writer.vocabulary, generator)
    print(f"{len(gold)} + {len(silver)} sentences, {len(writer.vocabulary)} words of its own", flush=True)

    def examples_of(epoch: int) -> list[Example]:
        found = augmentation.epoch(gold, hasty=HASTY, joined=JOINED, behind=BEHIND)
        if epoch < SILVER_EPOCHS:
            some = several + generator.sample(one, min(SILVER_OF_ONE_CLAIM, len(one)))
            return found + augmentation.epoch(some, hasty=HASTY, joined=JOINED_OF_SILVER, behind=BEHIND)
        half = SILVER_LATER // 2
        return found + generator.sample(several, half) + generator.sample(one, half)

    def encoding_of(chosen: Sequence[Example]) -> Batch:
        return encoding([one.words for one in chosen], [one.context for one in chosen])

    def batches_of(sentences: Sequence[Example | Sentence]) -> list[list[int]]:
        return list(teacher.batches([len(one.words) for one in sentences], WORDS_OF_BATCH, generator))

    trees = list(read_sentences(data / TREEBANK / "train.conllu.gz"))
    trees = [sentence for sentence in trees if 4 <= len(sentence.words) <= 60]
    of_trees = chain.from_iterable(iter(lambda: batches_of(trees), None))
    old = [p for p in writer.encoder.parameters() if p.requires_grad]
    new = [p for name, p in writer.named_parameters() if not name.startswith("encoder.")]
    known = {id(parameter) for parameter in [*writer.parameters()]}
    rest = [parameter for parameter in tree_reader.parameters() if id(parameter) not in known]
    optimizer = torch.optim.AdamW(
        [{"params": old, "lr": RATE}, {"params": new, "lr": RATE_OF_NEW}, {"params": rest, "lr": 2 * RATE}],
        betas=(0.9, 0.98),
    )
    counted = [batches_of(examples_of(epoch)) for epoch in (0, SILVER_EPOCHS)]
    steps = SILVER_EPOCHS * len(counted[0]) + (EPOCHS - SILVER_EPOCHS) * len(counted[1])
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1, (step + 1) / WARM_UP) * max(0.02, 1 - step / steps)
    )
    average = {name: p.detach().clone() for name, p in writer.named_parameters() if p.requires_grad}
    started, step = time.monotonic(), 0
    for epoch in range(EPOCHS):
        examples = examples_of(epoch)
        writer.train()
        tree_reader.train()
        losses, rights = [], []
        for indexes in batches_of(examples):
            chosen = [examples[index] for index in indexes]
            loss, right = loss_of(writer, without_some(encoding_of(chosen)), chosen)
            optimizer.zero_grad()
            loss.backward()
            if step % TREES_EVERY == 0:
                sentences = [trees[index] for index in next(of_trees)]
                with torch.autocast("cpu", torch.bfloat16):
                    of_tree = teacher.loss_of(
                        tree_reader, encoding([one.words for one in sentences]), sentences
                    )
                (WEIGHT_OF_TREES * of_tree).backward()
            nn.utils.clip_grad_norm_(writer.parameters(), 3.0)
            optimizer.step()
            schedule.step()
            share = min(AVERAGED, (1 + step) / (10 + step))
            with torch.no_grad():
                for name, parameter in writer.named_parameters():
                    if parameter.requires_grad:
                        average[name].lerp_(parameter.detach(), 1 - share)
            losses.append(loss.item())
            rights.append(right)
            step += 1
            if step % 200 == 0:
                print(f"  {step} of {steps}, {time.monotonic() - started:.0f} s", flush=True)
        export(writer, average, work / f"epoch_{epoch}")
        decomposer = LearnedDecomposer(folder=work / f"epoch_{epoch}")
        found = [
            claim_f1(decomposer, [row for row in validation if row.kind in kinds])
            for kinds in (KINDS, ("plain",), ("messy",))
        ]
        resolved = resolved_f1(decomposer, [row for row in validation if row.context])
        mean = [sum(values) / len(values) for values in (losses, rights)]
        print(
            f"epoch {epoch}: loss {mean[0]:.2f}, choices right {mean[1]:.3f}, validation {found}, "
            f"pronouns {resolved}, "
            f"{time.monotonic() - started:.0f} s",
            flush=True,
        )


def export(writer: ClaimWriter, weights: dict[str, torch.Tensor], folder: Path) -> None:
    """Write the network into a folder: all weights but the word embeddings, in bfloat16."""
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    state = writer.state_dict() | weights
    state = {
        name: tensor.to(torch.bfloat16).contiguous()
        for name, tensor in state.items()
        if name != WORD_EMBEDDINGS and tensor.is_floating_point()
    }
    save_file(state, folder / "model.safetensors")
    encoder = writer.encoder.config
    names = ("hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "vocab_size")
    config = {
        "size": writer.size,
        "layers": len(writer.layers),
        "encoder": {name: getattr(encoder, name) for name in names},
        "vocabulary": writer.vocabulary,
        "word_embeddings": fingerprint_of(word_embeddings(JUDGE)),
    }
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")


def cache() -> Path:
    """Return the folder of all in between: ``~/.cache/claimwise/training``."""
    return Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "claimwise" / "training"


def teacher_folder() -> Path:
    """Return the folder of the parser's teacher."""
    return Path(os.environ.get("CLAIMWISE_TEACHER", cache() / "parser" / "teacher"))


def main() -> None:
    """Run all steps whose result is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("CLAIMWISE_DATA", "../shared/data"))
    parser.add_argument("--work", type=Path, default=cache() / "claims", help="folder of all in between")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    last = options.work / f"epoch_{EPOCHS - 1}"
    if not last.exists():
        train(options.data, options.work, options.seed)
    for name in ("model.safetensors", "config.json"):
        WEIGHTS.mkdir(exist_ok=True)
        (WEIGHTS / name).write_bytes((last / name).read_bytes())


if __name__ == "__main__":
    main()
