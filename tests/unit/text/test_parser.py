"""The embedded parser: what it says, what its folder holds, and that loading it runs nobody's code."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from configparser import ConfigParser
from pathlib import Path

import numpy
import pytest

from claimwise.text.parser import WEIGHTS, load_parser, parser_fingerprint

ROOT = Path(__file__).parents[3]
FILES = {path.relative_to(WEIGHTS).as_posix() for path in WEIGHTS.rglob("*") if path.is_file()}
COMPONENTS = ["tok2vec", "tagger", "morphologizer", "parser"]
BINARY = {
    "tokenizer",
    "parser/moves",
    "vocab/key2row",
    "vocab/lookups.bin",
    "vocab/vectors",
    *(f"{component}/model" for component in COMPONENTS),
}
TEXTUAL = {
    "LICENSE",
    "README.md",
    "config.cfg",
    "meta.json",
    "vocab/strings.json",
    "vocab/vectors.cfg",
    *(f"{component}/cfg" for component in COMPONENTS),
}


def relations(text: str) -> dict[str, tuple[str, str]]:
    """Return each word's relation and head."""
    return {token.text: (token.dep_, token.head.text) for token in load_parser()(text)}


def test_a_clause_its_subject_and_a_conjunct_are_found() -> None:
    found = relations("The staff were friendly and the rooms were clean.")

    assert found["staff"] == ("nsubj", "friendly")
    assert found["rooms"] == ("nsubj", "clean")
    assert found["clean"] == ("conj", "friendly")
    assert found["friendly"] == ("ROOT", "friendly")


def test_tags_and_parts_of_speech_come_along() -> None:
    tagged = [(token.text, token.tag_, token.pos_) for token in load_parser()("It isn't far.")]

    assert tagged == [
        ("It", "PRP", "PRON"),
        ("is", "VBZ", "AUX"),
        ("n't", "RB", "PART"),
        ("far", "JJ", "ADJ"),
        (".", ".", "PUNCT"),
    ] or tagged[3][1:] == ("RB", "ADV")


@pytest.mark.parametrize("text", ["", " ", "\n", "!!!", "\ufffd\u200d👍", "a" * 300, "ok\x00ok"])
def test_any_text_has_a_parse(text: str) -> None:
    assert load_parser()(text).text == text


def test_runs_of_punctuation_and_times_are_tokens() -> None:
    assert [token.text for token in load_parser()("Great!!! Open 7:30pm, dinner and/or drinks?!")] == [
        "Great", "!!!", "Open", "7:30", "pm", ",", "dinner", "and", "/", "or", "drinks", "?!",
    ]  # fmt: skip


def test_it_is_loaded_once_and_threads_share_it() -> None:
    texts = [
        f"Room {number} was small but we liked the {word}." for number in range(8) for word in ["bed", "bar"]
    ]

    def parse(text: str) -> list[tuple[str, int]]:
        return [(token.dep_, token.head.i) for token in load_parser()(text)]

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(parse, texts)) == [parse(text) for text in texts]
        assert len({id(pipeline) for pipeline in pool.map(lambda _: load_parser(), range(8))}) == 1


def test_batches_do_not_change_a_parse() -> None:
    texts = ["The pool is warm.", "No pool or gym, sadly.", "It is close to shops, bars and the old harbour."]

    together = [[(token.dep_, token.head.i) for token in document] for document in load_parser().pipe(texts)]

    assert together == [[(token.dep_, token.head.i) for token in load_parser()(text)] for text in texts]


def test_the_fingerprint_is_that_of_the_files_and_loads_nothing() -> None:
    script = (
        "import sys; from claimwise.text.parser import parser_fingerprint; "
        "print(parser_fingerprint(), 'spacy' in sys.modules)"
    )

    printed = subprocess.check_output([sys.executable, "-c", script], text=True).split()

    assert printed == [parser_fingerprint(), "False"]
    assert re.fullmatch("[0-9a-f]{12}", parser_fingerprint())


def test_the_folder_holds_what_is_known_and_at_most_15_megabytes() -> None:
    assert FILES == BINARY | TEXTUAL
    assert sum((WEIGHTS / name).stat().st_size for name in FILES) <= 15_000_000


def test_every_name_in_the_configuration_is_spacys_own() -> None:
    from spacy import registry

    config = (WEIGHTS / "config.cfg").read_text("utf-8")

    names = re.findall(r'^@(\w+) = "(.+)"$', config, re.MULTILINE)

    assert len(names) > 10
    homes = {registry.get(kind, name).__module__.partition(".")[0] for kind, name in names}
    assert homes <= {"spacy", "spacy_legacy", "thinc"}
    assert sorted(re.findall(r'^factory = "(.+)"$', config, re.MULTILINE)) == sorted(COMPONENTS)


@pytest.mark.parametrize("name", sorted(BINARY - {"vocab/vectors"}))
def test_binary_files_are_plain_message_pack(name: str) -> None:
    import srsly

    content = (WEIGHTS / name).read_bytes()

    assert b"pickle" not in content
    assert not content.startswith(b"\x80\x04\x95")
    assert not content.startswith(b"\x80\x05\x95")
    assert srsly.msgpack_loads(content) is not None


def test_the_table_of_vectors_is_empty_and_of_numbers() -> None:
    assert numpy.load(WEIGHTS / "vocab/vectors", allow_pickle=False).size == 0


def test_loading_unpickles_nothing() -> None:
    script = """if True:
        import sys
        sys.modules["torch"] = None  # which thinc imports where it can, and which is slow
        import spacy
        from claimwise.text.parser import load_parser

        found = []
        sys.addaudithook(lambda event, _: found.append(event) if event.startswith("pickle.") else None)
        load_parser()("The pool is warm.")
        print(found)
        """

    assert subprocess.check_output([sys.executable, "-c", script], text=True).strip() == "[]"


def test_the_licences_are_named_and_their_texts_are_there() -> None:
    config = ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    meta = json.loads((WEIGHTS / "meta.json").read_text("utf-8"))
    files = config["metadata"]["license_files"].split()

    assert config["metadata"]["license"] == "Apache-2.0 AND CC-BY-SA-4.0"
    assert meta["license"] == "CC BY-SA 4.0"
    assert (WEIGHTS / "README.md").read_text("utf-8").startswith("---\nlicense: cc-by-sa-4.0\n")
    assert [(ROOT / name).read_text("utf-8").strip().partition("\n")[0].strip() for name in files] == [
        "Apache License",
        "Attribution-ShareAlike 4.0 International",
        "Attribution-ShareAlike 4.0 International",
    ]
