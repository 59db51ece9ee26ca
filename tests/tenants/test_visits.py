"""A tick visits tenants in which something moved, and the others in turn; a quiet thousand costs one statement."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from apps.jobs.active_tenants import AWAKE, ROUND, WHOLE_ROUND, each_tenant_to_visit, visits_due
from apps.runs.models import Conversation, TestRun
from apps.tenants import services
from apps.tenants.context import in_public, in_tenant
from apps.tenants.models import TenantActivity
from tests.databases import as_superuser

START = datetime(2026, 11, 21, 9, tzinfo=UTC)
LATER = START + AWAKE + timedelta(seconds=1)


def visited(at: datetime, every_s: float = 15) -> set[str]:
    return set(each_tenant_to_visit(every_s=every_s, now=at))


def counted() -> None:
    """Postgres counts what this connection has written no more than once a second, unless it is told to."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute("SELECT 1")


@pytest.fixture
def three(committed_db):
    made = [services.add_ephemeral_tenant(label=f"visit {n}").slug for n in range(3)]
    counted()
    yield made
    for slug in made:
        services.delete_tenant(slug=slug)


def write_in(slug: str) -> None:
    with in_tenant(slug):
        TestRun.objects.create(kind="imported", status="completed", name="x", plan={})
    counted()


def round_of(at: datetime, every_s: float = 15) -> list[str]:
    """Whom a whole round of ticks visits, one after the other."""
    ticks = range(round(ROUND.total_seconds() / every_s))
    return [slug for n in ticks for slug in visited(at + timedelta(seconds=every_s * n), every_s)]


def test_who_is_new_is_visited_and_who_never_had_anything_no_more_after_a_while(three):
    assert visited(START) >= set(three)
    assert visited(START + AWAKE - timedelta(seconds=1)) >= set(three)
    assert not set(round_of(LATER)) & set(three)


def test_what_is_written_brings_every_tick_at_once(three):
    visited(START)
    write_in(three[0])
    assert visited(LATER, 5) & set(three) == {three[0]}
    assert three[0] in visited(LATER + timedelta(seconds=7), 60), "whichever tick saw it first, the others know"
    assert three[0] in visited(LATER + AWAKE - timedelta(seconds=1))


@pytest.mark.parametrize("every_s", [5, 15, 60])
def test_a_quiet_tenant_with_rows_gets_its_turn_once_a_round(three, every_s):
    write_in(three[0])
    write_in(three[1])
    visited(START)
    seen = [slug for slug in round_of(LATER, every_s) if slug in three]
    assert sorted(seen) == sorted(three[:2])


@pytest.mark.parametrize("every_s", [5, 15, 60])
def test_once_an_hour_a_tenant_with_rows_is_visited_as_a_whole(three, every_s):
    write_in(three[0])
    visited(START)
    ticks = [LATER + timedelta(seconds=every_s * n) for n in range(round(WHOLE_ROUND.total_seconds() / every_s))]
    whole = [slug for at in ticks for slug in visits_due(every_s=every_s, now=at).whole if slug in three]
    assert whole == [three[0]]


def test_a_tenants_own_row_counts_too(three):
    visited(START)
    services.update_workflow_config(slug=three[2], changes={"budget_month_usd": 500})
    assert three[2] in visited(LATER)


def test_a_closed_tenant_is_not_visited_and_is_again_when_it_opens(three):
    write_in(three[0])
    visited(START)
    services.suspend_tenant(slug=three[0])
    assert three[0] not in [*visited(START), *round_of(LATER)]
    services.suspend_tenant(slug=three[0], suspended=False)
    assert three[0] in visited(LATER)


def test_counters_that_begin_anew_forget_nobody_who_had_rows(three):
    """After a crash of Postgres all counters are nought."""
    write_in(three[0])
    visited(START)
    with in_tenant(three[0]):
        as_superuser("SELECT pg_stat_reset_single_table_counters('runs_testrun'::regclass)")
    assert three[0] in visited(LATER)
    assert round_of(LATER + AWAKE).count(three[0]) >= 1
    with in_public():
        assert TenantActivity.objects.get(tenant__slug=three[0]).used


def test_it_is_one_statement_for_all(three, django_assert_max_num_queries):
    visited(START)
    with django_assert_max_num_queries(2):  # the search path is set by one of its own
        visited(LATER)


def test_within_a_transaction_everybody_is_visited(db):
    assert visited(START) == visited(LATER) == {"acme", "beta"}


def wait_in(slug: str, due: datetime) -> None:
    """A conversation that waits until `due`."""
    with in_tenant(slug):
        run = TestRun.objects.create(kind="battle", status="running", name="x", plan={})
        Conversation.objects.create(run=run, position=0, external_id="c", kind="probe", not_before=due)
    counted()


def off_round(at: datetime, slug: str, every_s: float = 15) -> datetime:
    """The first tick from `at` on that is not this tenant's turn of the round."""
    with in_public():
        own = TenantActivity.objects.get(tenant__slug=slug).tenant_id
    turns = round(ROUND.total_seconds() / every_s)
    while int(at.timestamp() / every_s) % turns == own % turns:
        at += timedelta(seconds=every_s)
    return at


def test_a_quiet_tenant_is_visited_at_the_tick_at_which_its_row_becomes_due(three):
    wait_in(three[0], LATER + timedelta(hours=3))
    visited(START)
    visited(LATER)  # quiet by now: its rows say when
    early = off_round(LATER + timedelta(hours=2, minutes=59, seconds=30), three[0])
    assert three[0] not in visited(early)
    due = off_round(LATER + timedelta(hours=3), three[0])
    assert three[0] in visited(due), "judging's tick"
    assert three[0] in visited(due + timedelta(seconds=4), 5), "and every other tick"
    passed = off_round(LATER + timedelta(hours=3, minutes=3), three[0])
    visited(passed)
    assert three[0] not in visited(passed), "what nobody could do then waits for its turn"


def test_the_next_row_of_a_quiet_tenant_is_not_forgotten_behind_the_first(three):
    for hours in (3, 5):
        wait_in(three[0], LATER + timedelta(hours=hours))
    for at in (START, LATER, LATER + timedelta(hours=3), LATER + timedelta(hours=4)):
        visited(at)
    assert three[0] in visited(off_round(LATER + timedelta(hours=5), three[0]))


def test_a_schema_that_is_broken_hides_no_other_tenants_due_rows(three):
    for slug in three[:2]:
        wait_in(slug, LATER + timedelta(hours=3))
    visited(START)
    with in_tenant(three[0]), connection.cursor() as cursor:
        cursor.execute("ALTER TABLE improvement_analysis RENAME TO gone")
    counted()
    visited(START)
    visited(LATER)
    assert three[1] in visited(off_round(LATER + timedelta(hours=3), three[1]))
    with in_tenant(three[0]), connection.cursor() as cursor:
        cursor.execute("ALTER TABLE gone RENAME TO improvement_analysis")
