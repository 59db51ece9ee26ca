"""A conversation knows which attempt it is; what counted attempts counts lost workers from here on."""

from django.db import migrations, models

FORWARDS = "UPDATE runs_conversation SET attempt = attempts, attempts = greatest(attempts - 1, 0) WHERE attempts > 0"
BACKWARDS = "UPDATE runs_conversation SET attempts = least(attempt, attempts + 1) WHERE attempt > 0"


class Migration(migrations.Migration):
    dependencies = [
        ("runs", "0002_small_tables_unindexed"),
    ]

    operations = [
        migrations.AddField(
            model_name="conversation",
            name="attempt",
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.RunSQL(FORWARDS, BACKWARDS),
        migrations.RenameField(model_name="conversation", old_name="attempts", new_name="losses"),
    ]
