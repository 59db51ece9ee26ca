"""Where in an answer to look, by JSONPath: compiled and checked when the agent is set up, not on its first reply."""

from collections.abc import Mapping
from typing import Any

from jsonpath import JSONPath

from apps.core.errors import BadInput


class Paths:
    """Named JSONPaths from the options; an empty one is not there. Raises BadInput for one that cannot be read."""

    def __init__(self, options: Mapping[str, Any], defaults: Mapping[str, str]) -> None:
        self._paths = {
            name: _path(options.get(name, default), f"/options/{name}") for name, default in defaults.items()
        }

    def has(self, name: str) -> bool:
        """Whether that path was given."""
        return self._paths[name] is not None

    @property
    def any(self) -> bool:
        """Whether any path was given, so that answers have to be JSON."""
        return any(path is not None for path in self._paths.values())

    def find(self, name: str, data: Any) -> list[Any]:
        """What a path finds; one match that is a list counts as its items."""
        path = self._paths[name]
        found = list(path.parse(data)) if path is not None and isinstance(data, dict | list) else []
        return found[0] if len(found) == 1 and isinstance(found[0], list) else found


def _path(text: Any, pointer: str) -> Any:
    if not text:
        return None
    # The library takes any text and then finds nothing; a typing mistake should show before the first conversation.
    path = str(text).strip()
    if not path.startswith("$") or any(path.count(opened) != path.count(closed) for opened, closed in ("[]", "()")):
        raise BadInput(f"{path!r} is not a JSONPath: it begins with $, and brackets are in pairs", pointer=pointer)
    try:
        return JSONPath(path)
    except Exception as error:  # whatever its parser happens to raise
        raise BadInput(f"{path!r} is not a JSONPath: {error}", pointer=pointer) from error
