from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimwise.text.marks import unread_emoji, without_citations
from claimwise.text.normalise import plain, repair
from claimwise.text.sentences import Splitter

split = Splitter(lines=True)

SAME_CHARACTERS = {
    "curly apostrophes": ("The owner’s cat isn‘t shy.", "The owner's cat isn't shy."),
    "modifier letters": ("The oven doesnʼt heat.", "The oven doesn't heat."),
    "accents as apostrophes": ("It wasn`t dry, and it isn´t cold.", "It wasn't dry, and it isn't cold."),
    "full width": ("Ｔｈｅ ｔａｐ isn＇t ｎｅｗ.", "The tap isn't new."),
    "curly quotation marks": ("A “sea view” „room‟.", 'A "sea view" "room".'),
    "mojibake": ("The crÃ¨me isnâ€™t sweet â€“ at all.", "The crème isn't sweet – at all."),
    "entities": ("The fish &amp; chips aren&#39;t greasy.", "The fish & chips aren't greasy."),
    "ligatures": ("The oﬃce staﬀ ﬁxed it.", "The office staff fixed it."),
    "spaces": ("No\u00a0lift,\u2009no\u3000stairs.", "No lift, no stairs."),
    "invisible characters": ("The soft\u00adware is\u200b slow\ufeff.", "The software is slow."),
    "written line breaks": (r"The sea is warm.\nThe sand is white.", "The sea is warm.\nThe sand is white."),
    "written tabs": (r"Warm sea.\tWhite sand.", "Warm sea. White sand."),
}


@pytest.mark.parametrize(("written", "meant"), SAME_CHARACTERS.values(), ids=SAME_CHARACTERS)
def test_characters_that_mean_the_same_are_the_same(written: str, meant: str) -> None:
    assert repair(written) == meant
    assert plain(written) == meant


@pytest.mark.parametrize(
    "text",
    [
        "The bath is deep. The tap drips - a lot - and it's loud!",
        "Dr. A. Smith's hotel (est. 1920) costs $1.50 - 5 less than before.",
        r"The guide is in C:\new\travel on the desk.",
        "It was <50 euros, and I <3 it.",
        "It takes 24/7 care; 4/5 of the rooms are dark, and we left on 4/5.",
        "We met the con artists. The pros of this place are many: it is big.",
        'She wrote, "The best trip of my life." He said: "Never again."',
        "This is a lovely place. Here are two pools.",
        "Great! Loved it. I hope this place stays open. Thanks!",
        "Сад тенистый. L'hôtel est calme.",
        "می‌خواهم",
    ],
)
def test_ordinary_prose_is_unchanged(text: str) -> None:
    assert plain(text) == text


LISTS = {
    "numbered": "1. The bus is late\n2. The fare is low\n3. The seats are torn",
    "in parentheses": "(1) The bus is late\n(2) The fare is low\n(3) The seats are torn",
    "lettered": "a) The bus is late\nb) The fare is low\nc) The seats are torn",
    "roman": "I. The bus is late\nII. The fare is low\nIII. The seats are torn",
    "dashes": "- The bus is late\n- The fare is low\n- The seats are torn",
    "long dashes": "— The bus is late\n— The fare is low\n— The seats are torn",
    "stars": "* The bus is late\n* The fare is low.\n* The seats are torn;",
    "bullets": "• The bus is late\n• The fare is low\n• The seats are torn",
    "bullets in a line": "• The bus is late • The fare is low • The seats are torn",
    "emoji": "🚌 The bus is late\n💶 The fare is low\n💺 The seats are torn",
    "ticks": "✅ The bus is late\n✅ The fare is low\n❌ The seats are torn",
    "ticks in a line": "✔️ The bus is late ✔️ The fare is low ✔️ The seats are torn",
    "hashes": "# The bus is late\n# The fare is low\n# The seats are torn",
    "numbers with hashes": "#1 The bus is late\n#2 The fare is low\n#3 The seats are torn",
    "numbers in a line": "1) The bus is late 2) The fare is low 3) The seats are torn",
    "bars": "The bus is late | The fare is low | The seats are torn",
    "plain lines": "The bus is late\nThe fare is low\nThe seats are torn",
    "with Windows' line breaks": "The bus is late\r\nThe fare is low\r\nThe seats are torn\r\n",
    "under headings": "## Time\nThe bus is late.\n## Fare\nThe fare is low.\n**Seats**\nThe seats are torn.",
    "under labels": "Pros:\n- The bus is late\n\nCons:\n- The fare is low\n- The seats are torn",
    "in HTML": "<ul><li>The bus is late</li><li>The fare is low</li></ul><p>The <b>seats</b> are torn.</p>",
    "plus and minus": "+ The bus is late\n+ The fare is low\n- The seats are torn",
    "plus and minus in a line": "+ The bus is late + The fare is low - The seats are torn",
    "good and bad in a line": "GOOD: The bus is late. The fare is low. BAD: The seats are torn.",
    "under thumbs": "👍\n- The bus is late\n- The fare is low\n👎\n- The seats are torn",
    "in BBCode": "[b]The bus is late.[/b] The fare is low. [i]The seats are torn.[/i]",
    "after thoughts": "<think>Three points.</think>\nThe bus is late. The fare is low. The seats are torn.",
    "with a count of words": "The bus is late. The fare is low. The seats are torn.\n\n(Word count: 12)",
    "in guillemets": "«The bus is late. The fare is low. The seats are torn.»",
    "in three quotation marks": '"""The bus is late. The fare is low. The seats are torn."""',
    "quoted": '"The bus is late. The fare is low. The seats are torn."',
    "quoted within": 'The bus is late. "The fare is low. The seats are torn."',
    "answer of a chat model": (
        "Sure! Here is a brief summary of what travellers wrote:\n\n"
        "1. **The bus is late.**\n2. The fare is low.\n3. The seats are torn.\n\n"
        "I hope this helps! Let me know if you would like me to change anything."
    ),
    "answer with a title": "**Summary**\n\nThe bus is late. The fare is low. The seats are torn.",
    "answer with a label": "TL;DR: The bus is late. The fare is low. The seats are torn.",
    "wrapped items": "- The bus\n  is late\n- The fare is low\n- The seats are\n  torn",
}


@pytest.mark.parametrize("text", LISTS.values(), ids=LISTS)
def test_lists_and_frames_are_the_sentences_in_them(text: str) -> None:
    assert split(plain(text)) == ["The bus is late.", "The fare is low.", "The seats are torn."]


def test_wrapped_paragraphs_stay_whole() -> None:
    wrapped = (
        "The ferry to the island is slow and leaves at\nsix in the morning, which is too early for\n"
        "families. The crew of the\nMary Ann is friendly."
    )
    assert split(plain(wrapped)) == [
        "The ferry to the island is slow and leaves at six in the morning, which is too early for families.",
        "The crew of the Mary Ann is friendly.",
    ]


def test_a_wrapped_insertion_is_no_item() -> None:
    text = (
        "The crew were kind to all of us, and the deck\n- above all the bow -\nwas clean. Nobody complained."
    )
    assert split(plain(text)) == [
        "The crew were kind to all of us, and the deck - above all the bow - was clean.",
        "Nobody complained.",
    ]


def test_long_fragments_on_lines_of_equal_length_are_not_joined() -> None:
    text = (
        "cheap tickets for the night ferry\nfriendly captain with good jokes\nclean cabins with a large bed"
    )
    assert len(split(plain(text))) == 3


def test_items_complete_the_sentence_that_leads_to_them() -> None:
    text = "Travellers complained about:\n- the noise\n- the price"
    assert split(plain(text)) == [
        "Travellers complained about the noise.",
        "Travellers complained about the price.",
    ]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Cabin 👎", ["Cabin: bad."]),
        ("Cabin: 👍👍", ["Cabin: good."]),
        ("Cabin 👎, deck 😍", ["Cabin: bad.", "Deck: excellent."]),
        ("Cabin ⭐⭐", ["Cabin: bad."]),
        ("Cabin ★★★★☆", ["Cabin: good."]),
        ("Cabin 5/5", ["Cabin is excellent"]),
        ("Cabin: 2/10.", ["Cabin: terrible."]),
        ("Bar ✅\nSauna ❌", ["Bar: yes.", "Sauna: no."]),
        ("✅ Bar\n❌ Sauna", ["Bar: yes.", "Sauna: no."]),
        ("👎", ["Bad."]),
        ("We gave it 4/5.", ["We gave it 4 out of 5."]),
        ("We loved it! 😍", ["We loved it!"]),
        ("The deck is clean 🙂 and quiet.", ["The deck is clean and quiet."]),
        ("I ❤️ this ferry", ["I love this ferry"]),
        ("😀 great deck 👎 bad soup", ["Great deck.", "Bad soup."]),
        ("✅ bar, ✅ deck and ❌ sauna", ["Bar: yes.", "Deck: yes.", "Sauna: no."]),
        ("❌ Free parking near the pier", ["Free parking near the pier: no."]),
        ("Bar (5★), deck (2★)", ["Bar: excellent.", "Deck: bad."]),
        ("The ferry (3★) is fine.", ["The ferry (3 stars) is fine."]),
        ("We slept in a 4★ hotel.", ["We slept in a 4-star hotel."]),
        ("It gets a 👍 from us, but no 👎.", ["It gets a thumbs up from us, but no thumbs down."]),
        ("The soup was hot 😋 and the crew 👏", ["The soup was hot.", "The crew: good."]),
        ("Would I go again? 👎", ["Would I go again?", "No."]),
        ("The lift broke :( We will not return.", ["The lift broke.", "We will not return."]),
        ("Cabin :-), deck =(", ["Cabin: good.", "Deck: bad."]),
        ("The ratio is 3 :1 (see :a).", ["The ratio is 3 :1 (see :a)."]),
    ],
)
def test_emoji_and_ratings_are_read_as_words(text: str, read: list[str]) -> None:
    assert split(plain(text)) == read


def test_emoji_without_a_known_meaning_are_counted() -> None:
    assert unread_emoji(plain("A 🦄 cabin, a good 👍 bar, 20 °C.")) == 1


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("The deck is wet [3].", "The deck is wet."),
        ("The deck is wet [1][12], they say.", "The deck is wet, they say."),
        ("The deck is wet (reviews 2 and 3).", "The deck is wet."),
        ("The deck is wet (see review #4).", "The deck is wet."),
        ("The deck is wet (source: review 4).", "The deck is wet."),
        ("The deck is wet【2†source】.", "The deck is wet."),
        ("The deck is wet [sic].", "The deck is wet [sic]."),
        ("The deck (2 of 3) is wet.", "The deck (2 of 3) is wet."),
    ],
)
def test_citation_markers_are_not_part_of_a_claim(text: str, claim: str) -> None:
    assert without_citations(text) == claim


def test_citation_markers_stay_with_the_sentence_before_them() -> None:
    text = "The deck is wet.[1] The bar is shut. [2, 3] The crew left.【4】"
    assert split(plain(text)) == ["The deck is wet [1].", "The bar is shut [2, 3].", "The crew left 【4】."]
    raised = "The deck is wet<sup>1</sup>. It has 30 m<sup>2</sup>."
    assert split(plain(raised)) == ["The deck is wet [1].", "It has 30 m2."]


@given(st.text(alphabet=" \n\t.,:;!?-*#|\"'()[]<>/0123456789abcABC\\&’â€™👍👎⭐✅❌😊🦄•", max_size=60))
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert repair(repair(text)) == repair(text)
    assert plain(plain(text)) == plain(text)


@given(st.text(max_size=80))
def test_any_text_can_be_normalised(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        return
    had_letters = any(map(str.isalpha, repair(text)))
    assert any(map(str.isalpha, plain(text))) or not had_letters or "<" in text
