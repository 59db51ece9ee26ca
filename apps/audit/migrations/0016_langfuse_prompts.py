"""Who decides which prompts a Langfuse gets, and gives, is kept in the trail."""

from django.db import migrations

TRIGGER = """
DO $$ BEGIN
  IF to_regclass(current_schema() || '.production_langfusesource') IS NOT NULL THEN
    DROP TRIGGER IF EXISTS audit ON production_langfusesource;
    CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE OF name, base_url, public_key, secret_key, environment,
      enabled, sends_since, sends_runs_since{more}
      ON production_langfusesource FOR EACH ROW EXECUTE FUNCTION public.ratiba_audit('secret_key', ' ', 'name');
  END IF;
END $$
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0015_langfuse_runs"), ("production", "0009_langfuse_prompts")]
    operations = [migrations.RunSQL(TRIGGER.format(more=", publishes_prompts, read_prompts"), TRIGGER.format(more=""))]
