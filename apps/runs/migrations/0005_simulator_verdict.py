"""The verdict on the simulated customer: its state in the conversation, its reasons in a row of their own."""

import django.db.models.deletion
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models

import apps.core.models


class Migration(migrations.Migration):
    dependencies = [
        ("runs", "0004_lists_by_column"),
    ]

    operations = [
        migrations.CreateModel(
            name="SimulatorReview",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=apps.core.models.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("attempt", models.PositiveIntegerField()),
                (
                    "verdict",
                    models.CharField(
                        choices=[
                            ("", ""),
                            ("pending", "Pending"),
                            ("kept", "Kept"),
                            ("unmeasured", "Unmeasured"),
                            ("broke", "Broke"),
                            ("leaked", "Leaked"),
                            ("helped", "Helped"),
                            ("hindered", "Hindered"),
                        ],
                        max_length=20,
                    ),
                ),
                ("findings", models.JSONField(blank=True, default=list)),
                ("reason", models.CharField(blank=True, max_length=300)),
                ("provider", models.CharField(blank=True, max_length=100)),
                ("model", models.CharField(blank=True, max_length=120)),
                ("cost_usd", models.DecimalField(blank=True, decimal_places=8, max_digits=14, null=True)),
                ("raw_reply", models.TextField(blank=True)),
                ("reviewed_at", models.DateTimeField()),
            ],
        ),
        migrations.AddField(
            model_name="conversation",
            name="review_tries",
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name="conversation",
            name="simulator_verdict",
            field=models.CharField(
                blank=True,
                choices=[
                    ("", ""),
                    ("pending", "Pending"),
                    ("kept", "Kept"),
                    ("unmeasured", "Unmeasured"),
                    ("broke", "Broke"),
                    ("leaked", "Leaked"),
                    ("helped", "Helped"),
                    ("hindered", "Hindered"),
                ],
                db_default="",
                default="",
                max_length=20,
            ),
        ),
        migrations.AlterField(
            model_name="conversation",
            name="end_reason",
            field=models.CharField(
                blank=True,
                choices=[
                    ("agent_closed", "Agent closed"),
                    ("customer_left", "Customer left"),
                    ("goal_met", "Goal met"),
                    ("gave_up", "Gave up"),
                    ("loop", "Loop"),
                    ("budget", "Budget"),
                    ("max_turns", "Max turns"),
                    ("script_ended", "Script ended"),
                    ("failed", "Failed"),
                    ("timeout", "Timeout"),
                    ("cancelled", "Cancelled"),
                    ("imported", "Imported"),
                ],
                db_default="",
                default="",
                max_length=20,
            ),
        ),
        migrations.AddIndex(
            model_name="conversation",
            index=models.Index(
                condition=models.Q(("simulator_verdict", "pending")), fields=["created_at"], name="simulator_review_due"
            ),
        ),
        migrations.AddField(
            model_name="simulatorreview",
            name="conversation",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="simulator_reviews",
                to="runs.conversation",
            ),
        ),
        migrations.AddConstraint(
            model_name="simulatorreview",
            constraint=models.UniqueConstraint(
                fields=("conversation", "attempt"), name="one_simulator_review_per_attempt"
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="simulatorreview",
            trigger=pgtrigger.compiler.Trigger(
                name="simulator_review_is_final",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="f082ade2baba075833c8d1b5499629b8009e9948",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_simulator_review_is_final_5defe",
                    table="runs_simulatorreview",
                    when="BEFORE",
                ),
            ),
        ),
    ]
