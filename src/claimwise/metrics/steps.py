"""The steps that metrics share: texts → sentences → claims, sources → premises, both → matrices."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, Literal, NamedTuple, Self

import numpy as np

from claimwise.errors import ClaimwiseError
from claimwise.evidence.kinds import SourcePremise
from claimwise.metrics.base import Metric
from claimwise.nli.crossing import cross
from claimwise.nli.filter import BestBy
from claimwise.nli.filter.best import best_of_examples
from claimwise.nli.filter.judge import FilteredJudge, all_pairs
from claimwise.nli.loading import load as load_judge
from claimwise.nli.options import JudgeOptions
from claimwise.nli.protocol import Example, Judge, Judgements
from claimwise.nli.vacuous import CHOICES, VacuousClaims, find_vacuous
from claimwise.options import OptionGroup, option
from claimwise.signature import signature
from claimwise.text.claims import Decomposed, Decomposer, TextDecomposer, check_options, load_decomposer
from claimwise.text.inputs import has_content
from claimwise.text.kept import decompose_kept
from claimwise.text.options import DecomposerOptions, SplitterOptions
from claimwise.text.sentences import Splitter

PremiseGranularity = Literal["sentence", "two_sentences", "paragraph", "document", "topk"]


@dataclass(frozen=True, kw_only=True)
class NLIOptions(DecomposerOptions, SplitterOptions, JudgeOptions):
    """Options of every metric that goes text → claims → entailment matrix."""


@dataclass(frozen=True, kw_only=True)
class VacuousOptions(OptionGroup):
    """What becomes of claims that say nothing."""

    vacuous_claims: VacuousClaims = option(
        "keep",
        'claims that say nothing ("This hotel has rooms"): `"keep"`, `"drop"` them before scoring (unless a '
        'summary has no others), or keep and `"flag"` them in the evidence',
    )


class Claims(NamedTuple):
    """The claims of one text.

    Attributes:
        claims: their texts.
        sentences: for each the sentence it was made of.
        numbers: for each the number of that sentence in the text.
        fallbacks: how many sentences were left whole because they could not be decomposed.
        resolved: how many claims name what a pronoun stood for; None where the decomposer looks at none.
        open: the claims that begin with a pronoun whose meaning stands elsewhere.
    """

    claims: list[str]
    sentences: list[str]
    numbers: list[int]
    fallbacks: int = 0
    resolved: int | None = None
    open: tuple[str, ...] = ()

    def without(self, dropped: Sequence[str]) -> Claims:
        """Return the claims that are not ``dropped``; all of them if none would be left."""
        kept = [place for place, claim in enumerate(self.claims) if claim not in dropped]
        return self.at(kept) if kept else self

    def at(self, places: Sequence[int]) -> Claims:
        """Return the claims at some places."""
        return self._replace(
            claims=[self.claims[place] for place in places],
            sentences=[self.sentences[place] for place in places],
            numbers=[self.numbers[place] for place in places],
        )


class NLIMetric(Metric):
    """A metric that asks a judge about claims; its options inherit ``NLIOptions``."""

    def __init__(self, config_name: str = "default", **options: Any) -> None:
        super().__init__(config_name, **options)
        if own := self._decomposer_options:
            check_options(self.options.decomposer, own)

    def load(self) -> None:
        """Load the splitter, the decomposer and the judge."""
        _ = self.splitter, self.decomposer, self.judge

    @property
    def judge_used(self) -> Mapping[str, int]:
        """What the judge has used since it was loaded; see ``Metric``."""
        return getattr(self.__dict__.get("judge"), "used", {})

    @cached_property
    def splitter(self) -> Splitter:
        """The sentence splitter."""
        return Splitter(self.options.splitter)

    @cached_property
    def decomposer(self) -> Decomposer:
        """The decomposer of sentences into claims."""
        options = self.options
        decomposer = load_decomposer(
            options.decomposer, perhaps={"show_progress": options.show_progress}, **self._decomposer_options
        )
        if options.score_cache is not None and (kept_in := getattr(decomposer, "kept_in", None)) is not None:
            decomposer = kept_in(options.score_cache)
        return decomposer

    @cached_property
    def judge(self) -> Judge:
        """The judge of (premise, hypothesis) pairs."""
        return load_judge(self.options)

    def counting(self, judge: Judge, decomposer: Decomposer) -> Self:
        """Return a metric of the same options that asks another judge and decomposer, to count questions."""
        other = copy.copy(self)
        other.__dict__.update(judge=judge, decomposer=decomposer)
        return other

    @property
    def _decomposer_options(self) -> dict[str, Any]:
        """The options that were given for the decomposer."""
        given: dict[str, Any] = self.options.changed(DecomposerOptions)
        given.pop("decomposer", None)
        return given

    def claims(self, texts: Sequence[str], decomposer: Decomposer | None = None) -> list[Claims]:
        """Return the claims of each text.

        A decomposer that reads whole texts gets each distinct text once, another each distinct sentence.

        Args:
            texts: any.
            decomposer: another than that of the options.
        """
        sentences = {text: self.splitter(text) for text in dict.fromkeys(texts)}
        decomposer = decomposer or self.decomposer
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
        claims = {
            text: _claims_of(of_text, found)
            for (text, of_text), found in zip(sentences.items(), decomposed, strict=True)
        }
        return [claims[text] for text in texts]

    def claims_and_vacuous(self, claims: Sequence[Claims]) -> tuple[list[Claims], list[list[str]]]:
        """Return the claims to be scored, and the vacuous ones of each text, as the options want it."""
        wanted: VacuousClaims = self.options.vacuous_claims
        if wanted == "keep":
            return list(claims), [[] for _ in claims]
        found = find_vacuous(all_pairs(self.judge), [claim for of_text in claims for claim in of_text.claims])
        vacuous = [[claim for claim in of_text.claims if claim in found] for of_text in claims]
        if wanted == "flag":
            return list(claims), vacuous
        return [of_text.without(of_it) for of_text, of_it in zip(claims, vacuous, strict=True)], vacuous

    def premises(
        self, sources: Sequence[Sequence[str]], granularity: PremiseGranularity = "sentence"
    ) -> list[list[SourcePremise]]:
        """Return the premises of each source, splitting each distinct review once."""
        if granularity == "document":
            return [[SourcePremise(premise=" ".join(reviews), review=0, position=0)] for reviews in sources]
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

    def _parts(self, review: str, granularity: PremiseGranularity) -> list[tuple[str, int]]:
        """Return the premises of a review, each with the number of its first sentence."""
        if granularity == "paragraph":
            parts, position = [], 0
            for paragraph in _paragraphs(review):
                parts.append((paragraph, position))
                position += len(self.splitter(paragraph))
            return parts
        sentences = self.splitter(review)
        width = 2 if granularity == "two_sentences" else 1
        return [(" ".join(sentences[i : i + width]), i) for i in range(len(sentences))]

    def judgements(
        self,
        examples: Sequence[Example],
        premise_tokens: int | None = None,
        best_by: BestBy | None = None,
    ) -> list[Judgements]:
        """Return what the judge says of every premise with every hypothesis of each example.

        Args:
            examples: (premises, hypotheses) each.
            premise_tokens: cut premises behind so many tokens first; one that is cut counts as truncated.
            best_by: the score by which only the best premise of a hypothesis counts, if so: with
                ``pairs="likely"`` only premises that may be it are judged.

        Raises:
            ClaimwiseError: if premises are to be cut and the judge cannot.
        """
        if premise_tokens is None:
            return self._crossed(examples, best_by)
        shorten = getattr(self.judge, "shorten", None)
        if shorten is None:
            raise ClaimwiseError(
                f"premise_tokens={premise_tokens} needs a judge that counts tokens, and this one does not.",
                "Leave it out, or use a local NLI model.",
                option="premise_tokens",
            )
        premises = list(dict.fromkeys(premise for premises, _ in examples for premise in premises))
        shortened = dict(zip(premises, shorten(premises, premise_tokens), strict=True))
        judgements = self._crossed(
            [([shortened[premise] for premise in premises], hypotheses) for premises, hypotheses in examples],
            best_by,
        )
        was_cut = [
            np.array([[shortened[premise] != premise] for premise in premises]) for premises, _ in examples
        ]
        return [
            Judgements.of({**of_example.arrays(), "truncated": of_example.truncated | cut})
            for of_example, cut in zip(judgements, was_cut, strict=True)
        ]

    def _crossed(self, examples: Sequence[Example], best_by: BestBy | None) -> list[Judgements]:
        if best_by is not None and isinstance(self.judge, FilteredJudge):
            return best_of_examples(self.judge, examples, best_by)
        return cross(self.judge, examples)

    def judgements_of_joined(
        self,
        premises: Sequence[Sequence[SourcePremise]],
        hypotheses: Sequence[Sequence[str]],
        chosen: Sequence[Sequence[Sequence[int]]],
        premise_tokens: int | None = None,
    ) -> list[tuple[list[Example], list[Judgements]]]:
        """Return what the judge says of each hypothesis with the premises chosen for it, joined.

        Args:
            premises: of each row.
            hypotheses: of each row.
            chosen: of each row, for each hypothesis the numbers of the premises, in the order of joining.
            premise_tokens: see ``judgements``.

        Returns:
            Per row one example for each hypothesis, and its judgements, of shape ``[1, 1]``.
        """
        examples: list[list[Example]] = [
            [
                ([" ".join(of_row[number].premise for number in numbers)], [hypothesis])
                for hypothesis, numbers in zip(of_texts, of_choice, strict=True)
            ]
            for of_row, of_texts, of_choice in zip(premises, hypotheses, chosen, strict=True)
        ]
        judgements = iter(self.judgements(list(chain.from_iterable(examples)), premise_tokens))
        return [(of_row, [next(judgements) for _ in of_row]) for of_row in examples]

    def _signature_parts(self) -> dict[str, object]:
        return {
            **self.judge.signature,
            **self.splitter.signature,
            **self.decomposer.signature,
        }


def _claims_of(sentences: Sequence[str], decomposed: Sequence[Decomposed]) -> Claims:
    """Return the claims of a text with these sentences."""
    resolved = [found.resolved for found in decomposed if found.resolved is not None]
    return Claims(
        claims=[claim for found in decomposed for claim in found.claims],
        sentences=[s for s, found in zip(sentences, decomposed, strict=True) for _ in found.claims],
        numbers=[number for number, found in enumerate(decomposed) for _ in found.claims],
        fallbacks=sum(dict(zip(sentences, (found.failed for found in decomposed), strict=True)).values()),
        resolved=sum(resolved) if resolved else None,
        open=tuple(claim for found in decomposed for claim in found.open),
    )


def texts_of(premises: Sequence[SourcePremise]) -> list[str]:
    """Return the texts of premises."""
    return [premise.premise for premise in premises]


def check_choice(name: str, choice: object, choices: Sequence[str]) -> None:
    """Refuse an option that is none of ``choices``.

    Raises:
        ClaimwiseError: naming the option.
    """
    if choice not in choices:
        raise ClaimwiseError(
            f"{name} must be one of {', '.join(map(repr, choices))}; got {choice!r}.", option=name
        )


def check_vacuous(options: VacuousOptions) -> None:
    """Refuse an unknown way to treat vacuous claims.

    Raises:
        ClaimwiseError: naming the option.
    """
    check_choice("vacuous_claims", options.vacuous_claims, CHOICES)


def _paragraphs(text: str) -> list[str]:
    """Split at blank lines, or at line breaks where there are none, as the released code of SummaC does."""
    blank_line = r"\n[^\S\n]*\n"
    text = text.strip()
    pieces = re.split(blank_line if re.search(blank_line, text) else r"\n", text)
    return [piece.strip() for piece in pieces if has_content(piece)]
