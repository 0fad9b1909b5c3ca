"""The tree of a sentence, whose parts can be taken out, moved and joined again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple


class Parse(NamedTuple):
    """What a parser says of the tokens of one sentence; a root is its own head."""

    words: Sequence[str]
    spaces: Sequence[bool]
    tags: Sequence[str]
    parts_of_speech: Sequence[str]
    heads: Sequence[int]
    labels: Sequence[str]


class Node:
    """A word with its dependents in order; nobody changes a node, ``with_`` makes another.

    Attributes:
        word: as it is to be written.
        tag: Penn Treebank tag.
        pos: universal part of speech.
        label: universal dependency on the head.
        index: its place in the sentence; a word that was put in has none that another has (a fraction).
        glued: whether nothing stood between it and the word before it in the sentence.
        before: the word before it in the sentence, in small letters.
        after: the word after it.
        left: dependents before it.
        right: dependents after it.
        children: dependents in order.
    """

    __slots__ = (
        *("after", "before", "children", "glued", "index", "label", "left", "lower", "pos", "right", "tag"),
        *("_walked", "word"),
    )

    def __init__(
        self,
        word: str,
        tag: str,
        pos: str,
        label: str,
        index: float = -0.5,
        *,
        glued: bool = False,
        before: str = "",
        after: str = "",
        left: Iterable[Node] = (),
        right: Iterable[Node] = (),
    ) -> None:
        self.word, self.tag, self.pos, self.label, self.index = word, tag, pos, label, index
        self.lower = word.lower().replace("’", "'")
        self.glued, self.before, self.after = glued, before, after
        self.left, self.right = tuple(left), tuple(right)
        self.children = self.left + self.right
        self._walked: tuple[Node, ...] | None = None

    def __repr__(self) -> str:
        return f"<{self.label} {self}>"

    def __str__(self) -> str:
        return " ".join(node.word for node in self.walk())

    def with_(
        self,
        *,
        word: str | None = None,
        tag: str | None = None,
        pos: str | None = None,
        label: str | None = None,
        left: Iterable[Node] | None = None,
        right: Iterable[Node] | None = None,
    ) -> Node:
        """Return the node with other attributes or dependents."""
        return Node(
            self.word if word is None else word,
            tag or self.tag,
            pos or self.pos,
            label or self.label,
            self.index,
            glued=self.glued,
            before=self.before,
            after=self.after,
            left=self.left if left is None else left,
            right=self.right if right is None else right,
        )

    def without(self, *leave_out: Node) -> Node:
        """Return the node without some of its dependents."""
        gone = set(map(id, leave_out))
        return self.keep(lambda child: id(child) not in gone)

    def keep(self, wanted: Callable[[Node], bool]) -> Node:
        """Return the node with those dependents that are ``wanted``."""
        return self.with_(left=filter(wanted, self.left), right=filter(wanted, self.right))

    def swap(self, old: Node, *new: Node) -> Node:
        """Return the node with one dependent exchanged for others in the same place."""
        return self.with_(left=_exchanged(self.left, old, new), right=_exchanged(self.right, old, new))

    def first(self, *labels: str) -> Node | None:
        """Return the first dependent with one of the labels."""
        for child in self.children:
            if child.label in labels:
                return child
        return None

    def all(self, *labels: str) -> list[Node]:
        """Return the dependents with one of the labels."""
        return [child for child in self.children if child.label in labels]

    def walk(self) -> Iterator[Node]:
        """Yield the node and all below it, in the order of the words."""
        if self._walked is None:
            nodes: list[Node] = []
            for child in self.left:
                nodes.extend(child.walk())
            nodes.append(self)
            for child in self.right:
                nodes.extend(child.walk())
            self._walked = tuple(nodes)
        return iter(self._walked)

    def words(self) -> list[str]:
        """Return the words in small letters, punctuation left out."""
        return [node.lower for node in self.walk() if node.pos != "PUNCT"]


def _exchanged(children: tuple[Node, ...], old: Node, new: Sequence[Node]) -> Iterator[Node]:
    for child in children:
        if child is old:
            yield from new
        else:
            yield child


def trees(parse: Parse) -> list[Node]:
    """Return one tree per root of the parse, each with its words in the order of the sentence."""
    heads = _projective(list(parse.heads))
    lower = [word.lower() for word in parse.words]
    children: list[list[int]] = [[] for _ in heads]
    for index, head in enumerate(heads):
        if head != index:
            children[head].append(index)
    built: dict[int, Node] = {}
    roots = [index for index, head in enumerate(heads) if head == index]
    stack = [(root, False) for root in roots]
    while stack:
        index, ready = stack.pop()
        if not ready:
            stack.append((index, True))
            stack += [(child, False) for child in children[index]]
            continue
        built[index] = Node(
            parse.words[index],
            parse.tags[index],
            _part_of_speech(parse.tags[index], parse.parts_of_speech[index]),
            "root" if heads[index] == index else parse.labels[index],
            index,
            glued=index > 0 and not parse.spaces[index - 1],
            before=lower[index - 1] if index else "",
            after=lower[index + 1] if index + 1 < len(lower) else "",
            left=[built[child] for child in children[index] if child < index],
            right=[built[child] for child in children[index] if child > index],
        )
    return [built[root] for root in roots]


def _part_of_speech(tag: str, pos: str) -> str:
    """Return the part of speech, where the tag says a finite verb a verb."""
    return "VERB" if tag in ("VBZ", "VBP", "VBD") and pos in ("NOUN", "PROPN", "ADP") else pos


def _projective(heads: list[int]) -> list[int]:
    """Return the heads with those arcs lifted that cross others."""
    for _ in range(len(heads)):
        crossing = _crossing(heads)
        if crossing is None:
            return heads
        head = heads[crossing]
        heads[crossing] = crossing if heads[head] == head else heads[head]
    return heads


def _crossing(heads: Sequence[int]) -> int | None:
    """Return the dependent of the shortest arc that spans a word which does not belong to its head."""
    found = None
    for index, head in enumerate(heads):
        low, high = min(index, head), max(index, head)
        if found is not None and high - low >= found[1]:
            continue
        for between in range(low + 1, high):
            above, steps = between, 0
            while above not in (head, heads[above]) and steps <= len(heads):
                above, steps = heads[above], steps + 1
            if above != head:
                found = (index, high - low)
                break
    return None if found is None else found[0]
