"""Who makes a prompt version live is kept in the trail."""

from django.db import migrations

MAKE = """
DO $$ BEGIN
  IF to_regclass(current_schema() || '.catalog_promptline') IS NOT NULL THEN
    CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON catalog_promptline FOR EACH ROW
      EXECUTE FUNCTION public.ratiba_audit('', ' ', 'name');
  END IF;
END $$
"""
DROP = """
DO $$ BEGIN
  IF to_regclass(current_schema() || '.catalog_promptline') IS NOT NULL THEN
    DROP TRIGGER IF EXISTS audit ON catalog_promptline;
  END IF;
END $$
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0004_gate_floors"), ("catalog", "0016_prompt_lines")]
    operations = [migrations.RunSQL(MAKE, DROP)]
