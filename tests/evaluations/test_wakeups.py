"""Workers are woken soon, and not flooded; what ends on the stage is judged without waiting for a tick."""

from types import SimpleNamespace
from typing import Any

import pytest
from django.core.cache import cache
from django.db import transaction
from django.utils import timezone

from apps.evaluations.models import Evaluation
from apps.evaluations.requests.services.creating import request_evaluation
from apps.jobs.tasks import serve, tick
from apps.jobs.wakeups import wake_workers_on_commit
from apps.jobs.work import work_named
from apps.runs.models import TestRun
from apps.runs.playing.services.control import cancel_run
from apps.tenants.context import in_tenant
from tests.evaluations.bench import make_config
from tests.runs.stage import battles, make_agent, make_scenarios

WORK = ("judging", "playing", "analysis", "trial")
REVIEWS = 1  # the other kind that workers of the queue `judging` serve, woken by the same end


@pytest.fixture(autouse=True)
def empty_cache():
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[float]]:
    """Every call of a worker by its kind of work, as the delay it was sent with."""
    found: dict[str, list[float]] = {name: [] for name in WORK}

    def send(*, kwargs: dict[str, str], queue: str, expires: float, countdown: float = 0) -> None:
        assert expires == work_named(kwargs["work"]).expires_s
        assert queue == work_named(kwargs["work"]).queue
        found[kwargs["work"]].append(countdown)

    monkeypatch.setattr("apps.jobs.tasks.serve", SimpleNamespace(apply_async_on_commit=send))
    return found


@pytest.fixture
def committed(db, monkeypatch):
    """What waits for a commit happens at once."""
    monkeypatch.setattr(transaction, "on_commit", lambda act, **_: act())


@pytest.mark.parametrize("work", WORK)
def test_the_first_wake_up_goes_at_once_and_a_hundred_more_share_one(work, sent, committed, settings):
    for _ in range(100):
        wake_workers_on_commit("acme", work)
    times = settings.JUDGING_LANES if work == "judging" else 1
    assert sent[work] == [0] * times + [1]
    assert all(not delays for name, delays in sent.items() if name != work)


def test_the_next_second_wakes_again(sent, committed, settings):
    wake_workers_on_commit("acme", "judging")
    cache.clear()  # what a second does
    wake_workers_on_commit("acme", "judging")
    assert sent["judging"] == [0] * settings.JUDGING_LANES * 2


def test_one_tenants_wake_ups_hold_up_nobody_elses(sent, committed):
    wake_workers_on_commit("acme", "playing")
    wake_workers_on_commit("beta", "playing")
    assert sent["playing"] == [0, 0]


def test_a_queue_that_nobody_takes_from_does_not_grow_by_ticks(db, knocks):
    every_s = work_named("playing").every_s
    tick(every_s=every_s)
    called = {queue: knocks(queue) for queue in ("battles", "judging", "improvement")}
    assert called["battles"] == 2, "once a tenant"
    for _ in range(20):
        tick(every_s=every_s)
    assert {queue: knocks(queue) for queue in called} == {queue: 4 * count for queue, count in called.items()}


def test_nothing_is_sent_or_counted_before_the_commit(db, sent, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks() as waiting:
        wake_workers_on_commit("acme")
        assert not any(sent.values())
    for act in waiting:
        act()
    assert 0 in sent["playing"]
    assert 0 in sent["judging"]


def test_a_cache_that_is_away_stops_no_wake_up(sent, committed, monkeypatch):
    def away(*_: Any, **__: Any) -> bool:
        raise ConnectionError("no cache")

    monkeypatch.setattr(cache, "add", away)
    wake_workers_on_commit("acme", "playing")
    wake_workers_on_commit("acme", "playing")
    assert sent["playing"] == [0, 0]


def test_what_was_played_is_judged_without_a_tick(committed, knocks, settings):
    with in_tenant("acme"):
        make_agent()
        make_scenarios(1)
        run = battles()
        request_evaluation(config=make_config(), run_id=run, now=timezone.now())
    assert knocks("judging") == 0
    serve(tenant="acme", work="playing")
    with in_tenant("acme"):
        assert TestRun.objects.get(pk=run).status == "completed"
    # At once for the conversation; the run's own end shares one more, which finds both and ends the evaluation.
    assert knocks("judging") == (settings.JUDGING_LANES + 1) + (REVIEWS + 1)


def test_a_cancelled_runs_evaluation_is_ended_without_a_tick(committed, knocks, settings):
    with in_tenant("acme"):
        make_agent()
        make_scenarios(1)
        run = battles()
        asked = request_evaluation(config=make_config(), run_id=run, now=timezone.now())
        cancel_run(run_id=run, now=timezone.now())
        assert knocks("judging") == settings.JUDGING_LANES + REVIEWS
    serve(tenant="acme", work="judging")
    with in_tenant("acme"):
        assert Evaluation.objects.get(pk=asked.evaluation_id).status == "cancelled"


def test_a_broker_that_is_away_stops_no_battle(committed, monkeypatch):
    def away(**_: Any) -> None:
        raise ConnectionError("no broker")

    monkeypatch.setattr("apps.jobs.wakeups._publish", away)
    with in_tenant("acme"):
        make_agent()
        make_scenarios(1)
        run = battles()
    serve(tenant="acme", work="playing")
    with in_tenant("acme"):
        assert TestRun.objects.get(pk=run).status == "completed"
