"""NLIModel against plain transformers, on real tiny checkpoints."""

from __future__ import annotations

import gc
import json
import os
import pickle
import shutil
import socket
import subprocess
import sys
import textwrap
import time
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import huggingface_hub.constants
import numpy as np
import pytest
import torch
from huggingface_hub.utils import are_progress_bars_disabled, disable_progress_bars, enable_progress_bars
from hypothesis import example, given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file
from tiny_checkpoints import MAX_LENGTH
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from transformers.utils import logging as transformers_logging

from claimwise.errors import ClaimwiseError
from claimwise.judges import LABELS, NLIModel, by_torch
from claimwise.judges.by_torch import checkpoint_of
from claimwise.judges.hub import ALIASES, checkpoint_fingerprint
from claimwise.judges.pairs import Pairs

BOTH = pytest.mark.parametrize("name", ["bert", "roberta"])
PREMISES = [
    "The room was clean and the bed was soft.",
    "Nobody slept well.",
    "The pool is closed in winter, but the sauna is open; guests liked that.",
    "",
    "Zimmer 12 – très “propre” 😀 [SEP] </s>",
]
HYPOTHESES = ["The bed was soft.", "Guests slept well in the small hotel.", "The pool is closed.", "", "a"]
WORDS = ["the", "room", "pool", "was", "not", "clean", "noise", "xyzzy", "é", "."]
LONG = "The pool is closed in winter, but the sauna is open. " * 20
Load = Callable[..., NLIModel]

light = settings(max_examples=20, deadline=None, derandomize=True)
texts = st.lists(st.sampled_from(WORDS), max_size=20).map(" ".join)
short = st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join)  # five tokens a word at most
pairs_that_fit = st.lists(st.tuples(short, short), min_size=1, max_size=12)
pairs_of_texts = st.lists(st.tuples(texts, texts), min_size=1, max_size=12)
any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=100)


@pytest.fixture(scope="module")
def models(load: Load) -> dict[str, NLIModel]:
    return {name: load(name) for name in ("bert", "roberta")}


def words(count: int, word: str = "room") -> str:
    """Return a text of ``count`` tokens."""
    return " ".join([word] * count)


class TestPredictions:
    @BOTH
    def test_equal_a_plain_forward_pass_of_each_pair(
        self, models: dict[str, NLIModel], references: dict[str, Any], name: str
    ) -> None:
        scores = models[name].predict(PREMISES, HYPOTHESES)

        assert scores.dtype == np.float32
        np.testing.assert_allclose(scores, references[name].predict(PREMISES, HYPOTHESES), atol=1e-5)
        assert np.ptp(scores, axis=0).max() > 0.1, "the pairs must differ for the test to tell them apart"

    @BOTH
    def test_reach_the_full_length_of_the_model(
        self, models: dict[str, NLIModel], references: dict[str, Any], name: str
    ) -> None:
        model, reference = models[name], references[name]
        room = reference.room - len(reference.ids("The pool."))
        premise = words(room, "a")
        while len(reference.ids(premise)) > room:
            premise = premise[:-1]

        predictions = model.predict_pairs([(premise, "The pool.")])

        assert len(reference.tokenizer(premise, "The pool.")["input_ids"]) == model.max_length == 64
        assert not predictions.truncated[0]
        np.testing.assert_allclose(
            predictions.probabilities, reference.predict([premise], ["The pool."]), atol=1e-5
        )

    def test_of_no_pairs_are_an_empty_array(self, models: dict[str, NLIModel]) -> None:
        scores = models["bert"].predict([], [])

        assert scores.shape == (0, 3)
        assert scores.dtype == np.float32

    def test_need_two_lists_of_equal_length(self, models: dict[str, NLIModel]) -> None:
        with pytest.raises(ClaimwiseError, match="2 premises, 1 hypotheses"):
            models["bert"].predict(["a", "b"], ["c"])

    @pytest.mark.parametrize(("premises", "hypotheses"), [("ab", ["c", "d"]), (["c", "d"], "ab")])
    def test_refuse_a_bare_string(self, models: dict[str, NLIModel], premises: Any, hypotheses: Any) -> None:
        with pytest.raises(ClaimwiseError, match="single string instead of a list"):
            models["bert"].predict(premises, hypotheses)

    @pytest.mark.parametrize("value", [None, float("nan"), 7, ["a"]])
    def test_refuse_what_is_not_a_string_and_name_its_row(
        self, models: dict[str, NLIModel], value: Any
    ) -> None:
        with pytest.raises(ClaimwiseError, match="1"):
            models["bert"].predict(["a", value], ["b", "c"])
        with pytest.raises(ClaimwiseError, match="1"):
            models["bert"].predict(["b", "c"], ["a", value])

    @pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
    def test_in_half_precision_are_close_and_still_sum_to_one(
        self, load: Load, models: dict[str, NLIModel], dtype: str
    ) -> None:
        scores = load("bert", dtype=dtype).predict(PREMISES, HYPOTHESES)

        assert scores.dtype == np.float32
        np.testing.assert_allclose(scores.sum(axis=1), 1, atol=1e-5)
        np.testing.assert_allclose(scores, models["bert"].predict(PREMISES, HYPOTHESES), atol=0.1)

    def test_of_the_embedded_model_tell_a_repetition_from_its_opposite(self) -> None:
        model = NLIModel.from_pretrained(device="cpu", show_progress=False)

        same, opposite = model.predict(
            ["The pool is open.", "The pool is open."], ["The pool is open.", "The pool is not open."]
        )

        assert same.argmax() == 0
        assert opposite[2] > same[2] + 0.3


class TestBatching:
    @BOTH
    @light
    @given(pairs=pairs_that_fit, max_tokens=st.integers(1, 10_000))
    def test_does_not_change_scores(
        self, load: Load, references: dict[str, Any], name: str, pairs: list[tuple[str, str]], max_tokens: int
    ) -> None:
        premises, hypotheses = zip(*pairs, strict=True)

        scores = load(name, max_tokens_per_batch=max_tokens).predict(premises, hypotheses)

        np.testing.assert_allclose(scores, references[name].predict(premises, hypotheses), atol=1e-5)

    @light
    @given(data=st.data(), pairs=pairs_of_texts)
    def test_permuting_pairs_permutes_scores(
        self, models: dict[str, NLIModel], data: st.DataObject, pairs: list[tuple[str, str]]
    ) -> None:
        order = data.draw(st.permutations(range(len(pairs))))
        model = models["bert"]

        scores = model.predict_pairs(pairs).probabilities
        permuted = model.predict_pairs([pairs[place] for place in order]).probabilities

        np.testing.assert_allclose(permuted, scores[order], atol=1e-5)

    def test_scores_each_distinct_pair_once(
        self, models: dict[str, NLIModel], forward_calls: Callable[[NLIModel], Any]
    ) -> None:
        pairs = [("a room", "a pool"), ("a pool", "a room"), ("a room", "a pool")] * 7

        with forward_calls(models["bert"]) as sizes:
            scores = models["bert"].predict_pairs(pairs).probabilities

        assert sum(sizes) == 2
        np.testing.assert_array_equal(scores[::3], scores[2::3])
        np.testing.assert_array_equal(scores[:3], scores[3:6])

    def test_keeps_to_the_token_budget_and_never_stalls_below_one_pair(
        self, load: Load, forward_calls: Callable[[NLIModel], Any]
    ) -> None:
        pairs = [(words(10), words(count)) for count in range(1, 9)]  # 14 to 21 tokens

        for budget, expected in [(1, [1] * 8), (42, [2, 2, 2, 2]), (10_000, [8])]:
            model = load("bert", max_tokens_per_batch=budget)
            with forward_calls(model) as sizes:
                model.predict_pairs(pairs)
            assert sizes == expected

    @pytest.mark.parametrize("budget", [0, -1])
    def test_needs_a_positive_token_budget(self, load: Load, budget: int) -> None:
        with pytest.raises(ClaimwiseError, match="max_tokens_per_batch"):
            load("bert", max_tokens_per_batch=budget)

    @BOTH
    @light
    @given(pairs=st.lists(st.tuples(any_text, any_text), min_size=1, max_size=5))
    @example(pairs=[("\0", "\0"), ("‮", "\ufeff"), ("[PAD] <pad>", "<mask>[MASK]"), ("é", "e\u0301")])
    def test_any_unicode_text_gives_probabilities(
        self, models: dict[str, NLIModel], name: str, pairs: list[tuple[str, str]]
    ) -> None:
        scores = models[name].predict_pairs(pairs).probabilities

        assert scores.shape == (len(pairs), 3)
        assert np.isfinite(scores).all()
        assert (scores >= 0).all()
        assert (scores <= 1).all()
        np.testing.assert_allclose(scores.sum(axis=1), 1, atol=1e-5)


class TestTruncation:
    @BOTH
    @light
    @given(premise_length=st.integers(0, 150), hypothesis_length=st.integers(0, 150))
    @example(premise_length=150, hypothesis_length=1)
    @example(premise_length=150, hypothesis_length=30)
    @example(premise_length=150, hypothesis_length=31)
    @example(premise_length=150, hypothesis_length=150)
    @example(premise_length=3, hypothesis_length=150)
    @example(premise_length=0, hypothesis_length=150)
    def test_equals_a_cut_by_hand(
        self,
        models: dict[str, NLIModel],
        references: dict[str, Any],
        name: str,
        premise_length: int,
        hypothesis_length: int,
    ) -> None:
        model, reference = models[name], references[name]
        premise, hypothesis = words(premise_length, "room"), words(hypothesis_length, "not")
        premise_ids, hypothesis_ids = reference.ids(premise), reference.ids(hypothesis)
        # The hypothesis stays whole up to half the room, and beyond it where the premise leaves room.
        kept = min(len(hypothesis_ids), max(reference.room // 2, reference.room - len(premise_ids)))

        predictions = model.predict_pairs([(premise, hypothesis)])

        expected = reference.predict_ids(premise_ids[: reference.room - kept], hypothesis_ids[:kept])
        np.testing.assert_allclose(predictions.probabilities[0], expected, atol=1e-5)
        assert predictions.truncated[0] == (len(premise_ids) + len(hypothesis_ids) > reference.room)

    @BOTH
    def test_cuts_only_the_end_of_the_premise(
        self, models: dict[str, NLIModel], references: dict[str, Any], name: str
    ) -> None:
        model, reference = models[name], references[name]
        hypothesis = "Guests did not like the pool."
        room = reference.room - len(reference.ids(hypothesis))

        predictions = model.predict_pairs([(LONG, hypothesis)])

        expected = reference.predict_ids(reference.ids(LONG)[:room], reference.ids(hypothesis))
        np.testing.assert_allclose(predictions.probabilities[0], expected, atol=1e-5)
        assert predictions.truncated.tolist() == [True]

    def test_ignores_what_comes_after_the_cut_but_never_the_hypothesis(
        self, models: dict[str, NLIModel]
    ) -> None:
        one, other, changed = models["bert"].predict(
            [words(70) + " the end", words(70) + " another end", words(70) + " the end"],
            ["the bed was soft", "the bed was soft", "the bed was small"],
        )

        np.testing.assert_allclose(one, other, atol=1e-5)
        assert np.abs(one - changed).max() > 1e-3

    @BOTH
    @pytest.mark.parametrize("is_reversed", [False, True])
    def test_of_a_premise_shared_by_several_pairs_is_right_in_each(
        self, models: dict[str, NLIModel], references: dict[str, Any], name: str, is_reversed: bool
    ) -> None:
        """Encodings are shared between pairs: a cut for one must not reach the next."""
        model, reference = models[name], references[name]
        hypotheses = [words(count, "not") for count in (1, 25, 5, 29, 80, 2, 13)] + ["a [SEP] or </s> b", ""]
        pairs = [(LONG, hypothesis) for hypothesis in hypotheses] + [(words(4), LONG), ("a bed", words(3))]
        if is_reversed:
            pairs.reverse()

        predictions = model.predict_pairs(pairs)

        for row, (premise, hypothesis) in enumerate(pairs):
            premise_ids, hypothesis_ids = reference.ids(premise), reference.ids(hypothesis)
            kept = min(len(hypothesis_ids), max(reference.room // 2, reference.room - len(premise_ids)))
            expected = reference.predict_ids(premise_ids[: reference.room - kept], hypothesis_ids[:kept])
            np.testing.assert_allclose(predictions.probabilities[row], expected, atol=1e-5)
            assert predictions.truncated[row] == (premise != "a bed")

    def test_marks_follow_the_order_and_the_duplicates_of_the_pairs(
        self, models: dict[str, NLIModel]
    ) -> None:
        pairs = [("a bed", "a pool"), (LONG, "a pool"), ("a pool", "a bed"), (LONG, "a pool")]

        assert models["bert"].predict_pairs(pairs).truncated.tolist() == [False, True, False, True]

    @BOTH
    def test_takes_a_text_of_100_000_characters(
        self, models: dict[str, NLIModel], references: dict[str, Any], name: str
    ) -> None:
        huge = (LONG * 100)[:100_000]

        predictions = models[name].predict_pairs([(huge, "a pool"), (LONG, "a pool")])

        assert predictions.truncated.all()
        np.testing.assert_allclose(predictions.probabilities[0], predictions.probabilities[1], atol=1e-5)

    def test_takes_time_in_proportion_to_the_text_when_both_sides_are_long(
        self, models: dict[str, NLIModel]
    ) -> None:
        long = (LONG * 20)[:20_000]
        started = time.process_time()

        truncated = models["bert"].predict_pairs([(long, long)]).truncated

        assert truncated.all()
        assert time.process_time() - started < 3, "some 20 ms; the product of both lengths takes over 7 s"


class TestLoading:
    @pytest.mark.parametrize("device", ["warp", "cuda:99", "", "meta"])
    def test_an_unknown_or_missing_device_is_named_with_the_choices(self, load: Load, device: str) -> None:
        with pytest.raises(ClaimwiseError, match=f"`{device}`.*`auto`, `cpu`"):
            load("bert", device=device)

    @pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has CUDA")
    def test_cuda_where_there_is_none_is_an_error_not_a_silent_cpu(self, load: Load) -> None:
        with pytest.raises(ClaimwiseError, match=r"`cuda`.*`cpu`"):
            load("bert", device="cuda")

    @pytest.mark.parametrize("dtype", ["float64", "int8", "warp"])
    def test_an_unknown_dtype_is_named_with_the_choices(self, load: Load, dtype: str) -> None:
        with pytest.raises(ClaimwiseError, match=f"`float32`, `bfloat16`, `float16`; got “{dtype}”"):
            load("bert", dtype=dtype)

    @pytest.mark.parametrize("name", ["claimwise-tests/no-such-model", "no such model", *ALIASES])
    def test_a_hub_model_that_is_not_here_is_named_with_a_way_to_work_offline(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
    ) -> None:
        monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))

        with pytest.raises(ClaimwiseError, match=rf"`({name}|{ALIASES.get(name)})`.*`default`"):
            NLIModel.from_pretrained(name, device="cpu", local_files_only=True)

    def test_the_hub_is_never_asked_with_local_files_only(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        for proxy in ("https_proxy", "HTTPS_PROXY"):
            monkeypatch.delenv(proxy, raising=False)
        with socket.create_server(("127.0.0.1", 0)) as hub:
            hub.setblocking(False)
            monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
            monkeypatch.setattr(
                huggingface_hub.constants, "ENDPOINT", f"http://127.0.0.1:{hub.getsockname()[1]}"
            )
            monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
            with pytest.raises(ClaimwiseError, match="claimwise-tests/no-such-model"):
                NLIModel.from_pretrained("claimwise-tests/no-such-model", local_files_only=True)

            with pytest.raises(BlockingIOError):  # nobody has called
                hub.accept()

    def test_a_folder_that_does_not_exist_is_named_with_what_it_should_hold(self, tmp_path: Path) -> None:
        missing = tmp_path / "no-such-folder"

        with pytest.raises(ClaimwiseError, match=r"no-such-folder.*model\.safetensors"):
            NLIModel.from_pretrained(str(missing), device="cpu", local_files_only=True)

    def test_a_file_in_place_of_a_folder_is_refused(self, checkpoints: Path) -> None:
        weights = checkpoints / "bert" / "model.safetensors"

        with pytest.raises(ClaimwiseError, match="folder"):
            NLIModel.from_pretrained(str(weights), device="cpu", local_files_only=True)

    @pytest.mark.parametrize("name", ["pickled", "no-weights"])
    def test_only_safetensors_are_loaded(self, load: Load, name: str) -> None:
        with pytest.raises(ClaimwiseError, match=rf"{name}.*model\.safetensors"):
            load(name)

    @pytest.mark.parametrize("name", ["no-config", "damaged-weights", "wrong-shape"])
    def test_a_broken_checkpoint_is_an_error_that_names_it(self, load: Load, name: str) -> None:
        with pytest.raises(ClaimwiseError, match=name):
            load(name)

    @pytest.mark.parametrize("name", ["bert-no-tokenizer", "roberta-no-tokenizer"])
    def test_a_checkpoint_without_tokenizer_is_refused_rather_than_read_as_unknown_words(
        self, load: Load, name: str
    ) -> None:
        with pytest.raises(ClaimwiseError, match=rf"{name}.*tokenizer"):
            load(name)

    def test_a_checkpoint_without_classifier_is_refused_rather_than_given_a_random_one(
        self, load: Load
    ) -> None:
        with pytest.raises(ClaimwiseError, match=r"no-classifier.*classifier"):
            load("no-classifier")

    @pytest.mark.parametrize("name", ["bert", "no-weights"])
    @pytest.mark.parametrize("is_shown", [True, False])
    def test_leaves_the_settings_of_transformers_and_the_hub_as_they_were(
        self, load: Load, name: str, is_shown: bool
    ) -> None:
        verbosity, was_shown = (
            transformers_logging.get_verbosity(),
            transformers_logging.is_progress_bar_enabled(),
        )
        was_hidden_by_the_hub = are_progress_bars_disabled()
        try:
            transformers_logging.set_verbosity_info()
            if is_shown:
                transformers_logging.enable_progress_bar()
                disable_progress_bars()
            else:
                transformers_logging.disable_progress_bar()
                enable_progress_bars()

            if name == "bert":
                load(name)
            else:
                with pytest.raises(ClaimwiseError):
                    load(name)

            assert transformers_logging.get_verbosity() == transformers_logging.INFO
            assert transformers_logging.is_progress_bar_enabled() == is_shown
            assert are_progress_bars_disabled() == is_shown
        finally:
            transformers_logging.set_verbosity(verbosity)
            (
                transformers_logging.enable_progress_bar
                if was_shown
                else transformers_logging.disable_progress_bar
            )()
            (disable_progress_bars if was_hidden_by_the_hub else enable_progress_bars)()

    def test_the_settings_of_a_tokenizer_hold(self, load: Load, checkpoints: Path, tmp_path: Path) -> None:
        shutil.copytree(checkpoints / "bert", tmp_path / "cased")
        path = tmp_path / "cased" / "tokenizer_config.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), "do_lower_case": False}))
        tokenizer = AutoTokenizer.from_pretrained(tmp_path / "cased")

        pairs = Pairs.of([("The Room", "was")])

        (ids, _), (uncased, _) = (
            load(name)._checkpoint.encoder.token_ids(pairs) for name in (tmp_path / "cased", "bert")
        )

        assert ids.tolist() == tokenizer("The Room", add_special_tokens=False)["input_ids"]
        assert ids.tolist() != uncased.tolist()

    def test_shows_nothing_when_told_so(self, load: Load, capfd: pytest.CaptureFixture[str]) -> None:
        load("bert").predict(PREMISES, HYPOTHESES)

        assert capfd.readouterr() == ("", "")


class TestFingerprint:
    def test_is_the_same_for_the_same_files_wherever_they_lie(
        self, load: Load, checkpoints: Path, tmp_path: Path
    ) -> None:
        shutil.copytree(checkpoints / "bert", tmp_path / "copy")

        assert load("bert").fingerprint == load("bert").fingerprint == load(tmp_path / "copy").fingerprint

    def test_changes_with_any_single_weight(self, load: Load, checkpoints: Path, tmp_path: Path) -> None:
        known = {load("bert").fingerprint}
        weights = load_file(checkpoints / "bert" / "model.safetensors")
        for name in ["classifier.bias", "bert.embeddings.word_embeddings.weight"]:
            folder = tmp_path / name
            shutil.copytree(checkpoints / "bert", folder)
            changed = {key: value.clone() for key, value in weights.items()}
            changed[name].view(-1)[-1] += 1e-3
            save_file(changed, folder / "model.safetensors", metadata={"format": "pt"})
            known.add(load(folder).fingerprint)

        assert len(known) == 3

    def test_changes_with_the_weights_of_a_checkpoint_in_several_files(
        self, load: Load, checkpoints: Path, tmp_path: Path
    ) -> None:
        fingerprints = set()
        for name in ["bert", "bert-seed-2"]:
            folder = tmp_path / name
            shutil.copytree(checkpoints / "bert", folder, ignore=shutil.ignore_patterns("*.safetensors"))
            weights = AutoModelForSequenceClassification.from_pretrained(checkpoints / name)
            weights.save_pretrained(folder, max_shard_size="40KB")
            assert len(list(folder.glob("model-*.safetensors"))) > 1
            fingerprints.add(load(folder).fingerprint)

        assert len(fingerprints) == 2

    def test_changes_with_the_vocabulary(self, load: Load, checkpoints: Path, tmp_path: Path) -> None:
        shutil.copytree(checkpoints / "vocabulary-text", tmp_path / "swapped")
        vocabulary = tmp_path / "swapped" / "vocab.txt"
        lines = vocabulary.read_text().splitlines()
        vocabulary.write_text("\n".join([*lines[:10], *reversed(lines[10:])]) + "\n")
        one, other = load("vocabulary-text"), load(tmp_path / "swapped")

        assert np.abs(one.predict(PREMISES, HYPOTHESES) - other.predict(PREMISES, HYPOTHESES)).max() > 0.01
        assert one.fingerprint != other.fingerprint

    def test_changes_with_label_order_and_dtype(self, load: Load) -> None:
        fingerprints = {
            load("bert").fingerprint,
            load("bert", label_order=["entailment", "neutral", "contradiction"]).fingerprint,
            load("bert", dtype="bfloat16").fingerprint,
        }

        assert len(fingerprints) == 3

    def test_does_not_change_with_the_batch_size(self, load: Load) -> None:
        assert load("bert", max_tokens_per_batch=1).fingerprint == load("bert").fingerprint

    def test_distinguishes_models_and_revisions_of_the_hub(
        self, load: Load, checkpoints: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
        # The copy that transformers 4 made of it when it was imported.
        monkeypatch.setattr("transformers.utils.hub.TRANSFORMERS_CACHE", str(tmp_path), raising=False)
        for repository, revision, checkpoint in [
            ("one", "main", "bert"),
            ("one", "v2", "bert-seed-2"),
            ("other", "v2", "bert-fact-checking"),
        ]:
            folder = tmp_path / f"models--claimwise-tests--{repository}"
            commit = format(len(list(tmp_path.rglob("refs/*"))) + 1, "040x")
            shutil.copytree(checkpoints / checkpoint, folder / "snapshots" / commit)
            (folder / "refs").mkdir(exist_ok=True)
            (folder / "refs" / revision).write_text(commit)
        order = ["entailment", "neutral", "contradiction"]

        def load_from_hub(name: str, revision: str | None = None) -> NLIModel:
            return NLIModel.from_pretrained(
                f"claimwise-tests/{name}",
                device="cpu",
                dtype="float32",
                revision=revision,
                local_files_only=True,
                label_order=order,
            )

        one = load_from_hub("one")
        fingerprints = {
            one.fingerprint,
            load_from_hub("one", "v2").fingerprint,
            load_from_hub("other", "v2").fingerprint,
        }

        assert len(fingerprints) == 3
        assert load_from_hub("one", "main").fingerprint == one.fingerprint
        np.testing.assert_array_equal(
            one.predict(PREMISES, HYPOTHESES), load("bert", label_order=order).predict(PREMISES, HYPOTHESES)
        )

    def test_is_part_of_the_signature_beside_all_that_a_score_depends_on(self, load: Load) -> None:
        model = load("bert")
        signature = model.signature

        assert list(signature) == [
            "judge",
            "judge_fingerprint",
            "labels",
            "max_length",
            "truncation",
            "dtype",
            "transformers",
            "torch",
        ]
        assert model.fingerprint.startswith(signature["judge_fingerprint"])
        assert signature["judge"] == model.name
        assert signature["labels"] == "1,2,0"
        assert signature["max_length"] == "64"
        assert signature["dtype"] == "float32"
        assert "+" not in signature["torch"]


class TestSharing:
    def test_models_of_one_checkpoint_hold_its_weights_once_and_hash_its_files_once(
        self, load: Load, checkpoints: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        shutil.copytree(checkpoints / "bert", tmp_path / "bert")
        hashed = []

        def noted(*arguments: Any) -> str:
            hashed.append(arguments)
            return checkpoint_fingerprint(*arguments)

        monkeypatch.setattr(by_torch, "checkpoint_fingerprint", noted)
        options = [{}, {"max_tokens_per_batch": 1}, {"label_order": LABELS}]

        models = [load(tmp_path / "bert", **one) for one in options]
        fingerprints = {model.fingerprint for model in models}

        assert len({id(model._checkpoint.network.model) for model in models}) == 1
        assert len(hashed) == 1
        assert len(fingerprints) == 2  # that of the other label order
        assert load(tmp_path / "bert", dtype="float16")._checkpoint is not models[0]._checkpoint

    def test_a_checkpoint_that_was_written_anew_is_loaded_anew(
        self, load: Load, checkpoints: Path, tmp_path: Path
    ) -> None:
        shutil.copytree(checkpoints / "bert", tmp_path / "bert")
        before = load(tmp_path / "bert")
        shutil.copytree(checkpoints / "bert-seed-2", tmp_path / "bert", dirs_exist_ok=True)
        os.utime(tmp_path / "bert" / "model.safetensors")

        after = load(tmp_path / "bert")

        assert after.fingerprint != before.fingerprint
        np.testing.assert_array_equal(
            after.predict(PREMISES, HYPOTHESES), load("bert-seed-2").predict(PREMISES, HYPOTHESES)
        )

    def test_weights_that_no_model_needs_any_more_are_let_go(
        self, load: Load, checkpoints: Path, tmp_path: Path
    ) -> None:
        shutil.copytree(checkpoints / "bert", tmp_path / "bert")
        model = load(tmp_path / "bert")
        weights = weakref.ref(model._checkpoint.network.model)

        del model
        gc.collect()

        assert weights() is None

    def test_threads_share_a_model(self, load: Load) -> None:
        model = load("bert", max_tokens_per_batch=60)
        rows = [([premise], [hypothesis]) for premise in PREMISES for hypothesis in HYPOTHESES] * 4
        expected = [model.predict(*row) for row in rows]

        with ThreadPoolExecutor(8) as threads:
            found = list(threads.map(lambda row: model.predict(*row), rows))

        np.testing.assert_allclose(found, expected, atol=1e-6)


class TestPickling:
    def test_a_model_is_loaded_again_rather_than_copied(
        self, load: Load, checkpoints: Path, tmp_path: Path
    ) -> None:
        options = {"label_order": ["entailment", "neutral", "contradiction"], "max_tokens_per_batch": 77}
        model = load("bert", **options)
        content = pickle.dumps(model)

        again = pickle.loads(content)

        assert len(content) < 2_000 < (checkpoints / "bert" / "model.safetensors").stat().st_size
        assert again._checkpoint is model._checkpoint  # this process holds it already
        assert (again.fingerprint, again.signature) == (model.fingerprint, model.signature)
        assert again.max_tokens_per_batch == 77
        np.testing.assert_array_equal(
            again.predict(PREMISES, HYPOTHESES), model.predict(PREMISES, HYPOTHESES)
        )

    @pytest.mark.slow
    def test_another_process_reads_it(self, load: Load) -> None:
        model = load("bert")
        script = (
            "import json, pickle, sys; model = pickle.load(sys.stdin.buffer); "
            "print(json.dumps(model.predict(['The room was clean.'], ['The bed was soft.']).tolist()))"
        )

        done = subprocess.run(
            [sys.executable, "-c", script], input=pickle.dumps(model), capture_output=True, check=True
        )

        expected = model.predict(["The room was clean."], ["The bed was soft."])
        np.testing.assert_allclose(json.loads(done.stdout), expected, atol=1e-6)

    def test_the_token_of_a_private_model_is_never_in_it(self, load: Load) -> None:
        model = load("bert", token="hf_secret")

        assert b"hf_secret" not in pickle.dumps(model)
        assert "hf_secret" not in repr(model) + repr(vars(model))

    def test_a_model_made_of_loaded_parts_keeps_them(self, references: dict[str, Any], load: Load) -> None:
        parts = references["bert"]
        loaded = checkpoint_of(parts.model, parts.tokenizer, fingerprint="1")
        model = NLIModel(loaded, name="mine")

        again = pickle.loads(pickle.dumps(model))

        assert again.fingerprint == model.fingerprint
        np.testing.assert_allclose(
            again.predict(PREMISES, HYPOTHESES), load("bert").predict(PREMISES, HYPOTHESES), atol=1e-5
        )


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from Linux's /proc")
def test_batches_of_ever_other_sizes_take_no_further_memory() -> None:
    script = """
        import random, re
        from pathlib import Path
        from claimwise.judges import NLIModel

        def resident():
            return int(re.search(r"VmRSS:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024

        generator, sizes = random.Random(0), []
        model = NLIModel.from_pretrained(show_progress=False)
        for batch in range(80):
            lengths = [generator.randrange(6, 12) for _ in range(generator.randrange(30, 70))]
            said = [" ".join(generator.choices(["pool", "warm", "and"], k=length)) for length in lengths]
            model.predict(said, said[::-1])
            sizes.append(resident())
        print(sizes[-1] - sizes[20])
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=True
    )
    assert float(done.stdout) < 60  # it was 200 where something was kept for each size


def test_where_the_tokenizer_names_no_length_the_position_embeddings_do(
    load: Callable[..., NLIModel], checkpoints: Path, tmp_path: Path
) -> None:
    for name in ("bert", "roberta"):
        folder = Path(shutil.copytree(checkpoints / name, tmp_path / name))
        told = json.loads((folder / "tokenizer_config.json").read_text("utf-8"))
        told.pop("model_max_length")
        (folder / "tokenizer_config.json").write_text(json.dumps(told), "utf-8")

        assert load(folder).max_length == MAX_LENGTH
