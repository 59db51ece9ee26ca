"""Which conversations see a canary: a stable hash of who calls and of the conversation.

The same function stands in `ratiba_router.bucket`, which an agent carries (seed 000 §7).
"""

import hashlib
from enum import StrEnum
from uuid import UUID

BUCKETS = 100


class PromptAlias(StrEnum):
    """What a conversation is answered by: the version that is live, or the one on trial."""

    STABLE = "stable"
    CANARY = "canary"


def bucket(tenant_id: UUID | str, conversation_id: UUID | str) -> int:
    """0 to 99, the same for ever: `int(sha256("tenant:conversation"), 16) % 100` (seed 000 §7).

    Raising a percentage moves conversations from stable to canary only. There is no salt: two rollouts of one tenant
    put the same conversations into their canaries.
    """
    digest = hashlib.sha256(f"{tenant_id}:{conversation_id}".encode()).hexdigest()
    return int(digest, 16) % BUCKETS


def alias_of(percentage: int, *, tenant_id: UUID | str, conversation_id: UUID | str) -> PromptAlias:
    """Canary for as many of a hundred buckets as `percentage` says."""
    in_canary = bucket(tenant_id, conversation_id) < percentage
    return PromptAlias.CANARY if in_canary else PromptAlias.STABLE
