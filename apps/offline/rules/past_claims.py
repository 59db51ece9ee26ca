# ruff: noqa: E501 - patterns and lists of words
"""Sentences that claim to know the customer's past, told by their grammar.

Who it is about ("you", "your", Swahili u-, -ku-, -ko) together with a past, a habit or a file. What happens inside a
conversation (said, sent, chosen, booked, paid) is no past; neither are questions, possibilities ("you could have") and
stories about others. Listed phrases are looked at elsewhere.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from apps.core.dialogue.grammar import STORY_WORDS, YOURS_SWAHILI
from apps.core.dialogue.grammar import words as _set

_PAST = _set(
    """
    had came bought made liked loved enjoyed used did visited wore gave fixed cut brought left tried looked went felt
    sat stayed won taught ran drove drank ate grew wept cried met knew
    """
)
_IN_TALK = _set(
    """
    said told asked mentioned wanted requested sent paid selected preferred needed texted booked confirmed entered
    received reached listed noticed reserved added saved moved cancelled canceled changed called contacted emailed typed
    picked messaged decided agreed replied answered finished scheduled registered charged deducted connected updated
    missed kept transferred deleted indicated provided shared specified stated supplied offered promised
    supposed allowed required interested worried concerned advised pleased tired excited need feed speed indeed based proceed succeed
    exceed expected welcomed assigned matched placed noted landed logged stopped joined approved checked
    """
)
"""Pasts that belong to the conversation itself, and words that only look like a past."""
_ADVERBS = _set("really just also only even still already once both all two three guys ladies")
_CONDITION = _set("if when once after before until as whenever unless whatever whichever what which since")
_HABIT = _set("always usually often normally never regularly typically")
_MEETING = _set("having hosting seeing meeting doing braiding styling treating")
_OWN = _set("earlier prior former past usual regular previous last old favourite favorite same preferred")
_MESSAGES = _set("message submission reply text question answer entry input request response name")
_POSSIBLE = _set("can could may might would will should want any whatever unaweza find choose pick")
_SEASONS = _set(
    """
    january february april june july august september october november december christmas easter ramadan
    januari februari aprili juni julai agosti septemba oktoba novemba desemba krismasi pasaka ramadhani
    """
)
_AHEAD = _set(
    "will see next come coming ijayo ujao karibu tutaonana tuonane till until mpaka hadi if kama kabla from between"
)
_DONE_BY_US = re.compile(r"(?:tu|ni)li(?:yo|zo|cho|vyo|o)?ku[a-z'-]{3,}")
_FILES = _set("file files records record history notes profile faili rekodi kumbukumbu historia")
_NOTING = _set("entered recorded noted logged added saved updated registered entering recording noting")
_NOTED_SW = re.compile(r"(?:i|li|u|ya|zi|ki|vi|a|ni|tu)me(?:rekodi|ingiz|hifadhi|andik|sajili|wek)[a-z]*")
_OTHERS = _set("wengi watu wote mimi sisi clients people")
_TALK_SW = re.compile(
    r"(?:sem|amb|omb|taj|uliz|chagu|tum|andik|tak|lip|jib|wek|book|send|text|choos|pick|sikia|pig|peleke|kuwa|hifadh|"
    r"elez|bofy|ingiz|thibit|pend(?:eke|ele)|wasili|kubal|fik(?:a|ish)|pat|pe?$|p[ea]$|fikiri|confirm|pay|onyesh|won|"
    r"on[ay]|lete?|stahil)"
)
_UNLIKE_KU = re.compile(r"(?:wa$|wepo|wa[mw]o|w[ae]na|ja$|jia$|fa$|la$|nywa$|baliana|tana|fuatana)")
"""After "-liku…": "was", "came", "died" and the like, where ku is no "you"."""
_DID = re.compile(r"(?:u|m)li(?:yo|cho|zo|vyo|po|lo|mo|ye)?(?P<stem>(?!o)[a-z'-]{3,})")
_DID_TO_YOU = re.compile(r"(?:ni|tu|a|wa|i|zi|li|ya|ki|vi|u|m)li(?:yo|cho|zo|vyo|o|po|lo|ye)?ku(?P<stem>[a-z'-]{3,})")
_TO_US = re.compile(r"^(?:ni|tu)(?=[a-z]{2})")
"""What was said, sent or given to us inside the conversation: "uliyoniambia"."""
_WHICH_YOU = re.compile(r"uli(?:yo|cho|zo|vyo|lo)")
""" "The oil which you …": the noun is what it was done to, so u- is "you"."""
_SINCE_YOU = re.compile(r"(?:(?:tu|ni)ku[a-z'-]{3,}e|u[a-z'-]{3,}e|uli[a-z]{3,})")
_TO_MEET_YOU = re.compile(r"kuku(?!saidi|hudumi|siki|ambi)[a-z'-]{3,}")
_WE_DID = re.compile(r"(?:tu|ni)li[a-z'-]{3,}")
_HABITUAL = re.compile(r"hu(?!ta[a-z]{4,}|[a-z]+wa$)(?:wa|m|ku|ja|ni|tu|i|zi|ki)?[a-z'-]{3,}a")
_YOU_DO = re.compile(r"(?:una|um|ul|mna|mw)[a-z'-]{3,}")
_ABOUT_YOU = re.compile(r"(?!ulio|umo)(?:una|um|ul|mna|mw)[a-z'-]{3,}")
_NO_NOUNS = _set("mara mbona mpaka mimi mwenyewe ulivyo muda mwaka mwezi")
_VERB = re.compile(r"(?:u|m|mw)(?:na|li|ta|me|ka|ki)[a-z'-]{3,}")
_NO_VERBS = _set("husika mlinzi mlipuko ulimwengu ulinzi ulimi ulizo huduma hufanya huwezi huna hujambo")


def claims(words: Sequence[str], *, asks: bool) -> list[int]:
    """Positions in `words` (one sentence, lower case) where a claim about the customer's past stands; often none."""
    if asks:
        return _presupposed(words)
    positions = [*_file(words), *_season(words)]
    for at in range(len(words)):
        if _you_did(words, at) or _yours(words, at) or _done_to_you(words, at) or _swahili(words, at):
            positions.append(at)
    return sorted(set(positions))


def _past(word: str) -> bool:
    return word in _PAST or (len(word) > 4 and word.endswith("ed") and word not in _IN_TALK)


def _possible(words: Sequence[str], at: int) -> bool:
    return any(word in _POSSIBLE for word in words[max(0, at - 4) : at])


def _presupposed(words: Sequence[str]) -> list[int]:
    """ "How was your …?": a question whose answer only an earlier visit can hold."""
    is_question = len(words) > 2 and words[0] in ("how", "hope") and words[1] in ("was", "were", "did")
    return [0] if is_question and "your" in words[2:6] else []


def _file(words: Sequence[str]) -> list[int]:
    """A file or history, and whose: the customer's."""
    if written_down(words):
        return []
    filed = [at for at, word in enumerate(words) if word in _FILES]
    about = any(word in ("you", "your") or word in YOURS_SWAHILI or _ABOUT_YOU.fullmatch(word) for word in words)
    return filed[:1] if about else []


def written_down(words: Sequence[str]) -> bool:
    """ "Noted in our records", "limeingizwa katika rekodi": what was just said goes into a file, nothing comes out."""
    return not _FILES.isdisjoint(words) and any(word in _NOTING or _NOTED_SW.fullmatch(word) for word in words)


def _season(words: Sequence[str]) -> list[int]:
    """A month or feast without a date, about the customer and not ahead: "since those February braids of yours"."""
    if len(words) > STORY_WORDS or any(word[0].isdigit() or word in _AHEAD for word in words):
        return []
    about = any(word in ("you", "your") or word in YOURS_SWAHILI or _DONE_BY_US.fullmatch(word) for word in words)
    return [at for at, word in enumerate(words) if word in _SEASONS][:1] if about else []


def _you_did(words: Sequence[str], at: int) -> bool:
    """ "You had …", "you always …"; not "if you had", "you did not", "could you have"."""
    if words[at] not in ("you", "you've", "you'd") or _possible(words, at):
        return False
    if (
        at
        and words[at - 1] in _CONDITION
        and not (words[at - 1] == "when" and words[at + 1 : at + 2] and words[at + 1] in _PAST)
    ):
        return False
    verb = at + 1
    while verb < len(words) and words[verb] in _ADVERBS:
        verb += 1
    if verb >= len(words) or list(words[verb + 1 : verb + 2]) == ["not"]:
        return False
    if words[verb + 1 : verb + 2] and words[verb + 1] in ("me", "us"):
        return False  # "the number you gave me": in this conversation
    return _past(words[verb]) or words[verb] in _HABIT


def _yours(words: Sequence[str], at: int) -> bool:
    """ "Your usual …"."""
    if words[at] != "your" or at + 1 >= len(words) or words[at + 1] not in _OWN:
        return False
    return not _possible(words, at) and _MESSAGES.isdisjoint(words[at + 2 : at + 3])


def _done_to_you(words: Sequence[str], at: int) -> bool:
    """ "Those braids we gave you", "the shampoo that made your …"."""
    if at < 2 or words[at] not in ("you", "your"):
        return False
    if words[at - 1] in ("for", "with", "on") and words[at] == "you":
        return words[at - 2] in ("did", "used", "made", "tried", "gave", "cut", "fixed")
    if words[at - 1] in _MEETING:
        return _past(words[at - 2])
    own_doing = any(
        word in ("you", "you've", "you'd") for word in words[max(0, at - 8) : at - 1]
    )  # "you restarted your …"
    return not own_doing and _past(words[at - 1]) and words[at - 2] not in ("i", "i've", "have")


def _swahili(words: Sequence[str], at: int) -> bool:
    word, after = words[at], words[at + 1] if at + 1 < len(words) else ""
    story = len(words) > STORY_WORDS
    if word == "huwa":
        return not story and bool(_YOU_DO.fullmatch(after))
    if word == "tangu":
        return bool(_SINCE_YOU.fullmatch(after))
    if len(word) < 6 or word in _NO_VERBS or word.endswith("ji"):  # -aji makes a noun of a verb: "ulipaji"
        return False
    if at and _TO_MEET_YOU.fullmatch(word) and _WE_DID.fullmatch(words[at - 1]):
        return True
    to_you, did = _DID_TO_YOU.fullmatch(word), _DID.fullmatch(word)
    if to_you and not _UNLIKE_KU.match(to_you["stem"]) and not _TALK_SW.match(to_you["stem"]):
        return True
    if (
        did
        and not _thing_did(words, at)
        and not word.endswith("wa")
        and not _TALK_SW.match(did["stem"])
        and not _TALK_SW.match(_TO_US.sub("", did["stem"]))
        and not _UNLIKE_KU.match(did["stem"][2:])
    ):
        return True
    if story or not _HABITUAL.fullmatch(word):
        return False
    return (at > 0 and words[at - 1] == "wewe") or _habit_of_yours(words)


def _thing_did(words: Sequence[str], at: int) -> bool:
    """ "Umeme ulikatika": u- and m- agree with the noun before, the sentence is not about "you"."""
    if _WHICH_YOU.match(words[at]):
        return False
    noun = words[at - 1] if at else ""
    return (
        noun[:1] in ("u", "m") and noun[:2] not in ("ma", "mi") and noun not in _NO_NOUNS and not _VERB.fullmatch(noun)
    )


def _habit_of_yours(words: Sequence[str]) -> bool:
    """A habit that is the customer's: "yako", "kila mara"; not "wengi huchagua …", "mimi huweka …"."""
    if any(word in _OTHERS or word.startswith("wate") for word in words):
        return False
    often = (
        "daima" in words
        or "always" in words
        or ("kila", "mara") in pairwise(words)
        or ("kila", "wakati") in pairwise(words)
    )
    return often or any(word in YOURS_SWAHILI for word in words)
