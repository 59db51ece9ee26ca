"""Personas as data, with their origin, override and release; who may play is worked out by the database."""

import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models

# Approved before who and why were kept; what was validated without scores stays validated.
_FILL = """
UPDATE catalog_persona SET override_by = 'not kept', override_reason = 'Approved before reasons were kept.',
  overridden_at = updated_at
WHERE status = 'approved_override';
"""


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0007_provider_kinds_from_the_registry"),
    ]

    operations = [
        migrations.AddField(
            model_name="persona",
            name="needs_release",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name="persona",
            name="released_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="persona",
            name="origin",
            field=models.CharField(
                choices=[("hand", "Hand"), ("file", "File"), ("generated", "Generated")],
                db_default="hand",
                default="hand",
                max_length=20,
            ),
        ),
        migrations.AddField(
            model_name="persona",
            name="overridden_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="persona",
            name="override_by",
            field=models.CharField(blank=True, db_default="", default="", max_length=150),
        ),
        migrations.AddField(
            model_name="persona",
            name="override_reason",
            field=models.TextField(blank=True, db_default="", default=""),
        ),
        migrations.AddField(
            model_name="persona",
            name="released_by",
            field=models.CharField(blank=True, db_default="", default="", max_length=150),
        ),
        migrations.AddField(
            model_name="persona",
            name="spec",
            field=models.JSONField(blank=True, db_default={}, default=dict),
        ),
        migrations.AddField(
            model_name="persona",
            name="validation",
            field=models.JSONField(blank=True, db_default={}, default=dict),
        ),
        migrations.AddField(
            model_name="persona",
            name="may_play",
            field=models.GeneratedField(
                db_persist=True,
                expression=models.Q(
                    ("status", "approved_override"),
                    models.Q(("needs_release", False), ("status", "validated")),
                    models.Q(("released_at__isnull", False), ("status", "validated")),
                    _connector="OR",
                ),
                output_field=models.BooleanField(),
            ),
        ),
        migrations.RunSQL(_FILL, migrations.RunSQL.noop, elidable=True),
        pgtrigger.migrations.AddTrigger(
            model_name="persona",
            trigger=pgtrigger.compiler.Trigger(
                name="persona_origin_stays",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."origin" IS DISTINCT FROM (NEW."origin") OR OLD."needs_release" IS DISTINCT FROM (NEW."needs_release"))',
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="51c1fba1fa589c9ad09494cc0e4f18406dde7901",
                    operation="UPDATE",
                    pgid="pgtrigger_persona_origin_stays_7c63b",
                    table="catalog_persona",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="persona",
            trigger=pgtrigger.compiler.Trigger(
                name="persona_starts_pending",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN (NEW.status <> 'pending_validation')",
                    func="RAISE EXCEPTION 'pgtrigger: Cannot insert rows from % table', TG_TABLE_NAME;",
                    hash="d394bea17350c9fc90c17f7c2e8ac9a4b0436321",
                    operation="INSERT",
                    pgid="pgtrigger_persona_starts_pending_6f10c",
                    table="catalog_persona",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="persona",
            trigger=pgtrigger.compiler.Trigger(
                name="persona_move_says_why",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN (OLD.status <> NEW.status AND (\n    (NEW.status = 'validated' AND NOT NEW.scores ?& ARRAY['naturalness', 'coherence', 'testability'])\n    OR (NEW.status = 'rejected' AND NEW.rejection_reason = '')\n    OR (NEW.status = 'approved_override'\n        AND (NEW.override_by = '' OR NEW.override_reason = '' OR NEW.overridden_at IS NULL))))",
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="712362b51bea327763436c039fa546801483b100",
                    operation="UPDATE",
                    pgid="pgtrigger_persona_move_says_why_1fffb",
                    table="catalog_persona",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="persona",
            trigger=pgtrigger.compiler.Trigger(
                name="edited_is_validated_again",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN ((OLD.text IS DISTINCT FROM NEW.text OR OLD.spec IS DISTINCT FROM NEW.spec OR OLD.language IS DISTINCT FROM NEW.language) AND NEW.status <> 'pending_validation')",
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="d9e032cc55899e92dc249d99a795cac8c18f09c0",
                    operation="UPDATE",
                    pgid="pgtrigger_edited_is_validated_again_42828",
                    table="catalog_persona",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="persona",
            trigger=pgtrigger.compiler.Trigger(
                name="persona_stays",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN (OLD.status <> 'pending_validation')",
                    func="RAISE EXCEPTION 'pgtrigger: Cannot delete rows from % table', TG_TABLE_NAME;",
                    hash="f01383cc825b3b56a58f75b6cbdd521fc35534a4",
                    operation="DELETE",
                    pgid="pgtrigger_persona_stays_f0e89",
                    table="catalog_persona",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.AddConstraint(
            model_name="persona",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("released_at__isnull", True),
                    models.Q(("status__in", ["validated", "archived"]), models.Q(("released_by", ""), _negated=True)),
                    _connector="OR",
                ),
                name="released_when_validated_by_somebody",
            ),
        ),
    ]
