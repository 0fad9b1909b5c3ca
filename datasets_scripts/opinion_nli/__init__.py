"""OpinionNLI: claim clusters and scales written for claimwise, and the NLI pairs that follow from them.

A cluster is one opinion: paraphrases of it (``claims``), claims it entails (``weaker``), claims that cannot
be true with it (``contradictions``) and claims on the same aspect that are neither (``neutral``). In some
domains the claims are whole review sentences with several aspects ("rooms + staff").
A scale is one quality: verb phrases from one extreme to the other, their negations, and subjects they fit.
A checklist is several things about one subject that may each be so or not be so, independently.
The label of a pair follows from where its two claims stand, so nothing is annotated pair by pair.

They lie in four files of JSON lines: ``clusters``, ``scales``, ``checklists`` and ``truisms.jsonl``. The
order of the lines is that of the data set, and the pairs drawn (``opinion_nli.pairs``) depend on it: readers
return a row per line. The pairs of ``opinion_nli.changes``, in the folder ``phenomena``, are labelled one by
one.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from written import SPLITS

from claimwise.errors import ClaimwiseError

if TYPE_CHECKING:
    from opinion_nli.changes import Change

FOLDER = Path(__file__).parent
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


def split_of(domain: str, aspect: str) -> str:
    """Tell ``train``, ``validation`` or ``test``: two domains and one aspect in twelve are for testing.

    "rooms + staff" counts as an aspect of its own: it may be in another split than "rooms + pool".
    """
    bucket = zlib.crc32(f"{domain}/{aspect}".encode()) % 12
    if domain in TEST_DOMAINS or bucket == 0:
        return "test"
    return "validation" if bucket == 1 else "train"


def read_clusters(folder: Path = FOLDER) -> list[Cluster]:
    """Return the cluster of each line of ``clusters.jsonl`` in ``folder``.

    Raises:
        ClaimwiseError: as every reader here, if the file cannot be read, or a line is not as ``SHAPES`` says.
    """

    def cluster(row: dict[str, Any]) -> Cluster:
        texts = {key: tuple(row[key]) for key in ("claims", "weaker", "contradictions", "neutral")}
        return Cluster(domain=row["domain"], aspect=row["aspect"], **texts)

    return _parsed(folder, "clusters", cluster)


def read_scales(folder: Path = FOLDER) -> list[Scale]:
    """Return the scale of each line of ``scales.jsonl`` in ``folder``."""

    def scale(row: dict[str, Any]) -> Scale:
        subjects = tuple(tuple(group) for group in row["subjects"])
        phrases = {degree: tuple(row[degree]) for degree in (*SCALE_ENTAILS, "neither")}
        return Scale(domain=row["domain"], aspect=row["aspect"], subjects=subjects, **phrases)

    return _parsed(folder, "scales", scale)


def read_checklists(folder: Path = FOLDER) -> list[Checklist]:
    """Return the checklist of each line of ``checklists.jsonl`` in ``folder``."""

    def checklist(row: dict[str, Any]) -> Checklist:
        items = (Item(item["aspect"], tuple(item["claims"]), tuple(item["denials"])) for item in row["items"])
        return Checklist(row["domain"], tuple(items))

    return _parsed(folder, "checklists", checklist)


def read_truisms(folder: Path = FOLDER) -> dict[str, list[str]]:
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
            check_shape(row, SHAPES[name])
        except ClaimwiseError as error:
            raise error.at(path=str(path), line=number) from None
        except (ValueError, RecursionError) as error:
            problem, remedy = f"is not valid JSON ({error}).", "Write one JSON object a line."
            raise ClaimwiseError(problem, remedy, path=path, line=number) from error
        rows.append(parse(row))
    return rows


def check_shape(value: object, shape: Any, column: str | None = None) -> None:
    """Refuse a ``value`` that is not of a ``shape`` as in ``SHAPES``.

    Raises:
        ClaimwiseError: with ``column``, such as ``"items[2].claims[0]"``.
    """
    if isinstance(shape, dict):
        if not isinstance(value, dict) or value.keys() != shape.keys():
            found = ", ".join(value) if isinstance(value, dict) else type(value).__name__
            raise ClaimwiseError(
                f"expected an object with {', '.join(shape)}, got {found or 'an empty one'}.",
                "Use exactly these keys.",
                column=column,
            )
        for key, inner in shape.items():
            check_shape(value[key], inner, f"{column}.{key}" if column else key)
    elif isinstance(shape, list):
        if not isinstance(value, list) or not value:
            raise ClaimwiseError(
                f"expected a list that is not empty, got {value!r}.",
                "Provide at least one item.",
                column=column,
            )
        for place, inner in enumerate(value):
            check_shape(inner, shape[0], f"{column}[{place}]")
    elif not isinstance(value, str) or not value or value != value.strip():
        raise ClaimwiseError(
            f"expected a text without blanks around it, got {value!r}.", "Correct the text.", column=column
        )


def checked(folder: Path) -> Iterator[tuple[list[Change], list[ClaimwiseError]]]:
    """Yield the rows of ``phenomena`` with the rules that they break; the readers check the other files."""
    from opinion_nli import changes

    yield changes.checked(folder)


def tables(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return clusters, scales, checklists, pairs and phenomena by name and split, such as ``pairs/train``.

    Raises:
        ClaimwiseError: if ``folder`` holds no claims or wrong ones.
    """
    from opinion_nli import changes
    from opinion_nli.pairs import balanced_pairs

    clusters, scales = read_clusters(folder), read_scales(folder)
    checklists, truisms = read_checklists(folder), read_truisms(folder)
    for line, cluster in enumerate(clusters, 1):
        if cluster.domain not in truisms:
            raise ClaimwiseError(
                f"{cluster.domain!r} has no truisms.",
                "Write some of this domain into truisms.jsonl.",
                path=folder / "clusters.jsonl",
                column="domain",
                line=line,
            )
    found = changes.tables(folder)
    for split in SPLITS:
        sources = {"clusters": clusters, "scales": scales, "checklists": checklists}
        for name, rows in sources.items():
            found[f"{name}/{split}"] = [asdict(row) for row in rows if row.split == split]
        pairs = balanced_pairs(clusters, scales, checklists, truisms, split)
        found[f"pairs/{split}"] = [asdict(pair) for pair in pairs]
    return {name: rows for name, rows in found.items() if rows}
