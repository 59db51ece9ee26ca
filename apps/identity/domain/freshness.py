"""The time for which a provider's answer about a person's groups is believed."""

from datetime import datetime, timedelta
from enum import StrEnum

# A group that was taken away takes its right within five minutes: the question is due after 240 s, and a question that
# got no answer is repeated after 30 s, with a deadline of 10 s each.
ASK_AGAIN_AFTER = timedelta(seconds=240)
REPEAT_AFTER = timedelta(seconds=30)
DEADLINE_S = 10.0
# A provider that is down gives nobody rights for ever: from then on the account has none until the provider answers.
GRACE = timedelta(minutes=15)


class Answer(StrEnum):
    """The kind of a provider's answer about a person."""

    GROUPS = "groups"
    REFUSED = "refused"  # the token is revoked or over: the person signs in again
    DOWN = "down"  # no answer that can be read


def is_due(*, now: datetime, answered_at: datetime, asked_at: datetime) -> bool:
    """Tell whether the provider must be asked before this request goes on."""
    return now - answered_at >= ASK_AGAIN_AFTER and (asked_at <= answered_at or now - asked_at >= REPEAT_AFTER)


def is_past_grace(*, now: datetime, answered_at: datetime) -> bool:
    """Tell whether what the provider said last is too old to give rights."""
    return now - answered_at >= GRACE
