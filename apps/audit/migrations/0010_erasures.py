"""Who had somebody erased is kept in the trail, without whom."""

from django.db import migrations

MAKE = """
DO $$ BEGIN
  IF to_regclass(current_schema() || '.erasure_erasure') IS NOT NULL THEN
    CREATE TRIGGER audit AFTER UPDATE ON erasure_erasure FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status)
      EXECUTE FUNCTION public.ratiba_audit('subject,hits', ' ', 'requested_by');
  END IF;
END $$
"""
DROP = """
DO $$ BEGIN
  IF to_regclass(current_schema() || '.erasure_erasure') IS NOT NULL THEN
    DROP TRIGGER IF EXISTS audit ON erasure_erasure;
  END IF;
END $$
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0009_sampling_rules"), ("erasure", "0001_tables")]
    operations = [migrations.RunSQL(MAKE, DROP)]
