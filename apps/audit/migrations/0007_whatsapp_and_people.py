"""Who changes a WhatsApp account or the identity list is kept in the trail; secrets and names are not."""

from django.db import migrations

MAKE = """
DO $$ BEGIN
  IF to_regclass(current_schema() || '.production_whatsappaccount') IS NOT NULL THEN
    CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON production_whatsappaccount FOR EACH ROW
      EXECUTE FUNCTION public.ratiba_audit('app_secret,verify_token,access_token', ' ', 'name');
  END IF;
  IF to_regclass(current_schema() || '.production_listedperson') IS NOT NULL THEN
    CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON production_listedperson FOR EACH ROW
      EXECUTE FUNCTION public.ratiba_audit('name', ' ', 'role');
  END IF;
END $$
"""
DROP = """
DO $$ BEGIN
  IF to_regclass(current_schema() || '.production_whatsappaccount') IS NOT NULL THEN
    DROP TRIGGER IF EXISTS audit ON production_whatsappaccount;
    DROP TRIGGER IF EXISTS audit ON production_listedperson;
  END IF;
END $$
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0006_eraser"), ("production", "0003_intake")]
    operations = [migrations.RunSQL(MAKE, DROP)]
