from django.db import migrations, models


class Migration(migrations.Migration):
    """Who was tested."""

    dependencies = [("runs", "0003_conversation_attempt")]

    operations = [
        migrations.AddField(
            model_name="testrun", name="subject", field=models.JSONField(blank=True, db_default={}, default=dict)
        ),
    ]
