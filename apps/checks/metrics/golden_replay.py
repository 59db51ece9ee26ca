"""The part that checks of replayed golden sessions share: the replay itself, and no judge."""

from apps.checks.metrics.base import Case, NotApplicable
from apps.runs.goldens.domain.replayed import ReplayedConversation


def replay_of(case: Case) -> ReplayedConversation:
    """The replay. Raises NotApplicable for a conversation that replays no golden session."""
    if case.replay is None:
        raise NotApplicable("this conversation replays no golden session")
    return case.replay


def no_questions(_case: Case) -> int:
    """Return how many questions a rule asks: none."""
    return 0
