"""Loading a judge by name, by a URL-like string, or as an object."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, get_args

from claimwise.errors import ClaimwiseError
from claimwise.nli.cached import CachedJudge
from claimwise.nli.filter.judge import FilteredJudge
from claimwise.nli.local import NLIModel
from claimwise.nli.options import METRIC_NAMES, OWN_NAMES, REMOTE, JudgeOptions, WhichPairs
from claimwise.nli.protocol import Judge
from claimwise.nli.several import SeveralJudges
from claimwise.plugins import load_registered, registered

GROUP = "claimwise.judges"
"""The entry points that add a judge: each a function of an address and of options that returns one."""


def load(options: JudgeOptions | str | Judge, **keywords: Any) -> Judge:
    """Return a judge.

    Args:
        options: of the judge, as a group; or the judge itself: an object, a name, or ``"NAME:ADDRESS"``,
            where an installed package registers NAME under ``claimwise.judges``; a list of several is the
            mean of their probabilities.
        **keywords: further options of ``JudgeOptions``, if the judge was given by name.

    Raises:
        ClaimwiseError: for an unknown judge, one that cannot be loaded, or an option that it does not take.
    """
    if not isinstance(options, JudgeOptions):
        options = JudgeOptions(nli_model=options, **keywords)
    given = options.changed(JudgeOptions)
    pairs = given.pop("pairs", "all")
    if pairs not in get_args(WhichPairs):
        raise ClaimwiseError(
            f"pairs must be one of {', '.join(map(repr, get_args(WhichPairs)))}; got {pairs!r}.",
            option="pairs",
        )
    judge = _every_pair(given)
    return judge if pairs == "all" else FilteredJudge(judge)


def _every_pair(given: dict[str, Any]) -> Judge:
    """Return the judge that is asked about every pair."""
    judge = given.pop("nli_model", "default")
    if isinstance(judge, Sequence) and not isinstance(judge, str) and len(judge) != 1:
        return _several(judge, given)
    if isinstance(judge, Sequence) and not isinstance(judge, str):
        (judge,) = judge
    if "judge_weights" in given:
        raise ClaimwiseError(
            "judge_weights: without effect, for there is one judge.",
            "Give nli_model a list of several.",
            option="judge_weights",
        )
    return _one(judge, given)


def _several(judges: Sequence[Any], given: dict[str, Any]) -> Judge:
    """Return the mean of judges, each made with those of the options that it takes."""
    weights = given.pop("judge_weights", None)
    score_cache = given.pop("score_cache", None)
    show_progress = {key: given.pop(key) for key in ("show_progress",) if key in given}
    taken = [{option for option in given if _takes_option(judge, option)} for judge in judges]
    if unknown := [option for option in given if not any(option in of_judge for of_judge in taken)]:
        raise ClaimwiseError(
            f"{', '.join(unknown)}: without effect, for none of the judges takes such an option.",
            f"Leave {'it' if len(unknown) == 1 else 'them'} out.",
            option=unknown[0],
        )
    cache = {} if score_cache is None else {"score_cache": score_cache}
    made: list[Judge] = []
    for judge, of_judge in zip(judges, taken, strict=True):
        options = {option: given[option] for option in of_judge}
        if isinstance(judge, NLIModel) and cache:
            made.append(CachedJudge(judge, score_cache))
        else:
            made.append(_one(judge, {**options, **cache, **show_progress}))
    return SeveralJudges(made, weights)


def _takes_option(judge: Any, option: str) -> bool:
    """Tell whether a judge that is still to be made takes an option of ``JudgeOptions``."""
    if not isinstance(judge, str | Path):
        return False
    name = str(judge).partition(":")[0]
    if name not in registered(GROUP) or name == "local":
        return option not in REMOTE
    return _takes(load_registered(GROUP, name, option="nli_model"), OWN_NAMES.get(option, option))


def _one(judge: Any, given: dict[str, Any]) -> Judge:
    """Return one judge, made with options."""
    if isinstance(judge, Path):
        judge = str(judge)
    if not isinstance(judge, str):
        return _ready_made(judge, given)
    name, _, address = judge.partition(":")
    if name not in registered(GROUP) or name == "local":
        if unknown := [option for option in given if option in REMOTE]:
            raise _without_effect(judge, unknown)
        renamed = {"nli_revision": "revision"}
        address = address if name == "local" else judge
        return NLIModel.from_pretrained(
            address, **{renamed.get(option, option): value for option, value in given.items()}
        )
    make = load_registered(GROUP, name, option="nli_model")
    # A judge whose answers cost money keeps them itself, each at once.
    score_cache = None if _takes(make, "score_cache") else given.pop("score_cache", None)
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
