"""Check each reply of the agent: time, length, JSON of a shape. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from apps.checks.domain.golden_tools import ToolFault
from apps.checks.domain.scenario_findings import Findings
from apps.core.errors import BadInput
from apps.core.json_hygiene import decoded_json, first_fault
from apps.runs.goldens.domain.played_scenario import ReplyTurn

MAX_JSON_CHARS = 100_000


def timed_limits(limits: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether one of them is about time."""
    return any("latency_ms" in limit for limit in limits)


def reply_assertions(limits: Sequence[Mapping[str, Any]], replies: Sequence[ReplyTurn]) -> Findings:
    """Each limit against every reply; one reply beyond it is a fault of that limit. A turn without words (a tool call)
    has no length and no shape. A reply that was not timed is within a limit of time: who calls says whether any was."""
    rules = [(name, value) for limit in limits for name, value in limit.items()]
    faults = []
    for name, value in rules:
        fault = next(((reply, why) for reply in replies for why in _RULES[name](reply, value)), None)
        if fault is not None:
            faults.append(ToolFault(fault[0].position, fault[1]))
    return Findings(faults=tuple(faults), met=len(rules) - len(faults), expected=len(rules))


def _too_slow(reply: ReplyTurn, limit: float) -> Iterator[str]:
    if reply.latency_ms is not None and reply.latency_ms > limit:
        yield f"A reply took {reply.latency_ms:,} ms; the limit is {limit:,.0f} ms."


def _words(reply: ReplyTurn, limits: Mapping[str, int]) -> Iterator[str]:
    count = len(reply.text.split())
    if not count:
        return
    if count < limits.get("min", 0) or count > limits.get("max", count):
        yield f"A reply has {count:,} words; expected {limits.get('min', 0)} to {limits.get('max', 'any number')}."


def _json(reply: ReplyTurn, schema: Any) -> Iterator[str]:
    if not reply.text.strip():
        return
    try:
        value = decoded_json(reply.text[:MAX_JSON_CHARS])
    except (BadInput, ValueError, RecursionError):
        yield f"A reply is not JSON: {reply.text[:80]!r}."
        return
    if fault := first_fault(value):
        yield f"A reply is JSON that cannot be kept: {fault[0]} {fault[1]}."
    elif schema is not True and (why := _schema_fault(value, schema)):
        yield f"A reply is JSON of another shape: {why}."


def _schema_fault(value: Any, schema: Mapping[str, Any]) -> str:
    import jsonschema  # noqa: PLC0415 - only who asserts a schema loads it
    from referencing import Registry  # noqa: PLC0415 - as above

    registry: Registry[Any] = Registry()  # empty, and retrieves nothing
    first = next(jsonschema.Draft202012Validator(schema, registry=registry).iter_errors(value), None)
    return "" if first is None else f"{first.json_path}: {first.message[:200]}"


_RULES: Mapping[str, Any] = {"latency_ms": _too_slow, "words": _words, "json": _json}
