"""The offline default decomposer: clause splitting with word lists, no parser, no model.

Read it top to bottom: the word lists, then how words are recognised, then the pipeline

    tokenize -> strip_openers -> strip_attribution -> split_clauses -> distribute_lists -> finish

A sentence is a list of tokens, split at white space with commas and semicolons on their own; what
must never be split ("bed and breakfast", a bracket, a name) is one token with spaces inside. Each
step moves tokens around and adds at most a copula, so no claim says what the sentence did not.
Whenever a rule is not sure, the sentence stays whole.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise

from claimwise.text.claims import BaseDecomposer, Decomposed

RULES_VERSION = "3"
MAX_WORDS = 150  # longer sentences are left whole
MAX_ITEMS = 12  # a longer list is not trusted to be one
MAX_SUBJECT = 10  # a longer run of words before a verb is not trusted to be its subject

Tokens = list[str]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _phrases(text: str) -> frozenset[str]:
    return frozenset(phrase.strip() for phrase in text.split("|"))


def _pairs(text: str) -> dict[str, str]:
    return dict(pair.split(":") for pair in text.split())


# Closed classes ---------------------------------------------------------------------------------

BREAKS = frozenset({",", ";", "-", "--", "–", "—"})
COORDINATORS = frozenset({"and", "&", "as well as"})
JOINERS = COORDINATORS | {"or", "nor"}
CONTRASTS = frozenset({"but", "though", "although", "even though", "whereas", "while", "however", "because"})
COMMA_CONTRASTS = frozenset({"so", "yet", "as", "since"})  # these join clauses only after a comma
ASIDES = frozenset({"which", "with"})
SUBORDINATORS = frozenset({"although", "though", "even though", "while", "whereas", "because"})
CONDITIONALS = _words("if unless whether provided otherwise")
TEMPORALS = _words("when whenever after before once until where wherever as since if")
RELATIVES = _words("that which who whom whose")
EMBEDDERS = CONDITIONALS | RELATIVES | _words("when where than how what why because while like")
PRONOUNS = _words("i you we they he she it")
DEFINITE = _words("the its their his her our my your this that these those")
INDEFINITE = _words(
    "a an some any several many much no every each one two three four five another more most all few"
) | {"a few", "a lot of", "lots of", "plenty of", "a variety of", "a number of"}
DETERMINERS = DEFINITE | INDEFINITE
PREPOSITIONS = _phrases(
    "such as|, such as|, including|, especially|, particularly|due to|because of"
) | _words(
    "of in on at by with without for from near within around about to into over under between "
    "during after before through throughout across along behind beside off outside inside via "
    "towards toward against including like as despite besides beyond except per until"
)
NEGATORS = _words(
    "not no never none nobody nothing neither nor without cannot hardly barely rarely seldom "
    "scarcely few lack lacks lacked lacking"
) | {"no one"}
ADVERBS = _words(
    "very really quite rather somewhat too so extremely also even still just only always often "
    "sometimes usually never generally especially particularly overall both not well much more "
    "most less fairly pretty slightly all almost rarely hardly barely seldom now then currently "
    "too"
) | {"a little", "a bit", "a tad", "kind of", "at times"}
BE = _words("is are was were be been being am isn't aren't wasn't weren't")
LINKING = _words(
    "look looks looked feel feels felt seem seems seemed sound sounds sounded taste tastes tasted "
    "smell smells smelled stay stays stayed remain remains remained become becomes became appear "
    "appears appeared"
)
MODALS = _words("can could will would should may might must can't cannot couldn't won't wouldn't shouldn't")
HELPERS = _words("has have had do does did hasn't haven't hadn't don't doesn't didn't")
UNRESOLVABLE = EMBEDDERS | _words("this that there these those some many most several others")
PERFECT = _words("has have had hasn't haven't hadn't")
AUXILIARIES = (BE - _words("be been being")) | MODALS | HELPERS
SINGULAR_FORMS = {"are": "is", "were": "was", "have": "has", "aren't": "isn't", "weren't": "wasn't"}
PLURAL_FORMS = {singular: plural for plural, singular in SINGULAR_FORMS.items()}
POSITIVE_FORMS = {verb + "n't": verb for verb in ("is", "are", "was", "were", "has", "have", "had")}
PERFECTS = frozenset({"been", "got", "had"})  # after these, "it's" is "it has"
CONTRACTED = {"'s": "is", "'re": "are", "'m": "am"}
CONTRACTING = _words("it that there he she they we you i")

# A compact lexicon ------------------------------------------------------------------------------

REPORTERS = _words(
    "guest guests reviewer reviewers review reviews customer customers user users traveler "
    "travelers traveller travellers visitor visitors account accounts people buyer buyers owner "
    "owners diner diners student students person participant participants parents families "
    "couples consumers patrons purchasers learners some many most several others everyone "
    "everybody"
) | {"a few"}
CONSENSUS = _words("consensus impression opinion complaint feeling")
QUANTIFIERS = _words("some many most several") | {"a few"}
REPORTING_VERBS = _words(
    "say says said mention mentions mentioned note notes noted report reports reported state "
    "states stated feel felt think thought believe believed agree agreed comment commented claim "
    "claimed complain complained find found warn warned add added indicate indicated suggest "
    "suggested remark remarked observe observed admit admitted"
)
NAMING_VERBS = _words("find finds found consider considers considered describe describes described")
OPINION_VERBS = (REPORTING_VERBS - _words("feel felt state states")) | _words(
    "praise praised like liked love loved enjoy enjoyed appreciate appreciated recommend "
    "recommended dislike disliked wish wished experience experienced encounter encountered prefer "
    "preferred criticize criticized criticise criticised highlight highlighted disappointed "
    "impressed thought wished expected received had"
)
REPORTING_BASES = _words("say find think feel mention note report state believe add claim complain")
OFFERING_VERBS = _words("offer provide feature include serve contain")
IRREGULAR_VERBS = _pairs(
    "become:became begin:began break:broke bring:brought build:built buy:bought come:came "
    "cost:cost feel:felt find:found fit:fit get:got give:gave go:went hold:held keep:kept "
    "leave:left make:made meet:met run:ran say:said see:saw sell:sold sit:sat stand:stood "
    "stick:stuck take:took teach:taught think:thought wear:wore fall:fell let:let lose:lost "
    "know:knew spend:spent pay:paid eat:ate tell:told tear:tore send:sent show:showed hurt:hurt "
    "sleep:slept grow:grew write:wrote lie:lay speak:spoke sing:sang drink:drank drive:drove ride:rode "
    "rise:rose forget:forgot win:won shine:shone catch:caught hear:heard lead:led wake:woke"
)
REGULAR_VERBS = _words(
    "accept add admit agree allow appear appreciate arrive ask attract believe book call change "
    "charge claim clean comment complain consider contain cook cover create criticize criticise "
    "deliver describe deserve disappoint dislike display drain drop encounter enhance enjoy "
    "ensure exceed expect experience explain express fail feature function handle happen help "
    "highlight hope impress improve include indicate lack last learn leak like look love mention "
    "miss need note notice observe offer open operate overlook perform play praise prefer prepare "
    "prevent produce provide purchase rate reach receive recommend remain remark remove report "
    "require respond return satisfy seem serve shrink smell solve sound start state stay stop "
    "store struggle suffer suggest suit support taste tend turn update use vary visit walk want "
    "warn wash welcome wish work worry relax reserve recharge swim shop access answer live rent "
    "refuse protect relax hike eat read apologize wait travel pick weigh connect rave argue shout "
    "fill finish fix follow hang install manage match own pull push replace resist save scratch "
    "ship snap stretch surprise switch touch wrap boast greet assist upgrade download load crash "
    "rust rip peel fade wobble slip heat cater double reply talk face gleam sparkle creak squeak drip "
    "ignore spoil ruin delight bore annoy bother block border surround await belong dominate tire irritate "
    "thrill amuse convince glow laugh treat end compensate complement accompany entertain linger adorn"
)
BASE_VERBS = REGULAR_VERBS | frozenset(IRREGULAR_VERBS)
ADJECTIVES = _words(
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
PLURAL_NOUNS = _words("staff people children employees police men women feet teeth both they we you")
COLLECTIVE = _words(
    "same similar different together combination mix match both each identical alike separate "
    "connected equal opposite apart"
)

OPENERS = _phrases(
    "however|overall|in addition|additionally|furthermore|moreover|also|generally|in general|"
    "besides|unfortunately|fortunately|finally|lastly|in conclusion|in summary|to summarize|"
    "in short|that said|nevertheless|nonetheless|still|on the other hand|on the one hand|"
    "on the downside|on the plus side|on the positive side|on the negative side|all in all|"
    "for the most part|as a result|meanwhile|on top of that|in fact|of course|sadly|luckily|"
    "conversely|in contrast|by contrast|and|but|so|plus|though|then again|in particular|notably|"
    "first|firstly|second|secondly|having said that|similarly"
)
FIXED_PHRASES = _phrases(
    "inside and out|and a half|one and the same|"
    "bed and breakfast|bed & breakfast|bacon and eggs|peace and quiet|up and down|back and forth|"
    "in and out|on and off|to and from|fish and chips|mac and cheese|salt and pepper|"
    "wear and tear|pros and cons|ups and downs|black and white|first and foremost|by and large|"
    "over and over|day and night|night and day|again and again|here and there|food and beverage|"
    "r & b|r and b|bread and butter|plug and play|trial and error|hit and miss|hustle and bustle|"
    "nice and easy|tried and tested|safe and sound|far and wide|loud and clear|arts and crafts|"
    "drag and drop|hide and seek|odds and ends|rock and roll|tea and coffee making|"
    "coffee and tea making|bits and pieces|cut and dried|few and far between|each and every|"
    "terms and conditions|research and development|question and answer|lock and key|hot and cold|"
    "pick and choose|sooner or later|more or less|once or twice|one or two|two or three|"
    "whether or not|or so|nothing but|anything but|all but|last but not least|so far|so that|"
    "so much|so many|as if|as though|as long as|as soon as|as well as|even though|because of|"
    "due to|such as|no one|a few|a little|a bit|a tad|kind of|at times|a lot of|lots of|plenty of|"
    "a variety of|a number of|try and|come and go|go and see"
)
LONGEST_PHRASE = max(len(phrase.split()) for phrase in FIXED_PHRASES)
TAIL_MARKERS = frozenset({"including", "such as", "especially", "particularly"})
CLOSERS = {"(": ")", "[": "]", "“": "”", '"': '"'}
STOPS = " .!?…,;:\t\n\r"
NAME = re.compile(r"[A-Z][a-z]+(?:['’]s)?")


def _inflect(verb: str, ending: str) -> str:
    if ending == "ed" and verb in IRREGULAR_VERBS:
        return IRREGULAR_VERBS[verb]
    if verb[-1] == "y" and verb[-2] not in "aeiou":
        return verb[:-1] + ("ies" if ending == "s" else "ied")
    if ending == "s":
        return verb + ("es" if verb.endswith(("s", "sh", "ch", "x", "z", "o")) else "s")
    if verb in ("stop", "drop", "admit", "prefer", "shop", "ship", "rip", "slip", "snap", "wrap"):
        return verb + verb[-1] + "ed"
    return verb + ("d" if verb[-1] == "e" else "ed")


def _past_of(verb: str) -> str | None:
    """Return the past of a verb of the lexicon."""
    return "had" if verb == "have" else _inflect(verb, "ed") if verb in BASE_VERBS else None


def _base_of(gerund: str) -> str:
    """Return the verb of the lexicon that an "-ing" form belongs to, or an empty string."""
    stem = gerund.removesuffix("ing")
    candidates = (stem, stem + "e", stem[:-1]) if stem != gerund else ()
    return next((verb for verb in candidates if verb in BASE_VERBS or verb == "have"), "")


PRESENT_VERBS = frozenset(_inflect(verb, "s") for verb in BASE_VERBS)
PAST_VERBS = frozenset(_inflect(verb, "ed") for verb in BASE_VERBS)
NOUN_LIKE = _words(
    "costs covers visits calls returns books displays supports changes uses charges rates walks "
    "stores shops drops leaks reports claims comments experiences purchases updates turns drains "
    "upgrades downloads loads switches matches crashes scratches ships slips wraps doubles replies talks "
    "faces drips bores borders tires laughs ends drinks drives rides rises catches leads"
)  # count as verbs only before a determiner, an adverb or an adjective
INTRANSITIVE = _words("fit cost worked lasted ran arrived came went fell felt looked stopped failed")
COMMON_PLURALS = _words("rooms beds staffs guests views hotels reviews prices shoes")
TOUGH = _words("hard easy difficult impossible possible nice good great")  # "it is hard to ..."
SPEECH_VERBS = OPINION_VERBS | REPORTING_VERBS
LISTABLE = PREPOSITIONS | DETERMINERS
STRANDED = _words("at of with for from to into")  # seldom end a claim
NEVER_OPEN_ITEMS = (EMBEDDERS - PREPOSITIONS) | {"then", "rather", "instead"}
NEVER_BEFORE_VERBS = (LISTABLE | COORDINATORS | BREAKS | {"to", "than"}) - _words("this that these those")
OBJECTS = (DEFINITE - {"that"}) | _words("a an it you them us me him")  # follow unknown verbs
CLOSING = COORDINATORS | BREAKS | {"", "to"}
FREQUENCY = _words("always often usually sometimes also never still rarely")

# How words are recognised -----------------------------------------------------------------------


def _lower(tokens: Iterable[str]) -> Tokens:
    """Lower-case words for look-ups, with straight apostrophes."""
    return [token.lower().replace("’", "'") for token in tokens]


def _is_adverb(word: str) -> bool:
    return word in ADVERBS or (word.endswith("ly") and word not in ADJECTIVES)


def _is_adjective(word: str) -> bool:
    last = word.rsplit("-", 1)[-1]
    if word.startswith("well-") or word in ADJECTIVES:
        return True
    return last in ADJECTIVES or (len(last) > 5 and last.endswith(ADJECTIVE_ENDINGS))


def _describes(word: str) -> bool:
    return _is_adjective(word) or _is_adverb(word)


def _is_amount(word: str) -> bool:
    return word.lstrip("$€£")[:1].isdigit()


def _is_plural(words: Sequence[str]) -> bool:
    """Whether a subject (lower-cased) is plural, judged by its last word before a preposition."""
    head = next((i for i, word in enumerate(words) if i and word in PREPOSITIONS), len(words))
    word = words[head - 1] if words else ""
    if word in PLURAL_NOUNS or word in REPORTERS or not COORDINATORS.isdisjoint(words[:head]):
        return True
    return word.endswith("s") and not word.endswith(("ss", "us", "is", "'s"))


def _is_negated(words: Iterable[str]) -> bool:
    return any(word in NEGATORS or word.endswith("n't") for word in words)


def _is_finite(words: Sequence[str], i: int) -> bool:
    """Whether word ``i`` (lower-cased) is a finite verb, judged by itself and its neighbours."""
    word, before = words[i], words[i - 1] if i else ""
    after = words[i + 1] if i + 1 < len(words) else ""
    if word in AUXILIARIES:
        return before != "to"
    if word in SPEECH_VERBS and (before in REPORTERS or before in INDEFINITE):
        return True
    if not before or before in NEVER_BEFORE_VERBS:
        return False
    if before in PRONOUNS and (word in BASE_VERBS or word in PRESENT_VERBS):
        return True
    if before.endswith("'s") or (after in AUXILIARIES and word not in PAST_VERBS):
        return False
    if word in PAST_VERBS:
        return not (word in BASE_VERBS and _is_adjective(before)) and not _is_reduced(words, i)
    if word in PRESENT_VERBS or word in LINKING:
        follows = after in DETERMINERS or _describes(after) or _is_amount(after)
        return not _is_adjective(before) and (word not in NOUN_LIKE or follows)
    if word not in BASE_VERBS and word.endswith(("s", "ed")) and word.isalpha() and len(word) > 4:
        object_follows = after in OBJECTS or (after.endswith("ly") and word not in COMMON_PLURALS)
        closes = word.endswith("ed") and after in CLOSING and before not in LINKING | {"it", "them"}
        return (object_follows or closes or before in FREQUENCY) and not _describes(before)
    if word in BASE_VERBS:
        if _is_adverb(before) and i > 1:
            before = words[i - 2]
        people = before in REPORTERS or before in {"i", "you", "we", "they", "staff"}
        plural = before.endswith("s") and _is_plural([before]) and before not in PRESENT_VERBS - NOUN_LIKE
        return people or (word != "like" and plural)
    return False


def _is_reduced(words: Sequence[str], i: int) -> bool:
    """Whether a past form opens a reduced relative: "the food *served* at the bar was good"."""
    if i + 1 == len(words) or words[i + 1] not in PREPOSITIONS:
        return False
    for word in words[i + 1 :]:
        if word in BREAKS or word in COORDINATORS or word in EMBEDDERS:
            return False
        if word in AUXILIARIES:
            return True
    return False


def _find_verb(tokens: Sequence[str]) -> int | None:
    """Return the index of the first finite verb outside relative clauses."""
    words = _lower(tokens)
    i, in_relative = 0, False
    while i < len(words):
        if i and words[i] in RELATIVES:
            in_relative = True
        elif _is_finite(words, i):
            if not in_relative:
                return i
            in_relative = False
            i = _verb_end(words, i)[0] - 1
        i += 1
    return None


def _main_verb(tokens: Sequence[str]) -> int | None:
    """Return the verb of the predicate: "were" in "guests liked that the rooms were clean"."""
    verb = _find_verb(tokens)
    if verb is None:
        return None
    words = _lower(tokens)
    end, _ = _verb_end(words, verb)
    if "that" in words[end : end + 3]:
        begin = words.index("that", end) + 1
        if _is_clause(tokens[begin:], strict=False):
            return begin + (_find_verb(tokens[begin:]) or 0)
    return verb


def _verb_end(words: Sequence[str], verb: int) -> tuple[int, bool]:
    """Return where the verb group that starts at ``verb`` ends, and whether it is a copula."""
    last, end, i = words[verb], verb + 1, verb + 1
    while i < len(words):
        word = words[i]
        helped = last in MODALS or last in HELPERS
        if last in PERFECT:
            continues = word in PAST_VERBS or word in LINKING
        else:
            continues = helped and (word in BASE_VERBS or word in LINKING or word in HELPERS)
        if word in BE or continues:
            last, end = word, i + 1
        elif word in {"not", "never"}:
            end = i + 1
        elif not (_is_adverb(word) and helped):
            break
        i += 1
    return end, last in BE or last in LINKING


def _is_clause(tokens: Sequence[str], strict: bool) -> bool:
    """Whether tokens open with a subject of their own and its finite verb."""
    verb = _find_verb(tokens)
    if not verb or verb > MAX_SUBJECT:
        return False
    subject = _lower(tokens[:verb])
    joint = next((i for i, word in enumerate(subject) if word in COORDINATORS), 0)
    if joint and _is_description(subject[:joint]):
        return False
    if strict and (subject[0] in PREPOSITIONS or not COORDINATORS.isdisjoint(subject)):
        return False
    return (
        subject[0] not in TEMPORALS
        and not all(_is_adverb(word) and word not in REPORTERS | {"both", "all"} for word in subject)
        and (BREAKS | CONTRASTS).isdisjoint(subject)
        and (EMBEDDERS - {"that", "like"}).isdisjoint(subject)
        and (PRONOUNS | {"that", "to", "there"}).isdisjoint(subject[1:])
    )


def _agree(verb: str, subject: Sequence[str]) -> str:
    """Return the copula or helper ``verb`` in the number of ``subject``."""
    words = _lower(subject)
    if words == ["i"] or words == ["you"]:
        return verb
    forms = PLURAL_FORMS if _is_plural(words) else SINGULAR_FORMS
    return forms.get(verb.lower(), verb)


def _is_past(verb: str) -> bool:
    return verb.lower() in PAST_VERBS or verb.lower() in {"was", "were", "had", "did", "wasn't"}


# The pipeline -----------------------------------------------------------------------------------


def tokenize(sentence: str) -> Tokens:
    """Split a sentence into tokens; whatever must stay together becomes one token.

    Args:
        sentence: any text.

    Returns:
        Words, with commas and semicolons apart; fixed phrases, names, bracketed and quoted text and
        "between X and Y" as single tokens that hold spaces.
    """
    words: Tokens = []
    chunks = sentence.split()
    for chunk, after in zip(chunks, [*chunks[1:], ""], strict=False):
        bare = chunk.rstrip(",;")
        pronoun, mark, ending = bare.replace("’", "'").partition("'")
        if pronoun.lower() in CONTRACTING and mark + ending in CONTRACTED and after not in PERFECTS:
            words += [pronoun, CONTRACTED[mark + ending]]
        elif bare:
            words.append(bare)
        words += chunk[len(bare) :]
    lowered = _lower(words)
    tokens: Tokens = []
    i = 0
    while i < len(words):
        size = _span(words, lowered, i)
        tokens.append(_join(words[i : i + size]))
        i += size
    return tokens


def _span(words: Sequence[str], lowered: Sequence[str], i: int) -> int:
    """Return how many words, from word ``i`` on, form one token."""
    word = words[i]
    closer = CLOSERS.get(word[0])
    if closer and closer not in word[1:]:
        for j in range(i + 1, len(words)):
            if closer in words[j]:
                return j - i + 1
    for size in range(LONGEST_PHRASE, 1, -1):
        if " ".join(lowered[i : i + size]) in FIXED_PHRASES:
            return size
    following = lowered[i + 1 : i + 9]
    if word == "," and following and " ".join(following[:2]).startswith(tuple(TAIL_MARKERS)):
        return 3 if following[0] == "such" else 2
    if lowered[i] == "between" and "and" in following[:-1]:
        return following.index("and") + 3
    if following[:1] == ["and"] and len(following) > 1:
        named = i > 0 and NAME.fullmatch(word) and NAME.fullmatch(words[i + 2])
        numbers = word[-1].isdigit() and words[i + 2][0].isdigit()
        if named or numbers or lowered[i] == following[1]:
            return 3
    return 1


def _join(tokens: Sequence[str]) -> str:
    text = ""
    for token in tokens:
        text += token if not text or token[0] in ",;" else " " + token
    return text


def strip_openers(tokens: Tokens) -> Tokens:
    """Drop discourse openers ("However, ...", "According to guests, ...") and closers (", though").

    Args:
        tokens: one sentence or clause.

    Returns:
        The tokens without them; never empty if ``tokens`` is not.
    """
    words = _lower(tokens)
    if words[:1] and words[0] in {"and", "but", "so"} and len(words) > 2:
        return strip_openers(tokens[2 if words[1] == "," else 1 :])
    if "," in words[1:7] and len(words) > words.index(",") + 1:
        comma = words.index(",")
        opener = " ".join(words[:comma])
        if opener in OPENERS or (opener.startswith("according to ") and comma <= 6):
            return strip_openers(tokens[comma + 1 :])
    if len(words) > 3 and words[-2] == "," and words[-1] in {"though", "however", "overall"}:
        return tokens[:-2]
    for i in range(max(2, len(words) - 7), len(words) - 1):
        if words[i : i + 3] == [",", "according", "to"]:
            return tokens[:i]
    return tokens


def strip_attribution(tokens: Tokens) -> tuple[Tokens, Tokens]:
    """Drop who said it, where what was said is complete in itself.

    Args:
        tokens: one sentence or clause.

    Returns:
        The dropped source ("some guests"; empty if nothing was dropped) and what it said. Negated
        attributions ("nobody said that ...") are kept whole.
    """
    verb = _find_verb(tokens)
    if not verb or verb > MAX_SUBJECT:
        return [], tokens
    words = _lower(tokens)
    subject = words[:verb]
    impersonal = subject == ["it"] and words[verb] in {"is", "was", "has"}
    if words[verb : verb + 2] in (["is", "that"], ["was", "that"]) and subject[-1] in CONSENSUS:
        rest = tokens[verb + 2 :]
        return (tokens[:verb], rest) if _is_clause(rest, strict=False) else ([], tokens)
    if not impersonal and ((REPORTERS | {"they"}).isdisjoint(subject) or subject[0] in PREPOSITIONS):
        return [], tokens
    said = verb
    while said + 1 < len(words) and (words[said] in AUXILIARIES or _is_adverb(words[said])):
        said += 1
    helpers = words[verb:said]
    if words[said] not in REPORTING_VERBS | NAMING_VERBS or _is_negated(subject + helpers):
        return [], tokens
    if not impersonal and not set(helpers) <= ADVERBS | {"has", "have", "had", "do", "did"}:
        return [], tokens
    rest = tokens[said + 1 :]
    if words[said + 1 : said + 2] == ["that"]:
        rest = rest[1:]
    elif impersonal:
        return [], tokens
    elif words[said] in NAMING_VERBS and (named := _complete(words[said], rest)):
        return tokens[:verb], named
    if _is_clause(rest, strict=False):
        return tokens[:verb], rest
    return [], tokens


def _complete(verb: str, tokens: Tokens) -> Tokens | None:
    """Give the object of a naming verb a verb of its own.

    "(found) the staff rude", "(found) the staff to be rude" and "(described) the staff as rude" all
    become "the staff were rude"; "(found) them to run small" becomes "they ran small".
    """
    words, describing = _lower(tokens), verb.startswith("describe")
    for i in range(1, min(len(words), MAX_SUBJECT)):
        if words[i] in BREAKS or _is_finite(words, i):
            return None
        subject = ["they"] if words[:i] == ["them"] else tokens[:i]
        copula = _agree("were" if _is_past(verb) else "are", subject)
        if words[i : i + 2] == ["to", "be"]:
            return [*subject, copula, *tokens[i + 2 :]]
        if words[i] == "to":
            past = _past_of(words[i + 1]) if i + 1 < len(words) and _is_past(verb) else None
            return [*subject, past, *tokens[i + 2 :]] if past else None
        if describing and words[i] == "as":
            return [*subject, copula, *tokens[i + 1 :]]
        before = words[i - 1]
        in_noun_phrase = before in LISTABLE or before in COORDINATORS or _describes(before)
        if not describing and not in_noun_phrase and _is_description(words[i:]):
            return [*subject, copula, *tokens[i:]]
    return None


def _is_description(words: Sequence[str]) -> bool:
    """Whether words open with a predicative adjective: "very clean", not "clean rooms"."""
    i = 0
    while i < len(words) - 1 and _is_adverb(words[i]):
        i += 1
    if i >= len(words) or not _is_adjective(words[i]):
        return False
    after = words[i + 1] if i + 1 < len(words) else ","
    stops = PREPOSITIONS | COORDINATORS | BREAKS | CONTRASTS | {"to", "or", "enough", "when", "than"}
    return after in stops or _is_adverb(after)


def split_clauses(tokens: Tokens, source: Sequence[str] = (), main: Sequence[str] = ()) -> list[Tokens]:
    """Split coordinated and contrasted clauses, each with a subject and a verb of its own.

    Args:
        tokens: one sentence.
        source: the subject that ``strip_attribution`` dropped; verbs of opinion go back to it.
        main: the subject to return to when ``tokens`` was an aside (", which ...").

    Returns:
        The clauses in order; ``[tokens]`` where no split is safe.
    """
    for i in range(1, len(tokens) - 1):
        end = _connector_end(tokens, i)
        if end == i or end >= len(tokens):
            continue
        left = tokens[:i]
        right = _second_clause(left, _lower(tokens[i:end]), tokens[end:], source, main)
        if right:
            if left[0].lower() in SUBORDINATORS:
                left = left[1:]
            main = left[: _find_verb(left)] if tokens[end].lower() in ASIDES else []
            return [left, *split_clauses(right, source, main)]
    return [tokens]


def _connector_end(tokens: Sequence[str], start: int) -> int:
    """Return where the run of commas and conjunctions that begins at ``start`` ends."""
    end = start
    while end < len(tokens):
        word = tokens[end].lower()
        joins = word in BREAKS or word in CONTRASTS or word in {"and", "&"}
        if not joins and not (word in COMMA_CONTRASTS and end > start):
            break
        end += 1
    return end


def _second_clause(
    left: Tokens,
    connector: Sequence[str],
    right: Tokens,
    source: Sequence[str],
    main: Sequence[str],
) -> Tokens | None:
    """Return ``right`` as a full clause, or None if it is none."""
    if ";" in connector:
        return right
    if left[0].lower() in SUBORDINATORS:
        left = left[1:]
    if not left:
        return None
    verb = _main_verb(left)
    excepting = "," not in connector and left[0].lower() in {"all", "every", "no"}  # "all seats but one"
    if verb is None and "but" in connector and len(left) <= 5 and not excepting and _is_clause(right, True):
        return right
    if verb is None or left[-1].lower() in {"not", "only", "just"}:
        return None
    if left[0].lower() in TEMPORALS and "," not in left:
        return None
    subject = left[:verb]
    outer = left[: _find_verb(left)]
    if not source and outer != subject and set(_lower(outer)) & REPORTERS:
        source = outer
    plain = set(connector) <= BREAKS
    if plain and "," in connector:
        head = right[0].lower()
        build = {"which": _which_clause, "with": _with_clause, "making": _making_clause}.get(head)
        if build:
            return build(left, subject, verb, right[1:])
        if head.endswith("ing"):
            return _participle_clause(left, subject, verb, right)
    if source and right[0].lower() == "that" and _is_clause(right[1:], strict=False):
        return right[1:]
    end, copular = _verb_end(_lower(left), verb)
    if (source or copular) and right[0].lower() in DEFINITE:
        named = _complete("found" if source or _is_past(left[verb]) else "find", right)
        if named:
            return named
    complement = _lower(left[end:])
    adjective = _is_description(complement) or (len(complement) == 1 and complement[0] not in LISTABLE)
    described = copular and adjective and (PREPOSITIONS | {"to"}).isdisjoint(complement)
    if described and _is_gapped(_lower(right)):
        return [*right[:2], _agree("were" if _is_past(left[verb]) else "are", right[:2]), right[2]]
    coordinated = set(connector) & {"and", "&"} and CONTRASTS.isdisjoint(connector)
    if _is_clause(right, strict=plain or bool(coordinated and "," not in connector)):
        return right
    if "," in connector and not plain and _opens_clause(_lower(right), described):
        return right
    if main and "," in connector:
        subject = list(main)
    if _is_negated(_lower(subject)):
        return None
    return _second_predicate(left, subject, verb, right, source)


def _is_gapped(words: Sequence[str]) -> bool:
    """Whether words are a plural and what must be its adjective: "the portions skimpy"."""
    if len(words) != 3 or words[0] not in DEFINITE or not _is_plural(words[:2]):
        return False
    return words[2].isalpha() and not words[2].endswith("s") and words[2] not in ADVERBS | PREPOSITIONS


def _opens_clause(words: Sequence[str], described: bool) -> bool:
    """Whether what follows ", and" must be a clause, though the rules do not know its verb.

    Args:
        words: "it traps steam", "the windows face a wall".
        described: whether the clause before ends in a mere adjective, which no noun phrase continues.
    """
    if len(words) < 3:
        return False
    if words[0] in PRONOUNS:
        return words[1] not in RELATIVES | LISTABLE
    nominal = _describes(words[1]) or words[1].endswith("est")  # "the best in town"
    if not described or nominal or words[0] not in DEFINITE - {"this", "that", "these", "those"}:
        return False

    def may_be_verb(word: str) -> bool:
        return word.isalpha() and word not in LISTABLE | COORDINATORS and not _describes(word)

    inner = range(2, len(words) - 1)
    return any(
        may_be_verb(words[i]) and (i == 2 or may_be_verb(words[i - 1]) or _is_adverb(words[i - 1]))
        for i in inner
    )


def _second_predicate(
    left: Tokens, subject: Tokens, verb: int, right: Tokens, source: Sequence[str]
) -> Tokens | None:
    """Give "(the hotel has a pool and) offers breakfast" its subject, or return None."""
    words, left_words = _lower(right), _lower(left)
    i = 0
    while i < len(words) - 1 and _is_adverb(words[i]):
        i += 1
    word, after = words[i], words[i + 1] if i + 1 < len(words) else ","
    end, copular = _verb_end(left_words, verb)
    if source and word in OPINION_VERBS:
        subject, copular = list(source), False
    if word in AUXILIARIES:
        return [*subject, *right]
    if after in AUXILIARIES or after in BREAKS or after in COORDINATORS or after == "of":
        return None
    if word in PAST_VERBS and (_is_past(left[verb]) or left_words[verb] in HELPERS or source):
        passive = word not in INTRANSITIVE and (
            _is_adverb(after) or after in PREPOSITIONS or after in {",", "to"}
        )
        return [*subject, *right] if not (copular and passive) else None
    if word in PRESENT_VERBS or (word in LINKING and word.endswith("s")):
        clear = word not in NOUN_LIKE or after in DETERMINERS or _is_amount(after)
        return [*subject, *right] if clear else None
    if (word.endswith("s") and after in OBJECTS) or (i and words[i - 1] in FREQUENCY):
        return [*subject, *right]
    if word in BASE_VERBS - {"like"} and not _is_negated(left_words[verb:end]):
        if left_words[verb] in MODALS and "to" not in left_words[verb:]:
            return [*subject, left[verb], *right]
        if left_words[verb] in BASE_VERBS and "to" not in left_words[verb:]:
            return [*subject, *right]
    return None


def _which_clause(left: Tokens, subject: Tokens, verb: int, rest: Tokens) -> Tokens | None:
    """Turn ", which is great" into a clause about the noun before it, else about "this"."""
    words = _lower(left)
    if not rest or not _is_finite(["this", rest[0].lower(), *_lower(rest[1:2])], 1):
        return None
    end, copular = _verb_end(words, verb)
    begin = max((i for i in range(end, len(words)) if words[i] in LISTABLE), default=end - 1)
    noun = left[begin:] if words[begin] in DETERMINERS else left[begin + 1 :]
    if words[begin] in {"a", "an"}:
        noun[0] = "the"
    described = copular and begin == end - 1
    if not noun or described or _is_adjective(words[-1]) or _is_adverb(words[-1]):
        noun = ["this"]
    if rest[0].lower() != _agree(rest[0], noun).lower():
        noun = ["this"] if rest[0].lower() in PLURAL_FORMS else []
    return [*noun, *rest] if noun else None


def _with_clause(left: Tokens, subject: Tokens, verb: int, rest: Tokens) -> Tokens | None:
    """Turn ", with some saying X", ", with the staff being X", ", with a pool" into clauses."""
    words, past = _lower(rest), _is_past(left[verb])
    for i in range(1, min(len(words) - 1, MAX_SUBJECT)):
        if words[i] in BREAKS:
            break
        if words[i] == "being" and _is_clause([*rest[:i], "is"], strict=False):
            copula = _agree("were" if past else "are", rest[:i])
            return [*rest[:i], copula, *rest[i + 1 :]]
    reports = _finite_reports(rest)
    if reports != rest:
        return reports
    people = set(_lower(subject)) & (REPORTERS | PRONOUNS | {"there"})
    if people or not subject or _find_verb(rest) is not None or _is_negated(_lower(subject)):
        return None
    return [*subject, "had" if past else _agree("have", subject), *rest]


def _finite_reports(tokens: Tokens) -> Tokens:
    """Write "some (guests) saying" as "some (guests) said", wherever it occurs."""
    words = _lower(tokens)
    return [
        (_past_of(_base_of(word)) or token) if i and words[i - 1] in REPORTERS else token
        for i, (word, token) in enumerate(zip(words, tokens, strict=True))
    ]


def _participle_clause(left: Tokens, subject: Tokens, verb: int, right: Tokens) -> Tokens | None:
    """Turn ", noting that X" into "(guests) noted that X", ", offering X" into "(it) offers X"."""
    word, names = right[0].lower(), _lower(subject)
    base = _base_of(word)
    past = _past_of(base)
    if past is None or not subject or _is_negated(names) or len(right) < 2:
        return None
    if past in REPORTING_VERBS | OPINION_VERBS | NAMING_VERBS:
        said = right[2:] if right[1].lower() == "that" else right[1:]
        if base in REPORTING_BASES and _is_clause(said, strict=False):
            return said
        return [*subject, past, *right[1:]] if set(names) & (REPORTERS | {"they"}) else None
    if base not in OFFERING_VERBS or set(names) & REPORTERS:
        return None
    present = base if _is_plural(names) else _inflect(base, "s")
    return [*subject, past if _is_past(left[verb]) else present, *right[1:]]


def _making_clause(left: Tokens, subject: Tokens, verb: int, rest: Tokens) -> Tokens | None:
    """Turn ", making it ideal for families" into "the hotel is ideal for families"."""
    words = _lower(rest)
    if len(words) < 2 or words[0] not in {"it", "them"} or set(_lower(subject)) & REPORTERS:
        return None
    expletive = "to" in words[2:4] or _is_negated(_lower(left))
    who = ["it"] if expletive and words[0] == "it" else subject
    return [*who, _agree("were" if _is_past(left[verb]) else "are", who), *rest[1:]]


def distribute_lists(tokens: Tokens) -> list[Tokens]:
    """Repeat what list items share: "the rooms were small but clean" makes two claims.

    Args:
        tokens: one clause.

    Returns:
        One token list per claim; ``[tokens]`` where distributing is not safe.
    """
    parts = _distribute_once(tokens)
    if parts is None:
        return [tokens]
    return [claim for part in parts for claim in distribute_lists(part)]


def _distribute_once(tokens: Tokens) -> list[Tokens] | None:
    words = _lower(tokens)
    if not CONDITIONALS.isdisjoint(words):
        return None
    verb = _main_verb(tokens)
    if verb is None:
        return _split_headline(tokens)
    if verb == _find_verb(tokens) and not COORDINATORS.isdisjoint(words[:verb]):
        return _distribute_subject(tokens, verb)
    start, copular = _verb_end(words, verb)
    separated = _separate(tokens[start:])
    if separated is None:
        return None
    items, conjunction = separated
    head = tokens[:start]
    if conjunction == "but":
        if not copular and _is_negated(_lower([*head, *items[0], *items[1]])):
            return None
        return _attach(head, items, copular, positive=True)
    if "than" in words or words.count("as") > 1:
        return None
    if _is_clause_like_pair(words[start:], items):
        return None
    shared = _lower([*head, *items[0]])
    if items[0][0].lower() == "neither" and copular and conjunction == "or":
        return _attach([*head, "not"], [items[0][1:], *items[1:]], copular)
    if "neither" in shared:
        return None
    if _is_negated(shared) != (conjunction == "or"):
        return None
    if "both" in shared[start:]:
        both = shared.index("both", start) - start
        items[0] = items[0][:both] + items[0][both + 1 :]
    if ({"too", "from"} & set(_lower(items[0]))) and "to" in _lower([*items[0], *items[-1]]):
        return None
    if not items[0] or len(items) > MAX_ITEMS:
        return None
    claims = _attach(head, items, copular, pair_only=conjunction == ",")
    if claims and conjunction == "or" and not all(_is_negated(_lower(claim)) for claim in claims):
        return None
    return claims


def _is_clause_like_pair(words: Sequence[str], items: Sequence[Tokens]) -> bool:
    """Whether two items joined by ", and" look like two clauses: the second has a verb of its own."""
    last = _lower(items[-1])
    comma = "and" in words and words[words.index("and") - 1] == ","
    return len(items) == 2 and comma and any(_is_finite(last, i) for i in range(1, len(last)))


def _split_headline(tokens: Tokens) -> list[Tokens] | None:
    """Split "great location, friendly staff and clean rooms", which has no verb."""
    separated = _separate(tokens)
    if separated is None or separated[1] not in {"and", ","} or _is_negated(_lower(tokens)):
        return None
    items = separated[0]
    opening = EMBEDDERS | PREPOSITIONS | DEFINITE
    safe = all(len(item) <= 5 and item[0].lower() not in opening for item in items)
    ends_in_noun = not any(_describes(item[-1].lower()) for item in items)
    return items if safe and ends_in_noun else None


def _distribute_subject(tokens: Tokens, verb: int) -> list[Tokens] | None:
    """Turn "the beds and pillows were soft" into one clause per item of the subject."""
    words = _lower(tokens)
    subject, predicate = words[:verb], words[verb:]
    separated = _separate(tokens[:verb])
    present = predicate[0] in BASE_VERBS and predicate[0] not in PAST_VERBS
    unsafe = present or not COLLECTIVE.isdisjoint(predicate) or not EMBEDDERS.isdisjoint(subject)
    nominal = predicate[0] in BE and predicate[1:2] and predicate[1] in DETERMINERS
    if separated is None or separated[1] != "and" or unsafe or nominal or _is_negated(subject):
        return None
    items = separated[0]
    if "&" in subject and tokens[subject.index("&") + 1][0].isupper():  # "the Food & Drug Administration"
        return None
    # "the beds groan, and parking costs"; "as well as" joins too
    if len(items) == 2 and "and" in subject and subject[subject.index("and") - 1] == ",":
        return None
    if items[0][0].lower() == "both":
        items[0] = items[0][1:]
    if not items[0] or items[0][0].lower() in PREPOSITIONS | TEMPORALS:
        return None
    subjects = _attach([], items, copular=False)
    if subjects is None:
        return None
    return [[*item, _agree(tokens[verb], item), *tokens[verb + 1 :]] for item in subjects]


def _separate(tokens: Tokens) -> tuple[list[Tokens], str] | None:
    """Return the items of the outermost list and what joins them: "and", "or", "but" or ","."""
    words = _lower(tokens)
    for i in range(1, len(words) - 1):
        if words[i] in CONTRASTS - {"because", "while"} or words[i] == "yet":
            left = tokens[: i - 1] if words[i - 1] == "," else tokens[:i]
            return ([left, tokens[i + 1 :]], "but") if left else None
    marks = [word for word in words if word in JOINERS]
    conjunction = "," if not marks else "or" if marks[-1] in {"or", "nor"} else "and"
    if len({mark in {"or", "nor"} for mark in marks}) > 1:
        return None
    joints = [i for i, word in enumerate(words) if word == "," or word in JOINERS]
    joints = [i for i in joints if not _is_stacked(words, i)] or joints
    items: list[Tokens] = [[]]
    last_comma = max((i for i in joints if words[i] == ","), default=-1)
    if last_comma >= 0 and words[last_comma + 1 : last_comma + 2] in ([w] for w in JOINERS):
        joints = [i for i in joints if i <= last_comma + 1]
    for i, token in enumerate(tokens):
        if i not in joints or (i < last_comma and words[i] != ","):
            items[-1].append(token)
        elif items[-1]:
            items.append([])
    if len(items) < 2 or not all(items):
        return None
    return items, conjunction


def _is_stacked(words: Sequence[str], i: int) -> bool:
    """Whether joint ``i`` only joins adjectives of one noun: "clean, modern rooms"."""
    rest = words[i + 1 :]
    size = next((j for j, word in enumerate(rest) if word == "," or word in JOINERS), len(rest))
    return i > 0 and _is_adjective(words[i - 1]) and _opens_with_adjective(rest[:size])


def _attach(
    head: Tokens,
    items: list[Tokens],
    copular: bool,
    positive: bool = False,
    pair_only: bool = False,
) -> list[Tokens] | None:
    """Return ``head`` with each item in turn, every item where the first one's parallel word is.

    Args:
        head: the subject and verb group (empty when the list is itself the subject).
        items: the list items; the first may open with words that all share.
        copular: whether the verb group describes its subject.
        positive: whether the later items are free of the head's negation ("not new but clean").
        pair_only: split stacked adjectives ("a clean, quiet room") and nothing else.
    """
    first, last = items[0], items[-1]
    if not first:  # "neither or also"
        return None
    first_words, last_words = _lower(first), _lower(last)
    stacked = _is_adjective(first_words[-1]) and not (copular and _is_description(first_words))
    if stacked and _opens_with_adjective(last_words):
        noun = next((i for i, w in enumerate(last_words) if not _describes(w)), len(last))
        if noun == len(last) or not all(_describes(w) for i in items[1:-1] for w in _lower(i)):
            return None
        begin = len(first)
        while begin and _describes(first_words[begin - 1]):
            begin -= 1
        shared = [*head, *first[:begin]]
        each = [first[begin:], *items[1:-1], last[:noun]]
        return [_fix_article([*shared, *adjectives, *last[noun:]]) for adjectives in each]
    if pair_only and not (copular and all(_is_description(_lower(item)) for item in items)):
        return None
    result = [[*head, *first]]
    tail: Tokens = []
    bare = first_words[0] in DEFINITE and last_words[0] not in LISTABLE
    if bare and "of" in last_words[1:] and PREPOSITIONS.isdisjoint(first_words):
        tail = last[last_words.index("of") :]
    for i, item in enumerate(items):
        if i:
            previous = items[i - 1] if i > 1 and _nests(items[i - 1], item) else first
            stem = _stem(head, previous, item, copular, positive)
            if stem is None:
                return None
            result.append(_fix_article([*stem, *item]))
        if tail and i < len(items) - 1:
            result[-1] = [*result[-1], *tail]
    ends = {item[-1].lower() for item in items}
    if any(_is_torn(_lower(claim), ends) for claim in result):
        return None
    return result


def _is_torn(words: Sequence[str], ends: Collection[str]) -> bool:
    """Whether a claim lacks a noun: "on the and its van", or "ate at" where no list item ends so."""
    article = any(a in {"a", "an", "the"} and (b in COORDINATORS or not b) for a, b in pairwise([*words, ""]))
    return article or (words[-1] in STRANDED and words[-1] not in ends)


def _nests(outer: Tokens, item: Tokens) -> bool:
    """Whether an item belongs into the one before: "..., close to the beach and the bars"."""
    words, opening = _lower(outer), _lower(item)
    phrase = words[0] in PREPOSITIONS or _is_description(words)
    own = opening[0] in PREPOSITIONS or _is_description(opening)
    return phrase and not own and not PREPOSITIONS.isdisjoint(words)


def _stem(head: Tokens, first: Tokens, item: Tokens, copular: bool, positive: bool) -> Tokens | None:
    """Return what of ``head`` and ``first`` an item shares, or None if that is not clear."""
    words, opening = _lower(first), _lower(item)
    word = opening[0]
    if positive:
        head = [POSITIVE_FORMS.get(w.lower(), w) for w in head if w.lower() not in {"not", "never"}]
        if _is_negated(_lower(head)):
            return None
    # "there are few lots, but finding one is easy"
    if positive and head[:1] and head[0].lower() == "there" and word.endswith("ing"):
        return None
    if word in NEVER_OPEN_ITEMS or (_find_verb(item) is not None and RELATIVES.isdisjoint(opening)):
        return None
    infinitive = any(a == "to" and b in BASE_VERBS for a, b in pairwise(words))
    described = _is_description(opening) and not (infinitive and opening[-1] in BASE_VERBS)
    if word in {"not", "never"} or (copular and described):
        described_as = len(words) - words[::-1].index("as") if "as" in words else 0
        return [*head, *first[:described_as]] if copular else None
    if positive and copular:
        return head
    cut = _cut(words, opening, copular)
    return None if cut is None else [*head, *first[:cut]]


def _cut(words: Sequence[str], item: Sequence[str], copular: bool) -> int | None:
    """Return where in ``words``, the first item, stands what is parallel to another item."""

    def places(kind: Iterable[str]) -> list[int]:
        return [i for i, word in enumerate(words) if word in kind]

    word = item[0]
    relative = next((i for i in range(1, len(words)) if words[i] in RELATIVES), None)
    if relative and not RELATIVES.isdisjoint(item[1:]):  # "acts that …, and bars that …"
        words = words[:relative]
    prepositions = places(PREPOSITIONS)
    if word in PREPOSITIONS or word == "to":
        same = places([word])
        return same[-1] if same else prepositions[0] if prepositions else 0 if copular else None
    if word in DETERMINERS:
        alike = places(DEFINITE if word in DEFINITE else INDEFINITE)
        others = places(DETERMINERS)
        after_preposition = [i + 1 for i in places(PREPOSITIONS | {"to"})] if copular else []
        return alike[0] if alike else [0, *after_preposition, *others[-1:]][-1]
    gerunds = [i for i, other in enumerate(words) if other.endswith("ing")]
    if word.endswith("ing") and gerunds:
        return gerunds[-1]
    if word.endswith("ing") and _base_of(word) and item[1:2] and item[1] in DETERMINERS:
        return None
    if word in BASE_VERBS and "to" in words:
        return places(["to"])[-1] + 1
    adverbs = [i for i, other in enumerate(words) if other.endswith("ly")]
    if word.endswith("ly") and len(item) == 1 and adverbs:
        return adverbs[-1]
    anchors = [
        i
        for i, other in enumerate(words)
        if other in LISTABLE or other == "being" or other.endswith("'s") or _is_finite(words, i)
    ]
    if not anchors:
        return 0
    anchor = anchors[-1]
    in_phrase = anchor > 1 and words[anchor - 1] in PREPOSITIONS and words[anchor] in DETERMINERS
    if in_phrase and not copular and _is_adjective(word):
        return 0
    uncountable = _is_adjective(word) or _is_plural(item) or item[-1].endswith(("ing", "fi"))
    return anchor if words[anchor] in {"a", "an"} and uncountable else anchor + 1


def _opens_with_adjective(words: Sequence[str]) -> bool:
    opening = next((word for word in words if not _is_adverb(word)), "")
    return _is_adjective(opening) and not _is_description(words)


def _fix_article(tokens: Tokens) -> Tokens:
    """Write "an elegant room" where the list said "a clean and elegant room", and back."""
    fixed = list(tokens)
    for i, (word, after) in enumerate(pairwise(tokens)):
        if word.lower() in {"a", "an"} and after[0].isalpha():
            article = "an" if after[0].lower() in "aeiou" else "a"
            silent = after.lower().startswith(("hour", "honest", "uni", "use", "one", "euro"))
            fixed[i] = fixed[i] if silent else article
    return fixed


def finish(text: str) -> str:
    """Return text as a sentence: capital first letter, one full stop at the end.

    Args:
        text: a claim.
    """
    body = " ".join(text.split()).lstrip(",; ").rstrip(STOPS)
    if body.endswith(('"', "”", ")")):
        body = body[:-1].rstrip(STOPS) + body[-1]
    if not any(character.isalnum() for character in body):
        body = text.strip().removesuffix(".")
    first = body[:1].upper()
    return (first if len(first) == 1 else body[:1]) + body[1:] + "."


def decompose(sentence: str) -> list[str]:
    """Return the claims of one sentence, in order and without repeats.

    Args:
        sentence: any text; questions and sentences of more than ``MAX_WORDS`` words stay whole.
    """
    if not sentence:
        return []
    body = sentence.strip().rstrip(STOPS)
    if sentence.rstrip().endswith("?") or len(body.split(None, MAX_WORDS)) > MAX_WORDS:
        return [finish(sentence)]
    tokens = _pair_not_only(tokenize(body))
    if len(tokens) > 2 * MAX_WORDS:
        return [finish(sentence)]
    claims: list[str] = []
    people = next((w for w in body.lower().split() if w in REPORTERS and w not in INDEFINITE), "")
    for segment in _segments(tokens):
        source, said = strip_attribution(strip_openers(segment))
        clauses = split_clauses(said, source) if _is_splittable(said) else [said]
        before: Tokens = []
        for clause in clauses:
            clause_source, said = strip_attribution(strip_openers(clause))
            said = before = _resolve_pronoun(said, before, bool(source or clause_source))
            parts = distribute_lists(said) if _is_splittable(said) else [said]
            claims += [finish(_join(_name_people(part, people))) for part in parts]
    return list(dict.fromkeys(claims)) or [finish(sentence)]


def _resolve_pronoun(tokens: Tokens, before: Tokens, said: bool) -> Tokens:
    """Put the subject of the copular clause before in place of the pronoun that opens this one."""
    verb = _find_verb(before)
    if not verb or not _verb_end(_lower(before), verb)[1]:
        return tokens
    words = _lower(before[:verb])
    if len(words) > 6 or "," in words or words[-1] in PRONOUNS or words[0] in UNRESOLVABLE:
        return tokens
    wanted = "it" if not _is_plural(words) else "" if said else "they"
    if tokens[0].lower() != wanted or _is_expletive(_lower(tokens)):
        return tokens
    return [*before[:verb], *tokens[1:]]


def _is_expletive(words: Sequence[str]) -> bool:
    """Whether "it" stands for what follows: "it is hard to find a table", not "it is hard to find"."""
    for i in range(2, len(words) - 3):
        if words[i] in TOUGH and words[i + 1] == "to" and words[i + 2] in BASE_VERBS:
            after = words[i + 3]
            no_object = PREPOSITIONS | COORDINATORS | BREAKS | {"all", "every"}
            return after not in no_object and not _is_adverb(after)
    return False


def _name_people(tokens: Tokens, people: str) -> Tokens:
    """Write "some guests complained" where the clause only says "some complained"."""
    if people.endswith("s") and tokens[0].lower() in QUANTIFIERS and _find_verb(tokens) == 1:
        return [tokens[0], people, *tokens[1:]]
    return tokens


def _segments(tokens: Tokens) -> list[Tokens]:
    """Split at semicolons, the only mark that is safe beside a condition."""
    segments: list[Tokens] = [[]]
    for token in tokens:
        if token == ";":
            segments.append([])
        else:
            segments[-1].append(token)
    return [segment for segment in segments if segment]


def _pair_not_only(tokens: Tokens) -> Tokens:
    """Write "not only clean but also quiet" as "clean and quiet"."""
    words = _lower(tokens)
    for i in range(1, len(words) - 1):
        if words[i : i + 2] == ["not", "only"] and "but" in words[i + 2 :]:
            but = words.index("but", i)
            after = but + 2 if words[but + 1 : but + 2] == ["also"] else but + 1
            before = but - 1 if words[but - 1] == "," else but
            return [*tokens[:i], *tokens[i + 2 : before], "and", *tokens[after:]]
    return tokens


def _is_splittable(tokens: Tokens) -> bool:
    """Whether nothing scopes over the whole: a condition or a negated attribution."""
    words = _lower(tokens)
    if not CONDITIONALS.isdisjoint(words) or words[:2] in (["not", "only"], ["the", "more"]):
        return False
    verb = _find_verb(tokens) or 0
    embeds = "that" in words[verb : verb + 5] or not REPORTING_VERBS.isdisjoint(words[verb:][:4])
    return not (embeds and _is_negated(words[: verb + 3]))


class RulesDecomposer(BaseDecomposer):
    """Splits sentences into claims offline, with the rules of this module."""

    def __init__(self) -> None:
        self.signature = {"decomposer": "rules", "rules": RULES_VERSION}

    def decompose(self, sentences: Sequence[str]) -> list[Decomposed]:
        """Return the claims of each sentence, at least one of a non-empty sentence."""
        return [Decomposed(decompose(sentence)) for sentence in sentences]
