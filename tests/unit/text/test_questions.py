"""Questions and their answers: one sentence, a statement where a rule makes one, else both together."""

from __future__ import annotations

import pytest

from claimwise import load
from claimwise.text.questions import is_question, join_answers
from claimwise.text.sentences import Splitter

STATEMENTS = """
Is the sauna open? No. | The sauna is not open.
Was breakfast included? Yes. | Breakfast was included.
Did the heater work? Nope. | The heater did not work.
Would I book it again? Never. | I would never book it again.
Were the towels fresh? Hardly. | The towels were hardly fresh.
Is it worth a detour? Definitely! | It is worth a detour.
Are dogs allowed? No, sadly. | Dogs are not allowed.
Does it charge quickly? Not really. | It does not really charge quickly.
Is the gym open all night? Yes, it is. | The gym is open all night.
Would we go again? Only if the prices drop. | We would go again only if the prices drop.
Is the lake warm? Yes, in July. | The lake is warm in July.
Any regrets? None. | There were no regrets.
Was there any traffic noise? None at all. | There was no traffic noise.
Is there a lift? No. | There is no lift.
How was the soup? Bland. | The soup was bland.
Have the rooms been painted? Not yet. | The rooms have not yet been painted.
Wifi? Yes. Balcony? No. | There is wifi. | There is no balcony.
Would I return? No. The street is loud. | I would not return. | The street is loud.
Was it clean? No, but the staff were kind. | It was not clean. | The staff were kind.
"""
TOGETHER = [
    "Is the room quiet and clean? No.",  # not (quiet and clean), which is neither "not quiet" nor "not clean"
    "Is the pool on the roof heated? No.",
    "Is the hotel dog friendly? Yes.",
    "Did the night porter wave back? Yes.",
    "Would you recommend it? Yes.",
    "Did they have any vegan food? Yes.",
    "What did I dislike? The carpets.",
    "Cosy? Very.",
]
ALONE = ["Who wouldn't love it?", "Why would anyone stay here?", "Can you believe that?"]


@pytest.fixture(scope="module")
def splitter() -> Splitter:
    return Splitter()


@pytest.mark.parametrize("line", STATEMENTS.strip().splitlines())
def test_a_question_and_its_answer_become_a_statement(line: str, splitter: Splitter) -> None:
    text, *statements = (part.strip() for part in line.split("|"))
    assert join_answers(splitter(text)) == statements


@pytest.mark.parametrize("text", TOGETHER)
def test_both_stay_together_where_no_statement_is_certain(text: str, splitter: Splitter) -> None:
    assert join_answers(splitter(text)) == [text]


@pytest.mark.parametrize("question", ALONE)
def test_a_question_alone_is_left_out_unless_the_text_has_nothing_else(
    question: str, splitter: Splitter
) -> None:
    assert join_answers(splitter(question)) == [question]
    assert join_answers(splitter(f"The bar is loud. {question}")) == ["The bar is loud."]


def test_a_question_tag_and_a_wondering_statement_are_no_questions() -> None:
    assert not is_question("The view is great, isn't it?")
    assert join_answers(["The view is great, isn't it?", "Beds creak."]) == [
        "The view is great, isn't it?",
        "Beds creak.",
    ]


def test_a_text_with_questions_does_not_contrast_with_itself() -> None:
    texts = [*TOGETHER, *ALONE, *(line.split("|")[0] for line in STATEMENTS.strip().splitlines())]
    found = load("caspr", show_progress=False).compute(predictions=texts, references=texts)
    assert set(found["caspr_scores"]) == {0}


def test_a_question_and_its_answer_contradict_and_support_like_the_statement() -> None:
    asked, said = "Is the pool heated? No.", "The pool is not heated."
    caspr, support = load("caspr", show_progress=False), load("summac_zs", show_progress=False)
    other = ["The pool is heated."]
    assert (
        caspr.compute(predictions=[asked], references=other)["caspr"]
        == caspr.compute(predictions=[said], references=other)["caspr"]
        > 0
    )
    assert (
        support.compute(predictions=[said], references=[[asked]])["summac_zs"]
        == support.compute(predictions=[said], references=[[said]])["summac_zs"]
    )
