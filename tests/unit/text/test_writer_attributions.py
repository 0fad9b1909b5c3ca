"""The same opinion becomes the same claim, whoever is said to hold it."""

from __future__ import annotations

import pytest

from claimwise.text.writer import ClaimWriter
from claimwise.text.writer.attributions import is_attributed, strip

WRITER = ClaimWriter(attributions="strip")

SAME = {
    "The waiters were attentive.": [
        "They praised the waiters for being attentive.",
        "Diners praised the waiters for being attentive.",
        "Others found the waiters to be attentive.",
        "Diners found the waiters attentive.",
        "Most guests appreciated the attentive waiters.",
        "The waiters were praised for their attentiveness.",
        "Reviewers praised the attentive waiters.",
        "There was praise for the attentive waiters.",
    ],
    "The lifts were slow.": [
        "There were complaints about slow lifts.",
        "There were some complaints about the lifts being slow.",
        "Some complained about the slow lifts.",
        "Guests criticised the slow lifts.",
        "Others found the lifts slow.",
        "Several reviewers noted the slow lifts.",
        "A few travellers thought the lifts were slow.",
    ],
    "The garden was good.": [
        "Visitors loved the garden.",
        "They also liked the garden.",
        "Many people enjoyed the garden.",
        "Guests raved about the garden.",
    ],
}
SPLIT = [
    (
        "Some guests praised the staff, while others found them to be curt and unfriendly.",
        ["The staff were good.", "The staff were curt.", "The staff were unfriendly."],
    ),
    (
        "They liked the pool but complained about the towels.",
        ["The pool was good.", "There were problems with the towels."],
    ),
    (
        "They found the staff to be helpful and professional, and appreciated the quiet garden.",
        ["The staff were helpful.", "The staff were professional.", "The garden was quiet."],
    ),
    (
        "There were complaints about noisy rooms and slow service.",
        ["The rooms were noisy.", "The service was slow."],
    ),
]
KEPT = [
    "Guests would have appreciated more towels.",
    "Guests did not appreciate the noise.",
    "Nobody praised the food.",
    "No guests praised the breakfast.",
    "Only two guests praised the breakfast.",
    "Not all guests found the staff friendly.",
    "Guests loved swimming in the lake.",
    "They found the keys.",
    "Others mentioned the pool.",
    "Guests liked the new pool better than the old one.",
    "Guests found a dirty sock under the bed.",
]


@pytest.mark.parametrize(("claim", "sentence"), [(claim, one) for claim, of in SAME.items() for one in of])
def test_the_same_opinion_in_other_words_is_the_same_claim(claim: str, sentence: str) -> None:
    assert WRITER([sentence]) == [[claim]]


@pytest.mark.parametrize(("sentence", "claims"), SPLIT)
def test_attributions_are_stripped_from_each_claim(sentence: str, claims: list[str]) -> None:
    assert WRITER([sentence]) == [claims]


@pytest.mark.parametrize("sentence", KEPT)
def test_what_is_denied_wished_counted_or_done_stays(sentence: str) -> None:
    assert WRITER([sentence]) == [[sentence]]


def test_a_pronoun_of_an_opinion_gets_the_noun_of_the_previous_sentence() -> None:
    text = [
        "Some guests liked the porters.",
        "Others praised them for being kind, but a few found them to be slow.",
    ]
    [[first, second]] = WRITER.decompose_texts([text])
    assert first.claims == ["The porters were good."]
    assert "The porters were slow." in second.claims


def test_only_adjectives_become_predicates() -> None:
    assert WRITER(["Guests enjoyed the rooftop bar."]) == [["The rooftop bar was good."]]
    assert WRITER(["Guests praise the free shuttle."]) == [["The shuttle is free."]]


def test_attributions_are_kept_on_request_and_named_in_the_evidence_when_stripped() -> None:
    sentence = "They praised the porters for being kind."
    assert ClaimWriter()([sentence]) == [[sentence]]
    [found] = WRITER.decompose([sentence])
    assert found.stripped == ("They praised",)


@pytest.mark.parametrize("sentence", [one for of in SAME.values() for one in of])
def test_an_attribution_is_told(sentence: str) -> None:
    assert is_attributed(sentence)


@pytest.mark.parametrize("claim", [*SAME, "There is a pool.", "They have a pool.", "Some rooms are small."])
def test_a_plain_statement_has_none(claim: str) -> None:
    assert not is_attributed(claim)
    assert strip(claim, claim) is None
