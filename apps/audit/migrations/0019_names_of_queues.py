"""A review queue is called by its name in the trail, as a labelling round is by its month."""

from django.db import migrations

TRIGGER = """
DO $$ BEGIN
  IF to_regclass(current_schema() || '.calibration_labellinground') IS NOT NULL THEN
    DROP TRIGGER IF EXISTS audit ON calibration_labellinground;
    CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON calibration_labellinground FOR EACH ROW
      EXECUTE FUNCTION public.ratiba_audit('', ' ', {names});
  END IF;
END $$
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0018_outside_connections")]
    operations = [migrations.RunSQL(TRIGGER.format(names="'month', 'name'"), TRIGGER.format(names="'month'"))]
