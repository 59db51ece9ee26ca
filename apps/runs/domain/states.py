"""The states of runs and conversations, and whose fault a failure was."""

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
    PRODUCTION = "production"
    TRIAL = "trial"
    ANCHOR = "anchor"


class Blame(StrEnum):
    """Blame for a conversation that failed. Only `agent_quality` lowers an agent's score."""

    AGENT_QUALITY = "agent_quality"
    AGENT_TRANSPORT = "agent_transport"
    SIMULATOR = "simulator"
    JUDGE = "judge"
    GOLDEN = "golden"
    PLATFORM = "platform"
    BUDGET = "budget"


class EndReason(StrEnum):
    """Reason why a conversation is over.

    `goal_met` and `gave_up` are what the simulated customer said when it took leave, and `customer_left` where it did
    not say; whether the goal was reached is for a judge to say. `loop`: the same exchange three times (domain/loops).
    `budget`: the model's account was empty in the middle of it.
    """

    AGENT_CLOSED = "agent_closed"
    CUSTOMER_LEFT = "customer_left"
    GOAL_MET = "goal_met"
    GAVE_UP = "gave_up"
    LOOP = "loop"
    BUDGET = "budget"
    MAX_TURNS = "max_turns"
    SCRIPT_ENDED = "script_ended"
    FAILED = "failed"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    IMPORTED = "imported"


class SimulatorVerdict(StrEnum):
    """Verdict on the simulated customer: it played its part or not.

    NONE: no customer was simulated, or the battle is not over. `unmeasured`: no model reviewed it, and no rule found a
    fault. From `broke` on the battle is invalid.
    """

    NONE = ""
    PENDING = "pending"
    KEPT = "kept"
    UNMEASURED = "unmeasured"
    BROKE = "broke"
    LEAKED = "leaked"
    HELPED = "helped"
    HINDERED = "hindered"


INVALID = frozenset(
    {SimulatorVerdict.BROKE, SimulatorVerdict.LEAKED, SimulatorVerdict.HELPED, SimulatorVerdict.HINDERED}
)
UNCOUNTED = frozenset({Blame.GOLDEN, Blame.SIMULATOR})  # whose conversations leave every denominator
RUN_TERMINAL = frozenset({RunStatus.COMPLETED, RunStatus.FAILED, RunStatus.TIMEOUT, RunStatus.CANCELLED})
RUN_ACTIVE = frozenset({RunStatus.PENDING, RunStatus.RUNNING})
CONVERSATION_TERMINAL = frozenset(
    {ConversationStatus.ENDED, ConversationStatus.FAILED, ConversationStatus.TIMEOUT, ConversationStatus.CANCELLED}
)
