"""Ten ways in which a true number makes a wrong headline: in each the sentence is right."""

import re
from dataclasses import dataclass
from datetime import timedelta

import pytest

from apps.dashboard.results.queries.agent_changes import agent_changes
from apps.dashboard.results.queries.evaluation import evaluation_page
from apps.tenants.context import in_tenant
from tests.dashboard.conftest import NOW, version

AGENT = "booking"


@dataclass(kw_only=True)
class Line:
    """One judged conversation: the score of its one criterion."""

    score: float | None = 8.0
    scenario: str = ""
    judge: str = "f" * 64
    fallback: bool = False
    status: str = "scored"
    error: float | None = None


def judged(
    lines, *, agent=AGENT, status="completed", config="tea@1", days=0, parameters=None, kind="battle", blocking=False,
    name="",
):  # fmt: skip
    """An evaluation with these conversations, as workers leave it."""
    from apps.evaluations.figures.services.figures import store_figures  # noqa: PLC0415 - see above
    from apps.evaluations.models import CriterionScore, Evaluation, Judgement  # noqa: PLC0415 - apps are loaded by then
    from apps.runs.models import Conversation, TestRun  # noqa: PLC0415 - see above

    run = TestRun.objects.create(
        kind=kind, status="completed", name=name or f"{agent} {days}", plan={"agent": {"name": agent}},
        subject={"agent": agent, "label": f"day {days}"} if agent else {}, started_at=NOW, ended_at=NOW,
    )  # fmt: skip
    criteria = [{"name": "first", "pass_mark": 6.0, "weight": 1.0, "blocking": blocking, "kind": "core"}]
    evaluation = Evaluation.objects.create(
        run=run, config_version_id=version(("first",)), config_ref=config, status=status, subject=run.subject,
        snapshot={
            "criteria": criteria, "parameters": parameters or {},
            "llm_config": {"judge": {"provider": "google", "model": "gemini-2.5-flash", "fallback": None}},
        },
    )  # fmt: skip
    Evaluation.objects.filter(pk=evaluation.pk).update(created_at=NOW + timedelta(days=days))
    for at, line in enumerate(lines):
        conversation = Conversation.objects.create(
            run=run, position=at, external_id=f"b-{at}", kind="battle", status="ended",
            spec={"scenario": line.scenario or f"s-{at}", "persona_name": "Wanjiru"},
        )  # fmt: skip
        scored = line.status == "scored"
        judgement = Judgement.objects.create(
            evaluation=evaluation, conversation=conversation, status=line.status, by_fallback=line.fallback,
            weighted_score=line.score if scored else None, fingerprint=line.judge if scored else "",
            raw_reply="" if scored else "not JSON", judged_at=NOW, second_chances=0,
        )  # fmt: skip
        if scored:
            CriterionScore.objects.create(
                judgement=judgement, criterion="first", position=0, status="scored", score=line.score, weight=1,
                pass_mark=6, reason="…", evidence=[],
                **({"answers": 3, "standard_error": line.error} if line.error else {}),
            )  # fmt: skip
    store_figures(evaluation_id=evaluation.pk)
    return evaluation


def page_of(lines, **more):
    with in_tenant("acme"):
        return evaluation_page(judged(lines, **more).pk, state="", number="1")


def many(score, n, **more):
    return [Line(score=score + (0.2 if at % 2 else -0.2), **more) for at in range(n)]


@pytest.mark.django_db
class TestTraps:
    def test_1_four_conversations_make_no_red_headline(self):
        page = page_of(many(2.0, 4))
        assert page.headline.but == ""
        assert page.headline.text.endswith("on 4 conversations, too few to tell")
        assert page.criteria[0].look.value == "too_few"
        enough = page_of(many(2.0, 12))
        assert enough.headline.but == "but fails first (2.0)"

    def test_2_repeats_are_no_further_cases(self):
        few = page_of([Line(score=2.0 + (at % 2), scenario=f"s-{at % 2}") for at in range(16)])
        assert few.headline.text.endswith("on 16 conversations of 2 scenarios, too few to tell")
        once = page_of([Line(score=5.0 + at % 4) for at in range(12)])
        eight = page_of([Line(score=5.0 + at % 4, scenario=f"s-{at}") for at in range(12) for _ in range(8)])
        assert eight.summary["weighted_score"] == once.summary["weighted_score"]
        assert eight.summary["interval"] == pytest.approx(once.summary["interval"])  # not √8 narrower
        assert eight.split.interval == pytest.approx(once.split.interval)
        assert "of 12 scenarios" in eight.headline.text

    def test_3_undecided_is_no_pass(self):
        page = page_of([*many(9.0, 10, error=0.1), *many(6.3, 10, error=2.0)], parameters={"repeats": 3})
        assert page.split.undecided >= 10
        assert page.split.share == page.split.passed / 20 <= 0.5
        assert f"{page.split.undecided} undecided" in page.headline.note

    def test_4_two_judges_are_no_one_mean(self):
        page = page_of([*many(2.0, 10), *many(3.0, 10, judge="e" * 64)])
        assert "2 judges mixed" in page.headline.text
        assert page.headline.but == ""

    def test_5_another_agent_is_not_what_this_one_was_before(self):
        with in_tenant("acme"):
            judged(many(9.0, 12), agent="concierge", days=0)
            judged(many(3.0, 12), agent="booking", days=1)
            told = {one.new.agent: (one.movement.value, one.why) for one in agent_changes()}
        assert told == {"booking": ("not_compared", "measured once"), "concierge": ("not_compared", "measured once")}

    def test_6_what_a_fallback_model_judged_is_told_and_left_out(self):
        page = page_of([*many(8.0, 12), *many(1.0, 6, judge="e" * 64, fallback=True)])
        assert "scores 8.0" in page.headline.text
        assert "judges mixed" not in page.headline.text
        assert page.headline.note == (
            "12 pass, 6 not measured: 18 conversations. 6 of 18 by the fallback model, left out of the mean."
        )

    def test_7_a_reply_that_cannot_be_read_is_no_zero(self):
        page = page_of([*many(8.0, 12), *[Line(status="parse_error") for _ in range(6)]])
        assert "scores 8.0" in page.headline.text
        assert page.split.share == 1
        assert page.headline.note == "12 pass, 6 not measured: 18 conversations."

    def test_8_a_cancelled_evaluation_has_no_final_score(self):
        page = page_of([*many(2.0, 12), *[Line(status="pending") for _ in range(8)]], status="cancelled")
        assert re.fullmatch(r"Cancelled: 12 of 20 conversations were judged; 2\.0 ± 0\.\d so far", page.headline.text)

    def test_9_one_conversation_is_an_example(self):
        page = page_of([Line(score=2.0)])
        assert page.headline.text == "The booking agent scores 2.0 on 1 conversation, too few to tell"
        assert page.summary["interval"] is None
        assert page.headline.but == ""

    def test_10_another_config_is_another_question(self):
        with in_tenant("acme"):
            judged(many(9.0, 12), config="tea@1", days=0)
            judged(many(3.0, 12), config="tea@2", days=1)
            (one,) = agent_changes()
        assert (one.movement.value, one.why) == ("not_compared", "judged with tea@2, before with tea@1")

    def test_an_agent_that_got_worse_is_found_among_all(self, owner):
        with in_tenant("acme"):
            for agent, before, after in (("booking", 8.0, 5.0), ("concierge", 7.0, 7.0), ("spa", 6.0, 8.0)):
                judged(many(before, 12), agent=agent, days=0)
                judged(many(after, 12), agent=agent, days=1)
            told = [(one.new.agent, one.movement.value) for one in agent_changes()]
        assert told == [("booking", "worse"), ("spa", "better"), ("concierge", "holds")]
        html = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", owner.get("/admin/").content.decode()))
        assert "booking got worse" in html
        assert "worse than day 0: −3.0" in html
