"""A database that goes away under a worker costs its rows no lease: they are due again when it is back."""

import uuid
from contextlib import suppress

import pytest
from django.db import OperationalError, connection
from django.utils import timezone

from apps.jobs.adapters import interactive_handlers
from apps.jobs.domain.interactive_states import InteractiveRequest, InteractiveStep
from apps.jobs.models import InteractiveJob
from apps.jobs.services.interactive import JOBS, request_interactive_job
from apps.jobs.services.leases import returning_leases
from apps.jobs.tasks import serve
from apps.tenants.context import in_tenant


def lose_database(request: InteractiveRequest) -> InteractiveStep:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
    return InteractiveStep(answer={})


def break_worker(request: InteractiveRequest) -> InteractiveStep:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    "handler,error,due", [(lose_database, OperationalError, True), (break_worker, KeyboardInterrupt, False)]
)
def test_what_was_in_hand_is_due_again_at_once_and_what_a_broken_worker_held_is_not(
    fresh_tenant: str, monkeypatch: pytest.MonkeyPatch, handler, error, due: bool
) -> None:
    monkeypatch.setitem(interactive_handlers, "away", f"{__name__}.{handler.__name__}")
    with in_tenant(fresh_tenant):
        request_interactive_job(kind="away", subject_id=uuid.uuid4(), requested_by="amina", now=timezone.now())
        with pytest.raises(error):
            serve.run(tenant=fresh_tenant, work="interactive")
        row = InteractiveJob.objects.get()
    assert (row.status, row.attempts, row.lease_token is None) == ("pending", 1, due)


def test_what_a_living_database_refused_waits_for_its_lease(tenant: str) -> None:
    request_interactive_job(kind="away", subject_id=uuid.uuid4(), requested_by="amina", now=timezone.now())
    with suppress(OperationalError), returning_leases(now=timezone.now):
        JOBS.claim(token=uuid.uuid4(), limit=1, now=timezone.now())
        raise OperationalError("deadlock detected")
    assert InteractiveJob.objects.get().lease_token is not None
