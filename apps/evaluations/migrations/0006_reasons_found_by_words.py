"""Search finds reasons and quotes by their words: an index on what apps.evaluations.reason_words says of a score."""

from django.db import migrations

FOUND = """
CREATE INDEX score_found_by_words ON evaluations_criterionscore USING gin (
  strip(to_tsvector('simple', regexp_replace(left(
    reason || ' ' || replace(jsonb_path_query_array(evidence, '$[*].quote')::text, '\\n', ' '), 20000
  ), '[^[:alnum:]]+', ' ', 'g')))
) WITH (gin_pending_list_limit = 512)
"""


class Migration(migrations.Migration):
    dependencies = [("evaluations", "0005_deletable_words")]

    operations = [migrations.RunSQL(FOUND, "DROP INDEX score_found_by_words")]
