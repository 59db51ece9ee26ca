"""/healthz, /readyz and /metrics on any host: alive, able to work, how it goes. They come before the tenant's turn."""

import logging
import time
from collections.abc import Callable, Sequence

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse

from apps.core.events import EventType, log_event
from apps.core.plurals import many
from apps.tenants.context import in_public
from apps.tenants.errors import SessionsMixed
from apps.tenants.public_schema import public_schema
from apps.tenants.queries import TenantSchemas, tenant_schemas
from ratiba_eval.request_figures import note_request

Answer = Callable[[HttpRequest], HttpResponse]
NAMED = 5  # tenants that a sentence names


class HealthMiddleware:
    """Answers the three paths itself; everything else passes and is timed."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path == "/healthz":
            return JsonResponse({"status": "ok"})
        if request.path == "/readyz":
            return ready()
        if request.path == "/metrics":
            from ratiba_eval import metrics  # noqa: PLC0415 - the Prometheus client is for those who scrape

            return metrics.answer(request)
        started = time.perf_counter()
        response = self.get_response(request)
        note_request(request, response, time.perf_counter() - started)
        return response


def ready() -> HttpResponse:
    """200 where this process can serve: the database answers, keeps sessions apart, and its public schema is not older
    than the code. What is wrong besides (a broker that is away, tenants that do not fit this code) is told in the body
    and takes nobody off the air: `degraded`. Some five round trips, one of them to the broker."""
    needed, newer = _needed()
    serves = not any(needed.values())
    checks = needed | {"broker": _broker(), "tenants": _tenants(newer) if serves else "not looked at"}
    status = "unavailable" if not serves else "degraded" if any(checks.values()) else "ok"
    body = {"status": status, "checks": {name: problem or "ok" for name, problem in checks.items()}}
    return JsonResponse(body, status=200 if serves else 503)


def _failed(name: str, error: Exception) -> str:
    log_event(EventType.LOG, level=logging.WARNING, check=name, why=type(error).__name__)
    return f"failed ({type(error).__name__})"


def _needed() -> tuple[dict[str, str | None], bool]:
    """Check what this process cannot serve without, and whether newer code has migrated the public schema."""
    try:
        with in_public():
            schema = public_schema()
    except SessionsMixed as error:
        return {"database": str(error), "schema": "not looked at"}, False
    except Exception as error:  # any failure is the answer
        return {"database": _failed("database", error), "schema": "not looked at"}, False
    return {"database": None, "schema": older_sentence(schema.missing) if schema.missing else None}, schema.newer


def _broker() -> str | None:
    import redis  # noqa: PLC0415 - 60 ms that only a readiness probe needs

    try:
        address = settings.REDIS_URL.replace("redis+socket://", "unix://").replace("virtual_host=", "db=")
        with redis.Redis.from_url(address, socket_timeout=2, socket_connect_timeout=2) as client:
            client.ping()
    except Exception as error:  # any failure is the answer
        return f"{_failed('broker', error)}: work is late and not lost"
    return None


def _tenants(newer: bool) -> str | None:
    """Count the tenants; the platform's page says which ones to whoever may see them."""
    try:
        with in_public():
            return " ".join(tenant_sentences(tenant_schemas(), newer=newer)) or None
    except Exception as error:  # any failure is the answer
        return _failed("tenants", error)


def older_sentence(missing: Sequence[str]) -> str:
    """Say what is wrong with a public schema that lacks these migrations, and what to do."""
    return f"the public schema is older than this code (it lacks {missing[0]}): run manage.py upgrade"


def tenant_sentences(schemas: TenantSchemas, *, newer: bool, named: bool = False) -> list[str]:
    """Say what does not fit; `newer`: newer code has migrated the public schema. `named` with their slugs."""

    def so_many(slugs: Sequence[str]) -> str:
        which = f" ({', '.join(slugs[:NAMED])}{', …' if len(slugs) > NAMED else ''})" if named else ""
        return f"{many(len(slugs), 'tenant')}{which}"

    sentences = []
    if schemas.closed:
        sentences.append(
            f"{so_many(schemas.closed)} closed: an upgrade is at work, or could not migrate them; manage.py upgrade "
            "says why."
        )
    if schemas.other and newer:
        sentences.append(f"{so_many(schemas.other)} migrated by a newer version, which this one can serve.")
    elif schemas.other:
        sentences.append(f"{so_many(schemas.other)} behind this code: run manage.py upgrade.")
    return sentences
