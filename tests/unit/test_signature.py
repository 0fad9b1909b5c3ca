"""Signatures and fingerprints."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

from hypothesis import given
from hypothesis import strategies as st

from claimwise.signature import exact, folder_fingerprint, signature


def test_reads_like_sacrebleu() -> None:
    assert signature("caspr", {"version": "1.2", "url": "http://x/v1"}) == "caspr|version:1.2|url:http://x/v1"


@given(st.dictionaries(st.text("abc", min_size=1), st.text(st.characters(codec="utf-8"))))
def test_can_be_taken_apart_whatever_the_values(parts: dict[str, str]) -> None:
    _, *fields = signature("m", parts).split("|")
    assert {key: unquote(value) for key, value in (field.split(":", 1) for field in fields)} == parts


def test_a_folder_is_known_by_its_content(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one")
    first = folder_fingerprint(tmp_path, ["a", "b"])
    assert folder_fingerprint(tmp_path, ["b", "a"]) == first
    (tmp_path / "b").write_text("")
    assert folder_fingerprint(tmp_path, ["a", "b"]) != first


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_is_told_so_that_it_can_be_read_back(number: float) -> None:
    assert float(exact(number)) == number
    assert (exact(0.0), exact(0.7), exact(2.0)) == ("0", "0.7", "2")
