"""The word lists that more than one step reads, verbs apart; a list of one step stands in that step."""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """Return the words of ``text``, set apart by white space."""
    return frozenset(text.split())


def phrase_set(text: str) -> frozenset[str]:
    """Return the phrases of ``text``, set apart by "|"."""
    return frozenset(phrase.strip() for phrase in text.split("|"))


# Marks and closed classes --------------------------------------------------------------------------

BREAKS = frozenset({",", ";", "-", "--", "–", "—"})
COORDINATORS = frozenset({"and", "&", "as well as"})
CONTRASTS = frozenset({"but", "though", "although", "even though", "whereas", "while", "however", "because"})
CONDITIONALS = word_set("if unless whether provided otherwise")
TEMPORALS = word_set("when whenever after before once until where wherever as since if")
RELATIVES = word_set("that which who whom whose")
EMBEDDERS = CONDITIONALS | RELATIVES | word_set("when where than how what why because while like")
PRONOUNS = word_set("i you we they he she it")
DEFINITE = word_set("the its their his her our my your this that these those")
INDEFINITE = word_set(
    "a an some any several many much no every each one two three four five another more most all few"
) | {"a few", "a lot of", "lots of", "plenty of", "a variety of", "a number of"}
DETERMINERS = DEFINITE | INDEFINITE
PREPOSITIONS = phrase_set(
    "such as|, such as|, including|, especially|, particularly|due to|because of"
) | word_set(
    "of in on at by with without for from near within around about to into over under between "
    "during after before through throughout across along behind beside off outside inside via "
    "towards toward against including like as despite besides beyond except per until"
)
LISTABLE = PREPOSITIONS | DETERMINERS
OBJECTS = (DEFINITE - {"that"}) | word_set("a an it you them us me him")  # follow unknown verbs
CLOSING = COORDINATORS | BREAKS | {"", "to"}
NEGATORS = word_set(
    "not no never none nobody nothing neither nor without cannot hardly barely rarely seldom "
    "scarcely few lack lacks lacked lacking"
) | {"no one"}
FREQUENCY = word_set("always often usually sometimes also never still rarely")
ADVERBS = word_set(
    "very really quite rather somewhat too so extremely also even still just only always often "
    "sometimes usually never generally especially particularly overall both not well much more "
    "most less fairly pretty slightly all almost rarely hardly barely seldom now then currently"
) | {"a little", "a bit", "a tad", "kind of", "at times"}

# People, plurals and adjectives --------------------------------------------------------------------

REPORTERS = word_set(
    "guest guests reviewer reviewers review reviews customer customers user users traveler "
    "travelers traveller travellers visitor visitors account accounts people buyer buyers owner "
    "owners diner diners student students person participant participants parents families "
    "couples consumers patrons purchasers learners some many most several others everyone "
    "everybody"
) | {"a few"}
PLURAL_NOUNS = word_set("staff people children employees police men women feet teeth both they we you")
COMMON_PLURALS = word_set("rooms beds staffs guests views hotels reviews prices shoes")
ADJECTIVES = word_set(
    "accessible accurate adequate affordable airy amazing ample attentive authentic average "
    "awesome awful awkward bad basic beautiful better big bland blurry boring bright broken busy "
    "calm central charming cheap clean clear close clunky cold comfy compact confusing convenient "
    "cool cozy cosy cramped cute damp dark dated decent delicious diligent dim dirty "
    "disappointing dry dull durable dusty early easy efficient elegant engaging excellent excited "
    "expensive exceptional extensive fair fantastic fast filthy fine firm flat flimsy free fresh "
    "friendly full fun funny generous gentle good gorgeous great handy happy hard healthy heavy "
    "helpful high honest hot huge ideal important inconsistent incredible informative interesting "
    "juicy kind large late lean light lightweight limited little lively local long loose loud "
    "lovely low modern muddy mushy narrow neat new nice noisy odd okay old organic outdated "
    "outstanding patient perfect pleasant plush polite poor powerful practical pretty prompt "
    "pricey pure quick quiet rare ready reliable relaxing rich roomy rough rude safe salty scenic "
    "secure sharp shabby short shiny simple sleek slim slow small smart smelly smooth soft soggy "
    "solid spacious speedy spicy spotless stale steady sticky stiff strict strong stuffy sturdy "
    "stunning stylish superb sweet tall tasty tender terrible thick thin thorough tidy tight tiny "
    "tough traditional trendy unclear uncomfortable unique unfriendly unpleasant unprofessional "
    "useful useless vague varied versatile warm weak welcoming well-lit wide wonderful wrong "
    "accommodating professional knowledgeable top refreshing inviting extra vegan vegetarian "
    "worth willing available responsive favorite favourite"
)
ADJECTIVE_ENDINGS = ("able", "ible", "ful", "ous", "ive", "less", "ish", "ed")
