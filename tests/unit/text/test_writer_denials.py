"""No denial is lost, and none is made: sixty denials in all shapes, each with a claim that loses it."""

from __future__ import annotations

import pytest

from claimwise.text.writer.denials import is_changed

DENIALS = """
Neither the shower nor the heating worked. | The shower did not work. | The shower worked.
Neither the shower nor the heating worked. | The heating did not work. | The heating worked.
The pool was not heated. | The pool was not heated. | The pool was heated.
The pool wasn't heated or clean. | The pool wasn't clean. | The pool was clean.
The pool wasnt heated. | The pool wasn't heated. | The pool was heated.
There was no kettle, fridge or safe. | There was no safe. | There was a safe.
There was no kettle, fridge or safe. | There was no fridge. | There was a fridge.
There is no lift and the stairs are steep. | The stairs are steep. | There is a lift.
No breakfast is served on Sundays. | No breakfast is served on Sundays. | Breakfast is served on Sundays.
We never saw a cleaner. | We never saw a cleaner. | We saw a cleaner.
We have never had a better burger. | We have never had a better burger. | We have had a better burger.
Nobody at the desk smiled. | Nobody at the desk smiled. | The desk smiled.
No one answered the phone. | No one answered the phone. | Somebody answered the phone.
None of the lifts worked. | None of the lifts worked. | The lifts worked.
Nothing in the fridge was cold. | Nothing in the fridge was cold. | The fridge was cold.
The staff hardly speak English. | The staff hardly speak English. | The staff speak English.
The radiator barely warmed the room. | The radiator barely warmed the room. | The radiator warmed the room.
The lamp scarcely lit the desk. | The lamp scarcely lit the desk. | The lamp lit the desk.
You cannot open the window. | You cannot open the window. | You can open the window.
You can't open the window or the door. | You can't open the door. | You can open the door.
The app won't sync. | The app won't sync. | The app will sync.
I don't think the room was clean. | I don't think the room was clean. | The room was clean.
I didn't find the staff helpful. | I didn't find the staff helpful. | The staff was helpful.
I did not feel safe. | I did not feel safe. | I felt safe.
We couldn't be happier here. | We couldn't be happier here. | We are happier here.
I would not recommend the tour. | I would not recommend the tour. | I would recommend the tour.
I wouldn't stay here again. | I wouldn't stay here again. | I would stay here again.
The room had no view, but the bar was lovely. | The bar was lovely. | The room had a view.
The room was small but not cramped. | The room was not cramped. | The room was cramped.
The room was cheap, not nasty. | The room was not nasty. | The room was nasty.
It isn't cheap, but it is worth it. | It is worth it. | It is cheap.
The hotel does not accept cards. | The hotel does not accept cards. | The hotel accepts cards.
The hotel does not accept cards or cheques. | The hotel does not accept cheques. | The hotel accepts cheques.
The soup came without bread. | The soup came without bread. | The soup came with bread.
She left without a word. | She left without a word. | She left a word.
The beds are neither soft nor clean. | The beds are not clean. | The beds are soft and clean.
The menu has not changed in years. | The menu has not changed in years. | The menu has changed in years.
The room has not been cleaned. | The room has not been cleaned. | The room has been cleaned.
Breakfast was not included. | Breakfast was not included. | Breakfast was included.
The brakes do not squeak. | The brakes do not squeak. | The brakes squeak.
My order didn't arrive. | My order didn't arrive. | My order arrived.
They did not refund us. | They did not refund us. | They refunded us.
The gym never opens before nine. | The gym never opens before nine. | The gym opens before nine.
It never rained. | It never rained. | It rained.
There aren't any towels. | There aren't any towels. | There are towels.
There isn't a shop nearby. | There isn't a shop nearby. | There is a shop nearby.
There were no queues at the museum. | There were no queues at the museum. | There were queues at the museum.
The tap no longer drips. | The tap no longer drips. | The tap drips.
The battery does not last. | The battery does not last. | The battery lasts.
The film is not funny or moving. | The film is not moving. | The film is moving.
The plot makes no sense. | The plot makes no sense. | The plot makes sense.
The lens does not fog up, and the strap is soft. | The strap is soft. | The lens fogs up.
The waiter was not rude, just slow. | The waiter was not rude. | The waiter was rude.
Not a single towel was dry. | Not a single towel was dry. | A single towel was dry.
Not everyone liked the music. | Not everyone liked the music. | Everyone liked the music.
place is not clean and staff is friendly | The staff is friendly. | The place is clean.
no wifi no tv great beds | The beds are great. | There is wifi.
The toilet did not flush nor did the tap run. | The toilet did not flush. | The toilet flushed.
The guide, who never smiled, knew a lot. | The guide knew a lot. | The guide smiled.
The heating, which did not work, was loud. | The heating was loud. | The heating worked.
"""
CASES = [tuple(part.strip() for part in line.split("|")) for line in DENIALS.strip().splitlines()]


def test_there_are_sixty() -> None:
    assert len(CASES) == 60


@pytest.mark.parametrize(("sentence", "kept", "lost"), CASES)
def test_a_claim_that_loses_a_denial_is_told_from_one_that_keeps_it(
    sentence: str, kept: str, lost: str
) -> None:
    assert not is_changed(kept, sentence)
    assert is_changed(lost, sentence)


@pytest.mark.parametrize(
    ("sentence", "claim"),
    [
        ("The pool is warm.", "The pool is not warm."),
        ("The gym was closed and the pool was warm.", "The pool was never warm."),
        ("The gym was not open, and the pool was warm.", "The pool was not warm."),
        ("The staff smiled.", "Nobody smiled."),
    ],
)
def test_a_denial_that_the_sentence_does_not_make_is_told(sentence: str, claim: str) -> None:
    assert is_changed(claim, sentence)


@pytest.mark.parametrize(
    ("sentence", "claim"),
    [
        ("The room is not only clean but quiet.", "The room is clean."),
        ("No doubt the view is lovely.", "The view is lovely."),
        ("The price is low, not to mention the breakfast.", "The price is low."),
        ("There is nothing but sand.", "There is only sand."),
        ("No matter your size, the chairs are comfortable.", "The chairs are comfortable."),
        ("The room lacks a desk.", "There is no desk in the room."),
        ("The soup was far from hot.", "The soup was not hot."),
        ("The room was not big but clean.", "The room was clean."),
    ],
)
def test_what_only_looks_like_a_denial_is_let_pass(sentence: str, claim: str) -> None:
    assert not is_changed(claim, sentence)
