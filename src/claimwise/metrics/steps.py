"""The one path through a metric with a judge: claims → examples → judgements → row scores → evidence.

A metric adds the formula and the evidence of one row (``score_row``), and overrides ``examples`` or ``read``
if it does not compare every claim with every other claim.
"""

from __future__ import annotations

import copy
import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, Literal, Self

import numpy as np

from claimwise.errors import ClaimwiseError, warn
from claimwise.evidence.support import SourcePremise
from claimwise.metrics.base import Metric, Row, RowScore
from claimwise.metrics.readings import Claims, Reading
from claimwise.nli.crossing import cross
from claimwise.nli.filter import BestBy
from claimwise.nli.filter.best import likely_of_examples
from claimwise.nli.filter.judge import FilteredJudge, all_pairs
from claimwise.nli.hub import ALIASES
from claimwise.nli.loading import load as load_judge
from claimwise.nli.options import JudgeOptions
from claimwise.nli.protocol import Example, Judge, Judgements, joined
from claimwise.nli.vacuous import VacuousClaims, find_vacuous
from claimwise.options import OptionGroup, choice
from claimwise.signature import signature
from claimwise.text.claims import (
    Decomposed,
    Decomposer,
    TextDecomposer,
    check_options,
    load_decomposer,
    reads_english_only,
)
from claimwise.text.inputs import Summary, has_content, text_of
from claimwise.text.kept import decompose_kept
from claimwise.text.marks import without_citations
from claimwise.text.options import DecomposerOptions, SplitterOptions
from claimwise.text.questions import join_answers
from claimwise.text.sentences import Splitter
from claimwise.text.writer.attributions import is_attributed

ENGLISH_CHECKPOINTS = ("default", *ALIASES)

PremiseGranularity = Literal["sentence", "two_sentences", "paragraph", "document", "topk"]


@dataclass(frozen=True, kw_only=True)
class NLIOptions(DecomposerOptions, SplitterOptions, JudgeOptions):
    """Options of every metric on the path text → claims → entailment matrix."""


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
    """A metric that asks a judge about claims; its options inherit ``NLIOptions``."""

    makes_sentences = True

    def __init__(self, config_name: str = "default", **options: Any) -> None:
        super().__init__(config_name, **options)
        self._used_before: dict[str, Mapping[str, int]] = {}
        if own := self._decomposer_options:
            check_options(self.options.decomposer, own)

    def load(self) -> None:
        """Load the splitter, the decomposer and the judge."""
        _ = self.splitter, self.decomposer, self.judge

    def english_only(self, columns: Collection[str] = ()) -> tuple[str, ...]:
        """Return the options whose parts read only English; nothing is loaded."""
        options, found = self.options, []
        if self._decomposes(columns) and reads_english_only(options.decomposer):
            named = isinstance(options.decomposer, str)
            name = options.decomposer if named else type(options.decomposer).__name__
            found.append(f"decomposer={name!r}")
        judges = options.nli_model
        judges = [judges] if isinstance(judges, str) or not isinstance(judges, Sequence) else judges
        names = [judge if isinstance(judge, str) else getattr(judge, "name", None) for judge in judges]
        found += [f"nli_model={name!r}" for name in names if name in ENGLISH_CHECKPOINTS]
        if options.pairs == "likely":
            found.append("pairs='likely'")
        return tuple(found)

    @property
    def counts_contradictions(self) -> bool:
        """Whether contradictions affect the score; a judge without that label is then rejected."""
        return True

    @property
    def judge_used(self) -> Mapping[str, int]:
        """Usage of the judge and the decomposer since they were loaded, loading included; see ``Metric``."""
        used: Counter[str] = Counter()
        for part in ("judge", "decomposer"):
            now, before = _usage(self.__dict__.get(part)), self._used_before.get(part, {})
            used.update({what: count - before.get(what, 0) for what, count in now.items()})
        return used

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
        self._used_before["judge"] = before = _usage(self.options.nli_model)
        judge = load_judge(self.options)
        self._used_by_loading = {what: n - before.get(what, 0) for what, n in _usage(judge).items()}
        if self.counts_contradictions and not getattr(judge, "tells_contradictions", True):
            raise ClaimwiseError(
                f"{self.name} uses contradiction probabilities, but the judge "
                f"{judge.signature.get('nli_model')!r} has only the labels entailment and not_entailment.",
                "Choose a checkpoint with three labels, such as nli_model='default', or a metric that "
                "uses only entailment, such as pyramid or summac_conv.",
                option="nli_model",
            )
        return judge

    def counting(self, judge: Judge, decomposer: Decomposer) -> Self:
        """Return a metric with the same options but another judge and decomposer, for cost estimates."""
        other = copy.copy(self)
        other.__dict__.update(judge=judge, decomposer=decomposer)
        return other

    @property
    def _decomposer_options(self) -> dict[str, Any]:
        """The given options of the decomposer."""
        given: dict[str, Any] = self.options.changed(DecomposerOptions)
        given.pop("decomposer", None)
        return given

    # The path of a row: claims → examples → judgements → row score -----------------------------------

    def score_rows(self, rows: Sequence[Row], *, details: bool = False) -> list[RowScore]:
        """Return the score of each row; with ``details`` also its evidence."""
        self.load()  # missing parts are an error before any work
        return [reading.told_with(self.score_row(reading, details)) for reading in self.read(rows)]

    def read(self, rows: Sequence[Row]) -> list[Reading]:
        """Return each row with its claims and their judgements."""
        readings = self.readings(rows)
        self.ask(readings, [self.examples(reading) for reading in readings])
        return readings

    def readings(self, rows: Sequence[Row], granularity: PremiseGranularity = "sentence") -> list[Reading]:
        """Return each row with its claims and the premises of its source, if it has one."""
        texts = [self.texts(row) for row in rows]
        claims = iter(self.claims(list(chain.from_iterable(texts))))
        premises: Sequence[Sequence[SourcePremise]] = [()] * len(rows)
        if self.references_are == "sources":
            premises = self.premises([row.reference or () for row in rows], granularity)
        return [
            Reading(row=row, claims=tuple(next(claims) for _ in of_row), premises=of_source)
            for row, of_row, of_source in zip(rows, texts, premises, strict=True)
        ]

    def texts(self, row: Row) -> tuple[Summary, ...]:
        """Return the texts to decompose: the summary and other summaries, each a text or given claims."""
        others: Sequence[Summary] = ()
        if self.references_are == "summaries":
            others = (row.reference or "",)
        elif self.references_are == "references":
            others = row.reference or ()
        return row.prediction, *others

    def examples(self, reading: Reading) -> list[Example]:
        """Return the examples of a row for the judge.

        For a summary and its source: each premise with each claim. For two summaries: each claim with each
        claim of the other summary, in both directions.
        """
        own, *others = (of_text.claims for of_text in reading.claims)
        if self.references_are == "sources":
            return [(texts_of(reading.premises), own)]
        return [example for other in others for example in ((own, other), (other, own))]

    @abstractmethod
    def score_row(self, reading: Reading, details: bool) -> RowScore:
        """Return the score of a row from its judgements; with ``details`` also its evidence.

        Counts of claims and judgements, and notes on them in the evidence, are added later.
        """

    # Its steps ---------------------------------------------------------------------------------------

    def claims(self, texts: Sequence[Summary]) -> list[Claims]:
        """Return the claims of each text, without vacuous ones if the options drop them.

        Given claims are used unchanged.
        """
        claims = self.cut(texts)
        wanted = self.options.vacuous_claims if isinstance(self.options, VacuousOptions) else None
        if wanted is None:
            return claims
        found: set[str] = set()
        if wanted != "keep":
            found = find_vacuous(all_pairs(self.judge), list(chain.from_iterable(c.claims for c in claims)))
        return [
            (of_text.without(found) if wanted == "drop" else of_text)._replace(
                vacuous=tuple(claim for claim in of_text.claims if claim in found)
            )
            for of_text in claims
        ]

    def sentences(self, text: str) -> list[str]:
        """Return the sentences of a text, a question and its answer as one; papers keep them apart."""
        sentences = self.splitter(text)
        return join_answers(sentences) if self.config_name == "default" else sentences

    def cut(self, texts: Sequence[Summary]) -> list[Claims]:
        """Return all claims of each text.

        A decomposer that reads whole texts receives each distinct text once; any other decomposer receives
        each distinct sentence once. Each given claim counts as a sentence. Claims are made from sentences
        without citation markers; the sentence of a claim keeps them.
        """
        given = [text for text in texts if not isinstance(text, str)]
        claims: dict[Summary, Claims] = {
            of_text: _claims_of(of_text, [Decomposed([claim]) for claim in of_text]) for of_text in given
        }
        shown = {text: self.sentences(text) for text in dict.fromkeys(texts) if isinstance(text, str)}
        if not shown:
            return [claims[text] for text in texts]
        sentences = {text: list(map(without_citations, of_text)) for text, of_text in shown.items()}
        decomposer = self.decomposer
        if isinstance(decomposer, TextDecomposer):
            of_texts = list(sentences.values())
            if (path := self.options.score_cache) is not None and getattr(decomposer, "may_be_kept", False):
                made_by = signature("claims", decomposer.signature)
                decomposed = decompose_kept(decomposer, made_by, of_texts, path)
            else:
                decomposed = decomposer.decompose_texts(of_texts)
        else:
            distinct = list(dict.fromkeys(chain.from_iterable(sentences.values())))
            of_sentence = dict(zip(distinct, decomposer.decompose(distinct), strict=True))
            decomposed = [[of_sentence[sentence] for sentence in of_text] for of_text in sentences.values()]
        strips = getattr(decomposer, "attributions", None) == "strip"
        for text, found in zip(sentences, decomposed, strict=True):
            one = _claims_of(shown[text], found)
            attributed = tuple(filter(is_attributed, one.claims)) if strips else None
            claims[text] = one._replace(attributed=attributed)
        return [claims[text] for text in texts]

    def premises(
        self, sources: Sequence[Sequence[Summary]], granularity: PremiseGranularity = "sentence"
    ) -> list[list[SourcePremise]]:
        """Return the premises of each source, splitting each distinct review only once."""
        if granularity == "document":
            texts = [" ".join(filter(None, map(text_of, reviews))) for reviews in sources]
            return [[SourcePremise(premise=text, review=0, position=0)] for text in texts]
        distinct = dict.fromkeys(chain.from_iterable(sources))
        parts = {review: self._parts(review, granularity) for review in distinct}
        return [
            [
                SourcePremise(premise=premise, review=number, position=position)
                for number, review in enumerate(reviews)
                for premise, position in parts[review]
            ]
            for reviews in sources
        ]

    def _parts(self, review: Summary, granularity: PremiseGranularity) -> list[tuple[str, int]]:
        """Return the premises of a review, each with the index of its first sentence."""
        if granularity == "paragraph":
            parts, position = [], 0
            for paragraph in _paragraphs(text_of(review)):
                parts.append((paragraph, position))
                position += len(self.sentences(paragraph))
            return parts
        sentences = (
            list(map(without_citations, self.sentences(review))) if isinstance(review, str) else review
        )
        width = 2 if granularity == "two_sentences" else 1
        return [(" ".join(sentences[i : i + width]), i) for i in range(len(sentences))]

    def ask(
        self,
        readings: Sequence[Reading],
        examples: Sequence[Sequence[Example]],
        premise_tokens: int | None = None,
        best_by: BestBy | None = None,
    ) -> list[list[Judgements]]:
        """Judge every premise against every hypothesis of each example.

        The readings store the judgements and notes on them.

        Args:
            readings: readings of the rows.
            examples: for each row a list of (premises, hypotheses).
            premise_tokens: truncate premises to this number of tokens first; truncated pairs are counted.
            best_by: the score if only the best premise of a hypothesis counts: with ``pairs="likely"`` only
                premises that may be the best are judged.

        Raises:
            ClaimwiseError: if premises are to be truncated, but the judge does not support it.
        """
        judged = iter(self._judged(list(chain.from_iterable(examples)), premise_tokens, best_by))
        of_rows = [[next(judged) for _ in of_row] for of_row in examples]
        for reading, of_row, found in zip(readings, examples, of_rows, strict=True):
            for example, judgements in zip(of_row, found, strict=True):
                reading.add(example, judgements)
        return of_rows

    def ask_joined(
        self,
        readings: Sequence[Reading],
        premises: Sequence[Sequence[SourcePremise]],
        hypotheses: Sequence[Sequence[str]],
        chosen: Sequence[Sequence[Sequence[int]]],
        premise_tokens: int | None = None,
    ) -> list[Judgements]:
        """Judge each hypothesis against its chosen premises, joined into one.

        Args:
            readings: readings of the rows.
            premises: premises of each row.
            hypotheses: hypotheses of each row.
            chosen: for each row and hypothesis, the indices of the premises in the order of joining.
            premise_tokens: see ``ask``.

        Returns:
            Judgements of shape ``[1, hypotheses]`` per row.
        """
        examples: list[list[Example]] = [
            [
                ([" ".join(of_row[number].premise for number in numbers)], [hypothesis])
                for hypothesis, numbers in zip(of_texts, of_choice, strict=True)
            ]
            for of_row, of_texts, of_choice in zip(premises, hypotheses, chosen, strict=True)
        ]
        judged = self.ask(readings, examples, premise_tokens)
        return [joined(of_row).reshaped(1, len(of_row)) for of_row in judged]

    def _judged(
        self, examples: Sequence[Example], premise_tokens: int | None, best_by: BestBy | None
    ) -> list[Judgements]:
        """Return the judgements of examples; see ``ask``."""
        if premise_tokens is None:
            if isinstance(self.judge, FilteredJudge):
                return likely_of_examples(self.judge, examples, best_by)
            return cross(self.judge, examples)
        shorten = getattr(self.judge, "shorten", None)
        if shorten is None:
            raise ClaimwiseError(
                f"premise_tokens={premise_tokens} needs a judge that counts tokens; this judge does not.",
                "Leave it out, or use a local NLI model.",
                option="premise_tokens",
            )
        distinct = list(dict.fromkeys(premise for premises, _ in examples for premise in premises))
        shortened = dict(zip(distinct, shorten(distinct, premise_tokens), strict=True))
        cut = [([shortened[p] for p in ps], hypotheses) for ps, hypotheses in examples]
        return [
            replace(found, truncated=found.truncated | np.array([[shortened[p] != p] for p in premises]))
            for found, (premises, _) in zip(self._judged(cut, None, best_by), examples, strict=True)
        ]

    def _signature_parts(self) -> dict[str, object]:
        return {**self.judge.signature, **self.splitter.signature, **self.decomposer.signature}

    def _rows(self, checked: Mapping[str, Sequence[Any]], first_row: int = 0) -> list[Row]:
        """Warn of lists that seem to be reviews, passed to a metric that compares two summaries."""
        if self.references_are == "summaries" and set(self.spec.claims_in(checked)) == {"references"}:
            claims = chain.from_iterable(checked["references"])
            if (claim := next((one for one in claims if len(self.splitter(one)) > 1), None)) is not None:
                warn(
                    f"{self.name}: the lists in references are read as given claims, but {claim[:80]!r} has "
                    f"several sentences. If the lists are reviews, leave {self.name} out: it compares two "
                    f"summaries."
                )
        return super()._rows(checked, first_row)

    def _parts_with(self, columns: Collection[str]) -> dict[str, object]:
        """Return the parts of the signature; given claims replace the decomposer."""
        parts, decomposed = super()._parts_with(columns), self.spec.decomposed
        if given := [name for name in decomposed if name in columns]:
            for name in (*given, *(() if self._decomposes(columns) else self.decomposer.signature)):
                del parts[name]
            parts["claims"] = "given" if given == decomposed else f"given as {given[0]}"
        return parts

    def _decomposes(self, columns: Collection[str]) -> bool:
        """Return whether any text is decomposed, given the columns that the signature names."""
        return self.references_are == "references" or not set(self.spec.decomposed) <= set(columns)


def _usage(part: Any) -> Mapping[str, int]:
    """Return what a judge, several, or a decomposer has used so far; nothing for a name."""
    if isinstance(part, list | tuple):
        return sum((Counter(_usage(one)) for one in part), Counter())
    used: Mapping[str, int] = getattr(part, "used", {})
    return dict(used)


def _claims_of(sentences: Sequence[str], decomposed: Sequence[Decomposed]) -> Claims:
    """Return the claims of a text with the given sentences."""
    resolved = [found.resolved for found in decomposed if found.resolved is not None]
    return Claims(
        claims=[claim for found in decomposed for claim in found.claims],
        sentences=[s for s, found in zip(sentences, decomposed, strict=True) for _ in found.claims],
        numbers=[number for number, found in enumerate(decomposed) for _ in found.claims],
        fallbacks=sum(dict(zip(sentences, (found.failed for found in decomposed), strict=True)).values()),
        resolved=sum(resolved) if resolved else None,
        open=tuple(claim for found in decomposed for claim in found.open),
        stripped=tuple(words for found in decomposed for words in found.stripped),
    )


def texts_of(premises: Sequence[SourcePremise]) -> list[str]:
    """Return the texts of premises."""
    return [premise.premise for premise in premises]


def _paragraphs(text: str) -> list[str]:
    """Split at blank lines, or at line breaks if there are none, as the released code of SummaC does."""
    blank_line = r"\n[^\S\n]*\n"
    text = text.strip()
    pieces = re.split(blank_line if re.search(blank_line, text) else r"\n", text)
    return [piece.strip() for piece in pieces if has_content(piece)]
