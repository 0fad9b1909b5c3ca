"""The options of a judge, in a module of their own so that the command line need not load any judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from claimwise.options import OptionGroup, option

if TYPE_CHECKING:
    from claimwise.judges.protocol import Judge

WhichPairs = Literal["all", "likely"]
FORMS = (
    "default (embedded), mnli, vitc, anli, a Hub id, a folder, tei:URL, openai:MODEL, openai:MODEL@URL, or "
    "NAME:ADDRESS"
)
"""The forms of a judge on the command line."""


@dataclass(frozen=True, kw_only=True)
class JudgeOptions(OptionGroup):
    """Which judge, and how it runs."""

    judge: str | Judge | Sequence[str | Judge] = option(
        "default",
        '`"default"` (embedded in the package), `"mnli"`, `"vitc"`, `"anli"`, a Hub id, a folder, '
        '`"tei:http://host:8080"` (a text-embeddings-inference server or Inference Endpoint), '
        '`"openai:MODEL"` or `"openai:MODEL@http://host:port/v1"` (a chat model), `NAME:ADDRESS` '
        "of another registered judge, a `ChatJudge`, `TEIJudge` or `NLIModel`, any `Judge`, a function with "
        "a `signature`, or a pipeline or (model, tokenizer) of transformers; a list of several averages "
        "their probabilities",
        flag=f"Judge: {FORMS}; repeat the flag to average several judges.",
        many="repeated",
    )
    file: str | None = option(
        None,
        "an ONNX file in the judge's folder or repository, such as `onnx/model_int8.onnx`; None = the "
        "weights in safetensors, or without them `model.onnx` or `onnx/model.onnx`",
    )
    revision: str | None = option(None, "branch, tag or commit of a Hub model")
    token: str | None = option(
        None,
        "access token of a private Hub model; None = the environment variable `HF_TOKEN`, which is sent "
        "only to hosts of Hugging Face",
        secret=True,
    )
    local_files_only: bool = option(False, "bool; True = never contact the Hub")
    label_order: Sequence[str] | None = option(
        None,
        "names of the model's outputs, in order, for a checkpoint that does not name them: the three labels, "
        "or `entailment` and `not_entailment`",
        flag="Labels of the judge's outputs in their order, comma-separated, for a checkpoint without names.",
        many="commas",
    )
    device: str = option(
        "auto",
        '`"auto"` (CUDA if there is one), `"cpu"`, `"cuda"`, `"cuda:1"` …; the embedded judge and ONNX files '
        "run on the CPU",
        flag="Device of a judge other than the embedded one: auto, cpu, cuda or cuda:1.",
    )
    dtype: str = option(
        "auto",
        '`"auto"` (CUDA: float16; CPU: float32), `"float32"`, `"bfloat16"`, `"float16"`',
        flag="Precision of the judge: auto, float32, bfloat16 or float16.",
    )
    max_tokens_per_batch: int = option(
        4096,
        "tokens per batch; changes memory and speed, and scores only by rounding",
    )
    pairs: WhichPairs = option(
        "all",
        'pairs to judge: `"all"`, or `"likely"`: only pairs that an embedded filter does not predict to be '
        "neutral; the others count as neutral, and the result counts them",
        flag="Pairs that the judge reads: all, or likely (skip those that are most probably neutral).",
    )
    score_cache: str | Path | None = option(
        None,
        "path of an SQLite file that keeps NLI probabilities, the claims of the claim writer and "
        "every answer of a chat model for later runs; a killed run resumes from it",
        flag="SQLite file that keeps probabilities, claims and answers of chat models; a killed run resumes "
        "from it.",
        kind=Path,
    )
    show_progress: bool = option(True, "bool; False = no progress bars")
    judge_weights: Sequence[float] | None = option(
        None, "weights of several judges, as numbers in their order; None = equal weights"
    )
