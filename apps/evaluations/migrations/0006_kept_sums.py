from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("evaluations", "0005_second_opinions"),
    ]

    operations = [
        migrations.AddField(
            model_name="evaluation",
            name="sums",
            field=models.JSONField(blank=True, editable=False, null=True),
        ),
    ]
