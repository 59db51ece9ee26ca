"""Workers' doors into gates: those whose evaluations have ended are decided."""

from apps.gates.services.deciding import decide_due_gates
from apps.jobs.work import TimeSlice


def decide(time_slice: TimeSlice) -> bool:
    """Decide one tenant's gates. What waits for evaluations is looked at again by the next tick."""
    decide_due_gates(now=time_slice.now())
    return False
