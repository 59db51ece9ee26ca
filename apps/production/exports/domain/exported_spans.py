"""The spans of our own work: a played conversation with its turns and calls, and a judgement with its calls. Plain data
in, spans out; texts come masked.

Every span says tenant_id, conversation_id, prompt_version, model and cost_usd, by these names. What nobody told is the
word `unknown`, and never 0. By which names the rest is told says the receiver (`Naming`).
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from apps.connectors.tracing.exported_span import ExportedSpan, span_id_of, trace_id_of

OWN_ENVIRONMENT = "ratiba-eval"  # what is read from a Langfuse leaves these out
UNKNOWN = "unknown"
LONGEST, SHORTEST, WHOLE = 20_000, 500, 2_000_000  # characters of one text, however many there are, and of all
NAME, SAID = 200, 2_000  # characters of a name, and of what else is said
_MAX_TOKENS, _MAX_USD = 2**31, 10**6  # as in the ledger
Attributes = dict[str, str | bool | int | float | tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedExperiment:
    """A test run as an experiment of Langfuse.

    `item_id` is the scenario or golden session, by which runs are compared, and `root` the span id of this item's
    conversation.
    """

    id: UUID
    name: str
    item_id: str
    root: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedSubject:
    """The subject of all spans of one trace. `name` is the trace's, `said` holds more for its metadata."""

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
    """The work that the root span tells about: a conversation from its beginning to its end, or a judgement."""

    seed: str
    name: str
    kind: str
    started_at: datetime
    ended_at: datetime
    input: str = ""
    output: str = ""
    model: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanFacts:
    """The facts of one span. `kind` is span (a conversation), evaluator, agent, tool or generation; `usage` has the
    `input` and `output` tokens that are known."""

    kind: str
    name: str
    model: str = ""
    cost_usd: float | None = None
    input: str = ""
    output: str = ""
    error: str = ""
    is_root: bool = False
    usage: Mapping[str, int] = field(default_factory=dict)
    call_id: str = ""
    more: Mapping[str, str] = field(default_factory=dict)


Naming = Callable[[ExportedSubject, SpanFacts], Attributes]


def trace_of(conversation_id: UUID, attempt: int) -> str:
    """The trace of one attempt at a conversation: what is played again is another trace."""
    return trace_id_of(f"ratiba conversation {conversation_id} {attempt}")


def trace_of_judgement(judgement_id: UUID) -> str:
    """The trace of one judgement."""
    return trace_id_of(f"ratiba judgement {judgement_id}")


def seed_of(conversation_id: UUID, attempt: int) -> str:
    """The seed of the root span of one attempt at a conversation."""
    return f"conversation {conversation_id} {attempt}"


def exported_spans(
    subject: ExportedSubject,
    work: ExportedWork,
    calls: Sequence[ExportedCall],
    turns: Sequence[ExportedTurn] = (),
    *,
    naming: Naming,
) -> list[ExportedSpan]:
    """The root first, then the agent's turns and tools in their order, then the calls of models."""
    return _Spans(subject, work, turns, naming).all(calls)


class _Spans:
    """The spans of one trace."""

    def __init__(
        self, subject: ExportedSubject, work: ExportedWork, turns: Sequence[ExportedTurn], naming: Naming
    ) -> None:
        self._subject, self._work, self._turns, self._naming = subject, work, turns, naming
        self._root = span_id_of(work.seed)
        texts = 2 + 2 * len(turns) + 2 * sum(len(turn.tool_calls) for turn in turns)
        self._longest = max(SHORTEST, min(LONGEST, WHOLE // texts))

    def all(self, calls: Sequence[ExportedCall]) -> list[ExportedSpan]:
        return [self._whole(calls), *self._of_turns(), *map(self._of_call, calls)]

    def _whole(self, calls: Sequence[ExportedCall]) -> ExportedSpan:
        work = self._work
        costs = [call.cost_usd for call in calls]
        known = [cost for cost in costs if cost is not None]
        facts = SpanFacts(
            kind=work.kind,
            name=work.name,
            model=work.model,
            error=work.error,
            is_root=True,
            input=work.input,
            output=work.output,
            cost_usd=float(sum(known)) if len(known) == len(costs) else None,
        )
        return self._span(work.seed, facts, work.started_at, work.ended_at)

    def _of_turns(self) -> list[ExportedSpan]:
        """One for each reply of the agent, with what it answers as its input, and one for each of its tool calls."""
        spans, words = list[ExportedSpan](), ""
        results = {one.tool_call_id: one.text for one in self._turns if one.tool_call_id}
        for turn in self._turns:
            if turn.role == "user":
                words = turn.text
            if turn.role != "assistant":
                continue
            ended = turn.at or self._work.ended_at
            began = ended - timedelta(milliseconds=max(0, turn.latency_ms or 0))
            for n, call in enumerate(turn.tool_calls):
                facts = SpanFacts(
                    kind="tool",
                    name=str(call.get("name") or "tool"),
                    call_id=str(call.get("id") or ""),
                    input=json.dumps(call.get("arguments"), ensure_ascii=False, default=str),
                    output=results.get(str(call.get("id")), ""),
                )
                spans.append(self._span(f"tool {self._work.seed} {turn.position} {n}", facts, began, ended))
            if turn.text or not turn.tool_calls:
                facts = SpanFacts(
                    kind="agent",
                    name=f"agent turn {turn.position}",
                    model=str(turn.usage.get("model") or ""),
                    cost_usd=_cost(turn.usage),
                    input=words,
                    output=turn.text,
                    usage=_tokens(turn.usage),
                )
                spans.append(self._span(f"turn {self._work.seed} {turn.position}", facts, began, ended))
        return spans

    def _of_call(self, call: ExportedCall) -> ExportedSpan:
        facts = SpanFacts(
            kind="generation",
            name=call.purpose,
            model=call.model,
            error=call.error,
            usage=_tokens({"input_tokens": call.input_tokens, "output_tokens": call.output_tokens}),
            cost_usd=call.cost_usd,
            more={
                "purpose": call.purpose,
                "provider": call.provider,
                "outcome": call.outcome,
                "cached": str(call.cached),
            },
        )
        return self._span(f"call {call.id}", facts, call.at, call.at + timedelta(milliseconds=call.latency_ms))

    def _span(self, seed: str, facts: SpanFacts, began: datetime, ended: datetime) -> ExportedSpan:
        facts = replace(
            facts,
            name=facts.name[:NAME],
            model=facts.model[:NAME],
            input=cut(facts.input, self._longest),
            output=cut(facts.output, self._longest),
            error=cut(facts.error, SAID),
        )
        return ExportedSpan(
            trace_id=self._subject.trace_id,
            span_id=span_id_of(seed),
            parent_id="" if facts.is_root else self._root,
            name=facts.name,
            started_ns=nanoseconds(began),
            ended_ns=nanoseconds(ended),
            error=facts.error,
            attributes={**five_facts(self._subject, facts), **self._naming(self._subject, facts)},
        )


def five_facts(subject: ExportedSubject, facts: SpanFacts) -> Attributes:
    """The five facts on every span, whoever receives it: tenant, conversation, prompt version, model and cost."""
    return {
        "tenant_id": subject.tenant_id,
        "conversation_id": str(subject.conversation_id),
        "prompt_version": subject.prompt_version[:NAME] or UNKNOWN,
        "model": facts.model or UNKNOWN,
        "cost_usd": UNKNOWN if facts.cost_usd is None else facts.cost_usd,
    }


def cut(text: str, longest: int) -> str:
    """Cut a text at `longest` characters, and say how many more there were."""
    return text if len(text) <= longest else f"{text[:longest]}… ({len(text) - longest} characters more)"


def nanoseconds(at: datetime) -> int:
    """Return the nanoseconds since 1970."""
    return int(at.timestamp() * 1_000_000) * 1000


def _tokens(told: Mapping[str, Any]) -> dict[str, int]:
    counts = {name: told.get(f"{name}_tokens") for name in ("input", "output")}
    return {name: count for name, count in counts.items() if type(count) is int and 0 <= count < _MAX_TOKENS}


def _cost(told: Mapping[str, Any]) -> float | None:
    """The cost that an agent reports of itself; None where it is no number, or one beyond belief."""
    value = told.get("cost_usd")
    told_number = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < _MAX_USD
    return float(value or 0) if told_number else None
