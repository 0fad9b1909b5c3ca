"""Attributions that rules strip: who praises, finds or complains, where only the opinion itself is wanted.

The same opinion becomes the same kind of claim whoever states it: "They praised the staff for being
friendly.", "Others found the staff friendly." and "Guests appreciated the friendly staff." all become "The
staff were friendly.". Only verbs that assert are stripped; "Guests doubted that the staff were kind." stays.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from claimwise.text.questions import adjectives, word_set

# Who holds an opinion, and the verbs that say so, in the past and in the present tense ----------------

PEOPLE = (
    "guests?|reviewers?|customers?|visitors?|travell?ers?|diners?|users?|people|patrons?|critics?|readers?|"
    "viewers?|buyers?|clients?|reviews?|tourists?|commenters?|respondents?|consumers?|shoppers?|passengers?"
)
_MANY = (
    "(?:dozens|hundreds|scores|plenty|lots) of|(?:a|the) (?:few|couple|handful|number|majority|lot|minority)"
    "(?: of)?|(?:the )?(?:vast |great )?majority of|most|many|some|several|a few|various|numerous|multiple|"
    "countless|all|almost all|nearly all|one|another|other|both|certain"
)
_SPEAKER = (
    rf"(?:(?:overall|mostly|generally|however|in general),? )?(?:(?:(?:{_MANY}) )?(?:of )?(?:the )?(?:other "
    rf"|previous |past |recent |fellow )?(?:{PEOPLE})|others?|some|many|most|several|a few|a number|"
    r"the majority|everyone|everybody|they|one|another)"
)
_OFTEN = (
    r"(?: (?:also|generally|often|frequently|particularly|especially|consistently|widely|really|universally|"
    r"commonly|repeatedly|both|all|even|overwhelmingly|highly|specifically))?"
)
_PRAISED = (
    "praised|liked|loved|appreciated|enjoyed|complimented|commended|admired|applauded|adored|raved about|"
    "(?:was|were) (?:impressed|pleased|happy|satisfied|delighted) (?:with|by)|"
    "(?:spoke|wrote) (?:highly|well) of"
)
_PRAISE = "praise|like|love|appreciate|enjoy|compliment|commend|admire|applaud|adore"
_BLAMED = (
    "criticised|criticized|disliked|hated|complained (?:about|of)|grumbled (?:about|of)|faulted|"
    "(?:was|were) (?:disappointed|unhappy|annoyed|dissatisfied|frustrated) (?:with|by|at)"
)
_BLAME = "criticise|criticize|dislike|hate|complain (?:about|of)|grumble about"
_NOTED = "mentioned|noted|reported|highlighted|pointed out|noticed|cited"
_NOTE = "mention|note|report|highlight|point out|describe"
_FOUND = "found|considered|thought|deemed|called|rated|judged"
_FIND = "find|consider|think|deem|call|rate|judge"
_VERBS = "|".join((_PRAISED, _BLAMED, _NOTED, _FOUND, _PRAISE, _BLAME, _NOTE, _FIND))
_SAYS = (
    "said|say|says|felt|feel|feels|stated|state|complained|complain|complains|remarked|commented|agreed|agree|"
    "wrote|warned|claimed|believed|believe|observed|thought|think|reported|found|find|noted|mentioned"
)
_SAID_OF = "praised|commended|complimented|criticised|criticized|faulted"
_OPINIONS = "complaints?|praise|reports?|mentions?|criticism"
_SOME = "(?:(?:some|many|several|a few|also|numerous|frequent|occasional|widespread|much) )?"

# Sentences that attribute an opinion -------------------------------------------------------------------

_ATTRIBUTED = re.compile(
    rf"(?:{_SPEAKER}{_OFTEN} (?:{_VERBS}|{_SAYS}|praises|likes|loves|appreciates|enjoys|complains|finds|"
    rf"mentions|notes)\b|there (?:was|were|is|are) {_SOME}(?:{_OPINIONS}) (?:about|of|for|from|that)\b"
    rf"|(?:according to|in the (?:opinion|words) of) .*\b(?:{PEOPLE})\b)"
    r"|.*\b(?:was|were|is|are|been) (?:\w+ly )?(?:praised|criticised|criticized|complimented|commended|"
    r"appreciated|described|regarded|considered|said to|reported to|mentioned)\b"
    r"|.*\b(?:received|drew|earned|got|attracted|receive|draw|earn) (?:\w+ )?(?:praise|criticism|complaints|"
    r"compliments)\b",
    re.IGNORECASE,
)
_THING = r"(?:the|its|their|this) [\w'’&-]+(?: [\w'’&-]+){0,3}?"
_PRAISED_FOR = re.compile(
    rf"(?:{_SPEAKER}{_OFTEN} (?P<verb>{_SAID_OF}|praise|commend|criticise|criticize) "
    rf"(?P<whom>them|it|{_THING})|(?P<who>{_THING}) (?P<be>was|were|is|are|has been|have been)"
    rf"(?: \w+ly)? (?P<done>{_SAID_OF})(?: by (?:{_SPEAKER}))?) (?P<why>for|as) (?P<what>[^,;:]+)",
    re.IGNORECASE,
)
_OPINION = re.compile(
    rf"(?:{_SPEAKER}{_OFTEN} (?:(?P<past>{_PRAISED}|{_BLAMED}|{_NOTED})|(?P<now>{_PRAISE}|{_BLAME}|{_NOTE}))"
    rf"|(?:(?P<there>there (?:was|were|is|are)) {_SOME}(?P<kind>{_OPINIONS}) (?:about|of|for))) "
    r"(?P<what>[^,;:]+)",
    re.IGNORECASE,
)
_PRAISES = re.compile(f"{_PRAISED}|{_PRAISE}")
_BLAMES = re.compile(f"{_BLAMED}|{_BLAME}")
_FOUND_TO_BE = re.compile(
    rf"{_SPEAKER}{_OFTEN} (?:(?P<past>{_FOUND})|{_FIND}) "
    r"(?P<whom>(?:(?:the|its|their|this|that|these|those) )?[\w'’&-]+(?: [\w'’&-]+){0,6}) (?:to be|as) "
    r"(?P<what>[^,;:]+)",
    re.IGNORECASE,
)
_FOUND_ADJECTIVE = re.compile(
    rf"{_SPEAKER}{_OFTEN} (?:(?P<past>{_FOUND})|{_FIND}) "
    r"(?P<whom>(?:the|its|their|it|them)(?: [\w'’&-]+){0,2}?) "
    r"(?P<what>(?:(?:very|too|rather|quite|really|so|extremely) )?(?P<adjective>[\w-]+))",
    re.IGNORECASE,
)
_FOUND_WITHIN = re.compile(
    rf"\b{_SPEAKER}{_OFTEN} (?:(?P<past>found|considered|thought|deemed)|find|consider|think|deem) "
    r"(?:(?P<pronoun>them|it)(?: to be)?|(?P<whom>the [\w'’&-]+(?: [\w'’&-]+)?) to be) (?=(?!(?:to|that|out|"
    r"was|were|is|are|has|had|have|would|could|should|can|will|did|does|might|may|"
    r"needs|needed|lacks|lacked|\w+ed)\b)\w)",
    re.IGNORECASE,
)
_SHARES_SUBJECT = re.compile(
    r"\b(?:and|but|yet|or) (?:(?:\w+ly|also|still|even|then) )?(?:\w+ed|felt|feel|thought|think|said|say|"
    r"found|find|had|have|took|gave|made|would|could|did|do|wrote|praise|like|love|appreciate|enjoy)\b",
    re.IGNORECASE,
)
"""A verb whose subject stands before another verb: "found the staff kind and appreciated the view"."""

# What an opinion is about ------------------------------------------------------------------------------

_AUXILIARY = r"(?:was|were|is|are|has|have|had|would|could|should|can|will|did|does|do)\b"
_GOOD = re.compile(
    r"(?P<what>the (?P<adjective>[\w-]+) [\w'’&-]+(?: [\w'’&-]+)?) (?P<verb>was|were|is|are) good",
    re.IGNORECASE,
)
_QUALITY_OF = re.compile(
    r"the (?:overall |general |great )?(?P<noun>\w+) of (?P<whom>the [\w -]+)|(?P<owner>the [\w -]+?)['’]s? "
    r"(?P<quality>\w+)",
    re.IGNORECASE,
)
_TO_BE = re.compile(r"(?P<whom>the [\w'’-]+(?: [\w'’-]+){0,4}?) to be (?P<what>[^,;:]+)", re.IGNORECASE)
_BEING = re.compile(r"(?P<whom>(?:the|its|their) [\w'’-]+(?: [\w'’-]+)?) being (?P<what>.+)", re.IGNORECASE)
_HAS = re.compile(r"(?P<whom>(?:the|it|they)\b[\w'’& -]*?) (?:has|had|have) (?P<what>[\w-]+)", re.IGNORECASE)
_ADJECTIVE_FIRST = re.compile(
    r"(?:(?P<article>the|its|their) )?(?:(?P<degree>very|so|too|really|extremely) )?(?P<first>[\w-]+) "
    r"(?P<rest>.+)",
    re.IGNORECASE,
)
_HEADLESS = re.compile(
    r"(?:that|how|what|when|where|why|who|which|to|being|having|not|no|any|all|every|each|more|most|less|fewer|"
    r"only|both|everything|nothing|anything|something|a|an|it|them|him|her|us|me|\w+ing)\b",
    re.IGNORECASE,
)
"""The beginning of words that do not name a thing by a noun of their own."""
_BREAKS = re.compile(
    r"\b(?:and|or|but|that|which|who|if|when|than|because|although|while|as|being|for|not|to)\b",
    re.IGNORECASE,
)
_FAULT = re.compile(
    r"(?:(?:some|several|a few|many|minor|major|serious) )?"
    r"(?P<head>problems?|issues?|difficulties|(?:a |the )?lack of|(?:a |the )?shortage of)\b.*",
    re.IGNORECASE,
)
_PREPOSITION = re.compile(r" (?:of|in|on|at|from|with|near|by|to|inside|outside|around|during|for)\b.*")
_PLURAL = word_set("staff people waitstaff personnel crew toiletries facilities they these those")
_QUALITIES = {
    noun: adjective
    for pair in word_set(
        "cleanliness:clean comfort:comfortable courtesy:courteous efficiency:efficient honesty:honest",
        "hospitality:hospitable patience:patient professionalism:professional warmth:warm safety:safe",
        "convenience:convenient elegance:elegant beauty:beautiful generosity:generous clarity:clear",
        "reliability:reliable durability:durable incompetence:incompetent arrogance:arrogant variety:varied",
        "punctuality:punctual originality:original versatility:versatile simplicity:simple",
    )
    for noun, adjective in [pair.split(":")]
}


class Stripped(NamedTuple):
    """A claim without its attribution, and the words of the attribution."""

    claim: str
    words: str


def is_attributed(claim: str) -> bool:
    """Return whether a claim says who holds an opinion, as in "Guests praised the pool."."""
    return _ATTRIBUTED.match(claim) is not None


def rephrase(sentence: str) -> Stripped:
    """Return a sentence with "they were curt" for "others found them to be curt", as the network reads."""
    words: list[str] = []

    def plain(match: re.Match[str]) -> str:
        found = match["whom"] or match["pronoun"]
        words.append(match.group().removesuffix(" to be ").rpartition(f" {found}")[0])
        whom = match["whom"] or _as_subject(match["pronoun"])
        return f"{whom} {_be(_is_plural(whom), match['past'] is not None)} "

    # A second verb with the same subject would lose it: "they found them curt and left".
    if _SHARES_SUBJECT.search(sentence) or sentence.count(" to be ") > 1:
        return Stripped(sentence, "")
    if stripped := strip(sentence, sentence):
        return stripped
    said = _FOUND_WITHIN.sub(plain, sentence)
    return Stripped(said[:1].upper() + said[1:] if words else sentence, " … ".join(words))


def strip(claim: str, sentence: str) -> Stripped | None:
    """Return a claim of a sentence without its attribution; None if it has none that a rule strips."""
    text = claim.rstrip(".! ")
    if (match := _FOUND_TO_BE.fullmatch(text) or _FOUND_ADJECTIVE.fullmatch(text)) and _names_a_thing(match):
        opinion = _said(_as_subject(match["whom"]), match["what"], match["past"] is not None)
        return Stripped(opinion, text[: match.start("whom")].strip())
    if (match := _PRAISED_FOR.fullmatch(text)) and (said := _praised_for(match)):
        return Stripped(said, text[: match.start("whom")].strip() or f"{match['done']} {match['why']}")
    if (match := _OPINION.fullmatch(text)) and (said := _opinion(match)):
        return Stripped(said, text[: match.start("what")].strip())
    # The network says "The quiet garden was good." of a sentence that only praises the quiet garden.
    match = None if "good" in sentence.lower() else _GOOD.fullmatch(text)
    if match and (said := _described(match["what"], match["verb"] in ("was", "were"))):
        return Stripped(said, "")
    if (match := _TO_BE.fullmatch(text)) and not re.search(rf"\b{_AUXILIARY}", match["whom"]):
        return Stripped(_said(match["whom"], match["what"], True), "")
    if (match := _HAS.fullmatch(text)) and (quality := _quality(match["what"])):
        return Stripped(_said(match["whom"], quality, True), "")
    return None


def _names_a_thing(match: re.Match[str]) -> bool:
    """Return whether guests found a thing to be something: not a clause, and only a known adjective."""
    adjective, whom = match.groupdict().get("adjective"), match["whom"].lower()
    if adjective is not None and adjective.lower() not in adjectives():
        return False
    is_clause = re.search(rf" {_AUXILIARY}", whom)
    return not is_clause and (whom in ("them", "it") or not _HEADLESS.match(whom))


def _praised_for(match: re.Match[str]) -> str | None:
    """Return the plain statement of "… praised the staff for being friendly"."""
    whom, what = _as_subject(match["whom"] or match["who"]), match["what"]
    verb, low = (match["verb"] or match["done"]).lower(), match["what"].lower()
    is_past = match["be"] in ("was", "were") if match["be"] else verb.endswith("ed")
    if match["why"].lower() == "as":
        return None if _BREAKS.search(low) else _said(whom, what, is_past)
    if low.startswith("being "):
        return _said(whom, what[6:], is_past)
    if quality := _quality(re.sub(r"^(?:its|their|the) ", "", low)):
        return _said(whom, quality, is_past)
    thing = re.sub(r"^(?:its|their) ", "", what)
    if thing == what or whom.lower() in ("they", "it") or _BREAKS.search(thing) or _HEADLESS.match(thing):
        return None
    owner = f"{whom[0].lower()}{whom[1:]}'{'' if whom.endswith('s') else 's'}"
    first, _, rest = thing.partition(" ")
    if rest and first.lower() in adjectives():
        return _said(f"{owner} {rest}", first, is_past)
    if verb.startswith(("prais", "commend", "compliment")):
        return _said(f"{owner} {thing}", "good", is_past)
    return _there_is(f"problems with {owner} {thing}", True, is_past)


def _opinion(match: re.Match[str]) -> str | None:
    """Return the statement in "… praised the friendly staff" or "there were complaints about noise"."""
    what, kind = match["what"], (match["kind"] or "").lower()
    verb = (match["past"] or match["now"] or "").lower()
    is_past = not match["now"]
    if match["there"]:
        is_past = match["there"].lower().split()[-1] in ("was", "were")
    praises = kind == "praise" or _PRAISES.fullmatch(verb) is not None
    blames = kind.startswith(("complaint", "criticism")) or _BLAMES.fullmatch(verb) is not None
    reports = kind.startswith("report")
    if being := _BEING.fullmatch(what):
        return _said(being["whom"], being["what"], is_past)
    if not praises and (fault := _FAULT.fullmatch(what)):
        thing = re.sub(r"^the (?=lack|shortage)", "a ", what, flags=re.IGNORECASE)
        return _there_is(thing, fault["head"].lower() in ("problems", "issues", "difficulties"), is_past)
    if not praises and re.match(r"an? ", what, re.IGNORECASE) and not _BREAKS.search(what):
        return _there_is(what, False, is_past) if blames or reports else None
    if _HEADLESS.match(what) or _BREAKS.search(what):
        return None
    if praises and (of := _QUALITY_OF.fullmatch(what)) and (quality := _quality(of["noun"] or of["quality"])):
        return _said(of["whom"] or of["owner"], quality, is_past)
    if said := _described(what, is_past):
        return said
    has_article = re.match(r"(?:the|its|their|this|these) ", what, re.IGNORECASE) is not None
    if praises:
        return _said(what, "good", is_past) if has_article or " " not in what else None
    if blames:
        return _there_is(f"problems with {what}", True, is_past)
    if (reports or verb == "reported") and not re.match(r"(?:the|its|their) ", what, re.IGNORECASE):
        return _there_is(what, _is_plural(what), is_past)
    return None


def _described(what: str, is_past: bool) -> str | None:
    """Return "The rooms were noisy." for "noisy rooms"; None unless the first word is a known adjective."""
    match = _ADJECTIVE_FIRST.fullmatch(what)
    if match is None or match["first"].lower() not in adjectives():
        return None
    rest = match["rest"]
    if rest.split()[0].lower() in adjectives() or re.match(r"(?:of|in|on|at|to|with|for|from)\b", rest):
        return None
    degree = f"{match['degree']} " if match["degree"] else ""
    return _said(f"{match['article'] or 'the'} {rest}", f"{degree}{match['first'].lower()}", is_past)


def _quality(noun: str) -> str | None:
    """Return the adjective of a quality: friendliness → friendly; None for other nouns."""
    noun = noun.lower()
    if noun in _QUALITIES or not noun.endswith("ness"):
        return _QUALITIES.get(noun)
    stem = re.sub("i$", "y", noun.removesuffix("ness"))
    return stem if stem in adjectives() else None


def _is_plural(phrase: str) -> bool:
    """Return whether the head of a noun phrase, its last word before a preposition, is plural."""
    head = _PREPOSITION.sub("", phrase.lower()).split()[-1]
    return head in _PLURAL or (head.endswith("s") and not head.endswith(("ss", "us", "is", "'s")))


def _as_subject(whom: str) -> str:
    return "they" if whom.lower() == "them" else whom


def _be(is_many: bool, is_past: bool) -> str:
    return ("were" if is_many else "was") if is_past else ("are" if is_many else "is")


def _said(whom: str, what: str, is_past: bool) -> str:
    return _sentence(f"{whom} {_be(_is_plural(whom), is_past)} {what}")


def _there_is(thing: str, is_many: bool, is_past: bool) -> str:
    return _sentence(f"there {_be(is_many, is_past)} {thing}")


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "."
