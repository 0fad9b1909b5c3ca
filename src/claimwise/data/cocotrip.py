"""CoCoTrip and CASPR's synthetic summaries: the five sets of pairs of the CASPR paper (Table 3).

Two source files of 48 hotel pairs each are joined on the ids of the hotels:

    anno.json                      megagonlabs/cocosum      three annotators' summaries (Apache-2.0)
    caspr_synthetic_dataset.json   niru-umass-dev/caspr     paraphrases, negations      (GPL-3.0)

``build`` writes them as Parquet for ``datasets``; ``pairs`` and ``records`` only read them. All
three accept only the exact files that reproduce the published numbers (SHA-256).
"""

from __future__ import annotations

import hashlib
import http.client
import importlib.resources
import json
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from claimwise.data.folders import check_output, write_folder
from claimwise.errors import ClaimwiseError

TIMEOUT_SECONDS = 10.0
"""Time-out of a download without any data."""

CARD_MARKER = "<!-- claimwise dataset card: cocotrip -->"
"""The line that identifies a README.md as this data set's card."""


@dataclass(frozen=True)
class SourceFile:
    """A file of the authors: its name, its checksum, and its possible locations.

    ``locations`` are tried in order, relative to the base address of the origin.
    """

    name: str
    sha256: str
    locations: tuple[str, ...]


@dataclass(frozen=True)
class Origin:
    """The two source files and their server."""

    base_url: str
    annotations: SourceFile
    synthetic: SourceFile


# The checksums are those of the files that reproduce the paper's numbers, read at the abbreviated
# commits a415f3e (cocosum) and a39cbd8 (caspr); nothing else was recorded. The path inside caspr is
# the one to which its authors' script writes the file, or else the top folder. The addresses with a
# full commit are from a public index of GitHub, which saw files of the same name and length there;
# 696ds_project1 is the project in which CASPR's authors made theirs. None of the addresses was tried
# with a network: whatever the server returns, the checksum decides.
PUBLISHED = Origin(
    base_url="https://raw.githubusercontent.com",
    annotations=SourceFile(
        name="anno.json",
        sha256="bd03bbd2026d21ca9158c1443a921eca4938526039f02b797ab26670762c530f",
        locations=(
            "megagonlabs/cocosum/2a941323f07eb6152f6057710af47296990e70ef/data/anno.json",
            "megagonlabs/cocosum/a415f3e/data/anno.json",
        ),
    ),
    synthetic=SourceFile(
        name="caspr_synthetic_dataset.json",
        sha256="1161172c35cb79d0c9001348f09526a69c45f75f64432866d74ab4dd51e98de8",
        locations=(
            "niru-umass-dev/caspr/a39cbd8/data/caspr_synthetic_dataset.json",
            "niru-umass-dev/caspr/a39cbd8/caspr_synthetic_dataset.json",
            "niru-umass-dev/696ds_project1/0a39e3d6964eece1075dec78715867b84ed178f2"
            "/data/caspr_synthetic_dataset.json",
        ),
    ),
)


Record = dict[str, Any]
"""The record of one pair of hotels in both files: ``FIELDS``, named as in the files."""

Row = dict[str, str]
"""One pair of summaries to be scored: ``IDS``, ``summary_a`` and ``summary_b``."""

IDS = ("entity_a", "entity_b", "split_of_origin")
FIELDS = (
    *(*IDS, "entity_a_summary", "entity_b_summary", "common_summary", "entity_a_uid", "entity_b_uid"),
    *("syn_low_contrast", "syn_high_contrast", "paraphrase_a", "paraphrase_b"),
)
"""Texts; summaries and ids of annotators are lists with one entry for each of three annotators."""


TextOf = Callable[[Record], str]
FIRST_OF_A: TextOf = lambda record: record["entity_a_summary"][0]  # noqa: E731

PAIR_CONFIGS: dict[str, tuple[TextOf, TextOf]] = {
    "reference_contrastive": (FIRST_OF_A, lambda record: record["entity_b_summary"][0]),
    "reference_similar": (FIRST_OF_A, lambda record: record["entity_a_summary"][1]),
    "synthetic_low_contrast": (FIRST_OF_A, lambda record: record["syn_low_contrast"]),
    "synthetic_high_contrast": (FIRST_OF_A, lambda record: record["syn_high_contrast"]),
    "synthetic_contrast": (lambda record: record["paraphrase_a"], lambda record: record["paraphrase_b"]),
}
"""CASPR paper, Appendix B, Table 3: the two texts of a record that a configuration compares."""

RECORDS_CONFIG = "cocotrip"
"""The configuration that holds the full records."""


def build(output: Path, source: Path | None = None, *, origin: Origin = PUBLISHED) -> None:
    """Write the data set into the folder ``output``: ``README.md`` and ``data/<config>.parquet``.

    Nothing is written before both source files have been read, checked and joined. In an existing folder,
    files of other origin are kept.

    Args:
        output: the folder to write; created if it does not exist.
        source: as for ``records``.
        origin: as for ``records``.

    Raises:
        ClaimwiseError: as ``records``, and if ``output`` cannot be written or contains a README.md that is
            not this data set's card.
    """
    output = Path(output).expanduser().absolute()
    check_output(output, CARD_MARKER)
    card = card_path().read_bytes()
    joined = records(source, origin=origin)
    tables: dict[str, Sequence[Mapping[str, Any]]] = {config: rows(joined, config) for config in PAIR_CONFIGS}
    write_folder(output, tables | {RECORDS_CONFIG: joined}, card)


def pairs(source: Path | None, config: str, *, origin: Origin = PUBLISHED) -> list[Row]:
    """Return the pairs of one configuration straight from the source files; writes nothing.

    Args:
        source: as for ``records``.
        config: a key of ``PAIR_CONFIGS``.
        origin: as for ``records``.

    Raises:
        ClaimwiseError: as ``records``, and for an unknown configuration.
    """
    if config not in PAIR_CONFIGS:
        raise ClaimwiseError(
            f"{config!r} is not a configuration of CoCoTrip pairs.",
            f"Choose one of: {', '.join(PAIR_CONFIGS)}.",
        )
    return rows(records(source, origin=origin), config)


def records(source: Path | None, *, origin: Origin = PUBLISHED) -> list[Record]:
    """Return the full records of all pairs straight from the source files; writes nothing.

    Args:
        source: a folder with the two source files, directly or in a subfolder ``cocotrip``; ``None``
            downloads them.
        origin: the expected files and their server.

    Raises:
        ClaimwiseError: if a source file is unavailable or not the expected one.
    """
    annotations, synthetic = (
        _download(file, origin) if source is None else _read_local(file, Path(source).expanduser(), origin)
        for file in (origin.annotations, origin.synthetic)
    )
    return _join(json.loads(annotations), json.loads(synthetic))


def card_path() -> Traversable:
    """Return the path of the dataset card."""
    return importlib.resources.files("claimwise.data.cards") / "README.md"


def find(source: Path, name: str) -> Path | None:
    """Return the path of a file in the folder ``source`` or its subfolder ``cocotrip``."""
    return next((path for path in (source / name, source / "cocotrip" / name) if path.is_file()), None)


def _read_local(file: SourceFile, source: Path, origin: Origin) -> bytes:
    """Return the verified content of ``file`` in the folder ``source`` or its subfolder."""
    if (path := find(source, file.name)) is None:
        raise ClaimwiseError(
            f"The source folder {source} does not exist, or contains neither {file.name} nor "
            f"cocotrip/{file.name}. {_how_to_get_by_hand(origin)}"
        )
    try:
        content = path.read_bytes()
    except OSError as error:
        problem = f"Cannot read {file.name} in {source}: {error}."
        raise ClaimwiseError(problem, "Check the permissions.") from error
    if wrong := _wrong_with(content, file):
        raise ClaimwiseError(f"{source}: {file.name} {wrong}. {_how_to_get_by_hand(origin)}")
    return content


def _download(file: SourceFile, origin: Origin) -> bytes:
    """Return the verified content of ``file`` from the first location that has it."""
    failures: list[str] = []
    for location in file.locations:
        url = f"{origin.base_url}/{location}"
        try:
            with urllib.request.urlopen(url, timeout=TIMEOUT_SECONDS) as response:
                content: bytes = response.read()
        except urllib.error.HTTPError as error:
            error.close()
            failures.append(f"{url}: the server answered {error.code} {error.reason}")
        except http.client.IncompleteRead as error:
            failures.append(f"{url}: the download broke off after {len(error.partial)} bytes")
        except http.client.HTTPException as error:
            failures.append(f"{url}: the server's answer is not valid HTTP ({error!r})")
        except OSError as error:
            reason = getattr(error, "reason", error)
            failures.append(f"{url}: no connection ({reason})")
            break  # the other locations are on the same server
        else:
            if not (wrong := _wrong_with(content, file)):
                return content
            failures.append(f"{url}: the downloaded file {wrong}")
    tried = "".join(f"\n  {failure}" for failure in failures)
    raise ClaimwiseError(f"{file.name} could not be downloaded:{tried}\n{_how_to_get_by_hand(origin)}")


def _wrong_with(content: bytes, file: SourceFile) -> str:
    found = hashlib.sha256(content).hexdigest()
    expected = f"is not the expected file (SHA-256 {found} instead of {file.sha256})"
    return "" if found == file.sha256 else expected


def _how_to_get_by_hand(origin: Origin) -> str:
    """Return the remedy for all errors with the source files."""
    addresses = "".join(
        f"\n  {file.name}: "
        + "\n    or ".join(f"{origin.base_url}/{location}" for location in file.locations)
        for file in (origin.annotations, origin.synthetic)
    )
    return f"Download both files into one folder, and pass it with source=FOLDER:{addresses}"


def _join(annotations: dict[str, list[dict[str, Any]]], synthetic: list[dict[str, Any]]) -> list[Record]:
    """Join the two files on the ids of both hotels; every pair must be in each file exactly once.

    The order follows the annotations: train, dev, test, and within a split as in the file. Texts are
    unchanged, including stray blanks (see the dataset card).
    """
    splits = ("train", "dev", "test")
    annotated = [{**pair, "split_of_origin": split} for split in splits for pair in annotations[split]]
    count_annotated = Counter((pair["entity_a"], pair["entity_b"]) for pair in annotated)
    count_synthetic = Counter((pair["entity_a"], pair["entity_b"]) for pair in synthetic)
    for ids in count_annotated | count_synthetic:
        if count_annotated[ids] != 1 or count_synthetic[ids] != 1:
            raise ClaimwiseError(
                f"The pair of hotels {ids[0]} and {ids[1]} must occur once in each file, but occurs "
                f"{count_annotated[ids]} × in the annotations and {count_synthetic[ids]} × in the "
                f"synthetic summaries.",
                "Use source files that belong together.",
            )
    synthetic_of_ids = {(pair["entity_a"], pair["entity_b"]): pair for pair in synthetic}
    merged = [pair | synthetic_of_ids[pair["entity_a"], pair["entity_b"]] for pair in annotated]
    return [{field: pair[field] for field in FIELDS} for pair in merged]


def rows(joined: Sequence[Record], config: str) -> list[Row]:
    """Return the pairs of one configuration."""
    text_a, text_b = PAIR_CONFIGS[config]
    return [
        {**{name: record[name] for name in IDS}, "summary_a": text_a(record), "summary_b": text_b(record)}
        for record in joined
    ]
