"""The room's place in Django."""

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class JobsConfig(AppConfig):
    name = "apps.jobs"
    label = "jobs"

    def ready(self) -> None:
        """Each room's `registrations.py` is loaded once, in the order of INSTALLED_APPS: its work, its deliveries, its
        buttons, what it hears, and what it answers to rooms below. Every command pays for what they load."""
        autodiscover_modules("registrations")
