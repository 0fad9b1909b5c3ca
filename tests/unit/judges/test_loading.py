"""Judges: ready-made ones of one's own, those that packages register, and what is refused."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from judges import BatchJudge, BlockJudge, WordJudge, make_judge
from scoring import NEEDED, A, B

from claimwise.errors import ClaimwiseError
from claimwise.judges import Judgements, NLIModel, cache, load_judge
from claimwise.judges.crossing import check_judgements, cross, gather
from claimwise.judges.pairs import Pairs
from claimwise.judges.protocol import Example, Pair
from claimwise.metrics import METRICS
from claimwise.metrics.nli import NLIMetric

NLI_METRICS = [name for name in METRICS if issubclass(METRICS[name], NLIMetric)]
every_nli_metric = pytest.mark.parametrize("name", NLI_METRICS)
PAIRS = [("The pool is warm.", "The pool is cold."), ("It rained.", "Nobody slept."), ("a", "a")]


@pytest.fixture
def weights(tmp_path: Path) -> dict[str, Any]:
    """The weights that SummaC-Conv needs, by metric: as if fitted without a judge."""
    import torch
    from safetensors.torch import save_file

    path = tmp_path / "weights.safetensors"
    shapes = {"mlp.weight": (1, 50), "mlp.bias": (1,), "layer_final.weight": (2, 3), "layer_final.bias": (2,)}
    shapes["mlp.weight"] = (1, len(METRICS["summac_conv"](weights="")._edges) - 1)  # type: ignore[attr-defined]
    generator = torch.Generator().manual_seed(1)
    save_file({key: torch.randn(shape, generator=generator) for key, shape in shapes.items()}, path)
    return {"summac_conv": {"weights": path}, **NEEDED}


# ---------------------------------------------------------------------------------------------
# A judge of one's own
# ---------------------------------------------------------------------------------------------


@every_nli_metric
def test_a_judge_of_ones_own_works_in_every_metric_by_pairs_batches_and_blocks(
    name: str, weights: dict[str, Any]
) -> None:
    def result(judge: WordJudge) -> dict[str, Any]:
        metric = METRICS[name](judge=judge, **weights.get(name, {}))
        found = metric.compute(predictions=A, references=B, details=True)
        assert judge.asked > 0
        return found

    by_pairs = result(WordJudge())

    assert "|judge:words|longest:12|" in by_pairs[f"{name}_signature"]
    assert by_pairs == result(BatchJudge()) == result(BlockJudge())


def test_a_score_cache_that_is_read_in_blocks_asks_for_what_it_lacks_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "READ_AT_ONCE", 3)
    pairs = [(f"Room {number} is warm.", f"Room {number} is cold and {number}.") for number in range(11)]
    judge = WordJudge()
    load_judge(judge, score_cache=tmp_path / "scores").predict_pairs(pairs[4:9])

    found = load_judge(judge, score_cache=tmp_path / "scores").predict_pairs(pairs)

    assert judge.asked == len(pairs)
    np.testing.assert_array_equal(found.probabilities, WordJudge().predict_pairs(pairs).probabilities)


@every_nli_metric
@pytest.mark.parametrize("kind", [WordJudge, BatchJudge, BlockJudge])
def test_with_a_score_cache_the_second_run_asks_nothing(
    name: str, kind: type[WordJudge], weights: dict[str, Any], tmp_path: Path
) -> None:
    def run(judge: WordJudge, **options: Any) -> dict[str, Any]:
        metric = METRICS[name](judge=judge, **weights.get(name, {}), **options)
        return metric.compute(predictions=A, references=B, details=True)

    first, second = kind(), kind()
    results = [run(judge, score_cache=tmp_path / "scores.sqlite") for judge in (first, second)]

    assert first.asked > 0
    assert second.asked == 0
    assert results[0] == results[1] == run(kind())


def test_a_score_cache_keeps_judges_of_other_fingerprints_apart(tmp_path: Path) -> None:
    for longest in (12, 1):
        judge = WordJudge(longest)
        load_judge(judge, score_cache=tmp_path / "scores.sqlite").predict_pairs(PAIRS)
        assert judge.asked == len(PAIRS)


def test_a_pair_that_rows_share_is_asked_once() -> None:
    judge = WordJudge()

    METRICS["caspr"](judge=judge, decomposer="sentences").compute(
        predictions=["The pool is warm."] * 5, references=["The bar is open."] * 5
    )

    assert judge.asked == 2  # both ways


class Wrong(WordJudge):
    """Answers with whatever it is given."""

    def __init__(self, answer: Callable[[int], Any]) -> None:
        super().__init__()
        self.answer = answer

    def predict_pairs(self, pairs: Sequence[Pair]) -> Judgements:
        return self.answer(len(pairs))  # type: ignore[no-any-return]


class WrongBatches(Wrong):
    def predict_batches(self, pairs: Pairs) -> Iterator[tuple[Any, Judgements]]:
        yield np.arange(len(pairs)), self.predict_pairs(pairs)


class WrongBlocks(Wrong):
    def predict_blocks(self, examples: Sequence[Example]) -> list[Judgements]:
        blocks = []
        for premises, hypotheses in examples:
            answer = self.answer(len(premises) * len(hypotheses))
            shape = len(premises), len(hypotheses)
            try:
                blocks.append(answer.reshape(*shape))
            except (ValueError, AttributeError):
                blocks.append(answer)
        return blocks


def all_alike(e: float, n: float, c: float) -> Callable[[int], Judgements]:
    return lambda count: Judgements(np.full((count, 3), [e, n, c], np.float32), np.zeros(count, np.bool_))


@pytest.mark.parametrize("kind", [Wrong, WrongBatches, WrongBlocks])
@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (all_alike(0.5, 0.5, 0.5), r"0\.5, 0\.5, 0\.5 for pair 0, which are not probabilities"),
        (all_alike(float("nan"), 0.5, 0.5), "not probabilities"),
        (all_alike(1.5, -0.5, 0), "not probabilities"),
        (lambda n: Judgements(np.full((n, 2), 0.5, np.float32), np.zeros(n, np.bool_)), "shape"),
        (lambda n: Judgements(np.full((n + 1, 3), 1 / 3, np.float32), np.zeros(n + 1, np.bool_)), "shape"),
        (lambda n: Judgements(np.full((n, 3), 1 / 3, np.float32), np.zeros(n + 1, np.bool_)), "truncated"),
        (lambda n: Judgements(np.full((n, 3), 1, np.int64), np.zeros(n, np.bool_)), "type `int64`"),
        (lambda n: np.full((n, 3), 1 / 3, np.float32), "returned a `ndarray`"),
        (lambda n: None, "returned a `NoneType`"),
    ],
)
def test_answers_that_are_no_probabilities_are_refused_with_the_name_of_the_judge(
    kind: type[Wrong], answer: Callable[[int], Any], said: str
) -> None:
    metric = METRICS["caspr"](judge=kind(answer))

    with pytest.raises(ClaimwiseError, match=f"The judge `words` .*{said}"):
        metric.compute(predictions=A, references=B)


def test_a_judge_that_leaves_out_pairs_or_blocks_is_refused() -> None:
    class Lazy(WordJudge):
        def predict_batches(self, pairs: Pairs) -> Iterator[tuple[Any, Judgements]]:
            yield np.arange(1), self.predict_pairs(pairs.at(slice(0, 1)))

    class LazyBlocks(BlockJudge):
        def predict_blocks(self, examples: Sequence[Example]) -> list[Judgements]:
            return super().predict_blocks(examples)[1:]

    with pytest.raises(ClaimwiseError, match="`words` left out 2 of 3 pairs"):
        gather(Lazy(), PAIRS)
    with pytest.raises(ClaimwiseError, match="`words` returned 0 blocks for 1 examples"):
        cross(LazyBlocks(), [(A, B)])


def test_a_judge_says_how_far_its_probabilities_may_be_from_summing_to_one() -> None:
    class Rounding(Wrong):
        tolerance = 0.01

    rounded = all_alike(0.333, 0.333, 0.333)(2)
    check_judgements(Rounding(lambda n: rounded), rounded, 2)
    assert gather(Rounding(lambda n: rounded), PAIRS[:2]).probabilities.sum() == pytest.approx(1.998)
    with pytest.raises(ClaimwiseError, match="not probabilities"):
        check_judgements(WordJudge(), rounded, 2)
    with pytest.raises(ClaimwiseError, match="not probabilities"):
        check_judgements(Rounding(lambda n: rounded), all_alike(0.3, 0.3, 0.3)(2), 2)


def test_marks_and_logits_of_a_batch_stay_with_its_pairs() -> None:
    class Mixed(WordJudge):
        def predict_batches(self, pairs: Pairs) -> Iterator[tuple[Any, Judgements]]:
            for row, pair in enumerate(pairs):
                found = self._predictions([pair])
                if row == 1:
                    found = replace(found, unjudged=np.ones(1, np.bool_), logits=found.probabilities)
                yield np.array([row]), found

    found = gather(Mixed(), PAIRS)

    assert found.unjudged.sum() == 1
    np.testing.assert_array_equal(found.logits[found.unjudged], found.probabilities[found.unjudged])
    assert np.isnan(found.logits[~found.unjudged]).all()


@pytest.mark.parametrize(
    ("judge", "said"),
    [
        (WordJudge, "`WordJudge` is a class"),
        (object(), "`object` is not a judge.*`fingerprint`, `signature`, `predict_pairs`"),
        (7, "`int` is not a judge"),
        (len, "The function `len` has no signature"),
    ],
)
def test_what_is_no_judge_is_refused_in_words(judge: Any, said: str) -> None:
    metric = METRICS["caspr"](judge=judge)

    with pytest.raises(ClaimwiseError, match=said) as caught:
        metric.load()

    assert caught.value.option == "judge"


def test_a_signature_that_is_no_mapping_is_refused() -> None:
    class Unsigned(WordJudge):
        signature = "words"  # type: ignore[assignment]

    with pytest.raises(ClaimwiseError, match="signature of a `Unsigned`"):
        load_judge(Unsigned())


@pytest.mark.parametrize("option", [{"device": "cpu"}, {"token": "hf_secret"}, {"revision": "main"}])
def test_a_ready_made_judge_keeps_its_options(nli_model: NLIModel, option: dict[str, str]) -> None:
    for judge in (WordJudge(), nli_model):
        with pytest.raises(ClaimwiseError, match="keeps its own") as caught:
            load_judge(judge, **option)
        assert caught.value.option == next(iter(option))
        assert "hf_secret" not in str(caught.value)


def test_bars_can_be_hidden_whatever_judges(nli_model: NLIModel) -> None:
    assert load_judge(nli_model, show_progress=False) is nli_model
    judge = WordJudge()
    assert load_judge(judge, show_progress=False) is judge


def test_a_folder_may_be_a_path(checkpoints: Path) -> None:
    judge = load_judge(checkpoints / "bert", device="cpu", dtype="float32")  # type: ignore[arg-type]

    assert isinstance(judge, NLIModel)
    assert judge.signature["judge"] == str(checkpoints / "bert")


# ---------------------------------------------------------------------------------------------
# Judges of other packages
# ---------------------------------------------------------------------------------------------


def install(folder: Path, judges: Mapping[str, str], package: str = "wordy") -> None:
    """Write what an installed package leaves behind: its metadata with entry points."""
    metadata = folder / f"{package}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n", "utf-8")
    lines = "\n".join(f"{name} = {value}" for name, value in judges.items())
    (metadata / "entry_points.txt").write_text(f"[claimwise.judges]\n{lines}\n", "utf-8")


@pytest.fixture
def wordy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package that registers judges: one that works, and some that do not."""
    judges = {
        "words": "judges:make_judge",
        "gone": "no_such_module:make",
        "nothing": "wordy_judges:make_nothing",
    }
    install(tmp_path / "site", judges)
    (tmp_path / "site" / "wordy_judges.py").write_text(
        textwrap.dedent("""
            def make_nothing(address):
                return address
            """),
        "utf-8",
    )
    monkeypatch.syspath_prepend(tmp_path / "site")
    return tmp_path / "site"


def test_a_judge_of_another_package_goes_by_name_and_address(wordy: Path) -> None:
    short, usual = load_judge("words:3"), load_judge("words")

    assert (short.fingerprint, usual.fingerprint) == ("words-3", make_judge("").fingerprint)
    result = METRICS["caspr"](judge="words:3", show_progress=False).compute(predictions=A, references=B)
    assert "|judge:words|longest:3|" in result["caspr_signature"]
    assert result["caspr_truncated"] > 0


def test_it_is_cached_like_any_other(wordy: Path, tmp_path: Path) -> None:
    path = tmp_path / "scores.sqlite"

    results = [
        METRICS["caspr"](judge="words:5", score_cache=path).compute(predictions=A, references=B)
        for _ in range(2)
    ]

    assert results[0] == results[1]
    assert path.is_file()


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("gone:x", {}, "`gone` of the package wordy cannot be imported"),
        ("nothing:x", {}, "`str` is not a judge"),
    ],
)
def test_a_judge_that_cannot_be_had_is_refused_with_its_name(
    wordy: Path, name: str, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(ClaimwiseError, match=said) as caught:
        load_judge(name, **options)

    assert caught.value.option == "judge"


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        (
            "words:3",
            {"device": "cpu"},
            "The judge `words:3` has no option `device`.*Its options are `longest",
        ),
        ("words:3", {"timeout": 3.0}, "has no option `timeout`"),
        ("default", {"timeout": 3.0}, "The judge `default` has no option `timeout`.*options are `device`, "),
    ],
)
def test_an_option_that_a_judge_does_not_take_is_refused(
    wordy: Path, name: str, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(ClaimwiseError, match=said) as caught:
        load_judge(name, **options)

    assert caught.value.option == next(iter(options))


def test_two_packages_of_one_name_hinder_only_that_judge(
    wordy: Path, checkpoints: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "second", {"words": "wordy_judges:make_nothing"}, "verbose")
    monkeypatch.syspath_prepend(tmp_path / "second")

    with pytest.raises(ClaimwiseError, match="registered more than once, by verbose and wordy"):
        load_judge("words:3")
    assert isinstance(load_judge(str(checkpoints / "bert"), device="cpu"), NLIModel)


def test_the_local_judge_is_registered_like_any_other(checkpoints: Path) -> None:
    options = {"device": "cpu", "dtype": "float32"}

    assert (
        load_judge(f"local:{checkpoints / 'bert'}", **options).fingerprint
        == load_judge(str(checkpoints / "bert"), **options).fingerprint
    )
