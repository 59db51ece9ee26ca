"""A time that is gone: told by its words, or by its shape.

By shape: a statement names the one time the customer asked for, and beside it only other times are offered. It needs no
word for "taken", of which there are more than any list holds ("somebody beat you to 10:00", "ina mwenyewe").
"""

from collections.abc import Iterable

from apps.core.dialogue.clock import Time
from apps.core.dialogue.transcript import Sentence, SpokenTurn


def refused(turn: SpokenTurn, times: Iterable[Time]) -> list[Sentence]:
    """The sentences of an agent's message that refuse a time; `wanted` are the times the customer has named."""
    known = list(times)
    listed = [sentence for sentence in turn.sentences if turn.within("agent.unavailable", sentence)]
    if listed or not known or len(turn.times) < 2:
        return listed
    asked_for = {time: any(time.agrees(other) for other in known) for time in turn.times}
    for sentence in turn.sentences:
        inside = [time for time in turn.times if sentence.start <= time.start < sentence.end]
        others = [time for time in turn.times if time not in inside and not _same(time, inside)]
        if inside and all(asked_for[time] for time in inside) and others and not any(asked_for[t] for t in others):
            return [sentence]
    return []


def _same(time: Time, inside: list[Time]) -> bool:
    return any(time.minutes == other.minutes for other in inside)
