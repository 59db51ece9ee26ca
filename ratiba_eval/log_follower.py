"""Shows what is added to log files, each line behind the name of its program."""

import json
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

INTERVAL_S = 0.2


def shown(line: str) -> str | None:
    """A line for people: of a JSON object its level, kind, tenant and message, anything else as it is.

    None for the pulse of beat and workers (ticks, a task taken and done): the files hold it, a person would see
    nothing else.
    """
    if not line.startswith("{"):
        return line
    try:
        entry = json.loads(line)
    except ValueError:
        return line
    event, logger = entry.get("event_type"), str(entry.get("logger", ""))
    if entry.get("level") in ("DEBUG", "INFO") and (event == "tick" or logger.startswith("celery")):
        return None
    parts = (entry.get("level"), event if event != "log" else "", entry.get("tenant"), entry.get("message"))
    return " ".join(dict.fromkeys(str(part) for part in parts if part))


class LogFollower:
    """Prints lines added to these files from now on, until stopped. A reader only: it never holds a writer up."""

    def __init__(self, files: Mapping[str, Path], *, write: Callable[[str], None]) -> None:
        self._files = files
        self._write = write
        self._places = {name: path.stat().st_size if path.exists() else 0 for name, path in files.items()}
        self._width = max((len(name) for name in files), default=0)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="log-follower", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Show what is left and end."""
        self._over.set()
        self._thread.join(timeout=5)

    def _follow(self) -> None:
        while not self._over.wait(INTERVAL_S):
            self.show_new()
        self.show_new()

    def show_new(self) -> None:
        """Print every complete line that is new and worth a look."""
        for name, path in self._files.items():
            for line in self._new_lines(name, path):
                if (text := shown(line)) is not None:
                    self._write(f"{name:{self._width}} | {text}")

    def _new_lines(self, name: str, path: Path) -> list[str]:
        if not path.exists():
            return []
        if path.stat().st_size < self._places[name]:  # it was begun anew
            self._places[name] = 0
        with open(path, "rb") as handle:
            handle.seek(self._places[name])
            complete, newline, _rest = handle.read().rpartition(b"\n")
        self._places[name] += len(complete) + len(newline)
        return complete.decode(errors="replace").splitlines()
