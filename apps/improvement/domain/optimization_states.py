"""The words of optimizations: how far one is, what one of its drafts is, and why a draft was left out."""

from enum import StrEnum


class OptimizationStatus(StrEnum):
    """`completed` has an outcome; `failed` could not go on and says why. Combining winners lets a completed one go
    on."""

    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


OPTIMIZATION_OPEN = frozenset({OptimizationStatus.PENDING, OptimizationStatus.RUNNING})


class OptimizationOutcome(StrEnum):
    """The outcome of an optimization. `helped`: a draft scored higher where drafts are chosen, which proves nothing;
    only `better`, `not_shown` and `blocked` rest on the hold-out, and `blocked` on the circuit breaker too."""

    BETTER = "better"
    HELPED = "helped"
    NOT_SHOWN = "not_shown"
    BLOCKED = "blocked"
    UNMEASURABLE = "unmeasurable"


class DraftPlace(StrEnum):
    """The place of a draft in its optimization."""

    FIX = "fix"
    OWN = "own"
    COMBINED = "combined"


class LeftOut(StrEnum):
    """Reason why a draft is not tried, or not to its end."""

    NOT_PROPOSED = "not_proposed"
    REFUSED = "refused"
    SAME_WORDS = "same_words"
    BUDGET = "budget"
    NOT_TRIABLE = "not_triable"
    NOT_PURSUED = "not_pursued"
    NOT_COMPARED = "not_compared"
    CANCELLED = "cancelled"
