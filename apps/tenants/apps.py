"""The tenant registry's place in Django, and the two repairs that make its neighbours work together."""

from django.apps import AppConfig


class TenantsConfig(AppConfig):
    name = "apps.tenants"
    label = "tenants"

    def ready(self) -> None:
        from django.core.management.commands import makemigrations  # noqa: PLC0415 - apps must be loaded first
        from django_tenants.management.commands.migrate_schemas import MigrateSchemasCommand  # noqa: PLC0415 - same

        from apps.tenants import checks, session_probe, signals  # noqa: F401, PLC0415 - they register themselves

        # django-tenants replaces `migrate` and django-pgtrigger patches Django's own autodetector: two classes where
        # Django wants one (commands.E001). This app stands after pgtrigger in INSTALLED_APPS, so the patch is already
        # in place.
        MigrateSchemasCommand.autodetector = makemigrations.Command.autodetector
