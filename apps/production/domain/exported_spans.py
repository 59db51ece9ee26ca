"""The spans that a Langfuse gets of our own work: a played conversation with its turns and calls, and a judgement with
its calls. Plain data in, spans out; texts come masked.

Every span says tenant_id, conversation_id, prompt_version, model and cost_usd, by these names and as Langfuse's own
metadata. What nobody told is the word `unknown`, and never 0.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from apps.connectors.tracing.exported_span import ExportedSpan, span_id_of, trace_id_of

OWN_ENVIRONMENT = "ratiba-eval"  # what is read from a Langfuse leaves these out
UNKNOWN = "unknown"
LONGEST, SHORTEST, WHOLE = 20_000, 500, 2_000_000  # characters of one text, however many there are, and of all
_NAME, _SAID = 200, 2_000  # characters of a name, and of what else is said
_MOST_TOKENS, _MOST_USD = 2**31, 10**6  # as in the ledger
Attributes = dict[str, str | bool | int | float | tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedExperiment:
    """A test run as an experiment of Langfuse; `item_id` is the scenario or golden session, by which runs are compared,
    and `root` the span id of this item's conversation."""

    id: UUID
    name: str
    item_id: str
    root: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedSubject:
    """What all spans of one trace are of. `name` is the trace's, `said` holds more for its metadata."""

    tenant_id: str
    conversation_id: UUID
    prompt_version: str
    trace_id: str
    name: str
    tags: tuple[str, ...] = ()
    said: Mapping[str, str] = field(default_factory=dict)
    experiment: ExportedExperiment | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedTurn:
    """A turn of the attempt that counts. `usage` is what the agent says it spent on it."""

    position: int
    role: str
    text: str
    at: datetime | None
    latency_ms: int | None = None
    tool_calls: Sequence[Mapping[str, Any]] = ()
    tool_call_id: str = ""
    usage: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedCall:
    """A row of the ledger. `cost_usd` is None where nobody knows the price."""

    id: UUID
    purpose: str
    model: str
    provider: str
    outcome: str
    at: datetime
    latency_ms: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    cached: bool = False
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedWork:
    """What the root span tells: a conversation from its beginning to its end, or a judgement."""

    seed: str
    name: str
    kind: str
    started_at: datetime
    ended_at: datetime
    input: str = ""
    output: str = ""
    model: str = ""
    error: str = ""


def trace_of(conversation_id: UUID, attempt: int) -> str:
    """The trace of one attempt at a conversation: what is played again is another trace."""
    return trace_id_of(f"ratiba conversation {conversation_id} {attempt}")


def trace_of_judgement(judgement_id: UUID) -> str:
    """The trace of one judgement."""
    return trace_id_of(f"ratiba judgement {judgement_id}")


def seed_of(conversation_id: UUID, attempt: int) -> str:
    """Of the root span of one attempt at a conversation."""
    return f"conversation {conversation_id} {attempt}"


def exported_spans(
    subject: ExportedSubject, work: ExportedWork, calls: Sequence[ExportedCall], turns: Sequence[ExportedTurn] = ()
) -> list[ExportedSpan]:
    """The root first, then the agent's turns and tools in their order, then the calls of models."""
    longest = _longest(turns)
    root = span_id_of(work.seed)
    return [
        _root(subject, work, calls, root, longest),
        *_turn_spans(subject, work, turns, root, longest),
        *(_call_span(subject, one, root) for one in calls),
    ]


def _longest(turns: Sequence[ExportedTurn]) -> int:
    texts = 2 + 2 * len(turns) + 2 * sum(len(one.tool_calls) for one in turns)
    return max(SHORTEST, min(LONGEST, WHOLE // texts))


def _root(
    subject: ExportedSubject, work: ExportedWork, calls: Sequence[ExportedCall], root: str, longest: int
) -> ExportedSpan:
    costs = [one.cost_usd for one in calls]
    known = [one for one in costs if one is not None]
    cost = float(sum(known)) if len(known) == len(costs) else None
    own = _own(subject, kind=work.kind, model=work.model, cost=cost, error=work.error)
    own["langfuse.internal.as_root"] = True
    return ExportedSpan(
        trace_id=subject.trace_id, span_id=root, name=work.name[:_NAME], started_ns=_ns(work.started_at),
        ended_ns=_ns(work.ended_at), attributes=own | _io(work.input, work.output, longest),
        error=_cut(work.error, _SAID),
    )  # fmt: skip


def _turn_spans(
    subject: ExportedSubject, work: ExportedWork, turns: Sequence[ExportedTurn], root: str, longest: int
) -> list[ExportedSpan]:
    """One for each reply of the agent, with what it answers as its input, and one for each of its tool calls."""
    spans, said = list[ExportedSpan](), ""
    results = {one.tool_call_id: one.text for one in turns if one.tool_call_id}
    for turn in turns:
        if turn.role == "user":
            said = turn.text
        if turn.role != "assistant":
            continue
        ended = turn.at or work.ended_at
        began = ended - timedelta(milliseconds=max(0, turn.latency_ms or 0))
        for n, call in enumerate(turn.tool_calls):
            given = json.dumps(call.get("arguments"), ensure_ascii=False, default=str)
            own = _own(subject, kind="tool", model="", cost=None) | _io(
                given, results.get(str(call.get("id")), ""), longest
            )
            spans.append(_child(subject, root, f"tool {work.seed} {turn.position} {n}",
                                str(call.get("name") or "tool"), began, ended, own))  # fmt: skip
        if turn.text or not turn.tool_calls:
            own = _own(subject, kind="agent", model=str(turn.usage.get("model") or ""), cost=_cost(turn.usage))
            name = f"agent turn {turn.position}"
            own |= _io(said, turn.text, longest) | _usage(turn.usage)
            spans.append(_child(subject, root, f"turn {work.seed} {turn.position}", name, began, ended, own))
    return spans


def _call_span(subject: ExportedSubject, call: ExportedCall, root: str) -> ExportedSpan:
    own = _own(subject, kind="generation", model=call.model, cost=call.cost_usd, error=call.error)
    own["langfuse.observation.model.name"] = call.model
    tokens = {"input_tokens": call.input_tokens, "output_tokens": call.output_tokens, "cost_usd": call.cost_usd}
    own |= _usage(tokens) | {
        f"langfuse.observation.metadata.{name}": value
        for name, value in {
            "purpose": call.purpose, "provider": call.provider, "outcome": call.outcome, "cached": str(call.cached)
        }.items()
    }  # fmt: skip
    ended = call.at + timedelta(milliseconds=call.latency_ms)
    return _child(subject, root, f"call {call.id}", call.purpose, call.at, ended, own, call.error)


def _child(
    subject: ExportedSubject, root: str, seed: str, name: str, began: datetime, ended: datetime, own: Attributes,
    error: str = "",
) -> ExportedSpan:  # fmt: skip
    return ExportedSpan(
        trace_id=subject.trace_id, span_id=span_id_of(seed), parent_id=root, name=name[:_NAME], started_ns=_ns(began),
        ended_ns=_ns(ended), attributes=own, error=_cut(error, _SAID),
    )  # fmt: skip


def _own(subject: ExportedSubject, *, kind: str, model: str, cost: float | None, error: str = "") -> Attributes:
    """What every span says: who and what it is of, by which model, for how much."""
    of: dict[str, str] = {
        "tenant_id": subject.tenant_id, "conversation_id": str(subject.conversation_id),
        "prompt_version": subject.prompt_version[:_NAME] or UNKNOWN,
    }  # fmt: skip
    named: Attributes = {"model": model[:_NAME] or UNKNOWN, "cost_usd": UNKNOWN if cost is None else cost}
    attributes: Attributes = {**of, **named}
    said = {**_cut_values(subject.said), **of}
    attributes |= {f"langfuse.trace.metadata.{name}": value for name, value in said.items()}
    attributes |= {f"langfuse.observation.metadata.{name}": value for name, value in named.items()}
    attributes |= {
        "langfuse.observation.type": kind, "langfuse.environment": OWN_ENVIRONMENT,
        "langfuse.trace.name": subject.name[:_NAME], "session.id": str(subject.conversation_id),
    }  # fmt: skip
    if subject.experiment is not None:
        attributes |= {
            "langfuse.experiment.id": str(subject.experiment.id),
            "langfuse.experiment.name": subject.experiment.name[:_NAME],
            "langfuse.experiment.item.id": subject.experiment.item_id[:_NAME],
            "langfuse.experiment.item.root_observation_id": subject.experiment.root,
        }
    if subject.tags:
        attributes["langfuse.trace.tags"] = subject.tags
    if subject.prompt_version:
        attributes["langfuse.version"] = subject.prompt_version
    if error:
        attributes |= {"langfuse.observation.level": "ERROR", "langfuse.observation.status_message": _cut(error, _SAID)}
    return attributes


def _cut_values(said: Mapping[str, str]) -> dict[str, str]:
    return {name: _cut(value, _SAID) for name, value in said.items()}


def _io(given: str, answered: str, longest: int) -> Attributes:
    texts = {"input": given, "output": answered}
    return {f"langfuse.observation.{name}": _cut(text, longest) for name, text in texts.items() if text}


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}… ({len(text) - longest} characters more)"


def _usage(told: Mapping[str, Any]) -> Attributes:
    counts = {name: told.get(f"{name}_tokens") for name in ("input", "output")}
    tokens = {name: one for name, one in counts.items() if type(one) is int and 0 <= one < _MOST_TOKENS}
    found: Attributes = {"langfuse.observation.usage_details": json.dumps(tokens)} if tokens else {}
    if (cost := _cost(told)) is not None:
        found["langfuse.observation.cost_details"] = json.dumps({"total": cost})
    return found


def _cost(told: Mapping[str, Any]) -> float | None:
    """What an agent says of itself may be anything: a number beyond belief is none."""
    value = told.get("cost_usd")
    told_number = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < _MOST_USD
    return float(value or 0) if told_number else None


def _ns(at: datetime) -> int:
    return int(at.timestamp() * 1_000_000) * 1000
