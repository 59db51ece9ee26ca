from django.db import migrations, models


class Migration(migrations.Migration):
    """Why an evaluation failed or was cancelled, as a stable word; room for a model provider's whole name."""

    dependencies = [("evaluations", "0009_judgements_worst_first")]

    operations = [
        migrations.AddField(
            model_name="evaluation",
            name="error_code",
            field=models.CharField(blank=True, db_default="", default="", max_length=60),
        ),
        *(
            migrations.AlterField(model_name=model, name="provider", field=models.CharField(blank=True, max_length=100))
            for model in ("judgement", "analysis")
        ),
    ]
