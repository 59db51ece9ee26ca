"""Keep the rights that come from a provider's groups fresh: no older than some minutes on any request."""

from collections.abc import Callable

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from apps.identity.services.sessions import SessionState, look_again
from apps.identity.signals import MARK

_DOWN = "Your sign-in provider has not answered for 15 minutes: you have no rights until it does."
_OVER = "Your sign-in is over: please sign in again."


class FreshGroupsMiddleware:
    """Middleware behind those of sessions and messages. It costs nothing without a session of a provider's account."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if settings.SESSION_COOKIE_NAME not in request.COOKIES or not (user_id := request.session.get(MARK)):
            return self.get_response(request)
        match look_again(user_id=user_id, now=timezone.now()):
            case SessionState.OVER:
                logout(request)
                messages.warning(request, _OVER)
                return redirect(settings.LOGIN_URL)
            case SessionState.WITHOUT_ROLES:
                messages.warning(request, _DOWN)
        return self.get_response(request)
