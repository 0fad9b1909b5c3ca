"""The decomposer learned: what it makes of sentences, and what it never does."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from fuzz import VOCABULARY, texts
from hypothesis import example, given

from claimwise.errors import ClaimwiseError
from claimwise.text.claims import load_decomposer
from claimwise.text.learned.decomposer import JUDGE, WEIGHTS, LearnedDecomposer
from claimwise.text.learned.network import MOST_WORDS, load_writer
from claimwise.text.learned.words import Written, sentence_of, words_of

DECOMPOSER = LearnedDecomposer()
SENTENCES = {
    "The rooms were clean and spacious, but the staff was rude.": [
        "The rooms were clean.",
        "The rooms were spacious.",
        "The staff was rude.",
    ],
    "There is no pool or gym.": ["There is no pool.", "There is no gym."],
    "The bar is open until midnight.": ["The bar is open until midnight."],
}


def claims_of(sentence: str) -> list[str]:
    [found] = DECOMPOSER.decompose([sentence])
    return found.claims


@pytest.mark.parametrize("sentence", SENTENCES)
def test_sentences_become_claims(sentence: str) -> None:
    assert claims_of(sentence) == SENTENCES[sentence]


def test_claims_of_a_sentence_do_not_depend_on_the_sentences_beside_it() -> None:
    together = [*SENTENCES, "Is there a pool?", "", "!!", "So clean! " * 40]
    found = dict(zip(together, DECOMPOSER.decompose(together), strict=True))
    random.Random(1).shuffle(together)
    assert dict(zip(together, DECOMPOSER.decompose(together), strict=True)) == found
    for sentence, decomposed in found.items():
        assert DECOMPOSER.decompose([sentence]) == [decomposed]


@pytest.mark.slow
@given(texts(VOCABULARY))
@example("a " * 119)
@example("\ud800")
@example("'")
def test_any_text_becomes_claims_or_stays_whole(text: str) -> None:
    [found] = DECOMPOSER.decompose([text])
    assert bool(found.claims) == bool(text.strip())
    assert len(set(found.claims)) == len(found.claims)
    if found.left_whole is not None:
        assert found.claims == [" ".join(text.split())]


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("Was the pool clean and warm?", "a question"),
        ("12 / 10", "no words"),
        ("clean " * (MOST_WORDS + 1), f"more than {MOST_WORDS} words"),
    ],
)
def test_what_it_is_not_asked_about_stays_whole_with_the_reason(sentence: str, reason: str) -> None:
    [found] = DECOMPOSER.decompose([sentence])
    assert found.left_whole == reason
    assert found.claims == [sentence.strip()]


def test_words_make_a_sentence_again() -> None:
    source = words_of("However, the well-kept pool (and a bar) wasn't open, an old hotel's loss")
    assert source.words[:2] == ["However", ","]

    def said(*words: str | tuple[str, None]) -> str:
        written = [
            Written(word[0]) if isinstance(word, tuple) else Written(word, source.words.index(word))
            for word in words
        ]
        return sentence_of(written, source)

    assert said("the", "well", "-", "kept", "pool", "was", "n't", "open") == "The well-kept pool wasn't open."
    assert said("the", "pool", ",", "a", ("empty", None), "bar", "(") == "The pool an empty bar."
    assert said("an", "hotel", "'s", "bar") == "A hotel's bar."
    assert said(",", "(") == ""


def test_the_signature_names_the_network() -> None:
    signature = load_decomposer("learned").signature
    assert signature["decomposer"] == "learned"
    assert len(signature["network"]) == 12


def test_a_network_of_another_judge_is_refused(tmp_path: Path) -> None:
    config = json.loads((WEIGHTS / "config.json").read_text("utf-8"))
    (tmp_path / "config.json").write_text(json.dumps(config | {"word_embeddings": "0" * 12}), "utf-8")
    (tmp_path / "model.safetensors").symlink_to(WEIGHTS / "model.safetensors")
    with pytest.raises(ClaimwiseError, match="trained with the word embeddings 000000000000"):
        load_writer(tmp_path, JUDGE)


def test_the_weights_are_those_of_the_card() -> None:
    files = {path.name for path in WEIGHTS.iterdir()}
    assert files == {"LICENSE", "README.md", "config.json", "model.safetensors"}
    assert DECOMPOSER.signature["network"] in (WEIGHTS / "README.md").read_text("utf-8")
