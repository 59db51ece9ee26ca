"""Two beats that fire at once draw a window once."""

import threading
from datetime import timedelta

from django.db import connection

from apps.production.domain.sampling import LATE, WINDOW, SettledConversation, draw_sample
from apps.production.models import SampledConversation, SampleDraw, SamplingRule
from apps.production.queries.settled_conversations import settled_between
from apps.production.services.drawing import draw_due
from apps.tenants.context import in_tenant
from tests.evaluations.bench import make_config
from tests.production.sampling_rows import NIGHT, many, phase, rule

NOW = NIGHT + WINDOW + LATE
WITHIN = NIGHT + timedelta(hours=2)


def test_two_beats_at_once_draw_once(fresh_tenant: str) -> None:
    with in_tenant(fresh_tenant):
        phase(fresh_tenant)
        rule(make_config(url="http://127.0.0.1:1", model="gpt-4o"), rate=0.3)
        many(20, at=WITHIN)
    begin, counts = threading.Barrier(2), list[int]()

    def beat() -> None:
        begin.wait()
        try:
            with in_tenant(fresh_tenant):
                counts.append(draw_due(now=NOW))
        finally:
            connection.close()

    threads = [threading.Thread(target=beat) for _ in range(2)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    with in_tenant(fresh_tenant):
        assert sum(counts) == 1
        assert SampleDraw.objects.count() == 1
        alone = {one.id for one in draw_sample(_settled(), rate=0.3, floor=5, drawn_today={}, part=0.25).drawn}
        assert set(SampledConversation.objects.values_list("conversation_id", flat=True)) == alone


def _settled() -> list[SettledConversation]:
    rows = settled_between(SamplingRule.objects.get(), starts=NIGHT, ends=NIGHT + WINDOW)
    return [SettledConversation(id=one.id, language=one.language, channel=one.channel) for one in rows]
