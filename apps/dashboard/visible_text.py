"""Every page goes through one filter: what is hidden in texts of others is seen, or stands harmless in a form."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from apps.core.portable.hidden_characters import any_hidden, visible_html

Answer = Callable[[HttpRequest], HttpResponseBase]


class VisibleTextMiddleware:
    """Makes hidden characters of HTML answers visible (apps.core.portable.hidden_characters). Streams are no pages."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if isinstance(response, HttpResponse) and _hides(response):
            response.content = visible_html(response.content.decode("utf-8", "replace"))
        return response


def _hides(response: HttpResponse) -> bool:
    return str(response.get("content-type", "")).startswith("text/html") and any_hidden(response.content)
