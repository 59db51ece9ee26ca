"""Receivers of OTLP. A connection goes with its receiver, by the function that migration 0013 made."""

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

import apps.core.models

GOES = """
CREATE TRIGGER connection_goes AFTER DELETE ON production_otlpreceiver FOR EACH ROW
  EXECUTE FUNCTION production_langfuse_connection()
"""


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0020_outside_connections"),
        ("production", "0015_message_of_a_comment"),
    ]

    operations = [
        migrations.CreateModel(
            name="OtlpReceiver",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=apps.core.models.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("name", models.CharField(max_length=100, unique=True)),
                ("enabled", models.BooleanField(default=True)),
                ("sends_since", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("enqueued_until", models.DateTimeField(blank=True, editable=False, null=True)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                (
                    "connection",
                    models.OneToOneField(
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="catalog.outsideconnection",
                    ),
                ),
            ],
            options={
                "verbose_name": "OTLP receiver",
                "ordering": ["name"],
                "constraints": [
                    models.UniqueConstraint(
                        models.Value(1), condition=models.Q(("enabled", True)), name="one_otlp_receiver_is_sent_to"
                    )
                ],
            },
        ),
        migrations.RunSQL(GOES, "DROP TRIGGER connection_goes ON production_otlpreceiver"),
    ]
