"""Attributions that rules strip: who praises, finds or complains, where only the opinion itself is wanted.

The same opinion becomes the same kind of claim whoever states it: "They praised the staff for being
friendly.", "Others found the staff friendly." and "Guests appreciated the friendly staff." all become "The
staff were friendly.". Only verbs that assert are stripped; "Guests doubted that the staff were kind." stays.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from claimwise.text.questions import adjectives, word_set

PEOPLE = (
    "guests?|reviewers?|customers?|visitors?|travell?ers?|diners?|users?|people|patrons?|critics?|readers?|"
    "viewers?|"
    "buyers?|clients?|reviews?|tourists?|commenters?|respondents?|consumers?|shoppers?|passengers?"
)
_MANY = (
    "(?:dozens|hundreds|scores|plenty|lots) of|(?:a|the) (?:few|couple|handful|number|majority|lot|"
    "minority)(?: of)?|(?:the )?(?:vast |great "
    ")?majority of|most|many|"
    "some|several|a few|various|numerous|multiple|countless|all|almost all|nearly all|one|another|other|"
    "both|certain"
)
_SPEAKER = (
    rf"(?:(?:overall|mostly|generally|however|in general),? )?(?:(?:(?:{_MANY}) )?(?:of )?(?:the )?(?:other "
    rf"|previous |past |recent |fellow )?(?:{PEOPLE})|others?|"
    rf"some|many|most|"
    r"several|a few|a number|the majority|everyone|everybody|they|one|another)"
)
_OFTEN = (
    r"(?: (?:also|generally|often|frequently|particularly|especially|consistently|widely|really|universally|"
    r"commonly|"
    r"repeatedly|both|all|even|overwhelmingly|highly|specifically))?"
)
_PRAISE_NOW = "praise|like|love|appreciate|enjoy|compliment|commend|admire|applaud|adore"
_PRAISE = (
    "praised|liked|loved|appreciated|enjoyed|complimented|commended|admired|applauded|adored|raved about|"
    "(?:was|were) "
    "(?:impressed|pleased|happy|satisfied|delighted) (?:with|by)|(?:spoke|wrote) (?:highly|well) of"
)
_BLAME_NOW = "criticise|criticize|dislike|hate|complain (?:about|of)|grumble about"
_BLAME = (
    "criticised|criticized|disliked|hated|complained (?:about|of)|grumbled (?:about|of)|faulted|(?:was|were) "
    "(?:disappointed|unhappy|annoyed|dissatisfied|frustrated) (?:with|by|at)"
)
_NEUTRAL_NOW = "mention|note|report|highlight|point out|describe"
_NEUTRAL = "mentioned|noted|reported|highlighted|pointed out|noticed|cited"
_FIND = "found|considered|thought|deemed|called|rated|judged"
_FIND_NOW = "find|consider|think|deem|call|rate|judge"
_VERBS = "|".join((_PRAISE, _BLAME, _NEUTRAL, _FIND, _PRAISE_NOW, _BLAME_NOW, _NEUTRAL_NOW, _FIND_NOW))
_SAYS = (
    "said|say|says|felt|feel|feels|stated|state|complained|complain|complains|remarked|commented|agreed|"
    "agree|wrote|"
    "warned|claimed|believed|believe|observed|thought|think|reported|found|find|noted|mentioned"
)
_ATTRIBUTED = re.compile(
    rf"(?:{_SPEAKER}{_OFTEN} (?:{_VERBS}|{_SAYS}|praises|likes|loves|appreciates|enjoys|complains|finds|"
    rf"mentions|notes)\b"
    r"|there (?:was|were|is|are) (?:(?:some|many|several|a few|also|numerous|frequent|occasional|widespread|"
    r"much) )?"
    r"(?:complaints?|praise|reports?|mentions?|criticism) (?:about|of|for|from|that)\b"
    rf"|(?:according to|in the (?:opinion|words) of) .*\b(?:{PEOPLE})\b)"
    r"|.*\b(?:was|were|is|are|been) (?:\w+ly )?(?:praised|criticised|criticized|complimented|commended|"
    r"appreciated|"
    r"described|regarded|considered|said to|reported to|mentioned)\b"
    r"|.*\b(?:received|drew|earned|got|attracted|receive|draw|earn) (?:\w+ )?(?:praise|criticism|complaints|"
    r"compliments)\b",
    re.IGNORECASE,
)

_NOUN_PHRASE = r"(?:(?:the|its|their|this|that|these|those) )?[\w'’&-]+(?: [\w'’&-]+){0,6}"
_PRAISED_FOR = re.compile(
    rf"(?:{_SPEAKER}{_OFTEN} (?P<verb>praised|commended|complimented|criticised|criticized|faulted|praise|"
    rf"commend|criticise|"
    rf"criticize) (?P<whom>them|it|(?:the|its|their|this) [\w'’&-]+(?: [\w'’&-]+){{0,3}}?)"
    rf"|(?P<who>(?:the|its|their|this) [\w'’&-]+(?: [\w'’&-]+){{0,3}}?) (?P<be>was|were|is|are|has been|have "
    rf"been)"
    rf"(?: \w+ly)? (?P<done>praised|commended|complimented|criticised|criticized|faulted)(?: by "
    rf"(?:{_SPEAKER}))?) "
    rf"(?P<why>for|as) (?P<what>[^,;:]+)",
    re.IGNORECASE,
)
_OPINION = re.compile(
    rf"(?:{_SPEAKER}{_OFTEN} (?:(?P<praise>{_PRAISE})|(?P<praise_now>{_PRAISE_NOW})|(?P<blame>{_BLAME})|"
    rf"(?P<blame_now>{_BLAME_NOW})|(?P<neutral>{_NEUTRAL})|(?P<neutral_now>{_NEUTRAL_NOW}))"
    r"|(?:(?P<there>there (?:was|were|is|are)) (?:(?:some|many|several|a few|also|numerous|frequent|"
    r"occasional|widespread|"
    r"much) )?(?P<kind>complaints?|praise|reports?|mentions?|criticism) (?:about|of|for))) (?P<what>[^,;:]+)",
    re.IGNORECASE,
)
_FOUND = re.compile(
    rf"{_SPEAKER}{_OFTEN} (?:(?P<past>{_FIND})|{_FIND_NOW}) (?P<whom>{_NOUN_PHRASE}) (?:to be|as) "
    rf"(?P<what>[^,;:]+)",
    re.IGNORECASE,
)
_FOUND_ADJECTIVE = re.compile(
    rf"{_SPEAKER}{_OFTEN} (?:(?P<past>{_FIND})|{_FIND_NOW}) (?P<whom>(?:the|its|their|it|them)(?: "
    rf"[\w'’&-]+){{0,2}}?) "
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
_AUXILIARIES = "was|were|is|are|has|have|had|would|could|should|can|will|did|does|do"
_GOOD = re.compile(
    r"(?P<what>the (?P<adjective>[\w-]+) [\w'’&-]+(?: [\w'’&-]+)?) (?P<verb>was|were|is|are) good",
    re.IGNORECASE,
)
_QUALITY_OF = re.compile(
    r"the (?:overall |general |great )?(?P<noun>\w+) of (?P<whom>the [\w -]+)|(?P<owner>the [\w -]+?)['’]s? "
    r"(?P<quality>\w+)",
    re.IGNORECASE,
)
_SHARES_SUBJECT = re.compile(
    r"\b(?:and|but|yet|or) (?:(?:\w+ly|also|still|even|then) )?(?:\w+ed|felt|feel|thought|think|said|say|"
    r"found|find|had|have|"
    r"took|gave|made|would|could|did|do|wrote|praise|like|love|appreciate|enjoy)\b",
    re.IGNORECASE,
)
"""A verb whose subject stands before another verb: "found the staff kind and appreciated the view"."""
_TO_BE = re.compile(r"(?P<whom>the [\w'’-]+(?: [\w'’-]+){0,4}?) to be (?P<what>[^,;:]+)", re.IGNORECASE)
_BEING = re.compile(r"(?P<whom>(?:the|its|their) [\w'’-]+(?: [\w'’-]+)?) being (?P<what>.+)", re.IGNORECASE)
_HAS = re.compile(r"(?P<whom>(?:the|it|they)\b[\w'’& -]*?) (?:has|had|have) (?P<what>[\w-]+)", re.IGNORECASE)
_HEADLESS = re.compile(
    r"(?:that|how|what|when|where|why|who|which|to|being|having|not|no|any|all|every|each|more|most|less|"
    r"fewer|only|both|"
    r"everything|nothing|anything|something|a|an|it|them|him|her|us|me|\w+ing)\b",
    re.IGNORECASE,
)
_BREAKS = re.compile(
    r"\b(?:and|or|but|that|which|who|if|when|than|because|although|while|as|being|for|not|to)\b",
    re.IGNORECASE,
)
_FAULT = re.compile(
    r"(?:(?:some|several|a few|many|minor|major|serious) )?(?P<head>problems?|issues?|difficulties|(?:a |"
    r"the )?lack of|"
    r"(?:a |the )?shortage of)\b.*",
    re.IGNORECASE,
)
_PREPOSITION = re.compile(r" (?:of|in|on|at|from|with|near|by|to|inside|outside|around|during|for)\b.*")
_PLURAL = word_set("staff people waitstaff personnel crew toiletries facilities")
_QUALITIES = dict(
    pair.split(":")
    for pair in sorted(
        word_set(
            "cleanliness:clean comfort:comfortable courtesy:courteous efficiency:efficient honesty:honest",
            "hospitality:hospitable patience:patient professionalism:professional warmth:warm",
            "convenience:convenient elegance:elegant beauty:beautiful generosity:generous",
            "reliability:reliable durability:durable incompetence:incompetent arrogance:arrogant",
            "punctuality:punctual originality:original clarity:clear safety:safe versatility:versatile",
            "simplicity:simple variety:varied",
        )
    )
)


class Stripped(NamedTuple):
    """A claim without its attribution.

    Attributes:
        claim: the claim.
        words: the words of the attribution.
    """

    claim: str
    words: str


def is_attributed(claim: str) -> bool:
    """Return whether a claim says who holds an opinion, as in "Guests praised the pool."."""
    return _ATTRIBUTED.match(claim) is not None


def rephrase(sentence: str) -> Stripped:
    """Return a sentence with "they were curt" for "others found them to be curt", as the network reads."""
    words: list[str] = []

    def plain(found: re.Match[str]) -> str:
        is_past = found["past"] is not None
        whom = found["whom"] or {"them": "they"}.get(found["pronoun"].lower(), found["pronoun"])
        words.append(
            found.group().removesuffix(" to be ").rpartition(f" {found['whom'] or found['pronoun']}")[0]
        )
        return f"{whom} {_verb(_is_plural(whom), is_past)} "

    if _SHARES_SUBJECT.search(sentence) or len(re.findall(" to be ", sentence)) > 1:
        return Stripped(sentence, "")
    if alone := strip(sentence, sentence):
        return alone
    said = _FOUND_WITHIN.sub(plain, sentence)
    return Stripped(said[:1].upper() + said[1:] if words else sentence, " … ".join(words))


def strip(claim: str, sentence: str) -> Stripped | None:
    """Return a claim without its attribution; None if it has none that a rule strips.

    Args:
        claim: the claim, or a sentence that makes only one.
        sentence: its sentence.
    """
    text = claim.rstrip(".! ")
    if found := _FOUND.fullmatch(text) or _FOUND_ADJECTIVE.fullmatch(text):
        adjective = found.groupdict().get("adjective")
        is_clause = re.search(rf" (?:{_AUXILIARIES})\b", found["whom"], re.IGNORECASE)
        if not is_clause and (adjective is None or adjective.lower() in adjectives()):
            whom = {"them": "they"}.get(found["whom"].lower(), found["whom"])
            if whom == "they" or not _HEADLESS.match(whom) or whom.lower() == "it":
                said = f"{whom} {_verb(_is_plural(whom), found['past'] is not None)} {found['what']}"
                return Stripped(_sentence(said), text[: found.start("whom")].strip())
    if (found := _PRAISED_FOR.fullmatch(text)) and (plain := _praised_for(found)):
        return Stripped(plain, text[: found.start("whom")].strip() or f"{found['done']} {found['why']}")
    if (found := _OPINION.fullmatch(text)) and (plain := _opinion(found)):
        return Stripped(plain, text[: found.start("what")].strip())
    if "good" not in sentence.lower() and (found := _GOOD.fullmatch(text)):
        were = "were" if found["verb"] in ("was", "were") else "are"
        if plain := _described(found["what"], were):
            return Stripped(plain, "")
    if (found := _TO_BE.fullmatch(text)) and not re.search(rf"\b(?:{_AUXILIARIES})\b", found["whom"]):
        return Stripped(
            _sentence(f"{found['whom']} {_verb(_is_plural(found['whom']), True)} {found['what']}"), ""
        )
    if (found := _HAS.fullmatch(text)) and (quality := _quality(found["what"])):
        return Stripped(_sentence(f"{found['whom']} {_verb(_is_plural(found['whom']), True)} {quality}"), "")
    return None


def _praised_for(found: re.Match[str]) -> str | None:
    """Return the plain statement of "… praised the staff for being friendly"."""
    whom, what = found["whom"] or found["who"], found["what"]
    whom = {"them": "they"}.get(whom.lower(), whom)
    verb = (found["verb"] or found["done"]).lower()
    is_past = found["be"] in ("was", "were") if found["be"] else verb.endswith("ed")
    be = _verb(_is_plural(whom), is_past)
    low = what.lower()
    if found["why"].lower() == "as":
        return _sentence(f"{whom} {be} {what}") if not _BREAKS.search(low) else None
    if low.startswith("being "):
        return _sentence(f"{whom} {be} {what[6:]}")
    quality = _quality(re.sub(r"^(?:its|their|the) ", "", low))
    if quality:
        return _sentence(f"{whom} {be} {quality}")
    thing = re.sub(r"^(?:its|their) ", "", what)
    if thing == what or whom.lower() in ("they", "it") or _BREAKS.search(thing) or _HEADLESS.match(thing):
        return None
    whom = whom[0].lower() + whom[1:]
    owner = f"{whom}'" if whom.endswith("s") else f"{whom}'s"
    first, _, rest = thing.partition(" ")
    if rest and first.lower() in adjectives():
        return _sentence(f"{owner} {rest} {_verb(_is_plural(rest), is_past)} {first}")
    if verb.startswith(("prais", "commend", "compliment")):
        return _sentence(f"{owner} {thing} {_verb(_is_plural(thing), is_past)} good")
    return _sentence(f"there {'were' if is_past else 'are'} problems with {owner} {thing}")


def _opinion(found: re.Match[str]) -> str | None:
    """Return the statement in "… praised the friendly staff" or "there were complaints about noise"."""
    what = found["what"]
    kind = (found["kind"] or "").lower()
    is_past = not any(found[now] for now in ("praise_now", "blame_now", "neutral_now"))
    if found["there"]:
        is_past = found["there"].lower().split()[-1] in ("was", "were")
    praises = bool(found["praise"] or found["praise_now"]) or kind == "praise"
    blames = bool(found["blame"] or found["blame_now"]) or kind.startswith(("complaint", "criticism"))
    were = "were" if is_past else "are"
    if being := _BEING.fullmatch(what):
        return _sentence(f"{being['whom']} {_verb(_is_plural(being['whom']), is_past)} {being['what']}")
    if not praises and (fault := _FAULT.fullmatch(what)):
        thing = re.sub(r"^the (?=lack|shortage)", "a ", what, flags=re.IGNORECASE)
        is_many = fault["head"].lower() in ("problems", "issues", "difficulties")
        return _sentence(f"there {_verb(is_many, is_past)} {thing}")
    if not praises and re.match(r"an? ", what, re.IGNORECASE) and not _BREAKS.search(what):
        return (
            _sentence(f"there {_verb(False, is_past)} {what}")
            if blames or kind.startswith("report")
            else None
        )
    if _HEADLESS.match(what) or _BREAKS.search(what):
        return None
    if praises and (of := _QUALITY_OF.fullmatch(what)) and (quality := _quality(of["noun"] or of["quality"])):
        whom = of["whom"] or of["owner"]
        return _sentence(f"{whom} {_verb(_is_plural(whom), is_past)} {quality}")
    if plain := _described(what, were):
        return plain
    if praises:
        if not re.match(r"(?:the|its|their|this|these) ", what, re.IGNORECASE) and " " in what:
            return None
        return _sentence(f"{what} {_verb(_is_plural(what), is_past)} good")
    if blames:
        return _sentence(f"there {were} problems with {what}")
    if kind.startswith("report") or (found["neutral"] or "").lower() == "reported":
        thing = re.sub(r"^(?:the|its|their) ", "", what, flags=re.IGNORECASE)
        return _sentence(f"there {_verb(_is_plural(thing), is_past)} {thing}") if thing == what else None
    return None


def _described(what: str, were: str) -> str | None:
    """Return "the rooms were noisy" for "noisy rooms"; None unless the first word is a known adjective."""
    found = re.fullmatch(
        r"(?:(?P<article>the|its|their) )?(?:(?P<degree>very|so|too|really|extremely) )?(?P<first>[\w-]+) "
        r"(?P<rest>.+)",
        what,
        re.IGNORECASE,
    )
    if found is None or found["first"].lower() not in adjectives():
        return None
    rest = found["rest"]
    if rest.split()[0].lower() in adjectives() or re.match(r"(?:of|in|on|at|to|with|for|from)\b", rest):
        return None
    article = found["article"] or "the"
    degree = f"{found['degree']} " if found["degree"] else ""
    return _sentence(
        f"{article} {rest} {_verb(_is_plural(rest), were == 'were')} {degree}{found['first'].lower()}"
    )


def _quality(noun: str) -> str | None:
    """Return the adjective of a quality: friendliness → friendly; None for other nouns."""
    noun = noun.lower()
    if noun in _QUALITIES:
        return _QUALITIES[noun]
    if noun.endswith("ness"):
        stem = noun.removesuffix("ness")
        stem = stem[:-1] + "y" if stem.endswith("i") else stem
        return stem if stem in adjectives() else None
    return None


def _is_plural(phrase: str) -> bool:
    """Return whether the head of a noun phrase, its last word before a preposition, is plural."""
    head = _PREPOSITION.sub("", phrase.lower()).split()[-1]
    return (
        head in _PLURAL
        or head in ("they", "these", "those")
        or (head.endswith("s") and not head.endswith(("ss", "us", "is", "'s")))
    )


def _verb(is_many: bool, is_past: bool) -> str:
    return ("were" if is_many else "was") if is_past else ("are" if is_many else "is")


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "."
