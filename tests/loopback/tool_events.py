"""Tool calls as the three wire formats stream them: the arguments in pieces, the end with its reason."""

import json
from collections.abc import Iterator
from typing import Any

TOOL, ARGUMENTS = "book_slot", {"day": "Ijumaa — saa tisa"}
_PIECES = ("", '{"day": "Iju', 'maa — saa tisa"}')


def server_sent(value: Any, event: str = "") -> bytes:
    """One event of a stream."""
    named = f"event: {event}\n" if event else ""
    return f"{named}data: {json.dumps(value, ensure_ascii=False)}\n\n".encode()


def openai_tool_events(number: int) -> Iterator[bytes]:
    """A call in a first chunk with its name, arguments in the next ones; a comment keeps the connection alive."""
    base = {"id": f"chatcmpl-{number:024d}", "object": "chat.completion.chunk", "created": 1764000000, "model": "m-1"}
    first = {"index": 0, "id": f"call_{number:020d}", "type": "function", "function": {"name": TOOL, "arguments": ""}}
    later = [{"index": 0, "function": {"arguments": piece}} for piece in _PIECES[1:]]
    for call in (first, *later):
        delta = {"role": "assistant", "content": None, "tool_calls": [call]}
        yield server_sent({**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
        yield b": keep-alive\n\n"
    yield server_sent({**base, "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    usage = {"prompt_tokens": 21, "completion_tokens": 9, "total_tokens": 30}
    yield server_sent({**base, "choices": [], "usage": usage})
    yield b"data: [DONE]\n\n"


def anthropic_tool_events(number: int) -> Iterator[bytes]:
    """A tool_use block whose input comes as partial JSON."""
    message = {"id": f"msg_{number:020d}", "type": "message", "role": "assistant", "model": "m-1", "content": []}
    usage = {"input_tokens": 21, "output_tokens": 1}
    start = {"type": "message_start", "message": {**message, "stop_reason": None, "usage": usage}}
    yield server_sent(start, "message_start")
    block = {"type": "tool_use", "id": f"toolu_{number:020d}", "name": TOOL, "input": {}}
    yield server_sent({"type": "content_block_start", "index": 0, "content_block": block}, "content_block_start")
    yield server_sent({"type": "ping"}, "ping")
    for piece in _PIECES:
        delta = {"type": "input_json_delta", "partial_json": piece}
        yield server_sent({"type": "content_block_delta", "index": 0, "delta": delta}, "content_block_delta")
    yield server_sent({"type": "content_block_stop", "index": 0}, "content_block_stop")
    end = {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}}
    yield server_sent(end, "message_delta")
    yield server_sent({"type": "message_stop"}, "message_stop")


def gemini_tool_events(number: int) -> Iterator[bytes]:
    """A functionCall comes whole, in one response."""
    call = {"functionCall": {"name": TOOL, "args": ARGUMENTS}, "thoughtSignature": "c2ln"}
    candidate = {"content": {"role": "model", "parts": [call]}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 21, "candidatesTokenCount": 9, "totalTokenCount": 30}
    answer = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "m-1", "responseId": f"r{number}"}
    yield server_sent(answer).replace(b"\n\n", b"\r\n\r\n")
