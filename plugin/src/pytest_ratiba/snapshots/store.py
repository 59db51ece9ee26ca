"""Snapshots on disk: accepted ones in the repository, played ones that differ beside them until a person looked.

`<folder>/<scenario_id>.yaml` is accepted. `<folder>/.pending/<scenario_id>.yaml` waits for `ratiba-ci snapshots
review`; that folder ignores itself, so nothing that waits is committed.
"""

import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from pytest_ratiba.config import Project
from pytest_ratiba.documents import read_value
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.recording.files import file_of
from pytest_ratiba.snapshots.conversation import GoldenConversation, SnapshotFormatError, as_yaml, read_document

FOLDER = "tests/eval/snapshots"
PENDING = ".pending"
_HEAD = "# A golden conversation. It changes by `ratiba-ci snapshots review` only; see the diff before you merge it.\n"


class StaleSnapshotError(Exception):
    """The waiting snapshot was played against another file than the one that is accepted now."""


@dataclass(frozen=True, kw_only=True)
class PendingSnapshot:
    """A played conversation that waits. `base` is the digest of the accepted file it was held against, "" for none."""

    path: Path
    base: str
    played_at: datetime
    played: GoldenConversation


class SnapshotStore:
    """The snapshots of a project."""

    def __init__(self, folder: Path, *, required: tuple[str, ...] = ()) -> None:
        """`required`: patterns of the scenarios of layer 4 that need an accepted conversation."""
        self.folder, self.required = folder, required

    def holds(self, scenario_id: str) -> bool:
        """Whether the scenario is held against an accepted conversation: it has one, or needs one."""
        needed = any(fnmatchcase(scenario_id, pattern) for pattern in self.required)
        return needed or self.path(scenario_id).exists()

    def path(self, scenario_id: str) -> Path:
        """Return the path of a scenario's accepted file."""
        return file_of(self.folder, scenario_id).with_suffix(".yaml")

    def accepted(self, scenario_id: str) -> tuple[GoldenConversation, datetime] | None:
        """The accepted conversation and when it was played. Raises ProjectError for a file that is none."""
        path = self.path(scenario_id)
        value = _load(path)
        if value is None:
            return None
        return _conversation(path, value)

    def ids(self) -> dict[str, Path]:
        """The scenario of each accepted file."""
        found = {}
        for path in sorted(self.folder.glob("*.yaml")):
            value = _load(path)
            if value is not None:
                found[_conversation(path, value)[0].id] = path
        return found

    def wait(self, played: GoldenConversation, *, base: str, now: datetime) -> Path:
        """Puts a conversation beside the accepted ones, for a person. An earlier one of the scenario gives way."""
        folder = self.folder / PENDING
        folder.mkdir(parents=True, exist_ok=True)
        ignore = folder / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
        path = folder / self.path(played.id).name
        _write(path, f"# base: {base}\n{_dated(now)}{as_yaml(played)}")
        return path

    def forget(self, scenario_id: str) -> None:
        """Nothing of this scenario waits any more."""
        (self.folder / PENDING / self.path(scenario_id).name).unlink(missing_ok=True)

    def pending(self) -> Iterator[PendingSnapshot]:
        """List the waiting snapshots by name. Raises ProjectError for a file that is no snapshot."""
        for path in sorted((self.folder / PENDING).glob("*.yaml")):
            value = _load(path)
            if value is None:
                continue
            golden, played_at = _conversation(path, value)
            base = path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# base:").strip()
            yield PendingSnapshot(path=path, base=base, played_at=played_at, played=golden)

    def accept(self, waiting: PendingSnapshot) -> Path:
        """The played conversation becomes the accepted one; only for a person's answer. Raises StaleSnapshotError where
        the accepted file is not the one it was held against."""
        now_accepted = self.accepted(waiting.played.id)
        if (now_accepted[0].digest if now_accepted else "") != waiting.base:
            raise StaleSnapshotError(
                f"{shown_path(self.path(waiting.played.id))} changed since: play the scenario again"
            )
        path = self.path(waiting.played.id)
        _write(path, f"{_HEAD}{_dated(waiting.played_at)}{as_yaml(waiting.played)}")
        waiting.path.unlink(missing_ok=True)
        return path


def shown_path(path: Path) -> str:
    """The path for a person: from the folder they stand in, where it lies below it."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def store_of(project: Project) -> SnapshotStore:
    """The section `snapshots: {path, scenarios: accepted | all | [patterns]}`. Raises ProjectError."""
    section = project.mapping("snapshots")
    project.refuse_unknown("/snapshots", section, ("path", "scenarios"))
    folder = section.get("path", FOLDER)
    if not isinstance(folder, str) or not folder:
        raise project.error("/snapshots/path", f"must name a folder, for example {FOLDER}")
    scenarios = section.get("scenarios", "accepted")
    if scenarios in ("accepted", "all"):
        return SnapshotStore(project.folder / folder, required=("*",) if scenarios == "all" else ())
    if not isinstance(scenarios, list) or not all(isinstance(scenario, str) and scenario for scenario in scenarios):
        raise project.error(
            "/snapshots/scenarios", "is `accepted` (those that have a file), `all`, or a list of ids or patterns"
        )
    return SnapshotStore(project.folder / folder, required=tuple(scenarios))


def _dated(now: datetime) -> str:
    return f"# played: {now.astimezone(UTC).isoformat(timespec='seconds')}\n"


def _load(path: Path) -> Any:
    try:
        return read_value(path.read_text(encoding="utf-8-sig"), path)
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise ProjectError(f"cannot be read: {error}", where=str(path)) from error


def _conversation(path: Path, value: Any) -> tuple[GoldenConversation, datetime]:
    try:
        golden = read_document(value)
        lines = path.read_text(encoding="utf-8").splitlines()[:3]
        dated = next((line.partition(":")[2].strip() for line in lines if line.startswith("# played:")), "")
        played_at = datetime.fromisoformat(dated) if dated else datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except (SnapshotFormatError, ValueError) as error:
        raise ProjectError(str(error), where=str(path)) from error
    return golden, played_at


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".draft-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.chmod(draft, 0o644)
        os.replace(draft, path)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
