"""YAML with line numbers: what scenarios are written in.

A key that stands twice is refused, and every part of a document knows its line, so that what the server says about a
part of it can be shown at the place where it was written.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_ratiba.errors import ProjectError


@dataclass(frozen=True)
class LocatedDocument:
    """One YAML document of a file: plain data, and where each part of it stands."""

    path: Path
    value: Any
    node: Any

    def line(self, pointer: str) -> int:
        """The line (from 1) of what a JSON pointer names, or of the nearest part that is there."""
        node = self.node
        line = node.start_mark.line
        for raw in pointer.split("/")[1:]:
            found = _child(node, raw.replace("~1", "/").replace("~0", "~"))
            if found is None:
                break
            line, node = found
        return int(line) + 1

    def error(self, pointer: str, message: str) -> ProjectError:
        """An error at that part, as `file:line: /pointer: message`."""
        return ProjectError(message, where=f"{self.path}:{self.line(pointer)}", pointer=pointer)


def read_documents(path: Path) -> list[LocatedDocument]:
    """Every YAML document of a file; empty ones are left out. Raises `ProjectError` with file and line."""
    try:
        return documents_of(path.read_text(encoding="utf-8"), path)
    except (OSError, UnicodeDecodeError) as error:
        raise ProjectError(f"cannot be read: {error}", where=str(path)) from error


def catalog_text(value: Any) -> str:
    """A part of a catalog as a file of YAML, by way of JSON. JSON writes an emoji as two halves, which YAML takes for
    two characters, so signs stand as they are; YAML breaks lines at some of them, so these are escaped."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return _BREAKS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


_BREAKS = re.compile("[\x7f-\x9f\u2028\u2029\ufeff]")


def read_value(text: str, path: Path) -> Any:
    """The one YAML document of a text, None where it is empty. Raises `ProjectError`, as of a doubled key."""
    found = documents_of(text, path)
    if len(found) > 1:
        raise ProjectError("holds several YAML documents, one is wanted", where=str(path))
    return found[0].value if found else None


def documents_of(text: str, path: Path) -> list[LocatedDocument]:
    """The same of a text that stands in `path`."""
    import yaml

    try:
        nodes, values = _parsed(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}:{mark.line + 1}" if mark is not None else str(path)
        raise ProjectError(f"is not YAML: {getattr(error, 'problem', None) or error}", where=where) from error
    nodes = [node for node in nodes if node.tag != "tag:yaml.org,2002:null"]
    for node in nodes:
        _refuse_repeated_keys(node, path, set())
    return [LocatedDocument(path=path, value=value, node=node) for value, node in zip(values, nodes, strict=True)]


def _parsed(text: str) -> tuple[list[Any], list[Any]]:
    """Nodes and values of every document. The C parser, where the wheel has it, is many times faster; what it does not
    take (half an emoji, a thousand levels) is the other one's to read or to name."""
    import yaml

    fast = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return _with_loader(text, fast)
    except (yaml.YAMLError, UnicodeError):
        return _with_loader(text, yaml.SafeLoader)


def _with_loader(text: str, loader: Any) -> tuple[list[Any], list[Any]]:
    """Composed twice: constructing puts what is merged (`<<`) into the nodes, which then stand at other lines."""
    import yaml

    nodes = [node for node in yaml.compose_all(text, Loader=loader) if node is not None]
    return nodes, [value for value in yaml.load_all(text, Loader=loader) if value is not None]


def _refuse_repeated_keys(node: Any, path: Path, met: set[int]) -> None:
    if id(node) in met or not isinstance(node.value, list):
        return
    met.add(id(node))
    seen: set[str] = set()
    for entry in node.value:
        pair = entry if isinstance(entry, tuple) else (None, entry)
        if pair[0] is not None:
            key = str(pair[0].value)
            if key in seen:
                raise ProjectError(f"{key!r} stands twice here", where=f"{path}:{pair[0].start_mark.line + 1}")
            seen.add(key)
        _refuse_repeated_keys(pair[1], path, met)


def _child(node: Any, key: str) -> tuple[int, Any] | None:
    if not isinstance(node.value, list):
        return None
    for index, entry in enumerate(node.value):
        if isinstance(entry, tuple):
            if str(entry[0].value) == key:
                return entry[0].start_mark.line, entry[1]
        elif str(index) == key:
            return entry.start_mark.line, entry
    return None
