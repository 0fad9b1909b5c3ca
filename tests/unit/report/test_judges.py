"""``claimwise judges test`` and ``agree``, with real judges of every kind."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chat_endpoint import Endpoint, completion
from chat_judge import answer_by_words
from command import Run, check_refused
from judges import WordJudge
from scoring import A, B
from tables import write_table
from tei_server import EmbeddedModel, TEIServer

from claimwise.errors import ClaimwiseError
from claimwise.judges import Judgements, NLIModel
from claimwise.judges.protocol import Pair
from claimwise.labels import LABELS
from claimwise.metrics import METRICS
from claimwise.report.judges import bank, check_judge, compare_judges, read_pairs

DEVICE = ("--option", "device=cpu")


class Swapped(WordJudge):
    """The embedded model with entailment and contradiction swapped."""

    def __init__(self, model: NLIModel) -> None:
        super().__init__()
        self.model = model

    def predict_pairs(self, pairs: Sequence[Pair]) -> Judgements:
        found = self.model.predict_pairs(pairs)
        return Judgements(np.ascontiguousarray(found.probabilities[:, ::-1]), found.truncated)


def test_the_bank_is_balanced_and_without_repetition() -> None:
    pairs = bank()

    assert Counter((pair.bank, LABELS[pair.label]) for pair in pairs) == {
        **{("plain", label): 6 for label in LABELS},
        **{("graded", label): 15 for label in LABELS},
    }
    assert len({pair[1:3] for pair in pairs}) == len(pairs)


def test_the_embedded_model_passes(nli_model: NLIModel) -> None:
    found = check_judge(nli_model)

    assert not [check for check in found if check.passed is False]
    names = [check.name for check in found]
    assert names[:3] == ["label order", "accuracy on graded pairs", "calibration on graded pairs"]
    assert names[-2:] == ["speed", "cost"]


def test_labels_in_a_wrong_order_are_named(nli_model: NLIModel) -> None:
    found = check_judge(Swapped(nli_model))

    order = found[0]
    assert order.passed is False
    assert "returns contradiction for entailment, entailment for contradiction" in order.remedy
    assert "`label_order`" in order.remedy


def test_the_command_says_what_fails_and_returns_1(run: Run, endpoint: Endpoint) -> None:
    endpoint.respond = answer_by_words

    done = run("judges", "test", f"openai:words@{endpoint.url}", "--option", "show_progress=false")

    assert done.code == 1
    assert "label order" in done.out
    assert "plain pairs correct" in done.out
    assert "requests" in done.out
    assert "✗ label order: It mislabels even plain pairs" in done.out


def test_the_command_passes_a_good_server(
    run: Run, nli_model: NLIModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    server = TEIServer(EmbeddedModel(nli_model))
    try:
        done = run("judges", "test", f"tei:{server.url}")
    finally:
        server.close()

    assert done.code == 0, done.out + done.err
    assert "tei:claimwise/embedded" in done.out
    assert "✗" not in done.out


def test_what_cannot_be_reached_or_chats_is_one_line(run: Run, endpoint: Endpoint) -> None:
    endpoint.respond = lambda _: completion("Let us talk.")

    check_refused(run("judges", "test", "nothing:x"), "nothing:x")
    chat = run("judges", "test", f"openai:m@{endpoint.url}", "--option", "show_progress=false")
    check_refused(chat, "no readable verdict", "prompt=")


def test_two_judges_are_compared(nli_model: NLIModel) -> None:
    pairs = [(pair.premise, pair.hypothesis) for pair in bank()]

    same = compare_judges(nli_model, nli_model, pairs)
    swapped = compare_judges(nli_model, Swapped(nli_model), pairs, examples=3)

    assert (same.share, same.kappa, same.examples) == (1, 1, ())
    assert swapped.counts.sum() == len(pairs)
    assert swapped.kappa is not None
    assert swapped.kappa < 0.1
    assert len(swapped.examples) == 3
    sure = [min(one.probabilities) for one in swapped.examples]
    assert sure == sorted(sure, reverse=True)


def test_agree_reads_tables_and_results_with_evidence(
    run: Run, tmp_path: Path, tiny_encoder: Path, nli_model: NLIModel
) -> None:
    table = tmp_path / "pairs.jsonl"
    write_table(table, premise=A, hypothesis=B)
    flags = ["--judge", "default", "--judge", tiny_encoder, *DEVICE]

    done = run("judges", "agree", table, *flags)

    assert done.code == 0, done.err
    assert "of 4 pairs; Cohen's kappa" in done.out
    assert "Disagreements, the strongest first" in done.out
    for name in ("caspr", "summac_zs", "support_counts"):
        options = {"support": "sentences"} if name == "support_counts" else {}
        metric = METRICS[name](judge=nli_model, **options)
        result = metric.compute(predictions=A[:1], references=B[:1], details=True)
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(result))
        pairs = read_pairs(path)
        assert len(pairs) == len(set(pairs)) > 1
    drawn = run("judges", "agree", tmp_path / "caspr.json", *flags, "--pairs", "2")
    assert "% of 2 of " in drawn.out


SCORED = '{"x": 1, "x_scores": [1], "x_signature": "x"%s}'


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("pairs.csv", "premise,claim\na,b\n", "neither the columns premise and hypothesis"),
        ("pairs.csv", "premise,hypothesis\na,\n", "hypothesis, row 1: the text is empty"),
        (
            "summaries.csv",
            "summary_a,summary_b\na,b\n",
            "neither the columns premise and hypothesis nor.* score METRIC FILE --details",
        ),
        ("result.json", "{", "not a JSON file"),
        ("result.json", '{"caspr": 3}', "not the result of a metric"),
        ("result.json", SCORED % "", "contains no evidence"),
        ("result.json", SCORED % ', "x_details": []', "contains no pairs"),
        ("result.json", SCORED % ', "x_details": [{"kind": "x", "score": 1}]', "which has no pairs"),
    ],
)
def test_a_file_without_pairs_is_refused(tmp_path: Path, name: str, content: str, said: str) -> None:
    path = tmp_path / name
    path.write_text(content)

    with pytest.raises(ClaimwiseError, match=said):
        read_pairs(path)


@pytest.mark.parametrize("judges", [["default"], ["default", "default"], ["default"] * 3])
def test_two_different_judges_are_needed(run: Run, tmp_path: Path, judges: list[str]) -> None:
    write_table(tmp_path / "pairs.jsonl", premise=A, hypothesis=B)
    flags: list[Any] = [part for judge in judges for part in ("--judge", judge)]

    check_refused(run("judges", "agree", "pairs.jsonl", *flags, *DEVICE), "judge")
