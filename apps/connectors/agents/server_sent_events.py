"""The JSON documents of a text/event-stream (WHATWG HTML §9.2.6), line by line. Comments and what is not JSON are
skipped."""

import json
from typing import Any


class EventReader:
    """Reads server-sent events line by line; returns a document with the line that completes it."""

    def __init__(self) -> None:
        self._data: list[str] = []

    def feed(self, line: str) -> Any | None:
        """Read one more line; return the document that it completes, else None."""
        if line.startswith("data:"):
            self._data.append(line[5:].removeprefix(" "))
            return None
        return self.end() if not line else None

    def end(self) -> Any | None:
        """Return the document that the end of the stream left incomplete, else None."""
        text, self._data = "\n".join(self._data), []
        try:
            return json.loads(text) if text else None
        except (ValueError, RecursionError):
            return None


def documents_in(text: str) -> list[Any]:
    """All documents of a whole stream."""
    reader = EventReader()
    documents = [reader.feed(line) for line in text.splitlines()]
    return [one for one in (*documents, reader.end()) if one is not None]
