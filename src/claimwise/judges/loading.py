"""Loading a judge: by name, by a URL-like string, or made of an object."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from inspect import getattr_static
from pathlib import Path
from typing import Any, get_args

from claimwise.errors import ClaimwiseError
from claimwise.judges.given import as_judge, has_model_and_tokenizer
from claimwise.judges.options import WhichPairs
from claimwise.judges.protocol import Judge
from claimwise.options import check, secrets
from claimwise.plugins import Named, registered

GROUP = "claimwise.judges"
"""Entry points of judges: functions of an address and options that return a judge."""

RUN_OPTIONS = ("judge_weights", "pairs", "score_cache", "show_progress")
"""Options of ``load_judge`` itself; all others go to every judge that accepts them."""

REMEDY = (
    "Pass a name, a folder, an NLIModel, a function with a signature, a pipeline or a (model, tokenizer) of "
    "transformers, or an object with fingerprint, signature and predict_pairs."
)

Judges = str | Path | Judge | Sequence[str | Path | Judge]


def load_judge(
    judge: Judges = "default",
    *,
    judge_weights: Sequence[float] | None = None,
    pairs: WhichPairs = "all",
    score_cache: str | Path | None = None,
    show_progress: bool = True,
    **options: Any,
) -> Judge:
    """Return a judge that is ready for use.

    Args:
        judge: an object, a name, or ``"NAME:ADDRESS"``, where an installed package registers NAME under
            ``claimwise.judges``; a list of several judges averages their probabilities.
        judge_weights: weights of several judges; None = equal weights.
        pairs: ``"likely"`` = judge only pairs that are probably not neutral.
        score_cache: see ``with_cache``.
        show_progress: show progress bars.
        **options: options of the judge, if it is given by name; see ``claimwise.judges.options``.

    Raises:
        ClaimwiseError: for a judge that is unknown or cannot be loaded, or an option that it does not accept.
    """
    check("pairs", pairs, choices=get_args(WhichPairs))
    judges = []
    for made in make_judges(judge, options, {"show_progress": show_progress}):
        check_is_judge(made)
        judges.append(_probed(made if score_cache is None else with_cache(made, score_cache)))
    if len(judges) != 1:
        from claimwise.judges.several import SeveralJudges

        loaded: Judge = SeveralJudges(judges, judge_weights)
    elif judge_weights is not None:
        raise ClaimwiseError(
            "judge_weights has no effect, because there is only one judge.",
            "Pass a list of several judges as judge=.",
            option="judge_weights",
        )
    else:
        (loaded,) = judges
    if pairs == "all":
        return loaded
    from claimwise.judges.filter.judge import FilteredJudge

    return FilteredJudge(loaded)


def with_cache(judge: Judge, path: str | Path) -> Judge:
    """Return the judge with an SQLite file that keeps its probabilities, or its answers, for later runs."""
    from claimwise.judges.cache import CachedJudge

    # A judge whose answers cost money stores each of them at once.
    kept_in = getattr(judge, "kept_in", None)
    return CachedJudge(judge, path) if kept_in is None else kept_in(path)


def make_judges(judges: Judges, options: Mapping[str, Any], perhaps: Mapping[str, Any]) -> list[Any]:
    """Return judges; each judge given by name is created with the options that it accepts.

    No server is contacted.

    Args:
        judges: one or several, by name or as objects.
        options: see ``check_options``.
        perhaps: further options, which no judge needs to accept.

    Raises:
        ClaimwiseError: see ``check_options``.
    """
    named = named_judges(judges)
    check_options(named, options)
    return [
        judge.made_with(options, perhaps) if isinstance(judge, NamedJudge) else as_judge(judge)
        for judge in named
    ]


class NamedJudge(Named):
    """A judge given by name, before it is created."""

    def __init__(self, text: str) -> None:
        names = registered(GROUP)
        name = text.partition(":")[0]
        self.is_local = name == "local" or name not in names
        super().__init__(GROUP, text if name in names else f"local:{text}", "judge")
        self.text = text

    def made_with(self, options: Mapping[str, Any], perhaps: Mapping[str, Any]) -> Any:
        """Return the judge, created with the options that it accepts."""
        return self.made({name: value for name, value in options.items() if name in self}, perhaps)


def named_judges(judges: Judges) -> list[Any]:
    """Return one or several judges as a list, those given by name as ``NamedJudge``.

    A list that this function has returned stays as it is.
    """
    is_list = isinstance(judges, Sequence) and not isinstance(judges, str)
    several: list[Any] = list(judges) if is_list and not has_model_and_tokenizer(judges) else [judges]  # type: ignore[arg-type]
    return [NamedJudge(str(judge)) if isinstance(judge, str | Path) else judge for judge in several]


def check_options(judges: Judges, options: Iterable[str]) -> None:
    """Reject an option that none of the judges accepts; no judge is created.

    Raises:
        ClaimwiseError: naming the option and the accepted ones; or for a key that would go to several judges.
    """
    named = [judge for judge in named_judges(judges) if isinstance(judge, NamedJudge)]
    for option in options:
        takers = [judge for judge in named if option in judge]
        if not takers:
            if len(named) == 1:
                named[0].check([option])
            what = "no judge has this option" if named else "a ready-made judge keeps its own options"
            raise ClaimwiseError(f"{option} has no effect, because {what}.", "Leave it out.", option=option)
        is_secret = bool(secrets([option.removesuffix("_env")]))
        if is_secret and len(takers) > 1 and not all(judge.is_local for judge in takers):
            raise ClaimwiseError(
                f"{option} would go to {len(takers)} judges.",
                "Create each judge in Python with its own key, such as ChatJudge(model, url, api_key=…).",
                option=option,
            )


def check_is_judge(judge: Any) -> None:
    """Reject anything but a judge; no property is read, and nothing is sent.

    Raises:
        ClaimwiseError: saying what is missing.
    """
    absent = object()
    needed = ("fingerprint", "signature", "predict_pairs")
    missing = [name for name in needed if getattr_static(judge, name, absent) is absent]
    if isinstance(judge, type):
        problem = f"{judge.__name__} is a class; call it to create a judge."
    elif missing:
        problem = f"a {type(judge).__name__} is not a judge (it has no {', '.join(missing)})."
    else:
        return
    raise ClaimwiseError(f"judge: {problem}", REMEDY, option="judge")


def _probed(judge: Judge) -> Judge:
    """Return the judge, after it has found out what its signature depends on."""
    try:
        if (probe := getattr(judge, "probe", None)) is not None:
            judge = probe() or judge  # one in the mode that it found
        signature = judge.signature
    except ClaimwiseError as error:  # of a server, say
        raise error.at(option=error.option or "judge") from None
    if not isinstance(signature, Mapping):
        problem = f"the signature of a {type(judge).__name__} is not a mapping of names to strings."
        raise ClaimwiseError(f"judge: {problem}", REMEDY, option="judge")
    return judge
