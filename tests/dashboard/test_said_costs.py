"""A cost nobody knows is not called $0.00, and a score just below its mark is not called 5.999."""

import pytest
from django.utils import timezone

from apps.dashboard.domain.figures import cost_text, score_text
from apps.dashboard.domain.sentences import run_headline, usage_headline
from apps.dashboard.results.queries.scores import played
from apps.tenants.context import in_tenant
from tests.dashboard.conftest import make_run
from tests.dashboard.test_pages import text_of

DONE = {"pending": 0, "running": 0, "ended": 1, "failed": 0, "timeout": 0, "cancelled": 0}


@pytest.mark.parametrize(
    "cost, calls, unpriced, said",
    [
        (0.0, 1995, 1995, "unknown: 1,995 of 1,995 calls have no price"),
        (4.1, 10, 0, "$4.10 of $300.00"),
        (4.1, 10, 3, "at least $4.10 of $300.00 (3 of 10 calls have no price)"),
        (0.0, 0, 0, "$0.00 of $300.00"),
    ],
)
def test_a_cost_in_words(cost, calls, unpriced, said):
    assert cost_text(cost, calls=calls, unpriced=unpriced, ceiling=300.0) == said


def test_usage_begins_with_what_is_not_known():
    spent = cost_text(0.0, calls=3, unpriced=3, ceiling=300.0)
    text = usage_headline(month="November 2026", spent=spent, expected="$0.00", current=True).text
    assert text == "What November 2026 cost is unknown: 3 of 3 calls have no price"


@pytest.mark.parametrize(
    "score, said", [(5.999, "6.0, just below the mark"), (5.96, "5.96"), (6.0, "6.0"), (5.4, "5.4"), (7.25, "7.2")]
)
def test_a_score_beside_its_mark(score, said):
    assert score_text(score, 6.0) == said


def test_a_runs_first_line_speaks_of_its_replay():
    words = "12 of 12 turns kept step; 4 checks need a model"
    assert (
        run_headline(kind="replay", status="completed", counts=DONE, seconds=12, done_per_second=0, replayed=words).text
        == words
    )
    assert run_headline(kind="replay", status="completed", counts=DONE, seconds=12, done_per_second=0).text == (
        "1 replay done in 12 s"
    )


def test_replays_in_other_words_are_no_failures_in_a_runs_first_line():
    counts = {"pending": 0, "running": 0, "ended": 9, "failed": 3, "timeout": 0, "cancelled": 0}
    found = run_headline(kind="replay", status="completed", counts=counts, seconds=12, done_per_second=0, stuck=3)
    assert found.text == "All 12 replays done in 12 s, 3 replays stopped at a reply in other words"
    assert not found.but
    found = run_headline(kind="replay", status="completed", counts=counts, seconds=12, done_per_second=0, stuck=2)
    assert "1 replay failed" in found.but


@pytest.mark.django_db
def test_lists_mark_no_replay_that_stopped_where_only_the_words_differ(owner):
    with in_tenant("acme"):
        run, rows = make_run(3, conversation_status="failed")
        type(rows[0]).objects.filter(run=run).update(error_code="desync", blame=None)
        type(rows[0]).objects.filter(pk=rows[0].pk).update(blame="agent_quality")
        assert played([run.pk])[run.pk].failed == 1


@pytest.mark.django_db
def test_usage_names_the_dearest_runs_and_calls_no_unknown_cost_zero(owner):
    from apps.budgets.models import ModelCall  # noqa: PLC0415 - apps are loaded by pytest-django

    with in_tenant("acme"):
        runs = [make_run(1, name=name)[0].pk for name in ("Cheap", "Dear")]
        for run, cost, model in ((runs[0], None, "local"), (runs[1], 1.25, "big"), (runs[1], None, "local")):
            ModelCall.objects.create(
                purpose="judge", provider="p", requested_model=model, outcome="ok", run_id=run, cost_usd=cost
            )
    text = text_of(owner.get("/usage/"))
    by_run = text[text.index("By run") : text.index("By purpose")]
    assert by_run.index("Dear – at least $1.25 2") < by_run.index("Cheap – unknown 1")
    assert "big p $1.25" in text
    assert "local p unknown" in text
    assert "$1.25 0 1" in text  # the axis: the highest day, and nothing


@pytest.mark.django_db
def test_home_says_at_least_where_some_calls_of_the_month_have_no_price(owner):
    from apps.budgets.domain.scopes import month_of  # noqa: PLC0415 - as above
    from apps.budgets.models import ModelCall  # noqa: PLC0415 - as above
    from apps.budgets.services.accounts import recount  # noqa: PLC0415 - as above

    with in_tenant("acme"):
        for cost in (1.25, None):
            ModelCall.objects.create(purpose="judge", provider="p", requested_model="m", outcome="ok", cost_usd=cost)
        recount([month_of(timezone.now())])
    text = text_of(owner.get("/admin/"))
    assert "at least $1.25 of" in text
    assert "some calls have no price" in text
    assert "$1.25 expected" not in text
