"""Who switches on that runs are sent to a Langfuse is kept in the trail."""

from django.db import migrations

TRIGGER = """
DO $$ BEGIN
  IF to_regclass(current_schema() || '.production_langfusesource') IS NOT NULL THEN
    DROP TRIGGER IF EXISTS audit ON production_langfusesource;
    CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE OF name, base_url, public_key, secret_key, environment,
      enabled, sends_since{more}
      ON production_langfusesource FOR EACH ROW EXECUTE FUNCTION public.ratiba_audit('secret_key', ' ', 'name');
  END IF;
END $$
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0014_langfuse_sending"), ("production", "0008_langfuse_runs")]
    operations = [migrations.RunSQL(TRIGGER.format(more=", sends_runs_since"), TRIGGER.format(more=""))]
