"""When battles start: each some seconds after the one before it, so that an agent does not meet them all at once
(seeds 003, scenario 2: 5 to 10 s between battles)."""

import random
import uuid
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Max

from apps.runs.domain.states import RUN_ACTIVE
from apps.runs.models import Conversation

STEP_S = 1.0  # how often a start that waits looks whether the worker's time is over


class Starts:
    """The starts of one tenant, which has one battle lane; those of the lane before count too."""

    def __init__(self, *, holder: uuid.UUID, now: Callable[[], datetime]) -> None:
        self.holder, self.now = holder, now
        self._chance = random.Random()
        self._last: datetime | None = None
        self._asked = False

    def delay(self, conversation_id: uuid.UUID, plan: Mapping[str, Any]) -> float:
        """Seconds until this conversation may start; its start is written down. One query, one more the first time;
        none where the plan has no stagger."""
        low, high = plan.get("stagger_s") or (0, 0)
        if not high:
            return 0.0
        now = self.now()
        if not self._asked:
            others = Conversation.objects.filter(run__status__in=RUN_ACTIVE).exclude(lease_token=self.holder)
            self._last, self._asked = others.aggregate(last=Max("started_at"))["last"], True
        apart = timedelta(seconds=self._chance.uniform(low, high))
        self._last = now if self._last is None else max(now, self._last + apart)
        if self._last > now:
            Conversation.objects.filter(pk=conversation_id, lease_token=self.holder).update(started_at=self._last)
        return (self._last - now).total_seconds()


async def wait_for_start(
    delay_s: float, *, sleep: Callable[[float], Awaitable[Any]], time_up: Callable[[], bool]
) -> bool:
    """Wait; False where the worker's time is over before."""
    while delay_s > 0 and not time_up():
        await sleep(min(STEP_S, delay_s))
        delay_s -= STEP_S
    return delay_s <= 0
