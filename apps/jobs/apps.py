"""The room's place in Django."""

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class JobsConfig(AppConfig):
    name = "apps.jobs"
    label = "jobs"

    def ready(self) -> None:
        """Load each room's `registrations.py` once, in the order of INSTALLED_APPS.

        It registers the room's work, its deliveries, its buttons, what it hears, and what it answers to rooms below.
        Every command pays for what they load.
        """
        autodiscover_modules("registrations")
