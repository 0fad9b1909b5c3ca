"""Loading a judge by name, by a URL-like string, or as an object."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from claimwise.errors import ClaimwiseError, without_credentials
from claimwise.nli.given import as_judge, has_model_and_tokenizer
from claimwise.nli.options import JudgeOptions, WhichPairs
from claimwise.nli.protocol import Judge
from claimwise.options import check, secrets
from claimwise.plugins import Named, registered

GROUP = "claimwise.judges"
"""Entry points of judges: functions of an address and options that return a judge."""

OF_THE_RUN = ("nli_model", "judge_weights", "pairs", "score_cache", "show_progress")
"""Options that belong to no judge; all others go to every judge that accepts them."""

Judges = str | Path | Judge | Sequence[str | Path | Judge]


def load(options: JudgeOptions | Judges, **keywords: Any) -> Judge:
    """Return a judge that is ready for use.

    Args:
        options: options of the judge, as a group; or the judge itself: an object, a name, or
            ``"NAME:ADDRESS"``, where an installed package registers NAME under ``claimwise.judges``; a list
            of several judges averages their probabilities.
        **keywords: for a judge given by name, further options of ``JudgeOptions`` or of the judge.

    Raises:
        ClaimwiseError: for a judge that is unknown or cannot be loaded, or an option that it does not accept.
    """
    judges: Any = options
    if isinstance(options, JudgeOptions):
        keywords = options.changed(JudgeOptions) | keywords
        judges = keywords.pop("nli_model", "default")
    run = {name: keywords.pop(name) for name in OF_THE_RUN if name in keywords}
    check("pairs", pairs := run.get("pairs", "all"), choices=get_args(WhichPairs))
    perhaps: dict[str, Any] = {name: run[name] for name in ("show_progress", "score_cache") if name in run}
    made = [_kept(judge, run.get("score_cache")) for judge in make_judges(judges, keywords, perhaps)]
    weights = run.get("judge_weights")
    if len(made) != 1:
        from claimwise.nli.several import SeveralJudges

        judge: Judge = SeveralJudges(made, weights)
    elif weights is not None:
        raise ClaimwiseError(
            "judge_weights has no effect, because there is only one judge.",
            "Pass a list of several judges as nli_model.",
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
    """Return judges; each judge given by name is created with the options that it accepts.

    No server is contacted.

    Args:
        judges: one or several, by name or as objects.
        options: see ``check_options``.
        perhaps: further options, which no judge needs to accept.

    Raises:
        ClaimwiseError: see ``check_options``.
    """
    check_options(judges, options)
    return [
        one.made(options, perhaps or {}) if isinstance(one, _Judge) else as_judge(one)
        for one in _listed(judges)
    ]


def check_options(judges: Judges, options: Iterable[str]) -> None:
    """Reject an option that none of the judges accepts; no judge is created.

    Raises:
        ClaimwiseError: naming the option and the accepted ones; or for a key that would go to several judges.
    """
    named = [one for one in _listed(judges) if isinstance(one, _Judge)]
    for option in options:
        takers = [one for one in named if option in one]
        if not takers:
            if len(named) == 1:
                named[0].check([option])
            what = "no judge has this option" if named else "a ready-made judge keeps its own options"
            raise ClaimwiseError(f"{option} has no effect, because {what}.", "Leave it out.", option=option)
        is_secret = bool(secrets([option.removesuffix("_env")]))
        if is_secret and len(takers) > 1 and not all(one.is_local for one in takers):
            raise ClaimwiseError(
                f"{option} would go to {len(takers)} judges.",
                "Create each judge in Python with its own key, such as ChatJudge(model, url, api_key=…).",
                option=option,
            )


def make_for_estimate(options: JudgeOptions) -> dict[str, Any]:
    """Return the judges by name without contacting a server; None = not on this machine.

    Args:
        options: options of one or several judges; no model is downloaded.
    """
    given = {k: v for k, v in options.changed(JudgeOptions).items() if k not in OF_THE_RUN}
    check_options(options.nli_model, given)
    made: dict[str, Any] = {}
    for judge in _listed(options.nli_model):
        if not isinstance(judge, _Judge):
            judge = as_judge(judge)
            made[str(getattr(judge, "name", type(judge).__name__))] = judge
            continue
        try:
            local = {"local_files_only": True} if judge.is_local else {}
            made[without_credentials(judge.shown)] = judge.made({**given, **local}, {})
        except ClaimwiseError:
            if not judge.is_local:
                raise
            made[judge.shown] = None
    return made


class _Judge(Named):
    """A judge before it is created; options of local judges have the names that metrics use."""

    def __init__(self, text: str) -> None:
        name, names = text.partition(":")[0], registered(GROUP)
        self.is_local, self.shown = name == "local" or name not in names, text
        super().__init__(GROUP, text if name in names else f"local:{text}", "nli_model")
        self.text = text
        if self.is_local:
            self.parameters = ["nli_revision" if one == "revision" else one for one in self.parameters]

    def made(self, options: Mapping[str, Any], perhaps: Mapping[str, Any]) -> Any:
        """Return the judge, created with the options that it accepts."""
        own = {name: value for name, value in options.items() if name in self}
        if "nli_revision" in own and self.is_local:
            own["revision"] = own.pop("nli_revision")
        return super().made(own, perhaps)


def _listed(judges: Judges) -> list[Any]:
    """Return judges, those given by name as ``_Judge``."""
    several: list[Any] = [judges]
    if isinstance(judges, Sequence) and not isinstance(judges, str) and not has_model_and_tokenizer(judges):
        several = list(judges)
    return [_Judge(str(one)) if isinstance(one, str | Path) else one for one in several]


def _probed(judge: Any) -> Any:
    """Return the judge that has found out what its signature depends on: itself, or one in a mode."""
    probed = probe() if (probe := getattr(judge, "probe", None)) is not None else None
    return judge if probed is None else probed


def _kept(judge: Any, score_cache: str | Path | None) -> Judge:
    """Return a checked judge with a score cache."""
    # A judge whose answers cost money stores each of them at once.
    keeps_itself = score_cache is not None and hasattr(judge, "kept_in")
    if keeps_itself:
        judge = judge.kept_in(score_cache)
    remedy = (
        "Pass a name, a folder, an NLIModel, a function with a signature, a pipeline or a (model, tokenizer) "
        "of transformers, or an object with fingerprint, signature and predict_pairs."
    )
    problem = ""
    try:
        if isinstance(judge, type):
            problem = f"{judge.__name__} is a class; call it to create a judge."
        elif not isinstance(judge, Judge):
            needed = ("fingerprint", "signature", "predict_pairs")
            wanted = ", ".join(name for name in needed if not hasattr(judge, name))
            problem = f"a {type(judge).__name__} is not a judge (it has no {wanted})."
        elif not isinstance((judge := _probed(judge)).signature, Mapping):
            problem = f"the signature of a {type(judge).__name__} is not a mapping of names to strings."
    except ClaimwiseError as error:  # of a server, say
        raise error.at(option=error.option or "nli_model") from None
    if problem:
        raise ClaimwiseError(f"nli_model: {problem}", remedy, option="nli_model")
    if score_cache is not None and not keeps_itself and getattr(judge, "score_cache", None) != score_cache:
        from claimwise.nli.cache import CachedJudge

        judge = CachedJudge(judge, score_cache)
    return judge  # type: ignore[no-any-return]
