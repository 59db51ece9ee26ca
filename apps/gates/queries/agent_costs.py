"""Cost of an agent in the conversations of a run: time, tokens and tool calls."""

import json
import uuid
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

from django.db.models import F, Sum

from apps.budgets.domain.purpose import Purpose
from apps.budgets.models import ModelCall
from apps.core.conversation import TurnRole
from apps.gates.domain.guarded_costs import ANSWER_OF
from apps.runs.models import Conversation, TestRun, Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentCost:
    """Cost of one conversation: the mean seconds of a turn, and all tokens; None where nobody measured it.

    `tools` counts calls by the tool's name; `doubled`: one call occurs twice with the same arguments. `written` is the
    longest text of each tool's arguments, and of its answers.
    """

    latency_s: float | None = None
    tokens: int | None = None
    tools: Mapping[str, int] = field(default_factory=dict)
    doubled: bool = False
    written: Mapping[str, str] = field(default_factory=dict)


LONGEST = 400  # of a text that is kept
NO_COST = AgentCost()


def agent_costs(run_id: uuid.UUID) -> dict[uuid.UUID, AgentCost]:
    """Return the agent's cost by conversation, of the last attempt.

    Tokens are those that every reply reports (`usage`), else those of the ledger's calls for an agent that is a prompt.
    Three queries.
    """
    rows = Turn.objects.last_attempt().filter(conversation__run=run_id)
    timed: dict[uuid.UUID, list[tuple[int, Any]]] = defaultdict(list)
    calls: dict[uuid.UUID, list[tuple[str, str]]] = defaultdict(list)
    answers: dict[uuid.UUID, list[tuple[str, str]]] = defaultdict(list)
    for conversation, name, content in rows.filter(role=TurnRole.TOOL).values_list(
        "conversation_id", "name", "content"
    ):
        answers[conversation].append((f"{ANSWER_OF}{name}", content))
    fields = ("conversation_id", "latency_ms", "extra__usage", "tool_calls")
    for conversation, latency_ms, usage, called in rows.filter(role=TurnRole.ASSISTANT).values_list(*fields):
        calls[conversation] += [_call(one) for one in called]
        if latency_ms is not None:
            timed[conversation].append((latency_ms, usage))
    ledger = _of_the_ledger(run_id)
    return {
        conversation: replace(
            _cost(timed[conversation], ledger.get(conversation), made), written=_longest(made + answers[conversation])
        )
        for conversation, made in calls.items()
    }


def _cost(timed: Sequence[tuple[int, Any]], ledger: int | None, calls: Sequence[tuple[str, str]]) -> AgentCost:
    cost = AgentCost(tools=Counter(name for name, _ in calls), doubled=len(set(calls)) < len(calls))
    if not timed:
        return cost
    tokens = _reported([usage for _, usage in timed]) or ledger
    return replace(cost, latency_s=sum(one for one, _ in timed) / len(timed) / 1000, tokens=tokens)


def _longest(texts: Sequence[tuple[str, str]]) -> dict[str, str]:
    return {name: text[:LONGEST] for name, text in sorted(texts, key=lambda text: len(text[1]))}


def _call(called: Mapping[str, Any]) -> tuple[str, str]:
    """Tool and arguments, however they are written down."""
    return str(called.get("name") or ""), json.dumps(called.get("arguments"), sort_keys=True, ensure_ascii=False)


def job_of(run: TestRun) -> str:
    """The job that played it, as its runner said; "" where nobody did."""
    job = _metadata(run).get("job")
    return job if isinstance(job, str) else ""


def loop_ms_of(run: TestRun) -> float | None:
    """Return the milliseconds of a standard loop on the machine that played the run, as reported."""
    try:
        loop_ms = float(_metadata(run).get("loop_ms") or 0)
    except (TypeError, ValueError):
        return None
    return loop_ms if 0 < loop_ms < inf else None


def _metadata(run: TestRun) -> Mapping[str, Any]:
    metadata = run.subject.get("metadata")
    return metadata if isinstance(metadata, Mapping) else {}


def span_of(rows: Sequence[Conversation]) -> tuple[float, float] | None:
    """Return the start of the first conversation and the end of the last one, in seconds. No query."""
    times = [(row.started_at, row.ended_at) for row in rows]
    known = [(begin.timestamp(), end.timestamp()) for begin, end in times if begin is not None and end is not None]
    return (min(begin for begin, _ in known), max(end for _, end in known)) if known else None


def _reported(usages: Sequence[Any]) -> int | None:
    """All of them, or None where a reply says nothing: a part of the tokens is no number of tokens."""
    tokens = 0
    for usage in usages:
        counted = [usage.get(name) for name in ("input_tokens", "output_tokens")] if isinstance(usage, Mapping) else []
        numbers = [one for one in counted if isinstance(one, int) and not isinstance(one, bool) and one >= 0]
        if not numbers:
            return None
        tokens += sum(numbers)
    return tokens


def _of_the_ledger(run_id: uuid.UUID) -> dict[uuid.UUID, int]:
    calls = ModelCall.objects.filter(run_id=run_id, purpose=Purpose.AGENT, conversation_id__isnull=False, outcome="ok")
    sums = calls.values_list("conversation_id").annotate(tokens=Sum(F("input_tokens") + F("output_tokens"))).order_by()
    return {conversation: int(tokens) for conversation, tokens in sums if conversation and tokens}
