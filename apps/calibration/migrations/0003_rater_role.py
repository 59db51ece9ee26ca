"""No table changes. Roles are made behind a tenant's migrations (apps.tenants.signals): this one makes every tenant get
the role `rater` with the upgrade."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("calibration", "0002_remarks")]
    operations = []
