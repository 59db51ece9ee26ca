"""Who decides which real conversations are judged is kept in the trail; the times of the machine are not."""

from django.db import migrations

MAKE = """
DO $$ BEGIN
  IF to_regclass(current_schema() || '.production_samplingrule') IS NOT NULL THEN
    CREATE TRIGGER audit AFTER INSERT OR DELETE
      OR UPDATE OF name, enabled, agent_id, channel, language, prompt_version, rate, evaluator_config
      ON production_samplingrule FOR EACH ROW EXECUTE FUNCTION public.ratiba_audit('', ' ', 'name');
  END IF;
END $$
"""
DROP = """
DO $$ BEGIN
  IF to_regclass(current_schema() || '.production_samplingrule') IS NOT NULL THEN
    DROP TRIGGER IF EXISTS audit ON production_samplingrule;
  END IF;
END $$
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0008_langfuse_sources"), ("production", "0006_sampling_and_anchors")]
    operations = [migrations.RunSQL(MAKE, DROP)]
