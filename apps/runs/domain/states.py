"""The states of runs and conversations, and whose fault a failure was (contract.md, States)."""

from enum import StrEnum


class RunStatus(StrEnum):
    PENDING = "pending"
    RUNNING = "running"
    PAUSED = "paused"
    COMPLETED = "completed"
    FAILED = "failed"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"


class ConversationStatus(StrEnum):
    PENDING = "pending"
    RUNNING = "running"
    ENDED = "ended"
    FAILED = "failed"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"


class Kind(StrEnum):
    BATTLE = "battle"
    REPLAY = "replay"
    IMPORTED = "imported"
    PROBE = "probe"


class Blame(StrEnum):
    """Whose fault it is that a conversation failed. Only `agent_quality` lowers an agent's score (law 8)."""

    AGENT_QUALITY = "agent_quality"
    AGENT_TRANSPORT = "agent_transport"
    SIMULATOR = "simulator"
    JUDGE = "judge"
    GOLDEN = "golden"
    PLATFORM = "platform"
    BUDGET = "budget"


class EndReason(StrEnum):
    """Why a conversation is over. Only what its player knows: whether a customer who took leave had reached the goal is
    for a judge to say."""

    AGENT_CLOSED = "agent_closed"
    CUSTOMER_LEFT = "customer_left"
    MAX_TURNS = "max_turns"
    SCRIPT_ENDED = "script_ended"
    FAILED = "failed"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    IMPORTED = "imported"


RUN_TERMINAL = frozenset({RunStatus.COMPLETED, RunStatus.FAILED, RunStatus.TIMEOUT, RunStatus.CANCELLED})
RUN_ACTIVE = frozenset({RunStatus.PENDING, RunStatus.RUNNING})
CONVERSATION_TERMINAL = frozenset(
    {ConversationStatus.ENDED, ConversationStatus.FAILED, ConversationStatus.TIMEOUT, ConversationStatus.CANCELLED}
)
