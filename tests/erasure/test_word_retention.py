"""Words of imported and played conversations go when the tenant's time for their kind is over; scores stay."""

import io
import json
from datetime import timedelta
from typing import Any

import pgtrigger
import pytest
from django.core.management import call_command
from django.db import connection

from apps.catalog.models import GoldenSession, GoldenVersion, Scenario
from apps.core.errors import BadInput
from apps.erasure import tasks
from apps.erasure.models import RetentionRound, WordDeletion
from apps.erasure.queries.expired_words import kept_kinds
from apps.erasure.services.retention import delete_all_due_words, delete_due_words
from apps.evaluations.judging.services.enqueue import enqueue_judgements
from apps.evaluations.models import CriterionScore, Evaluation, Judgement
from apps.improvement.models import Analysis
from apps.jobs.work import TimeSlice
from apps.production.models import Promotion
from apps.runs.models import Conversation, TestRun, Turn
from apps.tenants.context import current_slug
from apps.tenants.services import update_workflow_config
from tests.dashboard.conftest import NOW, make_evaluation
from tests.production.test_retention import hold

pytestmark = pytest.mark.usefixtures("tenant")
SAID = "My daughter Achieng waits at the clinic since nine."
PLAYED = {"scenario": "late", "family": "waiting", "persona_name": "Wanjiru"}


def made(kind: str, *, status: str = "completed", many: int = 1) -> Evaluation:
    """A judged run that ended at NOW."""
    run = TestRun.objects.create(
        kind=kind, status="completed", name=kind, plan={}, started_at=NOW, ended_at=NOW, progress_at=NOW
    )
    rows = Conversation.objects.bulk_create(
        Conversation(run=run, position=at, external_id=f"{kind}-{at}", kind=kind, status="ended", spec=PLAYED,
                     labels={"customer": "Achieng"})
        for at in range(many)
    )  # fmt: skip
    Turn.objects.bulk_create(
        Turn(conversation=row, position=at, role=role, content=text, ts=NOW)
        for row in rows
        for at, (role, text) in enumerate([("user", SAID), ("assistant", "I am sorry.")])
    )
    return make_evaluation(run, rows, status=status)


def keep(**days: int | None) -> None:
    update_workflow_config(slug=current_slug(), changes=days)


def words() -> str:
    rows = [*Turn.objects.values_list("content", flat=True), *CriterionScore.objects.values_list("reason", flat=True)]
    return " ".join([*rows, *Judgement.objects.values_list("raw_reply", flat=True)]).strip()


def scores() -> list[Any]:
    return [
        *Judgement.objects.order_by("pk").values_list("weighted_score"),
        *CriterionScore.objects.values_list("score"),
    ]


LATER = NOW + timedelta(days=31)


def test_nothing_goes_where_nobody_said_how_long_it_is_kept() -> None:
    made("battle")
    assert delete_due_words(now=NOW + timedelta(days=4000)).conversations == 0
    assert SAID in words()


@pytest.mark.parametrize("kind, setting", [("imported", "keep_imported_days"), ("replay", "keep_played_days")])
def test_words_go_and_scores_stay_after_the_days_of_their_kind(kind: str, setting: str) -> None:
    evaluation = made(kind)
    before = scores()
    keep(**{setting: 30})
    assert delete_due_words(now=NOW + timedelta(days=29)).conversations == 0
    assert delete_due_words(now=LATER).conversations == 1
    assert (words(), scores()) == ("", before)
    assert delete_due_words(now=LATER).conversations == 0
    row = Conversation.objects.get(run=evaluation.run_id)
    assert row.spec == PLAYED
    assert (row.external_id, row.labels) == (
        (f"erased {row.pk}", {"customer": ""}) if kind == "imported" else ("replay-0", {"customer": "Achieng"})
    )


def test_other_kinds_keep_theirs() -> None:
    made("imported")
    keep(keep_played_days=1)
    assert delete_due_words(now=LATER).conversations == 0


def test_what_is_being_judged_waits() -> None:
    evaluation = made("battle", status="running")
    keep(keep_played_days=30)
    assert delete_due_words(now=LATER).conversations == 0
    Evaluation.objects.filter(pk=evaluation.pk).update(status="completed")
    assert delete_due_words(now=LATER).conversations == 1


def test_a_finding_loses_its_quotes_and_keeps_its_code() -> None:
    evaluation = made("battle")
    row = Conversation.objects.get()
    Analysis.objects.create(
        evaluation=evaluation, status="completed", findings=[
            {"kind": "prompt", "conversation_id": str(row.pk), "quote": SAID}, {"kind": "prompt", "quote": "Other."},
        ],
    )  # fmt: skip
    keep(keep_played_days=30)
    delete_due_words(now=LATER)
    assert [one.get("quote") for one in Analysis.objects.get().findings] == ["", "Other."]


def test_what_became_a_test_keeps_its_words_and_the_customers_comment_goes() -> None:
    made("imported")
    goal = "Ask when it is your turn."
    scenario = Scenario.objects.create(slug="late", goal=goal, opening="I wait.", status="candidate")
    Promotion.objects.create(
        conversation=Conversation.objects.get(), scenario=scenario, promoted_by="amina",
        transcript=[{"role": "user", "content": "I wait."}],
        signals=[{"kind": kind, "text": text, "at": ""} for kind, text in
                 (("thumbs_down", SAID), ("failed_criterion", "facts"))],
    )  # fmt: skip
    keep(keep_imported_days=30)
    delete_due_words(now=LATER)
    scenario.refresh_from_db()
    row = Promotion.objects.get()
    assert (scenario.goal, scenario.opening, row.transcript[0]["content"]) == (
        goal, "I wait.", "I wait."
    )  # fmt: skip
    assert [one["text"] for one in row.signals] == ["", "facts"]


def test_a_golden_session_of_a_battle_stays_word_for_word() -> None:
    made("battle")
    id = str(Conversation.objects.get().pk)
    document = {"id": id, "captured_from": id, "turns": [{"role": "user", "content": SAID}]}
    golden = GoldenSession.objects.create(name="late")
    GoldenVersion.objects.create(golden=golden, number=1, document=document, digest="d" * 64, captured_from=id)
    keep(keep_played_days=30)
    assert delete_due_words(now=LATER).conversations == 1
    assert GoldenVersion.objects.get().document == document


def test_a_finding_that_names_an_imported_conversation_by_its_own_id_loses_quote_and_id() -> None:
    evaluation, other = made("imported"), made("imported")
    evidence = [{"conversation": "imported-0", "quote": SAID}]
    for one in (evaluation, other):
        found = [{"kind": "facts", "conversations": ["imported-0"], "evidence": evidence}]
        Analysis.objects.create(evaluation=one, status="completed", findings=found)
    run = other.run
    with pgtrigger.ignore():
        TestRun.objects.filter(pk=run.pk).update(ended_at=LATER)
    keep(keep_imported_days=30)
    delete_due_words(now=LATER)
    (gone,) = Analysis.objects.get(evaluation=evaluation).findings
    assert (gone["conversations"], gone["evidence"][0]["quote"]) == (["deleted"], "")
    assert Analysis.objects.get(evaluation=other).findings[0]["evidence"] == evidence


def test_a_conversation_without_words_is_not_judged_again() -> None:
    evaluation = made("battle")
    keep(keep_played_days=30)
    delete_due_words(now=LATER)
    again = Evaluation.objects.create(run=evaluation.run, config_version_id=evaluation.config_version_id,
                                      config_ref="tea@1", status="running", snapshot={})  # fmt: skip
    enqueue_judgements(now=LATER, evaluation_id=again.pk)
    row = Judgement.objects.get(evaluation=again)
    assert (row.status, row.error_code) == ("not_judged", "words_deleted")
    assert "deleted" in row.error_message


def test_many_go_in_several_transactions() -> None:
    made("battle", many=5)
    keep(keep_played_days=30)
    assert delete_due_words(now=LATER, limit=2).more
    assert delete_all_due_words(now=LATER).conversations == 3
    assert WordDeletion.objects.count() == 5


def test_one_that_cannot_lose_its_words_ends_none_of_the_others_and_stays_due() -> None:
    made("battle", many=5)
    keep(keep_played_days=30)
    bad = Conversation.objects.get(position=2).pk
    hold(bad)
    done = delete_all_due_words(now=LATER)
    assert (done.conversations, done.failed, done.more) == (4, frozenset({bad}), False)
    tasks.retain(TimeSlice(tenant=current_slug(), now=lambda: LATER, until=LATER))
    assert RetentionRound.objects.get().due_at <= LATER
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER hold_turn ON runs_turn")
    assert delete_all_due_words(now=LATER).conversations == 1


def test_a_worker_looks_once_an_hour_and_not_at_all_without_a_rule() -> None:
    made("battle")

    def visit(at: Any) -> bool:
        return tasks.retain(TimeSlice(tenant=current_slug(), now=lambda: at, until=at))

    assert not visit(LATER)
    assert not RetentionRound.objects.exists()
    keep(keep_played_days=30)
    assert not visit(NOW)
    assert RetentionRound.objects.get().due_at == NOW + timedelta(hours=1)
    assert SAID in words()
    visit(LATER)
    assert words() == ""


def test_the_command_says_what_would_go_and_then_does_it() -> None:
    made("imported", many=2)
    keep(keep_imported_days=1)  # NOW lies before the machine's clock

    def answer(**options: Any) -> Any:
        out = io.StringIO()
        call_command("retention", tenant="acme", as_json=True, stdout=out, **options)
        return json.loads(out.getvalue())["kinds"][0]

    wanted = {"kind": "imported", "days": 1, "held": 2, "due": 2}
    assert answer(dry_run=True) == wanted
    assert SAID in words()
    assert answer() == wanted
    assert words() == ""
    assert (kept_kinds(now=LATER)[0].held, kept_kinds(now=LATER)[0].due) == (0, 0)


@pytest.mark.parametrize("days", [0, 3661, 1.5, "ten", True])
def test_a_wrong_number_of_days_is_refused(days: Any) -> None:
    with pytest.raises(BadInput):
        keep(keep_imported_days=days)
