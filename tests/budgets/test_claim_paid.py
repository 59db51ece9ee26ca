"""Claiming what can be paid, whatever the work is: refusals, rows that are broken, and a database that goes away."""

import uuid
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import OperationalError
from django.utils import timezone

from apps.budgets.domain.scopes import Scope, ScopeKind
from apps.budgets.models import Reservation
from apps.budgets.services.claim_paid import ClaimPaid, WorkInHand
from apps.budgets.services.limits import set_limit
from apps.budgets.services.reserving import ReservationRequest
from apps.jobs.services.leases import LeasedTable

RUN = uuid.uuid4()


class Crates(ClaimPaid[int, WorkInHand]):
    """Numbered work at 10 cents each; 7 cannot be priced. `away`: the step at which the database goes away once."""

    def __init__(self, *numbers: int, away: str = "") -> None:
        super().__init__(table=LeasedTable(table="-", lease=timedelta(minutes=1)), now=timezone.now)
        self.owed, self.away = list(numbers), away
        self.failed: list[int] = []
        self.waiting: list[int] = []
        self.leases = 0

    def _go_away(self, step: str) -> None:
        if self.away == step:
            self.away = ""
            raise OperationalError("the server closed the connection")

    def lease(self, limit):
        self.leases += 1
        taken, self.owed = self.owed[:limit], self.owed[limit:]
        return taken

    def take_up(self, leased):
        self._go_away("take_up")
        return [WorkInHand(id=uuid.UUID(int=number)) for number in leased]

    def specs(self, held):
        return ()

    def cost(self, one, history):
        if one.id.int == 7:
            raise ValueError("no price")
        return [ReservationRequest(id=one.id, usd=Decimal("0.10"), run_id=RUN)]

    def fail(self, one, why):
        self.failed.append(one.id.int)

    def put_back(self, unpaid):
        self._go_away("put_back")
        self.waiting += [id.int for id in unpaid]

    def jobs(self, one):
        if one.id.int == 2:
            self._go_away("jobs")
        return [(one.id.int, None)]


def keys(work: Crates, limit: int) -> list[Any]:
    return [key for key, _ in work.claim(limit)]


def limit(usd: str) -> None:
    set_limit(scope=Scope(ScopeKind.RUN, str(RUN)), usd=Decimal(usd))


def test_one_that_cannot_be_priced_fails_alone(tenant):
    work = Crates(1, 7, 2)
    assert keys(work, 3) == [1, 7, 2]
    assert work.failed == [7]
    assert Reservation.objects.count() == 2


def test_what_cannot_be_paid_is_put_back_and_other_work_is_claimed_in_its_place(tenant):
    limit("0.05")
    work = Crates(1, 2, 3, 7)
    assert keys(work, 2) == [7]
    assert work.waiting == [1, 2, 3]


def test_where_calls_in_flight_hold_the_money_nothing_more_is_claimed(tenant):
    limit("0.25")
    work = Crates(1, 2, 3, 4, 5, 7)
    assert keys(work, 4) == [1, 2]
    assert (work.waiting, work.owed) == ([3, 4], [5, 7])


@pytest.mark.parametrize("step", ["take_up", "put_back", "jobs"])
def test_a_database_that_goes_away_within_a_claim_loses_nothing_and_doubles_nothing(tenant, step):
    limit("0.35")
    work = Crates(1, 2, 3, 4, away=step)
    with pytest.raises(OperationalError):
        work.claim(4)
    assert keys(work, 4) == [1, 2, 3]
    assert (work.leases, work.waiting) == (1, [4])
    assert Reservation.objects.count() == 3
