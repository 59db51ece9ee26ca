"""Read an answer by JSONPath: compiled and checked when the agent is set up, not on its first reply."""

from collections.abc import Mapping
from typing import Any

from jsonpath_rfc9535.query import JSONPathQuery

from apps.core.json_path import compile_path, matches


class Paths:
    """Named JSONPaths from the options; an empty one is not there. Raises BadInput for one that cannot be read."""

    def __init__(self, options: Mapping[str, Any], defaults: Mapping[str, str]) -> None:
        self._paths = {
            name: _path(options.get(name, default), f"/options/{name}") for name, default in defaults.items()
        }

    def has(self, name: str) -> bool:
        """Tell whether that path was given."""
        return self._paths[name] is not None

    @property
    def any(self) -> bool:
        """Tell whether any path was given, so that answers have to be JSON."""
        return any(path is not None for path in self._paths.values())

    def present(self, name: str, data: Any) -> bool:
        """Tell whether the path leads anywhere in it, be it to null or to an empty list."""
        path = self._paths[name]
        return path is not None and isinstance(data, dict | list) and bool(matches(path, data))

    def find(self, name: str, data: Any) -> list[Any]:
        """The values that a path finds; one match that is a list counts as its items. Nothing where the answer is
        nested deeper than 100 levels or the path visits more than MAX_VISITED values in it."""
        path = self._paths[name]
        values = matches(path, data) if path is not None and isinstance(data, dict | list) else []
        return values[0] if len(values) == 1 and isinstance(values[0], list) else values


def _path(text: Any, pointer: str) -> JSONPathQuery | None:
    path = str(text or "").strip()
    return compile_path(path, pointer) if path else None
