"""What customers did not like becomes candidates every week, and files of layer 5 by hand."""

import io
import json
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import CommandError, call_command

from apps.catalog.models import Criterion, Scenario
from apps.jobs.work import work_named
from apps.production.conversations.domain.promotion_states import RoundStatus
from apps.production.intake.services.feedback import take_feedback
from apps.production.models import Promotion, PromotionRound
from apps.production.promotion.services.candidates import release_candidate
from apps.production.promotion.services.promoting_feedback import enqueue_round, pay_rounds, promote_feedback
from apps.tenants.connection import connection
from apps.tenants.models import Tenant
from tests.catalog.samples import add_persona
from tests.production.test_promoting import NOW, SAID, posted, thumbs_down
from tests.runs.stage import battles, make_agent, only, play, said

MONDAY = datetime(2026, 11, 30, 3, 0, tzinfo=UTC)  # 06:00 in Nairobi


@pytest.fixture(autouse=True)
def _inside(tenant: str) -> None:
    """All of it in a tenant, rolled back."""
    Tenant.objects.filter(slug=tenant).update(vertical="salon")
    Criterion.objects.create(name="price_clarity")


def promote_slug(slug: str, *, must_not: bool = True) -> Scenario:
    row = Scenario.objects.get(slug=slug)
    if must_not:
        row.must_not = [{"criterion": "price_clarity", "below": 6.0}]
        row.save()
    return row


def test_thumbs_down_become_candidates_once_and_other_ratings_do_not() -> None:
    bad, liked = posted("bad"), posted("liked", "Bei ya kunyoa ni ngapi, na mko wapi?", "KES 500, Westlands")
    thumbs_down(bad)
    thumbs_down(bad, "f-2", comment="still wrong")
    first = promote_feedback(now=NOW)
    again = promote_feedback(now=NOW)

    assert [one.created for one in first.promoted] == [True]
    assert (len(again.promoted), len(again.known), len(again.refused)) == (0, 1, 0)
    row = Promotion.objects.get()
    assert row.conversation_id == bad
    assert row.conversation_id != liked
    assert [one["text"] for one in row.signals] == ["", "still wrong"]
    assert len(row.scenario.provenance["feedback"]) == 2


def test_a_further_thumbs_down_is_added_to_why_it_is_here() -> None:
    bad = posted("bad")
    thumbs_down(bad)
    promote_feedback(now=NOW)
    thumbs_down(bad, "f-2", comment="again", now=NOW + timedelta(days=2))
    promote_feedback(now=NOW + timedelta(days=3))
    assert [one["text"] for one in Promotion.objects.get().signals] == ["", "again"]


def test_one_that_cannot_be_promoted_stops_no_other() -> None:
    silent = posted("silent", " ", "Hello?")
    thumbs_down(silent, "f-1")
    thumbs_down(posted("bad"), "f-2")
    report = promote_feedback(now=NOW)
    assert len(report.promoted) == 1
    assert [(one["conversation"], one["code"]) for one in report.refused] == [(str(silent), "nothing_said")]


def test_in_a_blocked_vertical_every_one_is_refused_and_nothing_is_written(tenant: str) -> None:
    Tenant.objects.filter(slug=tenant).update(vertical="dental")
    thumbs_down(posted("bad"))
    report = promote_feedback(now=NOW)
    assert [one["code"] for one in report.refused] == ["vertical_blocked"]
    assert "privacy ADR" in report.refused[0]["sentence"]
    assert Scenario.objects.count() == 0


def waiting(now: datetime) -> int:
    work = work_named("promotion")
    with connection.cursor() as cursor:
        cursor.execute(work.waiting(connection.ops.quote_name(connection.schema_name)), {"now": now})
        return len(cursor.fetchall())


def test_the_weekly_look_is_due_on_monday_at_six_in_the_tenants_zone_and_owes_the_next_one() -> None:
    assert not enqueue_round(now=NOW)  # nobody rated anything yet
    thumbs_down(posted("bad"))
    assert enqueue_round(now=NOW)
    assert not enqueue_round(now=NOW)
    assert PromotionRound.objects.get().not_before == MONDAY
    assert (pay_rounds(now=MONDAY - timedelta(seconds=1)), waiting(MONDAY - timedelta(seconds=1))) == (0, 0)
    assert waiting(MONDAY) == 1

    assert pay_rounds(now=MONDAY) == 1
    assert pay_rounds(now=MONDAY) == 0
    done = PromotionRound.objects.get(status=RoundStatus.DONE)
    assert (done.outcome["promoted"], done.ended_at) == (1, MONDAY)
    following = PromotionRound.objects.get(status=RoundStatus.PENDING)
    assert (following.not_before, following.since) == (MONDAY + timedelta(days=7), MONDAY)


def test_a_worker_that_died_in_a_round_leaves_it_to_another_and_nothing_is_promoted_twice() -> None:
    thumbs_down(posted("bad"))
    enqueue_round(now=NOW)
    promote_feedback(now=MONDAY)  # as far as the dead one came
    PromotionRound.objects.update(lease_token="00000000-0000-7000-8000-000000000001",
                                  lease_expires_at=MONDAY + timedelta(minutes=10))  # fmt: skip
    assert pay_rounds(now=MONDAY + timedelta(minutes=9)) == 0
    assert pay_rounds(now=MONDAY + timedelta(minutes=11)) == 1
    assert Promotion.objects.count() == 1
    assert PromotionRound.objects.get(status=RoundStatus.DONE).outcome["known"] == 1


def test_a_tenant_that_switched_it_off_is_owed_no_look(tenant: str) -> None:
    Tenant.objects.filter(slug=tenant).update(settings={"weekly_promotion": False})
    thumbs_down(posted("bad"))
    assert not enqueue_round(now=NOW)


def command(*arguments: str) -> dict:
    out = io.StringIO()
    call_command("promote_feedback", "--tenant", "acme", "--json", *arguments, stdout=out, stderr=io.StringIO())
    return json.loads(out.getvalue())


def test_the_command_writes_files_that_hold_tokens_and_say_what_must_not_happen(tmp_path: Path) -> None:
    thumbs_down(posted("bad"), comment="wrong price\n- id: other # {{ x }}")
    answer = command("--out", str(tmp_path / "from_production"))
    assert len(answer["promoted"]) == 1
    assert [one["sentence"][:26] for one in answer["files"]["left_out"]] == ["it names nothing that must"]
    slug = answer["promoted"][0]["scenario"]
    promote_slug(slug)

    (path,) = command("--out", str(tmp_path / "from_production"))["files"]["written"]
    text = Path(path).read_text()
    document = yaml.safe_load(text)
    assert text.startswith("# Promoted 2026-")
    assert (document["id"], document["language"]) == (slug, "en")
    assert document["opening"] == "Hi, this is <name>, +254 7** *** 678"
    assert document["must_not"] == [{"criterion": "price_clarity", "below": 6.0}]
    assert "status" not in document
    assert command("--out", str(tmp_path / "from_production"))["files"]["unchanged"] == [path]
    Path(path).write_text("id: edited\n")
    assert command("--out", str(tmp_path / "from_production"))["files"]["edited"] == [path]
    assert Path(path).read_text() == "id: edited\n"


def test_wrong_use_of_the_command_is_told(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no day like"):
        call_command("promote_feedback", "--tenant", "acme", "--since", "yesterday", stdout=io.StringIO())
    thumbs_down(posted("bad"))
    promote_slug(command()["promoted"][0]["scenario"])
    (tmp_path / "file").write_text("")
    with pytest.raises(CommandError, match="cannot be"):
        call_command("promote_feedback", "--tenant", "acme", "--out", str(tmp_path / "file" / "x"),
                     stdout=io.StringIO())  # fmt: skip


def test_a_released_one_is_played_with_made_up_people_and_its_stored_words_keep_the_tokens() -> None:
    thumbs_down(posted("bad"))
    slug = promote_feedback(now=NOW).promoted[0].slug
    promote_slug(slug)
    release_candidate(promotion_id=Promotion.objects.get().pk, by="amina", now=NOW)
    add_persona("default-en", status="validated", text="Brief.", language="en")
    make_agent()
    runs = [battles(), battles(repeats=1, seed=0)]
    play()

    spoken = [said(only(run))[0][1] for run in runs]
    assert spoken[0] == spoken[1]
    assert spoken[0].startswith("Hi, this is ")
    assert "<name>" not in spoken[0]
    assert "+254 700 0" in spoken[0]
    assert spoken[0].endswith(" 678")
    assert only(runs[0]).spec["opening"] == "Hi, this is <name>, +254 7** *** 678"
    assert Scenario.objects.get(slug=slug).opening == "Hi, this is <name>, +254 7** *** 678"


def liked(id: str, words: tuple[str, ...], **more: Any) -> uuid.UUID:
    conversation = posted(id, *words, **more)
    take_feedback(body={"id": f"up-{id}", "conversation_id": str(conversation), "rating": "up"}, now=NOW)
    return conversation


def test_what_went_well_where_others_went_badly_or_after_a_hand_over_is_kept_as_good_and_a_plain_liking_is_not() -> (
    None
):
    thumbs_down(posted("bad"))
    better = liked("better", (*SAID[:3], "KES 900, and Friday at ten is yours"))
    rescued = liked("rescued", ("Nataka kurudishiwa pesa yangu ya jana", "Sawa, nimekurudishia"), transferred=True)
    liked("plain", ("Bei ya kunyoa ni ngapi, na mko wapi?", "KES 500, Westlands"))
    first = promote_feedback(now=NOW)
    again = promote_feedback(now=NOW)

    assert (len(first.promoted), first.surprising, first.more) == (3, 2, 0)
    assert (len(again.promoted), again.surprising) == (0, 0)
    good = {row.conversation_id: row.signals[0] for row in Promotion.objects.all() if row.keeps_good}
    assert {id: one["text"] for id, one in good.items()} == {
        better: "thumbs up where others who asked for the same were not content",
        rescued: "thumbs up after a person took over",
    }
    thumbs_down(rescued, "f-9")
    promote_feedback(now=NOW)
    assert not Promotion.objects.get(conversation=rescued).keeps_good


def test_one_promotion_takes_ten_surprises_and_says_how_many_more_there_were() -> None:
    for number in range(12):
        liked(f"c{number}", (f"Nisaidie na shida namba {number} tafadhali", "Sawa"), transferred=True)
    report = promote_feedback(now=NOW)
    assert (report.surprising, report.more) == (10, 2)
