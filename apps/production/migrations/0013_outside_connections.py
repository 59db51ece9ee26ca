"""Address and keys of a Langfuse source stand in a connection of the catalog. The columns of before stay, and nothing
reads them: until they are dropped, a trigger carries over what code of before writes there, as ciphertext. The rows
that are there are carried over by the same trigger."""

import django.db.models.deletion
from django.db import migrations, models

# One function for all: a source that has no connection gets one, one that was changed by code of before changes its
# own, and a connection goes with its source. A connection made here has the id of its source.
CARRY = """
CREATE FUNCTION production_langfuse_connection() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    EXECUTE format('DELETE FROM %I.catalog_outsideconnection WHERE id = $1', TG_TABLE_SCHEMA) USING OLD.connection_id;
    RETURN NULL;
  END IF;
  EXECUTE format('INSERT INTO %I.catalog_outsideconnection
      (id, created_at, updated_at, kind, address, options, secrets)
      VALUES ($1, now(), now(), ''langfuse'', $2, jsonb_build_object(''public_key'', $3),
        CASE WHEN $4 = '''' THEN '''' ELSE jsonb_build_object(''secret_key'', $4)::text END)
      ON CONFLICT (id) DO UPDATE SET updated_at = now(), address = EXCLUDED.address, options = EXCLUDED.options,
        secrets = EXCLUDED.secrets', TG_TABLE_SCHEMA)
    USING coalesce(NEW.connection_id, NEW.id), NEW.base_url, NEW.public_key, NEW.secret_key;
  NEW.connection_id := coalesce(NEW.connection_id, NEW.id);
  RETURN NEW;
END $$;
CREATE TRIGGER connection_of_new BEFORE INSERT ON production_langfusesource FOR EACH ROW
  WHEN (NEW.connection_id IS NULL) EXECUTE FUNCTION production_langfuse_connection();
CREATE TRIGGER connection_of_old_code BEFORE UPDATE ON production_langfusesource FOR EACH ROW
  WHEN (NEW.connection_id IS NULL OR OLD.base_url IS DISTINCT FROM NEW.base_url
    OR OLD.public_key IS DISTINCT FROM NEW.public_key OR OLD.secret_key IS DISTINCT FROM NEW.secret_key)
  EXECUTE FUNCTION production_langfuse_connection();
CREATE TRIGGER connection_goes AFTER DELETE ON production_langfusesource FOR EACH ROW
  EXECUTE FUNCTION production_langfuse_connection();
UPDATE production_langfusesource SET connection_id = NULL;
"""
BACK = """
DROP TRIGGER connection_of_new ON production_langfusesource;
DROP TRIGGER connection_of_old_code ON production_langfusesource;
DROP TRIGGER connection_goes ON production_langfusesource;
DROP FUNCTION production_langfuse_connection();
UPDATE production_langfusesource s SET base_url = left(c.address, 200), public_key = c.options->>'public_key',
  secret_key = coalesce(nullif(c.secrets, '')::jsonb->>'secret_key', ''), connection_id = NULL
  FROM catalog_outsideconnection c WHERE c.id = s.connection_id;
DELETE FROM catalog_outsideconnection WHERE kind = 'langfuse';
"""
COLUMNS = ("base_url", "public_key", "secret_key")
DEFAULTS = "".join(f"ALTER TABLE production_langfusesource ALTER COLUMN {one} SET DEFAULT '';" for one in COLUMNS)
NONE = "".join(f"ALTER TABLE production_langfusesource ALTER COLUMN {one} DROP DEFAULT;" for one in COLUMNS)


class Migration(migrations.Migration):
    dependencies = [("production", "0012_comment_prompts"), ("catalog", "0020_outside_connections")]
    operations = [
        migrations.AddField(
            model_name="langfusesource",
            name="connection",
            field=models.OneToOneField(
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="catalog.outsideconnection",
            ),
        ),
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.RemoveField(model_name="langfusesource", name=one) for one in COLUMNS],
            database_operations=[migrations.RunSQL(DEFAULTS, NONE)],
        ),
        migrations.RunSQL(CARRY, BACK),
    ]
