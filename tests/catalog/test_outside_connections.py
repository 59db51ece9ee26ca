"""A service outside: what is entered of it is checked in one place, and its secrets stay with their server."""

import json

import pytest
from cryptography.fernet import Fernet
from django.db import connection

from apps.audit.models import Entry
from apps.catalog.connections.services.key_rotation import reencrypt_secrets
from apps.catalog.connections.services.outside_connections import fill_connection, try_connection
from apps.catalog.connections.services.outside_kinds import OutsideKind, outside_kinds, register_outside_kind
from apps.catalog.models import OutsideConnection
from apps.connectors.addresses import OutboundPolicy
from apps.connectors.errors import RemoteRefusal
from apps.core.encryption import EncryptionError, decrypt
from apps.core.errors import BadInput

SECRET = "sk-9f8e7d6c5b4a"


async def told(row: OutsideConnection) -> dict[str, str]:
    if row.options["account"] == "nobody":
        raise RemoteRefusal(f"no account for {row.secrets['token'].reveal()}", who="pager")
    return {"account": "ops"}


@pytest.fixture(autouse=True)
def pager(monkeypatch):
    kind = OutsideKind(
        name="pager", policy=lambda: OutboundPolicy(purpose="pager"), test=told,
        options={"account": "the account"}, secrets={"token": "the token", "signing": "the signing secret"},
    )  # fmt: skip
    monkeypatch.setitem(outside_kinds, "pager", kind)


def filled(row=None, address="https://pager.example/v1/", account="ops", **secrets):
    row = row or OutsideConnection(kind="pager")
    fill_connection(row, address=address, options={"account": account}, secrets=secrets)
    return row


def refused(*args, **kwargs):
    with pytest.raises(BadInput) as caught:
        filled(*args, **kwargs)
    return caught.value.pointer


def test_what_is_missing_or_refused_names_its_field():
    both = {"token": SECRET, "signing": "s"}
    assert refused(token=SECRET) == "/secrets/signing"
    assert refused(account=" ", **both) == "/options/account"
    for address in ("https://pager.example/?a=1", "https://pager.example/#x", "ftp://pager.example", "http://10.0.0.1",
                    "https://a:b@pager.example", ""):  # fmt: skip
        assert refused(address=address, **both) == "/address"
    assert filled(**both).address == "https://pager.example/v1"


def test_stored_secrets_go_to_no_other_server_and_what_is_left_empty_stays():
    row = filled(token=SECRET, signing="s")
    assert refused(row, address="https://other.example", token="new") == "/secrets/signing"
    assert row.address == "https://pager.example/v1"
    assert refused(row, address="https://pager.example/v2", token="new") == "/secrets/signing"
    moved = filled(row, address="https://pager.example/v1/", token="new", signing="")
    assert (moved.secrets["token"].reveal(), moved.secrets["signing"].reveal()) == ("new", "s")


def test_a_test_says_what_the_service_says_and_never_a_secret():
    row = filled(token=SECRET, signing="s")
    assert try_connection(row) == {"outcome": "answers", "account": "ops"}
    row.options = {"account": "nobody"}
    assert try_connection(row) == {"outcome": "wrong", "error": "no account for ***"}


def test_a_kind_is_registered_once():
    with pytest.raises(ValueError, match="pager"):
        register_outside_kind(outside_kinds["pager"])


def test_each_secret_is_encrypted_by_itself_and_one_that_is_lost_takes_no_other_along(tenant, settings):
    old, new, lost = (Fernet.generate_key().decode() for _ in range(3))
    settings.FIELD_KEY = lost
    row = filled(token=SECRET, signing="s")
    row.save()
    settings.FIELD_KEY = f"{new},{old}"
    row = OutsideConnection.objects.get()
    with pytest.raises(EncryptionError):
        row.secrets["token"].reveal()
    filled(row, token=SECRET).save()
    found = reencrypt_secrets()
    assert found.rewritten == 1
    assert [one.where for one in found.unreadable] == ["catalog.OutsideConnection.secrets.signing"]
    with connection.cursor() as cursor:
        cursor.execute("SELECT secrets, row_to_json(o)::text FROM catalog_outsideconnection o")
        stored, whole = cursor.fetchone()
    assert SECRET not in whole
    assert decrypt(json.loads(stored)["token"], [new]) == SECRET
    assert SECRET not in f"{OutsideConnection.objects.get().__dict__!r}"
    assert [one.after.get("secrets") for one in Entry.objects.filter(table_name="catalog_outsideconnection")] == [
        "set", "changed", "changed",
    ]  # fmt: skip
