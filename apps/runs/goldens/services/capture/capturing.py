"""Make a conversation held elsewhere a candidate version of a golden session (`capture_session`)."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import transaction

from apps.catalog.connections.domain.profile import parse_profile, read_profile
from apps.catalog.connections.domain.profile_patterns import DetectionPatterns, detection_patterns, pega_defaults
from apps.catalog.connections.services.profiles import store_profile_version
from apps.catalog.domain.states import GoldenStatus
from apps.catalog.goldens.domain.session import GoldenSnapshot, document_digest
from apps.catalog.goldens.queries.versions import versions_of
from apps.catalog.goldens.services.versions import store_golden_version
from apps.connectors.tracing.langfuse.address import LangfuseAddress
from apps.core.attached_files import AttachedFile
from apps.core.document_parsing import MAX_ID_LENGTH
from apps.core.errors import BadInput
from apps.runs.goldens.domain.captured_golden import captured_golden, difference, strengths
from apps.runs.goldens.domain.changes import kept_positions
from apps.runs.goldens.services.approval import approval_refusals, released_document
from apps.runs.goldens.services.capture.pega_source import Sleep
from apps.runs.goldens.services.capture.reading import CaptureSource, read_source


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureResult:
    """The result of a capture. `number` is the version's, `is_new` False where nothing differs from the newest one;
    `gates` {strength: n}; `profile` NAME@NUMBER; `changes` the lines of a diff against the version before."""

    golden: str
    number: int
    version_id: str
    is_new: bool
    document: Mapping[str, Any]
    profile_document: Mapping[str, Any]
    profile: str
    gates: Mapping[str, int]
    changes: tuple[str, ...]
    remarks: tuple[str, ...]
    status: GoldenStatus = GoldenStatus.CANDIDATE

    def as_json(self) -> dict[str, Any]:
        """The answer of the command; `turns` counts what the customer wrote or uploaded."""
        turns = sum(turn["role"] == "user" for turn in self.document["turns"])
        return {
            "golden": self.golden,
            "version": self.number,
            "status": self.status.value,
            "turns": turns,
            "gates": dict(self.gates),
            "profile": self.profile,
            "is_new": self.is_new,
            "changes": list(self.changes),
            "remarks": list(self.remarks),
        }


def capture_session(
    *,
    agent: str,
    now: datetime,
    ids: Sequence[str] = (),
    file: Path | None = None,
    source: CaptureSource | None = None,
    name: str = "",
    file_turns: Mapping[int, str] | None = None,
    files: Mapping[str, AttachedFile] | None = None,
    stored_files: Mapping[str, str] | None = None,
    profile: Mapping[str, Any] | None = None,
    profile_source: str = "",
    langfuse: LangfuseAddress | None = None,
    sleep: Sleep = asyncio.sleep,
) -> CaptureResult:
    """Read a session, sense its gates, tools, step agents and uploads, and store it as the next candidate version.
    `name` names it; without one the first id does. `file_turns` names the uploads of each turn, counted from 1;
    `files` has their bytes by name, `stored_files` the digests of those that are stored already.

    Raises what `read_source` and `store_golden_version` raise, and BadInput where no customer spoke. Some 15 queries;
    waits on the network: do not call it in a transaction. Safe to repeat.
    """
    sections = parse_profile(profile or {})
    patterns = _patterns(sections)
    session = read_source(
        agent=agent, source=source, ids=ids, file=file, langfuse=langfuse, sleep=sleep, is_upload=patterns.is_upload
    )
    called = _short_name(name or session.ids[0])
    digests = {**(stored_files or {}), **{one: given.sha256 for one, given in (files or {}).items()}}
    golden = captured_golden(session, name=called, patterns=patterns, file_turns=file_turns or {}, digests=digests)
    merged = {**sections, **_sensed_patterns(sections, golden.document)}
    before = next(iter(versions_of(called)), None)
    comparable = _comparable(golden.document, before, now)
    stored, was_stored = _stored(
        before, comparable, profile_source or "no profile", name=called, document=golden.document, agent=agent,
        captured_from=f"{session.source}: {', '.join(session.ids)}", profile=merged,
        note=f"captured {now:%-d %b %Y %H:%M} UTC", files={given.sha256: given for given in (files or {}).values()},
    )  # fmt: skip
    return _result(before, stored, comparable, merged, was_stored, golden.remarks)


def _short_name(name: str) -> str:
    if len(name) > MAX_ID_LENGTH:
        raise BadInput(f"a name may have {MAX_ID_LENGTH} characters, not {len(name):,}", pointer="/name")
    return name


def _patterns(sections: Mapping[str, Any]) -> DetectionPatterns:
    own = read_profile(sections)
    return detection_patterns(own.tool_patterns, own.step_agent_patterns, own.silent_upload_patterns)


def _stored(
    before: GoldenSnapshot | None, comparable: Mapping[str, Any], profile_source: str, **fields: Any
) -> tuple[GoldenSnapshot, str]:
    """The version before where nothing differs, else the next one; and the profile's version as NAME@NUMBER."""
    profile = fields["profile"]
    with transaction.atomic():
        version = store_profile_version(
            name=fields["name"], document=profile, agent=fields["agent"], source=f"captured with {profile_source}"
        )
        if before is not None and document_digest(comparable) == before.digest and before.profile == profile:
            return before, str(version)
        return store_golden_version(**fields), str(version)


def _comparable(document: dict[str, Any], before: GoldenSnapshot | None, now: datetime) -> dict[str, Any]:
    """The new document in the form that the version before has: what was released was masked on the way."""
    if before is None or before.status is GoldenStatus.CANDIDATE:
        return document
    earlier = before.document["turns"]
    keep = [
        at
        for at in kept_positions(before.document)
        if at < len(document["turns"]) and document["turns"][at].get("content") == earlier[at].get("content")
    ]
    return released_document(document, now=now, test_data=before.test_data, keep=keep)[0]


def _refusals(stored: GoldenSnapshot) -> list[str]:
    refusals = approval_refusals(stored.document) if stored.status is GoldenStatus.CANDIDATE else ()
    return [f"Approve will refuse it: {refusal}" for refusal in refusals]


def _result(
    before: GoldenSnapshot | None,
    stored: GoldenSnapshot,
    comparable: Mapping[str, Any],
    profile: Mapping[str, Any],
    profile_name: str,
    remarks: tuple[str, ...],
) -> CaptureResult:
    return CaptureResult(
        golden=stored.name,
        number=stored.number,
        version_id=stored.version_id,
        is_new=before is None or before.number != stored.number,
        document=stored.document,
        profile_document=profile,
        profile=profile_name,
        gates=strengths(stored.document),
        changes=tuple(difference(before.document, comparable)) if before else (),
        remarks=(*_refusals(stored), *remarks),
        status=stored.status,
    )


def _sensed_patterns(sections: Mapping[str, Any], document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the profile's tool patterns, and behind them shipped ones that found a tool in this session.

    A reader of the profile elsewhere finds the same.
    """
    own = list(sections.get("tool_patterns", ()))
    named = {entry["tool"] for entry in own}
    used = [
        entry
        for entry in pega_defaults()["tool_patterns"]
        if entry["tool"] in document["all_tools_used"] and entry["tool"] not in named
    ]
    return {"tool_patterns": own + used} if own or used else {}
