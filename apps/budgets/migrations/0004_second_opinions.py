from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("budgets", "0003_budgets"),
    ]

    operations = [
        migrations.AlterField(
            model_name="modelcall",
            name="purpose",
            field=models.CharField(
                choices=[
                    ("judge", "Judge"),
                    ("reask", "Reask"),
                    ("simulator", "Simulator"),
                    ("dry_run", "Dry run"),
                    ("cross_check", "Cross check"),
                    ("panel", "Panel"),
                    ("pairwise", "Pairwise"),
                    ("check", "Check"),
                ],
                max_length=20,
            ),
        ),
    ]
