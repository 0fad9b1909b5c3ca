"""The claim writer from its data: ``CLAIMWISE_DATA=../shared/data python training/writer/run.py``."""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import torch

sys.path.append(str(Path(__file__).parents[1]))
from batches import Batch, batch_of
from checkpoints import JUDGE, WRITER
from decoder import Decoder, fingerprint_of
from rows import Sentence, sentences_of
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from transformers import BertConfig, BertModel

from claimwise.text.writer.decomposer import NEEDS_CONTEXT
from claimwise.text.writer.network import END, MOST_STEPS
from examples import Augmentation, Example, actions, example_of, vocabulary_of

STEPS = 3400
KEPT, EXCHANGED = 330, 60
"""After how many steps the network is kept, and its weights are exchanged with the other process."""
HASTY, JOINED, BEHIND = 0.3, 0.15, 0.2
TIMES = {"treebank": 1.6, "verdicts": 1.0, "attributions": 1.4, "plain": 0.7, "messy": 0.8}
"""How often a sentence is seen in an epoch."""
WORDS_OF_BATCH = 800
HIDDEN = 0.12  # share of word pieces that the encoder does not see
RATE, RATE_OF_NEW, WARM_UP = 1.2e-4, 8e-4, 100
AVERAGED = 0.998
MASK, FIRST_PIECE = 103, 1000
WORDS = "embeddings.word_embeddings.weight"


def make_examples(sentences: Sequence[Sentence]) -> list[tuple[float, list[Example]]]:
    """Return for each sentence how often it is seen, and its examples, of which one is taken each time."""

    def made(known: frozenset[str] | None) -> list[tuple[float, list[Example]]]:
        found = []
        for one in sentences:
            contexts = {one.context if NEEDS_CONTEXT.search(one.text) else ""} | (
                {""} if one.kind in ("treebank", "verdicts") else set()
            )
            wordings = [(one.claims, None if one.stripped is None else False)]
            if one.stripped is not None:
                wordings.append((one.stripped, True))
            examples = [
                example
                for context in sorted(contexts)
                for claims, strip in wordings
                if (
                    example := example_of(
                        one.text,
                        claims,
                        is_messy=one.kind in ("messy", "treebank", "verdicts"),
                        context=context,
                        known=known,
                        strip=strip,
                    )
                )
            ]
            if examples:
                times = TIMES["attributions" if one.stripped is not None else one.kind]
                found.append((times, examples))
        return found

    first = [example for _, examples in made(None) for example in examples]
    return made(frozenset(vocabulary_of(first)))


def choices_of(claims: Sequence[Sequence[object]], numbers: dict[str, int]) -> list[tuple[int, int]]:
    """Return claims as the network's choices, its end included."""
    choices: list[tuple[int, int]] = []
    for claim in claims:
        if choices:
            choices.append((numbers["<next>"], -1))
        for first, last in actions(claim):
            if isinstance(first, int):
                choices.append((len(numbers) + first, last))
            elif first in numbers:
                choices.append((numbers[first], -1))
    return [*choices[: MOST_STEPS - 1], (END, -1)]


class Writer(nn.Module):
    """What is trained: transformers' encoder and the decoder."""

    def __init__(
        self, layers: int, vocabulary: Sequence[str], size: int = 256, decoder_layers: int = 3
    ) -> None:
        super().__init__()
        config = BertConfig.from_pretrained(JUDGE, num_hidden_layers=layers, hidden_dropout_prob=0.0)
        self.encoder = BertModel(config, add_pooling_layer=False)
        self.encoder.set_attn_implementation("eager")
        self.decoder = Decoder(config.hidden_size, len(vocabulary), size=size, layers=decoder_layers)
        self.vocabulary = list(vocabulary)

    def begin_from(self, folder: Path, judge: Path) -> None:
        """Take over what fits from the decomposer that was trained before."""
        config = json.loads((folder / "config.json").read_text())
        before = {name: tensor.float() for name, tensor in load_file(folder / "model.safetensors").items()}
        of_judge = load_file(judge / "model.safetensors")
        before[f"encoder.{WORDS}"] = of_judge[f"bert.{WORDS}"].float()
        state = self.state_dict()
        taken = 0
        for name, tensor in state.items():
            old = before.get(name, before.get(name.removeprefix("decoder.")))
            if name in ("decoder.own_word.weight", "decoder.own_scores.weight", "decoder.own_scores.bias"):
                for number, word in enumerate(self.vocabulary):
                    if word in config["vocabulary"]:
                        tensor[number] = old[config["vocabulary"].index(word)]
            elif old is not None and old.shape == tensor.shape:
                tensor.copy_(old)
                taken += 1
        self.load_state_dict(state)
        print(f"{taken} of {len(state)} tensors are those of before")

    def states(self, batch: Batch, *, hide: bool) -> torch.Tensor:
        """Return the encoder's states of the word pieces, padding left out."""
        lengths = torch.from_numpy(batch.lengths)
        mask = torch.arange(int(lengths.max())) < lengths[:, None]
        pieces = torch.zeros(mask.shape, dtype=torch.long)
        pieces[mask] = torch.from_numpy(batch.pieces)
        if hide:
            pieces = pieces.masked_fill((torch.rand(pieces.shape) < HIDDEN) & (pieces >= FIRST_PIECE), MASK)
        return self.encoder(input_ids=pieces, attention_mask=mask.long()).last_hidden_state[mask]


def loss_of(writer: Writer, batch: Batch, examples: Sequence[Example]) -> torch.Tensor:
    """Return the mean cross-entropy of an example."""
    numbers = {word: number for number, word in enumerate(writer.vocabulary)}
    wanted = [torch.tensor(choices_of(example.claims, numbers)) for example in examples]
    gold = nn.utils.rnn.pad_sequence(wanted, batch_first=True, padding_value=-100)
    firsts = gold[..., 0]
    lasts = gold[..., 1].masked_fill(gold[..., 1] < 0, -100)
    words, padding = writer.decoder.words(writer.states(batch, hide=True), batch)
    _, scores, ends, _ = writer.decoder.read(words, padding, batch, firsts, gold[..., 1])
    loss = nn.functional.cross_entropy(scores.transpose(1, 2), firsts, reduction="sum")
    loss = loss + nn.functional.cross_entropy(ends.transpose(1, 2), lasts, reduction="sum")
    return loss / len(wanted)


def train(options: argparse.Namespace) -> None:
    """Train the network, and keep the average of its weights from time to time."""
    torch.manual_seed(options.seed)
    generator = random.Random(options.seed + options.process)
    seen = make_examples(sentences_of("train", options.data))
    all_examples = [example for _, examples in seen for example in examples]
    vocabulary = vocabulary_of(all_examples)
    numbers = {word: number for number, word in enumerate(vocabulary)}
    writer = Writer(options.encoder_layers, vocabulary, decoder_layers=options.layers)
    writer.begin_from(options.begin, JUDGE)
    writer.encoder.embeddings.word_embeddings.requires_grad_(False)
    torch.manual_seed(options.seed + options.process)
    tokenizer = Tokenizer.from_file(str(JUDGE / "tokenizer.json"))
    tokenizer.no_padding()
    augmentation = Augmentation(writer.vocabulary, generator)
    print(
        f"{len(seen)} sentences, {len(all_examples)} examples, {len(vocabulary)} words of its own", flush=True
    )

    def examples_of() -> list[Example]:
        some: list[Example] = []
        for times, examples in seen:
            count = int(times) + (generator.random() < times % 1)
            some += [generator.choice(examples) for _ in range(count)]
        return augmentation.epoch(some, hasty=HASTY, joined=JOINED, behind=BEHIND)

    def batches_of(examples: Sequence[Example]) -> list[list[int]]:
        """Return batches of examples whose sentences and claims are about equally long."""
        by_length: dict[int, list[int]] = {}
        for index, example in enumerate(examples):
            length = len(example.words) + 2 * generator.random()
            by_length.setdefault(int(3 * length**0.5), []).append(index)
        found = []
        for indexes in by_length.values():
            steps = {index: len(choices_of(examples[index].claims, numbers)) for index in indexes}
            indexes.sort(key=lambda index: steps[index] + 3 * generator.random())
            size = max(1, WORDS_OF_BATCH // max(len(examples[index].words) for index in indexes))
            found += [indexes[start : start + size] for start in range(0, len(indexes), size)]
        generator.shuffle(found)
        return found

    old = [p for p in writer.encoder.parameters() if p.requires_grad]
    new = list(writer.decoder.parameters())
    optimizer = torch.optim.AdamW(
        [{"params": old, "lr": options.rate}, {"params": new, "lr": options.rate_of_new}],
        betas=(0.9, 0.98),
        fused=True,
    )
    trained = {name: p for name, p in writer.named_parameters() if p.requires_grad}
    average = {name: p.detach().clone() for name, p in trained.items()}
    exchange = Exchange(options.work, options.process, trained)
    started, step = time.monotonic(), 0
    examples: list[Example] = []
    waiting: list[list[int]] = []
    losses: list[float] = []
    while step < options.steps:
        if not waiting:
            examples = examples_of()
            waiting = batches_of(examples)
            writer.train()
        rate = min(1, (step + 1) / WARM_UP, max(0.04, 2 * (1 - step / options.steps)))
        for group, base in zip(optimizer.param_groups, (options.rate, options.rate_of_new), strict=True):
            group["lr"] = rate * base
        chosen = [examples[index] for index in waiting.pop()]
        strip = [generator.random() < 0.5 if one.strip is None else one.strip for one in chosen]
        batch = batch_of(tokenizer, [one.words for one in chosen], [one.context for one in chosen], strip)
        with sdpa_kernel(SDPBackend.MATH):
            loss = loss_of(writer, batch, chosen)
            optimizer.zero_grad()
            loss.backward()
        nn.utils.clip_grad_norm_(writer.parameters(), 3.0)
        optimizer.step()
        share = min(AVERAGED, (1 + step) / (10 + step))
        with torch.no_grad():
            for name, parameter in trained.items():
                average[name].lerp_(parameter.detach(), 1 - share)
        losses.append(loss.item())
        step += 1
        if step % EXCHANGED == 0:
            exchange()
        if step % 100 == 0:
            mean = sum(losses[-100:]) / 100
            print(
                f"{step} of {options.steps}, {time.monotonic() - started:.0f} s, loss {mean:.3f}", flush=True
            )
        if step % KEPT == 0 or step == options.steps:
            export(writer, average, options.work / f"process_{options.process}_step_{step}")


class Exchange:
    """Lets two processes train one network: each moves half way to the other's latest weights.

    A single process trains as if there were no other.
    """

    def __init__(self, work: Path, process: int, weights: dict[str, nn.Parameter]) -> None:
        self.mine, self.other = (work / f"weights_{number}.safetensors" for number in (process, 1 - process))
        self.weights = weights
        self.seen = time.time()

    def __call__(self) -> None:
        """Write the weights of this process, and take in those that the other has written since."""
        part = self.mine.with_suffix(".part")
        save_file({name: p.detach() for name, p in self.weights.items()}, part)
        part.rename(self.mine)
        if self.other.exists() and (written := self.other.stat().st_mtime) > self.seen:
            self.seen = written
            theirs = load_file(self.other)
            with torch.no_grad():
                for name, parameter in self.weights.items():
                    parameter.lerp_(theirs[name], 0.5)


def mean_of(folders: Sequence[Path], folder: Path) -> None:
    """Write the mean of the networks in ``folders`` into ``folder``."""
    states = [load_file(one / "model.safetensors") for one in folders]
    state = {
        name: torch.stack([state[name].float() for state in states]).mean(0).to(torch.bfloat16)
        for name in states[0]
    }
    folder.mkdir(parents=True, exist_ok=True)
    save_file(state, folder / "model.safetensors")
    (folder / "config.json").write_bytes((folders[0] / "config.json").read_bytes())


def export(writer: Writer, weights: dict[str, torch.Tensor], folder: Path) -> None:
    """Write the network into a folder: all weights but the word embeddings, in bfloat16."""
    folder.mkdir(parents=True, exist_ok=True)
    state = writer.state_dict() | weights
    state = {
        name: tensor.to(torch.bfloat16).contiguous()
        for name, tensor in state.items()
        if name != f"encoder.{WORDS}" and tensor.is_floating_point()
    }
    save_file(state, folder / "model.safetensors")
    config = {
        "encoder_layers": writer.encoder.config.num_hidden_layers,
        "width": writer.encoder.config.hidden_size,
        "size": writer.decoder.size,
        "layers": len(writer.decoder.layers),
        "word_embeddings": fingerprint_of(writer.encoder.embeddings.word_embeddings.weight.detach()),
        "vocabulary": writer.vocabulary,
    }
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")


def cache() -> Path:
    """Return the folder of all in between: ``~/.cache/claimwise/training``."""
    return Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "claimwise" / "training"


def main() -> None:
    """Train, or write the mean of trained networks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("CLAIMWISE_DATA", "../shared/data"))
    parser.add_argument("--work", type=Path, default=cache() / "writer", help="folder of the networks")
    parser.add_argument("--begin", type=Path, default=WRITER, help="folder of the weights to begin from")
    parser.add_argument("--mean-of", type=Path, nargs="+", help="folders of networks; no training")
    parser.add_argument("--process", type=int, choices=(0, 1), default=0, help="number among two processes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--encoder-layers", type=int, default=4)
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--rate-of-new", type=float, default=RATE_OF_NEW)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    if options.mean_of:
        mean_of(options.mean_of, options.work / "mean")
    else:
        train(options)


if __name__ == "__main__":
    main()
