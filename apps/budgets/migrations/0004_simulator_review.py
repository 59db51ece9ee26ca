"""Calls that review a simulated customer have a purpose of their own."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("budgets", "0003_agent_purpose"),
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
                    ("analyzer", "Analyzer"),
                    ("metric", "Metric"),
                    ("simulator_review", "Simulator review"),
                    ("persona_generation", "Persona generation"),
                    ("persona_validation", "Persona validation"),
                    ("agent", "Agent"),
                ],
                max_length=20,
            ),
        ),
    ]
