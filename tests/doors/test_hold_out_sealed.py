"""No address shows what was said in a hold-out: every door asks the one query first, and opening has its price."""

import uuid
from collections.abc import Iterator

import pgtrigger
import pytest

from apps.catalog.models import Scenario
from apps.evaluations.models import CriterionScore
from apps.improvement.models import FamilyPart, Trial
from apps.runs.models import Conversation, Turn
from apps.tenants.context import in_tenant
from tests.doors.addresses import all_addresses
from tests.doors.test_every_url import of_the_test, path_of
from tests.doors.world import World, make_world
from tests.improvement import trial_rows

SAID = "kisitukilichosemwa"
OPENED = "/workshop/open/"


@pytest.fixture(scope="module")
def world(django_db_setup, django_db_blocker) -> Iterator[World]:
    with django_db_blocker.unblock():
        found = make_world()
        with in_tenant("acme"):
            row = sealed_trial()
            side = row.sides.get(side="draft")
            found.rows |= {
                "runs.testrun": side.test_run_id,
                "evaluations.evaluation": side.evaluation_id,
                "runs.conversation": Conversation.objects.filter(run=side.test_run_id).order_by("position")[0].pk,
                "improvement.trial": row.pk,
                "improvement.promptdraft": row.draft_id,
                "other side": row.sides.get(side="live").evaluation_id,
            }
        yield found
        django_db_setup.reset()


def sealed_trial() -> Trial:
    """A decided look at a hold-out, whose words stand in every conversation and every reason."""
    Scenario.objects.all().exclude(promotion__isnull=False).delete()
    draft = trial_rows.make_world(personas=("cousin",))
    row = trial_rows.started(draft)
    for one in Conversation.objects.filter(run__trial_sides__trial=row):
        Turn.objects.create(conversation=one, attempt=one.attempt, position=0, role="user", content=SAID)
    trial_rows.play(row, trial_rows.gain(1.0))
    with pgtrigger.ignore():
        CriterionScore.objects.filter(judgement__conversation__run__trial_sides__trial=row).update(reason=SAID)
    trial_rows.advance_trials(now=trial_rows.NOW)
    row.refresh_from_db()
    assert row.look == 1
    return row


def read(world: World, caller: str, path: str) -> bytes:
    answer = world.ask(caller, "get", "tenant", path)
    return b"".join(answer.streaming_content) if answer.streaming else answer.content


def test_no_address_shows_what_a_hold_out_said(world: World, db: None) -> None:
    shown, asked = [], 0
    rows = world.rows
    both = f"a={rows['other side']}&b={rows['evaluations.evaluation']}"
    more = [
        f"/comparisons/?{both}&now=1",
        f"/comparisons/?cases=1&e={rows['other side']}&e={rows['evaluations.evaluation']}",
        f"/comparisons/pair/?{both}&right={rows['runs.conversation']}",
    ]
    addresses = [path_of(one, rows) for one in all_addresses() if one.host == "tenant"]
    for path in [*addresses, *more]:
        for caller in ("owner", "key") if path.startswith("/api/") else ("owner",):
            with of_the_test():
                asked += 1
                if SAID.encode() in read(world, caller, path):
                    shown.append(f"{caller}: {path}")
    assert asked > 150
    assert shown == []


def test_a_page_says_what_opening_does_and_the_api_refuses(world: World, db: None) -> None:
    path = f"/conversations/{world.rows['runs.conversation']}/"
    answer = world.ask("owner", "get", "tenant", path)
    assert answer.status_code == 302
    assert answer["location"].startswith(OPENED)
    told = read(world, "owner", answer["location"]).decode()
    assert "Opening it sends 1 family to train, for good." in told
    whole = world.ask("owner", "get", "tenant", f"/runs/{world.rows['runs.testrun']}/")["location"]
    assert "Opening it sends 12 families to train, for good." in read(world, "owner", whole).decode()
    run, judged = world.rows["runs.testrun"], world.rows["evaluations.evaluation"]
    for address in (f"test-runs/{run}/conversations", f"evaluations/{judged}/judgements"):
        refused = world.ask("key", "get", "tenant", f"/api/v1/{address}/")
        assert (refused.status_code, refused.json()["code"], refused.json()["families"]) == (409, "sealed", 12)
    assert world.ask("viewer", "post", "tenant", OPENED, {"of": world.rows["runs.conversation"]}).status_code == 403
    assert b"Open it" not in read(world, "viewer", answer["location"])


def test_who_opens_one_sends_its_family_to_train_and_reads_it(world: World, db: None) -> None:
    pk = world.rows["runs.conversation"]
    path = f"/conversations/{pk}/"
    answer = world.ask("owner", "post", "tenant", OPENED, {"of": str(pk), "next": path})
    assert answer["location"] == path
    assert SAID.encode() in read(world, "owner", path)
    with in_tenant("acme"):
        family = Conversation.objects.get(pk=pk).spec["family"]
        assert FamilyPart.objects.get(family=family).part == "train"
        assert FamilyPart.objects.filter(part="hold_out", family__startswith="family-").count() == 11
    again = world.ask("owner", "post", "tenant", OPENED, {"of": str(pk), "next": "//elsewhere.example/"})
    assert again["location"] == "/workshop/"
    assert world.ask("owner", "get", "tenant", f"{OPENED}?of={uuid.uuid4()}").status_code == 302


def test_trials_stand_in_no_list_and_are_no_measurement(world: World, db: None) -> None:
    run, evaluation = str(world.rows["runs.testrun"]), str(world.rows["evaluations.evaluation"])
    for path in ("/admin/", "/admin/runs/testrun/", "/admin/evaluations/evaluation/", "/admin/runs/conversation/",
                 "/api/v1/test-runs/", "/api/v1/evaluations/", "/comparisons/"):  # fmt: skip
        body = read(world, "owner", path).decode()
        assert run not in body, path
        assert evaluation not in body, path
