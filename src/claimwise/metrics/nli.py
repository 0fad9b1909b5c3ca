"""What metrics with a judge share: claims of texts, premises of sources, judgements, and their counts."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, Self

from claimwise.errors import ClaimwiseError
from claimwise.evidence.base import UnjudgedPair
from claimwise.evidence.support import SourcePremise
from claimwise.judges.crossing import cross
from claimwise.judges.filter import BestBy
from claimwise.judges.filter.best import likely_of_examples
from claimwise.judges.filter.judge import FilteredJudge, all_pairs
from claimwise.judges.hub import ALIASES
from claimwise.judges.loading import load_judge
from claimwise.judges.options import JudgeOptions
from claimwise.judges.protocol import Example, Judge, name_of
from claimwise.judges.vacuous import VacuousClaims, find_vacuous
from claimwise.metrics.base import Metric, used_beyond
from claimwise.metrics.claims import Claims, claims_of
from claimwise.metrics.judged import Judged, Marks
from claimwise.metrics.premises import PremiseGranularity, premises_of
from claimwise.metrics.rows import Row, RowScore
from claimwise.options import OptionGroup, choice
from claimwise.text.claims import (
    Decomposer,
    check_options,
    load_decomposer,
    reads_english_only,
)
from claimwise.text.inputs import Summary
from claimwise.text.options import DecomposerOptions, SplitterOptions
from claimwise.text.questions import join_answers
from claimwise.text.sentences import Splitter

ENGLISH_CHECKPOINTS = ("default", *ALIASES)


@dataclass(frozen=True, kw_only=True)
class NLIOptions(DecomposerOptions, SplitterOptions, JudgeOptions):
    """Options of every metric that judges claims."""


@dataclass(frozen=True, kw_only=True)
class VacuousOptions(OptionGroup):
    """Treatment of vacuous claims."""

    vacuous_claims: VacuousClaims = choice(
        VacuousClaims,
        'treatment of vacuous claims ("This hotel has rooms"): `"keep"` = score them; `"drop"` = remove them '
        'before scoring, unless the summary contains no other claims; `"flag"` = score them and mark them in '
        "the evidence",
    )


class NLIMetric(Metric):
    """A metric that asks a judge about claims; its options inherit ``NLIOptions``.

    ``score_rows`` of a metric calls ``claims``, ``premises`` and ``cross``, computes a ``RowScore`` for each
    row, and passes it through ``counted``.
    """

    makes_sentences = True
    counts_contradictions = True
    """Whether contradictions affect the score; a judge without that label is then rejected."""

    def __init__(self, config_name: str = "default", **options: Any) -> None:
        super().__init__(config_name, **options)
        self._used_before: dict[str, Mapping[str, int]] = {}
        if own := self._decomposer_options:
            check_options(self.options.decomposer, own)

    # Claims, premises, judgements ---------------------------------------------------------------------

    def sentences(self, text: str) -> list[str]:
        """Return the sentences of a text, a question and its answer as one; papers keep them apart."""
        sentences = self.splitter(text)
        return join_answers(sentences) if self.config_name == "default" else sentences

    def claims(self, texts: Sequence[Summary]) -> list[Claims]:
        """Return the claims of each text, without vacuous ones if the options drop them."""
        cache = self.options.score_cache
        return self.checked_for_vacuous(claims_of(texts, self.sentences, lambda: self.decomposer, cache))

    def claims_of_rows(self, texts: Sequence[Sequence[Summary]]) -> list[list[Claims]]:
        """Return the claims of each of several texts of each row."""
        claims = iter(self.claims(list(chain.from_iterable(texts))))
        return [[next(claims) for _ in of_row] for of_row in texts]

    def checked_for_vacuous(self, claims: Sequence[Claims]) -> list[Claims]:
        """Return the claims of texts with the vacuous ones named, or dropped, as the options say."""
        if not isinstance(self.options, VacuousOptions):
            return list(claims)
        treatment, vacuous = self.options.vacuous_claims, set[str]()
        if treatment != "keep":
            every_claim = list(chain.from_iterable(of_text.claims for of_text in claims))
            vacuous = find_vacuous(all_pairs(self.judge), every_claim)
        return [
            (of_text.without(vacuous) if treatment == "drop" else of_text)._replace(
                vacuous=tuple(claim for claim in of_text.claims if claim in vacuous)
            )
            for of_text in claims
        ]

    def premises(
        self, sources: Sequence[Sequence[Summary]], granularity: PremiseGranularity = "sentence"
    ) -> list[list[SourcePremise]]:
        """Return the premises of each source; see ``premises_of``."""
        return premises_of(sources, self.sentences, granularity)

    def cross(self, examples: Sequence[Example], best_by: BestBy | None = None) -> list[Judged]:
        """Judge every premise against every hypothesis of each example.

        Args:
            examples: (premises, hypotheses) each.
            best_by: the score if only the best premise of a hypothesis counts: with ``pairs="likely"`` only
                premises that may be the best are judged.
        """
        if isinstance(self.judge, FilteredJudge):
            blocks = likely_of_examples(self.judge, examples, best_by)
        else:
            blocks = cross(self.judge, examples)
        return [
            Judged(block, Marks.of(premises, hypotheses, block))
            for block, (premises, hypotheses) in zip(blocks, examples, strict=True)
        ]

    def cross_both_ways(self, pairs: Sequence[Sequence[Claims]]) -> list[tuple[Judged, Judged]]:
        """Judge the claims of the two texts of each pair, first with those of the first as premises."""
        judged = self.cross(
            [example for a, b in pairs for example in ((a.claims, b.claims), (b.claims, a.claims))]
        )
        return list(zip(judged[::2], judged[1::2], strict=True))

    def counted(self, score: RowScore, row: Row, claims: Sequence[Claims], marks: Marks) -> RowScore:
        """Return a row score with the counts of its row, claims and pairs, and what they count as evidence.

        Args:
            score: the score, with the metric's own counts and evidence.
            row: the row.
            claims: the claims of each text of the row, those of the prediction first.
            marks: marks of all judged pairs.
        """
        resolved = [of_text for of_text in claims if of_text.resolved is not None]
        still_open = tuple(claim for of_text in resolved for claim in of_text.open)
        counts = {
            "truncated": marks.truncated,
            "fallbacks": sum(of_text.fallbacks for of_text in claims),
            **row.counts,
        }
        if any(of_text.vacuous is not None for of_text in claims):
            counts["vacuous"] = len(vacuous_of(claims))
        if resolved:
            counts["pronouns_resolved"] = sum(of_text.resolved or 0 for of_text in resolved)
            counts["pronouns_open"] = len(still_open)
        if claims and (attributed := claims[0].attributed) is not None:
            counts["attributed"] = len(attributed)
        if marks.unjudged or getattr(self.judge, "may_abstain", False):
            counts["unjudged"] = len(marks.unjudged)
        if isinstance(self.judge, FilteredJudge):
            counts["skipped_pairs"] = marks.skipped
        evidence = score.evidence
        if evidence is not None:
            unjudged = tuple(UnjudgedPair(premise=p, hypothesis=h) for p, h in marks.unjudged)
            evidence = replace(
                evidence,
                unjudged=unjudged or None,
                open_pronouns=still_open or None,
                stripped=tuple(words for of_text in claims for words in of_text.stripped) or None,
            )
        return replace(score, counts={**score.counts, **counts}, evidence=evidence)

    # Parts --------------------------------------------------------------------------------------------

    def load(self) -> None:
        """Load the splitter, the decomposer and the judge."""
        _ = self.splitter, self.decomposer, self.judge

    @cached_property
    def splitter(self) -> Splitter:
        """The sentence splitter."""
        return Splitter(self.options.splitter, lines=self.normalises)

    @cached_property
    def decomposer(self) -> Decomposer:
        """The decomposer of sentences into claims."""
        options = self.options
        self._used_before["decomposer"] = _usage(options.decomposer)
        perhaps = {"show_progress": options.show_progress, "attributions": self.spec.attributions}
        decomposer = load_decomposer(options.decomposer, perhaps=perhaps, **self._decomposer_options)
        if options.score_cache is not None and (kept_in := getattr(decomposer, "kept_in", None)) is not None:
            decomposer = kept_in(options.score_cache)
        return decomposer

    @cached_property
    def judge(self) -> Judge:
        """The judge of (premise, hypothesis) pairs.

        Raises:
            ClaimwiseError: for a judge without the label contradiction, if contradictions count.
        """
        self._used_before["judge"] = before = _usage(self.options.judge)
        judge = load_judge(**self.options.changed(JudgeOptions))
        self._used_by_loading = used_beyond(before, _usage(judge))
        if self.counts_contradictions and not getattr(judge, "tells_contradictions", True):
            raise ClaimwiseError(
                f"{self.name} uses contradictions, but the judge `{name_of(judge)}` has only the labels "
                "entailment and not_entailment.",
                "Choose a judge with three labels, such as judge='default', or a metric that uses only "
                "entailment, such as pyramid or summac_conv.",
                option="judge",
            )
        return judge

    def counting(self, judge: Judge, decomposer: Decomposer) -> Self:
        """Return a metric with the same options but another judge and decomposer, for cost estimates."""
        other = copy.copy(self)
        other.__dict__.update(judge=judge, decomposer=decomposer)
        return other

    @property
    def judge_used(self) -> Mapping[str, int]:
        """Usage of the judge and the decomposer since they were loaded, loading included; see ``Metric``."""
        used: Counter[str] = Counter()
        for part in ("judge", "decomposer"):
            used.update(used_beyond(self._used_before.get(part, {}), _usage(self.__dict__.get(part))))
        return used

    def english_only(self, columns: Collection[str] = ()) -> tuple[str, ...]:
        """Return the options whose parts read only English; nothing is loaded."""
        options, parts = self.options, []
        decomposer, judges = options.decomposer, options.judge
        if self._decomposes(columns) and reads_english_only(decomposer):
            name = decomposer if isinstance(decomposer, str) else type(decomposer).__name__
            parts.append(f"decomposer={name!r}")
        judges = judges if isinstance(judges, list | tuple) else [judges]
        names = [judge if isinstance(judge, str) else getattr(judge, "name", None) for judge in judges]
        parts += [f"judge={name!r}" for name in names if name in ENGLISH_CHECKPOINTS]
        if options.pairs == "likely":
            parts.append("pairs='likely'")
        return tuple(parts)

    @property
    def _decomposer_options(self) -> dict[str, Any]:
        """The given options of the decomposer."""
        given: dict[str, Any] = self.options.changed(DecomposerOptions)
        given.pop("decomposer", None)
        return given

    def _decomposes(self, columns: Collection[str]) -> bool:
        """Return whether any text is decomposed, given the columns that the signature names."""
        return self.references_are == "references" or not set(self.spec.decomposed) <= set(columns)

    def _signature_parts(self) -> dict[str, object]:
        return {**self.judge.signature, **self.splitter.signature, **self.decomposer.signature}

    def _parts_with(self, columns: Collection[str]) -> dict[str, object]:
        """Return the parts of the signature; given claims replace the decomposer."""
        parts, decomposed = super()._parts_with(columns), self.spec.decomposed
        if given := [name for name in decomposed if name in columns]:
            for name in (*given, *(() if self._decomposes(columns) else self.decomposer.signature)):
                del parts[name]
            parts["claims"] = "given" if given == decomposed else f"given as {given[0]}"
        return parts


def vacuous_of(claims: Sequence[Claims]) -> tuple[str, ...]:
    """Return the vacuous claims of texts."""
    return tuple(claim for of_text in claims for claim in of_text.vacuous or ())


def _usage(part: Any) -> Mapping[str, int]:
    """Return what a judge, several, or a decomposer has used so far; nothing for a name."""
    if isinstance(part, list | tuple):
        return sum((Counter(_usage(judge)) for judge in part), Counter())
    return dict(getattr(part, "used", {}))
