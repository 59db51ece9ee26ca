"""Django's connection, as django-tenants extends it: `tenant`, `schema_name` and the verbs that set them."""

from typing import Any

from django.db import connection as _connection

connection: Any = _connection
