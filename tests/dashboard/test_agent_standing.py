"""Home names every agent that plainly fails or got worse, each evaluation that failed, and what waits for a person."""

from uuid import uuid4

import pgtrigger
import pytest

from apps.dashboard.domain.measured import VerdictSplit
from apps.dashboard.results.domain.agent_standing import (
    AgentStanding,
    AgentVerdict,
    agent_verdict,
    worry_note,
    worry_title,
)
from apps.dashboard.results.domain.changes import MeasuredAgent, SummedMean, failing_criteria
from apps.statistics.decision import decide_evaluation
from apps.tenants.context import in_tenant
from tests.dashboard.conftest import NOW, make_run
from tests.dashboard.test_headline_traps import Line, judged, many
from tests.dashboard.test_pages import text_of


def split(passed, failed, *, undecided=0, cases=None):
    measured = passed + failed + undecided
    return VerdictSplit(
        passed=passed, failed=failed, undecided=undecided, not_measured=0, cases=measured if cases is None else cases
    )


def overall(score=4.0, *, blocked=None, agent_failed=0):
    return decide_evaluation(
        status="completed", score=score, mark=6.0, blocked=blocked or {}, undecided={}, agent_failed=agent_failed
    )


@pytest.mark.parametrize(
    "found, verdict, standing",
    [
        (split(0, 6), overall(), AgentVerdict.FAILS),
        (split(0, 4), overall(), AgentVerdict.TOO_FEW),  # four make no red headline
        (split(0, 48, cases=4), overall(), AgentVerdict.TOO_FEW),  # neither do repeats of four
        (split(4, 4), overall(), AgentVerdict.TOO_FEW),
        (split(10, 10), overall(5.9), AgentVerdict.BELOW),
        (split(10, 10), overall(6.1), AgentVerdict.PASSES),
        (split(1, 4, undecided=15), overall(6.1), AgentVerdict.PASSES),  # undecided is no fail
        (split(3, 1), overall(8.0, blocked={"pin": 1}), AgentVerdict.STOPPED),  # one is a fact
        (split(30, 1), overall(8.0, agent_failed=1), AgentVerdict.STOPPED),
        (split(0, 0), overall(None), AgentVerdict.TOO_FEW),
        (split(2, 18), overall(6.5), AgentVerdict.FAILS),  # a mean that passes is no excuse
    ],
)
def test_how_an_agent_stands(found, verdict, standing):
    assert agent_verdict(verdict, found) is standing


def test_what_is_said_of_it_has_n_and_an_interval():
    one = AgentStanding(
        evaluation=uuid4(), agent="booking", config="tea@1", split=split(0, 12, cases=6),
        overall=overall(7.0, blocked={"pin": 12}), score=7.0, mark=6.0,
    )  # fmt: skip
    assert worry_title(one, {"pin": "Safe payment"}) == "booking fails 12 of 12 conversations"
    assert worry_note(one, {"pin": "Safe payment"}) == (
        "0 of 12 pass, 0–39 % over 6 scenarios (95 %); Safe payment stops 12. Judged with tea@1."
    )


@pytest.mark.django_db
class TestHome:
    def test_a_first_evaluation_that_fails_is_in_the_first_sentence(self, owner):
        with in_tenant("acme"):
            judged(many(2.0, 6), agent="concierge")
            judged(many(9.0, 12), agent="spa")
            judged(many(2.0, 4), agent="desk")
        text = text_of(owner.get("/admin/"))
        assert "One thing needs you: concierge fails 6 of 6 battles" in text
        assert "0 of 6 pass, 0–39 % (95 %). Judged with tea@1." in text
        assert "12 of 12 pass, 76–100 %" in text
        assert "desk fails" not in text

    def test_a_replay_that_passes_hides_no_battles_that_fail(self, owner):
        with in_tenant("acme"):
            judged(many(2.0, 12))
            judged(many(9.0, 3), days=1, kind="replay")
        text = text_of(owner.get("/admin/"))
        assert "One thing needs you: booking fails 12 of 12 battles" in text
        assert "replays: 3 of 3 pass" in text

    def test_an_agent_that_fails_and_got_worse_is_one_need(self, owner):
        with in_tenant("acme"):
            for days, score in ((0, 9.0), (1, 2.0)):
                judged(many(score, 12), days=days)
        text = text_of(owner.get("/admin/"))
        assert "One thing needs you: booking got worse and fails 12 of 12 battles" in text
        assert "worse than day 0: −7.0" in text

    def test_undecided_by_the_judges_noise_is_no_fail(self, owner):
        with in_tenant("acme"):
            judged(many(6.2, 12, error=2.0), parameters={"repeats": 3})
        assert "Nothing needs you" in text_of(owner.get("/admin/"))

    def test_a_failed_evaluation_asks_until_the_run_is_judged_again(self, owner):
        from django.utils import timezone  # noqa: PLC0415 - beside its only use

        from apps.evaluations.models import Evaluation  # noqa: PLC0415 - apps are loaded by pytest-django

        with in_tenant("acme"):
            failed = judged([Line(status="model_error")], status="failed")
            error = "No conversation could be judged: the model is away"
            Evaluation.objects.filter(pk=failed.pk).update(ended_at=timezone.now(), error_message=error)
        text = text_of(owner.get("/admin/"))
        assert "Judging booking 0 with tea@1 failed" in text
        assert error in text
        with in_tenant("acme"):
            again = judged(many(9.0, 12), days=1)
            Evaluation.objects.filter(pk=again.pk).update(created_at=timezone.now())
            Evaluation.objects.filter(pk=failed.pk).update(created_at=NOW)
        assert "Judging booking 0 with tea@1 failed" in text_of(owner.get("/admin/"))  # that was another run

    def test_as_many_queries_with_two_dozen_agents_as_with_one(self, owner):
        from django.core.cache import cache  # noqa: PLC0415 - beside its only use
        from django.db import connection  # noqa: PLC0415 - beside its only use
        from django.test.utils import CaptureQueriesContext  # noqa: PLC0415 - beside its only use

        counts = []
        for first, last in ((0, 12), (12, 24)):
            with in_tenant("acme"):
                for at in range(first, last):
                    judged(many(2.0, 6, error=0.1), agent=f"agent-{at}", parameters={"repeats": 3})
                make_run(1)
            cache.clear()
            with CaptureQueriesContext(connection) as asked:
                owner.get("/admin/")
            counts.append(sum("SET search_path" not in one["sql"] for one in asked))
        assert counts[0] == counts[1] <= 36

    def test_a_criterion_far_below_its_mark_needs_somebody_though_the_mean_passes(self, owner):
        with in_tenant("acme"):
            evaluation = with_second(judged(many(9.0, 12)), [0.5 if at % 3 else 7.0 for at in range(12)])
        text = text_of(owner.get("/admin/"))
        assert "Nothing needs you" not in text
        assert "booking scores 2.7 on second, where 6.0 passes" in text
        run = text_of(owner.get(f"/runs/{evaluation.run_id}/"))
        assert "but booking scores 2.7 on second, where 6.0 passes by tea@1" in run

    def test_a_criterion_that_fails_everywhere_is_named_beside_what_stops_a_few(self, owner):
        with in_tenant("acme"):
            evaluation = judged([*many(9.0, 10), *many(1.0, 2)], blocking=True)
            with_second(evaluation, [4.0 + at % 2 / 5 for at in range(12)])
        words = "scores 4.1 on second, where 6.0 passes"
        for address, told in {
            "/admin/": f"first stops 2 of 12 battles of booking, and it {words}",
            f"/runs/{evaluation.run_id}/": f"first stops 2 of 12 battles of booking, and it {words}",
            f"/runs/{evaluation.run_id}/report/": words,
            f"/evaluations/{evaluation.pk}/": "first stops 2 conversations and it fails second (4.1)",
            f"/evaluations/{evaluation.pk}/matrix/": "first stops 2 and second scores 4.1, where 6.0 passes",
        }.items():
            assert told in text_of(owner.get(address)), address


def with_second(evaluation, scores):
    """The evaluation with a second criterion, as it is stored when it has ended."""
    from apps.evaluations.figures.services.figures import store_figures  # noqa: PLC0415 - see above
    from apps.evaluations.models import CriterionScore, Evaluation  # noqa: PLC0415 - apps are loaded by then

    second = {"name": "second", "pass_mark": 6.0, "weight": 1.0, "blocking": False, "kind": "core"}
    with pgtrigger.ignore():
        snapshot = {**evaluation.snapshot, "criteria": [*evaluation.snapshot["criteria"], second]}
        Evaluation.objects.filter(pk=evaluation.pk).update(snapshot=snapshot, sums=None)
        for judgement, score in zip(evaluation.judgements.order_by("id"), scores, strict=True):
            CriterionScore.objects.create(
                judgement=judgement, criterion="second", position=1, status="scored", weight=1, pass_mark=6,
                score=score, reason="…", evidence=[],
            )  # fmt: skip
    assert store_figures(evaluation_id=evaluation.pk)
    return evaluation


def measured(*, judges=1, **means):
    marks = dict.fromkeys(means, 6.0)
    return MeasuredAgent(
        id=uuid4(), agent="booking", name="", at=NOW, config="tea@1", judge="f", judges=judges, means=means, marks=marks
    )


@pytest.mark.parametrize(
    "found, names",
    [
        (measured(a=SummedMean(2.5, 12, 1.0), b=SummedMean(3.0, 12, 1.0), c=SummedMean(8.0, 12, 1.0)), ["a", "b"]),
        (measured(a=SummedMean(5.6, 12, 1.0)), []),  # below, and not surely
        (measured(a=SummedMean(2.5, 2, 0.1)), []),  # too few to tell
        (measured(a=SummedMean(2.5, 12, None)), []),
        (measured(judges=2, a=SummedMean(2.5, 12, 1.0)), []),
    ],
)
def test_which_criteria_surely_fail(found, names):
    assert [name for name, _, _ in failing_criteria(found)] == names
    if names:
        one = AgentStanding(
            evaluation=uuid4(), agent="booking", config="tea@1", split=split(12, 0), overall=overall(7.0),
            failing=failing_criteria(found),
        )  # fmt: skip
        told = worry_title(one, {"a": "Asked before it books"})
        assert told == "booking scores 2.5 on Asked before it books, where 6.0 passes, and below 1 more mark"
