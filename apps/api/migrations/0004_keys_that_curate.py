from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("api", "0003_callbacks_are_deliveries")]

    operations = [
        migrations.AddField(
            model_name="apikey",
            name="may_curate",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Change what the whole team uses: catalog, golden sessions, personas, prompts. Not for CI.",
            ),
        ),
    ]
