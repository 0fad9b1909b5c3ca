"""The Distinctiveness Score: the share of tokens that two summaries do not have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version

from claimwise.errors import ClaimwiseError
from claimwise.evidence.kinds import TokenEvidence
from claimwise.metrics.base import Metric
from claimwise.metrics.rows import Row, RowScore
from claimwise.metrics.spec import OTHER_SUMMARIES, REPAIRED, SUMMARIES, Choice, Column, MetricSpec, bibtex
from claimwise.options import OptionGroup, option
from claimwise.scores.distinctiveness import distinctiveness_score
from claimwise.text.tokens import load_stemmer, load_tokenizer, tokenizer_name


@dataclass(frozen=True, kw_only=True)
class DistinctivenessOptions(OptionGroup):
    """Options of the Distinctiveness Score."""

    tokenizer: str | Callable[[str], list[str]] = option(
        "words_and_punctuation",
        '`"words_and_punctuation"`, `"words"`, `"treebank"`, or a function from text to tokens',
        flag="Tokenizer of metrics that compare words: words_and_punctuation, words or treebank.",
    )
    stemmer: str = option(
        "english",
        'a Snowball language such as `"english"`, `"nltk_porter"`, or `"none"`',
        flag="Stemmer of metrics that compare words: a Snowball language, nltk_porter or none.",
    )


class DistinctivenessScore(Metric):
    """Distinctiveness Score (Iso et al. 2022, modified by the CASPR paper).

    In [0, 100]: 0 = the same bag of tokens, 100 = no token in common.
    """

    Options = DistinctivenessOptions
    spec = MetricSpec(
        name="distinctiveness_score",
        title="Distinctiveness Score",
        family="contrast",
        question="how little do their tokens overlap?",
        description=(
            "The Distinctiveness Score is the share of tokens that two summaries, of two entities, do not "
            "have in common. It compares words, not meanings: a paraphrase looks like contrast, and a "
            "negation hardly counts."
        ),
        bounds=(0, 100),
        quality="distinctive",
        ends=("the same tokens", "none shared"),
        unit="%",
        columns=(
            SUMMARIES,
            OTHER_SUMMARIES,
            Column(
                name="common", meaning="a summary of what both entities have in common (A∩B)", required=False
            ),
        ),
        rows="pair",
        mean_over="pairs",
        counts=REPAIRED,
        configurations={
            "default": {},
            "words": {"tokenizer": "words", "stemmer": "none"},
            "paper": {},
        },
        choices=(
            Choice(
                title="Tokens",
                values={"words and punctuation": {}, "words only": {"tokenizer": "words"}},
            ),
            Choice(title="Stemming", values={"English (Snowball)": {}, "none": {"stemmer": "none"}}),
        ),
        source="Iso et al. 2022; two-summary form of Ananthamurugan et al. 2024",
        citation=bibtex("iso2022comparative"),
        urls=("https://github.com/megagonlabs/cocosum",),
    )

    def load(self) -> None:
        """Load the tokenizer and the stemmer."""
        _ = self._tokens

    @cached_property
    def _tokens(self) -> Callable[[str], list[str]]:
        tokenize, stem = load_tokenizer(self.options.tokenizer), load_stemmer(self.options.stemmer)
        return lambda text: stem(tokenize(text))

    def score_rows(self, rows: Sequence[Row], *, details: bool = False) -> list[RowScore]:
        """Return the score of each pair; with ``details`` also the shared tokens."""
        return [self._row_score(row, details) for row in rows]

    def _row_score(self, row: Row, details: bool) -> RowScore:
        a, b = self._tokens(row.text), self._tokens(str(row.reference))
        common = row.further.get("common")
        try:
            score = distinctiveness_score(a, b, None if common is None else self._tokens(common))
        except ClaimwiseError as error:
            raise error.at(row=row.number) from None
        evidence = None
        if details:
            evidence = TokenEvidence(
                score=score,
                shared=tuple(sorted(set(a) & set(b))),
                only_a=tuple(sorted(set(a) - set(b))),
                only_b=tuple(sorted(set(b) - set(a))),
            )
        return RowScore(score=score, counts=row.counts, evidence=evidence)

    def _signature_parts(self) -> dict[str, object]:
        stemmer, tokenizer = self.options.stemmer, tokenizer_name(self.options.tokenizer)
        needs_nltk = stemmer == "nltk_porter" or tokenizer == "treebank"
        if stemmer not in (None, "none", "nltk_porter"):
            stemmer = f"{stemmer}-snowball-{version('snowballstemmer')}"
        nltk = {"nltk": version("nltk")} if needs_nltk else {}
        return {"tokenizer": tokenizer, "stemmer": stemmer, **nltk, "bags": "multisets"}
