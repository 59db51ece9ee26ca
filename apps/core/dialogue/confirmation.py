"""Find the agent's messages that confirm a time: by their words, or by their shape."""

import re

from apps.core.dialogue.clock import Time
from apps.core.dialogue.grammar import STORY_WORDS, YOURS
from apps.core.dialogue.money import has_currency
from apps.core.dialogue.transcript import Sentence, SpokenTurn


def confirmed_times(turn: SpokenTurn, *, chosen: bool) -> list[Time]:
    """The times this agent message confirms; empty for offers, refusals and questions.

    By words: a sentence that says booked, confirmed, imethibitishwa, prenotato and names a time (or the message's only
    time, standing beside it). By shape: once the customer has `chosen` a time, a message whose statements come down to
    one single time together with its day. A message that lists several times offers them and confirms none by shape.
    """
    if not turn.times or turn.has("agent.unavailable"):
        return []
    if turn.asks and len(turn.times) > 2 and any(not time.agrees(turn.times[0]) for time in turn.times):
        return []  # a choice of times is offered, whatever is said of another ("3:00pm is booked")
    stated = [s for s in turn.sentences if not s.asks]
    own = [time for s in stated if turn.within("agent.confirmed", s) for time in _inside(turn, s)]
    if own:
        return own
    candidates = [time for s in stated if not _story(turn, s) for time in _inside(turn, s)]
    if not candidates or any(not time.agrees(candidates[0]) for time in turn.times):
        return []
    if turn.has("agent.confirmed"):
        return candidates[:1]
    return candidates[:1] if chosen and turn.names_a_day and not turn.has("agent.offer") else []


_FOR_YOU = re.compile(r"(?:tu|ni)(?:ta|na|me|li)?ku[a-z'-]{3,}")
"""Swahili "we will do … for you"."""


def in_words(turn: SpokenTurn, time: Time) -> bool:
    """Tell whether the sentence around a time says in words that something is booked."""
    return any(s.start <= time.start < s.end and turn.within("agent.confirmed", s) for s in turn.sentences)


def _story(turn: SpokenTurn, sentence: Sentence) -> bool:
    """Chatter about the shop that names an hour: a long sentence that nowhere speaks to the customer."""
    words = turn.words[sentence.first : sentence.last]
    if len(words) <= STORY_WORDS or has_currency(turn.text[sentence.start : sentence.end]):
        return False
    to_you = not YOURS.isdisjoint(words) or any(map(_FOR_YOU.fullmatch, words))
    return not to_you and not turn.within("agent.second", sentence)


def _inside(turn: SpokenTurn, sentence: Sentence) -> list[Time]:
    return [time for time in turn.times if sentence.start <= time.start < sentence.end]
