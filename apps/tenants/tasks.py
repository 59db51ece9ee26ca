"""Work for a tenant, as a Celery task that says for which one.

    @shared_task(base=TenantTask, queue="judging")
    def judge(evaluation_id: str, *, tenant: str) -> None: ...

    judge.delay_on_commit(evaluation_id, tenant="acme")

Fails closed: without `tenant=` nothing is published (TenantRequired), and a task whose tenant is gone, not ready or
suspended raises instead of running in `public`. What it owed stays owed in its rows, so a tick pays it when the
tenant is back.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from typing import Any

from celery.contrib.django.task import DjangoTask
from django.conf import settings
from django.db import OperationalError, connection, transaction
from psycopg.pq import TransactionStatus

from apps.core.actor import acting
from apps.core.errors import RatibaError
from apps.core.events import EventType, bound, log_event
from apps.tenants.context import in_tenant
from apps.tenants.domain.naming import schema_for
from apps.tenants.errors import TenantRequired
from apps.tenants.lock_waits import lock_timed_out
from apps.tenants.queries import usable_tenant

import_module(settings.CELERY_MODULE)  # shared_task needs the application; processes without tasks save its 0.3 s

MAX_COUNTDOWN_S = 300  # far below the broker's visibility timeout; longer waits are a `not_before` column


def _tenant_of(task: str, kwargs: Mapping[str, Any] | None) -> str:
    tenant = (kwargs or {}).get("tenant")
    if not isinstance(tenant, str) or not tenant:
        raise TenantRequired(f"{task} needs tenant=: it was given {tenant!r}")
    schema_for(tenant)
    return tenant


@contextmanager
def entered(tenant: str, *, task: str, **fields: Any) -> Iterator[None]:
    """Work in this tenant for a task, named in log and audit trail. Raises RatibaError where the tenant may not be
    worked for now."""
    with bound(tenant=tenant, task=task, **fields), acting(f"task {task}"):
        try:
            usable_tenant(tenant)
        except RatibaError as error:
            log_event(EventType.TASK_REFUSED, level=logging.WARNING, code=error.code, why=error.message)
            raise
        with in_tenant(tenant), no_half_query():
            yield


@contextmanager
def no_half_query() -> Iterator[None]:
    """A signal (a soft time limit) may end the block in the middle of a query. Such a connection takes no other one, so
    it is closed, and what tidies up afterwards opens its own."""
    try:
        yield
    except BaseException:
        raw = connection.connection
        if raw is not None and raw.info.transaction_status == TransactionStatus.ACTIVE:
            connection.close()
        raise


@contextmanager
def giving_up_locks(**fields: Any) -> Iterator[None]:
    """End the block quietly where a statement in it has waited too long for a lock (apps.tenants.lock_waits)."""
    try:
        yield
    except OperationalError as error:
        if not lock_timed_out(error):
            raise
        log_event(EventType.TASK_GAVE_UP_LOCK, level=logging.WARNING, **fields)


class TenantTask(DjangoTask):  # type: ignore[type-arg] # generic only in the stubs
    """The base of every task that works in a tenant. The body runs inside `in_tenant(tenant)`, in no transaction."""

    abstract = True

    def apply_async(
        self,
        args: Sequence[Any] | None = None,
        kwargs: Mapping[str, Any] | None = None,
        *rest: Any,
        **options: Any,
    ) -> Any:
        """Publish now. Raises TenantRequired or BadInput for the tenant, ValueError for too long a wait."""
        _tenant_of(self.name, kwargs)
        countdown = options.get("countdown")
        if options.get("eta") is not None or (countdown is not None and countdown > MAX_COUNTDOWN_S):
            raise ValueError(
                f"{self.name}: a wait beyond {MAX_COUNTDOWN_S} s belongs into a column, not into the broker"
            )
        return super().apply_async(tuple(args or ()), dict(kwargs or {}), *rest, **options)

    def delay_on_commit(self, *args: Any, **kwargs: Any) -> None:  # type: ignore[override] # the stubs are wrong
        """Wake workers after the commit. A lost wake-up (broker down) is logged: it costs one tick, no request."""
        _tenant_of(self.name, kwargs)
        transaction.on_commit(partial(self._wake, partial(self.delay, *args, **kwargs), kwargs["tenant"]))

    def apply_async_on_commit(self, *args: Any, **kwargs: Any) -> None:  # type: ignore[override] # the same
        """Do as delay_on_commit, with apply_async's arguments."""
        tenant = _tenant_of(self.name, args[1] if len(args) > 1 else kwargs.get("kwargs"))
        transaction.on_commit(partial(self._wake, partial(self.apply_async, *args, **kwargs), tenant))

    def _wake(self, publish: Callable[[], Any], tenant: str) -> None:
        try:
            publish()
        except Exception as error:  # whatever the broker's client raises: the row is committed, and a tick will find it
            log_event(
                EventType.WAKEUP_LOST, level=logging.WARNING, task=self.name, tenant=tenant, why=type(error).__name__
            )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Enter the tenant and run. Calls `run`, not Task.__call__, which would hide the request's id and retries.
        Where somebody else holds a lock for longer than a worker waits, the task ends, told in the log: its rows are as
        due as before."""
        with entered(_tenant_of(self.name, kwargs), task=self.name, task_id=self.request.id), giving_up_locks(**kwargs):
            return self.run(*args, **kwargs)
