"""Sources of before have their connection after an upgrade, and so has what older code writes while it still runs."""

from importlib import import_module

from cryptography.fernet import Fernet
from django.db import connection

from apps.catalog.models import OutsideConnection
from apps.core import encryption
from apps.production.langfuse.services.connection import address_of
from apps.production.models import LangfuseSource

MIGRATION = import_module("apps.production.migrations.0013_outside_connections")
_INSERT = """
INSERT INTO production_langfusesource (id, created_at, updated_at, name, base_url, public_key, secret_key, environment,
  enabled, last_error, server_version)
VALUES (gen_random_uuid(), now(), now(), %s, %s, 'pk', %s, '', true, '', '')
"""


def run(statement: str, *values: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(statement, values or None)


def opened() -> dict[str, tuple[str, str]]:
    found = {}
    for row in LangfuseSource.objects.all():
        try:
            found[row.name] = (row.base_url, address_of(row).secret_key)
        except encryption.EncryptionError:
            found[row.name] = (row.base_url, "cannot be read")
    return found


def test_sources_of_before_are_carried_over_as_ciphertext_there_and_back(tenant, settings) -> None:
    settings.FIELD_KEY = key = Fernet.generate_key().decode()
    lost = encryption.encrypt("sk-lost", [Fernet.generate_key().decode()])
    run("DROP TRIGGER connection_goes ON production_otlpreceiver")  # as the later migration goes back before this one
    run(MIGRATION.BACK)
    run(_INSERT, "ours", "https://l.example", encryption.encrypt("sk-1", [key]))
    run(_INSERT, "lost", "https://m.example", lost)
    run(MIGRATION.CARRY)
    assert opened() == {"ours": ("https://l.example", "sk-1"), "lost": ("https://m.example", "cannot be read")}
    run(MIGRATION.BACK)
    with connection.cursor() as cursor:
        cursor.execute("SELECT base_url, secret_key FROM production_langfusesource ORDER BY name")
        first, second = cursor.fetchall()
    assert first == ("https://m.example", lost)
    assert encryption.decrypt(second[1], [key]) == "sk-1"


def test_what_older_code_writes_while_it_still_runs_counts(tenant, settings) -> None:
    settings.FIELD_KEY = key = Fernet.generate_key().decode()
    run(_INSERT, "late", "https://n.example", encryption.encrypt("sk-1", [key]))
    assert opened() == {"late": ("https://n.example", "sk-1")}
    run("UPDATE production_langfusesource SET secret_key = %s", encryption.encrypt("sk-2", [key]))
    assert opened() == {"late": ("https://n.example", "sk-2")}
    LangfuseSource.objects.all().delete()
    assert not OutsideConnection.objects.exists()
