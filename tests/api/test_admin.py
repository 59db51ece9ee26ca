"""Keys are revoked and callbacks sent again in the admin; secrets never show."""

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User

from apps.api.models import ApiKey, Callback
from apps.evaluations.models import Evaluation
from apps.tenants.context import in_tenant
from tests.api.api_client import Door, evaluation


@pytest.fixture
def owner(acme: Door) -> Door:
    door = Door("acme")
    with in_tenant("acme"):
        door.client.force_login(User.objects.create_superuser("wanjiku"))
    return door


def act(owner: Door, model: str, action: str, pk: object) -> str:
    body = {"action": action, "_selected_action": str(pk)}
    return owner.client.post(f"/admin/api/{model}/", body, follow=True).content.decode()


def test_a_revoked_key_opens_nothing(acme: Door, owner: Door) -> None:
    with in_tenant("acme"):
        key = ApiKey.objects.get()
    assert acme.get("evaluations/").status_code == 200
    assert "1 revoked" in act(owner, "apikey", "revoke", key.pk)
    assert acme.get("evaluations/").json()["code"] == "key_revoked"


def test_pages_show_no_secret(acme: Door, owner: Door) -> None:
    for model in ("apikey", "webhookkey", "callback"):
        page = owner.client.get(f"/admin/api/{model}/")
        assert page.status_code == 200, model
        assert acme.secret not in page.content.decode()
        adds = owner.client.get(f"/admin/api/{model}/add/").status_code
        assert adds == (403 if model == "callback" else 200), model
    with in_tenant("acme"):
        key = ApiKey.objects.get()
    page = owner.client.get(f"/admin/api/apikey/{key.pk}/change/").content.decode()
    assert key.prefix in page
    assert key.digest not in page


def test_a_key_cannot_be_looked_for_by_a_part_of_what_opens_it(acme: Door, owner: Door) -> None:
    for lookup in ("digest__startswith=3", "digest__regex=^a", "digest=x"):
        answer = owner.client.get(f"/admin/api/apikey/?{lookup}")
        assert answer.status_code in (302, 400), lookup


def test_a_callback_is_sent_again(acme: Door, owner: Door) -> None:
    now = datetime.now(UTC)
    acme.post("evaluations/", evaluation())
    with in_tenant("acme"):
        row = Callback.objects.create(
            kind="callback", subject_id=Evaluation.objects.get().pk, event="evaluation.completed", status="failed",
            not_before=now, attempts=15,
        )  # fmt: skip
    assert "Waiting to be sent: 1." in act(owner, "callback", "again", row.pk)
    with in_tenant("acme"):
        row.refresh_from_db()
        assert (row.status, row.attempts, row.webhook_id) == ("pending", 0, f"msg_{row.pk.hex}")
