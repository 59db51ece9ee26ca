"""Ids that a run makes up (UUIDs, ids of calls and requests): numbered in the order they appear in a request.

So two requests with other ids are the same as long as the same ids stand at the same places.
"""

import re

_ID = re.compile(
    r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b"
    r"|\b(?=[0-9A-HJKMNP-TV-Z]{0,25}\d)[0-7][0-9A-HJKMNP-TV-Z]{25}\b"
    r"|\b(?=[0-9a-f]{0,63}[a-f])(?=[0-9a-f]{0,63}\d)[0-9a-f]{24,64}\b"
    r"|\b[a-z][a-z_]{1,16}[_-](?=[A-Za-z0-9]*\d)(?=[A-Za-z0-9]*[A-Za-z])[A-Za-z0-9]{12,64}\b"
    r"|\b0x[0-9a-fA-F]{6,16}\b"
)
_NAMED = frozenset(
    (
        "tool_call_id",
        "tool_use_id",
        "call_id",
        "request_id",
        "trace_id",
        "span_id",
        "session_id",
        "thread_id",
        "run_id",
        "conversation_id",
        "idempotency_key",
        "prompt_cache_key",
        "previous_response_id",
        "toolcallid",
        "sessionid",
        "conversationid",
        "requestid",
    )
)


class IdNumbers:
    """The ids of one request. Not for several threads."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def text(self, text: str, key: str = "") -> str:
        """The text with `<id n>` for each id; all of it where its key says that it is one."""
        if key.lower() in _NAMED and text and len(text) <= 200:
            return self._number(text)
        return _ID.sub(lambda match: self._number(match.group()), text)

    def _number(self, found: str) -> str:
        if re.fullmatch(r"<id \d+>", found):
            return found
        return f"<id {self._numbers.setdefault(found, len(self._numbers) + 1)}>"
