"""Recognise a message's language: English, Swahili, Italian, or English and Swahili mixed.

Function words of each language, plus the shape of Swahili verbs (subject prefix + tense + stem, open syllables).
Borrowed trade words (booking, salon, M-Pesa, braids) count for nobody. Answers None when there is too little to go by.
"""

import re
from collections.abc import Iterable
from functools import lru_cache


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ENGLISH = _words(
    """
    the a an is are am was were be been you your yours my i i'm i'd i'll i've me we we're we've our us it it's
    its this that that's these those of for to from with on at in into by about and or but if so because as than
    then there what what's which when where who how why do does did don't doesn't didn't can can't could would
    will won't shall should may might must have has had having like want need please thanks thank sorry yes yeah
    not no any some all more just only also too very much many one two three four five let let's know get got
    take make good great nice right available tomorrow today morning afternoon evening time day name number
    price cost pay paid minutes hours monday tuesday wednesday thursday friday saturday sunday here he she they
    them his her their out up down over after before until while hello hi hey help look see come go back really
    already still again nothing something anything else bye goodbye welcome sure perfect lovely later soon never
    always
    """
)
SWAHILI = _words(
    """
    na ya wa za cha vya kwa ni si katika hii hiyo hizi hizo huyu huyo hilo hili haya hayo yule ile wale sana tu
    pia lakini au kama je sasa mimi wewe sisi nyinyi yeye wao naomba nataka ningependa ungependa tafadhali
    asante ahsante shukrani karibu habari sawa ndio ndiyo hapana siku saa gani ngapi lini wapi bei jina langu
    lako lake letu lenu yako yangu yake yetu yenu wako wangu wetu wenu zako zangu zetu zenu changu chako kesho
    leo jana asubuhi mchana jioni usiku niko uko yuko iko tuko mko kuna hakuna nini nani kwani hivyo vile bado
    tayari kisha halafu baada kabla ili moja mbili tatu nne tano sita saba nane tisa kumi nusu robo nyingine
    lingine kingine zaidi bila kwamba hapa pale huko poa mambo vipi niaje pole hujambo sijambo mzuri nzuri
    vizuri njema kubwa ndogo huduma nywele miadi nafasi muda wakati wiki mwezi tarehe simu namba nambari pesa
    malipo kulipa lipa mteja bwana dada kaka mama rafiki basi labda haraka kwaheri tutaonana jumatatu jumanne
    jumatano alhamisi ijumaa jumamosi jumapili shilingi elfu mia hamna mna una nina ana tuna wana unaweza naweza
    naitwa kuhusu hata wote yote zote kila mwisho mwanzo kwanza kweli sijui nimeshakuambia hio mbona ama kusuka
    kunyoa
    """
)
ITALIAN = _words(
    """
    il lo gli le di del della dei delle dello che è e un una uno per con non sono sei siamo ho hai ha abbiamo
    vorrei grazie ciao buongiorno buonasera quando quale quali quanto alle alla allo al nel nella dal dalla mi
    ti ci si se ma anche come cosa perché più molto bene prego sì domani oggi mattina pomeriggio sera ora ore
    giorno nome prezzo costa pagare posso può potrei vuole vuoi questo questa quello quella mio mia tuo tua suo
    sua nostro lei lui io tu noi anni piace fare faccio sto stai sta stiamo arrivederci lunedì martedì mercoledì
    giovedì venerdì sabato domenica appuntamento servizio taglio capelli c'è dove chi
    """
)
SHARED = _words("a no si me come i la ma e so in sale to do one go pole ha he as per")
"""Words of two lists: a hint, not a proof (they count half)."""

_SYLLABLES = re.compile(r"(?:[mn]?(?:ch|sh|th|dh|gh|ny|ng'?|mb|nd|nj|nz|[bcdfghjklmnprstvwyz])?[wy]?[aeiou]){3,}")
_VERB = re.compile(
    r"(?:ha)?(?:ni|u|a|tu|m|wa|i|li|ya|ki|vi|zi|ku|si|hu|pa)"
    r"(?:na|me|ta|li|ka|nge|ngeli|sha|ja|takapo|napo|lipo|po|mesha)[a-z']{3,}"
)
_BOTH = re.compile(
    r"(?:ni|u|a|tu|m|wa|i|zi)(?:na|me|ta|li|nge|taka)(?:ku|ni|tu|m|wa)?(?!k?[wy])[b-df-hj-np-tv-z][a-z]*[b-df-hj-np-tv-z]"
    r"|(?:tu|ni)ku[b-df-hj-np-tv-z][a-z]*[b-df-hj-np-tv-z]"
)
"""An English verb with Swahili prefixes ("umeland", "nikubook"): Swahili words end in a vowel."""
_NOT_BOTH = _words(
    "american americans analyst analysts mental metal mileage until italian amen animal anal atlas until unless unlike"
)
_ENGLISH_SHAPE = re.compile(r".*(?:ing|ed|tion|ly|ght|'s|'t|'ll|'ve|'re|ck|sh|ness|ment|ll|ss|th)")
_LOOKS_SWAHILI = _words("minute manage salami")


@lru_cache(maxsize=50_000)
def weights(word: str) -> tuple[float, float, float]:
    """Return how much one lower-case word speaks for (English, Swahili, Italian)."""
    votes = [float(word in known) for known in (ENGLISH, SWAHILI, ITALIAN)]
    if sum(votes) > 1 or word in SHARED:
        return (votes[0] / 2, votes[1] / 2, votes[2] / 2)
    if any(votes):
        return (votes[0], votes[1], votes[2])
    if len(word) > 4 and word[-1] in "aeiou" and word not in _LOOKS_SWAHILI:
        if _VERB.fullmatch(word) and _SYLLABLES.fullmatch(word):
            return (0.0, 1.0, 0.0)
    elif len(word) > 5 and word not in _NOT_BOTH and _BOTH.fullmatch(word):
        return (0.5, 0.5, 0.0)
    elif len(word) > 4 and _ENGLISH_SHAPE.fullmatch(word):
        return (0.6, 0.0, 0.0)
    return (0.0, 0.0, 0.0)


def detect(words: Iterable[str]) -> str | None:
    """ "en", "sw", "it", "mixed" (English and Swahili together), or None for too little evidence."""
    english = swahili = italian = 0.0
    for word in words:
        e, s, i = weights(word)
        english += e
        swahili += s
        italian += i
    best = max(english, swahili, italian)
    if best < 1.0:
        return None
    if italian == best and italian > english and italian > swahili:
        return "it"
    if min(english, swahili) >= 1.0 and min(english, swahili) >= 0.2 * (english + swahili):
        return "mixed"
    return "en" if english >= swahili else "sw"


def fit(customer: str, agent: str) -> float:
    """0–1: how well an answer in `agent` suits a customer who wrote in `customer`."""
    if customer == agent:
        return 1.0
    if customer == "mixed":
        return {"sw": 0.92, "en": 0.5}.get(agent, 0.0)
    if agent == "mixed" and customer in ("en", "sw"):
        return 0.6 if customer == "sw" else 0.3
    return 0.0
