"""Operating options leave the identity of a judge. What is stored keeps what its judgements know it by."""

from typing import Any

from django.db import migrations, models

from apps.connectors.llms.options import known_by


def keep_what_they_are_known_by(apps: Any, schema_editor: Any) -> None:
    """Rows that have an operating option, or one that no kind has: that option was part of every fingerprint."""
    provider = apps.get_model("catalog", "ModelProvider")
    for row in provider.objects.exclude(options={}).only("kind", "options"):
        if kept := known_by(row.kind, row.options):
            provider.objects.filter(pk=row.pk).update(known_by=kept)


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0013_agents_that_are_pulled"),
    ]

    operations = [
        migrations.AddField(
            model_name="modelprovider",
            name="known_by",
            field=models.JSONField(blank=True, db_default={}, default=dict, editable=False),
        ),
        migrations.RunPython(keep_what_they_are_known_by, migrations.RunPython.noop),
    ]
