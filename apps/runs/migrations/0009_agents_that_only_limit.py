"""Since when an agent has answered nothing but 429."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("runs", "0008_pulled_turns")]

    operations = [migrations.AddField("agentthrottle", "limited_since", models.DateTimeField(null=True))]
