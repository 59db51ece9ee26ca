"""Rule `invented_facts`: no made-up memories. Claims about earlier visits, habits or knowledge of the customer.

Claims are found by listed phrases ("welcome back") and by grammar (past_claims.py: "those braids we gave you",
"tulikusuka", "huwa unachagua"). A claim is sound when the customer brought up the past, when a tool was asked (it may
hold a history), or when it only repeats this conversation ("as you said"). Each unsound message halves the score.
"""

from collections.abc import Mapping
from typing import Any

from apps.connectors.llms.offline_rules.answers import RuleAnswer, bounded, quote, quote_at, unique
from apps.connectors.llms.offline_rules.past_claims import STORY_WORDS, written_down
from apps.connectors.llms.offline_rules.past_claims import claims as claimed
from apps.connectors.llms.offline_rules.reasons import reason
from apps.connectors.llms.offline_rules.transcript import Transcript, Turn

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


def _claims(turn: Turn) -> list[int]:
    """Characters where an unsupported claim about the past begins."""
    marked = [at for at, _ in turn.marks.get("agent.past_claim", ())]
    own = [at for at in marked if not (_only_possible(turn, at) or _in_a_story(turn, at) or _how_to_reach(turn, at))]
    if turn.has("agent.past_when") and turn.has("agent.second"):
        own += [at for at, _ in turn.marks["agent.past_when"] if _about_the_customer(turn, at)]
    talk = [first for first, _ in turn.marks.get("agent.in_talk", ())]
    excuses = turn.has("agent.unavailable") or turn.has("agent.lost")
    found = []
    for sentence in turn.sentences:
        if any(sentence.first <= first < sentence.last for first in talk):
            continue
        if written_down(turn.words[sentence.first : sentence.last]):
            continue
        places = {first for first in own if sentence.first <= first < sentence.last}
        if not excuses and not any(turn.within(tag, sentence) for tag in _NO_PAST):
            asks = "?" in turn.text[sentence.start : sentence.end]  # a short one beside another counts as no question
            heard = claimed(turn.words[sentence.first : sentence.last], asks=asks)
            places |= {sentence.first + at for at in heard}
        found += [turn.spans[first][0] for first in sorted(places)]
    return found


_NO_PAST = ("agent.ack_mood", "agent.secret", "agent.demand")
"""Apologies speak of what the customer brought up; money and secrets are `payment_safety`'s business."""
_REACHED = frozenset(["number", "telephone", "phone", "namba", "nambari", "simu", "email", "mobile"])
_POSSIBLE = frozenset(["can", "could", "may", "might", "unaweza", "utaweza"])


def _only_possible(turn: Turn, word: int) -> bool:
    """ "You can watch your favourite show": nothing is claimed."""
    return any(before in _POSSIBLE for before in turn.words[max(0, word - 4) : word])


def _how_to_reach(turn: Turn, word: int) -> bool:
    """ "The telephone number on file": given for this booking, no memory of an earlier one."""
    return not _REACHED.isdisjoint(turn.words[max(0, word - 6) : word])


def _in_a_story(turn: Turn, word: int) -> bool:
    """ "… and the salon smells of coffee as usual": a long sentence that nowhere speaks to the customer."""
    long = any(s.first <= word < s.last and s.last - s.first > STORY_WORDS for s in turn.sentences)
    return long and not _about_the_customer(turn, word)


def _about_the_customer(turn: Turn, word: int) -> bool:
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
    return RuleAnswer(
        bounded(10 * 0.5**severity),
        reason("invented_facts", "found", language, count=len(claims)),
        unique([quote_at(turn, place) for turn, places in claims for place in places]),
    )
