"""Everything a score depends on is in the signature: every option is varied, and must change it.

The options are those that metrics, judges and decomposers declare. An option is varied by its declared
choices or limits, or by ``values``; ``needs`` has the options without which it has no effect. What no
signature contains is in ``claimwise.signature.NOT_SIGNED``.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Sequence
from dataclasses import Field, fields
from pathlib import Path
from typing import Any

import pytest
from judges import WordJudge
from tei_server import TEIServer, WordModel
from varied_options import URL, automatic, check, conv_weights, needs, values, write_named

from claimwise.judges import loading
from claimwise.metrics import METRICS
from claimwise.metrics.nli import NLIMetric
from claimwise.plugins import load_registered, registered
from claimwise.signature import NOT_SIGNED, unsigned
from claimwise.text import claims
from claimwise.text.claims import FunctionDecomposer, load_decomposer
from claimwise.text.sentences import Splitter


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what options name."""
    return write_named(tmp_path_factory.mktemp("named"))


# Metrics -----------------------------------------------------------------------------------------

OPTIONS_OF_METRICS = [
    (kind, option)
    for kind in METRICS.values()
    for option in fields(kind.Options)
    if option.name not in NOT_SIGNED
]


@pytest.mark.parametrize(
    ("kind", "option"), OPTIONS_OF_METRICS, ids=lambda one: getattr(one, "__name__", getattr(one, "name", ""))
)
def test_every_option_of_a_metric_is_in_its_signature(kind: Any, option: Field[Any], folder: Path) -> None:
    usual: dict[str, Any] = {}
    if issubclass(kind, NLIMetric):
        usual = {"judge": str(folder / "tiny"), "dtype": "float32", "device": "cpu"}
        usual |= {} if kind.name == "summac_zs" else {"decomposer": "sentences"}
    elif kind.name == "inverted_bertscore":
        usual = {"encoder": str(folder / "tiny"), "layer": 1, "device": "cpu"}

    def signature(**options: Any) -> str:
        if kind.name == "summac_conv" and "weights" not in options:
            options["weights"] = conv_weights(folder, options.get("bins", "percentile"))
        if isinstance(options.get("judge"), WordJudge):  # which has no such options
            options = {name: value for name, value in options.items() if name not in ("dtype", "device")}
        return str(kind(**options).signature())

    check(signature, kind.name, option.name, automatic(option), values(folder), needs(folder), usual)


def test_what_is_not_signed_is_an_option_of_something() -> None:
    parts = [kind.Options for kind in METRICS.values()]
    made = [load_registered(group, one) for group in PARTS for one in registered(group)]
    known = {name for group in parts for name in group.names()}
    known |= {name for one in made for name in inspect.signature(one).parameters}

    assert set(NOT_SIGNED) <= known
    assert all(NOT_SIGNED.values())


# Judges and decomposers --------------------------------------------------------------------------

PARTS = (loading.GROUP, claims.GROUP)
OWN = {(loading.GROUP, "local"): {"name"}, (claims.GROUP, "default"): {"folder"}}
"""Which model it is: "judge" above; and where its weights lie, whose content is below."""
OPTIONS_OF_PARTS = [
    (group, name, option)
    for group in PARTS
    for name in registered(group)
    for option in inspect.signature(load_registered(group, name)).parameters
    if option not in {*NOT_SIGNED, *OWN.get((group, name), ())} and (name, option) != ("tei", "url")
]


@pytest.mark.parametrize(("group", "name", "option"), OPTIONS_OF_PARTS)
def test_every_option_of_a_judge_or_decomposer_is_in_its_signature(
    group: str, name: str, option: str, folder: Path, tei: TEIServer
) -> None:
    factory = load_registered(group, name)
    tei.model.labels = ("LABEL_0", "LABEL_1", "LABEL_2")
    usual: dict[str, Any] = {
        "local": {"name": str(folder / "unnamed"), "label_order": ["entailment", "neutral", "contradiction"]},
        "openai": {"model": "m", "url": URL} | ({"ask": "pairs"} if group == loading.GROUP else {}),
        "tei": {"url": tei.url},
    }.get(name, {})
    if option == "samples":
        usual["temperature"] = 1.0

    taken = inspect.signature(factory).parameters

    def signature(**options: Any) -> str:
        made = factory(**{o: value for o, value in options.items() if o in taken})
        return json.dumps((made.probe() if hasattr(made, "probe") else made).signature)

    check(signature, name, option, [], values(folder), needs(folder), usual)


def test_a_server_is_signed_by_its_model_and_by_its_address_where_it_does_not_know_the_commit(
    tei: TEIServer,
) -> None:
    from claimwise.judges.tei import TEIJudge

    class Other(WordModel):
        sha = "1" * 40

    class Unknown(WordModel):
        sha = None  # type: ignore[assignment]

    servers = [tei, *(TEIServer(model) for model in (Other(), Unknown(), Unknown()))]
    try:
        signatures = {json.dumps(TEIJudge(server.url).probe().signature) for server in servers}
    finally:
        for server in servers[1:]:
            server.close()

    assert len(signatures) == 4


def test_a_prompt_is_signed_by_its_content(folder: Path) -> None:
    path = folder / "prompt1"
    before = load_decomposer(f"openai:m@{URL}", prompt=path).signature
    path.write_text(path.read_text() + " Be brief. {lines}")

    assert load_decomposer(f"openai:m@{URL}", prompt=path).signature != before


def test_the_data_of_a_splitter_are_signed_by_their_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import nltk

    punkt = tmp_path / "tokenizers" / "punkt_tab" / "english"
    punkt.mkdir(parents=True)
    for name in ("collocations.tab", "sent_starters.txt", "abbrev_types.txt", "ortho_context.tab"):
        (punkt / name).touch()
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    before = Splitter("nltk").signature
    (punkt / "abbrev_types.txt").write_text("approx\n")

    assert Splitter("nltk").signature != before


def test_a_wrapped_function_has_no_more_signature_than_the_function() -> None:
    def whole(sentences: Sequence[str]) -> list[list[str]]:
        return [[sentence] for sentence in sentences]

    class Signed:
        signature = "whole-1"

        def __call__(self, sentences: Sequence[str]) -> list[list[str]]:
            return whole(sentences)

    def of(decomposer: Any) -> list[str]:
        return unsigned(METRICS["caspr"](decomposer=decomposer).options)

    assert of(whole) == of(FunctionDecomposer(whole)) == ["decomposer"]
    assert of(Signed()) == of(FunctionDecomposer(Signed())) == []
