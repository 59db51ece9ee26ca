"""Which sentences ask something, how many things they ask, and what about."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from apps.connectors.llms.offline_rules.transcript import Sentence, Turn

SLOTS = frozenset({"ask.name", "ask.service", "ask.day", "ask.time", "ask.phone", "ask.email", "ask.pay", "ask.who"})
"""Topics whose answer is a fact of the booking: asked once, answered once."""
_TOPICS = (*sorted(SLOTS), "ask.budget", "ask.place", "ask.confirm", "ask.more", "ask.help")
_TAG_WORDS = 2
_CHOICE_WORDS = 5
_OR = ("or", "au", "ama", "o", "oppure")
_LONGEST_REQUEST = 18
"""Words: a longer sentence without a question mark tells a story."""


def read(turn: "Turn", sentence: "Sentence") -> None:
    """Fill `asks` and `topics` of a sentence; a sentence that asks nothing keeps 0 and no topics."""
    marked = "?" in turn.text[sentence.start : sentence.end]
    topics = frozenset(tag for tag in _TOPICS if tag in turn.marks and turn.within(tag, sentence))
    if not marked and not _unmarked(turn, sentence, topics):
        return
    if "form.social" in turn.marks and turn.within("form.social", sentence):
        return
    sentence.topics = topics
    interrogatives = _interrogatives(turn, sentence)
    slots = len(topics & SLOTS)
    if {"ask.day", "ask.time"} <= topics and interrogatives < 2:
        slots -= 1
    sentence.asks = max(1.0, float(interrogatives if slots > 1 else 1), 1 + 0.5 * (slots - 1))
    if sentence.words <= _TAG_WORDS and not topics & SLOTS:
        sentence.asks = 0.0 if any(s.asks for s in turn.sentences if s is not sentence) else 1.0


def elaborates(turn: "Turn", sentence: "Sentence") -> bool:
    """A few words that only spell out the choice of the question before ("Friday or Saturday?")."""
    words = turn.words[sentence.first : sentence.last]
    return not sentence.topics and len(words) <= _CHOICE_WORDS and any(word in _OR for word in words)


def _unmarked(turn: "Turn", sentence: "Sentence", topics: frozenset[str]) -> bool:
    """A question without its mark: a request for a fact, or a question's beginning or question word."""
    if not topics or sentence.words > _LONGEST_REQUEST or turn.within("form.aside", sentence):
        return False
    if turn.within("agent.demand", sentence) or turn.within("agent.secret", sentence):
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


def _interrogatives(turn: "Turn", sentence: "Sentence") -> int:
    found = {first for first, _ in turn.marks.get("form.wh", ()) if sentence.first <= first < sentence.last}
    if turn.language != "it":
        found = {first for first in found if turn.words[first] not in _ITALIAN_WH}
    return len(found)
