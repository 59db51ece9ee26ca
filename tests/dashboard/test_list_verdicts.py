"""Home and the lists say what was decided about a run, an evaluation and a conversation, not that work has ended."""

import re

import pytest
from django.utils import timezone

from apps.dashboard.domain.badge_shapes import Tone
from apps.dashboard.home.queries.inbox import home_page
from apps.dashboard.results.domain.list_verdicts import (
    CheckedGroup,
    Decided,
    conversation_list_look,
    decided_by_checks,
    run_list_look,
)
from apps.dashboard.results.queries.evaluation import evaluation_page
from apps.statistics.decision import Decision
from apps.tenants.context import in_tenant
from tests.dashboard.conftest import make_run
from tests.dashboard.test_headline_traps import Line, judged, many
from tests.dashboard.test_pages import text_of

LISTS = ("/admin/", "/admin/runs/testrun/", "/admin/evaluations/evaluation/")


def group(*outcomes, n=1, agent_failed=False, stuck=False):
    return CheckedGroup(outcomes=outcomes, agent_failed=agent_failed, stuck=stuck, n=n)


class TestRules:
    def test_a_run_that_works_shows_its_state_and_no_verdict(self):
        fails = Decided(decision=Decision.FAIL, failed=1, of=2)
        assert run_list_look("running", judged=fails).label == "running"
        assert run_list_look("completed", evaluation="running").label == "being judged"
        assert run_list_look("failed", checked=fails).label == "failed"

    def test_what_fails_in_the_checks_or_by_the_judge_fails(self):
        passes = Decided(decision=Decision.PASS, of=30)
        fails = Decided(decision=Decision.FAIL, failed=17, of=30)
        for one in (
            run_list_look("completed", evaluation="completed", judged=passes, checked=fails),
            run_list_look("completed", evaluation="completed", judged=fails, checked=passes),
        ):
            assert (one.label, one.tone, one.icon) == ("fails 17 of 30", Tone.BAD, "▼")

    def test_checks_that_could_not_be_measured_take_nothing_from_the_judge(self):
        nothing = Decided(decision=Decision.UNMEASURABLE, of=3)
        passes = Decided(decision=Decision.PASS, of=3)
        assert run_list_look("completed", evaluation="completed", judged=passes, checked=nothing).label == "passes"
        assert run_list_look("completed", checked=nothing).label == "unmeasurable"

    def test_a_mean_that_passes_tells_how_many_fail(self):
        one = run_list_look("completed", evaluation="completed", judged=Decided(decision=Decision.PASS, failed=4, of=9))
        assert (one.label, one.tone) == ("passes, 4 of 9 fail", Tone.NEAR)

    def test_a_run_by_its_checks(self):
        assert decided_by_checks([group(n=4)]) is None
        assert decided_by_checks([group("pass", "fail", n=2), group("pass", n=3)]) == Decided(
            decision=Decision.FAIL, failed=2, of=5
        )
        assert decided_by_checks([group("pass"), group("pass", stuck=True)]).decision is Decision.UNDECIDED
        assert decided_by_checks([group("pass"), group("unmeasurable", "pass")]).decision is Decision.UNMEASURABLE
        assert decided_by_checks([group(n=8), group(agent_failed=True)]).decision is Decision.FAIL

    def test_a_conversation(self):
        def shown(status, *checks, judged=None, agent_failed=False):
            return conversation_list_look(status, checks, judged=judged, agent_failed=agent_failed, stuck=False).label

        assert shown("running") == "running"
        assert shown("timeout", Decision.PASS) == "timeout"
        assert shown("ended", Decision.UNMEASURABLE, Decision.PASS) == "unmeasurable"
        assert shown("ended", Decision.UNMEASURABLE, judged=Decision.PASS) == "passes"  # as its run in the list of runs
        assert shown("ended", Decision.UNMEASURABLE, judged=Decision.FAIL) == "fails"
        assert shown("failed", agent_failed=True) == "fails"
        assert shown("ended") == "not judged"
        assert shown("ended", Decision.PASS, Decision.FAIL) == "fails"


@pytest.mark.django_db
class TestLists:
    def test_a_run_that_fails_is_no_green_completed_one(self, owner):
        with in_tenant("acme"):
            judged([*many(2.0, 8), *many(9.0, 3)])
        for address in LISTS:
            html = owner.get(address).content.decode()
            assert "fails 8 of 11" in html, address
            assert not re.search(r"rb-good[^>]*>\s*<span[^>]*>✓</span> completed", html), address

    def test_an_agent_and_its_run_have_one_verdict_in_the_same_words(self, owner):
        cases = {
            "few": [*many(9.0, 3)], "most": [*many(9.0, 51), *many(2.0, 2)], "bad": many(2.0, 12), "none": many(9.0, 7)
        }  # fmt: skip
        with in_tenant("acme"):
            for name, lines in cases.items():
                judged(lines, agent=name, kind="imported" if name == "none" else "battle")
            page = home_page(now=timezone.now())
        agents = {one.change.new.agent: (one.look.label, one.look.icon, one.look.tone) for one in page.agents}
        runs = {str(one.run).split()[0]: (one.look.label, one.look.icon, one.look.tone) for one in page.lines}
        assert agents == runs
        assert agents["most"][0] == "passes, 2 of 53 fail"

    def test_a_conversation_that_fails_says_so(self, owner):
        with in_tenant("acme"):
            judged([Line(score=2.0), Line(score=9.0)])
        text = text_of(owner.get("/admin/runs/conversation/"))
        assert "▼ fails" in text
        assert "▲ passes" in text

    def test_a_run_nobody_judged_is_not_green(self, owner):
        with in_tenant("acme"):
            make_run(2)
        assert "○ not judged" in text_of(owner.get("/admin/runs/testrun/"))
        assert "○ not judged" in text_of(owner.get("/admin/"))

    def test_lists_agree_with_the_evaluations_own_verdict_under_noise(self, owner):
        with in_tenant("acme"):
            evaluation = judged(
                [*many(9.0, 10, error=0.1), *many(6.3, 8, error=2.0), *many(1.0, 3, error=0.1)],
                parameters={"repeats": 3},
            )
            split = evaluation_page(evaluation.pk, state="", number="1").split
        text = text_of(owner.get("/admin/runs/conversation/"))
        shown = {word: text.count(word) for word in ("± undecided", "▲ passes", "▼ fails")}
        assert list(shown.values()) == [split.undecided, split.passed, split.failed]
