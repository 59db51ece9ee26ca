"""Which runs were looked at as a whole; a source of its own for what that finds."""

import django.db.models.deletion
from django.db import migrations, models

import apps.core.models


class Migration(migrations.Migration):
    dependencies = [
        ("checks", "0002_wait_code"),
        ("runs", "0007_agent_throttles"),
    ]

    operations = [
        migrations.AlterField(
            model_name="checkresult",
            name="source",
            field=models.CharField(
                choices=[("scenario", "Scenario"), ("command", "Command"), ("run", "Run")], max_length=20
            ),
        ),
        migrations.CreateModel(
            name="RunLook",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=apps.core.models.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("looked_at", models.DateTimeField()),
                (
                    "run",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="look", to="runs.testrun"
                    ),
                ),
            ],
            options={
                "default_permissions": (),
            },
        ),
    ]
