"""/healthz, /readyz and /metrics on any host: alive, able to work, how it goes. They come before the tenant's turn."""

import logging
import time
from collections.abc import Callable

from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse

from apps.core.events import EventType, log_event
from apps.tenants.context import in_public
from apps.tenants.errors import SessionsMixed
from apps.tenants.queries import tenants_behind
from ratiba_eval.request_figures import note_request

Answer = Callable[[HttpRequest], HttpResponse]


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
    """200 where database, broker and migrations are usable, else 503 with what is not. Three round trips."""
    checks = {"database": _database(), "broker": _broker(), "migrations": _migrations()}
    good = all(problem is None for problem in checks.values())
    body = {
        "status": "ok" if good else "unavailable",
        "checks": {name: problem or "ok" for name, problem in checks.items()},
    }
    return JsonResponse(body, status=200 if good else 503)


def _failed(name: str, error: Exception) -> str:
    log_event(EventType.LOG, level=logging.WARNING, check=name, why=type(error).__name__)
    return f"failed ({type(error).__name__})"


def _database() -> str | None:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except SessionsMixed as error:
        return str(error)
    except Exception as error:  # any failure is the answer
        return _failed("database", error)
    return None


def _broker() -> str | None:
    import redis  # noqa: PLC0415 - 60 ms that only a readiness probe needs

    try:
        address = settings.REDIS_URL.replace("redis+socket://", "unix://").replace("virtual_host=", "db=")
        with redis.Redis.from_url(address, socket_timeout=2, socket_connect_timeout=2) as client:
            client.ping()
    except Exception as error:  # any failure is the answer
        return _failed("broker", error)
    return None


def _migrations() -> str | None:
    try:
        with in_public():
            behind = tenants_behind()
    except Exception as error:  # the land register's own tables may be missing
        return _failed("migrations", error)
    return f"{behind} tenants are behind the code: run migrate" if behind else None
