"""A callback is signed: where no key could sign it, whoever asks is told at once."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.api.models import WebhookKey
from apps.api.services.keys import add_webhook_key
from apps.evaluations.models import Evaluation
from apps.tenants.context import in_tenant
from tests.api.api_client import Door, evaluation

URL = "https://hooks.example/done"
BATTLE = {"kind": "battle", "agent": "waiter", "scenarios": ["all"], "evaluator_config": "tea-service"}


@pytest.mark.parametrize("lost", ["revoked_at", "expires_at"])
@pytest.mark.parametrize("address", ["evaluations/", "test-runs/"])
def test_a_callback_that_no_key_would_sign_is_refused_with_what_to_type(acme: Door, address: str, lost: str) -> None:
    """Taken, it would be tried five times and then wait for a person whom nobody tells."""
    body = evaluation(callback_url=URL) if address == "evaluations/" else {**BATTLE, "callback_url": URL}
    with in_tenant("acme"):
        WebhookKey.objects.update(**{lost: timezone.now() - timedelta(days=1)})
        before = Evaluation.objects.count()
    refused = acme.post(address, body)
    assert (refused.status_code, refused.json()["code"]) == (422, "no_webhook_key")
    assert refused.json()["pointer"] == "/callback_url"
    assert "add_webhook_key --tenant acme" in refused.json()["detail"]
    with in_tenant("acme"):
        assert Evaluation.objects.count() == before
        add_webhook_key()
    assert acme.post(address, body).json().get("code") != "no_webhook_key"
    del body["callback_url"]
    with in_tenant("acme"):
        WebhookKey.objects.all().delete()
    assert acme.post(address, body).json().get("code") != "no_webhook_key", "who is not told needs no key"
