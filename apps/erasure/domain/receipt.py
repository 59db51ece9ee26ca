"""The receipt of an erasure: its finds and its work, in counts."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

MAX_HITS = 200


@dataclass(slots=True, kw_only=True)
class Receipt:
    """Receipt of an erasure. `words`: how often the person's data stood in a column (`table.column`).

    `quotes`: rows elsewhere that quoted them.
    `files`: how often the words stood in a file. `unreadable`: files that could not be searched or rewritten.
    `nodes`: keys of the state folders whose files and log were searched; `nodes_gone`: names of those that were silent.
    `langfuse`: ids of the requests to delete their traces there, whose state is read when the receipt is shown.

    `hits` are what a dry run shows, with the words beside them; they are in no receipt.
    """

    conversations: int = 0
    words: Counter[str] = field(default_factory=Counter)
    rows: Counter[str] = field(default_factory=Counter)
    quotes: Counter[str] = field(default_factory=Counter)
    cache_entries: int = 0
    files: Counter[str] = field(default_factory=Counter)
    unreadable: list[str] = field(default_factory=list)
    langfuse: list[str] = field(default_factory=list)
    nodes: list[str] = field(default_factory=list)
    nodes_gone: list[str] = field(default_factory=list)
    hits: list[dict[str, str]] = field(default_factory=list)

    def note_hit(self, place: str, row: object, text: str) -> None:
        """Note a hit for a person to look at, where a dry run asks for it."""
        if len(self.hits) < MAX_HITS:
            self.hits.append({"place": place, "row": str(row), "text": text})

    def as_json(self) -> dict[str, Any]:
        """Counts and places, no content."""
        return {
            "conversations": self.conversations,
            "words": dict(sorted(self.words.items())),
            "words_in_all": sum(self.words.values()),
            "rows": dict(sorted(self.rows.items())),
            "quotes": dict(sorted(self.quotes.items())),
            "cache_entries": self.cache_entries,
            "files": dict(sorted(self.files.items())),
            "words_in_files": sum(self.files.values()),
            "unreadable": sorted(self.unreadable),
            "langfuse": sorted(self.langfuse),
            "nodes": sorted(self.nodes),
            "nodes_gone": sorted(self.nodes_gone),
        }


def joined(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Two receipts of one person, the later look added to the first."""
    answer = dict(first)
    for name, value in second.items():
        if isinstance(value, dict):
            answer[name] = dict(Counter(first.get(name) or {}) + Counter(value))
        elif isinstance(value, list):
            answer[name] = sorted({*(first.get(name) or ()), *value})
        elif name == "conversations":
            answer[name] = max(first.get(name) or 0, value)  # the same ones: their digests are gone by then
        else:
            answer[name] = (first.get(name) or 0) + value
    return answer
