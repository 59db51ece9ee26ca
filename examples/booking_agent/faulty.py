"""How each weakness spoils a planned reply: acts in, acts out. One small function a weakness."""

from datetime import time

from examples.booking_agent.memory import Memory
from examples.booking_agent.speech import Act
from examples.booking_agent.understanding import Asked
from examples.booking_agent.weaknesses import Weakness

_CLOSING = frozenset({"see_you", "goodbye", "goodbye_open", "door_open"})
_MAX_PUSHES = 5  # as many as there are phrases
_UNPRICED = {
    "confirm": "confirm_unpriced",
    "push": "push_unpriced",
    "push_failed": "push_failed_unpriced",
    "paid": "paid_unpriced",
    "at_salon": "at_salon_unpriced",
    "cancelled_refund": "cancelled_refund_unpriced",
    "price_list": "dodge",
    "ask_kind": "options_unpriced",
}
_MORE = {
    Asked.SERVICE: "more_service",
    Asked.DAY: "more_day",
    Asked.TIME: "more_other",
    Asked.NAME: "more_other",
    Asked.PAYMENT: "more_payment",
}


def spoil(acts: list[Act], memory: Memory, weaknesses: frozenset[Weakness], *, price_asked: bool) -> list[Act]:
    """The reply as the weaknesses leave it. `memory` is as after the turn: what is asked and booked by now."""
    if Weakness.IGNORES_PRICE in weaknesses:
        acts = _without_prices(acts, price_asked=price_asked)
    if Weakness.NEVER_CLOSES in weaknesses:
        acts = _left_hanging(acts)
    confirming = any(act.purpose.startswith(("confirm", "push")) for act in acts)  # long enough as they are
    if Weakness.REMEMBERS_BEFORE in weaknesses and memory.turns % 2 == 1 and not confirming:
        acts = _before_question(acts, [Act("memory")])
    booking = not (memory.booked or memory.cancelled or memory.ended)
    if Weakness.PUSHY_PAYMENT in weaknesses and booking and memory.used.get("pushy", 0) < _MAX_PUSHES:
        acts = _before_question(acts, [Act("pushy")])
    if Weakness.TWO_QUESTIONS in weaknesses and memory.asked in _MORE:
        acts = [*acts, *_more_questions(memory)]
    if Weakness.LONG_WINDED in weaknesses:
        acts = _before_question(acts, [Act("filler"), Act("filler")])
    return acts


def invented_time(chosen: time) -> time:
    """A time off the half-hour grid, so that no slot of the salon can be meant."""
    minutes = chosen.hour * 60 + chosen.minute
    minutes += 75 if minutes <= 15 * 60 else -75
    return time(minutes // 60, minutes % 60)


def _without_prices(acts: list[Act], *, price_asked: bool) -> list[Act]:
    kept: list[Act] = [Act("dodge")] if price_asked else []
    for act in acts:
        purpose = _UNPRICED.get(act.purpose, act.purpose)
        if purpose == "price" or (purpose == "dodge" and price_asked):
            continue
        kept.append(Act(purpose, act.words, act.repeat))
    return kept


def _left_hanging(acts: list[Act]) -> list[Act]:
    kept = [act for act in acts if act.purpose not in _CLOSING]
    return [*kept, Act("hanging")] if len(kept) < len(acts) else acts


def _before_question(acts: list[Act], extra: list[Act]) -> list[Act]:
    """`extra` put before the last act, in place of the small talk where the reply would get long."""
    if len(acts) > 2 and acts[0].purpose in ("ack", "greet") and extra[0].purpose != "filler":
        acts = acts[1:]
    return [*acts[:-1], *extra, *acts[-1:]]


def _more_questions(memory: Memory) -> list[Act]:
    known = {
        Asked.SERVICE: memory.day is not None,
        Asked.DAY: memory.time is not None or memory.name is not None,
    }
    first = "more_other" if known.get(memory.asked, False) else _MORE[memory.asked]
    return [Act(first), Act("more_other")] if memory.turns % 3 == 1 else [Act(first)]
