"""Rule `flow`: the conversation leads somewhere. The share of the agent's steps that lose the thread.

A step is an agent message before the customer takes leave. It loses the thread when it asks for a fact of the booking
that the customer has given (asked and answered, or said unasked), when it begins again in the middle ("how can I help
you?"), when it says that it has lost the thread ("remind me", "nimesahau"), or when the customer answers "I have told
you". Asking again is fair after the agent said that something is not available (in words, or by naming the chosen time
or day and offering others), after an answer with nothing in it, when new times are offered (not the one the customer
named), when another one is asked for, and in the new business after a booking. What got lost because several things
were asked at once is left to `one_question`, closing questions to `closing`.
"""

from collections.abc import Mapping
from typing import Any

from apps.connectors.llms.offline_rules import clock
from apps.connectors.llms.offline_rules.answers import Quote, RuleAnswer, bounded, quote, quote_at, ramp, unique
from apps.connectors.llms.offline_rules.clock import Time
from apps.connectors.llms.offline_rules.confirmation import confirmed_times
from apps.connectors.llms.offline_rules.grammar import words
from apps.connectors.llms.offline_rules.questions import SLOTS
from apps.connectors.llms.offline_rules.reasons import reason
from apps.connectors.llms.offline_rules.refusal import refused
from apps.connectors.llms.offline_rules.thread import lost_at
from apps.connectors.llms.offline_rules.transcript import Sentence, Transcript, Turn

_LOST_SHARE = ((0.0, 10.0), (0.1, 7.7), (0.2, 5.4), (0.35, 3.0), (0.6, 1.0), (0.85, 0.0))


_ANOTHER = words("other another else different instead nyingine ingine lingine tofauti badala altro altra")
_WHEN = frozenset({"ask.day", "ask.time"})
_NO_ANSWER = ("customer.unsure", "customer.no", "customer.upset", "customer.suspicion", "customer.pricey")


class _Known:
    """What the customer has given so far, by topic."""

    def __init__(self) -> None:
        self.given: set[str] = set()
        self.asked: frozenset[str] = frozenset()
        self.offered: set[frozenset[int]] = set()
        self.named: tuple[Time, ...] = ()
        self.days: frozenset[int] = frozenset()

    def hear(self, customer: Turn) -> None:
        """Take in one customer message: the answer to what was just asked, and times or days said unasked."""
        if customer.times:
            self.named = customer.times
            self.given.add("ask.time")
        self.days = customer.weekdays or self.days
        if customer.names_a_day:
            self.given.add("ask.day")
        empty = customer.asks > 0 or customer.has(*_NO_ANSWER)
        asked = self.asked - _WHEN if not empty else frozenset()
        self.given |= asked if len(self.asked) == 1 else frozenset()
        if not empty and self.asked and self.asked <= _WHEN and any(word[0].isdigit() for word in customer.words):
            self.given |= self.asked
        self.asked = frozenset()


def _asked_again(turn: Turn, known: _Known) -> Sentence | None:
    """The sentence that asks for what is known already, unless there is a good ground to ask again."""
    if turn.has("agent.unavailable") or refused(turn, known.named):
        known.given -= {*_WHEN, "ask.service"}
        return None
    chosen = any(time.agrees(other) for time in turn.times for other in known.named)
    day_gone = (
        any(not s.asks and known.days & clock.weekdays(turn.words[s.first : s.last]) for s in turn.sentences)
        and not turn.times
        and any("ask.day" in s.topics for s in turn.sentences)
    )
    fresh_times = not chosen and any(time.minutes not in known.offered for time in turn.times)
    asked = False
    for sentence in turn.sentences:
        if sentence.asks and (_ANOTHER.intersection(turn.words[sentence.first : sentence.last]) or day_gone):
            continue  # "which other day?": the first one is gone, whatever the word for it
        if not sentence.asks or "ask.confirm" in sentence.topics or "ask.more" in sentence.topics:
            continue
        wanted = sentence.topics & SLOTS
        if asked and turn.asks > 1:
            break  # what comes after the first of several questions is `one_question`'s business
        asked = True
        if wanted and wanted <= known.given and not (fresh_times and wanted <= _WHEN):
            return sentence
    return None


def _lost_steps(transcript: Transcript, steps: list[Turn]) -> dict[int, Quote]:
    known, lost = _Known(), dict[int, Quote]()
    agents = {turn.index for turn in steps}
    first = steps[0].index
    previous: Turn | None = None
    for turn in transcript.turns:
        if turn.role == "user":
            known.hear(turn)
            if turn.has("customer.told_you") and previous is not None and previous.asks <= 1:
                lost.setdefault(previous.index, quote(previous))
        elif turn.index in agents:
            again = _asked_again(turn, known)
            if again is not None:
                lost[turn.index] = quote(turn, again)
            elif turn.index != first and (place := lost_at(turn.text)) is not None:
                lost[turn.index] = quote_at(turn, place)
            elif (
                turn.index != first
                and known.given
                and any("ask.help" in s.topics and "ask.more" not in s.topics for s in turn.sentences)
            ):
                lost[turn.index] = quote_at(turn, turn.position("ask.help"))
            known.asked |= frozenset().union(*(s.topics & SLOTS for s in turn.sentences if s.asks))
            known.offered |= {time.minutes for time in turn.times}
            if confirmed_times(turn, chosen="ask.time" in known.given):
                known.given -= {*_WHEN, "ask.service"}  # what comes after a booking is new business
            previous = turn
    return lost


def flow(transcript: Transcript, parameters: Mapping[str, Any], language: str) -> RuleAnswer:
    steps = transcript.before_farewell()
    if len(steps) < int(parameters.get("min_steps", 2)):
        return RuleAnswer(None, reason("flow", "none", language))
    lost = _lost_steps(transcript, steps)
    shown = [lost[index] for index in sorted(lost)] or [quote(steps[-1])]
    return RuleAnswer(
        bounded(ramp(len(lost) / len(steps), _LOST_SHARE)),
        reason("flow", "scored", language, lost=len(lost), total=len(steps)),
        unique(shown),
    )
