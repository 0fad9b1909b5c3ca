"""The claim writer: what it makes of sentences, and what it never does."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any, get_args

import opinion_claims
import pytest
import torch
from fuzz import VOCABULARY, texts
from hypothesis import example, given
from safetensors.torch import load_file, save_file

from claimwise.errors import ClaimwiseError
from claimwise.text.claims import Decomposed, load_decomposer
from claimwise.text.options import Attributions
from claimwise.text.writer import ClaimWriter
from claimwise.text.writer.beams import MOST_STEPS
from claimwise.text.writer.critic import Critic
from claimwise.text.writer.decoder import MOST_WORDS, NEXT, Choice, Progress
from claimwise.text.writer.decomposer import WEIGHTS, claims_of
from claimwise.text.writer.network import load
from claimwise.text.writer.words import Written, article_before, sentence_of, words_of

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


@pytest.mark.parametrize("sentence", SENTENCES)
def test_sentences_become_claims(sentence: str) -> None:
    assert DECOMPOSER([sentence]) == [SENTENCES[sentence]]


def test_claims_of_a_sentence_do_not_depend_on_the_sentences_beside_it() -> None:
    together = [*SENTENCES, "Is there a pool?", "", "!!", "So clean! " * 40]
    found = dict(zip(together, DECOMPOSER.decompose(together), strict=True))
    random.Random(1).shuffle(together)
    assert dict(zip(together, DECOMPOSER.decompose(together), strict=True)) == found
    for sentence, decomposed in found.items():
        assert DECOMPOSER.decompose([sentence]) == [decomposed]


@pytest.fixture
def sentences() -> list[str]:
    """Hundreds of sentences of reviews and of summaries of reviews."""
    rows = (Path(opinion_claims.__file__).parent / "test.jsonl").read_text("utf-8").splitlines()
    return [json.loads(row)["sentence"] for row in rows[:200]]


def test_claims_do_not_depend_on_batches_or_threads(sentences: list[str]) -> None:
    once = DECOMPOSER.decompose(sentences)
    before = torch.get_num_threads()
    try:
        for threads in (1, 2):
            torch.set_num_threads(threads)
            assert DECOMPOSER.decompose(sentences[::-1])[::-1] == once
            assert [DECOMPOSER.decompose([one])[0] for one in sentences[:60]] == once[:60]
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize("attributions", get_args(Attributions))
def test_claims_are_made_of_words_of_their_sentence(sentences: list[str], attributions: Attributions) -> None:
    network = load(WEIGHTS)
    own = {word.lower() for word in network.vocabulary}
    invented = []
    for sentence, claims in zip(sentences, ClaimWriter(attributions=attributions)(sentences), strict=True):
        said = [word.lower() for word in words_of(sentence).words]
        for claim in claims:
            for word in words_of(claim).words:
                is_copied = any(word.lower()[:3] == one[:3] for one in said)  # endings change
                if not is_copied and word.lower() not in own | {".", "a", "an"}:
                    invented.append((word, claim))
    assert invented == []


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
        ("clean " * (MOST_WORDS + 1), f"more than {MOST_WORDS} words"),
    ],
)
def test_what_it_is_not_asked_about_stays_whole_with_the_reason(sentence: str, reason: str) -> None:
    [found] = DECOMPOSER.decompose([sentence])
    assert found.left_whole == reason
    assert found.claims == [sentence.strip()]


def test_words_make_a_sentence_again() -> None:
    source = words_of("However, the well-kept pool (and a bar) wasn't open, an old hotel's loss")
    assert source.words[:2] == ("However", ",")

    def said(*words: str | tuple[str, None]) -> str:
        written = [
            Written(word[0]) if isinstance(word, tuple) else Written(word, source.words.index(word))
            for word in words
        ]
        return sentence_of(written, source)

    assert said("the", "well", "-", "kept", "pool", "was", "n't", "open") == "The well-kept pool wasn't open."
    assert said("the", "pool", ",", "a", ("empty", None), "bar", "(") == "The pool an empty bar."
    assert said("an", "hotel", "'s", "bar") == "A hotel's bar."
    assert said(",", "(") == ""


@pytest.mark.parametrize(
    ("word", "article"),
    [("hour", "an"), ("hotel", "a"), ("upgrade", "an"), ("university", "a"), ("8-bit", "an"), ("one", "a")],
)
def test_the_article_is_that_of_the_word_after_it(word: str, article: str) -> None:
    assert article_before(word) == article


VOCABULARY_OF_ITS_OWN = ["<end>", "<next>", "-y+ies", "is", "-+s"]


def found_of(sentence: str, *choices: tuple[int, int]) -> Decomposed:
    """Return what is taken of choices; those of 10 and more are places of the sentence, counted from 10."""
    own = len(VOCABULARY_OF_ITS_OWN)
    made = [
        Choice(first - 10 + own, last - 10) if first >= 10 else Choice(first, -1) for first, last in choices
    ]
    return claims_of(made, words_of(sentence), VOCABULARY_OF_ITS_OWN)


def test_choices_spell_claims() -> None:
    assert found_of("clean room, warm pool", (10, 11), (3, 0), (12, 12), (NEXT, 0), (13, 14)).claims == [
        "Clean room is.",
        "Warm pool.",
    ]
    assert found_of("party city", (10, 10), (2, 0)).claims == ["Parties."]


@pytest.mark.parametrize(
    ("sentence", "choices", "reason"),
    [
        ("The pool is heated.", [], "no claim was found"),
        ("The pool is heated.", [(3, 0)] * MOST_STEPS, "more claims than can be told apart"),
        ("The pool is not heated.", [(10, 12), (14, 14)], "a denial might be lost or made"),
    ],
)
def test_a_sentence_whose_claims_are_rejected_stays_whole_and_counts_as_a_failure(
    sentence: str, choices: list[tuple[int, int]], reason: str
) -> None:
    assert found_of(sentence, *choices) == Decomposed([sentence], reason, failed=True)


def test_what_has_been_written_is_told_of_each_word() -> None:
    own = 5  # choices below are own words, word 0 of the sentence is choice 5
    progress = Progress(1, 4, own)
    assert progress.hints.tolist() == [[[0.0, 0.0, 0.0]] * 4]
    for first, last in ((own + 1, 2), (3, -1)):  # a span of the sentence, then an own word
        progress.go_on(torch.tensor([first]), torch.tensor([last]))
    follows, used, inside = progress.hints[0].T.tolist()
    assert (follows, used, inside) == ([0, 0, 0, 1], [0, 0, 0, 0], [0, 1, 1, 0])
    assert (progress.in_claim.item(), progress.claim.item(), progress.last.item()) == (3, 0, 2)
    progress.go_on(torch.tensor([NEXT]), torch.tensor([-1]))
    follows, used, inside = progress.hints[0].T.tolist()
    assert (follows, used, inside) == ([0, 0, 0, 0], [0, 1, 1, 0], [0, 0, 0, 0])
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


def test_sentences_by_themselves_keep_open_pronouns_and_say_so() -> None:
    [found] = ClaimWriter(pronouns="sentence").decompose_texts([TEXT])
    assert found[1].claims == list(found[1].open) == ["It was far too firm."]
    assert found[1].resolved == 0
    assert found == ClaimWriter().decompose(TEXT)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"pronouns": "keep"}, "pronouns must be 'text' or 'sentence'; got 'keep'"),
        ({"attributions": None}, "attributions must be 'keep' or 'strip'; got None"),
    ],
)
def test_other_values_of_options_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ClaimwiseError, match=said) as caught:
        load_decomposer("default", **options)
    assert caught.value.option == next(iter(options))


def test_a_claim_that_the_critic_rejects_leaves_its_sentence_whole(tmp_path: Path) -> None:
    network = load(WEIGHTS)
    config = json.loads((WEIGHTS / "config.json").read_text("utf-8"))
    state = load_file(WEIGHTS / "model.safetensors")
    state |= {f"critic.{name}": tensor for name, tensor in Critic(network.decoder.size).state_dict().items()}
    save_file(state, tmp_path / "model.safetensors")
    sentence = "The rooms were clean, but the staff was rude."
    for limit, is_whole in ((-1.0, True), (1.0, False)):
        folder = tmp_path / str(limit)
        folder.mkdir()
        (folder / "model.safetensors").symlink_to(tmp_path / "model.safetensors")
        (folder / "config.json").write_text(json.dumps(config | {"rejected_above": limit}), "utf-8")
        [found] = ClaimWriter(folder=folder).decompose([sentence])
        assert (found.failed, found.claims == [sentence]) == (is_whole, is_whole)


def test_the_signature_names_the_network_and_the_options() -> None:
    signature = load_decomposer("default", attributions="strip").signature
    assert (signature["decomposer"], signature["attributions"]) == ("default", "strip")
    assert len(signature["network"]) == 12


def test_the_weights_are_those_of_the_card() -> None:
    files = {path.name for path in WEIGHTS.iterdir()}
    assert files == {"LICENSE", "README.md", "config.json", "model.safetensors"}
    assert DECOMPOSER.signature["network"] in (WEIGHTS / "README.md").read_text("utf-8")
    assert sum(path.stat().st_size for path in WEIGHTS.iterdir()) <= 25_000_000
