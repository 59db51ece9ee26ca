"""A captured conversation as the document of a golden session: gates, tools, step agents and files sensed. Pure."""

import difflib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from apps.catalog.connections.domain.profile_patterns import DetectionPatterns
from apps.core.conversation import Utterance
from apps.core.errors import BadInput
from apps.core.timestamps import format_timestamp
from apps.runs.domain.gates import SENSED, Strength
from apps.runs.goldens.domain.edits import names_of
from apps.runs.goldens.domain.exchanges import FOLDER, Exchange, paired, upload_remarks, with_uploads
from apps.runs.goldens.domain.notes import undated_notes
from apps.runs.goldens.domain.pinned_tools import pinned_tool
from apps.runs.goldens.domain.sensed_gates import proof, proven_gates
from apps.runs.goldens.domain.turn_descriptions import description_of

CONTENT = "content"  # the source of a step agent that the agent's own words tell of
_TURN_FACTS = ("wait_for_pattern", "gate_timeout", "expected_tools", "step_agents", "file_attachment")
MAX_DIFF_LINES = 400
_UNFIT = "does not fit its own reply: no replay would ever pass it, write it anew"


@dataclass(frozen=True, slots=True, kw_only=True)
class CapturedSession:
    """A session as its source had it.

    `ids` are those that were asked for; `conversations` are the turns of each; `case` is its state at the end ({"id",
    "status", "stages"}); `step_agents` are those of the case, by source; `variables` are those in its texts;
    `captured_at` is its own day or time, where the turns have none.
    """

    ids: tuple[str, ...]
    source: str
    conversations: tuple[tuple[Utterance, ...], ...]
    language: str | None = None
    case: Mapping[str, Any] | None = None
    step_agents: Mapping[str, Sequence[str]] = field(default_factory=dict)
    variables: Mapping[str, Any] = field(default_factory=dict)
    captured_at: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CapturedGolden:
    """The document of a golden session, and what a person should know of how it came about."""

    document: dict[str, Any]
    remarks: tuple[str, ...]


def captured_golden(
    session: CapturedSession,
    *,
    name: str,
    patterns: DetectionPatterns,
    file_turns: Mapping[int, str],
    digests: Mapping[str, str],
) -> CapturedGolden:
    """The document of a captured session. `patterns` are a profile's own with the shipped ones behind them;
    `file_turns` names files by the number of the customer's turn, counted from 1; `digests` are, by name, of the files
    whose bytes are here.

    Gates, tools and step agents that the source has itself stay as they are. Other tools are those that it shows being
    called; where it shows none in the whole session, those that the patterns find.
    Raises BadInput (`nothing_captured`) where the customer said nothing at all."""
    exchanges = with_uploads(
        paired(session.conversations), is_upload=patterns.is_upload, named=file_turns, digests=digests
    )
    if not any(exchange.user for exchange in exchanges):
        raise BadInput(
            f"{', '.join(session.ids)}: there is no turn of a customer in it, so there is nothing to replay",
            code="nothing_captured",
        )
    document = _document(session, exchanges, name, patterns)
    remarks = [*upload_remarks(exchanges, file_turns), *_weak_remarks(exchanges, document)]
    remarks += undated_notes(document)
    remarks += [
        f"turn {exchange.number}: the agent's reply came without words: it cannot be approved so; look at where it is "
        "from"
        for exchange in exchanges
        if (exchange.replies or exchange.calls) and not exchange.reply.strip()
    ]
    return CapturedGolden(document=document, remarks=tuple(remarks))


def _weak_remarks(exchanges: Sequence[Exchange], document: Mapping[str, Any]) -> Iterator[str]:
    """Gates that the source has itself are kept whatever they match: a person must look at the weak ones."""
    replies = [turn for turn in document["turns"] if turn["role"] == "assistant"]
    for one, turn in zip(
        (exchange for exchange in exchanges if exchange.replies or exchange.calls), replies, strict=True
    ):
        if one.own.get("wait_for_pattern") and turn.get("gate_strength") == Strength.WEAK:
            fits = proof([turn], 0, str(one.own["wait_for_pattern"])) is not Strength.NONE
            why = "is weak: it does not tell this reply from earlier ones"
            yield f"turn {one.number}: its own gate is kept, and {why if fits else _UNFIT}"


def _document(
    session: CapturedSession, exchanges: Sequence[Exchange], name: str, patterns: DetectionPatterns
) -> dict[str, Any]:
    shows_calls = any(exchange.calls for exchange in exchanges)
    customer_words = [exchange.words for exchange in exchanges]
    turns = [
        turn
        for number, exchange in enumerate(exchanges, start=1)
        for turn in _turns(exchange, patterns, shows_calls=shows_calls, said=customer_words[:number])
    ]
    for gate in proven_gates(turns):
        turn = turns[gate.position]
        if gate.position == 0:
            continue  # a greeting, which a replay waits for no more than it asks for it
        if own := turn.get("wait_for_pattern"):
            unique = proof(turns, gate.position, own) is Strength.UNIQUE
            turn["gate_strength"] = (Strength.UNIQUE if unique else Strength.WEAK).value
        else:
            turn["gate_strength"] = gate.strength.value
            turn |= {"wait_for_pattern": gate.pattern, "gate_from": SENSED} if gate.pattern else {}
        if gate.timeout_s:
            turn.setdefault("gate_timeout", gate.timeout_s)
    document: dict[str, Any] = {"id": "+".join(session.ids)[:200], "source": session.source, "name": name}
    document |= {"language": session.language} if session.language else {}
    document |= {"captured_at": session.captured_at} if session.captured_at else {}
    document["turns"] = turns
    document["conversation_ids"] = list(session.ids)
    tools = dict.fromkeys(name for turn in turns for name in names_of(turn.get("expected_tools")))
    document["all_tools_used"] = list(tools)
    document |= {"case": dict(session.case)} if session.case else {}
    document |= {"variables": dict(session.variables)} if session.variables else {}
    by_source = {CONTENT: [name for turn in turns for name in names_of(turn.get("step_agents"))], **session.step_agents}
    document["step_agents_by_source"] = {key: list(dict.fromkeys(names)) for key, names in by_source.items() if names}
    return document


def _turns(
    exchange: Exchange, patterns: DetectionPatterns, *, shows_calls: bool, said: Sequence[str]
) -> Iterator[dict[str, Any]]:
    if exchange.user is not None:
        user: dict[str, Any] = {"role": "user", "content": exchange.words}
        user |= {"ts": format_timestamp(exchange.user.ts)} if exchange.user.ts else {}
        if exchange.upload is not None:
            file = {
                "path": f"{FOLDER}/{exchange.upload.name}" if exchange.upload.name else "",
                "name": exchange.upload.name,
            }
            user["file_attachment"] = file | ({"sha256": exchange.upload.sha256} if exchange.upload.sha256 else {})
        yield user
    if not (exchange.replies or exchange.calls):
        return
    tools = [call.name for call in exchange.calls] if shows_calls else patterns.tools_in(exchange.reply)
    tools = [*dict.fromkeys(tools)] if exchange.user is not None else []
    tools = names_of(exchange.own.get("expected_tools")) or tools
    reply: dict[str, Any] = {"role": "assistant", "content": exchange.reply}
    ended = exchange.replies[-1].ts if exchange.replies else None
    reply |= {"ts": format_timestamp(ended)} if ended else {}
    reply |= {"latency_ms": exchange.latency_ms} if exchange.latency_ms else {}
    calls = [{"name": call.name, "arguments": dict(call.arguments)} for call in exchange.calls]
    reply |= {"tool_calls": calls} if calls else {}
    pins = [pinned_tool(call, said=said) for call in calls] if exchange.user is not None else []
    reply |= {"expected_tools": pins or tools} if pins or tools else {}
    agents = [{"name": agent, "source": CONTENT} for agent in patterns.step_agents_in(exchange.reply)]
    reply |= {"step_agents": agents} if agents and exchange.user is not None else {}
    file_name = exchange.upload.name if exchange.upload else None
    reply["description"] = description_of(exchange.words, exchange.reply, tools=tools, file=file_name)
    yield {**reply, **exchange.own}


def strengths(document: Mapping[str, Any]) -> dict[str, int]:
    """{strength: how many gates have it}, "unique", "weak" and "none" all there."""
    counts = {"unique": 0, "weak": 0, "none": 0}
    for turn in document["turns"]:
        if turn.get("gate_strength") in counts:
            counts[turn["gate_strength"]] += 1
    return counts


def difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return the changes of a second capture, as the lines of a unified diff.

    They are over what is said and expected, turn by turn; empty where that is the same. Times of day and latencies are
    left out: they always differ.
    """
    lines = difflib.unified_diff([*_lines(old)], [*_lines(new)], "before", "now", lineterm="", n=0)
    return [*lines][:MAX_DIFF_LINES]


def _lines(document: Mapping[str, Any]) -> Iterator[str]:
    number = 0
    for turn in document.get("turns") or ():
        number += turn.get("role") == "user"
        for line in str(turn.get("content") or "").splitlines() or [""]:
            yield f"{number} {turn.get('role')}: {line}"
        for key in _TURN_FACTS:
            if turn.get(key):
                yield f"{number} {key}: {json.dumps(turn[key], sort_keys=True, ensure_ascii=False)}"
