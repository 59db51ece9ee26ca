"""Changed golden conversations: posted by keys, answered by people, final then."""

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, transaction
from django.utils import timezone

from apps.core.errors import BadInput, Conflict
from apps.gates.domain.snapshot_states import SnapshotAnswer
from apps.gates.models import SnapshotReview
from apps.gates.services.snapshot_reviews import answer_snapshot
from apps.tenants.context import in_tenant
from tests.api.api_client import Door
from tests.api.conftest import acme, beta  # noqa: F401 - fixtures

SAID = [{"role": "user", "content": "Nataka massage"}, {"role": "assistant", "content": "Saa tisa, KES 2500."}]
OTHER = [
    {"role": "user", "content": "Nataka massage"},
    {"role": "assistant", "content": "Saa nne, KES 3500. Piga 0712 345 678.", "tool_calls": [{"name": "slots"}]},
]
BODY = {
    "scenario": "massage", "file": "tests/eval/snapshots/massage.yaml", "digest": "b" * 64, "base_digest": "a" * 64,
    "played": {"id": "m", "turns": OTHER, "language": "sw"}, "accepted": {"id": "m", "turns": SAID},
    "pull_request": "12",
}  # fmt: skip


def test_posted_once_shown_masked_and_listed(acme: Door, beta: Door) -> None:  # noqa: F811 - fixtures
    first = acme.post("snapshots/", BODY)
    assert first.status_code == 201, first.content
    again = acme.post("snapshots/", BODY)
    assert again.json()["id"] == first.json()["id"]
    found = acme.get(f"snapshots/{first.json()['id']}/").json()
    assert (found["status"], found["language"], found["reviewed_by"]) == ("pending", "sw", "")
    assert found["divergence"]["turn"] == 1
    assert "345" not in str(found["played"])
    assert found["url"] == f"http://acme.localhost/snapshots/{found['id']}/"
    assert [one["id"] for one in acme.get("snapshots/?status=pending&scenario=massage").json()["results"]] == [
        found["id"]
    ]
    assert beta.get("snapshots/").json()["results"] == []


def test_a_newer_conversation_of_the_file_takes_its_place(acme: Door) -> None:  # noqa: F811 - fixture
    first = acme.post("snapshots/", BODY).json()["id"]
    acme.post("snapshots/", {**BODY, "digest": "c" * 64})
    assert acme.get(f"snapshots/{first}/").json()["status"] == "superseded"


@pytest.mark.parametrize(
    "change, pointer",
    [
        ({"digest": "x"}, "/digest"),
        ({"file": "../../etc/passwd"}, "/file"),
        ({"file": "/etc/passwd"}, "/file"),
        ({"played": {"id": "m", "turns": [{"role": "robot", "content": ""}]}}, "/played/turns/0/role"),
        ({"accepted": None}, "/base_digest"),
        ({"accept": True}, "/accept"),
        ({"status": "accepted"}, "/status"),
        ({"reviewed_by": "me"}, "/reviewed_by"),
    ],
)
def test_bad_bodies_name_the_field(acme: Door, change: dict[str, object], pointer: str) -> None:  # noqa: F811 - fixture
    answer = acme.post("snapshots/", {**BODY, **change})
    assert (answer.status_code, answer.json().get("pointer")) == (400, pointer)
    assert acme.get("snapshots/").json()["results"] == []


def test_no_key_accepts_and_a_persons_answer_is_final(acme: Door) -> None:  # noqa: F811 - fixture
    review = acme.post("snapshots/", BODY).json()["id"]
    for verb in ("accept", "refuse"):
        assert acme.post(f"snapshots/{review}/{verb}/", {}).status_code == 404
        page = acme.client.post(f"/snapshots/{review}/{verb}/", HTTP_AUTHORIZATION=f"Bearer {acme.bearer}")
        assert "login" in page["location"]
    assert acme.get(f"snapshots/{review}/").json()["status"] == "pending"
    with in_tenant("acme"):
        acme.client.force_login(User.objects.create_superuser("asha", password="x"))
    done = acme.client.post(f"/snapshots/{review}/accept/", {"note": "new prices"}, follow=True)
    assert b"asha" in done.content
    found = acme.get(f"snapshots/{review}/").json()
    assert (found["status"], found["reviewed_by"], found["note"]) == ("accepted", "asha", "new prices")
    with in_tenant("acme"):
        with pytest.raises(Conflict):
            answer_snapshot(review, SnapshotAnswer.REFUSE, by="baraka", now=timezone.now())
        with pytest.raises(BadInput, match="by a person"):
            answer_snapshot(review, SnapshotAnswer.ACCEPT, by="", now=timezone.now())
        with pytest.raises(DatabaseError), transaction.atomic():
            SnapshotReview.objects.update(status="refused")


def test_pages_say_what_waits_in_a_fixed_number_of_queries(acme: Door, django_assert_max_num_queries) -> None:  # noqa: F811
    for number in range(5):
        acme.post("snapshots/", {**BODY, "scenario": f"scenario-{number}", "file": f"{number}.yaml"})
    with in_tenant("acme"):
        acme.client.force_login(User.objects.create_superuser("asha", password="x"))
    acme.client.get("/snapshots/")
    with django_assert_max_num_queries(24):
        page = acme.client.get("/snapshots/")
    assert b"5 changed conversations wait for a person." in page.content
    assert page.content.count(b"scenario-") >= 5
