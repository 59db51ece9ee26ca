"""The room's place in Django."""

from django.apps import AppConfig


class GatesConfig(AppConfig):
    name = "apps.gates"
    label = "gates"
