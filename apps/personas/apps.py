"""The room's place in Django."""

from typing import Any

from django.apps import AppConfig


class PersonasConfig(AppConfig):
    name = "apps.personas"
    label = "personas"

    def ready(self) -> None:
        from apps.evaluations.signals import budget_freed  # noqa: PLC0415 - settings must be read first
        from apps.jobs.wakeups import WorkKind, register  # noqa: PLC0415 - as above
        from apps.runs.signals import conversations_ended  # noqa: PLC0415 - as above

        task = "apps.personas.tasks.work_tenant"
        register("persona_generation", WorkKind(task=task, table="catalog_personageneration"))
        freed_by = ("catalog_persona", "runs_conversation", "budgets_budget", "catalog_modelprovider")
        register("persona_validation", WorkKind(task=task, table="catalog_personavalidation", freed_by=freed_by))
        conversations_ended.connect(_wake)
        budget_freed.connect(_end_waits)
        reviews = WorkKind(
            task="apps.personas.tasks.review_tenant",
            table="runs_conversation",
            pending="simulator_verdict = 'pending' AND status = 'ended'",
            freed_by=("runs_testrun", "budgets_budget", "catalog_modelprovider"),
        )
        register("simulator_reviews", reviews)


def _wake(*, tenant: str, **_: Any) -> None:
    """A probe dialogue that has ended may be judged, and the customer of a battle reviewed."""
    from apps.jobs.wakeups import wake_workers_on_commit  # noqa: PLC0415 - settings must be read first

    wake_workers_on_commit(tenant, "persona_validation", "simulator_reviews")


def _end_waits(*, tenant: str, **_: Any) -> None:
    """What waited for money is tried again at once."""
    from apps.personas.services.verdicts import end_budget_waits  # noqa: PLC0415 - settings must be read first

    if end_budget_waits():
        _wake(tenant=tenant)
