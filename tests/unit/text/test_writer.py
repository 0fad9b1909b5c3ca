"""The claim writer: what it makes of sentences, and what it never does."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import numpy as np
import pytest
from fuzz import VOCABULARY, texts
from hypothesis import example, given

from claimwise.errors import ClaimwiseError
from claimwise.judges.hub import JUDGE_FILES, WORDS_FILE
from claimwise.text.claims import load_decomposer
from claimwise.text.writer import ClaimWriter
from claimwise.text.writer.decomposer import JUDGE, WEIGHTS
from claimwise.text.writer.network import MOST_WORDS, NEXT, Network, Progress
from claimwise.text.writer.words import Written, sentence_of, words_of

DECOMPOSER = ClaimWriter()
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
        ("[Sic] is what the menu says.", "markup"),
        ("I wrote to the owner [by mail (twice) and by fax] who said that the cap held.", "markup"),
        ("(Small) rooms were clean.", "markup"),
        ("clean " * (MOST_WORDS + 1), f"more than {MOST_WORDS} words"),
    ],
)
def test_what_it_is_not_asked_about_stays_whole_with_the_reason(sentence: str, reason: str) -> None:
    [found] = DECOMPOSER.decompose([sentence])
    assert found.left_whole == reason
    assert found.claims == [sentence.strip()]


@pytest.mark.parametrize(
    "sentence",
    [
        "They said the pool was heated, but it wasn't.",
        "Some people suggest this hotel to others, while others may not.",
        "Hardly anyone spoke English, although the manager did.",
        "The room was clean, and the pool was too.",
        "The staff was helpful when they were around, which was rarely.",
        "We expected a quiet room and got anything but.",
        "The phone neither overheats nor lags.",
    ],
)
def test_a_sentence_stays_whole_where_a_claim_would_say_nothing_by_itself(sentence: str) -> None:
    [found] = DECOMPOSER.decompose([sentence])
    assert (found.claims, found.failed) == ([sentence], True)


def test_words_make_a_sentence_again() -> None:
    source = words_of("However, the well-kept pool (and a bar) wasn't open, an old hotel's loss")
    assert source.words[:2] == ("However", ",")

    def said(*words: str | tuple[str, None]) -> str:
        written = [
            Written(word[0]) if isinstance(word, tuple) else Written(word, source.words.index(word))
            for word in words
        ]
        return sentence_of(written, source)

    assert said("the", "well-kept", "pool", "was", "n't", "open") == "The well-kept pool wasn't open."
    assert said("the", "pool", ",", "a", ("empty", None), "bar", "(") == "The pool an empty bar."
    assert said("an", "hotel", "'s", "bar") == "A hotel's bar."
    assert said(",", "(") == ""


def test_each_word_is_told_what_has_been_written() -> None:
    own = 5  # choices below are own words, word 0 of the sentence is choice 5
    progress = Progress((1, 1), 4, own)
    assert progress.hints.tolist() == [[[[0.0, 0.0, 0.0]] * 4]]
    for first, last in ((own, 1), (3, -1)):  # the first two words of the sentence, then an own word
        progress.go_on(np.array([[first]]), np.array([[last]]))
    follows, used, inside = progress.hints[0, 0].T.tolist()
    assert (follows, used, inside) == ([0, 0, 1, 0], [0, 0, 0, 0], [1, 1, 0, 0])
    assert (progress.in_claim.item(), progress.claim.item(), progress.last.item()) == (3, 0, 1)
    progress.go_on(np.array([[NEXT]]), np.array([[-1]]))
    follows, used, inside = progress.hints[0, 0].T.tolist()
    assert (follows, used, inside) == ([0, 0, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0])
    assert (progress.in_claim.item(), progress.claim.item(), progress.last.item()) == (0, 1, -1)


TEXT = ["The mattress was new.", "It was far too firm.", "It is easy to park.", "The staff were kind."]


def test_the_sentence_before_says_what_a_pronoun_stands_for() -> None:
    [found] = ClaimWriter().decompose_texts([TEXT])
    assert [of_sentence.claims for of_sentence in found] == [
        ["The mattress was new."],
        ["The mattress was far too firm."],
        ["It is easy to park."],
        ["The staff were kind."],
    ]
    assert [of_sentence.resolved for of_sentence in found] == [0, 1, 0, 0]
    assert not any(of_sentence.open for of_sentence in found)


@pytest.mark.parametrize(
    ("before", "sentence", "claim"),
    [
        ("The A.C. didn't work.", "Nor did the TV.", "The TV did not work."),
        ("The pool was not open!", "Neither was the bar.", "The bar was not open."),
        ("The staff were rude.", "Nor was the room clean.", "The room was not clean."),
        ("It was cold.", "Nor was the pool.", "Nor was the pool."),
    ],
)
def test_the_sentence_before_says_what_an_inverted_negation_denies(
    before: str, sentence: str, claim: str
) -> None:
    [found] = ClaimWriter().decompose_texts([[before, sentence]])
    assert found[1].claims == [claim]


def test_sentences_by_themselves_keep_open_pronouns_and_say_so() -> None:
    [found] = ClaimWriter(pronouns="sentence").decompose_texts([TEXT])
    assert found[1].claims == list(found[1].open) == ["It was far too firm."]
    assert found[1].resolved == 0
    assert found == ClaimWriter().decompose(TEXT)


def test_attributions_are_stripped_where_they_carry_no_content() -> None:
    sentence = "Most guests found the rooms clean."
    assert claims_of(sentence) == [sentence]
    assert ClaimWriter(attributions="strip")([sentence]) == [["The rooms were clean."]]


@pytest.mark.parametrize("option", ["pronouns", "attributions"])
def test_other_values_of_options_are_refused(option: str) -> None:
    with pytest.raises(ClaimwiseError, match=f"`{option}` must be one of") as caught:
        load_decomposer("default", **{option: "all"})
    assert caught.value.option == option


def test_the_signature_names_options_and_network() -> None:
    signature = load_decomposer("default", attributions="strip").signature
    assert signature["decomposer"] == "default"
    assert (signature["pronouns"], signature["attributions"]) == ("text", "strip")
    assert len(signature["network"]) == 12


@pytest.mark.slow
def test_claims_are_the_same_for_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for number in (1, 2):
        monkeypatch.setenv("OMP_NUM_THREADS", str(number))
        found.append(DECOMPOSER.decompose(list(SENTENCES)))
    assert found[0] == found[1]


def test_a_network_of_another_judge_is_refused(tmp_path: Path) -> None:
    for name in JUDGE_FILES:
        shutil.copy(JUDGE / name, tmp_path)
    words = np.fromfile(tmp_path / WORDS_FILE, np.float16)
    words[:384] += 1
    words.tofile(tmp_path / WORDS_FILE)
    with pytest.raises(ClaimwiseError, match="trained with the word embeddings"):
        Network.load(WEIGHTS, tmp_path)


def test_the_weights_are_those_of_the_card() -> None:
    assert DECOMPOSER.signature["network"] in (WEIGHTS / "README.md").read_text("utf-8")


@pytest.mark.parametrize(
    "sentence",
    ["The crew neither waved to us nor helped with the ropes.", "Nobody swept, nor did anyone mop the deck."],
)
def test_a_sentence_whose_claims_would_be_no_sentences_stays_whole(sentence: str) -> None:
    assert DECOMPOSER([sentence]) == [[sentence]]


@pytest.mark.parametrize(
    ("fragment", "claim"),
    [
        ("Dim light.", "The light is dim."),
        ("Very dim light.", "The light is very dim."),
        ("Paid parking.", "The parking is paid."),
        ("Loved breakfast.", "I loved breakfast."),
        ("A dog.", "It is a dog."),
    ],
)
def test_the_claim_of_a_fragment_is_a_sentence(fragment: str, claim: str) -> None:
    assert DECOMPOSER([fragment]) == [[claim]]
