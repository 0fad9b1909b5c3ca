"""Pyramid: the share of the content units of reference summaries that a summary contains.

Nenkova and Passonneau 2004; with NLI in place of annotators, Zhang and Bansal 2021 (Lite2Pyramid).
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from claimwise.errors import ClaimwiseError
from claimwise.evidence.kinds import UnitsEvidence
from claimwise.evidence.support import SourcePremise, entailed
from claimwise.labels import ENTAILMENT
from claimwise.metrics.base import Row, RowScore
from claimwise.metrics.citations import bibtex
from claimwise.metrics.readings import Reading
from claimwise.metrics.spec import (
    CLAIMS,
    JUDGED,
    NLI_MODEL,
    REFERENCES,
    SUMMARIES,
    VACUOUS,
    Choice,
    Column,
    Further,
    MetricSpec,
)
from claimwise.metrics.steps import NLIMetric, NLIOptions, VacuousOptions, texts_of
from claimwise.metrics.units import Found, Unit, given_units, same_claims, unit_evidence
from claimwise.nli.protocol import Judgements, Matrix
from claimwise.options import choice, option
from claimwise.scores.pyramid import (
    NEEDS_LOGITS,
    Normalization,
    Presence,
    f1_score,
    pyramid_score,
    unit_presence,
)
from claimwise.scores.summac import retrieve
from claimwise.text.inputs import Summary, text_of

WholeBestOrTopk = Literal["document", "sentence", "topk"]
LABEL_OF: Mapping[Presence, Presence] = {"p3c": "l3c", "l3c": "l3c", "p2c": "l2c", "l2c": "l2c"}


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
                "nli_model": "shiyue/roberta-large-tac08",
                "label_order": ("entailment", "not_entailment"),
                "presence": "p2c",
            },
        },
        choices=(
            NLI_MODEL,
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
        if "nli_model" in options:  # a configuration's label order belongs to its own model
            options = {"label_order": None, **options}
        super().__init__(config_name, **options)
        if self.options.presence in NEEDS_LOGITS and self.options.score_cache is not None:
            raise ClaimwiseError(
                f"presence={self.options.presence!r} is computed from logits, which the score cache does not "
                "store.",
                "Leave score_cache out, or choose presence='p3c' or 'l3c'.",
                option="score_cache",
            )

    def check(
        self, columns: Mapping[str, Any], first_row: int = 0, claims: Collection[str] | None = None
    ) -> dict[str, list[Any]]:
        """Return the checked columns; see ``Metric.check``.

        Raises:
            ClaimwiseError: also for weights without units, or a number of weights that differs from theirs.
        """
        checked = super().check(columns, first_row, claims)
        weights = checked.get("unit_weights")
        if weights is None:
            return checked
        if "units" not in checked:
            raise ClaimwiseError(
                "there are unit weights, but no units.", "Provide the units as well.", column="unit_weights"
            )
        for row, (of_row, units) in enumerate(zip(weights, checked["units"], strict=True), first_row):
            if len(of_row) != len(units):
                raise ClaimwiseError(
                    f"{len(of_row)} weights for {len(units)} units.",
                    "Provide one weight per unit.",
                    column="unit_weights",
                    row=row,
                )
        return checked

    def load(self) -> None:
        """Load the splitter, the decomposer and the judge.

        Raises:
            ClaimwiseError: for a judge without logits, if presence is computed from logits.
        """
        super().load()
        presence = self.options.presence
        if presence in NEEDS_LOGITS and not getattr(self.judge, "has_logits", False):
            name = self.judge.signature.get("nli_model", type(self.judge).__name__)
            raise ClaimwiseError(
                f"presence={presence!r} is computed from logits, which the judge {name!r} does not return.",
                "Choose presence='p3c' or 'l3c', or one local NLI model without a score cache, with "
                "pairs='all'.",
                option="presence",
            )

    # Units and claims ------------------------------------------------------------------------------

    def texts(self, row: Row) -> tuple[Summary, ...]:
        """Return the texts whose claims are needed: the summary, and references without given units."""
        summary = (row.prediction,) if self._needs_claims else ()
        if "units" in row.further:
            return summary
        return (*summary, *(row.reference or ()))

    @property
    def _needs_claims(self) -> bool:
        """Whether the claims of summaries are needed."""
        return bool(self.options.precision or self.options.normalization == "attainable")

    def _units(self, readings: Sequence[Reading]) -> list[tuple[list[Unit], Reading]]:
        """Return the units of each row, given or from its references, and the readings of the references."""
        made: dict[Any, Reading] = {}  # one for each set of references
        for reading in readings:
            if "units" not in reading.row.further:
                of_references = reading.claims[int(self._needs_claims) :]
                made.setdefault(reading.row.reference, Reading(row=reading.row, claims=of_references))
        self.ask(
            list(made.values()),
            [
                [(a.claims, b.claims) for a, b in itertools.permutations(of_set.claims, 2)]
                for of_set in made.values()
            ],
        )
        for of_set in made.values():
            of_set.found = same_claims(of_set)
        given = ((given_units(reading.row), reading) for reading in readings)
        return [
            (units, Reading(row=reading.row))
            if units is not None
            else (made[reading.row.reference].found, made[reading.row.reference])
            for units, reading in given
        ]

    # Finding them ----------------------------------------------------------------------------------

    def read(self, rows: Sequence[Row]) -> list[Reading]:
        """Return each row with its units and claims, and the presence of each in the other text."""
        readings = self.readings(rows)
        units = self._units(readings)
        of_units = self._found(
            readings,
            [[row.prediction] for row in rows],
            [[unit.unit for unit in own] for own, _ in units],
        )
        of_claims: Sequence[Found | None] = [None] * len(rows)
        if self.options.precision:
            of_claims = self._found(
                readings,
                [row.reference or () for row in rows],
                [reading.claims[0].claims for reading in readings],
            )
        for reading, (own, judged), found, supported in zip(
            readings, units, of_units, of_claims, strict=True
        ):
            reading.found = own, found, supported
            reading.note_all(judged)
        return readings

    def _found(
        self,
        readings: Sequence[Reading],
        texts: Sequence[Sequence[Summary]],
        hypotheses: Sequence[Sequence[str]],
    ) -> list[Found]:
        """Return the presence of each row's hypotheses in its texts."""
        if self.options.premise_granularity == "document":
            parts = [
                [SourcePremise(premise=text_of(t), review=i, position=0) for i, t in enumerate(ts)]
                for ts in texts
            ]
        else:
            parts = self.premises(texts)
        examples = zip(map(texts_of, parts), hypotheses, strict=True)
        judged = [found for (found,) in self.ask(readings, [[example] for example in examples])]
        joined: list[list[list[int]]] | None = None
        deciding = judged
        if self.options.premise_granularity == "topk":
            joined = [retrieve(of_row.probabilities, self.options.k) for of_row in judged]
            deciding = self.ask_joined(readings, parts, hypotheses, joined)
        return [
            self._best(best, of_row.probabilities, of_text, None if joined is None else joined[number])
            for number, (best, of_row, of_text) in enumerate(zip(deciding, judged, parts, strict=True))
        ]

    def _best(
        self,
        judged: Judgements,
        matrix: Matrix,
        parts: Sequence[SourcePremise],
        joined: list[list[int]] | None,
    ) -> Found:
        """Return the presence of each hypothesis in its best premise."""
        wanted: Presence = self.options.presence
        presence = unit_presence(judged.probabilities, wanted, judged.logits)
        labels = unit_presence(judged.probabilities, LABEL_OF[wanted], judged.logits)
        # Ties in presence, which are common with labels, are broken by the probability of entailment.
        best = np.lexsort((-judged.probabilities[..., ENTAILMENT], -presence), axis=0)[0]
        columns = np.arange(len(best))
        return Found(
            presence=presence[best, columns],
            is_found=labels[best, columns] == 1,
            parts=parts,
            best=[[row] for row in best.tolist()] if joined is None else joined,
            probabilities=judged.probabilities[best, columns],
            matrix=matrix,
        )

    # Score and signature ---------------------------------------------------------------------------

    def score_row(self, reading: Reading, details: bool) -> RowScore:
        """Return the score of a summary; with ``details`` also its found and missing units."""
        options, (units, found, supported) = self.options, reading.found
        weights = [unit.weight for unit in units]
        recall = score = pyramid_score(found.presence, weights)
        if options.normalization == "attainable":
            claims = reading.claims[0].claims
            score = pyramid_score(found.presence, weights, units_in_summary=len(claims))
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
                    reading.claims[0].claims,
                    reading.claims[0].sentences,
                    supported.presence.tolist(),
                    supported.parts,
                    supported.matrix,
                    supported.best,
                    probabilities=supported.probabilities,
                ),
                precision=precision,
                f1=f1,
                vacuous=reading.vacuous,
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
