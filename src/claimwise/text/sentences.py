"""Splitters: a text in, its sentences out."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

from claimwise.errors import ClaimwiseError
from claimwise.signature import tree_fingerprint
from claimwise.text.inputs import has_content

# "…the Cenotaph.Anzac Day…": a full stop between a word of at least three letters and a capitalised one.
MISSING_SPACE = re.compile(r"(?<=[^\W\d_]{3}[.!?])(?=[^\W\d_a-z][^\W\d_]*[\s',])")
# Abbreviations of reviews, after which a small letter or a number continues the sentence.
_ABBREVIATED = re.compile(
    r"\b(?:approx|appt|apt|apts|ave|avg|bldg|blvd|cf|ca|dept|e\.g|est|esp|etc|excl|ext|fl|flr|ft|gal|govt|hr|hrs|i\.e|"
    r"inc|incl|info|intl|kg|km|lb|lbs|lvl|max|mfr|mgmt|mgr|min|mins|misc|mi|mo|mos|no|nos|oz|pkg|pls|pp|ppl|qty|rd|"
    r"rec|ref|refs|reg|req|rest|rm|rms|sec|secs|sq|sqft|st|std|stn|ste|tel|temp|temps|univ|vac|vol|vols|vs|wk|wks|"
    r"yr|yrs|bfast|bkfst|cont|ctr|fig|hwy|jct|nr|op|orig|pg|pt|pts|resp|tbsp|tsp|w|pers|"
    r"(?-i:Mon|Tue|Tues|Wed|Thu|Thur|Thurs|Fri|Sat|Sun|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec))\.[\"')\]]*$",
    re.IGNORECASE,
)
_BEFORE_NOUN = re.compile(r"\b(?:incl|excl|approx|max|min|ca|ext|vs|w)\.$", re.IGNORECASE)
_ACRONYM = re.compile(r"[A-Z]{2,5}\b")
# The abbreviations that "nltk:untrained" knows: titles and words that precede a name.
ABBREVIATIONS = {"dr", "mr", "mrs", "ms", "mt", "prof", "st"}


class Splitter:
    """Splits texts into sentences with a named library.

    Args:
        name: ``"sentencex"``, ``"nltk"`` (Punkt, English), ``"nltk:untrained"`` (Punkt without its data,
            which knows few abbreviations) or ``"spacy:<model>"``.
        mend: insert missing spaces after full stops, and continue sentences after abbreviations of reviews.
        lines: split at line breaks first, which end sentences in plain form (see ``normalise.plain``); a
            piece without letters is then no sentence.

    Raises:
        ClaimwiseError: for an unknown name, or a library or model that is not installed.
    """

    def __init__(self, name: str = "sentencex", *, mend: bool = True, lines: bool = False) -> None:
        library, _, model = name.partition(":")
        trained: Path | None = None
        if library == "sentencex" and not model:
            self._split = _sentencex_splitter()
        elif library == "nltk" and not model:
            self._split, trained = _nltk_splitter()
        elif name == "nltk:untrained":
            self._split = _untrained_nltk_splitter()
        elif library == "spacy" and model:
            self._split, trained = _spacy_splitter(model)
        else:
            choices = "Choose `sentencex`, `nltk`, `nltk:untrained` or `spacy:MODEL`."
            raise ClaimwiseError(f"Unknown splitter `{name}`.", choices)
        content = "" if trained is None else f"-{tree_fingerprint(trained)}"
        self.signature = {"splitter": f"{name}-{version(library)}{content}"}
        self._mend, self._lines = mend, lines

    def __call__(self, text: str) -> list[str]:
        """Return the sentences of ``text``, stripped, in order.

        Pieces without any letter (a stray "!!") claim nothing and are left out; a text with letters has at
        least one sentence.
        """
        if self._lines and "\n" in text:
            return [sentence for line in text.split("\n") if line for sentence in self._sentences(line)]
        return self._sentences(text)

    def _sentences(self, text: str) -> list[str]:
        mended = MISSING_SPACE.sub(" ", text) if self._mend else text
        sentences = [piece.strip() for piece in self._split(mended)]
        if self._mend:
            sentences = _continued(sentences)
        if self._lines:
            return [sentence for sentence in sentences if any(map(str.isalpha, sentence))]
        return [sentence for sentence in sentences if has_content(sentence)]


def _continued(sentences: Sequence[str]) -> list[str]:
    """Join sentences that were split after an abbreviation."""
    joined: list[str] = []
    for sentence in sentences:
        goes_on = sentence[:1].islower() or sentence[:1].isdigit()
        before = joined[-1] if joined else ""
        takes_noun = _BEFORE_NOUN.search(before) and _ACRONYM.match(sentence)
        if (goes_on and _ABBREVIATED.search(before)) or takes_noun:
            joined[-1] = f"{joined[-1]} {sentence}"
        else:
            joined.append(sentence)
    return joined


def _sentencex_splitter() -> Callable[[str], list[str]]:
    from sentencex import segment

    return lambda text: list(segment("en", text))


def _nltk_splitter() -> tuple[Callable[[str], list[str]], Path]:
    """Return the splitter, and the folder of its data."""
    try:
        from nltk.data import find
        from nltk.tokenize import sent_tokenize

        sent_tokenize("Are the Punkt data there? They should be.")
        folder = Path(str(find("tokenizers/punkt_tab/english/")))
    except (ImportError, LookupError) as error:
        raise ClaimwiseError(
            "The splitter `nltk` needs the package nltk and its Punkt data.",
            "Run pip install nltk and python -m nltk.downloader punkt_tab, or use the default, `sentencex`.",
        ) from error
    return (lambda text: list(sent_tokenize(text))), folder


def _untrained_nltk_splitter() -> Callable[[str], list[str]]:
    from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer

    parameters = PunktParameters()
    parameters.abbrev_types = ABBREVIATIONS
    tokenizer = PunktSentenceTokenizer(parameters)
    return lambda text: list(tokenizer.tokenize(text))


def _spacy_splitter(model: str) -> tuple[Callable[[str], list[str]], Path]:
    """Return the splitter, and the folder of its model."""
    try:
        import spacy

        pipeline = spacy.load(model)
    except (ImportError, OSError) as error:
        raise ClaimwiseError(
            f"The splitter `spacy:{model}` needs spaCy and its model `{model}`.",
            f"Run pip install spacy and python -m spacy download {model}, or use the default, `sentencex`.",
        ) from error
    return (lambda text: [sentence.text for sentence in pipeline(text).sents]), Path(pipeline.path)
