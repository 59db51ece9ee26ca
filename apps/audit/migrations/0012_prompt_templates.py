"""Who says which text asks the workshop's models is kept in the trail; the words stand in their version."""

from django.db import migrations

MAKE = """
DO $$ BEGIN
  IF to_regclass(current_schema() || '.improvement_prompttemplate') IS NOT NULL THEN
    CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON improvement_prompttemplate FOR EACH ROW
      EXECUTE FUNCTION public.ratiba_audit('system,ask', ' ', 'purpose', 'language', 'number');
  END IF;
END $$
"""
DROP = """
DO $$ BEGIN
  IF to_regclass(current_schema() || '.improvement_prompttemplate') IS NOT NULL THEN
    DROP TRIGGER IF EXISTS audit ON improvement_prompttemplate;
  END IF;
END $$
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0011_alert_channels"), ("improvement", "0009_prompt_templates")]
    operations = [migrations.RunSQL(MAKE, DROP)]
