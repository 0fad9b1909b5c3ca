"""The few closed lists that the parse cannot replace; in small letters."""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


def phrase_set(text: str) -> frozenset[tuple[str, ...]]:
    """Return the phrases that bars set apart, each as its words."""
    return frozenset(tuple(phrase.split()) for phrase in text.split("|"))


AND = word_set("and & n 'n 'n' + / as plus et an ,")
BUT = word_set("but yet though although whereas while except")
OR = word_set("or nor and/or")
NEGATIVE = word_set(
    "not n't nt no never neither nor none nobody nothing nowhere without hardly barely scarcely cannot "
    "lack lacks lacked lacking little few seldom rarely"
)
NOT = word_set("not n't nt n’t never")
ONLY = word_set("only just merely simply solely")
NEGATIVE_SUBJECTS = word_set("no nobody none nothing neither few hardly barely little noone")

CONTRAST_MARKS = word_set("although though while whereas whilst tho but altho")
REASON_MARKS = word_set("because since as so cos cuz coz bc")
CONDITIONS = word_set("if unless provided providing should otherwise whether lest whenever wherever")
TIMES = word_set("when whenever until till before after once while as since where wherever")

SHARED_DETERMINERS = word_set(
    "the a an this that these those my your his her its our their no any some every each another both all "
    "several many most few various other same enough"
)
FREQUENCY = word_set(
    "always often usually sometimes never still rarely generally frequently apparently occasionally "
    "normally typically reportedly seldom hardly barely probably mostly consistently regularly"
)
SAME = word_set(
    "same other only various several many most few some numerous multiple nearby local certain such all"
)

FIXED_PAIRS = phrase_set(
    "bacon eggs|gin tonic|bed breakfast|salt pepper|peace quiet|back forth|nice warm|nice cool|"
    "nice easy|nice quiet|more more|hit miss|hits misses|cat mouse|fish chips|mac cheese|black white|"
    "tried true|tried tested|trial error|here there|now then|again again|up down|in out|on off|"
    "ups downs|pros cons|nuts bolts|bits pieces|odds ends|rock roll|pick choose|plug play|wear tear|"
    "lost found|bread butter|safe sound|loud clear|far between|few between|over over|by large|"
    "first foremost|sick tired|each every|north south|east west|day night|night day|morning night|"
    "surf turf|meat potatoes|drag drop|copy paste|park ride|point shoot|stop go|wait see|come go|"
    "touch go|dos donts|ins outs|arts crafts|terms conditions|health safety|research development|"
    "good proper|well truly|spick span|sweet sour|mix match|hop on|hop off|grab go|before after|"
    "left right|food drink|drinks snacks|his hers|mr mrs|mother daughter|father son|husband wife|"
    "brother sister|hide seek|cut dry|dried dusted|done dusted|short sweet|life death|question answer|"
    "supply demand|flora fauna|pen paper|knife fork|cup saucer|washer dryer|hustle bustle|thick thin|"
    "long short|high low|better better|worse worse|on on|round round|less less|bigger bigger|"
    "time again|wine dine|kiss tell|rise shine|rough ready|fair square|part parcel|heart soul|"
    "blood sweat"
)
TRYING = word_set("try come go wait be")
"""Verbs that "and" joins to the next without making a list: "try and fix"."""

COLLECTIVE = word_set(
    "match meet meets met merge merged mix blend combine combined complement clash collide alike "
    "identical similar different interchangeable compatible together separate apart same equal twins "
    "neighbours neighbors friends pair couple duo team cancel agree disagree argue differ differed "
    "separated related married connected linked resemble contradict coincide unite overlap intertwine "
    "intertwined mixed blended paired total altogether contrast compete share shared weigh"
)
TOGETHER = word_set("together altogether combined total alike other another apart between side common")
APART = phrase_set(
    "two different|three different|opposite directions|opposite ends|opposite sides|best friends|"
    "of friends|different worlds|all the|parted ways|add up|adds up|added up|make up|makes up|made up"
)
"""Pairs of words that say something of several at once: "A and B come from two different places"."""
TOGETHER_VERBS = word_set(
    "combine combines combined mix mixes mixed blend blends blended compare compares compared distinguish "
    "separate separates separated pair pairs paired match matches merge merges merged balance balances "
    "balanced link links linked connect connects connected marry marries juggle confuse confuses confused "
    "unite"
)
JOINT_NOUNS = word_set(
    "mix mixture combination blend balance choice difference contrast cross pair distance gap pairing thanks "
    "account"
)

INTRANSITIVE = word_set(
    "act apologize apologise argue arrive be belong breathe care chat come comment compete complain cook "
    "crash cry deal depend die dine disappear exist expire fall flow focus go happen hide interfere joke "
    "jump last laugh lie listen live look matter occur operate park participate react recover relax rely "
    "respond rest result rise scream shop sit sleep smile smoke speak stand stay succeed suffer survive "
    "talk thrive travel vote wait walk withdraw work worry yell disconnect shrink wobble break appear "
    "return"
)
"""Verbs that seldom have an object (in the treebank), so that they share none: "came and saw the room"."""

OPENERS = word_set(
    "however overall also additionally furthermore moreover besides unfortunately fortunately finally "
    "lastly nevertheless nonetheless still meanwhile sadly luckily conversely again notably first firstly "
    "second secondly similarly plus though tho anyway anyways honestly frankly so thus therefore hence "
    "generally ok okay well oh yes no yeah lol wow hey hi hello sorry haha yep nope omg tbh imo imho btw "
    "admittedly basically obviously thankfully alas too personally ultimately altogether importantly "
    "surprisingly and but or yet otherwise then instead hopefully seriously listen look true thirdly "
    "third"
)
OPENING_PHRASES = phrase_set(
    "in addition|in general|in conclusion|in summary|to summarize|to summarise|in short|that said|"
    "on the other hand|on the one hand|on the downside|on the plus side|on the positive side|"
    "on the negative side|all in all|for the most part|as a result|on top of that|in fact|of course|"
    "in contrast|by contrast|then again|in particular|having said that|that being said|to be fair|"
    "to be honest|if i am honest|to my mind|in my opinion|in my view|in our opinion|in my experience|"
    "on the whole|by and large|at the same time|on the bright side|for example|for instance|to sum up|"
    "in the end|in total|at least|mind you|no doubt|long story short|on balance|on the upside|"
    "on the flip side|on the minus side|at any rate|in any case|above all|with that said|"
    "as for the rest|by the way|to top it all|to top it off|for what it 's worth|as far as i can tell|"
    "for me|for us|i guess|i suppose|i must say|not to mention|even so|in other words|i think|"
    "i believe|i feel|i find|i must admit|i 'd say|i would say|contrary to that|in all honesty|in all|"
    "at first glance|after all|on the contrary|as a whole"
)

HOLDERS = word_set(
    "guest guests reviewer reviewers review reviews customer customers user users traveler travelers "
    "traveller travellers visitor visitors people buyer buyers owner owners diner diners consumers "
    "patrons purchasers viewers readers critics passengers shoppers listeners players everyone everybody "
    "they it i we one regulars testers residents locals tourists flyers riders drivers gardeners cooks "
    "parents students fans subscribers members families couples audiences consensus runners hikers"
)
QUANTIFIERS = word_set(
    "some many most several few one two three four half quarter majority minority number handful couple "
    "others other a all nobody no none only both each every hardly various numerous multiple another "
    "certain lot lots dozen"
)
REPORTING = word_set(
    "say says said mention mentions mentioned note notes noted report reports reported state states "
    "stated feel felt think thinks thought believe believes believed agree agrees agreed comment comments "
    "commented remark remarks remarked observe observes observed add adds added indicate indicates "
    "indicated find finds found concede concedes conceded stress stresses stressed emphasize emphasized "
    "emphasise emphasised point points pointed acknowledge acknowledged acknowledges admit admits "
    "admitted write writes wrote highlight highlights highlighted"
)
JUDGING = word_set(
    "find finds found consider considers considered call calls called rate rates rated judge judges judged "
    "think thinks thought deem deems deemed keep keeps kept make makes made pronounce pronounces pronounced "
    "declare declares declared leave leaves left hold label labels labelled name names named"
)
"""Verbs that say what something is to somebody: "found the room dark"."""

PLURAL_NOUNS = word_set("people children men women feet teeth mice police cattle folks ppl guys kids")
EITHER_NUMBER = word_set(
    "staff crew team couple family majority minority number half rest lot none audience cast band handful"
)
