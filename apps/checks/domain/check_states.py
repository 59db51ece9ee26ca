"""The states of measuring, and who asks for it. What a check comes to is apps.statistics.decision.Decision."""

from enum import StrEnum

RUNNER_ASSERTION = "runner_assertion"  # the check that a runner's results are stored under
SESSION_ISOLATION = "session_isolation"  # that no customer sees what belongs to another


class CheckJobStatus(StrEnum):
    PENDING = "pending"
    COMPLETED = "completed"
    FAILED = "failed"


class CheckSource(StrEnum):
    """Source of a check.

    `scenario`: the conversation's own assertions, measured by its run. `command`: somebody ran `measure`. `run`: a rule
    looked at all conversations of a run together. `runner`: only the agent's own side can check it, and reports it.
    """

    SCENARIO = "scenario"
    COMMAND = "command"
    RUN = "run"
    RUNNER = "runner"
