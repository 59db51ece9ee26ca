"""Home shows how the agent has been doing, and never draws two judges as one line."""

from datetime import UTC, datetime
from uuid import uuid4

import pgtrigger

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
