"""The score cache: what it saves, and what it must never cost."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from judges import WordJudge

from claimwise.errors import ClaimwiseWarning
from claimwise.judges import Judgements, NLIModel
from claimwise.judges.cache import CachedJudge, CachedScore, ScoreCache

LONG = "The pool is closed in winter, but the sauna is open. " * 20
TEXTS = ["The room was clean.", "Nobody slept well.", "", "Guests liked the noise of the pool.", LONG]
PAIRS = [(premise, hypothesis) for premise in TEXTS for hypothesis in TEXTS[:4]]
SCORE = CachedScore(0.5, 0.25, 0.25, False)
Load = Callable[..., NLIModel]
Count = Callable[[NLIModel], Any]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "scores.sqlite"


class Hesitant(WordJudge):
    """A judge that at first leaves pairs about the pool unjudged."""

    hesitates = True

    def _predictions(self, pairs: list[tuple[str, str]]) -> Judgements:
        silent = np.array([self.hesitates and "pool" in premise for premise, _ in pairs], dtype=np.bool_)
        return replace(super()._predictions(pairs), unjudged=silent)


def test_what_was_left_unjudged_is_not_kept_and_asked_again(path: Path) -> None:
    judge = Hesitant()
    cached = CachedJudge(judge, path)
    first = cached.predict_pairs(PAIRS)
    judge.asked, judge.hesitates = 0, False

    second = cached.predict_pairs(PAIRS)

    assert judge.asked == first.unjudged.sum() > 0
    np.testing.assert_array_equal(second.probabilities, WordJudge().predict_pairs(PAIRS).probabilities)


class TestSecondRun:
    def test_makes_no_model_call_and_gives_the_very_same_result(
        self, load: Load, forward_calls: Count, path: Path
    ) -> None:
        first = load("bert", score_cache=path).predict_pairs(PAIRS)
        again = load("bert", score_cache=path)

        with forward_calls(again) as sizes:
            second = again.predict_pairs(PAIRS[::-1])

        assert sizes == []
        assert first.truncated.any()
        assert not first.truncated.all()
        np.testing.assert_array_equal(second.probabilities[::-1], first.probabilities, strict=True)
        np.testing.assert_array_equal(second.truncated[::-1], first.truncated, strict=True)

    def test_equals_a_run_without_cache(self, load: Load, path: Path) -> None:
        without = load("bert").predict_pairs(PAIRS)
        load("bert", score_cache=path).predict_pairs(PAIRS)

        cached = load("bert", score_cache=path).predict_pairs(PAIRS)

        np.testing.assert_array_equal(cached.probabilities, without.probabilities)
        np.testing.assert_array_equal(cached.truncated, without.truncated)

    def test_scores_only_the_pairs_that_are_new(self, load: Load, forward_calls: Count, path: Path) -> None:
        model = load("bert", score_cache=path)
        model.predict_pairs(PAIRS[:15])

        with forward_calls(model) as sizes:
            scores = model.predict_pairs(PAIRS).probabilities

        assert sum(sizes) == len(PAIRS) - 15
        np.testing.assert_allclose(scores, load("bert").predict_pairs(PAIRS).probabilities, atol=1e-5)

    def test_may_use_another_batch_size(self, load: Load, forward_calls: Count, path: Path) -> None:
        load("bert", score_cache=path, max_tokens_per_batch=1).predict_pairs(PAIRS)
        model = load("bert", score_cache=path, max_tokens_per_batch=10_000)

        with forward_calls(model) as sizes:
            model.predict_pairs(PAIRS)

        assert sizes == []

    def test_works_for_more_pairs_than_are_read_at_once(
        self, load: Load, forward_calls: Count, path: Path
    ) -> None:
        pairs = [(f"room {number}", "The bed was soft.") for number in range(1_101)]
        model = load("bert", score_cache=path)
        first = model.predict_pairs(pairs)

        with forward_calls(model) as sizes:
            second = model.predict_pairs(pairs)

        assert sizes == []
        np.testing.assert_array_equal(second.probabilities, first.probabilities)

    def test_computes_again_after_the_file_was_deleted(
        self, load: Load, forward_calls: Count, path: Path
    ) -> None:
        model = load("bert", score_cache=path)
        first = model.predict_pairs(PAIRS)
        path.unlink()

        with forward_calls(model) as sizes:
            second = model.predict_pairs(PAIRS)

        assert sum(sizes) == len(PAIRS)
        assert path.is_file()
        np.testing.assert_array_equal(second.probabilities, first.probabilities)

    def test_makes_the_folders_above_the_file(self, load: Load, tmp_path: Path) -> None:
        path = tmp_path / "new" / "folder" / "scores.sqlite"

        load("bert", score_cache=path).predict_pairs(PAIRS[:1])

        assert path.is_file()


class TestKey:
    @pytest.mark.parametrize(
        ("name", "options"),
        [
            ("bert-seed-2", {}),
            ("roberta", {}),
            ("bert", {"label_order": ["entailment", "neutral", "contradiction"]}),
            ("bert", {"dtype": "bfloat16"}),
        ],
        ids=["other weights", "other architecture", "other label order", "other dtype"],
    )
    def test_keeps_apart_what_two_models_say_of_the_same_pair(
        self, load: Load, forward_calls: Count, path: Path, name: str, options: dict[str, Any]
    ) -> None:
        one = load("bert", score_cache=path)
        other = load(name, score_cache=path, **options)
        expected = one.predict_pairs(PAIRS), load(name, **options).predict_pairs(PAIRS)

        with forward_calls(other) as sizes:
            other.predict_pairs(PAIRS)

        assert sum(sizes) == len(PAIRS)
        for model, predictions in zip((one, other), expected, strict=True):
            with forward_calls(model) as sizes:
                np.testing.assert_array_equal(
                    model.predict_pairs(PAIRS).probabilities, predictions.probabilities
                )
            assert sizes == []

    def test_keeps_apart_premise_and_hypothesis(self, path: Path) -> None:
        with ScoreCache(path, "model") as cache:
            cache.write([(("ab", "c"), SCORE)])

            assert cache.read([("ab", "c"), ("a", "bc"), ("c", "ab"), ("abc", ""), ("", "abc")]) == {
                ("ab", "c"): SCORE
            }

    def test_takes_any_text(self, path: Path) -> None:
        pairs = [("\0", ""), ("", "\0"), ("é", "e\u0301"), ("e\u0301", "é"), ("😀", "\ud800"), (LONG, LONG)]
        scores = {
            pair: CachedScore(place / 8, 0.125, 0.875 - place / 8, True) for place, pair in enumerate(pairs)
        }
        with ScoreCache(path, "model") as cache:
            cache.write(scores.items())

        with ScoreCache(path, "model") as cache:
            assert cache.read(pairs) == scores


class TestTolerance:
    ROUNDED = CachedScore(0.333, 0.333, 0.333, False)  # as a server may round its probabilities

    def test_lets_rounded_probabilities_be_read_back_as_they_were_written(self, path: Path) -> None:
        with ScoreCache(path, "server", tolerance=1e-2) as cache:
            cache.write([(("p", "h"), self.ROUNDED)])
        with ScoreCache(path, "server", tolerance=1e-2) as cache:
            assert cache.read([("p", "h")]) == {("p", "h"): self.ROUNDED}

    def test_is_narrow_unless_the_judge_says_otherwise(self, path: Path) -> None:
        with ScoreCache(path, "server") as cache:
            cache.write([(("p", "h"), self.ROUNDED), (("p", "i"), SCORE)])
            with pytest.warns(ClaimwiseWarning, match="damaged: 1 stored scores are invalid") as caught:
                assert cache.read([("p", "h"), ("p", "i")]) == {("p", "i"): SCORE}
        assert caught[0].filename == __file__

    def test_forgives_no_probability_outside_of_0_to_1(self, path: Path) -> None:
        with ScoreCache(path, "server", tolerance=1) as cache:
            cache.write([(("p", "h"), CachedScore(-0.001, 0.5, 0.5, False))])
            with pytest.warns(ClaimwiseWarning, match="damaged"):
                assert cache.read([("p", "h")]) == {}


class TestFile:
    def test_is_a_database_of_hashes_and_numbers_with_nothing_to_unpickle_and_no_text(
        self, load: Load, path: Path
    ) -> None:
        load("bert", score_cache=path).predict_pairs(PAIRS)
        connection = sqlite3.connect(path)
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        rows = connection.execute("SELECT * FROM score_1").fetchall()
        connection.close()

        assert path.read_bytes().startswith(b"SQLite format 3\0")
        assert b"Nobody slept" not in path.read_bytes()
        assert tables == [("score_1",)]
        assert len(rows) == len(PAIRS)
        for key, *probabilities, truncated in rows:
            assert len(key) == 32
            assert sum(probabilities) == pytest.approx(1, abs=1e-5)
            assert truncated in (0, 1)

    def test_is_left_alone_by_a_model_without_score_cache(
        self, load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)

        load("bert").predict_pairs(PAIRS)

        assert list(tmp_path.iterdir()) == []

    @pytest.mark.slow
    def test_takes_the_writes_of_two_processes_at_once(self, path: Path) -> None:
        """Both write 60 batches of 20 pairs as fast as they can; half of the pairs are the same."""
        script = """if True:
            import sys, warnings
            from claimwise.errors import ClaimwiseWarning
            from claimwise.judges.cache import CachedScore, ScoreCache
            warnings.simplefilter("error", ClaimwiseWarning)
            path, first = sys.argv[1], int(sys.argv[2])
            print("ready", flush=True)
            sys.stdin.readline()
            for batch in range(60):
                with ScoreCache(path, "model") as cache:
                    numbers = range(first + 20 * batch, first + 20 * batch + 20)
                    cache.write(
                        ((str(n), "h"), CachedScore(n / 4096, 1 - n / 4096, 0, n % 2 == 1)) for n in numbers
                    )
            """
        writers = [
            subprocess.Popen(
                [sys.executable, "-c", script, str(path), str(first)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for first in (0, 600)
        ]
        for writer in writers:
            assert writer.stdout
            assert writer.stdout.readline() == "ready\n"
        for writer in writers:
            assert writer.stdin
            writer.stdin.write("go\n")
            writer.stdin.flush()
        ends = [(writer.communicate(timeout=60)[1], writer.returncode) for writer in writers]

        assert ends == [("", 0), ("", 0)]
        with ScoreCache(path, "model") as cache:
            found = cache.read([(str(number), "h") for number in range(1_800)])
        assert found == {
            (str(number), "h"): CachedScore(number / 4096, 1 - number / 4096, 0, number % 2 == 1)
            for number in range(1_800)
        }


class TestUnusableFile:
    @pytest.fixture
    def expected(self, load: Load) -> Any:
        return load("bert").predict_pairs(PAIRS)

    def check(self, model: NLIModel, expected: Any, path: Path) -> None:
        """A warning that names the file, once; then right scores."""
        with pytest.warns(ClaimwiseWarning, match="score cache") as caught:
            predictions = model.predict_pairs(PAIRS)

        assert len(caught) == 1
        assert str(path) in str(caught[0].message)
        np.testing.assert_allclose(predictions.probabilities, expected.probabilities, atol=1e-5)
        np.testing.assert_array_equal(predictions.truncated, expected.truncated)

    @pytest.mark.parametrize("content", [b"x", b"my notes, not a database\n" * 400, b"\x80\x04\x95" * 1000])
    def test_a_file_of_another_kind_is_not_touched(
        self, load: Load, expected: Any, path: Path, content: bytes
    ) -> None:
        path.write_bytes(content)

        self.check(load("bert", score_cache=path), expected, path)

        assert path.read_bytes() == content

    @pytest.mark.parametrize("keep", [4096, 5000])
    def test_a_file_that_was_cut_short(self, load: Load, expected: Any, path: Path, keep: int) -> None:
        model = load("bert", score_cache=path)
        model.predict_pairs(PAIRS + [(f"room {number}", "") for number in range(200)])
        path.write_bytes(path.read_bytes()[:keep])

        self.check(model, expected, path)

    def test_a_file_with_overwritten_pages(self, load: Load, expected: Any, path: Path) -> None:
        model = load("bert", score_cache=path)
        model.predict_pairs(PAIRS + [(f"room {number}", "") for number in range(200)])
        content = path.read_bytes()
        path.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))

        self.check(model, expected, path)

    def test_a_folder_in_its_place(self, load: Load, expected: Any, path: Path) -> None:
        path.mkdir()

        self.check(load("bert", score_cache=path), expected, path)

    def test_a_file_in_place_of_its_folder(self, load: Load, expected: Any, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        path = tmp_path / "file" / "scores.sqlite"

        self.check(load("bert", score_cache=path), expected, path)

    @pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
    def test_a_read_only_folder(self, load: Load, expected: Any, tmp_path: Path) -> None:
        folder = tmp_path / "read-only"
        folder.mkdir()
        folder.chmod(0o500)

        self.check(load("bert", score_cache=folder / "scores.sqlite"), expected, folder / "scores.sqlite")

    def test_a_table_that_is_not_ours(self, load: Load, expected: Any, path: Path) -> None:
        connection = sqlite3.connect(path)
        connection.execute("CREATE TABLE score_1 (pair TEXT, score REAL)")
        connection.close()

        self.check(load("bert", score_cache=path), expected, path)

    def test_a_warning_is_an_error_for_those_who_ask_for_it(self, load: Load, path: Path) -> None:
        path.mkdir()

        with pytest.raises(ClaimwiseWarning):  # pyproject.toml turns it into an error
            load("bert", score_cache=path).predict_pairs(PAIRS)


class TestStoppedRun:
    def test_an_interrupted_run_resumes_where_it_was(
        self, load: Load, forward_calls: Count, path: Path
    ) -> None:
        model = load("bert", score_cache=path, max_tokens_per_batch=100)
        with forward_calls(uncached := load("bert", max_tokens_per_batch=100)) as sizes:
            expected = uncached.predict_pairs(PAIRS)
        calls = []

        def interrupt(module: Any, args: Any) -> None:
            calls.append(None)
            if len(calls) == 3:
                raise KeyboardInterrupt

        hook = model.judge._checkpoint.network.model.register_forward_pre_hook(interrupt)
        with pytest.raises(KeyboardInterrupt):
            model.predict_pairs(PAIRS)
        hook.remove()
        with forward_calls(model) as resumed:
            scores = model.predict_pairs(PAIRS).probabilities

        assert len(sizes) > 4
        assert resumed == sizes[2:]
        np.testing.assert_allclose(scores, expected.probabilities, atol=1e-5)

    @pytest.mark.slow
    def test_a_killed_run_resumes_where_it_was(
        self, load: Load, forward_calls: Count, checkpoints: Path, path: Path
    ) -> None:
        script = """if True:
            import ast, os, signal, sys
            from claimwise.judges import NLIModel, with_cache
            checkpoint, path = sys.argv[1:]
            model = NLIModel.from_pretrained(
                checkpoint, device="cpu", dtype="float32", max_tokens_per_batch=100
            )
            calls = []
            def die(module, args):
                calls.append(None)
                if len(calls) == 3:
                    os.kill(os.getpid(), signal.SIGKILL)
            model._checkpoint.network.model.register_forward_pre_hook(die)
            with_cache(model, path).predict_pairs(ast.literal_eval(sys.stdin.read()))
            """
        with forward_calls(uncached := load("bert", max_tokens_per_batch=100)) as sizes:
            expected = uncached.predict_pairs(PAIRS)

        killed = subprocess.run(
            [sys.executable, "-c", script, str(checkpoints / "bert"), str(path)],
            input=repr(PAIRS),
            text=True,
            timeout=120,
            check=False,
        )
        model = load("bert", max_tokens_per_batch=100, score_cache=path)
        with forward_calls(model) as resumed:
            scores = model.predict_pairs(PAIRS).probabilities

        assert killed.returncode == -signal.SIGKILL
        assert len(sizes) > 4
        assert resumed == sizes[2:]
        np.testing.assert_allclose(scores, expected.probabilities, atol=1e-5)
