"""A persona may come with its run: it has no row, and the conversation says so."""

import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("runs", "0010_agents_of_a_run"),
    ]

    operations = [
        pgtrigger.migrations.RemoveTrigger(
            model_name="conversation",
            name="only_fit_personas_play",
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="conversation",
            trigger=pgtrigger.compiler.Trigger(
                name="only_fit_personas_play",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN (NEW.kind = 'battle')",
                    func="\n                IF NEW.spec ? 'persona_of_run' THEN\n                    IF NEW.persona_id IS NOT NULL THEN\n                        RAISE EXCEPTION 'a persona that came with its run has no row (persona_id)';\n                    END IF;\n                ELSIF NEW.persona_id IS NULL AND (TG_OP = 'INSERT' AND NEW.status IN ('pending', 'running') OR EXISTS (\n                    SELECT 1 FROM catalog_persona WHERE name = NEW.spec->>'persona_name' AND NOT may_play\n                )) THEN\n                    RAISE EXCEPTION 'a battle refers to the persona that plays it (persona_id)';\n                ELSIF EXISTS (\n                    SELECT 1 FROM catalog_persona WHERE id = NEW.persona_id\n                    AND (NOT may_play OR name <> coalesce(NEW.spec->>'persona_name', name))\n                ) THEN\n                    RAISE EXCEPTION 'persona % (%) may not play', NEW.spec->>'persona_name', NEW.persona_id;\n                END IF;\n                RETURN NEW;\n                ",
                    hash="7c0b8fbcd5f6b769595d0b2ca5b6c9379a52154c",
                    operation='INSERT OR UPDATE OF "spec", "persona_id", "kind"',
                    pgid="pgtrigger_only_fit_personas_play_b9120",
                    table="runs_conversation",
                    when="BEFORE",
                ),
            ),
        ),
    ]
