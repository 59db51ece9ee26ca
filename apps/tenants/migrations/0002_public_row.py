"""The public schema's own row and host name: the middleware finds the platform's pages by them."""

from typing import Any

from django.conf import settings
from django.db import migrations


def add(apps: Any, schema_editor: Any) -> None:
    tenant, _ = apps.get_model("tenants", "Tenant").objects.get_or_create(
        schema_name="public", defaults={"slug": "public", "name": "Platform", "vertical": "platform", "ready": True}
    )
    apps.get_model("tenants", "Domain").objects.get_or_create(
        domain=f"platform.{settings.BASE_DOMAIN}", defaults={"tenant": tenant, "is_primary": True}
    )


def remove(apps: Any, schema_editor: Any) -> None:
    apps.get_model("tenants", "Domain").objects.filter(tenant__schema_name="public").delete()
    apps.get_model("tenants", "Tenant").objects.filter(schema_name="public").delete()


class Migration(migrations.Migration):
    dependencies = [("tenants", "0001_registry")]
    operations = [migrations.RunPython(add, remove)]
