"""Pyramid: the share of the content units of reference summaries that a summary contains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from claimwise.judges.protocol import name_of
from claimwise.metrics.claims import Claims
from claimwise.metrics.judged import Marks
from claimwise.metrics.nli import NLIMetric, NLIOptions, VacuousOptions
from claimwise.metrics.pyramid_units import (
    UNIT_WEIGHTS,
    UNITS,
    Presences,
    Unit,
    WholeBestOrTopk,
    find,
    needs_logits,
    units_evidence,
    units_of,
)
from claimwise.metrics.rows import Row, RowScore
from claimwise.metrics.spec import (
    CLAIMS,
    JUDGE,
    JUDGED,
    REFERENCES,
    SUMMARIES,
    VACUOUS,
    Choice,
    Further,
    MetricSpec,
    bibtex,
)
from claimwise.options import choice, option
from claimwise.scores.pyramid import NEEDS_LOGITS, Normalization, Presence, f1_score, pyramid_score


@dataclass(frozen=True, kw_only=True)
class PyramidOptions(VacuousOptions, NLIOptions):
    """Options of Pyramid."""

    presence: Presence = choice(
        Presence,
        'presence of a unit: `"p3c"` (the probability of entailment), `"l3c"` (1 where entailment is '
        'the most probable label), `"p2c"` and `"l2c"` (the same for two classes, entailment and the rest; '
        "these need a judge with logits: a local one, without `score_cache`)",
    )
    premise_granularity: WholeBestOrTopk = choice(
        WholeBestOrTopk,
        'premise for each unit: `"document"`, the whole summary; `"sentence"`, its best sentence; or '
        '`"topk"`, its best sentences, joined and judged again',
    )
    k: int = option(3, 'number of sentences that `"topk"` joins', at_least=1)
    normalization: Normalization = choice(
        Normalization,
        'denominator of the score: the weight of `"all"` units, or the `"attainable"` weight of the best '
        "summary with as many units as this one has claims",
    )
    precision: bool = option(
        True, "bool; False = leave out precision and F1, and the comparisons that they need"
    )


class Pyramid(NLIMetric):
    """Pyramid (Nenkova and Passonneau 2004) with units found by NLI (Zhang and Bansal 2021), in [0, 1].

    0 = no content unit of the references is found, 1 = all are found.
    """

    counts_contradictions = False  # only entailment counts
    Options = PyramidOptions
    spec = MetricSpec(
        name="pyramid",
        title="Pyramid",
        family="coverage",
        question="how much of the references' content does the summary contain?",
        description=(
            "The Pyramid measures how much of the content of reference summaries a summary contains. The "
            "references are split into content units, and a judge says whether the summary entails each. "
            "The score is the share of the units that is found, weighted by how many references contain them."
        ),
        bounds=(0, 1),
        quality="like the references",
        ends=("no unit is found", "every unit is found"),
        better="higher",
        columns=(SUMMARIES.or_claims, REFERENCES, UNITS, UNIT_WEIGHTS),
        further={
            "pyramid_recall": Further(title="recall", bounds=(0, 1)),
            "pyramid_precision": Further(title="precision", bounds=(0, 1)),
            "pyramid_f1": Further(title="F1", bounds=(0, 1)),
        },
        counts=JUDGED | VACUOUS,
        configurations={
            "default": {},
            "lite2": {
                "judge": "shiyue/roberta-large-tac08",
                "label_order": ("entailment", "not_entailment"),
                "presence": "p2c",
            },
        },
        choices=(
            JUDGE,
            CLAIMS,
            Choice(
                title="Score",
                values={
                    "share of all units": {},
                    "share of the attainable weight": {"normalization": "attainable"},
                },
            ),
        ),
        source="Nenkova and Passonneau 2004; Lite2Pyramid: Zhang and Bansal 2021",
        citation=bibtex("nenkova2004pyramid", "zhang2021finding"),
        urls=("https://github.com/ZhangShiyue/Lite2-3Pyramid",),
    )

    def __init__(self, config_name: str = "default", **options: Any) -> None:
        if "judge" in options:  # a configuration's label order belongs to its own model
            options = {"label_order": None, **options}
        super().__init__(config_name, **options)
        if self.options.presence in NEEDS_LOGITS and self.options.score_cache is not None:
            raise needs_logits(self.options.presence, "the score cache does not store", "score_cache")

    def load(self) -> None:
        """Load the splitter, the decomposer and the judge.

        Raises:
            ClaimwiseError: for a judge without logits, if presence is computed from logits.
        """
        super().load()
        presence = self.options.presence
        if presence in NEEDS_LOGITS and not getattr(self.judge, "has_logits", False):
            raise needs_logits(presence, f"the judge {name_of(self.judge)} does not return", "presence")

    def score_rows(self, rows: Sequence[Row], *, details: bool = False) -> list[RowScore]:
        """Return the score of each summary; with ``details`` also its evidence."""
        self.load()
        # The claims of a summary come first, if they are needed, then those of its references.
        first = int(self.options.precision or self.options.normalization == "attainable")
        references = [() if "units" in row.further else row.reference or () for row in rows]
        texts = [[*[row.prediction][:first], *others] for row, others in zip(rows, references, strict=True)]
        claims = self.claims_of_rows(texts)
        units, marks = units_of(self.cross, rows, [of_row[first:] for of_row in claims])
        wordings = [[unit.unit for unit in of_row] for of_row in units]
        presences = find(self, [[row.prediction] for row in rows], wordings)
        presences_of_claims: Sequence[Presences | None] = [None] * len(rows)
        if self.options.precision:
            of_summaries = [of_row[0].claims for of_row in claims]
            presences_of_claims = find(self, [row.reference or () for row in rows], of_summaries)
        scored = []
        for row, of_row, of_units, mark, in_summary, in_references in zip(
            rows, claims, units, marks, presences, presences_of_claims, strict=True
        ):
            all_marks = in_summary.marks + (Marks() if in_references is None else in_references.marks) + mark
            score = self._score(of_row, of_units, in_summary, in_references, details)
            scored.append(self.counted(score, row, of_row, all_marks))
        return scored

    def _score(
        self,
        claims: Sequence[Claims],
        units: Sequence[Unit],
        in_summary: Presences,
        in_references: Presences | None,
        details: bool,
    ) -> RowScore:
        """Return the score of a summary; with ``details`` also its found and missing units.

        The units were looked for in the summary, and its claims, if precision is wanted, in the references.
        """
        weights = [unit.weight for unit in units]
        recall = score = pyramid_score(in_summary.presence, weights)
        if self.options.normalization == "attainable":
            score = pyramid_score(in_summary.presence, weights, units_in_summary=len(claims[0].claims))
        precision = None if in_references is None else float(in_references.presence.mean())
        f1 = None if precision is None else f1_score(recall, precision)
        others = {"recall": recall, "precision": precision, "f1": f1}
        evidence = None
        if details:
            evidence = units_evidence(
                self.options, claims, units, in_summary, in_references, score=score, **others
            )
        further = {f"pyramid_{name}": value for name, value in others.items()}
        return RowScore(score=score, further=further, evidence=evidence)

    def _signature_parts(self) -> dict[str, object]:
        options = self.options
        parts = {
            **super()._signature_parts(),
            "presence": options.presence,
            "premises": options.premise_granularity,
        }
        if options.premise_granularity == "topk":
            parts["k"] = options.k
        if not options.precision:
            parts["precision"] = "no"
        return {**parts, "normalization": options.normalization, "vacuous_claims": options.vacuous_claims}
