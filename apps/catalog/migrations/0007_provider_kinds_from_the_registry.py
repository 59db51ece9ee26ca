"""Kinds of model provider are read from the registry: a new one needs no migration."""

from django.db import migrations, models

import apps.catalog.connections.domain.providers


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0006_persona_work"),
    ]

    operations = [
        migrations.AlterField(
            model_name="modelprovider",
            name="kind",
            field=models.CharField(choices=apps.catalog.connections.domain.providers.kind_choices, max_length=40),
        ),
    ]
