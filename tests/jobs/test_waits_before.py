"""Who waits for a worker is told for how long, and what is before it."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.jobs.models import InteractiveJob
from apps.jobs.queries.waits_before import waits_before

pytestmark = pytest.mark.usefixtures("tenant")


def owed(kind, *, ago, now):
    at = now - timedelta(seconds=ago)
    row = InteractiveJob.objects.create(kind=kind, subject_id="00000000-0000-7000-8000-000000000001", requested_at=at)
    InteractiveJob.objects.filter(pk=row.pk).update(created_at=at)


def test_nothing_is_said_of_a_wait_that_is_no_longer_than_a_tick():
    now = timezone.now()
    owed("other", ago=400, now=now)
    assert waits_before(now - timedelta(seconds=10), now=now) == ""


def test_what_was_owed_earlier_is_named_and_what_came_later_is_not():
    now = timezone.now()
    owed("first", ago=400, now=now)
    owed("second", ago=300, now=now)
    owed("later", ago=20, now=now)
    assert waits_before(now - timedelta(seconds=250), now=now) == (
        "It has waited 4 min for a worker. Before it: thing asked for by a button (2)."
    )


def test_where_nothing_is_before_it_that_is_said():
    now = timezone.now()
    assert waits_before(now - timedelta(seconds=90), now=now) == (
        "It has waited 1 min for a worker, and nothing of this tenant is before it."
    )
