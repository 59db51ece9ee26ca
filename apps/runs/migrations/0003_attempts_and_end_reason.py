"""Turns belong to an attempt and have a purpose; a conversation says why it ended."""

from django.db import migrations, models

_FILL = """
ALTER TABLE runs_turn DISABLE TRIGGER USER;
UPDATE runs_turn t SET attempt = c.attempt,
  purpose = CASE t.role WHEN 'user' THEN 'customer' WHEN 'system' THEN 'system' ELSE 'agent' END
FROM runs_conversation c WHERE c.id = t.conversation_id;
ALTER TABLE runs_turn ENABLE TRIGGER USER;
"""
_ONE_ATTEMPT = """
ALTER TABLE runs_turn DISABLE TRIGGER USER;
DELETE FROM runs_turn t USING runs_conversation c WHERE c.id = t.conversation_id AND t.attempt <> c.attempt;
ALTER TABLE runs_turn ENABLE TRIGGER USER;
"""
_REASONS = [
    ("agent_closed", "Agent closed"),
    ("customer_left", "Customer left"),
    ("max_turns", "Max turns"),
    ("script_ended", "Script ended"),
    ("failed", "Failed"),
    ("timeout", "Timeout"),
    ("cancelled", "Cancelled"),
    ("imported", "Imported"),
]
_PURPOSES = [("customer", "Customer"), ("agent", "Agent"), ("nudge", "Nudge"), ("system", "System")]


class Migration(migrations.Migration):
    dependencies = [("runs", "0002_conversations_that_assert")]

    operations = [
        migrations.RemoveConstraint(model_name="turn", name="one_turn_per_position"),
        migrations.AddField(
            model_name="conversation",
            name="end_reason",
            field=models.CharField(blank=True, choices=_REASONS, db_default="", default="", max_length=20),
        ),
        migrations.AddField(
            model_name="turn", name="attempt", field=models.PositiveIntegerField(db_default=0, default=0)
        ),
        migrations.AddField(
            model_name="turn",
            name="purpose",
            field=models.CharField(choices=_PURPOSES, default="agent", max_length=10),
            preserve_default=False,
        ),
        migrations.RunSQL(_FILL, _ONE_ATTEMPT, elidable=True),
        migrations.AddConstraint(
            model_name="turn",
            constraint=models.UniqueConstraint(
                fields=("conversation", "attempt", "position"), name="one_turn_per_position"
            ),
        ),
    ]
