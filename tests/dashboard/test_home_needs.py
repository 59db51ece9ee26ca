"""Whom Home calls: it ranks, forgets what was judged well since, can be dismissed, and calls those who may act."""

import re
from decimal import Decimal

import pgtrigger
import pytest
from django.utils import timezone

from apps.budgets.domain.scopes import month_of
from apps.budgets.domain.sentences import spent_sentence
from apps.budgets.models import Budget
from apps.budgets.services.limits import set_limit
from apps.dashboard.domain.sentences import home_headline
from apps.dashboard.home.domain.needs import Need, need
from apps.dashboard.home.queries.inbox import HomeReader, home_page
from apps.dashboard.home.queries.judging_needs import RECENT, judging_needs
from apps.evaluations.models import Evaluation, Judgement
from apps.jobs.domain.dismissals import FORGOTTEN_AFTER, Dismissal, without_dismissed
from apps.jobs.models import DismissedNeed
from apps.jobs.services.dismissals import dismiss_need
from apps.runs.models import Conversation, TestRun
from apps.tenants.context import in_tenant
from tests.dashboard.conftest import NOW, make_evaluation, make_run, signed_in
from tests.dashboard.test_headline_traps import Line, judged, many
from tests.dashboard.test_pages import text_of

VIEW = ("view_testrun", "view_conversation", "view_evaluation")


def one(**more) -> Need:
    return need("near", "3 personas wait", "", "/", key="personas", right="r", **more)


class TestRules:
    def test_what_is_dismissed_comes_back_when_it_is_about_something_new_or_more(self):
        for now, shown in ((one(about="a", count=3), 0), (one(about="a", count=2), 0), (one(about="a", count=4), 1),
                           (one(about="b", count=3), 1)):  # fmt: skip
            before = {"personas": Dismissal(one(about="a").state, 3)}
            assert len(without_dismissed([now], before)[0]) == shown
        assert without_dismissed([one()], {"other": Dismissal(one().state)}) == ([one()], [])

    def test_who_can_do_nothing_is_not_called(self):
        assert home_headline(0, others=2, empty=False).text == "Nothing needs you; two things wait for others"
        assert home_headline(1, others=2, empty=False).text == "One thing needs you"
        assert home_headline(0, others=1, empty=False, worst=["booking fails"]).text.endswith("waits for others: ")


@pytest.fixture
def failing(db):
    with in_tenant("acme"):
        return judged(many(2.0, 12))


def dismiss(client):
    html = client.get("/admin/").content.decode()
    form = re.search(r'action="/home/dismiss/">(.*?)</form>', html, re.DOTALL)[1]
    fields = dict(re.findall(r'name="(key|state|count)" value="([^"]*)"', form))
    return client.post("/home/dismiss/", {name: value.replace("&quot;", '"') for name, value in fields.items()})


class TestDismissing:
    def test_it_is_gone_for_this_person_until_the_agent_is_measured_again(self, owner, failing):
        assert "One thing needs you" in text_of(owner.get("/admin/"))
        assert dismiss(owner).status_code == 302
        text = text_of(owner.get("/admin/"))
        assert "Nothing needs you" in text
        assert "1 dismissed by you" in text
        assert "One thing needs you" in text_of(signed_in("other", superuser=True).get("/admin/"))
        with in_tenant("acme"):
            judged(many(2.0, 12), days=1)
        assert "One thing needs you" in text_of(owner.get("/admin/"))

    def test_it_can_be_shown_again(self, owner, failing):
        dismiss(owner)
        with in_tenant("acme"):
            key = DismissedNeed.objects.get().key
        owner.post("/home/show-again/", {"key": key})
        assert "One thing needs you" in text_of(owner.get("/admin/"))

    def test_what_is_no_need_is_refused(self, owner, failing):
        for fields in (
            {},
            {"key": "x" * 201, "state": "0" * 64, "count": "1"},
            {"key": "x", "state": "y", "count": "1"},
        ):
            assert "no such thing" in text_of(owner.post("/home/dismiss/", fields, follow=True))
        assert owner.get("/home/dismiss/").status_code == 405
        with in_tenant("acme"):
            assert not DismissedNeed.objects.exists()

    def test_what_was_dismissed_long_ago_is_forgotten(self, owner, failing):
        dismiss(owner)
        with in_tenant("acme"):
            DismissedNeed.objects.update(dismissed_at=timezone.now() - FORGOTTEN_AFTER)
            assert home_page(now=timezone.now(), reader=HomeReader("amina", lambda _: True)).needs
            dismiss_need(user="amina", key="other", state="0" * 64, count=0, now=timezone.now())
            assert [row.key for row in DismissedNeed.objects.all()] == ["other"]


class TestWhoIsCalled:
    def test_a_viewer_reads_what_waits_for_others(self, owner, failing):
        text = text_of(signed_in("viewer", *VIEW).get("/admin/"))
        assert "Nothing needs you; one thing waits for others: booking fails 12 of 12 battles" in text
        assert "Waits for others" in text
        assert "Dismiss" not in text

    def test_who_may_act_on_a_part_is_called_for_that_part(self, owner, failing):
        with in_tenant("acme"):
            make_run(1, status="paused", conversation_status="pending", name="Monday")
        text = text_of(signed_in("steers", *VIEW, "change_testrun").get("/admin/"))
        assert "One thing needs you" in text
        assert text.index("Monday is paused") < text.index("Waits for others") < text.index("0 of 12 pass")


@pytest.mark.django_db
class TestJudging:
    def test_replies_of_no_use_in_most_conversations_stand_before_a_few(self, owner):
        with in_tenant("acme"):
            run, rows = make_run(12, name="Few")
            judged([*many(9.0, 11), Line(status="parse_error")])
            make_evaluation(run, rows, states=("parse_error",) * 8, provider="openai")
            page = home_page(now=NOW)
        found = [(need.look.value, need.title) for need in page.needs if "parsed" in need.title]
        assert found == [
            ("failed", "8 replies of the judge could not be parsed"),
            ("idle", "1 reply of the judge could not be parsed"),
        ]

    @pytest.mark.parametrize("state, told", [("completed", False), ("failed", True)])
    def test_a_run_that_was_judged_well_since_is_forgotten(self, owner, state, told):
        with in_tenant("acme"):
            run, rows = make_run(3, name="Monday")
            make_evaluation(run, rows, states=("model_error",) * 3)
            assert any("could not be judged" in need.title for need in home_page(now=NOW).needs)
            make_evaluation(run, rows, status=state)
            page = home_page(now=NOW)
        assert any("could not be judged" in need.title for need in page.needs) == told


@pytest.mark.django_db
class TestUnnamed:
    def test_a_run_without_an_agent_stands_under_its_own_name(self, owner):
        with in_tenant("acme"):
            for days, name in enumerate(("October calls", "November calls")):
                judged(many(2.0, 12), agent="", name=name, kind="imported", days=days)
        text = text_of(owner.get("/admin/"))
        assert "Two things need you" in text
        for name in ("October", "November"):
            assert f"“{name} calls” fails 12 of 12 imported conversations" in text
        assert "Not compared: no agent is named." in text

    def test_only_the_newest_of_them_stand_there(self, owner):
        with in_tenant("acme"):
            for at in range(5):
                judged(many(2.0, 12), agent="", name=f"Calls {at}", days=at)
            page = home_page(now=timezone.now())
        assert sorted(one.change.new.agent for one in page.agents) == ["“Calls 2”", "“Calls 3”", "“Calls 4”"]


UNREACHABLE = (
    "no model answered (loopback-b/m: {}). Last error: RemoteProtocolError: Server disconnected\nwithout a reply"
)


def unjudged(status="failed", tries="unreachable", **fields):
    """An evaluation of a run of its own whose judge did not answer."""
    run, rows = make_run(2)
    evaluation = make_evaluation(run, rows, states=("model_error", "model_error"), status="completed")
    message = UNREACHABLE.format(tries)
    with pgtrigger.ignore():
        Judgement.objects.filter(evaluation=evaluation).update(error_message=message)
    failed = {"error_message": f"No conversation could be judged. The first error: {message}"}
    Evaluation.objects.filter(pk=evaluation.pk).update(
        status=status, ended_at=timezone.now(), **(failed if status == "failed" else {}), **fields
    )
    return evaluation


def judge_again(client, key, **more):
    return client.post("/home/judge-again/", {"key": key}, follow=True, **more)


@pytest.mark.django_db
class TestOneCause:
    def test_a_judge_that_does_not_answer_is_one_entry_however_it_ended(self, owner):
        with in_tenant("acme"):
            for tries in ("unreachable, 3 times", "unreachable → loopback-b/m: unreachable", "unreachable"):
                unjudged(tries=tries)
            unjudged(status="completed")
            (entry,) = [one for one in judging_needs(timezone.now())]
        assert entry.title == "loopback-b/m does not answer: 4 evaluations wait"
        assert entry.note.startswith("8 conversations of 4 runs (Mazungumzo ya saluni), the last ")
        assert "\n" not in entry.note
        text = text_of(owner.get("/admin/"))
        assert text.count("does not answer: 4 evaluations wait") >= 1
        assert "Judge again" in text

    def test_one_press_owes_them_all_again_and_the_entry_goes(self, owner):
        with in_tenant("acme"):
            ids = [unjudged().pk, unjudged(status="completed").pk]
            (entry,) = judging_needs(timezone.now())
        assert "4 conversations will be judged again" in text_of(judge_again(owner, entry.key))
        with in_tenant("acme"):
            assert {one.status for one in Evaluation.objects.filter(pk__in=ids)} == {"running"}
            assert {one.status for one in Judgement.objects.all()} == {"pending"}
            assert not judging_needs(timezone.now())
        assert "Nothing waits for that any more" in text_of(judge_again(owner, entry.key))

    def test_two_judges_are_two_entries_and_each_press_is_for_its_own(self, owner):
        with in_tenant("acme"):
            first, other = unjudged(), unjudged(tries="unreachable → other/m: unreachable")
            message = UNREACHABLE.replace("loopback-b", "loopback-c").format("unreachable")
            Evaluation.objects.filter(pk=other.pk).update(error_message=message)
            entries = {one.title.split()[0]: one for one in judging_needs(timezone.now())}
        assert set(entries) == {"loopback-b/m", "loopback-c/m"}
        judge_again(owner, entries["loopback-c/m"].key)
        with in_tenant("acme"):
            assert Evaluation.objects.get(pk=first.pk).status == "failed"
            assert Evaluation.objects.get(pk=other.pk).status == "running"

    def test_who_may_not_steer_runs_cannot_press_it_and_nobody_does_by_a_link(self, owner):
        with in_tenant("acme"):
            unjudged()
            (entry,) = judging_needs(timezone.now())
        viewer = signed_in("viewer", *VIEW)
        assert "Judge again" not in text_of(viewer.get("/admin/"))
        assert viewer.post("/home/judge-again/", {"key": entry.key}).status_code == 403
        assert owner.get("/home/judge-again/").status_code == 405

    def test_a_judge_that_refuses_or_fails_is_named_with_what_it_does(self, owner):
        with in_tenant("acme"):
            for tries, words in (("remote_refusal", "refuses our calls"), ("remote_failure", "fails")):
                evaluation = unjudged(tries=tries)
                (entry,) = judging_needs(timezone.now())
                assert entry.title == f"loopback-b/m {words}: 1 evaluation waits"
                Evaluation.objects.filter(pk=evaluation.pk).update(ended_at=NOW - RECENT, created_at=NOW - RECENT)

    def test_runs_that_wait_for_the_same_are_one_entry(self, owner):
        with in_tenant("acme"):
            for name in ("Monday", "Tuesday"):
                run, _ = make_run(3, status="running", conversation_status="pending", name=name)
                Conversation.objects.filter(run=run).update(
                    waiting_for="the agent does not answer", not_before=timezone.now() + RECENT
                )
            page = home_page(now=timezone.now())
        (entry,) = [one for one in page.needs if "wait" in one.title]
        assert entry.title == "2 runs wait: the agent does not answer"
        assert "6 conversations of 2 runs (Monday, Tuesday); next try" in entry.note

    def test_runs_that_failed_for_the_same_are_one_entry(self, owner):
        with in_tenant("acme"):
            for name in ("Monday", "Tuesday"):
                run, _ = make_run(3, status="failed", conversation_status="failed", name=name)
                Conversation.objects.filter(run=run).update(error_message="the agent booking did not answer: refused")
                TestRun.objects.filter(pk=run.pk).update(
                    ended_at=timezone.now(), error_message="Every conversation failed; each says why."
                )
            page = home_page(now=timezone.now())
        (entry,) = [one for one in page.needs if "failed" in one.title]
        assert entry.title == "2 runs failed for one cause"
        assert entry.note.startswith("The agent booking did not answer: refused. 2 runs (Tuesday, Monday), the last ")

    def test_runs_that_are_paused_for_one_reason_are_one_entry(self, owner):
        with in_tenant("acme"):
            for name in ("Monday", "Tuesday"):
                run, _ = make_run(3, status="paused", conversation_status="pending", name=name)
                TestRun.objects.filter(pk=run.pk).update(error_message="budget spent: the month, $5.00")
            page = home_page(now=timezone.now())
        (entry,) = [one for one in page.needs if "paused" in one.title]
        assert entry.note == "2 runs (Monday, Tuesday). They wait until somebody resumes them."
        assert entry.title == "2 runs are paused: budget spent: the month, $5.00"

    def test_runs_that_a_budget_stopped_stand_with_the_budget(self, owner):
        now = timezone.now()
        with in_tenant("acme"):
            set_limit(scope=month_of(now), usd=5)
            Budget.objects.filter(pk=month_of(now).id).update(spent_usd=5, stopped_at=now)
            why = spent_sentence(month_of(now), limit=Decimal(5), spent=Decimal(5))
            for name in ("Monday", "Tuesday"):
                run, _ = make_run(3, status="paused", conversation_status="pending", name=name)
                TestRun.objects.filter(pk=run.pk).update(error_message=why)
            page = home_page(now=now)
        (entry,) = [one for one in page.needs if "paused" in one.title or "budget" in one.title.lower()]
        assert entry.note.startswith("2 runs (Monday, Tuesday) wait for it. ")

    def test_of_what_is_equally_urgent_what_concerns_more_conversations_stands_first(self, owner):
        with in_tenant("acme"):
            judged([*many(9.0, 2), Line(score=1.0)], agent="desk", blocking=True, days=1)
            judged(many(2.0, 12), agent="concierge")
            page = home_page(now=timezone.now())
        assert [one.title for one in page.needs][:1] == ["concierge fails 12 of 12 battles"]
