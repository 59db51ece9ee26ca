"""`.deepeval-cache/` at the project's root: one file per score, under the key of four parts.

The key says what asked: scenario, prompt, judge, metric. What was said is no part of it, so an entry also holds the
digest of the transcript, and another transcript is a miss.
"""

import json
import os
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

FOLDER = ".deepeval-cache"
_KEY = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, kw_only=True)
class CachedScore:
    """A cached score is the result of one metric.
    The threshold of the day decides whether the score passes, and is no part of the key."""

    score: float | None
    reason: str = ""
    from_cache: bool = False


def transcript_digest(turns: Sequence[Mapping[str, Any]]) -> str:
    """64 hex digits over what was said and which tools were called, turn by turn."""
    said = [{key: turn[key] for key in ("role", "content", "tool_calls") if turn.get(key)} for turn in turns]
    text = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class DeepEvalCache:
    """`on=False` finds nothing and stores nothing. Several processes may use one folder."""

    def __init__(self, root: Path, *, on: bool = True) -> None:
        self.folder, self.on = root / FOLDER, on

    def get(self, key: str, transcript: str) -> CachedScore | None:
        """The score under this key for this transcript; None for none, another one, and a file that is broken."""
        path = self._path(key)
        if not self.on:
            return None
        try:
            checksum, _, body = path.read_text(encoding="utf-8").partition("\n")
            value = json.loads(body)
            if checksum != sha256(body.encode()).hexdigest() or value["transcript"] != transcript:
                return None
            return CachedScore(score=value["score"], reason=str(value["reason"]), from_cache=True)
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def put(self, key: str, transcript: str, score: CachedScore) -> None:
        """Keep a score. One that was not measured (None) is not kept: it is asked again."""
        if not self.on or score.score is None:
            return
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        ignore = self.folder / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
        body = json.dumps({"transcript": transcript, "score": score.score, "reason": score.reason}, sort_keys=True)
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".draft-")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(f"{sha256(body.encode()).hexdigest()}\n{body}")
        os.replace(draft, path)

    def clear(self) -> None:
        """Forget everything. Safe to repeat."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, key: str) -> Path:
        if not _KEY.fullmatch(key):
            raise ValueError(f"a key is 64 hex digits, not {key!r}")
        return self.folder / key[:2] / f"{key}.json"
