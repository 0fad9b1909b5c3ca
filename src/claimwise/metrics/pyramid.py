"""Pyramid: how much of what reference summaries say, unit by unit, a summary says as well.

Nenkova and Passonneau 2004; with NLI in place of annotators, Zhang and Bansal 2021 (Lite2Pyramid).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from claimwise.errors import ClaimwiseError
from claimwise.evidence.kinds import (
    ContentUnit,
    EntailedHypothesis,
    SourcePremise,
    UnitsEvidence,
)
from claimwise.labels import ENTAILMENT
from claimwise.metrics.base import Row, RowScore
from claimwise.metrics.citations import NENKOVA_2004, ZHANG_2021
from claimwise.metrics.judging import Notes, rounded
from claimwise.metrics.spec import (
    CLAIMS,
    FALLBACKS,
    NLI_MODEL,
    REFERENCES,
    SUMMARIES,
    TRUNCATED,
    VACUOUS,
    Choice,
    Column,
    Further,
    MetricSpec,
)
from claimwise.metrics.steps import (
    Claims,
    NLIMetric,
    NLIOptions,
    VacuousOptions,
    check_choice,
    check_vacuous,
    texts_of,
)
from claimwise.metrics.summac_zs import with_probabilities
from claimwise.nli.protocol import Example, Judgements, Matrix
from claimwise.options import option
from claimwise.scores.pyramid import (
    NEEDS_LOGITS,
    Normalization,
    Presence,
    f1_score,
    pyramid_score,
    same_units,
    unit_presence,
)
from claimwise.scores.summac import retrieve
from claimwise.text.claims import Decomposer

UnitsOf = Literal["claims", "predicates"]
WholeBestOrTopk = Literal["document", "sentence", "topk"]
CHOICES = {
    "units": get_args(UnitsOf),
    "presence": get_args(Presence),
    "premise_granularity": get_args(WholeBestOrTopk),
    "normalization": get_args(Normalization),
}
LABEL_OF: Mapping[Presence, Presence] = {"p3c": "l3c", "l3c": "l3c", "p2c": "l2c", "l2c": "l2c"}


@dataclass(frozen=True, kw_only=True)
class PyramidOptions(VacuousOptions, NLIOptions):
    """Options of Pyramid."""

    units: UnitsOf = option(
        "claims",
        'what the references are cut into, unless units are given: `"claims"` of the decomposer, or '
        '`"predicates"`: finer ones, of a predicate and its arguments with one adjunct at most',
    )
    presence: Presence = option(
        "p3c",
        'how far a unit is found: `"p3c"` (the probability of entailment), `"l3c"` (1 where entailment is '
        'the most probable label), `"p2c"` and `"l2c"` (the same of two classes, entailment and all else; '
        "these need a judge that hands on logits: a local one, without `score_cache`)",
    )
    premise_granularity: WholeBestOrTopk = option(
        "document",
        'what a unit is looked for in: `"document"`, the whole summary; `"sentence"`, its best sentence; or '
        '`"topk"`, its best sentences, joined and judged again',
    )
    k: int = option(3, 'how many sentences `"topk"` joins')
    normalization: Normalization = option(
        "all",
        'what the weight that is found is divided by: that of `"all"` units, or the `"attainable"` one, of '
        "the best summary with as many units as this one has claims",
    )
    precision: bool = option(
        True, "bool; False = leave out precision and F1, and the comparisons that they take"
    )


class _Unit(NamedTuple):
    """A content unit; see ``ContentUnit``."""

    text: str
    weight: float = 1.0
    references: tuple[int, ...] = ()
    wordings: tuple[str, ...] = ()
    sentence: str | None = None


class _Units(NamedTuple):
    """The content units of a row, how many comparisons were cut to make them, and what the judges said."""

    units: list[_Unit]
    truncated: int
    notes: Notes


class _Cut(NamedTuple):
    """What a text was cut into, and those parts of it that say nothing."""

    claims: Claims
    vacuous: list[str]


class _Found(NamedTuple):
    """How far each hypothesis is found in a text.

    Attributes:
        presence: ``[hypotheses]``, in [0, 1].
        is_found: ``[hypotheses]``, yes or no.
        best: the numbers of the premises that decided, for each hypothesis.
        probabilities: ``[hypotheses, 3]``, of these premises together.
        matrix: ``[premises, hypotheses, 3]``, of each premise.
        truncated: how many comparisons were cut.
        notes: of the judges.
    """

    presence: npt.NDArray[np.float64]
    is_found: npt.NDArray[np.bool_]
    best: list[list[int]]
    probabilities: npt.NDArray[np.float32]
    matrix: Matrix
    truncated: int
    notes: Notes


class Pyramid(NLIMetric):
    """Pyramid (Nenkova and Passonneau 2004) with units found by NLI (Zhang and Bansal 2021), in [0, 1].

    0 = none of what the references say, 1 = all of it.
    """

    Options = PyramidOptions
    spec = MetricSpec(
        name="pyramid",
        title="Pyramid",
        family="coverage",
        question="does the summary say what the references say, unit by unit?",
        description=(
            "The Pyramid measures how much of what reference summaries say a summary says as well. The "
            "references are cut into content units (claims, or units that people wrote), a unit weighs as "
            "much as references stand behind it, and an NLI model tells how far the summary entails each "
            "unit. The score is the share of the weight that is found; precision asks the same of the "
            "summary's claims."
        ),
        bounds=(0, 1),
        ends=("no unit is found", "every unit is found"),
        better="higher",
        columns=(
            SUMMARIES,
            REFERENCES,
            Column(
                name="units",
                holds="units",
                meaning="content units that people wrote, a list a row; None = the references' claims",
                required=False,
            ),
            Column(
                name="unit_weights",
                holds="weights",
                meaning="how much each of these units counts, a list a row; None = 1",
                required=False,
            ),
        ),
        rows="summary",
        mean_over="summaries",
        further={
            "pyramid_recall": Further(title="recall", bounds=(0, 1)),
            "pyramid_precision": Further(title="precision", bounds=(0, 1)),
            "pyramid_f1": Further(title="F1", bounds=(0, 1)),
        },
        counts={"truncated": TRUNCATED, "fallbacks": FALLBACKS, "vacuous": VACUOUS},
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
                    "share of what as many units can reach": {"normalization": "attainable"},
                },
            ),
        ),
        source="Nenkova and Passonneau 2004; Lite2Pyramid: Zhang and Bansal 2021",
        citation=NENKOVA_2004 + ZHANG_2021,
        urls=("https://github.com/ZhangShiyue/Lite2-3Pyramid",),
    )

    def __init__(self, config_name: str = "default", **options: Any) -> None:
        if "nli_model" in options:  # a configuration's order of labels is that of its own model
            options = {"label_order": None, **options}
        super().__init__(config_name, **options)
        _check(self.options)

    def check(self, columns: Mapping[str, Any], first_row: int = 0) -> dict[str, list[Any]]:
        """Return the columns ready to be scored; see ``Metric.check``.

        Raises:
            ClaimwiseError: also for weights without units, or not as many as the row has units, and for units
                where those of the references were asked for by name.
        """
        checked = super().check(columns, first_row)
        if "units" in checked and self.options.units != "claims":
            raise ClaimwiseError(
                f"units={self.options.units!r}: without effect, for units are given in a column.",
                "Leave one of them out.",
                option="units",
            )
        weights = checked.get("unit_weights")
        if weights is None:
            return checked
        if "units" not in checked:
            raise ClaimwiseError(
                "there are weights of units, but no units.", "Give units as well.", column="unit_weights"
            )
        for row, (of_row, units) in enumerate(zip(weights, checked["units"], strict=True), first_row):
            if len(of_row) != len(units):
                raise ClaimwiseError(
                    f"{len(of_row)} weights for {len(units)} units.",
                    "Give each unit one weight.",
                    column="unit_weights",
                    row=row,
                )
        return checked

    def load(self) -> None:
        """Load the splitter, the decomposer and the judge."""
        super().load()
        self._check_logits()

    def score_rows(self, rows: Sequence[Row], *, details: bool = False) -> list[RowScore]:
        """Return the score of each summary; with ``details`` also which units are found and missing."""
        options = self.options
        self._check_logits()
        summaries, references = self._cut(rows)
        units = self._units(rows, references)
        of_units = self._found(
            [self._looked_in([row.prediction]) for row in rows],
            [[unit.text for unit in of_row.units] for of_row in units],
        )
        of_claims: Sequence[_Found | None] = [None] * len(rows)
        if options.precision:
            of_claims = self._found(
                [self._looked_in(row.reference or ()) for row in rows],
                [summaries[row.prediction].claims.claims for row in rows],
            )
        row_scores = []
        for row, own_units, found, supported in zip(rows, units, of_units, of_claims, strict=True):
            weights = [unit.weight for unit in own_units.units]
            recall = score = pyramid_score(found.presence, weights)
            if options.normalization == "attainable":
                claims = summaries[row.prediction].claims.claims
                score = pyramid_score(found.presence, weights, units_in_summary=len(claims))
            precision = None if supported is None else float(supported.presence.mean())
            f1 = None if precision is None else f1_score(recall, precision)
            notes, truncated = Notes(), own_units.truncated
            for judged in (found, supported):
                if judged is not None:
                    notes.extend(judged.notes)
                    truncated += judged.truncated
            notes.extend(own_units.notes)
            cut = [summaries[row.prediction]] if row.prediction in summaries else []
            if "units" not in row.further:
                cut += [references[text] for text in row.reference or ()]
            says_nothing = [claim for one in cut for claim in one.vacuous]
            evidence = None
            if details:
                evidence = UnitsEvidence(
                    score=score,
                    units=self._unit_evidence(row.prediction, own_units.units, found),
                    recall=recall,
                    normalization=options.normalization,
                    claims=None
                    if supported is None
                    else self._claim_evidence(
                        row.reference or (), summaries[row.prediction].claims, supported
                    ),
                    precision=precision,
                    f1=f1,
                    vacuous=tuple(says_nothing),
                )
            row_scores.append(
                notes.of_claims(one.claims for one in cut).on(
                    RowScore(
                        score=score,
                        further={
                            "pyramid_recall": recall,
                            "pyramid_precision": precision,
                            "pyramid_f1": f1,
                        },
                        counts={
                            "truncated": truncated,
                            "fallbacks": sum(one.claims.fallbacks for one in cut),
                            "vacuous": len(says_nothing),
                        },
                        evidence=evidence,
                    )
                )
            )
        return row_scores

    # Units and claims ------------------------------------------------------------------------------

    def _cut(self, rows: Sequence[Row]) -> tuple[dict[str, _Cut], dict[str, _Cut]]:
        """Return the claims of the summaries, and those (or other units) of the references, where needed."""
        needs_claims = self.options.precision or self.options.normalization == "attainable"
        summaries = dict.fromkeys(row.prediction for row in rows if needs_claims)
        references = dict.fromkeys(
            text for row in rows if "units" not in row.further for text in row.reference or ()
        )
        if self.options.units == "predicates":
            return self._decomposed(summaries), self._decomposed(references, _predicates())
        both = self._decomposed({**summaries, **references})  # a sentence of both is decomposed once
        return {text: both[text] for text in summaries}, both

    def _decomposed(self, texts: Iterable[str], decomposer: Decomposer | None = None) -> dict[str, _Cut]:
        distinct = list(texts)
        claims, vacuous = self.claims_and_vacuous(self.claims(distinct, decomposer))
        cut = map(_Cut, claims, vacuous)
        return dict(zip(distinct, cut, strict=True))

    def _units(self, rows: Sequence[Row], cut: Mapping[str, _Cut]) -> list[_Units]:
        """Return the units of each row: those given, else what its references say."""
        without = [tuple(row.reference or ()) for row in rows if "units" not in row.further]
        made = self._of_references(list(dict.fromkeys(without)), cut)
        all_units = []
        for row in rows:
            if "units" in row.further:
                texts = row.further["units"]
                weights = row.further.get("unit_weights") or [1.0] * len(texts)
                all_units.append(
                    _Units([_Unit(*given) for given in zip(texts, weights, strict=True)], 0, Notes())
                )
            else:
                all_units.append(made[tuple(row.reference or ())])
        return all_units

    def _of_references(
        self, sets: Sequence[tuple[str, ...]], cut: Mapping[str, _Cut]
    ) -> dict[tuple[str, ...], _Units]:
        """Return the units of each set of references: claims that entail each other both ways are one."""
        crossed = [list(itertools.permutations(range(len(references)), 2)) for references in sets]
        examples: list[list[Example]] = [
            [(cut[references[a]].claims.claims, cut[references[b]].claims.claims) for a, b in pairs]
            for references, pairs in zip(sets, crossed, strict=True)
        ]
        predictions = iter(self.judgements(list(itertools.chain(*examples))))
        made = {}
        for references, pairs, of_set in zip(sets, crossed, examples, strict=True):
            of_pairs = [next(predictions) for _ in pairs]
            of_references = [cut[text].claims for text in references]
            ends = np.cumsum([0, *(len(one.claims) for one in of_references)])
            entails = np.zeros((ends[-1], ends[-1]), dtype=np.bool_)
            for (a, b), found in zip(pairs, of_pairs, strict=True):
                labels = found.probabilities.argmax(axis=-1)
                entails[ends[a] : ends[a + 1], ends[b] : ends[b + 1]] = labels == ENTAILMENT
            numbers = [number for number, one in enumerate(of_references) for _ in one.claims]
            texts = [claim for one in of_references for claim in one.claims]
            sentences = [sentence for one in of_references for sentence in one.sentences]
            made[references] = _Units(
                units=[
                    _Unit(
                        text=texts[same[0]],
                        weight=float(len(same)),
                        references=tuple(numbers[claim] for claim in same),
                        wordings=tuple(texts[claim] for claim in same[1:]),
                        sentence=sentences[same[0]],
                    )
                    for same in same_units(numbers, entails)
                ],
                truncated=sum(int(found.truncated.sum()) for found in of_pairs),
                notes=Notes.of(of_set, of_pairs),
            )
        return made

    # Finding them ----------------------------------------------------------------------------------

    def _looked_in(self, texts: Sequence[str]) -> list[SourcePremise]:
        """Return what hypotheses are looked for in: each text whole, or the sentences of all."""
        if self.options.premise_granularity == "document":
            return [
                SourcePremise(premise=text, review=number, position=0) for number, text in enumerate(texts)
            ]
        (sentences,) = self.premises([texts])
        return sentences

    def _found(
        self, premises: Sequence[Sequence[SourcePremise]], hypotheses: Sequence[Sequence[str]]
    ) -> list[_Found]:
        """Return how far the hypotheses of each row are found in its premises."""
        examples = [(texts_of(of_row), texts) for of_row, texts in zip(premises, hypotheses, strict=True)]
        predictions = self.judgements(examples)
        notes = [Notes.of([one], [of_row]) for one, of_row in zip(examples, predictions, strict=True)]
        truncated = [int(of_row.truncated.sum()) for of_row in predictions]
        if self.options.premise_granularity != "topk":
            return [
                self._best(of_row, of_row.probabilities, None, cut, noted)
                for of_row, cut, noted in zip(predictions, truncated, notes, strict=True)
            ]
        all_found = []
        chosen = [retrieve(of_row.probabilities, self.options.k) for of_row in predictions]
        judged = self.judgements_of_joined(premises, hypotheses, chosen)
        for (of_joined, again), first, numbers, cut, noted in zip(
            judged, predictions, chosen, truncated, notes, strict=True
        ):
            noted.extend(Notes.of(of_joined, again))
            joined = {
                name: np.concatenate([one.arrays()[name] for one in again], axis=1)
                for name in ("probabilities", "truncated", "logits")
                if all(name in one.arrays() for one in again)
            }
            deciding = Judgements.of(joined)
            cut += int(deciding.truncated.sum())
            all_found.append(self._best(deciding, first.probabilities, numbers, cut, noted))
        return all_found

    def _best(
        self,
        predictions: Judgements,
        matrix: Matrix,
        joined: list[list[int]] | None,
        truncated: int,
        notes: Notes,
    ) -> _Found:
        """Return how far each hypothesis is found in the premise that has it most."""
        wanted: Presence = self.options.presence
        presence = unit_presence(predictions.probabilities, wanted, predictions.logits)
        labels = unit_presence(predictions.probabilities, LABEL_OF[wanted], predictions.logits)
        # Of premises with the same presence, as labels give it, the one that most probably entails.
        best = np.lexsort((-predictions.probabilities[..., ENTAILMENT], -presence), axis=0)[0]
        columns = np.arange(len(best))
        return _Found(
            presence=presence[best, columns],
            is_found=labels[best, columns] == 1,
            best=[[row] for row in best.tolist()] if joined is None else joined,
            probabilities=predictions.probabilities[best, columns],
            matrix=matrix,
            truncated=truncated,
            notes=notes,
        )

    def _check_logits(self) -> None:
        presence = self.options.presence
        if presence in NEEDS_LOGITS and not getattr(self.judge, "has_logits", False):
            name = self.judge.signature.get("nli_model", type(self.judge).__name__)
            raise ClaimwiseError(
                f"presence={presence!r} is computed from logits, and the judge {name!r} hands on none.",
                "Choose presence='p3c' or 'l3c', or one local NLI model without a score cache, with "
                "pairs='all'.",
                option="presence",
            )

    # Evidence and signature ------------------------------------------------------------------------

    def _unit_evidence(self, summary: str, units: Sequence[_Unit], found: _Found) -> tuple[ContentUnit, ...]:
        parts = self._looked_in([summary])
        whole = self.options.premise_granularity == "document"
        return tuple(
            ContentUnit(
                unit=unit.text,
                weight=unit.weight,
                presence=float(found.presence[number]),
                found=bool(found.is_found[number]),
                premises=() if whole else with_probabilities(parts, found.matrix, number, found.best[number]),
                probabilities=rounded(found.probabilities[number]),
                references=unit.references,
                wordings=unit.wordings,
                sentence=unit.sentence,
            )
            for number, unit in enumerate(units)
        )

    def _claim_evidence(
        self, references: Sequence[str], claims: Claims, found: _Found
    ) -> tuple[EntailedHypothesis, ...]:
        parts = self._looked_in(references)
        return tuple(
            EntailedHypothesis(
                hypothesis=claim,
                sentence=claims.sentences[number],
                score=float(found.presence[number]),
                premises=with_probabilities(parts, found.matrix, number, found.best[number]),
                probabilities=rounded(found.probabilities[number]),
            )
            for number, claim in enumerate(claims.claims)
        )

    def _signature_parts(self) -> dict[str, object]:
        options = self.options
        parts: dict[str, object] = {
            **super()._signature_parts(),
            "units": options.units,
            "presence": options.presence,
            "premises": options.premise_granularity,
        }
        if options.units == "predicates":
            parts |= _predicates().signature
        if options.premise_granularity == "topk":
            parts["k"] = options.k
        return {**parts, "normalization": options.normalization, "vacuous_claims": options.vacuous_claims}


def _predicates() -> Decomposer:
    from claimwise.text.clauses.predicates import PredicatesDecomposer

    return PredicatesDecomposer()


def _check(options: PyramidOptions) -> None:
    check_vacuous(options)
    for name, choices in CHOICES.items():
        check_choice(name, getattr(options, name), choices)
    if not isinstance(options.k, int) or options.k < 1:
        raise ClaimwiseError(f"k must be a whole number of at least 1; got {options.k!r}.", option="k")
    if not isinstance(options.precision, bool):
        raise ClaimwiseError(
            f"precision must be true or false; got {options.precision!r}.", option="precision"
        )
    if options.presence in NEEDS_LOGITS and options.score_cache is not None:
        raise ClaimwiseError(
            f"presence={options.presence!r} is computed from logits, which the score cache does not keep.",
            "Leave score_cache out, or choose presence='p3c' or 'l3c'.",
            option="score_cache",
        )
