"""What an evaluation asked, whom a run tested and what a conversation was labelled with change no more."""

import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("evaluations", "0002_scores_by_criterion"),
    ]

    operations = [
        pgtrigger.migrations.AddTrigger(
            model_name="evaluation",
            trigger=pgtrigger.compiler.Trigger(
                name="question_is_frozen",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."config_ref" IS DISTINCT FROM (NEW."config_ref") OR OLD."options" IS DISTINCT FROM (NEW."options") OR OLD."subject" IS DISTINCT FROM (NEW."subject"))',
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="1b63257209a1400ecfca30090a38be852e5452e5",
                    operation="UPDATE",
                    pgid="pgtrigger_question_is_frozen_616ae",
                    table="evaluations_evaluation",
                    when="BEFORE",
                ),
            ),
        ),
    ]
