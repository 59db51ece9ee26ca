"""Connections, profile versions and golden versions are kept in the trail; secrets and what was said are not."""

from django.db import migrations

TABLES = {
    "catalog_agentconnection": "'secrets', ' ', 'agent_id:catalog_agent:name', 'kind'",
    "catalog_profileversion": "'', '@', 'name', 'number'",
    "catalog_goldenversion": "'document', '@', 'golden_id:catalog_goldensession:name', 'number'",
}
MAKE = """
DO $$ BEGIN
  IF to_regclass(current_schema() || '.{table}') IS NOT NULL THEN
    CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON {table} FOR EACH ROW
      EXECUTE FUNCTION public.ratiba_audit({arguments});
  END IF;
END $$
"""
DROP = """
DO $$ BEGIN
  IF to_regclass(current_schema() || '.{table}') IS NOT NULL THEN
    DROP TRIGGER IF EXISTS audit ON {table};
  END IF;
END $$
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0002_deliveries"), ("catalog", "0004_golden_versions")]
    operations = [
        migrations.RunSQL(MAKE.format(table=table, arguments=arguments), DROP.format(table=table))
        for table, arguments in TABLES.items()
    ]
