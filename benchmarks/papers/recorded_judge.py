"""Agreement of a judge with the verdicts of roberta-large-mnli that CASPR's authors recorded on CoCoTrip."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import rich_click as click

from benchmarks.papers.command import paper_command, run
from benchmarks.papers.recorded import TOLERANCE, read_verdicts
from claimwise.apps.cli.judges import NAMED_OTHERWISE, print_comparison, sample, sample_flags
from claimwise.apps.cli.options import PATH
from claimwise.judges import load_judge
from claimwise.judges.options import JudgeOptions
from claimwise.judges.protocol import Judgements, Pair
from claimwise.report.judges import compare_judges


class RecordedJudge:
    """A judge that returns the recorded verdicts of a file such as ``recorded_nli.jsonl.gz``."""

    tolerance = TOLERANCE

    def __init__(self, path: Path) -> None:
        self.fingerprint = f"recorded:{path.name}"
        self.signature = {"judge": self.fingerprint}
        self.verdicts: dict[Pair, npt.NDArray[np.float32]] = {}
        for one in read_verdicts(path):
            for (i, a), (j, b) in itertools.product(enumerate(one.claims_a), enumerate(one.claims_b)):
                self.verdicts[a, b], self.verdicts[b, a] = one.forward[i, j], one.backward[j, i]

    def predict_pairs(self, pairs: Sequence[Pair]) -> Judgements:
        """Return the recorded verdicts of pairs, ``[n]``."""
        found = np.array([self.verdicts[pair] for pair in pairs])
        return Judgements(found, np.zeros(len(found), dtype=np.bool_))


@paper_command(groups=(JudgeOptions,), leave_out=NAMED_OTHERWISE, further=True)
@click.argument("file", type=PATH, help="recorded_nli.jsonl.gz, see benchmarks/papers/recorded.md.")
@click.option("--judge", default="default", help="The judge, in a form that --judge accepts.")
@sample_flags
def main(file: Path, judge: str, pairs: int, examples: int, seed: int, options: dict[str, Any]) -> None:
    """Compare a judge with the recorded verdicts: agreement, kappa, confusion matrix, disagreements."""
    recorded = RecordedJudge(file)
    drawn = sample(list(recorded.verdicts), pairs, seed)
    loaded = load_judge(judge, **options.pop("judge_options", {}), **options)
    print_comparison(compare_judges(loaded, recorded, drawn, examples), len(recorded.verdicts))


if __name__ == "__main__":
    run(main)
