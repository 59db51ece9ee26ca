"""Notes of analyses have codes; those of stored notes follow from their first words."""

from django.db import migrations, models

FILL = """
DO $$ BEGIN
  IF to_regclass(current_schema() || '.improvement_analysis') IS NOT NULL THEN
    UPDATE improvement_analysis SET note_codes = (
      SELECT jsonb_agg(CASE
        WHEN note LIKE 'No conversation fails%' THEN 'nothing_fails'
        WHEN note LIKE 'Scored on a scale%' THEN 'own_scale'
        WHEN note LIKE 'Findings could not%' THEN 'findings_not_compared'
        WHEN note LIKE 'Part %' THEN 'part_unread'
        ELSE 'worst_only' END ORDER BY place)
      FROM jsonb_array_elements_text(notes) WITH ORDINALITY AS one(note, place))
    WHERE notes <> '[]';
  END IF;
END $$
"""


class Migration(migrations.Migration):
    dependencies = [("improvement", "0001_tables")]
    operations = [
        migrations.AddField(
            model_name="analysis",
            name="note_codes",
            field=models.JSONField(blank=True, db_default=models.Value([], models.JSONField()), default=list),
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
    ]
