"""spaCy's English tokenizer, with the few habits of the treebank that it lacks."""

from __future__ import annotations

from typing import Any

REPEATED = [r"[!?]{2,}", r"[.!?]*[!?][.!?]+", r"\*{2,}", r"={2,}", r"_{2,}", r"~{2,}", r"<{2,}", r">{2,}"]
TIME_OF_DAY = r"(?<=[0-9])(?:[ap]m|[AP]M|[ap]\.m\.|[AP]\.M\.)"
SPECIAL_CASES = {
    "wanna": ["wan", "na"],
    "Wanna": ["Wan", "na"],
    "e-mail": ["e-mail"],
    "e-mails": ["e-mails"],
    "E-mail": ["E-mail"],
}
# spaCy splits "id" into "i d" and keeps "and/or" whole; the treebank more often does the opposite.
EXCEPTIONS_LEFT_OUT = ["id", "Id", "and/or"]


def treebank_tokenizer(pipeline: Any) -> Any:
    """Return the tokenizer of ``pipeline`` with runs of punctuation kept together and times of day split off.

    The result is data (regular expressions and a table), saved with the pipeline: loading needs no file here.
    """
    from spacy.symbols import ORTH
    from spacy.util import compile_infix_regex, compile_prefix_regex, compile_suffix_regex

    defaults, tokenizer = pipeline.Defaults, pipeline.tokenizer
    tokenizer.prefix_search = compile_prefix_regex([*REPEATED, *defaults.prefixes]).search
    tokenizer.suffix_search = compile_suffix_regex([*REPEATED, TIME_OF_DAY, *defaults.suffixes]).search
    tokenizer.infix_finditer = compile_infix_regex([*REPEATED, *defaults.infixes]).finditer
    rules = {text: rule for text, rule in tokenizer.rules.items() if text not in EXCEPTIONS_LEFT_OUT}
    tokenizer.rules = {
        **rules,
        **{text: [{ORTH: word} for word in words] for text, words in SPECIAL_CASES.items()},
    }
    return tokenizer
