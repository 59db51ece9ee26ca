from django.db import migrations, models


class Migration(migrations.Migration):
    """Who was tested."""

    dependencies = [("evaluations", "0011_second_chance")]

    operations = [
        migrations.AddField(
            model_name="evaluation", name="subject", field=models.JSONField(blank=True, db_default={}, default=dict)
        ),
    ]
