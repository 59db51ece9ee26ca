"""The sums of an evaluation are written by their own computation alone."""

import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("evaluations", "0003_frozen_questions"),
    ]

    operations = [
        pgtrigger.migrations.AddTrigger(
            model_name="evaluation",
            trigger=pgtrigger.compiler.Trigger(
                name="sums_are_computed",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN (OLD.sums IS DISTINCT FROM NEW.sums AND NEW.sums IS NOT NULL AND current_setting('ratiba.sums_of', true) IS DISTINCT FROM OLD.id::text)",
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="645b0369ad50e9ee1da68c6fcbe2a4be04ff902b",
                    operation="UPDATE",
                    pgid="pgtrigger_sums_are_computed_dea1c",
                    table="evaluations_evaluation",
                    when="BEFORE",
                ),
            ),
        ),
    ]
