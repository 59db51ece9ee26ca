from django.db import migrations, models


class Migration(migrations.Migration):
    """Room for a model provider's whole name."""

    dependencies = [("budgets", "0006_metrics")]

    operations = [
        migrations.AlterField(model_name="modelcall", name="provider", field=models.CharField(max_length=100)),
    ]
