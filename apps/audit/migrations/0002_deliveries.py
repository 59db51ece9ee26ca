"""Who sends a delivery again is kept in the trail."""

from django.db import migrations

MAKE = """
DO $$ BEGIN
  IF to_regclass(current_schema() || '.jobs_outbounddelivery') IS NOT NULL THEN
    CREATE TRIGGER audit AFTER UPDATE ON jobs_outbounddelivery FOR EACH ROW
      WHEN (OLD.status <> 'pending' AND NEW.status = 'pending')
      EXECUTE FUNCTION public.ratiba_audit('', ' ', 'kind', 'event');
  END IF;
END $$
"""
DROP = """
DO $$ BEGIN
  IF to_regclass(current_schema() || '.jobs_outbounddelivery') IS NOT NULL THEN
    DROP TRIGGER IF EXISTS audit ON jobs_outbounddelivery;
  END IF;
END $$
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0001_trail"), ("jobs", "0001_outbound_deliveries")]
    operations = [migrations.RunSQL(MAKE, DROP)]
