"""Who sets where alerts go is kept in the trail."""

from django.db import migrations

MAKE = """
DO $$ BEGIN
  IF to_regclass(current_schema() || '.alerts_alertchannel') IS NOT NULL THEN
    CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON alerts_alertchannel FOR EACH ROW
      EXECUTE FUNCTION public.ratiba_audit('address,secret', ' ', 'name');
  END IF;
END $$
"""
DROP = """
DO $$ BEGIN
  IF to_regclass(current_schema() || '.alerts_alertchannel') IS NOT NULL THEN
    DROP TRIGGER IF EXISTS audit ON alerts_alertchannel;
  END IF;
END $$
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0010_erasures"), ("alerts", "0001_tables")]
    operations = [migrations.RunSQL(MAKE, DROP)]
