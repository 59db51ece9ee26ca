"""The eraser's functions in the database, and the one door to them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from django.apps import AppConfig, apps
from django.db import connection, transaction

from apps.audit.domain.eraser_sql import IS_ERASING, SHOULD_IGNORE, SIGNATURE, erase_function
from apps.audit.domain.personal_columns import PERSONAL
from apps.core.digest import sha256_hex
from apps.core.events import EventType, log_event

_LOCK = 724_502  # any number, the same for all: functions of `public` are written by one process at a time
_BATCH = 500
_STATE = """
SELECT obj_description(erases), pg_get_functiondef(ignores), pg_get_functiondef(knows),
    has_function_privilege('public', erases, 'EXECUTE')
FROM (SELECT to_regprocedure(%s)::oid AS erases, to_regprocedure('public.ratiba_is_erasing()')::oid AS knows,
    to_regprocedure('public._pgtrigger_should_ignore(name)')::oid AS ignores) AS functions
"""


def install_eraser() -> bool:
    """Write the eraser's functions where they are not in force; tell whether this call did.

    They are missing, of another list of columns, or overwritten by django-pgtrigger. One query where they stand. Safe
    to repeat and to race.
    """
    sql = IS_ERASING + erase_function(PERSONAL) + SHOULD_IGNORE
    mark = f"eraser {sha256_hex(sql)}"
    with connection.cursor() as cursor:
        if _stands(cursor, mark):
            return False
        with transaction.atomic():
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
            if _stands(cursor, mark):
                return False
            cursor.execute(sql)
            cursor.execute(f"COMMENT ON FUNCTION {SIGNATURE} IS '{mark}'")
    return True


def erase_rows(*, schema: str, table: str, key: str, columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> int:
    """Rewrite these columns of these rows, also where a row is final; return how many were rewritten.

    Each row holds `key` and all of `columns`. The trail says that they were erased, and holds no value. Raises where a
    column is not PERSONAL.

    One statement for 500 rows, in the caller's transaction. Safe to repeat.
    """
    changed = 0
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('ratiba.actor', 'erasure', true)")
        for start in range(0, len(rows), _BATCH):
            batch = json.dumps(list(rows[start : start + _BATCH]), ensure_ascii=False, default=str)
            cursor.execute(
                "SELECT public.ratiba_erase(%s, %s, %s, %s, %s::jsonb)", [schema, table, key, list(columns), batch]
            )
            changed += int(cursor.fetchone()[0])
        cursor.execute("SELECT set_config('ratiba.actor', '', true)")
    return changed


def install_after_migrations(sender: AppConfig, **_: Any) -> None:
    """Install the eraser functions once, after the last app's migrations."""
    last = [config for config in apps.get_app_configs() if config.models_module is not None][-1]
    if sender is not last:
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regprocedure('public.ratiba_is_erasing()')")
        if cursor.fetchone()[0] is None:
            return  # the trail's migration is still to come, or was taken back
    if install_eraser():
        log_event(EventType.ERASER_INSTALLED)


def _stands(cursor: Any, mark: str) -> bool:
    """Tell whether the eraser was written from this text, and nobody else may call it."""
    cursor.execute(_STATE, [SIGNATURE])
    comment, ignoring, knowing, is_public = cursor.fetchone()
    return comment == mark and "ratiba_is_erasing" in (ignoring or "") and knowing is not None and not is_public
