"""Who sets the floor of an agent's gates is kept in the trail."""

from django.db import migrations

MAKE = """
DO $$ BEGIN
  IF to_regclass(current_schema() || '.gates_gatefloor') IS NOT NULL THEN
    CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON gates_gatefloor FOR EACH ROW
      EXECUTE FUNCTION public.ratiba_audit('', ' ', 'agent');
  END IF;
END $$
"""
DROP = """
DO $$ BEGIN
  IF to_regclass(current_schema() || '.gates_gatefloor') IS NOT NULL THEN
    DROP TRIGGER IF EXISTS audit ON gates_gatefloor;
  END IF;
END $$
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0003_golden_versions"), ("gates", "0004_floors")]
    operations = [migrations.RunSQL(MAKE, DROP)]
