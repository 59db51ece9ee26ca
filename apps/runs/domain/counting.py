"""Decide whether a conversation counts in scores, checks and verdicts, and why.

It is one rule for every entry point. Pure.
"""

from dataclasses import dataclass

from apps.runs.domain.states import Blame, ConversationStatus, SimulatorVerdict

_BLAMED = {
    Blame.SIMULATOR: "The simulated customer was at fault.",
    Blame.GOLDEN: "The golden session was wrong.",
    Blame.AGENT_QUALITY: "The agent failed.",
}


@dataclass(frozen=True, slots=True)
class Counting:
    """Answer whether a conversation counts. `why` is a sentence in both cases."""

    counts: bool
    why: str

    def as_json(self) -> dict[str, bool | str]:
        """The answer as every document and table has it: {"counts", "counts_why"}."""
        return {"counts": self.counts, "counts_why": self.why}


def counting_of(*, status: str, blame: str | None, simulator_verdict: str) -> Counting:
    """A conversation counts where it was played to its end by a customer who played its part, or where the agent is to
    blame that it was not."""
    if blame in (Blame.SIMULATOR, Blame.GOLDEN, Blame.AGENT_QUALITY):
        return Counting(blame == Blame.AGENT_QUALITY, _BLAMED[Blame(blame)])
    if status == ConversationStatus.ENDED:
        if simulator_verdict == SimulatorVerdict.PENDING:
            return Counting(False, "Its simulated customer is still to be reviewed.")
        return Counting(True, "It was played to its end.")
    if status == ConversationStatus.CANCELLED:
        return Counting(False, "It was cancelled.")
    if status in (ConversationStatus.PENDING, ConversationStatus.RUNNING):
        return Counting(False, "It is not over.")
    how = "timed out" if status == ConversationStatus.TIMEOUT else "failed"
    return Counting(False, f"It {how} through no fault of the agent.")
