"""Profiles have the sections of project_config files: what had older names is renamed."""

from django.db import migrations

# (older name, the section's name now)
NAMES = (("identity", "agent_identity"), ("known_facts", "hallucination_context"))
_RENAME = """
UPDATE catalog_agent SET profile = (profile - '{old}') || jsonb_build_object('{new}', profile->'{old}')
WHERE profile ? '{old}'
"""


def statements(pairs):
    lines = "".join(_RENAME.format(old=old, new=new) + ";" for old, new in pairs)
    return f"""
    DO $$ BEGIN
      IF to_regclass(current_schema() || '.catalog_agent') IS NOT NULL THEN {lines} END IF;
    END $$
    """


class Migration(migrations.Migration):
    dependencies = [("catalog", "0004_golden_versions")]
    operations = [migrations.RunSQL(statements(NAMES), statements([(new, old) for old, new in NAMES]))]
