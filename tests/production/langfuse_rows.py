"""Langfuse sources and receivers of OTLP with their connection."""

from typing import Any

from django.db import connection

from apps.catalog.models import OutsideConnection
from apps.production.models import LangfuseSource, OtlpReceiver


def langfuse_source(url: str, *, name: str = "ours", secret_key: str = "sk", **fields: Any) -> LangfuseSource:
    connection = OutsideConnection.objects.create(  # type: ignore[misc]  # plain texts become Secrets
        kind="langfuse", address=url, options={"public_key": "pk"}, secrets={"secret_key": secret_key}
    )
    return LangfuseSource.objects.create(name=name, connection=connection, **fields)


def otlp_receiver(url: str, *, name: str = "collector", headers: str = "", **fields: Any) -> OtlpReceiver:
    connection = OutsideConnection.objects.create(  # type: ignore[misc]  # plain texts become Secrets
        kind="otlp", address=url, secrets={"headers": headers} if headers else {}
    )
    return OtlpReceiver.objects.create(name=name, connection=connection, **fields)


def lose_the_key() -> None:
    """As if the field key under which it was encrypted were gone."""
    with connection.cursor() as cursor:
        cursor.execute("""UPDATE catalog_outsideconnection SET secrets = '{"secret_key": "gAAAAnonsense"}'""")
