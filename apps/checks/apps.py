"""The room's place in Django."""

from django.apps import AppConfig


class ChecksConfig(AppConfig):
    name = "apps.checks"
    label = "checks"
