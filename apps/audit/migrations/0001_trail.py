"""The trail's table, and the triggers that fill it. Runs in the public schema first, then in every tenant's.

One function in `public` serves all tables of all tenants: a schema of its own carries triggers only.
"""

from django.db import migrations, models
from django.db.models.functions import Now

# (table, columns whose values are never kept, how a row is called, the moves that are kept where not all are).
# A row is called by its columns, joined by the first sign; `column:table:name` is a name to be looked up.
_MOVED_BY_A_PERSON = (
    "OLD.status IS DISTINCT FROM NEW.status AND (NEW.status IN ('paused', 'cancelled') "
    "OR OLD.status IN ('paused', 'completed', 'failed', 'timeout', 'cancelled'))"
)
TABLES = (
    ("catalog_criterion", "", (" ", "name"), None),
    ("catalog_evaluatorconfig", "", (" ", "name"), None),
    ("catalog_evaluatorconfigversion", "", ("@", "config_id:catalog_evaluatorconfig:name", "number"), None),
    ("catalog_agent", "secrets", (" ", "name"), None),
    ("catalog_persona", "", (" ", "name"), None),
    ("catalog_scenario", "", (" ", "slug"), None),
    ("catalog_promptversion", "", (" ", "version"), None),
    ("catalog_goldensession", "", (" ", "name"), None),
    ("catalog_modelprovider", "api_key", (" ", "name"), None),
    ("api_apikey", "digest", (" ", "name", "prefix"), None),
    ("api_webhookkey", "secret", (" ", "name"), None),
    ("api_callback", "", (" ", "event", "url"), "OLD.status <> 'pending' AND NEW.status = 'pending'"),
    ("runs_testrun", "", (" ", "kind", "name"), _MOVED_BY_A_PERSON),
    ("evaluations_evaluation", "", (" ", "config_ref"), _MOVED_BY_A_PERSON),
    ("calibration_labellinground", "", (" ", "month"), None),
    ("calibration_rater", "", (" ", "user"), None),
    ("budgets_budget", "", (" ", "kind", "name"), "OLD.limit_usd IS DISTINCT FROM NEW.limit_usd"),
    ("auth_user", "password", (" ", "username"), None),
    ("auth_user_groups", "", (" → ", "user_id:auth_user:username", "group_id:auth_group:name"), None),
    (
        "auth_user_user_permissions",
        "",
        (" → ", "user_id:auth_user:username", "permission_id:auth_permission:codename"),
        None,
    ),
    ("auth_group", "", (" ", "name"), None),
    (
        "auth_group_permissions",
        "",
        (" → ", "group_id:auth_group:name", "permission_id:auth_permission:codename"),
        None,
    ),
    ("tenants_tenant", "", (" ", "slug"), None),
    ("tenants_domain", "", (" ", "domain"), None),
)

# Columns that move without anybody's decision: a change of these alone is none.
FUNCTIONS = r"""
CREATE OR REPLACE FUNCTION public.ratiba_audit() RETURNS trigger LANGUAGE plpgsql AS $ratiba$
DECLARE
    noise CONSTANT text[] := ARRAY['updated_at', 'created_at', 'date_joined', 'last_login', 'last_used_at', 'progress_at',
                                   'ready', 'schema_key', 'spent_usd', 'needed_usd', 'warned_at', 'stopped_at'];
    longest CONSTANT int := 20000;
    old_row jsonb; new_row jsonb; row_now jsonb; was jsonb; is_now jsonb;
    hidden text; piece text[]; said text; label text := ''; actor text; act text;
BEGIN
    IF NOT EXISTS (SELECT FROM public.tenants_tenant WHERE schema_name = TG_TABLE_SCHEMA) THEN
        RETURN NULL;  -- a schema that is being made and belongs to nobody yet
    END IF;
    IF TG_OP <> 'INSERT' THEN old_row := to_jsonb(OLD) - noise; END IF;
    IF TG_OP <> 'DELETE' THEN new_row := to_jsonb(NEW) - noise; END IF;
    row_now := coalesce(new_row, old_row);
    IF TG_TABLE_NAME LIKE 'tenants\_%' AND coalesce(row_now->>'schema_name', row_now->>'domain') ~ '^test[_-]tenant[_-]' THEN
        RETURN NULL;  -- made for one scenario, and dropped after it
    END IF;
    was := old_row; is_now := new_row;
    IF TG_OP = 'UPDATE' THEN
        SELECT jsonb_object_agg(o.key, o.value), jsonb_object_agg(o.key, new_row->o.key) INTO was, is_now
        FROM jsonb_each(old_row) o WHERE new_row->o.key IS DISTINCT FROM o.value;
        IF was IS NULL THEN RETURN NULL; END IF;
    END IF;
    FOREACH hidden IN ARRAY string_to_array(TG_ARGV[0], ',') LOOP
        IF coalesce(was->>hidden, '') NOT IN ('', '{}') THEN was := was || jsonb_build_object(hidden, 'not shown'); END IF;
        IF coalesce(is_now->>hidden, '') NOT IN ('', '{}') THEN
            is_now := is_now || jsonb_build_object(hidden, CASE TG_OP WHEN 'UPDATE' THEN 'changed' ELSE 'set' END);
        END IF;
    END LOOP;
    SELECT jsonb_object_agg(key, CASE WHEN length(value::text) <= longest THEN value ELSE
        to_jsonb(format('%s characters, md5 %s', length(value::text), md5(value::text))) END) INTO was FROM jsonb_each(was);
    SELECT jsonb_object_agg(key, CASE WHEN length(value::text) <= longest THEN value ELSE
        to_jsonb(format('%s characters, md5 %s', length(value::text), md5(value::text))) END) INTO is_now FROM jsonb_each(is_now);
    FOR at IN 2 .. TG_NARGS - 1 LOOP
        piece := string_to_array(TG_ARGV[at], ':');
        said := row_now->>piece[1];
        IF array_length(piece, 1) = 3 AND said IS NOT NULL THEN
            EXECUTE format('SELECT %I::text FROM %I.%I WHERE id::text = $1', piece[3], TG_TABLE_SCHEMA, piece[2])
            INTO said USING row_now->>piece[1];
        END IF;
        IF coalesce(said, '') <> '' THEN label := concat_ws(TG_ARGV[1], nullif(label, ''), said); END IF;
    END LOOP;
    actor := coalesce(nullif(current_setting('ratiba.actor', true), ''), 'database');
    act := CASE TG_OP WHEN 'INSERT' THEN 'added' WHEN 'UPDATE' THEN 'changed' ELSE 'deleted' END;
    EXECUTE format('INSERT INTO %I.audit_entry (at, actor, action, table_name, object_id, object_text, before, after)
                    VALUES (clock_timestamp(), $1, $2, $3, $4, $5, $6, $7)', TG_TABLE_SCHEMA)
        USING actor, act, TG_TABLE_NAME, row_now->>'id', label, was, is_now;
    IF TG_TABLE_NAME = 'tenants_tenant' AND TG_OP = 'UPDATE' AND new_row->>'schema_name' <> TG_TABLE_SCHEMA
       AND to_regclass(format('%I.audit_entry', new_row->>'schema_name')) IS NOT NULL THEN
        -- the tenant's own people see what became of its settings
        EXECUTE format('INSERT INTO %I.audit_entry (at, actor, action, table_name, object_id, object_text, before, after)
                        VALUES (clock_timestamp(), $1, $2, $3, $4, $5, $6, $7)', new_row->>'schema_name')
            USING actor, act, TG_TABLE_NAME, row_now->>'id', label, was, is_now;
    END IF;
    RETURN NULL;
END $ratiba$;

CREATE OR REPLACE FUNCTION public.ratiba_audit_refuse() RETURNS trigger LANGUAGE plpgsql AS $ratiba$
BEGIN
    IF TG_OP = 'INSERT' AND pg_trigger_depth() > 1 THEN RETURN NEW; END IF;
    RAISE EXCEPTION 'the audit trail is written by the database alone: % refused', lower(TG_OP)
        USING ERRCODE = 'insufficient_privilege';
END $ratiba$;
"""


def install(apps, schema_editor):
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT current_schema()")
        if cursor.fetchone()[0] == "public":
            cursor.execute(FUNCTIONS)
        cursor.execute("""
            CREATE TRIGGER kept BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entry
                FOR EACH STATEMENT EXECUTE FUNCTION public.ratiba_audit_refuse();
            CREATE TRIGGER written_here BEFORE INSERT ON audit_entry
                FOR EACH ROW EXECUTE FUNCTION public.ratiba_audit_refuse()""")
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
        here = {row[0] for row in cursor.fetchall()}
        for table, hidden, label, moves in TABLES:
            if table in here:
                cursor.execute(trigger(table, hidden, label, moves))


def trigger(table, hidden, label, moves):
    arguments = ", ".join("'" + text.replace("'", "''") + "'" for text in (hidden, *label))
    events, condition = ("UPDATE", f"WHEN ({moves}) ") if moves else ("INSERT OR UPDATE OR DELETE", "")
    return (
        f'CREATE TRIGGER audit AFTER {events} ON "{table}" FOR EACH ROW {condition}'
        f"EXECUTE FUNCTION public.ratiba_audit({arguments})"
    )


def remove(apps, schema_editor):
    """The functions stay in public: tenants that are still there would lose every write the triggers hang on."""
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
        here = {row[0] for row in cursor.fetchall()}
        for table, *_ in TABLES:
            if table in here:
                cursor.execute(f'DROP TRIGGER IF EXISTS audit ON "{table}"')


class Migration(migrations.Migration):
    initial = True
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("tenants", "0003_trigger_switch"),
        ("catalog", "0001_tables"),
        ("api", "0001_tables"),
        ("runs", "0001_tables"),
        ("evaluations", "0001_tables"),
        ("calibration", "0001_tables"),
        ("budgets", "0001_tables"),
    ]
    operations = [
        migrations.CreateModel(
            name="Entry",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("at", models.DateTimeField(db_default=Now())),
                ("actor", models.TextField()),
                (
                    "action",
                    models.CharField(
                        choices=[("added", "Added"), ("changed", "Changed"), ("deleted", "Deleted")], max_length=10
                    ),
                ),
                ("table_name", models.CharField(max_length=63)),
                ("object_id", models.CharField(max_length=64)),
                ("object_text", models.TextField()),
                ("before", models.JSONField(null=True)),
                ("after", models.JSONField(null=True)),
            ],
            options={
                "verbose_name": "change",
                "default_permissions": ("view",),
                "indexes": [models.Index(fields=["table_name", "object_id"], name="audit_of_object")],
            },
        ),
        migrations.RunPython(install, remove),
    ]
