"""The room's place in Django."""

from django.apps import AppConfig


class ImprovementConfig(AppConfig):
    name = "apps.improvement"
    label = "improvement"
