"""A changed golden conversation as a door was given it."""

from dataclasses import dataclass

from apps.core.conversation import ConversationDocument


@dataclass(frozen=True, slots=True, kw_only=True)
class PostedSnapshot:
    """A changed golden conversation as it came in. `accepted` is None for a scenario that has no accepted conversation
    yet."""

    scenario: str
    file: str
    digest: str
    base_digest: str
    played: ConversationDocument
    accepted: ConversationDocument | None
    agent: str = ""
    commit: str = ""
    pull_request: str = ""
