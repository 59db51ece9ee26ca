"""From an evaluation that disappoints to drafts that were tried one after the other, and the one that helped most."""

import json
import re
from decimal import Decimal

import pgtrigger
import pytest

from apps.budgets.models import Budget
from apps.budgets.services.limits import declare_limit
from apps.catalog.connections.services.storing import save_model_provider
from apps.core.documents import as_json
from apps.core.errors import BadInput, Conflict
from apps.evaluations.models import CriterionScore, Evaluation, Judgement
from apps.improvement.drafts.queries.releases import release_document
from apps.improvement.drafts.services.advancing_trials import advance_trials
from apps.improvement.drafts.services.drafting import DraftSource, create_draft
from apps.improvement.drafts.services.steering_trials import lift_block
from apps.improvement.models import FamilyPart, Optimization, OptimizationDraft, PromptDraft, Trial
from apps.improvement.optimizer.queries.documents import optimization_document, optimization_matrix
from apps.improvement.optimizer.queries.needs_optimization import needing_optimization
from apps.improvement.optimizer.services.steering_optimizations import cancel_optimization, combine_optimization
from apps.runs.models import Conversation, TestRun
from apps.tenants.context import current_slug
from apps.tenants.services import update_workflow_config
from tests.improvement.optimization_rows import LIVE, ask, found, go_on, make_scene, propose, try_next
from tests.improvement.test_analysing import judged_run
from tests.improvement.trial_rows import CRITERIA, NOW, gain, play
from tests.loopback.http_server import Answer, Request
from tests.loopback.providers import ModelProvider
from tests.secret_answers import as_asked

pytestmark = pytest.mark.usefixtures("tenant")
NONCE = re.compile(r"<<<END AGENT PROMPT (\w+)>>>")
FIXES = {
    "payment": ("S2", "# Payment\nNever ask for a PIN."),
    "prices": ("S3", "# Prices\nSay the price of each service."),
    "hours": ("S4", "# Hours\nSay when the salon is open."),
    "again": ("S3", "# Prices\nSay that prices are on the list."),
}
EVEN = {name: lambda side, scenario: 5.0 for name in CRITERIA}


class Writers(ModelProvider):
    """Answers the finding that it is asked about with the fix of that title; all of them where it is asked for all."""

    asked = 0

    def _handle(self, request: Request) -> Answer:
        self.asked += 1
        prompt = json.loads(request.body)["messages"][-1]["content"]
        nonce = NONCE.findall(prompt)[-1]
        titles = re.findall(r"^title: (\w+)$", prompt, re.MULTILINE)
        said = {"nonce": nonce, "hopes": "trust", "might_hurt": "nothing"}
        parts = [dict(zip(("section", "replacement"), FIXES[title], strict=True)) for title in titles]
        answer = {**said, "fixes": parts} if '"fixes"' in prompt else {**said, **parts[0]}
        self.text = json.dumps(as_asked(prompt, answer))
        return super()._handle(request)


@pytest.fixture
def writers():
    with Writers() as server:
        save_model_provider(name="author", kind="openai", base_url=server.base_url("openai"), api_key="k")
        yield server


@pytest.fixture
def evaluation(writers):
    scene = make_scene(judged_run(3, 2))
    update_workflow_config(
        slug=current_slug(), changes={"models": {"optimizer": {"provider": "author", "model": "writer-1"}}}
    )
    return scene


def tried(evaluation, *titles, **more) -> Optimization:
    """An optimization whose drafts are written and whose first trial is asked for."""
    row = ask(evaluation, drafts=len(titles), **more)
    go_on(row)
    found(row, *titles)
    go_on(row)
    propose()
    return go_on(row)


def test_fixes_are_tried_one_after_the_other_and_the_best_is_named(evaluation) -> None:
    row = tried(evaluation, "payment", "prices", "hours")
    assert row.analysis.train_only
    for score in (gain(0.4), gain(0.9), gain(-0.3)):
        assert Trial.objects.filter(status="pending").count() == 1  # never two at once
        try_next(row, score)
    combined = row.drafts.get(place="combined")
    assert {one["draft"] for one in combined.draft.parts} == {
        str(pk) for pk in row.drafts.filter(position__lte=2).values_list("draft", flat=True)
    }
    try_next(row, gain(1.3))
    assert (row.status, row.outcome) == ("completed", "helped")
    assert row.sentence.startswith("3 of 4 drafts scored higher than the live prompt; the combined draft most, by +1.4")
    assert "only the hold-out proves a gain" in row.sentence
    assert set(PromptDraft.objects.values_list("optimization_round", "mode")) == {(1, "surgical"), (1, "own")}
    assert {one.part for one in Trial.objects.all()} == {"selection"}
    assert go_on(row).status == "completed"
    assert Trial.objects.count() == 4


def test_two_fixes_that_help_alone_and_hurt_together_are_caught(evaluation) -> None:
    row = tried(evaluation, "payment", "prices")
    try_next(row, gain(0.6))
    try_next(row, gain(0.8))
    try_next(row, gain(-0.5))
    assert "Together the fixes hurt (-0.35 points), although each helps alone." in row.sentence
    best = [one for one in as_json(optimization_document(row))["drafts"] if one["best"]]
    assert [one["position"] for one in best] == [2]


def test_the_matrix_is_the_difference_of_the_means_that_were_played(evaluation) -> None:
    row = tried(evaluation, "payment", "prices")
    marks = {"flow": {"draft": 7.3, "live": 5.1}, "facts": {"draft": 4.7, "live": 6.2}}

    def of(name):
        return lambda side, scenario: marks[name][side] + int(scenario[1:]) / 7 * (side == "draft")

    try_next(row, gain(0.5), criteria={name: of(name) for name in marks})
    first = as_json(optimization_matrix(row))
    by_hand = {
        name: sum(marks[name]["draft"] + number / 7 - marks[name]["live"] for number in range(12)) / 12
        for name in marks
    }
    assert set(first["criteria"]) == set(marks)
    for cell in first["rows"][0]["criteria"]:
        assert cell["difference"] == pytest.approx(by_hand[cell["name"]], abs=1e-9)
    assert first["rows"][0]["overall"]["difference"] == pytest.approx(0.65, abs=1e-9)
    assert first["rows"][1]["overall"] is None


def test_winners_of_one_section_are_a_conflict_that_a_person_decides(evaluation) -> None:
    row = tried(evaluation, "prices", "again")
    try_next(row, gain(0.6))
    try_next(row, gain(0.8))
    assert row.status == "completed"
    shown = as_json(optimization_document(row))
    assert [one["title"] for one in shown["conflicts"]] == ["Prices"]
    assert shown["next"] == ["prove", "combine"]
    with pytest.raises(Conflict) as refused:
        combine_optimization(row.pk, by="amina", now=NOW)
    assert refused.value.code == "sections_conflict"
    chosen = {shown["conflicts"][0]["section"]: shown["drafts"][1]["draft_id"]}
    combine_optimization(row.pk, by="amina", now=NOW, choices=chosen)
    assert go_on(row).status == "completed"  # the words of one alone: what is tried already is not tried again
    assert Trial.objects.count() == 2


def test_full_is_one_draft_that_answers_all_findings(evaluation, writers) -> None:
    row = ask(evaluation, mode="full")
    go_on(row)
    found(row, "payment", "hours")
    go_on(row)
    propose()
    go_on(row)
    draft = row.drafts.get().draft
    assert (draft.mode, draft.status, draft.finding_number) == ("full", "in_trial", None)
    assert draft.text == LIVE.replace("Ask for the PIN.", "Never ask for a PIN.").replace(
        "Say nothing of hours.", "Say when the salon is open."
    )
    assert writers.asked == 1
    try_next(row, gain(0.5))
    assert row.outcome == "helped"


def test_a_mode_that_there_is_not_is_refused_by_name(evaluation) -> None:
    with pytest.raises(BadInput) as refused:
        ask(evaluation, mode="magic")
    assert (refused.value.code, refused.value.pointer) == ("unknown_mode", "/mode")
    assert "surgical, full, reflective" in refused.value.message


def test_a_loop_of_worse_drafts_ends_after_three_rounds(evaluation) -> None:
    for number, title in enumerate(("payment", "prices", "hours"), 1):
        row = tried(evaluation, title)
        assert row.round == number
        try_next(row, gain(-0.9), criteria=EVEN)
        assert row.outcome == "not_shown"
    with pytest.raises(Conflict) as refused:
        ask(evaluation)
    assert refused.value.code == "rounds_spent"
    assert refused.value.message.startswith("3 rounds of optimization against greeting@aaa1111 are over")
    assert Optimization.objects.count() == 3
    own = create_draft(name="greeting", text=LIVE.replace("haircuts", "hair cuts"), source=DraftSource(by="amina"))
    assert PromptDraft.objects.get(pk=own).optimization_round == 4  # a person may go on


def test_a_regression_blocks_at_once_and_0_99_does_not(evaluation) -> None:
    row = tried(evaluation, "payment", "prices")
    try_next(row, lambda side, scenario: 5.0 - 1.01 * (side == "draft"), criteria=EVEN)
    try_next(row, lambda side, scenario: 5.0 - 0.99 * (side == "draft"), criteria=EVEN)
    drafts = [one.draft for one in row.drafts.select_related("draft").order_by("position")]
    assert [one.status for one in drafts] == ["blocked", "proposed"]
    assert row.sentence.startswith("None of 2 drafts scored higher than the live prompt. Regression detected in 1 d")
    refusal = release_document(drafts[0].pk).refusal
    assert (refusal.code, refusal.sentence.partition(":")[0]) == ("blocked", "This draft is blocked")
    assert "Regression detected" in refusal.sentence
    assert release_document(drafts[1].pk).refusal.code == "not_tried"
    with pytest.raises(Conflict, match="This trial chose among drafts") as refused:
        lift_block(Trial.objects.get(draft=drafts[0]).pk, criterion="flow", reason="So be it.", by="amina", now=NOW)
    assert refused.value.code == "not_decided"


def test_a_draft_that_is_left_out_wears_its_own_findings_name(evaluation) -> None:
    row = tried(evaluation, "payment", "prices")
    first, second = row.drafts.order_by("position")
    OptimizationDraft.objects.filter(pk=second.pk).update(
        draft=first.draft_id, trial=None, left_out="same_words", left_out_why="Another draft has the same words."
    )
    assert [one["note"] for one in as_json(optimization_document(row))["drafts"]] == ["payment", "prices"]
    assert [one["note"] for one in as_json(optimization_matrix(row))["rows"]] == ["payment", "prices"]


def test_where_a_figure_moved_is_what_its_trial_decided(evaluation) -> None:
    row = tried(evaluation, "payment", "prices")

    def scattered(side: str, scenario: str) -> float:
        return 4.94 + 0.5 * (-1) ** int(scenario[1:]) if side == "draft" else 5.0

    try_next(row, gain(0.9), criteria={"flow": gain(0.9), "facts": scattered})
    line = as_json(optimization_matrix(row))["rows"][0]
    facts = next(one for one in line["criteria"] if one["name"] == "facts")
    assert [one["moved"] for one in line["criteria"]].count("better") == 1
    assert (line["overall"]["moved"], facts["moved"]) == ("better", "cannot_tell")
    assert facts["difference"] == pytest.approx(-0.06)


def test_a_cancelled_one_asks_for_nothing_more(evaluation) -> None:
    row = tried(evaluation, "payment", "prices")
    cancel_optimization(row.pk, by="amina", now=NOW)
    row.refresh_from_db()
    assert (row.status, row.sentence) == ("cancelled", "Cancelled by amina.")
    assert go_on(row).status == "cancelled"
    assert set(PromptDraft.objects.values_list("status", flat=True)) == {"proposed"}  # no draft is lost
    assert ask(evaluation).round == 1


def test_a_cancelled_one_is_no_round_also_where_one_of_its_drafts_was_tried(evaluation) -> None:
    row = tried(evaluation, "payment", "prices")
    try_next(row, gain(-0.9), criteria=EVEN)
    assert Trial.objects.filter(status="completed").count() == 1
    cancel_optimization(row.pk, by="amina", now=NOW)
    assert ask(evaluation).round == 1


def test_one_that_finds_nothing_is_no_round(evaluation) -> None:
    row = ask(evaluation)
    go_on(row)
    found(row)
    go_on(row)
    assert (row.outcome, row.drafts.count()) == ("unmeasurable", 0)
    assert ask(evaluation).round == 1


def test_a_second_one_of_the_same_prompt_waits_for_the_first(evaluation) -> None:
    ask(evaluation)
    with pytest.raises(Conflict) as refused:
        ask(evaluation)
    assert refused.value.code == "optimizing"


def test_a_trial_of_the_selection_is_stopped_where_it_cannot_be_won(evaluation) -> None:
    row = tried(evaluation, "payment")
    advance_trials(now=NOW)
    trial = row.drafts.get().trial
    play(trial, gain(-1.5), criteria=EVEN)
    with pgtrigger.ignore():
        for side in trial.sides.all():  # the last third is not played yet
            late = Conversation.objects.filter(run=side.test_run, position__gte=8)
            CriterionScore.objects.filter(judgement__conversation__in=late).delete()
            Judgement.objects.filter(conversation__in=late).delete()
            late.update(status="pending", ended_at=None)
            TestRun.objects.filter(pk=side.test_run_id).update(status="running", ended_at=None)
            Evaluation.objects.filter(pk=side.evaluation_id).update(status="running", ended_at=None)
    advance_trials(now=NOW)
    go_on(row)
    trial.refresh_from_db()
    assert (trial.status, trial.decision["stopped_early"], trial.decision["families"]) == ("completed", True, 8)
    assert trial.sentence.startswith("Stopped early, since it would not have scored higher: Blocked")
    spent = as_json(optimization_document(row))["spent"]
    assert (spent["stopped_early"], spent["conversations"], spent["spared"]["conversations"]) == (1, 16, 8)
    assert row.outcome == "blocked"


def test_what_the_budget_does_not_pay_for_is_left_out_and_said(evaluation) -> None:
    row = tried(evaluation, "payment", "prices", "hours")
    declare_limit(pull_request=row.budget_name, usd=Decimal("1.00"))
    try_next(row, gain(0.6))
    Optimization.objects.filter(pk=row.pk).update(forecast={**row.forecast, "trial": {"cost_usd": 0.7}})
    Budget.objects.filter(name=row.budget_name).update(spent_usd=Decimal("0.4"))
    row.refresh_from_db()
    try_next(row, gain(0.2))  # it had begun
    assert (row.status, row.outcome) == ("completed", "helped")
    assert [one.left_out for one in row.drafts.order_by("position")] == ["", "", "budget", "budget"]
    assert "Left out: the budget did not pay for a trial of 2 drafts." in row.sentence


def test_a_spent_budget_stops_the_trial_that_waits_for_it(evaluation) -> None:
    row = tried(evaluation, "payment", "prices")
    declare_limit(pull_request=row.budget_name, usd=Decimal("0.01"))
    advance_trials(now=NOW)
    Budget.objects.filter(name=row.budget_name).update(stopped_at=NOW)
    assert go_on(row).status == "completed"
    assert [one.left_out for one in row.drafts.order_by("position")] == ["budget", "budget"]
    assert {one.status for one in Trial.objects.all()} == {"cancelled"}
    assert row.sentence == "Nothing could be compared. Left out: the budget did not pay for a trial of 2 drafts."


def test_the_best_goes_to_the_hold_out_where_that_was_asked_for(evaluation) -> None:
    FamilyPart.objects.filter(family__gte="family-06").update(part="hold_out", set_number=1)
    row = tried(evaluation, "payment", "prices", prove=True)
    for score in (gain(0.4), gain(-0.2)):
        try_next(row, score)
    assert (row.status, row.proof.part) == ("running", "hold_out")
    assert row.proof.draft_id == row.drafts.get(position=1).draft_id
    advance_trials(now=NOW)
    play(row.proof, gain(0.5))
    advance_trials(now=NOW)
    go_on(row)
    assert (row.outcome, row.proof.look) == ("not_shown", 1)
    assert "Not proven: no hold-out, 6 more families are needed" in row.sentence


def test_a_sealed_evaluation_is_refused_as_at_every_other_door(evaluation) -> None:
    FamilyPart.objects.filter(family__gte="family-06").update(part="hold_out", set_number=1)
    row = tried(evaluation, "payment", prove=True)
    try_next(row, gain(0.6))
    advance_trials(now=NOW)
    play(row.proof, gain(0.6))
    advance_trials(now=NOW)
    go_on(row)
    sealed = row.proof.sides.first().evaluation
    with pytest.raises(Conflict) as refused:
        ask(sealed)
    assert refused.value.code == "sealed"
    assert Optimization.objects.count() == 1


def test_a_live_prompt_that_missed_its_mark_needs_optimization_until_a_release(evaluation) -> None:
    assert needing_optimization() == {}
    run = evaluation.run
    with pgtrigger.ignore():
        TestRun.objects.filter(pk=run.pk).update(subject={"prompt_version": "greeting@aaa1111"})
        Evaluation.objects.filter(pk=evaluation.pk).update(status="completed", ended_at=NOW)
    found_now = needing_optimization()["greeting"]
    assert (found_now.version, found_now.evaluation_id) == ("greeting@aaa1111", evaluation.pk)
    assert found_now.score < found_now.mark
    draft = create_draft(name="greeting", text=LIVE.replace("haircuts", "hair cuts"), source=DraftSource(by="amina"))
    PromptDraft.objects.filter(pk=draft).update(status="released", released_at=NOW)
    assert needing_optimization() == {}
