"""Files of ConversationalGoldens: the JSON and JSON Lines that `EvaluationDataset.save_as` writes."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_ratiba.deepeval.golden_rows import KEYS
from pytest_ratiba.documents import LocatedDocument
from pytest_ratiba.errors import ProjectError

# Names that DeepEval's own aliases, and older versions of it, use.
ALIASES = {
    "expectedOutcome": "expected_outcome",
    "userDescription": "user_description",
    "metadata": "additional_metadata",
    "additionalMetadata": "additional_metadata",
    "customColumnKeyValues": "custom_column_key_values",
}
_SUFFIXES = (".json", ".jsonl")
_DELIMITER = "|"  # between the parts of `context` in JSON Lines


def read_golden_rows(path: Path) -> list[LocatedDocument]:
    """Every golden of a file, by the names of `KEYS`, each with its lines. Raises `ProjectError` with file and line.

    Keys nobody knows stay, so that whoever brings the row in can name them.
    """
    if path.suffix not in _SUFFIXES:
        raise ProjectError(f"is neither {' nor '.join(_SUFFIXES)}: save the dataset as one of them", where=str(path))
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ProjectError(f"cannot be read: {error}", where=str(path)) from error
    located = _lines(path, text) if path.suffix == ".jsonl" else _array(path, text)
    for number, one in enumerate(located):
        if not isinstance(one.value, dict):
            raise one.error("", f"golden {number + 1} is no JSON object")
        if "input" in one.value and not one.value.get("scenario"):
            raise one.error("/input", "is a golden of single turns; only goldens with a `scenario` are conversations")
        if not isinstance(one.value.get("scenario"), str) or not one.value["scenario"].strip():
            raise one.error("/scenario", f"golden {number + 1} has no scenario: it must be a text")
    return located


def _array(path: Path, text: str) -> list[LocatedDocument]:
    value = _decoded(path, text, 1)
    if not isinstance(value, list):
        raise ProjectError("must hold a list of goldens", where=f"{path}:1")
    node = _node(text)
    rows = node.value if node is not None and len(node.value) == len(value) else [_Unlocated()] * len(value)
    return [LocatedDocument(path=path, value=_named(one), node=row) for one, row in zip(value, rows, strict=True)]


def _lines(path: Path, text: str) -> list[LocatedDocument]:
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            value = _named(_decoded(path, line, number))
            found.append(LocatedDocument(path=path, value=_unflattened(value), node=_Unlocated(number)))
    return found


def _decoded(path: Path, text: str, line: int) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        at = line + getattr(error, "lineno", 1) - 1
        raise ProjectError(f"is not JSON: {getattr(error, 'msg', error)}", where=f"{path}:{at}") from error


def _named(row: Any) -> Any:
    return {ALIASES.get(key, key): value for key, value in row.items()} if isinstance(row, dict) else row


def _unflattened(row: Any) -> Any:
    """JSON Lines hold turns as JSON within a text, and context joined by `|`."""
    if not isinstance(row, Mapping):
        return row
    found = dict(row)
    if isinstance(found.get("context"), str):
        found["context"] = found["context"].split(_DELIMITER) if found["context"] else None
    for key in ("turns", "persona", "additional_metadata", "custom_column_key_values", "expectations"):
        if isinstance(found.get(key), str):
            try:
                found[key] = json.loads(found[key])
            except ValueError:
                continue
    return found


class _Unlocated:
    """Stands for a node whose parts have no lines of their own."""

    value = None

    def __init__(self, line: int = 1) -> None:
        self.start_mark = _Mark(line - 1)


class _Mark:
    def __init__(self, line: int) -> None:
        self.line = line


def _node(text: str) -> Any:
    """Parse a JSON text as YAML, so that each part knows its place in the text.
    JSON is YAML but for tabs; a text with tabs has everything at line 1."""
    import yaml

    for loader in (getattr(yaml, "CSafeLoader", yaml.SafeLoader), yaml.SafeLoader):  # the fast one knows no surrogates
        try:
            return yaml.compose(text, Loader=loader)
        except yaml.YAMLError:
            continue
    return None


def unknown_keys(row: Mapping[str, Any]) -> list[str]:
    """Keys that no golden has, in the order they stand."""
    return [key for key in row if key not in KEYS]
