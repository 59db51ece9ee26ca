# ruff: noqa: E501 - patterns and lists of words
"""Closed classes and word shapes of English and Swahili: who is meant, what is negated, past, passive, habitual.

Rules that need a phrase know only the phrases they were given. Prefixes, pronouns and negations are few and known
whole, so what is built on them holds for sentences nobody has seen. Everything here looks at single lower-case words.
"""

import re
from functools import lru_cache


def words(text: str) -> frozenset[str]:
    """A set of words from a text with spaces between them."""
    return frozenset(text.split())


YOURS_SWAHILI = words("yako wako lako zako chako kwako")
YOURS = words("you your you're you've you'll yours") | YOURS_SWAHILI
STORY_WORDS = 21
"""A longer sentence is chatter about the shop; a habit in it is somebody else's."""
_SUBJECT = "ni|u|a|tu|m|wa|i|zi|li|ya|ki|vi|ku|pa"
_NOT_VERBS = words(
    """
    usiku asili msimu msichana wasichana wasifu kisima usingizi msingi msiba asilimia usimamizi wasimamizi kisiwa
    habari hadi haraka hapa hapo hata hali haki hasa halafu haya hayo hatua hakika halali hadithi hapohapo hai hamu
    harusi hasara hasira hatari hawa hivi hivyo hii hiyo hizi hizo huyo huyu huko hudumia huduma huru huko simu sita
    siku sisi siri sita sifa sikukuu siyo hebu heri hela happy hair half have has had hand handle happen hate haven't
    hasn't hadn't hard harm hall hack size single sit site since sign silk simple sir six side nina nini nani nyinyi
    mna mko tuko uko niko muda mtu mwezi mteja mtindo mtoto matumizi malipo maliza karibu kazi katika kama kabla kati
    """
)


def _verb(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


_PROHIBITION = _verb(rf"(?:{_SUBJECT})si(?:ni|ku|m|tu|wa|i|zi|li|ya|ki|vi|ji)?[a-z'-]{{2,}}[aeiou]")
_NEGATIVE = _verb(
    r"(?:si|ha(?:tu|wa|m|i|u|zi|ya|li|ki|vi|ku)?)(?:ta|ku|ja|ngeli|nge)?[a-z'-]{2,}[aeiou]|hatu[a-z'-]{3,}"
)
_RELATIVE = _verb(r"(?:u|i|zi|li|ya|ki|vi|a|wa|ku|pa)(?:na|li|taka|si|me)(?:yo|cho|zo|vyo|o|po|lo|mo|ye|ko)[a-z'-]{3,}")
_PASSIVE = _verb(
    r"(?:ha)?(?:i|zi|li|ya|ki|vi|u|ku|pa|a|wa)(?:na|me|mesha|li|ta|ja|taka|ka|ki)?(?:yo|cho|zo|o|lo)?[a-z'-]{2,}[uiael]?wa"
)
_ABSTRACT_SW = _verb(r"u[a-z]{3,}(?:ji|zi|fu|dhi|shi|vu)")
_ABSTRACT_EN = _verb(r"[a-z]{4,}(?:tion|tions|ment|ments|ance|sion|ence|isation|ization)")
_PLAIN_ABSTRACT = words(
    """
    appointment appointments treatment treatments question questions confirmation location station mention attention
    moment comment payment payments patience experience conversation option options balance chance advance france
    direction directions occasion vacation celebration congratulations sentence difference permission session
    usafi uzuri usiku uso ujumbe ukurasa uhuru ushauri upesi uhakika
    """
)
_PERSON_EN = words(
    """
    i i'm i'd i'll i've me my mine we we're we've we'd we'll us our ours you you're you've you'd you'll your yours
    yourself let's dear darling love hun ya
    """
)
_PERSON_SW = words(
    """
    mimi wewe sisi nyinyi yako yangu wako wangu lako langu zako zangu chako changu kwako kwangu kwetu kwenu letu yetu
    wetu zetu chetu lenu yenu wenu zenu nawe nami nasi nanyi pako petu kwetu mwenzangu mwenzako dada kaka rafiki mpenzi
    una nina tuna mna uko niko tuko mko karibu karibuni pole poleni hebu ngoja wacha
    """
)
_PERSONAL_VERB = _verb(
    r"(?:ni|tu|u|m)(?:na|me|mesha|li|ta|ka|nge|ki|sha|kisha|taka|tak)[a-z'-]{2,}"
    r"|(?:si|hatu|hu|ham)(?:ta|ku|ja)?[a-z'-]{2,}[aeiou]"
    r"|(?:ni|tu|u|m)(?:ku|ni|tu|m|wa|i|zi|ki|li|ya|ji|si)?[a-z'-]{2,}e"
    r"|n[ai][a-z'-]{3,}[aeiou]"
)
_PERSONAL_NOT = words(
    """
    mteja mtumiaji muda mtu mtindo mchana usiku ujumbe uso upande ukamilifu uhifadhi huduma utaratibu mtandao mwezi
    minute manage more mode move make made mine machine note nine notice nice name number nature unique use update
    hutolewa husika nyingine nafasi nywele namba nambari usimamizi umma unavailable
    """
)
_NOT_EN = words(
    "no not never don't do-not doesn't didn't won't can't cannot isn't aren't wasn't weren't shouldn't mustn't needn't shan't "
    "wouldn't without none nothing nobody neither nor"
)
_FORBID_EN = words("don't never shan't mustn't shouldn't needn't won't dont")
_NOT_SW = words("si sio siyo hapana kamwe wala hakuna hamna bila kutokuwa")


@lru_cache(maxsize=20_000)
def forbids(word: str) -> bool:
    """Tell whether the word tells somebody not to: "don't", "never", "usitume", "asiijue", "isifike"."""
    return word in _FORBID_EN or word == "kamwe" or (word not in _NOT_VERBS and bool(_PROHIBITION.fullmatch(word)))


@lru_cache(maxsize=20_000)
def negates(word: str) -> bool:
    """A negation of any kind: "not", "without", "si", "hakuna", "hatuombi", "usitume"."""
    if word in _NOT_EN or word in _NOT_SW or forbids(word):
        return True
    return len(word) > 4 and word not in _NOT_VERBS and bool(_NEGATIVE.fullmatch(word))


@lru_cache(maxsize=20_000)
def speaks_to_someone(word: str) -> bool:
    """A word that names the speaker or the one spoken to: pronouns, possessives, Swahili verbs with ni-, tu-, u-, m-."""
    if word in _PERSON_EN or word in _PERSON_SW:
        return True
    if len(word) < 5 or word in _PERSONAL_NOT or word in _NOT_VERBS or _ABSTRACT_SW.fullmatch(word):
        return False
    return (not word.endswith("wa") or word.endswith("kuwa")) and bool(_PERSONAL_VERB.fullmatch(word))


@lru_cache(maxsize=20_000)
def abstract(word: str) -> bool:
    """A long noun made of a verb: "authorisation", "utekelezaji"; everyday ones ("appointment") do not count."""
    if word in _PLAIN_ABSTRACT or len(word) < 7:
        return False
    return bool(_ABSTRACT_EN.fullmatch(word) or _ABSTRACT_SW.fullmatch(word))


@lru_cache(maxsize=20_000)
def passive(word: str) -> bool:
    """Tell whether the word is a Swahili verb in the passive: "kitalipwa", "inayotakiwa", "ilitolewa"."""
    return len(word) > 6 and word not in _NOT_VERBS and bool(_PASSIVE.fullmatch(word))


@lru_cache(maxsize=20_000)
def relative(word: str) -> bool:
    """Tell whether the word is a Swahili verb that describes a noun: "inayotakiwa", "uliopendekezwa"."""
    return len(word) > 6 and bool(_RELATIVE.fullmatch(word))
