"""OpinionNLI: claim clusters and scales written for claimwise, and the NLI pairs that follow from them.

A cluster is one opinion: paraphrases of it (``claims``), claims it entails (``weaker``), claims that cannot
be true with it (``contradictions``) and claims on the same aspect that are neither (``neutral``). In some
domains the claims are whole review sentences with several aspects ("rooms + staff").
A scale is one quality: verb phrases from one extreme to the other, their negations, and subjects they fit.
A checklist is several things about one subject that may each be so or not be so, independently.
The label of a pair follows from where its two claims stand, so nothing is annotated pair by pair.

They lie in four files of JSON lines: ``clusters``, ``scales``, ``checklists`` and ``truisms.jsonl``. The
order of the lines is that of the data set, and the pairs drawn depend on it: readers return a row per line.
"""

from __future__ import annotations

import itertools
import json
import random
import zlib
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from claimwise.data.folders import check_out, write_folder
from claimwise.errors import ClaimwiseError

IN_CLONE = Path(__file__).parents[3] / "datasets_scripts" / "opinion_nli"
CARD_MARKER = "<!-- claimwise dataset card: opinion_nli -->"
SPLITS = ("train", "validation", "test")
TEST_DOMAINS = frozenset({"cities", "films"})


@dataclass(frozen=True)
class Cluster:
    """One opinion and the claims around it."""

    domain: str
    aspect: str
    claims: tuple[str, ...]
    weaker: tuple[str, ...]
    contradictions: tuple[str, ...]
    neutral: tuple[str, ...]

    @property
    def aspects(self) -> frozenset[str]:
        """The single aspects: two of "rooms + staff", else one."""
        return frozenset(self.aspect.split(" + "))

    @property
    def split(self) -> str:
        """``train``, ``validation`` or ``test``."""
        return split_of(self.domain, self.aspect)


@dataclass(frozen=True)
class Scale:
    """One quality of some subjects: what can be said of it, from one extreme to the other.

    Any subject and any verb phrase make a claim ("The pool" + "is spotless"). The groups of ``subjects``
    are different things; inside a group are different words for the same thing.
    """

    domain: str
    aspect: str
    subjects: tuple[tuple[str, ...], ...]
    strong: tuple[str, ...]
    plain: tuple[str, ...]
    not_plain: tuple[str, ...]
    opposite: tuple[str, ...]
    strong_opposite: tuple[str, ...]
    not_opposite: tuple[str, ...]
    neither: tuple[str, ...]

    @property
    def aspects(self) -> frozenset[str]:
        """The single aspect, as a set."""
        return frozenset({self.aspect})

    @property
    def split(self) -> str:
        """``train``, ``validation`` or ``test``."""
        return split_of(self.domain, self.aspect)

    @property
    def verb_phrases(self) -> tuple[str, ...]:
        """Everything that can be said of the quality."""
        return (
            *(self.strong + self.plain + self.not_plain),
            *(self.opposite + self.strong_opposite + self.not_opposite),
        )


@dataclass(frozen=True)
class Item:
    """One point of a checklist, or a whole sentence about several of its points ("pool + gym").

    The claims say the same; each denial denies all of it.
    """

    aspect: str
    claims: tuple[str, ...]
    denials: tuple[str, ...]

    @property
    def aspects(self) -> frozenset[str]:
        """The points: two of "pool + gym", else one."""
        return frozenset(self.aspect.split(" + "))


@dataclass(frozen=True)
class Checklist:
    """Points about one subject, none of which bears on another."""

    domain: str
    items: tuple[Item, ...]

    @property
    def split(self) -> str:
        """``train``, ``validation`` or ``test``: by the checklist, whatever its domain and its aspects."""
        return split_of(self.domain, " / ".join(item.aspect for item in self.items))


Source = TypeVar("Source", Cluster, Scale)
Row = TypeVar("Row")

# Which verb phrases of a scale entail which (a degree entails itself: its phrases are paraphrases) …
SCALE_ENTAILS = {
    "strong": ("strong", "plain", "not_opposite"),
    "plain": ("plain", "not_opposite"),
    "not_plain": ("not_plain",),
    "opposite": ("opposite", "not_plain"),
    "strong_opposite": ("strong_opposite", "opposite", "not_plain"),
    "not_opposite": ("not_opposite",),
}
# … and which cannot both be true.
SCALE_CONTRADICTS = {
    "strong": ("not_plain", "opposite", "strong_opposite"),
    "plain": ("not_plain", "opposite", "strong_opposite"),
    "not_opposite": ("opposite", "strong_opposite"),
}

# The keys of a line of each file: a text, or a list (never empty) of what stands in it. Clusters and scales
# are sorted by collection (of one domain, or of one kind across domains), checklists and truisms by domain.
_PLACE = {"collection": str, "domain": str, "aspect": str}
SHAPES: dict[str, dict[str, Any]] = {
    "clusters": _PLACE | {key: [str] for key in ("claims", "weaker", "contradictions", "neutral")},
    "scales": _PLACE | {"subjects": [[str]]} | {key: [str] for key in (*SCALE_ENTAILS, "neither")},
    "checklists": {"domain": str, "items": [{"aspect": str, "claims": [str], "denials": [str]}]},
    "truisms": {"domain": str, "claim": str},
}


@dataclass(frozen=True, slots=True)
class Pair:
    """A premise, a hypothesis and the label that follows from the clusters they come from."""

    premise: str
    hypothesis: str
    label: str
    domain: str


def split_of(domain: str, aspect: str) -> str:
    """Tell ``train``, ``validation`` or ``test``: two domains and one aspect in twelve are for testing.

    "rooms + staff" counts as an aspect of its own: it may be in another split than "rooms + pool".
    """
    bucket = zlib.crc32(f"{domain}/{aspect}".encode()) % 12
    if domain in TEST_DOMAINS or bucket == 0:
        return "test"
    return "validation" if bucket == 1 else "train"


def read_clusters(folder: Path) -> list[Cluster]:
    """Return the cluster of each line of ``clusters.jsonl`` in ``folder``.

    Raises:
        ClaimwiseError: as every reader here, if the file cannot be read, or a line is not as ``SHAPES`` says.
    """

    def cluster(row: dict[str, Any]) -> Cluster:
        texts = {key: tuple(row[key]) for key in ("claims", "weaker", "contradictions", "neutral")}
        return Cluster(domain=row["domain"], aspect=row["aspect"], **texts)

    return _parsed(folder, "clusters", cluster)


def read_scales(folder: Path) -> list[Scale]:
    """Return the scale of each line of ``scales.jsonl`` in ``folder``."""

    def scale(row: dict[str, Any]) -> Scale:
        subjects = tuple(tuple(group) for group in row["subjects"])
        phrases = {degree: tuple(row[degree]) for degree in (*SCALE_ENTAILS, "neither")}
        return Scale(domain=row["domain"], aspect=row["aspect"], subjects=subjects, **phrases)

    return _parsed(folder, "scales", scale)


def read_checklists(folder: Path) -> list[Checklist]:
    """Return the checklist of each line of ``checklists.jsonl`` in ``folder``."""

    def checklist(row: dict[str, Any]) -> Checklist:
        items = (Item(item["aspect"], tuple(item["claims"]), tuple(item["denials"])) for item in row["items"])
        return Checklist(row["domain"], tuple(items))

    return _parsed(folder, "checklists", checklist)


def read_truisms(folder: Path) -> dict[str, list[str]]:
    """Return per domain the claims that are true of anything in it and so say nothing (``truisms.jsonl``)."""
    truisms: dict[str, list[str]] = {}
    for domain, claim in _parsed(folder, "truisms", lambda row: (row["domain"], row["claim"])):
        truisms.setdefault(domain, []).append(claim)
    return truisms


def _parsed(folder: Path, name: str, parse: Callable[[dict[str, Any]], Row]) -> list[Row]:
    """Return what ``parse`` makes of each line of ``NAME.jsonl``; errors name the file and the line."""
    path = folder / f"{name}.jsonl"
    rows = []
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, ValueError) as error:
        remedy = "Get the file of the repository again."
        raise ClaimwiseError(f"cannot be read ({error}).", remedy, path=path) from error
    if not lines[-1]:
        lines.pop()  # what follows the last line's end
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line)
            _check(row, SHAPES[name])
        except ClaimwiseError as error:
            raise error.at(path=str(path), line=number) from None
        except (ValueError, RecursionError) as error:
            problem, remedy = f"is not valid JSON ({error}).", "Write one JSON object a line."
            raise ClaimwiseError(problem, remedy, path=path, line=number) from error
        rows.append(parse(row))
    return rows


def _check(value: object, shape: Any, column: str | None = None) -> None:
    """Refuse a ``value`` that is not of a ``shape`` as in ``SHAPES``.

    Raises:
        ClaimwiseError: with ``column``, such as ``"items[2].claims[0]"``.
    """
    if isinstance(shape, dict):
        if not isinstance(value, dict) or value.keys() != shape.keys():
            found = ", ".join(value) if isinstance(value, dict) else type(value).__name__
            raise ClaimwiseError(
                f"expected an object with {', '.join(shape)}, got {found or 'an empty one'}.",
                "Give each of these keys, and no other.",
                column=column,
            )
        for key, inner in shape.items():
            _check(value[key], inner, f"{column}.{key}" if column else key)
    elif isinstance(shape, list):
        if not isinstance(value, list) or not value:
            raise ClaimwiseError(
                f"expected a list that is not empty, got {value!r}.", "Give one or more.", column=column
            )
        for place, inner in enumerate(value):
            _check(inner, shape[0], f"{column}[{place}]")
    elif not isinstance(value, str) or not value or value != value.strip():
        raise ClaimwiseError(
            f"expected a text without blanks around it, got {value!r}.", "Correct the text.", column=column
        )


def build(out: Path, folder: Path | None = None) -> None:
    """Write the data set into ``out``: ``data/NAME/SPLIT.parquet`` of clusters, scales, checklists and pairs.

    Args:
        out: the folder to write; files in it that are not the data set's own are left alone.
        folder: where the claims and the card are (default: ``datasets_scripts/opinion_nli`` of a clone).

    Raises:
        ClaimwiseError: if ``folder`` holds no claims or wrong ones, or ``out`` cannot be written.
    """
    out = Path(out).expanduser().absolute()
    folder = folder or IN_CLONE
    check_out(out, CARD_MARKER)
    clusters = read_clusters(folder) if (folder / "clusters.jsonl").exists() else []
    if not clusters:
        raise ClaimwiseError(
            "holds no claim clusters.",
            "OpinionNLI is built in a clone of the repository; give its folder datasets_scripts/opinion_nli.",
            path=folder,
        )
    scales, checklists, truisms = read_scales(folder), read_checklists(folder), read_truisms(folder)
    for line, cluster in enumerate(clusters, 1):
        if cluster.domain not in truisms:
            raise ClaimwiseError(
                f"{cluster.domain!r} has no truisms.",
                "Write some of this domain into truisms.jsonl.",
                path=folder / "clusters.jsonl",
                column="domain",
                line=line,
            )
    tables: dict[str, list[dict[str, Any]]] = {}
    for split in SPLITS:
        tables[f"clusters/{split}"] = [asdict(c) for c in clusters if c.split == split]
        tables[f"scales/{split}"] = [asdict(s) for s in scales if s.split == split]
        tables[f"checklists/{split}"] = [asdict(c) for c in checklists if c.split == split]
        pairs = balanced_pairs(clusters, scales, checklists, truisms, split)
        tables[f"pairs/{split}"] = [asdict(pair) for pair in pairs]
    write_folder(
        out, {name: rows for name, rows in tables.items() if rows}, (folder / "README.md").read_bytes()
    )


def balanced_pairs(
    clusters: list[Cluster],
    scales: list[Scale],
    checklists: list[Checklist],
    truisms: dict[str, list[str]],
    split: str,
    seed: int = 13,
) -> list[Pair]:
    """Return the distinct pairs of one split in random order, as many of each label.

    A pair of texts that got two labels (two clusters saying the same) is left out.
    """
    expanded = [
        *expand([cluster for cluster in clusters if cluster.split == split], truisms, seed),
        *expand_scales([scale for scale in scales if scale.split == split], seed),
        *expand_checklists([checklist for checklist in checklists if checklist.split == split], seed),
    ]
    found: dict[tuple[str, str], dict[str, Pair]] = {}
    for pair in expanded:
        found.setdefault((pair.premise, pair.hypothesis), {}).setdefault(pair.label, pair)
    by_label: dict[str, list[Pair]] = {}
    for of_label in found.values():
        if len(of_label) == 1:
            for label, pair in of_label.items():
                by_label.setdefault(label, []).append(pair)
    generator = random.Random(seed)
    fewest = min(len(pairs) for pairs in by_label.values())
    kept = [pair for pairs in by_label.values() for pair in generator.sample(pairs, fewest)]
    generator.shuffle(kept)
    return kept


def join_claims(claims: list[str], generator: random.Random) -> str:
    """Join claims as people join them: one sentence with a conjunction, or sentences in a row."""
    connective = generator.choice([", and ", " and ", ", but ", "; ", ", while ", ". ", ". Also, "])
    joined = claims[0]
    for claim in claims[1:]:
        first, *rest = claim.split(" ")
        keeps_case = connective == ". " or first == "I" or first.startswith("I'") or first.isupper()
        start = first if keeps_case else first[0].lower() + first[1:]
        joined = joined.rstrip(".") + connective + " ".join([start, *rest])
    return joined


def by_aspect(one: Source, all_of_them: list[Source]) -> dict[str, list[Source]]:
    """Group those on other aspects than ``one`` by aspect: of its domain, or of any where its has too few.

    Sentences on several aspects stay among those of their domain, whose aspects are named alike.
    """
    elsewhere: dict[str, list[Source]] = {}
    for same_domain in (True, False):
        for other in all_of_them:
            near = other.domain == one.domain if same_domain else len(other.aspects) == 1
            if near and one.aspects.isdisjoint(other.aspects):
                elsewhere.setdefault(other.aspect, []).append(other)
        if len(one.aspects) > 1 or len(elsewhere) >= 3:
            break
    return elsewhere


def draw_unrelated(elsewhere: dict[str, list[Source]], count: int, generator: random.Random) -> list[Source]:
    """Draw from at most ``count`` groups, no two of which have an aspect in common."""
    drawn: list[Source] = []
    for group in generator.sample(list(elsewhere.values()), len(elsewhere)):
        if all(group[0].aspects.isdisjoint(other.aspects) for other in drawn):
            drawn.append(generator.choice(group))
        if len(drawn) == count:
            break
    return drawn


def either_way(generator: random.Random, left: str, right: str) -> tuple[str, str]:
    """Return the two texts of a relation that holds both ways, in either order."""
    return (left, right) if generator.random() < 0.5 else (right, left)


def expand(clusters: list[Cluster], truisms: dict[str, list[str]], seed: int) -> Iterator[Pair]:
    """Yield labelled pairs: about twenty of each label per cluster.

    Claims of two clusters are paired (neutral) only across aspects, and inside a domain unless that has too
    few of them; clusters that share an aspect may well bear on each other, so nothing is claimed about them.
    A sentence on several aspects gets fewer pairs where its domain has few others without an aspect of it.
    """
    generator = random.Random(seed)
    for cluster in clusters:
        pair = partial(Pair, domain=cluster.domain)
        elsewhere = by_aspect(cluster, clusters)

        def unrelated(count: int, elsewhere: dict[str, list[Cluster]] = elsewhere) -> list[str]:
            """Draw claims on ``count`` different other aspects, or on as many as there are."""
            drawn = draw_unrelated(elsewhere, count, generator)
            return [generator.choice([*c.claims, *c.weaker, *c.contradictions]) for c in drawn]

        for premise, hypothesis in itertools.permutations(cluster.claims, 2):
            yield pair(premise, hypothesis, "entailment")
        for premise, hypothesis in itertools.product(cluster.claims, cluster.weaker):
            if generator.random() < 0.7:
                yield pair(premise, hypothesis, "entailment")
            if generator.random() < 0.4:
                yield pair(hypothesis, premise, "neutral")
        for left, right in itertools.product(cluster.claims, cluster.contradictions):
            yield pair(*either_way(generator, left, right), "contradiction")
            if generator.random() < 0.8:
                yield pair(*either_way(generator, left, right), "contradiction")
        for left, right in itertools.product(cluster.claims, cluster.neutral):
            if generator.random() < 0.6:
                yield pair(*either_way(generator, left, right), "neutral")
        for claim in generator.sample([*cluster.claims, *cluster.contradictions], 7):
            for other in unrelated(2):
                yield pair(*either_way(generator, claim, other), "neutral")
        yield pair(
            generator.choice(cluster.claims),
            generator.choice(truisms[cluster.domain]),
            "neutral",
        )

        for _ in range(3):
            claim, paraphrase = generator.sample(cluster.claims, 2)
            contradiction = generator.choice(cluster.contradictions)
            others = unrelated(generator.choice([2, 2, 3]))
            if len(others) < 2:
                break
            stranger, *rest = others
            compound = join_claims(generator.sample([claim, *rest], len(rest) + 1), generator)
            yield pair(compound, generator.choice([paraphrase, *cluster.weaker]), "entailment")
            yield pair(compound, generator.choice([claim, *rest]), "entailment")
            yield pair(*either_way(generator, compound, contradiction), "contradiction")
            yield pair(paraphrase, compound, "neutral")
            yield pair(compound, stranger, "neutral")
            rephrased = join_claims(generator.sample([paraphrase, *rest], len(rest) + 1), generator)
            opposed = join_claims(generator.sample([contradiction, *rest], len(rest) + 1), generator)
            yield pair(compound, rephrased, "entailment")
            yield pair(*either_way(generator, compound, opposed), "contradiction")


def expand_scales(scales: list[Scale], seed: int) -> Iterator[Pair]:
    """Yield labelled pairs: about 25 of each label per scale, a third of them about compounds."""
    generator = random.Random(seed)
    for scale in scales:
        pair = partial(Pair, domain=scale.domain)
        elsewhere = by_aspect(scale, scales)

        def unrelated(count: int, elsewhere: dict[str, list[Scale]] = elsewhere) -> list[str]:
            """Draw claims on ``count`` different other aspects."""
            return [
                f"{generator.choice(generator.choice(s.subjects))} {generator.choice(s.verb_phrases)}."
                for s in draw_unrelated(elsewhere, count, generator)
            ]

        def claims(left: str, right: str, scale: Scale = scale) -> tuple[str, str]:
            """Say both verb phrases of one thing, in the same or in other words for it."""
            group = generator.choice(scale.subjects)
            return f"{generator.choice(group)} {left}.", f"{generator.choice(group)} {right}."

        def phrases(relation: dict[str, tuple[str, ...]], scale: Scale = scale) -> tuple[str, str]:
            degree = generator.choice(list(relation))
            left = generator.choice(getattr(scale, degree))
            rights = getattr(scale, generator.choice(relation[degree]))
            return left, generator.choice([phrase for phrase in rights if phrase != left])

        for _ in range(16):
            yield pair(*claims(*phrases(SCALE_ENTAILS)), "entailment")
            yield pair(*either_way(generator, *claims(*phrases(SCALE_CONTRADICTS))), "contradiction")
        for _ in range(4):
            something = generator.choice(scale.verb_phrases)
            yield pair(*either_way(generator, *claims(something, generator.choice(scale.neither))), "neutral")
            here, there = generator.sample(scale.subjects, 2)
            left = f"{generator.choice(here)} {something}."
            right = f"{generator.choice(there)} {generator.choice(scale.verb_phrases)}."
            yield pair(left, right, "neutral")
            yield pair(*either_way(generator, left, *unrelated(1)), "neutral")

        for _ in range(4):
            left, right = claims(*phrases(SCALE_ENTAILS))
            other, stranger = unrelated(2)
            compound = join_claims(generator.sample([left, other], 2), generator)
            yield pair(compound, right, "entailment")
            rephrased = join_claims(generator.sample([right, other], 2), generator)
            yield pair(compound, rephrased, "entailment")
            yield pair(compound, stranger, "neutral")
            yield pair(right, compound, "neutral")
            left, right = claims(*phrases(SCALE_CONTRADICTS))
            compound = join_claims(generator.sample([left, other], 2), generator)
            yield pair(*either_way(generator, compound, right), "contradiction")
            opposed = join_claims(generator.sample([right, other], 2), generator)
            yield pair(*either_way(generator, compound, opposed), "contradiction")


def expand_checklists(checklists: list[Checklist], seed: int) -> Iterator[Pair]:
    """Yield labelled pairs: per item about six entailments, six contradictions and nine neutral ones.

    Half of the neutral pairs set the first claim of one item against the first denial of another: the two
    tend to share their words but for the one that matters ("The hotel has a pool", "It has no gym").
    """
    generator = random.Random(seed)
    for checklist in checklists:
        pair = partial(Pair, domain=checklist.domain)
        points = [item for item in checklist.items if len(item.aspects) == 1]
        for item in checklist.items:
            apart = [other for other in points if item.aspects.isdisjoint(other.aspects)]
            for texts in (item.claims, item.denials):
                for premise, hypothesis in itertools.permutations(texts, 2):
                    yield pair(premise, hypothesis, "entailment")
            for claim, denial in itertools.product(item.claims, item.denials):
                yield pair(*either_way(generator, claim, denial), "contradiction")
            for other in generator.sample(apart, min(4, len(apart))):
                yield pair(*either_way(generator, item.claims[0], other.denials[0]), "neutral")
                texts = generator.choice([other.claims, other.denials])
                mine = generator.choice([*item.claims, *item.denials])
                yield pair(*either_way(generator, mine, generator.choice(texts)), "neutral")

        for item in checklist.items:
            for part in points:
                if part.aspects < item.aspects:
                    sentence, denied = generator.choice(item.claims), generator.choice(item.denials)
                    claim, denial = generator.choice(part.claims), generator.choice(part.denials)
                    yield pair(sentence, claim, "entailment")
                    yield pair(denied, denial, "entailment")
                    yield pair(claim, sentence, "neutral")
                    yield pair(*either_way(generator, sentence, denial), "contradiction")
                    yield pair(*either_way(generator, denied, claim), "contradiction")

        for first, second, third in zip(points, points[1:], points[2:], strict=False):
            kept, denied = generator.choice(first.claims), generator.choice(second.denials)
            compound = join_claims(generator.sample([kept, denied], 2), generator)
            yield pair(compound, generator.choice([*first.claims, *second.denials]), "entailment")
            yield pair(*either_way(generator, compound, generator.choice(first.denials)), "contradiction")
            yield pair(*either_way(generator, compound, generator.choice(second.claims)), "contradiction")
            yield pair(compound, generator.choice([*third.claims, *third.denials]), "neutral")
