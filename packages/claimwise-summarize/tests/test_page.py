"""The page that summarizes, called as Gradio calls it."""

from __future__ import annotations

import json

import pytest
from chat_endpoint import Endpoint, completion, failure

pytest.importorskip("gradio")

from claimwise.apps import spaces
from claimwise.errors import ClaimwiseError
from claimwise.http import remote
from claimwise_summarize import page as summarizing

REVIEWS = "The pool is warm.\n\nThe pool was warm. <b>Kind</b> staff.\nA warm pool!"


def test_reviews_become_a_summary_with_citations_and_its_scores() -> None:
    drawn, rows = summarizing.summarized(REVIEWS, "pool, sauna", 1, summarizing.OFFLINE)

    assert "3 of 3 reviews" in drawn
    assert "sauna: no sentence is about this aspect" in drawn
    assert "<b>Kind</b>" not in drawn
    shown = summarizing.scored(rows)
    assert "support_counts: 1" in shown
    assert "abstractiveness: 0" in shown


def test_the_owners_model_is_offered_only_where_it_is_set_and_its_address_is_on_no_page(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "FIRST_PAUSE_SECONDS", 0.001)
    assert summarizing.WRITTEN not in str(spaces.build("summarize").config)
    own = {"model": f"openai:m@{endpoint.url}", "max_requests": 2}
    monkeypatch.setenv(summarizing.VARIABLE, json.dumps(own))
    assert summarizing.WRITTEN in str(spaces.build("summarize").config)
    endpoint.respond = lambda _: completion("The pool is warm.")
    drawn, _ = summarizing.summarized(REVIEWS, "", 1, summarizing.WRITTEN)
    assert "The pool is warm." in drawn
    assert "127.0.0.1" not in drawn
    endpoint.respond = lambda _: failure(401)
    with pytest.raises(ClaimwiseError, match="The model of this Space has failed"):
        summarizing.summarized(REVIEWS, "", 1, summarizing.WRITTEN)


@pytest.mark.parametrize(("reviews", "aspects"), [(" ", ""), ("A." * 40_000, ""), ("Good.", "a,b,c,d,e,f,g")])
def test_what_the_page_cannot_take_is_refused_in_a_sentence(reviews: str, aspects: str) -> None:
    with pytest.raises(ClaimwiseError):
        summarizing.summarized(reviews, aspects, 1, summarizing.OFFLINE)


def test_reviews_that_are_not_english_are_said_to_be_unreliable() -> None:
    french = "Les chambres sont propres et le personnel est très aimable avec tout le monde."
    drawn, _ = summarizing.summarized(f"{REVIEWS}\n{french}", "", 1, summarizing.OFFLINE)
    assert "1 of the texts does not look English" in drawn
