"""Pin a tool call that a golden session shows: a replay must repeat its name and the arguments that do not change from
run to run.

An argument is left out where another run rightly has another value: ids and clock times that the customer did not say,
dates, and what masking made unreadable or turned into part of a text. What is left out is listed (`left_out`). Pure.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from apps.catalog.scenarios.domain.expected_arguments import ArgumentMatch
from apps.core.extracted_values import ValueKind, values
from apps.core.redaction import MASKED, redact
from apps.runs.goldens.domain.variables import VARIABLE

MAX_CHARS, MAX_WORDS = 200, 8  # of an argument's text: what is longer is prose, which every run words anew
_ID_NAME = re.compile(r"(?:^|[_.-])(?:id|ids|uuid|guid|token|trace|cursor|hash)$", re.IGNORECASE)
_ID_NAME_HUMPED = re.compile(r"(?<=[a-z])(?:Id|Ids|ID|IDs|Uuid|Guid|Token)$")
_MOVING = frozenset({ValueKind.DATE, ValueKind.TIME})
_CAPTURED = "all_tools_used"  # a capture writes it, with the calls it expects
_NOT_A_NAME = re.compile(r"[<>{}\[\]\"\x00-\x1f\x7f]")


def is_tool_name(text: object) -> bool:
    """Tell whether this can be the name of a tool.

    No markup, no JSON, no control characters, at most 200 characters.
    """
    return isinstance(text, str) and bool(text.strip()) and len(text) <= MAX_CHARS and not _NOT_A_NAME.search(text)


def pinned_tool(call: Mapping[str, Any], *, said: Iterable[str] = ()) -> dict[str, Any]:
    """Return the `expected_tools` entry that holds a replay to this call.

    It is {"name", "arguments", "match": "subset", "left_out": [names of arguments]}. `said` is what the customer had
    said before it: an id that stands there is held, since every run says it again.
    """
    words = " ".join(said).casefold()
    arguments = call.get("arguments")
    listed = arguments if isinstance(arguments, Mapping) else {}
    held = {str(name): value for name, value in listed.items() if _holds(str(name), value, words)}
    left_out = [str(name) for name in listed if str(name) not in held]
    return {
        "name": str(call.get("name") or ""),
        "arguments": held,
        "match": ArgumentMatch.SUBSET.value,
        "left_out": left_out,
    }


def with_pinned_tools(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the document as a replay is held to it, with pinned tools.

    A tool that is named in a reply which shows calls of it stands for these calls with their arguments. Where a
    document says nothing of expectations its calls are expected (`with_expected_calls`). {"name", "match": "name"}
    stays a name. The same again changes nothing.
    """
    document = with_expected_calls(document)
    turns, notes = list[Any](), list[str]()
    for turn in document.get("turns") or ():
        if isinstance(turn, Mapping) and turn.get("role") == "user":
            notes.append(str(turn.get("content") or ""))
        turns.append(_pinned_turn(turn, notes))
    return {**document, "turns": turns}


def with_expected_calls(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the document with the calls that it shows as expectations, where it names none.

    They are taken as if it had been captured: those of replies to something that the customer said. A capture in which
    a person took every expectation out stays so, and so does a document that says [] in any reply.
    """
    turns = [turn for turn in document.get("turns") or () if isinstance(turn, Mapping)]
    if _CAPTURED in document or any("expected_tools" in turn for turn in turns):
        return dict(document)
    expecting, notes = list[Any](), list[str]()
    for turn in document.get("turns") or ():
        if isinstance(turn, Mapping) and turn.get("role") == "user":
            notes.append(str(turn.get("content") or ""))
        calls = [call for call in _calls(turn) if is_tool_name(_name(call))] if notes else []
        expecting.append(
            {**turn, "expected_tools": [pinned_tool(call, said=notes) for call in calls]} if calls else turn
        )
    return {**document, "turns": expecting}


def _calls(turn: Any) -> list[Any]:
    listed = turn.get("tool_calls") if isinstance(turn, Mapping) else None
    return [call for call in listed if isinstance(call, Mapping)] if isinstance(listed, list | tuple) else []


def without_masked(before: Any, after: Any) -> Any:
    """Return `after`, the masked `expected_tools` of a reply, without arguments that masking changed.

    An argument of a pinned call stays where all of it became one variable of the customer: it is filled like the
    customer's own words.
    """
    if not isinstance(before, list) or not isinstance(after, list) or len(before) != len(after):
        return after
    return [_without_mask_differences(one, other) for one, other in zip(before, after, strict=True)]


def _pinned_turn(turn: Any, said: Sequence[str]) -> Any:
    named = turn.get("expected_tools") if isinstance(turn, Mapping) else None
    calls = list(turn.get("tool_calls") or ()) if isinstance(turn, Mapping) else []
    if not isinstance(named, list) or not calls:
        return turn
    return {**turn, "expected_tools": [*_pinned(named, calls, said)]}


def _pinned(named: Sequence[Any], calls: Sequence[Any], said: Sequence[str]) -> Iterator[Any]:
    known = [call for call in calls if isinstance(call, Mapping)]
    for entry in named:
        own = [call for call in known if isinstance(entry, str) and call.get("name") == entry]
        known = [call for call in known if call not in own]
        if own:
            yield from (pinned_tool(call, said=said) for call in own)
        elif not (isinstance(entry, str) and any(_name(call) == entry for call in calls)):
            yield entry  # a second mention of a name whose calls stand already adds none


def _name(call: Any) -> str:
    return str(call.get("name") or "") if isinstance(call, Mapping) else ""


def _without_mask_differences(before: Any, after: Any) -> Any:
    if not isinstance(after, Mapping) or "left_out" not in after or not isinstance(before, Mapping):
        return after
    arguments, earlier = after.get("arguments") or {}, before.get("arguments") or {}
    changed = [
        name
        for name, value in arguments.items()
        if value != earlier.get(name) and not (isinstance(value, str) and _customer_variable(value))
    ]
    return {
        **after,
        "arguments": {name: value for name, value in arguments.items() if name not in changed},
        "left_out": [*after["left_out"], *changed],
    }


def _holds(name: str, value: Any, said: str) -> bool:
    if isinstance(value, Mapping):
        return bool(value) and all(_holds(str(key), one, said) for key, one in value.items())
    if isinstance(value, list):
        return bool(value) and all(_holds(name, one, said) for one in value)
    if isinstance(value, bool) or value is None:
        return True
    text = str(value)
    if _customer_variable(text):
        return True
    if len(text) > MAX_CHARS or len(text.split()) > MAX_WORDS or VARIABLE.search(text) or MASKED.search(text):
        return False
    if _stated(text, said):
        return ValueKind.DATE not in _kinds(text)
    return not (_is_id_name(name) or _kinds(text) & {*_MOVING, ValueKind.IDENTIFIER} or redact(text) != text)


def _customer_variable(text: str) -> bool:
    match = VARIABLE.fullmatch(text.strip())
    return bool(match and match[1].startswith("customer."))


def _stated(text: str, said: str) -> bool:
    return bool(text.strip()) and re.search(rf"(?<!\w){re.escape(text.strip().casefold())}(?!\w)", said) is not None


def _kinds(text: str) -> frozenset[ValueKind]:
    return frozenset(value.kind for value in values(text))


def _is_id_name(name: str) -> bool:
    return bool(_ID_NAME.search(name) or _ID_NAME_HUMPED.search(name))
