"""Drops the rest of Django's own indexes that nothing needs; every fresh tenant would pay for each of them.

Users, groups and the admin's own history are small: they are read from the other side, by the first column of a unique
index, or as a whole. A session is found by its key; its end is looked for only by `clearsessions`. In a tenant's schema
only: the public one keeps Django's.
"""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

NEEDLESS = {
    "auth_group_permissions_permission_id_84c5c92e": "auth_group_permissions (permission_id)",
    "auth_user_groups_group_id_97559544": "auth_user_groups (group_id)",
    "auth_user_user_permissions_permission_id_1fbb5f2c": "auth_user_user_permissions (permission_id)",
    "django_admin_log_user_id_c564eba6": "django_admin_log (user_id)",
    "django_session_expire_date_a5c62663": "django_session (expire_date)",
}


def drop(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    """By full name: without it a missing index would be looked for, and dropped, in `public`."""
    schema = editor.quote_name(editor.connection.schema_name)
    for name in NEEDLESS:
        editor.execute(f"DROP INDEX IF EXISTS {schema}.{name}")


def make(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    schema = editor.quote_name(editor.connection.schema_name)
    for name, (table, _, columns) in {name: on.partition(" ") for name, on in NEEDLESS.items()}.items():
        editor.execute(f"CREATE INDEX IF NOT EXISTS {name} ON {schema}.{table} {columns}")


class Migration(migrations.Migration):
    dependencies = [("api", "0003_indexes_django_doubles")]

    operations = [migrations.RunPython(drop, make)]
