"""The JSON documents of a text/event-stream (WHATWG HTML §9.2.6), line by line. Comments and what is not JSON are
skipped."""

import json
from typing import Any


class EventReader:
    """Takes lines without their ends; a document is given back with the line that completes it."""

    def __init__(self) -> None:
        self._data: list[str] = []

    def feed(self, line: str) -> Any | None:
        """One more line: the document that it ends, else None."""
        if line.startswith("data:"):
            self._data.append(line[5:].removeprefix(" "))
            return None
        return self.end() if not line else None

    def end(self) -> Any | None:
        """The document that the stream left open, else None."""
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
