"""REALSumm: 25 systems' summaries of 100 news articles with human scores, and units of the references.

Bhandari et al. 2020, "Re-evaluating Evaluation in Text Summarization"; the semantic triplet units and the
folds are from Zhang and Bansal 2021, "Finding a Balanced Degree of Automation for Summary Evaluation".
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.papers.lines import read_json, read_json_lines
from claimwise.errors import ClaimwiseError
from claimwise.text.inputs import has_content

FILES = ("realsumm_items.jsonl.gz", "realsumm_systems.jsonl.gz", "realsumm_folds.json")

Texts = tuple[str, ...]
Folds = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class RealSumm:
    """The data, in the order of the files.

    Attributes:
        documents: names of the documents.
        systems: names of the systems.
        sources: text of each document.
        references: sentences of the reference summary of each document. Sentences and units without letters
            (one is a full stop) are left out.
        scus: content units of each reference, written by people.
        stus: semantic triplet units of each reference; empty if the data has none.
        summaries: ``[documents][systems]``.
        human: ``[documents, systems]``, the share of the content units found by people, in [0, 1].
        folds_of_documents: indices of the documents of each fold.
        folds_of_systems: indices of the systems of each fold.
    """

    documents: Texts
    systems: Texts
    sources: Texts
    references: tuple[Texts, ...]
    scus: tuple[Texts, ...]
    stus: tuple[Texts, ...]
    summaries: tuple[Texts, ...]
    human: npt.NDArray[np.float64]
    folds_of_documents: Folds
    folds_of_systems: Folds

    @property
    def reference_texts(self) -> list[str]:
        """The reference summary of each document as one text."""
        return [" ".join(sentences) for sentences in self.references]


def read_realsumm(folder: Path) -> RealSumm:
    """Read the data from ``folder`` or its subfolder ``pyramid``.

    Raises:
        ClaimwiseError: if a file or a summary is missing, or a file has another format.
    """
    folder = folder if (folder / FILES[0]).is_file() else folder / "pyramid"
    remedy = f"Specify the folder that contains {', '.join(FILES)}, or its parent folder."
    items, summaries = ([*read_json_lines(folder / name, remedy)] for name in FILES[:2])
    folds = read_json(folder / FILES[2], remedy)
    try:
        documents = tuple(str(item["id"]) for item in items)
        systems = tuple(dict.fromkeys(str(row["system"]) for row in summaries))
        found = {(row["id"], row["system"]): row for row in summaries}
        grid = [[found[document, system] for system in systems] for document in documents]
        stus = tuple(tuple(filter(has_content, item.get("stus") or ())) for item in items)
        return RealSumm(
            documents=documents,
            systems=systems,
            sources=tuple(item["document"] for item in items),
            references=tuple(tuple(filter(has_content, item["reference"])) for item in items),
            scus=tuple(tuple(item["scus"]) for item in items),
            stus=stus if all(stus) else (),
            summaries=tuple(tuple(row["summary"] for row in of_document) for of_document in grid),
            human=np.array([[row["human"] for row in of_document] for of_document in grid], dtype=np.float64),
            folds_of_documents=_folds(folds["by_examples"], documents),
            folds_of_systems=_folds(folds["by_systems"], systems),
        )
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise ClaimwiseError(
            f"{folder} does not contain a complete copy of REALSumm ({error!r}).",
            "Every system needs a summary of every document; every document and system needs a fold.",
        ) from error


def _folds(folds: list[list[str]], names: Texts) -> Folds:
    numbers = tuple(tuple(names.index(name) for name in fold) for fold in folds)
    if sorted(number for fold in numbers for number in fold) != list(range(len(names))):
        raise ValueError("folds")
    return numbers
