"""Which prompt version of a name is live: until now it was the one recorded last."""

from typing import Any

import django.db.models.deletion
from django.db import migrations, models

import apps.core.models


def take_the_newest(state: Any, schema_editor: Any) -> None:
    """Every name's line, with the version that was played until now."""
    version, line, agent = (state.get_model("catalog", name) for name in ("PromptVersion", "PromptLine", "Agent"))
    agents = dict(agent.objects.values_list("name", "pk"))
    newest = version.objects.order_by("name", "-created_at", "-id").distinct("name").values_list("name", "pk")
    line.objects.bulk_create(
        [line(name=name, live_id=pk, agent_id=agents.get(name)) for name, pk in newest], ignore_conflicts=True
    )


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0015_models_that_only_limit"),
    ]

    operations = [
        migrations.CreateModel(
            name="PromptLine",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=apps.core.models.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("name", models.CharField(max_length=100)),
                ("live_since", models.DateTimeField(auto_now=True)),
                ("live_by", models.CharField(blank=True, db_default="", default="", max_length=150)),
                (
                    "agent",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="prompt_lines",
                        to="catalog.agent",
                    ),
                ),
                (
                    "live",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="catalog.promptversion"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("name",), name="one_prompt_line_per_name")],
            },
        ),
        migrations.RunPython(take_the_newest, migrations.RunPython.noop),
    ]
