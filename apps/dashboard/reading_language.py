"""The pages where people rate speak the reader's language; the rest of the window is English."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import patch_vary_headers

from apps.dashboard.domain.reader_language import reader_language

P = ParamSpec("P")


def language_of(request: HttpRequest) -> str:
    """The language that this person chose on the page, else the one their browser asks for."""
    chosen = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, "")
    return chosen if chosen in dict(settings.LANGUAGES) else reader_language(request.headers.get("Accept-Language", ""))


def in_readers_language(
    view: Callable[Concatenate[HttpRequest, P], HttpResponse],
) -> Callable[Concatenate[HttpRequest, P], HttpResponse]:
    """Answer in the language of who asks: texts, plurals and messages of the page."""

    @wraps(view)
    def translated(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        with translation.override(language_of(request)):
            response = view(request, *args, **kwargs)
        patch_vary_headers(response, ("Accept-Language", "Cookie"))
        return response

    return translated
