"""Drops thirteen of Django's own indexes that nothing needs; every fresh tenant would pay for each of them.

Those named `_like` serve `LIKE 'x%'`, which nobody asks of a group's, a user's or a session's name; nobody looks for log
entries by content type; the others are the first column of a unique index of the same table. Small tables are read from the other side or as a
whole. In a tenant's schema only:
the public one keeps Django's.
"""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

NEEDLESS = {
    "auth_group_name_a6ea08ec_like": "auth_group (name varchar_pattern_ops)",
    "auth_group_permissions_group_id_b120cbf9": "auth_group_permissions (group_id)",
    "auth_permission_content_type_id_2f476e4b": "auth_permission (content_type_id)",
    "auth_user_groups_user_id_6a12ed8b": "auth_user_groups (user_id)",
    "auth_user_user_permissions_user_id_a95ead1b": "auth_user_user_permissions (user_id)",
    "auth_user_username_6821ab7c_like": "auth_user (username varchar_pattern_ops)",
    "django_admin_log_content_type_id_c4bce8eb": "django_admin_log (content_type_id)",
    "django_session_session_key_c0390e0f_like": "django_session (session_key varchar_pattern_ops)",
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
    dependencies = [
        ("api", "0001_tables"),
        ("admin", "0003_logentry_add_action_flag_choices"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("sessions", "0001_initial"),
    ]

    operations = [migrations.RunPython(drop, make)]
