"""The SQL of the eraser: the one way in which a row that is final loses words, and how the triggers know it.

`public.ratiba_erase` is the only function that sets the mark, and the mark alone opens nothing: a trigger believes it
where that function stands in the call stack and runs as its owner, which is the role that owns the tables. Whoever sets
`ratiba.erasing` or `pgtrigger.ignore` by hand is refused like everybody else.
"""

import json
from collections.abc import Mapping

SIGNATURE = "public.ratiba_erase(text,text,text,text[],jsonb)"

# `fn_signature` in a stack is written when the function is compiled, under its own search_path: so it is qualified.
IS_ERASING = rf"""
CREATE OR REPLACE FUNCTION public.ratiba_is_erasing() RETURNS boolean LANGUAGE plpgsql AS $ratiba$
DECLARE
    stack text;
BEGIN
    IF current_setting('ratiba.erasing', true) IS DISTINCT FROM 'on' THEN RETURN false; END IF;
    GET DIAGNOSTICS stack = PG_CONTEXT;
    RETURN coalesce(stack ~ '(?n)^PL/pgSQL function public\.ratiba_erase\(text,text,text,text\[\],jsonb\) '
        AND current_user = (SELECT pg_get_userbyid(proowner) FROM pg_proc WHERE oid = to_regprocedure('{SIGNATURE}')),
        false);
END $ratiba$;
"""  # noqa: S608 - words of our own

# django-pgtrigger writes this function anew with each trigger; after a migration it is ours again (apps.audit.eraser).
# Tests may still ignore a trigger: their databases, and no others, have the function `ratiba_tests`.
SHOULD_IGNORE = """
CREATE OR REPLACE FUNCTION "public"._pgtrigger_should_ignore(trigger_name NAME) RETURNS BOOLEAN AS $ratiba$
BEGIN
    IF public.ratiba_is_erasing() THEN RETURN true; END IF;
    IF coalesce(current_setting('pgtrigger.ignore', true), '') = '' THEN RETURN false; END IF;
    RETURN to_regprocedure('public.ratiba_tests()') IS NOT NULL
        AND trigger_name = ANY(current_setting('pgtrigger.ignore', true)::text[]);
END $ratiba$ LANGUAGE plpgsql;
"""

# The mark is no SET clause of the function: there, a setting that Postgres does not know is for superusers. It is taken
# back when the statement has ended; where it raises, the rollback of its (sub)transaction does that.
_ERASE = """
CREATE OR REPLACE FUNCTION public.ratiba_erase(
    in_schema text, in_table text, in_key text, in_columns text[], in_rows jsonb
) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $ratiba$
DECLARE
    allowed CONSTANT jsonb := $list${allowed}$list$;
    mark_before CONSTANT text := coalesce(current_setting('ratiba.erasing', true), '');
    refused text;
    changed integer;
BEGIN
    IF NOT EXISTS (SELECT FROM public.tenants_tenant WHERE schema_name = in_schema) THEN
        RAISE EXCEPTION 'no tenant has the schema %', in_schema USING ERRCODE = 'insufficient_privilege';
    END IF;
    SELECT name INTO refused FROM unnest(in_columns) AS name WHERE NOT coalesce((allowed->in_table) ? name, false);
    IF refused IS NOT NULL OR coalesce(array_length(in_columns, 1), 0) = 0 THEN
        RAISE EXCEPTION 'the eraser does not write %.%', in_table, refused USING ERRCODE = 'insufficient_privilege';
    END IF;
    PERFORM set_config('search_path', format('%I, public', in_schema), true);
    PERFORM set_config('ratiba.erasing', 'on', true);
    EXECUTE format(
        'UPDATE %1$I.%2$I t SET %3$s FROM jsonb_populate_recordset(NULL::%1$I.%2$I, $1) r WHERE t.%4$I = r.%4$I',
        in_schema, in_table, (SELECT string_agg(format('%1$I = r.%1$I', name), ', ') FROM unnest(in_columns) AS name),
        in_key
    ) USING in_rows;
    GET DIAGNOSTICS changed = ROW_COUNT;
    PERFORM set_config('ratiba.erasing', mark_before, true);
    RETURN changed;
END $ratiba$;
REVOKE ALL ON FUNCTION {signature} FROM PUBLIC;
"""


def erase_function(columns: Mapping[str, frozenset[str]]) -> str:
    """The function's SQL for these columns, by table: it writes no others."""
    allowed = json.dumps({table: sorted(names) for table, names in sorted(columns.items())})
    return _ERASE.replace("{allowed}", allowed).replace("{signature}", SIGNATURE)
