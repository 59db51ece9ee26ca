"""A battle refers to the persona that plays it, and the database lets only those play that may."""

import django.db.models.deletion
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models

_FILL = """
UPDATE runs_conversation c SET persona_id = p.id FROM catalog_persona p
WHERE c.kind IN ('battle', 'probe') AND p.name = c.spec->>'persona_name';
"""


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0008_personas_as_data"),
        ("runs", "0005_simulator_verdict"),
    ]

    operations = [
        pgtrigger.migrations.RemoveTrigger(
            model_name="conversation",
            name="only_fit_personas_play",
        ),
        migrations.AddField(
            model_name="conversation",
            name="persona",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="conversations",
                to="catalog.persona",
            ),
        ),
        migrations.RunSQL(_FILL, migrations.RunSQL.noop, elidable=True),
        migrations.AddIndex(
            model_name="conversation",
            index=models.Index(
                condition=models.Q(("persona__isnull", False)), fields=["persona"], name="conversation_of_persona"
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="conversation",
            trigger=pgtrigger.compiler.Trigger(
                name="only_fit_personas_play",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN (NEW.kind = 'battle')",
                    func="\n                IF NEW.persona_id IS NULL AND (TG_OP = 'INSERT' AND NEW.status IN ('pending', 'running') OR EXISTS (\n                    SELECT 1 FROM catalog_persona WHERE name = NEW.spec->>'persona_name' AND NOT may_play\n                )) THEN\n                    RAISE EXCEPTION 'a battle refers to the persona that plays it (persona_id)';\n                ELSIF EXISTS (\n                    SELECT 1 FROM catalog_persona WHERE id = NEW.persona_id\n                    AND (NOT may_play OR name <> coalesce(NEW.spec->>'persona_name', name))\n                ) THEN\n                    RAISE EXCEPTION 'persona % (%) may not play', NEW.spec->>'persona_name', NEW.persona_id;\n                END IF;\n                RETURN NEW;\n                ",
                    hash="01cbbda1354eea29daf3e4c5d65141eae5c25c9a",
                    operation='INSERT OR UPDATE OF "spec", "persona_id", "kind"',
                    pgid="pgtrigger_only_fit_personas_play_b9120",
                    table="runs_conversation",
                    when="BEFORE",
                ),
            ),
        ),
    ]
