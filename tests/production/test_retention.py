"""Conversations settle by themselves, and what real customers said goes when its time is over: nothing of it is left in
any text of the tenant's schema."""

import io
import json
import uuid
from datetime import datetime, timedelta
from typing import Any

import pgtrigger
import pytest
from django.core.management import call_command
from django.db import Error, transaction
from django.utils import timezone

from apps.calibration.models import ConversationNote
from apps.catalog.models import Criterion, Scenario
from apps.checks.models import CheckResult
from apps.core.errors import Conflict
from apps.erasure.models import WordDeletion
from apps.evaluations.models import CriterionScore, Judgement
from apps.jobs.work import TimeSlice, work_named
from apps.production import tasks
from apps.production.intake.services.feedback import take_feedback
from apps.production.intake.services.settling import settle_due
from apps.production.models import Feedback, ProductionConversation, Promotion
from apps.production.privacy.domain.residue_removal import without_residues
from apps.production.privacy.domain.second_check import residues
from apps.production.promotion.services.promoting import promote_conversation
from apps.production.retention.services.deleting import delete_all_expired, delete_expired, expired
from apps.runs.domain.states import ConversationStatus
from apps.runs.models import Conversation, TestRun, Turn
from apps.tenants.connection import connection
from apps.tenants.context import current_schema
from apps.tenants.models import Tenant
from apps.tenants.services import update_workflow_config
from tests.dashboard.conftest import make_evaluation, make_run
from tests.production.test_intake import document, post

PHONE, NAME, UNLISTED, SPOKEN = "0712 345 678", "Wanjiku Kamau", "Xolani", "seven one two three four five six seven"


@pytest.fixture(autouse=True)
def _inside(tenant: str) -> None:
    """All of it in a tenant, rolled back."""
    Tenant.objects.filter(slug=tenant).update(vertical="salon")


def long_ago() -> datetime:
    """Three weeks: the database's own clock decides what may be deleted."""
    return timezone.now() - timedelta(days=21)


def columns_with(*planted: str) -> set[str]:
    """Every text and JSON column of the tenant's schema that holds one of these, as table.column."""
    found = set()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = %s AND data_type IN"
            " ('text', 'character varying', 'jsonb', 'json', 'ARRAY', 'bytea')",
            [current_schema()],
        )
        for table, column in cursor.fetchall():
            likes = " OR ".join([f'"{column}"::text ILIKE %s'] * len(planted))
            cursor.execute(f'SELECT count(*) FROM "{table}" WHERE {likes}', [f"%{one}%" for one in planted])  # noqa: S608
            if cursor.fetchone()[0]:
                found.add(f"{table}.{column}")
    return found


def rated(conversation: uuid.UUID, rating: str = "down", comment: str = "") -> None:
    body = {"id": str(uuid.uuid4()), "conversation_id": str(conversation), "rating": rating, "comment": comment}
    take_feedback(body=body, now=timezone.now())


def judged(conversation_id: uuid.UUID) -> None:
    """A judgement, a check and a note that quote the conversation."""
    row = Conversation.objects.get(pk=conversation_id)
    evaluation = make_evaluation(row.run, [])
    judgement = Judgement.objects.create(
        evaluation=evaluation, conversation=row, status="scored", weighted_score=3.0, judged_at=timezone.now(),
        raw_reply=f"{UNLISTED} was told", second_chances=0,
    )  # fmt: skip
    CriterionScore.objects.create(
        judgement=judgement, criterion="first", position=0, status="scored", score=3.0, weight=1, pass_mark=6,
        reason=f"{UNLISTED} was told", evidence=[{"quote": f"I am {UNLISTED}", "turn": 2, "kind": "exact"}],
        opinions=[{"purpose": "judge", "score": 3.0, "reason": UNLISTED}],
    )  # fmt: skip
    CheckResult.objects.create(
        run=row.run, conversation=row, check_name="rude", source="api", outcome="fail", score=0.1, threshold=0.5,
        reason=f"said to {UNLISTED}", evidence=[{"quote": UNLISTED}], measured_at=timezone.now(),
    )  # fmt: skip
    ConversationNote.objects.create(conversation=row, author="amina", text=f"I know {UNLISTED}")


def deleted_by_hand(**options: Any) -> dict[str, Any]:
    out = io.StringIO()
    call_command("retention", tenant="acme", as_json=True, stdout=out, **options)
    return dict(json.loads(out.getvalue()))


def test_a_conversation_that_never_ends_settles_some_time_after_its_last_turn() -> None:
    begun = timezone.now() - timedelta(hours=2)
    post(document("c", "I am Achieng", customer={"names": ["Achieng"]}), begun)
    post(document("c", "I am Achieng", "Karibu", customer={"names": ["Achieng"]}), begun + timedelta(minutes=20))
    assert settle_due(now=begun + timedelta(minutes=40)).conversations == 0
    assert ProductionConversation.objects.get().people.reveal() != ""
    assert settle_due(now=begun + timedelta(minutes=50)).conversations == 1
    row = ProductionConversation.objects.get()
    assert (row.people.reveal(), row.turn_digests, row.ended) == ("", [], False)
    assert row.conversation.status == ConversationStatus.ENDED
    assert settle_due(now=begun + timedelta(minutes=50)).conversations == 0


def test_more_than_one_worker_takes_at_once_is_said() -> None:
    for number in range(3):
        post(document(f"c-{number}"), long_ago())
    assert settle_due(now=timezone.now(), limit=2).more
    assert not settle_due(now=timezone.now(), limit=2).more
    assert delete_expired(now=timezone.now(), limit=2).more
    assert not delete_expired(now=timezone.now(), limit=2).more


def hold(conversation_id: uuid.UUID) -> None:
    """From now on the database lets nobody delete this one's turns."""
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE FUNCTION hold_turn() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN RAISE EXCEPTION 'held'; END $$;"
            "CREATE TRIGGER hold_turn BEFORE DELETE OR UPDATE ON runs_turn FOR EACH ROW WHEN"
            f" (OLD.conversation_id = '{conversation_id}') EXECUTE FUNCTION hold_turn()"
        )


def test_one_that_cannot_be_deleted_ends_neither_the_others_nor_the_other_kinds(caplog) -> None:
    ids = [post(document(f"c-{n}", ended=True), long_ago() + timedelta(minutes=n)).conversation_id for n in range(4)]
    hold(ids[1])
    brought = make_run(1)[0]
    with pgtrigger.ignore():
        TestRun.objects.filter(pk=brought.pk).update(ended_at=long_ago())
    update_workflow_config(slug="acme", changes={"keep_played_days": 1})
    out = io.StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("retention", tenant="acme", as_json=True, stdout=out)
    answer = json.loads(out.getvalue())
    assert (ended.value.code, answer["conversations"], answer["not_deleted"]) == (1, 3, [str(ids[1])])
    assert WordDeletion.objects.filter(conversation__run=brought).count() == 1
    left = ProductionConversation.objects.filter(deleted_at=None).values_list("conversation_id", flat=True)
    assert list(left) == [ids[1]]
    (told,) = [one for one in caplog.records if one.message == "conversation_not_deleted"]
    said = {"conversation": str(ids[1]), "code": "broken_row", "error": "ProgrammingError"}
    assert told.fields.items() >= said.items()
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER hold_turn ON runs_turn")
    assert delete_all_expired(now=timezone.now()).conversations == 1


def test_nothing_of_a_customer_is_left_in_any_column_after_its_time() -> None:
    said = (f"Hi, this is {NAME}, {PHONE}", "Karibu Wanjiku!", f"I am {UNLISTED}, braids on Friday", "KES 900")
    raw = document(f"wa-{PHONE}", *said, customer={"names": [NAME], "phones": [PHONE]}, customer_ref=f"ref {UNLISTED}")
    done = post(raw | {"labels": {"who": UNLISTED}, "source": UNLISTED}, long_ago())
    rated(done.conversation_id, comment=f"{UNLISTED} is angry, {PHONE}")
    judged(done.conversation_id)
    assert len(columns_with(UNLISTED)) >= 8
    assert columns_with(PHONE, "712345678", "Wanjiku", "Kamau") == set()

    found = delete_all_expired(now=timezone.now())

    assert (found.conversations, found.turns, found.feedback, found.promoted) == (1, 4, 1, 0)
    assert columns_with(UNLISTED, PHONE, "712345678", "345 678", "Wanjiku", "Kamau") == set()
    row = ProductionConversation.objects.get()
    assert (row.customer_ref_hmac, row.person_digests, row.name_digests, row.document_digest) == ("", {}, [], "")
    assert (row.deleted_at is not None, row.settled_at is not None) == (True, True)
    assert Feedback.objects.get().rating == "down"
    score = CriterionScore.objects.get()
    assert (score.score, score.evidence) == (3.0, [{"quote": "", "turn": 2, "kind": "exact"}])
    assert score.opinions == [{"purpose": "judge", "score": 3.0, "reason": ""}]
    assert delete_all_expired(now=timezone.now()).conversations == 0


def test_what_is_not_due_stays_and_what_is_deleted_is_not_taken_in_again() -> None:
    old = post(document("old", ended=True), long_ago())
    post(document("new", ended=True), timezone.now())
    assert expired(now=timezone.now()).conversations == 1
    assert delete_all_expired(now=timezone.now()).turns == 2
    assert Turn.objects.count() == 2
    for raw in (document("old", ended=True), document("old", "something else")):
        with pytest.raises(Conflict) as refused:
            post(raw, timezone.now())
        assert refused.value.code == "conversation_deleted"
    rated(old.conversation_id, comment=f"still {UNLISTED}")
    assert Feedback.objects.get().comment == ""
    with pytest.raises(Conflict) as gone:
        promote_conversation(conversation_id=old.conversation_id, by="amina", now=timezone.now())
    assert gone.value.code == "no_transcript"


def test_the_database_refuses_to_take_words_out_of_anything_else() -> None:
    fresh = post(document("new", ended=True), timezone.now()).conversation_id
    judged(fresh)
    statements = (
        "UPDATE evaluations_criterionscore SET reason = ''",
        "UPDATE evaluations_judgement SET raw_reply = ''",
        "UPDATE checks_checkresult SET reason = ''",
        "UPDATE calibration_conversationnote SET text = ''",
        "DELETE FROM runs_turn",
    )
    for statement in statements:
        with pytest.raises(Error), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)


def test_after_its_time_words_are_emptied_and_never_rewritten() -> None:
    judged(post(document("old", ended=True), long_ago()).conversation_id)
    for statement in (
        "UPDATE evaluations_criterionscore SET reason = 'better'",
        "UPDATE evaluations_criterionscore SET reason = '', score = 9",
        "UPDATE evaluations_criterionscore SET evidence = '[]'",
        "DELETE FROM evaluations_criterionscore",
        "UPDATE evaluations_judgement SET raw_reply = 'other'",
    ):
        with pytest.raises(Error), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)


def test_a_test_that_was_made_of_it_keeps_its_masked_scenario() -> None:
    said = (f"Hi, {NAME} here", "Karibu Wanjiku!", "I want braids on Friday at ten, please", "KES 900")
    done = post(document("c", *said, customer={"names": [NAME]}, ended=True), long_ago())
    rated(done.conversation_id, comment="not what I asked for")
    Criterion.objects.create(name="price_clarity")
    promote_conversation(conversation_id=done.conversation_id, by="amina", now=timezone.now())
    before = kept()
    assert delete_all_expired(now=timezone.now()).promoted == 1
    assert Turn.objects.count() == 0
    assert before == kept()
    assert "not what I asked for" not in str(Promotion.objects.get().signals)  # comments go with the conversation


def kept() -> list[Any]:
    return [Promotion.objects.values("transcript").get(), Scenario.objects.values("goal", "opening").get()]


def test_a_candidate_that_nobody_cleared_in_time_keeps_masked_words_alone() -> None:
    said = ("I want braids on Friday at ten, please", "Sure", f"Call me on zero {SPOKEN} eight", "KES 900")
    done = post(document("c", *said, ended=True), long_ago())
    promote_conversation(conversation_id=done.conversation_id, by="amina", now=timezone.now())
    assert Promotion.objects.get().blocked
    delete_all_expired(now=timezone.now())
    row = Promotion.objects.get()
    assert columns_with(SPOKEN) == set()
    assert [turn["content"] for turn in row.transcript] == [said[0], said[1], "Call me on <number>", said[3]]
    assert (row.blocked, "quote" in row.residues[0]) == (True, False)


def test_what_the_second_check_finds_is_gone_even_in_pieces() -> None:
    texts = ["0712", "345", "678", "zero " + SPOKEN + " eight, I am N.j.e.r.i", "KES 900"]
    found = residues(texts, names=["Njeri"])
    clean = without_residues(texts, found)
    assert found
    assert residues(clean, names=["Njeri"]) == ()
    assert clean[4] == "KES 900"


def test_the_command_says_what_it_would_delete_and_then_deletes_it() -> None:
    post(document("old", ended=True), long_ago())
    dry = deleted_by_hand(dry_run=True)
    assert (dry["conversations"], dry["turns"], dry["dry_run"]) == (1, 2, True)
    assert Turn.objects.count() == 2
    assert deleted_by_hand()["conversations"] == 1
    assert deleted_by_hand()["conversations"] == 0


def test_both_kinds_of_work_are_seen_while_they_wait_and_done_by_workers() -> None:
    post(document("old"), long_ago())
    kinds = [work_named("production_settling"), work_named("production_retention")]
    moment = timezone.now()
    assert [waits(kind, moment) for kind in kinds] == [1, 1]
    assert [waits(kind, long_ago() + timedelta(minutes=5)) for kind in kinds] == [0, 0]
    slice_ = TimeSlice(tenant="acme", now=timezone.now, until=moment + timedelta(seconds=5))
    assert not tasks.settle(slice_)
    assert [waits(kind, moment) for kind in kinds] == [0, 1]
    assert not tasks.retain(slice_)
    assert [waits(kind, moment) for kind in kinds] == [0, 0]
    assert TestRun.objects.count() == 1


def waits(kind: Any, now: datetime) -> int:
    with connection.cursor() as cursor:
        cursor.execute(kind.waiting(current_schema()), {"now": now})
        return len(cursor.fetchall())
