"""What an evaluation asked, whom a run tested and what a conversation was labelled with change no more."""

import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("runs", "0011_personas_of_a_run"),
    ]

    operations = [
        pgtrigger.migrations.AddTrigger(
            model_name="conversation",
            trigger=pgtrigger.compiler.Trigger(
                name="labels_are_kept",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."labels" IS DISTINCT FROM (NEW."labels"))',
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="368af9000e6b0ebbe0833430bd953ae5ed2bca7a",
                    operation="UPDATE",
                    pgid="pgtrigger_labels_are_kept_c21e8",
                    table="runs_conversation",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="testrun",
            trigger=pgtrigger.compiler.Trigger(
                name="subject_is_frozen",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."subject" IS DISTINCT FROM (NEW."subject"))',
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="558adf6ebc7c6ba521566fe919c24487a04d6ac7",
                    operation="UPDATE",
                    pgid="pgtrigger_subject_is_frozen_da1de",
                    table="runs_testrun",
                    when="BEFORE",
                ),
            ),
        ),
    ]
