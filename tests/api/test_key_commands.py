"""Keys are made on the command line, shown once, and stored so that the database does not give them away."""

import io

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from apps.api.domain.keys import digest_of, looks_like_key
from apps.api.models import ApiKey, WebhookKey
from apps.connectors.signatures import secret_key


def last_line(command: str, /, **options: object) -> str:
    out = io.StringIO()
    call_command(command, tenant="acme", stdout=out, stderr=io.StringIO(), **options)
    return out.getvalue().strip().splitlines()[-1]


def test_a_webhook_key_is_the_last_line_and_only_ciphertext_is_stored(tenant: str) -> None:
    secret = last_line("add_webhook_key", name="runner")
    assert secret.startswith("whsec_")
    assert len(secret_key(secret)) == 32
    row = WebhookKey.objects.get()
    assert row.secret.reveal() == secret
    assert secret not in repr(row.__dict__)
    assert str(row) == "runner"
    with connection.cursor() as cursor:
        cursor.execute("SELECT secret FROM api_webhookkey")
        assert secret[6:] not in cursor.fetchone()[0]


def test_an_api_key_is_the_last_line_and_only_its_hash_is_stored(tenant: str) -> None:
    key = last_line("add_api_key", scopes=["read"], days=1.5)
    assert looks_like_key(key)
    row = ApiKey.objects.get()
    assert row.digest == digest_of(key)
    assert key not in repr(row.__dict__)
    assert row.may_read
    assert not row.may_write
    assert row.expires_at is not None
    assert row.prefix == key[:10]


@pytest.mark.parametrize("days", [0, -1, float("nan"), float("inf")])
def test_an_expiry_that_makes_no_sense_is_refused(tenant: str, days: float) -> None:
    with pytest.raises(CommandError) as refused:
        last_line("add_api_key", days=days)
    assert refused.value.returncode == 2
    assert not ApiKey.objects.exists()


def test_a_key_curates_only_where_somebody_asks_for_it(tenant: str) -> None:
    last_line("add_api_key")
    last_line("add_api_key", scopes=["curate"])
    found = ApiKey.objects.order_by("created_at").values_list("may_read", "may_write", "may_curate")
    assert list(found) == [(True, True, False), (False, False, True)]
