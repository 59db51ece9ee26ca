"""Asking models from a command, a page or a task of its own, until all is answered: the parts of a metered call in one.

The thread that calls owns the database connection. Questions are asked beside it; it writes the rows they wait for,
stores what came, and keeps what is reserved, however long that takes.
"""

import time
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from typing import Any, TypeVar

from django.conf import settings

from apps.budgets.services.metered_model import Opener, opener, write_openings
from apps.budgets.services.reservations import BudgetReservations
from apps.connectors.cool_downs import CoolDowns
from apps.connectors.outbound import OutboundPolicy, outbound_client
from apps.connectors.parallel import Delivery, Emit, Job, ParallelCalls
from apps.connectors.retry import AWAY_S, RetryPolicy
from apps.jobs.services.cool_downs import known_cool_downs
from apps.jobs.worker_loop import HEARTBEAT_S
from apps.tenants.context import current_slug
from apps.tenants.errors import TenantUnavailable
from apps.tenants.queries import current_tenant_usable

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")
MeteredJob = Callable[[Any, Opener], Awaitable[T]]


def run_metered(
    jobs: Mapping[K, MeteredJob[T]],
    *,
    reservations: BudgetReservations,
    concurrency: int,
    store: Callable[[Sequence[T]], None] = lambda results: None,
    client: Callable[[], Any] | None = None,
    heartbeat: Callable[[], None] = lambda: None,
    enough: Callable[[Mapping[K, T]], bool] = lambda results: False,
) -> dict[K, T]:
    """Do all jobs, at most `concurrency` at once; their results by key.

    `store` gets what ended together, in the calling thread: it writes results and calls in one transaction, so that
    what was answered is booked before the next is asked. `heartbeat` is called every HEARTBEAT_S by the calling thread,
    to extend the leases of the rows that owe the work. Once `enough` says so of what came, no further job is begun: its
    key has no result. `client` makes the connection, by default the one for models.
    Raises what a job raises, after the others that were begun are stored, and TenantUnavailable where the tenant is
    suspended meanwhile. Must not be called inside a transaction.
    """
    run = _Run(reservations, store, heartbeat)
    with ParallelCalls(concurrency=concurrency, client=client or model_client) as calls:
        waiting = list(jobs.items())
        while waiting or calls.open_keys:
            free = concurrency - len(calls.open_keys)
            if waiting and free > 0 and not run.may_begin():
                waiting.clear()
            for key, job in waiting[:free]:
                calls.submit(key, _with_opener(job))
            del waiting[: max(0, free)]
            calls.settle([one.key for one in run.take(calls.collect(timeout=1.0, gather=0.004))])
            if waiting and enough(run.results):
                waiting.clear()
    if run.error is not None:
        raise run.error
    return run.results


def model_client() -> Any:
    """The client for models, with the deployment's guard on addresses."""
    return outbound_client(OutboundPolicy(private_hosts=tuple(settings.PRIVATE_HOSTS), purpose="model"))


def retry_policy(cool_downs: CoolDowns | None = None) -> RetryPolicy:
    """Return the retry policy, with the deployment's pause between attempts.

    A worker passes the cool-downs that it shares with other workers, and waits for a server that is away. Without them
    one query reads the present ones.
    """
    return RetryPolicy(
        backoff_s=settings.MODEL_BACKOFF_S,
        longest_wait_s=settings.MODEL_LONGEST_WAIT_S,
        away_s=0.0 if cool_downs is None else AWAY_S,
        cool_downs=known_cool_downs() if cool_downs is None else cool_downs,
    )


class _Run:
    def __init__(
        self,
        reservations: BudgetReservations,
        store: Callable[[Sequence[Any]], None],
        heartbeat: Callable[[], None],
    ) -> None:
        self.reservations, self.store, self.heartbeat = reservations, store, heartbeat
        self.results: dict[Any, Any] = {}
        self.error: BaseException | None = None
        self.heartbeat_at = time.monotonic() + HEARTBEAT_S

    def may_begin(self) -> bool:
        if self.error is None and not current_tenant_usable():
            self.error = TenantUnavailable(f"tenant {current_slug()!r} was suspended meanwhile: nothing more is asked")
        return self.error is None

    def take(self, deliveries: Sequence[Delivery]) -> list[Delivery]:
        ended = write_openings(deliveries, write=self.reservations.open)
        for delivery in ended:
            if delivery.error is not None:
                self.error = self.error or delivery.error
        good = {delivery.key: delivery.value for delivery in ended if delivery.error is None}
        if good:
            self.store(list(good.values()))
            self.results |= good
        if time.monotonic() >= self.heartbeat_at:
            self.reservations.heartbeat()
            self.heartbeat()
            self.heartbeat_at = time.monotonic() + HEARTBEAT_S
        return ended


def _with_opener(job: MeteredJob[Any]) -> Job:
    async def run(client: Any, emit: Emit) -> Any:
        return await job(client, opener(emit))

    return run
