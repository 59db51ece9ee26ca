"""Sixteen workers, one dollar: how far beyond a budget racing workers get, and what a killed one leaves behind.

    python -m benchmarks.budget_race [--workers 16] [--repetitions 20] [--limit 1.00]

Each worker is a process with a connection of its own. It reserves for one call, "calls" (1 to 5 cents, 2 to 20 ms), and
enters call and settlement in one transaction, until the budget has no more room. One worker dies by kill -9 in the
middle of a call. Three estimates are tried: `upper`, the dearest call, is what judging does; `low` reserves 3 cents for
calls of up to 5, to show what a wrong estimate costs; `none` looks at what is spent and reserves nothing, as most
tools do.

Goal: with upper estimates not a cent beyond the limit; with low ones no more than what calls in flight cost beyond
their estimates; the sum kept equals the ledger's; after their time a killed worker's promises hold nothing.
"""

import argparse
import multiprocessing
import os
import random
import signal
import sys
import time
import uuid
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratiba_eval.settings")

CENT = Decimal("0.01")
ESTIMATES = {"upper": 5 * CENT, "low": 3 * CENT, "none": Decimal(0)}
PATIENCE_S = 1.0  # what is promised to a dead worker is not waited for here


@dataclass(frozen=True, slots=True, kw_only=True)
class Repetition:
    """What one race came to, in dollars."""

    spent: Decimal
    calls: int
    sum_is_right: bool
    held_by_the_dead: Decimal
    held_after_their_time: Decimal


def worker(slug: str, run: uuid.UUID, estimate: Decimal, seed: int, go: Any, *, dies: bool) -> None:
    """Reserve, call, settle, until there is no more room; `dies`: in the middle of the first call."""
    from django.utils import timezone  # noqa: PLC0415 - after django.setup()

    from apps.budgets.domain.allowance import Refused  # noqa: PLC0415
    from apps.budgets.domain.scopes import Scope, ScopeKind  # noqa: PLC0415
    from apps.budgets.queries.standing import standing_of  # noqa: PLC0415
    from apps.budgets.services.reserving import ReservationRequest, reserve  # noqa: PLC0415
    from apps.tenants.context import in_tenant  # noqa: PLC0415

    chance, holder, scope = random.Random(seed), uuid.uuid4(), Scope(ScopeKind.RUN, str(run))
    with in_tenant(slug):
        standing_of([scope], now=timezone.now())
        go.wait()
        refused_since = 0.0
        while True:
            request = ReservationRequest(id=uuid.uuid4(), usd=estimate, run_id=run)
            no = reserve(holder=holder, requests=[request], now=timezone.now()).refused.get(request.id)
            if not estimate and standing_of([scope], now=timezone.now())[0].left == 0:
                return
            if no is None:
                time.sleep(chance.uniform(0.002, 0.02))
                if dies:
                    os.kill(os.getpid(), signal.SIGKILL)
                enter(run, holder, request.id, chance.randint(1, 5) * CENT)
                refused_since = 0.0
                continue
            refused_since = refused_since or time.monotonic()
            if no.why is Refused.SPENT or time.monotonic() - refused_since > PATIENCE_S:
                return
            time.sleep(0.01)


def enter(run: uuid.UUID, holder: uuid.UUID, work: uuid.UUID, usd: Decimal) -> None:
    """The call into the ledger and the promise back, together."""
    from django.db import transaction  # noqa: PLC0415 - after django.setup()

    from apps.budgets.domain.purpose import Purpose  # noqa: PLC0415
    from apps.budgets.services import CallFor, LedgerCall, record_calls  # noqa: PLC0415
    from apps.budgets.services.reserving import release  # noqa: PLC0415
    from apps.connectors.llms.base import Attempt  # noqa: PLC0415
    from apps.core.usage import Usage  # noqa: PLC0415

    attempt = Attempt(
        provider="stub", model="stub", requested_model="stub", outcome="ok", usage=Usage(), cost_usd=usd, latency_ms=5
    )
    with transaction.atomic():
        record_calls(calls=[LedgerCall(call_for=CallFor(purpose=Purpose.JUDGE, run_id=run), attempt=attempt)])
        release(holder=holder, ids=[work])


def race(slug: str, *, workers: int, limit: Decimal, estimate: Decimal, seed: int) -> Repetition:
    """One race to the end of the budget, one worker killed on the way."""
    from django.db import connections  # noqa: PLC0415 - after django.setup()
    from django.utils import timezone  # noqa: PLC0415

    from apps.budgets.domain.scopes import Scope, ScopeKind  # noqa: PLC0415
    from apps.budgets.models import ModelCall  # noqa: PLC0415
    from apps.budgets.queries.standing import standing_of  # noqa: PLC0415
    from apps.budgets.services.accounts import counted  # noqa: PLC0415
    from apps.budgets.services.limits import set_limit  # noqa: PLC0415
    from apps.budgets.services.reserving import LEASE  # noqa: PLC0415
    from apps.tenants.context import in_tenant  # noqa: PLC0415

    run = uuid.uuid4()
    scope = Scope(ScopeKind.RUN, str(run))
    with in_tenant(slug):
        set_limit(scope=scope, usd=limit)
    connections.close_all()  # no connection may be shared with a child
    fork = multiprocessing.get_context("fork")
    go = fork.Event()
    crew = [
        fork.Process(
            target=worker, args=(slug, run, estimate, seed * 1000 + n, go), kwargs={"dies": n == 0}, daemon=True
        )
        for n in range(workers)
    ]
    for one in crew:
        one.start()
    time.sleep(0.3)  # all of them are connected
    go.set()
    for one in crew:
        one.join(60)
    with in_tenant(slug):
        now = timezone.now()
        found, later = standing_of([scope], now=now)[0], standing_of([scope], now=now + LEASE)[0]
        return Repetition(
            spent=counted(scope),
            calls=ModelCall.objects.filter(run_id=run).count(),
            sum_is_right=found.spent == counted(scope),
            held_by_the_dead=found.promised,
            held_after_their_time=later.promised,
        )


def table(*, workers: int, repetitions: int, limit: Decimal) -> int:
    """Race with every estimate, print what came out; 1 when a goal is missed."""
    from apps.tenants.services import add_tenant, delete_tenant  # noqa: PLC0415 - after django.setup()
    from benchmarks import rig  # noqa: PLC0415

    missed = 0
    with rig.services():
        slug = f"bench-{uuid.uuid4().hex[:8]}"
        add_tenant(slug=slug, name=slug, vertical="spa")
        try:
            for name, estimate in ESTIMATES.items():
                races = [
                    race(slug, workers=workers, limit=limit, estimate=estimate, seed=seed)
                    for seed in range(repetitions)
                ]
                over = max(max(Decimal(0), one.spent - limit) for one in races)
                allowed = workers * (5 * CENT - estimate)
                right = all(one.sum_is_right for one in races)
                left = sum(one.held_after_their_time > 0 for one in races)
                good = over <= allowed and right and not left
                missed += not good
                sys.stdout.write(
                    f"estimate {name:<6} {repetitions} races of {workers} workers for ${limit}: largest overshoot "
                    f"${over:.2f} (in flight: ${allowed:.2f}), spent ${min(one.spent for one in races):.2f} to "
                    f"${max(one.spent for one in races):.2f} in {sum(one.calls for one in races)} calls; sums "
                    f"{'right' if right else 'WRONG'}; killed while holding money "
                    f"{sum(one.held_by_the_dead > 0 for one in races)} times, still held after its time {left} times; "
                    f"{'goal met' if good else 'GOAL MISSED'}\n"
                )
                sys.stdout.flush()
        finally:
            delete_tenant(slug=slug)
    return 1 if missed else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=16)
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--limit", type=Decimal, default=Decimal("1.00"))
    options = parser.parse_args()
    django.setup()
    return table(workers=options.workers, repetitions=options.repetitions, limit=options.limit)


if __name__ == "__main__":
    sys.exit(main())
