"""Pyramid: the share of the content units of reference summaries that a summary contains.

Nenkova and Passonneau 2004; with NLI in place of annotators, Zhang and Bansal 2021 (Lite2Pyramid).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from claimwise.errors import ClaimwiseError
from claimwise.evidence.kinds import UnitsEvidence
from claimwise.evidence.support import entailed
from claimwise.metrics.citations import bibtex
from claimwise.metrics.claims import Claims
from claimwise.metrics.judged import Marks
from claimwise.metrics.nli import NLIMetric, NLIOptions, VacuousOptions, vacuous_of
from claimwise.metrics.rows import Row, RowScore
from claimwise.metrics.spec import (
    CLAIMS,
    JUDGE,
    JUDGED,
    REFERENCES,
    SUMMARIES,
    VACUOUS,
    Choice,
    Column,
    Further,
    MetricSpec,
)
from claimwise.metrics.units import (
    Presences,
    Unit,
    WholeBestOrTopk,
    find,
    given_units,
    same_claims,
    unit_evidence,
)
from claimwise.options import choice, option
from claimwise.scores.pyramid import (
    NEEDS_LOGITS,
    Normalization,
    Presence,
    f1_score,
    pyramid_score,
)
from claimwise.text.inputs import Summary


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
            "references are split into content units (claims, or units written by people), the weight of a "
            "unit is the number of references that contain it, and an NLI model judges whether the summary "
            "entails each unit. The score is the share of the weight that is found; precision is the share "
            "of the summary's claims that the references entail."
        ),
        bounds=(0, 1),
        quality="like the references",
        ends=("no unit is found", "every unit is found"),
        better="higher",
        columns=(
            SUMMARIES.or_claims,
            REFERENCES,
            Column(
                name="units",
                holds="units",
                meaning="given content units, a list per row, in place of the references' claims",
                required=False,
            ),
            Column(
                name="unit_weights",
                holds="weights",
                meaning="weights of the given content units, a list per row",
                required=False,
                one_per="units",
            ),
        ),
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
            raise ClaimwiseError(
                f"presence={self.options.presence!r} is computed from logits, which the score cache does not "
                "store.",
                "Leave score_cache out, or choose presence='p3c' or 'l3c'.",
                option="score_cache",
            )

    def load(self) -> None:
        """Load the splitter, the decomposer and the judge.

        Raises:
            ClaimwiseError: for a judge without logits, if presence is computed from logits.
        """
        super().load()
        presence = self.options.presence
        if presence in NEEDS_LOGITS and not getattr(self.judge, "has_logits", False):
            name = self.judge.signature.get("judge", type(self.judge).__name__)
            raise ClaimwiseError(
                f"presence={presence!r} is computed from logits, which the judge {name!r} does not return.",
                "Choose presence='p3c' or 'l3c', or one local NLI model without a score cache, with "
                "pairs='all'.",
                option="presence",
            )

    def score_rows(self, rows: Sequence[Row], *, details: bool = False) -> list[RowScore]:
        """Return the score of each summary; with ``details`` also its evidence."""
        self.load()
        claims = self._claims(rows)
        units, marks = self._units(rows, claims)
        options = self.options
        how: dict[str, Any] = {
            "presence": options.presence,
            "granularity": options.premise_granularity,
            "k": options.k,
        }
        texts_of_units = [[unit.unit for unit in of_row] for of_row in units]
        units_found = find(self, [[row.prediction] for row in rows], texts_of_units, **how)
        claims_found: Sequence[Presences | None] = [None] * len(rows)
        if options.precision:
            of_summaries = [summary.claims for summary, *_ in claims]
            claims_found = find(self, [row.reference or () for row in rows], of_summaries, **how)
        scored = []
        for row, texts, of_row, mark, found, supported in zip(
            rows, claims, units, marks, units_found, claims_found, strict=True
        ):
            score = self._score(texts, of_row, found, supported, details)
            all_marks = found.marks + (Marks() if supported is None else supported.marks) + mark
            scored.append(self.counted(score, row, texts, all_marks))
        return scored

    def _claims(self, rows: Sequence[Row]) -> list[list[Claims]]:
        """Return the claims of each row: of its summary, if needed, then of its references without units."""
        texts: list[list[Summary]] = [
            [
                *([row.prediction] if self._needs_claims else []),
                *(() if "units" in row.further else row.reference or ()),
            ]
            for row in rows
        ]
        claims = iter(self.claims(list(itertools.chain.from_iterable(texts))))
        return [[next(claims) for _ in of_row] for of_row in texts]

    @property
    def _needs_claims(self) -> bool:
        """Whether the claims of summaries are needed."""
        return bool(self.options.precision or self.options.normalization == "attainable")

    def _units(
        self, rows: Sequence[Row], claims: Sequence[Sequence[Claims]]
    ) -> tuple[list[list[Unit]], list[Marks]]:
        """Return the units of each row, given or from its references, and the marks of their judgements."""
        references = {
            row.reference: of_row[int(self._needs_claims) :]
            for row, of_row in zip(rows, claims, strict=True)
            if "units" not in row.further
        }
        pairs = [list(itertools.permutations(of_set, 2)) for of_set in references.values()]
        judged = iter(self.cross([(a.claims, b.claims) for of_set in pairs for a, b in of_set]))
        made: dict[Any, tuple[list[Unit], Marks]] = {}
        for reference, of_set in zip(references, pairs, strict=True):
            blocks = [next(judged) for _ in of_set]
            units = same_claims(references[reference], [block.probabilities for block in blocks])
            made[reference] = units, sum((block.marks for block in blocks), Marks())
        of_rows = [
            (given_units(row), Marks()) if "units" in row.further else made[row.reference] for row in rows
        ]
        return [units for units, _ in of_rows], [marks for _, marks in of_rows]

    def _score(
        self,
        claims: Sequence[Claims],
        units: Sequence[Unit],
        found: Presences,
        supported: Presences | None,
        details: bool,
    ) -> RowScore:
        """Return the score of a summary; with ``details`` also its found and missing units.

        Args:
            claims: claims of the summary, if needed, and of the references.
            units: content units of the references.
            found: their presence in the summary.
            supported: presence of the summary's claims in the references; None = precision is left out.
            details: whether to return evidence.
        """
        options = self.options
        weights = [unit.weight for unit in units]
        recall = score = pyramid_score(found.presence, weights)
        if options.normalization == "attainable":
            score = pyramid_score(found.presence, weights, units_in_summary=len(claims[0].claims))
        precision = None if supported is None else float(supported.presence.mean())
        f1 = None if precision is None else f1_score(recall, precision)
        evidence = None
        if details:
            evidence = UnitsEvidence(
                score=score,
                units=unit_evidence(units, found, options.premise_granularity == "document"),
                recall=recall,
                normalization=options.normalization,
                claims=None
                if supported is None
                else entailed(
                    claims[0].claims,
                    claims[0].sentences,
                    supported.presence.tolist(),
                    supported.parts,
                    supported.matrix,
                    supported.best,
                    probabilities=supported.probabilities,
                ),
                precision=precision,
                f1=f1,
                vacuous=vacuous_of(claims),
            )
        return RowScore(
            score=score,
            further={"pyramid_recall": recall, "pyramid_precision": precision, "pyramid_f1": f1},
            evidence=evidence,
        )

    def _signature_parts(self) -> dict[str, object]:
        options = self.options
        parts: dict[str, object] = {
            **super()._signature_parts(),
            "presence": options.presence,
            "premises": options.premise_granularity,
        }
        if options.premise_granularity == "topk":
            parts["k"] = options.k
        if not options.precision:
            parts["precision"] = "no"
        return {**parts, "normalization": options.normalization, "vacuous_claims": options.vacuous_claims}
