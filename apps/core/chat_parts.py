"""The one reader of what a chat message holds: its words, its tool calls and their results, in every shape that is
about. Pure; never raises.

OpenAI (content lists, `refusal`, `tool_calls`, `function_call`, items of the Responses API), Anthropic (`tool_use`,
`tool_result`), Gemini (`parts`, `functionCall`, `functionResponse`), OpenTelemetry's GenAI parts (`tool_call`,
`tool_call_response`), LangChain (`args`), the Vercel AI SDK (`tool-call`, `tool-result`, tool parts of UI messages).
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from apps.core.conversation import ToolCall

_SILENT = frozenset({"thinking", "redacted_thinking", "reasoning", "thought", "step-start", "step-finish"})
_RESULTS = frozenset({"tool_result", "tool_call_response", "tool-result", "function_call_output", "tool_response"})
_CALLS = frozenset({"tool_use", "tool_call", "tool-call", "function_call", "server_tool_use"})
_PICTURES = {
    "image_url": "image",
    "input_image": "image",
    "input_audio": "audio",
    "input_file": "file",
    "inlineData": "file",
    "inline_data": "file",
    "fileData": "file",
    "document": "file",
}
_CALL_NAMES = ("name", "toolName", "tool_name", "tool")
_CALL_IDS = ("call_id", "tool_call_id", "toolCallId", "callId", "tool_use_id", "id")
_ARGUMENTS = ("arguments", "args", "input", "parameters")
_OUTPUTS = ("result", "output", "response", "content")
_DEEPEST = 12


class ToolOutput(NamedTuple):
    """The output of a tool; `call_id` and `name` are "" where the message does not say them."""

    call_id: str
    name: str
    text: str


class MessageParts(NamedTuple):
    """The parts of one message. `left_out` names the kinds of parts that are no words, as they stand in the text."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    results: tuple[ToolOutput, ...] = ()
    left_out: tuple[str, ...] = ()


def content_words(content: Any, *, between: str | None = None) -> str:
    """The words of a content: a text, or a list of parts. `between` stands between two texts; by default a line break,
    and nothing where a blank is there already."""
    return content if isinstance(content, str) else read_parts(content, between=between).text


def read_parts(content: Any, *, between: str | None = None) -> MessageParts:
    """Read every part of a content: a text, one part or a list of them.

    A picture or a file becomes `[image]` in the text; the model's thoughts are no part of its message.
    """
    texts, calls, results, left_out = list[str](), list[ToolCall](), list[ToolOutput](), list[str]()
    for part in _listed(content):
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, Mapping):
            if part.get("thought") is True or part.get("type") in _SILENT:
                continue
            call, result = call_of_part(part), result_of_part(part)
            calls += [call] if call else []
            results += [result] if result else []
            words = part_words(part)
            if words is not None:
                texts.append(words)
            elif call is None and result is None:
                left_out.append(_named(part))
                texts.append(f"[{left_out[-1]}]")
    return MessageParts(_joined(texts, between), tuple(calls), tuple(results), tuple(left_out))


def part_words(part: Mapping[str, Any]) -> str | None:
    """The words of one part, a refusal too; None where it holds none."""
    for key in ("text", "refusal", "content", "value"):
        value = part.get(key)
        if isinstance(value, Mapping):
            value = value.get("value")  # OpenAI's assistants
        if isinstance(value, str) and (key != "content" or part.get("type") in (None, "text", "output_text")):
            return value
    return None


def refusal_words(message: Mapping[str, Any]) -> str:
    """The words of a refusal: beside the content, or as a part of it; "" where there is none."""
    parts = [part.get("refusal") for part in _listed(message.get("content")) if isinstance(part, Mapping)]
    return next((str(words) for words in (message.get("refusal"), *parts) if words), "")


def call_of_part(part: Mapping[str, Any]) -> ToolCall | None:
    """The tool call that a part is; None for a part of another kind."""
    for key in ("functionCall", "function_call"):
        if isinstance(part.get(key), Mapping):
            return tool_call(part[key])
    kind = str(part.get("type") or "")
    if kind in _CALLS:
        return tool_call(part)
    if (kind.startswith("tool-") or kind == "dynamic-tool") and "toolCallId" in part and kind not in _RESULTS:
        return tool_call({"name": kind.removeprefix("tool-"), **part})
    return None


def result_of_part(part: Mapping[str, Any]) -> ToolOutput | None:
    """The tool's result that a part is; None for a part of another kind."""
    for key in ("functionResponse", "function_response"):
        if isinstance(part.get(key), Mapping):
            part = {"type": "tool_result", **part[key]}
    kind = str(part.get("type") or "")
    interface = (kind.startswith("tool-") or kind == "dynamic-tool") and part.get("output") is not None
    if kind not in _RESULTS and not interface:
        return None
    return ToolOutput(_text_at(part, _CALL_IDS), _text_at(part, _CALL_NAMES), result_text(_first(part, _OUTPUTS)))


def result_text(value: Any) -> str:
    """The result of a tool, as text: the words of a list of text parts, else JSON."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, list) and value and all(isinstance(one, Mapping) and "text" in one for one in value):
        return content_words(value)
    if isinstance(value, Mapping) and value.get("type") in ("text", "json") and "value" in value:
        return result_text(value["value"])  # the Vercel AI SDK's
    return json.dumps(value, ensure_ascii=False, default=str)


def calls_in(message: Mapping[str, Any]) -> Iterator[ToolCall]:
    """The calls that stand beside a message's content."""
    beside = message.get("additional_kwargs")
    for holder in (message, beside if isinstance(beside, Mapping) else {}):
        given = [item for key in ("tool_calls", "toolCalls", "function_call") for item in _objects(holder.get(key))]
        calls = [call for item in given if (call := tool_call(item)) is not None]
        if calls:
            yield from calls
            return


def tool_call(item: Mapping[str, Any]) -> ToolCall | None:
    """One call in whatever shape; None where it names no tool. Ids are texts; arguments that are no JSON stand under
    `raw`: a broken call is what an agent is tested for."""
    function = item.get("function")
    inner: Mapping[str, Any] = function if isinstance(function, Mapping) else item
    name = _first(inner, _CALL_NAMES)
    if not isinstance(name, str) or not name.strip():
        return None
    return ToolCall(id=_text_at(item, _CALL_IDS) or None, name=name, arguments=arguments_of(_first(inner, _ARGUMENTS)))


def arguments_of(given: Any) -> dict[str, Any]:
    """The arguments of a call. What is no object stays visible, a text that is no JSON under `raw` and other data under
    `value`: the tool, or a check, says what is wrong with it."""
    if isinstance(given, str):
        try:
            given = json.loads(given or "{}")
        except (ValueError, RecursionError):
            return {"raw": given}
    if given is None:
        return {}
    return {str(key): value for key, value in given.items()} if isinstance(given, Mapping) else {"value": given}


def _joined(texts: Iterable[str], between: str | None) -> str:
    if between is not None:
        return between.join(texts)
    joined = ""
    for text in filter(None, texts):
        gap = "\n" if joined and not joined[-1].isspace() and not text[0].isspace() else ""
        joined += gap + text
    return joined


def _named(part: Mapping[str, Any]) -> str:
    """The name of a part without words: image, audio, or a file by its name."""
    kind = str(part.get("type") or next(iter(part), "part"))[:40]
    inner = part.get("file") if isinstance(part.get("file"), Mapping) else part
    name = next((str(inner[key]) for key in ("filename", "file_name", "name") if inner.get(key)), "") if inner else ""
    return f"{_PICTURES.get(kind, kind)} {name}".strip()[:200]


def _listed(value: Any) -> list[Any]:
    if isinstance(value, list | tuple):
        return list(value)
    return [] if value is None else [value]


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in _listed(value) if isinstance(item, Mapping)]


def _first(holder: Mapping[str, Any], keys: Iterable[str]) -> Any:
    return next((holder[key] for key in keys if holder.get(key) is not None), None)


def _text_at(holder: Mapping[str, Any], keys: Iterable[str]) -> str:
    value = _first(holder, keys)
    return "" if value is None or isinstance(value, dict | list) else str(value)
