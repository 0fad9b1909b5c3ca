"""The teacher: a biaffine parser on the encoder of the embedded NLI model.

It is too large and slow to ship; it labels the sentences that the shipped parser is trained on besides the
treebank. It is Dozat and Manning's parser (2017): every word is scored as the head of every other, and every
pair with every relation.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from transformers import AutoModel, AutoTokenizer
from treebank import Sentence, read_sentences

from claimwise.text.learned.network import SHAPES, Batch, Encoding

ENCODER = Path(__file__).parents[2] / "src/claimwise/nli/weights"


@dataclass(frozen=True)
class Parse:
    """What the teacher says of a sentence; heads are indexes, the root is its own head.

    Attributes:
        heads: index of each word's head.
        labels: the relation of each word to its head.
        tags: Penn Treebank tags.
        parts_of_speech: universal parts of speech.
        confidence: mean probability of the heads.
    """

    heads: list[int]
    labels: list[str]
    tags: list[str]
    parts_of_speech: list[str]
    confidence: float


class Biaffine(nn.Module):
    """A bilinear form of dependants and heads for each output, a one added to each vector."""

    def __init__(self, width: int, outputs: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(outputs, width + 1, width + 1) * 0.01)

    def forward(self, dependants: Tensor, heads: Tensor, pairs: str) -> Tensor:
        """Score the pairs that an einsum such as ``"bi,bj->bij"`` names, the outputs (``o``) last."""
        left, right = (nn.functional.pad(rows, (0, 1), value=1.0) for rows in (dependants, heads))
        rows, result = pairs.split("->")
        first, second = rows.split(",")
        halves = torch.einsum(f"{first}x,oxy->{first}oy", left, self.weight)
        return torch.einsum(f"{first}oy,{second}y->{result}o", halves, right)


class Teacher(nn.Module):
    """The encoder with heads for arcs, relations, tags and parts of speech."""

    def __init__(self, labels: Sequence[str], tags: Sequence[str], parts_of_speech: Sequence[str]) -> None:
        super().__init__()
        self.labels, self.tags, self.parts_of_speech = list(labels), list(tags), list(parts_of_speech)
        self.encoder = AutoModel.from_pretrained(ENCODER, dtype=torch.float32, add_pooling_layer=False)
        width = self.encoder.config.hidden_size
        self.mix = nn.Parameter(torch.zeros(self.encoder.config.num_hidden_layers + 1))
        self.shape = nn.Embedding(len(SHAPES), 32)
        self.root = nn.Parameter(torch.randn(width + 32) * 0.02)
        self.dropout = nn.Dropout(0.3)
        self.projections = nn.ModuleDict(
            {
                name: nn.Sequential(nn.Linear(width + 32, size), nn.GELU(), nn.Dropout(0.3))
                for name, size in {
                    "dependant": 320,
                    "head": 320,
                    "label_dependant": 128,
                    "label_head": 128,
                }.items()
            }
        )
        self.arcs = Biaffine(320, 1)
        self.relations = Biaffine(128, len(self.labels))
        self.tagger = nn.Linear(width + 32, len(self.tags))
        self.coarse_tagger = nn.Linear(width + 32, len(self.parts_of_speech))

    def forward(self, batch: Batch) -> Scores:
        """Return the scores of heads, tags and parts of speech, and what relations are scored from."""
        states = self.encoder(
            input_ids=batch.pieces, attention_mask=batch.piece_mask, output_hidden_states=True
        ).hidden_states
        weights = self.mix.softmax(0)
        mixed = sum(weight * state for weight, state in zip(weights, states, strict=True))
        words = torch.bmm(batch.pooling, mixed)
        words = self.dropout(torch.cat([words, self.shape(batch.shapes)], -1))
        of_heads = nn.functional.pad(batch.word_mask, (1, 0), value=True)  # the root is a head, too
        candidates = torch.cat([self.root.expand(len(words), 1, -1), words], 1)
        projections = self.projections
        arcs = self.arcs(projections["dependant"](words), projections["head"](candidates), "bi,bj->bij")[
            ..., 0
        ]
        return Scores(
            arcs=arcs.float().masked_fill(~of_heads[:, None], -1e4),
            tags=self.tagger(words).float(),
            parts_of_speech=self.coarse_tagger(words).float(),
            label_dependants=projections["label_dependant"](words),
            label_heads=projections["label_head"](candidates),
        )

    def relations_to(self, scores: Scores, heads: Tensor) -> Tensor:
        """Return the scores of relations to the given heads: ``[batch, words, relations]``."""
        size = scores.label_heads.shape[-1]
        chosen = scores.label_heads.gather(1, heads[..., None].expand(-1, -1, size))
        return self.relations(scores.label_dependants, chosen, "bi,bi->bi").float()


@dataclass
class Scores:
    """Scores of a batch; heads count from 0 = the root."""

    arcs: Tensor
    tags: Tensor
    parts_of_speech: Tensor
    label_dependants: Tensor
    label_heads: Tensor


def encoding() -> Encoding:
    """Return what makes batches of sentences."""
    return Encoding(AutoTokenizer.from_pretrained(ENCODER))


def batches(lengths: Sequence[int], words: int, generator: random.Random | None) -> Iterator[list[int]]:
    """Yield indexes of sentences of similar length, about ``words`` words together."""
    noise = generator.random if generator else lambda: 0.0
    order = sorted(range(len(lengths)), key=lambda index: lengths[index] + 4 * noise())
    groups: list[list[int]] = []
    for index in order:
        if not groups or (len(groups[-1]) + 1) * lengths[index] > words:
            groups.append([])
        groups[-1].append(index)
    if generator:
        generator.shuffle(groups)
    yield from groups


def tree_of(scores: np.ndarray) -> list[int]:
    """Return the best tree with one root, heads counted from 0 = the root.

    It is the best head of each word, if that is a tree; else the maximum spanning arborescence.

    Args:
        scores: log-probabilities, ``[words, words + 1]``.
    """
    heads = scores.argmax(1)
    if _is_tree(heads):
        return [int(head) for head in heads]
    import networkx

    # Only one word may hang on the root: any pair of roots costs more than any tree may gain.
    scores = scores.copy()
    scores[:, 0] -= 1e3
    graph = networkx.DiGraph()
    for dependant in range(len(scores)):
        for head in range(len(scores) + 1):
            if head != dependant + 1:
                graph.add_edge(head, dependant + 1, weight=float(scores[dependant, head]))
    tree = networkx.maximum_spanning_arborescence(graph)
    return [next(iter(tree.predecessors(dependant + 1))) for dependant in range(len(scores))]


def _is_tree(heads: np.ndarray) -> bool:
    if int((heads == 0).sum()) != 1:
        return False
    for start in range(1, len(heads) + 1):
        word, steps = start, 0
        while word and steps <= len(heads):
            word, steps = int(heads[word - 1]), steps + 1
        if word:
            return False
    return True


def parse(model: Teacher, sentences: Sequence[Sequence[str]], *, words: int = 2000) -> list[Parse]:
    """Parse tokenised sentences."""
    encode = encoding()
    model.eval()
    parses: list[Parse | None] = [None] * len(sentences)
    with torch.inference_mode():
        for indexes in batches([len(sentence) for sentence in sentences], words, None):
            with torch.autocast("cpu", torch.bfloat16):
                scores = model(encode([sentences[index] for index in indexes]))
            logs = scores.arcs.log_softmax(-1).numpy()
            heads = np.zeros(logs.shape[:2], dtype=np.int64)
            for row, index in enumerate(indexes):
                length = len(sentences[index])
                heads[row, :length] = tree_of(logs[row, :length, : length + 1])
            with torch.autocast("cpu", torch.bfloat16):
                relations = model.relations_to(scores, torch.from_numpy(heads)).numpy()
            is_root = np.arange(len(model.labels)) == model.labels.index("root")
            labels = np.where(is_root == (heads[..., None] == 0), relations, -np.inf).argmax(-1)
            tags, coarse = scores.tags.argmax(-1).tolist(), scores.parts_of_speech.argmax(-1).tolist()
            for row, index in enumerate(indexes):
                length = len(sentences[index])
                chosen = heads[row, :length]
                parses[index] = Parse(
                    heads=[int(head) - 1 if head else word for word, head in enumerate(chosen)],
                    labels=[model.labels[label] for label in labels[row, :length]],
                    tags=[model.tags[tag] for tag in tags[row][:length]],
                    parts_of_speech=[model.parts_of_speech[part] for part in coarse[row][:length]],
                    confidence=float(np.exp(logs[row, np.arange(length), chosen]).mean()),
                )
    return [parse for parse in parses if parse is not None]


def accuracy(model: Teacher, sentences: Sequence[Sentence]) -> dict[str, float]:
    """Return tag accuracy, UAS and LAS, punctuation left out of the latter two."""
    counts = {"words": 0, "tag": 0, "all": 0, "uas": 0, "las": 0}
    for gold, guess in zip(sentences, parse(model, [sentence.words for sentence in sentences]), strict=True):
        for index, label in enumerate(gold.labels):
            counts["all"] += 1
            counts["tag"] += gold.tags[index] == guess.tags[index]
            if label == "punct":
                continue
            counts["words"] += 1
            counts["uas"] += gold.heads[index] == guess.heads[index]
            counts["las"] += gold.heads[index] == guess.heads[index] and label == guess.labels[index]
    return {
        "tag": counts["tag"] / counts["all"],
        "uas": counts["uas"] / counts["words"],
        "las": counts["las"] / counts["words"],
    }


def loss_of(model: Teacher, batch: Batch, sentences: Sequence[Sentence]) -> Tensor:
    """Return the summed cross-entropies of arcs, relations, tags and parts of speech."""
    scores = model(batch)
    heads, labels, fine, universal = (torch.full(batch.word_mask.shape, -100) for _ in range(4))
    for row, sentence in enumerate(sentences):
        length = len(sentence.words)
        heads[row, :length] = torch.tensor(
            [0 if head == index else head + 1 for index, head in enumerate(sentence.heads)]
        )
        labels[row, :length] = torch.tensor([model.labels.index(label) for label in sentence.labels])
        fine[row, :length] = torch.tensor([model.tags.index(tag) for tag in sentence.tags])
        universal[row, :length] = torch.tensor(
            [model.parts_of_speech.index(p) for p in sentence.parts_of_speech]
        )
    relations = model.relations_to(scores, heads.clamp(min=0))
    cross_entropy = nn.functional.cross_entropy
    return (
        cross_entropy(scores.arcs.transpose(1, 2), heads)
        + cross_entropy(relations.transpose(1, 2), labels)
        + 0.5 * cross_entropy(scores.tags.transpose(1, 2), fine)
        + 0.5 * cross_entropy(scores.parts_of_speech.transpose(1, 2), universal)
    )


def train(sentences: list[Sentence], dev: list[Sentence], folder: Path, *, epochs: int, seed: int) -> None:
    """Train a teacher and write it: weights, names of labels and the accuracy on dev."""
    torch.manual_seed(seed)
    generator = random.Random(seed)
    names = [
        sorted({name for sentence in sentences for name in getattr(sentence, column)})
        for column in ("labels", "tags", "parts_of_speech")
    ]
    model = Teacher(*names)
    encode = encoding()
    model.encoder.embeddings.word_embeddings.requires_grad_(False)
    encoder = [parameter for parameter in model.encoder.parameters() if parameter.requires_grad]
    rest = [parameter for name, parameter in model.named_parameters() if not name.startswith("encoder.")]
    optimizer = torch.optim.AdamW(
        [{"params": encoder, "lr": 2e-4}, {"params": rest, "lr": 2e-3}], betas=(0.9, 0.98)
    )
    lengths = [len(sentence.words) for sentence in sentences]
    steps = epochs * len(list(batches(lengths, 600, random.Random(0))))
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, [2e-4, 2e-3], total_steps=steps + epochs * 20, pct_start=0.1
    )
    started = time.monotonic()
    for epoch in range(epochs):
        model.train()
        total = 0.0
        for step, indexes in enumerate(batches(lengths, 600, generator)):
            chosen = [sentences[index] for index in indexes]
            with torch.autocast("cpu", torch.bfloat16):
                loss = loss_of(model, encode([s.words for s in chosen]), chosen)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 2.0)
            optimizer.step()
            schedule.step()
            total += loss.item()
            if step % 50 == 49:
                print(f"  {epoch} {step + 1} {total / 50:.3f} {time.monotonic() - started:.0f} s", flush=True)
                total = 0.0
        print(f"epoch {epoch} {accuracy(model, dev)} {time.monotonic() - started:.0f} s", flush=True)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "names.json").write_text(json.dumps(names), encoding="utf-8")
    torch.save(model.state_dict(), folder / "weights.pt")


def load(folder: Path) -> Teacher:
    """Return the teacher that ``train`` wrote."""
    model = Teacher(*json.loads((folder / "names.json").read_text(encoding="utf-8")))
    model.load_state_dict(torch.load(folder / "weights.pt", weights_only=True))
    return model


def main() -> None:
    """Train from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the treebank's folder")
    parser.add_argument("--folder", type=Path, required=True, help="where the teacher is written")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(1)
    train(
        [s for s in read_sentences(options.data / "train.conllu.gz") if len(s.words) <= 120],
        list(read_sentences(options.data / "dev.conllu.gz")),
        options.folder,
        epochs=options.epochs,
        seed=options.seed,
    )


if __name__ == "__main__":
    main()
