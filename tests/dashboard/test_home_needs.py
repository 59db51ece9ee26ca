"""Whom Home calls: it ranks, forgets what was judged well since, can be dismissed, and calls those who may act."""

import re

import pytest
from django.utils import timezone

from apps.dashboard.domain.sentences import home_headline
from apps.dashboard.home.domain.needs import Need, need
from apps.dashboard.home.queries.inbox import HomeReader, home_page
from apps.dashboard.home.queries.judging_needs import judging_needs
from apps.evaluations.models import Evaluation
from apps.jobs.domain.dismissals import FORGOTTEN_AFTER, Dismissal, without_dismissed
from apps.jobs.models import DismissedNeed
from apps.jobs.services.dismissals import dismiss_need
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
            make_evaluation(run, rows, states=("parse_error",) * 8)
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


class TestOneCause:
    def test_what_failed_for_one_cause_is_one_entry_in_one_line(self, owner):
        with in_tenant("acme"):
            for tries in ("unreachable, 3 times", "unreachable → loopback-b/m: unreachable", "unreachable"):
                run, rows = make_run(2)
                evaluation = make_evaluation(run, rows, states=("model_error", "model_error"))
                Evaluation.objects.filter(pk=evaluation.pk).update(
                    status="failed", ended_at=timezone.now(), error_message=UNREACHABLE.format(tries)
                )
            (entry,) = [one for one in judging_needs(timezone.now()) if "failed" in one.title]
        assert entry.title == "3 evaluations failed for one cause"
        assert entry.note.startswith("No model answered (loopback-b/m: unreachable). Runs: ")
        assert "\n" not in entry.note
