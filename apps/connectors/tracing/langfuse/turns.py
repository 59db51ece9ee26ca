"""A conversation from a Langfuse's observations: one trace a turn, or one trace with the whole history. Pure.

`input` and `output` are raw strings; JSON in them is read in the shapes that are about: a text, {"content"} and its
cousins, a message, a list of messages, {"messages": […]}.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from apps.connectors.tracing.langfuse.calls import calls_of, decoded
from apps.connectors.tracing.langfuse.messages import messages_in
from apps.core.chat_messages import chat_turns
from apps.core.conversation import TurnRole, Utterance
from apps.core.timestamps import parse_timestamp

_SPOKEN = (TurnRole.USER, TurnRole.ASSISTANT)
_MODELS = frozenset({"GENERATION", "AGENT", "CHAIN"})


def read_observations(observations: Iterable[Mapping[str, Any]]) -> tuple[Utterance, ...]:
    """The turns, oldest first. A trace whose root has no words counts by its generations, the first of them for what
    the customer wrote and the last for the reply. Empty where no observation holds words."""
    traces: dict[str, list[Mapping[str, Any]]] = {}
    for item in observations:
        traces.setdefault(str(item.get("traceId") or ""), []).append(item)
    ordered = sorted(traces.values(), key=lambda items: min(_start(item) for item in items))
    if len(ordered) == 1:
        history = _history(ordered[0])
        if sum(turn.role is TurnRole.USER for turn in history) > 1:
            return history
    return tuple(turn for items in ordered for turn in _turn(items))


def _turn(items: list[Mapping[str, Any]]) -> Iterable[Utterance]:
    first, last = _ends(items)
    words = _last(_messages(first.get("input"), TurnRole.USER), TurnRole.USER)
    reply = _last(_messages(last.get("output"), TurnRole.ASSISTANT), TurnRole.ASSISTANT)
    if words is not None:
        yield Utterance(role=TurnRole.USER, content=words, ts=_time(first.get("startTime")))
    calls = calls_of(_by_start(items))
    if reply is not None or calls:
        ended = _time(last.get("endTime"))
        yield Utterance(role=TurnRole.ASSISTANT, content=reply or "", tool_calls=calls, ts=ended)


def _history(items: list[Mapping[str, Any]]) -> tuple[Utterance, ...]:
    """The messages of the last observation that has a history, and its answer; nobody told their times."""
    _, answered = _ends(items)
    messages = _messages(answered.get("output"), TurnRole.ASSISTANT)
    if not any(role is TurnRole.USER for role, _ in messages):  # else the output is the whole conversation
        messages = [*_messages(answered.get("input"), TurnRole.USER), *messages]
    return tuple(Utterance(role=role, content=words) for role, words in messages)


def _ends(items: list[Mapping[str, Any]]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Return the observations that hold what was asked and what was answered.

    They are the first root with words of a customer and the last with words of an assistant, a model's or an agent's
    own before other spans.
    """
    spoken = [item for item in _by_start(items) if item.get("type") != "TOOL"]
    roots = [item for item in spoken if not item.get("parentObservationId")]
    models = [item for item in spoken if item.get("type") == "GENERATION"]
    preferred = [item for item in roots if item.get("type") in _MODELS]
    words = _with_words([roots, models], "input", TurnRole.USER)
    answered = _with_words([preferred, roots, models], "output", TurnRole.ASSISTANT)
    return (words[0] if words else {}, answered[-1] if answered else {})


def _with_words(groups: list[list[Mapping[str, Any]]], key: str, role: TurnRole) -> list[Mapping[str, Any]]:
    """Return the items of the first group in which any has words of this role."""
    group_with_words = (
        [item for item in group if (_last(_messages(item.get(key), role), role) or "").strip()] for group in groups
    )
    return next((group for group in group_with_words if group), [])


def _messages(raw: Any, otherwise: TurnRole) -> list[tuple[TurnRole, str]]:
    """(role, words) of what a field holds; what names no role has `otherwise`. System and tool messages are left."""
    turns = [turn for item in messages_in(decoded(raw)) for turn in chat_turns(item, otherwise=otherwise)]
    return [(turn.role, turn.text) for turn in turns if turn.role in _SPOKEN and turn.text]


def _last(messages: list[tuple[TurnRole, str]], role: TurnRole) -> str | None:
    return next((words for who, words in reversed(messages) if who is role), None)


def _by_start(items: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return sorted(items, key=_start)


def _start(item: Mapping[str, Any]) -> str:
    return str(item.get("startTime") or "")


def _time(value: Any) -> datetime | None:
    try:
        return parse_timestamp(value) if isinstance(value, str) else None
    except ValueError:
        return None
