"""A version of a golden session as plain data: what a replay's plan holds of it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from apps.catalog.domain.states import GoldenStatus
from apps.core.digest import sha256_hex


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenSnapshot:
    """One version. `document` is the conversation document with its gates, tools and files by digest; `profile` the
    golden session's own, {} where it has none; `digest` is of the document; `agent` a name, "" where nobody said."""

    name: str
    number: int
    version_id: str
    status: GoldenStatus
    document: Mapping[str, Any]
    digest: str
    profile: Mapping[str, Any] = field(default_factory=dict)
    agent: str = ""
    captured_from: str = ""
    test_data: bool = False

    @property
    def profile_digest(self) -> str:
        """The digest of the golden session's own profile; "" where it has none."""
        return sha256_hex(dict(self.profile)) if self.profile else ""

    def as_json(self) -> dict[str, Any]:
        """The golden session as a plan keeps it: everything but the state, which may change."""
        return {
            "name": self.name,
            "number": self.number,
            "version_id": self.version_id,
            "digest": self.digest,
            "document": dict(self.document),
            "profile": dict(self.profile),
            "profile_digest": self.profile_digest,
        }


class _Version(Protocol):
    """The fields read from a version's row."""

    pk: Any
    number: int
    status: Any
    document: Any
    digest: str
    profile: Any
    captured_from: str
    test_data: bool


class _Session(Protocol):
    name: str
    agent: Any


def snapshot_of(version: _Version, session: _Session) -> GoldenSnapshot:
    """A loaded row as plain data."""
    return GoldenSnapshot(
        name=session.name,
        number=version.number,
        version_id=str(version.pk),
        status=GoldenStatus(version.status),
        document=version.document,
        digest=version.digest,
        profile=version.profile,
        agent=session.agent.name if session.agent else "",
        captured_from=version.captured_from,
        test_data=version.test_data,
    )


def document_digest(document: Mapping[str, Any]) -> str:
    """64 hex digits of a golden document's canonical JSON."""
    return sha256_hex(dict(document))


def turns_to_play(document: Mapping[str, Any]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """(position, turn) of the user turns that a replay sends: those with words or with a file. An empty user turn
    without a file stands before a greeting, which nobody asked for."""
    for position, turn in enumerate(document.get("turns") or ()):
        if turn.get("role") == "user" and (turn.get("content") or files_of(turn)):
            yield position, turn


def files_of(turn: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The files that go with a turn, `file_attachment` first: {"name", "sha256"?, …}."""
    own = turn.get("file_attachment")
    return [*([own] if own else []), *(turn.get("attachments") or ())]
