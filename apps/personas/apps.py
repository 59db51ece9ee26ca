"""The room's place in Django."""

from django.apps import AppConfig


class PersonasConfig(AppConfig):
    name = "apps.personas"
    label = "personas"
