"""What one lane was promised: it asks when it claims work, keeps that while it works, and gives the rest back."""

import uuid
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from apps.budgets.domain.allowance import Refused
from apps.budgets.services.reserving import NoMoney, Want, extend, reserve, settle

NO_HURRY = timedelta(days=365)  # a raise ends the wait, not the time
IN_FLIGHT = timedelta(seconds=1)


class Purse:
    """Reservations of one holder. Work that costs nothing never asks: no query at all."""

    def __init__(self, *, holder: uuid.UUID, now: Callable[[], datetime]) -> None:
        self.holder = holder
        self.now = now
        self.in_danger = False
        self._hold_until: datetime | None = None
        self._promised = False

    def fund(self, wants: Sequence[Want]) -> dict[uuid.UUID, NoMoney]:
        """Which of these cannot be paid, and why; the others may be done. Costs what `reserve` costs.

        `in_danger` then says whether any budget they count for is past its warning: spend on nothing that can be left
        out.
        """
        now = self.now()
        decided = reserve(holder=self.holder, wants=wants, now=now)
        if any(want.usd for want in wants):
            self._promised = True
            self.in_danger = bool(decided.in_danger)
        waits = any(no.why is Refused.PROMISED for no in decided.refused.values())
        self._hold_until = now + IN_FLIGHT if waits else None
        return dict(decided.refused)

    @property
    def promised(self) -> bool:
        """Whether anything was promised, ever: if not, there is nothing to settle."""
        return self._promised

    def holding(self) -> bool:
        """Whether what is left of a budget is promised, so that claiming more would be for nothing."""
        return self._hold_until is not None and self.now() < self._hold_until

    def keep(self) -> None:
        """The heartbeat; nothing where nothing was promised."""
        if self._promised:
            extend(holder=self.holder, now=self.now())

    def give_back(self) -> None:
        """The lane ends: what was promised and not asked is free again."""
        if self._promised:
            settle(holder=self.holder)


def next_try(no: NoMoney, *, now: datetime) -> datetime:
    """When refused work may be tried again: soon where calls in flight hold the money, else at the month's end or when
    somebody raises the budget (which ends the wait at once)."""
    if no.why is Refused.PROMISED:
        return now + IN_FLIGHT
    return no.until or now + NO_HURRY
