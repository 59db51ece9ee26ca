"""Every change of what people write is kept: by whom, before and after; nothing secret, nothing undone."""

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, User
from django.db import DatabaseError, connection, transaction

from apps.api.models import ApiKey
from apps.api.services.keys import add_api_key, add_webhook_key
from apps.audit.actor_context import writes_to_audited
from apps.audit.domain.tables import AUDITED, AUDITED_IN_PUBLIC, NOT_AUDITED
from apps.audit.models import Entry
from apps.catalog.fields import ENCRYPTED_FIELDS
from apps.catalog.models import Agent, Criterion, ModelProvider, PromptVersion
from apps.core.actor import acting
from apps.runs.models import TestRun
from apps.runs.playing.services.control import cancel_run, pause_run
from apps.tenants.context import in_public, in_tenant
from apps.tenants.services import suspend_tenant, update_workflow_config
from tests.catalog.samples import NOW, criterion_fields, questions


def entries(**wanted):
    return list(Entry.objects.filter(**wanted).order_by("id").values_list("actor", "action", "object_text"))


def last() -> Entry:
    return Entry.objects.latest("id")


def triggers(schema: str) -> dict[str, str]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT c.relname, pg_get_triggerdef(t.oid) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid "
            "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = %s AND t.tgname = 'audit'",
            [schema],
        )
        return dict(cursor.fetchall())


# --- What is kept -----------------------------------------------------------------------------------------------
def test_a_change_keeps_who_when_and_the_columns_that_differ(tenant) -> None:
    with acting("user amina"):
        row = Criterion.objects.create(name="polite", **criterion_fields())
        row.domain = "coffee"
        row.save()
        row.delete()
    assert entries(table_name="catalog_criterion") == [
        ("user amina", "added", "polite"),
        ("user amina", "changed", "polite"),
        ("user amina", "deleted", "polite"),
    ]
    changed = Entry.objects.get(action="changed")
    assert (changed.before, changed.after) == ({"domain": "tea"}, {"domain": "coffee"})
    assert changed.object_id == str(Entry.objects.get(action="added").object_id)
    assert Entry.objects.get(action="added").before is None
    assert Entry.objects.get(action="deleted").after is None


def test_what_goes_round_the_orm_is_kept_too(tenant) -> None:
    Criterion.objects.create(name="polite", **criterion_fields())
    with acting("command shell by root"):
        Criterion.objects.filter(name="polite").update(domain="milk")
    with connection.cursor() as cursor:
        cursor.execute("UPDATE catalog_criterion SET domain = 'water' WHERE name = 'polite'")
    assert [who for who, *_ in entries(action="changed")] == ["command shell by root", "database"]


def test_another_search_path_writes_into_the_right_tenants_trail(tenant) -> None:
    Criterion.objects.create(name="polite", **criterion_fields())
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL search_path = public; UPDATE t_acme.catalog_criterion SET domain = 'x'")
    assert last().after == {"domain": "x"}
    with in_tenant("beta"):
        assert not Entry.objects.filter(table_name="catalog_criterion").exists()


def test_a_save_that_changes_nothing_and_clocks_that_move_are_no_change(tenant) -> None:
    row = Criterion.objects.create(name="polite", **criterion_fields())
    key = add_api_key(name="runner")
    before = Entry.objects.count()
    row.save()
    ApiKey.objects.filter(pk=key.id).update(last_used_at=NOW)
    User.objects.create_user("amina")
    User.objects.update(last_login=NOW)
    assert Entry.objects.count() == before + 1


def test_many_rows_at_once_are_kept_one_by_one(tenant) -> None:
    with acting("user amina"):
        Criterion.objects.bulk_create(Criterion(name=f"c{n}", **criterion_fields()) for n in range(3))
    assert [text for _who, _did, text in entries(table_name="catalog_criterion")] == ["c0", "c1", "c2"]


def test_very_long_values_are_kept_as_length_and_digest(tenant) -> None:
    PromptVersion.objects.create(name="long", version="long@1", text="x" * 30_000, digest="0" * 64)
    assert last().after["text"].startswith("30002 characters, md5 ")


@pytest.mark.parametrize("verb", [pause_run, lambda run_id: cancel_run(run_id=run_id, now=NOW)])
def test_steering_a_run_is_kept_and_its_own_progress_is_not(tenant, verb) -> None:
    run = TestRun.objects.create(kind="battle", name="Asubuhi", status="running")
    TestRun.objects.filter(pk=run.pk).update(progress_at=NOW)
    TestRun.objects.advance(run.pk, expected="running", to="pending")
    TestRun.objects.advance(run.pk, expected="pending", to="running")
    assert not Entry.objects.filter(table_name="runs_testrun").exists()
    with acting("user amina"):
        verb(run_id=run.pk)
    assert entries(table_name="runs_testrun") == [("user amina", "changed", "battle Asubuhi")]


def test_people_and_their_roles(tenant) -> None:
    with acting("user owner"):
        user = User.objects.create_user("amina", password="karibu-sana-1")
        user.groups.add(Group.objects.get(name="owner"))
        user.groups.clear()
    assert entries(table_name="auth_user_groups") == [
        ("user owner", "added", "amina → owner"),
        ("user owner", "deleted", "amina → owner"),
    ]


def test_a_tenants_settings_are_kept_in_both_trails(committed_db) -> None:
    with acting("user platform"):
        update_workflow_config(slug="acme", changes={"max_concurrent_battles": 5})
        suspend_tenant(slug="acme")
    for place in (in_public(), in_tenant("acme")):
        with place:
            found = Entry.objects.filter(table_name="tenants_tenant", object_text="acme", action="changed")
            assert [one.actor for one in found] == ["user platform"] * 2
            assert found.order_by("id")[0].after == {"settings": {"max_concurrent_battles": 5}}
    with in_tenant("beta"):
        assert not Entry.objects.exists()


# --- Secrets ----------------------------------------------------------------------------------------------------
def test_no_secret_ever_stands_in_the_trail(tenant) -> None:
    agent = Agent.objects.create(name="waiter", address="http://x/", secrets={"token": "pembasecret"})  # type: ignore[misc]
    agent.secrets = {"token": "otherpemba"}
    agent.save()
    ModelProvider.objects.create(name="p", kind="openai", api_key="pembasecret")
    user = User.objects.create_user("amina", password="pembasecret")
    user.set_password("otherpemba")
    user.save()
    key, hook = add_api_key(name="k").secret, add_webhook_key(name="h").secret
    with connection.cursor() as cursor:
        cursor.execute("SELECT string_agg(e::text, ' ') FROM audit_entry e")
        text = cursor.fetchone()[0]
        cursor.execute("SELECT secrets FROM catalog_agent")
        kept = cursor.fetchone()[0]
    digest = ApiKey.objects.get().digest
    for secret in ("pembasecret", "otherpemba", key, hook, digest, User.objects.get().password, kept):
        assert secret not in text
    assert Entry.objects.get(table_name="catalog_agent", action="changed").after == {"secrets": "changed"}
    assert Entry.objects.get(table_name="auth_user", action="changed").before == {"password": "not shown"}
    assert Entry.objects.get(table_name="catalog_agent", action="added").after["secrets"] == "set"


def test_every_encrypted_column_and_hash_is_named_as_secret_by_its_trigger(db) -> None:
    found, hashes = triggers("t_acme"), {("auth_user", "password"), ("api_apikey", "digest")}
    encrypted = {
        (model._meta.db_table, field.column)
        for model in apps.get_models()
        for field in model._meta.concrete_fields
        if isinstance(field, ENCRYPTED_FIELDS)
    }
    assert len(encrypted) >= 3
    for table, column in {(table, column) for table, column in encrypted | hashes if table not in NOT_AUDITED}:
        hidden = found[table].partition("ratiba_audit('")[2].partition("'")[0].split(",")
        assert column in hidden, (table, column)


# --- Nobody undoes it -------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_entry SET actor = 'somebody else'",
        "DELETE FROM audit_entry",
        "TRUNCATE audit_entry",
        "INSERT INTO audit_entry (actor, action, table_name, object_id, object_text) VALUES ('a', 'b', 'c', '1', 'x')",
    ],
)
def test_an_entry_can_be_neither_changed_nor_deleted_nor_made_up(tenant, statement: str) -> None:
    Criterion.objects.create(name="polite", **criterion_fields())
    before = Entry.objects.count()
    with pytest.raises(DatabaseError, match="audit trail"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert Entry.objects.count() == before


def test_what_is_rolled_back_leaves_no_entry(tenant) -> None:
    before = Entry.objects.count()
    with transaction.atomic():
        Criterion.objects.create(name="polite", **criterion_fields())
        transaction.set_rollback(True)
    assert Entry.objects.count() == before


# --- Which tables -----------------------------------------------------------------------------------------------
def test_every_table_is_either_kept_or_said_why_not(db) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 't_acme'")
        tables = {row[0] for row in cursor.fetchall()}
    assert tables == AUDITED | set(NOT_AUDITED), (
        "decide in apps/audit/domain/tables.py, and add a trigger if it is kept"
    )
    assert set(triggers("t_acme")) == AUDITED
    assert set(triggers("public")) == AUDITED_IN_PUBLIC


def test_a_new_tenant_begins_with_an_empty_trail(fresh_tenant) -> None:
    with in_tenant(fresh_tenant):
        assert not Entry.objects.exists()


# --- What it costs ----------------------------------------------------------------------------------------------
def test_saying_who_costs_no_round_trip(tenant) -> None:
    with questions() as silent:
        Criterion.objects.create(name="a", **criterion_fields())
        list(Criterion.objects.all())
    with acting("user amina"), questions() as said:
        Criterion.objects.create(name="b", **criterion_fields())
        list(Criterion.objects.all())
    assert len(said) == len(silent)


def test_a_name_with_quotes_and_percent_signs_is_data(tenant) -> None:
    with acting("user O'Hara %s \\ ;"):
        row = Criterion.objects.create(name="a", **criterion_fields())
        assert Criterion.objects.filter(pk=row.pk).update(domain="x") == 1
        with connection.cursor() as cursor:
            cursor.execute("UPDATE catalog_criterion SET domain = 'y%'")
            assert cursor.rowcount == 1
            cursor.executemany("UPDATE catalog_criterion SET domain = %s", [["z"], ["zz"]])
    assert {one.actor for one in Entry.objects.filter(table_name="catalog_criterion")} == {"user O'Hara %s \\ ;"}
    Criterion.objects.update(domain="again")
    assert last().actor == "database"


@pytest.mark.parametrize(
    "sql, kept",
    [
        ('UPDATE "catalog_agent" SET x = 1', True),
        ("insert into auth_user_groups values (1)", True),
        ('WITH a AS (INSERT INTO "runs_testrun" DEFAULT VALUES) SELECT 1', True),
        ('SELECT * FROM "catalog_agent" FOR UPDATE', False),
        ('UPDATE "evaluations_judgement" SET x = 1', False),
        ('INSERT INTO "runs_conversation" VALUES (1)', False),
        ('UPDATE "catalog_agents_of_others" SET x = 1', False),
    ],
)
def test_only_statements_that_write_to_kept_tables_carry_the_name(sql: str, kept: bool) -> None:
    assert writes_to_audited(sql) is kept
