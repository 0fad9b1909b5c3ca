"""The judge that the owner of a Space may add to its pages, by an environment variable.

Visitors choose it by a label and cannot name other judges: no input of a visitor becomes an address that this
process connects to, and no page shows the address of the owner's judge.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

from claimwise.errors import ClaimwiseError, TextError, at_place
from claimwise.judges.crossing import JudgeInFront, batches
from claimwise.judges.loading import RUN_OPTIONS, check_options, load_judge
from claimwise.judges.pairs import Ints, Pairs
from claimwise.judges.protocol import Judge, Judgements

VARIABLE = "CLAIMWISE_SPACE_JUDGE"
"""Environment variable with a value of ``judge``, or a JSON object of options with ``judge``."""

OWN = "own"
"""The value of ``judge`` that pages use for this judge."""

ADDRESSES = ("judge_server", "judge_url")
"""Parts of a signature that visitors do not see."""

logger = logging.getLogger(__name__)


def is_set() -> bool:
    """Return whether the owner has added a judge."""
    return bool(_given())


def check() -> None:
    """Reject an invalid value of the variable; nothing is sent.

    Raises:
        ClaimwiseError: naming the variable.
    """
    options = _options(_given())
    try:
        check_options(options.pop("judge"), options.keys() - {*RUN_OPTIONS})
    except ClaimwiseError as error:
        raise error.at(problem=at_place(VARIABLE, error.problem)) from None


def own_judge() -> Judge:
    """Return the owner's judge, shared by all visitors.

    Raises:
        ClaimwiseError: if it cannot be loaded; only the log contains the reason.
    """
    with _guarded():
        return _loaded(_given())


class OwnJudge(JudgeInFront):
    """A judge whose address and failures are shown only to its owner."""

    def __repr__(self) -> str:
        return "the judge of this Space"

    @property
    def signature(self) -> Mapping[str, str]:
        """Signature of the judge, without addresses."""
        return {
            name: "of-this-space" if name in ADDRESSES else value
            for name, value in self.judge.signature.items()
        }

    def predict_batches(self, pairs: Pairs) -> Iterator[tuple[Ints, Judgements]]:
        """Yield the judgements in batches of rows."""
        with _guarded():
            yield from batches(self.judge, pairs)

    def __getattr__(self, name: str) -> Any:
        if name not in ("predict_blocks", "shorten"):  # only if the judge has it
            return super().__getattr__(name)
        method = getattr(self.__dict__.get("judge"), name)

        def guarded(*arguments: Any) -> Any:
            with _guarded():
                return method(*arguments)

        return guarded


def _given() -> str:
    return os.environ.get(VARIABLE, "").strip()


def _options(given: str) -> dict[str, Any]:
    remedy = 'Set it to a judge, such as tei:http://host:8080, or to a JSON object such as {"judge": "…"}.'
    try:
        options = json.loads(given) if given.startswith("{") else {"judge": given}
    except ValueError:
        raise ClaimwiseError(f"{VARIABLE} is not a JSON object.", remedy) from None  # it may contain a token
    if not options.get("judge"):
        raise ClaimwiseError(f"{VARIABLE} does not name a judge.", remedy)
    return {"show_progress": False, **options}


@cache
def _loaded(given: str) -> Judge:
    return OwnJudge(load_judge(**_options(given)))


@contextmanager
def _guarded() -> Iterator[None]:
    """Log errors, and show visitors only that something failed."""
    try:
        yield
    except TextError:
        raise
    except ClaimwiseError as error:
        logger.error("The judge of this Space failed: %s", error)
        raise ClaimwiseError(
            "The judge of this Space has failed.", "Choose another one.", option="judge"
        ) from None
