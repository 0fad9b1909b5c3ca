"""The verbs that the rules know, and their forms."""

from __future__ import annotations

from claimwise.text.rules.words import word_set


def _pairs(text: str) -> dict[str, str]:
    return dict(pair.split(":") for pair in text.split())


# Verbs that help or link ---------------------------------------------------------------------------

BE = word_set("is are was were be been being am isn't aren't wasn't weren't")
LINKING = word_set(
    "look looks looked feel feels felt seem seems seemed sound sounds sounded taste tastes tasted "
    "smell smells smelled stay stays stayed remain remains remained become becomes became appear "
    "appears appeared"
)
MODALS = word_set("can could will would should may might must can't cannot couldn't won't wouldn't shouldn't")
HELPERS = word_set("has have had do does did hasn't haven't hadn't don't doesn't didn't")
PERFECT = word_set("has have had hasn't haven't hadn't")
AUXILIARIES = (BE - word_set("be been being")) | MODALS | HELPERS
SINGULAR_FORMS = {"are": "is", "were": "was", "have": "has", "aren't": "isn't", "weren't": "wasn't"}
PLURAL_FORMS = {singular: plural for plural, singular in SINGULAR_FORMS.items()}

# Verbs of saying -----------------------------------------------------------------------------------

REPORTING_VERBS = word_set(
    "say says said mention mentions mentioned note notes noted report reports reported state "
    "states stated feel felt think thought believe believed agree agreed comment commented claim "
    "claimed complain complained find found warn warned add added indicate indicated suggest "
    "suggested remark remarked observe observed admit admitted"
)
NAMING_VERBS = word_set("find finds found consider considers considered describe describes described")
OPINION_VERBS = (REPORTING_VERBS - word_set("feel felt state states")) | word_set(
    "praise praised like liked love loved enjoy enjoyed appreciate appreciated recommend "
    "recommended dislike disliked wish wished experience experienced encounter encountered prefer "
    "preferred criticize criticized criticise criticised highlight highlighted disappointed "
    "impressed expected received had"
)
SPEECH_VERBS = OPINION_VERBS | REPORTING_VERBS

# All other verbs -----------------------------------------------------------------------------------

IRREGULAR_VERBS = _pairs(
    "become:became begin:began break:broke bring:brought build:built buy:bought come:came "
    "cost:cost feel:felt find:found fit:fit get:got give:gave go:went hold:held keep:kept "
    "leave:left make:made meet:met run:ran say:said see:saw sell:sold sit:sat stand:stood "
    "stick:stuck take:took teach:taught think:thought wear:wore fall:fell let:let lose:lost "
    "know:knew spend:spent pay:paid eat:ate tell:told tear:tore send:sent show:showed hurt:hurt "
    "sleep:slept grow:grew write:wrote lie:lay speak:spoke sing:sang drink:drank drive:drove ride:rode "
    "rise:rose forget:forgot win:won shine:shone catch:caught hear:heard lead:led wake:woke"
)
REGULAR_VERBS = word_set(
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


def inflect(verb: str, ending: str) -> str:
    """Return the form of ``verb`` in "s" or "ed"."""
    if ending == "ed" and verb in IRREGULAR_VERBS:
        return IRREGULAR_VERBS[verb]
    if verb[-1] == "y" and verb[-2] not in "aeiou":
        return verb[:-1] + ("ies" if ending == "s" else "ied")
    if ending == "s":
        return verb + ("es" if verb.endswith(("s", "sh", "ch", "x", "z", "o")) else "s")
    if verb in ("stop", "drop", "admit", "prefer", "shop", "ship", "rip", "slip", "snap", "wrap"):
        return verb + verb[-1] + "ed"
    return verb + ("d" if verb[-1] == "e" else "ed")


PRESENT_VERBS = frozenset(inflect(verb, "s") for verb in BASE_VERBS)
PAST_VERBS = frozenset(inflect(verb, "ed") for verb in BASE_VERBS)
NOUN_LIKE = word_set(
    "costs covers visits calls returns books displays supports changes uses charges rates walks "
    "stores shops drops leaks reports claims comments experiences purchases updates turns drains "
    "upgrades downloads loads switches matches crashes scratches ships slips wraps doubles replies talks "
    "faces drips bores borders tires laughs ends drinks drives rides rises catches leads"
)  # count as verbs only before a determiner, an adverb or an adjective


def past_of(verb: str) -> str | None:
    """Return the past of a verb of the lexicon."""
    return "had" if verb == "have" else inflect(verb, "ed") if verb in BASE_VERBS else None


def base_of(gerund: str) -> str:
    """Return the verb of the lexicon that an "-ing" form belongs to, or an empty string."""
    stem = gerund.removesuffix("ing")
    candidates = (stem, stem + "e", stem[:-1]) if stem != gerund else ()
    return next((verb for verb in candidates if verb in BASE_VERBS or verb == "have"), "")


def is_past(verb: str) -> bool:
    """Whether a finite verb is in the past."""
    return verb.lower() in PAST_VERBS or verb.lower() in {"was", "were", "had", "did", "wasn't"}
