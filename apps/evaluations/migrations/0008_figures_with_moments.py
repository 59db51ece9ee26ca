"""Stored figures have what trends are made of: those without it are worked out anew by the workers' next looks."""

from django.db import migrations

EMPTY = "UPDATE evaluations_evaluation SET sums = NULL WHERE sums IS NOT NULL"


class Migration(migrations.Migration):
    dependencies = [("evaluations", "0007_stored_figures")]

    operations = [migrations.RunSQL(EMPTY, migrations.RunSQL.noop, elidable=True)]
