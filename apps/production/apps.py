"""The room's place in Django."""

from django.apps import AppConfig


class ProductionConfig(AppConfig):
    name = "apps.production"
    label = "production"

    def ready(self) -> None:
        from apps.catalog.release_checks import register_release_check  # noqa: PLC0415 - settings must be read first
        from apps.jobs.work import Work, register  # noqa: PLC0415 - as above

        promotion = Work(
            name="promotion",
            label="weekly promotion",
            serve="apps.production.tasks.promote",
            queue="improvement",
            table="production_promotionround",
            every_s=60.0,
        )
        register(promotion)
        _register_keeping()
        register_release_check("masking", _refuse_unclear_masking)


def _register_keeping() -> None:
    """The work that ends conversations, and deletes them."""
    from apps.jobs.work import Work, register  # noqa: PLC0415 - settings must be read first

    settling = Work(
        name="production_settling",
        label="real conversation that is over",
        serve="apps.production.tasks.settle",
        queue="improvement",
        table="production_productionconversation",
        pending="settled_at IS NULL",
        due=("settle_at",),
        every_s=60.0,
    )
    register(settling)
    retention = Work(
        name="production_retention",
        label="real conversation to be deleted",
        serve="apps.production.tasks.retain",
        queue="improvement",
        table="production_productionconversation",
        pending="deleted_at IS NULL",
        due=("keep_until",),
        every_s=60.0,
    )
    register(retention)


def _refuse_unclear_masking(scenario_id: object) -> None:
    from apps.production.services.candidates import refuse_unclear_masking  # noqa: PLC0415 - tables are read then

    refuse_unclear_masking(scenario_id)
