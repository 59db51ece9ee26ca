from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("budgets", "0007_provider_names"),
    ]

    operations = [
        migrations.AddField(
            model_name="modelcall",
            name="estimate_usd",
            field=models.DecimalField(decimal_places=8, max_digits=14, null=True),
        ),
        migrations.AddField(model_name="modelcall", name="holder", field=models.UUIDField(null=True)),
        migrations.AddField(model_name="modelcall", name="expires_at", field=models.DateTimeField(null=True)),
        migrations.AddIndex(
            model_name="modelcall",
            index=models.Index(
                condition=models.Q(("expires_at__isnull", False)), fields=["expires_at"], name="model_call_open"
            ),
        ),
    ]
