"""Golden sessions sent as files: approved, masked, and the same again changes nothing."""

import base64
import json

import pytest

from apps.catalog.models import GoldenVersion, StoredFile
from apps.tenants.context import in_tenant
from tests.api.api_client import Door

DOCUMENT = {
    "id": "weekend", "profile": "profile_weekend.json",
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
