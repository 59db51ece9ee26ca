"""The body of POST /snapshots/ as plain data."""

from dataclasses import dataclass
from typing import Annotated, Any

from annotated_types import MaxLen

from apps.core.document_parsing import parse_document
from apps.core.errors import BadInput
from apps.core.shapes import NOT_BLANK, Check, Shape, Text, described
from apps.gates.domain.posted_snapshot import PostedSnapshot

_DIGEST = r"^[0-9a-f]{64}$"


def _digest(value: str) -> str:
    if value and (len(value) != 64 or any(one not in "0123456789abcdef" for one in value)):
        raise BadInput("must be a digest: 64 small hexadecimal digits")
    return value


def _file(value: str) -> str:
    if value.startswith("/") or "\\" in value or ".." in value.split("/"):
        raise BadInput("must be a path inside the repository, with / between its parts")
    return value


Digest = Annotated[Text, NOT_BLANK, Check(_digest, {"pattern": _DIGEST})]
_CONVERSATION = {"allOf": [{"$ref": "#/components/schemas/ConversationRequest"}]}


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotRequest(Shape):
    """A golden conversation that is new or has changed."""

    scenario: Annotated[Text, MaxLen(200), NOT_BLANK]
    file: Annotated[Text, MaxLen(500), NOT_BLANK, Check(_file), described("In the repository.")]
    digest: Digest
    played: Annotated[Any, Check(lambda value: value, _CONVERSATION)]
    base_digest: Annotated[Text, Check(_digest), described("Of the accepted file; empty for a new one.")] = ""
    accepted: Annotated[Any, Check(lambda value: value, _CONVERSATION)] = None
    agent: Annotated[Text, MaxLen(100)] = ""
    commit: Annotated[Text, MaxLen(64)] = ""
    pull_request: Annotated[Text, MaxLen(200)] = ""

    def posted(self) -> PostedSnapshot:
        """Return the snapshot with its conversations read. Raises DocumentError for one that cannot be read."""
        return PostedSnapshot(
            scenario=self.scenario,
            file=self.file,
            digest=self.digest,
            base_digest=self.base_digest,
            played=parse_document(self.played, pointer="/played"),
            accepted=None if self.accepted is None else parse_document(self.accepted, pointer="/accepted"),
            agent=self.agent,
            commit=self.commit,
            pull_request=self.pull_request,
        )
