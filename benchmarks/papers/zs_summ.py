"""Reader of the recorded evidence of "Zero-Shot Opinion Summarization with GPT-3" (Bhaskar et al. 2022).

A folder contains ``published.json`` (the authors' published numbers) and one folder per data set
(``space``, ``fewsum``) with

    <system>.jsonl.gz       one summary per line: its sentences, their claims, and for each claim the review
                            sentences that support and weaken it most, with their score (e - c)
    reviews.jsonl.gz        one entity per line
    idf_corpus.jsonl.gz     sentences of all systems (space only)

claimwise ships none of it. All systems in the folder are read:

    for dataset, system in systems(folder):
        summaries = read_system(folder, dataset, system)
        scores = [claim.score for summary in summaries for claim in summary.claims]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.papers.lines import read_json, read_json_lines
from claimwise.errors import ClaimwiseError

SUPPORT_THRESHOLDS = {"space": 0.75, "fewsum": 0.5}
"""The threshold τ of the published support sizes, by data set."""

AGAIN = "Download the file again."
KEPT = 5
"""Maximum number of supporting and weakening sentences recorded per claim: 5 means "5 or more"."""


class ScoredSentence(NamedTuple):
    """A review sentence and its score (e - c, in [-1, 1]) as premise of a claim."""

    sentence: str
    score: float


@dataclass(frozen=True)
class RecordedClaim:
    """A claim, its top score, and the review sentences with the highest and the lowest scores.

    ``support`` descends from the highest score, ``weaken`` ascends from the lowest; at most ``KEPT`` each.
    """

    claim: str
    score: float
    support: tuple[ScoredSentence, ...]
    weaken: tuple[ScoredSentence, ...]


@dataclass(frozen=True)
class RecordedSentence:
    """An unchanged sentence of a summary, and its claims."""

    sentence: str
    claims: tuple[RecordedClaim, ...]


@dataclass(frozen=True)
class RecordedSummary:
    """What one system wrote about one entity, or about one aspect of it (``None`` without aspects)."""

    system: str
    entity: str
    aspect: str | None
    summary: str
    sentences: tuple[RecordedSentence, ...]

    @property
    def claims(self) -> list[RecordedClaim]:
        """The claims of all sentences, in order."""
        return [claim for sentence in self.sentences for claim in sentence.claims]


@dataclass(frozen=True)
class Reviews:
    """The reviews of one entity.

    For a few entities only the ``sentences`` that the systems read are left (``complete`` is false,
    ``reviews`` is empty); a complete entity has ``reviews`` and no ``sentences``.
    """

    entity: str
    complete: bool
    reviews: tuple[str, ...]
    sentences: tuple[str, ...]


def systems(folder: Path) -> list[tuple[str, str]]:
    """Return (data set, system) of every recorded system below ``folder``, sorted.

    Raises:
        ClaimwiseError: if there is none.
    """
    found = [
        (path.parent.name, path.name.removesuffix(".jsonl.gz"))
        for path in sorted(Path(folder).glob("*/*.jsonl.gz"))
        if isinstance(line := next(read_json_lines(path, AGAIN), None), dict)
        and {"summary", "sentences"} <= line.keys()
    ]
    if not found:
        raise ClaimwiseError(
            f"No recorded system in {folder}.",
            "Specify the folder that contains <dataset>/<system>.jsonl.gz.",
        )
    return found


def read_system(folder: Path, dataset: str, system: str) -> list[RecordedSummary]:
    """Return the summaries of ``system`` on ``dataset`` with their recorded evidence.

    Raises:
        ClaimwiseError: if there is no such file, or a line is not a recorded summary.
    """
    return list(read_json_lines(Path(folder) / dataset / f"{system}.jsonl.gz", AGAIN, _summary))


def read_reviews(folder: Path, dataset: str) -> dict[str, Reviews]:
    """Return the reviews from which the summaries of ``dataset`` were written, by entity.

    Raises:
        ClaimwiseError: if there is no such file, or a line does not contain the reviews of an entity.
    """
    path = Path(folder) / dataset / "reviews.jsonl.gz"
    return {reviews.entity: reviews for reviews in read_json_lines(path, AGAIN, _reviews)}


def read_idf_corpus(folder: Path, dataset: str = "space") -> list[str]:
    """Return the sentences of all systems, the documents of the published inverse document frequencies.

    Raises:
        ClaimwiseError: if there is no such file.
    """
    return list(read_json_lines(Path(folder) / dataset / "idf_corpus.jsonl.gz", AGAIN))


def read_published(folder: Path) -> dict[str, dict[str, dict[str, Any]]]:
    """Return the published numbers: data set → system → ``top_score``, ``support_percent`` and more.

    Raises:
        ClaimwiseError: if there is no ``published.json``.
    """
    published = read_json(Path(folder) / "published.json", "Specify the folder that contains it.")
    return {name: published[name] for name in published if name not in ("notes", "source")}


def _summary(line: dict[str, Any]) -> RecordedSummary:
    def claim(one: dict[str, Any]) -> RecordedClaim:
        support, weaken = (tuple(map(ScoredSentence._make, one[key])) for key in ("support", "weaken"))
        return RecordedClaim(one["claim"], float(one["score"]), support, weaken)

    sentences = tuple(
        RecordedSentence(sentence["sentence"], tuple(map(claim, sentence["claims"])))
        for sentence in line["sentences"]
    )
    return RecordedSummary(line["system"], line["entity"], line["aspect"], line["summary"], sentences)


def _reviews(line: dict[str, Any]) -> Reviews:
    reviews, sentences = tuple(line.get("reviews", ())), tuple(line.get("sentences", ()))
    return Reviews(line["entity"], line.get("complete", True), reviews, sentences)
