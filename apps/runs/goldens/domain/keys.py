"""The keys of a golden session's file: what is read, what others write beside it, and nothing else.

A misspelt key would hold a replay to nothing, in silence; so one that is not known is refused with its place. Notes of
one's own go into `metadata`, of the document or of a turn. A key whose value is null says nothing. Pure.
"""

import difflib
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from apps.core.errors import BadInput
from apps.core.json_hygiene import escape

NOTES = "metadata"
OF_A_REPLY = ("wait_for_pattern", "gate_timeout", "expected_tools", "step_agents")
TOOL_KEYS = ("name", "arguments", "match", "status", "order", "forbidden", "left_out", "times", "only")
FILE_KEYS = ("path", "name", "sha256", "media_type")
STEP_AGENT_KEYS = ("name", "source")

_READ_OF_DOCUMENT = (
    "id",
    "name",
    "source",
    "language",
    "lang",
    "domain",
    "turns",
    "messages",
    "labels",
    "profile",
    "captured_from",
    "captured_at",
    "variables",
    "case",
    "all_tools_used",
    "step_agents_by_source",
    "conversation_ids",
    "replaces_failure",
    "goal",
)
_BESIDE_DOCUMENT = (  # what recorders and collections of conversations write of where it is from
    "license",
    "conversation_id",
    "context_id",
    "session_id",
    "case_id",
    "file_turns",
    "greeting",
    "description",
    "notes",
    "project",
    "agent",
    "transport",
    "timestamp",
    "recorded_at",
    "created_at",
    "version",
    "title",
    "model",
)
_READ_OF_TURN = (
    "role",
    "content",
    "tool_calls",
    "tool_call_id",
    "name",
    "ts",
    "latency_ms",
    "attachments",
    "file_attachment",
    "description",
    "gate_strength",
    "gate_from",
    "to_the_letter",
    *OF_A_REPLY,
)
_BESIDE_TURN = (  # measurements and labels of others, and what OpenAI's messages have
    "id",
    "n",
    "turn",
    "timestamp",
    "created_at",
    "usage",
    "tokens",
    "cost_usd",
    "model",
    "requestor",
    "error",
    "status",
    "acts",
    "action_label",
    "refusal",
    "audio",
    "annotations",
    "function_call",
    "reasoning",
    "reasoning_content",
)
_CALL_KEYS = ("id", "name", "arguments", "function", "type", "index", "status", "requestor", NOTES)


def refuse_unknown_document_keys(document: Mapping[str, Any]) -> None:
    """Refuse the first unknown key of the document itself. Raises BadInput with its pointer."""
    _refuse(document, (*_READ_OF_DOCUMENT, NOTES), beside=_BESIDE_DOCUMENT, pointer="")


def refuse_unknown_turn_keys(turn: Mapping[str, Any], pointer: str) -> None:
    """Refuse the first unknown key of a turn, its tool calls, files and step agents.

    A key that only a reply can have is refused at the customer's turn too. Raises BadInput with the pointer.
    """
    _refuse(turn, (*_READ_OF_TURN, NOTES), beside=_BESIDE_TURN, pointer=pointer)
    if turn.get("role") == "user":
        for key in OF_A_REPLY:
            if turn.get(key) not in (None, "", []):
                at = f"{pointer}/{key}"
                raise BadInput(f"{at} holds for a reply: write it at the turn of the agent behind this one", pointer=at)
    _refuse_parts(turn.get("tool_calls"), _CALL_KEYS, f"{pointer}/tool_calls")
    refuse_unknown_fact_keys(turn, pointer)


def refuse_unknown_pair_keys(pair: Mapping[str, Any], known: Iterable[str], pointer: str) -> None:
    """Refuse the first unknown key of one of the brief's turn pairs.

    A pair has the keys `known` instead of role and content. Raises BadInput with the pointer.
    """
    _refuse(pair, (*known, NOTES), beside=_BESIDE_TURN, pointer=pointer)
    refuse_unknown_fact_keys(pair, pointer)


def refuse_unknown_fact_keys(turn: Mapping[str, Any], pointer: str) -> None:
    """Refuse the first unknown key of the files and step agents of a turn or a pair. Raises BadInput."""
    _refuse_parts(turn.get("attachments"), (*FILE_KEYS, NOTES), f"{pointer}/attachments")
    _refuse_parts(turn.get("step_agents"), (*STEP_AGENT_KEYS, NOTES), f"{pointer}/step_agents")
    if isinstance(turn.get("file_attachment"), Mapping):
        _refuse(turn["file_attachment"], (*FILE_KEYS, NOTES), pointer=f"{pointer}/file_attachment")


def refuse_unknown_tool_keys(tool: Mapping[str, Any], pointer: str) -> None:
    """Refuse the first unknown key of an expected tool in its longer form. Raises BadInput."""
    _refuse(tool, TOOL_KEYS, pointer=pointer)


def _refuse_parts(parts: Any, known: Collection[str], pointer: str) -> None:
    for number, part in enumerate(parts if isinstance(parts, list) else ()):
        if isinstance(part, Mapping):
            _refuse(part, known, pointer=f"{pointer}/{number}")


def _refuse(found: Mapping[str, Any], known: Collection[str], *, pointer: str, beside: Collection[str] = ()) -> None:
    for key, value in found.items():
        if value is None or key in known or key in beside:
            continue
        at = f"{pointer}/{escape(str(key))}"
        near = difflib.get_close_matches(str(key), [one for one in known if one != NOTES], n=1)
        meant = f"did you mean {near[0]}?" if near else f"there are {', '.join(sorted(known))}."
        place = f" Notes of your own go into {NOTES}." if NOTES in known else ""
        raise BadInput(f"{at[:200]} is not known here: {meant}{place}", code="unknown_field", pointer=at[:200])
