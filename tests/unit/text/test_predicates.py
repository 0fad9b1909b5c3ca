"""Units of predicates and their arguments."""

from __future__ import annotations

import pytest

from claimwise.text.clauses.predicates import PredicatesDecomposer


@pytest.mark.parametrize(
    ("sentence", "units"),
    [
        (
            "The council bought the hall in March for two million euros.",
            [
                "The council bought the hall.",
                "The council bought the hall in March.",
                "The council bought the hall for two million euros.",
            ],
        ),
        # Each conjunct is a claim of its own.
        (
            "The ferry left the harbour at noon and it returned before dark.",
            [
                "The ferry left the harbour.",
                "The ferry left the harbour at noon.",
                "It returned before dark.",
            ],
        ),
        # Without an object or a complement a predicate keeps its only adjunct.
        ("The museum stands near the river.", ["The museum stands near the river."]),
        # Less than what is negated, or bound by a condition, would say something else.
        (
            "The council did not buy the hall in March for two million euros.",
            ["The council did not buy the hall in March for two million euros."],
        ),
        (
            "If it rains, the match takes place in the hall on Sunday.",
            ["If it rains, the match takes place in the hall on Sunday."],
        ),
        ("Quiet rooms.", ["The rooms are quiet."]),
        ("", []),
    ],
)
def test_a_unit_has_a_predicate_its_complements_and_one_adjunct_at_most(
    sentence: str, units: list[str]
) -> None:
    assert PredicatesDecomposer()([sentence]) == [units]


def test_sentences_do_not_change_each_other() -> None:
    sentences = ["The team won the cup in Rome on Monday.", "Why?", "It rained."]
    decomposer = PredicatesDecomposer()

    assert decomposer(sentences) == [decomposer([sentence])[0] for sentence in sentences]
