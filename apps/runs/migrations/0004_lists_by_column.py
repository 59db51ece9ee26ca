"""Lists of a run's conversations by date, language, persona and scenario, window by window."""

import django.db.models.fields.json
import django.db.models.functions.comparison
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("runs", "0003_attempts_and_end_reason"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="conversation",
            index=models.Index(
                models.F("run"),
                django.db.models.functions.comparison.Coalesce("started_at", "created_at"),
                models.F("id"),
                name="conversation_by_date",
            ),
        ),
        migrations.AddIndex(
            model_name="conversation",
            index=models.Index(fields=["run", "language", "id"], name="conversation_by_language"),
        ),
        migrations.AddIndex(
            model_name="conversation",
            index=models.Index(
                models.F("run"),
                django.db.models.fields.json.KeyTextTransform("persona_name", "spec"),
                models.F("id"),
                name="conversation_by_persona",
            ),
        ),
        migrations.AddIndex(
            model_name="conversation",
            index=models.Index(
                models.F("run"),
                django.db.models.functions.comparison.Coalesce(
                    django.db.models.fields.json.KeyTextTransform("scenario", "spec"),
                    django.db.models.fields.json.KeyTextTransform("golden_session", "spec"),
                ),
                models.F("id"),
                name="conversation_by_scenario",
            ),
        ),
    ]
