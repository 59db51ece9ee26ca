"""Each column that can hold words stands on a list, and the eraser alone may take words out of rows that are final."""

import pytest
from django.db import DatabaseError, connection, transaction

from apps.audit.domain.eraser_sql import SHOULD_IGNORE
from apps.audit.domain.personal_columns import FRAMEWORK, IDENTIFIERS, NOT_PERSONAL, PERSONAL
from apps.audit.eraser import erase_rows, install_eraser
from apps.audit.models import Entry
from apps.catalog.models import PromptVersion, Scenario

_WORDS = ("text", "character varying", "jsonb", "json", "bytea", "ARRAY")
FORGED = "{pgtrigger_prompt_is_final_" + "0" * 5 + "}"


@pytest.fixture
def deployed(tenant):
    """The database as it is deployed: nobody may ignore a trigger."""
    with connection.cursor() as cursor:
        cursor.execute("DROP FUNCTION public.ratiba_tests()")
    return tenant


def prompt() -> PromptVersion:
    return PromptVersion.objects.create(
        name="greeting", version="greeting@1", text="Ask Wanjiku Kamau.", digest="d", path=""
    )


def erase(row: PromptVersion, text: str) -> int:
    return erase_rows(
        schema="t_acme", table="catalog_promptversion", key="id", columns=["text"], rows=[{"id": row.pk, "text": text}]
    )


def refused(*statements: str) -> None:
    """The database lets the last of these statements be said by nobody."""
    with transaction.atomic(), connection.cursor() as cursor:
        for statement in statements[:-1]:
            cursor.execute(statement)
        with pytest.raises(DatabaseError), transaction.atomic():
            cursor.execute(statements[-1])
        transaction.set_rollback(True)


def test_every_column_that_can_hold_words_is_personal_or_is_not(db) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 't_acme'"
            " AND data_type = ANY(%s)",
            [list(_WORDS)],
        )
        found = {(table, column) for table, column in cursor.fetchall() if table not in FRAMEWORK}
    personal = {(table, column) for table, columns in PERSONAL.items() for column in columns}
    other = {(table, column) for table, columns in NOT_PERSONAL.items() for column in columns}
    assert found - personal - other == set(), "decide in apps/audit/domain/personal_columns.py"
    assert (personal | other) - found == set(), "these columns are gone"
    assert personal & other == set()
    assert personal >= IDENTIFIERS


def test_the_eraser_takes_words_out_of_a_row_that_is_final_and_the_trail_keeps_none(deployed) -> None:
    row = prompt()
    assert erase(row, "Ask <erased>.") == 1
    row.refresh_from_db()
    assert row.text == "Ask <erased>."
    entry = Entry.objects.filter(table_name="catalog_promptversion", action="changed").get()
    assert (entry.actor, entry.before, entry.after) == ("erasure", {"text": "erased"}, {"text": "erased"})


@pytest.mark.parametrize(
    "forged",
    [
        "SELECT set_config('ratiba.erasing', 'on', true)",
        f"SELECT set_config('pgtrigger.ignore', '{FORGED}', true)",
        "SELECT set_config('pgtrigger.ignore', array_agg(tgname)::text, true) FROM pg_trigger",
    ],
)
def test_nobody_else_passes_the_triggers_whatever_they_set(deployed, forged) -> None:
    row = prompt()
    for statement in (
        f"UPDATE catalog_promptversion SET text = '' WHERE id = '{row.pk}'",  # noqa: S608
        "UPDATE audit_entry SET object_text = ''",
        "DELETE FROM audit_entry",
    ):
        refused(forged, statement)
    row.refresh_from_db()
    assert row.text == "Ask Wanjiku Kamau."


def test_a_function_of_the_same_name_elsewhere_is_not_the_eraser(deployed) -> None:
    row = prompt()
    refused(
        "CREATE FUNCTION pg_temp.ratiba_erase(a text, b text, c text, d text[], e jsonb) RETURNS void LANGUAGE plpgsql"
        " SET ratiba.erasing = 'on' AS $$ BEGIN UPDATE t_acme.catalog_promptversion SET text = ''; END $$",
        "SELECT pg_temp.ratiba_erase('', '', '', '{}', '{}')",
    )
    row.refresh_from_db()
    assert row.text == "Ask Wanjiku Kamau."


def test_another_role_cannot_call_it_and_cannot_forge_its_mark(deployed) -> None:
    row = prompt()
    with connection.cursor() as cursor:
        cursor.execute("CREATE ROLE ratiba_reader")
        cursor.execute("GRANT USAGE ON SCHEMA t_acme, public TO ratiba_reader")
        cursor.execute("GRANT SELECT, UPDATE ON t_acme.catalog_promptversion TO ratiba_reader")
        cursor.execute("GRANT SELECT ON public.tenants_tenant TO ratiba_reader")
    line = "PL/pgSQL function public.ratiba_erase(text,text,text,text[],jsonb) line 1"
    fake = f"E'UPDATE t_acme.catalog_promptversion SET text = '''' --\\n{line}'"  # noqa: S608 - words of our own
    for statement in (
        "SELECT public.ratiba_erase('t_acme', 'catalog_promptversion', 'id', '{text}', '[]')",
        f"DO $$ BEGIN PERFORM set_config('ratiba.erasing', 'on', true); EXECUTE {fake}; END $$",
    ):
        refused("SET LOCAL ROLE ratiba_reader", statement)
    row.refresh_from_db()
    assert row.text == "Ask Wanjiku Kamau."


def test_the_eraser_writes_no_column_that_is_not_personal_and_no_foreign_schema(deployed) -> None:
    scenario = Scenario.objects.create(slug="late-braids", goal="book", opening="hello", language="en")
    row = {"id": scenario.pk, "status": "archived", "goal": ""}
    for schema, columns in (("t_acme", ["status"]), ("public", ["goal"]), ("t_acme", [])):
        with pytest.raises(DatabaseError), transaction.atomic():
            erase_rows(schema=schema, table="catalog_scenario", key="id", columns=columns, rows=[row])


def test_what_a_migration_overwrote_is_ours_again(deployed) -> None:
    with connection.cursor() as cursor:
        cursor.execute(SHOULD_IGNORE.replace("public.ratiba_is_erasing()", "false"))
    assert install_eraser()
    assert not install_eraser()
    assert erase(prompt(), "") == 1
