"""Golden sessions sent as files: approved, masked, and the same again changes nothing."""

import base64
import json
from typing import Any

import pytest

from apps.catalog.models import GoldenVersion, StoredFile
from apps.tenants.context import in_tenant
from tests.api.api_client import Door

DOCUMENT: dict[str, Any] = {
    "id": "weekend", "profile": "profile_weekend.json", "captured_at": "2026-03-01",
    "turns": [
        {"role": "user", "content": "My number is +254712345678, Friday 6 March please."},
        {"role": "assistant", "content": "**Confirmed** for Friday.", "latency_ms": 900},
        {"role": "user", "content": "Here it is.", "file_attachment": {"path": "note.txt", "name": "note.txt"}},
        {"role": "assistant", "content": "Thank you."},
    ],
}  # fmt: skip
PROFILE = {"agent_identity": {"role": "a booking assistant"}}


def body(**changed):
    files = {"golden_weekend.json": json.dumps(DOCUMENT | changed), "profile_weekend.json": json.dumps(PROFILE)}
    attached = {"note.txt": base64.b64encode(b"Paid.").decode()}
    return {"document": "golden_weekend.json", "files": files, "attachments": attached}


def versions():
    with in_tenant("acme"):
        return list(GoldenVersion.objects.order_by("number").values_list("number", "status"))


@pytest.mark.django_db
def test_a_golden_session_is_kept_masked_and_the_same_again_changes_nothing(acme: Door):
    first = acme.post("golden-sessions/", body())
    assert (first.status_code, first.json()) == (
        200, {"name": "weekend", "version": 1, "created": True, "notes": []},
    )  # fmt: skip
    with in_tenant("acme"):
        version = GoldenVersion.objects.get()
        assert "712345678" not in json.dumps(version.document)
        assert version.profile["agent_identity"]["role"] == "a booking assistant"
        assert StoredFile.objects.filter(content=b"Paid.").exists()
    assert acme.post("golden-sessions/", body()).json()["created"] is False
    (listed,) = acme.get("golden-sessions/").json()["results"]
    assert (listed["version"], listed["newest"], listed["status"], listed["agent"]) == (1, 1, "approved", None)
    assert versions() == [(1, "approved")]
    changed = [*DOCUMENT["turns"], {"role": "user", "content": "Bye."}, {"role": "assistant", "content": "Bye!"}]
    assert acme.post("golden-sessions/", body(turns=changed)).json()["version"] == 2
    assert len(versions()) == 2


@pytest.mark.django_db
@pytest.mark.parametrize(
    "wrong, pointer",
    [
        ({"document": "other.json"}, "/document"),
        ({"document": {"id": "x"}}, "/document"),
        ({"document": json.dumps(DOCUMENT)}, "/document"),
        ({"document": "../x.json"}, "/document"),
        ({"files": {"../x.json": "{}"}}, "/files"),
        ({"files": {"golden_weekend.json": 5}}, "/files/golden_weekend.json"),
        ({"files": {"golden_weekend.json": "{"}}, "/files/golden_weekend.json"),
        ({"files": {"golden_weekend.json": '{"id": "x", "turns": []}'}}, "/files/golden_weekend.json"),
        ({"attachments": {"a.txt": "no base64!"}}, "/attachments/a.txt"),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_kept(acme: Door, wrong, pointer):
    answer = acme.post("golden-sessions/", body() | wrong)
    assert (answer.status_code, answer.json()["pointer"]) == (400, pointer), answer.json()
    assert versions() == []


@pytest.mark.django_db
def test_errors_say_what_document_and_files_are(acme: Door):
    whole = acme.post("golden-sessions/", body() | {"document": DOCUMENT}).json()
    assert "must be the name of a file, such as golden_weekend.json, not an object" in whole["detail"]
    assert "goes into files under that name" in whole["detail"]
    unknown = acme.post("golden-sessions/", body() | {"document": "other.json"}).json()
    assert "there are golden_weekend.json, profile_weekend.json" in unknown["detail"]
    typed = acme.post("golden-sessions/", body() | {"files": {"golden_weekend.json": DOCUMENT}}).json()
    assert "must be the file's text (JSON in a string), not an object" in typed["detail"]


@pytest.mark.django_db
def test_a_misspelt_key_is_refused_with_its_place(acme: Door):
    turns = [{**DOCUMENT["turns"][1], "wait_for_patern": "Confirmed"}]
    answer = acme.post("golden-sessions/", body(turns=[DOCUMENT["turns"][0], *turns]))
    assert (answer.status_code, answer.json()["code"]) == (400, "unknown_field")
    assert "/turns/1/wait_for_patern is not known here: did you mean wait_for_pattern?" in answer.json()["detail"]
    assert versions() == []


@pytest.mark.django_db
def test_dates_of_a_document_without_a_day_of_its_own_are_told(acme: Door):
    (note,) = acme.post("golden-sessions/", body(captured_at=None)).json()["notes"]
    assert note.startswith("turn 1 names a date (“Friday 6 March”), and nothing says on which day")
    assert "captured_at" in note
    stamped = [{**DOCUMENT["turns"][0], "ts": "2026-03-01T10:00:00Z"}, *DOCUMENT["turns"][1:]]
    assert acme.post("golden-sessions/", body(captured_at=None, turns=stamped)).json()["notes"] == []
