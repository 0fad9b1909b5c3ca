"""Loading a judge by name, by a URL-like string, or as an object."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from claimwise.errors import ClaimwiseError, without_credentials
from claimwise.nli.options import JudgeOptions, WhichPairs
from claimwise.nli.protocol import Judge
from claimwise.options import secrets
from claimwise.plugins import Parameters, load_registered, make, registered

GROUP = "claimwise.judges"
"""The entry points that add a judge: each a function of an address and of options that returns one."""

OF_THE_RUN = ("nli_model", "judge_weights", "pairs", "score_cache", "show_progress")
"""Options that are no judge's own; the others go to every judge that takes them."""

IN_FUNCTION = {"nli_revision": "revision"}
OTHERWISE = {"revision": "nli_revision"}
"""What a metric calls an option of a local model, and what the function that loads it does."""

READY_MADE = "a ready-made judge keeps its own options"

Judges = str | Path | Judge | Sequence[str | Path | Judge]


def load(options: JudgeOptions | Judges, **keywords: Any) -> Judge:
    """Return a judge that is ready to be asked.

    Args:
        options: of the judge, as a group; or the judge itself: an object, a name, or ``"NAME:ADDRESS"``,
            where an installed package registers NAME under ``claimwise.judges``; a list of several is the
            mean of their probabilities.
        **keywords: where the judge was given by name, further options of ``JudgeOptions``, or of its own.

    Raises:
        ClaimwiseError: for an unknown judge, one that cannot be loaded, or an option that it does not take.
    """
    judges: Any = options
    if isinstance(options, JudgeOptions):
        keywords = options.changed(JudgeOptions) | keywords
        judges = keywords.pop("nli_model", "default")
    run = {name: keywords.pop(name) for name in OF_THE_RUN if name in keywords}
    if (pairs := run.get("pairs", "all")) not in get_args(WhichPairs):
        raise ClaimwiseError(
            f"pairs must be one of {', '.join(map(repr, get_args(WhichPairs)))}; got {pairs!r}.",
            option="pairs",
        )
    perhaps: dict[str, Any] = {name: run[name] for name in ("show_progress", "score_cache") if name in run}
    made = [_kept(judge, run.get("score_cache")) for judge in make_judges(judges, keywords, perhaps)]
    weights = run.get("judge_weights")
    if len(made) != 1:
        from claimwise.nli.several import SeveralJudges

        judge: Judge = SeveralJudges(made, weights)
    elif weights is not None:
        raise ClaimwiseError(
            "judge_weights: without effect, for there is one judge.",
            "Give nli_model a list of several.",
            option="judge_weights",
        )
    else:
        (judge,) = made
    if pairs == "all":
        return judge
    from claimwise.nli.filter.judge import FilteredJudge

    return FilteredJudge(judge)


def make_judges(
    judges: Judges, options: Mapping[str, Any], perhaps: Mapping[str, Any] | None = None
) -> list[Any]:
    """Return judges, those that are named made with those of the options that they take.

    A server is not asked anything as yet.

    Args:
        judges: one or several, by name or as objects.
        options: see ``check_options``.
        perhaps: further options, which none need take.

    Raises:
        ClaimwiseError: see ``check_options``.
    """
    check_options(judges, options)
    return [
        judge if one is None else one.made(options, perhaps)
        for judge, one in zip(_listed(judges), _named(judges), strict=True)
    ]


def check_options(judges: Judges, options: Iterable[str]) -> None:
    """Refuse an option of their own that none of the judges takes; nothing is made.

    Raises:
        ClaimwiseError: naming it, and what can be given; and for a key that several judges would be given.
    """
    named = _named(judges)
    for option in options:
        takers = [one for one in named if one is not None and option in one.parameters]
        if not takers:
            if named[0] is not None and len(named) == 1:
                named[0].parameters.check(
                    [option], f"{option}: without effect, for the judge {named[0].text!r}"
                )
            raise ClaimwiseError(
                f"{option}: without effect, for {'no judge takes it' if any(named) else READY_MADE}.",
                "Leave it out.",
                option=option,
            )
        is_secret = bool(secrets([option.removesuffix("_env")]))
        if is_secret and len(takers) > 1 and not all(one.is_local for one in takers):
            raise ClaimwiseError(
                f"{option}: {len(takers)} judges would be given it.",
                "Make them in Python, each with its own, such as ChatJudge(model, url, api_key=…).",
                option=option,
            )


def make_for_estimate(options: JudgeOptions) -> dict[str, Any]:
    """Return each judge by its name, before a server is asked; None = it is not on this machine.

    Args:
        options: of one judge or several; no model is downloaded.
    """
    given = {k: v for k, v in options.changed(JudgeOptions).items() if k not in OF_THE_RUN}
    check_options(options.nli_model, given)
    made: dict[str, Any] = {}
    for judge, one in zip(_listed(options.nli_model), _named(options.nli_model), strict=True):
        if one is None:
            made[str(getattr(judge, "name", type(judge).__name__))] = judge
            continue
        try:
            local = {"local_files_only": True} if one.is_local else {}
            made[without_credentials(one.text)] = one.made({**given, **local}, None)
        except ClaimwiseError:
            if not one.is_local:
                raise
            made[one.text] = None
    return made


class _Named:
    """A judge that is still to be made."""

    def __init__(self, text: str) -> None:
        name = text.partition(":")[0]
        self.is_local = name == "local" or name not in registered(GROUP)
        self.text = text
        self._entry = text if name in registered(GROUP) else f"local:{text}"
        factory = load_registered(GROUP, self._entry.partition(":")[0], option="nli_model")
        self.parameters = Parameters(factory, has_address=":" in self._entry)
        if self.is_local:
            names = {OTHERWISE.get(name, name) for name in self.parameters.names}
            self.parameters.names = sorted(names - {*OF_THE_RUN})

    def made(self, options: Mapping[str, Any], perhaps: Mapping[str, Any] | None) -> Any:
        """Return the judge, made with those of the options that it takes."""
        own = {name: value for name, value in options.items() if name in self.parameters}
        if self.is_local:
            own = {IN_FUNCTION.get(name, name): value for name, value in own.items()}
        return make(GROUP, self._entry, own, option="nli_model", perhaps=perhaps)


def _listed(judges: Judges) -> list[Any]:
    return list(judges) if isinstance(judges, Sequence) and not isinstance(judges, str) else [judges]


def _named(judges: Judges) -> list[_Named | None]:
    """Return for each judge what makes it; None for one that is ready-made."""
    return [_Named(str(one)) if isinstance(one, str | Path) else None for one in _listed(judges)]


def _kept(judge: Any, score_cache: str | Path | None) -> Judge:
    """Return a judge, checked, whose answers are kept."""
    # Where answers cost money, the judge keeps each at once.
    keeps_itself = score_cache is not None and hasattr(judge, "kept_in")
    if keeps_itself:
        judge = judge.kept_in(score_cache)
    try:
        checked = _checked(judge)
    except ClaimwiseError as error:
        raise error.at(option=error.option or "nli_model") from None
    if score_cache is None or keeps_itself or getattr(judge, "score_cache", None) == score_cache:
        return checked
    from claimwise.nli.cached import CachedJudge

    return CachedJudge(checked, score_cache)


def _checked(judge: Any) -> Judge:
    remedy = "Pass a name, a folder, an NLIModel, or an object with fingerprint, signature and predict_pairs."
    problem = ""
    if isinstance(judge, type):
        problem = f"{judge.__name__} is a class, and no judge before it is called."
    elif not isinstance(judge, Judge):
        wanted = [name for name in ("fingerprint", "signature", "predict_pairs") if not hasattr(judge, name)]
        problem = f"a {type(judge).__name__} is no judge (it has no {', '.join(wanted)})."
    elif not isinstance(judge.signature, Mapping):
        problem = f"the signature of a {type(judge).__name__} is no mapping of names to strings."
    if problem:
        raise ClaimwiseError(f"nli_model: {problem}", remedy, option="nli_model")
    return judge  # type: ignore[no-any-return]
