"""Whatever writes a battle, the database lets only those personas play that may."""

import json
import uuid

import psycopg
import pytest
from django.db import connection
from psycopg import sql

from apps.core.errors import BadInput
from apps.runs.models import Conversation, TestRun
from apps.tenants.context import in_tenant
from tests.catalog.samples import add_persona
from tests.runs.stage import battles, make_agent, make_scenarios, only

_INSERT = """
INSERT INTO runs_conversation (id, run_id, persona_id, position, external_id, kind, status, spec, created_at,
  language, domain, source, labels, extra, session, attempt, losses, error_code, error_message, waiting_for)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, now(), '', '', '', '{}', '{}', '{}', 0, 0, '', '', '')
"""
BARRED = {
    "waiting for its validation": {"status": "pending_validation"},
    "rejected": {"status": "rejected"},
    "archived": {"status": "archived"},
    "validated and not released": {"needs_release": True},
}
FIT = {
    "validated": {},
    "approved against the validator": {"status": "approved_override", "needs_release": True},
}


@pytest.fixture
def raw(committed_db):
    """A connection of psycopg's own, past every line of ours; rolled back at the end."""
    with in_tenant("acme"):
        schema = connection.schema_name
        parameters = connection.get_connection_params()
        run = TestRun.objects.create(kind="battle", plan={}).pk
    keys = ("host", "port", "dbname", "user", "password")
    with psycopg.connect(**{key: parameters[key] for key in keys if parameters.get(key)}) as own:
        own.execute(sql.SQL("SET search_path TO {}").format(sql.Identifier(schema)))

        def insert(persona, *, kind="battle", status="pending", position=0, **spec):
            values = [uuid.uuid4(), run, persona, position, f"c-{position}", kind, status, json.dumps(spec)]
            with own.transaction():
                own.execute(_INSERT, values)
            return values[0]

        insert.connection = own
        yield insert
        own.rollback()


def persona(name, **fields):
    with in_tenant("acme"):
        return add_persona(name, **fields).pk


@pytest.mark.parametrize("fields", BARRED.values(), ids=BARRED)
@pytest.mark.parametrize("status", ["pending", "ended"])
def test_sql_cannot_put_one_into_a_run_that_may_not_play(raw, fields, status):
    with pytest.raises(psycopg.errors.RaiseException, match="may not play"):
        raw(persona("crook", **fields), status=status, persona_name="crook")


@pytest.mark.parametrize("fields", FIT.values(), ids=FIT)
def test_sql_may_put_one_into_a_run_that_may_play(raw, fields):
    assert raw(persona("aunt", **fields), persona_name="aunt")


def test_sql_cannot_go_round_the_row(raw):
    crook, aunt = persona("crook", status="rejected"), persona("aunt")
    for refers_to, spec in ((None, {"persona_name": "crook"}), (None, {}), (aunt, {"persona_name": "crook"})):
        with pytest.raises(psycopg.errors.RaiseException):
            raw(refers_to, **spec)
    fine = raw(aunt, persona_name="aunt")
    tried = raw(crook, kind="probe", position=1, persona_name="crook")  # a probe is how it becomes one that may
    changes = {
        "persona_id = %s": (crook, fine),
        'spec = \'{"persona_name": "crook"}\', persona_id = NULL': (fine,),
        "kind = 'battle'": (tried,),
    }
    for change, values in changes.items():
        with pytest.raises(psycopg.errors.RaiseException), raw.connection.transaction():
            raw.connection.execute(f"UPDATE runs_conversation SET {change} WHERE id = %s", values)  # noqa: S608


def test_a_battle_refers_to_the_row_and_keeps_what_it_said(tenant):
    make_agent()
    make_scenarios()
    spec = {"patience": 2, "behaviours": [{"name": "haste", "instruction": "Hurries.", "violation": "Takes time."}]}
    aunt = add_persona("hurried", text="Likes it quick.", spec=spec)
    row = only(battles(personas=["hurried"]))
    assert (row.persona_id, row.spec["persona_name"], row.spec["persona_spec"]) == (aunt.pk, "hurried", spec)
    assert row.spec["persona"].startswith("Likes it quick.\n\nPatience: gives up soon (2 of 5).")
    assert "Takes time" not in row.spec["persona"]


def test_one_that_was_not_released_is_named_with_the_reason(tenant):
    make_agent()
    make_scenarios()
    add_persona("made-up", needs_release=True)
    with pytest.raises(BadInput, match="not released by a curator") as refused:
        battles(personas=["made-up"])
    assert refused.value.code == "persona_not_eligible"
    assert not Conversation.objects.exists()
