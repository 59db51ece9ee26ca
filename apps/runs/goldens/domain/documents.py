"""Golden documents from files: the contract's own form, and the brief's turn pairs with `input`.

Both become one conversation document: gates and tools on assistant turns, files on user turns.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from apps.catalog.domain.field_readers import language
from apps.catalog.scenarios.domain.expected_arguments import ArgumentMatch, check_argument_patterns
from apps.core.errors import BadInput
from apps.core.patterns import MAX_PATTERN_CHARS
from apps.core.turn_parsing import shown
from apps.runs.domain.gates import MAX_TIMEOUT_S
from apps.runs.goldens.domain.changes import TO_THE_LETTER
from apps.runs.goldens.domain.gates import check_gate_pattern
from apps.runs.goldens.domain.keys import (
    refuse_unknown_document_keys,
    refuse_unknown_pair_keys,
    refuse_unknown_tool_keys,
    refuse_unknown_turn_keys,
)
from apps.runs.goldens.domain.listed_variables import listed_turns, refuse_placeholders, with_listed_variables
from apps.runs.goldens.domain.pinned_tools import is_tool_name

REPLIES = ("response", "reply", "output", "agent_response", "assistant_response", "assistant", "content")
TOOLS = ("expected_tools", "tools_used", "tools", "detected_tools")
_ATTACHED = re.compile(r"\[I have attached a file: ([^\]\n]{1,200})\]", re.IGNORECASE)
_FILE_NAME = re.compile(
    r"\b[\w-]{1,100}\.(?:pdf|docx?|xlsx?|pptx?|csv|txt|png|jpe?g|html?|json|xml|zip)\b", re.IGNORECASE
)
_PAIR_KEYS = (
    "input",
    "wait_for_pattern",
    "gate_timeout",
    "description",
    "latency_ms",
    "ts",
    "file_attachment",
    "step_agents",
    *REPLIES,
    *TOOLS,
)
_DIGEST = re.compile(r"[0-9a-f]{64}", re.IGNORECASE)
MAX_CALLS = 100  # of one tool in a turn
_OWN = ("name", "profile")


def golden_document(raw: Mapping[str, Any], *, is_upload: Callable[[str], bool]) -> dict[str, Any]:
    """The document in the contract's form, checked as far as gates, tools and files go.

    A pair with an empty `input` and no file is a greeting, or, where `is_upload` says so of the reply, a file that was
    sent without a word. A latency of 0 is unknown. Raises BadInput with the pointer in the file as it was written.
    """
    refuse_unknown_document_keys(raw)
    language(raw.get("language"), "/language")
    key, turns = listed_turns(raw)
    if any(isinstance(turn, Mapping) and "input" in turn for turn in turns):
        paired = [item for index, pair in enumerate(turns) for item in _pair(pair, f"/{key}/{index}", is_upload)]
        return _with_variables({**raw, key: paired})
    for index, turn in enumerate(turns):
        if isinstance(turn, Mapping):
            refuse_unknown_turn_keys(turn, f"/{key}/{index}")
            check_golden_turn(turn, f"/{key}/{index}")
    return _with_variables(raw)


def _with_variables(document: Mapping[str, Any]) -> dict[str, Any]:
    refuse_placeholders(document)
    return with_listed_variables(_without_vouching(document))


def _without_vouching(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """No file vouches for a customer's words: only a person who looks at them keeps a turn to the letter."""
    key, turns = listed_turns(document)
    if not any(isinstance(turn, Mapping) and TO_THE_LETTER in turn for turn in turns):
        return document
    return {**document, key: [_unvouched(turn) for turn in turns]}


def _unvouched(turn: Any) -> Any:
    return {key: value for key, value in turn.items() if key != TO_THE_LETTER} if isinstance(turn, Mapping) else turn


def check_golden_turn(turn: Mapping[str, Any], pointer: str) -> None:
    """Refuse a gate, tool or file that cannot be used. Raises BadInput with the pointer below `pointer`."""
    pattern = turn.get("wait_for_pattern")
    if pattern is not None:
        at = f"{pointer}/wait_for_pattern"
        if not isinstance(pattern, str) or not pattern:
            raise BadInput(f"{at} must be a regular expression, not {shown(pattern)}", pointer=at)
        if len(pattern) > MAX_PATTERN_CHARS:
            raise BadInput(f"{at} has {len(pattern):,} characters, the limit is {MAX_PATTERN_CHARS:,}", pointer=at)
        check_gate_pattern(pattern, at)
    timeout = turn.get("gate_timeout")
    if timeout is not None and (
        isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not 0 < timeout <= MAX_TIMEOUT_S
    ):
        at = f"{pointer}/gate_timeout"
        raise BadInput(f"{at} must be seconds up to {MAX_TIMEOUT_S:.0f}, not {shown(timeout)}", pointer=at)
    _check_names(turn.get("expected_tools"), f"{pointer}/expected_tools")
    for index, tool in enumerate(turn.get("expected_tools") or ()):
        name = tool.get("name") if isinstance(tool, Mapping) else tool
        if not is_tool_name(name):
            at = f"{pointer}/expected_tools/{index}"
            raise BadInput(f"{at}: {shown(name)} is no name of a tool, nor JSON", pointer=at)
        if isinstance(tool, Mapping):
            _check_tool(tool, f"{pointer}/expected_tools/{index}")
    _check_names(turn.get("step_agents"), f"{pointer}/step_agents", nameless=True)
    attached = turn.get("file_attachment")
    if attached is not None and (
        not isinstance(attached, Mapping) or not isinstance(attached.get("name") or attached.get("path"), str)
    ):
        at = f"{pointer}/file_attachment"
        raise BadInput(f"{at} must be an object with path and name", pointer=at)
    digest = attached.get("sha256") if attached else None
    if digest is not None and not (isinstance(digest, str) and _DIGEST.fullmatch(digest)):
        at = f"{pointer}/file_attachment/sha256"
        raise BadInput(f"{at} must be 64 hex digits, not {shown(digest)}", pointer=at)


def _check_names(value: Any, at: str, *, nameless: bool = False) -> None:
    if value is None:
        return
    if not isinstance(value, list):
        raise BadInput(f"{at} must be a list, not {shown(value)}", pointer=at)
    for index, one in enumerate(value):
        name = one.get("name") if isinstance(one, Mapping) else one
        if not isinstance(name, str) or not (name.strip() or nameless):
            raise BadInput(f"{at}/{index} must be a name, or an object with a name", pointer=f"{at}/{index}")


def _check_tool(tool: Mapping[str, Any], at: str) -> None:
    """Refuse an expected tool whose arguments cannot be compared with the golden ones.

    An unreadable comparison would hold up every check, and a misspelt key would check nothing.
    """
    refuse_unknown_tool_keys(tool, at)
    match, arguments = tool.get("match"), tool.get("arguments")
    known = ", ".join(ArgumentMatch)
    if match and match not in list(ArgumentMatch):
        raise BadInput(f"{at}/match must be one of {known}, not {shown(match)}", pointer=f"{at}/match")
    for key in ("order", "forbidden", "only"):
        if tool.get(key) is not None and not isinstance(tool[key], bool):
            raise BadInput(f"{at}/{key} must be true or false, not {shown(tool[key])}", pointer=f"{at}/{key}")
    often = tool.get("times")
    if often is not None and not (type(often) is int and 1 <= often <= MAX_CALLS):
        raise BadInput(
            f"{at}/times must be a whole number from 1 to {MAX_CALLS}, not {shown(often)}", pointer=f"{at}/times"
        )
    if often is not None and tool.get("forbidden"):
        raise BadInput(f"{at} is forbidden: times is about a tool that is called", pointer=f"{at}/times")
    if tool.get("status") is not None and not isinstance(tool["status"], str):
        raise BadInput(f"{at}/status must be text, not {shown(tool['status'])}", pointer=f"{at}/status")
    left_out = tool.get("left_out")
    if left_out is not None and not (isinstance(left_out, list) and all(isinstance(one, str) for one in left_out)):
        at_names = f"{at}/left_out"
        raise BadInput(f"{at_names} must be a list of arguments' names, not {shown(left_out)}", pointer=at_names)
    if arguments is not None and not isinstance(arguments, Mapping):
        raise BadInput(f"{at}/arguments must be an object, not {shown(arguments)}", pointer=f"{at}/arguments")
    if match == ArgumentMatch.REGEX:
        check_argument_patterns(arguments, f"{at}/arguments", check=check_gate_pattern)


def _pair(raw: Any, pointer: str, is_upload: Callable[[str], bool]) -> list[dict[str, Any]]:
    """The user turn, where there is one, and the reply."""
    if not isinstance(raw, Mapping):
        raise BadInput(f"{pointer} must be an object with input and response", pointer=pointer)
    refuse_unknown_pair_keys(raw, _PAIR_KEYS, pointer)
    words = raw.get("input") or ""
    if not isinstance(words, str):
        raise BadInput(f"{pointer}/input must be text, not {shown(words)}", pointer=f"{pointer}/input")
    reply = _reply(raw, pointer)
    turn: dict[str, Any] = {"role": "assistant", "content": reply}
    tools = next((raw[key] for key in TOOLS if raw.get(key) is not None), None)
    turn |= {"expected_tools": tools} if tools else {}
    turn |= {
        key: raw[key] for key in ("wait_for_pattern", "gate_timeout", "step_agents", "description") if raw.get(key)
    }
    turn |= {"latency_ms": raw["latency_ms"]} if raw.get("latency_ms") else {}
    turn |= {"ts": raw["ts"]} if raw.get("ts") else {}
    check_golden_turn({**turn, "file_attachment": raw.get("file_attachment")}, pointer)
    attached = _file(raw.get("file_attachment"), words, reply, is_upload)
    if not words and attached is None:
        return [turn]  # a greeting: nobody had said anything
    user: dict[str, Any] = {"role": "user", "content": words}
    user |= {"file_attachment": attached} if attached is not None else {}
    return [user, turn]


def _reply(raw: Mapping[str, Any], pointer: str) -> str:
    value = next((raw[key] for key in REPLIES if raw.get(key) is not None), None)
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        value = "\n\n".join(value)
    if not isinstance(value, str):
        at = f"{pointer}/response"
        raise BadInput(f"{at} must be the agent's reply as text (or {', '.join(REPLIES[1:4])})", pointer=at)
    return value


def _file(
    own: Mapping[str, Any] | None, said: str, reply: str, is_upload: Callable[[str], bool]
) -> dict[str, Any] | None:
    if own is not None:
        return dict(own)
    named = _ATTACHED.search(said)
    if named:
        return {"name": named[1].strip()}
    if not said and is_upload(reply):
        in_reply = _FILE_NAME.search(reply)
        return {"name": in_reply[0] if in_reply else "document"}
    return None
