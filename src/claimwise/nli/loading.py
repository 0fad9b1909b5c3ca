"""Loading a judge by name, by a URL-like string, or as an object."""

from __future__ import annotations

import re
from collections.abc import Mapping
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

from claimwise.errors import ClaimwiseError
from claimwise.nli.cached import CachedJudge
from claimwise.nli.local import NLIModel
from claimwise.nli.options import METRIC_NAMES, OWN_NAMES, JudgeOptions
from claimwise.nli.protocol import Judge
from claimwise.plugins import load_registered, registered

GROUP = "claimwise.judges"
"""The entry points that add a judge: each a function of an address and of options that returns one."""


def load(options: JudgeOptions | str | Judge, **keywords: Any) -> Judge:
    """Return a judge.

    Args:
        options: of the judge, as a group; or the judge itself: an object, a name, or ``"NAME:ADDRESS"``,
            where an installed package registers NAME under ``claimwise.judges``.
        **keywords: further options of ``JudgeOptions``, if the judge was given by name.

    Raises:
        ClaimwiseError: for an unknown judge, one that cannot be loaded, or an option that it does not take.
    """
    if not isinstance(options, JudgeOptions):
        options = JudgeOptions(nli_model=options, **keywords)
    given = options.changed(JudgeOptions)
    judge = given.pop("nli_model", "default")
    if isinstance(judge, Path):
        judge = str(judge)
    if not isinstance(judge, str):
        return _ready_made(judge, given)
    name, _, address = judge.partition(":")
    if name not in registered(GROUP) or name == "local":
        if unknown := [option for option in given if option in OWN_NAMES]:
            raise _without_effect(judge, unknown)
        renamed = {"nli_revision": "revision"}
        address = address if name == "local" else judge
        return NLIModel.from_pretrained(
            address, **{renamed.get(option, option): value for option, value in given.items()}
        )
    score_cache = given.pop("score_cache", None)
    make = load_registered(GROUP, name, option="nli_model")
    if "show_progress" in given and not _takes(make, "show_progress"):
        del given["show_progress"]  # other bars than the judge's heed it
    own = {option: OWN_NAMES.get(option, option) for option in given}
    if unknown := [option for option in given if not _takes(make, own[option])]:
        raise _without_effect(judge, unknown)
    keywords = {own[option]: value for option, value in given.items()}
    if "option_names" in signature(make).parameters:
        keywords["option_names"] = METRIC_NAMES
    try:
        made = make(address, **keywords)
    except TypeError as error:
        raise ClaimwiseError(
            f"The judge {_shown(judge)!r} cannot be made ({error}).",
            "It must be a function of an address and of options.",
            option="nli_model",
        ) from error
    _checked(made)
    return made if score_cache is None else CachedJudge(made, score_cache)


def _without_effect(judge: str, options: list[str]) -> ClaimwiseError:
    return ClaimwiseError(
        f"{', '.join(options)}: without effect, for the judge {_shown(judge)!r} takes no such option.",
        f"Leave {'it' if len(options) == 1 else 'them'} out.",
        option=options[0],
    )


def _shown(judge: str) -> str:
    """Return the name of a judge without what may be secret in an address."""
    return re.sub(r"//[^/@]*@", "//***@", judge.partition("?")[0])


def _takes(make: Any, option: str) -> bool:
    """Tell whether a function takes a keyword."""
    parameters = signature(make).parameters
    return option in parameters or any(p.kind is Parameter.VAR_KEYWORD for p in parameters.values())


def _ready_made(judge: Any, given: dict[str, Any]) -> Judge:
    _checked(judge)
    given.pop("show_progress", None)  # other bars than the judge's heed it
    if isinstance(judge, NLIModel) and given:
        raise ClaimwiseError(
            f"{', '.join(given)}: a ready-made NLIModel keeps its own.",
            "Give them to NLIModel.from_pretrained instead.",
            option=next(iter(given)),
        )
    score_cache = given.pop("score_cache", None)
    if given:
        raise ClaimwiseError(
            f"{', '.join(given)}: a ready-made judge keeps its own.",
            "Leave them out.",
            option=next(iter(given)),
        )
    return judge if score_cache is None else CachedJudge(judge, score_cache)


def _checked(judge: Any) -> Judge:
    remedy = "Pass a name, a folder, an NLIModel, or an object with fingerprint, signature and predict_pairs."
    if isinstance(judge, type):
        raise ClaimwiseError(
            f"nli_model: {judge.__name__} is a class, and no judge before it is called.",
            remedy,
            option="nli_model",
        )
    if not isinstance(judge, Judge):
        wanted = [name for name in ("fingerprint", "signature", "predict_pairs") if not hasattr(judge, name)]
        raise ClaimwiseError(
            f"nli_model: a {type(judge).__name__} is no judge (it has no {', '.join(wanted)}).",
            remedy,
            option="nli_model",
        )
    if not isinstance(judge.signature, Mapping):
        raise ClaimwiseError(
            f"nli_model: the signature of a {type(judge).__name__} is no mapping of names to strings.",
            remedy,
            option="nli_model",
        )
    return judge
