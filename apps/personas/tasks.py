"""Workers' doors into personas: sets to be generated, personas to be validated, customers of battles to be reviewed."""

from apps.jobs.wakeups import wake_workers_on_commit
from apps.jobs.work import Turn
from apps.personas.queries.probes_to_play import probes_to_play
from apps.personas.services.generating import generate_due
from apps.personas.services.simulator_review import review_lane
from apps.personas.services.validating import validate_due
from apps.runs.services.control import finish_runs


def generate(turn: Turn) -> bool:
    """Write one tenant's sets of personas."""
    return generate_due(now=turn.now, until=turn.until)


def validate(turn: Turn) -> bool:
    """Validate one tenant's personas, and have their probe dialogues played."""
    more = validate_due(now=turn.now, until=turn.until)
    if probes_to_play():
        wake_workers_on_commit(turn.tenant, "playing")
    return more


def review(turn: Turn) -> bool:
    """Reach the verdicts on one tenant's simulated customers, and end the runs that waited for them."""
    report = review_lane(now=turn.now)
    finish_runs(now=turn.now())
    return report is not None and report.more
