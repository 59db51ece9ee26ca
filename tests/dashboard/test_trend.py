"""Home shows how the agent has been doing, and never draws two judges as one line."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from uuid import uuid4

import pgtrigger
import pytest

from apps.dashboard.results.domain.trend import TrendPoint, trend
from apps.tenants.context import in_tenant
from tests.dashboard.conftest import make_evaluation, make_run
from tests.dashboard.test_pages import text_of


def test_home_draws_the_latest_evaluations_of_the_agent_that_was_judged_last(owner):
    from apps.catalog.connections.services.storing import save_agent  # noqa: PLC0415 - apps are loaded by pytest-django
    from apps.evaluations.models import Evaluation  # noqa: PLC0415 - see above
    from apps.runs.models import TestRun  # noqa: PLC0415 - see above

    assert "mean with 95 % interval" not in text_of(owner.get("/admin/"))
    with in_tenant("acme"):
        agent = save_agent(name="booking", kind="a2a", address="http://127.0.0.1:2")
        for n, score in enumerate((7.0, 8.0, 9.0)):
            run, rows = make_run(3, name=f"week {n}")
            TestRun.objects.filter(pk=run.pk).update(agent=agent)
            evaluation = make_evaluation(run, rows, score=score)
            if n == 2:
                with pgtrigger.ignore():  # the rows of another story
                    Evaluation.objects.filter(pk=evaluation.pk).update(config_ref="tea@2")
    html = owner.get("/admin/").content.decode()
    text = text_of(owner.get("/admin/"))
    assert "booking, 3 evaluations" in text
    assert "the judge changed, a new line, not a drop" in text
    assert html.count("<polyline") == 2
    assert "pass mark 6.0" in text


def test_battles_and_replays_are_no_one_line():
    points = [
        TrendPoint(
            id=uuid4(), name=f"run {n}", at=datetime(2026, 11, n + 1, tzinfo=UTC), score=7.0, interval=None, judge="j",
            config="tea@1", kind=kind,
        )
        for n, kind in enumerate(("battle", "replay", "battle", "replay"))
    ]  # fmt: skip
    drawing = trend(points, mark=6.0)
    assert drawing is not None
    assert (drawing.kinds, drawing.breaks) == (["battle", "replay"], [])
    assert [(line.kind, line.style, [dot.point.name for dot in line.dots]) for line in drawing.lines] == [
        ("battle", 0, ["run 0", "run 2"]),
        ("replay", 1, ["run 1", "run 3"]),
    ]


def judged_at(at):
    return TrendPoint(id=uuid4(), name="run", at=at, score=7.0, interval=None, judge="j", config="tea@1")


def test_points_stand_at_their_time_and_never_upon_each_other():
    """A week's pause is wider than an hour's; what was judged in one second is still several dots."""
    start = datetime(2026, 11, 1, tzinfo=UTC)
    times = [start, start + timedelta(hours=1), start + timedelta(hours=2), start + timedelta(days=7)]
    drawn = trend([judged_at(time) for time in times], mark=6.0)
    places = [dot.x for line in drawn.lines for dot in line.dots]
    gaps = [after - before for before, after in pairwise(places)]
    assert gaps[2] > 3 * gaps[0] > 0
    assert gaps[0] == pytest.approx(gaps[1], abs=0.2)
    same = trend([judged_at(start)] * 3, mark=6.0)
    assert len({dot.x for line in same.lines for dot in line.dots}) == 3
