"""Every error of the API as RFC 9457 problem+json: a stable `code`, and a `pointer` where a field is at fault."""

import logging
import math
import sys
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.template import loader
from django.views import defaults
from rest_framework import exceptions
from rest_framework.response import Response

from apps.api.domain.statuses import status_of
from apps.core.errors import RatibaError
from apps.core.events import EventType, log_event

CONTENT_TYPE = "application/problem+json"
API_PREFIX = "/api/"
DATABASE_AWAY = "The database cannot be reached now; try again soon."
RETRY_AFTER_S = 5  # what is down for a moment: the database, a lock
_RESERVED = frozenset({"type", "title", "status", "detail", "code", "pointer"})


def problem(
    status: int, code: str, detail: str, *, pointer: str | None = None, extra: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The body. Members of `extra` may not replace our own."""
    body: dict[str, Any] = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status}
    body |= {"detail": detail, "code": code}
    if pointer is not None:
        body["pointer"] = pointer
    return body | {name: value for name, value in (extra or {}).items() if name not in _RESERVED}


def problem_response(status: int, code: str, detail: str, **more: Any) -> HttpResponse:
    """The body as a plain Django response, for where DRF is not in charge."""
    return JsonResponse(problem(status, code, detail, **more), status=status, content_type=CONTENT_TYPE)


def handle(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """DRF's exception handler. None for what nobody expected: Django logs it and `server_error` answers."""
    response = _known(error)
    if response is None:
        return None
    body, headers = response
    return Response(body, status=body["status"], headers=headers, content_type=CONTENT_TYPE)


def _known(error: Exception) -> tuple[dict[str, Any], dict[str, str]] | None:
    headers: dict[str, str] = {}
    if isinstance(error, RatibaError):
        status = status_of(error)
        if error.retryable or error.code == "in_progress":
            headers["Retry-After"] = str(error.extra.get("retry_after", RETRY_AFTER_S))
        if status >= 500:
            log_event(EventType.LOG, level=logging.ERROR, code=error.code, why=error.message)
        return problem(
            status, error.code, error.message, pointer=getattr(error, "pointer", None), extra=error.extra
        ), headers
    if isinstance(error, Http404):
        return problem(404, "not_found", "There is nothing at this address."), headers
    if isinstance(error, RequestDataTooBig):
        return problem(413, "body_too_large", "The request body is too large."), headers
    if isinstance(error, PermissionDenied):
        return problem(403, "forbidden", str(error) or "This is not allowed."), headers
    if isinstance(error, OperationalError | InterfaceError):
        headers["Retry-After"] = str(RETRY_AFTER_S)
        log_event(EventType.LOG, level=logging.ERROR, code="database_unavailable", why=type(error).__name__)
        return problem(503, "database_unavailable", DATABASE_AWAY), headers
    return _of_drf(error, headers) if isinstance(error, exceptions.APIException) else None


def _of_drf(error: exceptions.APIException, headers: dict[str, str]) -> tuple[dict[str, Any], dict[str, str]]:
    if auth_header := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = auth_header
    if (wait := getattr(error, "wait", None)) is not None:
        headers["Retry-After"] = str(max(1, math.ceil(wait)))
    detail = error.detail
    code = getattr(detail, "code", None) or error.default_code
    return problem(error.status_code, str(code), str(detail)), headers


# --- Where no view was reached: ratiba_eval.urls names these as Django's handlers ------------------------------------
def _for_api(request: HttpRequest) -> bool:
    return request.path.startswith(API_PREFIX)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if _for_api(request):
        return problem_response(400, "bad_request", "The request cannot be read.")
    return defaults.bad_request(request, exception)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    if _for_api(request):
        return problem_response(403, "forbidden", "This is not allowed.")
    return defaults.permission_denied(request, exception)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if _for_api(request):
        return problem_response(404, "not_found", _nothing_at(request.path))
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer an error on our side, or a database that was away in a view or before any was reached.

    The latter is 503, and worth another try. Its page needs no database.
    """
    away = isinstance(sys.exc_info()[1], OperationalError | InterfaceError)
    if _for_api(request):
        if not away:
            return problem_response(500, "internal", "Something went wrong on our side; it has been logged.")
        response = problem_response(503, "database_unavailable", DATABASE_AWAY)
    elif away:
        response = HttpResponse(loader.render_to_string("503.html"), status=503)
    else:
        return defaults.server_error(request)
    response["Retry-After"] = str(RETRY_AFTER_S)
    return response


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a failed CSRF check of forms outside the API: settings.CSRF_FAILURE_VIEW.

    The API's views check for themselves.
    """
    if _for_api(request):
        return problem_response(403, "csrf_failed", reason)
    from django.views.csrf import csrf_failure as page  # noqa: PLC0415 - a template is read when it is imported

    return page(request, reason)


def _nothing_at(path: str) -> str:
    hint = "" if path.endswith("/") else " Addresses end with a slash."
    return f"There is nothing at this address.{hint}"
