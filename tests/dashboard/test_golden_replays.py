"""A golden session's page lists its last replays; a run's checks that need a model stand as one line."""

import pytest

from apps.catalog.models import GoldenSession
from apps.dashboard.conversations.queries.checks import checks_panel
from apps.dashboard.test_set.queries.golden_replays import SHOWN, latest_replays
from apps.tenants.connection import connection
from apps.tenants.context import in_tenant
from tests.dashboard.conftest import NOW
from tests.dashboard.test_pages import text_of


@pytest.fixture
def replayed(db):
    """A session that was replayed by two agents, and another one."""
    from tests.runs.stage import make_agent, make_golden, play, replays  # noqa: PLC0415 - apps are loaded by then

    with in_tenant("acme"):
        make_agent("The price is KES 800.", "The price is KES 800.", name="patient")
        make_agent("Sorry?", "Sorry?", name="deaf")
        names = [make_golden(name, "What is the price?", "The price is KES 800.") for name in ("price", "other")]
        runs = [replays(*names, agent=agent) for agent in ("patient", "deaf")]
        play()
    return runs


def address(name):
    with in_tenant("acme"):
        return f"/goldens/{GoldenSession.objects.get(name=name).pk}/"


def test_the_last_replays_stand_with_verdict_agent_and_links(owner, replayed):
    from apps.runs.models import Conversation  # noqa: PLC0415 - apps are loaded by pytest-django

    html = owner.get(address("price")).content.decode()
    panel = html[html.index('id="replays"') : html.index("<h3>Versions")]
    assert panel.index("deaf") < panel.index("patient")  # the newest first
    with in_tenant("acme"):
        mine = Conversation.objects.filter(spec__golden_session="price")
        links = {f"/conversations/{row.pk}/" for row in mine} | {f"/runs/{run}/" for run in replayed}
        others = Conversation.objects.exclude(spec__golden_session="price")
        assert all(link in panel for link in links)
        assert not any(str(row.pk) in panel for row in others)


def test_there_are_five_at_most_and_a_word_where_there_is_none(owner, replayed):
    from tests.runs.stage import make_golden, replays  # noqa: PLC0415 - apps are loaded by pytest-django

    with in_tenant("acme"):
        make_golden("new", "Hello?", "Hello, this is the salon.")
        for _ in range(5):
            replays("price", agent="patient")
        assert len(latest_replays("price")) == SHOWN
        assert [one.look.label for one in latest_replays("price")] == ["pending"] * 5
    text = text_of(owner.get(address("new")))
    assert "Nobody has replayed it yet." in text
    assert "Test set / Golden sessions" in text.replace(" / ", " / ")


def test_an_index_finds_the_replays_of_one_session(replayed):
    with in_tenant("acme"), connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        from django.test.utils import CaptureQueriesContext  # noqa: PLC0415 - beside its only use

        with CaptureQueriesContext(connection) as caught:
            latest_replays("price")
        (sql,) = [one["sql"] for one in caught if "runs_conversation" in one["sql"] and "runs_testrun" in one["sql"]]
        cursor.execute(f"EXPLAIN {sql}")
        assert "Seq Scan on runs_conversation" not in "".join(row[0] for row in cursor.fetchall())
        assert len(caught) <= 9


def test_checks_that_need_a_model_are_one_line_unless_they_are_asked_for(owner, replayed):
    from apps.checks.models import CheckResult  # noqa: PLC0415 - apps are loaded by pytest-django
    from apps.runs.models import Conversation  # noqa: PLC0415 - see above

    run = replayed[0]
    with in_tenant("acme"):
        CheckResult.objects.bulk_create(
            CheckResult(
                run_id=run, conversation=row, check_name=name, source="replay", outcome=outcome, error_code=code,
                reason="set a key (one of ANTHROPIC_API_KEY)" if code else "fine", measured_at=NOW,
            )
            for row in Conversation.objects.filter(run=run)
            for name, outcome, code in (("role_adherence", "unmeasurable", "no_judge"), ("latency", "pass", ""))
        )  # fmt: skip
        panel = checks_panel(asked={}, run_id=run)
        assert (panel.modelless, panel.folded, len(panel.page.object_list)) == (["role_adherence"], 2, 2)
        assert len(checks_panel(asked={"outcome": "unmeasurable"}, run_id=run).page.object_list) == 2
    text = text_of(owner.get(f"/runs/{run}/"))
    assert "this check needs a model that judges, and none is configured. Choose a model" in text
    assert "API_KEY" not in text


def test_checks_that_no_conversation_was_asked_fold():
    from apps.reports.templatetags.report_words import idle_checks  # noqa: PLC0415 - apps are loaded by pytest

    none = {"pass": 0, "fail": 0, "undecided": 0, "unmeasurable": 0}
    assert idle_checks({"a": none | {"skipped": 3}, "b": none | {"pass": 1, "skipped": 2}, "c": none}) == ["a", "c"]
