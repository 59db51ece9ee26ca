"""The progress of long work on a terminal as a bar, elsewhere as plain lines."""

import sys
from types import TracebackType
from typing import Any, Self

from tqdm import tqdm

from apps.evaluations.progress.services.wait import Progress


class ProgressBar:
    """Use as a context manager and hand `update` to `follow`. Writes to stderr: stdout holds the answer alone."""

    def __init__(self, label: str, stream: Any = None) -> None:
        self._label = label
        self._stream = stream or sys.stderr
        self._bar: Any = None
        self._last = -1

    def __enter__(self) -> Self:
        if self._stream.isatty():
            self._bar = tqdm(desc=self._label, file=self._stream, unit="", leave=False)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    def update(self, progress: Progress) -> None:
        if self._bar is not None:
            self._bar.total = progress.total
            self._bar.n = progress.done
            self._bar.refresh()
            return
        tenth = progress.done * 10 // progress.total if progress.total else 10
        if tenth != self._last:
            self._last = tenth
            self._stream.write(f"{self._label}: {progress.done} of {progress.total}\n")
