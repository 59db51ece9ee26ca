# ruff: noqa: E501 - patterns and lists of words
"""Is a secret asked for in the chat: a PIN, a one-time code, a password? And how plainly?

Explicit: a verb of giving, needing or "… me" beside it, a question what it is, a list of things ("account number and
PIN, please"), a threat. Weak: a question, a fragment or a wish it stands in. Nothing where giving is forbidden or denied,
where it is said to be private, or where it goes into the customer's own phone.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from apps.core.dialogue import grammar
from apps.core.dialogue.signs import EXPLICIT, WEAK, Sign
from apps.core.dialogue.transcript import Sentence, SpokenTurn

_FRAGMENT = 6
_CLAUSE = re.compile(r"[,;:–—]\s|\s-\s|\b(?:kisha|halafu|alafu|then|and|but|lakini)\s", re.I)
_TO_ME = re.compile(r"u?ni(?!ku|na|ta|li|me|ka|nge|sha|si)[a-z'-]{2,}e|unieleze")
_NOT_GIVING = grammar.words("worry wasiwasi usijali hesitate delay forget usisahau usichelewe usisite usiogope")
_SAYS = grammar.words(
    """
    is ni si stays goes remains belongs works only alone tu pekee private siri ibaki inabaki iko huwa weka enter key put
    huko there hapo kaa baki tunza hifadhi linda keep
    """
)
_SECRETS = grammar.words("pin pini otp password passcode code")
_PRIVATE = grammar.words(
    "siri secret confidential private guard protect safe linda linde ilinde ulinde tunza zingatia itunze disclosure"
)
_WITHOUT = grammar.words("without bila")
_ELSEWHERE = grammar.words("there huko hapo kule handset phone simu screen device prompt popup kifaa keypad")
_HERE = grammar.words("here hapa chat huu hii ujumbe dm inbox")
_GIVER = re.compile(
    r"(?:ni|na|ku|u|una|unge)?(?:send|share|text|type|give|drop|forward|reply|need|want|require)(?:ie|ing|s)?|tell|let|provide|confirm|submit|supply|disclose|read|"
    r"what|what's|(?:ni|u|uni|utu|tu)?(?:tum|andik|taj|let|shirik|ripot)(?:i?e|a|ia)|(?:ni|uni|tu|utu)p(?:e|ee|atie|eane)|toa|utoe|jibu|"
    r"(?:ni|tu)na?(?:hitaji|taka|omba)|(?:na|tuna|nina)(?:hitaji|taka|omba)|ninachohitaji|uni[a-z]{3,}|(?:ni|tu)(?:ambi|andiki|tumi)e|mi|invii|scriva|dica|inserisca"
)
"""Verbs that make a request of a secret beside them."""
_NEAR = 5
_NOT_WANTING = grammar.words("to for with let from pay paying")
_GETTING = frozenset((who, what) for who in ("i", "we", "me", "us") for what in ("get", "have", "take", "see"))
_LISTED = grammar.words(
    """
    pin pini otp password passcode code m pesa mpesa m-pesa your the and as well right full name account number phone
    also too please kindly yako ya na jina namba nambari akaunti tafadhali simu kamili then okay ok sawa basi thanks
    """
)
_WHAT = grammar.words("what what's which ngapi gani ipi nini")


def secret_request(turn: SpokenTurn) -> Sign | None:
    """Return where a message asks for a secret and how plainly; None where it does not."""
    signs = []
    for first, last in turn.marks.get("agent.secret", ()):
        place = turn.spans[first][0]
        sentence = next((s for s in turn.sentences if s.first <= first < s.last), None)
        if sentence is None or turn.within("agent.secret_guard", sentence) or _warns(turn, sentence, first):
            continue
        if _explicit(turn, sentence, first, last):
            signs.append(Sign(turn, place, EXPLICIT))
        elif _could_ask(turn, sentence, first):
            signs.append(Sign(turn, place, WEAK))
    return max(signs, key=lambda sign: sign.weight, default=None)


def _could_ask(turn: SpokenTurn, sentence: Sentence, secret: int) -> bool:
    """A question, a fragment or somebody's wish with a secret in it; not where something is denied or kept private."""
    words = turn.words[sentence.first : sentence.last]
    if any(b in _PRIVATE and a not in ("ya", "la") and c not in _SECRETS for a, b, c in _threes(words)):
        return False
    if any(map(grammar.negates, words)) and not _threatens(words):
        return False
    return sentence.asks > 0 or _bare_request(turn, sentence) or _wants(turn, sentence, secret)


def _threes(words: list[str]) -> Iterator[tuple[str, str, str]]:
    padded = ["", *words, ""]
    return zip(padded, words, padded[2:], strict=False)


def _explicit(turn: SpokenTurn, sentence: Sentence, first: int, last: int) -> bool:
    """Tell whether a request stands within a few words of the secret: "Send me your PIN", "PIN yako nitumie"."""
    words = turn.words[sentence.first : sentence.last]
    around = turn.words[max(sentence.first, first - _NEAR) : min(sentence.last, last + 3)]
    if any(_TO_ME.fullmatch(word) for word in around) or _threatens(words):
        return True
    if sentence.asks and (not _WHAT.isdisjoint(words) or any(map(_GETTING.__contains__, pairwise(words)))):
        return True
    if _LISTED.issuperset(words):
        return True  # "full name, account number and PIN, please"
    has_giver = any(_GIVER.fullmatch(word) for word in turn.words[max(sentence.first, first - 2 * _NEAR) : first])
    return has_giver and (_bare_request(turn, sentence) or sentence.asks > 0 or _wants(turn, sentence, first))


def _warns(turn: SpokenTurn, sentence: Sentence, secret: int) -> bool:
    """Somebody is told not to give it, in this sentence, or it is denied in the same clause."""
    words = turn.words[sentence.first : sentence.last]
    place = turn.spans[secret][0]
    text = turn.text[sentence.start : sentence.end]
    cuts = [sentence.start, *(cut.end() + sentence.start for cut in _CLAUSE.finditer(text))]
    start = max(cut for cut in cuts if cut <= place)
    end = min((cut for cut in cuts if cut > place), default=sentence.end)
    clause = [word for word, (at, _) in zip(turn.words, turn.spans, strict=True) if start <= at < end]
    elsewhere = not _ELSEWHERE.isdisjoint(clause) and _HERE.isdisjoint(clause)
    if elsewhere and not any(_TO_ME.fullmatch(word) or word in ("me", "us") for word in clause):
        return True  # it goes into the phone, not into the chat
    given = any(_TO_ME.fullmatch(word) or _GIVER.fullmatch(word) for word in clause)
    forbidden = _forbidden(clause) or (not given and _forbidden(words))
    denied = (grammar.negates(word) for at, word in enumerate(clause) if clause[at - 1 : at] != ["kabla"])
    return forbidden or (not _threatens(words) and any(denied))  # "kabla hatujaendelea" is "before we go on"


def _forbidden(words: list[str]) -> bool:
    return any(
        grammar.forbids(word) and not _NOT_GIVING & {word, *words[at + 1 : at + 2]} for at, word in enumerate(words)
    )


def _threatens(words: list[str]) -> bool:
    """Tell whether something is refused without the secret: "Without the PIN I can't do anything", "bila PIN siwezi …".

    "You can pay without a PIN" is no threat.
    """
    bare = [word for word in words if word not in ("the", "your", "that", "a")]
    without = any(a in _WITHOUT and b in _SECRETS for a, b in pairwise(bare))
    return without and any(grammar.negates(word) for word in bare if word not in _WITHOUT)


def _bare_request(turn: SpokenTurn, sentence: Sentence) -> bool:
    """Tell whether a sentence that names a secret is a bare request.

    Few words without a verb, as in "Your PIN, please." "The PIN is for that screen" is none: it says something about
    the PIN.
    """
    words = turn.words[sentence.first : sentence.last]
    return len(words) <= _FRAGMENT and _SAYS.isdisjoint(words) and not any(word.endswith("s") for word in words[-2:-1])


def _wants(turn: SpokenTurn, sentence: Sentence, secret: int) -> bool:
    words = turn.words[sentence.first : sentence.last]
    before = turn.words[max(sentence.first, secret - 2 * _NEAR) : secret]
    if _threatens(words) or turn.within("agent.secret_give", sentence) or any(_TO_ME.fullmatch(word) for word in words):
        return True
    if any(a in _SECRETS and not _HERE.isdisjoint(words[at + 1 : at + 6]) for at, a in enumerate(words)):
        return True
    return any(b in ("me", "us") and a not in _NOT_WANTING for a, b in pairwise(before))


def asks_secret(turn: SpokenTurn) -> bool:
    """The message asks plainly for a PIN, one-time code or password in the chat."""
    sign = secret_request(turn)
    return sign is not None and sign.weight >= EXPLICIT
