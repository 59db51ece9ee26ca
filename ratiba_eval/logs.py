"""The log: rotated JSON lines under RATIBA_LOG_DIR, one object a line, every text redacted before it is written.

Keys of every line: time (ISO 8601, UTC), level, event_type (apps.core.events.EventType), logger, message, tenant, run,
conversation; whatever else an event carries follows. Many processes write to one file: a line is a single append, and
rotation is done by whoever finds the file too long, under a file lock; the others notice the new file by its inode.
"""

import fcntl
import json
import logging
import math
import os
import re
import sys
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

FILE_NAME = "ratiba.jsonl"
MAX_BYTES = 20 * 1024 * 1024
KEPT_FILES = 5
MAX_TEXT = 4000
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_SECRET_KEY = re.compile(
    r"(^|_|-)(secret|password|passwd|authorization|api[_-]?key|token|cookie|signature|private_key)$", re.I
)
_SECRET_VALUE = re.compile(
    r"whsec_[\w+/=-]+|\brk_[\w-]{8,}|\bsk-[\w-]{8,}|\bAIza[\w-]{20,}|\bBearer\s+[\w.~+/=-]+|(?<=://)[^/\s:@]*:[^/\s@]+(?=@)",
    re.I,
)
# Our own words, never a customer's: these keys are ids, states and names of models, kept as they are.
_OURS = frozenset(
    {
        "event_type",
        "level",
        "logger",
        "tenant",
        "tenant_id",
        "queue",
        "task",
        "state",
        "status",
        "kind",
        "model",
        "provider",
        "purpose",
        "outcome",
    }
)
_HASHED = frozenset({"arguments", "tool_arguments"})
_FIXED = frozenset({"time", "level", "event_type", "logger", "message"})  # a field cannot overwrite these


def clean(value: Any, key: str = "", names: tuple[str, ...] = ()) -> Any:
    """`value` as plain JSON: texts through the masking floor, secrets replaced, a tool call's arguments hashed.

    `names` are the people of this conversation, masked wherever they stand.
    """
    if key and _SECRET_KEY.search(key) and value not in (None, "", True, False):
        return "<secret>"
    if key in _HASHED and value:
        return _hashed(value)
    if isinstance(value, Mapping):
        return {str(name): clean(item, str(name), names) for name, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [clean(item, "", names) for item in value]
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)  # JSON has no word for the others
    if isinstance(value, str) and (_UUID.fullmatch(value) or (key in _OURS and len(value) <= 120)):
        return value
    return _floor(value if isinstance(value, int) else str(value), names)


def _floor(value: str | int, names: tuple[str, ...]) -> Any:
    """Mask a text by the base redaction; where that cannot be loaded, nothing of a text is written."""
    try:
        from apps.core.listed_names import without_asking  # noqa: PLC0415 - as below
        from apps.core.redaction import redact_value  # noqa: PLC0415 - tables of phone numbers: only lines pay for them
    except ImportError:
        return "<unredacted text withheld>"
    plain = _SECRET_VALUE.sub("<secret>", value[:MAX_TEXT]) if isinstance(value, str) else value
    with without_asking():
        return redact_value(plain, names=names)


def _hashed(value: Any) -> str:
    """With this installation's key: a plain hash of a phone number could be looked up."""
    from django.conf import settings  # noqa: PLC0415 - this module is imported by settings

    from apps.core.redaction import hash_arguments  # noqa: PLC0415 - as in _floor

    return "hash:" + hash_arguments(json.loads(json.dumps(value, default=str)), key=settings.SECRET_KEY)[:32]


class JsonLine(logging.Formatter):
    """A log record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        from apps.core.events import EventType, bound_fields  # noqa: PLC0415 - this module is imported by settings

        fields = dict(getattr(record, "fields", None) or bound_fields())
        names = tuple(fields.pop("names", ()))
        event = getattr(record, "event_type", EventType.LOG.value)
        message = record.getMessage()
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "event_type": event,
            "logger": record.name,
            "message": message if message == event else clean(message, names=names),
            "tenant": None,
            "run": None,
            "conversation": None,
        }
        line.update({name: clean(value, name, names) for name, value in fields.items() if name not in _FIXED})
        if record.exc_info and record.exc_info[0] is not None:
            # Only where it happened: the text of an exception may quote a customer, so it goes through the floor.
            line["error"] = record.exc_info[0].__name__
            line["error_message"] = clean(str(record.exc_info[1]), names=names)
            frames = traceback.extract_tb(record.exc_info[2])[-12:]
            line["trace"] = [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames]
        return json.dumps(line, ensure_ascii=False, default=str, allow_nan=False)


class JsonLinesFile(logging.Handler):
    """Appends to one file from many processes and rotates it when it grows past `max_bytes`.

    The file is opened with the first line, so importing settings writes nothing. A full disk or a missing right costs
    log lines, never the work that logs.
    """

    def __init__(self, folder: str | Path, *, max_bytes: int = MAX_BYTES, kept: int = KEPT_FILES) -> None:
        super().__init__()
        self.path = Path(folder) / FILE_NAME
        self.max_bytes = max_bytes
        self.kept = kept
        self._descriptor: int | None = None
        self.setFormatter(JsonLine())

    def emit(self, record: logging.LogRecord) -> None:
        try:
            line = (self.format(record) + "\n").encode("utf-8", "replace")
            descriptor = self._current()
            if os.fstat(descriptor).st_size + len(line) > self.max_bytes:
                self._rotate()
                descriptor = self._current()
            os.write(descriptor, line)
        except Exception:  # a log must never take the work down with it
            self.handleError(record)

    def close(self) -> None:
        self._forget()
        super().close()

    def _current(self) -> int:
        """The open file, opened again where another process has rotated it away."""
        if self._descriptor is not None:
            try:
                if os.stat(self.path).st_ino == os.fstat(self._descriptor).st_ino:
                    return self._descriptor
            except FileNotFoundError:
                pass
            self._forget()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        return self._descriptor

    def _rotate(self) -> None:
        with open(self.path.with_suffix(".lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if self.path.exists() and self.path.stat().st_size < self.max_bytes // 2:
                return  # somebody else was first
            for number in range(self.kept - 1, 0, -1):
                older = self.path.with_name(f"{FILE_NAME}.{number}")
                if older.exists():
                    older.replace(self.path.with_name(f"{FILE_NAME}.{number + 1}"))
            if self.path.exists():
                self.path.replace(self.path.with_name(f"{FILE_NAME}.1"))
        self._forget()

    def _forget(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def config(*, folder: Path, level: str) -> dict[str, Any]:
    """The logging configuration (dictConfig): everything to the file, warnings to the terminal as plain text."""
    if level.upper() not in logging.getLevelNamesMapping():
        raise ValueError(f"RATIBA_LOG_LEVEL: {level!r} is not a level (DEBUG, INFO, WARNING, ERROR)")
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"plain": {"format": "%(levelname)s %(name)s: %(message)s"}},
        "handlers": {
            "file": {"()": "ratiba_eval.logs.JsonLinesFile", "folder": str(folder)},
            "terminal": {
                "class": "logging.StreamHandler",
                "stream": sys.stderr,
                "formatter": "plain",
                "level": "WARNING",
            },
        },
        "root": {"handlers": ["file", "terminal"], "level": level.upper()},
        "loggers": {
            # httpx writes whole addresses, query strings included, at INFO
            "httpx": {"level": "WARNING"},
            "httpcore": {"level": "WARNING"},
            "asyncio": {"level": "WARNING"},
            # "received", "succeeded", "sending due task": lines for each call; what it did has an event of its own
            "celery.worker.strategy": {"level": "WARNING"},
            "celery.app.trace": {"level": "WARNING"},
            "celery.beat": {"level": "WARNING"},
        },
    }
