"""Who changes the sign-in provider and the roles of its groups is kept in the trail; its secret is not."""

from django.db import migrations

MAKE = """
DO $$ BEGIN
  IF to_regclass(current_schema() || '.identity_identityprovider') IS NOT NULL THEN
    CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON identity_identityprovider FOR EACH ROW
      EXECUTE FUNCTION public.ratiba_audit('client_secret', ' ', 'name');
  END IF;
END $$
"""
DROP = """
DO $$ BEGIN
  IF to_regclass(current_schema() || '.identity_identityprovider') IS NOT NULL THEN
    DROP TRIGGER IF EXISTS audit ON identity_identityprovider;
  END IF;
END $$
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0012_prompt_templates"), ("identity", "0001_tables")]
    operations = [migrations.RunSQL(MAKE, DROP)]
