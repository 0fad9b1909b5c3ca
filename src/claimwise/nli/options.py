"""The options of a judge; apart from the judges, so that the command line knows them without loading one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from claimwise.options import OptionGroup, option

if TYPE_CHECKING:
    from claimwise.nli.protocol import Judge


@dataclass(frozen=True, kw_only=True)
class JudgeOptions(OptionGroup):
    """Which judge, and how it runs."""

    nli_model: str | Judge = option(
        "default",
        '`"default"` (embedded in the package), `"mnli"`, `"vitc"`, `"anli"`, a Hub id, a folder, '
        "`NAME:ADDRESS` of a registered judge, an `NLIModel`, or any `Judge`",
        flag="default (embedded), mnli, vitc, anli, a hub id, a folder, or NAME:ADDRESS of a judge.",
    )
    nli_revision: str | None = option(None, "branch, tag or commit of a Hub model")
    token: str | None = option(None, "access token of a private Hub model", secret=True)
    local_files_only: bool = option(False, "bool; True = never ask the Hub")
    label_order: Sequence[str] | None = option(
        None,
        "names of the model's three outputs, in order, for a checkpoint that does not name them",
        flag="Names of the outputs of an unnamed checkpoint, by commas.",
    )
    device: str = option(
        "auto",
        '`"auto"` (CUDA if there is one), `"cpu"`, `"cuda"`, `"cuda:1"` …',
        flag="auto, cpu, cuda, cuda:1 …",
    )
    dtype: str = option(
        "auto",
        '`"auto"` (CUDA: float16; CPU: bfloat16 where the processor computes in it, else float32), '
        '`"float32"`, `"bfloat16"`, `"float16"`',
        flag="auto, float32, bfloat16, float16.",
    )
    max_tokens_per_batch: int = option(
        4096, "padded tokens of one batch; changes memory and speed, and scores only by rounding"
    )
    score_cache: str | Path | None = option(
        None,
        "path of an SQLite file that keeps NLI probabilities for later runs",
        flag="SQLite file that keeps NLI scores; a killed run resumes.",
    )
    show_progress: bool = option(True, "bool; False = no bars for long runs")
