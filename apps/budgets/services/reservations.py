"""The money promised to one worker: the worker asks when it claims work, keeps that while it works, and gives the rest
back."""

import uuid
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from apps.budgets.domain.allowance import RefusalReason
from apps.budgets.services.ledger import OpenCall, extend_calls, open_calls
from apps.budgets.services.price_history import PriceHistory
from apps.budgets.services.reserving import Refusal, ReservationRequest, extend, release, reserve

NO_HURRY = timedelta(days=365)  # a raise ends the wait, not the time
IN_FLIGHT = timedelta(seconds=1)
UNTIL_DECLARED = timedelta(minutes=1)  # a price that is declared meanwhile is seen then


class BudgetReservations:
    """Reservations and open calls of one holder: the thread's half of `MeteredModel`.

    Work that costs nothing never asks: no query at all. `history` tells what unlisted models cost so far.
    """

    def __init__(self, *, now: Callable[[], datetime], holder: uuid.UUID | None = None) -> None:
        self.holder = holder or uuid.uuid4()
        self.now = now
        self.history = PriceHistory(now=now)
        self.past_warning = False
        self._wait_until: datetime | None = None
        self._reserved = False
        self._opened = False

    def reserve(self, requests: Sequence[ReservationRequest]) -> dict[uuid.UUID, Refusal]:
        """Reserve the money for these requests; return which of them cannot be paid, and why.

        The others may be done. Costs what `reserving.reserve` costs. `past_warning` then says whether any of their
        budgets is past its warning: if so, spend nothing on what can be left out.
        """
        now = self.now()
        decided = reserve(holder=self.holder, requests=requests, now=now)
        self._reserved = self._reserved or bool(decided.promised)
        self.past_warning = bool(decided.past_warning)
        waits = any(no.why is RefusalReason.PROMISED for no in decided.refused.values())
        self._wait_until = now + IN_FLIGHT if waits else None
        return dict(decided.refused)

    def open(self, calls: Sequence[OpenCall]) -> None:
        """Write the ledger's rows of calls that are about to be made. One insert; none for no calls."""
        if calls:
            open_calls(calls=calls, holder=self.holder, now=self.now())
            self._opened = True

    @property
    def any_reserved(self) -> bool:
        """Tell whether anything was promised, ever: if not, there is nothing to release."""
        return self._reserved

    def must_wait(self) -> bool:
        """Tell whether what is left of a budget is promised, so that claiming more would be for nothing."""
        return self._wait_until is not None and self.now() < self._wait_until

    def heartbeat(self) -> None:
        """Keep what was promised, and the rows of calls that are not answered yet; nothing where there is neither."""
        if self._reserved:
            extend(holder=self.holder, now=self.now())
        if self._opened:
            extend_calls(holder=self.holder, now=self.now())

    def release(self) -> None:
        """The worker ends: what was promised and not spent is free again."""
        if self._reserved:
            release(holder=self.holder)


def next_try(no: Refusal, *, now: datetime) -> datetime:
    """Return when refused work may be tried again.

    It is soon where calls in flight hold the money, in a minute where a price is missing, else at the month's end or
    when somebody raises the budget (which ends the wait at once).
    """
    if no.why is RefusalReason.PROMISED:
        return now + IN_FLIGHT
    if no.why is RefusalReason.UNPRICED:
        return now + UNTIL_DECLARED
    return no.until or now + NO_HURRY
