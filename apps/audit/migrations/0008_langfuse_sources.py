"""Who changes a Langfuse source is kept in the trail; its key is not."""

from django.db import migrations

MAKE = """
DO $$ BEGIN
  IF to_regclass(current_schema() || '.production_langfusesource') IS NOT NULL THEN
    CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE OF name, base_url, public_key, secret_key, environment, enabled
      ON production_langfusesource FOR EACH ROW EXECUTE FUNCTION public.ratiba_audit('secret_key', ' ', 'name');
  END IF;
END $$
"""
DROP = """
DO $$ BEGIN
  IF to_regclass(current_schema() || '.production_langfusesource') IS NOT NULL THEN
    DROP TRIGGER IF EXISTS audit ON production_langfusesource;
  END IF;
END $$
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0007_whatsapp_and_people"), ("production", "0005_langfuse_sources")]
    operations = [migrations.RunSQL(MAKE, DROP)]
