"""The shared function every trigger of a tenant asks, made before the first tenant is replayed into this database.

django-pgtrigger makes it with each trigger; a replayed schema brings its triggers, but not what lies in `public`.
"""

from django.db import migrations

FUNCTION = """
CREATE OR REPLACE FUNCTION "public"._pgtrigger_should_ignore(
    trigger_name NAME
)
RETURNS BOOLEAN AS $$
    DECLARE
        _pgtrigger_ignore TEXT[];
        _result BOOLEAN;
    BEGIN
        BEGIN
            SELECT INTO _pgtrigger_ignore
                CURRENT_SETTING('pgtrigger.ignore');
            EXCEPTION WHEN OTHERS THEN
        END;
        IF _pgtrigger_ignore IS NOT NULL THEN
            SELECT trigger_name = ANY(_pgtrigger_ignore)
            INTO _result;
            RETURN _result;
        ELSE
            RETURN FALSE;
        END IF;
    END;
$$ LANGUAGE plpgsql;
"""


class Migration(migrations.Migration):
    dependencies = [("tenants", "0002_public_row")]
    # Backwards it stays: tenants that still exist would lose every write the triggers guard.
    operations = [migrations.RunSQL(FUNCTION, migrations.RunSQL.noop)]
