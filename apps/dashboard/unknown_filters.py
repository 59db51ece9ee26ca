"""A list of the admin that was asked for a filter it does not know says so: Django alone drops it without a word."""

from collections.abc import Callable

from django.contrib import messages
from django.contrib.admin.views.main import ERROR_FLAG
from django.http import HttpRequest, HttpResponse


class UnknownFilterMiddleware:
    """Inside the middleware of messages. Looks at redirects of the admin's lists to themselves; asks no database."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if response.headers.get("Location") == f"{request.path}?{ERROR_FLAG}=1" and ERROR_FLAG not in request.GET:
            query = ", ".join(f"{name}={value}" for name, value in request.GET.items())[:300]
            messages.warning(
                request, f"This list has no filter for {query}, or not for all of it: nothing is filtered."
            )
        return response
