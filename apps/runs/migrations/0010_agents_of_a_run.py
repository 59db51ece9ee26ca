"""A run may bring its agent: its turns belong to no agent of the catalog, and its runner is seen by the run."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("catalog", "0013_agents_that_are_pulled"), ("runs", "0009_agents_that_only_limit")]

    operations = [
        migrations.AddField("testrun", "runner_seen_at", models.DateTimeField(null=True)),
        migrations.AlterField(
            "pulledturn",
            "agent",
            models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="pulled_turns",
                to="catalog.agent",
            ),
        ),
    ]
