"""A list of scores by one criterion, window by window; the scores whose quotes stand nowhere apart."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("evaluations", "0001_tables"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="criterionscore",
            index=models.Index(fields=["criterion", "score", "judgement"], name="score_by_criterion"),
        ),
        migrations.AddIndex(
            model_name="criterionscore",
            index=models.Index(
                condition=models.Q(("evidence__contains", [{"kind": "unverified"}])),
                fields=["criterion", "score", "judgement"],
                name="score_unverified",
            ),
        ),
    ]
