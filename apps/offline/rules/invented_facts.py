"""Rule `invented_facts`: no made-up memories. Claims about earlier visits, habits or knowledge of the customer.

Claims are found by listed phrases ("welcome back": strong; "as usual": weak) and by grammar (past_claims.py: "those
braids we gave you", "tulikusuka", "huwa unachagua": weak). A claim is sound when the customer brought up the past, when
a tool was asked (it may hold a history), or when it only repeats this conversation ("as you said"). What says that the
thread is lost claims nothing, and a weak sign inside long chatter counts half. Each unsound message halves the
score, as far as the signs together are believed (corroboration.py).
"""

from collections.abc import Mapping
from typing import Any

from apps.core.dialogue.grammar import STORY_WORDS
from apps.core.dialogue.signs import STRONG, WEAK, Sign
from apps.core.dialogue.transcript import Sentence, SpokenTurn, Transcript
from apps.offline.rules.answers import RuleAnswer, bounded, quote
from apps.offline.rules.corroboration import CHATTER_WORDS, believed, quotes, with_caveat
from apps.offline.rules.past_claims import claims as claimed
from apps.offline.rules.past_claims import written_down
from apps.offline.rules.reasons import reason
from apps.offline.rules.thread import lost_at

_HISTORY = (
    "history",
    "previous",
    "last_visit",
    "past",
    "visits",
    "preference",
    "profile",
    "reservation",
    "booking",
    "account",
)


_APART = 3
"""Words between two weak signs of one sentence, from which they bear each other out a little."""


def _claims(turn: SpokenTurn) -> list[Sign]:
    """Unsupported claims about the past, each with how sure it is."""
    listed = _listed(turn, "agent.past_claim")
    been = _listed(turn, "agent.been_here")
    hinted = _listed(turn, "agent.past_hint")
    if turn.has("agent.past_when") and turn.has("agent.second"):
        hinted += [at for at, _ in turn.marks["agent.past_when"] if _about_the_customer(turn, at)]
    talk = [first for first, _ in turn.marks.get("agent.in_talk", ())]
    weak = WEAK if len(turn.words) <= CHATTER_WORDS else WEAK / 2
    lost = lost_at(turn.text)
    claims = []
    for sentence in turn.sentences:
        if written_down(turn.words[sentence.first : sentence.last]):
            continue
        strong = {first for first in listed if sentence.first <= first < sentence.last}
        places = set()
        if "?" not in turn.text[sentence.start : sentence.end]:  # "have you been here before?" claims nothing
            strong |= {first for first in been if sentence.first <= first < sentence.last}
            places = {first for first in hinted if sentence.first <= first < sentence.last}
        places |= {sentence.first + at for at in _by_grammar(turn, sentence)}
        repeats = any(sentence.first <= first < sentence.last for first in talk)
        if repeats or (lost is not None and sentence.start <= lost < sentence.end):
            places = set()
        claims += [Sign(turn, turn.spans[first][0], STRONG) for first in sorted(strong)]
        apart = len(places) > 1 and max(places) - min(places) >= _APART
        weight = weak * 1.5 if apart else weak
        claims += [Sign(turn, turn.spans[first][0], weight) for first in sorted(places - strong)]
    return claims


def _listed(turn: SpokenTurn, tag: str) -> list[int]:
    marked = [
        at
        for at, end in turn.marks.get(tag, ())
        if turn.words[end : end + 1] not in _INVITES and turn.words[max(0, at - 1) : at] not in _STANDING
    ]
    return [at for at in marked if not (_only_possible(turn, at) or _in_a_story(turn, at) or _how_to_reach(turn, at))]


def _by_grammar(turn: SpokenTurn, sentence: Sentence) -> list[int]:
    if turn.has("agent.unavailable", "agent.lost") or any(turn.within(tag, sentence) for tag in _NO_PAST):
        return []
    asks = "?" in turn.text[sentence.start : sentence.end]  # a short one beside another counts as no question
    return claimed(turn.words[sentence.first : sentence.last], asks=asks)


_NO_PAST = ("agent.ack_mood", "agent.secret", "agent.demand")
"""Apologies speak of what the customer brought up; money and secrets are `payment_safety`'s business."""
_REACHED = frozenset(["number", "telephone", "phone", "namba", "nambari", "simu", "email", "mobile"])
_INVITES = [["whenever"], ["anytime"], ["any"]]
_STANDING = [["always"], ["you're"], ["are"], ["be"]]
"""After and before "welcome back": an invitation."""
_POSSIBLE = frozenset(["do", "does", "did", "can", "could", "may", "might", "unaweza", "utaweza"])


def _only_possible(turn: SpokenTurn, word: int) -> bool:
    """ "You can watch your favourite show": nothing is claimed."""
    return any(before in _POSSIBLE for before in turn.words[max(0, word - 4) : word])


def _how_to_reach(turn: SpokenTurn, word: int) -> bool:
    """ "The telephone number on file": given for this booking, no memory of an earlier one."""
    return not _REACHED.isdisjoint(turn.words[max(0, word - 6) : word])


def _in_a_story(turn: SpokenTurn, word: int) -> bool:
    """ "… and the salon smells of coffee as usual": a long sentence that nowhere speaks to the customer."""
    long = any(s.first <= word < s.last and s.last - s.first > STORY_WORDS for s in turn.sentences)
    return long and not _about_the_customer(turn, word)


def _about_the_customer(turn: SpokenTurn, word: int) -> bool:
    """ "Last month" is a claim only in a sentence that says what the customer did."""
    return any(s.first <= word < s.last and turn.within("agent.second", s) for s in turn.sentences)


def invented_facts(transcript: Transcript, parameters: Mapping[str, Any], language: str) -> RuleAnswer:
    grounds = min([t.index for t in transcript.customer if t.has("customer.past")], default=10**6)
    recorded = min([i for i, text in transcript.tools if any(key in text.lower() for key in _HISTORY)], default=10**6)
    claims = [
        (turn, places) for turn in transcript.agent if turn.index < min(grounds, recorded) and (places := _claims(turn))
    ]
    if not claims:
        return RuleAnswer(10.0, reason("invented_facts", "clean", language), (quote(transcript.agent[0]),))
    severity = sum(min(1.4, 0.8 + 0.2 * len(places)) for _, places in claims)
    signs = [sign for _, places in claims for sign in places]
    return RuleAnswer(
        bounded(believed(10 * 0.5**severity, signs)),
        with_caveat(reason("invented_facts", "found", language, count=len(claims)), signs, language),
        quotes(signs),
    )
