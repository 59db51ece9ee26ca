"""Rule `flow`: the conversation leads somewhere. The share of the agent's steps that lose the thread.

A step is an agent message before the customer takes leave. It loses the thread when it asks for a fact of the booking
that the customer has given (asked and answered, or said unasked), when it begins again in the middle ("how can I help
you?"), when it says that it has lost the thread ("remind me", "nimesahau"), or when the customer answers "I have told
you". Asking again is fair after the agent said that something is not available (in words, or by naming the chosen time
or day and offering others), after an answer with nothing in it, when new times are offered (not the one the customer
named), when another one is asked for, and in the new business after a booking. What got lost because several things
were asked at once is left to `one_question`, closing questions to `closing`.

Strong signs: a lost thread in words, a question for what can be seen in the customer's words (a day, a time, a
number), the same question word for word, two signs in one step. Weak ones: a question for what the customer is only
supposed to have answered, a new beginning, "I have told you". The share counts as far as the signs together are
believed (corroboration.py).
"""

import re
from collections.abc import Mapping
from typing import Any

from apps.core.dialogue import clock, grammar
from apps.core.dialogue.clock import Time
from apps.core.dialogue.confirmation import confirmed_times
from apps.core.dialogue.grammar import words
from apps.core.dialogue.questions import SLOTS
from apps.core.dialogue.signs import STRONG, WEAK, Sign
from apps.core.dialogue.transcript import Sentence, SpokenTurn, Transcript
from apps.offline.rules.answers import RuleAnswer, bounded, quote, ramp
from apps.offline.rules.corroboration import believed, quotes, with_caveat
from apps.offline.rules.reasons import reason
from apps.offline.rules.refusal import refused
from apps.offline.rules.thread import lost_at

_LOST_SHARE = ((0.0, 10.0), (0.1, 7.7), (0.2, 5.4), (0.35, 3.0), (0.6, 1.0), (0.85, 0.0))


_ANOTHER = words("other another else different instead nyingine ingine lingine tofauti badala altro altra")
_WHEN = frozenset({"ask.day", "ask.time"})
_NUMBER = re.compile(r"(?:\d[\s-]?){7,}|@")
"""A telephone number or an address."""
_REACH = frozenset({"ask.phone", "ask.email"})
_NO_ANSWER = ("customer.unsure", "customer.no", "customer.upset", "customer.suspicion", "customer.pricey")


class _Known:
    """Facts that the customer has given so far, by topic."""

    def __init__(self) -> None:
        self.given: set[str] = set()
        self.seen: set[str] = set()
        self.asked: frozenset[str] = frozenset()
        self.offered: set[frozenset[int]] = set()
        self.named: tuple[Time, ...] = ()
        self.days: frozenset[int] = frozenset()
        self.questions: set[tuple[str, ...]] = set()

    def hear(self, customer: SpokenTurn) -> None:
        """Take in one customer message: the answer to what was just asked, and times or days said unasked."""
        if customer.times:
            self.named = customer.times
            self.seen.add("ask.time")
        self.days = customer.weekdays or self.days
        if customer.names_a_day:
            self.seen.add("ask.day")
        if _NUMBER.search(customer.text):
            self.seen |= _REACH
        self.given |= self.seen & {"ask.time", "ask.day"} | (self.seen & self.asked)
        empty = customer.asks > 0 or customer.has(*_NO_ANSWER) or any(map(grammar.negates, customer.words))
        questions_left = self.asked - _WHEN - _REACH if not empty else frozenset()
        self.given |= questions_left if len(self.asked) == 1 else frozenset()
        if not empty and self.asked and self.asked <= _WHEN and any(word[0].isdigit() for word in customer.words):
            self.given |= self.asked
        self.asked = frozenset()

    def forget(self) -> None:
        """Forget given facts that may be asked for anew: they are gone, or the booking is done."""
        self.given -= {*_WHEN, "ask.service"}
        self.seen -= _WHEN


def _asked_again(turn: SpokenTurn, known: _Known) -> Sentence | None:
    """The sentence that asks for what is known already, unless there is a good ground to ask again."""
    if turn.has("agent.unavailable") or refused(turn, known.named):
        known.forget()
        return None
    chosen = any(time.agrees(other) for time in turn.times for other in known.named)
    day_gone = (
        any(not s.asks and known.days & clock.weekdays(turn.words[s.first : s.last]) for s in turn.sentences)
        and not turn.times
        and any("ask.day" in s.topics for s in turn.sentences)
    )
    fresh_times = not chosen and any(time.minutes not in known.offered for time in turn.times)
    was_asked = False
    for sentence in turn.sentences:
        if sentence.asks and (_ANOTHER.intersection(turn.words[sentence.first : sentence.last]) or day_gone):
            continue  # "which other day?": the first one is gone, whatever the word for it
        if not sentence.asks or "ask.confirm" in sentence.topics or "ask.more" in sentence.topics:
            continue
        wanted = sentence.topics & SLOTS
        if was_asked and turn.asks > 1:
            break  # what comes after the first of several questions is `one_question`'s business
        was_asked = True
        if wanted and wanted <= known.given and not (fresh_times and wanted <= _WHEN):
            return sentence
    return None


def _lost_steps(transcript: Transcript, steps: list[SpokenTurn]) -> dict[int, Sign]:
    known, lost = _Known(), dict[int, Sign]()
    agents = {turn.index for turn in steps}
    previous: SpokenTurn | None = None
    for turn in transcript.turns:
        if turn.role == "user":
            known.hear(turn)
            if turn.has("customer.told_you") and previous is not None and previous.asks <= 1:
                before = lost.get(previous.index)
                place, weight = (before.place, STRONG) if before else (0, WEAK)
                lost[previous.index] = Sign(previous, place, weight)
        elif turn.index in agents:
            sign = _lost(turn, known, begun=turn.index != steps[0].index)
            if sign is not None:
                lost[turn.index] = sign
            known.asked |= frozenset().union(*(s.topics & SLOTS for s in turn.sentences if s.asks))
            known.questions |= {_asked_words(turn, s) for s in turn.sentences if s.topics & SLOTS - {"ask.pay"}}
            known.offered |= {time.minutes for time in turn.times}
            if confirmed_times(turn, chosen="ask.time" in known.given):
                known.forget()  # what comes after a booking is new business
            previous = turn
    return lost


def _lost(turn: SpokenTurn, known: _Known, *, begun: bool) -> Sign | None:
    """The sign that this message of the agent has lost the thread, if there is one; `begun`: it is not the first."""
    again = _asked_again(turn, known)
    forgot = lost_at(turn.text) if begun else None
    if forgot is not None:
        return Sign(turn, forgot, STRONG)
    if again is not None:
        seen = again.topics & SLOTS <= known.seen or _asked_words(turn, again) in known.questions
        return Sign(turn, again.start, STRONG if seen else WEAK)
    anew = any("ask.help" in s.topics and "ask.more" not in s.topics for s in turn.sentences)
    return Sign(turn, turn.position("ask.help"), WEAK) if begun and known.given and anew else None


def _asked_words(turn: SpokenTurn, sentence: Sentence) -> tuple[str, ...]:
    return tuple(turn.words[sentence.first : sentence.last])


def flow(transcript: Transcript, parameters: Mapping[str, Any], language: str) -> RuleAnswer:
    steps = transcript.before_farewell()
    if len(steps) < int(parameters.get("min_steps", 2)):
        return RuleAnswer(None, reason("flow", "none", language))
    lost = _lost_steps(transcript, steps)
    signs = [lost[index] for index in sorted(lost)]
    return RuleAnswer(
        bounded(believed(ramp(len(lost) / len(steps), _LOST_SHARE), signs)),
        with_caveat(reason("flow", "scored", language, lost=len(lost), total=len(steps)), signs, language),
        quotes(signs) or (quote(steps[-1]),),
    )
