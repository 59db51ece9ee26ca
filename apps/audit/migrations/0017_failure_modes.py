"""Who names, merges and rejects failure modes, and when one was called fixed, is kept in the trail; proposals are not."""

from django.db import migrations

MAKE = """
DO $$ BEGIN
  IF to_regclass(current_schema() || '.improvement_failuremode') IS NOT NULL THEN
    CREATE TRIGGER audit AFTER INSERT OR UPDATE ON improvement_failuremode FOR EACH ROW
      WHEN (NEW.status <> 'proposed') EXECUTE FUNCTION public.ratiba_audit('description', ' ', 'name');
  END IF;
END $$
"""
DROP = """
DO $$ BEGIN
  IF to_regclass(current_schema() || '.improvement_failuremode') IS NOT NULL THEN
    DROP TRIGGER IF EXISTS audit ON improvement_failuremode;
  END IF;
END $$
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0016_langfuse_prompts"), ("improvement", "0013_failure_modes")]
    operations = [migrations.RunSQL(MAKE, DROP)]
