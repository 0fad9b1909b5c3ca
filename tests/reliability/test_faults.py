"""Faults cost time, never results: kills, full disks, damaged caches, Ctrl-C, no memory, no network."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tables import write_table
from tiny_checkpoints import CORPUS
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from claimwise.errors import ClaimwiseError, ClaimwiseWarning
from claimwise.judges import NLIModel, with_cache
from claimwise.judges.by_torch import checkpoint_of
from claimwise.judges.cache import CachedScore, ScoreCache
from claimwise.judges.hub import hub_is_reachable
from claimwise.metrics import METRICS
from claimwise.text.llm import claim_cache

WORDS = sorted({word for text in CORPUS for word in text.split()})
PAIRS = [(f"{a} {b}", text) for a in WORDS for b in WORDS[:8] for text in CORPUS]


@pytest.fixture(scope="module")
def checkpoint(tiny_encoder: Path) -> Path:
    return tiny_encoder


Load = Callable[..., NLIModel]


@pytest.fixture(scope="module")
def load(checkpoint: Path) -> Load:
    def load_model(*, score_cache: Any = None, **options: Any) -> Any:
        given = {"device": "cpu", "dtype": "float32", "show_progress": False} | options
        model = NLIModel.from_pretrained(checkpoint, **given)
        return model if score_cache is None else with_cache(model, score_cache)

    return load_model


@pytest.fixture(scope="module")
def expected(load: Load) -> Any:
    """What an undisturbed run without a cache gives."""
    return load().predict_pairs(PAIRS).probabilities


def check_equal(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, atol=1e-5)
    np.testing.assert_array_equal(found.argmax(1), expected.argmax(1))


def check_unlocked(path: Path) -> None:
    """Anyone may write to the cache at once, and its pages are sound."""
    with closing(sqlite3.connect(path, timeout=0)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def run_python(script: str, *arguments: object, prefix: tuple[str, ...] = (), **more: Any) -> Any:
    """Run a script in a process of its own and return the JSON that it prints last."""
    done = subprocess.run(
        [*prefix, sys.executable, "-c", textwrap.dedent(script), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=580,  # only so that a hang ends
        **more,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_every_test_that_the_reliability_page_names_exists() -> None:
    root = Path(__file__).parents[2]
    named = set(re.findall(r"`(test_\w+|Test\w+)`", (Path(__file__).parent / "README.md").read_text()))
    files = [*(root / "tests").rglob("test_*.py"), *(root / "packages").glob("*/tests/test_*.py")]
    sources = "".join(path.read_text() for path in files)

    assert named
    assert {name for name in named if not re.search(rf"(def|class) {name}\b", sources)} == set()


# ---------------------------------------------------------------------------------------------
# Kills
# ---------------------------------------------------------------------------------------------

# The children are forked from a process that has loaded the model, so that each starts at once.
KILLED_RUNS = """
    import json, os, random, signal, sys, traceback
    import torch
    from claimwise.judges import NLIModel, with_cache
    checkpoint, path, kills, pairs = sys.argv[1], sys.argv[2], int(sys.argv[3]), json.loads(sys.stdin.read())
    torch.set_num_threads(1)
    random = random.Random(0)
    model = NLIModel.from_pretrained(
        checkpoint, device="cpu", dtype="float32", max_tokens_per_batch=64, show_progress=False,
    )

    def start():
        reading, writing = os.pipe()
        child = os.fork()
        if child:
            os.close(writing)
            return child, reading
        try:
            network = model._checkpoint.network
            logits = network.logits
            def noted(batch):
                os.write(writing, bytes([len(batch.lengths)]))
                return logits(batch)
            network.logits = noted
            with_cache(model, path).predict_pairs([tuple(pair) for pair in pairs])
        except BaseException:
            traceback.print_exc()
        os._exit(1)

    sizes = []  # pairs of every forward pass that any of the runs began
    for kill in range(kills):
        child, progress = start()
        for batch in range(random.randint(1, 12)):
            sizes += os.read(progress, 1)
        for _ in range(random.randint(0, 20_000)):
            pass
        os.kill(child, signal.SIGKILL)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
        while rest := os.read(progress, 65536):
            sizes += rest
    print(json.dumps(sizes))
    """


@pytest.mark.slow
def test_runs_killed_at_random_moments_lose_at_most_a_batch_each(
    load: Load, checkpoint: Path, tmp_path: Path, expected: Any
) -> None:
    path, kills = tmp_path / "scores.sqlite", 20

    sizes = run_python(KILLED_RUNS, checkpoint, path, kills, input=json.dumps(PAIRS))
    with closing(sqlite3.connect(path)) as connection:  # which rolls an unfinished batch back
        [(kept,)] = connection.execute("SELECT count(*) FROM score_1")
    found = load(score_cache=path).predict_pairs(PAIRS).probabilities

    assert kept < len(PAIRS), "every kill hits a run that has work left"
    assert sum(sizes) <= kept + kills * max(sizes)
    check_equal(found, expected)
    check_unlocked(path)


@pytest.mark.slow
def test_eight_processes_read_and_write_one_cache(checkpoint: Path, tmp_path: Path, expected: Any) -> None:
    script = """
        import json, os, random, sys, warnings
        import numpy as np
        import torch
        from claimwise.errors import ClaimwiseWarning
        from claimwise.judges import NLIModel, with_cache
        checkpoint, folder, pairs = sys.argv[1], sys.argv[2], json.loads(sys.stdin.read())
        torch.set_num_threads(1)
        warnings.simplefilter("error", ClaimwiseWarning)
        model = NLIModel.from_pretrained(
            checkpoint, device="cpu", dtype="float32", max_tokens_per_batch=256, show_progress=False,
        )
        model = with_cache(model, folder + "/scores.sqlite")
        children = []
        for number in range(8):
            if child := os.fork():
                children.append(child)
                continue
            try:
                order = random.Random(number).sample(range(len(pairs)), len(pairs))
                found = np.empty((len(pairs), 3), dtype=np.float32)
                for rows in np.array_split(order, 20):  # later parts read what others have written
                    found[rows] = model.predict_pairs([tuple(pairs[row]) for row in rows]).probabilities
                np.save(f"{folder}/{number}.npy", found)
            except BaseException:
                import traceback
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        print(json.dumps([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]))
        """

    assert run_python(script, checkpoint, tmp_path, input=json.dumps(PAIRS)) == [0] * 8
    for number in range(8):
        check_equal(np.load(tmp_path / f"{number}.npy"), expected)
    check_unlocked(tmp_path / "scores.sqlite")


# ---------------------------------------------------------------------------------------------
# Disks
# ---------------------------------------------------------------------------------------------


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    usual, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (usual, most))


def test_a_cache_that_cannot_grow_is_a_warning_and_keeps_what_it_has(
    load: Load, tmp_path: Path, expected: Any
) -> None:
    path = tmp_path / "scores.sqlite"
    model = load(score_cache=path, max_tokens_per_batch=2_000)

    with files_of_at_most(20_000), pytest.warns(ClaimwiseWarning, match="score cache") as caught:
        found = model.predict_pairs(PAIRS).probabilities

    assert len(caught) == 1
    check_equal(found, expected)
    check_unlocked(path)
    with ScoreCache(path, model.fingerprint) as cache:
        kept = cache.read(PAIRS)
    assert 0 < len(kept) < len(PAIRS)
    check_equal(model.predict_pairs(PAIRS).probabilities, expected)


def unshare(*what: str) -> tuple[str, ...] | None:
    """Return the command that runs another in namespaces of its own, or None where that is not permitted."""
    for user in ([], ["--user", "--map-root-user"]):
        command = ["unshare", *user, *what]
        try:
            if subprocess.run([*command, "true"], capture_output=True).returncode == 0:
                return tuple(command)
        except OSError:
            return None
    return None


OWN_MOUNTS = unshare("--mount")
OWN_NETWORK = unshare("--net")


@pytest.mark.slow
@pytest.mark.skipif(OWN_MOUNTS is None, reason="mounting is not permitted here")
def test_a_full_and_then_read_only_disk_costs_warnings_not_scores(
    checkpoint: Path, tmp_path: Path, expected: Any
) -> None:
    script = """
        import json, subprocess, sys, warnings
        from claimwise.errors import ClaimwiseWarning
        from claimwise.judges import NLIModel, with_cache
        checkpoint, folder, pairs = sys.argv[1], sys.argv[2], json.loads(sys.stdin.read())
        pairs = [tuple(pair) for pair in pairs]

        def mount(*options):
            subprocess.run(["mount", "-t", "tmpfs", "-o", *options, folder], check=True)

        def run():
            model = NLIModel.from_pretrained(
                checkpoint, device="cpu", dtype="float32", max_tokens_per_batch=2_000, show_progress=False,
            )
            sizes = []
            network = model._checkpoint.network
            logits = network.logits
            network.logits = lambda batch: sizes.append(len(batch.lengths)) or logits(batch)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                cached = with_cache(model, folder + "/scores.sqlite")
                scores = cached.predict_pairs(pairs).probabilities.tolist()
            said = [str(w.message) for w in caught if w.category is ClaimwiseWarning]
            return scores, sum(sizes), said

        mount("size=64k", "tmpfs")
        full = run()
        mount("remount,ro", "tmpfs")
        read_only = run()
        mount("remount,rw,size=8m", "tmpfs")
        print(json.dumps([full, read_only, run(), run()]))
        """

    full, read_only, roomy, again = run_python(
        script, checkpoint, tmp_path, input=json.dumps(PAIRS), prefix=OWN_MOUNTS
    )

    for scores, _, _ in (full, read_only, roomy, again):
        check_equal(np.array(scores), expected)
    [said] = full[2]
    assert "full" in said
    [said] = read_only[2]
    assert "readonly" in said
    assert 0 < read_only[1] < len(PAIRS), "what is in the cache is read from a read-only disk"
    assert roomy[1:] == [read_only[1], []]
    assert again[1:] == [0, []]


# ---------------------------------------------------------------------------------------------
# Damaged caches
# ---------------------------------------------------------------------------------------------

SCORES = {
    (f"premise {number}", "hypothesis"): CachedScore(number / 400, 0.25, 0.75 - number / 400, number % 3 == 0)
    for number in range(300)
}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("cache") / "sound.sqlite"
    with ScoreCache(path, "model") as cache:
        cache.write(SCORES.items())
    return path.read_bytes()


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    cache = claim_cache(tmp_path_factory.mktemp("cache") / "answers.sqlite")
    for number in range(200):
        cache.put(f"key {number}", [f"Claim {number}."])
    return cache.path.read_bytes()


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("damaged")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::claimwise.errors.ClaimwiseWarning")
@given(data=st.data())
def test_a_cache_with_any_bytes_overwritten_gives_right_scores_or_none(
    sound: bytes, scratch: Path, data: st.DataObject
) -> None:
    content = bytearray(sound)
    for _ in range(data.draw(st.integers(1, 5))):
        place = data.draw(st.integers(0, len(content) - 1))
        damage = data.draw(
            st.one_of(st.binary(min_size=1, max_size=64), st.just(b"\0" * 512), st.just(b"\xff" * 512))
        )
        content[place : place + len(damage)] = damage
    if data.draw(st.booleans()):
        del content[data.draw(st.integers(0, len(content))) :]
    path = scratch / "scores.sqlite"
    (scratch / "scores.sqlite-journal").unlink(missing_ok=True)
    path.write_bytes(content)

    for _ in range(2):  # once more after writing into the damaged file
        with ScoreCache(path, "model") as cache:
            found = cache.read(list(SCORES))
            cache.write(list(SCORES.items())[::7])
        for pair, score in found.items():
            assert score[:3] == pytest.approx(SCORES[pair][:3], abs=2e-5)


@given(data=st.data())
def test_a_cache_of_answers_with_any_bytes_overwritten_gives_answers_or_is_refused(
    answers: bytes, scratch: Path, data: st.DataObject
) -> None:
    content = bytearray(answers)
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(content) - 1))
        damage = data.draw(st.binary(min_size=1, max_size=64))
        content[place : place + len(damage)] = damage
    path = scratch / "answers.sqlite"
    (scratch / "answers.sqlite-journal").unlink(missing_ok=True)
    path.write_bytes(content)

    try:
        found = claim_cache(path).get([f"key {number}" for number in range(200)])
    except ClaimwiseError as refusal:
        said = str(refusal)
    else:
        said = str(path)
        assert all(claim.strip() for claims in found.values() for claim in claims)

    assert str(path) in said


def test_scores_that_cannot_be_right_are_computed_again(load: Load, tmp_path: Path, expected: Any) -> None:
    path = tmp_path / "scores.sqlite"
    load(score_cache=path).predict_pairs(PAIRS)
    wrong = [
        "entailment = 1.5",
        "neutral = -0.1",
        "contradiction = 'x'",
        "entailment = NULL",
        "neutral = neutral + 0.01",
        "contradiction = 9e999",
        "truncated = 7",
    ]
    with closing(sqlite3.connect(path)) as connection, connection:
        pairs = connection.execute("SELECT pair FROM score_1 LIMIT ?", [len(wrong)]).fetchall()
        for pair, change in zip(pairs, wrong, strict=True):
            connection.execute(f"UPDATE score_1 SET {change} WHERE pair = ?", pair)

    with pytest.warns(ClaimwiseWarning, match=rf"damaged: {len(wrong)} stored scores.*computed again"):
        found = load(score_cache=path).predict_pairs(PAIRS).probabilities

    check_equal(found, expected)
    check_equal(load(score_cache=path).predict_pairs(PAIRS).probabilities, expected)  # and without a warning


@pytest.mark.parametrize(
    ("layout", "said"),
    [
        ("CREATE TABLE score_2 (pair BLOB PRIMARY KEY, probabilities BLOB)", "another version of claimwise"),
        ("CREATE TABLE score_1 (pair BLOB PRIMARY KEY, entails REAL, rest REAL)", "no such column"),
    ],
)
def test_a_cache_of_another_version_is_left_alone_with_a_warning(
    load: Load, tmp_path: Path, expected: Any, layout: str, said: str
) -> None:
    path = tmp_path / "scores.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(layout)
    before = path.read_bytes()

    with pytest.warns(ClaimwiseWarning, match=rf"{said}.*Delete the file") as caught:
        found = load(score_cache=path).predict_pairs(PAIRS).probabilities

    assert len(caught) == 1
    check_equal(found, expected)
    assert path.read_bytes() == before
    check_unlocked(path)


@pytest.mark.parametrize("path", [5, b"scores", ["scores"], "scores\0.sqlite"])
def test_a_cache_that_is_no_path_is_refused(load: Load, path: Any) -> None:
    with pytest.raises(ClaimwiseError, match="score_cache must be the path of a file"):
        load(score_cache=path).predict_pairs(PAIRS[:1])


# ---------------------------------------------------------------------------------------------
# Memory
# ---------------------------------------------------------------------------------------------


class _Cramped(torch.nn.Module):
    """A real model on a machine whose memory holds batches of a few pairs."""

    def __init__(self, model: Any, most: int, error: Exception) -> None:
        super().__init__()
        self.model, self.config, self.dtype, self.device = model, model.config, model.dtype, model.device
        self.most, self.error = most, error

    def forward(self, **inputs: torch.Tensor) -> Any:
        if len(inputs["input_ids"]) > self.most:
            raise self.error
        return self.model(**inputs)


def cramped(checkpoint: Path, most: int, error: Exception, **options: Any) -> NLIModel:
    model = AutoModelForSequenceClassification.from_pretrained(checkpoint, dtype=torch.float32)
    parts = _Cramped(model, most, error), AutoTokenizer.from_pretrained(checkpoint)
    loaded = checkpoint_of(*parts, fingerprint="0")
    return NLIModel(loaded, name="cramped", show_progress=False, **options)


NO_MEMORY = {
    "cuda": torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB"),
    "cpu": RuntimeError(
        "[enforce fail at alloc_cpu.cpp:117] err == 0. DefaultCPUAllocator: not enough memory"
    ),
}


@pytest.mark.parametrize("kind", NO_MEMORY)
def test_out_of_memory_on_a_batch_halves_it_and_goes_on(checkpoint: Path, expected: Any, kind: str) -> None:
    model = cramped(checkpoint, 20, NO_MEMORY[kind], max_tokens_per_batch=1_500)

    with pytest.warns(ClaimwiseWarning, match=r"memory.*max_tokens_per_batch=\d+") as caught:
        found = model.predict_pairs(PAIRS).probabilities

    assert len(caught) == 1
    check_equal(found, expected)


def test_a_single_pair_that_does_not_fit_is_an_error_and_keeps_the_cache(
    checkpoint: Path, tmp_path: Path
) -> None:
    path = tmp_path / "scores.sqlite"
    model = with_cache(cramped(checkpoint, 0, NO_MEMORY["cpu"]), path)

    with pytest.raises(ClaimwiseError, match=r"memory.*single pair"):
        model.predict_pairs(PAIRS)

    check_unlocked(path)


def test_another_error_of_the_model_is_not_taken_for_too_little_memory(checkpoint: Path) -> None:
    model = cramped(checkpoint, 0, RuntimeError("mat1 and mat2 shapes cannot be multiplied"))

    with pytest.raises(RuntimeError, match="shapes"):
        model.predict_pairs(PAIRS)


# ---------------------------------------------------------------------------------------------
# Ctrl-C
# ---------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_ctrl_c_keeps_finished_work_says_how_to_resume_and_exits_with_130(
    checkpoint: Path, tmp_path: Path
) -> None:
    texts = [" ".join(WORDS[i : i + 6]).rstrip(".") + "." for i in range(20)]
    table = write_table(
        tmp_path / "t.csv", summary_a=[" ".join(texts[:10])] * 2, summary_b=[" ".join(texts[10:]), CORPUS[0]]
    )
    scores = tmp_path / "scores.sqlite"
    command = [
        sys.executable, "-c", "from claimwise.apps.cli import main; main()", "score", "caspr", str(table),
        "--judge", str(checkpoint), "--device", "cpu", "--dtype", "float32", "--decomposer", "sentences",
        "--score-cache", str(scores), "--option", "max_tokens_per_batch=16",
    ]  # fmt: skip
    process = subprocess.Popen(
        [*command, "--output", str(tmp_path / "out.json")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler) and None,
    )

    def kept() -> int:
        """Count the finished pairs without a lock that would hold the command up."""
        try:
            with closing(sqlite3.connect(f"file:{scores}?immutable=1", uri=True)) as connection:
                return int(connection.execute("SELECT count(*) FROM score_1").fetchone()[0])
        except sqlite3.Error:  # the table is yet to be made
            return 0

    while not kept() and process.poll() is None:
        pass
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    finished = kept()
    resumed = subprocess.run(command, capture_output=True, text=True, timeout=300)

    assert process.returncode == 130, err
    assert out == ""
    assert "Traceback" not in err
    assert "Commands with --score-cache" in err
    assert not (tmp_path / "out.json").exists()
    assert resumed.returncode == 0, resumed.stderr
    assert 0 < finished < kept()


# ---------------------------------------------------------------------------------------------
# No network
# ---------------------------------------------------------------------------------------------

# For where no namespace of its own can be had.
GUARD = """
    import socket
    def refuse(*arguments, **options):
        raise OSError("the network is off")
    socket.socket.connect = socket.getaddrinfo = refuse
    """
ONLINE = {name: value for name, value in os.environ.items() if not name.endswith("_OFFLINE")}


def run_offline(script: str, *arguments: object, env: dict[str, str] = ONLINE, **more: Any) -> Any:
    """Run a script that may ask the network for anything, where there is none."""
    if OWN_NETWORK is None:
        script = textwrap.dedent(GUARD) + textwrap.dedent(script)
    return run_python(script, *arguments, prefix=OWN_NETWORK or (), env=env, **more)


@pytest.mark.slow
def test_every_default_works_without_a_network(tmp_path: Path) -> None:
    script = """
        import json, sys
        from pathlib import Path
        import evaluate
        import claimwise
        from claimwise.apps.cli import main
        from claimwise.apps.evaluate_module import module_folder
        texts = {
            "predictions": ["The pool is warm, but the bar is closed.", "The staff were kind."],
            "references": ["The pool is cold. The bar is closed.", "The staff were rude."],
        }
        folder = Path(sys.argv[1])
        weights = folder / "weights.safetensors"
        claimwise.SummacConv().fit(**texts, labels=[0, 1], output=weights, steps=2)
        found = {}
        for name in claimwise.METRICS:
            options = {"weights": str(weights)} if name == "summac_conv" else {}
            options |= {"support": "sentences"} if name == "support_counts" else {}
            library = claimwise.load(name, **options).compute(**texts, details=True)
            plugin = evaluate.load(str(module_folder(name)), **options).compute(**texts)
            found[name] = library[name] == plugin[name]
        main_exit = None
        try:
            main(["demo", "--output", str(folder / "map.html")])
        except SystemExit as stop:
            main_exit = stop.code
        print()
        print(json.dumps([found, main_exit]))
        """
    caches = {"HF_HOME": str(tmp_path / "home"), "HF_MODULES_CACHE": str(tmp_path / "modules")}

    found, code = run_offline(script, tmp_path, cwd=tmp_path, env=ONLINE | caches)

    assert found == dict.fromkeys(METRICS, True)
    assert code in (0, None)
    assert (tmp_path / "map.html").exists()


ASK_THE_HUB = """
    import json
    from claimwise.errors import ClaimwiseError
    from claimwise.judges import NLIModel
    from claimwise.metrics import InvertedBertscore
    said = []
    for ask in (lambda: NLIModel.from_pretrained("mnli"), InvertedBertscore("paper").load):
        try:
            ask()
        except ClaimwiseError as refusal:
            said.append(str(refusal))
    print(json.dumps(said))
    """


def check_told(said: list[str]) -> None:
    mnli, encoder = said
    assert "`mnli` (FacebookAI/roberta-large-mnli)" in mnli
    assert "work offline with `default`" in mnli
    assert "path of a folder" in mnli
    assert "roberta-large" in encoder
    assert "encoder='default'" in encoder


@pytest.mark.slow
def test_without_a_network_a_hub_model_is_named_with_what_works_offline() -> None:
    check_told(run_offline(ASK_THE_HUB))


@pytest.mark.slow
@pytest.mark.skipif(OWN_NETWORK is None or OWN_MOUNTS is None, reason="namespaces are not permitted here")
def test_a_name_server_that_never_answers_is_not_waited_for(tmp_path: Path) -> None:
    """The resolver would wait for 100 times 30 seconds, far longer than any run of the tests."""
    (tmp_path / "resolv.conf").write_text("nameserver 127.0.0.1\noptions timeout:30 attempts:5\n")
    silent = f"""
        import fcntl, socket, struct, subprocess
        loopback = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        fcntl.ioctl(loopback, 0x8914, struct.pack("16sh", b"lo", 0x41))  # up and running
        name_server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        name_server.bind(("127.0.0.1", 53))
        subprocess.run(["mount", "--bind", {str(tmp_path / "resolv.conf")!r}, "/etc/resolv.conf"], check=True)
        """
    command = unshare("--net", "--mount")
    assert command is not None

    check_told(run_python(textwrap.dedent(silent) + textwrap.dedent(ASK_THE_HUB), prefix=command, env=ONLINE))


@pytest.fixture
def online(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    return monkeypatch


@pytest.mark.parametrize(
    "form", ["http://127.0.0.1:{port}", "127.0.0.1:{port}", "http://user:word@127.0.0.1:{port}/"]
)
def test_the_hub_is_reachable_as_far_as_its_proxy_is(online: pytest.MonkeyPatch, form: str) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as proxy:
        port = proxy.getsockname()[1]
        online.setenv("https_proxy", form.format(port=port))
        assert hub_is_reachable()

    assert not hub_is_reachable()


@pytest.mark.parametrize("proxy", ["http://127.0.0.1:1", "http://", "http://[", "nonsense:99999999"])
def test_a_proxy_that_is_none_leaves_the_hub_out_of_reach(online: pytest.MonkeyPatch, proxy: str) -> None:
    online.setenv("https_proxy", proxy)

    assert not hub_is_reachable()
