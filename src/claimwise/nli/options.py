"""The options of a judge; apart from the judges, so that the command line knows them without loading one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from claimwise.options import OptionGroup, option

if TYPE_CHECKING:
    from claimwise.nli.protocol import Judge

WhichPairs = Literal["all", "likely"]


@dataclass(frozen=True, kw_only=True)
class JudgeOptions(OptionGroup):
    """Which judge, and how it runs."""

    nli_model: str | Judge | Sequence[str | Judge] = option(
        "default",
        '`"default"` (embedded in the package), `"mnli"`, `"vitc"`, `"anli"`, a Hub id, a folder, '
        '`"tei:http://host:8080"` (a text-embeddings-inference server or Inference Endpoint), '
        '`"openai:MODEL"` or `"openai:MODEL@http://host:port/v1"` (a chat model), `NAME:ADDRESS` '
        "of another registered judge, a `ChatJudge`, `TEIJudge` or `NLIModel`, or any `Judge`; a list of "
        "several averages their probabilities",
        flag="default (embedded), mnli, vitc, anli, a hub id, a folder, tei:URL, "
        "openai:MODEL, openai:MODEL@URL, or NAME:ADDRESS; repeat to average judges.",
    )
    nli_revision: str | None = option(None, "branch, tag or commit of a Hub model")
    token: str | None = option(
        None,
        "access token of a private Hub model; None = the environment variable `HF_TOKEN`, which goes to "
        "hosts of Hugging Face only",
        secret=True,
    )
    local_files_only: bool = option(False, "bool; True = never ask the Hub")
    label_order: Sequence[str] | None = option(
        None,
        "names of the model's outputs, in order, for a checkpoint that does not name them, or that has only "
        "`entailment` and `not_entailment`",
        flag="Names of the outputs of a checkpoint that does not name them, comma-separated.",
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
        4096,
        "tokens of one batch, of which each core computes one; changes memory and speed, and scores only by "
        "rounding",
    )
    pairs: WhichPairs = option(
        "all",
        'which pairs the judge is asked about: `"all"`, or those that are `"likely"` to be anything but '
        "neutral, as a small model of the package tells; the others count as "
        "neutral, and the result says how many they are",
        flag="all, or likely: skip pairs that are most probably neutral.",
    )
    score_cache: str | Path | None = option(
        None,
        "path of an SQLite file that keeps NLI probabilities, the claims of the claim writer and "
        "every answer of a chat model for later runs; a killed run resumes from it",
        flag="SQLite file that keeps NLI scores, claims and answers of chat models; a killed run resumes.",
    )
    show_progress: bool = option(True, "bool; False = no bars for long runs")
    judge_weights: Sequence[float] | None = option(
        None, "how much each of several judges counts, as numbers in their order; None = the same"
    )
