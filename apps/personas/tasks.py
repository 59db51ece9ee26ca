"""Workers' doors into personas: sets to be generated, personas to be validated, customers of battles to be reviewed."""

from apps.jobs.wakeups import wake_workers_on_commit
from apps.jobs.work import TimeSlice
from apps.personas.queries.probes_to_play import probes_to_play
from apps.personas.services.generating import generate_due
from apps.personas.services.simulator_review import review_in_free_slot
from apps.personas.services.validating import validate_due
from apps.runs.playing.services.control import finish_runs


def generate(time_slice: TimeSlice) -> bool:
    """Write one tenant's sets of personas, and have what was written validated."""
    more = generate_due(now=time_slice.now, until=time_slice.until)
    wake_workers_on_commit(time_slice.tenant, "persona_validation")
    return more


def validate(time_slice: TimeSlice) -> bool:
    """Validate one tenant's personas, and have their probe dialogues played."""
    more = validate_due(now=time_slice.now, until=time_slice.until)
    if probes_to_play():
        wake_workers_on_commit(time_slice.tenant, "playing")
    return more


def review(time_slice: TimeSlice) -> bool:
    """Reach the verdicts on one tenant's simulated customers, and end the runs that waited for them."""
    report = review_in_free_slot(now=time_slice.now)
    finish_runs(now=time_slice.now())
    return report.more
