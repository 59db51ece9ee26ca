"""Who changes where an outside service is, and what opens it, is kept in the trail; its secrets are not."""

from django.db import migrations

MAKE = """
DO $$ BEGIN
  IF to_regclass(current_schema() || '.catalog_outsideconnection') IS NOT NULL THEN
    CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE ON catalog_outsideconnection FOR EACH ROW
      EXECUTE FUNCTION public.ratiba_audit('secrets', ' ', 'kind', 'address');
  END IF;
END $$
"""
DROP = """
DO $$ BEGIN
  IF to_regclass(current_schema() || '.catalog_outsideconnection') IS NOT NULL THEN
    DROP TRIGGER IF EXISTS audit ON catalog_outsideconnection;
  END IF;
END $$
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0017_failure_modes"), ("production", "0013_outside_connections")]
    operations = [migrations.RunSQL(MAKE, DROP)]
