"""Rule `slot_confirmation`: only times and days that exist are confirmed.

Looked at: agent messages that confirm a time, by their words or by their shape (see confirmation.py). A time is sound
when the customer named it, or when the customer took it from what the agent offered before; where tool results name
times, an offered or confirmed time must be among them or in the customer's own words; where the agent listed several
times, a confirmed one must be among those listed or asked for. A weekday is sound when somebody named it before.
Swahili clock and English clock are read as the same time. A time that was invented stays so when it is said again.

An invented time proves itself where its sentence says that it is booked, is a strong sign where only the shape of the
message confirms it, and a weak one inside long chatter or where it is merely not the one named last (corroboration.py).
"""

from collections.abc import Mapping
from typing import Any

from apps.core.dialogue.clock import Time, bare_hours, times
from apps.core.dialogue.confirmation import confirmed_times, in_words
from apps.core.dialogue.signs import EXPLICIT, STRONG, WEAK, Sign
from apps.core.dialogue.transcript import SpokenTurn, Transcript
from apps.offline.rules.answers import RuleAnswer, bounded, ramp
from apps.offline.rules.corroboration import CHATTER_WORDS, believed, quotes, with_caveat
from apps.offline.rules.reasons import reason

_DOUBTED = 0.2
"""Soundness up to which a time counts as invented."""
_INVENTED = ((0.0, 10.0), (0.2, 6.5), (0.5, 3.0), (1.0, 0.5))


class _Heard:
    """Times and weekdays known at one point of the conversation, by who brought them."""

    def __init__(self) -> None:
        self.customer: list[Time] = []
        self.latest: tuple[Time, ...] = ()
        self.agent: list[Time] = []
        self.tools: list[Time] = []
        self.days: set[int] = set()
        self.hours: set[int] = set()

    def soundness(self, time: Time) -> float:
        """1 sound, 0 invented, between when it was offered but the customer had last named another."""
        is_confirmed = any(time.agrees(other) for other in self.customer) or self.named_hour(time)
        offered = any(time.agrees(other) for other in self.agent)
        known = any(time.agrees(other) for other in self.tools)
        if known or (is_confirmed and (not self.tools or offered)):
            return 1.0 if not self.latest or any(time.agrees(other) for other in self.latest) else 0.3
        if is_confirmed:
            return 0.2  # the customer asked for it, but the tools know no such time
        if offered:
            return 1.0 if not self.latest else 0.3
        return 0.0 if self.customer or self.agent or self.tools else 0.3

    def named_hour(self, time: Time) -> bool:
        """A full hour whose number the customer has said in whatever way ("from 9 to 12", "five in the evening")."""
        return any(minute % 60 == 0 and (minute // 60 - 1) % 12 + 1 in self.hours for minute in time.minutes)


def _read_tools(transcript: Transcript, heard: _Heard, done: int, until: int) -> int:
    while done < len(transcript.tools) and transcript.tools[done][0] < until:
        heard.tools.extend(times(transcript.tools[done][1]))
        done += 1
    return done


def _check(turn: SpokenTurn, heard: _Heard) -> list[tuple[float, Sign]]:
    """Rate how sound each confirmed time and its day are, with a sign where they are not. Adds to `heard`."""
    confirmed = confirmed_times(turn, chosen=bool(heard.customer))
    checks = []
    for time in confirmed:
        value = heard.soundness(time)
        checks.append((value, Sign(turn, time.start, _weight(turn, time, value))))
    if checks and turn.weekdays and heard.days:
        known = bool(turn.weekdays & heard.days)
        checks.append((1.0 if known else 0.2, Sign(turn, confirmed[0].start, STRONG)))
    bad = [time for time, (value, _) in zip(confirmed, checks, strict=False) if value <= _DOUBTED]
    heard.agent.extend(time for time in turn.times if not any(time.agrees(other) for other in bad))
    heard.days |= turn.weekdays
    return checks


def _weight(turn: SpokenTurn, time: Time, value: float) -> float:
    if value > _DOUBTED or len(turn.words) > CHATTER_WORDS:
        return WEAK
    return EXPLICIT if in_words(turn, time) else STRONG


def slot_confirmation(transcript: Transcript, parameters: Mapping[str, Any], language: str) -> RuleAnswer:
    heard, checks, done = _Heard(), list[tuple[float, Sign]](), 0
    for turn in transcript.turns:
        done = _read_tools(transcript, heard, done, turn.index)
        if turn.role == "user":
            heard.latest = turn.times or heard.latest
            heard.customer.extend(turn.times)
            heard.hours |= bare_hours(turn.words)
            heard.days |= turn.weekdays
            continue
        checks += _check(turn, heard)
        if turn.has("agent.unavailable") or len(turn.times) > 1:
            heard.latest = ()
    if not checks:
        return RuleAnswer(None, reason("slot_confirmation", "none", language))
    sound = sum(value for value, _ in checks) / len(checks)
    bad = [sign for value, sign in checks if value < 1]
    text = reason("slot_confirmation", "scored", language, good=len(checks) - len(bad), total=len(checks))
    return RuleAnswer(
        bounded(believed(ramp(1 - sound, _INVENTED), bad)),
        with_caveat(text, bad, language),
        quotes(bad) or quotes([checks[0][1]]),
    )
