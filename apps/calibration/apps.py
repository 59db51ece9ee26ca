"""The room's place in Django."""

from django.apps import AppConfig


class CalibrationConfig(AppConfig):
    name = "apps.calibration"
    label = "calibration"
