"""Two beats that fire at once draw a window once; a worker that is killed in it, and a trace that comes late, change
nothing of what is drawn."""

import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import UUID

from django.db import OperationalError, connection, transaction

from apps.production.models import SampledConversation, SampleDraw, SamplingRule
from apps.production.sampling.domain.rates import LATE, WINDOW, SettledConversation, draw_sample
from apps.production.sampling.queries.settled_conversations import settled_between
from apps.production.sampling.services.drawing import draw_due
from apps.tenants.context import in_tenant
from tests.evaluations.bench import make_config
from tests.production.sampling_rows import NIGHT, arrived, many, phase, rule

NOW = NIGHT + WINDOW + LATE
WITHIN = NIGHT + timedelta(hours=2)


def test_a_killed_worker_two_beats_and_a_late_trace_leave_the_sample_as_drawn(fresh_tenant: str) -> None:
    with in_tenant(fresh_tenant):
        phase(fresh_tenant)
        rule(make_config(url="http://127.0.0.1:2", model="gpt-4o"), rate=0.3)
        many(20, at=WITHIN)
        first = _alone(NIGHT, part=0.25)
    _kill_in_the_middle(fresh_tenant)
    with in_tenant(fresh_tenant):
        assert not SampleDraw.objects.exists()
        assert SamplingRule.objects.get().drawn_until == NIGHT

    assert _two_beats(fresh_tenant, NOW) == 1
    with in_tenant(fresh_tenant):
        late = arrived("late", at=NOW + timedelta(hours=1), turns=[
            {"role": "user", "content": "Habari", "ts": WITHIN.isoformat()},
            {"role": "assistant", "content": "Karibu", "ts": WITHIN.isoformat()},
        ])  # fmt: skip
    assert _two_beats(fresh_tenant, NOW + WINDOW) == 1
    with in_tenant(fresh_tenant):
        drawn = {
            one.starts: set(one.conversations.values_list("conversation_id", flat=True))
            for one in SampleDraw.objects.all()
        }
        assert drawn == {NIGHT: first, NIGHT + WINDOW: {late} if _is_drawn(late, first) else set()}
        assert SampledConversation.objects.count() == sum(map(len, drawn.values()))


def _is_drawn(late: UUID, first: set[UUID]) -> bool:
    found = draw_sample(
        _settled(NIGHT + WINDOW), rate=0.3, floor=5, drawn_today={"en · whatsapp": len(first)}, part=0.5
    )
    return late in {one.id for one in found.drawn}


def _two_beats(tenant: str, now: datetime) -> int:
    """How many windows both drew together."""
    begin, counts = threading.Barrier(2), list[int]()

    def beat() -> None:
        begin.wait()
        counts.append(draw_due(now=now))

    _in_threads(tenant, beat, beat)
    return sum(counts)


def _kill_in_the_middle(tenant: str) -> None:
    """As SIGKILL of its worker does: the connection ends while its sample is being written."""
    pids, killed = list[int](), list[BaseException]()

    def worker() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            pids.append(cursor.fetchone()[0])
        try:
            draw_due(now=NOW)
        except OperationalError as error:
            killed.append(error)

    def killer() -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("LOCK TABLE production_sampledconversation IN SHARE MODE")  # nobody writes a sample
            other = threading.Thread(target=lambda: _in_threads(tenant, worker))
            other.start()
            for _ in range(200):
                time.sleep(0.05)
                cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted AND pid = ANY(%s)", [pids])
                if cursor.fetchone()[0]:
                    break
            cursor.execute("SELECT pg_terminate_backend(%s)", [pids[0]])
        other.join()

    _in_threads(tenant, killer)
    assert len(killed) == 1


def _in_threads(tenant: str, *works: Callable[[], None]) -> None:
    def run(work: Callable[[], None]) -> None:
        try:
            with in_tenant(tenant):
                work()
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(one,)) for one in works]
    for one in threads:
        one.start()
    for one in threads:
        one.join()


def _alone(starts: datetime, *, part: float) -> set[UUID]:
    """What one beat that nobody disturbs draws."""
    return {one.id for one in draw_sample(_settled(starts), rate=0.3, floor=5, drawn_today={}, part=part).drawn}


def _settled(starts: datetime) -> list[SettledConversation]:
    rows = settled_between(SamplingRule.objects.get(), starts=starts, ends=starts + WINDOW)
    return [SettledConversation(id=one.id, language=one.language, channel=one.channel) for one in rows]
