"""Failure modes on their pages and at the API, and who may read which note."""

import json
import uuid
from datetime import UTC, datetime

import pytest
from django.test.utils import CaptureQueriesContext

from apps.api.services.keys import add_api_key
from apps.calibration.models import ConversationNote, HumanLabel, LabellingItem, LabellingRound
from apps.calibration.services.remarks import add_note
from apps.improvement.models import FailureMode, ModeGrouping, ModeNote
from apps.runs.models import Conversation
from apps.tenants.context import in_tenant
from tests.api.api_client import Door
from tests.dashboard.conftest import make_run, signed_in
from tests.dashboard.test_queues import judged as judged  # a fixture
from tests.dashboard.test_queues import made, person, rate_item, shown_item

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture
def notes(db):
    with in_tenant("acme"):
        rows = make_run(6)[1]
        texts = ("No price", "<script>alert(1)</script> no price", "Late price", "Asks for the PIN")
        return [add_note(conversation_id=row.pk, text=text, author="amina")
                for row, text in zip(rows, texts, strict=False)]  # fmt: skip


def modes() -> list[FailureMode]:
    with in_tenant("acme"):
        return list(FailureMode.objects.order_by("created_at"))


def test_from_an_empty_page_to_a_named_mode_with_its_criterion(owner, db) -> None:
    page = owner.get("/failure-modes/").content.decode()
    assert "No failure mode has a name yet" in page
    assert "have a model propose groups" in page
    with in_tenant("acme"):
        rows = make_run(4)[1]
    for row in rows:
        owner.post(f"/conversations/{row.pk}/note/", {"text": f"No price in {row}"})
    page = owner.get("/failure-modes/").content.decode()
    assert "4 notes stand in no mode" in page
    with in_tenant("acme"):
        ids = [str(pk) for pk in ConversationNote.objects.values_list("pk", flat=True)]
    form = {"do": "name", "name": "Hides the price", "description": "It names none.", "note": ids[:3]}
    assert owner.post("/failure-modes/new/", form)["location"] == "/failure-modes/"
    page = owner.get("/failure-modes/").content.decode()
    assert "1 failure mode; “Hides the price” is noted most, beside 3 conversations" in page
    assert "a count, no rate" in page
    address = f"/failure-modes/{modes()[0].pk}/"
    assert "No rate: what people noted is a count" in owner.get(address).content.decode()
    owner.post(f"{address}change/", {"do": "draft"})
    owner.post(f"{address}change/", {"do": "fix", "at": "2026-11-20"})
    owner.post(f"{address}change/", {"do": "does_well", "note": ids[:1]})
    page = owner.get(address).content.decode()
    assert "Hides the price is a draft" in page
    assert "fixed since 20 Nov 2026" in page
    assert "Nothing that may be called a rate was measured" in page
    assert "noted beside 2 conversations" in page
    again = owner.post(f"{address}change/", {"do": "draft"}, follow=True).content.decode()
    assert "is measured by hides_the_price already" in again


def test_proposals_are_named_put_elsewhere_and_rejected(owner, notes) -> None:
    with in_tenant("acme"):
        row = ModeGrouping.objects.create(notes=[], modes=[], grouper={}, status="completed", ended_at=NOW, model="m-1")
        for name in ("<b>Hides</b> the price", "Late price", "Nothing"):
            mode = FailureMode.objects.create(status="proposed", name=name, grouping=row, made_by="model m-1")
            ModeNote.objects.bulk_create(ModeNote(mode=mode, note_id=one, added_by="m-1") for one in notes[:2])
    page = owner.get("/failure-modes/").content.decode()
    assert "<b>Hides" not in page
    assert "<script>alert" not in page
    first, second, third = (f"/failure-modes/{one.pk}/change/" for one in modes())
    form = {"do": "accept", "from": "list", "name": "Hides the price", "note": [str(notes[0])], "ticked": "yes"}
    assert owner.post(first, form)["location"] == "/failure-modes/"
    with in_tenant("acme"):
        assert ModeNote.objects.filter(mode__name="Hides the price").count() == 1
    answer = owner.post(second, {"do": "merge", "into": str(modes()[0].pk), "note": [str(notes[1])], "ticked": "yes"})
    assert answer["location"] == f"/failure-modes/{modes()[0].pk}/"
    owner.post(third, {"do": "reject"})
    assert [one.status for one in modes()] == ["named", "merged", "rejected"]
    with in_tenant("acme"):
        assert ModeNote.objects.filter(mode=modes()[0].pk).count() == 2
    for form in ({"do": "move", "note": "no-id"}, {"do": "merge"}, {"do": "nothing"}, {"do": "fix", "at": "soon"}):
        assert owner.post(first, form).status_code == 302
    assert owner.post(f"/failure-modes/{uuid.uuid4()}/change/", {"do": "reject"}).status_code == 404


def test_what_went_wrong_is_asked_while_rating_and_others_read_it_once_all_have_rated(judged) -> None:
    amina = person("amina", "owner")
    round_ = made(amina, size=1, raters=2)
    clients = {name: person(name, "rater") for name in ("otieno", "wanjiru")}
    address = f"/labelling/?queue={round_.pk}"
    page = clients["otieno"].get(address)
    assert b"What went wrong" in page.content
    item = shown_item(page)
    form = {f"value-{n}": "3" for n in range(len(round_.criteria))}
    clients["otieno"].post(f"/labelling/{item}/save/", {**form, "note": "Hakusema bei"})
    with in_tenant("acme"):
        note = ConversationNote.objects.get()
        conversation = f"/conversations/{note.conversation_id}/"
        secret = add_api_key(scopes=["read", "write", "curate"]).secret
        mode = FailureMode.objects.create(name="Hides the price", made_by="amina")
    everywhere = ("/failure-modes/", conversation, f"/failure-modes/{mode.pk}/", "/api/v1/notes/")
    assert not any(b"Hakusema bei" in amina.get(path).content for path in everywhere)
    assert b"Hakusema bei" not in clients["wanjiru"].get(address).content
    assert b"Hakusema bei" in clients["otieno"].get(f"/labelling/{item}/").content
    refused = Door("acme", secret).post(f"failure-modes/{mode.pk}/notes/", {"add": [str(note.pk)]})
    assert (refused.status_code, refused.json()["code"]) == (422, "unknown_note")
    for path in ("/failure-modes/", conversation, f"/failure-modes/{mode.pk}/", "/api/v1/notes/"):
        assert clients["wanjiru"].get(path).status_code == 403
    rate_item(clients["wanjiru"], item, "3", "", round_)
    assert all(b"Hakusema bei" in amina.get(path).content for path in ("/failure-modes/", conversation))
    answer = Door("acme", secret).post(f"failure-modes/{mode.pk}/notes/", {"add": [str(note.pk)]}).json()
    assert (answer["rate"]["failed"], answer["rate"]["looked_at"], answer["rate"]["source"]) == (1, 1, "queue")


def test_a_refused_rating_keeps_the_note_that_was_typed(judged) -> None:
    round_ = made(person("amina", "owner"), size=1, raters=1)
    rater = person("otieno", "rater")
    item = shown_item(rater.get(f"/labelling/?queue={round_.pk}"))
    page = rater.post(f"/labelling/{item}/save/", {"value-0": "99", "note": "Hakusema bei"})
    assert page.status_code == 422
    assert b"Hakusema bei</textarea>" in page.content
    with in_tenant("acme"):
        assert not ConversationNote.objects.exists()


def test_the_api_goes_the_same_way(notes) -> None:
    with in_tenant("acme"):
        other = Conversation.objects.order_by("position").last().pk
        door, reader, ci = (Door("acme", add_api_key(scopes=list(scopes)).secret)
                            for scopes in (("read", "write", "curate"), ("read",), ("read", "write")))  # fmt: skip
    note = ci.post("notes/", {"conversation_id": str(other), "text": "No price again"}).json()
    assert (note["conversation"], note["while_rating"]) == ("b-0005", False)
    assert len(reader.get("notes/").json()["results"]) == 5
    assert reader.post("notes/", {"conversation_id": str(other), "text": "x"}).status_code == 403
    asked = {"name": "Hides the price", "notes": [str(notes[0]), note["id"]]}
    assert ci.post("failure-modes/", asked).json()["code"] == "scope_missing"
    mode = door.post("failure-modes/", asked).json()
    assert (mode["notes"], mode["rate"], mode["why_no_rate"][:15]) == (2, None, "This is a count")
    address = f"failure-modes/{mode['id']}/"
    assert door.post("failure-modes/", {"name": "hides the PRICE"}).json()["code"] == "name_taken"
    assert door.post("failure-modes/groupings/", {}).json()["code"] == "too_few_notes"
    assert door.post(f"{address}criterion/", {}).json()["criterion"] == "hides_the_price"
    fixed = door.post(f"{address}fix/", {"at": "2026-11-20T09:00:00Z"}).json()["fix"]
    assert "queue by lot" in fixed["cannot_be_compared"]
    assert door.post(f"{address}fix/", {"at": "2036-11-20T09:00:00Z"}).json()["pointer"] == "/at"
    assert door.post(f"{address}fix/", {"at": "yesterday"}).json()["pointer"] == "/at"
    assert door.post(f"{address}notes/", {"add": [str(notes[2])], "remove": [note["id"]]}).json()["notes"] == 2
    second = door.post("failure-modes/", {"name": "Late price"}).json()["id"]
    assert door.post(f"failure-modes/{second}/merge/", {"into": mode["id"]}).json()["id"] == mode["id"]
    assert door.post(f"{address}rename/", {"name": "Hides what it costs"}).json()["name"] == "Hides what it costs"
    assert door.post(f"{address}rename/", {"name": " "}).json()["pointer"] == "/name"
    assert door.post(f"{address}accept/", {"name": "x"}).json()["code"] == "wrong_state"
    assert door.post(f"{address}reject/", {}).json()["status"] == "rejected"
    assert {one["status"] for one in reader.get("failure-modes/").json()["results"]} == {"rejected", "merged"}
    assert door.post("notes/", {"conversation_id": str(uuid.uuid4()), "text": "x"}).status_code == 404


def test_the_pages_ask_as_often_with_many_as_with_few(owner, notes) -> None:
    from django.db import connection  # noqa: PLC0415 - apps are loaded by pytest-django

    def queries(path: str) -> int:
        with CaptureQueriesContext(connection) as found:
            assert owner.get(path).status_code == 200
        return len(found)

    def more(number: int, name: str) -> str:
        with in_tenant("acme"):
            rows = make_run(number, name=name)[1]
            ids = [add_note(conversation_id=row.pk, text="No price", author="amina") for row in rows]
            for start in range(0, number, 2):
                mode = FailureMode.objects.create(name=f"{name} {start}", made_by="amina", criterion="first")
                ModeNote.objects.bulk_create(ModeNote(mode=mode, note_id=one, added_by="a") for one in ids[start:])
            round_ = LabellingRound.objects.create(
                name=name, source={}, at_random=True, asks_notes=True, seed=1, raters_wanted=1, scale="1-5",
                config_ref="tea@1", criteria=[],
            )  # fmt: skip
            for place, row in enumerate(rows):
                item = LabellingItem.objects.create(round=round_, conversation=row, position=place, why="filtered")
                HumanLabel.objects.create(item=item, rater="otieno", criterion="first", value=1)
            return f"/failure-modes/{mode.pk}/"

    paths = ("/failure-modes/", more(2, "few"))
    queries(paths[0])
    before = [queries(path) for path in paths]
    more(20, "many")
    assert [queries(path) for path in paths] == before
    assert max(before) <= 40


def test_the_page_of_a_mode_says_what_people_may_not_do(notes) -> None:
    with in_tenant("acme"):
        mode = FailureMode.objects.create(name="Hides the price", made_by="amina")
    viewer = signed_in("asha", "view_failuremode", "view_conversation")
    page = viewer.get(f"/failure-modes/{mode.pk}/")
    assert page.status_code == 200
    assert b"<button" not in page.content.partition(b'class="rb-headline"')[2].partition(b"</main>")[0]
    assert viewer.post(f"/failure-modes/{mode.pk}/change/", {"do": "reject"}).status_code == 403
    assert json.loads(viewer.get(f"/api/v1/failure-modes/{mode.pk}/").content)["name"] == "Hides the price"
