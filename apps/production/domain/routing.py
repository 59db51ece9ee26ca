"""Choose the conversations that see a canary, by a stable hash of the caller and of the conversation.

The same function stands in `ratiba_router.bucket`, which an agent carries (brief 000 §7).
"""

import hashlib
import re
from collections.abc import Collection
from enum import StrEnum
from uuid import UUID

BUCKETS = 100
_UUID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")


class PromptAlias(StrEnum):
    """The version that answers a conversation: the one that is live, or the one on trial."""

    STABLE = "stable"
    CANARY = "canary"


def bucket(tenant_id: UUID | str, conversation_id: UUID | str) -> int:
    """0 to 99, the same for ever: `int(sha256("tenant:conversation"), 16) % 100` (brief 000 §7).

    Raising a percentage moves conversations from stable to canary only. There is no salt: two rollouts of one tenant
    put the same conversations into their canaries.
    """
    return int(route_digest(tenant_id, conversation_id), 16) % BUCKETS


def route_digest(tenant_id: UUID | str, conversation_id: UUID | str) -> str:
    """The digest from which the bucket is taken; of a conversation that is forced into the canary only this digest is
    kept."""
    return hashlib.sha256(f"{tenant_id}:{conversation_id}".encode()).hexdigest()


def is_forced(forced: Collection[str], *, tenant_id: UUID | str, conversation_id: UUID | str) -> bool:
    """Tell whether a person put this conversation into the canary for trying."""
    return bool(forced) and route_digest(tenant_id, conversation_id) in forced


def routed_id(text: str) -> str:
    """An id as the router reads it: a UUID as `str(UUID)` writes it, anything else as it is."""
    return text.lower() if _UUID.fullmatch(text) else text


def alias_of(percentage: int, *, tenant_id: UUID | str, conversation_id: UUID | str) -> PromptAlias:
    """Return canary for the first `percentage` of a hundred buckets, else stable."""
    in_canary = bucket(tenant_id, conversation_id) < percentage
    return PromptAlias.CANARY if in_canary else PromptAlias.STABLE
