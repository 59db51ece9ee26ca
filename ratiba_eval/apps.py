"""The switchboard as an app: its commands (demo, up), and the Celery application in every process."""

from django.apps import AppConfig


class RatibaEvalConfig(AppConfig):
    name = "ratiba_eval"
    verbose_name = "Ratiba Eval"

    def ready(self) -> None:
        from ratiba_eval import celery  # noqa: F401, PLC0415 - shared_task needs an app; only once settings are complete
