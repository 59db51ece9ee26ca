"""The request of a person who starts a rollout, and its bounds. Pure."""

from dataclasses import dataclass

from apps.core.errors import BadInput

MAX_FORCED = 50
MAX_HOURS = 24 * 60
MAX_REASON = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutRequest:
    """A request for a rollout. `evaluator_config` "": what judges already. `beside_others`: a person knows that another
    role's rollout runs, and that the figures of the two cannot be told apart."""

    role: str
    canary: str
    percentage: int = 5
    hours: int = 24
    evaluator_config: str = ""
    beside_others: bool = False


def check_percentage(percentage: int) -> None:
    """Refuse a percentage that is not 1 to 100. Raises BadInput (`bad_percentage`)."""
    if not 1 <= percentage <= 100:
        raise BadInput("A percentage is 1 to 100.", code="bad_percentage", pointer="/percentage")


def check_hours(hours: int) -> None:
    """Refuse hours that are not 1 to MAX_HOURS. Raises BadInput (`bad_hours`)."""
    if not 1 <= hours <= MAX_HOURS:
        raise BadInput(f"A rollout runs 1 to {MAX_HOURS} hours.", code="bad_hours", pointer="/hours")
