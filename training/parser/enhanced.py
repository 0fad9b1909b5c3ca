"""What conjuncts share: how often plain rules over the basic tree agree with the enhanced graph.

In the basic tree a subject, object or modifier of two conjuncts hangs on the first; the enhanced graph adds
an edge to the second where it holds for both. Readers of basic trees must guess; this says which guesses are
safe.

    python training/parser/enhanced.py --data ../shared/data [--parsed]
"""

from __future__ import annotations

import argparse
import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from treebank import TREEBANK, Sentence, read_sentences

SUBJECTS = {"nsubj", "csubj", "expl"}
NEVER_SHARED = {"conj", "cc", "punct", "root", "parataxis"}
FEWEST = 15


@dataclass(frozen=True)
class Candidate:
    """A dependant of a first conjunct, which a later conjunct may share.

    Attributes:
        relation: its relation to the first conjunct, subtype left out.
        place: ``before`` the first conjunct, ``between`` the two or ``after`` the later one.
        kind: ``clause`` if the later conjunct is a verb or has a copula, else ``phrase``.
        has_own: the later conjunct has a dependant of this relation itself.
        shared: the enhanced graph links it to the later conjunct by the same relation.
    """

    relation: str
    place: str
    kind: str
    has_own: bool
    shared: bool


def base(relation: str) -> str:
    """Return a relation without its subtype: ``nsubj:pass`` is ``nsubj``."""
    return relation.partition(":")[0]


def candidates(tree: Sentence, enhanced: Sequence[Sequence[tuple[int, str]]]) -> Iterator[Candidate]:
    """Yield what the conjuncts of a sentence may share."""
    children: dict[int, list[int]] = defaultdict(list)
    for index, head in enumerate(tree.heads):
        if head != index:
            children[head].append(index)
    for later, label in enumerate(tree.labels):
        if base(label) != "conj":
            continue
        first = tree.heads[later]
        own = {base(tree.labels[child]) for child in children[later]}
        is_clause = tree.parts_of_speech[later] in {"VERB", "AUX"} or "cop" in own
        for child in children[first]:
            relation = base(tree.labels[child])
            if child == later or relation in NEVER_SHARED:
                continue
            place = "before" if child < first else "after" if child > later else "between"
            group = SUBJECTS if relation in SUBJECTS else {relation}
            links = {base(name) for head, name in enhanced[child] if head == later}
            yield Candidate(
                relation, place, "clause" if is_clause else "phrase", bool(own & group), bool(links & group)
            )


def report(found: Sequence[Candidate]) -> str:
    """Return a Markdown table: by relation, place and kind, how many are shared."""
    counts: dict[tuple[str, str, str, bool], Counter[bool]] = defaultdict(Counter)
    for candidate in found:
        key = (candidate.relation, candidate.kind, candidate.place, candidate.has_own)
        counts[key][candidate.shared] += 1
    lines = [
        "| relation | later conjunct | place | has its own | seen | shared |",
        "|---|---|---|---|---|---|",
    ]
    for (relation, kind, place, has_own), count in sorted(counts.items()):
        if count.total() >= FEWEST:
            share = count[True] / count.total()
            own = "yes" if has_own else "no"
            lines.append(f"| {relation} | {kind} | {place} | {own} | {count.total()} | {share:.2f} |")
    return "\n".join(lines)


def agreement(found: Sequence[Candidate]) -> str:
    """Return precision and recall of the rules against all links of the enhanced graph."""
    rules = {
        "a clause without a subject of its own has that of the first": (
            lambda c: c.kind == "clause" and c.relation in SUBJECTS,
            lambda c: c.place == "before" and not c.has_own,
        ),
        "an object behind a later verb that has none is that of both": (
            lambda c: c.kind == "clause" and c.relation in {"obj", "iobj"},
            lambda c: c.place == "after" and not c.has_own,
        ),
        "a phrase or clause behind the later conjunct, hung on the first, modifies both": (
            lambda c: c.relation in {"obl", "nmod", "advcl", "acl"},
            lambda c: c.place == "after",
        ),
        "an adjective or compound before the first phrase modifies both": (
            lambda c: c.kind == "phrase" and c.relation in {"amod", "compound", "nummod", "nmod"},
            lambda c: c.place == "before" and not c.has_own,
        ),
        "a determiner before the first phrase belongs to both": (
            lambda c: c.kind == "phrase" and c.relation == "det",
            lambda c: c.place == "before" and not c.has_own,
        ),
        "an adverb before the first clause belongs to both": (
            lambda c: c.kind == "clause" and c.relation == "advmod",
            lambda c: c.place == "before" and not c.has_own,
        ),
    }
    lines = ["| rule | fires | right | of the links found |", "|---|---|---|---|"]
    for name, (concerns, fires) in rules.items():
        concerned = [candidate for candidate in found if concerns(candidate)]
        fired = [candidate for candidate in concerned if fires(candidate)]
        right = sum(candidate.shared for candidate in fired)
        links = sum(candidate.shared for candidate in concerned)
        precision, recall = right / max(1, len(fired)), right / max(1, links)
        lines.append(f"| {name} | {len(fired)} | {precision:.2f} | {recall:.2f} |")
    return "\n".join(lines)


def parsed(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return the sentences with the trees of the shipped parser."""
    from spacy.tokens import Doc

    from claimwise.text.parser import load_parser

    pipeline = load_parser()
    documents = pipeline.pipe(Doc(pipeline.vocab, words=s.words, spaces=s.spaces) for s in sentences)
    return [
        replace(
            sentence,
            heads=[token.head.i for token in document],
            labels=[token.dep_ for token in document],
            parts_of_speech=[token.pos_ for token in document],
        )
        for sentence, document in zip(sentences, documents, strict=True)
    ]


def main() -> None:
    """Print both tables for dev."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=os.environ.get("CLAIMWISE_DATA", "../shared/data"))
    parser.add_argument("--part", default="dev")
    parser.add_argument(
        "--parsed", action="store_true", help="the shipped parser's trees, not the treebank's"
    )
    options = parser.parse_args()
    gold = list(read_sentences(Path(options.data) / TREEBANK / f"{options.part}.conllu.gz"))
    trees = parsed(gold) if options.parsed else gold
    found = [
        c for tree, sentence in zip(trees, gold, strict=True) for c in candidates(tree, sentence.enhanced)
    ]
    print(agreement(found), report(found), sep="\n\n")


if __name__ == "__main__":
    main()
