"""Replays beside their golden sessions, read from rows."""

import uuid
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from apps.catalog.connections.domain.profile import read_profile
from apps.catalog.connections.domain.profile_patterns import DetectionPatterns, detection_patterns
from apps.connectors.agents.base import ReplyPart
from apps.core.digest import sha256_hex
from apps.runs.conversations.models import Conversation, Turn
from apps.runs.domain.states import ConversationStatus, Kind
from apps.runs.goldens.domain.gate_keeping import GateState
from apps.runs.goldens.domain.played_scenario import hidden_parts
from apps.runs.goldens.domain.replay_script import ScriptLine, script_of
from apps.runs.goldens.domain.replayed import (
    ReplayedConversation,
    ReplayedTurn,
    ToolUse,
    expected_tool,
    expected_tools,
    open_tool_uses,
)

_FIELDS = (
    "conversation_id",
    "position",
    "purpose",
    "role",
    "content",
    "tool_calls",
    "tool_call_id",
    "latency_ms",
    "extra",
)


def replayed_conversations(rows: Sequence[Conversation]) -> dict[uuid.UUID, ReplayedConversation]:
    """Return the conversations that replay a golden session.

    Two queries whatever their number: the turns, and the latencies of repeats that are not among them.
    """
    replays = [row for row in rows if row.kind == Kind.REPLAY and row.spec.get("golden")]
    turns = turns_of([row.pk for row in replays])
    repeats = _repeats_s({row.run_id for row in replays})
    patterns: dict[str, DetectionPatterns] = {}  # reading a profile tries its patterns out: once for all repeats
    conversations = {}
    for row in replays:
        profile = _profile_of(row)
        digest = sha256_hex(profile)
        if digest not in patterns:
            own = read_profile(profile)
            patterns[digest] = detection_patterns(
                own.tool_patterns, own.step_agent_patterns, own.silent_upload_patterns
            )
        repeats_s = repeats[row.run_id, row.spec["golden_session"]]
        conversations[row.pk] = replayed(row, turns[row.pk], patterns=patterns[digest], repeats_s=repeats_s)
    return conversations


def turns_of(ids: Collection[uuid.UUID]) -> dict[uuid.UUID, list[dict[str, Any]]]:
    """All turns of the last attempts, nudges too, in order. One query."""
    turns: dict[uuid.UUID, list[dict[str, Any]]] = {pk: [] for pk in ids}
    rows = Turn.objects.last_attempt().filter(conversation__in=turns).order_by("conversation_id", "position")
    for turn in rows.values(*_FIELDS):
        turns[turn["conversation_id"]].append(turn)
    return turns


def replayed(
    row: Conversation,
    turns: Sequence[Mapping[str, Any]],
    *,
    patterns: DetectionPatterns,
    repeats_s: Sequence[float] = (),
) -> ReplayedConversation:
    """One replay. Pure: `turns` are those of `turns_of`."""
    golden = row.spec["golden"]
    record = row.extra.get("replay") or {}
    observed = record.get("observed") or {}
    lines = script_of(golden["document"])
    starts = [at for at, turn in enumerate(turns) if turn["role"] == "user" and turn["purpose"] != "nudge"]
    ends = [*starts[1:], len(turns)][: len(starts)]  # nothing was said where the first turn could not be sent
    spans = [turns[start:end] for start, end in zip(starts, ends, strict=True)]
    return ReplayedConversation(
        golden=row.spec["golden_session"],
        transport=str(row.spec.get("transport") or row.run.frozen_plan.reached_by),
        turns=tuple(
            _turn(line, spans[number] if number < len(spans) else (), record.get("lines") or {}, patterns)
            for number, line in enumerate(lines)
        ),
        case=observed.get("case"),
        golden_case=golden["document"].get("case") or None,
        sees_cases="case" in observed,
        step_agents=_names_of(observed.get("step_agents")),
        expected_step_agents=_names_of(golden["document"].get("step_agents_by_source")),
        siblings_s=tuple(repeats_s),
        hides_tools=ReplyPart.TOOL_CALLS in hidden_parts(turns) and not _found_in_words(lines, patterns),
        dates_move=any(name.startswith("day") for name in row.spec.get("variables") or {}),
    )


def _found_in_words(lines: Sequence[ScriptLine], patterns: DetectionPatterns) -> bool:
    """Tell whether a pattern finds an expected tool in what the agent writes, be it that nothing shows its calls."""
    known = {name for _, name in patterns.tools}
    return any(expected_tool(tool).name in known for line in lines for tool in line.expected_tools)


def _profile_of(row: Conversation) -> dict[str, Any]:
    """The golden session's own, else the agent's as the plan froze it."""
    return dict(row.spec["golden"].get("profile") or row.run.frozen_plan.agent_profile)


def _turn(
    line: ScriptLine,
    span: Sequence[Mapping[str, Any]],
    record: Mapping[str, Any],
    patterns: DetectionPatterns,
) -> ReplayedTurn:
    played = record.get(str(line.position)) or {}
    replies = [str(turn["content"]) for turn in span if turn["role"] == "assistant" and turn["content"]]
    reply = "\n".join(replies)
    timed = [turn["latency_ms"] for turn in span if turn["latency_ms"] is not None]
    return ReplayedTurn(
        position=line.position,
        number=line.number,
        sent=str(span[0]["content"]) if span else line.text,
        golden_reply=line.golden_reply,
        reply=reply,
        at=span[0]["position"] if span else None,
        gate=str(played.get("gate") or (GateState.DESYNC.value if _lost(span, line, played) else "")),
        gate_shut=bool(played.get("shut")),
        gate_judge=str((played.get("judged") or {}).get("model") or ""),
        nudges=sum(1 for turn in span if turn["purpose"] == "nudge"),
        latency_s=played.get("latency_s") if played else (sum(timed) / 1000 if timed else None),
        golden_latency_s=line.latency_s,
        host_load=played.get("host_load"),
        tools=_tools(span, reply, patterns),
        golden_calls=tuple(
            ToolUse(name=str(golden_call.get("name") or ""), arguments=golden_call.get("arguments") or {})
            for golden_call in line.golden_calls
        ),
        expected_tools=expected_tools(line.expected_tools),
        step_agents=tuple(filter(None, patterns.step_agents_in(reply))),
        expected_step_agents=tuple(_name(expected_step_agent) for expected_step_agent in line.expected_step_agents),
    )


def _lost(span: Sequence[Mapping[str, Any]], line: ScriptLine, played: Mapping[str, Any]) -> bool:
    return bool(span) and not played and bool(line.pattern) and span[-1]["role"] == "assistant"


def _tools(span: Sequence[Mapping[str, Any]], reply: str, patterns: DetectionPatterns) -> tuple[ToolUse, ...]:
    shown = [tool for _, tool in open_tool_uses(span)]
    named = {tool.name for tool in shown}
    return (*shown, *(ToolUse(name=name) for name in patterns.tools_in(reply) if name not in named))


def _names_of(by_source: Any) -> tuple[str, ...]:
    return tuple(str(name) for names in (by_source or {}).values() for name in names)


def _name(value: Any) -> str:
    return str(value.get("name") or "") if isinstance(value, Mapping) else str(value)


def _repeats_s(run_ids: Collection[uuid.UUID]) -> Mapping[tuple[uuid.UUID, str], list[float]]:
    """The total latencies of all replays that ended, by run and golden session. One query."""
    latencies: dict[tuple[uuid.UUID, str], list[float]] = defaultdict(list)
    rows = Conversation.objects.filter(run_id__in=run_ids, kind=Kind.REPLAY, status=ConversationStatus.ENDED)
    for run, golden, lines in rows.order_by("position").values_list(
        "run_id", "spec__golden_session", "extra__replay__lines"
    ):
        timed = [line["latency_s"] for line in (lines or {}).values() if line.get("latency_s") is not None]
        if timed:
            latencies[run, golden].append(sum(timed))
    return latencies
