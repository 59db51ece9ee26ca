"""Who enters a receiver of OTLP, and switches it on, is kept in the trail."""

from django.db import migrations

MAKE = """
DO $$ BEGIN
  IF to_regclass(current_schema() || '.production_otlpreceiver') IS NOT NULL THEN
    CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE OF name, enabled ON production_otlpreceiver FOR EACH ROW
      EXECUTE FUNCTION public.ratiba_audit(' ', ' ', 'name');
  END IF;
END $$
"""
DROP = """
DO $$ BEGIN
  IF to_regclass(current_schema() || '.production_otlpreceiver') IS NOT NULL THEN
    DROP TRIGGER IF EXISTS audit ON production_otlpreceiver;
  END IF;
END $$
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0019_names_of_queues"), ("production", "0016_otlp_receivers")]
    operations = [migrations.RunSQL(MAKE, DROP)]
