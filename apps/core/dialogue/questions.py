# ruff: noqa: E501 - patterns and lists of words
"""Find the sentences that ask something, count the things they ask, and name their topics.

Topic words tell the topic, and where there is none the shape of the question does: "who" asks for a name, "when" for a
day, "what shall be done" for the service, and "which one?" beside a list of times for the time. A question about paying
is about nothing else, whatever day or hour occurs in it. A question that names a time or day without asking for one
wants a yes.
"""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from apps.core.dialogue.transcript import Sentence, SpokenTurn

SLOTS = frozenset({"ask.name", "ask.service", "ask.day", "ask.time", "ask.phone", "ask.email", "ask.pay", "ask.who"})
"""Topics whose answer is a fact of the booking: asked once, answered once."""
_TOPICS = (*sorted(SLOTS), "ask.budget", "ask.place", "ask.confirm", "ask.more", "ask.help")
_TAG_WORDS = 2
_CHOICE_WORDS = 5
_OR = ("or", "au", "ama", "o", "oppure")
_MAX_REQUEST = 18
"""Words: a longer sentence without a question mark tells a story."""


def read(turn: "SpokenTurn", sentence: "Sentence") -> None:
    """Fill `asks` and `topics` of a sentence; a sentence that asks nothing keeps 0 and no topics."""
    text = turn.text[sentence.start : sentence.end]
    marked = "?" in text
    topics = frozenset(tag for tag in _TOPICS if tag in turn.marks and turn.within(tag, sentence))
    topics = _about(turn, sentence, text, topics)
    if not marked and not _unmarked(turn, sentence, topics):
        return
    if "form.social" in turn.marks and turn.within("form.social", sentence):
        return
    sentence.topics = topics
    interrogatives = _interrogatives(turn, sentence)
    slots = len(topics & SLOTS)
    if {"ask.day", "ask.time"} <= topics and interrogatives < 2:
        slots -= 1
    joined = len(_JOINED.findall(f". {text}")) if marked else 0
    sentence.asks = max(1.0, float(interrogatives if slots > 1 else joined), 1 + 0.5 * (slots - 1))
    sentence.tag = sentence.words <= _TAG_WORDS and not topics & SLOTS


_PAYS = re.compile(
    r"\b(?:(?:ku|u|uta|una|ni)?-?pay|paying|payment|charge|charged|m-?pesa|mpesa|cash|taslimu|pesa|hela|money|deposit|settl\w+|bill|card|cashier|keshia|"
    r"(?:ku|u|uta|una|utaka|nita|tu)?lip(?!i\b)[aei]\w*|malipo|ulipaji|pagare|pagamento|contanti)\b",
    re.I,
)
_NOT_ASKED = re.compile(
    r"\b(?:(?:on |that |this |the same |same |later (?:in|on) )(?:the |that )?days?|siku (?:hi[iy]o|hii|ile|hizo|moja|yako|nzuri|njema)"
    r"|sa[ae] (?:hi[iy]o|hii|hizi|hivi|ile|hizo)|(?:this|that|next|any|last|some|first|some|your|of) ?times?|time being|sometime)\b",
    re.I,
)
_DATE = re.compile(r"\b\d{1,2}(?:st|nd|rd|th)\b|\b(?:tarehe|siku) \d|\bdates? (?:of )?\d", re.I)
_WHICH = re.compile(r"\b(?:which|what|when|how|gani|ngapi|lini|ipi|gan|upi|zipi|quale|quando|che|quali)\b", re.I)
_NOW_OR_LATER = re.compile(
    r"^(?=.*?\b(?:now|sasa|later|baadaye|after|baada)\b).*?\b(?:or|au|ama)\b",  # in one line, in either order
    re.I | re.M,
)
_AT_WHAT_DAY = re.compile(r"^\W*+(?:[\w']++\W++){0,2}when\b|\bwhen\W*$|\blini\b", re.I)
"""In the middle of an English question "when" is no question word ("… when you come?")."""
_TELLS = re.compile(
    r"\W*(?:kindly|please|tafadhali)\W+(?:(?:take )?note|be|remember|bear|zingatia|fahamu|jua|kumbuka|elewa)\b", re.I
)
"""Begins like a request and tells something."""
_TELL = re.compile(r"\b(?:tell|let) (?:me|us)\b|\bniambie\b|\bnijulishe\b|\btuambie\b", re.I)
_WHO = re.compile(r"\b(?:who|whom|nani)\b|\bwho's\b|\bnames?\b|\bmajina\b|\byou are\s*\?", re.I)
_OTHER_PERSON = re.compile(
    r"\b(?:which|what) (?:of|one)\b|\bwho(?:'s| is| was) (?:your|the)\b|\bnames? of (?!the (?:person|client|customer|guest)|who)|\bher\b|\bhis\b|\bus\b"
    r"|\b(?:through|kupitia|kutoka kwa|kwa|by|from|with|told|sent|na) (?:who|whom|nani)\b|\bwho (?:told|sent|referred|recommended|sends|else)\b"
    r"|\bnani (?:alik|alit)\w+|\b(?:who|anyone|somebody|someone) else\b|\b(?:mw|w)ingine\b|\bwengine\b|\bmtu ingine\b",
    re.I,
)
_WHO_SERVES = re.compile(
    r"\b(?:stylist|msusi|barber|who would you (?:like|prefer|want)|who do you (?:want|prefer)|(?:ungependa|unataka|ungetaka|unapendelea) nani|nani (?:aku|a-)\w+|work on you|kinyozi|fundi|therapist|served|serve|do your|akuhudumie|akufanyie|akusuke)\b",
    re.I,
)
_WHAT_TO_DO = re.compile(
    r"\bwhat\b(?!'s)(?! (?:is|was|time|day|date|hour|name|number|kind|colou?r|size|else)\b).{0,30}\b(?:do|done|doing|need|get|have|want|book|like|mind|for you|after|getting|fancy)\b"
    r"|\b(?:tu|ni)ku[a-z]+e\b.{0,12}\bnini\b|\bnini\b.{0,12}\b(?:tu|ni)ku[a-z]+e\b|\b(?:una|unge|u)[a-z]+ (?:ku[a-z]+ )?nini\b",
    re.I,
)
_WHEN = frozenset({"ask.day", "ask.time"})


def _about(turn: "SpokenTurn", sentence: "Sentence", text: str, topics: frozenset[str]) -> frozenset[str]:
    """The topics of a sentence, were it a question: corrected by its shape, and found by it where no word tells."""
    which = _WHICH.search(text) is not None
    if _PAYS.search(text) and not topics & {"ask.phone", "ask.name"}:
        asks_when = which and topics & _WHEN and not _NOT_ASKED.search(text) and not _NOW_OR_LATER.search(text)
        return topics if asks_when else (topics - SLOTS) | {"ask.pay"}
    if "ask.confirm" in topics and _WHAT_TO_DO.match(text.lstrip(" ,.-")):
        topics -= {"ask.confirm"}
    if topics & _WHEN and not which:
        if _NOT_ASKED.search(text):
            topics -= _WHEN
        elif _DATE.search(text) or any(sentence.start <= time.start < sentence.end for time in turn.times):
            topics = (topics - _WHEN) | {"ask.confirm"}
    if "?" not in text:
        is_instruction = not topics & SLOTS and _TELL.search(text) and _WHAT_TO_DO.search(text)
        return topics | {"ask.service"} if is_instruction else topics
    if topics & SLOTS or topics & {"ask.confirm", "ask.more", "ask.who"}:
        return topics
    return topics | _by_shape(turn, sentence, text)


def _by_shape(turn: "SpokenTurn", sentence: "Sentence", text: str) -> frozenset[str]:
    """The topic of a question without a topic word; empty where the question's shape does not tell."""
    if _WHO.search(text) and not _OTHER_PERSON.search(text):
        return frozenset({"ask.who" if _WHO_SERVES.search(text) else "ask.name"})
    if _AT_WHAT_DAY.search(text):
        return frozenset({"ask.day"})
    inside = any(sentence.start <= time.start < sentence.end for time in turn.times)
    if turn.times and not inside and _WHICH.search(text):
        return frozenset({"ask.time"})
    return frozenset({"ask.service"}) if _WHAT_TO_DO.search(text) else frozenset()


def elaborates(turn: "SpokenTurn", sentence: "Sentence") -> bool:
    """A few words that only spell out the choice of the question before ("Friday or Saturday?")."""
    words = turn.words[sentence.first : sentence.last]
    return not sentence.topics and len(words) <= _CHOICE_WORDS and any(word in _OR for word in words)


def _unmarked(turn: "SpokenTurn", sentence: "Sentence", topics: frozenset[str]) -> bool:
    """A question without its mark: a request for a fact, or a question's beginning or question word."""
    if not topics or sentence.words > _MAX_REQUEST or turn.within("form.aside", sentence):
        return False
    text = turn.text[sentence.start : sentence.end]
    if (
        any(turn.within(tag, sentence) for tag in ("agent.demand", "agent.secret", "agent.money"))
        or _PAYS.search(text)
        or _TELLS.match(text)
    ):
        return False  # money and secrets are demanded, not asked about: payment_safety looks at that
    if "form.request" in turn.marks and turn.within("form.request", sentence):
        return True
    starts = [first for first, _ in turn.marks.get("form.start", ()) if sentence.first <= first <= sentence.first + 1]
    return bool(starts) or any(
        turn.words[first] in _SWAHILI_WH
        for first, _ in turn.marks.get("form.wh", ())
        if sentence.first <= first < sentence.last
    )


_SWAHILI_WH = frozenset(["gani", "ngapi", "lini", "nani", "ipi", "upi", "yupi", "zipi", "nini"])


_ITALIAN_WH = frozenset({"come", "che", "chi"})
"""Italian question words that are other words in English ("when would you like to come?")."""


_MAY_COME = re.compile(r"(?:ni|u|tu|m|wa|i|zi)(?:ku|ni|tu|m|wa)?(?:ku|ngo)?je")
"""Swahili "(that) you come", "(that) we wait for you": they end like a question word."""


_JOINED = re.compile(
    r"""(?:
        [.!:;,–-]\s+(?:(?:and|also|e|ed|anche|na|pia|so|then|poi)\s+){0,2}(?:
            what|when|where|who|how|why|which\s(?!is\b|are\b|was\b|were\b)|(?:do|did|would|are|will|have|can|could)\s+you
            |may\s+i|shall\s+[iw]|quant[oiae]|quando|quale|quali|vuole|vuoi|desidera|desideri|avete|preferisce|preferisci
            |(?:le|ti|vi)\s+serv\w+|ungependa|unataka|unahitaji|utakuja|utakaa)
        |\b(?:and|e|ed|na)\s+(?:
            what|when|where|who|how|which|(?:do|would|are|will|have)\s+you|quant[oiae]|quando|dove|che|chi|quale|quali|come
            |vuole|vuoi|desidera|desideri|avete|preferisce|preferisci|ungependa|unataka|unahitaji|utakuja|utakaa)
    )\b""",
    re.I | re.X,
)
"""Where a question begins: at the front of a sentence, or joined to the question before it."""


def _interrogatives(turn: "SpokenTurn", sentence: "Sentence") -> int:
    starts = {first for first, _ in turn.marks.get("form.wh", ()) if sentence.first <= first < sentence.last}
    starts = {first for first in starts if not _MAY_COME.fullmatch(turn.words[first])}
    if turn.language != "it":
        starts = {first for first in starts if turn.words[first] not in _ITALIAN_WH}
    return len(starts)
