"""The eraser may take words out of the trail, and what it takes out of other tables is kept without its words.

`ratiba_erase` itself is written after each migration, with the columns of that version (apps.audit.eraser).
"""

from importlib import import_module

from django.db import migrations

from apps.audit.domain.eraser_sql import IS_ERASING, SIGNATURE

BEFORE = import_module("apps.audit.migrations.0001_trail").FUNCTIONS
_DIFFERS = "    FOREACH hidden IN ARRAY string_to_array(TG_ARGV[0], ',') LOOP\n"
_ERASED = """    IF public.ratiba_is_erasing() THEN
        SELECT jsonb_object_agg(key, 'erased') INTO was FROM jsonb_each(was);
        SELECT jsonb_object_agg(key, 'erased') INTO is_now FROM jsonb_each(is_now);
    END IF;
"""
_REFUSES = "    RAISE EXCEPTION 'the audit trail is written by the database alone"
_OPENS = "    IF TG_OP = 'UPDATE' AND public.ratiba_is_erasing() THEN RETURN NULL; END IF;\n"
AFTER = BEFORE.replace(_DIFFERS, _ERASED + _DIFFERS).replace(_REFUSES, _OPENS + _REFUSES)


def install(apps, schema_editor):
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT current_schema()")
        if cursor.fetchone()[0] == "public":
            cursor.execute(IS_ERASING + AFTER)


def remove(apps, schema_editor):
    """Also of the function that every trigger asks: django-pgtrigger's own again."""
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT current_schema()")
        if cursor.fetchone()[0] == "public":
            cursor.execute(BEFORE)
            cursor.execute(import_module("apps.tenants.migrations.0003_trigger_switch").FUNCTION)
            cursor.execute(f"DROP FUNCTION IF EXISTS {SIGNATURE}")
            cursor.execute("DROP FUNCTION IF EXISTS public.ratiba_is_erasing()")


class Migration(migrations.Migration):
    dependencies = [("audit", "0005_prompt_lines")]
    operations = [migrations.RunPython(install, remove)]
