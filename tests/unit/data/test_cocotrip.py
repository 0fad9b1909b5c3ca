"""The CoCoTrip builder, on small files written for this project, and on the real ones if here.

The invented files have an ``Origin`` of their own with their own checksums, and are downloaded from
a real HTTP server on this machine; nothing in the builder is patched but the disk, to make it fail.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import datasets
import pyarrow.parquet
import pytest
from huggingface_hub import DatasetCard

from claimwise.data import cocotrip
from claimwise.data.cocotrip import PAIR_CONFIGS, RECORDS_CONFIG, Origin, SourceFile
from claimwise.errors import ClaimwiseError

# ---------------------------------------------------------------------------------------------
# Invented source files
# ---------------------------------------------------------------------------------------------


def annotated_pair(number: int) -> dict[str, Any]:
    """Return an invented pair as in anno.json; the second annotator types stray blanks."""
    return {
        "entity_a": f"{number}1",
        "entity_b": f"{number}2",
        "entity_a_summary": [
            f"A{number} is calm.",
            f" A{number} is quiet. ",
            f"'A{number}' sleeps.",
        ],
        "entity_b_summary": [f"B{number} is loud.", f"B{number} has noise.", f"B{number} roars."],
        "common_summary": [f"Both of {number} have rooms.", f"{number}: rooms.", f"{number} é."],
        "entity_a_uid": [f"UR{number}10", f"UR{number}11"],
        "entity_b_uid": [f"UR{number}20", f"UR{number}21"],
    }


def synthetic_pair(number: int) -> dict[str, Any]:
    """Return the synthetic texts of the same pair."""
    return {
        "entity_a": f"{number}1",
        "entity_b": f"{number}2",
        "syn_low_contrast": f"A{number} is tranquil.",
        "syn_high_contrast": f"A{number} is  not calm.",
        "paraphrase_a": f"Peace reigns in A{number}.",
        "paraphrase_b": f"Din reigns in B{number}.",
    }


ANNOTATIONS: dict[str, list[dict[str, Any]]] = {
    # in the file the splits come in another order than in the data set
    "test": [annotated_pair(4)],
    "train": [annotated_pair(2), annotated_pair(1)],
    "dev": [annotated_pair(3)],
}
SYNTHETIC = [synthetic_pair(number) for number in (4, 3, 2, 1)]


def origin_of(annotations: bytes, synthetic: bytes, base_url: str = "http://127.0.0.1:9") -> Origin:
    """Return an origin that expects exactly these two contents."""
    return Origin(
        base_url=base_url,
        annotations=SourceFile(
            name="anno.json",
            sha256=hashlib.sha256(annotations).hexdigest(),
            locations=("one/anno.json", "two/anno.json"),
        ),
        synthetic=SourceFile(
            name="caspr_synthetic_dataset.json",
            sha256=hashlib.sha256(synthetic).hexdigest(),
            locations=("one/synthetic.json", "two/synthetic.json"),
        ),
    )


ANNOTATIONS_CONTENT = json.dumps(ANNOTATIONS).encode()
SYNTHETIC_CONTENT = json.dumps(SYNTHETIC).encode()
ORIGIN = origin_of(ANNOTATIONS_CONTENT, SYNTHETIC_CONTENT)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write_source(tmp_path / "source", ANNOTATIONS_CONTENT, SYNTHETIC_CONTENT)


def write_source(folder: Path, annotations: bytes, synthetic: bytes) -> Path:
    folder.mkdir(parents=True)
    (folder / "anno.json").write_bytes(annotations)
    (folder / "caspr_synthetic_dataset.json").write_bytes(synthetic)
    return folder


def files_in(folder: Path) -> dict[str, bytes]:
    """Return all files below ``folder``, hidden ones and empty folders included."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b""
        for path in folder.rglob("*")
    }


CONFIGS = (*PAIR_CONFIGS, RECORDS_CONFIG)
EXPECTED_FILES = {"README.md", "data", *(f"data/{config}.parquet" for config in CONFIGS)}


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Put `datasets` in offline mode with a cache of its own."""
    monkeypatch.setattr(datasets.config, "HF_DATASETS_OFFLINE", True)
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    return tmp_path / "cache"


def load(folder: Path, config: str, cache: Path) -> datasets.Dataset:
    return datasets.load_dataset(str(folder), config, split="test", cache_dir=str(cache))


# ---------------------------------------------------------------------------------------------
# Reading and joining
# ---------------------------------------------------------------------------------------------


def test_records_are_joined_on_the_ids_in_the_order_train_dev_test(source: Path) -> None:
    records = cocotrip.records(source, origin=ORIGIN)
    assert [(record["entity_a"], record["split_of_origin"]) for record in records] == [
        ("21", "train"),
        ("11", "train"),
        ("31", "dev"),
        ("41", "test"),
    ]
    assert records[1] == {**annotated_pair(1), **synthetic_pair(1), "split_of_origin": "train"}


@pytest.mark.parametrize(
    ("config", "summary_a", "summary_b"),
    [
        ("reference_contrastive", "A2 is calm.", "B2 is loud."),
        ("reference_similar", "A2 is calm.", " A2 is quiet. "),
        ("synthetic_low_contrast", "A2 is calm.", "A2 is tranquil."),
        ("synthetic_high_contrast", "A2 is calm.", "A2 is  not calm."),
        ("synthetic_contrast", "Peace reigns in A2.", "Din reigns in B2."),
    ],
)
def test_pairs_are_those_of_table_3(source: Path, config: str, summary_a: str, summary_b: str) -> None:
    rows = cocotrip.pairs(source, config, origin=ORIGIN)
    assert len(rows) == 4
    assert rows[0] == {
        "entity_a": "21",
        "entity_b": "22",
        "split_of_origin": "train",
        "summary_a": summary_a,
        "summary_b": summary_b,
    }


def test_the_source_may_be_in_a_subfolder(tmp_path: Path) -> None:
    write_source(tmp_path / "all" / "cocotrip", ANNOTATIONS_CONTENT, SYNTHETIC_CONTENT)
    assert len(cocotrip.records(tmp_path / "all", origin=ORIGIN)) == 4


@pytest.mark.parametrize("config", ["cocotrip", "reference", ""])
def test_unknown_configuration(source: Path, config: str) -> None:
    with pytest.raises(ClaimwiseError, match="reference_contrastive, reference_similar"):
        cocotrip.pairs(source, config, origin=ORIGIN)


@pytest.mark.parametrize(
    ("annotations", "synthetic", "message"),
    [
        (ANNOTATIONS, SYNTHETIC[1:], "41 and 42 .* 1 × .* 0 ×"),
        ({**ANNOTATIONS, "dev": []}, SYNTHETIC, "31 and 32 .* 0 × .* 1 ×"),
        ({**ANNOTATIONS, "dev": ANNOTATIONS["test"]}, SYNTHETIC, "41 and 42 .* 2 × .* 1 ×"),
        (ANNOTATIONS, [*SYNTHETIC, SYNTHETIC[0]], "41 and 42 .* 1 × .* 2 ×"),
    ],
)
def test_every_pair_must_be_in_both_files_once(
    tmp_path: Path, annotations: object, synthetic: object, message: str
) -> None:
    contents = json.dumps(annotations).encode(), json.dumps(synthetic).encode()
    source = write_source(tmp_path / "source", *contents)
    with pytest.raises(ClaimwiseError, match=message):
        cocotrip.records(source, origin=origin_of(*contents))


# ---------------------------------------------------------------------------------------------
# Writing and loading
# ---------------------------------------------------------------------------------------------


def test_built_folder_loads_offline_and_equals_the_pairs(source: Path, tmp_path: Path, offline: Path) -> None:
    out = tmp_path / "out"
    cocotrip.build(out, source, origin=ORIGIN)
    assert set(files_in(out)) == EXPECTED_FILES
    assert datasets.get_dataset_config_names(str(out)) == list(CONFIGS)
    for config in PAIR_CONFIGS:
        expected = cocotrip.pairs(source, config, origin=ORIGIN)
        assert load(out, config, offline).to_list() == expected
    assert load(out, "cocotrip", offline).to_list() == cocotrip.records(source, origin=ORIGIN)


def test_folder_called_cocotrip_with_a_script_in_it_loads(
    source: Path, tmp_path: Path, offline: Path
) -> None:
    out = tmp_path / "cocotrip"
    out.mkdir()
    (out / "build.py").write_text("raise SystemExit('must not run')")
    cocotrip.build(out, source, origin=ORIGIN)
    assert len(load(out, "reference_similar", offline)) == 4
    assert (out / "build.py").read_text() == "raise SystemExit('must not run')"


def test_second_build_replaces_the_first_and_keeps_foreign_files(
    source: Path, tmp_path: Path, offline: Path
) -> None:
    out = tmp_path / "out"
    cocotrip.build(out, source, origin=ORIGIN)
    first = files_in(out)
    (out / "notes.txt").write_text("mine")
    (out / "data" / "own.parquet").write_text("mine")
    (out / "data" / "cocotrip.parquet").write_text("broken")
    (out / "README.md").write_text(f"an older card\n{cocotrip.CARD_MARKER}\n")
    cocotrip.build(out, source, origin=ORIGIN)
    assert files_in(out) == {**first, "notes.txt": b"mine", "data/own.parquet": b"mine"}
    assert len(load(out, "cocotrip", offline)) == 4


def test_a_card_that_is_up_to_date_is_not_touched(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    cocotrip.build(out, source, origin=ORIGIN)
    before = (out / "README.md").stat()
    cocotrip.build(out, source, origin=ORIGIN)
    after = (out / "README.md").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_a_missing_parent_is_made(source: Path, tmp_path: Path) -> None:
    cocotrip.build(tmp_path / "new" / "out", source, origin=ORIGIN)
    assert set(files_in(tmp_path / "new" / "out")) == EXPECTED_FILES


def test_relative_out(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    cocotrip.build(Path(), source, origin=ORIGIN)
    assert set(files_in(tmp_path / "here")) == EXPECTED_FILES


# ---------------------------------------------------------------------------------------------
# What can go wrong with the folders
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["anno.json", "caspr_synthetic_dataset.json"])
def test_source_without_a_file(source: Path, tmp_path: Path, missing: str) -> None:
    (source / missing).unlink()
    with pytest.raises(ClaimwiseError, match=rf"contains neither {missing} nor (.|\n)*source=FOLDER"):
        cocotrip.build(tmp_path / "out", source, origin=ORIGIN)
    assert not (tmp_path / "out").exists()


def test_source_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(ClaimwiseError, match="does not exist"):
        cocotrip.pairs(tmp_path / "nowhere", "reference_similar", origin=ORIGIN)


@pytest.mark.parametrize("changed", ["anno.json", "caspr_synthetic_dataset.json"])
def test_source_with_a_changed_file(source: Path, tmp_path: Path, changed: str) -> None:
    (source / changed).write_bytes((source / changed).read_bytes() + b"\n")
    with pytest.raises(ClaimwiseError, match=f"{changed} is not the expected file .SHA-256"):
        cocotrip.build(tmp_path / "out", source, origin=ORIGIN)
    with pytest.raises(ClaimwiseError, match=f"{changed} is not the expected file .SHA-256"):
        cocotrip.pairs(source, "reference_similar", origin=ORIGIN)
    assert set(files_in(tmp_path)) == {f"source/{path.name}" for path in source.iterdir()} | {"source"}


def test_a_failed_build_leaves_the_existing_one(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    cocotrip.build(out, source, origin=ORIGIN)
    before = files_in(out)
    (source / "anno.json").write_bytes(b"{}")
    with pytest.raises(ClaimwiseError, match="not the expected file"):
        cocotrip.build(out, source, origin=ORIGIN)
    assert files_in(out) == before


def test_out_is_a_file(source: Path, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    with pytest.raises(ClaimwiseError, match=r"is a file\. Choose a folder with output="):
        cocotrip.build(tmp_path / "out", source, origin=ORIGIN)
    assert (tmp_path / "out").read_text() == "mine"


def test_out_cannot_be_made(source: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ClaimwiseError, match="Choose a writable folder with output="):
        cocotrip.build(tmp_path / "file" / "out", source, origin=ORIGIN)


def test_out_with_an_impossible_name(source: Path, tmp_path: Path) -> None:
    with pytest.raises(ClaimwiseError, match="Choose another folder with output="):
        cocotrip.build(tmp_path / ("x" * 300), source, origin=ORIGIN)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_out_without_permission(source: Path, tmp_path: Path) -> None:
    (tmp_path / "locked").mkdir(mode=0o500)
    with pytest.raises(ClaimwiseError, match="Permission denied"):
        cocotrip.build(tmp_path / "locked" / "out", source, origin=ORIGIN)


def test_out_with_a_foreign_readme(source: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "README.md").write_text("# My project\n")
    with pytest.raises(ClaimwiseError, match="is not the card of this data set"):
        cocotrip.build(tmp_path / "out", source, origin=ORIGIN)
    assert files_in(tmp_path / "out") == {"README.md": b"# My project\n"}


@pytest.mark.parametrize("exists", [False, True])
def test_a_full_disk_leaves_nothing_behind(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exists: bool
) -> None:
    out = tmp_path / "parent" / "out"
    out.parent.mkdir()
    if exists:
        cocotrip.build(out, source, origin=ORIGIN)
    before = files_in(out.parent)
    write_table = pyarrow.parquet.write_table

    def write_until_the_disk_is_full(table: Any, path: Path) -> None:
        if path.name == "synthetic_contrast.parquet":
            path.write_bytes(b"half a")
            raise OSError(28, "No space left on device")
        write_table(table, path)

    monkeypatch.setattr(pyarrow.parquet, "write_table", write_until_the_disk_is_full)
    with pytest.raises(ClaimwiseError, match="No space left on device"):
        cocotrip.build(out, source, origin=ORIGIN)
    assert files_in(out.parent) == before


def test_an_interrupted_build_leaves_nothing_behind(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(table: Any, path: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(pyarrow.parquet, "write_table", interrupt)
    before = files_in(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        cocotrip.build(tmp_path / "out", source, origin=ORIGIN)
    assert files_in(tmp_path) == before


# ---------------------------------------------------------------------------------------------
# Downloading, from a real server
# ---------------------------------------------------------------------------------------------


@dataclass
class Answer:
    """What the server says to one path: a status, a body, and the length that it claims."""

    body: bytes = b""
    status: int = 200
    claimed_length: int | None = None


@dataclass
class Server:
    """A local HTTP server that answers by ``answers`` and remembers what it was asked."""

    origin: Origin
    answers: dict[str, Answer] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.asked.append(self.path)
            answer = state.answers.get(self.path, Answer(b"nothing here", status=404))
            length = len(answer.body) if answer.claimed_length is None else answer.claimed_length
            self.send_response(answer.status)
            self.send_header("Content-Length", str(length))
            self.end_headers()
            self.wfile.write(answer.body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http_server:
        base_url = f"http://127.0.0.1:{http_server.server_port}"
        state = Server(origin=replace(ORIGIN, base_url=base_url))
        thread = threading.Thread(target=http_server.serve_forever, args=(0.02,))
        thread.start()
        yield state
        http_server.shutdown()
        thread.join()


GOOD_ANNOTATIONS = Answer(ANNOTATIONS_CONTENT)
GOOD_SYNTHETIC = Answer(SYNTHETIC_CONTENT)


def test_download(server: Server, source: Path, tmp_path: Path) -> None:
    server.answers = {"/one/anno.json": GOOD_ANNOTATIONS, "/one/synthetic.json": GOOD_SYNTHETIC}
    cocotrip.build(tmp_path / "downloaded", origin=server.origin)
    cocotrip.build(tmp_path / "local", source, origin=ORIGIN)
    assert server.asked == ["/one/anno.json", "/one/synthetic.json"]
    assert files_in(tmp_path / "downloaded") == files_in(tmp_path / "local")


TRUNCATED = Answer(SYNTHETIC_CONTENT[:100], claimed_length=len(SYNTHETIC_CONTENT))
UNUSABLE = [
    pytest.param(Answer(b"<html>Welcome</html>"), "not the expected file", id="wrong bytes"),
    pytest.param(Answer(b""), "not the expected file", id="empty"),
    pytest.param(TRUNCATED, "broke off after 100 bytes", id="truncated"),
    pytest.param(Answer(b"gone", status=404), "answered 404 Not Found", id="404"),
    pytest.param(Answer(b"sorry", status=503), "answered 503", id="503"),
]


@pytest.mark.parametrize(("answer", "message"), UNUSABLE)
def test_download_of_something_unusable(server: Server, tmp_path: Path, answer: Answer, message: str) -> None:
    server.answers = {
        "/one/anno.json": GOOD_ANNOTATIONS,
        "/one/synthetic.json": answer,
        "/two/synthetic.json": answer,
    }
    with pytest.raises(ClaimwiseError) as caught:
        cocotrip.build(tmp_path / "out", origin=server.origin)
    assert str(caught.value).count(message) == 2
    assert "source=FOLDER" in str(caught.value)
    for location in (*ORIGIN.annotations.locations, *ORIGIN.synthetic.locations):
        assert f"{server.origin.base_url}/{location}" in str(caught.value)
    assert files_in(tmp_path) == {}


@pytest.mark.parametrize(("answer", "message"), UNUSABLE)
def test_download_from_the_second_location(
    server: Server, tmp_path: Path, answer: Answer, message: str
) -> None:
    server.answers = {
        "/one/anno.json": GOOD_ANNOTATIONS,
        "/one/synthetic.json": answer,
        "/two/synthetic.json": GOOD_SYNTHETIC,
    }
    cocotrip.build(tmp_path / "out", origin=server.origin)
    assert set(files_in(tmp_path / "out")) == EXPECTED_FILES


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def test_download_with_nobody_listening(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    origin = replace(ORIGIN, base_url=f"http://127.0.0.1:{free_port()}")
    with pytest.raises(ClaimwiseError, match=r"no connection .*refused") as caught:
        cocotrip.build(tmp_path / "out", origin=origin)
    assert str(caught.value).count("no connection") == 1, "one address of a dead server is enough"
    assert "source=FOLDER" in str(caught.value)
    assert files_in(tmp_path) == {}


def test_download_from_a_silent_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(cocotrip, "TIMEOUT_SECONDS", 0.2)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        origin = replace(ORIGIN, base_url=f"http://127.0.0.1:{listener.getsockname()[1]}")
        with pytest.raises(ClaimwiseError, match=r"no connection \(timed out\)"):
            cocotrip.build(tmp_path / "out", origin=origin)
    assert files_in(tmp_path) == {}


# ---------------------------------------------------------------------------------------------
# The card
# ---------------------------------------------------------------------------------------------


def test_the_card_names_every_configuration_and_is_known_as_ours() -> None:
    card = cocotrip.card_path().read_text(encoding="utf-8")
    front_matter = vars(DatasetCard(card).data)
    assert front_matter["license"] == ["apache-2.0", "gpl-3.0"]
    assert front_matter["configs"] == [
        {
            "config_name": config,
            "data_files": [{"split": "test", "path": f"data/{config}.parquet"}],
        }
        for config in CONFIGS
    ]
    assert cocotrip.CARD_MARKER in card
    assert cocotrip.PUBLISHED.annotations.sha256 in card
    assert cocotrip.PUBLISHED.synthetic.sha256 in card


# ---------------------------------------------------------------------------------------------
# The real data
# ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def real_source() -> Path:
    if "CLAIMWISE_DATA" not in os.environ:
        pytest.skip("CLAIMWISE_DATA is not set: the real CoCoTrip files are not on this machine")
    return Path(os.environ["CLAIMWISE_DATA"])


@pytest.fixture(scope="module")
def real_folder(real_source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("real") / "cocotrip"
    cocotrip.build(out, real_source)
    return out


@pytest.mark.parametrize("config", CONFIGS)
def test_real_configuration(real_source: Path, real_folder: Path, offline: Path, config: str) -> None:
    expected: list[Any] = list(
        cocotrip.records(real_source) if config == "cocotrip" else cocotrip.pairs(real_source, config)
    )
    loaded = load(real_folder, config, offline)
    assert loaded.to_list() == expected
    streamed = datasets.load_dataset(str(real_folder), config, split="test", streaming=True)
    assert list(streamed) == expected
    assert loaded["split_of_origin"] == ["train"] * 20 + ["dev"] * 10 + ["test"] * 18
    assert len(set(zip(loaded["entity_a"], loaded["entity_b"], strict=True))) == 48


def test_real_pairs_share_ids_and_first_summaries(real_source: Path) -> None:
    rows = {config: cocotrip.pairs(real_source, config) for config in PAIR_CONFIGS}
    contrastive = rows["reference_contrastive"]
    for config in PAIR_CONFIGS:
        assert [(row["entity_a"], row["entity_b"]) for row in rows[config]] == [
            (row["entity_a"], row["entity_b"]) for row in contrastive
        ]
        assert all(row["summary_a"].strip() and row["summary_b"].strip() for row in rows[config])
        assert all(row["summary_a"] != row["summary_b"] for row in rows[config])
    for config in ("reference_similar", "synthetic_low_contrast", "synthetic_high_contrast"):
        assert [row["summary_a"] for row in rows[config]] == [row["summary_a"] for row in contrastive]


def test_what_the_card_says_about_blanks(real_source: Path) -> None:
    records = cocotrip.records(real_source)
    individual = [
        text for record in records for text in record["entity_a_summary"] + record["entity_b_summary"]
    ]
    common = [text for record in records for text in record["common_summary"]]
    assert [sum(text != text.strip() for text in texts) for texts in (individual, common)] == [7, 7]
    in_pairs = [
        config
        for config in PAIR_CONFIGS
        for row in cocotrip.pairs(real_source, config)
        if row["summary_a"] != row["summary_a"].strip() or row["summary_b"] != row["summary_b"].strip()
    ]
    assert in_pairs == ["reference_similar"]
