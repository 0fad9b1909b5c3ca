"""How written claims become what the claim writer learns from."""

from __future__ import annotations

import random

import pytest
from align import Item, align

from examples import (
    Augmentation,
    Example,
    behind_another,
    example_of,
    explains_itself,
    vocabulary_of,
)

SENTENCE = "The carpets hadn't been hoovered or the bins emptied, and its lid stick."
WORDS = ["the", "carpets", "had", "n't", "been", "hoovered", "or", "the", "bins", "emptied", ",", "and"]


@pytest.mark.parametrize(
    ("claim", "items"),
    [
        ("the carpets had n't been hoovered", [0, 1, 2, 3, 4, 5]),
        ("the bins had n't been emptied", [7, 8, 2, 3, 4, 9]),
        ("the carpets are clean", [0, 1, "are", "clean"]),
        ("the carpet was hoovered", [0, 1, "-s+", "was", 5]),
        ("the carpets had n't been hovered", [0, 1, 2, 3, 4, 5]),  # one of them is a slip
    ],
)
def test_a_claim_is_made_of_words_of_its_sentence_where_it_has_them(claim: str, items: list[Item]) -> None:
    assert align(WORDS, claim.split())[1] == items


def test_a_wording_that_needs_less_is_learned_and_one_that_needs_too_much_is_not() -> None:
    claims = [["Nobody had hoovered the carpets.", "The carpets hadn't been hoovered."]]
    learned = example_of(SENTENCE, claims, is_messy=False)
    assert learned is not None
    assert learned.claims == [[0, 1, 2, 3, 4, 5]]
    assert example_of(SENTENCE, [["Nothing else works here."]], is_messy=False) is None
    known = example_of(
        "No lift.", [["We saw no lift.", "There is no lift."]], is_messy=False, known={"there", "is"}
    )
    assert known is not None
    assert known.claims == [["there", "is", 0, 1]]


def test_the_sentence_before_says_what_a_pronoun_stands_for() -> None:
    claims = [["The mattress was firm.", "It was firm."], ["The mattress was new.", "It was new."]]
    learned = example_of("It was firm and new.", claims, is_messy=False, context="The mattress sagged.")
    assert learned is not None
    assert learned.words[: learned.context] == ["The", "mattress", "sagged", "."]
    assert learned.claims == [[0, 1, 5, 6], [0, 1, 5, 8]]


def test_only_sentences_that_explain_themselves_are_put_behind_any_other() -> None:
    other = example_of("The pool is cold.", [["The pool is cold."]], is_messy=False)
    assert other is not None
    for sentence, claims, explains in (
        ("The lift works, but it is slow.", [["The lift works."], ["The lift is slow."]], True),
        ("It is easy to park.", [["It is easy to park."]], True),
        ("It is slow.", [["It is slow."]], False),
        ("The lift works.", [["The lift works."]], False),  # it has no pronoun
    ):
        example = example_of(sentence, claims, is_messy=False)
        assert example is not None
        assert explains_itself(example) is explains
        behind = behind_another(example, other)
        assert (behind.context, spelled(behind)) == (5, spelled(example))


def spelled(example: Example) -> list[list[str]]:
    """Return the words of the claims, without marks."""
    found = [
        [example.words[item].lower() if isinstance(item, int) else item for item in claim]
        for claim in example.claims
    ]
    return [[word for word in claim if word[0].isalnum()] for claim in found]


def test_hasty_and_joined_copies_make_the_same_claims() -> None:
    rows = {
        "The rooms were clean, and the staff was rude.": ["The rooms were clean.", "The staff was rude."],
        "There is a pool.": ["There is a pool."],
        "It has no lift.": ["It has no lift."],
    }
    examples = [
        example
        for sentence, claims in rows.items()
        if (example := example_of(sentence, [[claim] for claim in claims], is_messy=False))
    ]
    wanted = [claim for example in examples for claim in spelled(example)]
    augmentation = Augmentation(["the", "is", "it", "there", "was", "were", "a", "has"], random.Random(3))
    augmentation._slip = lambda word: word  # type: ignore[method-assign]  # else words differ by a letter
    found = augmentation.epoch(examples * 20, hasty=0.5, joined=0.5, behind=0.5)
    assert len(found) == 90
    assert any(len(example.claims) > 2 for example in found)
    for example in found:
        assert all(claim in wanted for claim in spelled(example)), example
    assert vocabulary_of(examples)[:2] == ["<end>", "<next>"]
