"""Replays of one golden session, and what its checks came to."""

import json
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_ratiba.errors import ProjectError
from pytest_ratiba.options import option, project_config

if TYPE_CHECKING:
    from pytest_ratiba.outcomes import CaseOutcome

TRANSPORTS = ("auto", "a2a", "agentx", "http", "pulled")


@dataclass(frozen=True, kw_only=True)
class GoldenCheck:
    """One check of the replay: the server's row of it."""

    row: Mapping[str, Any]
    outcome: "CaseOutcome"

    def assert_passed(self) -> None:
        """Nothing where it passed; skipped and failed as the row says."""
        line = f"{self.row['check']}: {self.row['outcome']}: {self.row['reason']}"
        if self.row["outcome"] == "skipped":
            pytest.skip(line)
        if self.row["outcome"] != "pass":
            pytest.fail(f"{line}\n\n{self.outcome.text()}", pytrace=False)


@dataclass(frozen=True, kw_only=True)
class GoldenSource:
    """A golden source is a session of the server, or a file with the files beside it.
    `--golden` names the session or the file."""

    name: str
    files: Mapping[str, str]  # the document first, then the profile it names; {} for a name
    attachments: Mapping[str, bytes] = field(default_factory=dict, repr=False)  # what was uploaded, where it is there

    def as_sent(self) -> dict[str, Any]:
        """The files as a run of the server takes them."""
        sent: dict[str, Any] = {"document": next(iter(self.files)), "files": dict(self.files)}
        if self.attachments:
            sent["attachments"] = {name: b64encode(content).decode() for name, content in self.attachments.items()}
        return sent


def golden_source(config: pytest.Config) -> GoldenSource:
    """Read the session or file that `--golden` names, and the profile that `--project-config` names.
    Raises `ProjectError` for a file that cannot be read.

    A file that names no profile, or one that is not there, is judged by `--project-config`.
    """
    given = option(config, "--golden")
    path = Path(config.invocation_params.dir) / given
    if not path.suffix and not path.exists():
        return GoldenSource(name=given, files={})
    document = _document(path)
    files = {}
    profile = document.get("profile")
    beside = path.parent / str(profile) if isinstance(profile, str) and profile else None
    explicit = project_config(config)
    if beside is not None and beside.is_file() and beside.parent.resolve() == path.parent.resolve():
        files[beside.name] = beside.read_text(encoding="utf-8-sig")
    elif explicit is not None and not isinstance(profile, Mapping):
        document["profile"] = explicit.name
        files[explicit.name] = explicit.read_text(encoding="utf-8-sig")
    name = str(document.get("name") or document.get("id") or path.stem)
    return GoldenSource(
        name=name,
        files={path.name: json.dumps(document, ensure_ascii=False), **files},
        attachments=_attachments(document, path.parent),
    )


def golden_transport(config: pytest.Config) -> str:
    """Return the value of `--transport`, "" where it is not given. Raises `ProjectError` for another word."""
    transport = option(config, "--transport")
    if transport and transport not in TRANSPORTS:
        raise ProjectError(f"--transport {transport!r} is one of {', '.join(TRANSPORTS)}")
    return transport


def check_named(outcome: "CaseOutcome", name: str) -> GoldenCheck:
    """The row of one check. Raises `CaseUnmeasurable` where there is none, or nothing could be measured."""
    from pytest_ratiba.outcomes import UNMEASURABLE, CaseUnmeasurable

    row = next((check for check in outcome.conversation["checks"] if check["check"] == name), None)
    if row is None:
        raise CaseUnmeasurable(f"the replay has no check {name!r}\n\n{outcome.text()}")
    if row["outcome"] == UNMEASURABLE:
        raise CaseUnmeasurable(f"{name}: {UNMEASURABLE}: {row['reason']}")
    return GoldenCheck(row=row, outcome=outcome)


def _attachments(document: Mapping[str, Any], folder: Path) -> dict[str, bytes]:
    """The files that turns name, from where they say or from `attachments/` beside the document, never outside."""
    found: dict[str, bytes] = {}
    turns = document.get("turns")
    for turn in turns if isinstance(turns, list) else ():
        named = turn.get("file_attachment") if isinstance(turn, dict) else None
        path = str((named.get("path") or named.get("name") or "") if isinstance(named, dict) else named or "")
        name = Path(path).name
        for place in (folder / path, folder / "attachments" / name) if name else ():
            if name not in found and place.is_file() and place.resolve().is_relative_to(folder.resolve()):
                found[name] = place.read_bytes()
    return found


def _document(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise ProjectError(f"--golden cannot be read: {error}", where=str(path)) from error
    if not isinstance(value, dict):
        raise ProjectError("--golden must be a file with one JSON object", where=str(path))
    return value
