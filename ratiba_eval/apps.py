"""The switchboard as an app: its commands (demo, up)."""

from django.apps import AppConfig


class RatibaEvalConfig(AppConfig):
    name = "ratiba_eval"
    verbose_name = "Ratiba Eval"
