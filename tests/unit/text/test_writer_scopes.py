"""No claim loses the condition, wish, doubt or exception of its sentence, and none is invented."""

from __future__ import annotations

import pytest

from claimwise.text.writer import ClaimWriter

KEEPS, STRIPS = ClaimWriter(), ClaimWriter(attributions="strip")

PUT_BACK = """
If you arrive late, the gate is locked and the bell is broken. | If you arrive late, the gate is locked. | If you arrive late, the bell is broken.
When the lift is full, the stairs are dark and the wait is long. | When the lift is full, the stairs are dark. | When the lift is full, the wait is long.
Unless you pay extra, the towels are thin and the sheets are rough. | Unless you pay extra, the towels are thin. | Unless you pay extra, the sheets are rough.
Without a car, the beach is far and the shops are hard to reach. | Without a car, the beach is far. | Without a car, the shops are hard to reach.
In winter the terrace is closed and the bar is empty. | In winter the terrace is closed. | In winter the bar is empty.
On weekends, breakfast starts late and the lobby is loud. | On weekends, breakfast starts late. | On weekends, the lobby is loud.
At night, the street is loud and the lamps are too bright. | At night, the street is loud. | At night, the lamps are too bright.
As long as you stay upstairs, the rooms are quiet and the views are great. | As long as you stay upstairs, the rooms are quiet. | As long as you stay upstairs, the views are great.
I wish they had a gym and the pool was longer. | I wish they had a gym. | I wish the pool was longer.
They should fix the lift and paint the walls. | They should fix the lift. | They should paint the walls.
"""  # noqa: E501
WHOLE = [
    "I would return if the prices were lower and the beds were better.",
    "The hotel would be perfect if the walls were thicker and the wifi were faster.",
    "The rooms are cheap and breakfast is free if you book early.",
    "The beach is lovely and the water is warm unless it is windy.",
    "If only the staff were kinder and the rooms were cleaner.",
    "Dinner is only good if the chef is in and the kitchen is not busy.",
    # requests
    "To be improved: breakfast variety, shower pressure.",
    "My suggestions: quieter doors and darker curtains.",
    "Wish list: bigger towels, later checkout.",
    "Missing: a kettle and towels.",
    # exceptions
    "No guest but me used the pool.",
    "Nobody but the porter smiled.",
    "Nothing but the soup was warm.",
    "Everything but the bed was clean.",
    "We saw no one but the cleaner and the cook.",
    # a negation that no claim would keep
    "Neither the pool nor the gym was open, nor could we use the spa.",
    "The shower never worked, and neither did the radio.",
]
DOUBTS = [
    "Two critics denied that the ending is sad.",
    "Several visitors disputed that the beach is private.",
    "A handful of buyers question whether the leather is genuine.",
    "Some readers rejected the notion that the plot is thin.",
    "Many were sceptical that the battery lasts a week.",
    "One reviewer contested that the rooms are clean.",
    "Few guests believed that the water was drinkable.",
    "Some guests suspect that the photos are edited.",
    "Contrary to claims that the beach is private, it is crowded.",
    "Reviewers expected that the pool would be warm.",
    "It is doubtful that the lift works.",
]
NOR = """
The waiter did not smile, nor did he apologise. | The waiter did not smile. | The waiter did not apologise.
The room had no desk and no chair, nor did it have a wardrobe. | The room had no desk. | The room had no chair. | The room did not have a wardrobe.
The rooms weren't clean, nor were the beds comfortable. | The rooms weren't clean. | The beds were not comfortable.
We didn't like the soup, nor did we like the stew. | We didn't like the soup. | We did not like the stew.
I would not buy it, nor could I recommend it to a friend. | I would not buy it. | I could not recommend it to a friend.
We would not return, nor would our friends. | We would not return. | Our friends would not return.
The hall wasn't clean, and neither was the sauna. | The hall wasn't clean. | The sauna was not clean.
The heater didn't work and neither did the fan. | The heater didn't work. | The fan did not work.
The taps were not clean; neither were the towels. | The taps were not clean. | The towels were not clean.
Neither was the broth hot. | The broth was not hot.
The lobby was not quiet, nor was the front desk. | The lobby was not quiet. | The front desk was not quiet.
They have two pools, and neither is heated. | They have two pools. | Neither is heated.
"""  # noqa: E501


def split(line: str) -> tuple[str, list[str]]:
    sentence, *claims = (part.strip() for part in line.split("|"))
    return sentence, claims


@pytest.mark.parametrize("line", PUT_BACK.strip().splitlines())
@pytest.mark.parametrize("writer", [KEEPS, STRIPS], ids=["keep", "strip"])
def test_a_condition_or_wish_over_two_clauses_is_in_both_claims(writer: ClaimWriter, line: str) -> None:
    sentence, claims = split(line)
    assert writer([sentence]) == [claims]


@pytest.mark.parametrize("sentence", WHOLE)
@pytest.mark.parametrize("writer", [KEEPS, STRIPS], ids=["keep", "strip"])
def test_a_sentence_stays_whole_where_a_claim_would_say_something_else(
    writer: ClaimWriter, sentence: str
) -> None:
    assert writer([sentence]) == [[sentence]]


@pytest.mark.parametrize("sentence", DOUBTS)
def test_only_attributions_that_assert_are_stripped(sentence: str) -> None:
    assert STRIPS([sentence]) == [[sentence]]


def test_a_doubt_beside_an_opinion_is_kept_with_its_own_subject() -> None:
    sentence = "Reviewers said that the rooms were clean but doubted that the pool was heated."
    assert STRIPS([sentence]) == [[sentence]]
    [claims] = STRIPS(["Nobody doubts that the staff are kind, and the beds are soft."])
    assert "The staff are kind." not in claims


@pytest.mark.parametrize("line", NOR.strip().splitlines())
def test_every_negation_is_in_a_claim_whatever_its_auxiliary(line: str) -> None:
    sentence, claims = split(line)
    assert KEEPS([sentence]) == [claims]


@pytest.mark.parametrize(
    ("sentence", "claims"),
    [
        ("Sauna - yes, garage - no.", ["There is a sauna.", "There is no garage."]),
        (
            "Wifi: yes; kettle: no; towels: yes.",
            ["There is wifi.", "There is no kettle.", "There are towels."],
        ),
        ("Quiet - no.", ["Quiet: no."]),
        ("Sauna - yes, but only on Mondays.", ["Sauna - yes, but only on Mondays."]),
    ],
)
def test_yes_and_no_behind_a_thing(sentence: str, claims: list[str]) -> None:
    assert KEEPS([sentence]) == [claims]


def test_square_brackets_do_not_stop_the_network() -> None:
    [claims] = KEEPS(["The rooms [all of them] were noisy and the staff were kind."])
    assert "The staff were kind." in claims


@pytest.mark.parametrize(
    ("sentence", "claims"),
    [
        (
            "The museum lies between the canal and the brewery and closes on Mondays.",
            ["The museum lies between the canal and the brewery.", "The museum closes on Mondays."],
        ),
        ("We had no trouble, but the bill was wrong.", ["We had no trouble.", "The bill was wrong."]),
        (
            "The bed was soft, the room was quiet, and the shower is great if you like it cold.",
            ["The bed was soft.", "The room was quiet.", "The shower is great if you like it cold."],
        ),
        (
            "Both groups doubt the stated range and dislike the charging flap.",
            ["Both groups doubt the stated range.", "Both groups dislike the charging flap."],
        ),
    ],
)
def test_what_governs_only_one_clause_does_not_hold_the_others(sentence: str, claims: list[str]) -> None:
    assert KEEPS([sentence]) == [claims]
