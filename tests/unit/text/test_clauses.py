"""Decomposer over trees: what a reader of claims cares about, one case per construction, and any text."""

from __future__ import annotations

import importlib.util
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import opinion_claims
import pytest
from fuzz import VOCABULARY, texts
from hypothesis import example, given, settings

from claimwise.errors import ClaimwiseError
from claimwise.text.claims import Decomposer, load_decomposer
from claimwise.text.clauses import MAX_WORDS, ClausesDecomposer
from claimwise.text.clauses.tree import Parse, trees
from claimwise.text.parser import parser_fingerprint


def decompose(sentence: str) -> list[str]:
    return ClausesDecomposer()([sentence])[0]


# Sentences that the word lists of the rules take for others ---------------------------------------


@pytest.mark.parametrize(
    ("sentence", "claims"),
    [
        (
            "This hotel is situated in an excellent and central spot, allowing you to easily access a "
            "variety of stores.",
            [
                "This hotel is situated in an excellent spot.",
                "This hotel is situated in a central spot.",
                "This hotel allows you to easily access a variety of stores.",
            ],
        ),
        (
            "There are attractions like a cathedral, a museum and a market.",
            [
                "There are attractions like a cathedral.",
                "There are attractions like a museum.",
                "There are attractions like a market.",
            ],
        ),
        (
            "The two big-sized pools were perfect as well as some ping-pong tables.",
            ["The two big-sized pools were perfect.", "Some ping-pong tables were perfect."],
        ),
        (
            "It is decorated in a modest and antiquated fashion.",
            ["It is decorated in a modest fashion.", "It is decorated in an antiquated fashion."],
        ),
        (
            "This is an ideal spot for a brief visit, and you'll likely be eager to return.",
            ["This is an ideal spot for a brief visit.", "You'll likely be eager to return."],
        ),
        (
            "The hotel is situated next to the train station but also next to the fire department which can "
            "make it noisy.",
            [
                "The hotel is situated next to the train station.",
                "The hotel is situated next to the fire department which can make it noisy.",
            ],
        ),
    ],
)
def test_what_the_rules_get_wrong(sentence: str, claims: list[str]) -> None:
    assert decompose(sentence) == claims


# What is shared is said again ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sentence", "claims"),
    [
        (
            "The staff were friendly and the rooms were clean.",
            ["The staff were friendly.", "The rooms were clean."],
        ),
        ("The rooms are small but clean.", ["The rooms are small.", "The rooms are clean."]),
        ("The shower can be noisy and get hot.", ["The shower can be noisy.", "The shower can get hot."]),
        ("The pool and gym were shut.", ["The pool was shut.", "The gym was shut."]),
        (
            "The phone charges fast and lasts two days.",
            ["The phone charges fast.", "The phone lasts two days."],
        ),
        ("Guests praised the staff and the view.", ["Guests praised the staff.", "Guests praised the view."]),
        ("The hotel has large, bright rooms.", ["The hotel has large rooms.", "The hotel has bright rooms."]),
        (
            "The inn offers a small library, a sauna and a roof garden.",
            ["The inn offers a small library.", "The inn offers a sauna.", "The inn offers a roof garden."],
        ),
        (
            "I bought a phone that charges fast and lasts two days.",
            ["I bought a phone that charges fast.", "I bought a phone that lasts two days."],
        ),
        (
            "Some guests found the staff rude and the food cold.",
            ["Some guests found the staff rude.", "Some guests found the food cold."],
        ),
        ("Some liked the bar, others the pool.", ["Some liked the bar.", "Others liked the pool."]),
    ],
)
def test_lists_and_what_they_share(sentence: str, claims: list[str]) -> None:
    assert decompose(sentence) == claims


@pytest.mark.parametrize(
    ("sentence", "claims"),
    [
        ("There is no pool or gym.", ["There is no pool.", "There is no gym."]),
        ("The room was not clean or quiet.", ["The room was not clean.", "The room was not quiet."]),
        ("Neither the pool nor the sauna was open.", ["The pool was not open.", "The sauna was not open."]),
        (
            "The waiter not only forgot the starters but also charged us for them.",
            ["The waiter forgot the starters.", "The waiter charged us for them."],
        ),
    ],
)
def test_negations_go_with_everything_that_they_deny(sentence: str, claims: list[str]) -> None:
    assert decompose(sentence) == claims


@pytest.mark.parametrize(
    ("sentence", "claims"),
    [
        (
            "Although the rooms are small, they are well equipped.",
            ["The rooms are small.", "The rooms are well equipped."],
        ),
        (
            "The hotel is quiet because it is on a side street.",
            ["The hotel is quiet.", "The hotel is on a side street."],
        ),
        (
            "The hotel, which was built in 1920, is charming.",
            ["The hotel was built in 1920.", "The hotel is charming."],
        ),
        (
            "The manager, a former chef, greets every guest.",
            ["The manager is a former chef.", "The manager greets every guest."],
        ),
        ("It is a quiet place with kind staff.", ["It is a quiet place.", "It has kind staff."]),
        (
            "Set on a quiet square, the inn offers guests a library and a garden.",
            [
                "The inn is set on a quiet square.",
                "The inn offers guests a library.",
                "The inn offers guests a garden.",
            ],
        ),
        (
            "My cousin, who was born here, swears by the trams and the tap water but never sets foot in the "
            "centre on Saturdays.",
            [
                "My cousin was born here.",
                "My cousin swears by the trams.",
                "My cousin swears by the tap water.",
                "My cousin never sets foot in the centre on Saturdays.",
            ],
        ),
        (
            "Several warn that the paths are steep and badly marked.",
            ["Several warn that the paths are steep.", "Several warn that the paths are badly marked."],
        ),
        (
            "Owners like small touches such as the magnetic cover, though the companion software can crash.",
            [
                "Owners like small touches such as the magnetic cover.",
                "The companion software can crash.",
            ],
        ),
        (
            "Because the pool was shut, we left early.",
            ["The pool was shut.", "We left early."],
        ),
        (
            "The inn is commended for smooth boarding and generous portions.",
            ["The inn is commended for smooth boarding.", "The inn is commended for generous portions."],
        ),
        (
            "Guests complain about faults such as leaking seals and a sticking lid.",
            [
                "Guests complain about faults such as leaking seals.",
                "Guests complain about faults such as a sticking lid.",
            ],
        ),
        (
            "Reviewers say that the breakfast is good, but the coffee is weak.",
            ["The breakfast is good.", "The coffee is weak."],
        ),
        ("However, the lobby smells of paint.", ["The lobby smells of paint."]),
    ],
)
def test_clauses_and_remarks(sentence: str, claims: list[str]) -> None:
    assert decompose(sentence) == claims


@pytest.mark.parametrize(
    ("sentence", "claims"),
    [
        ("Great view, lumpy bed.", ["The view is great.", "The bed is lumpy."]),
        ("Loved the pool, hated the stairs", ["I loved the pool.", "I hated the stairs."]),
        (
            "wifi slow, room tiny, staff super nice!!",
            ["The wifi is slow.", "The room is tiny.", "The staff is super nice."],
        ),
        ("Had a nice walk, would come back", ["I had a nice walk.", "I would come back."]),
        ("no pool no gym", ["There is no pool.", "There is no gym."]),
        (
            "burger was dry n tiny, told the waiter & he shrugged",
            ["The burger was dry.", "The burger was tiny.", "I told the waiter.", "He shrugged."],
        ),
        (
            "author clearly knows boats, doesnt know women",
            ["The author clearly knows boats.", "The author doesn't know women."],
        ),
    ],
)
def test_fragments_get_a_verb(sentence: str, claims: list[str]) -> None:
    assert decompose(sentence) == claims


@pytest.mark.parametrize(
    "sentence",
    [
        "The bed and breakfast is lovely.",
        "The two brothers and their sister look alike.",
        "The walk takes between five and ten minutes.",
        "The shuttle runs from the airport to the hotel.",
        "The new model is better than the old one and its rivals.",
        "If it rains, bring boots and an umbrella.",
        "The lamp is either broken or badly made.",
        "Not all rooms have a balcony and a kitchen.",
        "Is the room clean and quiet?",
        "Thanks to the long handle and the light frame, it is easy to carry.",
        "Most evenings we wandered from the fish market to the lighthouse and met nobody.",
        "The friendly and helpful staff made our stay memorable.",
    ],
)
def test_stays_whole(sentence: str) -> None:
    assert decompose(sentence) == [sentence]


# What other code relies on ------------------------------------------------------------------------


def test_it_is_a_decomposer_with_a_name_and_a_signature() -> None:
    decomposer = load_decomposer("clauses")
    assert isinstance(decomposer, ClausesDecomposer)
    assert isinstance(decomposer, Decomposer)
    assert decomposer.signature["decomposer"] == "clauses"
    assert decomposer.signature["parser"] == parser_fingerprint()
    assert pickle.loads(pickle.dumps(decomposer))(["The pool and gym were shut."]) == [
        ["The pool was shut.", "The gym was shut."]
    ]


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("Is the room clean and quiet?", "a question"),
        ("The [b]rooms[/b] are clean and quiet.", "markup"),
        ("<img src=x onerror=alert(2)> and a pool.", "markup"),
        ("Should the lift be out of order, take the stairs and a torch.", "a condition"),
        ("very " * MAX_WORDS + "clean", "more than 150 words"),
        ("\ud800 and more", "characters that are no text"),
        ("?!", "no words"),
        ("The pool is warm.", None),
    ],
)
def test_why_a_sentence_is_left_whole(sentence: str, reason: str | None) -> None:
    [decomposed] = ClausesDecomposer().decompose([sentence])
    assert decomposed.left_whole == reason
    assert len(decomposed.claims) == 1


def test_blank_sentences_have_no_claims() -> None:
    assert ClausesDecomposer()(["", " \n", "The pool is warm."]) == [[], [], ["The pool is warm."]]


def test_spacy_is_loaded_with_the_first_sentence_only() -> None:
    code = (
        "import sys; from claimwise.text.claims import load_decomposer; "
        "load_decomposer('clauses').signature; "
        "sys.exit('spacy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_words_that_cross_keep_the_order_of_the_sentence() -> None:
    words = ["A", "B", "C", "D", "E"]
    [tree] = trees(Parse(words, [True] * 5, ["NN"] * 5, ["NOUN"] * 5, [2, 3, 2, 2, 1], ["dep"] * 5))
    assert [node.word for node in tree.walk()] == words


# Any text -----------------------------------------------------------------------------------------

MORE = re.split(" ", "others whose where bacon eggs n w/ = its dont - / : ... !!")
TEXTS = texts([*VOCABULARY, *MORE])


@settings(deadline=None)
@given(TEXTS)
@example("The rooms as well as, the staff were clean")
@example("- and / = its, with some saying")
def test_any_text_yields_claims(text: str) -> None:
    claims = decompose(text)
    assert bool(claims) == bool(text.strip())
    assert all(claim.strip() for claim in claims)
    assert decompose(text) == claims


@pytest.mark.parametrize(
    "unit", ["the rooms were clean and ", "a", ",", "; a", "(", ". ", "\x00", "not only "]
)
def test_long_texts_stay_whole(unit: str) -> None:
    assert len(decompose(unit * (100_000 // len(unit)))) == 1


# Pronouns -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sentences", "claims"),
    [
        (["The mattress was new.", "It was too firm."], ["The mattress was too firm."]),
        (["The rooms are small.", "They're clean."], ["The rooms are clean."]),
        (
            ["The mattress was new.", "It was firm.", "Its cover was torn."],
            ["The mattress's cover was torn."],
        ),
        # of another number, of two things, or of a person: it stays
        (["The rooms are small.", "It is clean."], ["It is clean."]),
        (["The pool and the gym were shut.", "It was cold."], ["It was cold."]),
        (["The owner has a parrot.", "It swears."], ["It swears."]),
        # stands for nothing
        (["The town is old.", "It is easy to park."], ["It is easy to park."]),
    ],
)
def test_pronouns_are_resolved_within_a_text_where_that_is_safe(
    sentences: list[str], claims: list[str]
) -> None:
    assert ClausesDecomposer().decompose_texts([sentences])[0][-1].claims == claims
    assert ClausesDecomposer(pronouns="sentence").decompose_texts([sentences])[0][-1].claims == sentences[-1:]
    assert ClausesDecomposer().decompose(sentences)[-1].claims == sentences[-1:]


@pytest.mark.parametrize(
    ("sentence", "claims"),
    [
        (
            "The room wasn't large but it was bright.",
            ["The room wasn't large.", "The room was bright."],
        ),
        (
            "The shirt is soft and warm, but it shrinks in the wash.",
            ["The shirt is soft.", "The shirt is warm.", "The shirt shrinks in the wash."],
        ),
        (
            "The compressor fits under most benches, but its gauge is hard to read.",
            ["The compressor fits under most benches.", "The compressor's gauge is hard to read."],
        ),
        # the subject goes before the object
        ("The lid fits the pot, but it leaks.", ["The lid fits the pot.", "The lid leaks."]),
        # of two things, of a person, or of nothing
        (
            "The pool was shut and the spa was cold because it broke.",
            ["The pool was shut.", "The spa was cold.", "It broke."],
        ),
        ("The porter smiled, but it was too late.", ["The porter smiled.", "It was too late."]),
    ],
)
def test_pronouns_are_resolved_within_a_sentence_where_that_is_safe(sentence: str, claims: list[str]) -> None:
    [decomposed] = ClausesDecomposer().decompose([sentence])
    assert decomposed.claims == claims
    kept = ClausesDecomposer(pronouns="keep").decompose([sentence])[0]
    assert (kept.resolved, kept.open) == (None, ())
    assert len(kept.claims) == len(claims)


def test_claims_say_how_many_pronouns_were_resolved_and_which_stay_open() -> None:
    [[first, second]] = ClausesDecomposer().decompose_texts(
        [["The mattress was new, but it was firm.", "They ran out of milk."]]
    )
    assert (first.resolved, first.open) == (1, ())
    assert (second.resolved, second.open) == (0, ("They ran out of milk.",))


def test_what_a_text_says_explains_no_pronoun_of_the_next() -> None:
    decomposed = ClausesDecomposer().decompose_texts([["The mattress was new."], ["It was too firm."]])
    assert decomposed[1][0].claims == ["It was too firm."]


def test_another_treatment_of_pronouns_is_refused_and_the_chosen_one_signs() -> None:
    with pytest.raises(ClaimwiseError, match="pronouns must be one of 'text', 'sentence', 'keep'"):
        ClausesDecomposer(pronouns="all")  # type: ignore[arg-type]
    assert load_decomposer("clauses", pronouns="keep").signature["pronouns"] == "keep"


# How often a person would have written the same ------------------------------------------------------


def load_benchmark() -> Any:
    path = Path(__file__).parents[3] / "benchmarks" / "decomposition.py"
    spec = importlib.util.spec_from_file_location("decomposition", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_claim_scores_count_what_any_wording_matches() -> None:
    scores = load_benchmark().claim_scores
    wanted = [[["The pool was shut.", "The pool is shut."], ["The gym was shut."]]]
    assert scores(wanted, [["The pool is shut.", "The gym was shut."]]) == (1.0, 1.0, 1.0)
    assert scores(wanted, [["The pool is shut.", "Both were."]]) == (0.5, 0.5, 0.5)
    assert scores(wanted, [["Nothing."]]) == (0.0, 0.0, 0.0)


def test_claims_are_those_of_persons_more_often_than_those_of_the_rules() -> None:
    rows = [row for row in opinion_claims.read_files() if row.split == "validation"]
    wanted, sentences = [row.claims for row in rows], [row.sentence for row in rows]
    scores = load_benchmark().claim_scores
    ours = scores(wanted, ClausesDecomposer()(sentences))
    assert ours.f1 >= 0.6
    assert ours.f1 >= scores(wanted, load_decomposer("rules")(sentences)).f1 + 0.2
